//! Moments and lengths as integers.

use jiff::{SignedDuration, Timestamp};

/// Nanoseconds: since the Unix epoch for moments, plain for lengths. Wide
/// enough that no sum of the API's times and periods overflows.
pub type Nanos = i128;

/// One second.
pub const SECOND: Nanos = 1_000_000_000;

/// Go's zero time, which an absent time reads as: the first of January of
/// year 1.
pub const ZERO_TIME: Nanos = -62_135_596_800 * SECOND;

/// The moment as the API writes it; the nearest one where the API has none.
#[must_use]
pub fn timestamp(moment: Nanos) -> Timestamp {
    Timestamp::from_nanosecond(moment).unwrap_or(if moment < 0 {
        Timestamp::MIN
    } else {
        Timestamp::MAX
    })
}

/// A length as the API's own duration; the nearest one where it has none.
#[must_use]
pub fn duration(length: Nanos) -> SignedDuration {
    SignedDuration::try_from_nanos_i128(length).unwrap_or(SignedDuration::MAX)
}
