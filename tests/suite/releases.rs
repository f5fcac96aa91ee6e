//! What changed when: one input each, run by the rules of every release, with
//! the answers before and after.

use crate::support;

mod messages;

mod pods;

mod counts;

mod gates;

use support::build::Case;
use support::pass::Pass;

/// The oldest and the newest release whose rules are known.
const RELEASES: std::ops::RangeInclusive<u32> = 23..=38;

/// An input whose answer changes from release to release.
struct Change {
    what: &'static str,
    case: Case,
    answer: fn(&Pass) -> String,
    /// The first release of each answer.
    answers: Vec<(u32, &'static str)>,
}

impl Change {
    fn check(&self) {
        assert_eq!(self.answers[0].0, *RELEASES.start(), "{}", self.what);
        let mut pairs = self.answers.windows(2);
        assert!(
            pairs.len() > 0 && pairs.all(|pair| pair[0].1 != pair[1].1),
            "{}: nothing changes",
            self.what
        );
        for release in RELEASES {
            let known = self.answers.iter().rev();
            let (_, answer) = known
                .clone()
                .find(|(first, _)| *first <= release)
                .expect("an answer");
            let found = (self.answer)(&self.case.clone().release(release).run());
            assert_eq!(found, *answer, "{} in 1.{release}", self.what);
        }
    }
}

fn all() -> Vec<Change> {
    let groups = [
        messages::changes(),
        pods::changes(),
        counts::changes(),
        gates::changes(),
    ];
    groups.into_iter().flatten().collect()
}

#[test]
fn every_release_answers_by_its_own_rules() {
    for change in all() {
        change.check();
    }
}

#[test]
fn every_release_with_changes_is_shown() {
    let changes = all();
    assert_eq!(changes.len(), 41);
    let new_in = |release| {
        let answers = changes.iter().flat_map(|change| &change.answers[1..]);
        answers.filter(|(first, _)| *first == release).count()
    };
    let counts: Vec<(u32, usize)> = RELEASES.map(|release| (release, new_in(release))).collect();
    #[rustfmt::skip]
    let shown = [
        (23, 0), (24, 0), (25, 4), (26, 6), (27, 6), (28, 1), (29, 2), (30, 2),
        (31, 0), (32, 0), (33, 6), (34, 4), (35, 6), (36, 2), (37, 3), (38, 7),
    ];
    assert_eq!(counts, shown);
}
