//! Kubernetes quantities: `250m`, `128Mi`, `1e3`.
//!
//! The controller computes with whole thousandths only, so the two questions
//! that matter are [`Quantity::milli_value`] and how a result prints. Both
//! have artefacts that depend on how a text is stored, and those are kept:
//! a short text becomes a 64-bit mantissa with a power of ten, every other one
//! a number of any size that counts billionths.
//!
//! This is not a decimal arithmetic library. Numbers of any size are held as
//! decimal digits and an exponent, so `1e2000000000` costs as little as `1`;
//! in turn only what the controller asks of a quantity is offered.
//!
//! In JSON and YAML they are written as strings, and read from strings and numbers
//! (apimachinery `resource.Quantity.UnmarshalJSON`). A number is read by its shortest
//! text, which is all that a data format hands on: `1.500` without quotes is `1.5`.

mod decimal;
mod text;

use std::borrow::Cow;
use std::cmp::Ordering;
use std::fmt;

use compact_str::CompactString;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Error, Unexpected, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use decimal::Decimal;

pub use self::text::ParseQuantityError;
pub(super) use self::text::split_digits;

/// The power of ten of a thousandth.
const MILLI: i64 = -3;

/// The power of ten of the finest step that a quantity can hold.
const NANO: i64 = -9;

/// Finest steps in a thousandth.
const NANOS_PER_MILLI: i64 = 1_000_000;

/// The kind of suffix that a quantity is written with
/// (apimachinery `resource.Format`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// `n`, `u`, `m`, none, `k`, `M`, `G`, `T`, `P`, `E`: powers of 1000.
    DecimalSi,
    /// `Ki`, `Mi`, `Gi`, `Ti`, `Pi`, `Ei`: powers of 1024.
    BinarySi,
    /// `e3`: powers of ten.
    DecimalExponent,
}

/// A number with a unit prefix, and the text that it was written with
/// (apimachinery `resource.Quantity`).
///
/// Two quantities are equal if their texts are: `1` and `1000m` differ. To
/// compare what they stand for, use [`Quantity::cmp_value`].
#[derive(Clone, Debug)]
pub struct Quantity {
    /// In place: few are longer.
    text: CompactString,
    /// Whether printing repeats the text.
    regular: bool,
    amount: Amount,
    format: Format,
}

/// The two forms of storage.
#[derive(Clone, Debug)]
enum Amount {
    /// A 64-bit mantissa and a power of ten.
    Small(Small),
    /// A whole number of nanos of any size.
    Big(Box<Decimal>),
}

impl Quantity {
    /// A computed number of thousandths; its text is the canonical one
    /// (apimachinery `resource.NewMilliQuantity`).
    pub fn from_milli(milli: i64, format: Format) -> Self {
        let small = Small {
            value: milli,
            exponent: MILLI,
        };
        Self::computed(Amount::Small(small), format)
    }

    /// The text as it was written, without outer blanks; of a computed
    /// quantity the canonical one.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The kind of suffix that the quantity keeps when it is printed.
    pub fn format(&self) -> Format {
        self.format
    }

    /// The value in thousandths, rounded away from zero.
    ///
    /// Values beyond 64 bits wrap or become 0, as they do in apimachinery
    /// `resource.Quantity.MilliValue` up to 1.37.
    pub fn milli_value(&self) -> i64 {
        match &self.amount {
            Amount::Small(small) => small.milli(),
            Amount::Big(nanos) => big_milli(nanos),
        }
    }

    /// The same since 1.38: values beyond 64 bits are the nearest that fit.
    pub fn exact_milli_value(&self) -> i64 {
        match &self.amount {
            Amount::Small(small) => small.exact_milli(),
            Amount::Big(nanos) => nanos.saturated(MILLI),
        }
    }

    /// The value in billionths, exactly; absent where its thousandths are beyond
    /// 64 bits, and so are another number for the controller.
    pub fn nano_value(&self) -> Option<i128> {
        let Amount::Small(small) = &self.amount else {
            return None;
        };
        let power = u32::try_from(small.exponent - NANO).ok()?;
        let nanos = 10_i128
            .checked_pow(power)?
            .checked_mul(small.value.into())?;
        i64::try_from(nanos / i128::from(NANOS_PER_MILLI))
            .ok()
            .map(|_| nanos)
    }

    /// The text of a value from 10^21 on in full, as it prints since 1.38;
    /// before, only its mantissa is printed.
    pub fn printed_in_full(&self) -> String {
        if self.regular {
            return self.text.to_string();
        }
        text::print_in_full(&self.amount.decimal(), self.format)
    }

    /// The value as a float: mantissa times power of ten, each rounded, so
    /// that `9m` is 9 × 0.001 and not the double next to 0.009
    /// (apimachinery `resource.Quantity.AsApproximateFloat64`).
    ///
    /// Beyond the range of doubles the result is infinite, and NaN for a zero
    /// with such an exponent.
    pub fn as_approximate_float(&self) -> f64 {
        match &self.amount {
            #[expect(clippy::cast_precision_loss, reason = "the first of the two roundings")]
            Amount::Small(small) => small.value as f64 * pow10(small.exponent),
            Amount::Big(nanos) => nanos.to_float(NANO) * pow10(NANO),
        }
    }

    /// The sum, with the format of `self` unless `self` is zero
    /// (apimachinery `resource.Quantity.Add`).
    ///
    /// Exact, but for one bound: where the sum has more than 4096 digits
    /// between its first and its last one, the smaller summand is dropped.
    pub fn add(&self, other: &Self) -> Self {
        let format = if self.amount.is_zero() {
            other.format
        } else {
            self.format
        };
        Self::computed(self.amount.add(&other.amount), format)
    }

    /// Compares the values, exactly (apimachinery `resource.Quantity.Cmp`).
    pub fn cmp_value(&self, other: &Self) -> Ordering {
        self.amount.decimal().cmp(&other.amount.decimal())
    }

    fn computed(amount: Amount, format: Format) -> Self {
        Self {
            text: text::print(&amount.decimal(), format).into(),
            regular: true,
            amount,
            format,
        }
    }
}

impl Default for Quantity {
    /// A decimal zero.
    fn default() -> Self {
        Self::from_milli(0, Format::DecimalSi)
    }
}

impl PartialEq for Quantity {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl Eq for Quantity {}

impl fmt::Display for Quantity {
    /// Prints as statuses and messages do: the text as it was written if that
    /// is regular, otherwise the canonical one
    /// (apimachinery `resource.Quantity.String`).
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.regular {
            f.pad(&self.text)
        } else {
            f.pad(&text::print(&self.amount.decimal(), self.format))
        }
    }
}

impl Amount {
    fn is_zero(&self) -> bool {
        match self {
            Self::Small(small) => small.value == 0,
            Self::Big(nanos) => nanos.is_zero(),
        }
    }

    fn decimal(&self) -> Decimal {
        match self {
            Self::Small(small) => Decimal::from_integer(small.value, small.exponent),
            Self::Big(nanos) => Decimal::clone(nanos),
        }
    }

    /// Two small amounts stay small where that is possible.
    fn add(&self, other: &Self) -> Self {
        if let (Self::Small(one), Self::Small(two)) = (self, other)
            && let Some(sum) = one.checked_add(*two)
        {
            return Self::Small(sum);
        }
        Self::Big(self.decimal().add(&other.decimal()).into())
    }
}

/// Thousandths of a big amount.
///
/// From 2^63 − 1 nanos on the division is exact and its result wraps. Below,
/// where every negative amount is as well, it is the nanos that wrap first,
/// and a remainder adds 1 whatever the sign (the two branches of apimachinery
/// `resource.scaledValue`).
fn big_milli(nanos: &Decimal) -> i64 {
    if *nanos >= Decimal::from_integer(i64::MAX, NANO) {
        return nanos.clone().round_away(MILLI).low_bits(MILLI);
    }
    let wrapped = nanos.low_bits(NANO);
    wrapped / NANOS_PER_MILLI + i64::from(wrapped % NANOS_PER_MILLI != 0)
}

/// 10^exponent with the roundings of Go's `math.Pow10`, for -22 and above.
fn pow10(exponent: i64) -> f64 {
    let literal = |n: i64| format!("1e{n}").parse().unwrap_or(f64::INFINITY);
    match exponent {
        ..0 => 1.0 / literal(-exponent),
        0..=308 => literal(exponent / 32 * 32) * literal(exponent % 32),
        _ => f64::INFINITY,
    }
}

/// The usual form of storage, with the overflow artefacts that it has: `value` ×
/// 10^`exponent`, where the exponent is -9 or more (apimachinery `resource.int64Amount`).
#[derive(Clone, Copy, Debug)]
struct Small {
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
            ..0 => factor.map_or(self.value.signum(), |factor| {
                self.value / factor + (self.value % factor).signum()
            }),
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

impl Serialize for Quantity {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.text)
    }
}

impl<'de> Deserialize<'de> for Quantity {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(QuantityVisitor)
    }
}

/// As it is written.
impl JsonSchema for Quantity {
    fn schema_name() -> Cow<'static, str> {
        "Quantity".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "string",
            "description": "An amount as Kubernetes writes it, such as `250m` or `1Gi`.",
        })
    }
}

/// What the readers of documents are told to expect.
pub const QUANTITY: &str = "a quantity such as \"250m\" or 2";

struct QuantityVisitor;

impl Visitor<'_> for QuantityVisitor {
    type Value = Quantity;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(QUANTITY)
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Quantity, E> {
        text.parse().map_err(|error| match error {
            ParseQuantityError::TooLong => E::custom(error),
            _ => E::invalid_value(Unexpected::Str(text), &self),
        })
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<Quantity, E> {
        self.visit_str(&number.to_string())
    }

    fn visit_i128<E: Error>(self, number: i128) -> Result<Quantity, E> {
        self.visit_str(&number.to_string())
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<Quantity, E> {
        self.visit_str(&number.to_string())
    }

    fn visit_u128<E: Error>(self, number: u128) -> Result<Quantity, E> {
        self.visit_str(&number.to_string())
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<Quantity, E> {
        // The range that Go's encoding/json writes without an exponent.
        match number.abs() {
            0.0 | 1e-6..1e21 => self.visit_str(&number.to_string()),
            size if size.is_finite() => self.visit_str(&format!("{number:e}")),
            _ => Err(E::invalid_value(Unexpected::Float(number), &self)),
        }
    }
}

#[cfg(test)]
mod tests;
