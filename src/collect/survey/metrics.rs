//! Custom and external metrics, which no list holds.

use std::collections::{BTreeMap, BTreeSet};

use futures_util::stream::{self, StreamExt};

use super::spread::{Namespaces, Permits, Spread, objects, samples, spread};
use super::{AT_ONCE, SurveyTally, Surveyed};
use crate::api::{HorizontalPodAutoscaler, Labels, Metrics, Pod, PodMetrics, Selector};
use crate::collect::metrics::{adapted_metric, add, not_asked};
use crate::collect::request::paths;

/// The answers for each HPA, in their order: asked for, or said not to be.
pub async fn adapted(
    permits: &Permits<'_>,
    surveyed: &[Surveyed],
    is_read: impl Fn(&HorizontalPodAutoscaler) -> bool,
    tally: &SurveyTally,
) -> Vec<Metrics> {
    let specs = surveyed.iter().enumerate().flat_map(|(index, one)| {
        let specs = one.hpa.spec.metrics.iter();
        specs.map(move |spec| (index, one, spec))
    });
    let is_needed = |one: &Surveyed| one.is_selected && one.target.scale.selector().is_some();
    let specs = specs.filter(|(_, one, _)| is_needed(one));
    let mut all = vec![Metrics::default(); surveyed.len()];
    let mut answers = stream::iter(specs)
        .map(async |(index, one, spec)| {
            let namespace = &one.hpa.metadata.namespace;
            let answer = if is_read(&one.hpa) {
                let selector = one.target.scale.selector().unwrap_or_default();
                adapted_metric(&*permits.next().await, namespace, selector, spec).await
            } else {
                not_asked(namespace, spec)
            };
            (index, answer)
        })
        .buffered(AT_ONCE);
    // They come in the order of the HPAs, of which an earlier one is done.
    let mut noted = 0;
    while let Some((index, answer)) = answers.next().await {
        let done = surveyed[noted..index].iter().filter(|one| one.is_selected);
        tally.add(done.count());
        noted = index;
        add(&mut all[index], answer);
    }
    all
}

/// The pods that the wanted HPAs select.
pub async fn pods_of(
    permits: &Permits<'_>,
    surveyed: &[Surveyed],
    tally: &SurveyTally,
) -> Spread<Pod> {
    let selecting = Selecting::of(surveyed.iter().enumerate());
    spread(&selecting.namespaces(), async |namespace| {
        let endpoint = paths::pods(namespace, "");
        let is_selected = |pod: &Pod| {
            let metadata = &pod.metadata;
            selecting.holds(&metadata.namespace, &metadata.labels)
        };
        let pods = objects(permits, &endpoint, is_selected).await;
        let of_these = surveyed.iter().filter(|one| {
            let own = one.hpa.metadata.namespace.as_str();
            one.is_selected && namespace.is_none_or(|namespace| namespace == own)
        });
        tally.add(of_these.count());
        pods
    })
    .await
}

/// Their samples, where a metric needs them: whole, or of the resources alone that
/// a metric is of, which are seldom all.
pub async fn samples_of(
    permits: &Permits<'_>,
    surveyed: &[Surveyed],
    whole: bool,
) -> Spread<PodMetrics> {
    let specs = surveyed.iter().flat_map(|one| &one.hpa.spec.metrics);
    let resources = specs.filter_map(|spec| spec.source()?.resource());
    let resources: BTreeSet<&str> = resources.map(|(name, _)| name).collect();
    let is_kept = |name: &str| whole || resources.contains(name);
    let surveyed = surveyed.iter().enumerate();
    let measured = surveyed.filter(|(_, surveyed)| surveyed.needs_samples());
    let selecting = Selecting::of(measured);
    spread(&selecting.namespaces(), async |namespace| {
        let endpoint = paths::pod_metrics(namespace, "");
        // Those of metrics-server before 0.5 carry no labels.
        let is_selected = |PodMetrics { metadata, .. }: &PodMetrics| {
            metadata.labels.is_empty() || selecting.holds(&metadata.namespace, &metadata.labels)
        };
        samples(permits, &endpoint, is_selected, is_kept).await
    })
    .await
}

/// The selectors of the wanted HPAs, each under its namespace and the label in it
/// that the fewest share, and with the place of its HPA: of thousands, an object is
/// compared with a few.
pub struct Selecting<'s>(BTreeMap<SelectorKey<'s>, Vec<(usize, &'s Selector)>>);

/// A namespace, and a label that is asked for.
type SelectorKey<'s> = (&'s str, Option<(&'s str, &'s str)>);

impl<'s> Selecting<'s> {
    /// Of some HPAs with their places.
    pub fn of(surveyed: impl Iterator<Item = (usize, &'s Surveyed)>) -> Self {
        let selected = surveyed.filter(|(_, one)| one.is_selected);
        let selected: Vec<_> = selected
            .filter_map(|(place, one)| {
                let namespace = one.hpa.metadata.namespace.as_str();
                Some((namespace, place, one.selector.as_ref()?))
            })
            .collect();
        let mut shared = BTreeMap::<_, usize>::new();
        for label in selected
            .iter()
            .flat_map(|(_, _, selector)| selector.labels())
        {
            *shared.entry(label).or_default() += 1;
        }
        let mut selectors = BTreeMap::<_, Vec<_>>::new();
        for (namespace, place, selector) in selected {
            let label = selector.labels().min_by_key(|label| shared[label]);
            let sharing = selectors.entry((namespace, label)).or_default();
            sharing.push((place, selector));
        }
        Self(selectors)
    }

    /// The namespaces of these.
    pub fn namespaces(&self) -> Namespaces {
        let namespaces = self.0.keys().map(|(namespace, _)| *namespace);
        namespaces.map(str::to_owned).collect()
    }

    /// Whether one of them selects an object.
    pub fn holds(&self, namespace: &str, labels: &Labels) -> bool {
        self.selecting(namespace, labels).next().is_some()
    }

    /// The places of the HPAs that select an object.
    fn selecting<'o>(
        &'o self,
        namespace: &'o str,
        labels: &'o Labels,
    ) -> impl Iterator<Item = usize> + 'o {
        let entries = labels.entries();
        let entries = entries.map(|(key, value)| Some((key.as_str(), value.as_str())));
        let keys = entries.chain([None]);
        keys.filter_map(move |label| self.0.get(&(namespace, label)))
            .flatten()
            .filter(move |(_, selector)| selector.matches(labels))
            .map(|(place, _)| *place)
    }
}

/// For each HPA the places of what it selects in the list of its namespace.
pub fn selected<T>(
    surveyed: &[Surveyed],
    lists: &Spread<T>,
    labels: fn(&T) -> &Labels,
) -> Vec<Vec<usize>> {
    let selecting = Selecting::of(surveyed.iter().enumerate());
    let mut selected = vec![Vec::new(); surveyed.len()];
    for (namespace, list) in lists {
        for (place, object) in list.response().into_iter().flatten().enumerate() {
            for own in selecting.selecting(namespace, labels(object)) {
                selected[own].push(place);
            }
        }
    }
    selected
}
