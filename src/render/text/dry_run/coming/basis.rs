//! What the coming minutes rest on.

use jiff::Timestamp;

use crate::render::text::dry_run::view;
use crate::snapshot::SAMPLE_REACH_SECONDS;
use crate::trace::{Coming, LoadAhead, Side, seconds_text};

use super::{Whole, grouped};

impl Whole<'_> {
    pub(super) fn basis(&self) -> Vec<String> {
        let mut said = vec![self.load()];
        if let LoadAhead::Recorded { until, gaps, .. } = &self.minutes.load {
            said.extend(gaps.iter().map(|gap| {
                let (from, to) = (self.time(gap.from), self.time(gap.to));
                format!("Nothing was recorded from {from} to {to}: the load before it stays.")
            }));
            said.extend(self.end_of_record(*until));
        }
        let sides = self.all.iter().flat_map(|(side, coming)| {
            let said = self.of_side(side, coming).into_iter();
            said.map(|text| (self.name(side), text))
        });
        said.extend(grouped(sides));
        said
    }

    fn load(&self) -> String {
        let time = seconds_text(self.minutes.seconds);
        let every = seconds_text(self.minutes.every_seconds);
        let spread = "spread over the pods of each side";
        let steps = format!("{time}, a pass every {every}");
        match self.minutes.load {
            LoadAhead::Constant => {
                format!("{steps}. The load stays as it is, {spread}, which count at once.")
            }
            LoadAhead::Recorded { starts, .. } => {
                let pods = match starts {
                    0 => "No pod starts in the record: here they count at once.",
                    _ => "Pods start and are measured as those of the record.",
                };
                format!(
                    "{steps}. The load is what the pods of the record served, {spread}. {pods} \
                     What others did to the size is not repeated."
                )
            }
        }
    }

    /// What is said where the record ends before the time does.
    fn end_of_record(&self, until: Option<Timestamp>) -> Option<String> {
        let last = until.unwrap_or(self.at);
        let left = self.minutes.seconds - last.duration_since(self.at).as_secs();
        let is_short =
            until.is_none() || left > self.minutes.every_seconds.max(SAMPLE_REACH_SECONDS);
        is_short.then(|| {
            let last = self.time(last);
            format!("The record ends at {last}: from then on its load stays.")
        })
    }

    fn of_side(&self, side: &Side, coming: &Coming) -> Vec<String> {
        let mut said = Vec::new();
        let view = view(&side.trace, self.options);
        let metrics = coming.taken_constant.iter();
        let metrics = metrics.filter_map(|at| side.trace.metrics.get(*at));
        let names: Vec<String> = metrics.map(|metric| view.metric_name(metric)).collect();
        if !names.is_empty() {
            said.push(format!(
                "{} is taken not to change with the size.",
                names.join(", ")
            ));
        }
        if coming
            .passes
            .iter()
            .any(|it| it.replicas.single().is_none())
        {
            said.push(
                "what the controller remembers is known only in part; where that leaves several \
                 sizes, such as 4..9, all of them are followed."
                    .to_owned(),
            );
        }
        match coming.passes.iter().filter(|pass| pass.is_mute()).count() {
            0 => {}
            _ if unselected(side).is_some() => said.extend(unselected(side)),
            count => said.push(format!(
                "at {count} of {} passes metrics fail and keep the size as it is.",
                coming.passes.len()
            )),
        }
        said.extend(coming.stopped.as_ref().map(|stopped| {
            let at = self.time(stopped.at);
            format!("not run from {at} on: {}.", stopped.why)
        }));
        said
    }
}

/// What is said of passes that end at the pods' selector.
fn unselected(side: &Side) -> Option<String> {
    let selector = side.trace.selector.as_ref();
    let failed = selector.filter(|it| it.error.is_some())?;
    let why = failed.rule.says();
    Some(format!(
        "no pass gets as far as the metrics, for {why}: the size stays."
    ))
}
