//! What is printed of an answer. The documents that programs read say their
//! version and their kind, and hold what the text is of, too.

use schemars::JsonSchema;
use serde::Serialize;

use crate::snapshot::API_VERSION;
use crate::trace::{
    Comparison, DryRun, Flaps, Preview, Range, ScenarioRun, Simulation, Trace, Verdict,
};

use super::block::Blocks;
use super::text::{
    ListOptions, TextOptions, comparison, dry_run, explanation, flaps, list, preview, simulation,
};
use super::{Prediction, SummaryList};

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
    #[must_use]
    pub fn of(trace: &'t Trace) -> Self {
        let range = trace.outcome.possible;
        Self {
            api_version: API_VERSION,
            kind: "Explanation",
            namespace: &trace.namespace,
            name: &trace.name,
            verdict: &trace.verdict,
            prediction: Prediction::of(trace),
            possible: range.and_then(listed),
            possible_range: range,
            trace,
        }
    }
}

/// Documents that are what they hold, with its version and its kind in front.
macro_rules! documents {
    ($($(#[$says:meta])* $name:ident, $kind:literal, $held:ident: $of:ty;)*) => {$(
        $(#[$says])*
        #[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
        #[serde(rename_all = "camelCase")]
        pub struct $name<'d> {
            #[schemars(extend("const" = API_VERSION))]
            api_version: &'static str,
            #[schemars(extend("const" = $kind))]
            kind: &'static str,
            #[serde(flatten)]
            $held: &'d $of,
        }

        impl<'d> $name<'d> {
            /// The document of what it holds.
            #[must_use]
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
    UpgradePreview, "UpgradePreview", preview: Preview;
    /// What many HPAs would do under another release or other settings, as
    /// `list --compare-version` prints it.
    ComparisonDocument, "Comparison", comparison: Comparison;
    /// What an HPA would do under other specs, as `-o json` and `-o yaml`
    /// print it.
    DryRunDocument, "DryRun", dry_run: DryRun;
    /// Hours of load under one or several specs, as `-o json` and `-o yaml`
    /// print them.
    SimulationDocument, "Simulation", simulation: Simulation;
    /// A scenario of a file, as `simulate --scenario -o json` prints it.
    ScenarioDocument, "Scenario", run: ScenarioRun;
}

/// Which HPAs flap or are stuck, as `-o json` and `-o yaml` print it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FlapsDocument<'f> {
    #[schemars(extend("const" = API_VERSION))]
    api_version: &'static str,
    #[schemars(extend("const" = "Flaps"))]
    kind: &'static str,
    /// Every HPA that was looked at, worst first.
    items: &'f [Flaps],
}

impl<'f> FlapsDocument<'f> {
    /// The document of some HPAs.
    #[must_use]
    pub fn of(items: &'f [Flaps]) -> Self {
        Self {
            api_version: API_VERSION,
            kind: "Flaps",
            items,
        }
    }
}

/// The counts of a range one by one, if that is to be read.
fn listed(range: Range) -> Option<Vec<i32>> {
    let few = range.from.abs_diff(range.to) < MOST_LISTED;
    few.then(|| (range.from..=range.to).collect())
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
    fn names(&self) -> Vec<&str>;

    /// What people read, in whatever format.
    fn blocks(&self, options: &TextOptions) -> Blocks<'_>;
}

macro_rules! printable {
    ($($answer:ty, $document:ident, |$it:ident| $names:expr, $blocks:path;)*) => {$(
        impl Printable for $answer {
            fn document(&self) -> impl Serialize {
                $document::of(self)
            }

            fn names(&self) -> Vec<&str> {
                let $it = self;
                $names
            }

            fn blocks(&self, options: &TextOptions) -> Blocks<'_> {
                Blocks($blocks(self, options))
            }
        }
    )*};
}

printable! {
    Trace, Explanation, |it| vec![&it.name], explanation;
    Preview, UpgradePreview, |it| vec![&it.name], preview::blocks;
    DryRun, DryRunDocument, |it| vec![&it.name], dry_run::blocks;
    Simulation, SimulationDocument, |it| vec![&it.name], simulation::blocks;
    Comparison, ComparisonDocument,
        |it| it.items.iter().map(|item| item.name.as_str()).collect(), comparison::blocks;
    [Flaps], FlapsDocument, |it| flaps::problems(it).map(|it| it.name.as_str()).collect(),
        flaps::blocks;
}

/// A list with what its table shows.
impl Printable for (SummaryList, ListOptions) {
    fn document(&self) -> impl Serialize {
        &self.0
    }

    fn names(&self) -> Vec<&str> {
        self.0.items.iter().map(|item| item.name.as_str()).collect()
    }

    fn blocks(&self, options: &TextOptions) -> Blocks<'_> {
        Blocks(list::blocks(&self.0, &self.1, options))
    }
}
