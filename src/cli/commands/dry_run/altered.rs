//! `--metric`, `--unready`, `--missing` and `--replicas`; and `--for 15m`: how far both
//! sides are run on, and on which load.

use anyhow::{Context as _, anyhow, ensure};
use clap::Args;
use jiff::SignedDuration;

use super::DryRun;
use super::baseline::Baseline;
use crate::api::{Format, GoDuration, HpaSpec, Quantity};
use crate::cli::{failure::Failure, past::PastOrMoment, past::moment::follow, terminal::Terminal};
use crate::controller::Settings;
use crate::what_if::{Given, Inputs, Level, Recorded};

/// What is different in the inputs.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Inputs (a what-if, on every side)")]
pub struct Altered {
    /// A metric at a value of its own unit, or a resource at a percentage of
    /// the requests: queue=900, cpu=180%
    #[arg(long, value_name = "NAME=VALUE", value_parser = metric)]
    metric: Vec<(String, Level)>,
    /// More pods that have never been Ready
    #[arg(long, value_name = "PODS", default_value = "0", allow_negative_numbers = true,
        value_parser = pods::<usize>)]
    unready: usize,
    /// More pods without a sample
    #[arg(long, value_name = "PODS", default_value = "0", allow_negative_numbers = true,
        value_parser = pods::<usize>)]
    missing: usize,
    /// Another size, with the load spread over it
    #[arg(long, value_name = "PODS", allow_negative_numbers = true, value_parser = pods::<i32>)]
    replicas: Option<i32>,
}

impl Altered {
    /// A metric can be at one value only.
    pub fn check(&self) -> anyhow::Result<()> {
        for (at, (name, level)) in self.metric.iter().enumerate() {
            if let Some((_, first)) = self.metric[..at].iter().find(|(own, _)| own == name) {
                return Err(Failure::usage(
                    format!("--metric gives {name} twice: {name}={first} and {name}={level}"),
                    "leave one out; to compare both, run it once with each",
                ));
            }
        }
        Ok(())
    }

    /// What looks like a percentage, and is none, of metrics whose target is one.
    pub fn no_percentages(&self, spec: &HpaSpec) -> impl Iterator<Item = String> {
        let is_percent = |name: &str| {
            let mut metrics = spec.metrics.iter();
            metrics.any(|it| it.name() == Some(name) && it.percent_of_request().is_some())
        };
        self.metric.iter().filter_map(move |(name, level)| {
            let Level::Amount(amount) = level else {
                return None;
            };
            let milli = amount.milli_value();
            let looks_so = (10_000..=1_000_000).contains(&milli) && milli % 1_000 == 0;
            let unit = if name == "cpu" { " cores" } else { "" };
            (looks_so && is_percent(name)).then(|| {
                format!(
                    "--metric {name}={amount} is {amount}{unit} a pod; its target is in percent of \
                     the requests, as is {name}={amount}%"
                )
            })
        })
    }

    /// The same for the engine.
    pub fn given(&self) -> Given {
        Given {
            replicas: self.replicas,
            metrics: self.metric.clone(),
            unready: self.unready,
            missing: self.missing,
        }
    }
}

/// More pods than this are no cluster's.
const MOST_PODS: u32 = 100_000;

/// Reads a number of pods.
fn pods<N: TryFrom<u32>>(text: &str) -> anyhow::Result<N> {
    let number = text
        .parse::<u32>()
        .ok()
        .filter(|number| *number <= MOST_PODS);
    let number = number.and_then(|number| N::try_from(number).ok());
    number.with_context(|| format!("give a whole number of pods, from 0 to {MOST_PODS}"))
}

const EXAMPLE: &str = "give NAME=VALUE, such as queue=900 or cpu=180%";

/// Reads a metric's name and value.
fn metric(text: &str) -> anyhow::Result<(String, Level)> {
    let (name, value) = text.rsplit_once('=').context(EXAMPLE)?;
    ensure!(!name.is_empty(), EXAMPLE);
    let level = level(value).map_err(|why| anyhow!("{value:?} {why}; {EXAMPLE}"))?;
    Ok((name.to_owned(), level))
}

/// Why it is no percentage of the requests that can be set.
fn no_percent(text: &str) -> &'static str {
    match text.parse::<f64>() {
        Ok(number) if !number.is_finite() => "is not a percentage",
        Ok(number) if number < 0.0 => "is below 0",
        Ok(number) if number.fract() != 0.0 => "is not a whole percentage; leave the fraction out",
        Ok(number) if number > f64::from(u32::MAX) => "is more than the limit of 4294967295%",
        _ => "is not a percentage",
    }
}

fn level(value: &str) -> anyhow::Result<Level> {
    if let Some(percent) = value.strip_suffix('%') {
        let read = percent.parse().map(Level::Percent);
        return read.with_context(|| no_percent(percent));
    }
    let amount: Quantity = value.parse().context("is not an amount")?;
    // It counts in thousandths.
    let most = Quantity::from_milli(i64::MAX, Format::DecimalSi);
    ensure!(amount.cmp_value(&Quantity::default()).is_ge(), "is below 0");
    ensure!(
        amount.cmp_value(&most).is_le(),
        "is more than the controller can count"
    );
    Ok(Level::Amount(amount))
}

/// Longer than this, what stays is no load.
const MOST_SECONDS: i64 = 86_400;

/// How pods start is shown by those of so long before, too.
const BEFORE: SignedDuration = SignedDuration::from_hours(1);

/// Reads a time as whole seconds.
pub fn parse(text: &str) -> anyhow::Result<i64> {
    let duration = GoDuration::typed(text).context("must be a time such as 90s, 15m or 1h")?;
    let seconds = duration.seconds();
    ensure!(seconds >= 1, "must be at least 1s");
    ensure!(seconds <= MOST_SECONDS, "must be at most 24h");
    Ok(seconds)
}

/// Reads the load of the time that follows the moment of a record, or a moment
/// that was scraped, and what weakens it; nothing where none was asked for.
/// Errors: the record cannot be read, or the load is given in another way, too.
pub fn recorded(
    dry_run: &DryRun,
    inputs: &Inputs,
    baseline: &Baseline,
    terminal: &mut Terminal,
) -> anyhow::Result<Option<(Recorded, Vec<String>)>> {
    let PastOrMoment { files, at } = &dry_run.past;
    let record = files.history.as_deref().filter(|_| at.is_some());
    let (Some(seconds), true) = (
        dry_run.duration,
        record.is_some() || baseline.today.is_some(),
    ) else {
        return Ok(None);
    };
    let given = inputs.given;
    if !given.metrics.is_empty() || given.unready + given.missing > 0 {
        return Err(Failure::error(
            "--metric, --unready and --missing change one moment, but --for uses the load that was \
             recorded after it",
            "leave them out, or --for; without --at, --for assumes that the load stays as it is",
        ));
    }
    let mut recorded = Recorded::new(
        &inputs.specs(&baseline.proposal.candidates),
        inputs.overrides,
    );
    let mut remarks = Vec::new();
    if let Some(path) = record {
        let until = inputs
            .now
            .saturating_add(SignedDuration::from_secs(seconds))?;
        let from = inputs.now.saturating_sub(BEFORE)?;
        follow(path, (from, until), terminal, |sample| {
            recorded.take(sample);
        })?;
    } else if let Some(today) = &baseline.today {
        let settings = Settings::resolve(today, inputs.overrides);
        let take = |sample: &_| recorded.take(sample);
        let scrapes = baseline.observer.scrapes();
        let sampled = scrapes.samples(today, &settings, take);
        remarks.extend_from_slice(scrapes.remarks());
        remarks.extend(sampled.uncertain());
    }
    Ok(Some((recorded, remarks)))
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn times_are_read_as_they_are_typed() {
        let rows = [
            ("15m", Ok(900)),
            ("1h30m", Ok(5_400)),
            ("1.5s", Ok(1)),
            ("24h", Ok(86_400)),
            ("24h1s", Err("at most 24h")),
            ("0s", Err("at least 1s")),
            ("-5m", Err("at least 1s")),
            ("15", Err("such as 90s, 15m")),
            ("", Err("such as 90s, 15m")),
            ("NaN", Err("such as 90s, 15m")),
        ];
        for (text, expected) in rows {
            match (parse(text), expected) {
                (Ok(seconds), Ok(expected)) => assert_eq!(seconds, expected, "{text}"),
                (Err(reported), Err(expected)) => {
                    assert!(
                        reported.to_string().contains(expected),
                        "{text}: {reported}"
                    );
                }
                (read, _) => panic!("{text}: {read:?}"),
            }
        }
        assert_eq!(rows.len(), 10);
    }
}
