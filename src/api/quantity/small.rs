//! The usual form of storage, with the overflow artefacts that it has.
//!
//! Everything that does not fit is [`super::decimal`]'s.

use super::MILLI;

/// `value` × 10^`exponent`, where the exponent is -9 or more
/// (apimachinery `resource.int64Amount`).
#[derive(Clone, Copy, Debug)]
pub(super) struct Small {
    pub value: i64,
    pub exponent: i64,
}

impl Small {
    /// The value in thousandths, rounded away from zero.
    ///
    /// On overflow the product wraps for the powers of ten that apimachinery
    /// (`resource.positiveScaleInt64`) multiplies by at once, and is 0 for
    /// those that it builds up step by step.
    pub fn milli(self) -> i64 {
        let shift = self.exponent - MILLI;
        let factor = power_of_ten(shift.unsigned_abs());
        match shift {
            ..0 => factor.map_or(self.value.signum(), |f| divide_away(self.value, f)),
            0 | 1 | 2 | 3 | 6 | 9 => factor.map_or(0, |f| self.value.wrapping_mul(f)),
            _ => factor.and_then(|f| self.value.checked_mul(f)).unwrap_or(0),
        }
    }

    /// The same without artefacts: what is too large is the largest.
    pub fn exact_milli(self) -> i64 {
        let shift = self.exponent - MILLI;
        if shift < 0 || self.value == 0 {
            return self.milli();
        }
        let limit = if self.value < 0 { i64::MIN } else { i64::MAX };
        let factor = power_of_ten(shift.unsigned_abs());
        factor.map_or(limit, |factor| self.value.saturating_mul(factor))
    }

    /// The sum at the smaller of the two powers of ten, if it fits; a zero
    /// leaves the other as it is.
    pub fn checked_add(self, other: Self) -> Option<Self> {
        if other.value == 0 {
            return Some(self);
        }
        if self.value == 0 {
            return Some(other);
        }
        let exponent = self.exponent.min(other.exponent);
        let aligned =
            |small: Self| power_of_ten(small.exponent.abs_diff(exponent))?.checked_mul(small.value);
        let value = aligned(self)?.checked_add(aligned(other)?)?;
        Some(Self { value, exponent })
    }
}

fn power_of_ten(exponent: u64) -> Option<i64> {
    10i64.checked_pow(u32::try_from(exponent).ok()?)
}

fn divide_away(value: i64, divisor: i64) -> i64 {
    let remainder = value % divisor;
    value / divisor + remainder.signum()
}
