//! One HPA: the answer, why, what helps, and what all of it rests on.

use crate::render::text::TextOptions;
use crate::render::text::page::{Line, Page, Tone};
use crate::render::text::remedy::remedy_lines;
use crate::trace::{FailureCause, FlapState, Flaps, Mechanism, Remedy, shell_word};

use super::answer::{answer, climbs};
use super::told::{sizes, told};
use super::tried::changes;
use super::words::sizes as between;

/// The columns for what a block is about.
const LEAD: &str = "       ";
/// More facts of a mechanism are shown with `-v` only.
const MOST_FACTS: usize = 4;

/// A part of the page.
pub(in crate::render) struct Block {
    /// What it is about; empty for the answer.
    pub(in crate::render) title: &'static str,
    /// Sentences, each with what belongs below it.
    pub(in crate::render) items: Vec<Item>,
}

/// A sentence and what belongs below it.
pub(in crate::render) struct Item {
    pub(in crate::render) says: String,
    pub(in crate::render) below: Vec<String>,
    /// What to run, or to change.
    pub(in crate::render) remedy: Option<Remedy>,
}

impl Item {
    pub(super) fn of(says: String) -> Self {
        Self {
            says,
            below: Vec::new(),
            remedy: None,
        }
    }
}

pub(super) fn lines(page: Page, flaps: &Flaps, options: &TextOptions) -> Vec<Line> {
    let mut lines = title(page, flaps, options);
    for block in blocks(flaps, options) {
        if block.title.is_empty() {
            lines.push(Line::blank());
            for item in &block.items {
                lines.extend(page.paragraph("", &item.says));
            }
            lines.push(Line::blank());
            continue;
        }
        lines.extend(block_lines(page, &block));
    }
    if let Some(table) = sizes(flaps, options) {
        lines.push(Line::blank());
        lines.extend(table.lines(page));
    }
    lines
}

fn block_lines(page: Page, block: &Block) -> Vec<Line> {
    let mut lines = Vec::new();
    for item in &block.items {
        let lead = if lines.is_empty() {
            format!("{:<7}", block.title)
        } else {
            LEAD.to_owned()
        };
        lines.extend(page.paragraph(&lead, &item.says));
        for below in &item.below {
            let mut fact = page.paragraph(&format!("{LEAD}  "), below);
            for line in &mut fact {
                line.rest.0 = Tone::Faint;
            }
            lines.extend(fact);
        }
        let remedy = item.remedy.iter();
        lines.extend(remedy.flat_map(|it| remedy_lines(page, &format!("{LEAD}  "), it)));
    }
    lines
}

fn title(page: Page, flaps: &Flaps, options: &TextOptions) -> Vec<Line> {
    let time = moment(flaps, options);
    let mut lines = page.headline(&heading(flaps), &time);
    // One that takes its line for itself leaves the time for the next.
    if lines.iter().all(|line| line.pieces().0.is_empty()) {
        lines.push(page.line(&time));
    }
    lines
}

/// Which HPA it is about, and the answer in a few words.
pub(in crate::render) fn heading(flaps: &Flaps) -> String {
    let target = &flaps.target;
    let answer = match (flaps.state, &flaps.swing) {
        (FlapState::Flapping, Some(swing)) => {
            format!("flaps {}", between(swing))
        }
        (FlapState::Stuck, _) if climbs(flaps) => format!("runs away, at {}", flaps.replicas),
        (FlapState::Stuck, _) => format!("stuck at {}", flaps.replicas),
        (FlapState::Unknown, _) => "not to be told".to_owned(),
        _ => "no flapping".to_owned(),
    };
    format!(
        "{}/{}  {}/{}  {answer}",
        flaps.namespace, flaps.name, target.kind, target.name
    )
}

/// The moment that it is about.
pub(in crate::render) fn moment(flaps: &Flaps, options: &TextOptions) -> String {
    let at = flaps.at.to_zoned(options.zone.clone());
    at.strftime("%H:%M:%S %Z").to_string()
}

/// The page before its layout.
pub(in crate::render) fn blocks(flaps: &Flaps, options: &TextOptions) -> Vec<Block> {
    let mut blocks = vec![
        block("", vec![Item::of(answer(flaps, options))]),
        block("Why", why(flaps, options)),
        block("Try", changes(flaps)),
        block("Told", told(flaps, options)),
        block("Next", next(flaps, options)),
    ];
    blocks.retain(|block| !block.items.is_empty());
    blocks
}

fn block(title: &'static str, items: Vec<Item>) -> Block {
    Block { title, items }
}

fn why(flaps: &Flaps, options: &TextOptions) -> Vec<Item> {
    if flaps.state == FlapState::Flapping && flaps.mechanisms.is_empty() {
        let thin = "what is told of the changes is too little to tell the mechanism by";
        return vec![Item::of(thin.to_owned())];
    }
    let most = if options.verbosity > 0 {
        usize::MAX
    } else {
        MOST_FACTS
    };
    let items = flaps.mechanisms.iter().map(|mechanism| Item {
        below: facts(mechanism, most),
        ..Item::of(format!("{}: {}", mechanism.title(), mechanism.says))
    });
    items.collect()
}

fn facts(mechanism: &Mechanism, most: usize) -> Vec<String> {
    let facts = mechanism.evidence.iter().take(most);
    let mut facts: Vec<String> = facts
        .map(|fact| format!("{}: {}", fact.about, fact.says))
        .collect();
    let more = mechanism.evidence.len().saturating_sub(most);
    if more > 0 {
        facts.push(format!("and {more} more (-v)"));
    }
    facts.extend(alike(mechanism));
    facts
}

/// What else it can be, and what would tell.
fn alike(mechanism: &Mechanism) -> Option<String> {
    let others = mechanism.alike.iter().map(|it| it.title());
    let others: Vec<&str> = others.collect();
    (!others.is_empty()).then(|| {
        format!(
            "looks the same by the sizes: {}; a record of the inputs tells",
            others.join(", or ")
        )
    })
}

/// What would tell more.
fn next(flaps: &Flaps, options: &TextOptions) -> Vec<Item> {
    let missing = flaps.told.events_not_read.as_deref();
    let cause = missing.map(FailureCause::of_unreadable);
    let is_forbidden = options.live && cause == Some(FailureCause::Refused);
    let role = is_forbidden.then(|| Remedy {
        says: "events are read with this role".to_owned(),
        command: Some(format!(
            "kubectl hpa-explain rbac flaps -n {}",
            shell_word(&flaps.namespace)
        )),
        patch: None,
    });
    let remedies = role.into_iter().chain(look(flaps));
    let items = remedies.map(|remedy| Item {
        remedy: Some(remedy.clone()),
        ..Item::of(remedy.says)
    });
    items.collect()
}

/// Where to look further.
fn look(flaps: &Flaps) -> Option<Remedy> {
    let name = shell_word(&flaps.name);
    let namespace = shell_word(&flaps.namespace);
    match flaps.state {
        FlapState::Calm => None,
        FlapState::Stuck => Some(Remedy {
            says: "the whole story of its last pass".to_owned(),
            command: Some(format!("kubectl hpa-explain {name} -n {namespace}")),
            patch: None,
        }),
        _ if flaps.told.passes > 0 => None,
        _ => Some(Remedy {
            says: "a record tells what the metrics asked for, pass by pass; read it with --history"
                .to_owned(),
            command: Some(format!(
                "kubectl hpa-explain watch {name} -n {namespace} --record {}.jsonl",
                shell_word(&flaps.name)
            )),
            patch: None,
        }),
    }
}
