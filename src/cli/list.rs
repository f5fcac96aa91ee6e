//! Many HPAs, one line each.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, ValueEnum};
use jiff::Timestamp;

use crate::collect::{Cluster, CollectError, Scope, survey};
use crate::controller::{Overrides, Settings};
use crate::diagnose;
use crate::history::{Observer, Subject};
use crate::render::{
    ListOptions, Summary, SummaryList, escape, write_json, write_list, write_yaml,
};
use crate::snapshot::{Selector, Snapshot, Wording};

use super::args::{self, Color, Explain, Format, Output};
use super::connection::Connection;
use super::failure::Failure;
use super::past::{Past, Seen};
use super::session::{Session, block_on};
use super::source::{name, read_file};
use super::terminal::Terminal;

#[derive(Debug, Args)]
pub struct List {
    /// HPAs of this namespace
    #[arg(short, long)]
    namespace: Option<String>,
    /// HPAs of all namespaces
    #[arg(short = 'A', long)]
    all_namespaces: bool,
    /// Only HPAs whose labels match, such as app=web
    #[arg(short = 'l', long, value_name = "SELECTOR", value_parser = selector)]
    selector: Option<Selector>,
    /// Ask for custom and external metrics, too: a request each
    #[arg(long)]
    full: bool,
    /// Read a snapshot file (YAML, JSON or JSON lines; - for standard input)
    #[arg(long, value_name = "FILE")]
    snapshot: Option<PathBuf>,
    /// No titles above the columns
    #[arg(long)]
    no_headers: bool,
    /// Output format
    #[arg(
        short = 'o',
        long = "output",
        value_name = "FORMAT",
        value_enum,
        default_value_t
    )]
    format: ListFormat,
    /// When to colour the text
    #[arg(long, value_name = "WHEN", value_enum, default_value_t)]
    color: Color,
    #[command(flatten)]
    past: Past,
    #[command(flatten)]
    settings: args::Settings,
    #[command(flatten)]
    connection: Connection,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum ListFormat {
    /// A table
    #[default]
    Text,
    /// One document for programs
    Json,
    /// One document for programs
    Yaml,
    /// The names alone, as kubectl takes them
    Name,
}

impl List {
    /// The list that stands in for an explanation without a name; none of
    /// the inputs themselves.
    pub fn without_a_name(explain: &Explain, output: &Output) -> Option<Self> {
        Some(Self {
            namespace: explain.namespace.clone(),
            all_namespaces: explain.all_namespaces,
            selector: None,
            full: false,
            snapshot: None,
            no_headers: false,
            format: match output.format {
                Format::Text => ListFormat::Text,
                Format::Json => ListFormat::Json,
                Format::Yaml => ListFormat::Yaml,
                Format::Snapshot => return None,
            },
            color: output.color,
            past: explain.past.clone(),
            settings: explain.settings.clone(),
            connection: explain.connection.clone(),
        })
    }

    /// The command that prints the role for this list.
    fn rbac(&self, namespace: Option<&str>) -> String {
        let full = if self.full { " --full" } else { "" };
        match namespace {
            Some(namespace) => format!("kubectl hpa-explain rbac list -n {namespace}{full}"),
            None => format!("kubectl hpa-explain rbac list -A{full}"),
        }
    }

    fn is_wanted(&self, snapshot: &Snapshot) -> bool {
        let metadata = &snapshot.horizontal_pod_autoscaler.metadata;
        let namespace = self.namespace.as_deref();
        let namespace = namespace.filter(|_| !self.all_namespaces);
        let labels = self.selector.as_ref();
        namespace.is_none_or(|namespace| metadata.namespace == namespace)
            && labels.is_none_or(|labels| labels.matches(&metadata.labels))
    }
}

fn selector(text: &str) -> Result<Selector, String> {
    Selector::parse(text, Wording::LabelKey).map_err(|error| error.to_string())
}

/// Lists HPAs.
///
/// # Errors
///
/// The HPAs cannot be read; the output cannot be written.
pub fn run(list: &List, terminal: &mut Terminal) -> anyhow::Result<ExitCode> {
    terminal.text.colour = terminal.colour(list.color);
    terminal.text.width = terminal.columns;
    match &list.snapshot {
        Some(path) => of_file(list, path, terminal),
        None => block_on(of_cluster(list, terminal)),
    }
}

/// Lists the HPAs of a file. Without `-n`, that is all of them.
fn of_file(list: &List, path: &Path, terminal: &mut Terminal) -> anyhow::Result<ExitCode> {
    let overrides = list.settings.overrides();
    let mut code = ExitCode::SUCCESS;
    let mut items = Vec::new();
    let documents = read_file(path)?;
    let snapshots = documents.iter().flat_map(|document| &document.snapshot);
    let wanted = snapshots.filter(|snapshot| list.is_wanted(snapshot));
    let subjects = wanted.map(Subject::of).collect();
    let seen = list.past.read(subjects, &overrides, terminal)?;
    for document in documents {
        match &document.snapshot {
            Ok(snapshot) if list.is_wanted(snapshot) => {
                items.push(summary(snapshot, &overrides, seen.of(snapshot), terminal));
            }
            Ok(_) => {}
            Err(error) => {
                terminal.complain(&format!("error: {}: {error}", name(path)));
                code = ExitCode::FAILURE;
            }
        }
    }
    items.sort_by(|one, other| (&one.namespace, &one.name).cmp(&(&other.namespace, &other.name)));
    let namespace = list.namespace.as_deref().filter(|_| !list.all_namespaces);
    print(list, items, namespace, terminal)?;
    Ok(code)
}

async fn of_cluster(list: &List, terminal: &mut Terminal) -> anyhow::Result<ExitCode> {
    let session = Session::open(&list.connection, list.namespace.as_deref()).await?;
    let namespace = (!list.all_namespaces).then_some(session.namespace.as_str());
    let scope = Scope {
        namespace,
        labels: list.selector.as_ref(),
        full: list.full,
    };
    let cluster = Cluster::new(&session.reader);
    let survey = survey(&cluster, scope, Timestamp::now()).await;
    session.report(terminal);
    let survey = survey.map_err(|error| not_listed(list, &error, &session, namespace))?;
    terminal.text.live = true;
    let overrides = list.settings.overrides();
    let seen = if list.past.is_empty() {
        Seen::default()
    } else {
        let snapshots = survey.snapshots().flatten();
        let subjects = snapshots.map(|snapshot| Subject::of(&snapshot));
        list.past.read(subjects.collect(), &overrides, terminal)?
    };
    let items = survey.snapshots().map(|snapshot| match snapshot {
        Ok(snapshot) => summary(&snapshot, &overrides, seen.of(&snapshot), terminal),
        Err(unusable) => Summary::failed(unusable.namespace, unusable.name, unusable.reason),
    });
    let items = items.collect();
    print(list, items, namespace, terminal)?;
    Ok(ExitCode::SUCCESS)
}

/// Who may not see all namespaces may see one.
fn not_listed(
    list: &List,
    error: &CollectError,
    session: &Session,
    namespace: Option<&str>,
) -> anyhow::Error {
    let forbidden = matches!(
        error,
        CollectError::Refused {
            reason: "Forbidden",
            ..
        }
    );
    if !forbidden {
        return session.failure(error);
    }
    let role = format!("`{}` prints the role that is needed", list.rbac(namespace));
    let hint = match namespace {
        None => format!("list one namespace with -n; {role}"),
        Some(_) => role,
    };
    Failure::stated(error.to_string(), hint)
}

fn summary(
    snapshot: &Snapshot,
    overrides: &Overrides,
    observer: &Observer,
    terminal: &Terminal,
) -> Summary {
    let settings = Settings::resolve(snapshot, overrides);
    let trace = diagnose::explain(snapshot, &settings, snapshot.captured_at, observer);
    Summary::of(&trace, &terminal.text)
}

/// Prints the list, of a namespace or of all.
fn print(
    list: &List,
    items: Vec<Summary>,
    namespace: Option<&str>,
    terminal: &mut Terminal,
) -> anyhow::Result<()> {
    let is_pretty = terminal.interactive;
    let options = terminal.text.clone();
    if items.is_empty() && matches!(list.format, ListFormat::Text | ListFormat::Name) {
        terminal.complain(&match namespace {
            Some(namespace) => format!("No resources found in {namespace} namespace."),
            None => "No resources found".to_owned(),
        });
        return Ok(());
    }
    let document = SummaryList::of(items);
    let out = terminal.out();
    match list.format {
        ListFormat::Json => write_json(&document, is_pretty, out)?,
        ListFormat::Yaml => write_yaml(&document, out)?,
        ListFormat::Name => {
            for summary in &document.items {
                let name = escape(&summary.name);
                writeln!(out, "horizontalpodautoscaler.autoscaling/{name}")?;
            }
        }
        ListFormat::Text => {
            let columns = ListOptions {
                namespaces: namespace.is_none(),
                headers: !list.no_headers,
                rbac: list.rbac(namespace),
            };
            write_list(&document, &columns, &options, out)?;
        }
    }
    Ok(())
}
