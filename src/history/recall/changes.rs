//! The changes that the policies' periods can hold.

use crate::controller::{BEYOND, Nanos, SECOND};
use crate::history::Span;
use crate::trace::{Direction, Evidence, EvidenceKind, Range};

use crate::history::recall::{Entry, MemoryRules, MovedSize, Repeated, Rescale, Rescales, Sizes};

/// No controller scales the same HPA more often: it waits for the API server
/// in each pass. It bounds what an event's count can cost.
const SHORTEST_SYNC: Nanos = SECOND / 10;

/// More that are only counted are no more than any number: no two hours of
/// passes hold as many.
const MOST_COUNTED: u64 = 1_000;

/// The changes upwards and downwards.
#[derive(Debug, Default)]
pub struct Changes {
    pub up: Vec<Entry>,
    pub down: Vec<Entry>,
}

/// The changes by the HPA that can count, the newest first.
pub fn changes(
    rules: &MemoryRules,
    rescales: &Rescales,
    sizes: &Sizes,
    since: Option<Nanos>,
    now: Nanos,
) -> Changes {
    let mut changes = Changes::default();
    let horizon = now - rules.reach - SECOND;
    let start = since.map_or(horizon, |since| since.max(horizon));
    if rules.reach == 0 || !rules.can_have_had_behavior(start) {
        return changes;
    }
    if sizes.reported_since > start {
        changes.unknown(start, sizes.reported_since.min(now - 1));
    }
    let counted = rescales.between.iter();
    let counted = counted.map(|it| (it, countable(it, rules, start)));
    let counted: Vec<(&Repeated, u32)> = counted.collect();
    let all = counted.iter().map(|(_, count)| u64::from(*count));
    if all.sum::<u64>() > MOST_COUNTED {
        changes.unknown(start, now - 1);
    } else {
        for (repeated, count) in counted {
            for _ in 0..count {
                changes.add(rules, &repeated.rescale, None, false, now);
            }
        }
    }
    for rescale in rescales.known.iter().filter(|it| it.at.to >= start) {
        let change = sizes.own(rescale.at);
        // One of the second in which the controller began may be of the one
        // before it.
        let is_certain = since.is_none_or(|since| rescale.at.from >= since);
        changes.add(rules, rescale, change, is_certain, now);
    }
    changes.reuse(rules);
    for side in [&mut changes.up, &mut changes.down] {
        side.sort_by_key(|entry| std::cmp::Reverse((entry.bounded.to, entry.bounded.from)));
    }
    changes
}

/// How many of the repetitions can be of the time since then: a pass makes one
/// rescale at most.
fn countable(repeated: &Repeated, rules: &MemoryRules, start: Nanos) -> u32 {
    let Repeated { rescale, count } = repeated;
    if rules.may_be_at_once(start) {
        return *count;
    }
    let since = rescale.at.to - rescale.at.from.max(start);
    if since < 0 {
        return 0;
    }
    let passes = since / rules.sync_period.max(SHORTEST_SYNC) + 2;
    u32::try_from(passes).map_or(*count, |passes| passes.min(*count))
}

impl Changes {
    /// Any number of changes that nobody saw.
    fn unknown(&mut self, from: Nanos, to: Nanos) {
        let at = Span::new(from, to.max(from));
        let evidence = Evidence::of(EvidenceKind::Nothing, "");
        let anything = Entry::within(at, Range::new(0, BEYOND), false, evidence);
        self.up.push(anything.clone());
        self.down.push(anything);
    }

    fn add(
        &mut self,
        rules: &MemoryRules,
        rescale: &Rescale,
        change: Option<&MovedSize>,
        is_certain: bool,
        now: Nanos,
    ) {
        let before = change.and_then(|change| change.from);
        if !rules.can_have_had_behavior(rescale.at.from) {
            return;
        }
        let sizes = before.zip(rescale.size);
        let by_sizes = || sizes.and_then(|(from, to)| Direction::between(from, to));
        let goes = rescale.way().or_else(by_sizes);
        let replicas = size_of(goes, before, rescale.size);
        // Without `behavior` nothing was stored; it may have come later.
        let is_stored = is_certain && rules.had_behavior(rescale.at.from);
        let at = if rescale.kind == EvidenceKind::ControllerLog {
            rescale.at
        } else {
            let late = SECOND.min((now - 1 - rescale.at.to).max(0));
            Span::new(rescale.at.from - SECOND, rescale.at.to.min(now - 1) + late)
        };
        let entry = |is_certain| Entry::within(at, replicas, is_certain, rescale.evidence());
        match goes {
            Some(Direction::Up) => self.up.push(entry(is_stored)),
            Some(Direction::Down) => self.down.push(entry(is_stored)),
            None => {
                self.up.push(entry(false));
                self.down.push(entry(false));
            }
        }
    }

    /// A slot older than the longest period of its own direction is free for
    /// the next change that way, even where the other way looks back further,
    /// or where the periods have grown since.
    fn reuse(&mut self, rules: &MemoryRules) {
        for (side, own) in [
            (&mut self.up, rules.longest_up_period),
            (&mut self.down, rules.longest_down_period),
        ] {
            let Some(latest) = side.iter().map(|entry| entry.bounded.to).max() else {
                continue;
            };
            for entry in side.iter_mut() {
                let (from, to) = (entry.bounded.from, entry.bounded.to);
                let is_edited = to < latest && rules.is_edited_since(from);
                if latest > from + own || is_edited {
                    entry.bounded.is_certain = false;
                }
            }
        }
    }
}

/// By how much a rescale changed the size.
fn size_of(goes: Option<Direction>, before: Option<i32>, after: Option<i32>) -> Range {
    match (goes, before, after) {
        (_, Some(before), Some(after)) => Range::of(after.saturating_sub(before).saturating_abs()),
        // From nothing, at most.
        (Some(Direction::Up), None, Some(after)) => Range::new(1, after.max(1)),
        _ => Range::new(1, BEYOND),
    }
}
