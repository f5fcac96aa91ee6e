//! Two passes on the same inputs, held against each other; and the rules of
//! `spec.behavior` that are in effect in each, with their origin.

use std::collections::{BTreeMap, BTreeSet};

use crate::api::{Behavior, Direction, HpaSpec, OneOf, ScalingRules};
use crate::controller::Settings;
use crate::document::manifest::changes;
use crate::findings::of_spec;
use crate::trace::{
    BehaviorChange, BehaviorValue, Code, CodeKind, Decided, Decisions, Difference, Finding,
    FirstDivergence, Forecast, ForecastChange, MetricChange, MetricRecord, Origin, PassStep,
    Proposal, Range, Rule, Stage, Trace, ValueOrigin, Word, seconds_text,
};
use crate::what_if::steps::{is_same, of_metric, of_pods, steps};

/// What differs between the pass under the spec that there is and the one
/// under another.
pub(super) fn difference(
    (before, now, behavior_now): (&HpaSpec, &Trace, &[BehaviorValue]),
    (after, instead, behavior_instead): (&HpaSpec, &Trace, &[BehaviorValue]),
) -> Difference {
    Difference {
        spec: changes(before, after),
        decision: decisions(now, instead),
        first_divergence: first_divergence(now, instead),
        metrics: metrics(now, instead),
        behavior: behavior(behavior_now, behavior_instead),
        forecast_change: forecast_change(now, instead),
        gained: only_in(instead, now),
        lost: resolved(now, instead),
    }
}

/// The findings that the other pass no longer has. One that stops before its
/// metrics looks at none of what is found in them, and the next one will.
fn resolved(now: &Trace, instead: &Trace) -> Vec<Finding> {
    let mut lost = only_in(now, instead);
    lost.retain(|it| !it.code.is(CodeKind::OfChanges));
    if matches!(instead.verdict.word, Word::OutOfRange | Word::Paused) {
        lost.retain(|it| it.code.is(CodeKind::OfSpec));
    }
    lost
}

fn decisions(now: &Trace, instead: &Trace) -> Option<Decisions> {
    let (now, instead) = (Decided::of(now), Decided::of(instead));
    (now != instead).then_some(Decisions { now, instead })
}

/// The metrics by their names: in another spec they can stand elsewhere.
fn metrics(now: &Trace, instead: &Trace) -> Vec<MetricChange> {
    let (now, instead) = (named(now), named(instead));
    let by_name = |all: &[(String, Proposal)]| all.iter().cloned().collect::<BTreeMap<_, _>>();
    let (of_now, of_instead) = (by_name(&now), by_name(&instead));
    let new = instead.iter().filter(|it| !of_now.contains_key(&it.0));
    let changes = now.iter().chain(new).map(|(name, _)| MetricChange {
        metric: name.clone(),
        now: of_now.get(name).copied(),
        instead: of_instead.get(name).copied(),
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
        format!("metric {} of type {:?}", metric.index, metric.kind.as_str())
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

fn behavior(now: &[BehaviorValue], instead: &[BehaviorValue]) -> Vec<BehaviorChange> {
    let pairs = now.iter().zip(instead);
    let changed = pairs.filter(|(now, instead)| now != instead);
    let changed = changed.map(|(now, instead)| (now.clone(), instead.clone()));
    let changed = changed.map(|(now, instead)| BehaviorChange { now, instead });
    changed.collect()
}

fn forecast_change(now: &Trace, instead: &Trace) -> Option<ForecastChange> {
    let of = |trace: &Trace| {
        let prospects = trace.prospects.clone().unwrap_or_default();
        let metrics = trace.metrics.iter();
        let fallbacks = metrics.filter_map(|it| it.fallback.as_deref().cloned());
        Forecast {
            break_points: prospects.break_points,
            outlook: trace.outlook.clone(),
            settling: prospects.settling,
            attempts: prospects.attempts,
            fallbacks: fallbacks.collect(),
        }
    };
    let (now, instead) = (of(now), of(instead));
    (now != instead).then_some(ForecastChange { now, instead })
}

/// The findings that the other pass has none of the same code for.
fn only_in(one: &Trace, other: &Trace) -> Vec<Finding> {
    let known: BTreeSet<Code> = other.findings.iter().map(|it| it.code).collect();
    let is_new = |finding: &&Finding| !known.contains(&finding.code);
    one.findings.iter().filter(is_new).cloned().collect()
}

/// Adds what the spec alone tells, with the codes that `lint` has for it. What
/// the pass tells of the same code has its numbers, and stands for both.
pub(super) fn with_spec(trace: &Trace, spec: &HpaSpec, settings: &Settings) -> Vec<Finding> {
    let is_new = |it: &Finding| trace.findings.iter().all(|known| known.code != it.code);
    let of_spec = of_spec(spec, settings).into_iter().filter(is_new);
    trace.findings.iter().cloned().chain(of_spec).collect()
}

/// The first stage that leaves something else, behind those after which all is
/// the same again; where none does, the first that comes to the same by
/// another rule. Metrics are held against each other by what they measure.
pub(super) fn first_divergence(now: &Trace, instead: &Trace) -> Option<FirstDivergence> {
    let pairs = pairs(now, instead);
    let recommended = [recommended(now), recommended(instead)];
    let leads = |pair: &&Pair| pair.differs() && pair.leads(recommended);
    let differs = |it: &&Pair| it.differs() && it.now.is_some() && it.instead.is_some();
    let first = since_last_equal(&pairs, now, instead).iter().find(leads);
    let first = first.or_else(|| pairs.iter().find(leads));
    let counted = first.or_else(|| pairs.iter().find(differs));
    let pair = counted.or_else(|| pairs.iter().find(|pair| pair.goes_another_way()))?;
    Some(FirstDivergence {
        same_counts: counted.is_none() && Decided::of(now) == Decided::of(instead),
        now: pair.now.clone(),
        instead: pair.instead.clone(),
    })
}

/// Where the decisions are others, the stages behind the last one that leaves
/// the same on both sides: what differed before has no part in it.
fn since_last_equal<'p>(pairs: &'p [Pair], now: &Trace, instead: &Trace) -> &'p [Pair] {
    if Decided::of(now) == Decided::of(instead) {
        return pairs;
    }
    let last = pairs.iter().rposition(Pair::meets);
    last.and_then(|last| pairs.get(last + 1..)).unwrap_or(pairs)
}

/// What the metrics come to together.
fn recommended(trace: &Trace) -> Option<i32> {
    trace.recommendation.as_ref()?.replicas
}

/// The same stage of both passes, or what is measured by both.
struct Pair {
    stage: Stage,
    now: Option<PassStep>,
    instead: Option<PassStep>,
}

impl Pair {
    fn differs(&self) -> bool {
        match self.stage {
            Stage::Pods => false,
            _ => self.now.as_ref().map(result) != self.instead.as_ref().map(result),
        }
    }

    /// Whether both passes come to this stage, and to one count there, from
    /// which alone they go on.
    fn meets(&self) -> bool {
        let is_count = matches!(
            self.stage,
            Stage::Recommendation | Stage::Stabilization | Stage::Limit
        );
        let mut sides = [&self.now, &self.instead].into_iter();
        let is_there = sides.all(|it| it.as_ref().is_some_and(|it| it.stage == self.stage));
        is_count && is_there && !self.differs()
    }

    /// Whether what differs here can be why later stages differ: of a metric,
    /// that it makes the recommendation of a side, or hinders it.
    fn leads(&self, recommended: [Option<i32>; 2]) -> bool {
        let decides = |step: &Option<PassStep>, recommended: Option<i32>| {
            let counts = step.as_ref().map(|step| step.replicas);
            counts.is_some_and(|count| count.is_none() || count == recommended.map(Range::of))
        };
        let [now, instead] = recommended;
        self.stage != Stage::Metric
            || now != instead && (decides(&self.now, now) || decides(&self.instead, instead))
    }

    fn goes_another_way(&self) -> bool {
        match (&self.now, &self.instead) {
            (Some(now), Some(instead)) => !is_same(now, instead),
            _ => self.stage != Stage::Pods,
        }
    }
}

/// What a step leaves to those after it: a count, or the way that is taken.
fn result(step: &PassStep) -> (Option<Rule>, Option<Range>) {
    let is_way = matches!(step.stage, Stage::Scale | Stage::Branch | Stage::Selector);
    (is_way.then_some(step.rule), step.replicas)
}

/// A step, and of one of a metric what tells it from the others.
struct NamedStep {
    measured: Option<String>,
    step: PassStep,
}

/// The stage, and what a metric's measures.
type Key<'s> = (Stage, Option<&'s str>);

impl NamedStep {
    fn key(&self) -> Key<'_> {
        (self.step.stage, self.measured.as_deref())
    }
}

/// The first step of each key.
fn by_key(steps: &[NamedStep]) -> BTreeMap<Key<'_>, &NamedStep> {
    let last_first = steps.iter().rev();
    last_first.map(|step| (step.key(), step)).collect()
}

fn pairs(now: &Trace, instead: &Trace) -> Vec<Pair> {
    let (now, instead) = (all(now), all(instead));
    let (of_now, of_instead) = (by_key(&now), by_key(&instead));
    let is_new = |step: &&NamedStep| !of_now.contains_key(&step.key());
    let new = instead.iter().filter(is_new);
    let mut keys: Vec<&NamedStep> = now.iter().chain(new).collect();
    keys.sort_by_key(|key| key.step.stage);
    let of = |known: &BTreeMap<Key, &NamedStep>, side: &[NamedStep], key: &NamedStep| {
        let own = known.get(&key.key());
        let own = own.map_or_else(|| following(side, key), |own| Some(*own));
        own.map(|it| it.step.clone())
    };
    let pairs = keys.into_iter().map(|key| Pair {
        stage: key.step.stage,
        now: of(&of_now, &now, key),
        instead: of(&of_instead, &instead, key),
    });
    pairs.collect()
}

/// What a pass does in place of a stage that it leaves out; a metric has no
/// such thing.
fn following<'a>(side: &'a [NamedStep], key: &NamedStep) -> Option<&'a NamedStep> {
    let is_later = |step: &&NamedStep| step.measured.is_none() && step.step.stage > key.step.stage;
    if key.measured.is_some() {
        return None;
    }
    side.iter().find(is_later)
}

/// The steps of a pass, those of its metrics by what these measure.
fn all(trace: &Trace) -> Vec<NamedStep> {
    let whole = steps(trace).into_iter().filter(|it| it.metric.is_none());
    let mut all: Vec<NamedStep> = whole
        .map(|step| NamedStep {
            measured: None,
            step,
        })
        .collect();
    for (metric, (name, _)) in trace.metrics.iter().zip(named(trace)) {
        let own = [of_metric(metric), Some(of_pods(metric))];
        all.extend(own.into_iter().flatten().map(|step| NamedStep {
            measured: Some(name.clone()),
            step,
        }));
    }
    all
}

const WINDOW: &str = "stabilizationWindowSeconds";
const SELECT: &str = "selectPolicy";
const POLICIES: &str = "policies";
const TOLERANCE: &str = "tolerance";

const WINDOW_FLAG: &str = "--horizontal-pod-autoscaler-downscale-stabilization";
const TOLERANCE_FLAG: &str = "--horizontal-pod-autoscaler-tolerance";

/// The rules that are in effect under a spec, as the API server stores it:
/// window, selection, policies and tolerance, upwards and then downwards. The
/// list has the same fields for every spec.
pub fn effective(spec: &HpaSpec, settings: &Settings) -> Vec<BehaviorValue> {
    let Some(behavior) = &spec.behavior else {
        return without_behavior(settings);
    };
    let defaults = Behavior::of_defaults();
    let mut values = Vec::new();
    for side in [Direction::Up, Direction::Down] {
        let rules = |behavior: &Behavior| behavior.rules(side).cloned().unwrap_or_default();
        values.extend(of_side(side, &rules(behavior), &rules(&defaults), settings));
    }
    values
}

fn of_side(
    side: Direction,
    rules: &ScalingRules,
    defaults: &ScalingRules,
    settings: &Settings,
) -> [BehaviorValue; 4] {
    let origin = |is_default: bool| {
        if is_default {
            ValueOrigin::ApiDefault
        } else {
            ValueOrigin::Spec
        }
    };
    let own = rules.stabilization_window_seconds;
    let window = own.map_or_else(
        || window_of_the_flag(side, settings),
        |seconds| {
            let origin = origin(own == defaults.stabilization_window_seconds);
            value(side, WINDOW, seconds_text(i64::from(seconds)), origin)
        },
    );
    let select = rules.select_policy.as_ref().map_or("Max", OneOf::as_str);
    let is_default = rules.select_policy == defaults.select_policy;
    let select = value(side, SELECT, select, origin(is_default));
    let is_default = rules.policies == defaults.policies;
    let policies = value(side, POLICIES, rules.policies_text(), origin(is_default));
    let own = rules.tolerance.as_ref();
    let own = own.filter(|_| settings.gates.configurable_tolerance);
    let tolerance = own.map_or_else(
        || tolerance_of_the_flag(side, settings),
        |tolerance| {
            let tolerance = tolerance.as_approximate_float().to_string();
            value(side, TOLERANCE, tolerance, ValueOrigin::Spec)
        },
    );
    [window, select, policies, tolerance]
}

fn value(
    side: Direction,
    field: &str,
    value: impl Into<String>,
    origin: ValueOrigin,
) -> BehaviorValue {
    BehaviorValue {
        field: format!("{side}.{field}"),
        value: value.into(),
        origin,
    }
}

/// The older algorithm: no window upwards, doubling, nothing that slows the
/// way down.
fn without_behavior(settings: &Settings) -> Vec<BehaviorValue> {
    let (up, down) = (Direction::Up, Direction::Down);
    let fixed = |side, field, text| value(side, field, text, ValueOrigin::WithoutBehavior);
    vec![
        fixed(up, WINDOW, "0s"),
        fixed(up, SELECT, "Max"),
        fixed(up, POLICIES, "twice the size or 4, whichever is larger"),
        tolerance_of_the_flag(up, settings),
        window_of_the_flag(down, settings),
        fixed(down, SELECT, "Max"),
        fixed(down, POLICIES, "no limit"),
        tolerance_of_the_flag(down, settings),
    ]
}

fn window_of_the_flag(side: Direction, settings: &Settings) -> BehaviorValue {
    let seconds = seconds_text(settings.downscale_stabilization_seconds());
    value(side, WINDOW, seconds, of_flag(settings, WINDOW_FLAG))
}

fn tolerance_of_the_flag(side: Direction, settings: &Settings) -> BehaviorValue {
    let tolerance = settings.tolerance.to_string();
    let origin = of_flag(settings, TOLERANCE_FLAG);
    value(side, TOLERANCE, tolerance, origin)
}

fn of_flag(settings: &Settings, name: &str) -> ValueOrigin {
    let mut records = settings.basis().settings.iter();
    let record = records.find(|record| record.name == name);
    ValueOrigin::flag(record.map_or(Origin::Assumed, |record| record.origin))
}
