//! The coming minutes, pass by pass.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

/// The time that is run through, the same for every side.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Minutes {
    /// How much time, in seconds, from the moment of the explanation on.
    pub seconds: i64,
    /// The time between two passes, in seconds.
    pub every_seconds: i64,
    /// Which load the passes find.
    pub load: LoadAhead,
}

/// Which load the passes to come find. It is spread over the pods of the size
/// that a side has by then, all of which count.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", tag = "source")]
pub enum LoadAhead {
    /// That of the moment, which stays.
    Constant,
    /// What was measured in all, sample by sample.
    Recorded {
        /// The last sample; from then on its load stays. Absent where none
        /// follows the moment.
        until: Option<Timestamp>,
        /// Times without a sample, for longer than one speaks for what
        /// follows it. The load before them stays.
        gaps: Vec<Lapse>,
    },
}

/// A time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Lapse {
    /// When it begins.
    pub from: Timestamp,
    /// When it ends.
    pub to: Timestamp,
}

/// What the controller would do in that time under one spec.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Coming {
    /// One where everything is decided. Two where what the controller
    /// remembers leaves several sizes: one that takes the smallest at every
    /// pass, and one that takes the largest.
    pub courses: Vec<Course>,
    /// The metrics, by their place in the spec, of which it is not known that
    /// they become less for each pod as pods are added: they are taken to stay
    /// as they are.
    pub taken_constant: Vec<usize>,
    /// Where it could not be run to the end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stopped: Option<Stopped>,
}

/// A moment at which a run ends early.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Stopped {
    /// The pass that could not be run.
    pub at: Timestamp,
    /// Why, in words.
    pub why: &'static str,
}

/// Passes, one after the other.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Course {
    /// How often the size changes.
    pub changes: usize,
    /// How often it turns: goes up after it went down, or down after it went
    /// up.
    pub reversals: usize,
    /// The size on average, over the passes: what it costs.
    pub average_replicas: f64,
    /// The passes, the first one at the moment of the explanation.
    pub passes: Vec<ComingPass>,
}

/// A pass to come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ComingPass {
    /// When.
    pub at: Timestamp,
    /// The size before.
    pub current_replicas: i32,
    /// What the metrics ask for; absent where they are not asked, or failed
    /// ones block the rest.
    pub asked: Option<i32>,
    /// The size after.
    pub replicas: i32,
    /// What makes it another size than was asked for, as the reason of the
    /// condition that says so: `ScaleDownStabilized`, `ScaleUpLimit`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub held_by: Option<&'static str>,
}

impl ComingPass {
    /// Whether the size is another one afterwards.
    #[must_use]
    pub const fn is_change(&self) -> bool {
        self.replicas != self.current_replicas
    }
}

impl Course {
    /// The passes, counted.
    #[must_use]
    pub fn of(passes: Vec<ComingPass>) -> Self {
        let changes = passes.iter().filter(|pass| pass.is_change());
        let ups = changes.map(|pass| pass.replicas > pass.current_replicas);
        let ups: Vec<bool> = ups.collect();
        let sizes = passes.iter().map(|pass| f64::from(pass.replicas));
        let count = u32::try_from(passes.len()).unwrap_or(u32::MAX).max(1);
        Self {
            changes: ups.len(),
            reversals: ups.windows(2).filter(|pair| pair[0] != pair[1]).count(),
            average_replicas: sizes.sum::<f64>() / f64::from(count),
            passes,
        }
    }
}

impl Coming {
    /// Whether it changes the size on some course.
    #[must_use]
    pub fn has_changes(&self) -> bool {
        self.courses.iter().any(|course| course.changes > 0)
    }
}
