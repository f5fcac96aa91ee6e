//! `--metric NAME=VALUE`.

use std::cmp::Ordering;

use crate::api::{Format, Quantity};
use crate::diagnose::Level;

const EXAMPLE: &str = "give NAME=VALUE, such as queue=900 or cpu=180%";

/// Reads a metric's name and value.
///
/// # Errors
///
/// What it must look like.
pub fn parse(text: &str) -> Result<(String, Level), String> {
    let (name, value) = text.rsplit_once('=').ok_or(EXAMPLE)?;
    if name.is_empty() {
        return Err(EXAMPLE.to_owned());
    }
    match level(value) {
        Ok(level) => Ok((name.to_owned(), level)),
        Err(why) => Err(format!("{value:?} {why}; {EXAMPLE}")),
    }
}

/// Why it is no percentage of the requests that can be set.
fn no_percent(text: &str) -> &'static str {
    match text.parse::<f64>() {
        Ok(number) if !number.is_finite() => "is no percentage",
        Ok(number) if number < 0.0 => "is below 0",
        Ok(number) if number.fract() != 0.0 => "is no whole percentage: leave the fraction out",
        Ok(number) if number > f64::from(u32::MAX) => "is more than can be tried, 4294967295%",
        _ => "is no percentage",
    }
}

fn level(value: &str) -> Result<Level, &'static str> {
    if let Some(percent) = value.strip_suffix('%') {
        return percent
            .parse()
            .map(Level::Percent)
            .map_err(|_| no_percent(percent));
    }
    let amount: Quantity = value.parse().map_err(|_| "is no amount")?;
    // It counts in thousandths.
    let most = Quantity::from_milli(i64::MAX, Format::DecimalSi);
    if amount.cmp_value(&Quantity::default()) == Ordering::Less {
        return Err("is below 0");
    }
    if amount.cmp_value(&most) == Ordering::Greater {
        return Err("is more than the controller can count");
    }
    Ok(Level::Amount(amount))
}
