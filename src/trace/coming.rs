//! The coming minutes, pass by pass.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

/// What the controller would do in the coming minutes under the load that
/// there is. All pods of the target are taken to count.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Coming {
    /// How much time is looked at, in seconds.
    pub seconds: i64,
    /// The time between two passes, in seconds.
    pub every_seconds: i64,
    /// Whether what the controller remembers is not known, and taken to be
    /// nothing: changes can then come later than is said.
    pub takes_memory_as_empty: bool,
    /// The passes, the first one at the moment of the explanation.
    pub passes: Vec<ComingPass>,
}

/// A pass to come.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ComingPass {
    /// When.
    pub at: Timestamp,
    /// The size before.
    pub current_replicas: i32,
    /// What the metrics ask for.
    pub asked: i32,
    /// The size after.
    pub replicas: i32,
    /// What makes it another size than was asked for, as the reason of the
    /// condition that says so: `ScaleDownStabilized`, `ScaleUpLimit`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub held_by: Option<&'static str>,
}

impl Coming {
    /// The passes that change the size.
    pub fn changes(&self) -> impl Iterator<Item = &ComingPass> {
        let passes = self.passes.iter();
        passes.filter(|pass| pass.replicas != pass.current_replicas)
    }

    /// How often the size turns: goes up after it went down, or down after
    /// it went up.
    #[must_use]
    pub fn reversals(&self) -> usize {
        let ups = self.changes();
        let ups: Vec<bool> = ups
            .map(|pass| pass.replicas > pass.current_replicas)
            .collect();
        ups.windows(2).filter(|pair| pair[0] != pair[1]).count()
    }
}
