//! The shape of the documents for programs, as a JSON schema.

use schemars::generate::SchemaSettings;
use schemars::transform::RecursiveTransform;
use schemars::{JsonSchema, Schema};
use serde_json::Value;

use crate::history::Pass;
use crate::trace::{Review, Unreadable};

use super::{
    ComparisonDocument, DryRunDocument, ErrorDocument, Explanation, FlapsDocument, Remark,
    ScenarioDocument, SimulationDocument, SummaryList, UpgradePreview,
};

/// A document that `kubectl hpa-explain` prints with `-o json` or `-o yaml`.
#[derive(JsonSchema)]
#[schemars(untagged, title = "Document")]
#[expect(dead_code, reason = "it is there for its schema alone")]
enum AnyDocument<'t> {
    /// An HPA that is explained.
    Explanation(Box<Explanation<'t>>),
    /// What each release would decide, with `--all-versions`.
    Preview(UpgradePreview<'t>),
    /// What an HPA would do under other specs, of `dry-run`.
    DryRun(Box<DryRunDocument<'t>>),
    /// Hours of load, of `simulate`.
    Simulation(SimulationDocument<'t>),
    /// A scenario of a file, of `simulate --scenario`.
    Scenario(ScenarioDocument<'t>),
    /// Which HPAs flap or are stuck, of `flaps`.
    Flaps(FlapsDocument<'t>),
    /// Many HPAs, of `list`.
    List(SummaryList),
    /// What many HPAs would do under another release or other settings, of
    /// `list --compare-version`.
    Comparison(ComparisonDocument<'t>),
    /// A pass of the controller, of `watch`.
    Pass(Box<Pass>),
    /// What is said beside the passes, of `watch`.
    Remark(Remark),
    /// A manifest, of `lint`.
    Review(Box<Review>),
    /// A document of a file that is no manifest, of `lint`.
    Unreadable(Unreadable),
    /// An HPA that cannot be read.
    Error(ErrorDocument),
}

/// The JSON schema of these documents (draft 2020-12), as `docs/schema.json`
/// holds it. It allows fields that it does not name: later versions add some.
#[must_use]
pub fn schema() -> Schema {
    let settings = SchemaSettings::draft2020_12().for_serialize();
    let settings = settings.with_transform(RecursiveTransform(plain));
    settings
        .into_generator()
        .into_root_schema_for::<AnyDocument>()
}

/// Takes out of a description what only Rust's own documents show: links,
/// and the ends of lines.
fn plain(schema: &mut Schema) {
    if let Some(Value::String(text)) = schema.get_mut("description") {
        *text = text.replace("[`", "`").replace("`]", "`");
        *text = text.replace('\n', " ").replace("  ", "\n\n");
    }
}
