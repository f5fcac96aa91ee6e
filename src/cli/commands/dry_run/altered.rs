//! `--metric`, `--unready`, `--missing` and `--replicas`.

use clap::Args;

use crate::cli::failure::Failure;
use crate::diagnose::{Given, Level};

use super::{level, pods};

/// What is to be different in the inputs.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Inputs (a what-if, for every side)")]
pub struct Altered {
    /// A metric at a value of its own unit, or a resource at a percentage of
    /// the requests: queue=900, cpu=180%
    #[arg(long, value_name = "NAME=VALUE", value_parser = level::parse)]
    metric: Vec<(String, Level)>,
    /// So many more pods that have not been Ready since their start
    #[arg(
        long,
        value_name = "PODS",
        default_value = "0",
        allow_negative_numbers = true,
        value_parser = pods::parse::<usize>
    )]
    unready: usize,
    /// So many more pods without a sample
    #[arg(
        long,
        value_name = "PODS",
        default_value = "0",
        allow_negative_numbers = true,
        value_parser = pods::parse::<usize>
    )]
    missing: usize,
    /// Another size, with the load spread over it
    #[arg(
        long,
        value_name = "PODS",
        allow_negative_numbers = true,
        value_parser = pods::parse::<i32>
    )]
    replicas: Option<i32>,
}

impl Altered {
    /// A metric can be at one value only.
    ///
    /// # Errors
    ///
    /// It is given twice.
    pub fn check(&self) -> anyhow::Result<()> {
        let all = &self.metric;
        let twice = all.iter().enumerate().find_map(|(at, (name, level))| {
            let mut before = all[..at].iter().filter(|(own, _)| own == name);
            before.next().map(|(_, first)| (name, first, level))
        });
        let Some((name, first, second)) = twice else {
            return Ok(());
        };
        Err(Failure::error(
            format!("--metric gives {name} twice: {name}={first} and {name}={second}"),
            "leave one of them out; to compare both, run it once with each",
        ))
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
