//! Two passes on the same inputs, held against each other.

use std::collections::BTreeMap;

use crate::api::HpaSpec;
use crate::manifest;
use crate::trace::{
    BehaviorChange, Decided, Decisions, Difference, FieldChange, Finding, Forecast, ForecastChange,
    MetricChange, MetricRecord, Proposal, Side, Trace,
};

use super::first_divergence::first_divergence;

/// What differs between the pass under the spec that there is and the one
/// under another.
pub(super) fn difference(
    (before, after): (&HpaSpec, &HpaSpec),
    now: &Side,
    instead: &Side,
) -> Difference {
    Difference {
        spec: spec(before, after),
        decision: decisions(&now.trace, &instead.trace),
        parting: first_divergence(&now.trace, &instead.trace),
        metrics: metrics(&now.trace, &instead.trace),
        behavior: behavior(now, instead),
        ahead: ahead(&now.trace, &instead.trace),
        gained: only_in(&instead.trace, &now.trace),
        lost: only_in(&now.trace, &instead.trace),
    }
}

fn spec(before: &HpaSpec, after: &HpaSpec) -> Vec<FieldChange> {
    let changes = manifest::changes(before, after).into_iter();
    changes
        .map(|change| FieldChange {
            field: change.field,
            metric: change.metric,
            from: change.from,
            to: change.to,
        })
        .collect()
}

fn decisions(now: &Trace, instead: &Trace) -> Option<Decisions> {
    let (now, instead) = (Decided::of(now), Decided::of(instead));
    (now != instead).then_some(Decisions { now, instead })
}

/// The metrics by their names: in another spec they can stand elsewhere.
fn metrics(now: &Trace, instead: &Trace) -> Vec<MetricChange> {
    let (now, instead) = (named(now), named(instead));
    let proposal = |all: &[(String, Proposal)], name: &str| {
        let mut all = all.iter();
        all.find(|(own, _)| own == name)
            .map(|(_, proposal)| *proposal)
    };
    let mut names: Vec<&String> = now.iter().map(|(name, _)| name).collect();
    let new = instead.iter().map(|(name, _)| name);
    names.extend(new.filter(|name| proposal(&now, name).is_none()));
    let changes = names.into_iter().map(|name| MetricChange {
        metric: name.clone(),
        now: proposal(&now, name),
        instead: proposal(&instead, name),
    });
    changes.filter(|it| it.now != it.instead).collect()
}

/// The metrics with what they ask for; of several with the same name, the
/// later ones are counted.
pub(super) fn named(trace: &Trace) -> Vec<(String, Proposal)> {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    let metrics = trace.metrics.iter().map(|metric| {
        let own = name(metric);
        let count = counts.entry(own.clone()).or_default();
        *count += 1;
        let name = match count {
            1 => own,
            count => format!("{own} ({count})"),
        };
        let replicas = metric.asks_for();
        (name, Proposal { replicas })
    });
    metrics.collect()
}

/// `cpu`, `cpu of container app`, `requests of Ingress/web`.
fn name(metric: &MetricRecord) -> String {
    let source = &metric.source;
    let mut name = if source.name.is_empty() {
        format!("metric {} of type {:?}", metric.index, metric.kind)
    } else {
        source.name.clone()
    };
    if let Some(container) = &source.container {
        name = format!("{name} of container {container}");
    }
    if let Some(object) = &source.object {
        name = format!("{name} of {object}");
    }
    if let Some(selector) = &source.selector {
        name = format!("{name} where {selector}");
    }
    name
}

fn behavior(now: &Side, instead: &Side) -> Vec<BehaviorChange> {
    let pairs = now.behavior.iter().zip(&instead.behavior);
    let changed = pairs.filter(|(now, instead)| now != instead);
    changed
        .map(|(now, instead)| BehaviorChange {
            now: now.clone(),
            instead: instead.clone(),
        })
        .collect()
}

fn ahead(now: &Trace, instead: &Trace) -> Option<ForecastChange> {
    let of = |trace: &Trace| {
        let prospects = trace.prospects.clone().unwrap_or_default();
        Forecast {
            break_points: prospects.break_points,
            outlook: trace.outlook.clone(),
            settling: prospects.settling,
            attempts: prospects.attempts,
            fallbacks: trace
                .metrics
                .iter()
                .filter_map(|metric| metric.fallback.clone())
                .collect(),
        }
    };
    let (now, instead) = (of(now), of(instead));
    (now != instead).then_some(ForecastChange { now, instead })
}

/// The findings that the other pass has none of the same code for.
fn only_in(one: &Trace, other: &Trace) -> Vec<Finding> {
    let is_new = |finding: &&Finding| other.findings.iter().all(|it| it.code != finding.code);
    one.findings.iter().filter(is_new).cloned().collect()
}
