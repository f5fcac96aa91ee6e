//! What comes next, by the passing of time and under other loads, and what to
//! do.

use jiff::Timestamp;

use super::forecast;
use super::found::remedies;
use super::pods::metric_with_pods;
use super::words::{View, range, window as window_text};
use crate::render::block::Prose;
use crate::trace::{Direction, EvidenceKind, Group, Knowledge, ShellCommand, SizeChange, Step};

const BELOW: &str = "       ";
/// The most columns of a rescale's reason.
const REASON: usize = 90;
const AT_ONCE: &str = "at the next pass";

/// A moment, and what happens then.
type Upcoming = (Timestamp, String);

/// Renders when the size last changed, and why.
pub(super) fn last(view: View) -> Prose {
    let text = match &view.trace.last_change {
        Some(change) => changed(view, change),
        None => "no change of the size is on record".to_owned(),
    };
    Prose::behind("Last   ", text)
}

fn changed(view: View, change: &SizeChange) -> String {
    let size = match (change.before, change.after, change.way) {
        (Some(before), Some(after), _) => format!("{before} → {after}"),
        (_, Some(after), _) => format!("to {after}"),
        (_, None, Some(Direction::Up)) => "scaled up".to_owned(),
        (_, None, Some(Direction::Down)) => "scaled down".to_owned(),
        (_, None, None) => "the size changed".to_owned(),
    };
    let when = if SizeChange::is_moment(change.from, change.to) {
        format!("at {}", view.moment(change.from))
    } else {
        let (from, to) = (view.time(change.from), view.moment(change.to));
        format!("between {from} and {to}")
    };
    let why = match change.is_own {
        Some(false) => ", not by the HPA".to_owned(),
        None if change.source == Some(EvidenceKind::Status) => {
            ", after the HPA's last change; who changed it is not on record".to_owned()
        }
        _ if change.reason.is_none() => String::new(),
        _ => format!(": {}", view.page.name(&change.reason.short(), REASON)),
    };
    format!("{size} {when}{why}")
}

/// Renders what comes next.
pub(super) fn next(view: View) -> Vec<Prose> {
    let mut rows = Vec::new();
    for (way, text) in coming_steps(view) {
        rows.extend(in_lines(view, &format!("{BELOW}{way:<4}  "), &text));
    }
    for (lead, text) in changes(view)
        .into_iter()
        .chain(forecast::counterfactuals(view))
    {
        rows.push(Prose::behind(format!("{BELOW}{lead}  "), text));
    }
    if rows.is_empty() {
        rows.extend(next_pass(view).map(|text| Prose::behind(BELOW, text)));
    }
    rows.extend(forecast::settles(view).map(|text| Prose::behind(BELOW, text)));
    titled("Next   ", rows)
}

/// Rows whose first one begins with a title in place of as many blanks.
fn titled(title: &str, mut rows: Vec<Prose>) -> Vec<Prose> {
    if let Some(first) = rows.first_mut() {
        first.begins.1.replace_range(..title.len(), title);
    }
    rows
}

/// What comes, in one part or in two, of which the second goes into a line of
/// its own where both do not fit into one.
pub(super) type NextStep = Vec<String>;

fn in_lines(view: View, lead: &str, parts: &NextStep) -> Vec<Prose> {
    let whole = Prose::behind(lead, parts.join("; "));
    match parts.as_slice() {
        [first, second] if whole.lines(view.page).len() > 1 => vec![
            Prose::behind(lead, format!("{first};")),
            Prose::behind(" ".repeat(lead.len()), second),
        ],
        _ => vec![whole],
    }
}

/// The next step each way, the one that is asked for first. After a change
/// the answer is another one.
pub(super) fn coming_steps(view: View) -> Vec<(&'static str, NextStep)> {
    let trace = view.trace;
    let outlook = trace.outlook.as_ref();
    let Some(outlook) = outlook.filter(|_| trace.outcome.rescale != Some(true)) else {
        return Vec::new();
    };
    let mut steps = [(Direction::Up, outlook.up), (Direction::Down, outlook.down)];
    steps.sort_by_key(|(_, step)| !step.recommended);
    let texts = steps.into_iter().filter_map(|(way, step)| {
        let text = if step.recommended {
            recommended(view, step)?
        } else {
            not_recommended(view, way, step)?
        };
        let way = match way {
            Direction::Up => "up",
            Direction::Down => "down",
        };
        Some((way, text))
    });
    texts.collect()
}

/// When the step that the metrics ask for comes.
fn recommended(view: View, step: Step) -> Option<NextStep> {
    let sizes = range(step.replicas?);
    let when = when(view, step);
    let stays = (when != AT_ONCE).then(|| "the load stays".to_owned());
    let premises: Vec<String> = stays.into_iter().chain(forecast::counting(view)).collect();
    let premise = match premises.as_slice() {
        [] => String::new(),
        premises => format!(", if {}", premises.join(" and ")),
    };
    Some(vec![format!("to {sizes} {when}{premise}")])
}

/// When a step would come that the metrics do not ask for.
fn not_recommended(view: View, way: Direction, step: Step) -> Option<NextStep> {
    // What is stuck has a list of its own of what would free it.
    let is_superseded = || forecast::is_stuck(view) || forecast::cannot_rise(view);
    if way == Direction::Up && is_superseded() {
        return None;
    }
    let sizes = step.replicas?;
    let load = match way {
        Direction::Up => forecast::to_rise(view).map(|(to, load)| (to.min(sizes.to), load)),
        Direction::Down => forecast::to_fall(view).map(|(to, load)| (to.max(sizes.from), load)),
    };
    let is_at_once = is_at_next_pass(view, step);
    // A size that there is already is no step.
    let load = load.filter(|(to, _)| *to != view.current());
    if let Some((to, load)) = load {
        let counting = forecast::counting(view);
        let still = counting.map_or_else(String::new, |it| format!(" and {it}"));
        if is_at_once {
            return Some(vec![format!("to {to} if {load}{still}")]);
        }
        let window = delay(view, way);
        let first = format!("to {to} if {load}{still}{window}");
        return Some(vec![first, when(view, step)]);
    }
    if is_at_once {
        let far = match way {
            Direction::Up => sizes.to,
            Direction::Down => sizes.from,
        };
        return Some(vec![format!(
            "at the next pass, if the metrics ask for it, to {far} at most"
        )]);
    }
    step.earliest.or(step.latest)?;
    Some(vec![format!(
        "{}, if the metrics ask for it",
        when(view, step)
    )])
}

/// The window that a change has to wait for.
fn delay(view: View, way: Direction) -> String {
    let record = view.trace.stabilization.as_ref();
    let edge = record.and_then(|record| record.edge(way));
    match edge.map(|edge| edge.window_seconds) {
        Some(seconds @ 1..) => format!(" (window {})", window_text(seconds)),
        _ => String::new(),
    }
}

fn is_at_next_pass(view: View, step: Step) -> bool {
    let outlook = view.trace.outlook.as_ref();
    outlook.is_some_and(|outlook| outlook.is_at_next_pass(step))
}

fn when(view: View, step: Step) -> String {
    if is_at_next_pass(view, step) {
        return AT_ONCE.to_owned();
    }
    // As it is shown: nobody waits for a part of a second.
    let is_later = |at: Timestamp| at > view.trace.at && view.time(at) != view.time(view.trace.at);
    let latest = step.latest.filter(|at| is_later(*at));
    let latest = latest.map(|at| view.moment(at));
    match (step.earliest.map(|at| view.moment(at)), latest) {
        (None, None) => "at the next pass or later".to_owned(),
        (None, Some(latest)) => format!("at the next pass or later, by {latest} at the latest"),
        (Some(earliest), None) => format!("not before {earliest}"),
        (Some(earliest), Some(latest)) if earliest == latest => format!("at {earliest}"),
        (Some(earliest), Some(latest)) => format!("between {earliest} and {latest}"),
    }
}

/// What else happens at a known time, in its order.
fn changes(view: View) -> Vec<(String, String)> {
    let mut all = vec![first_pod(view)];
    if view.trace.outcome.rescale == Some(true) {
        all.extend([window(view), policy(view)]);
    }
    let mut changes: Vec<Upcoming> = all.into_iter().flatten().collect();
    changes.retain(|(at, _)| *at > view.trace.at);
    changes.sort_by_key(|(at, _)| *at);
    let texts = changes.into_iter();
    texts.map(|(at, what)| (view.moment(at), what)).collect()
}

/// When the recommendation that holds a part of the change back leaves its
/// window.
fn window(view: View) -> Option<Upcoming> {
    let record = view.trace.stabilization.as_ref()?;
    let size = record.result;
    let edge = record.edge(Direction::between(size, record.recommendation)?)?;
    let text = format!("the last recommendation that holds {size} leaves the window");
    Some((edge.expires?, text))
}

/// When changes leave the period of the policy that limits.
fn policy(view: View) -> Option<Upcoming> {
    let limit = view.trace.limit.as_ref().filter(|it| it.slows())?;
    if view.trace.remembered != Knowledge::Known {
        return None;
    }
    let selected = limit.policies.iter().filter(|policy| policy.selected);
    let changing = selected.filter(|policy| policy.changes_at.is_some());
    let policy = changing.min_by_key(|policy| policy.changes_at)?;
    Some((
        policy.changes_at?,
        format!(
            "earlier changes leave the period of {} {} per {}s, which then allows more",
            policy.kind, policy.value, policy.period_seconds
        ),
    ))
}

/// When the first pod that is set aside counts again.
fn first_pod(view: View) -> Option<Upcoming> {
    let metric = metric_with_pods(view)?;
    let now = view.trace.at;
    let waiting = metric.pods.iter().filter(|pod| pod.group != Group::Ready);
    let waiting = waiting.filter_map(|pod| Some((pod.until?, pod)));
    let later = waiting.filter(|(at, _)| *at > now);
    let (at, pod) = later.min_by_key(|(at, _)| *at)?;
    let name = view.name(&pod.name);
    Some((at, format!("{name} counts by then, if it has a sample")))
}

/// The size goes on changing without anything to wait for.
fn next_pass(view: View) -> Option<String> {
    let trace = view.trace;
    let goes_on = trace.outcome.rescale == Some(true);
    let limit = trace.limit.as_ref().filter(|it| goes_on && it.slows())?;
    let selected = limit.policies.iter().find(|policy| policy.selected);
    let next = trace.outlook.as_ref().and_then(|it| it.next_pass);
    let wait = next.map_or(0, |next| next.latest.duration_since(trace.at).as_secs());
    Some(match selected {
        Some(policy) if i64::from(policy.period_seconds) < wait => {
            format!("more at the next pass (in {wait}s at most), if the metrics still ask for it")
        }
        Some(policy) => format!(
            "more in {}s, when the change made now leaves the period, if the metrics still ask for \
             it",
            policy.period_seconds
        ),
        None => "more at the next pass, if the metrics still ask for it".to_owned(),
    })
}

/// Renders the steps that mend it, or else those that show more. What helps
/// with a finding knows more than the verdict's own commands.
pub(super) fn steps(view: View, commands: &[ShellCommand]) -> Vec<Prose> {
    let mut steps = remedies(view);
    if steps.is_empty() {
        let commands = commands.iter().filter(|it| it.is_pasteable());
        steps.extend(commands.map(|it| vec![Prose::command(BELOW, it)]));
    }
    let rows = steps.into_iter().take(view.most(3)).flatten();
    titled("Do     ", rows.collect())
}
