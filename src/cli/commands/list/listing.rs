//! What becomes of each HPA of a list: printed at once where the order
//! allows, else held until all are there.

use std::process::ExitCode;

use crate::cli::options::Format;
use crate::cli::printer;
use crate::render::{ListWriter, Summary, SummaryList, write_name};

use super::List;
use crate::cli::exit::Verdict;
use crate::cli::terminal::Terminal;
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
    verdict: Verdict,
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
        let is_table = matches!(list.format, Format::Text | Format::Wide);
        let streams = is_table && list.streams();
        let columns = list.columns(namespace, terminal);
        Self {
            list,
            namespace,
            writer: streams.then(|| ListWriter::of_names(names, &columns, &terminal.text)),
            held: Vec::new(),
            listed: 0,
            shown: 0,
            verdict: Verdict::default(),
        }
    }

    /// Takes an HPA.
    pub fn add(&mut self, summary: Summary, terminal: &mut Terminal) -> anyhow::Result<()> {
        self.listed += 1;
        self.verdict.note(summary.severity);
        if summary.error.is_some() {
            self.verdict.fail();
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
        self.verdict.fail();
    }

    /// Prints what is left, and says how it went.
    pub fn finish(mut self, terminal: &mut Terminal) -> anyhow::Result<ExitCode> {
        let by = self.list.sort_by;
        self.held.sort_by(|one, other| by.compare(one, other));
        let document = SummaryList::of(std::mem::take(&mut self.held));
        let is_document = matches!(self.list.format, Format::Json | Format::Yaml);
        if self.shown == 0 && !is_document {
            terminal.complain(&self.nothing());
        } else if let Some(writer) = &self.writer {
            writer.end(terminal.out())?;
        } else {
            let columns = self.list.columns(self.namespace, terminal);
            printer::print(&(document, columns), self.list.format, false, terminal)?;
        }
        Ok(self.verdict.code(self.list.exit_code))
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
