//! `--metric NAME=VALUE`.

use crate::diagnose::Level;
use crate::snapshot::Quantity;

/// Reads a metric's name and value.
///
/// # Errors
///
/// What it must look like.
pub fn parse(text: &str) -> Result<(String, Level), String> {
    const EXAMPLE: &str = "give NAME=VALUE, such as queue=900 or cpu=180%";
    let (name, value) = text.rsplit_once('=').ok_or(EXAMPLE)?;
    if name.is_empty() {
        return Err(EXAMPLE.to_owned());
    }
    let level = match value.strip_suffix('%') {
        Some(percent) => percent.parse().ok().map(Level::Percent),
        None => amount(value)?,
    };
    let level = level.ok_or_else(|| format!("{value:?} is no amount; {EXAMPLE}"))?;
    Ok((name.to_owned(), level))
}

fn amount(value: &str) -> Result<Option<Level>, String> {
    let Ok(amount) = value.parse::<Quantity>() else {
        return Ok(None);
    };
    if amount.milli_value() < 0 {
        return Err("must not be negative".to_owned());
    }
    Ok(Some(Level::Amount(amount)))
}
