//! What another spec brings: searched on the first part of the history, made as
//! small as it can be, and proven on the second.

use rayon::prelude::*;

use crate::api::{Behavior, HpaSpec, MetricSpec};
use crate::controller::Settings;
use crate::document::snapshot::Snapshot;
use crate::simulate::{Edit, Subject};
use crate::trace::{
    Calibration, FieldStep, LEAST_GAIN, MergePatch, NoAdvice, NoAdviceCause, Proven, Scores,
    SizeLimit, SizeLimitKind, TuneAnswer,
};
use crate::what_if::patch;

use super::Question;
use super::calibration::{DAY, Replay, Stretch, lasting, percent};
use super::candidates::{Axes, Best, Edits, ease, of_share, search, with, without};

/// A reversal costs as much as a pod for ten minutes: pods that start and go.
const REVERSAL: i64 = 600;
/// What it costs to leave a pod too few unserved, as against one too many.
const UNSERVED: i64 = 20;
/// The same where no more may be left unserved than there is.
const FORBIDDEN: i64 = 2_000;
/// Of so many pod-hours one may be missing: no calibration tells it.
const NOTHING: i64 = 5_000;
/// So much of what a load needs may lie above maxReplicas, in percent, before that
/// is called too low.
const MOST_BEYOND: i64 = 2;
/// A smaller change keeps at least so much of the gain, in percent, and may or may not
/// leave more unserved than there is by what no calibration tells; the next is tried where
/// one is not proven.
const KEPT: [(i64, bool); 3] = [(90, true), (90, false), (60, false)];
/// So often an advised spec is looked at as the one that there is.
const AGAIN: usize = 4;

/// The two parts of the history.
pub(super) struct Trials<'a> {
    question: &'a Question<'a>,
    replay: &'a Replay<'a>,
    /// The part that is searched, and the one that proves.
    halves: [Stretch<'a>; 2],
    calibration: Calibration,
}

/// A part of the history, and the spec that changes are made to.
pub(super) struct Tryout<'a> {
    /// On one way or several in which pods may start.
    ways: Vec<Subject<'a>>,
    /// The part before: another spec begins with the size that it led to there.
    before: Option<Subject<'a>>,
    spec: &'a HpaSpec,
}

/// How much of the demand may stay unserved, in pod-seconds: as much as there is
/// now. A higher target must leave less than now, or tuning again and again would
/// raise it.
#[derive(Clone, Copy)]
pub(super) struct Bar {
    now: i64,
    /// What no calibration tells from none.
    slack: i64,
    unserved: i64,
}

/// What pods and reversals cost together, in pod-seconds.
fn cost(scores: &Scores) -> i64 {
    scores.pod_seconds + REVERSAL * i64::from(scores.reversals)
}

impl Bar {
    fn new(now: &Scores) -> Self {
        Self {
            now: now.missing_pod_seconds(),
            slack: 0,
            unserved: FORBIDDEN,
        }
    }

    /// The same where more may be left unserved by what the calibration does not tell.
    fn with_slack(self, now: &Scores, calibration: &Calibration) -> Self {
        // Each part is half of the time.
        let slack = calibration.missing_apart() / 2;
        Self {
            slack: slack.max(now.pod_seconds / NOTHING),
            ..self
        }
    }

    /// The same for a search that may pass through what leaves more unserved.
    pub(super) fn softened(self) -> Self {
        Self {
            unserved: UNSERVED,
            ..self
        }
    }

    /// How much some edits may leave unserved.
    fn of(self, edits: &[Edit]) -> i64 {
        let is_raised = |edit: &Edit| matches!(edit, Edit::Target(percent) if *percent > 100);
        let now = if edits.iter().any(is_raised) {
            self.now / 10 * 9
        } else {
            self.now
        };
        now + self.slack
    }

    /// What comes of some edits costs so much; what is missing beyond the bar
    /// costs most.
    pub(super) fn penalized(self, edits: &[Edit], scores: &Scores) -> i64 {
        cost(scores) + self.unserved * (scores.missing_pod_seconds() - self.of(edits)).max(0)
    }
}

impl Tryout<'_> {
    /// What comes of the spec with some edits, in the worst of the ways; of the
    /// spec as it is, as the history has it. Absent where that is no spec, or
    /// cannot be simulated.
    pub(super) fn scores(&self, edits: &[Edit]) -> Option<Scores> {
        let spec = edited(self.spec, self.ways.first()?.lead.metric, edits)?;
        let begin = match &self.before {
            Some(before) if !edits.is_empty() => {
                Some(before.run("", &spec).ok()?.steps.last()?.desired_replicas)
            }
            _ => None,
        };
        let ways = if edits.is_empty() { 1 } else { self.ways.len() };
        let all = self.ways.iter().take(ways).map(|way| {
            let replicas = begin.unwrap_or(way.replicas);
            let way = Subject {
                replicas,
                ..way.clone()
            };
            way.scores("", &spec).ok()
        });
        let all = all.collect::<Option<Vec<Scores>>>()?;
        all.into_iter()
            .max_by_key(|it| cost(it) + UNSERVED * it.missing_pod_seconds())
    }
}

/// A change that pays on one part of the history, or the best that does not.
struct Attempted {
    edits: Edits,
    proven: Proven,
    pays: bool,
}

impl<'a> Trials<'a> {
    pub(super) fn new(
        question: &'a Question<'a>,
        replay: &'a Replay<'a>,
        calibration: Calibration,
    ) -> Self {
        Self {
            question,
            replay,
            halves: replay.halves(),
            calibration,
        }
    }

    /// The part that proves.
    pub(super) fn second(&self) -> &Stretch<'a> {
        &self.halves[1]
    }

    /// How many pods the load needs, in thousandths, and for how many seconds, in order
    /// of size.
    fn needed(part: &Stretch) -> Vec<(i64, i64)> {
        let steps = part.needs();
        let each = lasting(&steps, part.seconds);
        let mut needed: Vec<(i64, i64)> = each.filter(|(_, seconds)| *seconds > 0).collect();
        needed.sort_unstable();
        needed
    }

    /// The pods that the load usually needs, and the upper bound of a spec where it
    /// leaves more of them missing than may be.
    pub(super) fn whole_need(&self, spec: &HpaSpec) -> (i32, Option<SizeLimit>) {
        let needed = Self::needed(&self.replay.whole());
        let beyond = pod_seconds_above(&needed, spec.max_replicas);
        let limit = SizeLimit {
            kind: SizeLimitKind::MaxReplicas,
            replicas: spec.max_replicas,
            needed: of_share(&needed, 100),
        };
        let is_low = beyond > pod_seconds_above(&needed, 0) / 100 * MOST_BEYOND;
        (of_share(&needed, 50).max(1), is_low.then_some(limit))
    }

    /// The best that a search finds for a spec, were it the one that there is.
    fn propose(
        &self,
        spec: &HpaSpec,
        is_coarse: bool,
        tried: &(impl Fn() -> bool + Sync),
    ) -> Result<(usize, Option<Attempted>), NoAdvice> {
        let first = self.halves[0].under(spec);
        let needed = Self::needed(&first);
        // Where the history shows how pods start, once will do.
        let ways = if self.replay.shows_starts() {
            1
        } else {
            usize::MAX
        };
        let trial = Tryout {
            ways: first.ways().take(ways).collect(),
            before: None,
            spec,
        };
        let now = trial
            .scores(&[])
            .ok_or_else(|| unsimulated("the spec as it is cannot be simulated"))?;
        let bar = Bar::new(&now);
        let settings = Settings::resolve(self.question.snapshot, self.question.overrides);
        let (metric, is_day) = (self.replay.metric(), self.replay.seconds() >= DAY);
        let axes = Axes::new(spec, metric, &settings, &needed, is_day);
        let best = search(&trial, bar, &axes, is_coarse, tried);
        let best = best.ok_or_else(|| unsimulated("no other spec can be simulated"))?;
        let gained = gain(&now, &best.scores);
        let alone = alone(&trial, &axes, &best);
        let mut found = None;
        let loose = bar.with_slack(&now, &self.calibration);
        for (kept, is_loose) in KEPT {
            let bar = if is_loose { loose } else { bar };
            let edits = smallest(&trial, bar, (kept, cost(&now)), &best, &alone);
            let proposal = self.prove(spec, reached(&trial, edits), gained);
            if proposal.as_ref().is_some_and(|it| it.pays) {
                return Ok((best.tried, proposal));
            }
            found = found.or(proposal);
            if gained < self.least_gain() {
                break;
            }
        }
        Ok((best.tried, found))
    }

    /// Gains that are no larger may be none.
    fn least_gain(&self) -> f64 {
        LEAST_GAIN.max(self.calibration.pod_hours_apart)
    }

    /// What edits of a spec bring on the second part, which won so much where they
    /// were found.
    fn prove(&self, spec: &HpaSpec, mut edits: Edits, searched_gain: f64) -> Option<Attempted> {
        let [first, second] = [0, 1].map(|half| self.halves[half].under(spec));
        let proof = Tryout {
            ways: second.ways().collect(),
            before: Some(first.as_it_was()),
            spec,
        };
        let (now, then) = (proof.scores(&[])?, proof.scores(&edits)?);
        edits.sort_by_key(|it| ease(*it));
        let mut fields = fields(&proof, self.replay.metric(), &edits, then);
        // Of fields that change nothing more here, nothing shows what they are good for.
        let last = fields.iter().position(|it| it.then == Some(then))?;
        fields.truncate(last + 1);
        edits.truncate(last + 1);
        let bar = Bar::new(&now).with_slack(&now, &self.calibration);
        let allowed = bar.of(&edits);
        let gained = gain(&now, &then);
        let edited = edited(spec, self.replay.metric(), &edits)?;
        let patch = smallest_patch(self.question.snapshot, spec, &edited)?;
        Some(Attempted {
            pays: gained.min(searched_gain) >= self.least_gain()
                && then.missing_pod_seconds() <= allowed,
            proven: Proven {
                fields,
                patch,
                seconds: second.seconds,
                now,
                then,
                allowed_missing_pod_seconds: allowed,
                gain: gained,
                searched_gain,
            },
            edits,
        })
    }
}

/// The patch that leads from one spec to another. Of a behavior that there was none
/// of, it has only what is not the API's default.
pub(super) fn smallest_patch(
    snapshot: &Snapshot,
    from: &HpaSpec,
    to: &HpaSpec,
) -> Option<MergePatch> {
    let mut own = snapshot.hpa.clone();
    own.spec = from.clone();
    if to.behavior.is_some() {
        own.spec.behavior.get_or_insert_with(Behavior::of_defaults);
    }
    patch(&own, to)
}

/// The pods that a load needs beyond so many, summed over all seconds.
fn pod_seconds_above(needed: &[(i64, i64)], pods: i32) -> i64 {
    let pods = i64::from(pods) * 1_000;
    let each = needed.iter();
    let each = each.map(|(milli, seconds)| (milli - pods).max(0) * seconds);
    each.sum::<i64>() / 1_000
}

fn unsimulated(reason: &str) -> NoAdvice {
    NoAdvice::new(NoAdviceCause::NotSimulated, reason)
}

/// What is won, in percent of what there is.
fn gain(now: &Scores, then: &Scores) -> f64 {
    let won = cost(now) - cost(then);
    let share = percent(won, cost(now));
    if won < 0 { -share } else { share }
}

/// What comes of each field alone, where the best changes several.
fn alone(trial: &Tryout, axes: &Axes, best: &Best) -> Vec<(Edits, Scores)> {
    if best.edits.len() < 2 {
        return Vec::new();
    }
    let all = axes.around(&[]).into_par_iter().filter_map(|edits| {
        let scores = trial.scores(&edits)?;
        Some((edits, scores))
    });
    all.collect()
}

/// The easiest field that alone brings nearly as much, set to what is cheapest; or else
/// leaves out each that brings little, the least first.
fn smallest(
    trial: &Tryout,
    bar: Bar,
    (kept, now): (i64, i64),
    best: &Best,
    alone: &[(Edits, Scores)],
) -> Edits {
    let enough = now - (now - bar.penalized(&best.edits, &best.scores)) * kept / 100;
    let alone = alone.iter().filter_map(|(edits, scores)| {
        let cost = bar.penalized(edits, scores);
        (cost <= enough).then_some((ease(*edits.first()?), cost, edits))
    });
    if let Some((_, _, alone)) = alone.min_by_key(|(ease, cost, _)| (*ease, *cost)) {
        return alone.clone();
    }
    let mut edits = best.edits.clone();
    loop {
        let smaller = (0..edits.len())
            .filter(|_| edits.len() > 1)
            .filter_map(|at| {
                let smaller = without(&edits, at);
                let cost = bar.penalized(&smaller, &trial.scores(&smaller)?);
                (cost <= enough).then_some((cost, smaller))
            });
        match smaller.min_by_key(|(cost, _)| *cost) {
            Some((_, smaller)) => edits = smaller,
            None => return edits,
        }
    }
}

/// No lower bound that the simulated size does not come down to: nothing shows what it
/// would be good for.
fn reached(trial: &Tryout, edits: Edits) -> Edits {
    let least = trial.scores(&edits).map(|it| it.least_replicas);
    let is_unreached =
        |edit: &Edit| matches!((edit, least), (Edit::Min(own), Some(least)) if *own < least);
    let reached = match (edits.iter().position(is_unreached), least) {
        (Some(at), least) if least == trial.spec.min_replicas => without(&edits, at),
        (Some(_), Some(least)) => with(&edits, Edit::Min(least)),
        _ => Edits::new(),
    };
    if reached.is_empty() { edits } else { reached }
}

/// Each field with what comes of it and those before it; all of them come to `then`.
fn fields(trial: &Tryout, metric: &MetricSpec, edits: &[Edit], then: Scores) -> Vec<FieldStep> {
    let each = edits.iter().enumerate().filter_map(|(at, edit)| {
        let mut edited = trial.spec.clone();
        let is_last = at + 1 == edits.len();
        Some(FieldStep {
            name: edit.apply(&mut edited, metric)?,
            field: edit.field(),
            from: edit.value_in(trial.spec, metric),
            to: edit.value_in(&edited, metric)?,
            then: if is_last {
                Some(then)
            } else {
                trial.scores(edits.get(..=at)?)
            },
        })
    });
    each.collect()
}

/// The answer, and the spec that is proposed. An advised spec is looked at as
/// the one that there is, until no change of it pays: so that tuning again
/// changes nothing.
pub(super) fn advice(
    trials: &Trials,
    spec: &HpaSpec,
    is_coarse: bool,
    go_on: &(impl Fn() -> bool + Sync),
) -> Result<(TuneAnswer, Option<HpaSpec>), NoAdvice> {
    let metric = trials.replay.metric();
    let (mut tried, best) = trials.propose(spec, is_coarse, go_on)?;
    let mut best = best.ok_or_else(|| unsimulated("the best other spec cannot be simulated"))?;
    for _ in 0..AGAIN {
        let advised = edited(spec, metric, &best.edits).filter(|_| best.pays);
        let next = match advised {
            Some(advised) => trials.propose(&advised, is_coarse, go_on)?,
            None => break,
        };
        tried += next.0;
        let next = next.1.filter(|it| it.pays);
        let both = next.map(|it| joined(&best.edits, &it.edits));
        let gained = best.proven.searched_gain;
        let both = both.and_then(|edits| trials.prove(spec, edits, gained));
        match both.filter(|it| it.pays) {
            Some(both) => best = both,
            None => break,
        }
    }
    let advised = edited(spec, metric, &best.edits).filter(|_| best.pays);
    let (now, best) = (best.proven.now, Box::new(best.proven));
    let answer = match &advised {
        Some(_) => TuneAnswer::Advice {
            tried,
            proposal: best,
        },
        None => TuneAnswer::NothingToGain { tried, now, best },
    };
    Ok((answer, advised))
}

/// A spec with some edits; absent where that is none.
fn edited(spec: &HpaSpec, metric: &MetricSpec, edits: &[Edit]) -> Option<HpaSpec> {
    let mut spec = spec.clone();
    for edit in edits {
        edit.apply(&mut spec, metric)?;
    }
    (spec.min_replicas.unwrap_or(1) <= spec.max_replicas).then_some(spec)
}

/// Edits, and those of the spec that they lead to.
fn joined(edits: &[Edit], next: &[Edit]) -> Edits {
    let mut all = edits.to_vec();
    for edit in next {
        let own = all.iter().find(|it| it.is_of_field_of(*edit)).copied();
        all = match (own, edit) {
            (Some(Edit::Target(own)), Edit::Target(other)) => {
                with(&all, Edit::Target(own * other / 100))
            }
            _ => with(&all, *edit),
        };
    }
    all
}
