//! From a try at a document to what is said of it.

use serde_json::Value;

use crate::snapshot::check::Flaw;
use crate::snapshot::unknown::Seen;
use crate::snapshot::words::{in_words, misplaced};

use super::attempt::{Attempt, Fault, Position};
use super::{Document, ReadError, at};

/// More warnings than this about one document are only counted.
const MOST_WARNINGS: usize = 20;

/// Completes what was read, or puts into words why it was not.
pub(super) fn document(
    number: usize,
    attempt: Attempt,
    plain: impl FnOnce() -> Option<Value>,
) -> Document {
    let Seen {
        unknown: mut warnings,
        scale_kind,
    } = attempt.seen;
    let read = attempt.snapshot.and_then(|snapshot| {
        let complete = snapshot.complete(scale_kind.as_deref());
        complete.map_err(|flaw| Fault {
            path: flaw.path,
            pointer: String::new(),
            key: String::new(),
            reason: flaw.reason,
            position: None,
        })
    });
    let snapshot = match read {
        Ok((snapshot, remarks)) => {
            warnings.extend(remarks);
            Ok(snapshot)
        }
        Err(fault) => Err(explained(
            number,
            fault,
            attempt.line,
            plain().as_ref(),
            &mut warnings,
        )),
    };
    Document {
        number,
        snapshot,
        warnings: told(number, &warnings),
    }
}

fn explained(
    number: usize,
    fault: Fault,
    line: Option<usize>,
    document: Option<&Value>,
    warnings: &mut Vec<Flaw>,
) -> ReadError {
    let (path, reason, position) = if let Some(flaw) = document.and_then(misplaced) {
        // Its fields are unknown there because it does not belong there.
        warnings.retain(|warning| warning.path != flaw.path);
        (flaw.path, flaw.reason, None)
    } else {
        let value = document.and_then(|document| document.pointer(&fault.pointer));
        let reason = in_words(&fault.reason, &fault.path, &fault.key, value);
        (fault.path, reason, fault.position)
    };
    let place = match (position, line) {
        (Some(Position { line, column }), _) => format!(" (line {line} column {column})"),
        (None, Some(line)) => format!(" (line {line})"),
        (None, None) => String::new(),
    };
    let reason = reason + &place;
    ReadError {
        document: number,
        path,
        reason,
    }
}

fn told(number: usize, warnings: &[Flaw]) -> Vec<String> {
    let mut told: Vec<String> = warnings
        .iter()
        .take(MOST_WARNINGS)
        .map(|warning| format!("{}: {}", at(number, &warning.path), warning.reason))
        .collect();
    if warnings.len() > MOST_WARNINGS {
        let more = warnings.len() - MOST_WARNINGS;
        told.push(format!("{}: {more} more warnings", at(number, "")));
    }
    told
}
