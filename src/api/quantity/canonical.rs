//! The canonical text of a value: the one that computed quantities print.
//!
//! Whether a quantity prints like this or repeats the text that it was
//! written with is decided on reading, in [`super::parse`].

use super::Format;
use super::decimal::{Decimal, MAX_DIGITS, text};

/// The decimal suffixes and their powers of ten.
pub(super) const DECIMAL_SUFFIXES: [(&str, i64); 10] = [
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
pub(super) const BINARY_SUFFIXES: [&str; 7] = ["", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];

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
