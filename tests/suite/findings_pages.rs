//! The pages of HPAs with something to be found, as a person reads them, and
//! that the only HPA of a file needs no name.
//!
//! `UPDATE_GOLDEN=1 cargo test --test suite findings_pages::` writes the pages
//! anew.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use flate2::read::GzDecoder;

use crate::support::binary::{stderr, stdout};
use crate::support::golden::Goldens;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/findings")
}

/// The snapshots by name; the small ones are not packed.
pub fn snapshots() -> BTreeMap<String, String> {
    let files = fs::read_dir(folder()).expect("a folder");
    let snapshots = files.filter_map(|file| {
        let path = file.expect("an entry").path();
        let name = path.file_name()?.to_str()?;
        let mut text = String::new();
        let name = if let Some(name) = name.strip_suffix(".json.gz") {
            let mut file = GzDecoder::new(File::open(&path).expect(name));
            file.read_to_string(&mut text).expect(name);
            name
        } else {
            text = fs::read_to_string(&path).expect(name);
            name.strip_suffix(".yaml")?
        };
        Some((name.to_owned(), text))
    });
    snapshots.collect()
}

/// Runs the binary with the text as its standard input.
fn run(arguments: &[&str], input: &str) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_kubectl-hpa_explain"))
        .args(arguments)
        .env_clear()
        .env("TZ", "UTC")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary runs");
    let mut stdin = child.stdin.take().expect("a pipe");
    stdin.write_all(input.as_bytes()).expect("it reads");
    drop(stdin);
    child.wait_with_output().expect("it ends")
}

#[test]
fn pages() {
    let snapshots = snapshots();
    let mut goldens = Goldens::default();
    for (name, input) in &snapshots {
        let page = run(&["--snapshot", "-"], input);
        let findings = run(&["--snapshot", "-", "-v"], input);
        let findings = stdout(&findings);
        let from = findings.find("Findings\n").expect("findings");
        let to = findings.find("Steps\n").expect("steps");
        let text = format!("{}\n{}", stdout(&page), findings[from..to].trim_end());
        goldens.check(&folder().join(format!("{name}.txt")), &(text + "\n"));
    }
    assert_eq!(snapshots.len(), 23);
}

#[test]
fn the_only_hpa_of_a_file_needs_no_name() {
    let snapshots = snapshots();
    let one = &snapshots["fixed-size"];
    let commands: [&[&str]; 2] = [
        &["simulate", "--load", "ramp", "--for", "2m"],
        &["dry-run", "--set", "spec.maxReplicas=7"],
    ];
    let mut answered = 0;
    for ((name, file), command) in snapshots
        .iter()
        .flat_map(|it| commands.map(|command| (it, command)))
    {
        let named = run(&[command, &["--snapshot", "-", "web"]].concat(), file);
        let alone = run(&[command, &["--snapshot", "-"]].concat(), file);
        assert_eq!(stderr(&alone), stderr(&named), "{name}");
        assert_eq!(stdout(&alone), stdout(&named), "{name}");
        answered += usize::from(!stdout(&alone).is_empty());
    }
    // The API server refuses one of them.
    assert_eq!((snapshots.len(), answered), (23, 45));
    let twin = one.replacen(r#""name": "web""#, r#""name": "twin""#, 1);
    let two = format!("{one}\n{twin}\n");
    for command in commands {
        let nameless = [command, &["--snapshot", "-"]].concat();
        let several = run(&nameless, &two);
        assert_eq!(several.status.code(), Some(1));
        assert_eq!(
            stderr(&several),
            "error: standard input holds 2 HPAs: shop/web (Deployment/web) in document 1, \
             shop/twin (Deployment/web) in document 2\n\
             hint: choose one: hpa/web -n shop, hpa/twin -n shop\n"
        );
    }
}
