//! Durations as Go writes them: `30s`, `1m0s`, `1.5h`.
//!
//! The controller's flags and the windows of metrics are written like this.
//! Seconds that are plain numbers elsewhere in the API are not durations.

use std::fmt;
use std::str::FromStr;

use serde::de::{Error as _, Unexpected};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::quantity::split_digits;

const MICROSECOND: u64 = 1_000;
const MILLISECOND: u64 = 1_000 * MICROSECOND;
const SECOND: u64 = 1_000 * MILLISECOND;
const MINUTE: u64 = 60 * SECOND;
const HOUR: u64 = 60 * MINUTE;

/// Nanoseconds in a second.
const NANOSECONDS: i64 = 1_000_000_000;

/// The magnitude of the longest duration, which is a negative one.
const LONGEST: u64 = i64::MIN.unsigned_abs();

/// A span of time in nanoseconds, positive or negative (Go `time.Duration`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GoDuration(pub i64);

/// Why a text is not a duration, in the words of Go's `time.ParseDuration`.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ParseDurationError {
    /// Not a list of numbers with units, or too long for 64 bits.
    #[error("time: invalid duration {}", quote(.0))]
    Invalid(String),
    /// A number without a unit.
    #[error("time: missing unit in duration {}", quote(.0))]
    MissingUnit(String),
    /// A unit that does not exist, and the text that it stands in.
    #[error("time: unknown unit {} in duration {}", quote(.0), quote(.1))]
    UnknownUnit(String, String),
}

impl FromStr for GoDuration {
    type Err = ParseDurationError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let invalid = || ParseDurationError::Invalid(text.to_owned());
        let within_range =
            |nanoseconds: Option<u64>| nanoseconds.filter(|it| *it <= LONGEST).ok_or_else(invalid);
        let mut rest = text.strip_prefix(['+', '-']).unwrap_or(text);
        if rest == "0" {
            return Ok(Self(0));
        }
        if rest.is_empty() {
            return Err(invalid());
        }
        let mut total = 0u64;
        // A number and its unit at a time.
        while !rest.is_empty() {
            let (whole, after) = split_digits(rest);
            let (fraction, after) = match after.strip_prefix('.') {
                Some(after) => split_digits(after),
                None => ("", after),
            };
            let count = match (whole, fraction) {
                ("", "") => return Err(invalid()),
                ("", _) => 0,
                _ => within_range(whole.parse().ok())?,
            };
            let end = after.find(|c: char| c == '.' || c.is_ascii_digit());
            let (unit, after) = after.split_at(end.unwrap_or(after.len()));
            let unit = match unit {
                "" => return Err(ParseDurationError::MissingUnit(text.to_owned())),
                "ns" => 1,
                // Both the micro sign and the Greek letter.
                "us" | "\u{b5}s" | "\u{3bc}s" => MICROSECOND,
                "ms" => MILLISECOND,
                "s" => SECOND,
                "m" => MINUTE,
                "h" => HOUR,
                _ => {
                    let (unit, text) = (unit.to_owned(), text.to_owned());
                    return Err(ParseDurationError::UnknownUnit(unit, text));
                }
            };
            let whole = within_range(count.checked_mul(unit))?;
            let term = within_range(whole.checked_add(fraction_of(unit, fraction)))?;
            total = within_range(total.checked_add(term))?;
            rest = after;
        }
        let nanoseconds = if text.starts_with('-') {
            0i64.checked_sub_unsigned(total)
        } else {
            0i64.checked_add_unsigned(total)
        };
        nanoseconds.map(Self).ok_or_else(invalid)
    }
}

impl GoDuration {
    /// Reads what people type: as Go reads it, or with days in front, such as
    /// `14d` or `1d12h`.
    ///
    /// # Errors
    ///
    /// It is no duration.
    pub fn typed(text: &str) -> Result<Self, ParseDurationError> {
        let in_hours = text.split_once('d').and_then(|(days, rest)| {
            let hours = days.parse::<i64>().ok()?.checked_mul(24)?;
            Some(format!("{hours}h{rest}"))
        });
        in_hours.as_deref().unwrap_or(text).parse()
    }

    /// Whether there is no fraction of a second.
    pub const fn is_whole_seconds(self) -> bool {
        self.0 % 1_000_000_000 == 0
    }

    /// The seconds in it; a fraction is cut off.
    pub const fn seconds(self) -> i64 {
        self.0 / NANOSECONDS
    }
}

/// The digits after a point, in nanoseconds; those beyond 63 bits are dropped.
fn fraction_of(unit: u64, digits: &str) -> u64 {
    let mut fraction = 0u64;
    let mut scale = 1.0;
    for digit in digits.bytes().map(|byte| u64::from(byte - b'0')) {
        if fraction > i64::MAX.unsigned_abs() / 10 || fraction * 10 + digit > LONGEST {
            break;
        }
        fraction = fraction * 10 + digit;
        scale *= 10.0;
    }
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_precision_loss,
        clippy::cast_sign_loss,
        reason = "Go goes by way of floats, too, and rounds in the same places"
    )]
    let nanoseconds = (fraction as f64 * (unit as f64 / scale)) as u64;
    nanoseconds
}

/// Quotes as Go's time package does in its errors.
fn quote(text: &str) -> String {
    let escape = |byte: u8| match byte {
        b'"' | b'\\' => format!("\\{}", char::from(byte)),
        b' '..=0x7f => char::from(byte).to_string(),
        _ => format!("\\x{byte:02x}"),
    };
    format!("\"{}\"", text.bytes().map(escape).collect::<String>())
}

impl fmt::Display for GoDuration {
    /// Prints as Go's `time.Duration.String` does: hours, minutes and seconds,
    /// or below one second the largest unit that leaves a whole part.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let nanoseconds = self.0.unsigned_abs();
        if self.0 < 0 {
            f.write_str("-")?;
        }
        if nanoseconds >= HOUR {
            write!(f, "{}h", nanoseconds / HOUR)?;
        }
        if nanoseconds >= MINUTE {
            write!(f, "{}m", nanoseconds % HOUR / MINUTE)?;
        }
        match nanoseconds {
            0 => f.write_str("0s"),
            1..MICROSECOND => write!(f, "{nanoseconds}ns"),
            MICROSECOND..MILLISECOND => write!(f, "{}µs", decimal(nanoseconds, 3)),
            MILLISECOND..SECOND => write!(f, "{}ms", decimal(nanoseconds, 6)),
            _ => write!(f, "{}s", decimal(nanoseconds % MINUTE, 9)),
        }
    }
}

/// A number with its last `places` digits after the point, as far as they are
/// needed.
fn decimal(number: u64, places: usize) -> String {
    let padded = format!("{number:0width$}", width = places + 1);
    let (whole, fraction) = padded.split_at(padded.len() - places);
    let text = format!("{whole}.{fraction}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// What the readers of documents are told to expect.
pub const DURATION: &str = "a duration such as 30s or 1m30s";

impl Serialize for GoDuration {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for GoDuration {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let refused = |_| D::Error::invalid_value(Unexpected::Str(&text), &DURATION);
        text.parse().map_err(refused)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use crate::api::duration::*;

    #[test]
    fn people_type_days() {
        let rows = [
            ("14d", Some(14 * 24 * 3_600)),
            ("1d12h", Some(36 * 3_600)),
            ("-2d", Some(-48 * 3_600)),
            ("90m", Some(5_400)),
            ("0d", Some(0)),
            ("d", None),
            ("1.5d", None),
            ("5d3", None),
            ("200000d", None),
        ];
        for (text, seconds) in rows {
            let typed = GoDuration::typed(text).ok().map(GoDuration::seconds);
            assert_eq!(typed, seconds, "{text}");
            assert_eq!(text.parse::<GoDuration>().is_ok(), text == "90m", "{text}");
        }
    }

    #[test]
    fn reading_and_printing() {
        let rows = [
            ("0", 0, "0s"),
            ("-0", 0, "0s"),
            ("0s", 0, "0s"),
            ("30s", 30_000_000_000, "30s"),
            ("60s", 60_000_000_000, "1m0s"),
            ("1m0s", 60_000_000_000, "1m0s"),
            ("5m", 300_000_000_000, "5m0s"),
            ("1h", 3_600_000_000_000, "1h0m0s"),
            ("1.5h", 5_400_000_000_000, "1h30m0s"),
            ("1h0.5s", 3_600_500_000_000, "1h0m0.5s"),
            ("100h", 360_000_000_000_000, "100h0m0s"),
            ("-2s", -2_000_000_000, "-2s"),
            ("+2s", 2_000_000_000, "2s"),
            ("300ms", 300_000_000, "300ms"),
            ("1500ms", 1_500_000_000, "1.5s"),
            ("1.01ms", 1_010_000, "1.01ms"),
            ("1us", 1_000, "1µs"),
            ("1.5\u{b5}s", 1_500, "1.5µs"),
            ("1.5\u{3bc}s", 1_500, "1.5µs"),
            ("7ns", 7, "7ns"),
            (".5s", 500_000_000, "500ms"),
            ("5.s", 5_000_000_000, "5s"),
            ("1s1s", 2_000_000_000, "2s"),
            ("0.9ns", 0, "0s"),
            ("0.3333333333333333333h", 1_200_000_000_000, "20m0s"),
            (
                "0.9223372036854775807h",
                3_320_413_933_267,
                "55m20.413933267s",
            ),
            ("0.100000000000000000000h", 360_000_000_000, "6m0s"),
            (
                "9223372036854775807ns",
                i64::MAX,
                "2562047h47m16.854775807s",
            ),
            (
                "-9223372036854775808ns",
                i64::MIN,
                "-2562047h47m16.854775808s",
            ),
        ];
        for (text, nanoseconds, printed) in rows {
            let duration = text.parse::<GoDuration>();
            assert_eq!(duration, Ok(GoDuration(nanoseconds)), "{text}");
            assert_eq!(GoDuration(nanoseconds).to_string(), printed, "{text}");
        }
        assert_eq!(rows.len(), 29);
    }

    #[test]
    fn refusals() {
        let long = "9".repeat(100_000) + "s";
        let rows = [
            ("", "time: invalid duration \"\""),
            ("-", "time: invalid duration \"-\""),
            ("x", "time: invalid duration \"x\""),
            ("s", "time: invalid duration \"s\""),
            (".s", "time: invalid duration \".s\""),
            ("--1s", "time: invalid duration \"--1s\""),
            (" 1s", "time: invalid duration \" 1s\""),
            ("1s ", "time: unknown unit \"s \" in duration \"1s \""),
            ("30", "time: missing unit in duration \"30\""),
            ("1..5s", "time: missing unit in duration \"1..5s\""),
            ("00", "time: missing unit in duration \"00\""),
            ("1d", "time: unknown unit \"d\" in duration \"1d\""),
            ("1m-2s", "time: unknown unit \"m-\" in duration \"1m-2s\""),
            (
                "1\"\\é",
                r#"time: unknown unit "\"\\\xc3\xa9" in duration "1\"\\\xc3\xa9""#,
            ),
            (
                "9223372036854775808ns",
                "time: invalid duration \"9223372036854775808ns\"",
            ),
            (
                "-9223372036854775809ns",
                "time: invalid duration \"-9223372036854775809ns\"",
            ),
            ("2562048h", "time: invalid duration \"2562048h\""),
            ("2562047h1h", "time: invalid duration \"2562047h1h\""),
            (
                "18446744073709551617s",
                "time: invalid duration \"18446744073709551617s\"",
            ),
            (
                "99999999999999999999",
                "time: invalid duration \"99999999999999999999\"",
            ),
        ];
        for (text, error) in rows {
            let actual = text.parse::<GoDuration>().unwrap_err();
            assert_eq!(actual.to_string(), error);
        }
        assert_eq!(rows.len(), 20);
        assert!(matches!(
            long.parse::<GoDuration>(),
            Err(ParseDurationError::Invalid(_))
        ));
    }

    #[test]
    fn json() {
        let duration: GoDuration = serde_json::from_str("\"90s\"").unwrap();
        assert_eq!(serde_json::to_string(&duration).unwrap(), "\"1m30s\"");
        let error = serde_json::from_str::<GoDuration>("\"90\"").unwrap_err();
        assert!(error.to_string().starts_with(&format!(
            "invalid value: string \"90\", expected {DURATION}"
        )));
        assert!(serde_json::from_str::<GoDuration>("90").is_err());
    }

    proptest! {
        #[test]
        fn nothing_panics(text in "\\PC{0,20}", terms in "[-+]?([0-9]{0,25}\\.?[0-9]{0,25}(s|m|h|ns|x)?){0,4}") {
            let _ = (text.parse::<GoDuration>(), terms.parse::<GoDuration>());
        }

        #[test]
        fn milliseconds_read_back(milliseconds in -9_000_000_000_000i64..9_000_000_000_000) {
            let duration = GoDuration(milliseconds * 1_000_000);
            prop_assert_eq!(duration.to_string().parse(), Ok(duration));
        }

        #[test]
        fn short_ones_read_back(nanoseconds in -60_000_000_000i64..60_000_000_000) {
            let duration = GoDuration(nanoseconds);
            prop_assert_eq!(duration.to_string().parse(), Ok(duration));
        }
    }
}
