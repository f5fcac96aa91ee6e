//! A time of the past: a row for each change, with its cause; on a page for a
//! browser also a timeline, what was found, and every pass.

use std::cmp::Reverse;

use jiff::Timestamp;

use crate::api::OneOf;
use crate::api::names::is_subdomain;
use crate::render::block::{
    Block, Cell, Facts, Item, PassEntry, PassKind, Prose, Row, Table, Title,
};
use crate::render::chart::{Mark, SizeLine, Timeline};
use crate::trace::amount::counted;
use crate::trace::{
    Bounds, CodeKind, Fact, Finding, FlapState, Flaps, Proof, Range, Role, Severity, SizeDecision,
    Story, StoryCause, StoryChange, StoryPass,
};

use super::flaps::judged;
use super::passes::MOST_METRICS;
use super::words::{DAY, TIME, list, moment, range};
use super::{TextOptions, decision};

/// What is so in fewer of the passes, in percent, is no second cause.
const OFTEN: usize = 20;

/// The story of an HPA.
pub(in crate::render) fn blocks(story: &Story, options: &TextOptions) -> Vec<Block<'static>> {
    let hpa = [story.namespace.as_str(), &story.name];
    let begin = story.passes.first().map_or(story.from, |it| it.from);
    let begin = begin.max(story.from);
    let clock = &Clock::of((begin, story.to), options);
    let until = clock.time(story.to);
    let of_size = || story.changes.iter().filter(|it| it.sizes().is_some());
    let by_others = of_size().filter(|it| it.cause == StoryCause::SetByOthers);
    let by_others = match by_others.count() {
        0 => String::new(),
        count => format!(" ({count} not by the HPA)"),
    };
    let answer = match of_size().count() {
        0 => format!("no size change until {until}"),
        count => format!("{}{by_others} until {until}", counted(count, "size change")),
    };
    let at = format!("from {}", moment(begin, options, DAY));
    let title = Title::of(hpa, &story.target, answer, at);
    let rows = story.changes.iter().map(|change| {
        Row::of([
            Cell::text("BETWEEN", clock.times((change.from, change.to))),
            Cell::text("SIZE", change.sizes().map_or("-".to_owned(), sizes)),
            Cell::sentences("WHY", why(change, story)),
        ])
    });
    let strip = Strip::of(story);
    let mut blocks = vec![Block::Title(title), Block::Gap];
    let mut findings = strip.findings(story, clock).map(Block::Facts).into_iter();
    // Where nothing flaps or has flapped, what else is wrong comes first.
    let flapped = |it: &Flaps| it.swing.as_ref().is_some_and(|it| it.is_flapping);
    let mut flaps = story.flaps.iter();
    let mut found = strip.pages().filter_map(|(.., pass)| pass.page.as_ref());
    let is_wrong = |it: &Finding| it.severity >= Severity::Warning;
    if flaps.any(|it| it.severity.is_none() && !flapped(it))
        && found.any(|it| it.findings.iter().any(is_wrong))
    {
        blocks.extend(findings.next());
    }
    let mut reported = Vec::new();
    if let Some(flaps) = &story.flaps {
        // Of a long time, only the last hours are judged.
        let first = flaps.changes.first();
        let first = first.filter(|first| of_size().any(|it| it.to < first.from));
        let judged_from = match first {
            Some(first) => format!("by the changes since {} alone", clock.time(first.from)),
            None if flaps.changes.is_empty() && of_size().next().is_some() => {
                "its last size change is too long ago to count".to_owned()
            }
            None => format!("changes before {} count too", clock.time(begin)),
        };
        let judged_at = format!(
            "Flapping check as of {} ({judged_from}):",
            clock.time(flaps.at)
        );
        blocks.extend([Block::Prose(Prose::plain(judged_at)), Block::Gap]);
        let since = flaps.changes.first().map(|first| clock.time(first.from));
        let mut judged = judged(flaps, options, since).into_iter();
        blocks.extend(judged.next());
        let at_max = at_max(story).filter(|_| flaps.state == FlapState::Flapping);
        // On a page, what is to be tried stands below the timeline.
        let mut changes = flaps.mechanisms.iter().flat_map(|it| &it.changes);
        let helps = changes.next().filter(|_| options.is_page);
        let helps = helps.map(|it| format!("What may help: {} (see Try).", it.remedy.says));
        let before = before_the_edit(story, flaps, &strip, clock);
        let more = [at_max, helps, before].into_iter().flatten();
        blocks.extend(more.flat_map(|it| [Block::Gap, Block::Prose(Prose::plain(it))]));
        reported = judged.chain([Block::Gap]).collect();
    }
    // A page has the changes among its passes, and the rest as marks: they are seen
    // first.
    if let Some(timeline) = timeline(story, &strip, clock) {
        blocks.push(Block::Timeline(timeline));
        blocks.extend(reported);
    } else {
        blocks.extend(reported);
        blocks.push(Block::Table(Table::of(rows)));
    }
    blocks.extend(findings);
    let hints = [explaining(story), trying(story)].into_iter().flatten();
    blocks.extend(hints.flat_map(|it| [Block::Gap, Block::Prose(Prose::with_commands(it))]));
    blocks.extend(strip.blocks(story, clock));
    blocks
}

/// That `maxReplicas` is too low as well, where it often is.
fn at_max(story: &Story) -> Option<String> {
    let above = story.passes.iter().filter_map(|it| {
        let max = Bounds::of(&it.spec).max_replicas;
        let recommended = it.figures.recommended?;
        (recommended.from > max).then_some((max, recommended.from))
    });
    let (above, recommended): (Vec<i32>, Vec<i32>) = above.unzip();
    let percent = above.len() * 100 / story.passes.len().max(1);
    let most = above.iter().max()?;
    let then = if above.iter().all(|max| max == most) {
        format!(" {most}")
    } else {
        ", as it was then".to_owned()
    };
    let recommended = recommended.iter().max()?;
    (percent >= OFTEN).then(|| {
        format!("In addition, in {percent}% of the passes the metrics asked for more than maxReplicas{then}, up to {recommended}.")
    })
}

/// The edit that the answer names, and why the size flapped until then.
fn before_the_edit(story: &Story, flaps: &Flaps, strip: &Strip, clock: &Clock) -> Option<String> {
    let ended = flaps.swing.as_ref().and_then(|it| it.edited);
    let at = ended.or(flaps.coverage.edited)?;
    let is_it = |it: &&StoryChange| {
        let (from, to) = (it.from.as_second(), it.to.as_second());
        matches!(it.cause, StoryCause::Edited { .. }) && (from..=to).contains(&at.as_second())
    };
    let edit = story.changes.iter().find(is_it)?;
    let times = clock.times((edit.from, edit.to));
    let edit = format!("{times}: {}.", why(edit, story));
    // What the load does is last in its evidence, where there is a remedy for it.
    let found = strip.pages().filter_map(|(.., pass)| {
        let mut findings = pass.page.iter().flat_map(|it| &it.findings);
        let found =
            findings.find(|it| it.code.is(CodeKind::OfChanges) && !it.remedies.is_empty())?;
        Some((clock.time(pass.at), found.evidence.last()?))
    });
    let last = found.filter(|_| ended.is_some()).last();
    let cause = last.map_or_else(String::new, |(at, Fact { about, says })| {
        format!(" Why it flapped before, as found at {at}: {about}: {says}.")
    });
    let last = strip
        .pages()
        .last()
        .and_then(|(.., pass)| pass.page.as_ref());
    let mut findings = last.iter().flat_map(|it| &it.findings);
    let trap = findings.find(|it| it.code.is(CodeKind::AtNextApply) && ended.is_some());
    let trap = trap.map_or_else(String::new, |it| {
        format!(" Beware: {} ({}).", it.message, it.code)
    });
    Some(edit + &cause + &trap)
}

/// How one of the passes is explained.
fn explaining(story: &Story) -> Option<String> {
    let at = story.changes.first()?.to;
    let command = command("", story);
    Some(format!(
        "`{command} --at {at}` explains one of these passes"
    ))
}

/// How a change that nobody has tried is tried, where the load is recorded.
fn trying(story: &Story) -> Option<String> {
    let mechanisms = &story.flaps.as_ref()?.mechanisms;
    let mut changes = mechanisms.iter().flat_map(|it| &it.changes);
    let is_open = changes.any(|it| it.proof == Proof::Suggested && !it.remedy.looks);
    let command = command("flaps ", story);
    (is_open && story.is_recorded)
        .then(|| format!("`{command}` tries the change on the recorded load"))
}

/// A command on what tells of the time.
fn command(name: &str, story: &Story) -> String {
    let source = if story.is_recorded {
        "--history FILE"
    } else {
        "--prometheus"
    };
    // No object of a cluster has another name; a record can say any.
    let [own, namespace] =
        [&story.name, &story.namespace].map(|name| if is_subdomain(name) { name } else { "NAME" });
    format!("kubectl hpa-explain {name}{own} -n {namespace} {source}")
}

/// How moments of a time are told: with their day, where it has several.
struct Clock<'o> {
    options: &'o TextOptions,
    format: &'static str,
}

impl<'o> Clock<'o> {
    fn of((from, to): (Timestamp, Timestamp), options: &'o TextOptions) -> Self {
        let [first, last] = [from, to].map(|at| at.to_zoned(options.zone.clone()).date());
        let format = if first == last {
            TIME
        } else {
            "%m-%d %H:%M:%S"
        };
        Self { options, format }
    }

    fn time(&self, at: Timestamp) -> String {
        moment(at, self.options, self.format)
    }

    fn times(&self, (from, to): (Timestamp, Timestamp)) -> String {
        match (self.time(from), self.time(to)) {
            (from, to) if from == to => from,
            (from, to) => format!("{from}..{to}"),
        }
    }
}

fn sizes((before, after): (i32, i32)) -> String {
    format!("{before} → {after}")
}

fn why(change: &StoryChange, story: &Story) -> String {
    let shown = shown(story);
    match &change.cause {
        StoryCause::Metrics {
            metric,
            proposal,
            held_by,
        } => {
            let metric = metric.as_deref().unwrap_or("a metric");
            let mut passes = story.passes.iter().filter(|it| it.at == change.to);
            if passes.any(StoryPass::is_missed) {
                return measured_else(shown, metric, Some(*proposal));
            }
            if let (Some((from, to)), Some(_)) = (change.sizes(), held_by) {
                let held = SizeDecision {
                    from: Range::of(from),
                    recommended: Some(*proposal),
                    to: Range::of(to),
                    held_by: *held_by,
                };
                return held.why(&format!("{metric} asked for"));
            }
            asked_for(shown, metric, (change.before, change.after), *proposal)
        }
        StoryCause::Bounds => "the size lay beyond minReplicas or maxReplicas".to_owned(),
        StoryCause::Unmeasured => format!("no {shown} shows what this pass measured"),
        StoryCause::SetByOthers => match &change.by {
            Some(by) => format!("{by} set the size"),
            None => "someone else set the size (who is not known)".to_owned(),
        },
        StoryCause::Edited { what } => match &change.by {
            Some(by) => format!("edited by {by}: {what}"),
            None => format!("edited: {what}"),
        },
        StoryCause::BehaviorWritten => {
            "the behavior was written; what it was before is unknown".to_owned()
        }
        StoryCause::Failing => "the metrics began to fail".to_owned(),
        StoryCause::Working => "the metrics are there again".to_owned(),
        StoryCause::Hole => format!("nothing was {shown}d"),
        StoryCause::Restarted { says: Some(says) } => says.clone(),
        StoryCause::Restarted { says: None } => {
            "another kube-controller-manager took over: the HPA's windows and policies begin anew \
             with the size of that moment"
                .to_owned()
        }
        StoryCause::RolledOut => "a rollout began to replace the pods".to_owned(),
    }
}

/// What a story is made of.
fn shown(story: &Story) -> &'static str {
    if story.is_recorded {
        "sample"
    } else {
        "scrape"
    }
}

/// What a metric asked for, with what is plain of a change that is another one.
fn asked_for(
    shown: &str,
    metric: &str,
    (before, after): (Option<i32>, Option<i32>),
    proposal: Range,
) -> String {
    let held = match (before, after, proposal.single()) {
        (Some(before), Some(after), Some(proposal)) if before != after && after != proposal => {
            if (before < after) != (after < proposal) {
                return measured_else(shown, metric, Some(Range::of(proposal)));
            }
            ", and the window, a policy or a bound held the rest back"
        }
        _ => "",
    };
    format!("{metric} asked for {}{held}", range(proposal))
}

/// Why a pass did something else than what was shown before it leads to.
fn measured_else(shown: &str, metric: &str, recommended: Option<Range>) -> String {
    let recommended = recommended.map_or_else(|| "nothing".to_owned(), range);
    format!(
        "by the last {shown}, {metric} asked for {recommended}; the pass measured something else"
    )
}

/// A pass that has a page: its number, and those of the same decision.
type PagedPass<'s> = (usize, &'s [StoryPass], &'s StoryPass);

/// A finding as it was last, with each pass that has it.
type Found<'s> = (&'s Finding, Vec<PagedPass<'s>>);

/// The passes, those in a row that decided the same together.
struct Strip<'s> {
    groups: Vec<&'s [StoryPass]>,
}

impl<'s> Strip<'s> {
    fn of(story: &'s Story) -> Self {
        let groups = story.passes.chunk_by(StoryPass::is_like);
        Self {
            groups: groups.collect(),
        }
    }

    /// The passes that open, each with its number.
    fn opening(&self) -> impl Iterator<Item = (usize, &'s [StoryPass])> {
        let opening = self.groups.iter().copied();
        let opening = opening.filter(|group| paged(group).is_some() || has_numbers(&group[0]));
        (1..).zip(opening)
    }

    /// The passes that have a page, each with its number and those that it stands for.
    fn pages(&self) -> impl Iterator<Item = PagedPass<'s>> {
        let opening = self.opening();
        opening.filter_map(|(number, group)| Some((number, group, paged(group)?)))
    }

    /// The number of the passes that a moment lies in, or else of those after it.
    fn page_from(&self, at: Timestamp) -> Option<usize> {
        let is_later = |group: &[StoryPass]| group.last().is_some_and(|it| it.at >= at);
        let found = self.opening().find(|(_, group)| is_later(group));
        found.map(|(number, _)| number)
    }

    /// What was found in any pass, each once, with how it was last: what the last pass
    /// with a page has, the worst first, then what is over, the longest first.
    fn findings(&self, story: &Story, clock: &Clock) -> [Facts; 2] {
        let mut found: Vec<Found> = Vec::new();
        let pages: Vec<PagedPass> = self.pages().collect();
        for paged in pages.iter().copied() {
            for finding in paged.2.page.iter().flat_map(|trace| &trace.findings) {
                match found.iter_mut().find(|(own, _)| own.code == finding.code) {
                    Some((own, passes)) => {
                        *own = finding;
                        passes.push(paged);
                    }
                    None => found.push((finding, vec![paged])),
                }
            }
        }
        // The answer says more of it.
        let says_why = story
            .flaps
            .as_ref()
            .is_some_and(|it| !it.mechanisms.is_empty());
        found.retain(|(it, _)| !says_why || !it.code.is(CodeKind::OfChanges));
        found.sort_by_key(|(finding, _)| finding.rank());
        let last = pages.last().copied();
        let is_there =
            |passes: &[PagedPass]| passes.last().map(|it| it.0) == last.map(|(number, ..)| number);
        let (now, mut over): (Vec<_>, Vec<_>) =
            found.into_iter().partition(|(_, passes)| is_there(passes));
        let lasted = |passes: &[PagedPass]| passes.iter().map(|it| it.1.len()).sum::<usize>();
        over.sort_by_key(|(_, passes)| Reverse(lasted(passes)));
        let end = last.map_or_else(String::new, |(.., pass)| clock.time(pass.at));
        let reported = |found: Vec<Found<'s>>, is_over: bool| {
            let is_small =
                |it: &Finding| it.role == Role::Benign || is_over && it.severity == Severity::Info;
            let (small, main): (Vec<_>, Vec<_>) =
                found.into_iter().partition(|(it, _)| is_small(it));
            let small = small.iter().map(|(finding, passes)| Item {
                code: Some(finding.code.as_str()),
                pass: passes.last().map(|it| it.0),
                ..Item::named(finding.code.as_str(), finding.message.clone())
            });
            let below: Vec<Item> = small.collect();
            let small = (!below.is_empty()).then(|| Item {
                below,
                ..Item::of("For information:".to_owned())
            });
            let items = main.into_iter().filter_map(|(finding, passes)| {
                let (first, last) = (passes.first()?, passes.last()?);
                // What went and came again is there since it came.
                let has_it = |(.., pass): &&PagedPass| {
                    let mut found = pass.page.iter().flat_map(|it| &it.findings);
                    found.any(|it| it.code == finding.code)
                };
                let in_a_row = pages.iter().rev().take_while(has_it);
                // What a pass did, those did that are told of with it.
                let (number, group, pass) = in_a_row.last().unwrap_or(first);
                let is_symptom = finding.role == Role::Symptom;
                let since = clock.time(if is_symptom { group[0].at } else { pass.at });
                let mut finding = Facts::of_findings(std::slice::from_ref(finding))
                    .items
                    .pop()?;
                // Nothing helps against what is over.
                finding.below.retain(|it| !is_over || it.remedy.is_none());
                let is_first = *number == first.0;
                let [first, until] = [first, last].map(|it| clock.time(it.2.at));
                let span = match (is_over, passes.len()) {
                    (false, _) if is_symptom || is_first => format!("since {since}"),
                    (false, _) => format!("first at {first}, again since {since}"),
                    (true, 1) => first,
                    (true, _) => format!("first at {first}, last at {until}"),
                };
                Some(Item {
                    says: format!("{span} {}.", finding.says),
                    pass: Some(last.0),
                    ..finding
                })
            });
            items.chain(small).collect::<Vec<Item>>()
        };
        [
            Facts::titled(
                &format!("Findings of the pass at {end}"),
                0,
                reported(now, false),
            ),
            Facts::titled(
                &format!("Earlier findings, not of the pass at {end}"),
                0,
                reported(over, true),
            ),
        ]
    }

    fn blocks(&self, story: &Story, clock: &Clock) -> Vec<Block<'static>> {
        if self.pages().next().is_none() {
            return Vec::new();
        }
        let is_left_out = |group: &&&[StoryPass]| group.iter().any(|it| it.is_left_out);
        let left_out = self.groups.iter().filter(is_left_out).count();
        let mut blocks = Vec::new();
        if left_out > 0 {
            let says = format!(
                "There are too many passes to explain them all: {left_out} of the {} entries below have no explanation, at most their numbers. Findings in those passes are neither shown nor counted. `{} --at TIME` explains any pass.",
                self.groups.len(),
                command("", story),
            );
            blocks.push(Block::Prose(Prose::with_commands(says)));
        }
        let by_others = |it: &&StoryChange| it.cause == StoryCause::SetByOthers;
        let by_others: Vec<&StoryChange> = story.changes.iter().filter(by_others).collect();
        let mut known: Vec<&str> = Vec::new();
        let entries = self.groups.iter().map(|group| {
            // What others did right before the first of these found it.
            let mut before = by_others.iter();
            let before = before.find(|it| story.is_recorded && it.to == group[0].at);
            entry(group, before.copied(), &mut known, clock)
        });
        blocks.push(Block::Passes(entries.collect()));
        blocks
    }
}

/// Whether a pass opens to its numbers where it has no page.
fn has_numbers(pass: &StoryPass) -> bool {
    pass.is_change() || pass.is_missed()
}

/// The pass of a group that has a page, if one has.
fn paged(group: &[StoryPass]) -> Option<&StoryPass> {
    group.iter().rev().find(|pass| pass.page.is_some())
}

/// Passes that decided the same, with what others did since the pass before, and what
/// was not found in those before that have a page.
fn entry<'s>(
    group: &'s [StoryPass],
    others: Option<&StoryChange>,
    known: &mut Vec<&'s str>,
    clock: &Clock,
) -> PassEntry<'static> {
    let (first, last) = (&group[0], &group[group.len() - 1]);
    let page = paged(group);
    let trace = page.and_then(|it| it.page.as_deref());
    let findings: Vec<&Finding> = trace.iter().flat_map(|it| &it.findings).collect();
    let codes: Vec<&str> = findings.iter().map(|it| it.code.as_str()).collect();
    let new = codes.iter().filter(|it| !known.contains(it)).copied();
    let new: Vec<&str> = new.collect();
    if page.is_some() {
        *known = codes;
    }
    // What is only worth knowing is no reason to open a pass.
    let is_problem = |it: &&Finding| it.role != Role::Benign && it.severity > Severity::Info;
    let kinds = [
        (PassKind::Change, first.is_change() || others.is_some()),
        (PassKind::Finding, findings.iter().any(is_problem)),
        (PassKind::Difference, first.is_missed()),
    ];
    let found = match new.as_slice() {
        [] => String::new(),
        new => format!("; found: {}", new.join(", ")),
    };
    let begins = clock.times((first.from, last.at));
    let others = others.and_then(|it| Some((it.by.as_deref(), it.after?)));
    let others = others.map_or_else(String::new, |(by, size)| {
        format!("{} set the size to {size}; ", by.unwrap_or("someone else"))
    });
    let says = format!("{others}{}{found}", decided(group));
    PassEntry {
        page: match page {
            Some(it) => pass_page(it, clock.options),
            None if has_numbers(first) => vec![Block::Prose(Prose::plain(numbers(first)))],
            None => Vec::new(),
        },
        ..PassEntry::of(&begins, group.len(), says, kinds)
    }
}

/// What passes decided, and why.
fn decided(group: &[StoryPass]) -> String {
    let pass = &group[0];
    let size = match (pass.before, pass.after) {
        (Some(before), Some(after)) if before == after => format!("stays at {after}"),
        (Some(before), Some(after)) => format!("{before} → {after}"),
        _ => "size unknown".to_owned(),
    };
    let recommended = group.iter().filter_map(|it| it.figures.recommended);
    let recommended = recommended.reduce(Range::join);
    let of = |size: Option<i32>| size.map(Range::of);
    let why = match (pass.failing.as_slice(), of(pass.before).zip(of(pass.after))) {
        ([], Some((from, to))) if recommended.is_some() || pass.figures.held_by.is_some() => {
            let name = pass.figures.winner().unwrap_or("a metric");
            let by = pass.figures.held_by;
            match (recommended, by) {
                _ if pass.is_missed() => measured_else("sample", name, recommended),
                (Some(recommended), None) => {
                    asked_for("sample", name, (pass.before, pass.after), recommended)
                }
                _ => SizeDecision {
                    from,
                    recommended,
                    to,
                    held_by: by,
                }
                .why(&format!("{name} asked for")),
            }
        }
        ([], _) => "what its metrics asked for is not known".to_owned(),
        (failing, _) => {
            let failing: Vec<&str> = failing.iter().map(OneOf::as_str).collect();
            failing.join(", ")
        }
    };
    let aside = match pass.figures.set_aside.as_slice() {
        [] => String::new(),
        pods => format!("; set aside: {}", list(pods.to_vec(), 3)),
    };
    let missed = match pass.expected.filter(|_| pass.is_missed()) {
        Some(expected) => format!("; predicted {}", range(expected)),
        None => String::new(),
    };
    format!("{size}: {why}{aside}{missed}")
}

/// A size, or that nobody knows it.
fn size(size: Option<Range>) -> String {
    size.map_or_else(|| "unknown".to_owned(), range)
}

/// What a pass without a page did, in numbers.
fn numbers(pass: &StoryPass) -> String {
    let figures = &pass.figures;
    let proposals = figures.proposals.iter().map(|(name, proposal)| {
        let proposal = size(proposal.map(Range::of));
        format!("; {name} asked for {proposal}")
    });
    let stabilized = figures.stabilized;
    let stabilized = stabilized.map(|it| format!("; after stabilization {it}"));
    format!(
        "Predicted {}, happened {}{}{}. --at {} explains it.",
        size(pass.expected),
        size(pass.after.map(Range::of)),
        proposals.collect::<String>(),
        stabilized.unwrap_or_default(),
        pass.at
    )
}

/// How a pass decided, what came of it, and what was found in it.
fn pass_page(pass: &StoryPass, options: &TextOptions) -> Vec<Block<'static>> {
    let Some(trace) = &pass.page else {
        return Vec::new();
    };
    let outcome = &trace.outcome;
    let own = match pass.failing.as_slice() {
        [] => outcome.left(),
        _ => Some(Range::of(outcome.current_replicas)),
    };
    let row = |what: &str, size: String| {
        Row::of([
            Cell::text("SIZE AFTER THE PASS", what.to_owned()),
            Cell::number("PODS", size),
        ])
    };
    let both = Table::of([
        row("predicted", size(pass.expected.or(own))),
        row("happened", size(pass.after.map(Range::of))),
    ]);
    let options = TextOptions {
        live: false,
        ..options.clone()
    };
    let codes = trace.findings.iter().map(|it| it.code.as_str());
    let mut codes: Vec<&str> = codes.collect();
    codes.dedup();
    let codes = codes.join(", ");
    let found = (!codes.is_empty()).then(|| Block::Prose(Prose::behind("Found: ", codes)));
    let both = std::iter::once(Block::Table(both));
    both.chain(decision(trace, &options)).chain(found).collect()
}

/// What happened beside the passes that changed the size.
fn marks(story: &Story, strip: &Strip, clock: &Clock) -> Vec<Mark> {
    let is_apart = |it: &&StoryChange| {
        !matches!(
            it.cause,
            StoryCause::Metrics { .. } | StoryCause::Bounds | StoryCause::Unmeasured
        )
    };
    let all = story.changes.iter().filter(is_apart).map(|it| {
        let sizes = it.sizes().map(|it| format!(" ({})", sizes(it)));
        Mark {
            at: it.to.as_second(),
            time: clock.times((it.from, it.to)),
            says: why(it, story) + &sizes.unwrap_or_default(),
            pass: strip.page_from(it.to),
        }
    });
    all.collect()
}

/// From when until when no metric could be had.
fn failing(story: &Story) -> Vec<(i64, i64)> {
    let like =
        |one: &StoryPass, next: &StoryPass| one.failing.is_empty() == next.failing.is_empty();
    let starts = story.passes.chunk_by(like).map(|passes| &passes[0]);
    let ends = starts.clone().skip(1).map(|it| it.at).chain([story.to]);
    let spans = starts.zip(ends).filter(|(it, _)| !it.failing.is_empty());
    let spans = spans.map(|(it, end)| (it.at.as_second(), end.as_second()));
    spans.collect()
}

/// The sizes, what was asked for, what stabilization left of it and the bounds, and what
/// happened beside the passes.
fn timeline(story: &Story, strip: &Strip, clock: &Clock) -> Option<Timeline<'static>> {
    let passes = &story.passes;
    strip.pages().next()?;
    let second = |pass: &StoryPass| pass.at.as_second();
    let found = passes.iter().map(|it| (it.from.as_second(), it.before));
    let left = passes.iter().map(|it| (second(it), it.after));
    let mut lines: Vec<SizeLine> = vec![
        ("size, as the pass found it".to_owned(), found.collect()),
        ("desired".to_owned(), left.collect()),
    ];
    let mut names: Vec<&str> = Vec::new();
    for (name, _) in passes.iter().flat_map(|it| &it.figures.proposals) {
        if !names.contains(&name.as_str()) {
            names.push(name);
        }
    }
    for name in names.into_iter().take(MOST_METRICS) {
        let proposals = passes.iter().map(|it| {
            let mut own = it.figures.proposals.iter().filter(|(own, _)| own == name);
            (second(it), own.next().and_then(|it| it.1))
        });
        lines.push((format!("{name} asked for"), proposals.collect()));
    }
    let edge = passes.iter().map(|it| (second(it), it.figures.stabilized));
    lines.push(("after stabilization".to_owned(), edge.collect()));
    let bounds = passes.iter().map(|it| (second(it), Bounds::of(&it.spec)));
    let bounds: Vec<(i64, Bounds)> = bounds.collect();
    // What was asked for may begin long before what is known.
    let first = passes
        .first()
        .map_or(story.from, |it| it.at)
        .max(story.from);
    let span = (first.as_second(), story.to.as_second());
    let ends = (clock.time(first), clock.time(story.to));
    Some(Timeline {
        marks: marks(story, strip, clock),
        shades: failing(story),
        ..Timeline::of_sizes("Timeline, pods", lines, &bounds, span, &ends)
    })
}
