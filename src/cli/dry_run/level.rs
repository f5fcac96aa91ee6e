//! `--metric NAME=VALUE`.

use std::cmp::Ordering;

use crate::diagnose::Level;
use crate::snapshot::{Format, Quantity};

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

fn level(value: &str) -> Result<Level, &'static str> {
    if let Some(percent) = value.strip_suffix('%') {
        let percent = percent.parse().map_err(|_| "is no whole percentage")?;
        return Ok(Level::Percent(percent));
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
