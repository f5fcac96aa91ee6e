//! The coming minutes, pass by pass.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

use super::{Range, Reason};

/// The time that is run through, the same for every side.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Minutes {
    /// How much time, in seconds, from the moment of the explanation on.
    pub seconds: i64,
    /// The time between two passes, in seconds.
    pub every_seconds: i64,
    /// Which load the passes find.
    pub load: ForecastLoad,
}

/// Which load the passes to come find. It is spread over the pods of the size
/// that a side has by then.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", tag = "source")]
pub enum ForecastLoad {
    /// That of the moment, which stays. All pods count at once.
    Constant,
    /// What the pods of a record served, sample by sample.
    Recorded {
        /// How many pods are seen to start in it: those of a side become
        /// Ready, and have their first sample, as they did. Where there is
        /// none, they count at once.
        starts: usize,
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

/// What the controller would do in that time under one spec. Where what it
/// remembers leaves several sizes, every one of them is followed.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Coming {
    /// How often the size changes.
    pub changes: Range,
    /// How often it turns: goes up after it went down, or down after it went
    /// up.
    pub reversals: Range,
    /// The size on average, over the time: what it costs.
    pub average_replicas: Average,
    /// The metrics, by their place in the spec, of which it is not known that
    /// they become less for each pod as pods are added: they are taken to stay
    /// as they are.
    pub taken_constant: Vec<usize>,
    /// Where it could not be run to the end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stopped: Option<Stopped>,
    /// The passes, the first one at the moment of the explanation.
    pub passes: Vec<ComingPass>,
}

/// An average, between bounds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Average {
    /// At least.
    pub from: f64,
    /// At most.
    pub to: f64,
}

/// A moment at which a run ends early.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Stopped {
    /// The pass that could not be run.
    pub at: Timestamp,
    /// Why, in words.
    pub why: String,
}

/// A pass to come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ComingPass {
    /// When.
    pub at: Timestamp,
    /// The size before.
    pub current_replicas: Range,
    /// What the metrics ask for; absent where they are not asked, or failed
    /// ones block the rest.
    #[serde(rename = "asked")]
    pub recommended: Option<Range>,
    /// The size after.
    pub replicas: Range,
    /// What makes it another size than was asked for, as the reason of the
    /// condition that says so: `ScaleDownStabilized`, `ScaleUpLimit`; outside
    /// of the bounds, where the controller asks no metric, `TooManyReplicas`
    /// or `TooFewReplicas`. Absent where nothing does, or several things can.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub held_by: Option<Reason>,
}

impl Coming {
    /// Whether every pass leaves the same size as that of another side.
    pub fn has_same_sizes(&self, other: &Self) -> bool {
        let [own, others] = [self, other].map(|it| it.passes.iter().map(|it| it.replicas));
        own.eq(others)
    }
}

impl ComingPass {
    /// Whether the size is another one afterwards, as far as it is known.
    pub fn is_change(&self) -> bool {
        self.replicas != self.current_replicas
    }

    /// Whether the metrics give no number, which keeps the size.
    pub fn is_mute(&self) -> bool {
        self.recommended.is_none()
            && self.held_by.is_none()
            && self.current_replicas != Range::of(0)
    }
}

impl Average {
    /// The average size over the time of the passes: each size holds until the
    /// next pass, so that of the last one lasts no time.
    pub fn of(passes: &[ComingPass]) -> Self {
        let lasting = match passes {
            [] | [_] => passes,
            [lasting @ .., _] => lasting,
        };
        let count = u32::try_from(lasting.len()).unwrap_or(u32::MAX).max(1);
        let average = |end: fn(&ComingPass) -> i32| {
            let sizes = lasting.iter().map(|pass| f64::from(end(pass)));
            sizes.sum::<f64>() / f64::from(count)
        };
        Self {
            from: average(|pass| pass.replicas.from),
            to: average(|pass| pass.replicas.to),
        }
    }
}
