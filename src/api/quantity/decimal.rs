//! Decimal numbers of any size, kept as digits and a power of ten.
//!
//! Digits are never expanded to what an exponent stands for, except in a sum,
//! and there only up to [`MAX_DIGITS`]: the cost of every operation is bound
//! by the length of the texts, not by the numbers in them.

use std::cmp::Ordering;

/// The most digits that a number is written out to.
pub(super) const MAX_DIGITS: u64 = 4096;

/// ± `digits` × 10^`exponent`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Decimal {
    negative: bool,
    /// Values 0 to 9, most significant first, with no 0 at either end; empty
    /// for zero, which has exponent 0 and no sign.
    digits: Vec<u8>,
    exponent: i64,
}

impl Decimal {
    /// Takes digits as they come.
    pub fn new(negative: bool, mut digits: Vec<u8>, mut exponent: i64) -> Self {
        let leading = digits.iter().take_while(|digit| **digit == 0).count();
        digits.drain(..leading);
        while digits.last() == Some(&0) {
            digits.pop();
            exponent += 1;
        }
        if digits.is_empty() {
            exponent = 0;
        }
        Self {
            negative: negative && !digits.is_empty(),
            digits,
            exponent,
        }
    }

    pub fn from_integer(value: i64, exponent: i64) -> Self {
        let digits = value.unsigned_abs().to_string();
        Self::new(
            value < 0,
            digits.bytes().map(|b| b - b'0').collect(),
            exponent,
        )
    }

    pub fn is_zero(&self) -> bool {
        self.digits.is_empty()
    }

    pub fn is_negative(&self) -> bool {
        self.negative
    }

    pub fn digits(&self) -> &[u8] {
        &self.digits
    }

    pub fn exponent(&self) -> i64 {
        self.exponent
    }

    /// The number without its sign.
    pub fn magnitude(self) -> Self {
        Self {
            negative: false,
            ..self
        }
    }

    /// The number with the opposite sign if `negative`.
    pub fn negate_if(self, negative: bool) -> Self {
        Self {
            negative: !self.is_zero() && (self.negative != negative),
            ..self
        }
    }

    /// The product with a number below 2^64.
    pub fn times(self, factor: u64) -> Self {
        let mut digits = Vec::with_capacity(self.digits.len() + 20);
        let mut carry = 0u128;
        for digit in self.digits.iter().rev() {
            carry += u128::from(*digit) * u128::from(factor);
            digits.push(last_digit(carry));
            carry /= 10;
        }
        while carry > 0 {
            digits.push(last_digit(carry));
            carry /= 10;
        }
        digits.reverse();
        Self::new(self.negative, digits, self.exponent)
    }

    /// The nearest multiple of 10^`exponent` that is no closer to zero.
    pub fn round_away(mut self, exponent: i64) -> Self {
        if self.is_zero() || self.exponent >= exponent {
            return self;
        }
        // What is cut off ends in a digit other than 0.
        self.digits
            .truncate(usize::try_from(self.top() - exponent).unwrap_or(0));
        self.digits.insert(0, 0);
        let nines = self.digits.iter().rev().take_while(|d| **d == 9).count();
        self.digits.truncate(self.digits.len() - nines);
        if let Some(last) = self.digits.last_mut() {
            *last += 1;
        }
        let exponent = exponent + length(nines);
        Self::new(self.negative, self.digits, exponent)
    }

    /// The low 64 bits, in two's complement, of the number of times that
    /// 10^`unit` goes into this one, which must be whole.
    pub fn low_bits(&self, unit: i64) -> i64 {
        let digits = self.digits.iter().fold(0i64, |bits, digit| {
            bits.wrapping_mul(10).wrapping_add(i64::from(*digit))
        });
        // 10^64 is a multiple of 2^64, so nothing is left from there on.
        let shift = u32::try_from(self.exponent - unit).map_or(64, |shift| shift.min(64));
        let bits = digits.wrapping_mul(10i64.wrapping_pow(shift));
        if self.negative {
            bits.wrapping_neg()
        } else {
            bits
        }
    }

    /// The number of times that 10^`unit` goes into this one, rounded away
    /// from zero; the nearest that fits where that is too large.
    pub fn saturated(&self, unit: i64) -> i64 {
        let rounded = self.clone().round_away(unit);
        if rounded >= Self::from_integer(i64::MAX, unit) {
            return i64::MAX;
        }
        if rounded <= Self::from_integer(i64::MIN, unit) {
            return i64::MIN;
        }
        rounded.low_bits(unit)
    }

    /// The number in units of 10^`unit`, as the nearest double.
    pub fn to_float(&self, unit: i64) -> f64 {
        let sign = if self.negative { "-" } else { "" };
        format!("{sign}0{}e{}", text(&self.digits), self.exponent - unit)
            .parse()
            .unwrap_or(f64::NAN)
    }

    /// The exact sum, or the greater summand where that would take more than
    /// [`MAX_DIGITS`] digits.
    pub fn add(&self, other: &Self) -> Self {
        let (large, small) = match (self.is_zero(), other.is_zero()) {
            (true, _) => return other.clone(),
            (_, true) => return self.clone(),
            _ if self.cmp_magnitude(other).is_lt() => (other, self),
            _ => (self, other),
        };
        let bottom = large.exponent.min(small.exponent);
        if large.top().abs_diff(bottom) > MAX_DIGITS {
            return large.clone();
        }
        let mut digits = Vec::new();
        let mut carry = 0i8;
        for place in bottom..=large.top() {
            let digit = small.digit(place);
            let digit = if small.negative == large.negative {
                digit
            } else {
                -digit
            };
            let sum = large.digit(place) + digit + carry;
            digits.push(sum.rem_euclid(10).cast_unsigned());
            carry = sum.div_euclid(10);
        }
        digits.reverse();
        Self::new(large.negative, digits, bottom)
    }

    /// The power of ten just above the first digit.
    pub fn top(&self) -> i64 {
        self.exponent + length(self.digits.len())
    }

    /// The digit that counts 10^`place`.
    fn digit(&self, place: i64) -> i8 {
        usize::try_from(self.top() - 1 - place)
            .ok()
            .and_then(|index| self.digits.get(index))
            .map_or(0, |digit| digit.cast_signed())
    }

    fn signum(&self) -> i8 {
        match (self.is_zero(), self.negative) {
            (true, _) => 0,
            (false, true) => -1,
            (false, false) => 1,
        }
    }

    /// Of two numbers other than zero; of two zeros as well.
    fn cmp_magnitude(&self, other: &Self) -> Ordering {
        (self.top(), &self.digits).cmp(&(other.top(), &other.digits))
    }
}

impl PartialOrd for Decimal {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Decimal {
    fn cmp(&self, other: &Self) -> Ordering {
        self.signum().cmp(&other.signum()).then_with(|| {
            let order = self.cmp_magnitude(other);
            if self.negative {
                order.reverse()
            } else {
                order
            }
        })
    }
}

pub(super) fn text(digits: &[u8]) -> String {
    digits
        .iter()
        .map(|digit| char::from(b'0' + digit))
        .collect()
}

fn last_digit(number: u128) -> u8 {
    u8::try_from(number % 10).unwrap_or(0)
}

/// A length that memory holds fits.
fn length(length: usize) -> i64 {
    i64::try_from(length).unwrap_or(i64::MAX)
}
