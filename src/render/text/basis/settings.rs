//! The release whose rules were followed, and the controller's settings.

use crate::render::text::words::View;
use crate::trace::{Origin, ReleaseBasis, SettingRecord};

/// The most columns for whose rules they are, with a version as a server
/// gives it.
const RULES: usize = 100;

/// Release and settings, with where they come from.
pub(super) fn settings(view: View) -> Vec<String> {
    let basis = &view.trace.basis;
    let release = release(view, &basis.release);
    std::iter::once(release)
        .chain(flags(&basis.settings))
        .collect()
}

fn release(view: View, release: &ReleaseBasis) -> String {
    let version = release.version.as_deref().map(|version| view.name(version));
    let rules = release.told();
    match (release.origin, version) {
        (Origin::Seen, Some(version)) if release.nearest.is_none() => version,
        (Origin::Seen, _) => view.page.name(&rules, RULES),
        (Origin::Given, _) => format!("{rules} given"),
        (Origin::Assumed, Some(version)) => format!("{rules} assumed for {version}"),
        (Origin::Assumed, None) => format!("version unknown, {rules} assumed"),
    }
}

/// The settings, grouped by where they come from.
fn flags(settings: &[SettingRecord]) -> Option<String> {
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
        Some("flags seen".to_owned())
    } else if assumed.is_empty() {
        None
    } else if seen.is_empty() {
        let tolerance = tolerance(&assumed);
        Some(format!("flags not visible, defaults assumed{tolerance}"))
    } else {
        // A flag that is not on the command line has its default; `-v` lists
        // all of them.
        Some(format!("seen: {}; the rest are defaults", named(&seen)))
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
pub(in crate::render::text) fn setting(setting: &SettingRecord) -> String {
    format!("{} {}", short_name(setting.name), setting.value)
}

/// A flag without what all of them begin with.
fn short_name(name: &str) -> &str {
    name.strip_prefix("--horizontal-pod-autoscaler-")
        .unwrap_or(name)
}
