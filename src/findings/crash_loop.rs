//! Pods that do not run and count all the same.

use std::collections::BTreeSet;

use crate::api::CRASH_LOOP_BACK_OFF;
use crate::findings::Case;
use crate::trace::amount::plural;
use crate::trace::{Code, Finding, Group, Trace, WaitingContainer};

use super::pods::{all, pods_with};
use super::words::{MOST, of_all};

/// A container that crashes again and again leaves a last sample behind, or
/// another container's, and its pod counts with that.
pub(super) fn crash_loop(_: &Case, trace: &Trace) -> Option<Finding> {
    let counting = pods_with(trace, |pod| pod.group == Group::Ready).into_iter();
    let counting: BTreeSet<&str> = counting.map(|pod| pod.name.as_str()).collect();
    let waiting = trace.waiting.iter();
    let crashing: Vec<&WaitingContainer> = waiting
        .filter(|it| it.reason == CRASH_LOOP_BACK_OFF && counting.contains(it.pod.as_str()))
        .collect();
    let first = crashing.first()?;
    let names: Vec<&str> = crashing.iter().map(|it| it.pod.as_str()).collect();
    let message = format!(
        "{} {}: {}",
        of_all(&names, all(trace)),
        plural(
            names.len(),
            "counts although it crashes repeatedly",
            "count although they crash repeatedly"
        ),
        first.text()
    );
    let shown = crashing.iter().take(MOST);
    let finding = Finding::new(Code::CrashLoop, message)
        .facts(shown.map(|it| (format!("Pod/{}", it.pod), it.text())));
    Some(finding.look("see why it crashes", trace.look_at_pod(&first.pod)))
}
