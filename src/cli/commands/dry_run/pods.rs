//! `--unready`, `--missing` and `--replicas`.

/// More pods than this are no cluster's.
const MOST: u32 = 100_000;

/// Reads a number of pods.
///
/// # Errors
///
/// What it must look like.
pub fn parse<N: TryFrom<u32>>(text: &str) -> Result<N, String> {
    let number = text.parse::<u32>().ok().filter(|number| *number <= MOST);
    let number = number.and_then(|number| N::try_from(number).ok());
    number.ok_or_else(|| format!("give a whole number of pods, from 0 to {MOST}"))
}
