//! Reading as the API does: `null` counts as absent.

use serde::{Deserialize, Deserializer};

/// Reads a value, and its default where `null` stands.
pub(super) fn or_default<'de, D, T>(deserializer: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: Default + Deserialize<'de>,
{
    Ok(Option::deserialize(deserializer)?.unwrap_or_default())
}
