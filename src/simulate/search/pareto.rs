//! Of many, those that no other beats.

use crate::trace::Scores;

/// What counts, each the less the better: time with too few pods, pod-hours,
/// reversals.
pub(super) fn costs(scores: &Scores) -> [i64; 3] {
    [
        scores.under_provisioned_seconds.unwrap_or_default(),
        scores.pod_seconds,
        i64::from(scores.reversals),
    ]
}

/// Whether some scores are better than others in one thing that counts, and
/// in none worse.
pub(super) fn beats(scores: &Scores, others: &Scores) -> bool {
    let (own, others) = (costs(scores), costs(others));
    own != others && own.iter().zip(others).all(|(own, other)| *own <= other)
}

/// Those that no other is better than in one thing and as good in the rest,
/// in the order of what they cost. Of equals, the first stays.
pub(super) fn front<T>(mut all: Vec<T>, costs: impl Fn(&T) -> [i64; 3]) -> Vec<T> {
    // A stable sort: of equals, the one that was tried first comes first.
    all.sort_by_key(&costs);
    let mut front: Vec<T> = Vec::new();
    for tried in all {
        let own = costs(&tried);
        let is_beaten = front.iter().any(|other| {
            let other = costs(other);
            other.iter().zip(own).all(|(other, own)| *other <= own)
        });
        if !is_beaten {
            front.push(tried);
        }
    }
    front
}

#[cfg(test)]
mod tests {
    use super::front;

    #[test]
    fn nothing_of_the_front_is_beaten_and_the_rest_is() {
        let all = vec![
            ("dear", [0, 90, 2]),
            ("calm", [30, 80, 0]),
            ("worse than calm", [30, 81, 0]),
            ("the same as calm", [30, 80, 0]),
            ("cheap", [60, 40, 6]),
            ("late and dear", [61, 90, 6]),
        ];
        let front = front(all, |(_, costs)| *costs);
        let names: Vec<&str> = front.iter().map(|(name, _)| *name).collect();
        assert_eq!(names, ["dear", "calm", "cheap"]);
    }
}
