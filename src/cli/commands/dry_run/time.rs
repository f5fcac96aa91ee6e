//! `--for 15m`: how far both sides are run on, and on which load.

use jiff::SignedDuration;

use crate::api::GoDuration;
use crate::cli::{Failure, PastOrMoment, Terminal, follow};
use crate::controller::Settings;
use crate::what_if::{Inputs, Recorded};

use super::DryRun;
use super::baseline::Baseline;

/// Longer than this, what stays is no load.
const MOST_SECONDS: i64 = 86_400;

/// How pods start is shown by those of so long before, too.
const BEFORE: SignedDuration = SignedDuration::from_hours(1);

/// Reads a time as whole seconds.
pub fn parse(text: &str) -> Result<i64, String> {
    let seconds = GoDuration::typed(text).map(GoDuration::seconds);
    match seconds {
        Ok(1..=MOST_SECONDS) => seconds.map_err(|error| error.to_string()),
        Ok(..1) => Err("must be at least 1s".to_owned()),
        Ok(_) => Err("must be at most 24h".to_owned()),
        Err(_) => Err("must be a time such as 90s, 15m or 1h".to_owned()),
    }
}

/// Reads the load of the time that follows the moment of a record, or a moment
/// that was scraped, and what weakens it; nothing where none was asked for.
///
/// # Errors
///
/// The record cannot be read, or the load is given in another way, too.
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
    let mut recorded = Recorded::new(&inputs.specs(&baseline.candidates), inputs.overrides);
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
                    assert!(reported.contains(expected), "{text}: {reported}");
                }
                (read, _) => panic!("{text}: {read:?}"),
            }
        }
        assert_eq!(rows.len(), 10);
    }
}
