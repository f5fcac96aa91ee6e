//! Of many, those that no other beats.

use crate::trace::Scores;

use super::Tried;

/// What counts, each the less the better.
fn costs(scores: &Scores) -> [i64; 3] {
    [
        scores.under_provisioned_seconds.unwrap_or_default(),
        scores.pod_seconds,
        i64::from(scores.reversals),
    ]
}

/// Those that no other is better than in one thing and as good in the rest,
/// in the order of what counts. Of equals, the first stays.
pub(super) fn front(all: Vec<Tried>) -> Vec<Tried> {
    let mut all = all;
    // A stable sort: of equals, the one with the fewest changes comes first.
    all.sort_by_key(|tried| costs(&tried.scores));
    let mut front: Vec<Tried> = Vec::new();
    for tried in all {
        let own = costs(&tried.scores);
        let is_beaten = front.iter().any(|other| {
            let other = costs(&other.scores);
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
    use super::*;
    use crate::snapshot::HpaSpec;

    fn tried(name: &str, short: i64, pods: i64, reversals: u32) -> Tried {
        Tried {
            name: name.to_owned(),
            spec: HpaSpec::default(),
            scores: Scores {
                under_provisioned_seconds: Some(short),
                pod_seconds: pods,
                reversals,
                ..Scores::default()
            },
        }
    }

    #[test]
    fn nothing_of_the_front_is_beaten_and_the_rest_is() {
        let all = vec![
            tried("dear", 0, 90, 2),
            tried("calm", 30, 80, 0),
            tried("worse than calm", 30, 81, 0),
            tried("the same as calm", 30, 80, 0),
            tried("cheap", 60, 40, 6),
            tried("late and dear", 61, 90, 6),
        ];
        let front = front(all);
        let names: Vec<&str> = front.iter().map(|it| it.name.as_str()).collect();
        assert_eq!(names, ["dear", "calm", "cheap"]);
    }
}
