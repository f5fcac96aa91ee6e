//! A time of the past: a row for each change, with its cause.

use crate::render::block::{Block, Cell, Prose, Row, Table, Title};
use crate::trace::{Story, StoryCause, StoryChange};

use super::TextOptions;
use super::words::{DAY, TIME, moment, range};

/// The story of an HPA.
pub(in crate::render) fn blocks(story: &Story, options: &TextOptions) -> Vec<Block<'static>> {
    let hpa = [story.namespace.as_str(), &story.name];
    let until = moment(story.to, options, TIME);
    let answer = match story.changes.len() {
        0 => format!("nothing changed until {until}"),
        1 => format!("one change until {until}"),
        count => format!("{count} changes until {until}"),
    };
    let at = moment(story.from, options, DAY);
    let title = Title::of(hpa, &story.target, answer, at);
    let rows = story.changes.iter().map(|change| {
        Row::of([
            Cell::text("BETWEEN", times(change, options)),
            Cell::text("SIZE", sizes(change)),
            Cell::sentences("WHY", why(change)),
        ])
    });
    let mut blocks = vec![
        Block::Title(title),
        Block::Gap,
        Block::Table(Table::of(rows)),
    ];
    if let Some(first) = story.changes.first() {
        let hint = format!(
            "`kubectl hpa-explain {} -n {} --prometheus --at {}` explains a pass of that time",
            story.name, story.namespace, first.to
        );
        blocks.extend([Block::Gap, Block::Prose(Prose::plain(hint))]);
    }
    blocks
}

fn times(change: &StoryChange, options: &TextOptions) -> String {
    let (from, to) = (
        moment(change.from, options, TIME),
        moment(change.to, options, TIME),
    );
    if from == to {
        from
    } else {
        format!("{from}..{to}")
    }
}

fn sizes(change: &StoryChange) -> String {
    match (change.before, change.after) {
        (Some(before), Some(after)) => format!("{before} → {after}"),
        _ => "-".to_owned(),
    }
}

fn why(change: &StoryChange) -> String {
    match &change.cause {
        StoryCause::Metrics { metric, proposal } => {
            let metric = metric.as_deref().unwrap_or("a metric");
            let held = match (change.after, proposal.single()) {
                (Some(after), Some(proposal)) if after != proposal => {
                    ", and the window, a policy or a bound held the rest back"
                }
                _ => "",
            };
            format!("{metric} asked for {}{held}", range(*proposal))
        }
        StoryCause::Bounds => "the size lay beyond minReplicas or maxReplicas".to_owned(),
        StoryCause::Unmeasured => "no scrape shows what this pass measured".to_owned(),
        StoryCause::SetByOthers => "someone else set the size".to_owned(),
        StoryCause::Edited { what } => format!("edited: {what}"),
        StoryCause::BehaviorWritten => {
            "the behavior was written; what it was before is unknown".to_owned()
        }
        StoryCause::Failing => "the metrics began to fail".to_owned(),
        StoryCause::Working => "the metrics are there again".to_owned(),
        StoryCause::Hole => "nothing was scraped".to_owned(),
        StoryCause::Restarted => {
            "another controller took over, and remembers nothing of before".to_owned()
        }
    }
}
