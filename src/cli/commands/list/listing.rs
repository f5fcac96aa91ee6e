//! What becomes of each HPA of a list: printed at once where the order
//! allows, else held until all are there; and which orders there are.

use std::cmp::{Ordering, Reverse};
use std::process::ExitCode;

use clap::ValueEnum;

use super::List;
use crate::cli::{ExitStatus, Terminal, printer};
use crate::render::{FormatKind, ListWriter, Summary, SummaryList, write_name};
use crate::trace::amount::counted;

/// A list on its way out.
pub struct Listing<'l> {
    list: &'l List,
    /// The namespace that is listed; absent for several.
    namespace: Option<&'l str>,
    /// The table, where its lines are written as they come.
    writer: Option<ListWriter>,
    held: Vec<Summary>,
    listed: usize,
    shown: usize,
    status: ExitStatus,
}

impl<'l> Listing<'l> {
    /// A list of the HPAs of a namespace, or of several. The namespace and
    /// the name of each are known before it is added.
    pub fn new<'n>(
        list: &'l List,
        namespace: Option<&'l str>,
        names: impl Iterator<Item = (&'n str, &'n str)>,
        terminal: &Terminal,
    ) -> Self {
        let is_table = list.format.is(FormatKind::Paged);
        let streams = is_table && list.streams();
        let columns = list.columns(namespace, terminal);
        Self {
            list,
            namespace,
            writer: streams.then(|| ListWriter::of_names(names, &columns, &terminal.text)),
            held: Vec::new(),
            listed: 0,
            shown: 0,
            status: ExitStatus::default(),
        }
    }

    /// Takes an HPA.
    pub fn add(&mut self, summary: Summary, terminal: &mut Terminal) -> anyhow::Result<()> {
        self.listed += 1;
        self.status.note(summary.severity);
        if summary.error.is_some() {
            self.status.fail();
        }
        if self.list.problems && !summary.is_problem() {
            return Ok(());
        }
        self.shown += 1;
        if let Some(writer) = &mut self.writer {
            writer.row(&summary, terminal.out())?;
            terminal.flush()?;
        } else if self.list.streams() {
            write_name(&summary.name, terminal.out())?;
            terminal.flush()?;
        } else {
            self.held.push(summary);
        }
        Ok(())
    }

    /// Something of the list could not be read.
    pub fn fail(&mut self) {
        self.status.fail();
    }

    /// Prints what is left, and says how it went.
    pub fn finish(mut self, terminal: &mut Terminal) -> anyhow::Result<ExitCode> {
        let by = self.list.sort_by;
        self.held.sort_by(|one, other| by.compare(one, other));
        let document = SummaryList::of(std::mem::take(&mut self.held));
        let is_document = self.list.format.is(FormatKind::Document);
        if self.shown == 0 && !is_document {
            // What cannot be read was said; that there is nothing is not known.
            if !self.status.has_failed() {
                terminal.complain(&self.nothing());
            }
        } else if let Some(writer) = &self.writer {
            writer.end(terminal.out())?;
        } else {
            let columns = self.list.columns(self.namespace, terminal);
            printer::print(&(document, columns), self.list.format, false, terminal)?;
        }
        Ok(self.status.code(self.list.exit_code))
    }

    /// kubectl's sentence, unless it is only problems that there are none of.
    fn nothing(&self) -> String {
        let hpas = counted(self.listed, "HPA");
        match self.namespace {
            namespace if self.listed == 0 => nothing(namespace),
            Some(namespace) => format!("No problems found in {namespace} namespace ({hpas})."),
            None => format!("No problems found ({hpas})"),
        }
    }
}

/// kubectl's sentence for an empty list, of a namespace or of all.
pub fn nothing(namespace: Option<&str>) -> String {
    match namespace {
        Some(namespace) => format!("No resources found in {namespace} namespace."),
        None => "No resources found".to_owned(),
    }
}

/// What a list is sorted by. kubectl's expressions for the same are taken as
/// well.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum SortBy {
    /// The worst first
    #[default]
    Problem,
    /// By namespace and name
    #[value(alias = ".metadata.name", alias = "{.metadata.name}")]
    Name,
    /// The fewest first
    #[value(alias = ".status.currentReplicas", alias = "{.status.currentReplicas}")]
    Replicas,
    /// The longest first; where it is not known, last
    Since,
    /// The oldest first
    #[value(
        alias = ".metadata.creationTimestamp",
        alias = "{.metadata.creationTimestamp}"
    )]
    Age,
}

impl SortBy {
    /// Which of two comes first; never equal for two HPAs.
    pub fn compare(self, one: &Summary, other: &Summary) -> Ordering {
        let by_name = (&one.namespace, &one.name).cmp(&(&other.namespace, &other.name));
        let first = match self {
            Self::Problem => problem(one).cmp(&problem(other)),
            Self::Name => Ordering::Equal,
            Self::Replicas => one.current_replicas.cmp(&other.current_replicas),
            Self::Since => known_first(one.since).cmp(&known_first(other.since)),
            Self::Age => {
                known_first(one.creation_timestamp).cmp(&known_first(other.creation_timestamp))
            }
        };
        first.then(by_name)
    }
}

/// What cannot be told comes first, then what matters most, alike ones
/// together.
fn problem(summary: &Summary) -> impl Ord + use<> {
    let kind = summary.worst().map(|worst| (worst.role, worst.code));
    (
        summary.error.is_none(),
        Reverse(summary.severity),
        // Where the status alone tells of it, there is no finding.
        kind.is_none(),
        kind,
        summary.headline.clone(),
    )
}

fn known_first<T: Ord>(value: Option<T>) -> (bool, Option<T>) {
    (value.is_none(), value)
}

#[cfg(test)]
mod tests {
    use jiff::{SignedDuration, Timestamp};

    use super::SortBy;
    use crate::render::{Noted, Summary};
    use crate::trace::Code;

    fn hpa(name: &str, change: impl FnOnce(&mut Summary)) -> Summary {
        let mut summary = Summary::failed("shop".into(), name.into(), String::new());
        summary.error = None;
        summary.current_replicas = Some(3);
        change(&mut summary);
        summary
    }

    fn found(code: Code) -> impl FnOnce(&mut Summary) {
        move |summary| {
            summary.severity = Some(code.severity());
            summary.findings.push(Noted {
                code,
                severity: code.severity(),
                role: code.role(),
                message: String::new(),
            });
        }
    }

    fn names(by: SortBy, mut items: Vec<Summary>) -> String {
        items.sort_by(|one, other| by.compare(one, other));
        let names: Vec<&str> = items.iter().map(|item| item.name.as_str()).collect();
        names.join(" ")
    }

    #[test]
    fn the_worst_comes_first_and_alike_ones_together() {
        let items = vec![
            hpa("fine", |_| ()),
            hpa("idle", found(Code::AtMin)),
            hpa("max-b", found(Code::AtMax)),
            hpa("foreign", found(Code::ForeignPods)),
            hpa("max-a", found(Code::AtMax)),
            hpa("dead", found(Code::AllMetricsFail)),
            hpa("status", |one| {
                one.severity = Some(Code::AllMetricsFail.severity());
            }),
            hpa("unread", |one| one.error = Some("odd".into())),
        ];
        assert_eq!(
            names(SortBy::Problem, items),
            "unread dead status foreign max-a max-b idle fine"
        );
    }

    #[test]
    fn what_is_not_known_comes_last() {
        let at = |seconds| Some(Timestamp::UNIX_EPOCH + SignedDuration::from_secs(seconds));
        let items = vec![
            hpa("new", |one| {
                one.since = at(9);
                one.creation_timestamp = at(9);
                one.current_replicas = Some(10);
            }),
            hpa("old", |one| {
                one.since = at(1);
                one.creation_timestamp = at(1);
                one.current_replicas = Some(9);
            }),
            hpa("blank", |_| ()),
        ];
        let rows = [
            (SortBy::Name, "blank new old"),
            (SortBy::Replicas, "blank old new"),
            (SortBy::Since, "old new blank"),
            (SortBy::Age, "old new blank"),
        ];
        for (by, expected) in rows {
            assert_eq!(names(by, items.clone()), expected, "{by:?}");
        }
    }
}
