//! How long ago something was, as kubectl writes it.

use jiff::Timestamp;

const MINUTE: i64 = 60;
const HOUR: i64 = 60 * MINUTE;
const DAY: i64 = 24 * HOUR;
const YEAR: i64 = 365 * DAY;

/// The time between two moments: two units where the larger one alone would
/// say little (apimachinery `duration.HumanDuration`). `-` where the second
/// one comes first.
pub(super) fn age(from: Timestamp, to: Timestamp) -> String {
    let seconds = to.duration_since(from).as_secs();
    let of = |unit: i64| seconds / unit;
    let both = |large: i64, large_unit: &str, small: i64, small_unit: &str| {
        let rest = seconds % large / small;
        if rest == 0 {
            return format!("{}{large_unit}", of(large));
        }
        format!("{}{large_unit}{rest}{small_unit}", of(large))
    };
    match seconds {
        ..0 => "-".to_owned(),
        0..120 => format!("{seconds}s"),
        120..600 => both(MINUTE, "m", 1, "s"),
        600..10_800 => format!("{}m", of(MINUTE)),
        10_800..28_800 => both(HOUR, "h", MINUTE, "m"),
        28_800..172_800 => format!("{}h", of(HOUR)),
        172_800..691_200 => both(DAY, "d", HOUR, "h"),
        691_200..63_072_000 => format!("{}d", of(DAY)),
        63_072_000..252_288_000 => both(YEAR, "y", DAY, "d"),
        _ => format!("{}y", of(YEAR)),
    }
}

#[cfg(test)]
mod tests {
    use jiff::{SignedDuration, Timestamp};

    use super::age;

    #[test]
    fn ages_are_as_kubectl_writes_them() {
        let rows = [
            (-1, "-"),
            (0, "0s"),
            (119, "119s"),
            (120, "2m"),
            (599, "9m59s"),
            (600, "10m"),
            (10_799, "179m"),
            (10_800, "3h"),
            (10_860, "3h1m"),
            (28_800, "8h"),
            (172_799, "47h"),
            (180_000, "2d2h"),
            (691_200, "8d"),
            (63_072_000, "2y"),
            (63_158_400, "2y1d"),
            (252_288_000, "8y"),
        ];
        for (seconds, expected) in rows {
            let from = Timestamp::UNIX_EPOCH;
            let to = from + SignedDuration::from_secs(seconds);
            assert_eq!(age(from, to), expected, "{seconds}");
        }
        assert_eq!(age(Timestamp::MAX, Timestamp::MIN), "-");
        assert_eq!(age(Timestamp::MIN, Timestamp::MAX), "20012y");
    }
}
