//! What the answer rests on: release, settings, what is remembered, warnings;
//! and how sure it is where what is remembered is not wholly known.

use super::page::{Page, Tone};
use super::words::{View, between, by_key, certain_count, window};
use crate::api::ReadFailure;
use crate::document::snapshot::{NotRead, Part};
use crate::render::block::Prose;
use crate::render::escape::display_width;
use crate::trace::{
    EvidenceKind, Knowledge, Origin, Range, ReleaseBasis, Rule, ScrapedPassRecord, SettingRecord,
    SettingValue, Unsettled,
};

/// Renders what the answer rests on.
pub(super) fn basis(view: View) -> Vec<Prose> {
    let basis = &view.trace.basis;
    let mut reported = vec![release(view, &basis.release)];
    reported.extend(flags(&basis.settings));
    reported.extend(remembered(view));
    let mut rows = vec![Prose::behind("Basis  ", reported.join("; "))];
    let remark = basis.release.remark.clone().into_iter();
    let remarks = remark.chain(derived(view)).chain(basis.warnings.clone());
    let remarks = remarks.take(view.most(3));
    rows.extend(remarks.map(|it| Prose::behind(BELOW, it)));
    if view.options.verbosity > 0 {
        let derived = basis.release.derived.iter();
        rows.extend(derived.map(|rule| {
            let text = format!("derived from {}: {}", rule.pull_requests, rule.says);
            Prose::behind(BELOW, text)
        }));
    }
    rows.extend(not_read(view));
    rows.into_iter().map(|it| it.toned(Tone::Faint)).collect()
}

/// That some rules are derived: where the others are looked at, which.
fn derived(view: View) -> Option<String> {
    let derived = view.trace.basis.release.describe_derived()?;
    let more = if view.options.verbosity > 0 {
        ""
    } else {
        " (-v lists them)"
    };
    Some(derived + more)
}

/// What was not read: in a line, or with `-v` in a paragraph each.
fn not_read(view: View) -> Vec<Prose> {
    // That of the pods stands with the pods.
    let missing = view.trace.basis.not_read.iter();
    let missing: Vec<&NotRead> = missing.filter(|it| it.part != Part::Pods).collect();
    if missing.is_empty() {
        return Vec::new();
    }
    if view.options.verbosity > 0 {
        let paragraph = |missing: &&NotRead| {
            let reason = view.page.reason(&missing.reason.text, 400);
            let text = format!("not read: {}: {reason}", part(missing.part));
            Prose::behind(BELOW, text)
        };
        return missing.iter().map(paragraph).collect();
    }
    // All reasons of a part, each once, then all parts of the same reasons.
    let reasons = missing.into_iter();
    let reasons = reasons.map(|it| ((part(it.part), short_reason(view.page, &it.reason)), ()));
    let parts = by_key(by_key(reasons).map(|(both, _)| both));
    let groups = by_key(parts.map(|(name, reasons)| (reasons.join(", "), name)));
    let texts = groups.map(|(reasons, names)| format!("{} ({reasons})", names.join(", ")));
    let text = format!("not read: {}", texts.collect::<Vec<_>>().join("; "));
    vec![Prose::behind(BELOW, text)]
}

fn part(part: Part) -> &'static str {
    match part {
        Part::Pods => "the pods",
        Part::ServerVersion => "the server version (its rules are assumed)",
        Part::ControllerFlags => "the controller flags",
        Part::ControllerLease => "the controller's Lease",
        Part::OtherAutoscalers => "which pods other HPAs select",
        Part::Events => "the events",
        Part::Target => "the target",
        Part::ReplicaSets => "its ReplicaSets",
        Part::VerticalPodAutoscalers => "its VerticalPodAutoscalers",
        Part::ScaledObject => "the ScaledObject that made the HPA",
        Part::ApiServices => "the APIServices of the metrics",
        Part::ResourceQuotas => "the ResourceQuotas of the namespace",
        Part::LimitRanges => "the LimitRanges of the namespace",
        Part::Nodes => "the nodes and the pods on them",
    }
}

/// A part that was not read, and why.
pub(super) fn not_read_part(page: Page, missing: &NotRead) -> String {
    let reason = short_reason(page, &missing.reason);
    format!("{} ({reason}) could not be read", part(missing.part))
}

/// A refusal in a word; `-v` gives the whole sentence.
fn short_reason(page: Page, reason: &ReadFailure) -> String {
    if reason.is_refusal() {
        return "forbidden".to_owned();
    }
    page.reason(&reason.text, 80)
}

/// The most columns for whose rules they are, with a version as a server
/// gives it.
const RULES: usize = 100;

/// The release, with where it comes from.
fn release(view: View, release: &ReleaseBasis) -> String {
    let version = release.version.as_deref().map(|version| view.name(version));
    let rules = release.describe();
    match (release.origin, version) {
        (Origin::Observed, Some(version)) if release.nearest.is_none() => version,
        (Origin::Observed, _) => view.page.name(&rules, RULES),
        (Origin::Given, _) => format!("{rules}, as requested"),
        (Origin::Assumed, Some(version)) => format!("{rules}, assumed for {version}"),
        (Origin::Assumed, None) => format!("unknown version, {rules} assumed"),
    }
}

/// The settings, grouped by where they come from.
fn flags(settings: &[SettingRecord]) -> Option<String> {
    let of = |origin: Origin| -> Vec<&SettingRecord> {
        let settings = settings.iter();
        settings.filter(|it| it.origin == origin).collect()
    };
    // What is given stands at the top.
    let (observed, assumed) = (of(Origin::Observed), of(Origin::Assumed));
    // Gates say little as long as all flags were visible.
    let is_gate = |it: &&SettingRecord| matches!(it.value, SettingValue::Gate(_));
    let no_flag_assumed = assumed.iter().all(is_gate);
    if no_flag_assumed && !observed.is_empty() {
        Some("controller flags: read".to_owned())
    } else if assumed.is_empty() {
        None
    } else if observed.is_empty() {
        let tolerance = assumed.iter().find_map(|it| match it.value {
            SettingValue::Fraction(value) => Some(format!(", tolerance {value}")),
            _ => None,
        });
        let why = format!("unreadable{}", tolerance.unwrap_or_default());
        Some(format!("controller flags: assumed defaults ({why})"))
    } else {
        // A flag that is not on the command line has its default; `-v` lists
        // all of them.
        let texts: Vec<String> = observed.into_iter().map(setting).collect();
        let texts = texts.join(", ");
        Some(format!("controller flags read: {texts}; others default"))
    }
}

/// `tolerance 0.1`: a flag without what all of them begin with.
pub(super) fn setting(setting: &SettingRecord) -> String {
    let short = setting.name.strip_prefix("--horizontal-pod-autoscaler-");
    format!("{} {}", short.unwrap_or(setting.name), setting.value)
}

/// How much is known; nothing to say where that has no say.
fn remembered(view: View) -> Vec<String> {
    let recommendation = view.trace.recommendation.as_ref();
    if recommendation.is_none_or(|record| record.rule != Rule::RecommendationLargest) {
        return Vec::new();
    }
    // How sure the answer is has been said there.
    let is_reported = !sure(view).is_empty();
    let reach = reach(view).filter(|(_, is_short)| is_reported || *is_short);
    let known = (!is_reported).then(|| known(view));
    let reach = reach.map(|(reported, _)| reported);
    reach.into_iter().chain(known).collect()
}

fn known(view: View) -> String {
    let trace = view.trace;
    let known = match trace.remembered {
        Knowledge::Known => "fully known",
        Knowledge::Partly => "partly known",
        Knowledge::Unknown => "unknown",
    };
    let is_decided = trace.outcome.desired_replicas.is_some();
    let effect = match certain_count(view) {
        _ if trace.remembered == Knowledge::Known || !is_decided => String::new(),
        Some(count) => format!(", but the size is {count} in any case"),
        None if trace.remembered == Knowledge::Unknown => {
            ", but it makes no difference here".to_owned()
        }
        None => ", enough to decide".to_owned(),
    };
    format!("controller memory: {known}{effect}")
}

/// How far back what the controller remembers can go, and whether it began within
/// the time that counts.
fn reach(view: View) -> Option<(String, bool)> {
    let recollection = &view.trace.recollection;
    let Some(since) = &recollection.since else {
        let restarted = "an unseen controller restart is possible".to_owned();
        return recollection
            .may_have_restarted
            .then_some((restarted, false));
    };
    let start = match since.source.kind {
        EvidenceKind::Lease => "the controller has led since",
        EvidenceKind::Creation => "the HPA was created at",
        EvidenceKind::Record => "the record starts at",
        EvidenceKind::ControllerLog => "the controller started at",
        _ => "the memory starts at",
    };
    let start = format!("{start} {}", view.moment(since.at));
    let age = view.trace.at.duration_since(since.at).as_secs();
    let longest = longest(view);
    let is_short = longest.is_some_and(|seconds| age < seconds);
    let reported = match longest.map(window) {
        _ if recollection.may_have_restarted => {
            format!("{start}, but a restart since then is possible")
        }
        Some(longest) if is_short => format!("{start}, within the {longest} that count"),
        Some(longest) => format!("{start}, before the {longest} that count"),
        None => start,
    };
    Some((reported, is_short))
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

const LEAD: &str = "Sure   ";
const BELOW: &str = "       ";

/// Renders what is sure; nothing where all that matters is.
pub(super) fn sure(view: View) -> Vec<Prose> {
    let text = text(view);
    if let Some(record) = &view.trace.scraped {
        let parts = scraped(view, record).into_iter().chain(text);
        let parts: Vec<String> = parts.collect();
        return vec![Prose::behind(LEAD, parts.join("; "))];
    }
    let Some(text) = text else {
        return Vec::new();
    };
    let mut rows = vec![Prose::behind(LEAD, text)];
    rows.extend(narrows(view));
    rows
}

/// What scrapes tell of the pass.
fn scraped(view: View, record: &ScrapedPassRecord) -> Vec<String> {
    let (from, to) = (view.time(record.from), view.time(record.to));
    let between = |range: Range| between(range);
    let mut all = Vec::new();
    if record.is_measured {
        all.push(format!("scrapes show the pass between {from} and {to}"));
    } else {
        all.push(format!(
            "no scrape shows what the pass measured, between {from} and {to}, and who else set \
             the size meanwhile"
        ));
    }
    let left = record
        .after
        .map(|after| format!(", and left {}", between(after)));
    let left = left.unwrap_or_default();
    all.push(match record.proposal {
        Some(proposal) if proposal.to == i32::MAX => match record.before {
            Some(before) => format!("it found {}{left}", between(before)),
            None => format!("which size it found is not known{left}"),
        },
        Some(proposal) => format!("it asked for {}{left}", between(proposal)),
        None => format!("it asked for nothing{left}"),
    });
    if let Some(written) = record.behavior_unknown_before {
        all.push(format!(
            "the behavior is unknown before {}: its windows and policies are those of now",
            view.time(written)
        ));
    }
    all
}

fn text(view: View) -> Option<String> {
    let trace = view.trace;
    let recommendation = trace.recommendation.as_ref();
    let decides = recommendation.is_some_and(|it| it.rule == Rule::RecommendationLargest);
    if trace.remembered == Knowledge::Known || !decides {
        return None;
    }
    if trace.outcome.desired_replicas.is_none() {
        let possible = trace.outcome.possible.filter(|it| it.single().is_none())?;
        let ends = between(possible);
        return Some(format!(
            "next size: {ends}; {}",
            settled_by(trace.unsettled, trace.recollection.may_have_restarted)
        ));
    }
    // The step that is asked for and that time will bring, with bounds alone.
    let outlook = trace.outlook.as_ref();
    let outlook = outlook.filter(|_| trace.outcome.rescale == Some(false))?;
    let mut ways = [("up", outlook.up), ("down", outlook.down)].into_iter();
    let (way, _) = ways.find(|(_, it)| it.recommended && it.replicas.is_some())?;
    Some(format!(
        "it stays at {} now; when it goes {way} is known only within the times above",
        view.current()
    ))
}

/// What is not known and decides. A controller that has restarted remembers the
/// size that it began with, and no change.
fn settled_by(unsettled: Option<Unsettled>, or_restart: bool) -> &'static str {
    match unsettled.map(|it| (it.recommendations, it.changes, or_restart)) {
        Some((true, false, false)) => "older recommendations in the window decide",
        Some((true, false, true)) => "older recommendations or a controller restart decide",
        Some((false, true, false)) => "earlier changes within the policies' periods decide",
        Some((false, true, true)) => "earlier changes or a controller restart decide",
        Some((true, true, false)) => "older recommendations and earlier changes decide",
        Some((true, true, true)) => {
            "older recommendations, earlier changes, or a controller restart decide"
        }
        _ => "both ends agree with all that is known",
    }
}

/// What narrows it: the passes to come where there is a cluster, what was
/// written down of this one's time elsewhere.
fn narrows(view: View) -> Vec<Prose> {
    let page = view.page;
    if !view.options.live {
        let text = match view.options.unread.as_slice() {
            [] => return Vec::new(),
            flags => format!("{} from that time narrows the range", flags.join(" or ")),
        };
        return vec![Prose::behind(BELOW, text)];
    }
    let command = view.trace.kubectl_hpa("kubectl hpa-explain watch");
    let sentence = format!("{BELOW}`{command}` narrows the range with each pass");
    if !view.options.is_page && display_width(&page.clean(&sentence)) <= page.width {
        return vec![Prose::line(sentence)];
    }
    vec![
        Prose::behind(BELOW, "watching the next passes narrows the range:"),
        Prose::command(BELOW, &command),
    ]
}
