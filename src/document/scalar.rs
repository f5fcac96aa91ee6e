//! What a plain word or number of a manifest stands for.

use super::node::Value;

/// What a scalar without quotes stands for: in JSON what it says, in YAML what
/// version 1.1 makes of it and kubectl sends as JSON.
pub(super) fn plain(text: &str, is_json: bool) -> Value {
    match text {
        "null" => return Value::Null,
        "true" => return Value::Bool(true),
        "false" => return Value::Bool(false),
        _ => {}
    }
    if is_json {
        return if is_json_number(text) {
            Value::Number(text.to_owned())
        } else {
            Value::Text(text.to_owned())
        };
    }
    match text {
        "" | "~" | "Null" | "NULL" => Value::Null,
        "y" | "Y" | "yes" | "Yes" | "YES" | "True" | "TRUE" | "on" | "On" | "ON" => {
            Value::Bool(true)
        }
        "n" | "N" | "no" | "No" | "NO" | "False" | "FALSE" | "off" | "Off" | "OFF" => {
            Value::Bool(false)
        }
        _ => number(text).map_or_else(|| Value::Text(text.to_owned()), Value::Number),
    }
}

/// A number of YAML as the JSON that kubectl makes of it.
fn number(text: &str) -> Option<String> {
    let (sign, digits) = match text.as_bytes().first()? {
        b'-' => ("-", &text[1..]),
        b'+' => ("", &text[1..]),
        _ => ("", text),
    };
    let first = digits.as_bytes().first()?;
    if !first.is_ascii_digit() && *first != b'.' {
        return None;
    }
    if let Some(whole) = whole(&digits.replace('_', "")) {
        return Some(format!("{sign}{whole}"));
    }
    float(&format!("{sign}{digits}"))
}

/// A whole number: decimal, or with the prefix of another base; a leading 0
/// is that of octal.
fn whole(digits: &str) -> Option<u128> {
    let based = |prefix: &str, base| {
        let rest = digits.strip_prefix(prefix).filter(|it| !it.is_empty());
        rest.filter(|rest| rest.bytes().all(|byte| byte.is_ascii_alphanumeric()))
            .and_then(|rest| u128::from_str_radix(rest, base).ok())
    };
    let is_decimal = digits.bytes().all(|byte| byte.is_ascii_digit());
    based("0x", 16)
        .or_else(|| based("0b", 2))
        .or_else(|| based("0o", 8))
        .or_else(|| based("0", 8))
        .or_else(|| is_decimal.then(|| digits.parse().ok())?)
}

/// A number with a fraction or an exponent, in the shortest form that Go's
/// `encoding/json` writes.
fn float(text: &str) -> Option<String> {
    let has_digit = text.bytes().any(|byte| byte.is_ascii_digit());
    let is_number = text
        .bytes()
        .all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b'e' | b'E' | b'+' | b'-'));
    if !has_digit || !is_number {
        return None;
    }
    let number: f64 = text.parse().ok().filter(|it: &f64| it.is_finite())?;
    Some(match number.abs() {
        0.0 | 1e-6..1e21 => number.to_string(),
        _ => format!("{number:e}"),
    })
}

fn is_json_number(text: &str) -> bool {
    serde_json::from_str::<serde_json::Number>(text).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_numbers_of_yaml() {
        let number = |text: &str| Value::Number(text.to_owned());
        let text = |text: &str| Value::Text(text.to_owned());
        let rows = [
            ("5", number("5")),
            ("-5", number("-5")),
            ("+5", number("5")),
            ("5.0", number("5")),
            ("1e3", number("1000")),
            ("0.05", number("0.05")),
            (".5", number("0.5")),
            ("1_000", number("1000")),
            ("0x10", number("16")),
            ("010", number("8")),
            ("08", number("8")),
            ("0", number("0")),
            ("100m", text("100m")),
            ("1Gi", text("1Gi")),
            ("5%", text("5%")),
            ("-", text("-")),
            ("1.2.3", text("1.2.3")),
            ("apps/v1", text("apps/v1")),
            ("yes", Value::Bool(true)),
            ("Off", Value::Bool(false)),
            ("~", Value::Null),
        ];
        for (written, intended) in rows {
            assert_eq!(plain(written, false), intended, "{written}");
        }
    }

    #[test]
    fn json_is_taken_literally() {
        assert_eq!(plain("5.0", true), Value::Number("5.0".to_owned()));
        assert_eq!(plain("yes", true), Value::Text("yes".to_owned()));
    }
}
