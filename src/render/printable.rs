//! What every format shows of an answer.

use serde::Serialize;

use crate::trace::{Comparison, DryRun, Flaps, Preview, Simulation, Trace};

use super::block::Blocks;
use super::text::{
    ListOptions, TextOptions, comparison, dry_run, explanation, flaps, list, preview, simulation,
};
use super::{
    ComparisonDocument, DryRunDocument, Explanation, FlapsDocument, SimulationDocument,
    SummaryList, UpgradePreview,
};

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
