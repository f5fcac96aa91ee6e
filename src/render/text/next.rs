//! What comes next by the passing of time alone, and what to do.

use std::cmp::Ordering;

use jiff::Timestamp;

use crate::trace::Group;

use super::page::Line;
use super::pods::metric_with_pods;
use super::words::View;

/// Something that happens at a known time.
struct Change {
    at: Timestamp,
    what: String,
}

/// Renders what comes next.
pub(super) fn next(view: View) -> Vec<Line> {
    let all = [window(view), policy(view), first_pod(view)];
    let mut changes: Vec<Change> = all.into_iter().flatten().collect();
    changes.retain(|change| change.at > view.trace.at);
    changes.sort_by_key(|change| change.at);
    let mut lines = Vec::new();
    for (index, change) in changes.iter().enumerate() {
        let lead = if index == 0 { "Next   " } else { "       " };
        let lead = format!("{lead}{}  ", view.time(change.at));
        lines.extend(view.page.brief(&lead, &change.what, view.most(&[2, 2, 1])));
    }
    if lines.is_empty() {
        lines.extend(next_pass(view));
    }
    lines.truncate(view.most(&[4, 3, 2, 1]));
    lines
}

/// When the recommendation that holds leaves its window.
fn window(view: View) -> Option<Change> {
    let record = view.trace.stabilization.as_ref()?;
    let edge = match record.recommendation.cmp(&record.result) {
        Ordering::Greater => record.up?,
        Ordering::Less => record.down,
        Ordering::Equal => return None,
    };
    let stays = view.trace.outcome.rescale == Some(false);
    let nothing = if stays {
        "; until then the size stays"
    } else {
        ""
    };
    Some(Change {
        at: edge.expires?,
        what: format!(
            "the last recommendation that holds {} leaves the window{nothing}",
            record.result
        ),
    })
}

/// When a change leaves the period of the policy that limits.
fn policy(view: View) -> Option<Change> {
    let limit = view.trace.limit.as_ref()?;
    if !matches!(limit.reason, "ScaleUpLimit" | "ScaleDownLimit") {
        return None;
    }
    let selected = limit.policies.iter().filter(|policy| policy.selected);
    let policy = selected
        .filter(|policy| policy.changes_at.is_some())
        .min_by_key(|policy| policy.changes_at)?;
    Some(Change {
        at: policy.changes_at?,
        what: format!(
            "the oldest change leaves the {}s of {} {}: room for more",
            policy.period_seconds, policy.kind, policy.value
        ),
    })
}

/// When the first pod that is set aside counts again.
fn first_pod(view: View) -> Option<Change> {
    let metric = metric_with_pods(view)?;
    let now = view.trace.at;
    let waiting = metric.pods.iter().filter(|pod| pod.group != Group::Ready);
    let waiting = waiting.filter_map(|pod| Some((pod.until?, pod)));
    let first = waiting
        .filter(|(at, _)| *at > now)
        .min_by_key(|(at, _)| *at);
    let (at, pod) = first?;
    Some(Change {
        at,
        what: format!(
            "{} counts at the latest, if it has a sample",
            view.name(&pod.name)
        ),
    })
}

/// The size goes on changing without anything to wait for.
fn next_pass(view: View) -> Vec<Line> {
    let trace = view.trace;
    let Some(limit) = trace.limit.as_ref().filter(|limit| limit.limited) else {
        return Vec::new();
    };
    let goes_on = trace.outcome.rescale == Some(true)
        && matches!(limit.reason, "ScaleUpLimit" | "ScaleDownLimit");
    if !goes_on {
        return Vec::new();
    }
    let selected = limit.policies.iter().find(|policy| policy.selected);
    let text = match selected {
        Some(policy) => format!(
            "more in {}s, when this change leaves the period, if still asked for",
            policy.period_seconds
        ),
        None => "the pass after goes on, if the metrics still ask for it".to_owned(),
    };
    view.page.brief("Next   ", &text, view.most(&[2, 2, 1]))
}

/// Renders the steps that show more, or mend it.
pub(super) fn steps(view: View, advice: Option<&str>, commands: &[String]) -> Vec<Line> {
    let mut lines = Vec::new();
    if let Some(advice) = advice {
        lines.extend(view.page.brief("Do     ", advice, view.most(&[2, 2, 1])));
    }
    for command in commands.iter().take(view.most(&[2, 2, 1])) {
        let lead = if lines.is_empty() {
            "Do     "
        } else {
            "       "
        };
        lines.extend(view.page.command(lead, command));
    }
    lines
}
