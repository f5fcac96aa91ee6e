//! Go's conversions and formatting, where they show in the controller's
//! answers.

use super::release::{Release, Switch};
use crate::api::Quantity;

/// `int32(math.Ceil(x))`: a size.
///
/// From 1.38 on one that is too large is the largest.
pub fn ceil_to_i32(value: f64, release: Release) -> i32 {
    if release.has(Switch::SaturatingSizes) && value > f64::from(i32::MAX) {
        return i32::MAX;
    }
    to_i32(value.ceil())
}

/// `int32(x)` of a float.
///
/// Inside the range it truncates. Outside, Go leaves the result to the
/// platform: on amd64, whose answers the tool gives, it is the smallest
/// integer.
pub fn to_i32(value: f64) -> i32 {
    let truncated = value.trunc();
    if (f64::from(i32::MIN)..=f64::from(i32::MAX)).contains(&truncated) {
        // In range, so Rust's saturating cast is exact.
        #[expect(clippy::cast_possible_truncation, reason = "tested to be in range")]
        return truncated as i32;
    }
    i32::MIN
}

/// `int64(x)` of a float, on amd64.
pub fn to_i64(value: f64) -> i64 {
    const LIMIT: f64 = 9_223_372_036_854_775_808.0;
    if (-LIMIT..LIMIT).contains(&value) {
        #[expect(clippy::cast_possible_truncation, reason = "tested to be in range")]
        return value as i64;
    }
    i64::MIN
}

/// `quantity.MilliValue()`: all that the arithmetic sees of a quantity.
pub fn milli_value(quantity: &Quantity, release: Release) -> i64 {
    if release.has(Switch::ExactMilli) {
        quantity.exact_milli_value()
    } else {
        quantity.milli_value()
    }
}

/// A 64-bit integer as a float, rounded as Go rounds it.
#[expect(
    clippy::cast_precision_loss,
    reason = "the controller rounds here, too"
)]
pub fn to_f64(value: i64) -> f64 {
    value as f64
}

/// The low 64 bits of an exact sum: what wrapping additions come to.
#[expect(
    clippy::cast_possible_truncation,
    reason = "the controller wraps here, too"
)]
pub fn wrap_i64(exact: i128) -> i64 {
    exact as i64
}

/// The low 32 bits of a 64-bit integer: Go's `int32(x)`.
#[expect(
    clippy::cast_possible_truncation,
    reason = "the controller wraps here, too"
)]
pub fn wrap_i32(value: i64) -> i32 {
    value as i32
}

/// `fmt.Sprintf(format)` without arguments: what becomes of a text that was
/// meant to be printed but is used as a format.
pub fn sprintf_without_arguments(format: &str) -> String {
    let mut out = String::with_capacity(format.len());
    let mut rest = format;
    while let Some((text, directive)) = rest.split_once('%') {
        out.push_str(text);
        rest = print_directive(directive, &mut out);
    }
    out.push_str(rest);
    out
}

/// Prints the directive that begins after a `%` and returns what follows it.
fn print_directive<'a>(directive: &'a str, out: &mut String) -> &'a str {
    let mut rest = directive.trim_start_matches(['+', '-', '#', ' ', '0']);
    let mut bad_index = false;
    rest = skip_index(rest, &mut bad_index);
    rest = skip_number(rest, "%!(BADWIDTH)", out);
    if let Some(precision) = rest.strip_prefix('.') {
        rest = skip_index(precision, &mut bad_index);
        rest = skip_number(rest, "%!(BADPREC)", out);
    }
    rest = skip_index(rest, &mut bad_index);
    let Some(verb) = rest.chars().next() else {
        out.push_str("%!(NOVERB)");
        return rest;
    };
    match verb {
        '%' => out.push('%'),
        _ if bad_index => out.extend(["%!", &verb.to_string(), "(BADINDEX)"]),
        _ => out.extend(["%!", &verb.to_string(), "(MISSING)"]),
    }
    &rest[verb.len_utf8()..]
}

/// Skips an explicit argument index such as `[1]`; without arguments every
/// index is out of range.
fn skip_index<'a>(text: &'a str, bad: &mut bool) -> &'a str {
    let Some(inner) = text.strip_prefix('[') else {
        return text;
    };
    *bad = true;
    inner.split_once(']').map_or(inner, |(_, rest)| rest)
}

/// Skips a width or precision. `*` would take it from an argument, of which
/// there is none.
fn skip_number<'a>(text: &'a str, complaint: &str, out: &mut String) -> &'a str {
    if let Some(rest) = text.strip_prefix('*') {
        out.push_str(complaint);
        return rest;
    }
    text.trim_start_matches(|c: char| c.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::{ceil_to_i32, sprintf_without_arguments, to_i32, to_i64};
    use crate::controller::Release;

    #[test]
    fn floats_become_integers_as_on_amd64() {
        let (old, new) = (Release::minor(36), Release::minor(38));
        let rows = [
            (1.2, 2, 2),
            (-1.2, -1, -1),
            (2_147_483_647.0, i32::MAX, i32::MAX),
            (2_147_483_648.0, i32::MIN, i32::MAX),
            (f64::INFINITY, i32::MIN, i32::MAX),
            (f64::NEG_INFINITY, i32::MIN, i32::MIN),
            (f64::NAN, i32::MIN, i32::MIN),
        ];
        for (value, before, since_1_38) in rows {
            assert_eq!(ceil_to_i32(value, old), before, "{value}");
            assert_eq!(ceil_to_i32(value, new), since_1_38, "{value}");
        }
        assert_eq!(to_i32(-2.9), -2);
        assert_eq!(to_i32(f64::INFINITY), i32::MIN);
        assert_eq!(to_i64(f64::INFINITY), i64::MIN);
        assert_eq!(to_i64(9.9), 9);
    }

    #[test]
    fn a_text_used_as_a_format_is_garbled_as_go_garbles_it() {
        let rows = [
            ("plain", "plain"),
            ("90% of", "90%!o(MISSING)f"),
            ("%s", "%!s(MISSING)"),
            ("100%", "100%!(NOVERB)"),
            ("%%", "%"),
            ("a%2Fb", "a%!F(MISSING)b"),
            ("%*d", "%!(BADWIDTH)%!d(MISSING)"),
            ("%[1]d", "%!d(BADINDEX)"),
            ("50%ü", "50%!ü(MISSING)"),
        ];
        for (format, printed) in rows {
            assert_eq!(sprintf_without_arguments(format), printed);
        }
    }
}
