//! Projections of a trace: one file a format. Everything writes to a given
//! `Write`, with a given width; nothing here computes what the trace does not
//! hold.

mod chart;
mod documents;
mod escape;
mod github;
mod html;
mod json;
mod markdown;
mod name;
mod prediction;
mod printable;
mod remark;
mod schema;
mod summary;
mod text;
mod yaml;

pub use documents::{
    ComparisonDocument, DryRunDocument, ErrorDocument, Explanation, FlapsDocument,
    ScenarioDocument, SimulationDocument, UpgradePreview,
};
pub use escape::escape;
pub use github::{write_review_github, write_unreadable_github};
pub use html::write_simulation_html;
pub use json::write_json;
pub use markdown::{
    write_comparison_markdown, write_dry_run_markdown, write_flaps_markdown, write_list_markdown,
    write_markdown, write_preview_markdown, write_simulation_markdown,
};
pub use name::write_name;
pub use prediction::Prediction;
pub use printable::Printable;
pub use remark::{Of, Remark, RemarkKind};
pub use schema::schema;
pub use summary::{LastPass, Noted, Summary, SummaryList};
pub use text::{
    ListOptions, ListWriter, TextOptions, list_lines, write_comparison, write_dry_run, write_flaps,
    write_list, write_preview, write_review, write_simulation, write_text, write_unreadable,
};
pub use yaml::write_yaml;
