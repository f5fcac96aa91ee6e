//! Projections of a trace: one file a format. Everything writes to a given
//! `Write`, with a given width; nothing here computes what the trace does not
//! hold.

mod block;
mod chart;
mod documents;
mod escape;
mod github;
mod html;
mod json;
mod markdown;
mod name;
mod prediction;
mod schema;
mod summary;
mod text;
mod yaml;

pub use block::Blocks;
pub use documents::{
    ComparisonDocument, DryRunDocument, ErrorDocument, Explanation, FlapsDocument, Printable,
    ScenarioDocument, SimulationDocument, UpgradePreview,
};
pub use escape::escape;
pub use github::{write_review_github, write_unreadable_github};
pub use html::write_simulation_html;
pub use json::write_json;
pub use markdown::write_markdown;
pub use name::write_name;
pub use prediction::{Of, Prediction, Remark, RemarkKind};
pub use schema::schema;
pub use summary::{LastPass, Noted, Summary, SummaryList};
pub use text::{ListOptions, ListWriter, TextOptions, list_lines, write_text};
pub use yaml::write_yaml;
