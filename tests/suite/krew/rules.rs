//! The rules by which krew and its index accept a manifest, and ours.
//!
//! krew's are those of its index's validation (`pkg/index`,
//! `internal/index/validation`) and of `validate-krew-manifest`, v0.4.5. Where
//! krew allows more than one way, such as `matchExpressions` or `.zip`, ours is
//! the only one that is accepted.

use std::collections::BTreeMap;

use serde::Deserialize;

const API_VERSION: &str = "krew.googlecontainertools.github.com/v1alpha2";

/// What krew can install on, as Go names it.
const SUPPORTED: [(&str, &str); 11] = [
    ("windows", "386"),
    ("windows", "amd64"),
    ("windows", "arm64"),
    ("linux", "386"),
    ("linux", "amd64"),
    ("linux", "arm"),
    ("linux", "arm64"),
    ("linux", "ppc64le"),
    ("darwin", "386"),
    ("darwin", "amd64"),
    ("darwin", "arm64"),
];

/// Longer ones do not fit a line of `kubectl krew search`.
const LONGEST_SHORT_DESCRIPTION: usize = 50;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Manifest {
    api_version: String,
    kind: String,
    metadata: Metadata,
    spec: Spec,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Metadata {
    name: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Spec {
    version: String,
    #[serde(default)]
    homepage: String,
    #[serde(default)]
    short_description: String,
    #[serde(default)]
    description: String,
    #[serde(default)]
    caveats: String,
    #[serde(default)]
    platforms: Vec<Platform>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Platform {
    selector: Option<Selector>,
    pub uri: String,
    pub sha256: String,
    pub bin: String,
    files: Option<Vec<FileOperation>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Selector {
    match_labels: BTreeMap<String, String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FileOperation {
    from: String,
    to: String,
}

impl Manifest {
    /// Reads a manifest; krew refuses fields that it does not know.
    pub fn read(text: &str) -> Result<Self, String> {
        serde_yaml::from_str(text).map_err(|error| error.to_string())
    }

    pub fn platforms(&self) -> &[Platform] {
        &self.spec.platforms
    }
}

impl Platform {
    /// The file that is downloaded.
    pub fn archive(&self) -> &str {
        self.uri.rsplit('/').next().unwrap_or_default()
    }

    fn selects(&self, (os, arch): (&str, &str)) -> bool {
        let labels = self
            .selector
            .as_ref()
            .map(|selector| &selector.match_labels);
        let is = |key: &str, value: &str| {
            labels.is_some_and(|labels| labels.get(key).is_none_or(|label| label == value))
        };
        is("os", os) && is("arch", arch)
    }
}

/// Every rule that the manifest breaks, `version` being that of Cargo.toml.
pub fn violations(text: &str, version: &str) -> Vec<String> {
    let manifest = match Manifest::read(text) {
        Ok(manifest) => manifest,
        Err(error) => return vec![error],
    };
    let spec = &manifest.spec;
    let of_all = [
        (manifest.api_version == API_VERSION, "apiVersion"),
        (manifest.kind == "Plugin", "kind"),
        (is_plugin_name(&manifest.metadata.name), "metadata.name"),
        (is_semantic_version(&spec.version), "version"),
        (
            spec.version == format!("v{version}"),
            "version of Cargo.toml",
        ),
        (spec.homepage.starts_with("https://"), "homepage"),
        (is_short_line(&spec.short_description), "shortDescription"),
        (!is_reserved(&manifest.metadata.name), "reserved by Windows"),
        (is_description(&spec.description), "description"),
        (spec.caveats.contains("completion install"), "caveats"),
        (!spec.platforms.is_empty(), "platforms"),
    ];
    let mut found = broken(&of_all, "");
    for platform in &spec.platforms {
        let of_one = platform_rules(platform, &manifest);
        found.extend(broken(&of_one, platform.archive()));
    }
    for pair in SUPPORTED {
        if spec
            .platforms
            .iter()
            .filter(|one| one.selects(pair))
            .count()
            > 1
        {
            found.push(format!("selectors overlap on {}/{}", pair.0, pair.1));
        }
    }
    found
}

fn broken(rules: &[(bool, &str)], place: &str) -> Vec<String> {
    let broken = rules.iter().filter(|(is_kept, _)| !is_kept);
    broken
        .map(|(_, rule)| format!("{rule} {place}").trim().to_owned())
        .collect()
}

fn platform_rules<'r>(platform: &Platform, manifest: &Manifest) -> [(bool, &'r str); 8] {
    let selected: Vec<_> = SUPPORTED
        .into_iter()
        .filter(|pair| platform.selects(*pair))
        .collect();
    let is_windows = selected.iter().any(|(os, _)| *os == "windows");
    let bin = if is_windows {
        "kubectl-hpa_explain.exe"
    } else {
        "kubectl-hpa_explain"
    };
    let (name, version) = (&manifest.metadata.name, &manifest.spec.version);
    let archive =
        |(os, arch): &(&str, &str)| format!("kubectl-{name}_{version}_{os}_{arch}.tar.gz");
    let folder = format!("{}/releases/download/{version}/", manifest.spec.homepage);
    [
        (has_plain_selector(platform), "selector"),
        (!selected.is_empty(), "no supported platform"),
        (is_archive(&platform.uri), "archive"),
        (
            selected
                .iter()
                .all(|pair| platform.uri == format!("{folder}{}", archive(pair))),
            "uri",
        ),
        (is_checksum(&platform.sha256), "sha256"),
        (stays_inside(&platform.bin), "bin leaves the folder"),
        (platform.bin == bin, "bin"),
        (platform.files.as_deref().is_none_or(are_files), "files"),
    ]
}

/// krew: `^[\w-]+$`; its naming guide: lower case, words joined by hyphens.
fn is_plugin_name(name: &str) -> bool {
    let is_word = |word: &str| {
        !word.is_empty()
            && word
                .bytes()
                .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
    };
    name.split('-').all(is_word)
}

/// Names that no file has on Windows, whatever its extension.
fn is_reserved(name: &str) -> bool {
    let port = name.strip_prefix("com").or(name.strip_prefix("lpt"));
    let is_port = port.is_some_and(|number| matches!(number.as_bytes(), [b'1'..=b'9']));
    is_port || ["con", "prn", "aux", "nul"].contains(&name)
}

/// krew's reviewers: wrapped at 80 columns, without examples of use.
fn is_description(text: &str) -> bool {
    !text.is_empty()
        && text.lines().all(|line| line.chars().count() <= 80)
        && !text.contains("kubectl hpa-explain")
}

/// Semantic version 2.0.0 behind a `v`.
fn is_semantic_version(version: &str) -> bool {
    let Some(version) = version.strip_prefix('v') else {
        return false;
    };
    let (version, build) = version.split_once('+').unwrap_or((version, "0"));
    let (core, prerelease) = version.split_once('-').unwrap_or((version, "0"));
    let is_number = |text: &str| {
        text.bytes().all(|byte| byte.is_ascii_digit()) && (text == "0" || !text.starts_with('0'))
    };
    let is_identifier = |text: &str| {
        !text.is_empty()
            && text
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
    };
    let numbers: Vec<&str> = core.split('.').collect();
    numbers.len() == 3
        && numbers
            .iter()
            .all(|text| !text.is_empty() && is_number(text))
        && [prerelease, build]
            .iter()
            .all(|text| text.split('.').all(is_identifier))
}

fn is_short_line(text: &str) -> bool {
    let length = text.chars().count();
    (1..=LONGEST_SHORT_DESCRIPTION).contains(&length) && !text.contains(['\r', '\n'])
}

fn has_plain_selector(platform: &Platform) -> bool {
    platform.selector.as_ref().is_some_and(|selector| {
        let labels = &selector.match_labels;
        !labels.is_empty() && labels.keys().all(|key| key == "os" || key == "arch")
    })
}

fn is_archive(uri: &str) -> bool {
    uri.starts_with("https://") && uri.ends_with(".tar.gz")
}

fn is_checksum(text: &str) -> bool {
    text.len() == 64
        && text
            .bytes()
            .all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

/// Inside the folder that krew unpacks to, on any system.
fn stays_inside(path: &str) -> bool {
    let is_absolute = path.starts_with(['/', '\\']) || path.get(1..2) == Some(":");
    !path.is_empty() && !is_absolute && !path.split(['/', '\\']).any(|part| part == "..")
}

fn are_files(files: &[FileOperation]) -> bool {
    let is_whole = |file: &FileOperation| !file.from.is_empty() && stays_inside(&file.to);
    !files.is_empty() && files.iter().all(is_whole)
}
