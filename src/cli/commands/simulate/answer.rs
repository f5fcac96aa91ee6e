//! Every spec under the load.

use std::sync::{Mutex, PoisonError};

use super::baseline::{self, Baseline};
use super::{Simulate, USUAL_SECONDS, load, workload};
use crate::api::{GoDuration, HorizontalPodAutoscaler, HpaSpec, MetricSpec};
use crate::budget;
use crate::cli::{exit::INTERRUPTED, failure::Failure, terminal::Terminal, waiting::Progress};
use crate::controller::Settings;
use crate::history::{Observer, explain};
use crate::render::{Format, FormatKind};
use crate::simulate::{
    CompareError, Keep, MetricLoad, SimulateError, Spread, Subject, bare, delay, idle_today,
    is_called, is_paused, metric_label, metric_name, search,
};
use crate::trace::amount::{counted, in_words};
use crate::trace::{MetricRecord, NOW, Search, SimulatedRun, Simulation, Unbeaten};
use crate::what_if::{Candidate, patch};

/// The longest simulation: 31 days.
const MOST_SECONDS: i64 = 31 * 86_400;
/// As many changes as a page lists; a text lists fewer.
const MOST_CHANGES: usize = 12;
/// The longest load of a search: a week.
const MOST_SEARCHED: i64 = 7 * 86_400;
/// The most passes of a search, each tried with a thousand behaviors in a
/// minute: a week of them at the default sync period are 40,320.
const MOST_TRIED: i64 = 100_000;
/// The most passes that a document has, of all specs together: some 100 MiB.
const MOST_KEPT: i64 = 400_000;

impl Simulate {
    /// Runs what there is, the candidates and the search under one load.
    pub(super) fn answer(
        &self,
        baseline: &Baseline,
        others: &[Candidate],
        terminal: &mut Terminal,
    ) -> anyhow::Result<Simulation> {
        let snapshot = &*terminal.shown(&baseline.snapshot);
        let hpa = &snapshot.hpa;
        let overrides = self.settings.overrides();
        let (index, metric) = self.driven(&hpa.spec)?;
        let replicas = self.replicas.unwrap_or(baseline.replicas);
        let requested = self.load.clone().unwrap_or_default();
        let model = self.workload.model(snapshot, &overrides, index, metric)?;
        let settings = Settings::resolve(snapshot, &overrides);
        let base = load::at_target(metric, &model, replicas, settings.release);
        let seconds = self.duration.map(GoDuration::seconds);
        let load = requested.load(self, (snapshot, metric), base, seconds, terminal)?;
        let model = match &load.recorded {
            Some(recorded) => self.workload.of_record(model, recorded),
            None => model,
        };
        let seconds = seconds.or(load.seconds).unwrap_or(USUAL_SECONDS);
        let passes = seconds / settings.sync_period_seconds().max(1);
        self.check_length(seconds, passes)?;
        let specs = baseline::all(&hpa.spec, others);
        let kept = passes.saturating_mul(i64::try_from(specs.len()).unwrap_or(i64::MAX));
        if matches!(self.kept(), Keep::All) && kept > MOST_KEPT {
            return Err(Failure::usage(
                format!("a document holds at most {MOST_KEPT} passes, not {kept}"),
                "--for gives a shorter load; without -o, any number is summed up",
            ));
        }
        let empty = bare(snapshot, replicas);
        let rules = self.settings.rules(snapshot);
        let mut warnings = settings.basis().weaknesses();
        warnings.extend(baseline::refused(hpa, rules));
        warnings.extend(idle_today(snapshot, &overrides));
        warnings.extend(baseline::paused(&empty, &overrides, &specs, replicas));
        let (at, unseen) = (snapshot.captured_at, Observer::default());
        let today = self.files.is_none();
        let today = today.then(|| explain(snapshot, &settings, at, &unseen));
        warnings.extend(baseline::left_out(&specs, metric, today.as_ref()));
        warnings.extend(today.as_ref().and_then(baseline::set_aside));
        let base = base.filter(|_| requested.starts_at_target());
        let now = today.as_ref().and_then(|it| it.metrics.get(index));
        let at_target = base.map(|base| at_target((metric, model.spread), (replicas, base), now));
        let subject = Subject {
            snapshot: &empty,
            overrides: &overrides,
            lead: MetricLoad {
                metric,
                load: &load.load,
                model: &model,
            },
            others: Vec::new(),
            replicas,
            seconds,
            keep: self.kept(),
        };
        let mut progress = Progress::of("simulating", Some(specs.len()), "specs");
        let run = |name: &str, spec: &HpaSpec| {
            let run = subject.run(name, spec).map_err(not_run)?;
            let pods = replicas.max(spec.min_replicas.unwrap_or(1));
            anyhow::Ok(SimulatedRun {
                reaction: delay(&subject, spec, pods)
                    .filter(|_| !is_paused(&empty, &overrides, spec, replicas)),
                ..run
            })
        };
        let mut runs = vec![SimulatedRun {
            is_now: true,
            ..run(NOW, &hpa.spec)?
        }];
        for other in others {
            progress.step();
            runs.push(SimulatedRun {
                patch: other.patch.clone(),
                ..run(&other.name, &other.spec)?
            });
        }
        drop(progress);
        if self.output.format == Format::Html {
            subject.explain(&mut runs, specs.iter().map(|it| it.1), |_| false);
        }
        let search = self.search.then(|| searched(&subject, hpa)).transpose()?;
        Ok(Simulation {
            namespace: hpa.metadata.namespace.to_string(),
            name: hpa.metadata.name.to_string(),
            target: hpa.spec.scale_target_ref.clone(),
            metric: metric_name(metric).to_owned(),
            metric_label: metric_label(metric, specs.iter().flat_map(|(_, it)| &it.metrics)),
            metric_type: metric.kind.clone(),
            load: load.words + &at_target.unwrap_or_default(),
            seconds,
            every_seconds: settings.sync_period_seconds(),
            release: settings.release.to_string(),
            assumptions: [
                baseline::rules_assumed(&settings),
                workload::assumptions(&model, metric),
            ]
            .concat(),
            warnings,
            runs,
            search,
        })
    }

    /// Refuses what takes too long.
    fn check_length(&self, seconds: i64, passes: i64) -> anyhow::Result<()> {
        if !(1..=MOST_SECONDS).contains(&seconds) {
            return Err(Failure::usage(
                "a simulation lasts from 1s to 31 days",
                "--for gives its length, such as --for 24h",
            ));
        }
        if self.search && seconds > MOST_SEARCHED {
            return Err(Failure::usage(
                "a search covers at most 168h of load",
                "--for gives a shorter part of it, such as --for 24h",
            ));
        }
        if self.search && passes > MOST_TRIED {
            return Err(Failure::usage(
                format!("a search covers at most {MOST_TRIED} passes, not {passes}"),
                "--for gives a shorter part of the load, --sync-period fewer passes of it",
            ));
        }
        Ok(())
    }

    /// Which passes are kept: documents have all of them.
    fn kept(&self) -> Keep {
        match self.output.format {
            format if format.is(FormatKind::Document) => Keep::All,
            format if format == Format::Html || self.output.verbosity > 0 => Keep::Shown {
                changes: usize::MAX,
            },
            _ => Keep::Shown {
                changes: MOST_CHANGES,
            },
        }
    }

    /// The metric that the load is of.
    fn driven<'s>(&self, spec: &'s HpaSpec) -> anyhow::Result<(usize, &'s MetricSpec)> {
        let mut metrics = spec.metrics.iter().enumerate();
        let found = match &self.metric {
            None => metrics.next(),
            Some(name) => {
                // A name of its own goes before type and container.
                let named = metrics.clone().find(|(_, it)| metric_name(it) == name);
                named.or_else(|| metrics.find(|(_, metric)| is_called(metric, name)))
            }
        };
        let all = spec.metrics.iter();
        let names = all.map(|it| metric_label(it, spec.metrics.iter()));
        let names: Vec<String> = names.collect();
        let name = self.metric.as_deref().unwrap_or_default();
        let message = format!("the HPA has no metric {name}");
        found.ok_or_else(|| Failure::usage(message, format!("it has {}", names.join(", "))))
    }
}

/// Tries many behaviors.
fn searched(subject: &Subject, hpa: &HorizontalPodAutoscaler) -> anyhow::Result<Search> {
    // Ctrl-C ends it with those that were tried by then.
    budget::catch_interrupt(INTERRUPTED)?;
    let progress: Mutex<Option<Progress>> = Mutex::default();
    let locked = || progress.lock().unwrap_or_else(PoisonError::into_inner);
    let found = search(
        subject,
        &hpa.spec,
        |all| *locked() = Some(Progress::of("searching", Some(all), "behaviors tried")),
        || {
            locked().iter_mut().for_each(Progress::step);
            !budget::is_interrupted()
        },
    )
    .map_err(not_run)?;
    let front = found.front.into_iter().map(|tried| Unbeaten {
        patch: patch(hpa, &tried.spec),
        beats_now: tried.beats(&found.own),
        name: tried.name,
        scores: tried.scores,
    });
    Ok(Search {
        tried: found.tried,
        failed: found.failed,
        failure: found.failure,
        now: found.own,
        front: front.collect(),
    })
}

/// What the load of the target is, and the one that was measured.
fn at_target(
    (metric, spread): (&MetricSpec, Spread),
    (replicas, base): (i32, i64),
    now: Option<&MetricRecord>,
) -> String {
    let measured = now.and_then(|it| it.measured.as_ref());
    let (pods, found) = match spread {
        Spread::EachPod => ("each pod".to_owned(), measured.and_then(|it| it.average)),
        _ => (counted(replicas.max(1), "pod"), measured.map(|it| it.total)),
    };
    let of = |milli| in_words(metric_name(metric), metric.is_of_resource(), milli);
    let found = found.map_or_else(String::new, |it| format!(" (measured: {})", of(it)));
    format!("; {} is exactly the target of {pods}{found}", of(base))
}

/// Why a spec cannot be simulated, and what to do about it.
#[expect(clippy::needless_pass_by_value, reason = "as errors are mapped")]
fn not_run(error: CompareError) -> anyhow::Error {
    let hint = match &error {
        CompareError::NoMetric { .. } => {
            "--metric names the metric of the load; every spec must have it"
        }
        CompareError::NoRequest { .. } => "give it with --request, such as --request 500m",
        CompareError::NoCapacity { .. } => {
            "--metric names another one that pods share, such as cpu"
        }
        CompareError::Run {
            error: SimulateError::TooManyPods { .. },
            ..
        } => "use a lower maxReplicas or a smaller load",
        CompareError::Run {
            error: SimulateError::TooMuch { .. },
            ..
        } => "--for 1h or --sync-period 1m needs less work",
    };
    Failure::error(error.to_string(), hint)
}
