//! The text of a quantity: reading it (apimachinery `resource.ParseQuantity`), and the
//! canonical one, which computed quantities print.
//!
//! Which texts are accepted, which form of storage one gets, and whether it
//! is regular, that is, printed again as it was written, is decided on reading.

use std::str::FromStr;

use super::decimal::{Decimal, MAX_DIGITS, text};
use super::{Amount, Format, NANO, Quantity, Small};

/// The most bytes that a quantity may be written with.
const MAX_LENGTH: usize = 1024;

/// The most decimal digits of a small amount.
const MAX_SMALL_DIGITS: usize = 18;

/// The most digits of a small amount by power of 1024, as far as there are
/// any small ones.
const MAX_SMALL_BINARY_DIGITS: [usize; 5] = [0, 11, 8, 5, 2];

/// Why a text is not a quantity; the first two texts are the API server's.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ParseQuantityError {
    /// Not a number followed by something like a suffix.
    #[error(
        "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
    )]
    Pattern,
    /// No such suffix, or an exponent of more than 64 bits.
    #[error("unable to parse quantity's suffix")]
    Suffix,
    /// Longer than this program is willing to read.
    #[error("quantities must be no more than {MAX_LENGTH} bytes long")]
    TooLong,
}

impl FromStr for Quantity {
    type Err = ParseQuantityError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let text = text.trim();
        if text.len() > MAX_LENGTH {
            return Err(ParseQuantityError::TooLong);
        }
        let (number, suffix) = Number::split(text).ok_or(ParseQuantityError::Pattern)?;
        let suffix = Suffix::parse(suffix).ok_or(ParseQuantityError::Suffix)?;
        let small = match suffix {
            Suffix::Decimal(_, exponent) => number.small_decimal(exponent),
            Suffix::Binary(power) => number.small_binary(power),
        };
        let (amount, regular) = match small {
            Some((small, regular)) => (Amount::Small(small), regular),
            None => (Amount::Big(number.big(suffix).into()), false),
        };
        Ok(Self {
            text: text.into(),
            regular,
            format: suffix.format(&amount),
            amount,
        })
    }
}

/// The part before the suffix.
struct Number<'a> {
    negative: bool,
    /// Without leading zeros, but never empty.
    whole: &'a str,
    fraction: &'a str,
}

impl<'a> Number<'a> {
    /// Separates number and suffix; none if the text is not of that form.
    fn split(text: &'a str) -> Option<(Self, &'a str)> {
        let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
        let (whole, rest) = split_digits(unsigned);
        let (fraction, suffix) = match rest.strip_prefix('.') {
            Some(rest) => split_digits(rest),
            None if whole.is_empty() => return None,
            None => ("", rest),
        };
        let number = Self {
            negative: text.starts_with('-'),
            whole: match whole.trim_start_matches('0') {
                "" => "0",
                whole => whole,
            },
            fraction,
        };
        is_like_suffix(suffix).then_some((number, suffix))
    }

    fn small_decimal(&self, exponent: i64) -> Option<(Small, bool)> {
        let exponent = exponent - self.places();
        let fits = self.whole.len() + self.fraction.len() <= MAX_SMALL_DIGITS && exponent >= NANO;
        fits.then(|| {
            let from_end = self.digits().rev().take(3);
            let regular =
                exponent % 3 == 0 && !self.whole.starts_with('0') && !from_end.eq([0, 0, 0]);
            (self.small(1, exponent), regular)
        })
    }

    fn small_binary(&self, power: usize) -> Option<(Small, bool)> {
        let most = *MAX_SMALL_BINARY_DIGITS.get(power)?;
        let fits = self.fraction.is_empty() && self.whole.len() <= most;
        fits.then(|| {
            let small = self.small(1 << (10 * power), 0);
            (small, (small.value >> (10 * power)) % 8 != 0)
        })
    }

    /// The digits times `factor`, which fit 64 bits by their number.
    fn small(&self, factor: i64, exponent: i64) -> Small {
        let mantissa = self.digits().fold(0, |n, digit| n * 10 + i64::from(digit));
        let sign = if self.negative { -1 } else { 1 };
        Small {
            value: sign * mantissa * factor,
            exponent,
        }
    }

    /// A whole number of nanos; binary ones have an upper bound.
    fn big(&self, suffix: Suffix) -> Decimal {
        let digits = self.digits().collect();
        let nanos = match suffix {
            Suffix::Decimal(_, exponent) => {
                Decimal::new(false, digits, exponent - self.places()).round_away(NANO)
            }
            Suffix::Binary(power) => Decimal::new(false, digits, -self.places())
                .times(1 << (10 * power))
                .round_away(NANO)
                .min(Decimal::from_integer(i64::MAX, 0)),
        };
        nanos.negate_if(self.negative)
    }

    fn digits(&self) -> impl DoubleEndedIterator<Item = u8> + use<'a> {
        let (whole, fraction) = (self.whole.bytes(), self.fraction.bytes());
        whole.chain(fraction).map(|byte| byte - b'0')
    }

    /// How many digits follow the point.
    fn places(&self) -> i64 {
        i64::try_from(self.fraction.len()).unwrap_or(i64::MAX)
    }
}

/// What the number is multiplied by.
#[derive(Clone, Copy)]
enum Suffix {
    /// A power of ten.
    Decimal(Format, i64),
    /// A power of 1024.
    Binary(usize),
}

impl Suffix {
    fn parse(suffix: &str) -> Option<Self> {
        if let Some((_, exponent)) = DECIMAL_SUFFIXES.iter().find(|(of, _)| *of == suffix) {
            return Some(Self::Decimal(Format::DecimalSi, *exponent));
        }
        if let Some(power) = BINARY_SUFFIXES.iter().position(|of| *of == suffix) {
            return Some(Self::Binary(power));
        }
        let exponent = suffix.strip_prefix(['e', 'E'])?.parse::<i64>().ok()?;
        #[expect(
            clippy::cast_possible_truncation,
            reason = "Go reads 64 bits and keeps 32"
        )]
        let exponent = i64::from(exponent as i32);
        Some(Self::Decimal(Format::DecimalExponent, exponent))
    }

    /// A big binary amount below one unit counts as decimal.
    fn format(self, amount: &Amount) -> Format {
        match (self, amount) {
            (Self::Decimal(format, _), _) => format,
            (Self::Binary(_), Amount::Big(nanos)) if !nanos.is_zero() && nanos.top() <= 0 => {
                Format::DecimalSi
            }
            (Self::Binary(_), _) => Format::BinarySi,
        }
    }
}

/// The digits at the beginning of a text, and the rest.
pub(crate) fn split_digits(text: &str) -> (&str, &str) {
    let rest = text.trim_start_matches(|c: char| c.is_ascii_digit());
    text.split_at(text.len() - rest.len())
}

/// The second half of the pattern that [`ParseQuantityError::Pattern`] names.
fn is_like_suffix(text: &str) -> bool {
    let number = text.trim_start_matches(|c| "eEinumkKMGTP".contains(c));
    let digits = number.strip_prefix(['+', '-']).unwrap_or(number);
    digits.bytes().all(|byte| byte.is_ascii_digit())
}

/// The decimal suffixes and their powers of ten.
const DECIMAL_SUFFIXES: [(&str, i64); 10] = [
    ("", 0),
    ("m", -3),
    ("k", 3),
    ("M", 6),
    ("G", 9),
    ("T", 12),
    ("P", 15),
    ("E", 18),
    ("u", -6),
    ("n", -9),
];

/// The binary suffixes; the place of each is its power of 1024.
const BINARY_SUFFIXES: [&str; 7] = ["", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];

/// A whole mantissa with the largest suffix that allows for one
/// (apimachinery `resource.Quantity.CanonicalizeBytes`).
///
/// A value without a suffix large enough loses its magnitude: 10^21 prints as
/// `1`, as it does there.
pub(super) fn print(value: &Decimal, format: Format) -> String {
    if value.is_zero() {
        return "0".to_owned();
    }
    let sign = if value.is_negative() { "-" } else { "" };
    let unsigned = match format {
        Format::BinarySi => binary(value).unwrap_or_else(|| decimal(value, format)),
        Format::DecimalSi | Format::DecimalExponent => decimal(value, format),
    };
    format!("{sign}{unsigned}")
}

/// The same without loss: a decimal value without a suffix large enough gets
/// an exponent. (No binary one that can be written is beyond its suffixes.)
pub(super) fn print_in_full(value: &Decimal, format: Format) -> String {
    const BEYOND_SUFFIXES: i64 = 21;
    if format == Format::DecimalSi && value.exponent() >= BEYOND_SUFFIXES {
        return print(value, Format::DecimalExponent);
    }
    print(value, format)
}

fn decimal(value: &Decimal, format: Format) -> String {
    let power = value.exponent().div_euclid(3) * 3;
    let zeros = match value.exponent() - power {
        0 => "",
        1 => "0",
        _ => "00",
    };
    let mantissa = text(value.digits()) + zeros;
    if format == Format::DecimalExponent && power != 0 {
        return format!("{mantissa}e{power}");
    }
    let suffix = DECIMAL_SUFFIXES.iter().find(|(_, of)| *of == power);
    mantissa + suffix.map_or("", |(suffix, _)| suffix)
}

/// None for fractions and below 1024, where decimal suffixes are used, and
/// for numbers that are too long to be divided.
fn binary(value: &Decimal) -> Option<String> {
    let zeros = usize::try_from(value.exponent()).ok()?;
    let magnitude = value.clone().magnitude();
    if magnitude < Decimal::from_integer(1024, 0) || value.top().unsigned_abs() > MAX_DIGITS {
        return None;
    }
    let mut mantissa = [value.digits(), &vec![0; zeros]].concat();
    let mut power = 0;
    while let Some(quotient) = divide_by_1024(&mantissa) {
        mantissa = quotient;
        power += 1;
    }
    let suffix = BINARY_SUFFIXES.get(power).unwrap_or(&"");
    Some(text(&mantissa) + suffix)
}

/// The quotient, if there is no remainder.
fn divide_by_1024(digits: &[u8]) -> Option<Vec<u8>> {
    let mut quotient = Vec::with_capacity(digits.len());
    let mut remainder = 0u32;
    for digit in digits {
        let dividend = remainder * 10 + u32::from(*digit);
        let digit = u8::try_from(dividend / 1024).unwrap_or(0);
        if digit != 0 || !quotient.is_empty() {
            quotient.push(digit);
        }
        remainder = dividend % 1024;
    }
    (remainder == 0).then_some(quotient)
}
