//! What came of a simulation, as tables.

use std::collections::BTreeSet;

use crate::render::block::{Column, Narrow, Row, Table};

use crate::trace::{Scores, Search, Simulation, Unbeaten, seconds_text};

use super::words::pod_hours;

/// Behaviors that are shown of a search; JSON has all.
pub(super) const MOST_UNBEATEN: usize = 6;
/// Every run, a row each.
pub(super) fn table(simulation: &Simulation) -> Table {
    let runs = simulation.runs.iter();
    scored(runs.map(|run| (run.name.clone(), &run.scores)))
}

/// Those of a search that nothing beats, by their numbers.
fn front(search: &Search) -> Vec<(String, &Unbeaten)> {
    let shown = shown(&search.front).into_iter();
    let shown = shown.filter_map(|at| search.front.get(at));
    let named = (1..).zip(shown).map(|(number, it): (usize, _)| {
        let name = match it.patch {
            None => format!("{number}, now"),
            Some(_) if it.beats_now => format!("{number}, beats now"),
            Some(_) => number.to_string(),
        };
        (name, it)
    });
    named.collect()
}

/// The places of those that are shown: some that beat what there is, where
/// any do, and the rest spread over all.
fn shown(front: &[Unbeaten]) -> BTreeSet<usize> {
    let better = (0..front.len()).filter(|at| front.get(*at).is_some_and(|it| it.beats_now));
    let better: Vec<usize> = better.collect();
    let places = spread_over(better.len(), MOST_UNBEATEN / 2).into_iter();
    let mut shown: BTreeSet<usize> = places.filter_map(|at| better.get(at).copied()).collect();
    for place in spread_over(front.len(), MOST_UNBEATEN) {
        if shown.len() < MOST_UNBEATEN {
            shown.insert(place);
        }
    }
    shown
}

/// The same, with a row of each, and of what there is.
pub(super) fn front_and_table(search: &Search) -> (Vec<(String, &Unbeaten)>, Table) {
    let front = front(search);
    let is_now = front.iter().any(|(_, it)| it.patch.is_none());
    let now = (!is_now).then(|| ("now".to_owned(), &search.now));
    let rows = front.iter().map(|(name, it)| (name.clone(), &it.scores));
    let table = scored(now.into_iter().chain(rows));
    (front, table)
}

fn scored<'s>(rows: impl Iterator<Item = (String, &'s Scores)>) -> Table {
    let rows = rows.map(|(name, scores)| Row::of(cells(name, scores)));
    Table {
        columns: vec![
            Column::new("SPEC", false, u8::MAX),
            Column::new("TOO FEW", true, 9),
            Column::new("LONGEST", true, 5),
            Column::new("POD-HOURS", true, 7),
            Column::new("TOO MANY", true, 6),
            Column::new("CHANGES", true, 8),
            Column::new("REVERSALS", true, 8),
            Column::new("PODS", false, 4),
        ],
        rows: rows.collect(),
        narrow: Narrow::Shortens,
    }
}

fn cells(name: String, scores: &Scores) -> Vec<String> {
    let time = |seconds: Option<i64>| seconds.map_or("unknown".to_owned(), seconds_text);
    let over = scores.over_provisioned_pod_seconds;
    vec![
        name,
        time(scores.under_provisioned_seconds),
        time(scores.worst_lag_seconds),
        pod_hours(scores.pod_seconds),
        over.map_or("unknown".to_owned(), pod_hours),
        scores.scalings.to_string(),
        scores.reversals.to_string(),
        format!("{}..{}", scores.least_replicas, scores.most_replicas),
    ]
}

/// So many of a front, spread over it, both ends included.
fn spread_over(front: usize, most: usize) -> Vec<usize> {
    if front <= most || most < 2 {
        return (0..front.min(most)).collect();
    }
    (0..most).map(|at| at * (front - 1) / (most - 1)).collect()
}

#[cfg(test)]
mod tests {
    use super::spread_over;

    #[test]
    fn a_front_is_thinned_evenly() {
        assert_eq!(spread_over(10, 4), [0, 3, 6, 9]);
        assert_eq!(spread_over(3, 4), [0, 1, 2]);
        assert_eq!(spread_over(1, 4), [0]);
        assert!(spread_over(0, 4).is_empty());
    }
}
