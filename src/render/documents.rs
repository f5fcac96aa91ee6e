//! What is printed of an answer. The documents that programs read say their
//! version and their kind, and hold what the text is of, too; a JSON schema
//! tells their shape.

use schemars::generate::SchemaSettings;
use schemars::transform::RecursiveTransform;
use schemars::{JsonSchema, Schema};
use serde::Serialize;
use serde_json::Value;

use super::block::Blocks;
use super::reviewed::{self, Reviewed};
use super::text::{
    ListOptions, TextOptions, dry_run, explanation, flaps, lint, list, preview, simulation, story,
    tune,
};
use super::{Prediction, Remark, SummaryList};
use crate::document::snapshot::API_VERSION;
use crate::history::Pass;
use crate::trace::{
    Comparison, DryRun, Flaps, MergePatch, Preview, Range, Review, ScenarioRun, Simulation, Story,
    Trace, Tune, Unreadable, Verdict,
};

/// The most counts that are listed one by one; beyond, the range alone is
/// given.
const MOST_LISTED: u32 = 10_000;

/// An explanation, as `-o json` and `-o yaml` print it.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Explanation<'t> {
    #[schemars(extend("const" = API_VERSION))]
    api_version: &'static str,
    #[schemars(extend("const" = "Explanation"))]
    kind: &'static str,
    namespace: &'t str,
    name: &'t str,
    /// The answer.
    verdict: &'t Verdict,
    /// What the controller will have done; absent where what cannot be seen
    /// decides.
    #[serde(skip_serializing_if = "Option::is_none")]
    prediction: Option<Prediction<'t>>,
    /// Every count from the smallest to the largest that is possible, where
    /// not everything about the outcome is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    possible: Option<Vec<i32>>,
    /// The ends of the possible counts.
    #[serde(skip_serializing_if = "Option::is_none")]
    possible_range: Option<Range>,
    /// Everything that the pass did.
    trace: &'t Trace,
}

impl<'t> Explanation<'t> {
    /// Reads the document from a trace.
    pub fn of(trace: &'t Trace) -> Self {
        let range = trace.outcome.possible;
        let listed = range.filter(|it| it.from.abs_diff(it.to) < MOST_LISTED);
        Self {
            api_version: API_VERSION,
            kind: "Explanation",
            namespace: &trace.namespace,
            name: &trace.name,
            verdict: &trace.verdict,
            prediction: Prediction::of(trace),
            possible: listed.map(|it| (it.from..=it.to).collect()),
            possible_range: range,
            trace,
        }
    }
}

/// Documents of one thing, with its version and its kind in front.
macro_rules! documents {
    ($(
        $(#[$says:meta])* $name:ident, $kind:literal,
        $(#[$how:meta])* $held:ident: $of:ty;
    )*) => {$(
        $(#[$says])*
        #[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
        #[serde(rename_all = "camelCase")]
        pub struct $name<'d> {
            #[schemars(extend("const" = API_VERSION))]
            api_version: &'static str,
            #[schemars(extend("const" = $kind))]
            kind: &'static str,
            $(#[$how])*
            $held: &'d $of,
        }

        impl<'d> $name<'d> {
            /// The document of what it holds.
            pub fn of($held: &'d $of) -> Self {
                Self {
                    api_version: API_VERSION,
                    kind: $kind,
                    $held,
                }
            }
        }
    )*};
}

documents! {
    /// What each release would decide, as `-o json` and `-o yaml` print it.
    UpgradePreview, "UpgradePreview", #[serde(flatten)] preview: Preview;
    /// What many HPAs would do under another release or other settings, as
    /// `list --compare-version` prints it.
    ComparisonDocument, "Comparison", #[serde(flatten)] comparison: Comparison;
    /// What an HPA would do under other specs, as `-o json` and `-o yaml`
    /// print it.
    DryRunDocument, "DryRun", #[serde(flatten)] dry_run: DryRun;
    /// What happened in a time of the past, as `--since` prints it.
    StoryDocument, "Story", #[serde(flatten)] story: Story;
    /// Hours of load under one or several specs, as `-o json` and `-o yaml`
    /// print them.
    SimulationDocument, "Simulation", #[serde(flatten)] simulation: Simulation;
    /// A scenario of a file, as `simulate --scenario -o json` prints it.
    ScenarioDocument, "Scenario", #[serde(flatten)] run: ScenarioRun;
    /// Which HPAs flap or are stuck, as `-o json` and `-o yaml` print it.
    FlapsDocument, "Flaps",
        /// Every HPA that was looked at, worst first.
        items: [Flaps];
    /// Whether other specs pay, as `-o json` and `-o yaml` print it.
    TuneDocument, "Tune",
        /// Every HPA that was looked at, what gains most first.
        items: [Tune];
}

/// What stands in the place of an HPA that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ErrorDocument {
    /// Why not.
    pub error: String,
}

/// An answer that every format can show.
pub trait Printable {
    /// What programs read.
    fn document(&self) -> impl Serialize;

    /// The HPAs that it is about.
    fn names(&self) -> Vec<&str> {
        Vec::new()
    }

    /// What people read, in whatever format.
    fn blocks(&self, _options: &TextOptions) -> Blocks<'_> {
        Blocks(Vec::new())
    }

    /// The changes that pay.
    fn patches(&self) -> Vec<&MergePatch> {
        Vec::new()
    }

    /// What is said of the documents of files.
    fn reviewed(&self) -> Vec<Reviewed> {
        Vec::new()
    }
}

/// What is its own document, and nothing to people.
pub struct OwnDocument<T>(pub T);

impl<T: Serialize> Printable for OwnDocument<T> {
    fn document(&self) -> impl Serialize {
        &self.0
    }
}

impl Printable for ScenarioRun {
    fn document(&self) -> impl Serialize {
        ScenarioDocument::of(self)
    }
}

impl Printable for [Tune] {
    fn document(&self) -> impl Serialize {
        TuneDocument::of(self)
    }

    fn names(&self) -> Vec<&str> {
        let advised = self.iter().filter(|it| it.pays());
        advised.map(|it| it.name.as_str()).collect()
    }

    fn patches(&self) -> Vec<&MergePatch> {
        let advised = self.iter().filter_map(Tune::advice);
        advised.map(|it| &it.patch).collect()
    }

    fn blocks(&self, options: &TextOptions) -> Blocks<'_> {
        Blocks(tune::blocks(self, options))
    }
}

impl Printable for [Reviewed] {
    fn document(&self) -> impl Serialize {
        self
    }

    fn reviewed(&self) -> Vec<Reviewed> {
        self.to_vec()
    }
}

macro_rules! printable {
    ($(
        $answer:ty,
        |$own:ident| $document:expr,
        |$all:ident| $names:expr,
        |$it:ident, $options:ident| $blocks:expr
        $(, $reviewed:path)?;
    )*) => {$(
        impl Printable for $answer {
            fn document(&self) -> impl Serialize {
                let $own = self;
                $document
            }

            fn names(&self) -> Vec<&str> {
                let $all = self;
                $names
            }

            fn blocks(&self, $options: &TextOptions) -> Blocks<'_> {
                let $it = self;
                Blocks($blocks)
            }

            $(fn reviewed(&self) -> Vec<Reviewed> {
                vec![$reviewed(self)]
            })?
        }
    )*};
}

printable! {
    Trace, |it| Explanation::of(it), |it| vec![&it.name], |it, options| explanation(it, options);
    Preview, |it| UpgradePreview::of(it), |it| vec![&it.name],
        |it, options| preview::blocks(it, options);
    Story, |it| StoryDocument::of(it), |it| vec![&it.name],
        |it, options| story::blocks(it, options);
    DryRun, |it| DryRunDocument::of(it), |it| vec![&it.name],
        |it, options| dry_run::blocks(it, options);
    Simulation, |it| SimulationDocument::of(it), |it| vec![&it.name],
        |it, options| simulation::blocks(it, options);
    Comparison, |it| ComparisonDocument::of(it),
        |it| it.items.iter().map(|item| item.name.as_str()).collect(),
        |it, options| preview::comparison(it, options);
    [Flaps], |it| FlapsDocument::of(it),
        |it| flaps::problems(it).map(|it| it.name.as_str()).collect(),
        |it, options| flaps::blocks(it, options);
    Review, |it| it, |it| vec![&it.name], |it, options| lint::review(it, options),
        reviewed::of_review;
    Unreadable, |it| it, |_it| Vec::new(), |it, _options| lint::unreadable(it),
        reviewed::of_unreadable;
    (SummaryList, ListOptions), |it| &it.0,
        |it| it.0.items.iter().map(|item| item.name.as_str()).collect(),
        |it, options| list::blocks(&it.0, &it.1, options);
}

/// A document that `kubectl hpa-explain` prints with `-o json` or `-o yaml`.
#[derive(JsonSchema)]
#[schemars(untagged, title = "Document")]
#[expect(dead_code, reason = "it is there for its schema alone")]
enum AnyDocument<'t> {
    /// An HPA that is explained.
    Explanation(Box<Explanation<'t>>),
    /// What each release would decide, with `--all-versions`.
    Preview(UpgradePreview<'t>),
    /// What happened in a time of the past, with `--since`.
    Story(StoryDocument<'t>),
    /// What an HPA would do under other specs, of `dry-run`.
    DryRun(Box<DryRunDocument<'t>>),
    /// Hours of load, of `simulate`.
    Simulation(SimulationDocument<'t>),
    /// A scenario of a file, of `simulate --scenario`.
    Scenario(ScenarioDocument<'t>),
    /// Which HPAs flap or are stuck, of `flaps`.
    Flaps(FlapsDocument<'t>),
    /// Whether other specs pay, of `tune`.
    Tune(TuneDocument<'t>),
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
