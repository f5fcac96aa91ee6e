//! Which orders of a list there are, and what is said of an empty one.

use std::cmp::{Ordering, Reverse};

use clap::ValueEnum;

use crate::render::Summary;

/// kubectl's sentence for an empty list, of a namespace or of all.
pub fn nothing(namespace: Option<&str>) -> String {
    match namespace {
        Some(namespace) => format!("No resources found in {namespace} namespace."),
        None => "No resources found".to_owned(),
    }
}

/// What a list is sorted by. kubectl's expressions for the same are taken as
/// well.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum SortBy {
    /// The worst first
    #[default]
    Problem,
    /// By namespace and name
    #[value(alias = ".metadata.name", alias = "{.metadata.name}")]
    Name,
    /// The fewest first
    #[value(alias = ".status.currentReplicas", alias = "{.status.currentReplicas}")]
    Replicas,
    /// The longest first; where it is not known, last
    Since,
    /// The oldest first
    #[value(
        alias = ".metadata.creationTimestamp",
        alias = "{.metadata.creationTimestamp}"
    )]
    Age,
}

impl SortBy {
    /// Which of two comes first; never equal for two HPAs.
    pub fn compare(self, one: &Summary, other: &Summary) -> Ordering {
        let by_name = (&one.namespace, &one.name).cmp(&(&other.namespace, &other.name));
        let first = match self {
            Self::Problem => problem(one).cmp(&problem(other)),
            Self::Name => Ordering::Equal,
            Self::Replicas => one.current_replicas.cmp(&other.current_replicas),
            Self::Since => known_first(one.since).cmp(&known_first(other.since)),
            Self::Age => {
                known_first(one.creation_timestamp).cmp(&known_first(other.creation_timestamp))
            }
        };
        first.then(by_name)
    }
}

/// What cannot be told comes first, then what matters most, alike ones
/// together.
fn problem(summary: &Summary) -> impl Ord + use<> {
    let kind = summary.worst().map(|worst| (worst.role, worst.code));
    (
        summary.error.is_none(),
        Reverse(summary.severity),
        // Where the status alone tells of it, there is no finding.
        kind.is_none(),
        kind,
        summary.headline.clone(),
    )
}

fn known_first<T: Ord>(value: Option<T>) -> (bool, Option<T>) {
    (value.is_none(), value)
}

#[cfg(test)]
mod tests {
    use jiff::{SignedDuration, Timestamp};

    use super::SortBy;
    use crate::render::{Noted, Summary};
    use crate::trace::Code;

    fn hpa(name: &str, change: impl FnOnce(&mut Summary)) -> Summary {
        let mut summary = Summary::failed("shop".into(), name.into(), String::new());
        summary.error = None;
        summary.current_replicas = Some(3);
        change(&mut summary);
        summary
    }

    fn found(code: Code) -> impl FnOnce(&mut Summary) {
        move |summary| {
            summary.severity = Some(code.severity());
            summary.findings.push(Noted {
                code,
                severity: code.severity(),
                role: code.role(),
                message: String::new(),
            });
        }
    }

    fn names(by: SortBy, mut items: Vec<Summary>) -> String {
        items.sort_by(|one, other| by.compare(one, other));
        let names: Vec<&str> = items.iter().map(|item| item.name.as_str()).collect();
        names.join(" ")
    }

    #[test]
    fn the_worst_comes_first_and_alike_ones_together() {
        let items = vec![
            hpa("fine", |_| ()),
            hpa("idle", found(Code::AtMin)),
            hpa("max-b", found(Code::AtMax)),
            hpa("foreign", found(Code::ForeignPods)),
            hpa("max-a", found(Code::AtMax)),
            hpa("dead", found(Code::AllMetricsFail)),
            hpa("status", |one| {
                one.severity = Some(Code::AllMetricsFail.severity());
            }),
            hpa("unread", |one| one.error = Some("odd".into())),
        ];
        assert_eq!(
            names(SortBy::Problem, items),
            "unread dead status foreign max-a max-b idle fine"
        );
    }

    #[test]
    fn what_is_not_known_comes_last() {
        let at = |seconds| Some(Timestamp::UNIX_EPOCH + SignedDuration::from_secs(seconds));
        let items = vec![
            hpa("new", |one| {
                one.since = at(9);
                one.creation_timestamp = at(9);
                one.current_replicas = Some(10);
            }),
            hpa("old", |one| {
                one.since = at(1);
                one.creation_timestamp = at(1);
                one.current_replicas = Some(9);
            }),
            hpa("blank", |_| ()),
        ];
        let rows = [
            (SortBy::Name, "blank new old"),
            (SortBy::Replicas, "blank old new"),
            (SortBy::Since, "old new blank"),
            (SortBy::Age, "old new blank"),
        ];
        for (by, expected) in rows {
            assert_eq!(names(by, items.clone()), expected, "{by:?}");
        }
    }
}
