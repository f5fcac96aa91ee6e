//! Where the size ends if the load stays.

use std::collections::BTreeMap;

use super::Question;
use super::break_points::break_points;
use crate::controller::{Account, Nanos, NextPass, timestamp};
use crate::trace::{End, Range, Reached, Rule, Settling};
use crate::what_if::coming::{Branches, Staying};

const MILLISECOND: Nanos = 1_000_000;

/// More steps, or passes, than this are not taken.
const MOST_STEPS: usize = 200;
const MOST_PASSES: i128 = 2_000;
/// More sizes, added up over all passes, are not followed.
const MOST_COST: usize = 300;
/// More sizes than this are not looked at.
const MOST_SIZES: usize = 1_000;
/// At so many moments within its time the next pass is begun.
const STARTS: Nanos = 5;
/// No size beyond this is asked for without `maxReplicas`: no cluster holds
/// so many pods.
const LARGEST: i32 = 1_000_000;

/// Where the size comes to rest, or goes round, and on which way.
struct Rest {
    end: End,
    sizes: Range,
    steps: Vec<Reached>,
}

impl Question<'_> {
    /// Follows the size from pass to pass, the load staying.
    pub(super) fn settling(self) -> Option<Settling> {
        let is_known = self.case.memory.is_known();
        let rest = if is_known { self.played() } else { self.ways() };
        let mut rest = rest.or_else(|| self.reached())?;
        if !is_known {
            self.add_rounded(&mut rest);
        }
        let replicas = rest.sizes.single();
        let there = self.what_if.at_size(rest.sizes.from)?;
        let (_, metric) = there.recommendation()?;
        let deciding = metric.filter(|_| replicas.is_some());
        let deciding = deciding.and_then(|metric| Some((metric, there.metric(metric)?)));
        let holds = deciding.map(|(metric, trial)| break_points(metric, trial, rest.sizes.from));
        let is_at_max = rest.end == End::AtMax;
        let without_max = || self.walk(rest.sizes.to, LARGEST);
        let without_max = is_at_max.then(without_max).flatten();
        Some(Settling {
            end: rest.end,
            replicas,
            possible: replicas.is_none().then_some(rest.sizes),
            steps: rest.steps,
            metric,
            value: deciding.and_then(|(_, trial)| Some(trial.ask()?.value)),
            holds_from: holds.and_then(|holds| Some(holds.down?.last)),
            holds_to: holds.and_then(|holds| Some(holds.up?.last)),
            without_max: without_max
                .filter(|walk| walk.end == End::Rest)
                .and_then(|walk| walk.sizes.single()),
            taken_constant: self.what_if.taken_constant(),
        })
    }

    /// Adds the sizes on the way at which it rests already by how samples are
    /// rounded: that of each pod is up to a thousandth above what it uses.
    fn add_rounded(self, rest: &mut Rest) {
        let (current, sizes) = (self.current(), rest.sizes);
        let rests = |size: &i32, more: i32| {
            let there = self.what_if.at_size(*size);
            there.and_then(|it| it.with_more(more.into()).aim()) == Some(*size)
        };
        if rest.end != End::Rest {
            return;
        }
        let above = (sizes.to.saturating_add(1)..current).take_while(|size| rests(size, *size));
        let below = (current.saturating_add(1)..sizes.from)
            .rev()
            .take_while(|size| rests(size, -current));
        for size in above.chain(below) {
            rest.sizes = rest.sizes.join(Range::of(size));
        }
    }

    /// When the next pass runs: between these moments.
    pub(super) fn next_pass(self) -> Option<(Nanos, Nanos)> {
        let next = self.trace.outlook.as_ref()?.next_pass?;
        let (from, to) = (next.earliest.as_nanosecond(), next.latest.as_nanosecond());
        Some((from, to.max(from)))
    }

    /// By how much time passes lie apart: the wait begins after a pass.
    fn every(self) -> Nanos {
        self.case.settings.pass_period() + 1
    }

    /// The passes of the longest memory, if they are few enough.
    fn longest(self) -> Option<i128> {
        let longest = self.what_if.longest_memory() / self.every() + 2;
        (longest <= MOST_PASSES / 4).then_some(longest)
    }

    /// Runs the passes wherever within its time the next one begins: which
    /// entries that passes find, and so the way, can depend on it.
    fn played(self) -> Option<Rest> {
        let (from, to) = self.next_pass()?;
        let starts = (0..STARTS).map(|part| from + (to - from) * part / (STARTS - 1));
        // Passes that begin just before the last moment come latest to what a time ends.
        let last = (to - MILLISECOND / 4).max(from);
        let ends = starts.map(|start| self.passes(start.min(last)));
        let ends: Vec<Rest> = ends.collect::<Option<_>>()?;
        let sizes = ends.iter().map(|rest| rest.sizes).reduce(Range::join)?;
        let way =
            |rest: &Rest| -> Vec<i32> { rest.steps.iter().map(|step| step.replicas).collect() };
        let is_one_end = ends.iter().all(|rest| rest.end == ends[0].end);
        let is_one_way = ends.iter().all(|rest| way(rest) == way(&ends[0]));
        let last = ends.into_iter().filter(|_| is_one_end);
        let mut last = last.max_by_key(|rest| rest.steps.last().and_then(|step| step.at))?;
        if !is_one_way {
            last.steps.clear();
        }
        Some(Rest { sizes, ..last })
    }

    /// Follows all ways that an open memory leaves, whenever the next pass
    /// begins, until each has come to rest.
    fn ways(self) -> Option<Rest> {
        let ((from, to), longest) = (self.next_pass()?, self.longest()?);
        let next = NextPass {
            now: self.case.now.as_nanosecond(),
            at: to,
            spread: to - from,
            apart: self.case.settings.sync_period,
        };
        let mut memory = self.what_if.counting(self.case.memory, next.now);
        if memory.accounts.is_empty() {
            memory.accounts = Account::unknown(self.current(), next.now);
        }
        let memory = memory.found_by(&next)?.in_few_accounts();
        let load = Staying {
            what_if: self.what_if,
            first: to,
        };
        let mut ways = Branches::at(self.current(), memory, load);
        let (mut at, mut cost, mut quiet) = (to, 0, 0);
        while cost < MOST_COST {
            let before = ways.most_changes();
            let pass = ways.pass(at, false, None).ok()?;
            cost += ways.len();
            let is_quiet = ways.most_changes() == before;
            quiet = if is_quiet { quiet + 1 } else { 0 };
            if quiet > longest {
                return Some(self.rest(pass.replicas, pass.recommended?));
            }
            at += self.every();
        }
        None
    }

    fn rest(self, sizes: Range, recommended: Range) -> Rest {
        let max = self.trace.bounds.max_replicas;
        let is_at_max = sizes == Range::of(max) && recommended.from > max;
        Rest {
            end: if is_at_max { End::AtMax } else { End::Rest },
            sizes,
            steps: Vec::new(),
        }
    }

    /// All sizes at which it can come to rest, on whatever way and with
    /// whatever memory: those that aim nowhere else, of all that can be
    /// reached. Nothing where it may never rest.
    fn reached(self) -> Option<Rest> {
        let bounds = self.trace.bounds;
        let recommended = self.within_bounds(self.trace.recommendation.as_ref()?.replicas?);
        let next = self.trace.outlook.as_ref()?.next_pass?.replicas;
        let mut reach = Range::of(self.current())
            .join(Range::of(recommended))
            .join(next);
        // Without behavior, older recommendations can ask for more than the
        // metrics do, and for more yet than one pass may add.
        let limit = self.trace.limit.as_ref();
        let is_cut = limit.is_some_and(|limit| {
            limit.rule == Rule::LimitDoubling && Some(next.to) == limit.rate_limit
        });
        if is_cut || next.to > self.current().max(recommended) {
            reach.to = bounds.max_replicas;
        }
        let mut aims = BTreeMap::new();
        while let Some(size) = (reach.from..=reach.to).find(|size| !aims.contains_key(size)) {
            if aims.len() == MOST_SIZES {
                return None;
            }
            let aim = self.what_if.at_size(size)?.aim()?;
            aims.insert(size, aim);
            reach = reach.join(Range::of(aim));
        }
        let resting = aims.iter().filter(|(size, aim)| size == aim);
        let resting = resting.map(|(size, _)| Range::of(*size));
        let Some(rest) = resting.reduce(Range::join) else {
            let round = self.walk(recommended, bounds.max_replicas)?;
            return (round.end == End::Cycle).then_some(round);
        };
        let comes_to_rest = aims.iter().all(|(size, aim)| match size {
            _ if *size < rest.from => aim > size && *aim <= rest.to,
            _ if *size > rest.to => aim < size && *aim >= rest.from,
            _ => size == aim,
        });
        let (desired, _) = self.what_if.at_size(rest.from)?.recommendation()?;
        comes_to_rest.then(|| self.rest(rest, Range::of(desired)))
    }

    /// Runs pass after pass from a moment on, until the size has stayed for
    /// longer than anything is remembered. Policies decide on the way at which
    /// size a ratio comes to be tolerated.
    fn passes(self, start: Nanos) -> Option<Rest> {
        let mut memory = self.what_if.counting(self.case.memory, start);
        let mut now = start;
        let longest = self.longest()?;
        let mut size = self.current();
        // What is set aside now may be so no more at the second pass.
        let mut next = self.what_if.pass(&mut memory, now)?.replicas;
        let mut steps = Vec::new();
        let mut desired = next;
        let mut quiet = 0;
        let mut there = self.what_if.at_size(size)?;
        for _ in 0..MOST_PASSES {
            if next == size {
                quiet += 1;
            } else {
                steps.push(Reached {
                    replicas: next,
                    // What tells two equal moments apart says nobody anything.
                    at: Some(timestamp(rounded(now))),
                });
                there = self.what_if.at_size(next)?;
                size = next;
                quiet = 0;
            }
            if quiet > longest {
                let max = self.trace.bounds.max_replicas;
                let is_short = size == max && desired > max;
                return Some(Rest {
                    end: if is_short { End::AtMax } else { End::Rest },
                    sizes: Range::of(size),
                    steps,
                });
            }
            now += self.every();
            let passed = there.pass(&mut memory, now)?;
            next = passed.replicas;
            desired = passed.recommended.unwrap_or(size);
        }
        // It may only be slow; on a round, sizes come again.
        let last = steps.split_off(steps.len().saturating_sub(MOST_STEPS));
        let largest = last.iter().map(|step| step.replicas).max()?;
        let again = last.iter().filter(|step| step.replicas == largest).count();
        (again > 2).then_some(Rest {
            end: End::Cycle,
            sizes: Range::of(largest),
            steps: last,
        })
    }

    /// Follows what is asked for alone.
    fn walk(self, first: i32, max: i32) -> Option<Rest> {
        let min = self.trace.bounds.min_replicas;
        let mut steps = vec![first];
        let mut size = first;
        while steps.len() < MOST_STEPS {
            let (desired, _) = self.what_if.at_size(size)?.recommendation()?;
            let next = desired.max(min).min(max);
            if next == size {
                let end = if desired > max { End::AtMax } else { End::Rest };
                return Some(walked(end, size, &steps));
            }
            if let Some(again) = steps.iter().position(|step| *step == next) {
                let round = &steps[again..];
                let largest = round.iter().max().copied();
                return Some(walked(End::Cycle, largest.unwrap_or(size), round));
            }
            steps.push(next);
            size = next;
        }
        None
    }
}

/// To the nearest millisecond.
const fn rounded(moment: Nanos) -> Nanos {
    let above = moment + MILLISECOND / 2;
    above - above.rem_euclid(MILLISECOND)
}

fn walked(end: End, replicas: i32, sizes: &[i32]) -> Rest {
    let steps = sizes.iter().map(|size| Reached {
        replicas: *size,
        at: None,
    });
    Rest {
        end,
        sizes: Range::of(replicas),
        steps: steps.collect(),
    }
}
