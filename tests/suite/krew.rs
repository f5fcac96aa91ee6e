//! krew's manifest, as `scripts/release` makes it from the archives, keeps
//! krew's rules, and agrees with Cargo.toml.

#![cfg(target_os = "linux")]

pub mod rules;

use crate::release::{TARGETS, finished};

use std::fs;

use rules::{Manifest, violations};

const VERSION: &str = env!("CARGO_PKG_VERSION");
const ZEROS: &str = "0000000000000000000000000000000000000000000000000000000000000000";

/// The manifest of a release. krew's index asks for this name of the file.
fn manifest() -> String {
    let scratch = tempfile::tempdir().expect("a scratch directory");
    let out = finished(scratch.path());
    fs::read_to_string(out.join("hpa-explain.yaml")).expect("a manifest")
}

/// The same with checksums that a row can name.
fn with_zeros() -> String {
    let manifest = manifest();
    let lines = manifest
        .lines()
        .map(|line| match line.split_once("sha256: ") {
            Some((before, _)) => format!("{before}sha256: {ZEROS}\n"),
            None => format!("{line}\n"),
        });
    lines.collect()
}

#[test]
fn the_manifest_keeps_the_rules() {
    let manifest = manifest();
    assert_eq!(violations(&manifest, VERSION), [""; 0]);
    assert_eq!(env!("CARGO_PKG_NAME"), "kubectl-hpa-explain");
    let homepage = format!("\n  homepage: {}\n", env!("CARGO_PKG_HOMEPAGE"));
    assert!(manifest.contains(&homepage), "{homepage}");
    assert!(!manifest.contains("{{"), "{manifest}");
}

#[test]
fn each_platform_is_in_the_manifest() {
    let manifest = manifest();
    let manifest = Manifest::read(&manifest).expect("a manifest");
    let archives = manifest.platforms().iter().map(rules::Platform::archive);
    let expected =
        TARGETS.map(|(_, platform)| format!("kubectl-hpa-explain_v{VERSION}_{platform}.tar.gz"));
    assert!(archives.eq(expected));
}

/// What the template says once it is filled in as krew-release-bot does it:
/// `addURIAndSha` becomes the URL and the checksum of what is there.
#[test]
fn the_bot_makes_the_same_manifest_of_the_template() {
    let tag = format!("v{VERSION}");
    let template = include_str!("../../.krew.yaml").replace("{{ .TagName }}", &tag);
    let mut filled = String::new();
    for line in template.lines().filter(|line| !line.starts_with('#')) {
        let Some((before, call)) = line.split_once("{{addURIAndSha \"") else {
            filled.extend([line, "\n"]);
            continue;
        };
        let url = call.strip_suffix("\" .TagName }}").expect("a call");
        filled.extend([before, "uri: ", url, "\n    sha256: ", ZEROS, "\n"]);
    }
    assert_eq!(filled, with_zeros());
}

/// What is changed everywhere in the manifest, into what, and the rule that
/// this breaks; `@` stands for the version.
#[rustfmt::skip] // one row a line
const PLANTED: [(&str, &str, &str); 50] = [
    ("v1alpha2", "v1alpha3", "apiVersion"),
    ("krew.google", "Krew.google", "apiVersion"),
    ("kind: Plugin", "kind: plugin", "kind"),
    ("name: hpa-explain", "name: hpa_explain", "metadata.name"),
    ("name: hpa-explain", "name: HPA-explain", "metadata.name"),
    ("name: hpa-explain", "name: hpa--explain", "metadata.name"),
    ("name: hpa-explain", "name: ../hpa", "metadata.name"),
    ("name: hpa-explain", "name: ''", "metadata.name"),
    ("name: hpa-explain", "name: com1", "reserved by Windows"),
    ("name: hpa-explain", "name: nul", "reserved by Windows"),
    ("whole algorithm on it", "whole algorithm, from its first stage to its last stage, on it", "description"),
    ("The plugin reads", "kubectl hpa-explain reads", "description"),
    ("version: v@", "version: @", "version"),
    ("version: v@", "version: v1.2", "version"),
    ("version: v@", "version: v1.02.0", "version"),
    ("version: v@", "version: v1.2.", "version"),
    ("version: v@", "version: v@-", "version"),
    ("version: v@", "version: v@-rc_1", "version"),
    ("version: v@", "version: v99.0.0", "version of Cargo.toml"),
    ("version: v@", "version: v99.0.0", "uri"),
    ("v@", "v@-rc.1", "version of Cargo.toml"),
    ("homepage: https", "homepage: http", "homepage"),
    ("Explain why an HPA runs N replicas", "''", "shortDescription"),
    ("Explain why an HPA runs N replicas", "\"two\\nlines\"", "shortDescription"),
    ("Explain why an HPA runs N replicas", "\"two\\rlines\"", "shortDescription"),
    ("Explain why", "Explain at length and with all the evidence why", "shortDescription"),
    ("  shortDescription:", "  summary:", "unknown field `summary`"),
    ("completion install", "demo", "caveats"),
    ("  platforms:", "  platforms: []\n  more:", "unknown field `more`"),
    ("    uri:", "    url:", "unknown field `url`"),
    ("        os: linux\n", "        os: plan9\n", "no supported platform"),
    ("arch: arm64", "arch: riscv64", "no supported platform"),
    ("        os: darwin\n", "        os: linux\n", "selectors overlap on linux/amd64"),
    ("arch: arm64", "arch: amd64", "selectors overlap on darwin/amd64"),
    ("        os: windows\n", "", "selectors overlap on linux/arm64"),
    ("        arch: amd64", "        cpu: amd64", "selector"),
    ("        os: windows\n", "        os: windows\n        libc: msvc\n", "selector"),
    ("  - selector:\n      matchLabels:\n        os: linux\n        arch: amd64\n", "  - selector: {matchLabels: {}}\n", "selector"),
    ("  - selector:\n      matchLabels:\n        os: linux\n        arch: amd64\n    uri", "  - uri", "selector"),
    ("matchLabels", "matchExpressions", "unknown field `matchExpressions`"),
    ("linux_amd64.tar.gz", "linux_amd64.tar.xz", "archive"),
    ("linux_amd64.tar.gz", "linux_x86_64.tar.gz", "uri"),
    ("linux_amd64.tar.gz", "linux_arm64.tar.gz", "uri"),
    ("uri: https:", "uri: http:", "archive"),
    ("sha256: 0000", "sha256: 000", "sha256"),
    ("sha256: 0000", "sha256: 000g", "sha256"),
    ("sha256: 0000", "sha256: 000A", "sha256"),
    ("bin: kubectl-hpa_explain", "bin: ../kubectl-hpa_explain", "bin leaves the folder"),
    (".exe", "", "bin"),
    ("    bin:", "    files: []\n    bin:", "files"),
];

#[test]
fn each_planted_violation_is_refused() {
    let manifest = with_zeros();
    for (from, to, rule) in PLANTED {
        let (from, to) = (from.replace('@', VERSION), to.replace('@', VERSION));
        assert!(manifest.contains(&from), "{from}");
        let found = violations(&manifest.replace(&from, &to), VERSION);
        let is_rule = |broken: &String| {
            let place = broken.strip_prefix(rule);
            place.is_some_and(|place| place.is_empty() || place.starts_with(" kubectl-"))
                || rule.starts_with("unknown field") && broken.contains(rule)
        };
        assert!(found.iter().any(is_rule), "{from} → {to}: {found:?}");
    }
}

/// What krew allows and this manifest does not use.
#[test]
fn what_is_no_violation_is_accepted() {
    let rows = [
        ("    bin:", "    files: [{from: '*', to: .}]\n    bin:"),
        (
            "Explain why an HPA runs N replicas",
            "01234567890123456789012345678901234567890123456789",
        ),
    ];
    let manifest = with_zeros();
    for (from, to) in rows {
        let changed = manifest.replace(from, to);
        assert_ne!(changed, manifest);
        assert_eq!(violations(&changed, VERSION), [""; 0], "{to}");
    }
    let prerelease = manifest.replace(&format!("v{VERSION}"), "v99.0.0-rc.1+7");
    assert_eq!(violations(&prerelease, "99.0.0-rc.1+7"), [""; 0]);
}
