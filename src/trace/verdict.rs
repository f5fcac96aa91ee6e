//! The answer of a pass, decided once.
//!
//! Every output projects it: the text in words, the list in a column, JSON
//! as it is.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

use super::last_pass::since;
use super::{
    CodeKind, Direction, Finding, Hold, LimitRecord, MetricRecord, PolicyRecord, Role, Rule,
    ScaleRecord, SelectorRecord, Severity, Trace,
};
use crate::api::{ConditionKind, ConditionReason};

/// What a pass does, or why it does nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Verdict {
    /// The answer in a word.
    pub word: Word,
    /// What stands behind the word, where it does not say all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub because: Option<Because>,
    /// What keeps the size from being what the metrics ask for; absent where
    /// nothing does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hold: Option<Hold>,
    /// Which way the size goes; where it stays, which way the metrics ask it
    /// to go. Absent where neither is known, or nothing asks for a change.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub direction: Option<Direction>,
    /// The name of the metric with the largest proposal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metric: Option<String>,
    /// The recommendation: the largest proposal, before stabilization.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recommendation: Option<i32>,
    /// Since when that holds, or where nothing holds it, since when the size is
    /// what it is; absent where nothing tells.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<Timestamp>,
    /// How much the worst does that is wrong: what was found, and what the
    /// hold means by itself; only that where findings are not looked for, as for the
    /// passes of `watch` and each of all releases. An exit code and a color follow from it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub severity: Option<Severity>,
    /// Whether nobody who looks for what is wrong has to look on.
    #[serde(skip)]
    pub is_calm: bool,
    /// The place in `findings`, counted from 0, of the one that is the reason of
    /// what the pass does, or else of numbers of pods that disagree. Absent where the
    /// answer by itself says that reason, and where findings are not looked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lead: Option<usize>,
}

/// The answer in a word.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Word {
    /// The pass raises the size.
    ScalingUp,
    /// The pass lowers the size.
    ScalingDown,
    /// The metrics ask for the size that there is.
    Steady,
    /// The same, and something is to be looked at all the same.
    Unchanged,
    /// Another size is asked for, and a window or a policy keeps this one; or
    /// pods do that will count with time.
    Held,
    /// Pods that give no number keep the size.
    Stuck,
    /// More is asked for than `maxReplicas` allows.
    AtMax,
    /// Less is asked for than `minReplicas` allows.
    AtMin,
    /// The size is outside the bounds, and is set to the nearer one.
    OutOfRange,
    /// The target is at 0, where the HPA does nothing.
    Paused,
    /// The controller cannot do its work.
    Failing,
    /// Not everything can be read, and the size is certain all the same.
    Decided,
    /// What cannot be read decides.
    #[default]
    Unknown,
}

/// How good an answer is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Grade {
    /// All is well.
    Good,
    /// Nobody can tell, or it is neither good nor worth a warning.
    Open,
    /// Worth a look.
    Warning,
    /// Something fails.
    Error,
}

/// What stands behind the word of a verdict.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(
    tag = "kind",
    rename_all = "kebab-case",
    rename_all_fields = "camelCase"
)]
pub enum Because {
    /// It is the last pass that found this; the present one cannot be known.
    LastPass {
        /// `maxReplicas`, where the last pass stopped there.
        #[serde(skip_serializing_if = "Option::is_none")]
        at_max: Option<i32>,
    },
    /// Several HPAs select the same pods.
    SharedPods,
    /// The target's scale has no selector.
    NoSelector,
    /// The selector does not parse.
    InvalidSelector,
    /// A failed metric forbids the change downwards that the others ask for.
    FailedMetric,
    /// Pods without a number that counts dampen what the others ask for.
    PodsWithoutNumbers {
        /// How many they are.
        pods: usize,
        /// How many pods the selector matches.
        of: usize,
        /// Whether time alone makes all of them count.
        will_count: bool,
    },
    /// `maxReplicas` allows fewer than are asked for.
    MaxReplicas {
        /// How many fewer.
        short: i64,
    },
    /// `minReplicas` is more than is asked for, which is nothing wrong.
    MinReplicas,
    /// A stabilization window keeps the size.
    Window {
        /// What it lets through; absent where it is the last pass that tells.
        #[serde(flatten)]
        lets: Option<WindowHold>,
    },
    /// A policy, or without `behavior` the doubling, keeps the size.
    Policy {
        /// What it lets through.
        #[serde(flatten)]
        lets: LimitHold,
    },
    /// `selectPolicy: Disabled` keeps the size.
    Disabled,
    /// An HPA that scaled to zero itself raises the size from there.
    FromZero,
    /// Without `behavior`, an older recommendation raises the size.
    OlderRecommendation,
    /// Inside its tolerance an average of a total keeps the size that the
    /// target's status shows, not the one of its spec.
    StatusReplicas {
        /// The size of the target's status.
        running: i32,
        /// The size of its spec.
        spec: i32,
    },
    /// The change is limited on its way to the recommendation.
    Limited {
        /// By what.
        by: Hold,
        /// What that lets through.
        #[serde(flatten)]
        lets: LimitHold,
        /// The window that let only a part of it through before.
        #[serde(skip_serializing_if = "Option::is_none")]
        window: Option<WindowHold>,
    },
    /// A stabilization window lets only a part of the change through.
    WindowOnTheWay {
        /// What it lets through.
        #[serde(flatten)]
        lets: WindowHold,
    },
    /// A metric cannot be read, and whatever it is, the size is the same.
    WhateverIsUnread,
    /// The controller's memory decides, and is not wholly known.
    Memory {
        /// What else can happen, the likelier first.
        or: Vec<Alternative>,
        /// The moment before which the size cannot go the way that the
        /// metrics ask.
        #[serde(skip_serializing_if = "Option::is_none")]
        earliest: Option<Timestamp>,
        /// The moment by which it goes there, if they go on asking.
        #[serde(skip_serializing_if = "Option::is_none")]
        latest: Option<Timestamp>,
    },
}

/// What a stabilization window makes of the recommendation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WindowHold {
    /// The size that it lets through, before policies and bounds.
    pub allows: i32,
    /// The lowest (up) or highest (down) recommendation that counts; absent where
    /// those that the controller remembers are not all known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<i32>,
    /// The length of the window.
    pub window_seconds: i64,
    /// From when on it lets more through, if the recommendation stays; absent where
    /// that is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires: Option<Timestamp>,
}

/// What a limit of the change or of the size makes of the stabilized count.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct LimitHold {
    /// The size that it lets through.
    pub allows: i32,
    /// The policy that was selected, where policies limit it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub policy: Option<Box<PolicyRecord>>,
}

/// What a pass can do to the size.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Alternative {
    /// Raise it.
    Up,
    /// Leave it.
    Held,
    /// Lower it.
    Down,
}

impl From<Option<Direction>> for Alternative {
    fn from(way: Option<Direction>) -> Self {
        match way {
            Some(Direction::Up) => Self::Up,
            Some(Direction::Down) => Self::Down,
            None => Self::Held,
        }
    }
}

impl Word {
    fn scaling(direction: Direction) -> Self {
        match direction {
            Direction::Up => Self::ScalingUp,
            Direction::Down => Self::ScalingDown,
        }
    }
}

/// A word, what stands behind it, and what holds the size.
type Answer = (Word, Option<Because>, Option<Hold>);

impl Verdict {
    /// The answer of a pass that is over.
    pub fn of(trace: &Trace) -> Self {
        let (word, because, hold) = answer(trace);
        let current = trace.outcome.current_replicas;
        let recommendation = trace.recommended();
        let goes = trace.outcome.desired_replicas;
        // A pass that fails leaves the size, and in the status what was desired before.
        let goes = goes.filter(|to| *to != current && hold != Some(Hold::Failure));
        let towards = goes.or(recommendation);
        Self {
            word,
            because,
            hold,
            direction: towards.and_then(|to| Direction::between(current, to)),
            metric: trace.winner().map(|metric| metric.source.name.clone()),
            recommendation,
            ..Self::default()
        }
        .weighed(trace, false)
    }

    /// The answer of the last pass, as far as the conditions of the status
    /// tell it.
    pub fn of_last_pass(trace: &Trace) -> Self {
        let (reported, current) = (&trace.reported, trace.outcome.current_replicas);
        let hold = reported.hold();
        let direction = Direction::between(current, reported.desired_replicas);
        let direction = direction.filter(|_| hold != Some(Hold::Failure));
        let (word, because) = match (hold, direction) {
            (Some(Hold::Paused), _) => (Word::Paused, None),
            (Some(Hold::Failure), _) => (Word::Failing, None),
            (_, Some(direction)) => (Word::scaling(direction), None),
            (Some(Hold::MaxReplicas), _) => (Word::AtMax, None),
            (Some(Hold::MinReplicas), _) => (Word::AtMin, None),
            (Some(Hold::ScaleUpWindow | Hold::ScaleDownWindow), _) => {
                (Word::Held, Some(Because::Window { lets: None }))
            }
            _ => (Word::Steady, None),
        };
        Self {
            word,
            because,
            hold,
            direction,
            ..Self::default()
        }
        .weighed(trace, true)
    }

    /// The same with what was found.
    pub(super) fn weighed(self, trace: &Trace, is_last: bool) -> Self {
        let severity = trace.worst().max(self.severity_of_hold(is_last));
        let disagrees = |it: &Finding| it.code.is(CodeKind::Disagrees);
        let has_oddity = !trace.waiting.is_empty() || trace.findings.iter().any(disagrees);
        let is_calm = severity <= Some(Severity::Info) && !has_oddity && !trace.has_set_aside();
        Self {
            word: match self.word {
                Word::Steady if !is_calm => Word::Unchanged,
                word => word,
            },
            severity,
            is_calm,
            lead: self.lead_of(&trace.findings),
            since: since(trace, self.hold, is_last),
            ..self
        }
    }

    /// What a hold is worth by itself: a failure is an error whatever is found.
    /// Of the last pass nothing more can be had than what its conditions show.
    fn severity_of_hold(&self, is_last: bool) -> Option<Severity> {
        match self.hold? {
            Hold::Failure => Some(Severity::Error),
            Hold::MaxReplicas | Hold::Paused if is_last => Some(Severity::Warning),
            _ => None,
        }
    }

    fn lead_of(&self, findings: &[Finding]) -> Option<usize> {
        // The pass itself is named after its pods.
        if let Some(
            Because::PodsWithoutNumbers { .. }
            | Because::SharedPods
            | Because::StatusReplicas { .. },
        ) = self.because
        {
            return None;
        }
        let is_steady = self.word == Word::Steady;
        let is_failing = self.word == Word::Failing;
        findings.iter().position(|it| {
            let leads = it.severity > Severity::Info && it.code.is(CodeKind::Leads);
            // Numbers of pods that disagree need their reason first even where
            // they change nothing.
            let disagrees = is_steady && it.code.is(CodeKind::Disagrees) && it.role != Role::Benign;
            // A failed metric that the others outvote is told behind what they
            // ask for.
            let is_outvoted = !is_failing && it.code.is(CodeKind::FailsMetrics);
            (leads || disagrees) && !is_outvoted
        })
    }

    /// Whether it is not even known which way the size goes.
    pub fn is_open(&self) -> bool {
        let is_one_of_several =
            matches!(&self.because, Some(Because::Memory { or, .. }) if !or.is_empty());
        is_one_of_several && !matches!(self.word, Word::Steady | Word::Unchanged)
    }

    /// How good it is, with what was found.
    pub fn grade(&self) -> Grade {
        let own = match (self.word, &self.because) {
            (Word::ScalingUp | Word::ScalingDown, Some(Because::Memory { .. }))
                if !self.is_open() =>
            {
                Grade::Good
            }
            (_, Some(Because::Memory { .. })) => Grade::Open,
            (_, Some(Because::OlderRecommendation)) => Grade::Warning,
            (Word::Failing, _) => Grade::Error,
            // What is good ends a search; this is not its end.
            (Word::Unchanged | Word::Held, _) if !self.is_calm => Grade::Open,
            (
                Word::ScalingUp
                | Word::ScalingDown
                | Word::Steady
                | Word::Held
                | Word::AtMin
                | Word::Decided,
                _,
            ) => Grade::Good,
            _ => Grade::Warning,
        };
        match self.severity {
            Some(Severity::Error) => Grade::Error,
            Some(Severity::Warning) => own.max(Grade::Warning),
            Some(Severity::Info) | None => own,
        }
    }
}

/// Each way that a pass can end, in the order in which it can end.
fn answer(trace: &Trace) -> Answer {
    let scale = trace.scale.as_ref();
    if let Some(scale) = scale.filter(|scale| scale.rule != Rule::ScaleRead) {
        return without_scale(trace, scale);
    }
    match trace.branch.as_ref().map(|branch| branch.rule) {
        Some(Rule::BranchDisabled) => return (Word::Paused, None, Some(Hold::Paused)),
        // `reconcileAutoscaler` sets the size at once.
        Some(Rule::BranchAboveMax | Rule::BranchBelowMin) => return (Word::OutOfRange, None, None),
        _ => {}
    }
    let selector = trace.selector.as_ref();
    if let Some(selector) = selector.filter(|selector| selector.error.is_some()) {
        return (Word::Failing, Some(refused(selector)), Some(Hold::Failure));
    }
    let Some(recommendation) = &trace.recommendation else {
        return (Word::Unknown, None, None);
    };
    let hold = trace.hold_of_metrics();
    let recommended = recommendation.replicas.unwrap_or_default();
    let current = trace.outcome.current_replicas;
    let (word, because) = match (recommendation.rule, trace.outcome.desired_replicas) {
        (Rule::RecommendationNone, _) => return (Word::Failing, None, Some(Hold::Failure)),
        (Rule::RecommendationBlocked, _) => {
            let because = Some(Because::FailedMetric);
            return (Word::Failing, because, Some(Hold::FailedMetric));
        }
        // A metric that we may not read could ask for anything, or fail.
        (Rule::RecommendationUnreadable, _) => match trace.outcome.possible {
            Some(range) if range.single().is_some() => {
                (Word::Decided, Some(Because::WhateverIsUnread))
            }
            _ => (Word::Unknown, None),
        },
        (_, None) => open(trace, recommended),
        (_, Some(desired)) => match Direction::between(current, desired) {
            Some(direction) => changed(trace, recommended, direction),
            None => kept(trace, recommended, hold),
        },
    };
    (word, because, hold)
}

/// Where not even the scale may be read, the status tells what the last pass
/// met.
fn without_scale(trace: &Trace, scale: &ScaleRecord) -> Answer {
    if scale.rule != Rule::ScaleUnreadable {
        return (Word::Failing, None, Some(Hold::Failure));
    }
    let unknown = Some(Hold::Unknown);
    let reported = &trace.reported;
    if reported.is_paused() {
        let last = Because::LastPass { at_max: None };
        return (Word::Paused, Some(last), unknown);
    }
    let max = trace.bounds.max_replicas;
    let is_at_max = reported
        .condition(ConditionKind::ScalingLimited)
        .is_some_and(|it| it.reason == ConditionReason::TooManyReplicas)
        && reported.current_replicas == max;
    let last = Because::LastPass {
        at_max: is_at_max.then_some(max),
    };
    if reported.failing().is_some() {
        return (Word::Failing, Some(last), unknown);
    }
    (Word::Unknown, is_at_max.then_some(last), unknown)
}

fn refused(selector: &SelectorRecord) -> Because {
    match selector.rule {
        Rule::SelectorAmbiguous => Because::SharedPods,
        Rule::SelectorRequired => Because::NoSelector,
        _ => Because::InvalidSelector,
    }
}

/// The metrics decide, and the size stays.
fn kept(trace: &Trace, recommended: i32, hold: Option<Hold>) -> (Word, Option<Because>) {
    let current = trace.outcome.current_replicas;
    if recommended == current {
        let dampened = trace.dampened().and_then(without_numbers);
        return dampened.map_or((Word::Steady, None), |(word, it)| (word, Some(it)));
    }
    match hold {
        Some(Hold::MaxReplicas) => {
            let short = i64::from(recommended) - i64::from(current);
            (Word::AtMax, Some(Because::MaxReplicas { short }))
        }
        Some(Hold::MinReplicas) => (Word::AtMin, Some(Because::MinReplicas)),
        Some(Hold::ScaleUpWindow | Hold::ScaleDownWindow) => {
            let lets = window_hold(trace, recommended);
            (Word::Held, Some(Because::Window { lets }))
        }
        Some(Hold::Disabled) => (Word::Held, Some(Because::Disabled)),
        _ => {
            let limit = trace.limit.as_ref().filter(|limit| limit.slows());
            let lets = limit.map(LimitRecord::lets);
            (Word::Held, lets.map(|lets| Because::Policy { lets }))
        }
    }
}

/// The side of the window that stands against what is asked for.
fn window_hold(trace: &Trace, recommended: i32) -> Option<WindowHold> {
    let stabilization = trace.stabilization.as_ref()?;
    let edge = stabilization.edge(Direction::between(stabilization.result, recommended)?)?;
    Some(WindowHold {
        allows: stabilization.result,
        value: trace.memory.recommendations.as_ref().map(|_| edge.value),
        window_seconds: edge.window_seconds,
        expires: edge.expires,
    })
}

/// Pods that will count by the passing of time alone hold the size; nobody
/// knows about the others.
fn without_numbers(metric: &MetricRecord) -> Option<(Word, Because)> {
    let pods = metric.filled_in.as_ref()?.pods;
    metric.measured.as_ref()?;
    let will_count = metric.filled_in_pods().all(|pod| pod.until.is_some());
    let because = Because::PodsWithoutNumbers {
        pods,
        of: metric.groups.unwrap_or_default().selected,
        will_count,
    };
    Some((if will_count { Word::Held } else { Word::Stuck }, because))
}

/// The metrics decide, and the size changes.
fn changed(trace: &Trace, recommended: i32, direction: Direction) -> (Word, Option<Because>) {
    let stabilized = trace.stabilization.as_ref().map(|record| record.result);
    let adopts = || {
        let proposed = trace.winner().and_then(MetricRecord::proposed);
        trace.outcome.desired_replicas == Some(recommended)
            && proposed.is_some_and(|proposed| proposed.rule == Rule::AverageTolerated)
    };
    let is_up = direction == Direction::Up;
    let limited = trace.limit.as_ref().filter(|limit| limit.limited);
    let window = window_hold(trace, recommended);
    let because = if trace.zero_clamp.is_some() {
        Some(Because::FromZero)
    } else if is_up && stabilized.is_some_and(|stabilized| stabilized > recommended) {
        Some(Because::OlderRecommendation)
    } else if adopts() {
        Some(Because::StatusReplicas {
            running: recommended,
            spec: trace.outcome.current_replicas,
        })
    } else if let Some(limit) = limited {
        let lets = limit.lets();
        limit.hold().map(|by| Because::Limited { by, lets, window })
    } else {
        window.map(|lets| Because::WindowOnTheWay { lets })
    };
    (Word::scaling(direction), because)
}

/// Which way it goes, where that is certain, and otherwise the ways that it
/// can go, the one that is asked for first.
fn open(trace: &Trace, recommended: i32) -> (Word, Option<Because>) {
    let current = trace.outcome.current_replicas;
    let towards = Direction::between(current, recommended);
    let can = |way: &Option<Direction>| match (trace.outcome.possible, way) {
        // Without bounds, only what is asked for is thought of.
        (None, way) => way.is_none() || *way == towards,
        (Some(range), Some(Direction::Up)) => range.to > current,
        (Some(range), Some(Direction::Down)) => range.from < current,
        (Some(range), None) => range.contains(current),
    };
    let ways = match towards {
        Some(towards) => [Some(towards), None, Some(towards.opposite())],
        None => [None, Some(Direction::Up), Some(Direction::Down)],
    };
    let mut ways = ways.into_iter().filter(can);
    let word = match ways.next().flatten() {
        Some(direction) => Word::scaling(direction),
        None if towards.is_none() => Word::Steady,
        None => Word::Held,
    };
    let outlook = trace.outlook.as_ref();
    let step = outlook
        .zip(towards)
        .map(|(outlook, towards)| match towards {
            Direction::Up => outlook.up,
            Direction::Down => outlook.down,
        });
    let is_next = outlook
        .zip(step)
        .is_some_and(|(outlook, step)| outlook.is_at_next_pass(step));
    let earliest = step.and_then(|step| step.earliest);
    let latest = step.and_then(|step| step.latest);
    let because = Because::Memory {
        or: ways.map(Alternative::from).collect(),
        earliest: earliest.filter(|_| latest.is_some()),
        latest: latest.filter(|_| !is_next),
    };
    (word, Some(because))
}
