//! A map for a handful of entries.

use std::collections::BTreeMap;
use std::sync::Arc;

use compact_str::CompactString;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Values by name, in the order of the names.
///
/// Labels and requests have two or three entries, and there are ten thousand
/// pods of them: a tree would keep room for eleven in each. Copies share
/// their entries, which pods of one template have in common.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ByName<V>(Arc<[(CompactString, V)]>);

impl<V> ByName<V> {
    /// The value of a name.
    pub fn get(&self, name: &str) -> Option<&V> {
        let found = self.0.iter().find(|(own, _)| own == name);
        found.map(|(_, value)| value)
    }

    /// The value of a name, to be changed.
    pub fn get_mut(&mut self, name: &str) -> Option<&mut V>
    where
        V: Clone,
    {
        let found = Arc::make_mut(&mut self.0)
            .iter_mut()
            .find(|(own, _)| own == name);
        found.map(|(_, value)| value)
    }

    /// The names with their values, in order.
    pub fn entries(&self) -> impl Iterator<Item = &(CompactString, V)> {
        self.0.iter()
    }

    /// The names, in order.
    pub fn keys(&self) -> impl Iterator<Item = &CompactString> {
        self.entries().map(|(name, _)| name)
    }

    /// Leaves out the entries whose names are not to be kept.
    pub fn retain(&mut self, is_kept: impl Fn(&str) -> bool)
    where
        V: Clone,
    {
        let (kept, all) = (self.keys().filter(|it| is_kept(it)), self.0.len());
        if kept.count() < all {
            let kept = self.entries().filter(|(name, _)| is_kept(name));
            self.0 = kept.cloned().collect();
        }
    }

    /// Whether there is no entry.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl<V> Default for ByName<V> {
    fn default() -> Self {
        Self(Arc::default())
    }
}

/// Of entries with the same name the last one counts, as in every map.
impl<V> FromIterator<(CompactString, V)> for ByName<V> {
    fn from_iter<I: IntoIterator<Item = (CompactString, V)>>(entries: I) -> Self {
        let mut entries: Vec<_> = entries.into_iter().collect();
        entries.reverse();
        // Stable, so that the last one is now the first of its name.
        entries.sort_by(|(one, _), (other, _)| one.cmp(other));
        entries.dedup_by(|(later, _), (kept, _)| later == kept);
        Self(entries.into())
    }
}

impl<V: Serialize> Serialize for ByName<V> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, value)| (name, value)))
    }
}

/// As the API does, it takes `null` for no entries.
impl<'de, V: Deserialize<'de>> Deserialize<'de> for ByName<V> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let entries = Option::<BTreeMap<_, _>>::deserialize(deserializer)?;
        Ok(entries.into_iter().flatten().collect())
    }
}

#[cfg(test)]
mod tests {
    use super::ByName;

    #[test]
    fn entries_are_in_order_and_the_last_of_a_name_counts() {
        let rows = [
            ("{}", "{}"),
            (r#"{"b":1,"a":2}"#, r#"{"a":2,"b":1}"#),
            (r#"{"a":1,"b":2,"a":3,"a":4}"#, r#"{"a":4,"b":2}"#),
            ("null", "{}"),
        ];
        for (written, read) in rows {
            let map: ByName<u8> = serde_json::from_str(written).expect(written);
            assert_eq!(serde_json::to_string(&map).expect(written), read);
            assert_eq!(map.is_empty(), read == "{}");
        }
        let map: ByName<u8> = serde_json::from_str(rows[2].0).expect("a map");
        assert_eq!((map.get("a"), map.get("c")), (Some(&4), None));
        assert!(serde_json::from_str::<ByName<u8>>("[]").is_err());
    }
}
