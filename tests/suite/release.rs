//! `scripts/package` packs what krew installs.

#![cfg(target_os = "linux")]

use crate::krew_manifest::rules;

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::{Duration, SystemTime};

use flate2::read::GzDecoder;

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

fn package(arguments: &[&str]) -> Output {
    Command::new(Path::new(ROOT).join("scripts/package"))
        .args(arguments)
        .output()
        .expect("the script runs")
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).expect("text")
}

/// Packs a binary of this content, and names the archive and the manifest.
fn pack(folder: &Path, content: &str, modified: Duration) -> (PathBuf, PathBuf) {
    fs::create_dir_all(folder).expect("a folder");
    let binary = folder.join("some-build");
    fs::write(&binary, content).expect("a binary");
    let file = File::options().write(true).open(&binary).expect("a file");
    file.set_modified(SystemTime::UNIX_EPOCH + modified)
        .expect("a time");
    let out = folder.join("out");
    let paths = [&binary, &out].map(|path| path.to_str().expect("a plain path"));
    let output = package(&["--binary", paths[0], "--out", paths[1]]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let mut lines = text(&output.stdout).lines().map(PathBuf::from);
    let mut line = || lines.next().expect("a path");
    (line(), line())
}

/// An entry of an archive: its mode, owner, time and content.
#[derive(Debug, PartialEq)]
struct Packed {
    mode: u64,
    owner: (u64, u64),
    modified: u64,
    content: Vec<u8>,
}

/// The files of an archive (POSIX ustar: headers of 512 bytes, content padded
/// to as many), in their order.
fn unpack(archive: &Path) -> (Vec<String>, BTreeMap<String, Packed>) {
    let mut bytes = Vec::new();
    let file = File::open(archive).expect("an archive");
    GzDecoder::new(file).read_to_end(&mut bytes).expect("gzip");
    let (mut names, mut files) = (Vec::new(), BTreeMap::new());
    let mut rest = &bytes[..];
    while rest[0] != 0 {
        let (header, after) = rest.split_at(512);
        let string = |from: usize, length: usize| {
            let field = &header[from..from + length];
            let end = field.iter().position(|byte| matches!(byte, 0 | b' '));
            text(&field[..end.unwrap_or(length)]).to_owned()
        };
        let number = |from, length| u64::from_str_radix(&string(from, length), 8).expect("octal");
        let size = usize::try_from(number(124, 12)).expect("a size");
        let packed = Packed {
            mode: number(100, 8),
            owner: (number(108, 8), number(116, 8)),
            modified: number(136, 12),
            content: after[..size].to_vec(),
        };
        names.push(string(0, 100));
        files.insert(string(0, 100), packed);
        rest = &after[size.next_multiple_of(512)..];
    }
    (names, files)
}

#[test]
fn the_archive_holds_what_krew_installs() {
    let scratch = tempfile::tempdir().expect("a scratch directory");
    let (archive, _) = pack(scratch.path(), "the plugin", Duration::from_secs(7));
    let (names, files) = unpack(&archive);
    let expected = [
        ("LICENSE", 0o644),
        ("README.md", 0o644),
        ("completions/", 0o755),
        ("completions/_kubectl-hpa_explain", 0o644),
        ("completions/_kubectl-hpa_explain.ps1", 0o644),
        ("completions/kubectl-hpa_explain.bash", 0o644),
        ("completions/kubectl-hpa_explain.fish", 0o644),
        ("completions/kubectl_complete-hpa_explain", 0o755),
        ("kubectl-hpa_explain", 0o755),
    ];
    assert_eq!(names, expected.map(|(name, _)| name));
    for (name, mode) in expected {
        let packed = &files[name];
        assert_eq!(
            (packed.mode, packed.owner, packed.modified),
            (mode, (0, 0), 0),
            "{name}"
        );
        let content = match name {
            "completions/" => Vec::new(),
            "kubectl-hpa_explain" => b"the plugin".to_vec(),
            _ => fs::read(Path::new(ROOT).join(name)).expect(name),
        };
        assert!(packed.content == content, "{name}");
    }
}

#[test]
fn the_same_binary_gives_the_same_bytes() {
    let scratch = tempfile::tempdir().expect("a scratch directory");
    let folder = |name: &str| scratch.path().join(name);
    let (one, _) = pack(&folder("one"), "a plugin", Duration::from_secs(1));
    let (two, _) = pack(
        &folder("two"),
        "a plugin",
        Duration::from_secs(1_000_000_000),
    );
    let (other, _) = pack(&folder("other"), "a plug-in", Duration::from_secs(1));
    let bytes = |path: &Path| fs::read(path).expect("an archive");
    assert!(bytes(&one) == bytes(&two));
    assert!(bytes(&one) != bytes(&other));
}

#[test]
fn the_manifest_beside_it_names_its_checksum() {
    let scratch = tempfile::tempdir().expect("a scratch directory");
    let (archive, manifest) = pack(scratch.path(), "the plugin", Duration::from_secs(7));
    assert!(manifest.ends_with("hpa-explain.yaml"));
    let copy = fs::read_to_string(manifest).expect("a manifest");
    assert_eq!(rules::violations(&copy, env!("CARGO_PKG_VERSION")), [""; 0]);

    let sum = Command::new("sha256sum")
        .arg(&archive)
        .output()
        .expect("a checksum");
    let sum = &text(&sum.stdout)[..64];
    let parsed = rules::Manifest::read(&copy).expect("a manifest");
    let platforms = parsed.platforms().iter();
    let summed: Vec<&str> = platforms
        .filter(|platform| platform.sha256 == sum)
        .map(rules::Platform::archive)
        .collect();
    let name = archive.file_name().and_then(|name| name.to_str());
    assert_eq!(summed, [name.expect("a name")]);

    // Nothing else is changed.
    let original = fs::read_to_string(Path::new(ROOT).join("krew-manifest.yaml")).expect("one");
    let changed = copy
        .lines()
        .zip(original.lines())
        .filter(|(one, other)| one != other);
    assert_eq!(changed.count(), 1);
    assert_eq!(copy.lines().count(), original.lines().count());
}

#[test]
fn mistakes_are_told() {
    let rows: [(&[&str], i32, &str); 3] = [
        (
            &["--binary", "/nowhere/plugin"],
            1,
            "/nowhere/plugin: no such file\nhint: ",
        ),
        (&["--binary"], 2, "usage: "),
        (&["--nosuch", "x"], 2, "usage: "),
    ];
    for (arguments, code, complaint) in rows {
        let output = package(arguments);
        assert_eq!(output.status.code(), Some(code), "{arguments:?}");
        assert!(text(&output.stderr).contains(complaint), "{arguments:?}");
        assert_eq!(text(&output.stdout), "", "{arguments:?}");
    }
}
