//! Counts and times of ups and downs, as a person reads them.

use jiff::Timestamp;

use crate::render::text::TextOptions;
use crate::trace::{Flaps, Swing, Within, seconds_text};

/// `5`, `at least 5`, or `5 to 7`.
fn count(count: Within) -> String {
    match count {
        Within { from, to: None } => format!("at least {from}"),
        Within { from, to: Some(to) } if from == to => from.to_string(),
        Within { from, to: Some(to) } => format!("{from} to {to}"),
    }
}

/// `once`, `5 times`, or `at least 5 times`.
pub(super) fn times(times: Within) -> String {
    match times {
        Within { from: 1, to: None } => "at least once".to_owned(),
        Within {
            from: 1,
            to: Some(1),
        } => "once".to_owned(),
        times => format!("{} times", count(times)),
    }
}

/// The sizes between which it goes: `between 4 and 8`.
pub(super) fn sizes(swing: &Swing) -> String {
    if swing.least == swing.most {
        return format!("to {} and away from it", swing.most);
    }
    format!("between {} and {}", swing.least, swing.most)
}

/// How long one way and back takes.
pub(super) fn period(swing: &Swing) -> Option<String> {
    let period = swing.period_seconds?;
    let longest = seconds_text(period.to?.into());
    Some(match period.single() {
        Some(_) => longest,
        None if period.from == 0 => format!("{longest} or less"),
        None => format!("{} to {longest}", seconds_text(period.from.into())),
    })
}

/// The same in a few characters: `5m`, `≤5m`, or `5m..6m`.
pub(super) fn short_period(swing: &Swing) -> Option<String> {
    let period = swing.period_seconds?;
    let longest = seconds_text(period.to?.into());
    Some(match period.single() {
        Some(_) => longest,
        None if period.from == 0 => format!("≤{longest}"),
        None => format!("{}..{longest}", seconds_text(period.from.into())),
    })
}

/// How long ago a moment was.
pub(super) fn ago(flaps: &Flaps, at: Timestamp) -> String {
    let seconds = flaps.at.duration_since(at).as_secs().max(0);
    format!("{} ago", seconds_text(seconds))
}

/// The time of the day, with the date where it is another day's.
pub(super) fn clock(at: Timestamp, flaps: &Flaps, options: &TextOptions) -> String {
    let zoned = |at: Timestamp| at.to_zoned(options.zone.clone());
    let at = at.round(jiff::Unit::Second).unwrap_or(at);
    let (then, now) = (zoned(at), zoned(flaps.at));
    let format = if then.date() == now.date() {
        "%H:%M:%S"
    } else {
        "%Y-%m-%d %H:%M:%S"
    };
    then.strftime(format).to_string()
}
