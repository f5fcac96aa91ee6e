//! The release whose rules were followed, and the controller's settings.

use crate::render::text::words::View;
use crate::trace::{Origin, ReleaseBasis, SettingRecord};

use super::Said;

/// The most columns for whose rules they are, with a version as a server
/// gives it.
const RULES: usize = 100;

/// Release and settings, with where they come from.
pub(super) fn settings(view: View) -> Vec<Said> {
    let basis = &view.trace.basis;
    let release = release(view, &basis.release);
    std::iter::once(release)
        .chain(flags(&basis.settings))
        .collect()
}

fn release(view: View, release: &ReleaseBasis) -> Said {
    let version = release.version.as_deref().map(|version| view.name(version));
    let rules = release.told();
    let whole = match (release.origin, version) {
        (Origin::Seen, Some(version)) if release.nearest.is_none() => return Said::always(version),
        (Origin::Seen, _) => return Said::always(view.page.name(&rules, RULES)),
        (Origin::Given, _) => return Said::always(format!("{rules} given")),
        (Origin::Assumed, Some(version)) => format!("{rules} assumed for {version}"),
        (Origin::Assumed, None) => format!("version unknown, {rules} assumed"),
    };
    let short = format!("{} assumed", release.rules);
    Said { whole, short }
}

/// The settings, grouped by where they come from.
fn flags(settings: &[SettingRecord]) -> Option<Said> {
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
    let (whole, short) = if no_flag_assumed && !seen.is_empty() {
        return Some(Said::always("flags seen".to_owned()));
    } else if seen.is_empty() && !assumed.is_empty() {
        let tolerance = tolerance(&assumed);
        let whole = format!("flags not visible, defaults assumed{tolerance}");
        (whole, "flags not seen")
    } else if !assumed.is_empty() {
        // A flag that is not on the command line has its default; `-v` lists
        // all of them.
        let whole = format!("seen: {}; the rest are defaults", named(&seen));
        let short = format!("{} of its flags seen", seen.len());
        return Some(Said { whole, short });
    } else {
        return None;
    };
    Some(Said {
        whole,
        short: short.to_owned(),
    })
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
