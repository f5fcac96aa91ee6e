//! The explanation as a document for programs.

use std::io::{self, Write};

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::ser::{CompactFormatter, Formatter, PrettyFormatter};

use crate::snapshot::API_VERSION;
use crate::trace::{DryRun, Flaps, Preview, Range, SimulatedRun, Simulation, Trace};

use super::Prediction;
use super::escape::is_hidden;

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
            prediction: Prediction::of(trace),
            possible: range.and_then(listed),
            possible_range: range,
            trace,
        }
    }
}

/// What each release would decide, as `-o json` and `-o yaml` print it.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct UpgradePreview<'p> {
    #[schemars(extend("const" = API_VERSION))]
    api_version: &'static str,
    #[schemars(extend("const" = "UpgradePreview"))]
    kind: &'static str,
    #[serde(flatten)]
    preview: &'p Preview,
}

impl<'p> UpgradePreview<'p> {
    /// The document of a preview.
    #[must_use]
    pub fn of(preview: &'p Preview) -> Self {
        Self {
            api_version: API_VERSION,
            kind: "UpgradePreview",
            preview,
        }
    }
}

/// What an HPA would do under other specs, as `-o json` and `-o yaml` print
/// it.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DryRunDocument<'d> {
    #[schemars(extend("const" = API_VERSION))]
    api_version: &'static str,
    #[schemars(extend("const" = "DryRun"))]
    kind: &'static str,
    #[serde(flatten)]
    dry_run: &'d DryRun,
}

impl<'d> DryRunDocument<'d> {
    /// The document of a dry-run.
    #[must_use]
    pub fn of(dry_run: &'d DryRun) -> Self {
        Self {
            api_version: API_VERSION,
            kind: "DryRun",
            dry_run,
        }
    }
}

/// Hours of load under one or several specs, as `-o json` and `-o yaml` print
/// them.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SimulationDocument<'s> {
    #[schemars(extend("const" = API_VERSION))]
    api_version: &'static str,
    #[schemars(extend("const" = "Simulation"))]
    kind: &'static str,
    #[serde(flatten)]
    simulation: &'s Simulation,
}

impl<'s> SimulationDocument<'s> {
    /// The document of a simulation.
    #[must_use]
    pub fn of(simulation: &'s Simulation) -> Self {
        Self {
            api_version: API_VERSION,
            kind: "Simulation",
            simulation,
        }
    }
}

/// A scenario of a file, as `simulate --scenario -o json` prints it.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ScenarioDocument<'s> {
    #[schemars(extend("const" = API_VERSION))]
    api_version: &'static str,
    #[schemars(extend("const" = "Scenario"))]
    kind: &'static str,
    #[serde(flatten)]
    run: &'s SimulatedRun,
}

impl<'s> ScenarioDocument<'s> {
    /// The document of a scenario.
    #[must_use]
    pub fn of(run: &'s SimulatedRun) -> Self {
        Self {
            api_version: API_VERSION,
            kind: "Scenario",
            run,
        }
    }
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

/// Writes a document and a line end: on one line, or indented.
///
/// Characters that could take over a terminal, which JSON itself need not
/// escape, are escaped all the same.
///
/// # Errors
///
/// The output cannot be written.
pub fn write_json(
    document: &impl Serialize,
    is_pretty: bool,
    out: &mut impl Write,
) -> io::Result<()> {
    if is_pretty {
        let safe = Safe(PrettyFormatter::new());
        document.serialize(&mut serde_json::Serializer::with_formatter(&mut *out, safe))?;
    } else {
        let safe = Safe(CompactFormatter);
        document.serialize(&mut serde_json::Serializer::with_formatter(&mut *out, safe))?;
    }
    out.write_all(b"\n")
}

/// Another formatter, with hostile characters escaped.
struct Safe<F>(F);

impl<F: Formatter> Formatter for Safe<F> {
    fn write_string_fragment<W: Write + ?Sized>(
        &mut self,
        writer: &mut W,
        fragment: &str,
    ) -> io::Result<()> {
        let mut rest = fragment;
        while let Some(position) = rest.find(is_hidden) {
            let (clean, hostile) = rest.split_at(position);
            writer.write_all(clean.as_bytes())?;
            let character = hostile.chars().next().unwrap_or_default();
            for unit in character.encode_utf16(&mut [0; 2]) {
                write!(writer, "\\u{unit:04x}")?;
            }
            rest = &hostile[character.len_utf8()..];
        }
        writer.write_all(rest.as_bytes())
    }

    fn begin_array<W: Write + ?Sized>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.begin_array(writer)
    }

    fn end_array<W: Write + ?Sized>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.end_array(writer)
    }

    fn begin_array_value<W: Write + ?Sized>(
        &mut self,
        writer: &mut W,
        first: bool,
    ) -> io::Result<()> {
        self.0.begin_array_value(writer, first)
    }

    fn end_array_value<W: Write + ?Sized>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.end_array_value(writer)
    }

    fn begin_object<W: Write + ?Sized>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.begin_object(writer)
    }

    fn end_object<W: Write + ?Sized>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.end_object(writer)
    }

    fn begin_object_key<W: Write + ?Sized>(
        &mut self,
        writer: &mut W,
        first: bool,
    ) -> io::Result<()> {
        self.0.begin_object_key(writer, first)
    }

    fn begin_object_value<W: Write + ?Sized>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.begin_object_value(writer)
    }

    fn end_object_value<W: Write + ?Sized>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.end_object_value(writer)
    }
}
