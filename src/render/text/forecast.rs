//! What other loads, pods and specs would lead to.

use super::words::{View, between, counted};
use crate::api::{PolicyKind, TargetKind};
use crate::render::block::Prose;
use crate::trace::amount::{in_unit_of_target, is_exact_in_unit_of_target, now, plural};
use crate::trace::{
    Attempt, BreakPoint, BreakPoints, CodeKind, Counterfactual, Direction, End, Limit,
    MetricRecord, Premise, Prospects, Range, Settling, Word, short,
};

fn prospects(view: View<'_>) -> Option<&Prospects> {
    view.trace.prospects.as_ref()
}

/// What the deciding metric has to come to for the size to rise, and the size
/// then.
pub(super) fn to_rise(view: View) -> Option<(i32, String)> {
    let winner = view.trace.winner()?;
    let points = points(view, winner).filter(|it| !it.is_up_out_of_reach);
    let point = points?.up?;
    Some((point.replicas, passes(view, winner, point, Direction::Up)))
}

/// What every metric that keeps the size has to come to for it to fall, and
/// the size then; nothing where a metric that fails would block that.
pub(super) fn to_fall(view: View) -> Option<(i32, String)> {
    if view.trace.invalid_metrics().next().is_some() {
        return None;
    }
    let current = view.current();
    let mut least = 0;
    let mut clauses = Vec::new();
    for metric in &view.trace.metrics {
        let Some(recommended) = metric.asks_for() else {
            continue;
        };
        // What asks for less already does so then, too.
        if recommended < current {
            least = least.max(recommended);
            continue;
        }
        let point = points(view, metric)?.down?;
        least = least.max(point.replicas);
        clauses.push(passes(view, metric, point, Direction::Down));
    }
    let text = match clauses.as_slice() {
        [] => return None,
        [one] => one.clone(),
        [one, other] => format!("{one} and {other}"),
        [one, others @ ..] => format!("{one} and {} more metrics also fall", others.len()),
    };
    Some((least, text))
}

/// Whether no metric can come to a value at which it asks for more.
pub(super) fn cannot_rise(view: View) -> bool {
    let metrics = &view.trace.metrics;
    let mut points = metrics.iter().map(|metric| points(view, metric));
    points.all(|it| it.is_some_and(|it| it.is_up_out_of_reach))
}

fn points<'a>(view: View<'a>, metric: &MetricRecord) -> Option<&'a BreakPoints> {
    prospects(view)?.break_points_of(metric.index)
}

/// `cpu rises above 66%`, or `jobs falls to or below 32` where that is the first value.
fn passes(view: View, metric: &MetricRecord, point: BreakPoint, side: Direction) -> String {
    let name = view.metric_name(metric);
    let total = if is_total(metric) { " in total" } else { "" };
    let both = [point.value, point.last];
    let [first, last] = both.map(|it| in_unit_of_target(metric, it));
    let is_exact = is_exact_in_unit_of_target(metric, point.value);
    let is_to = point.last_in_thousandths.is_none() && first == last && is_exact;
    // Where the table shows just that now, nobody could tell on which side.
    let measured = metric.measured.as_ref();
    let is_now = measured.is_some_and(|measured| now(metric, measured) == last);
    let (comes, goes) = match side {
        Direction::Up => ("rises to or above", "rises above"),
        Direction::Down => ("falls to or below", "falls below"),
    };
    if is_to && side == Direction::Down || is_now && first != last {
        return format!("{name} {comes} {first}{total}");
    }
    // The table shows whole percents.
    let exact = point.last_in_thousandths.filter(|_| first == last);
    let exact = exact.filter(|_| view.options.verbosity > 0 || is_now);
    let value = exact.map_or(last, thousandths_of_percent);
    format!("{name} {goes} {value}{total}")
}

#[expect(clippy::cast_precision_loss, reason = "the text shows a few digits")]
fn thousandths_of_percent(thousandths: i64) -> String {
    format!("{}%", short(thousandths as f64 / 1000.0, 2))
}

/// Whether the break-points of a metric are sums, which its table does not
/// show.
fn is_total(metric: &MetricRecord) -> bool {
    metric.is_aimed_at(TargetKind::AverageValue) && metric.groups.is_none()
}

/// Where the size ends, if that is not where it is.
pub(super) fn settles(view: View) -> Option<String> {
    let settling = prospects(view)?.settling.as_ref()?;
    if !can_settle(view) {
        return None;
    }
    let there = view.trace.metrics.get(settling.metric?)?;
    match settling.end {
        End::Rest => {
            let first = detour(view, settling);
            if first.is_none() && settling.replicas == Some(view.current()) {
                return None;
            }
            Some(first.unwrap_or_default() + &rests(view, settling, there))
        }
        // The verdict tells what is asked for at the moment.
        End::AtMax
            if settling.without_max == view.trace.recommended()
                && view.trace.outcome.desired_replicas == settling.replicas =>
        {
            None
        }
        End::AtMax if settling.without_max.is_some() || is_in_vain(view, settling) => {
            Some(at_max(view, settling, there))
        }
        End::AtMax => None,
        End::Cycle => {
            let range = settling.range();
            let (from, to) = (range.from, range.to);
            Some(format!("keeps alternating between {from} and {to}"))
        }
    }
}

/// The size that is farthest off the way from the current one to where it ends, if the
/// next pass is not yet there.
fn detour(view: View, settling: &Settling) -> Option<String> {
    let way = Range::of(view.current()).join(Range::of(settling.replicas?));
    let off = |size: i32| (size - way.to).max(way.from - size);
    let steps = settling.steps.iter().rev();
    let farthest = steps.max_by_key(|step| off(step.replicas))?;
    let is_next = view.trace.outcome.desired_replicas == Some(farthest.replicas);
    let by = view.moment(farthest.at?);
    (off(farthest.replicas) > 0 && !is_next)
        .then(|| format!("goes on to {} by {by}, then ", farthest.replicas))
}

/// Where the size ends, in a few words, for what there is no more to tell of.
pub(super) fn ends(view: View) -> String {
    let settling = prospects(view).and_then(|it| it.settling.as_ref());
    match settling.filter(|_| can_settle(view)) {
        None if view.trace.verdict.word == Word::OutOfRange => {
            "this pass only brings the size into its bounds; the next one follows the metrics"
                .to_owned()
        }
        None => "this pass does not show where the size settles".to_owned(),
        Some(it)
            if it.replicas == Some(view.current()) && view.trace.outcome.rescale != Some(true) =>
        {
            format!("nothing changes by itself: it stays at {}", ending(it))
        }
        Some(it) if it.end == End::AtMax => format!("ends at maxReplicas {}", ending(it)),
        Some(it) => format!("settles at {}", ending(it)),
    }
}

/// Whether what is measured tells where the size ends: pods that do not count
/// now will.
pub(super) fn can_settle(view: View) -> bool {
    !is_stuck(view) && !has_set_aside(view) && view.trace.failed_metrics().next().is_none()
}

/// Nothing rests if what decides does not fall.
fn is_in_vain(view: View, settling: &Settling) -> bool {
    let is_constant = |metric: &usize| settling.taken_constant.contains(metric);
    let recommendation = view.trace.recommendation.as_ref();
    let recommended = recommendation.and_then(|it| it.replicas);
    settling.metric.as_ref().is_some_and(is_constant)
        && recommended.is_some_and(|recommended| recommended > view.current())
}

/// The sizes at which it can end.
pub(super) fn ending(settling: &Settling) -> String {
    let single = settling.replicas.map(Range::of);
    between(settling.possible.or(single).unwrap_or(settling.range()))
}

fn rests(view: View, settling: &Settling, metric: &MetricRecord) -> String {
    let (name, size) = (view.metric_name(metric), ending(settling));
    let Some(found) = settling.value.map(|it| in_unit_of_target(metric, it)) else {
        return format!("settles at {size}");
    };
    let total = if is_total(metric) { " in total" } else { "" };
    let last = settling.steps.last().and_then(|step| step.at);
    let outlook = view.trace.outlook.as_ref();
    let next = outlook.and_then(|outlook| Some(outlook.next_pass?.latest));
    let last = last.filter(|at| *at > next.unwrap_or(view.trace.at));
    let by = last.map_or_else(String::new, |at| format!(" by {}", view.moment(at)));
    let start = format!("settles at {size}{by}, with {name} at {found}{total}");
    match settling.holds() {
        Some((from, to)) if settling.replicas > Some(view.trace.bounds.min_replicas) => {
            let [from, to] = [from, to].map(|it| in_unit_of_target(metric, it));
            format!("{start}; {from} to {to} keeps {size}")
        }
        _ => start,
    }
}

/// That it goes on to its bound, if a metric of type Value does not fall meanwhile.
pub(super) fn climbs(view: View) -> Option<String> {
    let settling = prospects(view)?.settling.as_ref()?;
    let metric = view.trace.winner()?;
    let is_value = metric.target?.kind == TargetKind::Value;
    let climbs = is_value && settling.end == End::AtMax && is_in_vain(view, settling);
    (climbs && view.trace.lead().is_none() && can_settle(view)).then(|| {
        format!(
            "unless it falls as pods are added, the size goes on to maxReplicas {}",
            ending(settling)
        )
    })
}

fn at_max(view: View, settling: &Settling, metric: &MetricRecord) -> String {
    let (name, size) = (view.metric_name(metric), ending(settling));
    if let Some(rest) = settling.without_max {
        let asks = if view.trace.recommended() == Some(rest) {
            format!("the metrics want {rest}")
        } else {
            format!("without that limit it would settle at {rest}")
        };
        return format!("ends at maxReplicas {size}; {asks}");
    }
    let is_there = settling.replicas == Some(view.current());
    let goes = if is_there { "stays at" } else { "goes to" };
    format!(
        "{goes} maxReplicas {size} and still asks for more, if {name} does not fall as pods are \
         added"
    )
}

/// What would be asked for if other pods counted.
pub(super) fn counterfactuals(view: View) -> Vec<(String, String)> {
    let all = prospects(view).map_or(&[][..], |found| &found.counterfactuals);
    let shown = all.iter().filter_map(|one| {
        let replicas = one.replicas.filter(|it| *it != view.current())?;
        let text = premise(view, one)?;
        Some((format!("{replicas:<4}"), text))
    });
    let mut shown: Vec<_> = shown.collect();
    let most = view.trace.bounds.max_replicas;
    let rise = to_rise(view).map(|(replicas, load)| (replicas.min(most), load));
    if is_stuck(view)
        && let Some((replicas, load)) = rise.filter(|(replicas, _)| *replicas != view.current())
    {
        shown.push((
            format!("{replicas:<4}"),
            format!("if nothing is fixed and {load}"),
        ));
    }
    shown
}

fn premise(view: View, one: &Counterfactual) -> Option<String> {
    let found = prospects(view)?;
    let now = view.trace.recommendation.as_ref()?.replicas;
    match &one.premise {
        Premise::WithoutForeignPods { .. } if one.recommendation == now => None,
        Premise::WithoutForeignPods { pods } => {
            let owner = found.foreign_pods.first()?.owner.as_deref();
            let mut foreign = found.foreign_pods.iter();
            let is_one = foreign.all(|pod| pod.owner.as_deref() == owner);
            let whose = match owner.filter(|_| is_one) {
                Some(owner) => format!("of {}", view.name(owner)),
                None => "that the target does not own".to_owned(),
            };
            let which = match *pods {
                1 => "pod".to_owned(),
                several => counted(several, "pod"),
            };
            Some(format!("without the {which} {whose}"))
        }
        // What is said of all foreign pods tells more than one of them.
        Premise::OneCounts { pod } if found.foreign_pods.iter().any(|it| it.name == *pod) => None,
        Premise::OneCounts { pod } if is_stuck(view) && can_run(view, pod) => {
            let name = view.name(pod);
            Some(format!("if {name} reported like the others"))
        }
        Premise::AllCount { .. } if is_stuck(view) => {
            let metric = view.trace.metrics.get(one.metric?)?;
            let selected = metric.groups?.selected - metric.groups?.ignored;
            let at = in_unit_of_target(metric, one.value?);
            Some(format!(
                "if all {selected} counted and shared this load ({at})"
            ))
        }
        _ => None,
    }
}

/// A pod that has ended gives no number any more.
fn can_run(view: View, name: &str) -> bool {
    let pods = view.trace.winner().map_or(&[][..], |metric| &metric.pods);
    let mut pods = pods.iter();
    pods.any(|pod| pod.name == name && !pod.phase.has_ended())
}

pub(super) fn is_stuck(view: View) -> bool {
    view.trace.dampened().is_some()
}

fn has_set_aside(view: View) -> bool {
    view.trace.winner().is_some_and(|it| aside(it).is_some())
}

/// How many pods count, where more can at a later pass and change what is
/// asked for: for what decides, or else for another metric.
pub(super) fn counting(view: View) -> Option<String> {
    let of_winner = view.trace.winner().and_then(aside);
    let text = |(counting, all): (usize, usize)| {
        if counting == 0 {
            return "still no pod counts".to_owned();
        }
        let verb = plural(counting, "counts", "count");
        format!("{counting} of {all} pods still {verb}")
    };
    of_winner.map(text).or_else(|| {
        let mut others = view.trace.metrics.iter();
        others.find_map(|metric| {
            let still = text(aside(metric)?);
            Some(format!("{still} for {}", view.metric_name(metric)))
        })
    })
}

/// How many pods count for a metric, and of how many, as its table says it,
/// if more can.
fn aside(metric: &MetricRecord) -> Option<(usize, usize)> {
    let groups = metric.groups.unwrap_or_default();
    match metric.ready_pods {
        Some(pods) => Some((pods.ready, pods.selected)).filter(|(ready, all)| ready < all),
        None => {
            Some((groups.ready, groups.selected)).filter(|_| groups.unready + groups.missing > 0)
        }
    }
}

/// Whether the policy that decides counts pods.
fn is_of_pods(view: View) -> bool {
    let limit = view.trace.limit.as_ref();
    let mut policies = limit.iter().flat_map(|limit| &limit.policies);
    policies.any(|policy| policy.selected && policy.kind == PolicyKind::Pods)
}

/// Renders a change of the spec that would let the change through now.
pub(super) fn attempts(view: View) -> Vec<Prose> {
    let all = prospects(view).map_or(&[][..], |found| &found.attempts);
    let is_rising = view.trace.recommended() > Some(view.current());
    // A setting that is for longer than this moment. What is tolerated is
    // meant to be, and so is a scale-down that is slowed.
    let is_shown = |attempt: &Attempt| match attempt.limit {
        Limit::Window | Limit::Policy if view.trace.finds(CodeKind::AgainstSooner) => false,
        _ if view.options.verbosity > 0 => true,
        Limit::Policy => is_rising && is_of_pods(view),
        Limit::MaxReplicas => !view.trace.finds(CodeKind::AgainstMore),
        Limit::Window | Limit::Tolerance => false,
    };
    let mut rows = Vec::new();
    for attempt in all.iter().filter(|it| is_shown(it)).take(view.most(1)) {
        let lead = if rows.is_empty() {
            "Try    "
        } else {
            "       "
        };
        let was = attempt
            .from
            .as_ref()
            .map_or("not set now".to_owned(), |from| format!("now {from}"));
        let (field, to, replicas) = (&attempt.field, &attempt.to, attempt.replicas);
        let desired = view.trace.recommended().filter(|it| *it != replicas);
        let desired = desired.map_or_else(String::new, |it| format!(" ({it} desired)"));
        let text = format!("{field}={to} ({was}) lets the next pass go to {replicas}{desired}");
        rows.push(Prose::behind(lead, text));
        rows.push(Prose::command("         ", &attempt.command));
    }
    rows
}
