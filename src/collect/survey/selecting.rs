//! The pods that HPAs select, and their samples.

use std::collections::BTreeMap;

use crate::api::{Pod, PodMetrics, Selector};
use crate::collect::request::paths;

use super::permits::Permits;
use super::spread::{Labelled, Namespaces, Spread, objects, samples, spread};
use super::{SurveyTally, Surveyed};

/// The pods that the wanted HPAs select.
pub async fn pods_of(
    turns: &Permits<'_>,
    surveyed: &[Surveyed],
    tally: &SurveyTally,
) -> Spread<Pod> {
    let selecting = Selecting::of(surveyed.iter());
    spread(&selecting.namespaces(), async |namespace| {
        let asked = paths::pods(namespace, "");
        let pods = objects(turns, &asked, |pod: &Pod| selecting.holds(pod)).await;
        let of_these = surveyed.iter().filter(|one| {
            let own = one.hpa.metadata.namespace.as_str();
            one.is_wanted && namespace.is_none_or(|namespace| namespace == own)
        });
        tally.add(of_these.count());
        pods
    })
    .await
}

/// Their samples, where a metric needs them.
pub async fn samples_of(turns: &Permits<'_>, surveyed: &[Surveyed]) -> Spread<PodMetrics> {
    let measured = surveyed.iter().filter(|surveyed| surveyed.needs_samples());
    let selecting = Selecting::of(measured);
    spread(&selecting.namespaces(), async |namespace| {
        let asked = paths::pod_metrics(namespace, "");
        samples(turns, &asked, |sample| selecting.holds(sample)).await
    })
    .await
}

/// The selectors of the wanted HPAs.
struct Selecting<'s>(BTreeMap<&'s str, Vec<&'s Selector>>);

impl<'s> Selecting<'s> {
    fn of(surveyed: impl Iterator<Item = &'s Surveyed>) -> Self {
        let mut selectors = BTreeMap::<_, Vec<_>>::new();
        for surveyed in surveyed.filter(|surveyed| surveyed.is_wanted) {
            if let Some(selector) = &surveyed.selector {
                let namespace = surveyed.hpa.metadata.namespace.as_str();
                selectors.entry(namespace).or_default().push(selector);
            }
        }
        Self(selectors)
    }

    fn namespaces(&self) -> Namespaces {
        self.0.keys().copied().map(str::to_owned).collect()
    }

    fn holds(&self, object: &impl Labelled) -> bool {
        let selectors = self.0.get(object.namespace());
        selectors.is_some_and(|all| all.iter().any(|one| one.matches(object.labels())))
    }
}
