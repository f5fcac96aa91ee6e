//! What the spec's `behavior` does that its writer may not expect.

use jiff::SignedDuration;
use serde_json::json;

use super::words::{MOST, alone, apart, asks, metric_name, of_all, origin_text, side};
use crate::api::{Behavior, ConditionKind, ConditionReason};
use crate::findings::{Case, shared_findings};
use crate::history::reported_rescales;
use crate::trace::amount::{now, plural};
use crate::trace::{
    Code, Direction, Finding, Hold, Premise, RescaleReason, Rule, Severity, StabilizationRecord,
    Step, Trace, WindowEdge, WindowEntry, seconds_text,
};

/// A direction that is switched off, where the metrics ask for it.
pub(super) fn disabled(_case: &Case, trace: &Trace) -> Option<Finding> {
    let (limit, recommended) = (trace.limit.as_ref()?, trace.recommended()?);
    let side = side(limit).filter(|_| limit.hold() == Some(Hold::Disabled))?;
    let message = format!(
        "{side}.selectPolicy Disabled keeps the size at {}; {}",
        limit.result,
        asks(trace, recommended)
    );
    let finding = Finding::new(Code::BehaviorDisabled, message)
        .fact(format!("spec.behavior.{side}.selectPolicy"), "Disabled")
        .patch(
            "allow this direction again",
            &json!({"spec": {"behavior": {side.field(): {"selectPolicy": "Max"}}}}),
        );
    Some(finding.info_if(side == Direction::Down))
}

/// A `behavior` that sets nothing, where none at all would lead elsewhere.
pub(super) fn empty(case: &Case, trace: &Trace) -> Option<Finding> {
    let behavior = case.hpa().spec.behavior.as_ref();
    if behavior != Some(&Behavior::of_defaults()) || trace.recommended() == trace.size() {
        return None;
    }
    let without = case.under(trace, |spec| spec.behavior = None);
    let (with, without) = (trace.outcome.desired_replicas?, without?);
    if with == without {
        return None;
    }
    let window = seconds_text(case.settings.downscale_stabilization_seconds());
    let window = format!("the last {window}");
    let message =
        format!("an empty behavior leads to {with}; no behavior at all would lead to {without}");
    let finding = Finding::new(Code::BehaviorEmpty, message);
    Some(shared_findings::empty_behavior(finding, &window))
}

/// What the counted pods ask for comes to nothing, because others without a
/// usable sample are filled in.
pub(super) fn dampened(_case: &Case, trace: &Trace) -> Option<Finding> {
    let metric = trace.dampened()?;
    let (measured, filled) = (metric.measured.as_ref()?, metric.filled_in.as_ref()?);
    let unusable: Vec<_> = metric.filled_in_pods().collect();
    let names: Vec<&str> = unusable.iter().map(|pod| pod.name.as_str()).collect();
    let groups = metric.groups.unwrap_or_default();
    let pods = groups.selected - groups.ignored;
    let message = format!(
        "{} {} no usable sample; counted with them, {} is {} instead of {}, so the size stays at {}",
        of_all(&names, pods),
        plural(unusable.len(), "has", "have"),
        metric.source.name,
        now(metric, &filled.measured),
        now(metric, measured),
        trace.outcome.current_replicas
    );
    let shown = unusable.iter().take(MOST);
    let tried = trace.prospects.iter().flat_map(|it| &it.counterfactuals);
    let finding = Finding::new(Code::Dampened, message)
        .facts(shown.map(|pod| (format!("Pod/{}", pod.name), pod.rule.says())))
        .facts(tried.filter_map(|one| {
            let about = match &one.premise {
                Premise::OneCounts { pod } => format!("if {pod} reported like the others"),
                Premise::AllCount { .. } => "if all pods reported and shared the load".to_owned(),
                Premise::WithoutForeignPods { .. } | Premise::AverageInPlaceOfValue { .. } => {
                    return None;
                }
            };
            let recommended = alone(trace, metric, one.proposal?);
            let says = format!("{} would ask for {recommended}", metric.source.name);
            Some((about, says))
        }));
    // Time alone makes some of them count.
    let Some(first) = unusable.iter().find(|pod| pod.until.is_none()) else {
        return Some(finding.at_most(Severity::Info));
    };
    let command = trace.look_at_pod(&first.name);
    Some(finding.look("see why a pod has no usable sample", command))
}

/// An earlier recommendation holds back what the metrics ask for now.
pub(super) fn holds(_case: &Case, trace: &Trace) -> Option<Finding> {
    let is_up = match trace.verdict.hold {
        Some(Hold::ScaleUpWindow) => true,
        Some(Hold::ScaleDownWindow) => false,
        _ => return None,
    };
    let (stabilization, recommended, current, result) = (
        trace.stabilization.as_ref()?,
        trace.recommended()?,
        trace.size()?,
        trace.outcome.desired_replicas?,
    );
    // A size that it raises is another finding.
    if result > current.max(recommended) {
        return None;
    }
    let (side, edge) = match stabilization.up {
        Some(up) if is_up => (Direction::Up, up),
        _ => (Direction::Down, stabilization.down),
    };
    let outlook = trace.outlook.as_ref();
    let step = outlook.map(|outlook| if is_up { outlook.up } else { outlook.down });
    let message = format!(
        "the {side} window of {} {} {result}{}; {}",
        seconds_text(edge.window_seconds),
        if result == current {
            "keeps the size at"
        } else {
            "allows"
        },
        until(trace, (stabilization, &edge), (is_up, result), step),
        asks(trace, recommended)
    );
    let finding = Finding::new(Code::WindowHolds, message)
        .facts(deciding(trace, stabilization, &edge))
        .facts([origin(trace, &edge, side)]);
    if !is_up {
        return Some(finding);
    }
    Some(finding.patch(
        "scale up without waiting",
        &json!({"spec": {"behavior": {"scaleUp": {"stabilizationWindowSeconds": 0}}}}),
    ))
}

/// The recommendation of a window that decides.
fn deciding(
    trace: &Trace,
    stabilization: &StabilizationRecord,
    edge: &WindowEdge,
) -> Option<(&'static str, String)> {
    let entry = entry(stabilization, edge)?;
    let says = format!("{}, {} ago", entry.replicas, apart(trace, entry.timestamp));
    Some(("the recommendation that decides", says))
}

/// For how long a window holds a size, as far as that is known.
fn until(
    trace: &Trace,
    (stabilization, edge): (&StabilizationRecord, &WindowEdge),
    (is_up, size): (bool, i32),
    step: Option<Step>,
) -> String {
    let from_now = |at| apart(trace, at);
    if let (Some(expires), Some(held_by)) = (edge.expires, entry(stabilization, edge)) {
        // A bound can hold less than the recommendation does that counts, and
        // then younger ones that are nearer hold it as well.
        let holds = |entry: &&WindowEntry| {
            if is_up {
                entry.counts_up && entry.replicas <= size
            } else {
                entry.counts_down && entry.replicas >= size
            }
        };
        let entries = stabilization.entries.iter().filter(holds);
        let last = entries.map(|entry| entry.timestamp).max();
        let longer = last.map(|last| last.duration_since(held_by.timestamp));
        let ends = expires + longer.unwrap_or_default();
        return format!(" for {} more", from_now(ends));
    }
    // What comes with the next pass does not end the window.
    let is_next = |step| {
        let outlook = trace.outlook.as_ref();
        outlook.is_some_and(|outlook| outlook.is_at_next_pass(step))
    };
    match step.filter(|step| step.recommended && !is_next(*step)) {
        Some(Step {
            earliest: Some(earliest),
            latest: Some(latest),
            ..
        }) => format!(" for {} to {} more", from_now(earliest), from_now(latest)),
        Some(Step {
            latest: Some(latest),
            ..
        }) => format!(" for {} at most", from_now(latest)),
        _ => String::new(),
    }
}

fn entry(stabilization: &StabilizationRecord, edge: &WindowEdge) -> Option<WindowEntry> {
    stabilization.entries.get(edge.held_by?).copied()
}

/// Where the length of the window comes from.
fn origin(trace: &Trace, edge: &WindowEdge, side: Direction) -> (String, String) {
    let window = seconds_text(edge.window_seconds);
    if edge.from_spec {
        let field = format!("spec.behavior.{side}.stabilizationWindowSeconds");
        return (field, window);
    }
    let flag = "--horizontal-pod-autoscaler-downscale-stabilization";
    let setting = trace.basis.setting(flag);
    let origin = setting.map_or("", |it| origin_text(it.origin));
    (flag.to_owned(), format!("{window} ({origin})"))
}

/// The size rises although the metrics ask for less, or are below their
/// targets.
pub(super) fn up_below_target(case: &Case, trace: &Trace) -> Option<Finding> {
    raised_again(case, trace)
        .or_else(|| more_pods_counted(trace))
        .or_else(|| raised_last(case, trace))
}

/// Without `behavior` the highest recommendation of the window is applied,
/// also upwards.
fn raised_again(case: &Case, trace: &Trace) -> Option<Finding> {
    let stabilization = trace.stabilization.as_ref()?;
    let (recommended, current) = (trace.recommended()?, trace.size()?);
    let size = trace.outcome.desired_replicas?;
    if stabilization.rule != Rule::StabilizeHighest || recommended >= current || size <= current {
        return None;
    }
    let window = stabilization.down.window_seconds;
    let message = format!(
        "the size goes up to {size} although {}: without behavior, the highest recommendation of {} \
         also counts for scale-ups",
        asks(trace, recommended),
        seconds_text(window)
    );
    let finding = Finding::new(Code::UpBelowTarget, message)
        .fact("the event will say", RescaleReason::BelowTarget.to_string())
        .facts(deciding(trace, stabilization, &stabilization.down));
    let kept = with_behavior(case, trace, window)?;
    if kept > current {
        return Some(finding);
    }
    Some(finding.patch(
        format!(
            "set spec.behavior.scaleDown.stabilizationWindowSeconds to {window}: with any behavior, \
             the window keeps {kept} and raises nothing"
        ),
        &json!({"spec": {"behavior": {"scaleDown": {"stabilizationWindowSeconds": window}}}}),
    ))
}

/// What the pass would come to with the same window in a `behavior`.
fn with_behavior(case: &Case, trace: &Trace, window: i64) -> Option<i32> {
    let mut behavior = Behavior::of_defaults();
    behavior.scale_down.as_mut()?.stabilization_window_seconds = i32::try_from(window).ok();
    case.under(trace, |spec| spec.behavior = Some(behavior))
}

/// A ratio below 1 times more pods than the target has.
fn more_pods_counted(trace: &Trace) -> Option<Finding> {
    let (recommended, current) = (trace.recommended()?, trace.size()?);
    let winner = trace.winner()?;
    let selected = winner.groups?.selected;
    let measured = winner.deciding()?;
    if recommended <= current || measured.ratio >= 1.0 || measured.within_tolerance {
        return None;
    }
    let name = metric_name(winner);
    let message = format!(
        "{name} is below its target but asks for {recommended}, not {current}, because the selector \
         matches {selected} pods"
    );
    let formula = winner.proposed()?.formula.clone();
    Some(Finding::new(Code::UpBelowTarget, message).fact(name, formula))
}

/// How far a rescale's event and its time in the status may be apart.
const SAME_MOMENT: SignedDuration = SignedDuration::from_secs(2);

/// The last rescale raised the size, by its own words without a metric that
/// asked for it.
fn raised_last(case: &Case, trace: &Trace) -> Option<Finding> {
    let reported = &trace.reported;
    let (from, to) = (reported.current_replicas, reported.desired_replicas);
    let able = reported.condition(ConditionKind::AbleToScale);
    let is_last = able.is_some_and(|it| it.reason == ConditionReason::SucceededRescale);
    let last_rescale = reported_rescales(case.snapshot).pop()?;
    // The client drops events, and the status knows of the last rescale.
    let scaled = case.hpa().status.last_scale_time?;
    let is_last_rescale = last_rescale.last.duration_since(scaled).abs() <= SAME_MOMENT;
    let is_it = is_last_rescale
        && last_rescale.size == to
        && last_rescale.reason == RescaleReason::BelowTarget;
    if from >= to || !is_last || !is_it {
        return None;
    }
    let message = format!(
        "the size went up from {from} to {to} {} ago by an older recommendation; no metric asked for it",
        apart(trace, last_rescale.last)
    );
    let why = RescaleReason::BelowTarget.to_string();
    Some(Finding::new(Code::UpBelowTarget, message).fact("the event said", why))
}
