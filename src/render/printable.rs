//! What every format shows of an answer.

use std::io::{self, Write};

use serde::Serialize;

use crate::trace::{Comparison, DryRun, FlapState, Flaps, Preview, Simulation, Trace};

use super::markdown::{
    write_comparison_markdown, write_dry_run_markdown, write_flaps_markdown, write_list_markdown,
    write_markdown, write_preview_markdown, write_simulation_markdown,
};
use super::text::{
    ListOptions, TextOptions, write_comparison, write_dry_run, write_flaps, write_list,
    write_preview, write_simulation, write_text,
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

    /// Writes it for people.
    ///
    /// # Errors
    ///
    /// What `out` returns.
    fn text(&self, options: &TextOptions, out: &mut dyn Write) -> io::Result<()>;

    /// Writes it for a pull request or an incident.
    ///
    /// # Errors
    ///
    /// What `out` returns.
    fn markdown(&self, options: &TextOptions, out: &mut dyn Write) -> io::Result<()>;
}

macro_rules! printable {
    ($($answer:ty, $document:ident, $text:ident, $markdown:ident;)*) => {$(
        impl Printable for $answer {
            fn document(&self) -> impl Serialize {
                $document::of(self)
            }

            fn names(&self) -> Vec<&str> {
                vec![&self.name]
            }

            fn text(&self, options: &TextOptions, out: &mut dyn Write) -> io::Result<()> {
                $text(self, options, out)
            }

            fn markdown(&self, options: &TextOptions, out: &mut dyn Write) -> io::Result<()> {
                $markdown(self, options, out)
            }
        }
    )*};
}

printable! {
    Trace, Explanation, write_text, write_markdown;
    Preview, UpgradePreview, write_preview, write_preview_markdown;
    DryRun, DryRunDocument, write_dry_run, write_dry_run_markdown;
    Simulation, SimulationDocument, write_simulation, write_simulation_markdown;
}

impl Printable for Comparison {
    fn document(&self) -> impl Serialize {
        ComparisonDocument::of(self)
    }

    fn names(&self) -> Vec<&str> {
        self.items.iter().map(|item| item.name.as_str()).collect()
    }

    fn text(&self, options: &TextOptions, out: &mut dyn Write) -> io::Result<()> {
        write_comparison(self, options, out)
    }

    fn markdown(&self, options: &TextOptions, out: &mut dyn Write) -> io::Result<()> {
        write_comparison_markdown(self, options, out)
    }
}

impl Printable for [Flaps] {
    fn document(&self) -> impl Serialize {
        FlapsDocument::of(self)
    }

    /// Those of which something is to be said.
    fn names(&self) -> Vec<&str> {
        let told = self.iter().filter(|it| it.state != FlapState::Calm);
        told.map(|it| it.name.as_str()).collect()
    }

    fn text(&self, options: &TextOptions, out: &mut dyn Write) -> io::Result<()> {
        match self {
            [] => Ok(()),
            items => write_flaps(items, options, out),
        }
    }

    fn markdown(&self, options: &TextOptions, out: &mut dyn Write) -> io::Result<()> {
        match self {
            [] => Ok(()),
            items => write_flaps_markdown(items, options, out),
        }
    }
}

/// A list with what its table shows.
impl Printable for (SummaryList, ListOptions) {
    fn document(&self) -> impl Serialize {
        &self.0
    }

    fn names(&self) -> Vec<&str> {
        self.0.items.iter().map(|item| item.name.as_str()).collect()
    }

    fn text(&self, options: &TextOptions, out: &mut dyn Write) -> io::Result<()> {
        write_list(&self.0, &self.1, options, out)
    }

    fn markdown(&self, options: &TextOptions, out: &mut dyn Write) -> io::Result<()> {
        write_list_markdown(&self.0, &self.1, options, out)
    }
}
