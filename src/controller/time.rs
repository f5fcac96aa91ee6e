//! Moments and lengths as integers.

use jiff::Timestamp;

/// Nanoseconds: since the Unix epoch for moments, plain for lengths. Wide
/// enough that no sum of the API's times and periods overflows.
pub type Nanos = i128;

/// One second.
pub const SECOND: Nanos = 1_000_000_000;

/// Go's zero time, which an absent time reads as: the first of January of
/// year 1.
pub const ZERO_TIME: Nanos = -62_135_596_800 * SECOND;

/// A length of time in whole seconds.
pub fn whole_seconds(time: Nanos) -> i64 {
    i64::try_from(time / SECOND).unwrap_or(i64::MAX)
}

/// The moment as the API writes it; the nearest one where the API has none.
pub fn timestamp(moment: Nanos) -> Timestamp {
    // Dividing 64 bits is many times faster than dividing 128, and a trace
    // holds several moments a pod.
    let converted = match i64::try_from(moment) {
        Ok(moment) => {
            let rest = moment.rem_euclid(1_000_000_000);
            let rest = i32::try_from(rest).unwrap_or_default();
            Timestamp::new(moment.div_euclid(1_000_000_000), rest)
        }
        Err(_) => Timestamp::from_nanosecond(moment),
    };
    converted.unwrap_or(if moment < 0 {
        Timestamp::MIN
    } else {
        Timestamp::MAX
    })
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;

    use super::{Nanos, SECOND, timestamp};

    #[test]
    fn moments_survive_the_conversion() {
        let moments: [Nanos; 7] = [
            0,
            -1,
            1_793_534_400 * SECOND + 123_456_789,
            -62_135_596_800 * SECOND,
            i64::MAX.into(),
            Nanos::from(i64::MAX) + 1,
            Timestamp::MAX.as_nanosecond(),
        ];
        for moment in moments {
            assert_eq!(timestamp(moment).as_nanosecond(), moment);
        }
        assert_eq!(timestamp(Nanos::MAX), Timestamp::MAX);
        assert_eq!(timestamp(Nanos::MIN), Timestamp::MIN);
    }
}
