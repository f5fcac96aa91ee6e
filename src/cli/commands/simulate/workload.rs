//! What a workload is like, as it is typed.

use anyhow::Context as _;
use clap::Args;

use crate::api::{GoDuration, MetricSpec, Quantity};
use crate::cli::{failure::Failure, options};
use crate::controller::Overrides;
use crate::document::snapshot::Snapshot;
use crate::simulate::load::RecordedLoad;
use crate::simulate::{Burst, Model, Spread, common_request, is_share, metric_name, spread};
use crate::trace::amount::{amount_of, counted, median};
use crate::trace::seconds_text;

/// The most that metrics and a status are behind, in seconds.
const MOST_BEHIND: i64 = 86_400;

/// The flags.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Workload")]
pub struct WorkloadArgs {
    /// What a pod requests of the metric's resource, such as 500m; by default
    /// what the HPA's pods request
    #[arg(long, value_name = "QUANTITY", value_parser = amount)]
    request: Option<i64>,
    /// Time from a pod's scheduling to its containers running; by default 10s,
    /// or as the record shows it
    #[arg(long, value_name = "DURATION", allow_hyphen_values = true, value_parser = options::whole_seconds)]
    start_up: Option<GoDuration>,
    /// Time from running to Ready; by default 5s, or as the record shows it
    #[arg(long, value_name = "DURATION", allow_hyphen_values = true, value_parser = options::whole_seconds)]
    readiness: Option<GoDuration>,
    /// Time that a sample measures; by default 30s, or as the record shows it
    #[arg(long, value_name = "DURATION", allow_hyphen_values = true, value_parser = options::whole_seconds)]
    metric_window: Option<GoDuration>,
    /// Age of a sample when a pass reads it; by default 15s, or as the record
    /// shows it
    #[arg(long, value_name = "DURATION", allow_hyphen_values = true, value_parser = options::whole_seconds)]
    metric_lag: Option<GoDuration>,
    /// How long the target's status.replicas lags behind
    #[arg(long, value_name = "DURATION", default_value = "0s", allow_hyphen_values = true, value_parser = options::whole_seconds)]
    status_lag: GoDuration,
    /// What a pod uses on its own while it starts, and for how long: 400m,60s
    #[arg(long, value_name = "QUANTITY,DURATION", value_parser = burst)]
    burst: Option<Burst>,
    /// A rolling update of all pods at this moment; can be repeated
    #[arg(long, value_name = "DURATION", allow_hyphen_values = true, value_parser = options::whole_seconds)]
    rollout: Vec<GoDuration>,
    /// Number of pods that never become Ready
    #[arg(long, value_name = "PODS", default_value_t = 0, value_parser = clap::value_parser!(i32).range(0..=100_000))]
    crashing: i32,
    /// Number of pods that the nodes have room for; further pods stay Pending
    #[arg(long, value_name = "PODS", value_parser = clap::value_parser!(i32).range(0..=100_000))]
    capacity: Option<i32>,
}

impl WorkloadArgs {
    /// The workload, for a metric of the spec.
    /// Errors: the metric is measured against a request that is not known.
    pub fn model(
        &self,
        snapshot: &Snapshot,
        overrides: &Overrides,
        index: usize,
        metric: &MetricSpec,
    ) -> anyhow::Result<Model> {
        let request = self.request;
        let request = request.or_else(|| common_request(snapshot, overrides, index));
        if is_share(metric) && request.is_none() {
            return Err(Failure::error(
                format!(
                    "the target is a percentage of the pods' {} request, and the request is unknown",
                    metric_name(metric)
                ),
                "give it with --request, such as --request 500m",
            ));
        }
        let is_whole = spread(metric) == Spread::Whole;
        for (flag, is_idle) in [
            (
                "--request",
                self.request.is_some() && !metric.is_of_resource(),
            ),
            ("--burst", self.burst.is_some() && is_whole),
        ] {
            if is_idle {
                return Err(Failure::usage(
                    format!(
                        "{flag} has no effect on {}, a metric of type {}",
                        metric_name(metric),
                        metric.kind
                    ),
                    "--metric names the metric that the load is of",
                ));
            }
        }
        let mut rollouts: Vec<i64> = self.rollout.iter().map(|at| at.seconds()).collect();
        rollouts.sort_unstable();
        for (flag, given) in [
            ("--metric-window", self.metric_window),
            ("--metric-lag", self.metric_lag),
            ("--status-lag", Some(self.status_lag)),
        ] {
            if given.is_some_and(|given| given.seconds() > MOST_BEHIND) {
                return Err(Failure::usage(
                    format!("{flag} is longer than 24h"),
                    "metrics and status lag by seconds or minutes",
                ));
            }
        }
        let usual = Model::default();
        let given = |given: Option<GoDuration>, usual| given.map_or(usual, GoDuration::seconds);
        Ok(Model {
            request,
            spread: spread(metric),
            start_up: given(self.start_up, usual.start_up),
            readiness: given(self.readiness, usual.readiness),
            window: given(self.metric_window, usual.window),
            lag: given(self.metric_lag, usual.lag),
            status_lag: self.status_lag.seconds(),
            burst: self.burst,
            rollouts,
            crashing: self.crashing,
            capacity: self.capacity,
            ..usual
        })
    }

    /// The same under the load of a record: what was not given is as the record
    /// shows it. A load that was measured is not measured again, unless that
    /// was asked for.
    pub fn of_record(&self, model: Model, recorded: &RecordedLoad) -> Model {
        let given = |given: Option<GoDuration>, own| given.map_or(own, GoDuration::seconds);
        let own = recorded.followed_by(model);
        let mut model = Model {
            start_up: given(self.start_up, own.start_up),
            readiness: given(self.readiness, own.readiness),
            ..own
        };
        if let Some(timing) = &mut model.timing {
            let (running, ready) = (model.start_up, model.start_up + model.readiness);
            for start in &mut timing.starts {
                start.running = self.start_up.map_or(start.running, |_| running);
                let is_given = self.start_up.or(self.readiness).is_some();
                start.ready = if is_given { ready } else { start.ready };
            }
        }
        match (self.metric_window, self.metric_lag) {
            (None, None) => model,
            (window, lag) => Model {
                window: given(window, 0),
                lag: given(lag, 0),
                timing: None,
                ..model
            },
        }
    }
}

/// What is taken for granted, in words.
pub fn assumptions(model: &Model, metric: &MetricSpec) -> Vec<String> {
    let name = metric_name(metric);
    let amount = |milli: i64| amount_of(name, metric.is_of_resource(), milli);
    let after = |seconds: i64| seconds_text(seconds);
    let mut reported = Vec::new();
    if let Some(request) = model.request {
        reported.push(format!("a pod requests {} of {name}", amount(request)));
    }
    reported.push(match model.spread {
        Spread::Shared => "Ready pods share the load evenly".to_owned(),
        Spread::EachPod => {
            format!("each pod has the {name} of the load, however many pods there are")
        }
        Spread::Whole => format!("{name} follows the load, however many pods there are"),
    });
    reported.push(format!(
        "containers start after {} and are Ready {} later",
        after(model.start_up),
        after(model.readiness)
    ));
    reported.push(measuring(model));
    if model.status_lag > 0 {
        reported.push(format!(
            "status.replicas lags by {}",
            after(model.status_lag)
        ));
    }
    if let Some(burst) = model.burst {
        reported.push(format!(
            "a starting pod uses {} more for {}",
            amount(burst.usage),
            after(burst.seconds)
        ));
    }
    for at in &model.rollouts {
        reported.push(format!("a rolling update at {}", after(*at)));
    }
    if model.crashing > 0 {
        reported.push(format!("{} never Ready", counted(model.crashing, "pod")));
    }
    if let Some(capacity) = model.capacity {
        reported.push(format!("room for {}", counted(capacity, "pod")));
    }
    reported
}

/// What is known of the load at a pass.
fn measuring(model: &Model) -> String {
    let window = seconds_text(model.window);
    match &model.timing {
        Some(timing) => {
            let first = median(timing.starts.iter().map(|it| it.sampled)).map(|time| {
                let time = seconds_text(time);
                format!(" (a pod's first one {time} after its start)")
            });
            let reported = if timing.is_of_moment || model.window == 0 {
                "as of the pass".to_owned()
            } else {
                format!("as an average over {window} (how it varies within is unknown)")
            };
            format!(
                "samples come as in the record{} and show the load {reported}",
                first.unwrap_or_default()
            )
        }
        None if model.window == 0 && model.lag == 0 => {
            "samples show the load as of the pass".to_owned()
        }
        None => format!(
            "samples cover {window} and are {} old",
            seconds_text(model.lag)
        ),
    }
}

/// An amount in thousandths that can be reckoned with.
pub(super) fn milli(text: &str, least: f64) -> Option<i64> {
    let quantity = text.parse::<Quantity>().ok();
    let sane = quantity.filter(|it| (least..=9e12).contains(&it.as_approximate_float()));
    sane.map(|quantity| quantity.milli_value())
}

fn amount(text: &str) -> anyhow::Result<i64> {
    milli(text, 0.001).context("must be an amount above 0, such as 500m")
}

fn burst(text: &str) -> anyhow::Result<Burst> {
    let (usage, length) = text
        .split_once(',')
        .context("must be an amount and a time, such as 400m,60s")?;
    Ok(Burst {
        usage: amount(usage)?,
        seconds: options::whole_seconds(length)?.seconds(),
    })
}
