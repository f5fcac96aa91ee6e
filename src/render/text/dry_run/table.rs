//! What the pass gives on every side, stage by stage.

use crate::render::text::TextOptions;
use crate::render::text::ahead;
use crate::render::text::table::{Column, Row, Table};
use crate::trace::{DryRun, Side};

use super::answer::decision;
use super::{sides, view};

/// Every side, a row each.
pub(in crate::render) fn table(dry_run: &DryRun, options: &TextOptions) -> Table {
    let sides = sides(dry_run);
    let rows = sides.map(|side| Row {
        is_marked: false,
        cells: cells(side, options),
        note: Vec::new(),
    });
    Table {
        columns: vec![
            Column::new("SIDE", false, u8::MAX),
            Column::new("DECISION", false, 9),
            Column::new("ASKS FOR", true, 7),
            Column::new("WINDOW", true, 6),
            Column::new("POLICY", true, 5),
            Column::new("BOUNDS", false, 8),
            Column::new("RESTS AT", true, 4),
        ],
        rows: rows.collect(),
    }
}

fn cells(side: &Side, options: &TextOptions) -> Vec<String> {
    let trace = &side.trace;
    let text = |count: Option<i32>| count.map_or("-".to_owned(), |count| count.to_string());
    let recommendation = trace.recommendation.as_ref();
    let window = trace.stabilization.as_ref().map(|record| record.result);
    let limit = trace.limit.as_ref().map(|record| record.result);
    let settling = trace.prospects.as_ref().and_then(|it| it.settling.as_ref());
    let rests = settling.filter(|_| ahead::can_settle(view(trace, options)));
    vec![
        side.name.clone(),
        decision(trace),
        text(recommendation.and_then(|record| record.replicas)),
        text(window),
        text(limit),
        format!(
            "{}..{}",
            trace.bounds.min_replicas, trace.bounds.max_replicas
        ),
        rests.map_or("-".to_owned(), ahead::ending),
    ]
}
