//! The controller's log: a file that the user names.

use std::fs::File;
use std::io::BufReader;
use std::path::Path;

use crate::cli::failure::Failure;
use crate::cli::terminal::Terminal;
use crate::history::{ControllerLog, Subject};

/// Reads what a log says of each HPA, and says what weakens it.
pub fn read(
    path: &Path,
    subjects: &[Subject],
    terminal: &mut Terminal,
) -> anyhow::Result<Vec<ControllerLog>> {
    let logs = File::open(path)
        .and_then(|file| ControllerLog::read(BufReader::new(file), subjects.to_vec()));
    let logs = logs.map_err(|error| {
        Failure::error(
            format!("{}: {error}", path.display()),
            "`kubectl logs -n kube-system POD` of the kube-controller-manager prints its log",
        )
    })?;
    let mut said: Vec<&String> = logs.iter().flat_map(|log| &log.remarks).collect();
    said.sort();
    said.dedup();
    for remark in said {
        terminal.complain(&format!("warning: {}: {remark}", path.display()));
    }
    Ok(logs)
}
