//! What a Prometheus scraped of an HPA: its size, its status and its spec at
//! moments, without those parts that no series has: reasons, moments of
//! writing, windows and policies.

mod found;
mod passes;
mod pods;
mod story;

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};
use std::iter;
use std::sync::Arc;

use jiff::Timestamp;
use thiserror::Error;

use super::observer::shared;
use crate::api::{
    Behavior, Condition, ConditionKind, ConditionStatus, Direction, Format,
    HorizontalPodAutoscaler, HpaSpec, HpaStatus, MetricSpec, MetricStatus, MetricValueStatus,
    Quantity, ScalingRules, Series,
};
use crate::controller::{Nanos, SECOND, timestamp};
use crate::trace::amount::median;
use crate::trace::seconds_text;
use pods::ScrapedPods;

pub use passes::ScrapedPass;

const PREFIX: &str = "kube_horizontalpodautoscaler_";

/// The labels that tell what a series is about. The others tell who scraped
/// it from whom.
const OWN_LABELS: [&str; 9] = [
    "__name__",
    "horizontalpodautoscaler",
    "deployment",
    "statefulset",
    "replicaset",
    "metric_name",
    "metric_target_type",
    "condition",
    "status",
];

/// Two that scrape beside each other for longer are two clusters, or two
/// servers of one; for so long, one takes over from the other.
const TAKES_OVER: Nanos = 300 * SECOND;

/// More holes than this are only counted.
const MOST_HOLES: usize = 3;

/// What was scraped of an HPA, the oldest first.
#[derive(Clone, Debug, Default)]
pub struct Scrapes {
    pub(super) all: Vec<Scrape>,
    /// What a reader should know of them.
    pub(super) remarks: Vec<String>,
    pods: ScrapedPods,
    /// Between two that are further apart is a hole.
    longest: Nanos,
}

/// What was scraped at a moment.
#[derive(Clone, Debug)]
pub(super) struct Scrape {
    pub at: Nanos,
    /// The size of the target.
    pub size: i32,
    /// The pods that the target says to have.
    pub pods: i32,
    /// The spec of then, with the behavior of now.
    pub spec: Arc<HpaSpec>,
    /// The numbers of the status and its conditions, without their reasons.
    pub status: Arc<HpaStatus>,
    pub created: Option<Timestamp>,
}

impl Scrape {
    /// Whether the moment is all that differs.
    fn shows_the_same(&self, other: &Self) -> bool {
        self.size == other.size
            && self.created == other.created
            && Arc::ptr_eq(&self.spec, &other.spec)
            && Arc::ptr_eq(&self.status, &other.status)
    }
}

/// Why series tell nothing.
#[derive(Debug, PartialEq, Eq, Error)]
pub enum ScrapesError {
    /// There are none of the HPA.
    #[error("it has no series of HPA {0}")]
    NoSeries(String),
    /// There are none of the target's size at the same moments.
    #[error("it has the HPA {0}, but not the size of its target from the same scrapes")]
    NoSizes(String),
    /// Several scrape the same at the same time.
    #[error("it has HPA {name} several times, with {one} and with {other}")]
    Several {
        /// Of which HPA.
        name: String,
        /// The labels of the one.
        one: String,
        /// The labels of the other.
        other: String,
    },
}

/// The values of one scrape.
#[derive(Default, PartialEq)]
struct ScrapeRow<'s> {
    numbers: Vec<(&'s str, f64)>,
    size: Option<f64>,
    pods: Option<f64>,
    targets: Vec<(&'s str, &'s str, f64)>,
    measured: Vec<(&'s str, &'s str, f64)>,
    conditions: Vec<(&'s str, &'s str)>,
}

impl Scrapes {
    /// Puts series together to what was scraped at each moment. What no series
    /// tells is as in the HPA of now. Where single passes are not asked for, of
    /// scrapes in a row that show the same the first and the last tell as much.
    ///
    /// # Errors
    ///
    /// They do not tell of this HPA, or of more than one.
    pub fn new(
        hpa: &HorizontalPodAutoscaler,
        series: &[Series],
        warnings: &[String],
        of_passes: bool,
    ) -> Result<Self, ScrapesError> {
        let metadata = &hpa.metadata;
        let name = format!("{}/{}", metadata.namespace, metadata.name);
        let pods = ScrapedPods::new(hpa, series);
        let of_target: Vec<&Series> = series.iter().filter(|it| is_of_target(it)).collect();
        is_of_one(&of_target, &name)?;
        let mut all: Vec<Scrape> = Vec::new();
        let (mut times, mut is_known) = (Vec::new(), false);
        let mut last: Option<(ScrapeRow, Option<Scrape>)> = None;
        for (at, row) in rows(&of_target) {
            let same = last.filter(|(before, _)| *before == row);
            let scrape = match same {
                Some((_, same)) => same.map(|scrape| Scrape { at, ..scrape }),
                None => row.scrape(hpa, at, all.last()),
            };
            is_known |= row.number("status_desired_replicas").is_some();
            last = Some((row, scrape.clone()));
            let Some(scrape) = scrape else {
                continue;
            };
            times.push(scrape.at);
            if !of_passes
                && let [.., one, other] = all.as_slice()
                && one.shows_the_same(other)
                && other.shows_the_same(&scrape)
            {
                all.pop();
            }
            all.push(scrape);
        }
        if !is_known {
            return Err(ScrapesError::NoSeries(name));
        }
        if all.is_empty() {
            return Err(ScrapesError::NoSizes(name));
        }
        let longest = longest(&times);
        let mut remarks = holes(&times, longest);
        let edits = edits(&all);
        let edits = edits
            .iter()
            .map(|it| format!("{} edited {}", it.what, span_text(it.from, it.to)));
        remarks.extend(latest("edits", edits.collect(), MOST_NAMED));
        let others = set_by_others(&all);
        let others = others.iter().map(|it| {
            let times = span_text(it.from, it.to);
            format!(
                "someone else set the size to {} {times}; the HPA had left {}",
                it.found, it.left
            )
        });
        remarks.extend(latest("sizes set by others", others.collect(), MOST_NAMED));
        let warnings = warnings.iter().map(|it| format!("Prometheus warns: {it}"));
        remarks.extend(latest("warnings", warnings.collect(), MOST_NAMED));
        Ok(Self {
            all,
            remarks,
            pods,
            longest,
        })
    }

    /// Whether nothing was scraped for so long that nothing is concluded.
    fn is_hole(&self, from: Nanos, to: Nanos) -> bool {
        to - from > self.longest
    }
}

/// Whether a series is of the HPA or its target, not of a pod or what owns it.
fn is_of_target(series: &Series) -> bool {
    series.label("pod").is_empty() && series.name() != "kube_replicaset_owner"
}

/// Refuses series of which several tell of the HPA at the same time.
fn is_of_one(series: &[&Series], name: &str) -> Result<(), ScrapesError> {
    let mut sources: BTreeMap<String, (Timestamp, Timestamp)> = BTreeMap::new();
    for one in series {
        let ([first, ..], [.., last]) = (&*one.values, &*one.values) else {
            continue;
        };
        let labels = one.labels.iter();
        let foreign = labels.filter(|(label, _)| !OWN_LABELS.contains(&label.as_str()));
        let source = foreign.map(|(label, value)| format!("{label}={value:?}"));
        let source = source.collect::<Vec<_>>().join(",");
        let times = sources.entry(source).or_insert((first.0, last.0));
        *times = (times.0.min(first.0), times.1.max(last.0));
    }
    let mut sources: Vec<(String, (Timestamp, Timestamp))> = sources.into_iter().collect();
    sources.sort_by_key(|(_, times)| *times);
    for pair in sources.windows(2) {
        if let [(one, (_, end)), (other, (begin, until))] = pair
            && (*end).min(*until).as_nanosecond() - begin.as_nanosecond() > TAKES_OVER
        {
            return Err(ScrapesError::Several {
                name: name.to_owned(),
                one: one.clone(),
                other: other.clone(),
            });
        }
    }
    Ok(())
}

/// The values of each scrape, the oldest first: of weeks they are millions, so
/// they are put together one scrape at a time.
fn rows<'s>(series: &[&'s Series]) -> impl Iterator<Item = (Nanos, ScrapeRow<'s>)> {
    let head = |place: usize, index: usize| {
        let point = series[place].values.get(index)?;
        Some(Reverse((point.0, place, index)))
    };
    let mut heads: BinaryHeap<_> = (0..series.len()).filter_map(|it| head(it, 0)).collect();
    iter::from_fn(move || {
        let Reverse((at, ..)) = *heads.peek()?;
        let mut row = ScrapeRow::default();
        while let Some(Reverse((time, place, index))) = heads.peek().copied()
            && time == at
        {
            heads.pop();
            row.take(series[place], series[place].values[index].1);
            heads.extend(head(place, index + 1));
        }
        Some((at.as_nanosecond(), row))
    })
}

impl<'s> ScrapeRow<'s> {
    fn take(&mut self, series: &'s Series, value: f64) {
        let label = |name| series.label(name);
        match series.name().strip_prefix(PREFIX) {
            None if series.name().contains("_status_") => self.pods = Some(value),
            None => self.size = Some(value),
            Some("spec_target_metric") => {
                let target = (label("metric_name"), label("metric_target_type"), value);
                self.targets.push(target);
            }
            Some("status_condition") if value > 0.0 => {
                self.conditions.push((label("condition"), label("status")));
            }
            Some("status_target_metric") => {
                let measured = (label("metric_name"), label("metric_target_type"), value);
                self.measured.push(measured);
            }
            Some("status_condition") => {}
            Some(name) => self.numbers.push((name, value)),
        }
    }

    /// A value by its family's name; of several, the last.
    fn number(&self, name: &str) -> Option<f64> {
        let mut numbers = self.numbers.iter().rev();
        numbers.find(|it| it.0 == name).map(|it| it.1)
    }

    /// What is known of the moment, where that is enough.
    fn scrape(
        &self,
        hpa: &HorizontalPodAutoscaler,
        at: Nanos,
        before: Option<&Scrape>,
    ) -> Option<Scrape> {
        let replicas = |name| self.number(name).and_then(whole);
        let mut conditions: Vec<Condition> = self.conditions.iter().map(condition).collect();
        conditions.sort_by(|one, other| one.kind.as_str().cmp(other.kind.as_str()));
        let mut status = HpaStatus {
            current_replicas: replicas("status_current_replicas")?,
            desired_replicas: replicas("status_desired_replicas")?,
            conditions,
            ..HpaStatus::default()
        };
        let mut spec = hpa.spec.clone();
        spec.min_replicas = replicas("spec_min_replicas").or(spec.min_replicas);
        spec.max_replicas = replicas("spec_max_replicas").unwrap_or(spec.max_replicas);
        if !self.targets.is_empty() {
            spec.metrics.retain_mut(|metric| self.is_there(metric));
        }
        let measured = spec.metrics.iter().filter_map(|it| self.measured(it));
        status.current_metrics = measured.collect();
        // A moment that there is none of saturates, and is left out.
        #[expect(clippy::cast_possible_truncation)]
        let created = self.number("created").map(|at| at as i64);
        Some(Scrape {
            at,
            size: self.size.and_then(whole)?,
            pods: self.pods.or(self.size).and_then(whole)?,
            spec: shared(before.map(|it| &it.spec), &spec),
            status: shared(before.map(|it| &it.status), &status),
            created: created.and_then(|at| Timestamp::from_second(at).ok()),
        })
    }

    /// What the pass before the scrape measured of a metric.
    fn measured(&self, metric: &MetricSpec) -> Option<MetricStatus> {
        let name = metric.name()?;
        let then = |kind| value_of(&self.measured, name, kind);
        let quantity =
            |kind| then(kind).map(|value| Quantity::from_milli(milli(value), Format::DecimalSi));
        let current = MetricValueStatus {
            value: quantity("value"),
            average_value: quantity("average"),
            average_utilization: then("utilization").and_then(whole),
        };
        if current == MetricValueStatus::default() {
            return None;
        }
        MetricStatus::of(metric, current)
    }

    /// Whether a metric was in the spec, which then has the target of then.
    fn is_there(&self, metric: &mut MetricSpec) -> bool {
        let name = metric.name().unwrap_or_default().to_owned();
        let mut targets = metric.targets_mut();
        let Some(target) = targets.next() else {
            return true;
        };
        let then = |kind| value_of(&self.targets, &name, kind);
        if let Some(percent) = &mut target.average_utilization {
            return then("utilization")
                .map(|value| *percent = whole(value).unwrap_or(*percent))
                .is_some();
        }
        let (own, kind) = match (&mut target.average_value, &mut target.value) {
            (Some(own), _) => (own, "average"),
            (None, Some(own)) => (own, "value"),
            (None, None) => return true,
        };
        let then = then(kind);
        if let Some(value) = then {
            set(own, value);
        }
        then.is_some()
    }
}

/// The value of a metric's name and of a kind of target.
fn value_of(all: &[(&str, &str, f64)], name: &str, kind: &str) -> Option<f64> {
    let found = all.iter().find(|(of, it, _)| *of == name && *it == kind);
    found.map(|(.., value)| *value)
}

/// Sets a quantity to what it was, unless it still is.
fn set(own: &mut Quantity, then: f64) {
    let is_same = (own.as_approximate_float() - then).abs() <= then.abs() * 1e-9;
    if !is_same {
        *own = Quantity::from_milli(milli(then), own.format());
    }
}

/// In thousandths: the API server allows no more.
#[expect(clippy::cast_possible_truncation)]
fn milli(value: f64) -> i64 {
    (value * 1_000.0).round() as i64
}

/// A whole number that fits.
fn whole(value: f64) -> Option<i32> {
    #[expect(clippy::cast_possible_truncation)]
    let whole = value.round() as i32;
    (f64::from(whole).total_cmp(&value).is_eq()).then_some(whole)
}

fn condition((kind, status): &(&str, &str)) -> Condition {
    let status = match *status {
        "true" => ConditionStatus::True,
        "false" => ConditionStatus::False,
        _ => ConditionStatus::Unknown,
    };
    Condition {
        kind: (*kind).into(),
        status: status.into(),
        ..Condition::default()
    }
}

/// The most of one kind that are told.
const MOST_NAMED: usize = 4;

/// The latest of what is told, and how many more there are.
fn latest(what: &str, mut all: Vec<String>, most: usize) -> Vec<String> {
    let more = all.len().saturating_sub(most);
    all.drain(..more);
    if more > 0 {
        all.insert(0, format!("{more} earlier {what}"));
    }
    all
}

/// An edit of the bounds or the targets, between two scrapes.
struct ScrapedEdit {
    from: Nanos,
    to: Nanos,
    what: String,
}

/// A size that somebody else has set.
struct SetSize {
    from: Nanos,
    to: Nanos,
    left: i32,
    found: i32,
}

/// When somebody edited the bounds or the targets, by scrapes that differ.
fn edits(all: &[Scrape]) -> Vec<ScrapedEdit> {
    let pairs = all.windows(2).filter_map(|pair| {
        let (one, other) = (&pair[0], &pair[1]);
        if one.created != other.created {
            return None;
        }
        let bound = |spec: &HpaSpec| [spec.min_replicas.unwrap_or(1), spec.max_replicas];
        let (old, new) = (bound(&one.spec), bound(&other.spec));
        let names = ["minReplicas", "maxReplicas"].into_iter();
        let bounds = names.zip(old).zip(new);
        let bounds = bounds.filter(|((_, old), new)| old != new);
        let mut changed: Vec<String> = bounds
            .map(|((name, old), new)| format!("{name} from {old} to {new}"))
            .collect();
        if one.spec.metrics != other.spec.metrics {
            changed.extend(target_edits(&one.spec.metrics, &other.spec.metrics));
        }
        if one.spec.behavior != other.spec.behavior {
            let fields = behavior_edits(one.spec.behavior.as_ref(), other.spec.behavior.as_ref());
            changed.extend(fields);
        }
        let changed = Some(changed).filter(|it| !it.is_empty())?;
        Some(ScrapedEdit {
            from: one.at,
            to: other.at,
            what: changed.join(" and "),
        })
    });
    pairs.collect()
}

/// The targets that were changed, with their values; otherwise that something was.
fn target_edits(old: &[MetricSpec], new: &[MetricSpec]) -> Vec<String> {
    let target = |metric: &MetricSpec| {
        let mut metric = metric.clone();
        let target = metric.targets_mut().next()?;
        let value = target.average_value.as_ref().or(target.value.as_ref());
        let percent = target.average_utilization.map(|it| format!("{it}%"));
        percent.or(value.map(Quantity::to_string))
    };
    let changed = old.iter().zip(new).filter(|(old, new)| old != new);
    let changed = changed.map(|(old, new)| {
        let (name, before, after) = (new.name()?, target(old)?, target(new)?);
        (old.measures_the_same(new) && before != after)
            .then(|| format!("{name} target from {before} to {after}"))
    });
    let changed: Option<Vec<String>> = changed.collect();
    let reported = changed.filter(|_| old.len() == new.len());
    reported.unwrap_or_else(|| vec!["the metrics or their targets".to_owned()])
}

/// What was changed of a behavior: windows with their values, policies by name.
fn behavior_edits(old: Option<&Behavior>, new: Option<&Behavior>) -> Vec<String> {
    let both = [Direction::Up, Direction::Down].map(|way| {
        let [old, new] = [old, new].map(|it| it.and_then(|it| it.rules(way)));
        let [before, after] = [old, new].map(|it| it?.stabilization_window_seconds);
        let text = |window: Option<i32>| {
            window.map_or_else(
                || "the default".to_owned(),
                |seconds| seconds_text(seconds.into()),
            )
        };
        let window = (before != after)
            .then(|| format!("{way} window from {} to {}", text(before), text(after)));
        let rest = |rules: Option<&ScalingRules>| {
            rules.map(|it| {
                let (policies, select) = (it.policies.clone(), it.select_policy.clone());
                (policies, select, it.tolerance.clone())
            })
        };
        let policies = old.is_some() && new.is_some() && rest(old) != rest(new);
        let policies = policies.then(|| format!("the {way} policies"));
        window.into_iter().chain(policies)
    });
    let fields: Vec<String> = both.into_iter().flatten().collect();
    if fields.is_empty() {
        return vec!["the behavior".to_owned()];
    }
    fields
}

/// So close, one pass lies between two scrapes.
const ONE_PASS: Nanos = 17 * SECOND;

/// When a pass found another size than the one before it had left.
fn set_by_others(all: &[Scrape]) -> Vec<SetSize> {
    let triples = all.windows(3).filter_map(|it| {
        let [before, one, other] = it else {
            return None;
        };
        let (left, found) = (one.status.desired_replicas, other.status.current_replicas);
        // A scrape that shows no newer status may have missed a pass.
        let are_next = before.status != one.status
            && one.status != other.status
            && other.at - one.at <= ONE_PASS
            && one.at - before.at <= ONE_PASS;
        let is_same = before.created == other.created && is_active(&one.status);
        if !are_next || !is_same || !is_active(&other.status) || left == found {
            return None;
        }
        Some(SetSize {
            from: before.at,
            to: other.at,
            left,
            found,
        })
    });
    triples.collect()
}

/// Whether the pass of a status could read the scale and the metrics.
pub(super) fn is_active(status: &HpaStatus) -> bool {
    let kinds = [ConditionKind::AbleToScale, ConditionKind::ScalingActive];
    let mut conditions = kinds.into_iter().map(|kind| status.condition(kind));
    conditions.all(|it| it.is_some_and(|it| it.status == ConditionStatus::True))
}

fn span_text(from: Nanos, to: Nanos) -> String {
    let second = |at: Nanos| timestamp(at / SECOND * SECOND);
    format!("between {} and {}", second(from), second(to))
}

/// How long nothing may have been scraped: two of the usual intervals.
fn longest(times: &[Nanos]) -> Nanos {
    let apart = times.windows(2).map(|pair| pair[1] - pair[0]);
    median(apart).map_or(Nanos::MAX, |interval| 2 * interval + SECOND)
}

/// The times in which nothing was scraped for longer.
fn holes(times: &[Nanos], longest: Nanos) -> Vec<String> {
    let holes = times.windows(2).filter(|pair| pair[1] - pair[0] > longest);
    let holes = holes.map(|pair| {
        let times = span_text(pair[0], pair[1]);
        format!("Prometheus has no scrape {times}; changes can be missing")
    });
    latest("holes in the scrapes", holes.collect(), MOST_HOLES)
}
