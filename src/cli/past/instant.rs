//! A moment as it is typed.

use jiff::{SignedDuration, Timestamp};

use crate::api::GoDuration;

/// A moment of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Instant {
    /// This one.
    At(Timestamp),
    /// So long before the record's last sample.
    BeforeTheEnd(SignedDuration),
}

impl Instant {
    /// Reads `2026-11-20T08:30:00Z` or `-5m`.
    ///
    /// # Errors
    ///
    /// What a moment looks like.
    pub fn parse(text: &str) -> Result<Self, String> {
        if let Ok(at) = text.parse() {
            return Ok(Self::At(at));
        }
        let ago = text.strip_prefix('-').map(str::parse::<GoDuration>);
        match ago {
            Some(Ok(GoDuration(ago))) if ago >= 0 => {
                Ok(Self::BeforeTheEnd(SignedDuration::from_nanos(ago)))
            }
            _ => Err(
                "must be a time such as 2026-11-20T08:30:00Z, or -5m: before the record's end"
                    .to_owned(),
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use jiff::SignedDuration;

    use super::Instant;

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
            ("5m", None),
            ("--5m", None),
            ("-5", None),
            ("08:30", None),
            ("", None),
        ];
        for (text, expected) in rows {
            assert_eq!(Instant::parse(text).ok(), expected, "{text}");
        }
    }
}
