//! Loads from files, and what is said of them.

use std::path::Path;

use jiff::{SignedDuration, Timestamp};

use crate::api::MetricSpec;
use crate::cli::commands::simulate::{Simulate, USUAL_SECONDS};
use crate::cli::kind::name;
use crate::cli::{Failure, FileKind, Kept, Reading, Terminal, follow};
use crate::controller::{Overrides, Settings};
use crate::simulate::load::{Load, Recorded, RecordedLoad, Shape, read_csv};
use crate::simulate::metric_name;
use crate::snapshot::Snapshot;
use crate::trace::amount::counted;
use crate::trace::seconds_text;

use super::ReadLoad;

/// No file holds a longer time, in seconds.
const WHOLE_FILE: i64 = 86_400;

/// The load of a file with lines of time and value.
pub(super) fn csv(path: &Path, requested: Option<i64>) -> anyhow::Result<ReadLoad> {
    let hint = "a load file needs lines of time,value, such as 15s,2.5";
    let text = FileKind::Load.read(path, hint)?;
    let file = name(path);
    let (shape, length) =
        read_csv(&text).map_err(|error| Failure::error(format!("{file}: {error}"), hint))?;
    let words = format!(
        "from {file}{}{}",
        fitted(length, requested),
        unused(&shape, length, requested)
    );
    Ok(ReadLoad {
        load: Load::even(shape),
        words,
        seconds: Some(length),
        recorded: None,
    })
}

/// The load of a record that `watch --record` wrote.
pub(super) fn history(
    path: &Path,
    metric: &MetricSpec,
    overrides: &Overrides,
    requested: Option<i64>,
    terminal: &mut Terminal,
) -> anyhow::Result<ReadLoad> {
    let mut recorded = Recorded::new(metric, overrides);
    // A record is of one HPA.
    let mut recorded_of = String::new();
    let all = (Timestamp::MIN, Timestamp::MAX);
    follow(path, all, terminal, |sample| {
        let metadata = &sample.hpa.metadata;
        recorded_of = format!("{}/{}", metadata.namespace, metadata.name);
        recorded.take(sample);
    })?;
    let hint = "`kubectl hpa-explain watch NAME --record FILE` records an HPA";
    let words = |it: &RecordedLoad| {
        let samples = counted(it.samples, "sample");
        format!("from {samples} of {recorded_of} in {}", name(path))
    };
    read_load(&recorded, metric, (&name(path), hint), requested, words)
}

/// The load that a Prometheus tells of, of the last time, or what was kept of it in
/// a file.
pub(super) fn scraped(
    simulate: &Simulate,
    (snapshot, metric): (&Snapshot, &MetricSpec),
    kept: Option<(&Kept, &str)>,
    requested: Option<i64>,
    terminal: &mut Terminal,
) -> anyhow::Result<ReadLoad> {
    let usual = kept.map_or(USUAL_SECONDS, |_| WHOLE_FILE);
    let span = SignedDuration::from_secs(requested.unwrap_or(usual));
    let overrides = simulate.settings.overrides();
    let reading = Reading::new(&overrides, &simulate.connection).of_load(span);
    let hpa = snapshot.hpa.clone();
    let subject = [(hpa, snapshot.captured_at)];
    let (read, source) = if let Some((kept, file)) = kept {
        (kept.of_each(&subject, reading)?, file)
    } else {
        let read = simulate.prometheus.scraped(&subject, reading, terminal)?;
        (read, "Prometheus")
    };
    let scrapes = read.into_iter().flatten().next().unwrap_or_default();
    let mut recorded = Recorded::new(metric, reading.overrides);
    let settings = Settings::resolve(snapshot, reading.overrides);
    let sampled = scrapes.samples(snapshot, &settings, |sample| recorded.take(sample));
    for remark in scrapes.remarks() {
        terminal.complain(&format!("warning: {remark}"));
    }
    let own = &snapshot.hpa.metadata;
    let hint = "a load takes kube-state-metrics 2.6 or newer, and two passes that it shows";
    let words = |it: &RecordedLoad| {
        let all = counted(it.samples, "sample");
        let uncertain = sampled.uncertain().map(|it| format!(" ({it})"));
        let uncertain = uncertain.unwrap_or_default();
        format!(
            "from {all} of {}/{} in {source}{uncertain}",
            own.namespace, own.name
        )
    };
    read_load(&recorded, metric, (source, hint), requested, words)
}

/// A load that samples tell of, in words.
fn read_load(
    recorded: &Recorded,
    metric: &MetricSpec,
    (source, hint): (&str, &str),
    requested: Option<i64>,
    words: impl FnOnce(&RecordedLoad) -> String,
) -> anyhow::Result<ReadLoad> {
    let recorded = match recorded.load() {
        Some(recorded) if recorded.samples > 1 => recorded,
        few => {
            let (found, hint) = match few {
                None => (
                    "no sample has a value",
                    format!("--metric names another one; {hint}"),
                ),
                Some(_) => (
                    "only one sample has a value",
                    format!("a load needs two; {hint}"),
                ),
            };
            let reported = format!("{source}: {found} of {}", metric_name(metric));
            return Err(Failure::error(reported, hint));
        }
    };
    let words = format!(
        "{}, {}{}{}",
        words(&recorded),
        distances(&recorded),
        filled(&recorded),
        fitted(recorded.seconds, requested)
    );
    Ok(ReadLoad {
        load: Load::even(recorded.shape.clone()),
        words,
        seconds: Some(recorded.seconds),
        recorded: Some(recorded),
    })
}

/// What of it is not measured.
fn filled(recorded: &RecordedLoad) -> String {
    recorded.filled.map_or_else(String::new, |filled| {
        format!(
            "; in {} of them, up to {}% of the Ready pods have no usable sample and are assumed to \
             use what the others do",
            filled.samples, filled.percent
        )
    })
}

/// How even a record is.
fn distances(recorded: &RecordedLoad) -> String {
    let apart = seconds_text(recorded.apart);
    match recorded.gaps {
        0 => format!("at most {apart} apart"),
        1 => format!("with a gap of {apart}, through which the demand before it continues"),
        gaps => format!(
            "with {gaps} gaps of up to {apart}, through which the demand before each continues"
        ),
    }
}

/// What is said of a last value that gets no time.
fn unused(shape: &Shape, length: i64, requested: Option<i64>) -> &'static str {
    let Shape::Steps(steps) = shape else {
        return "";
    };
    match steps.as_slice() {
        [.., (_, before), (_, last)]
            if before != last && requested.is_none_or(|requested| requested == length) =>
        {
            "; its last line only marks the end: a longer --for gives that value time"
        }
        _ => "",
    }
}

/// What is said of a load that is shorter or longer than the simulation.
fn fitted(length: i64, requested: Option<i64>) -> String {
    match requested {
        Some(requested) if requested > length => format!(
            "; its last value continues from {} to {}",
            seconds_text(length),
            seconds_text(requested)
        ),
        Some(requested) if requested < length => format!(
            "; the first {} of its {}",
            seconds_text(requested),
            seconds_text(length)
        ),
        _ => String::new(),
    }
}
