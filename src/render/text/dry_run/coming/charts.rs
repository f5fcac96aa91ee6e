//! The size of every side over the coming minutes, as charts.

use jiff::Timestamp;

use crate::render::chart::{Canvas, Chart};
use crate::trace::{Coming, ComingPass, Minutes, Side};

use super::Whole;

/// The rows of a chart.
const HEIGHT: usize = 3;
/// Nothing is gained by more columns.
const MOST_WIDTH: usize = 100;

impl Whole<'_> {
    /// A chart a side, to one scale; none where no size ever changes.
    pub(super) fn charts(&self) -> Vec<String> {
        let passes = || self.all.iter().flat_map(|(_, coming)| &coming.passes);
        if !passes().any(ComingPass::is_change) {
            return Vec::new();
        }
        let reach: Vec<i64> = passes().map(|pass| i64::from(pass.replicas.to)).collect();
        let charts = self.all.iter();
        let charts = charts.flat_map(|(side, coming)| self.chart(side, coming, &reach));
        charts.collect()
    }

    fn chart(&self, side: &Side, coming: &Coming, reach: &[i64]) -> Vec<String> {
        let from = self.at.as_second();
        let to = from.saturating_add(self.minutes.seconds);
        let points = coming.passes.iter();
        let points = points.map(|pass| (pass.at.as_second(), i64::from(pass.replicas.to)));
        let points: Vec<(i64, i64)> = points.collect();
        let is_open = coming
            .passes
            .iter()
            .any(|it| it.replicas.single().is_none());
        let which = if is_open { " (at most)" } else { "" };
        let ends = (self.time(self.at), self.time(until(self.at, self.minutes)));
        let chart = Chart {
            points: &points,
            span: (from, to),
            ends: (&ends.0, &ends.1),
            reach,
        };
        let lines = chart.lines(Canvas {
            width: self.options.width.min(MOST_WIDTH).saturating_sub(2),
            height: HEIGHT,
            ascii: self.options.ascii,
        });
        if lines.is_empty() {
            return lines;
        }
        let lines = lines.into_iter().map(|line| format!("  {line}"));
        let title = format!("Size, {}{which}", self.name(side));
        std::iter::once(title).chain(lines).collect()
    }
}

fn until(at: Timestamp, minutes: &Minutes) -> Timestamp {
    let length = jiff::SignedDuration::from_secs(minutes.seconds);
    at.checked_add(length).unwrap_or(at)
}
