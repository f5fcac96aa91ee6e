//! `scripts/release` makes all that a release consists of.

#![cfg(target_os = "linux")]

use crate::krew::rules;
use crate::readme::blocks;

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::{Duration, SystemTime};

use flate2::read::GzDecoder;

const ROOT: &str = env!("CARGO_MANIFEST_DIR");
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// What is released: Rust's names, and those by which krew selects.
pub const TARGETS: [(&str, &str); 6] = [
    ("x86_64-unknown-linux-musl", "linux_amd64"),
    ("aarch64-unknown-linux-musl", "linux_arm64"),
    ("x86_64-apple-darwin", "darwin_amd64"),
    ("aarch64-apple-darwin", "darwin_arm64"),
    ("x86_64-pc-windows-msvc", "windows_amd64"),
    ("aarch64-pc-windows-msvc", "windows_arm64"),
];

fn script(arguments: &[&str]) -> Output {
    Command::new(Path::new(ROOT).join("scripts/release"))
        .args(arguments)
        .output()
        .expect("the script runs")
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).expect("text")
}

fn plain(path: &Path) -> &str {
    path.to_str().expect("a plain path")
}

fn archive(platform: &str) -> String {
    format!("kubectl-hpa-explain_v{VERSION}_{platform}.tar.gz")
}

/// Packs a binary for a target into a folder.
fn pack(target: &str, binary: &Path, out: &Path) -> PathBuf {
    let output = script(&[
        "pack",
        target,
        "--binary",
        plain(binary),
        "--out",
        plain(out),
    ]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    PathBuf::from(text(&output.stdout).trim_end())
}

/// Packs a binary of this content for each of the targets.
fn pack_all(folder: &Path, content: &str, modified: Duration) -> PathBuf {
    fs::create_dir_all(folder).expect("a folder");
    let binary = folder.join("some-build");
    fs::write(&binary, content).expect("a binary");
    let file = File::options().write(true).open(&binary).expect("a file");
    file.set_modified(SystemTime::UNIX_EPOCH + modified)
        .expect("a time");
    let out = folder.join("out");
    for (target, platform) in TARGETS {
        let packed = pack(target, &binary, &out);
        assert_eq!(packed, out.join(archive(platform)));
    }
    out
}

/// Every file of a release but the crate and its list of parts.
pub fn finished(folder: &Path) -> PathBuf {
    let out = pack_all(folder, "the plugin", Duration::from_secs(7));
    let output = script(&["finish", "--out", plain(&out)]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert_eq!(text(&output.stderr), "");
    out
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

/// What an archive holds, and the modes.
fn contents(suffix: &str) -> Vec<(String, u64)> {
    let folder = |name: &str| {
        let entries = fs::read_dir(Path::new(ROOT).join(name)).expect(name);
        let names = entries.map(|entry| entry.expect(name).file_name());
        let mut names: Vec<String> = names
            .map(|file| format!("{name}/{}", file.to_str().expect(name)))
            .collect();
        names.sort();
        names.insert(0, format!("{name}/"));
        names
    };
    let names = ["LICENSE", "README.md"].map(str::to_owned);
    let names = names
        .into_iter()
        .chain(folder("completions"))
        .chain([format!("kubectl-hpa_explain{suffix}")])
        .chain(folder("man"));
    let mode = |name: &str| {
        let is_run = name.ends_with("/kubectl_complete-hpa_explain");
        if name.ends_with('/') || name.starts_with("kubectl-hpa_explain") || is_run {
            0o755
        } else {
            0o644
        }
    };
    names.map(|name| (name.clone(), mode(&name))).collect()
}

#[test]
fn each_archive_holds_what_is_installed() {
    let scratch = tempfile::tempdir().expect("a scratch directory");
    let out = pack_all(scratch.path(), "the plugin", Duration::from_secs(7));
    let mut looked_at = 0;
    for (_, platform) in TARGETS {
        let (names, files) = unpack(&out.join(archive(platform)));
        let is_windows = platform.starts_with("windows");
        let suffix = if is_windows { ".exe" } else { "" };
        let expected = contents(suffix);
        assert!(expected.len() > 20, "{expected:?}");
        assert!(
            names.iter().eq(expected.iter().map(|(name, _)| name)),
            "{names:?}"
        );
        for (name, mode) in &expected {
            let packed = &files[name];
            assert_eq!(
                (packed.mode, packed.owner, packed.modified),
                (*mode, (0, 0), 0),
                "{name}"
            );
            let content = if name.ends_with('/') {
                Vec::new()
            } else if name.starts_with("kubectl-hpa_explain") {
                b"the plugin".to_vec()
            } else {
                fs::read(Path::new(ROOT).join(name)).expect(name)
            };
            assert!(packed.content == content, "{name}");
            looked_at += 1;
        }
    }
    assert_eq!(looked_at, 6 * contents("").len());
}

#[test]
fn the_same_binary_gives_the_same_bytes() {
    let scratch = tempfile::tempdir().expect("a scratch directory");
    let packed = |name: &str, content, seconds| {
        let folder = scratch.path().join(name);
        let out = pack_all(&folder, content, Duration::from_secs(seconds));
        TARGETS.map(|(_, platform)| fs::read(out.join(archive(platform))).expect("an archive"))
    };
    let one = packed("one", "a plugin", 1);
    assert!(one == packed("two", "a plugin", 1_000_000_000));
    let other = packed("other", "a plug-in", 1);
    assert!(one.iter().zip(&other).all(|(one, other)| one != other));
}

fn checksum(file: &Path) -> String {
    let sum = Command::new("sha256sum").arg(file).output();
    text(&sum.expect("a checksum").stdout)[..64].to_owned()
}

#[test]
fn checksums_name_every_file_that_is_published() {
    let scratch = tempfile::tempdir().expect("a scratch directory");
    let out = finished(scratch.path());
    let listed = fs::read_to_string(out.join("checksums.txt")).expect("checksums");
    let listed = listed.lines().map(|line| {
        let (sum, name) = line.split_once("  ").expect("a checksum and a name");
        (name.to_owned(), sum.to_owned())
    });
    let listed: BTreeMap<String, String> = listed.collect();
    let own = ["hpa-explain.yaml", "kubectl-hpa-explain.rb"].map(str::to_owned);
    let archives = TARGETS.map(|(_, platform)| archive(platform));
    let expected = own.into_iter().chain(archives);
    let expected = expected.map(|name| (name.clone(), checksum(&out.join(&name))));
    let expected: BTreeMap<String, String> = expected.collect();
    assert_eq!(expected.len(), 8);
    assert_eq!(listed, expected);
}

#[test]
fn the_formula_names_the_archives_of_linux_and_macos() {
    let scratch = tempfile::tempdir().expect("a scratch directory");
    let out = finished(scratch.path());
    let formula = fs::read_to_string(out.join("kubectl-hpa-explain.rb")).expect("a formula");
    assert!(!formula.contains("{{"), "{formula}");
    assert!(formula.contains(&format!("  version \"{VERSION}\"\n")));
    let formula = formula.replace("#{version}", VERSION);
    let mut lines = formula.lines().map(str::trim);
    let mut named = Vec::new();
    while let Some(line) = lines.next() {
        let Some(url) = line.strip_prefix("url ") else {
            continue;
        };
        let (folder, name) = url.trim_matches('"').rsplit_once('/').expect("a URL");
        let releases = concat!(env!("CARGO_PKG_HOMEPAGE"), "/releases/download/v");
        assert_eq!(folder, format!("{releases}{VERSION}"));
        let sum = checksum(&out.join(name));
        assert_eq!(lines.next(), Some(&*format!("sha256 \"{sum}\"")));
        named.push(name.to_owned());
    }
    named.sort();
    let mut expected = [0, 1, 2, 3].map(|n: usize| archive(TARGETS[n].1));
    expected.sort();
    assert_eq!(named, expected);
}

#[test]
fn the_notes_are_the_section_of_the_changelog() {
    let scratch = tempfile::tempdir().expect("a scratch directory");
    let out = finished(scratch.path());
    let notes = fs::read_to_string(out.join("notes.md")).expect("notes");
    let changelog = include_str!("../../CHANGELOG.md");
    let (_, section) = changelog
        .split_once(&format!("## [{VERSION}]"))
        .expect("a section of this version");
    let (_, section) = section.split_once('\n').expect("lines");
    let section = section.split("\n## ").next().expect("a section");
    let section = section.split("\n[").next().expect("a section");
    assert_eq!(notes.trim(), section.trim());
    assert!(notes.lines().count() > 5, "{notes}");
}

#[test]
fn what_is_missing_is_told() {
    let scratch = tempfile::tempdir().expect("a scratch directory");
    let folder = |name: &str| plain(&scratch.path().join(name)).to_owned();
    let binary = scratch.path().join("some-build");
    fs::write(&binary, "the plugin").expect("a binary");
    pack(TARGETS[0].0, &binary, Path::new(&folder("one")));
    let (empty, one) = (folder("empty"), folder("one"));
    let rows: [(&[&str], i32, &str); 9] = [
        (
            &["pack", TARGETS[0].0, "--binary", "/nowhere/plugin"],
            1,
            "/nowhere/plugin: no such file\nhint: ",
        ),
        (
            &["pack", "riscv64gc-unknown-linux-gnu"],
            1,
            "is not released",
        ),
        (&["finish", "--out", &empty], 1, "has no archive of v"),
        (
            &["finish", "--out", &one],
            1,
            "no archive for linux_arm64 darwin_amd64 darwin_arm64 windows_amd64 windows_arm64",
        ),
        (&["pack"], 2, "usage: "),
        (&["pack", TARGETS[0].0, "--binary"], 2, "usage: "),
        (&["finish", "--binary", "x"], 2, "usage: "),
        (&["publish"], 2, "usage: "),
        (&[], 2, "usage: "),
    ];
    for (arguments, code, complaint) in rows {
        let output = script(arguments);
        let complaints = text(&output.stderr);
        assert_eq!(
            output.status.code(),
            Some(code),
            "{arguments:?}: {complaints}"
        );
        assert!(
            complaints.contains(complaint),
            "{arguments:?}: {complaints}"
        );
        assert_eq!(text(&output.stdout), "", "{arguments:?}");
    }
}

/// krew's steps, as `kubectl krew install --manifest --archive` takes them: the
/// checksum, the archive into a folder of its own, a link to `bin`. Returns
/// where the links are.
fn install(release: &Path, platform: &str, root: &Path) -> PathBuf {
    let manifest = fs::read_to_string(release.join("hpa-explain.yaml")).expect("a manifest");
    let manifest = rules::Manifest::read(&manifest).expect("a manifest");
    let file = archive(platform);
    let ours = manifest.platforms().iter();
    let ours: Vec<_> = ours.filter(|one| one.archive() == file).collect();
    let [ours] = ours[..] else {
        panic!("not one platform for {file}");
    };
    assert_eq!(ours.sha256, checksum(&release.join(&file)));
    let store = root.join("store/hpa-explain").join(format!("v{VERSION}"));
    fs::create_dir_all(&store).expect("a store");
    let unpacked = Command::new("tar")
        .arg("-xzf")
        .arg(release.join(&file))
        .arg("-C")
        .arg(&store)
        .status();
    assert!(unpacked.expect("tar runs").success());
    assert!(store.join("LICENSE").is_file(), "krew refuses it without");
    let bin = store.join(&ours.bin);
    let mode = fs::metadata(&bin).expect("the binary").permissions().mode();
    assert_eq!(mode & 0o111, 0o111, "executable");
    let links = root.join("bin");
    fs::create_dir_all(&links).expect("a folder");
    let suffix = if platform.starts_with("windows") {
        ".exe"
    } else {
        ""
    };
    symlink(bin, links.join(format!("kubectl-hpa_explain{suffix}"))).expect("a link");
    links
}

#[test]
fn each_platform_is_installed_as_krew_does_it() {
    let scratch = tempfile::tempdir().expect("a scratch directory");
    let release = finished(scratch.path());
    let mut installed = 0;
    for (_, platform) in TARGETS {
        let links = install(&release, platform, &scratch.path().join(platform));
        let entries = fs::read_dir(links).expect("a folder");
        let link = entries.map(|entry| entry.expect("an entry").path());
        let [link] = &link.collect::<Vec<_>>()[..] else {
            panic!("not one link");
        };
        assert_eq!(fs::read(link).expect("the plugin"), b"the plugin");
        installed += 1;
    }
    assert_eq!(installed, 6);
}

#[test]
#[ignore = "needs kubectl"]
fn an_archive_installed_as_krew_does_it_runs_through_kubectl() {
    let scratch = tempfile::tempdir().expect("a scratch directory");
    let release = finished(scratch.path());
    let plugin = Path::new(env!("CARGO_BIN_EXE_kubectl-hpa_explain"));
    pack(TARGETS[0].0, plugin, &release);
    let output = script(&["finish", "--out", plain(&release)]);
    assert!(output.status.success(), "{}", text(&output.stderr));

    let home = scratch.path().join("home");
    let links = install(&release, TARGETS[0].1, &home.join(".krew"));
    let path = std::env::var("PATH").expect("a PATH");
    let kubectl = |arguments: &[&str]| {
        let output = Command::new("kubectl")
            .args(arguments)
            .env_clear()
            .env("HOME", &home)
            .env("PATH", format!("{}:{path}", links.display()))
            .output()
            .expect("kubectl runs");
        assert!(output.status.success(), "{}", text(&output.stderr));
        text(&output.stdout).to_owned()
    };
    let version = kubectl(&["hpa-explain", "--version"]);
    assert!(version.contains(VERSION), "{version}");
    let page = kubectl(&["hpa-explain", "demo", "foreign-pod-without-request"]);
    assert!(page.contains("stays at 2"), "{page}");

    // The caveat of the manifest, and what it promises.
    kubectl(&["hpa-explain", "completion", "install"]);
    let helper = links.join("kubectl_complete-hpa_explain");
    assert!(helper.is_file(), "beside krew's link");
    let completed = kubectl(&["__complete", "hpa-explain", "demo", "held-by"]);
    assert!(completed.starts_with("held-by-window"), "{completed}");
}

/// The lines of the README for an archive of a release, word by word, with a
/// server of this machine in place of the release's URL.
#[test]
#[ignore = "needs kubectl and curl"]
fn the_lines_of_the_readme_install_an_archive_for_kubectl() {
    let scratch = tempfile::tempdir().expect("a scratch directory");
    let release = finished(scratch.path());
    let plugin = Path::new(env!("CARGO_BIN_EXE_kubectl-hpa_explain"));
    pack(TARGETS[0].0, plugin, &release);
    let output = script(&["finish", "--out", plain(&release)]);
    assert!(output.status.success(), "{}", text(&output.stderr));

    let [lines] = blocks(include_str!("../../README.md"), "bash")[..] else {
        panic!("not one block");
    };
    let published = concat!(env!("CARGO_PKG_HOMEPAGE"), "/releases/download");
    assert_eq!(lines.matches(published).count(), 1, "{lines}");
    let served = serve(release);
    let lines = lines.replace(published, &format!("http://{served}"));
    let home = scratch.path().join("home");
    fs::create_dir(&home).expect("a home");
    let path = std::env::var("PATH").expect("a PATH");
    let path = format!("{}/.local/bin:{path}", home.display());
    let shell = |lines: &str| {
        let output = Command::new("bash")
            .args(["-euc", lines])
            .current_dir(&home)
            .env_clear()
            .env("HOME", &home)
            .env("PATH", &path)
            .output()
            .expect("bash runs");
        assert!(output.status.success(), "{}", text(&output.stderr));
        text(&output.stdout).to_owned()
    };
    let printed = shell(&lines);
    let checked = format!("{}: OK\n", archive("linux_amd64"));
    assert_eq!(printed, checked);
    let page = shell("kubectl hpa-explain demo foreign-pod-without-request");
    assert!(page.contains("stays at 2"), "{page}");
}

/// Serves a folder's files as those of this version, one request a connection.
fn serve(folder: PathBuf) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.expect("a connection");
            let mut lines = BufReader::new(&stream).lines();
            let request = lines.next().expect("a request").expect("text");
            // The rest of the head has to be read before the end is seen.
            lines.find(|line| line.as_ref().is_ok_and(String::is_empty));
            let path = request.split(' ').nth(1).expect("a path");
            let name = path.strip_prefix(&format!("/v{VERSION}/"));
            let file = name.and_then(|name| fs::read(folder.join(name)).ok());
            let (status, body) = match file {
                Some(body) => ("200 OK", body),
                None => ("404 Not Found", Vec::new()),
            };
            let head = format!(
                "HTTP/1.1 {status}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
                body.len()
            );
            stream.write_all(head.as_bytes()).expect("a reader");
            stream.write_all(&body).expect("a reader");
        }
    });
    address
}
