//! Many HPAs, one line each; with `--compare-version` and the like those that would do
//! something else.

pub mod listing;

use std::borrow::Cow;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::builder::Resettable;
use clap::{Arg, ArgMatches, Args, Command, FromArgMatches, Id};
use jiff::Timestamp;

use crate::api::FieldSelector;
use crate::cli::kind::name;
use crate::cli::past::Past;
use crate::cli::select::{Selection, all_found, not_among};
use crate::cli::session::{Session, as_far_as_read};
use crate::cli::{
    connection::Connection,
    exit::ExitStatus,
    failure::Failure,
    kind::read_file,
    options,
    options::Color,
    past::reading::Reading,
    printer::Printer,
    terminal::Terminal,
    waiting::Progress,
    which::{Gaps, Which},
};
use crate::collect::{Cluster, CollectError, Scope, StatusReason, Survey, Unusable, survey};
use crate::controller::{Overrides, Settings};
use crate::document::snapshot::{Document, ReadError, Snapshot};
use crate::history::Observer;
use crate::render::{Format, FormatKind, ListOptions, Summary, SummaryList};
use crate::trace::amount::counted;
use crate::trace::{Comparison, Severity, Untold};
use crate::what_if::{self, Divergence, compare};
use listing::{SortBy, nothing};

const EXAMPLES: &str = "\
Examples:
  kubectl hpa-explain list -n shop                worst first
  kubectl hpa-explain list -A --problems          what needs attention
  kubectl hpa-explain list -A --problems --exit-code -o name
                                                  the same for a script
  kubectl hpa-explain list -l app=web -o wide     with targets and metrics
  kubectl hpa-explain list --full --sort-by since
                                                  also custom metrics
  kubectl hpa-explain list --snapshot all.jsonl   what `capture -A` wrote
  kubectl hpa-explain list -A --compare-version 1.38
                                                  what an upgrade would change";

#[derive(Debug, Args)]
#[command(before_help = EXAMPLES, mut_args(of_any))]
#[expect(clippy::struct_excessive_bools, reason = "a flag each")]
pub struct List {
    #[command(flatten)]
    pub which: Which,
    /// Only HPAs whose fields match: metadata.name, metadata.namespace
    #[arg(long, value_name = "SELECTOR", value_parser = FieldSelector::parse, hide_short_help = true)]
    pub field_selector: Option<FieldSelector>,
    /// Only HPAs with a warning or error
    #[arg(long)]
    pub problems: bool,
    /// Sort order
    #[arg(long, value_name = "KEY", value_enum, default_value_t)]
    pub sort_by: SortBy,
    /// Exit with 3 if there is a warning or error, or with --compare-… a
    /// difference
    #[arg(long)]
    pub exit_code: bool,
    /// Also ask for custom and external metrics, one request each
    #[arg(long)]
    pub full: bool,
    /// Read a snapshot file, or - for standard input
    #[arg(long, value_name = "FILE")]
    pub snapshot: Option<PathBuf>,
    /// No column titles
    #[arg(long, hide_short_help = true)]
    pub no_headers: bool,
    /// Output format; wide has all columns
    #[arg(
        short = 'o',
        long = "output",
        value_name = "FORMAT",
        default_value = "text",
        ignore_case = true,
        value_parser = options::formats(FormatKind::OfLists)
    )]
    pub format: Format,
    /// When to color the text
    #[arg(
        long,
        value_name = "WHEN",
        value_enum,
        default_value_t,
        hide_short_help = true
    )]
    pub color: Color,
    #[command(flatten)]
    pub past: Past,
    #[command(flatten)]
    pub compare: Compare,
    #[command(flatten)]
    pub settings: options::Settings,
    #[command(flatten)]
    pub connection: Connection,
}

/// The HPAs of a file, and why others of it cannot be read.
pub type Readable<'d> = (Vec<&'d Snapshot>, Vec<&'d ReadError>);

impl List {
    /// The command that prints the role for this list.
    fn rbac(&self, namespace: Option<&str>) -> String {
        let full = if self.full { " --full" } else { "" };
        let scope = options::scope_flag(namespace);
        format!("kubectl hpa-explain rbac list {scope}{full}")
    }

    /// What the table shows.
    pub fn columns(&self, namespace: Option<&str>, terminal: &Terminal) -> ListOptions {
        ListOptions {
            namespaces: namespace.is_none(),
            headers: !self.no_headers,
            wide: self.format == Format::Wide,
            width: terminal.columns,
            rbac: self.rbac(namespace),
        }
    }

    /// The HPAs of a file that are asked for, by namespace and name, and why
    /// others cannot be read.
    /// Errors: the API server knows no such field, or the file has no such HPA.
    fn requested<'d>(
        &self,
        path: &Path,
        documents: &'d [Document],
    ) -> anyhow::Result<Readable<'d>> {
        let (mut requested, mut unreadable) = (Vec::new(), Vec::new());
        for document in documents {
            match &document.snapshot {
                Ok(snapshot) if self.is_requested(snapshot)? => requested.push(snapshot),
                Ok(_) => {}
                Err(error) => unreadable.push(error),
            }
        }
        requested.sort_by(|one, other| place(one).cmp(&place(other)));
        let snapshots = requested.iter().copied();
        all_found(&name(path), &self.which.names, documents, snapshots)?;
        requested.retain(|it| Selection::any_matches(&self.which.names, it));
        Ok((requested, unreadable))
    }

    /// Whether the HPA of a file is asked for.
    fn is_requested(&self, snapshot: &Snapshot) -> anyhow::Result<bool> {
        let fields = self.field_selector.as_ref();
        let meets = fields.map_or(Ok(true), |it| it.matches(&snapshot.hpa.metadata));
        let meets = meets.map_err(|error| Failure::error(error.to_string(), FIELDS));
        Ok(self.which.is_of_scope(snapshot) && meets?)
    }
}

/// Has a list be of all HPAs without a name, whichever namespace is given beside all.
fn of_any(arg: Arg) -> Arg {
    match arg.get_id().as_str() {
        "names" => arg.help(
            "Which HPAs: NAME, hpa/NAME, deploy/NAME of a target, or pod/NAME; all without a name",
        ),
        "all_namespaces" => arg.conflicts_with(Resettable::<Id>::Reset),
        _ => arg,
    }
}

/// What to do about a field that is not known.
const FIELDS: &str = "select by labels with -l, or by name";

/// Lists HPAs.
pub fn run(list: &List, terminal: &mut Terminal) -> anyhow::Result<ExitCode> {
    if list.format == Format::Snapshot {
        return Err(Failure::error(
            "a list is not a snapshot",
            "`kubectl hpa-explain capture -A` writes the inputs to a file",
        ));
    }
    terminal.text.colour = terminal.colour(list.color);
    let change = list.compare.overrides();
    if change.is_some() && (list.problems || list.sort_by != SortBy::default()) {
        return Err(Failure::error(
            "--problems and --sort-by do not work with a comparison",
            "a comparison lists the HPAs that differ, by namespace and name",
        ));
    }
    let compared = change.as_ref().and_then(|change| change.release);
    let given = [list.settings.kubernetes_version, compared];
    for given in given.into_iter().flatten() {
        let Some(nearest) = given.nearest() else {
            continue;
        };
        let rules = given.nearest_known().to_string();
        let text = nearest.describe(&rules, &given.to_string());
        terminal.complain(&format!("note: {text}"));
    }
    let documents = list.snapshot.as_deref().map(read_file).transpose()?;
    let inputs = match (&list.snapshot, &documents) {
        (Some(path), Some(documents)) => ListInputs::File(path, list.requested(path, documents)?),
        _ => as_far_as_read(ListInputs::read(list, terminal))?,
    };
    if let Some(change) = change {
        return compare_all(list, &change, &inputs, terminal);
    }
    print_all(list, &inputs, terminal)
}

/// Prints the HPAs of a list, and says how it went.
fn print_all(
    list: &List,
    inputs: &ListInputs,
    terminal: &mut Terminal,
) -> anyhow::Result<ExitCode> {
    let (mut items, mut listed) = (Vec::new(), 0);
    let mut status = ExitStatus::default();
    let is_whole = inputs.summaries(list, terminal, |summary| {
        listed += 1;
        status.note(summary.severity);
        if summary.error.is_some() {
            status.fail();
        }
        if !list.problems || summary.is_problem() {
            items.push(summary);
        }
    })?;
    if !is_whole {
        status.fail();
    }
    let namespace = inputs.namespace(list);
    if !items.is_empty() || list.format.is(FormatKind::Document) {
        items.sort_by(|one, other| list.sort_by.compare(one, other));
        let answer = (SummaryList::of(items), list.columns(namespace, terminal));
        Printer::new(list.format, 1, terminal).print(&answer)?;
    } else if !status.has_failed() {
        // What cannot be read was said; that there is nothing is not known.
        terminal.complain(&nothing_of(listed, namespace));
    }
    Ok(status.code(list.exit_code))
}

/// kubectl's sentence, unless it is only problems that there are none of.
fn nothing_of(listed: usize, namespace: Option<&str>) -> String {
    let hpas = counted(listed, "HPA");
    match namespace {
        namespace if listed == 0 => nothing(namespace),
        Some(namespace) => format!("No problems found in {namespace} namespace ({hpas})."),
        None => format!("No problems found ({hpas})"),
    }
}

/// The namespace and the name, which a list is put together by.
fn place(snapshot: &Snapshot) -> (&str, &str) {
    let metadata = &snapshot.hpa.metadata;
    (&metadata.namespace, &metadata.name)
}

/// The HPAs that a list is of: those of a file that are asked for, or of a cluster.
pub enum ListInputs<'l> {
    File(&'l Path, Readable<'l>),
    /// And the namespace that was asked for; absent for all of them.
    Cluster(Box<Survey>, Option<String>),
}

impl ListInputs<'_> {
    /// Reads those of a cluster, and says what the answers say beside their content.
    pub async fn read(list: &List, terminal: &mut Terminal) -> anyhow::Result<Self> {
        let session = Session::open(&list.connection, list.which.namespace.as_deref()).await?;
        let namespace = (!list.which.all_namespaces).then_some(session.namespace.as_str());
        let scope = Scope {
            namespace,
            labels: list.which.selector.as_ref(),
            fields: list.field_selector.as_ref(),
            metrics: list.full.then_some(|_, _| true),
            whole: false,
            tally: Some(session.tally()),
        };
        let cluster = Cluster::new(&session.reader);
        let survey = survey(&cluster, scope, Timestamp::now()).await;
        session.report(terminal);
        terminal.text.live = true;
        let survey = survey.map_err(|error| not_listed(list, &error, &session, namespace))?;
        Ok(Self::Cluster(survey.into(), namespace.map(str::to_owned)))
    }

    /// The namespace that was asked for; absent for all of them. Without `-n`, a
    /// file has no other.
    pub fn namespace<'s>(&'s self, list: &'s List) -> Option<&'s str> {
        match self {
            Self::File(..) => list.which.namespace(),
            Self::Cluster(_, namespace) => namespace.as_deref(),
        }
    }

    fn snapshots(
        &self,
    ) -> Box<dyn ExactSizeIterator<Item = Result<Cow<'_, Snapshot>, Unusable>> + '_> {
        match self {
            Self::File(_, (requested, _)) => {
                Box::new(requested.iter().map(|it| Ok(Cow::Borrowed(*it))))
            }
            Self::Cluster(survey, _) => Box::new(survey.snapshots().map(|it| it.map(Cow::Owned))),
        }
    }

    /// Hands on each of them as soon as it is explained, by namespace and name;
    /// returns whether there is none that cannot be read.
    pub fn summaries(
        &self,
        list: &List,
        terminal: &mut Terminal,
        mut take: impl FnMut(Summary),
    ) -> anyhow::Result<bool> {
        let overrides = list.settings.overrides();
        self.each(list, terminal, |snapshot, observer, terminal| {
            let summary = match snapshot {
                Ok(snapshot) => summary(snapshot, &overrides, observer, terminal),
                Err(unusable) => {
                    Summary::failed(unusable.namespace, unusable.name, unusable.reason)
                }
            };
            take(summary);
            Ok(())
        })
    }

    /// Hands on the inputs of each of them, by namespace and name, with what
    /// files tell of its past; returns whether there is none that cannot be read.
    fn each(
        &self,
        list: &List,
        terminal: &mut Terminal,
        mut take: impl FnMut(
            Result<&Snapshot, Unusable>,
            &Observer,
            &mut Terminal,
        ) -> anyhow::Result<()>,
    ) -> anyhow::Result<bool> {
        let overrides = list.settings.overrides();
        let reading = Reading::new(&overrides, &list.connection);
        let past_passes = list
            .past
            .read(self.snapshots().flatten(), reading, terminal)?;
        let mut snapshots = self.snapshots();
        if matches!(self, Self::Cluster(..)) && !list.which.names.is_empty() {
            let mut named: Vec<Cow<Snapshot>> = snapshots.flatten().collect();
            if let Some(name) = not_among(&named, &list.which.names) {
                return Err(Failure::error(
                    format!("no HPA here is {name}"),
                    "the same without a name lists all",
                ));
            }
            named.retain(|it| Selection::any_matches(&list.which.names, it));
            snapshots = Box::new(named.into_iter().map(Ok));
        }
        let mut progress = Progress::of("explaining", Some(snapshots.len()), "HPAs");
        let mut gaps = Gaps::default();
        for snapshot in snapshots {
            match snapshot {
                Ok(snapshot) => {
                    gaps.note(&snapshot);
                    take(Ok(&snapshot), past_passes.of(&snapshot), terminal)?;
                }
                Err(unusable) => take(Err(unusable), &Observer::default(), terminal)?,
            }
            progress.step();
        }
        drop(progress);
        let Self::File(path, (_, unreadable)) = self else {
            gaps.warn_of_unread(terminal);
            return Ok(true);
        };
        for error in unreadable {
            terminal.complain(&format!("error: {}:{error}", name(path)));
        }
        Ok(unreadable.is_empty())
    }
}

fn not_listed(
    list: &List,
    error: &CollectError,
    session: &Session,
    namespace: Option<&str>,
) -> anyhow::Error {
    if error.is_because(StatusReason::BadRequest) && list.field_selector.is_some() {
        return Failure::stated(error.to_string(), FIELDS);
    }
    session.not_listed(error, "list", namespace, &list.rbac(namespace))
}

fn summary(
    snapshot: &Snapshot,
    overrides: &Overrides,
    observer: &Observer,
    terminal: &Terminal,
) -> Summary {
    let settings = Settings::resolve(snapshot, overrides);
    let trace = what_if::summarize(snapshot, &settings, snapshot.captured_at, observer);
    let created = snapshot.hpa.metadata.creation_timestamp;
    Summary::of(&trace, &terminal.text).created(created)
}

/// Settings of the controller to compare with: each HPA under them, beside
/// what it does now. Their flags are those of [`options::Settings`] once more, with
/// another beginning.
#[derive(Clone, Debug, Default)]
pub struct Compare(options::Settings);

impl Compare {
    /// What to compare with, if anything.
    pub fn overrides(&self) -> Option<Overrides> {
        let change = self.0.overrides();
        (change != Overrides::default()).then_some(change)
    }

    /// The flags of the settings themselves.
    fn settings() -> Command {
        options::Settings::augment_args(Command::new("compare").no_binary_name(true))
    }

    /// What compares with the setting of a flag.
    fn name(flag: &Arg) -> String {
        match flag.get_long().unwrap_or_default() {
            "kubernetes-version" => "compare-version".to_owned(),
            own => format!("compare-{own}"),
        }
    }
}

impl Args for Compare {
    fn augment_args(command: Command) -> Command {
        let settings = Self::settings();
        let flags = settings.get_arguments().cloned().map(|flag| {
            let name = Self::name(&flag);
            let flag = flag.id(name.clone()).long(name);
            flag.help_heading("What would change (only HPAs that differ are listed)")
        });
        command.args(flags)
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for Compare {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let settings = Self::settings();
        let given = settings.get_arguments().flat_map(|flag| {
            let values = matches.get_raw(&Self::name(flag)).into_iter().flatten();
            let own = flag.get_long().unwrap_or_default();
            values.map(move |value| {
                let mut given = OsString::from(format!("--{own}="));
                given.push(value);
                given
            })
        });
        let given: Vec<OsString> = given.collect();
        let given = settings.clone().try_get_matches_from(given)?;
        options::Settings::from_arg_matches(&given).map(Self)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

/// Compares the HPAs of a list.
fn compare_all(
    list: &List,
    change: &Overrides,
    inputs: &ListInputs,
    terminal: &mut Terminal,
) -> anyhow::Result<ExitCode> {
    let overrides = list.settings.overrides();
    let mut comparison = Comparison {
        settings: change.each_setting().map(|(name, _)| name).collect(),
        ..Comparison::default()
    };
    let is_whole = inputs.each(list, terminal, |snapshot, observer, _| {
        match snapshot {
            Ok(snapshot) => add(&mut comparison, snapshot, (&overrides, change), observer),
            Err(unusable) => comparison.failed.push(Untold {
                namespace: unusable.namespace,
                name: unusable.name,
                because: unusable.reason,
            }),
        }
        Ok(())
    })?;
    terminal.text.wide = list.format == Format::Wide;
    Printer::new(list.format, 1, terminal).print(&comparison)?;
    // There may be HPAs that not even the comparison names.
    let mut status = ExitStatus::of(!is_whole || !comparison.failed.is_empty());
    // An HPA that differs counts as much as a problem.
    status.note(comparison.items.first().map(|_| Severity::Warning));
    Ok(status.code(list.exit_code))
}

fn add(
    comparison: &mut Comparison,
    snapshot: &Snapshot,
    (overrides, change): (&Overrides, &Overrides),
    observer: &Observer,
) {
    if comparison.release.is_none() && change.release.is_some() {
        let settings = Settings::resolve(snapshot, &overrides.changed_by(change));
        comparison.release = Some(settings.basis().release.clone());
    }
    match compare(snapshot, overrides, change, snapshot.captured_at, observer) {
        Divergence::Differs(compared) => comparison.items.push(*compared),
        Divergence::Same => comparison.same += 1,
        Divergence::Unknown(because) => {
            let (namespace, name) = place(snapshot);
            comparison.unknown.push(Untold {
                namespace: namespace.to_owned(),
                name: name.to_owned(),
                because,
            });
        }
    }
}
