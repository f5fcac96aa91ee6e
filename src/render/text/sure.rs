//! How sure the answer is where what the controller remembers is not wholly
//! known, and what would narrow it.

use crate::render::escape::display_width;
use crate::trace::{Knowledge, Rule, Step, Unsettled};

use super::page::Line;
use super::words::{View, range, word};

const LEAD: &str = "Sure   ";
const BELOW: &str = "       ";

/// Renders what is sure; nothing where all that matters is.
pub(super) fn sure(view: View) -> Vec<Line> {
    let Some(text) = text(view) else {
        return Vec::new();
    };
    let mut lines = view.page.paragraph(LEAD, &text);
    lines.extend(narrows(view));
    lines
}

fn text(view: View) -> Option<String> {
    let trace = view.trace;
    let is_asked = trace
        .recommendation
        .as_ref()
        .is_some_and(|record| record.rule == Rule::RecommendationLargest);
    if trace.remembered == Knowledge::Known || !is_asked {
        return None;
    }
    if trace.outcome.desired_replicas.is_none() {
        let possible = trace.outcome.possible.filter(|it| it.single().is_none())?;
        let ends = range(possible);
        return Some(format!(
            "it is {ends} next; {}",
            settled_by(trace.unsettled, trace.recollection.may_have_restarted)
        ));
    }
    let (way, _) = bounded_step(view)?;
    Some(format!(
        "that it stays at {} now: yes. When it goes {way}: only the bounds above",
        view.current()
    ))
}

/// What is not known and decides. A controller that has restarted remembers the
/// size that it began with, and no change.
fn settled_by(unsettled: Option<Unsettled>, or_restart: bool) -> &'static str {
    match unsettled.map(|it| (it.recommendations, it.changes, or_restart)) {
        Some((true, false, false)) => "the window's older recommendations decide",
        Some((true, false, true)) => "older recommendations or a restart decide",
        Some((false, true, false)) => "earlier changes within the periods decide",
        Some((false, true, true)) => "earlier changes or a restart decide",
        Some((true, true, false)) => "the window and earlier changes decide",
        Some((true, true, true)) => "the window, earlier changes or a restart decide",
        _ => "both ends fit all that is known",
    }
}

/// The step that is asked for and that time will bring, with bounds alone.
fn bounded_step(view: View) -> Option<(&'static str, Step)> {
    let trace = view.trace;
    let outlook = trace.outlook.as_ref();
    let outlook = outlook.filter(|_| trace.outcome.rescale == Some(false))?;
    let ways = [("up", outlook.up), ("down", outlook.down)];
    let mut asked = ways.into_iter().filter(|(_, step)| step.asked);
    asked.find(|(_, step)| step.replicas.is_some())
}

/// What narrows it: the passes to come where there is a cluster, what was
/// written down of this one's time elsewhere.
fn narrows(view: View) -> Vec<Line> {
    let page = view.page;
    if !view.options.live {
        let text = match view.options.unread.as_slice() {
            [] => return Vec::new(),
            flags => format!("{} of these minutes narrows it", flags.join(" or ")),
        };
        return page.paragraph(BELOW, &text);
    }
    let command = format!(
        "kubectl hpa-explain watch {} {}",
        word(&view.trace.name),
        view.namespace_argument()
    );
    let sentence = format!("{BELOW}`{command}` narrows it pass by pass");
    if display_width(&page.clean(&sentence)) <= page.width {
        return vec![page.line(&sentence)];
    }
    let mut lines = page.paragraph(BELOW, "the passes to come narrow it:");
    lines.extend(page.command(BELOW, &command));
    lines
}
