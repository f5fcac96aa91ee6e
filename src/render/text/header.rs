//! The first line: which HPA, and what the next pass does.

use crate::render::block::{Prose, Title};
use crate::trace::{Origin, Range};

use super::basis::setting;
use super::check::is_blind;
use super::page::Tone;
use super::words::{DAY, View, moment, range};

/// Which HPA, and what the next pass does.
pub(super) fn header(view: View) -> Title {
    let trace = view.trace;
    let hpa = [trace.namespace.as_str(), &trace.name];
    let moment = moment(trace.at, view.options, DAY);
    Title {
        shortens: true,
        ..Title::of(hpa, &trace.target, answer(view), moment)
    }
}

/// What was given to this run in place of what is known of the controller, in
/// a sentence.
pub(super) fn given(view: View) -> Option<String> {
    let basis = &view.trace.basis;
    let settings = basis.settings.iter();
    let given = settings.filter(|setting| setting.origin == Origin::Given);
    let mut parts: Vec<String> = given.map(setting).collect();
    if basis.release.origin == Origin::Given {
        parts.push(basis.release.describe());
    }
    (!parts.is_empty()).then(|| parts.join(", "))
}

/// The same as a paragraph.
pub(super) fn what_if(view: View) -> Option<Prose> {
    given(view).map(|given| Prose::behind("What-if: ", given).toned(Tone::Warn))
}

/// What the next pass does to the size.
fn answer(view: View) -> String {
    let outcome = &view.trace.outcome;
    let current = outcome.current_replicas;
    let outlook = view.trace.outlook.as_ref();
    let next = outlook.and_then(|outlook| Some(outlook.next_pass?.replicas));
    match (outcome.desired_replicas, outcome.rescale) {
        (Some(desired), Some(true)) => match next.unwrap_or(Range::of(desired)) {
            next if next == Range::of(current) => format!("stays at {current}"),
            next if next == Range::of(desired) => {
                format!("{current} → {desired} at the next pass")
            }
            next => format!(
                "{current} → {desired} now, {} at the next pass",
                range(next)
            ),
        },
        // What holds it now is over by then.
        (Some(_), _) if next.is_some_and(|next| !next.contains(current)) => {
            open_answer(current, next)
        }
        // A pass that fails leaves status.desiredReplicas as it was.
        (Some(_), _) => format!("stays at {current}"),
        (None, _) if is_blind(view) => format!("{current}* → unknown"),
        (None, _) => open_answer(current, next.or(outcome.possible)),
    }
}

fn open_answer(current: i32, possible: Option<Range>) -> String {
    let Some(possible) = possible else {
        return format!("{current} → unknown");
    };
    if let Some(only) = possible.single() {
        return if only == current {
            format!("stays at {current}")
        } else {
            format!("{current} → {only}")
        };
    }
    format!("{current} → {} at the next pass", range(possible))
}
