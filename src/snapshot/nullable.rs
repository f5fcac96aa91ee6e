//! Reading as the API does: `null` counts as absent.

use serde::de::IgnoredAny;
use serde::{Deserialize, Deserializer};

/// Reads a value, and its default where `null` stands.
pub(super) fn or_default<'de, D, T>(deserializer: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: Default + Deserialize<'de>,
{
    Ok(Option::deserialize(deserializer)?.unwrap_or_default())
}

/// Reads what a pass does not need: where the document means something else
/// by the word, as a hand-written one may, it is as if it were not there.
pub(super) fn or_other<'de, D, T>(deserializer: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: Default + Deserialize<'de>,
{
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Either<T> {
        Meant(T),
        Other(IgnoredAny),
    }
    Ok(match Either::deserialize(deserializer)? {
        Either::Meant(value) => value,
        Either::Other(_) => T::default(),
    })
}
