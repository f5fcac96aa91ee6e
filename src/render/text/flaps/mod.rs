//! Whether HPAs flap or are stuck: of one a page, of several a table with
//! those of which something is to be said.

mod answer;

use crate::api::ReadFailureKind;
use crate::render::block::{Block, Cell, Facts, Item, Prose, Row, Table, Title};
use crate::render::chart::{Mark, Timeline};
use crate::trace::amount::counted;
use crate::trace::{
    Change, EvidenceKind, FlapState, Flaps, Mechanism, Proof, Remedy, Scores, ShellCommand,
    Standing, Trial, seconds_text, short as brief,
};

use super::TextOptions;
use super::words::{DAY, TIME, moment};

use answer::{answer, climbs, coverage, short_period, shown_mechanism, size_table};

/// The columns for what a block is about.
const LEAD: usize = 7;
/// More facts of a mechanism are shown with `-v` only.
const MOST_FACTS: usize = 4;

/// Where the rest is.
const HINT: &str = "`kubectl hpa-explain flaps NAME -n NAMESPACE` shows the arithmetic and what \
                    helps; -v adds both here.";

/// What is known of the flapping of one HPA, or of several: the summary, the
/// table, and a document each, on a page with `-v` only.
pub(in crate::render) fn blocks(items: &[Flaps], options: &TextOptions) -> Vec<Block<'static>> {
    match items {
        [] => return Vec::new(),
        [only] => return of_one(only, options),
        _ => {}
    }
    let mut blocks = vec![Block::Prose(Prose::plain(summary(items)))];
    if problems(items).next().is_some() {
        blocks.extend([
            Block::Gap,
            Block::Table(table(items)),
            Block::Gap,
            Block::Page(vec![Block::Prose(Prose::plain(HINT))]),
        ]);
    }
    let each = problems(items).flat_map(|flaps| {
        let blocks = of_one(flaps, options);
        std::iter::once(Block::Gap).chain(blocks)
    });
    if options.verbosity > 0 {
        blocks.extend(each);
    } else {
        blocks.push(Block::Beyond(each.collect()));
    }
    blocks
}

/// Those of which something is to be said.
pub(in crate::render) fn problems(items: &[Flaps]) -> impl Iterator<Item = &Flaps> {
    items.iter().filter(|it| it.state != FlapState::Calm)
}

fn of_one(flaps: &Flaps, options: &TextOptions) -> Vec<Block<'static>> {
    let mut blocks = vec![Block::Title(title(flaps, options)), Block::Gap];
    blocks.extend(judged(flaps, options, None));
    blocks.push(Block::Gap);
    blocks.extend(timeline(flaps, options).map(Block::Timeline));
    blocks.extend(size_table(flaps, options).map(Block::Table));
    blocks
}

/// The answer, why, and what helps; of a longer time, also since when changes count.
pub(super) fn judged(
    flaps: &Flaps,
    options: &TextOptions,
    since: Option<String>,
) -> Vec<Block<'static>> {
    let facts = [
        ("Why", why(flaps, options)),
        ("Try", changes(flaps)),
        ("Data", coverage(flaps, options, since)),
        ("Next", next(flaps, options)),
    ];
    let facts = facts.map(|(title, items)| Block::Facts(Facts::titled(title, LEAD, items)));
    let answer = Block::Prose(Prose::plain(answer(flaps, options)));
    [answer, Block::Gap].into_iter().chain(facts).collect()
}

/// The sizes that are told of, and what others than the HPA did.
fn timeline(flaps: &Flaps, options: &TextOptions) -> Option<Timeline<'static>> {
    let first = flaps.changes.first()?;
    let ends = flaps.changes.iter().flat_map(|it| {
        let before = it.before.map(|size| (it.from.as_second(), Some(size)));
        let after = it.after.map(|size| (it.to.as_second(), Some(size)));
        before.into_iter().chain(after)
    });
    let sizes: Vec<(i64, Option<i32>)> = ends.collect();
    let span = (first.from.as_second(), flaps.at.as_second());
    let at = |at| moment(at, options, TIME);
    let ends = (at(first.from), at(flaps.at));
    let lines = [("size".to_owned(), sizes)];
    let bounds = [(span.0, flaps.bounds)];
    let others = flaps.changes.iter().filter(|it| it.is_own == Some(false));
    let others = others.filter_map(|it| {
        let size = it.after?;
        Some((it.to, format!("someone else set the size to {size}")))
    });
    let edited = flaps.swing.iter().filter_map(|it| it.edited);
    let edited = edited.map(|at| (at, "the HPA was edited".to_owned()));
    let mut marks: Vec<_> = others.chain(edited).collect();
    marks.sort_by_key(|(at, _)| *at);
    let marks = marks.into_iter().map(|(moment, says)| Mark {
        at: moment.as_second(),
        time: at(moment),
        says,
        pass: None,
    });
    Some(Timeline {
        marks: marks.collect(),
        ..Timeline::of_sizes("Sizes", lines, &bounds, span, &ends)
    })
}

/// Which HPA it is about, the answer in a few words, and the moment.
fn title(flaps: &Flaps, options: &TextOptions) -> Title {
    let answer = match (flaps.state, &flaps.swing) {
        (FlapState::Flapping, Some(swing)) => format!("flaps {}", swing.sizes()),
        (FlapState::Stuck, _) if climbs(flaps) => format!("runs away, at {}", flaps.replicas),
        (FlapState::Stuck, _) => format!("stuck at {}", flaps.replicas),
        (FlapState::Unknown, _) => "cannot tell".to_owned(),
        _ => "no flapping".to_owned(),
    };
    let hpa = [flaps.namespace.as_str(), &flaps.name];
    let at = moment(flaps.at, options, DAY);
    Title::of(hpa, &flaps.target, answer, at)
}

fn why(flaps: &Flaps, options: &TextOptions) -> Vec<Item> {
    if flaps.state == FlapState::Flapping && flaps.mechanisms.is_empty() {
        return vec![Item::of(unknown(flaps))];
    }
    let most = if options.verbosity > 0 || options.is_page {
        usize::MAX
    } else {
        MOST_FACTS
    };
    let is_shown = shown_mechanism(flaps).is_some();
    let items = flaps.mechanisms.iter().map(|mechanism| {
        let title = mechanism.title();
        Item {
            below: facts(flaps, mechanism, most),
            ..Item::of(if is_shown {
                title
            } else {
                format!("{title}: {}", mechanism.says)
            })
        }
    });
    items.collect()
}

/// Why no cause is named.
fn unknown(flaps: &Flaps) -> String {
    let (changes, all) = (flaps.changes.iter(), flaps.changes.len());
    match changes.filter(|it| it.is_own.is_none()).count() {
        0 => "too few changes are on record to name a cause".to_owned(),
        open => format!(
            "unknown: no event or log shows who made {open} of the {all} changes, the HPA or another \
             writer of replicas"
        ),
    }
}

fn facts(flaps: &Flaps, mechanism: &Mechanism, most: usize) -> Vec<Item> {
    let facts = mechanism.evidence.iter().take(most).map(Item::of_fact);
    let more = mechanism.evidence.len().saturating_sub(most);
    let more = (more > 0).then(|| format!("and {more} more (-v)"));
    let others = more
        .into_iter()
        .chain(similar(flaps, mechanism))
        .map(Item::of);
    facts.chain(others).collect()
}

/// What else it can be, and what would tell where the inputs are not recorded.
fn similar(flaps: &Flaps, mechanism: &Mechanism) -> Option<String> {
    let others = mechanism.similar.iter().map(|it| it.title());
    let others: Vec<&str> = others.collect();
    let is_recorded = flaps.coverage.sources.contains(&EvidenceKind::Record);
    let advice = if is_recorded {
        ""
    } else {
        "; record the inputs with `watch --record`"
    };
    (!others.is_empty()).then(|| {
        format!(
            "sizes alone cannot rule out {}{advice}",
            others.join(" or ")
        )
    })
}

/// What would tell more.
fn next(flaps: &Flaps, options: &TextOptions) -> Vec<Item> {
    let missing = flaps.coverage.events_not_read.as_ref();
    let is_refused = missing.is_some_and(|it| it.kind == ReadFailureKind::Refused);
    let is_forbidden = options.live && is_refused;
    let role = is_forbidden.then(|| {
        let command = ShellCommand::new("kubectl hpa-explain rbac flaps");
        let command = command.namespace(&flaps.namespace);
        Remedy::look("print the role that allows reading events", command)
    });
    let remedies = role.into_iter().chain(look(flaps));
    remedies.map(|it| Item::of_remedy(&it)).collect()
}

/// Where to look further.
fn look(flaps: &Flaps) -> Option<Remedy> {
    let on_hpa = |command| {
        let command = ShellCommand::new(command).word(&flaps.name);
        command.namespace(&flaps.namespace)
    };
    let coverage = &flaps.coverage;
    let has_inputs = coverage.passes > 0 || coverage.sources.contains(&EvidenceKind::Record);
    // Then no cause is left to a record of the inputs.
    let mut standings = flaps.mechanisms.iter().map(|it| it.standing);
    let is_known = !flaps.mechanisms.is_empty() && standings.all(|it| it == Standing::Known);
    match flaps.state {
        FlapState::Calm => None,
        FlapState::Stuck => Some(Remedy::look(
            "explain its last pass",
            on_hpa("kubectl hpa-explain"),
        )),
        _ if has_inputs || is_known => None,
        _ => Some(Remedy::look(
            "record what the metrics ask for, pass by pass; read the record with --history",
            on_hpa("kubectl hpa-explain watch")
                .and("--record")
                .word(&format!("{}.jsonl", flaps.name)),
        )),
    }
}

/// What helps; below each what a simulation says to it, and once of those that
/// were not simulated that they are only suggested.
fn changes(flaps: &Flaps) -> Vec<Item> {
    let all: Vec<&Change> = flaps.mechanisms.iter().flat_map(|it| &it.changes).collect();
    let mut items: Vec<Item> = all.iter().map(|change| tried(change)).collect();
    if let Some(reason) = &flaps.other_reason {
        items.extend(reason.remedies.iter().map(Item::of_remedy));
    }
    let tries = all.iter().filter(|it| !it.remedy.looks);
    let suggested = tries.clone().filter(|it| it.proof == Proof::Suggested);
    let caveat = match suggested.count() {
        0 => return items,
        some if some < tries.count() => "(inferred, not simulated, unless a simulation is shown)",
        _ => "(inferred, not simulated)",
    };
    items.push(Item::of(caveat.to_owned()));
    items
}

fn tried(change: &Change) -> Item {
    let simulated = match &change.proof {
        Proof::Suggested => None,
        Proof::Confirmed(trial) => Some(simulated("confirmed by simulation on", trial)),
        Proof::NotConfirmed(trial) => Some(simulated("not confirmed by simulation on", trial)),
    };
    Item {
        below: simulated.into_iter().map(Item::of).collect(),
        ..Item::of_remedy(&change.remedy)
    }
}

/// What came of a trial: what it mends, and what it costs.
fn simulated(what: &str, trial: &Trial) -> String {
    let (before, after) = (&trial.before, &trial.after);
    let short = |scores: &Scores| scores.under_provisioned_seconds.map(seconds_text);
    let short = match (short(before), short(after)) {
        (Some(before), Some(after)) => format!("too few pods {before} → {after}"),
        _ => "time with too few pods unknown".to_owned(),
    };
    let left_out = match trial.left_out.as_slice() {
        [] => String::new(),
        names => format!(" (without {}, which may ask for more)", names.join(" and ")),
    };
    let pods = |scores: &Scores| brief(average(scores.pod_seconds, trial.seconds), 1);
    format!(
        "{what} {} of recorded {}{left_out}: {} → {}, {short}, {} → {} pods on average",
        seconds_text(trial.seconds),
        trial.metric,
        counted(before.reversals as usize, "reversal"),
        after.reversals,
        pods(before),
        pods(after),
    )
}

#[expect(clippy::cast_precision_loss, reason = "the text shows a few digits")]
fn average(sum: i64, count: i64) -> f64 {
    sum as f64 / count.max(1) as f64
}

/// How many there are of each kind; that there is nothing is said plainly.
fn summary(items: &[Flaps]) -> String {
    let of = |state| items.iter().filter(|it| it.state == state).count();
    let parts = [
        (of(FlapState::Flapping), "flapping"),
        (of(FlapState::Stuck), "stuck"),
        (of(FlapState::Unknown), "unknown"),
    ];
    let parts = parts.iter().filter(|(count, _)| *count > 0);
    let parts = parts.map(|(count, what)| format!("{count} {what}"));
    let parts: Vec<String> = parts.collect();
    let all = counted(items.len(), "HPA");
    if parts.is_empty() {
        return format!("No HPA is flapping or stuck ({all}).");
    }
    let calm = match of(FlapState::Calm) {
        0 => String::new(),
        calm => format!(", {calm} calm"),
    };
    format!("{all}: {}{calm}.", parts.join(", "))
}

/// A line for each of these.
fn table(items: &[Flaps]) -> Table {
    let mut all = items.iter();
    let first = all.next().map(|it| it.namespace.as_str());
    let is_one = all.all(|it| Some(it.namespace.as_str()) == first);
    Table::of(problems(items).map(|flaps| Row::of(cells(flaps, is_one))))
}

fn cells(flaps: &Flaps, is_one_namespace: bool) -> [Cell; 6] {
    let swing = flaps.swing.as_ref().filter(|swing| swing.goes_on);
    let sizes = match swing {
        Some(swing) if swing.least == swing.most => format!("{}..?", swing.most),
        Some(swing) => format!("{}..{}", swing.least, swing.most),
        None => flaps.replicas.to_string(),
    };
    let reversals = swing.map_or("-".to_owned(), |swing| match swing.reversals.single() {
        Some(count) => count.to_string(),
        None => format!("{}+", swing.reversals.from),
    });
    let period = swing.and_then(short_period).unwrap_or("-".to_owned());
    let name = if is_one_namespace {
        flaps.name.clone()
    } else {
        format!("{}/{}", flaps.namespace, flaps.name)
    };
    let state = match flaps.state {
        FlapState::Flapping => "flaps".to_owned(),
        FlapState::Unknown => "?".to_owned(),
        state => state.to_string(),
    };
    [
        Cell::text("HPA", name),
        Cell::text("STATE", state),
        Cell::text("SIZES", sizes),
        Cell::number("REVERSALS", reversals),
        Cell::number("CYCLE", period),
        Cell::sentences("WHY", reason(flaps)),
    ]
}

/// The mechanisms by name, or what else there is to say.
fn reason(flaps: &Flaps) -> String {
    if let Some(reason) = &flaps.other_reason {
        return reason.message.clone();
    }
    if let Some(reason) = &flaps.coverage.events_not_read
        && flaps.state == FlapState::Unknown
    {
        return format!("events are missing: {reason}");
    }
    let titles = flaps.mechanisms.iter().map(Mechanism::title);
    let titles: Vec<String> = titles.collect();
    if titles.is_empty() {
        return "the cause is unknown".to_owned();
    }
    titles.join("; ")
}
