//! The host's calendar: a log in klog's text form has neither year nor zone.

use jiff::civil::{DateTime, Time};
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};

/// Zones differ by multiples of this.
const ZONE_STEP: i64 = 15 * 60;

/// A metric's time may be ahead of the log's by this: clocks differ.
const CLOCKS_APART: i64 = 60;

/// No zone is further from UTC, and so none moves a line by more, either way.
pub(super) const FARTHEST_ZONE: SignedDuration = SignedDuration::from_hours(15);

/// What is known of the host's calendar.
#[derive(Debug, Default)]
pub(super) struct Clock {
    reference: Timestamp,
    /// How much the host's clock shows more than the time of the metric that
    /// a pass has read, at the least: the zone, and the metric's age.
    least_ahead: Option<SignedDuration>,
}

impl Clock {
    /// A calendar on which the reference is the latest moment.
    pub fn new(reference: Timestamp) -> Self {
        Self {
            reference,
            least_ahead: None,
        }
    }

    /// The moment as if the host's zone were UTC; the year is the latest that
    /// does not lead beyond the reference.
    pub fn as_if_utc(&self, month: i8, day: i8, time: Time) -> Option<Timestamp> {
        let latest = self.reference.checked_add(FARTHEST_ZONE).ok()?;
        let this_year = TimeZone::UTC.to_datetime(latest).year();
        // 29 February is in one year of eight, at the least.
        let mut years = (0..=8).map(|back| this_year.saturating_sub(back));
        years.find_map(|year| {
            let date = jiff::civil::Date::new(year, month, day).ok()?;
            let moment = TimeZone::UTC.to_timestamp(DateTime::from_parts(date, time));
            moment.ok().filter(|moment| *moment <= latest)
        })
    }

    /// Learns of the zone from a pass, and the time of the metric that it has
    /// read: that is shortly before.
    pub fn learn(&mut self, as_if_utc: Timestamp, metric_at: Timestamp) {
        let ahead = as_if_utc.duration_since(metric_at);
        // Some metrics have no time, which is then the year 1.
        if ahead.abs() <= FARTHEST_ZONE {
            let least = self.least_ahead.map_or(ahead, |least| least.min(ahead));
            self.least_ahead = Some(least);
        }
    }

    /// By how much the host's zone is ahead of UTC, if that can be told.
    pub fn zone(&self) -> Option<SignedDuration> {
        let ahead = self.least_ahead?.as_secs().saturating_add(CLOCKS_APART);
        let steps = ahead.div_euclid(ZONE_STEP);
        Some(SignedDuration::from_secs(steps * ZONE_STEP))
    }
}

/// A moment of the host's calendar in a zone that far ahead of UTC.
pub(super) fn in_zone(as_if_utc: Timestamp, ahead: SignedDuration) -> Timestamp {
    as_if_utc.saturating_sub(ahead).unwrap_or(as_if_utc)
}

/// A time as Go prints it, `2026-11-20 08:24:30 +0000 UTC`, or as the JSON
/// form has it.
pub(super) fn go_time(text: &str) -> Option<Timestamp> {
    if let Ok(at) = text.parse() {
        return Some(at);
    }
    let mut words = text.split(' ');
    let (date, time, zone) = (words.next()?, words.next()?, words.next()?);
    let at = format!("{date} {time} {zone}");
    Timestamp::strptime("%Y-%m-%d %H:%M:%S%.f %z", at).ok()
}

#[cfg(test)]
mod tests {
    use jiff::{SignedDuration, Timestamp};

    use super::{Clock, go_time};

    fn at(text: &str) -> Timestamp {
        text.parse().expect("a time")
    }

    #[test]
    fn the_year_is_that_of_the_reference_or_one_before() {
        let rows = [
            // The reference, month and day of the line at noon, the moment.
            ("2026-11-20T12:30:00Z", (11, 20), "2026-11-20T12:00:00Z"),
            ("2026-11-20T12:30:00Z", (11, 22), "2025-11-22T12:00:00Z"),
            // At New Year the host is in its year, the reference in its own.
            ("2027-01-01T00:30:00Z", (12, 31), "2026-12-31T12:00:00Z"),
            ("2026-12-31T23:30:00Z", (1, 1), "2027-01-01T12:00:00Z"),
            ("2027-03-01T00:30:00Z", (2, 29), "2024-02-29T12:00:00Z"),
        ];
        let noon = "12:00:00".parse().expect("a time");
        for (reference, (month, day), moment) in rows {
            let clock = Clock::new(at(reference));
            assert_eq!(clock.as_if_utc(month, day, noon), Some(at(moment)));
        }
        let clock = Clock::new(at("2026-11-20T12:30:00Z"));
        assert_eq!(clock.as_if_utc(2, 30, noon), None);
    }

    #[test]
    fn the_zone_is_what_is_left_of_a_metrics_age() {
        let log = at("2026-11-20T08:24:36Z");
        let rows = [
            (&["2026-11-20T08:24:30Z"][..], Some(0)),
            (&["2026-11-20T08:24:40Z"], Some(0)),
            (&["2026-11-20T08:12:00Z"], Some(0)),
            (&["2026-11-20T07:24:30Z"], Some(3600)),
            (&["2026-11-20T02:54:10Z"], Some(19_800)),
            (&["2026-11-20T16:24:20Z"], Some(-28_800)),
            // The youngest metric says most.
            (
                &["2026-11-20T06:00:00Z", "2026-11-20T07:24:30Z"],
                Some(3600),
            ),
            (&["0001-01-01T00:00:00Z"], None),
            (&[], None),
        ];
        for (metrics, zone) in rows {
            let mut clock = Clock::new(log);
            for metric in metrics {
                clock.learn(log, at(metric));
            }
            let expected = zone.map(SignedDuration::from_secs);
            assert_eq!(clock.zone(), expected, "{metrics:?}");
        }
    }

    #[test]
    fn times_are_read_as_go_prints_them() {
        let rows = [
            (
                "2026-11-20 08:24:30 +0000 UTC",
                Some("2026-11-20T08:24:30Z"),
            ),
            (
                "2026-11-20 10:24:30.5 +0200 CEST",
                Some("2026-11-20T08:24:30.5Z"),
            ),
            ("2026-11-20T08:24:30Z", Some("2026-11-20T08:24:30Z")),
            (
                "0001-01-01 00:00:00 +0000 UTC",
                Some("0001-01-01T00:00:00Z"),
            ),
            ("<nil>", None),
            ("", None),
        ];
        for (text, expected) in rows {
            assert_eq!(go_time(text), expected.map(at), "{text}");
        }
    }
}
