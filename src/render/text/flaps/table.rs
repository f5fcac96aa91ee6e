//! Several HPAs: a line for each of which something is to be said.

use crate::render::block::{Column, Narrow, Row, Table};
use crate::trace::amount::counted;
use crate::trace::{FlapState, Flaps, Mechanism};

use super::answer::short_period;
use super::problems;

/// How many there are of each kind; that there is nothing is said plainly.
pub(super) fn summary(items: &[Flaps]) -> String {
    let of = |state| items.iter().filter(|it| it.state == state).count();
    let parts = [
        (of(FlapState::Flapping), "flapping"),
        (of(FlapState::Stuck), "stuck"),
        (of(FlapState::Unknown), "not to be told"),
    ];
    let parts: Vec<String> = parts
        .iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, what)| format!("{count} {what}"))
        .collect();
    let all = counted(items.len(), "HPA");
    if parts.is_empty() {
        return format!("No flapping, and none is stuck ({all}).");
    }
    let calm = match of(FlapState::Calm) {
        0 => String::new(),
        calm => format!(", {calm} calm"),
    };
    format!("{all}: {}{calm}.", parts.join(", "))
}

/// A line for each of these.
pub(super) fn table(items: &[Flaps]) -> Table {
    let mut all = items.iter();
    let first = all.next().map(|it| it.namespace.as_str());
    let is_one = all.all(|it| Some(it.namespace.as_str()) == first);
    let rows = problems(items).map(|flaps| Row::of(cells(flaps, is_one)));
    Table {
        columns: vec![
            Column::new("HPA", false, u8::MAX),
            Column::new("STATE", false, 9),
            Column::new("SIZES", false, 8),
            Column::new("TURNS", true, 6),
            Column::new("PERIOD", true, 5),
            // On a narrow page that some flap matters more than why.
            Column {
                keep: 7,
                ..Column::of_sentences("WHY")
            },
        ],
        rows: rows.collect(),
        narrow: Narrow::GivesUp,
    }
}

fn cells(flaps: &Flaps, is_one_namespace: bool) -> Vec<String> {
    let swing = flaps.swing.as_ref().filter(|swing| swing.goes_on);
    let sizes = match swing {
        Some(swing) if swing.least == swing.most => format!("{}..?", swing.most),
        Some(swing) => format!("{}..{}", swing.least, swing.most),
        None => flaps.replicas.to_string(),
    };
    let turns = swing.map_or("-".to_owned(), |swing| {
        let more = if swing.reversals.single().is_none() {
            "+"
        } else {
            ""
        };
        format!("{}{more}", swing.reversals.from)
    });
    let period = swing.and_then(short_period).unwrap_or("-".to_owned());
    let name = if is_one_namespace {
        flaps.name.clone()
    } else {
        format!("{}/{}", flaps.namespace, flaps.name)
    };
    let state = match flaps.state {
        FlapState::Flapping => "flaps",
        FlapState::Unknown => "?",
        state => state.as_str(),
    };
    vec![name, state.to_owned(), sizes, turns, period, why(flaps)]
}

/// The mechanisms by name, or what else there is to say.
fn why(flaps: &Flaps) -> String {
    if let Some(reason) = &flaps.other_reason {
        return reason.message.clone();
    }
    if let Some(reason) = &flaps.told.events_not_read
        && flaps.state == FlapState::Unknown
    {
        return format!("its events are missing: {reason}");
    }
    let titles = flaps.mechanisms.iter().map(Mechanism::title);
    let titles: Vec<String> = titles.collect();
    if titles.is_empty() {
        return "not to be told by its events".to_owned();
    }
    titles.join("; ")
}
