//! Which moment of the past is asked for, and how far back its sources are read.

use anyhow::{Context as _, bail};
use jiff::civil::{DateTime, Time};
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp, ToSpan};

use crate::api::GoDuration;
use crate::cli::connection::Connection;
use crate::cli::terminal::zone;
use crate::controller::Overrides;

/// How far back a Prometheus is asked, unless said otherwise.
pub const DAY: SignedDuration = SignedDuration::from_hours(24);

/// So far back a controller remembers, and a little more.
const REACH: SignedDuration = SignedDuration::from_hours(2);

/// How a source of the past is read.
#[derive(Clone, Copy)]
pub struct Reading<'a> {
    /// The settings that were given.
    pub overrides: &'a Overrides,
    /// The cluster that a Prometheus may have to be found in.
    pub connection: &'a Connection,
    /// How far back a Prometheus is asked.
    pub span: SignedDuration,
    /// How far back also for the pods, and for what was measured.
    pub pods: Option<SignedDuration>,
    /// The moment that is asked for instead of now.
    pub at: Option<Instant>,
}

impl<'a> Reading<'a> {
    /// As usual: a Prometheus is asked for a day.
    pub fn new(overrides: &'a Overrides, connection: &'a Connection) -> Self {
        Self {
            overrides,
            connection,
            span: DAY,
            pods: None,
            at: None,
        }
    }

    /// For an explanation, of a moment of the past if one is asked for: passes
    /// remember no more than two hours.
    pub fn of_moment(mut self, at: Option<Instant>) -> Self {
        self.pods = Some(REACH);
        if at.is_some() {
            (self.at, self.span) = (at, REACH);
        }
        self
    }

    /// For a time of the past, and for what came before it, which its passes remember.
    pub fn of_time(mut self, (since, until): (Timestamp, Timestamp)) -> Self {
        let span = until.duration_since(since).saturating_add(REACH);
        self.at = Some(Instant::At(until));
        (self.span, self.pods) = (span, Some(span));
        self
    }

    /// For the load of so long a time up to now.
    pub fn of_load(mut self, span: SignedDuration) -> Self {
        (self.span, self.pods) = (span, Some(span));
        self
    }

    /// How far back the pods are read of one of so many HPAs, if they are. What was
    /// measured tells passes apart; of many HPAs it is too much.
    pub fn pods_of(&self, hpas: usize) -> Option<SignedDuration> {
        let is_small = hpas == 1 && self.span <= DAY;
        self.pods.or(is_small.then_some(SignedDuration::ZERO))
    }

    /// The moment, for inputs of now.
    pub(super) fn moment(&self, now: Timestamp) -> Option<Timestamp> {
        self.at.map(|at| at.before(now))
    }
}

/// A moment as people say it: of a record, or of what is read up to now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Instant {
    At(Timestamp),
    /// So long before the end.
    BeforeTheEnd(SignedDuration),
    /// The last such time of a day.
    OfDay(Time),
}

impl Instant {
    /// Reads `2026-11-20T08:30:00Z`, a date and a time as the page has them, `03:00`,
    /// `-5m` or `now`.
    pub fn parse(text: &str) -> anyhow::Result<Self> {
        let of_day = Time::strptime("%H:%M", text);
        if let Ok(time) = of_day.or_else(|_| Time::strptime("%H:%M:%S", text)) {
            return Ok(Self::OfDay(time));
        }
        if let Ok(at) = text.parse() {
            return Ok(Self::At(at));
        }
        if let Some(at) = text.parse::<DateTime>().ok().filter(|_| text.contains(':')) {
            return Ok(Self::At(zone().to_timestamp(at)?));
        }
        if let Some(at) = of_page(text, zone()) {
            return Ok(Self::At(at));
        }
        if text == "now" {
            return Ok(Self::BeforeTheEnd(SignedDuration::ZERO));
        }
        let ago = text.strip_prefix('-').map(GoDuration::typed);
        match ago {
            Some(Ok(GoDuration(ago))) if ago >= 0 => Ok(Self::ago(ago)),
            None if GoDuration::typed(text).is_ok() => {
                bail!("did you mean -{}?", text.trim_start_matches('+'))
            }
            _ => bail!(
                "must be a time such as 03:00 or 2026-11-20T08:30:00Z, or -5m for five minutes \
                 before the record's end"
            ),
        }
    }

    /// The same for a time from which on something is told: also `2h`, as
    /// `kubectl logs --since` takes it.
    pub fn parse_ago(text: &str) -> anyhow::Result<Self> {
        let at = Self::parse(text).or_else(|error| match GoDuration::typed(text) {
            Ok(GoDuration(ago)) if ago >= 0 => Ok(Self::ago(ago)),
            _ => Err(error),
        });
        at.context("must be a time such as 03:00, 2026-11-20T03:00:00Z, or -2h for two hours ago")
    }

    const fn ago(nanos: i64) -> Self {
        Self::BeforeTheEnd(SignedDuration::from_nanos(nanos))
    }

    /// The last such moment up to an end, by the page's clock.
    pub fn before(self, end: Timestamp) -> Timestamp {
        match self {
            Self::At(at) => at,
            Self::BeforeTheEnd(ago) => end.checked_sub(ago).unwrap_or(Timestamp::MIN),
            Self::OfDay(time) => around(time, end).rev().find(|at| *at <= end).unwrap_or(end),
        }
    }

    /// The time from this moment to another, or to the end, behind which nothing is known:
    /// of a clock, the other is the first such time after this one, even behind the end.
    pub fn to(self, until: Option<Self>, end: Timestamp) -> (Timestamp, Timestamp) {
        let Some(Self::OfDay(time)) = until else {
            let until = until.map_or(end, |until| until.before(end));
            return (self.before(until), until);
        };
        let since = self.before(end);
        let first = around(time, since).find(|at| *at > since);
        (since, first.unwrap_or(end))
    }
}

/// A date and a time with the name of their time zone behind them, as the page has them: when
/// a clock is set back, the name tells which of two such times it is.
fn of_page(text: &str, zone: TimeZone) -> Option<Timestamp> {
    let (local, name) = text.rsplit_once(' ')?;
    let local: DateTime = local.parse().ok()?;
    let mut both = [zone, TimeZone::UTC].into_iter().flat_map(|zone| {
        let at = zone.to_ambiguous_timestamp(local);
        let both = [at.earlier(), at.later()].into_iter().flatten();
        both.map(move |at| {
            // Where a clock is set forward, it does not show every time.
            let is_shown = zone.to_datetime(at) == local;
            (
                is_shown && zone.to_offset_info(at).abbreviation() == name,
                at,
            )
        })
    });
    both.find(|(is_it, _)| *is_it).map(|(_, at)| at)
}

/// When a clock shows a time: on the day before a moment's, on that day, and on the next.
fn around(time: Time, moment: Timestamp) -> impl DoubleEndedIterator<Item = Timestamp> {
    let moment = moment.to_zoned(zone());
    (-1..=1_i64).filter_map(move |days| {
        let day = moment.date().checked_add(days.days()).ok()?;
        let at = day.to_datetime(time).to_zoned(moment.time_zone().clone());
        Some(at.ok()?.timestamp())
    })
}

#[cfg(test)]
mod tests {
    use jiff::SignedDuration;
    use jiff::tz::TimeZone;

    use super::{Instant, of_page};

    /// In this zone it was half past two twice on the last Sunday of October.
    #[test]
    fn a_time_of_the_page_is_read_with_its_zone() {
        let zone = TimeZone::posix("CET-1CEST,M3.5.0,M10.5.0/3").expect("a zone");
        let rows = [
            ("2026-11-20 09:30:00 CET", Some("2026-11-20T08:30:00Z")),
            ("2026-07-20 09:30 CEST", Some("2026-07-20T07:30:00Z")),
            ("2026-10-25 02:30:00 CEST", Some("2026-10-25T00:30:00Z")),
            ("2026-10-25 02:30:00 CET", Some("2026-10-25T01:30:00Z")),
            ("2026-11-20 08:30:00 UTC", Some("2026-11-20T08:30:00Z")),
            ("2026-03-29 02:02:00 CET", None),
            ("2026-11-20 08:30:00 PST", None),
            ("2026-11-20 08:30:00", None),
        ];
        for (text, expected) in rows {
            let expected = expected.map(|it| it.parse().expect("a time"));
            assert_eq!(of_page(text, zone.clone()), expected, "{text}");
        }
    }

    #[test]
    fn moments_are_read_as_they_are_typed() {
        let at = |text: &str| Some(Instant::At(text.parse().expect("a time")));
        let ago = |seconds| Some(Instant::BeforeTheEnd(SignedDuration::from_secs(seconds)));
        let rows = [
            ("2026-11-20T08:30:00Z", at("2026-11-20T08:30:00Z")),
            ("2026-11-20T10:30:00+02:00", at("2026-11-20T08:30:00Z")),
            ("-5m", ago(300)),
            ("-1h30m", ago(5_400)),
            ("-0s", ago(0)),
            ("-1d", ago(86_400)),
            ("now", ago(0)),
            ("2026-11-20 08:30:00 UTC", at("2026-11-20T08:30:00Z")),
            ("2026-11-20", None),
            ("5m", None),
            ("--5m", None),
            ("-5", None),
            (
                "08:30",
                Some(Instant::OfDay(jiff::civil::time(8, 30, 0, 0))),
            ),
            ("25:30", None),
            ("", None),
        ];
        for (text, expected) in rows {
            assert_eq!(Instant::parse(text).ok(), expected, "{text}");
        }
    }
}
