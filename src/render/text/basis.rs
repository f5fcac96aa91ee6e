//! What the answer rests on: release, settings, what is remembered, warnings.

use crate::snapshot::{NotRead, Part};
use crate::trace::{EvidenceKind, Knowledge, Origin, ReleaseBasis, Rule, SettingRecord};

use super::failure::is_refusal;
use super::page::{Line, Tone};
use super::sure::sure;
use super::verdict_window as window;
use super::words::{View, certain_count};

/// Renders what the answer rests on.
pub(super) fn basis(view: View) -> Vec<Line> {
    let basis = &view.trace.basis;
    let mut parts = vec![release(view, &basis.release)];
    parts.extend(Some(settings(&basis.settings)).filter(|text| !text.is_empty()));
    parts.extend(remembered(view));
    let mut lines = view
        .page
        .brief("Basis  ", &parts.join("; "), view.most(&[4, 3, 2, 1]));
    let remark = basis.release.remark.iter();
    for warning in remark.chain(&basis.warnings).take(view.most(&[3, 2, 1])) {
        lines.extend(
            view.page
                .brief("       ", &view.page.cut(warning, 300), view.most(&[2, 1])),
        );
    }
    lines.extend(not_read(view));
    for line in &mut lines {
        line.rest.0 = Tone::Faint;
    }
    lines
}

/// What was not read: in a line, or with `-v` in a paragraph each.
fn not_read(view: View) -> Vec<Line> {
    // That of the pods stands with the pods.
    let missing = view.trace.basis.not_read.iter();
    let missing: Vec<&NotRead> = missing.filter(|it| it.part != Part::Pods).collect();
    if missing.is_empty() {
        return Vec::new();
    }
    if view.options.verbosity > 0 {
        let paragraph = |missing: &&NotRead| {
            let reason = view.page.reason(&missing.reason, 400);
            let text = format!("not seen: {}: {reason}", part(missing.part));
            view.page.paragraph("       ", &text)
        };
        return missing.iter().flat_map(paragraph).collect();
    }
    let mut reasons: Vec<(String, Vec<&str>)> = Vec::new();
    for missing in missing {
        let reason = short_reason(view, &missing.reason);
        let name = part(missing.part);
        match reasons.iter_mut().find(|(known, _)| *known == reason) {
            Some((_, parts)) if parts.contains(&name) => {}
            Some((_, parts)) => parts.push(name),
            None => reasons.push((reason, vec![name])),
        }
    }
    let texts = reasons
        .iter()
        .map(|(reason, parts)| format!("{} ({reason})", parts.join(", ")));
    let text = format!("not seen: {}", texts.collect::<Vec<_>>().join("; "));
    view.page.brief("       ", &text, view.most(&[4, 3, 2, 1]))
}

fn part(part: Part) -> &'static str {
    match part {
        Part::Pods => "the pods",
        Part::ServerVersion => "the version, so its rules are assumed",
        Part::ControllerFlags => "the controller's flags, so defaults are assumed",
        Part::ControllerLease => "its lease",
        Part::OtherAutoscalers => "whether other HPAs select the same pods",
        Part::Events => "the HPA's events",
        Part::Target => "the target itself",
        Part::ReplicaSets => "its ReplicaSets",
    }
}

/// A refusal in a word; `-v` gives the whole sentence.
fn short_reason(view: View, reason: &str) -> String {
    if is_refusal(reason) {
        return "forbidden".to_owned();
    }
    view.page.reason(reason, 80)
}

fn release(view: View, release: &ReleaseBasis) -> String {
    let version = release.version.as_deref().map(|version| view.name(version));
    match (release.origin, version) {
        (Origin::Seen, Some(version)) => version,
        (Origin::Given, _) => format!("rules of {} given", release.rules),
        (_, Some(version)) => format!("rules of {} assumed for {version}", release.rules),
        (_, None) => format!("version unknown, rules of {} assumed", release.rules),
    }
}

/// The settings, grouped by where they come from.
fn settings(settings: &[SettingRecord]) -> String {
    let of = |origin: Origin| -> Vec<&SettingRecord> {
        settings
            .iter()
            .filter(|setting| setting.origin == origin)
            .collect()
    };
    // What is given stands at the top.
    let (seen, assumed) = (of(Origin::Seen), of(Origin::Assumed));
    // Gates say little as long as all flags were visible.
    let no_flag_assumed = !assumed.iter().any(|setting| setting.name.starts_with("--"));
    if no_flag_assumed && !seen.is_empty() {
        "flags seen".to_owned()
    } else if seen.is_empty() && !assumed.is_empty() {
        let tolerance = tolerance(&assumed);
        format!("flags not visible, defaults assumed{tolerance}")
    } else if !assumed.is_empty() {
        format!("seen: {}; else defaults assumed", named(&seen))
    } else {
        String::new()
    }
}

fn tolerance(assumed: &[&SettingRecord]) -> String {
    let tolerance = assumed
        .iter()
        .find(|setting| setting.name.ends_with("-tolerance"));
    tolerance.map_or_else(String::new, |tolerance| {
        format!(" (tolerance {})", tolerance.value)
    })
}

fn named(settings: &[&SettingRecord]) -> String {
    let texts: Vec<String> = settings.iter().map(|record| setting(record)).collect();
    texts.join(", ")
}

/// `tolerance 0.1`.
pub(super) fn setting(setting: &SettingRecord) -> String {
    format!("{} {}", short_name(setting.name), setting.value)
}

/// A flag without what all of them begin with.
fn short_name(name: &str) -> &str {
    name.strip_prefix("--horizontal-pod-autoscaler-")
        .unwrap_or(name)
}

/// How much is known of what the controller remembers; nothing to say where
/// that has no say.
fn remembered(view: View) -> Vec<String> {
    let trace = view.trace;
    let recommendation = trace.recommendation.as_ref();
    if recommendation.is_none_or(|record| record.rule != Rule::RecommendationLargest) {
        return Vec::new();
    }
    let known = match trace.remembered {
        Knowledge::Known => "all known",
        Knowledge::Partly => "partly known",
        Knowledge::Unknown => "unknown",
    };
    let is_decided = trace.outcome.desired_replicas.is_some();
    let effect = match certain_count(view) {
        _ if trace.remembered == Knowledge::Known || !is_decided => String::new(),
        Some(count) => format!(", but the count is {count} in any case"),
        None if trace.remembered == Knowledge::Unknown => {
            ", but it can make no difference".to_owned()
        }
        None => ", enough to decide".to_owned(),
    };
    let is_told = !sure(view).is_empty();
    let reach = reach(view).filter(|reach| is_told || reach.is_short);
    // How sure the answer is has been said there.
    let rest = (!is_told).then(|| format!("remembered: {known}{effect}"));
    let reach = reach.map(|reach| reach.text);
    reach.into_iter().chain(rest).collect()
}

/// How far back what the controller remembers can go, in words.
struct Reach {
    text: String,
    /// Whether it began within the time that counts.
    is_short: bool,
}

fn reach(view: View) -> Option<Reach> {
    let recollection = &view.trace.recollection;
    let Some(since) = &recollection.since else {
        let text = "a restart of the controller cannot be ruled out".to_owned();
        return recollection.may_have_restarted.then_some(Reach {
            text,
            is_short: false,
        });
    };
    let start = match since.source.kind {
        EvidenceKind::Lease => "controller leads since",
        EvidenceKind::Creation => "HPA created",
        EvidenceKind::Record => "recorded since",
        EvidenceKind::ControllerLog => "controller's log since",
        _ => "nothing remembered before",
    };
    let start = format!("{start} {}", view.time(since.at));
    let age = view.trace.at.duration_since(since.at).as_secs();
    let longest = longest(view);
    let is_short = longest.is_some_and(|seconds| age < seconds);
    let text = match longest.map(window) {
        _ if recollection.may_have_restarted => {
            format!("{start}, a restart since cannot be ruled out")
        }
        Some(longest) if is_short => format!("{start}: less than the {longest} that count"),
        Some(longest) => format!("{start}: no restart in the {longest} that count"),
        None => start,
    };
    Some(Reach { text, is_short })
}

/// The longest window or period of a policy, in seconds.
fn longest(view: View) -> Option<i64> {
    let trace = view.trace;
    let edges = trace.stabilization.iter();
    let edges = edges.flat_map(|record| record.up.iter().chain([&record.down]));
    let windows = edges.map(|edge| edge.window_seconds);
    let policies = trace.limit.iter().flat_map(|limit| &limit.policies);
    let periods = policies.map(|policy| i64::from(policy.period_seconds));
    windows.chain(periods).max()
}
