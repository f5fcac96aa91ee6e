//! Other specs, searched for one that costs least without leaving more of the
//! demand unserved.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};

use rayon::prelude::*;

use crate::api::{Direction, HpaSpec, MetricSpec, PolicyKind};
use crate::controller::{Settings, whole_seconds};
use crate::simulate::{Edit, whole_pods};
use crate::trace::Scores;

use super::proof::{Bar, Tryout};

/// Changes of fields, no two of the same one.
pub(super) type Edits = Vec<Edit>;

/// What was found: edits, if there are any that can be simulated.
pub(super) struct Best {
    pub(super) edits: Edits,
    pub(super) scores: Scores,
    pub(super) tried: usize,
}

/// So often the search goes on from the best so far.
const ROUNDS: usize = 12;
/// The same where fewer specs are tried.
const FEW_ROUNDS: usize = 2;

const TARGETS: [i64; 7] = [70, 80, 90, 95, 105, 110, 120];
const DOWN_WINDOWS: [i32; 10] = [0, 15, 30, 60, 120, 180, 300, 600, 900, 1_800];
/// The scaleDown window where none is set, in seconds.
const USUAL_WINDOW: i64 = 300;
const UP_WINDOWS: [i32; 5] = [0, 30, 60, 120, 300];
const POLICIES: [(PolicyKind, i32); 6] = [
    (PolicyKind::Percent, 10),
    (PolicyKind::Percent, 50),
    (PolicyKind::Percent, 100),
    (PolicyKind::Pods, 1),
    (PolicyKind::Pods, 2),
    (PolicyKind::Pods, 5),
];
const TOLERANCES: [i64; 5] = [50, 100, 150, 200, 300];

/// What can be set of each field, as far as it is not set so yet.
pub(super) struct Axes(Vec<Vec<Edit>>);

impl Axes {
    /// `needed` is how many pods the load needs, and for how long, in order of size.
    pub(super) fn new(
        spec: &HpaSpec,
        metric: &MetricSpec,
        settings: &Settings,
        needed: &[(i64, i64)],
        is_whole_day: bool,
    ) -> Self {
        let (up, down) = settings.windows(spec);
        let (min, max) = (spec.min_replicas.unwrap_or(1), spec.max_replicas);
        let of_share = |percent| of_share(needed, percent);
        let mins = [1, min / 2, min * 3 / 4, min - 1, min + 1, min + 2]
            .into_iter()
            .chain([0, 5, 25, 50].map(of_share));
        // A bound that the load did not reach costs nothing, and is for loads to come.
        let most = of_share(100);
        let maxes = [most, most.saturating_add(most / 5)].into_iter();
        // Less than a day proves no window shorter than there is, and than the default.
        let shortest = whole_seconds(down).min(USUAL_WINDOW);
        let shortest = if is_whole_day { 0 } else { shortest };
        let window = |way, all: &[i32], shortest, own| -> Vec<Edit> {
            let others = all.iter().filter(|it| {
                let seconds = i64::from(**it);
                seconds != whole_seconds(own) && seconds >= shortest
            });
            others.map(|it| Edit::Window(way, *it)).collect()
        };
        let policy = |way, (kind, value)| Edit::Policy(way, kind, value);
        let policies = |way| POLICIES.map(|it| policy(way, it)).to_vec();
        let mins: BTreeSet<i32> = mins
            .filter(|it| (1..=max).contains(it) && *it != min)
            .collect();
        let maxes: BTreeSet<i32> = maxes.filter(|it| *it > max).collect();
        let mut axes = vec![
            TARGETS.map(Edit::Target).to_vec(),
            mins.into_iter().map(Edit::Min).collect(),
            maxes.into_iter().map(Edit::Max).collect(),
            window(Direction::Down, &DOWN_WINDOWS, shortest, down),
            window(Direction::Up, &UP_WINDOWS, 0, up),
            policies(Direction::Down),
            policies(Direction::Up),
        ];
        let disabled = [Direction::Up, Direction::Down].into_iter();
        let disabled = disabled.filter(|way| spec.is_disabled(*way));
        axes.extend(disabled.map(|way| vec![Edit::Enabled(way)]));
        if settings.gates.configurable_tolerance {
            axes.push(TOLERANCES.map(Edit::Tolerance).to_vec());
        }
        // What changes nothing is no candidate.
        for axis in &mut axes {
            axis.retain(|edit| {
                let mut edited = spec.clone();
                edit.apply(&mut edited, metric).is_some() && edited != *spec
            });
        }
        Self(axes)
    }

    /// What a coarse search begins with: some of the bounds, the targets and
    /// the windows, each with each.
    fn grid(&self, every: usize) -> Vec<Edits> {
        let mut all: Vec<Edits> = vec![Vec::new()];
        let is_coarse = |axis: &&Vec<Edit>| match axis.first() {
            Some(Edit::Target(_) | Edit::Min(_) | Edit::Enabled(_)) => true,
            Some(Edit::Window(way, _)) => *way == Direction::Down,
            _ => false,
        };
        for axis in self.0.iter().filter(is_coarse) {
            let begun = all.clone();
            for edit in axis.iter().step_by(every) {
                all.extend(begun.iter().map(|edits| with(edits, *edit)));
            }
        }
        all
    }

    /// Each field set otherwise, or not at all.
    pub(super) fn around(&self, edits: &[Edit]) -> Vec<Edits> {
        let mut all: Vec<Edits> = (0..edits.len()).map(|at| without(edits, at)).collect();
        let others = self.0.iter().flatten().filter(|it| !edits.contains(it));
        all.extend(others.map(|it| with(edits, *it)));
        all
    }
}

/// How many pods are enough for so many percent of what a load needs.
pub(super) fn of_share(needed: &[(i64, i64)], percent: usize) -> i32 {
    let at = needed.len().saturating_sub(1) * percent / 100;
    whole_pods(needed.get(at).map_or(0, |(milli, _)| *milli))
}

/// Of fields that bring as much, the first one is changed: those of scaling down move no
/// pods while a load grows, and bounds do less than what every pass goes by.
pub(super) fn ease(edit: Edit) -> usize {
    match edit {
        Edit::Window(Direction::Down, _) | Edit::Enabled(_) => 0,
        Edit::Policy(Direction::Down, ..) => 1,
        Edit::Min(_) | Edit::Max(_) => 2,
        Edit::Target(_) => 3,
        Edit::Window(..) | Edit::Policy(..) => 4,
        Edit::Tolerance(_) => 5,
    }
}

/// Edits with another one, which takes the place of that of its field.
pub(super) fn with(edits: &[Edit], edit: Edit) -> Edits {
    let others = edits.iter().copied().filter(|it| !it.is_of_field_of(edit));
    others.chain([edit]).collect()
}

/// Edits without one of them.
pub(super) fn without(edits: &[Edit], at: usize) -> Edits {
    let mut edits = edits.to_vec();
    edits.remove(at);
    edits
}

/// Searches on one part of the history: first a grid, then around the best, as
/// long as that finds a better one.
pub(super) fn search(
    trial: &Tryout,
    bar: Bar,
    axes: &Axes,
    is_coarse: bool,
    tried: &(impl Fn() -> bool + Sync),
) -> Option<Best> {
    let goes_on = AtomicBool::new(true);
    let mut count = 0;
    let mut found: Option<(Edits, Scores)> = None;
    // Tries some, and whether one of them is better than the best so far.
    let mut take = |all: Vec<Edits>, own: Bar, best: &mut Option<(Edits, Scores)>| {
        count += all.len();
        let scored = all.into_par_iter().filter_map(|edits| {
            if !goes_on.load(Ordering::Relaxed) {
                return None;
            }
            let scores = trial.scores(&edits);
            goes_on.fetch_and(tried(), Ordering::Relaxed);
            Some((edits, scores?))
        });
        let scored: Vec<(Edits, Scores)> = scored.collect();
        // Of equals, the one that was tried first, with the fewest fields.
        let rank = |bar: Bar, it: &(Edits, Scores)| (bar.penalized(&it.0, &it.1), it.0.len());
        let others = scored.iter().filter(|(edits, _)| !edits.is_empty());
        let least = found.iter().chain(others).min_by_key(|it| rank(bar, it));
        found = least.cloned();
        let least = scored.into_iter().min_by_key(|it| rank(own, it));
        let is_better = match (&least, &*best) {
            (Some(least), Some(best)) => rank(own, least) < rank(own, best),
            (least, _) => least.is_some(),
        };
        if is_better {
            *best = least;
        }
        is_better
    };
    let mut best = None;
    let grid = axes.grid(if is_coarse { 4 } else { 3 });
    take(grid, bar.softened(), &mut best);
    // What saves most comes first, then what leaves no more unserved than there is now.
    for own in [bar.softened(), bar] {
        for _ in 0..if is_coarse { FEW_ROUNDS } else { ROUNDS } {
            let around = axes.around(best.as_ref().map_or(&[], |(edits, _)| edits));
            if !take(around, own, &mut best) {
                break;
            }
        }
    }
    let (edits, scores) = found?;
    Some(Best {
        edits,
        scores,
        tried: count,
    })
}
