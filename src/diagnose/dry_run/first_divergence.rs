//! The stage at which two passes under different specs part. Metrics are held
//! against each other by what they measure, all else stage by stage, and what
//! a stage leaves counts more than how it came to it.

use crate::diagnose::steps::{is_same, of_metric, of_pods, steps};
use crate::trace::{Decided, FirstDivergence, PassStep, Range, Rule, Stage, Trace};

use super::difference::named;

/// The first stage that leaves something else, behind those after which all is
/// the same again; where none does, the first that comes to the same by
/// another rule.
pub(super) fn first_divergence(now: &Trace, instead: &Trace) -> Option<FirstDivergence> {
    let pairs = pairs(now, instead);
    let asked = [asked(now), asked(instead)];
    let leads = |pair: &&Pair| pair.differs() && pair.leads(asked);
    let differs = |pair: &&Pair| pair.differs() && !pair.is_of_one_side();
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
fn asked(trace: &Trace) -> Option<i32> {
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
    fn leads(&self, asked: [Option<i32>; 2]) -> bool {
        let decides = |step: &Option<PassStep>, asked: Option<i32>| {
            let counts = step.as_ref().map(|step| step.replicas);
            counts.is_some_and(|count| count.is_none() || count == asked.map(Range::of))
        };
        let [now, instead] = asked;
        self.stage != Stage::Metric
            || now != instead && (decides(&self.now, now) || decides(&self.instead, instead))
    }

    fn is_of_one_side(&self) -> bool {
        self.now.is_none() || self.instead.is_none()
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

fn pairs(now: &Trace, instead: &Trace) -> Vec<Pair> {
    let (now, instead) = (all(now), all(instead));
    let is_of = |step: &NamedStep, other: &NamedStep| {
        (step.step.stage, &step.measured) == (other.step.stage, &other.measured)
    };
    let new = instead
        .iter()
        .filter(|step| !now.iter().any(|own| is_of(own, step)));
    let mut keys: Vec<&NamedStep> = now.iter().chain(new).collect();
    keys.sort_by_key(|key| key.step.stage);
    let of = |side: &[NamedStep], key: &NamedStep| {
        let own = side.iter().find(|step| is_of(step, key));
        let own = own.or_else(|| following(side, key));
        own.map(|it| it.step.clone())
    };
    let pairs = keys.into_iter().map(|key| Pair {
        stage: key.step.stage,
        now: of(&now, key),
        instead: of(&instead, key),
    });
    pairs.collect()
}

/// What a pass does in place of a stage that it leaves out; a metric has no
/// such thing.
fn following<'a>(side: &'a [NamedStep], key: &NamedStep) -> Option<&'a NamedStep> {
    let is_later = |step: &&NamedStep| step.measured.is_none() && step.step.stage > key.step.stage;
    side.iter()
        .filter(|_| key.measured.is_none())
        .find(is_later)
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
