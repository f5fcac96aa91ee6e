//! The recommendations at the edges of what is known.

use crate::controller::memory::{Account, Bounded, Memory, Recommendation};
use crate::controller::normalize::Normalization;
use crate::controller::time::SECOND;

use super::Extent;

/// Which way the entries lean.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Lean {
    /// As low as they can be, to hold back a rise and not a fall.
    Low,
    /// As high as they can be, to hold back a fall and not a rise.
    High,
    /// Both: those that are certain are low.
    BothLow,
    /// Both: those that are certain are high.
    BothHigh,
    /// Neither, as far as they can.
    Neither,
}

/// Memories of nothing but the recommendations that go furthest, each with at
/// least one entry: an empty list would be filled by the pass itself.
pub(super) fn recommendations(
    normalization: &Normalization,
    account: &Account,
    extent: Extent,
) -> Vec<Memory> {
    let memory = |list| Memory {
        recommendations: Some(list),
        ..Memory::default()
    };
    if let Some(known) = &normalization.memory.recommendations {
        return vec![memory(known.clone())];
    }
    let leans: &[Lean] = match extent {
        Extent::Ends => &[Lean::Low, Lean::High],
        Extent::Reasons => &[
            Lean::Low,
            Lean::High,
            Lean::BothLow,
            Lean::BothHigh,
            Lean::Neither,
        ],
    };
    let mut lists: Vec<Vec<Recommendation>> = Vec::new();
    for lean in leans.iter().copied() {
        let entries = account.recommendations.iter();
        let mut list: Vec<Recommendation> = entries
            .flat_map(|entry| lean.of(entry, normalization.desired))
            .collect();
        if list.is_empty() {
            list.push(normalization.outdated());
        }
        if !lists.contains(&list) {
            lists.push(list);
        }
    }
    lists.into_iter().map(memory).collect()
}

impl Lean {
    /// What becomes of an entry, where `desired` is recommended. The latest
    /// moment is the one that counts in most windows, the earliest the one
    /// that counts in fewest.
    fn of(self, entry: &Bounded, desired: i32) -> impl Iterator<Item = Recommendation> {
        let low = Recommendation {
            replicas: entry.replicas.from,
            at: entry.to,
        };
        let high = Recommendation {
            replicas: entry.replicas.to,
            at: entry.to,
        };
        let holds_rise = low.replicas < desired;
        let holds_fall = high.replicas > desired;
        let nearest = Recommendation {
            replicas: desired.clamp(low.replicas, high.replicas),
            at: entry.from,
        };
        let takes_low = match self {
            Self::Low | Self::BothLow => true,
            Self::BothHigh => !entry.is_certain || !holds_fall,
            Self::High | Self::Neither => false,
        };
        let takes_high = match self {
            Self::High | Self::BothHigh => true,
            Self::BothLow => !entry.is_certain || !holds_rise,
            Self::Low | Self::Neither => false,
        };
        let low = (takes_low && holds_rise).then_some(low);
        let high = (takes_high && holds_fall).then_some(high);
        let is_neither = low.is_none() && high.is_none();
        let nearest = (is_neither && entry.is_certain).then_some(nearest);
        [low, high, nearest].into_iter().flatten()
    }
}

impl Normalization<'_> {
    /// An entry that no window holds.
    fn outdated(&self) -> Recommendation {
        let seconds = |window: Option<i32>| window.map_or(0, i64::from);
        let behavior = self.spec.behavior.as_ref();
        let up = behavior.map_or(0, |behavior| seconds(behavior.scale_up.window));
        let down = behavior.map_or(0, |behavior| seconds(behavior.scale_down.window));
        let flag = self.settings.downscale_stabilization_seconds();
        let longest = i128::from(up.max(down).max(flag));
        Recommendation {
            replicas: self.current,
            at: self.now - (longest + 1) * SECOND,
        }
    }
}
