//! What was seen so far, in numbers.

use crate::history::{Agreement, Pass};
use crate::trace::amount::counted;

/// What was seen so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    passes: usize,
    inferred: usize,
    predicted: usize,
    inside: usize,
    missed: usize,
    without_sample: usize,
    /// Times in which something could not be read.
    pub gaps: usize,
}

impl Tally {
    /// Counts a pass.
    pub fn count(&mut self, pass: &Pass) {
        self.passes += 1;
        self.inferred += usize::from(pass.inferred);
        let of_its_kind = match pass.prediction {
            Agreement::Predicted => &mut self.predicted,
            Agreement::Inside => &mut self.inside,
            Agreement::Missed => &mut self.missed,
            Agreement::NoSample => &mut self.without_sample,
        };
        *of_its_kind += 1;
    }

    /// `12 passes (5 inferred), 1 gap`, and how they compare with what was
    /// said before: `9 predicted, 2 inside the set, 1 missed`.
    pub fn lines(&self) -> [String; 2] {
        let passes = match self.passes {
            1 => "1 pass".to_owned(),
            many => format!("{many} passes"),
        };
        let without_sample = match self.without_sample {
            0 => String::new(),
            some => format!(", {some} without a sample"),
        };
        [
            format!(
                "{passes} ({} inferred), {}",
                self.inferred,
                counted(self.gaps, "gap")
            ),
            format!(
                "{} predicted, {} inside the set, {} missed{without_sample}",
                self.predicted, self.inside, self.missed
            ),
        ]
    }
}
