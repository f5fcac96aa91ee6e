//! What pods cost, by what they request.

use anyhow::{Context as _, bail, ensure};

use crate::api::PodDemand;
use crate::cli::select::did_you_mean;
use crate::document::snapshot::Snapshot;

/// Billionths in a whole.
const NANOS: f64 = 1e9;
const GIB: f64 = 1_073_741_824.0;

/// No price is higher.
const MOST: f64 = 1e9;

/// What an hour costs, in whatever money.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Price {
    /// Of a core.
    pub cpu: f64,
    /// Of a GiB of memory.
    gib: f64,
}

impl Price {
    /// Reads `cpu-hour=0.04,gib-hour=0.005`, or one of the two.
    pub fn parse(text: &str) -> anyhow::Result<Self> {
        let mut price = Self::default();
        let mut names: Vec<&str> = Vec::new();
        for part in text.split(',') {
            let (name, value) = part.split_once('=').unwrap_or((part, ""));
            let value = value.parse::<f64>().ok();
            let value = value.filter(|it| (0.0..=MOST).contains(it));
            let value = value.with_context(|| {
                format!("{part}: must be NAME=PRICE, a price from 0 on, such as cpu-hour=0.04")
            })?;
            ensure!(!names.contains(&name), "{name} has two prices");
            names.push(name);
            match name {
                "cpu-hour" => price.cpu = value,
                "gib-hour" => price.gib = value,
                _ => match did_you_mean(name, ["cpu-hour", "gib-hour"].into_iter()) {
                    Some(meant) => bail!("{name}: {meant}"),
                    None => bail!("{name}: the prices are cpu-hour and gib-hour"),
                },
            }
        }
        Ok(price)
    }

    /// What a pod of an HPA costs an hour; absent where no pod tells what it
    /// requests.
    pub fn of_a_pod(self, snapshot: &Snapshot) -> Option<f64> {
        let demand = PodDemand::of_pod(&snapshot.pods.first()?.spec)?;
        let requests = demand.requests();
        #[expect(clippy::cast_precision_loss, reason = "money in a few digits")]
        let amount = |name: &str| {
            requests
                .get(name)
                .map_or(0.0, |nanos| *nanos as f64 / NANOS)
        };
        Some(amount("cpu") * self.cpu + amount("memory") / GIB * self.gib)
    }
}

#[cfg(test)]
mod tests {
    use super::Price;

    #[test]
    fn prices_are_read_or_refused() {
        let both = Price {
            cpu: 0.04,
            gib: 0.005,
        };
        let read = Price::parse("cpu-hour=0.04,gib-hour=0.005");
        assert_eq!(read.ok(), Some(both));
        for wrong in [
            "",
            "cpu-hour",
            "cpu-hour=-1",
            "disk-hour=1",
            "cpu-hour=nan",
            "cpu-hour=1e308",
            "cpu-hour=1,cpu-hour=2",
        ] {
            assert!(Price::parse(wrong).is_err(), "{wrong}");
        }
    }
}
