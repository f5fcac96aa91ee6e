//! krew's manifest keeps krew's rules, and agrees with Cargo.toml.

pub mod rules;

use std::io::Write;

use rules::{Manifest, violations};

const MANIFEST: &str = include_str!("../../krew-manifest.yaml");
const VERSION: &str = env!("CARGO_PKG_VERSION");
const ZEROS: &str = "0000000000000000000000000000000000000000000000000000000000000000";

#[test]
fn the_manifest_keeps_the_rules() {
    assert_eq!(violations(MANIFEST, VERSION), [""; 0]);
    assert_eq!(env!("CARGO_PKG_NAME"), "kubectl-hpa-explain");
    let homepage = format!("\n  homepage: {}\n", env!("CARGO_PKG_HOMEPAGE"));
    assert!(MANIFEST.contains(&homepage), "{homepage}");
}

#[test]
fn each_platform_is_released_or_named_as_not() {
    let manifest = Manifest::read(MANIFEST).expect("a manifest");
    let archives = manifest.platforms().iter().map(rules::Platform::archive);
    let platforms: Vec<String> = archives
        .map(|archive| archive.replace(&format!("kubectl-hpa-explain_v{VERSION}_"), ""))
        .collect();
    let expected = ["linux", "darwin", "windows"]
        .map(|os| ["amd64", "arm64"].map(|arch| format!("{os}_{arch}.tar.gz")));
    assert_eq!(platforms, expected.concat());
    for platform in manifest.platforms() {
        if platform.sha256 == ZEROS {
            // Not captured, unlike what is printed.
            _ = writeln!(std::io::stdout(), "not released: {}", platform.archive());
        }
    }
}

/// What is changed everywhere in the manifest, into what, and the rule that
/// this breaks.
#[rustfmt::skip] // one row a line
const PLANTED: [(&str, &str, &str); 46] = [
    ("v1alpha2", "v1alpha3", "apiVersion"),
    ("krew.google", "Krew.google", "apiVersion"),
    ("kind: Plugin", "kind: plugin", "kind"),
    ("name: hpa-explain", "name: hpa_explain", "metadata.name"),
    ("name: hpa-explain", "name: HPA-explain", "metadata.name"),
    ("name: hpa-explain", "name: hpa--explain", "metadata.name"),
    ("name: hpa-explain", "name: ../hpa", "metadata.name"),
    ("name: hpa-explain", "name: ''", "metadata.name"),
    ("version: v0.1.0", "version: 0.1.0", "version"),
    ("version: v0.1.0", "version: v0.1", "version"),
    ("version: v0.1.0", "version: v0.01.0", "version"),
    ("version: v0.1.0", "version: v0.1.", "version"),
    ("version: v0.1.0", "version: v0.1.0-", "version"),
    ("version: v0.1.0", "version: v0.1.0-rc_1", "version"),
    ("version: v0.1.0", "version: v0.2.0", "version of Cargo.toml"),
    ("version: v0.1.0", "version: v0.2.0", "uri"),
    ("v0.1.0", "v0.1.0-rc.1", "version of Cargo.toml"),
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
    for (from, to, rule) in PLANTED {
        assert!(MANIFEST.contains(from), "{from}");
        let found = violations(&MANIFEST.replace(from, to), VERSION);
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
    for (from, to) in rows {
        let changed = MANIFEST.replace(from, to);
        assert_ne!(changed, MANIFEST);
        assert_eq!(violations(&changed, VERSION), [""; 0], "{to}");
    }
    let prerelease = MANIFEST.replace("v0.1.0", "v0.2.0-rc.1+7");
    assert_eq!(violations(&prerelease, "0.2.0-rc.1+7"), [""; 0]);
}
