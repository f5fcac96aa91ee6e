//! Projections of a trace: one file a format, and a table of the formats here.
//! Everything writes to a given `Write`, with a given width; nothing here
//! computes what the trace does not hold.

mod block;
mod chart;
mod documents;
mod escape;
mod github;
mod html;
mod json;
mod junit;
mod markdown;
mod name;
mod patch;
mod prediction;
mod reviewed;
mod sarif;
mod style;
mod summary;
mod text;
mod yaml;

use std::io::{self, Write};

pub use documents::{ErrorDocument, Explanation, OwnDocument, Printable, UpgradePreview, schema};
pub use escape::{cut, escape};
pub use html::PAGE_GENERATOR;
pub use prediction::{Of, Prediction, Remark, RemarkKind};
pub use reviewed::{Reviewed, lint_rules};
pub use summary::{Noted, Summary, SummaryList};
pub use text::{ListOptions, TextOptions, list_lines, wrapped};

/// Formats that are treated alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FormatKind {
    /// Can show any answer about an HPA.
    General,
    /// Can show a list of them.
    OfLists,
    /// Can show what `lint` says.
    OfManifests,
    /// Can show the version.
    OfVersions,
    /// Can show a change that pays.
    OfChanges,
    /// Can show passes as they come.
    OfPasses,
    /// All answers make one document.
    Whole,
    /// A page of a width.
    Paged,
    /// A document for programs: errors stand in it, too, and nothing is left
    /// out.
    Document,
    /// A blank line stands between two answers.
    BlankBetween,
    /// `---` begins each of several answers.
    MarkBefore,
}

/// A way to write an answer: a format, in a file of its own.
trait Renderer {
    /// Writes an answer.
    fn write(
        answer: &(impl Printable + ?Sized),
        options: &TextOptions,
        out: &mut dyn Write,
    ) -> io::Result<()>;
}

macro_rules! formats {
    ($($name:ident = $value:literal, [$($kind:ident),*], $help:literal, $renderer:ty;)*) => {
        /// What an answer can be written as.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Format {
            $(#[doc = $help] $name,)*
        }

        impl Format {
            /// Every format.
            pub const ALL: &'static [Self] = &[$(Self::$name,)*];

            /// What it is asked for by.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$name => $value,)* }
            }

            /// What it is for.
            pub const fn help(self) -> &'static str {
                match self { $(Self::$name => $help,)* }
            }

            /// Whether it is one of a kind.
            pub fn is(self, kind: FormatKind) -> bool {
                match self { $(Self::$name => [$(FormatKind::$kind),*].contains(&kind),)* }
            }

            /// Writes an answer.
            ///
            /// # Errors
            ///
            /// What `out` returns.
            pub fn write(
                self,
                answer: &(impl Printable + ?Sized),
                options: &TextOptions,
                out: &mut dyn Write,
            ) -> io::Result<()> {
                match self { $(Self::$name => <$renderer>::write(answer, options, out),)* }
            }
        }
    };
}

formats! {
    Text = "text", [General, OfLists, OfChanges, OfManifests, OfVersions, OfPasses, Paged, BlankBetween],
        "For people", text::Text;
    Wide = "wide", [General, OfLists, OfChanges, Paged, BlankBetween],
        "For people with a wide terminal: nothing is left out for want of room", text::Text;
    Json = "json", [General, OfLists, OfChanges, OfManifests, OfVersions, OfPasses, Document],
        "For programs; one document a line where there are several", json::Json;
    Yaml = "yaml", [General, OfLists, OfChanges, OfManifests, OfVersions, Document, MarkBefore],
        "For programs", yaml::Yaml;
    Markdown = "markdown", [General, OfLists, OfChanges, BlankBetween],
        "For a pull request or an incident", markdown::Markdown;
    Html = "html", [General, OfChanges],
        "One page to share: the answer, a timeline and every pass, for a browser", html::Html;
    Name = "name", [General, OfLists, OfChanges],
        "The names alone, as kubectl takes them", name::Name;
    Patch = "patch", [OfChanges],
        "The change that pays, for kubectl patch --patch-file", patch::Patch;
    Github = "github", [OfManifests],
        "Annotations for a pull request on GitHub", github::Github;
    Sarif = "sarif", [OfManifests, Whole],
        "For code scanning: SARIF 2.1.0", sarif::Sarif;
    Junit = "junit", [OfManifests, Whole],
        "For the test report of a CI system: JUnit", junit::Junit;
    Snapshot = "snapshot", [General, OfLists, MarkBefore],
        "The inputs themselves, for --snapshot; those of a cluster redacted, as `capture` writes them",
        yaml::Yaml;
}

impl Format {
    /// What stands before an answer in this format, after so many printed
    /// ones; `is_list` is whether there are several.
    pub fn separator(self, is_list: bool, printed: usize) -> &'static str {
        if self.is(FormatKind::BlankBetween) && printed > 0 {
            "\n"
        } else if self.is(FormatKind::MarkBefore) && is_list {
            "---\n"
        } else {
            ""
        }
    }
}
