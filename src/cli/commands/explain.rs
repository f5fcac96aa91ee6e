//! The main job: explain HPAs, of files or of a cluster.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::anyhow;
use clap::Args;
use jiff::Timestamp;

use crate::controller::{Overrides, Settings};
use crate::document::snapshot::{Document, Snapshot};
use crate::history::Observer;
use crate::render::{Format, FormatKind, OwnDocument};
use crate::trace::{ScrapedPassRecord, Story};
use crate::what_if;

use crate::cli::kind::name;
use crate::cli::options::{Output, Releases, given};
use crate::cli::past::reading::{Instant, Reading};
use crate::cli::past::story::{RecordTime, checked, of_record, of_scrapes};
use crate::cli::past::{PastPasses, moment_of_any};
use crate::cli::select::{Selection, all_found, namespaces, readable};
use crate::cli::{
    connection::Connection, failure::Failure, live::read_named, options, page::PageFlags,
    past::PastOrMoment, printer::Printer, terminal::Terminal, which::Which,
};

use super::list::listing::SortBy;
use super::list::{self, Compare, List};
use super::picker;

#[derive(Clone, Debug, Args)]
#[command(mut_args(moment_of_any))]
pub struct Explain {
    /// NAME, hpa/NAME, deploy/NAME or pod/NAME; none: pick one from a list
    #[arg(value_name = "NAME", value_parser = options::name)]
    pub names: Vec<String>,
    /// Read a snapshot file, or - for standard input
    #[arg(long, value_name = "FILE")]
    pub snapshot: Option<PathBuf>,
    /// Only HPAs of this namespace
    #[arg(short, long)]
    pub namespace: Option<String>,
    /// List the HPAs of all namespaces
    #[arg(short = 'A', long, conflicts_with_all = ["names", "namespace"])]
    pub all_namespaces: bool,
    /// Exit with 3 if there is a finding of severity warning or error
    #[arg(long, hide_short_help = true)]
    pub exit_code: bool,
    #[command(flatten)]
    pub past: PastOrMoment,
    /// Tell what happened since a time, such as 03:00 or -2h, by what a Prometheus
    /// scraped
    #[arg(
        long,
        value_name = "TIME",
        requires = "earlier",
        conflicts_with_all = ["at", "all_namespaces"],
        allow_hyphen_values = true,
        value_parser = Instant::parse_ago,
        help_heading = "Earlier passes"
    )]
    pub since: Option<Instant>,
    /// Tell it up to this time; without it, up to now
    #[arg(
        long,
        value_name = "TIME",
        requires = "since",
        allow_hyphen_values = true,
        value_parser = Instant::parse_ago,
        help_heading = "Earlier passes"
    )]
    pub until: Option<Instant>,
    /// At maxReplicas, and where pods are Pending: read the nodes and the pods of all
    /// namespaces too, to tell whether there is room
    #[arg(long, requires = "names", conflicts_with_all = ["snapshot", "at", "since"], hide_short_help = true)]
    pub nodes: bool,
    #[command(flatten)]
    pub releases: Releases,
    #[command(flatten)]
    pub settings: options::Settings,
    #[command(flatten)]
    pub connection: Connection,
    #[command(flatten)]
    pub output: Output,
    #[command(flatten)]
    pub page: PageFlags,
}

/// Explains HPAs of files, or else of a cluster.
/// Errors: no name, no connection, or an HPA that cannot be read.
pub fn run(explain: &Explain, terminal: &mut Terminal) -> anyhow::Result<ExitCode> {
    terminal.expect_page(&explain.page, &explain.output)?;
    if let Some(code) = of_files(explain, terminal)? {
        return Ok(code);
    }
    if !explain.names.is_empty() {
        return of_cluster(explain, terminal);
    }
    let is_for_people = explain.output.format == Format::Text && !explain.exit_code;
    let list = explain.list();
    let Some(list) = list.filter(|_| is_for_people && picker::can_ask(terminal)) else {
        return without_a_name(explain, terminal);
    };
    match picker::picked(&list, terminal)? {
        Some(picked) => {
            let named = Explain {
                names: vec![format!("hpa/{}", picked.name)],
                namespace: Some(picked.namespace),
                all_namespaces: false,
                ..explain.clone()
            };
            of_cluster(&named, terminal)
        }
        None => Ok(ExitCode::SUCCESS),
    }
}

impl Explain {
    /// The list that stands in for an explanation without a name; none of
    /// the inputs themselves.
    fn list(&self) -> Option<List> {
        let format = self.output.format;
        let is_of_lists = format.is(FormatKind::OfLists) && format != Format::Snapshot;
        is_of_lists.then(|| List {
            which: Which {
                namespace: self.namespace.clone(),
                all_namespaces: self.all_namespaces,
                ..Which::default()
            },
            field_selector: None,
            problems: false,
            sort_by: SortBy::default(),
            exit_code: self.exit_code,
            full: false,
            snapshot: None,
            no_headers: false,
            format,
            color: self.output.color,
            past: self.past.files.clone(),
            compare: Compare::default(),
            settings: self.settings.clone(),
            connection: self.connection.clone(),
        })
    }
}

fn of_cluster(explain: &Explain, terminal: &mut Terminal) -> anyhow::Result<ExitCode> {
    let namespace = explain.namespace.as_deref();
    let collected = read_named(
        &explain.names,
        &explain.connection,
        namespace,
        explain.nodes,
        terminal,
    )?;
    // Where nothing can be read, one reason is enough.
    if collected.iter().all(Result::is_err) {
        let first = collected.into_iter().find_map(Result::err);
        return first.map_or(Ok(ExitCode::FAILURE), Err);
    }
    let overrides = explain.settings.overrides();
    let reading = Reading::new(&overrides, &explain.connection).of_moment(explain.past.at);
    if let Some(since) = explain.since {
        let readable: Vec<&Snapshot> = collected.iter().flatten().collect();
        return story(explain, since, &readable, reading, terminal);
    }
    let readable = collected.iter().flatten();
    let past_passes = explain.past.files.read(readable, reading, terminal)?;
    terminal.text.live = true;
    let mut answers =
        Explanations::new(&explain.output, explain.releases, collected.len(), terminal);
    for snapshot in collected {
        match snapshot {
            Ok(snapshot) if explain.output.format == Format::Snapshot => {
                answers.printer.print(&OwnDocument(snapshot.redacted()))?;
            }
            Ok(snapshot) => answers.explain_with(&snapshot, &past_passes, &reading)?,
            Err(error) => answers.printer.error(&error)?,
        }
    }
    Ok(answers.printer.status.code(explain.exit_code))
}

/// Lists the HPAs, where that is what the format and the flags are for.
fn without_a_name(explain: &Explain, terminal: &mut Terminal) -> anyhow::Result<ExitCode> {
    if let Some(list) = explain.list().filter(|_| !explain.releases.all_versions) {
        return list::run(&list, terminal);
    }
    let flag = match explain.output.format {
        _ if explain.releases.all_versions => "--all-versions",
        Format::Html => "-o html",
        _ => "-o snapshot",
    };
    let name = format!("name one, as in `kubectl hpa-explain web -n shop {flag}`");
    let hint = match &explain.past.files.history {
        Some(_) => format!("{name}; a time of the record, as of --since -1h, needs no name"),
        None => name,
    };
    Err(Failure::usage("no HPA is named", hint))
}

/// Explains the wanted HPAs of a snapshot file, or of a moment of a record; nothing
/// where neither is given.
/// Errors: the file cannot be read or holds no wanted HPA; the output cannot be
/// written.
fn of_files(explain: &Explain, terminal: &mut Terminal) -> anyhow::Result<Option<ExitCode>> {
    terminal.text.unread = explain.past.files.unread();
    let overrides = explain.settings.overrides();
    let (past, names, namespace) = (
        &explain.past,
        &explain.names,
        given(explain.namespace.as_deref()),
    );
    if let Some((path, since)) = past.files.record().zip(explain.since)
        && explain.snapshot.is_none()
    {
        return recorded(explain, (path, since), terminal).map(Some);
    }
    if let Some(it) = past.moment(names, namespace, &overrides, terminal)? {
        let mut answers = Explanations::new(&explain.output, explain.releases, 1, terminal);
        answers.explain(it.at, &it.snapshot, &overrides, &it.observer, None)?;
        return Ok(Some(answers.printer.status.code(explain.exit_code)));
    }
    let Some((path, documents)) = past.files.documents(explain.snapshot.as_deref())? else {
        past.files.check()?;
        return Ok(None);
    };
    let documents = selection(documents, explain, path)?;
    if past.at.is_some() && past.files.record().is_some() {
        return Err(Failure::usage(
            "--at explains a moment of the record, and reads no snapshot",
            "leave out --snapshot, or --at",
        ));
    }
    let reading = Reading::new(&overrides, &explain.connection).of_moment(past.at);
    if let Some(since) = explain.since {
        let snapshots: Vec<&Snapshot> = readable(&documents).collect();
        return story(explain, since, &snapshots, reading, terminal).map(Some);
    }
    let past_passes = explain
        .past
        .files
        .read(readable(&documents), reading, terminal)?;
    let mut answers =
        Explanations::new(&explain.output, explain.releases, documents.len(), terminal);
    let name = name(path);
    for document in &documents {
        answers.printer.terminal.warn_of(&name, document);
        match &document.snapshot {
            Ok(snapshot) => answers.explain_with(snapshot, &past_passes, &reading)?,
            Err(error) => answers.printer.error(&anyhow!("{name}:{error}"))?,
        }
    }
    Ok(Some(answers.printer.status.code(explain.exit_code)))
}

/// The documents that the names and the namespace ask for. Without names,
/// documents that cannot be read are kept, to be reported in their place;
/// with names they are reported where a name is not found.
fn selection(
    mut documents: Vec<Document>,
    explain: &Explain,
    path: &Path,
) -> anyhow::Result<Vec<Document>> {
    let requested = given(explain.namespace.as_deref());
    let is_in_namespace = |snapshot: &Snapshot| {
        requested.is_none_or(|requested| snapshot.hpa.metadata.namespace == *requested)
    };
    if let Some(namespace) = requested
        && !readable(&documents).any(is_in_namespace)
        && readable(&documents).next().is_some()
    {
        return Err(Failure::error(
            format!("no HPA of namespace \"{namespace}\" in {}", name(path)),
            format!(
                "the file holds HPAs of {}",
                namespaces(readable(&documents))
            ),
        ));
    }
    let in_namespace = readable(&documents).filter(|it| is_in_namespace(it));
    all_found(&name(path), &explain.names, &documents, in_namespace)?;
    documents.retain(|document| match &document.snapshot {
        Ok(it) => is_in_namespace(it) && Selection::any_matches(&explain.names, it),
        Err(_) => explain.names.is_empty(),
    });
    Ok(documents)
}

/// Tells what happened in the time that is asked for.
/// Errors: it is no time, or a Prometheus tells nothing of it.
fn story(
    explain: &Explain,
    since: Instant,
    snapshots: &[&Snapshot],
    reading: Reading,
    terminal: &mut Terminal,
) -> anyhow::Result<ExitCode> {
    let now = snapshots.iter().map(|it| it.captured_at).max();
    let now = now.unwrap_or_default();
    let times = checked((since, explain.until), now, terminal)?;
    let reading = reading.of_time(times);
    let inputs = snapshots.iter().copied();
    let past_passes = explain.past.files.read(inputs, reading, terminal)?;
    let mut printer = Printer::new(explain.output.format, snapshots.len(), terminal);
    for snapshot in snapshots {
        let (observer, overrides) = (past_passes.of(snapshot), reading.overrides);
        let story = of_scrapes(snapshot, observer, overrides, times, None, printer.terminal);
        note(&story, &mut printer);
        printer.print(&story)?;
    }
    Ok(printer.status.code(explain.exit_code))
}

/// Tells what happened in a time of a record; no cluster is asked.
fn recorded(
    explain: &Explain,
    (path, since): (&Path, Instant),
    terminal: &mut Terminal,
) -> anyhow::Result<ExitCode> {
    let time = RecordTime {
        path,
        names: &explain.names,
        namespace: given(explain.namespace.as_deref()),
        since,
        until: explain.until,
        flaps: None,
    };
    let story = of_record(&time, &explain.settings, terminal)?;
    let mut printer = Printer::new(explain.output.format, 1, terminal);
    note(&story, &mut printer);
    printer.print(&story)?;
    Ok(printer.status.code(explain.exit_code))
}

/// A time is as bad as what ended it: whether the HPA flaps or is stuck.
fn note(story: &Story, printer: &mut Printer) {
    let flaps = story.flaps.as_ref();
    printer.status.note(flaps.and_then(|it| it.severity));
}

/// Prints explanations, one after the other.
pub struct Explanations<'t> {
    printer: Printer<'t>,
    releases: Releases,
}

impl<'t> Explanations<'t> {
    /// A printer for a number of documents.
    pub fn new(
        output: &Output,
        releases: Releases,
        documents: usize,
        terminal: &'t mut Terminal,
    ) -> Self {
        let printer = Printer::new(output.format, documents, terminal);
        Self { printer, releases }
    }

    /// Explains one HPA, with what was seen of its earlier passes, now or at the
    /// moment that is asked for.
    pub fn explain_with(
        &mut self,
        snapshot: &Snapshot,
        past_passes: &PastPasses,
        reading: &Reading,
    ) -> anyhow::Result<()> {
        let overrides = reading.overrides;
        let Some((at, moment)) = past_passes.scraped_moment(snapshot, reading)? else {
            let at = snapshot.captured_at;
            return self.explain(at, snapshot, overrides, past_passes.of(snapshot), None);
        };
        let (inputs, observer) = (&moment.snapshot, &moment.observer);
        self.explain(at, inputs, overrides, observer, Some(moment.record))
    }

    /// Explains the pass of a moment on some inputs, with what was scraped of it
    /// where that is what tells of it.
    pub fn explain(
        &mut self,
        at: Timestamp,
        snapshot: &Snapshot,
        overrides: &Overrides,
        observer: &Observer,
        scraped: Option<ScrapedPassRecord>,
    ) -> anyhow::Result<()> {
        if self.printer.format == Format::Snapshot {
            return self.printer.print(&OwnDocument(snapshot));
        }
        let snapshot = &*self.printer.terminal.shown(snapshot);
        let settings = Settings::resolve(snapshot, overrides);
        let mut trace = what_if::explain(snapshot, &settings, at, observer);
        trace.scraped = scraped;
        self.printer.status.note(trace.verdict.severity);
        if self.printer.format == Format::Name {
            return self.printer.print(&trace);
        }
        if self.releases.all_versions {
            let preview = what_if::preview(snapshot, overrides, at, observer);
            return self.printer.print(&preview);
        }
        trace.own_release = what_if::own_release(&trace, snapshot, overrides, observer);
        if self.printer.terminal.text.verbosity > 0 {
            trace.reaction = what_if::reaction(snapshot, overrides, &trace);
        }
        self.printer.print(&trace)
    }
}
