//! The parts of a load: `base=2,peak=9,at=20m,for=5m`.

use crate::cli::commands::simulate::workload::milli;
use crate::cli::options::whole_seconds;

/// Noise beyond this would make a demand negative.
const MOST_NOISE: u32 = 100;

/// The parts of a load that were typed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Parts {
    pub(super) demands: Vec<(String, i64)>,
    times: Vec<(String, i64)>,
    /// How uneven it is.
    pub(super) percent: Option<u32>,
    /// What makes the unevenness the same again.
    pub(super) seed: Option<u64>,
}

impl Parts {
    /// Reads the parts that have these names.
    pub(super) fn parse(text: &str, demands: &[&str], times: &[&str]) -> Result<Self, String> {
        let mut parts = Self::default();
        let mut keys: Vec<&str> = Vec::new();
        for part in text.split(',').filter(|part| !part.is_empty()) {
            let (key, value) = part
                .split_once('=')
                .ok_or_else(|| format!("{part}: write parts as NAME=VALUE"))?;
            if keys.contains(&key) {
                return Err(format!("{part}: {key} is given twice"));
            }
            keys.push(key);
            match key {
                "by" => parts.percent = Some(percent(value)?),
                "seed" => {
                    let seed = value.parse();
                    parts.seed =
                        Some(seed.map_err(|_| format!("{part}: a seed must be a number"))?);
                }
                _ if demands.contains(&key) => {
                    parts.demands.push((key.to_owned(), demand(value)?));
                }
                "period" if times.contains(&key) && time(value)? == 0 => {
                    return Err(format!("{part}: a period must be 1s or more"));
                }
                _ if times.contains(&key) => parts.times.push((key.to_owned(), time(value)?)),
                _ => {
                    let known = [demands, times, &["by", "seed"]].concat().join(", ");
                    return Err(format!("{part}: unknown part {key}; the parts are {known}"));
                }
            }
        }
        Ok(parts)
    }

    /// The same of a load that is even unless it is said by how much it is not.
    pub(super) fn of_a_course(
        text: &str,
        demands: &[&str],
        times: &[&str],
    ) -> Result<Self, String> {
        let parts = Self::parse(text, demands, times)?;
        match (parts.seed, parts.percent) {
            (Some(seed), None) => Err(format!(
                "seed={seed}: a seed needs by, as in by=20%,seed={seed}"
            )),
            _ => Ok(parts),
        }
    }

    /// A demand in thousandths, or what else it is.
    pub(super) fn demand(
        &self,
        key: &str,
        otherwise: impl FnOnce() -> anyhow::Result<i64>,
    ) -> anyhow::Result<i64> {
        let mut given = self.demands.iter().rev();
        given
            .find(|(own, _)| own == key)
            .map_or_else(otherwise, |(_, milli)| Ok(*milli))
    }

    /// A time in seconds, or what else it is.
    pub(super) fn time(&self, key: &str, otherwise: i64) -> i64 {
        let mut given = self.times.iter().rev();
        let given = given.find(|(own, _)| own == key);
        given.map_or(otherwise, |(_, seconds)| *seconds)
    }
}

/// Demands from moments on, in thousandths and seconds.
pub(super) fn steps(text: &str) -> Result<Vec<(i64, i64)>, String> {
    let mut steps: Vec<(i64, i64)> = Vec::new();
    for part in text.split(',').filter(|part| !part.is_empty()) {
        let (at, value) = part
            .split_once('=')
            .ok_or_else(|| format!("{part}: write steps as TIME=VALUE, such as 20m=6"))?;
        let at = time(at)?;
        if steps.is_empty() && at > 0 {
            return Err(format!(
                "{part}: the load before it is missing; start at 0s, as in steps:0s=2,{part}"
            ));
        }
        if steps.last().is_some_and(|(before, _)| *before >= at) {
            return Err(format!(
                "{part}: each time must be later than the one before"
            ));
        }
        steps.push((at, demand(value)?));
    }
    Ok(steps)
}

fn percent(text: &str) -> Result<u32, String> {
    let number = text.trim_end_matches('%').parse::<u32>().ok();
    let number = number.filter(|percent| *percent <= MOST_NOISE);
    number.ok_or_else(|| format!("{text}: must be from 0% to {MOST_NOISE}%"))
}

fn time(text: &str) -> Result<i64, String> {
    match whole_seconds(text) {
        Ok(time) => Ok(time.seconds()),
        Err(why) => Err(format!("{text}: {why}")),
    }
}

fn demand(text: &str) -> Result<i64, String> {
    milli(text, 0.0)
        .ok_or_else(|| format!("{text}: must be an amount of 0 or more, such as 900m or 2.5"))
}

#[cfg(test)]
mod tests {
    use crate::cli::commands::simulate::load::parts::*;

    #[test]
    fn parts_are_read_in_their_units() {
        let spike = Parts::parse(
            "base=900m,peak=9,at=20m,for=90s,by=5%,seed=7",
            &["base", "peak"],
            &["at", "for"],
        );
        let parts = Parts {
            demands: vec![("base".to_owned(), 900), ("peak".to_owned(), 9_000)],
            times: vec![("at".to_owned(), 1_200), ("for".to_owned(), 90)],
            percent: Some(5),
            seed: Some(7),
        };
        assert_eq!(spike, Ok(parts));
    }
}
