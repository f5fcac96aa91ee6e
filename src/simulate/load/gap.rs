//! What is a gap in a series of moments.

/// A distance this many times the usual one is a gap.
const GAP: i64 = 10;
/// Of fewer distances, none is the usual one.
const LEAST: usize = 3;

/// The usual one of some distances.
pub(super) fn usual(distances: impl Iterator<Item = i64>) -> Option<i64> {
    let mut distances: Vec<i64> = distances.collect();
    distances.sort_unstable();
    let middle = distances.get(distances.len() / 2).copied();
    middle.filter(|_| distances.len() >= LEAST)
}

/// Whether a distance is much longer than the usual one.
pub(super) fn is_gap(distance: i64, usual: i64) -> bool {
    distance > usual.saturating_mul(GAP)
}
