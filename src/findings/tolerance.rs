//! Metrics that are off their targets and keep the size all the same.

use super::Case;
use super::words::{alone, below_or_above, break_points, first_with, metric_name, origin_text};
use crate::controller::Switch;
use crate::trace::{
    BreakPoint, Code, Direction, Finding, Measured, MetricRecord, ReadyPods, Rule, Trace, amount,
};

/// The metric that decides is off its target by no more than is tolerated.
pub(super) fn within(case: &Case, trace: &Trace) -> Option<Finding> {
    let (metric, rule) = keeping(trace)?;
    let is_tolerated = rule.is_tolerated() && metric.filled_in.is_none();
    let measured = metric.measured.as_ref().filter(|_| is_tolerated)?;
    // Neither a ratio of just 1 nor one of nothing is off its target.
    if measured.ratio.is_nan() || (measured.ratio - 1.0).abs() < f64::EPSILON {
        return None;
    }
    let message = format!(
        "{} is at {}, target {}: ratio {} is inside the tolerance {}",
        metric_name(metric),
        amount::now(metric, measured),
        amount::target(metric),
        amount::ratio(measured),
        amount::tolerated(measured)
    );
    let side = below_or_above(measured.ratio);
    Some(
        Finding::new(Code::WithinTolerance, message)
            .facts(origins(case, trace, side))
            .facts(edges(trace, metric)),
    )
}

/// The metric that decides asks for less, but a part of a pod counts as a
/// whole one.
pub(super) fn rounded_up(_case: &Case, trace: &Trace) -> Option<Finding> {
    let (metric, rule) = keeping(trace)?;
    let measured = metric.deciding();
    let measured = measured.filter(|it| it.ratio < 1.0 && !it.within_tolerance)?;
    if !has_fraction(metric, measured, rule) {
        return None;
    }
    let proposed = metric.proposed()?;
    let name = metric_name(metric);
    let message = format!(
        "{name} asks for {}: a fraction of a pod counts as a whole pod",
        proposed.formula
    );
    Some(Finding::new(Code::RoundedUp, message).facts(edges(trace, metric)))
}

/// The metric that decides, where it asks for just the current size, and the
/// rule by which it does.
fn keeping(trace: &Trace) -> Option<(&MetricRecord, Rule)> {
    let metric = trace.winner()?;
    let is_kept = trace.recommended()? == trace.size()?;
    Some((metric, metric.proposed().filter(|_| is_kept)?.rule))
}

/// Whether what was rounded up was no whole number.
fn has_fraction(metric: &MetricRecord, measured: &Measured, rule: Rule) -> bool {
    let filled = metric.filled_in.as_ref();
    let filled = filled.map_or(0, |filled| {
        let fills = [filled.missing, filled.unready].into_iter().flatten();
        fills.map(|fill| fill.pods).sum()
    });
    let groups = metric.groups.unwrap_or_default();
    let multiplier = match (rule, metric.ready_pods) {
        (Rule::ReplicasByReadyPods, _) => groups.ready,
        (Rule::ReplicasFilledIn, _) => groups.ready + filled,
        (Rule::ValueByReadyPods, Some(ReadyPods { ready, .. })) => ready,
        (Rule::AverageOfTotal, _) => {
            let target = metric.target.map_or(0, |target| target.value);
            let rest = measured.total.checked_rem(target);
            return rest.is_some_and(|rest| rest != 0);
        }
        _ => return false,
    };
    #[expect(clippy::cast_precision_loss, reason = "nobody has 2^52 pods")]
    let product = measured.ratio * multiplier as f64;
    product.fract() != 0.0
}

/// The tolerance and the window of the direction that is held, with where
/// they come from.
fn origins(case: &Case, trace: &Trace, side: Direction) -> Vec<(String, String)> {
    let behavior = case.hpa().spec.behavior.as_ref();
    let rules = behavior.and_then(|behavior| behavior.rules(side));
    let own = rules.and_then(|rules| rules.tolerance.as_ref());
    let is_used = case.settings.gates.configurable_tolerance;
    let mut origins = Vec::new();
    if let Some(own) = own {
        let says = match (is_used, trace.basis.setting("HPAConfigurableTolerance")) {
            (true, _) => own.to_string(),
            (false, Some(_)) => {
                format!("{own} is ignored: the feature gate HPAConfigurableTolerance is off")
            }
            (false, None) => {
                let first = first_with(Switch::ConfigurableTolerance);
                format!("{own} is ignored before {first}")
            }
        };
        origins.push((format!("spec.behavior.{side}.tolerance"), says));
    }
    let flag = "--horizontal-pod-autoscaler-tolerance";
    let setting = trace.basis.setting(flag);
    if let Some(setting) = setting.filter(|_| own.is_none() || !is_used) {
        let origin = origin_text(setting.origin);
        origins.push((flag.to_owned(), format!("{} ({origin})", setting.value)));
    }
    let window = rules.and_then(|rules| rules.stabilization_window_seconds);
    if window.is_some_and(|window| window > 0) {
        origins.push((
            format!("spec.behavior.{side}.stabilizationWindowSeconds"),
            "makes no difference here: nothing changes that it could delay".to_owned(),
        ));
    }
    origins
}

/// From where on the metric alone would ask for another size, where somebody
/// looked.
fn edges(trace: &Trace, metric: &MetricRecord) -> Vec<(String, String)> {
    let Some(points) = break_points(trace, metric) else {
        return Vec::new();
    };
    let edge = |more_or_less: &str, point: BreakPoint| {
        let value = if metric.is_utilization() {
            format!("{}%", point.value)
        } else {
            amount::exact_amount(metric, point.value)
        };
        (
            format!("at {value} or {more_or_less}"),
            format!("asks for {}", alone(trace, metric, point.replicas)),
        )
    };
    let up = points.up.map(|point| edge("more", point));
    let down = points.down.map(|point| edge("less", point));
    up.into_iter().chain(down).collect()
}
