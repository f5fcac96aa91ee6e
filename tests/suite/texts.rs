//! What a person on call reads at 80 columns: the text of every recorded HPA,
//! and of the first run of every reported case.
//!
//! `UPDATE_GOLDEN=1 cargo test --test suite texts::` writes the files anew.

use crate::support::case;
use crate::support::golden::Goldens;
use crate::support::is_one_word;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::support::apiserver::ApiServer;
use crate::support::binary::{NAMES, SITUATIONS};
use serde_json::Value;

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests")
        .join(name)
}

/// Runs the binary as on a terminal of 80 columns.
fn text(arguments: &[&str], kubeconfig: Option<&Path>) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kubectl-hpa_explain"));
    command.args(arguments).env_clear().env("TZ", "UTC");
    command.env("COLUMNS", "80").env("LC_ALL", "C.UTF-8");
    if let Some(kubeconfig) = kubeconfig {
        command.env("KUBECONFIG", kubeconfig);
    }
    let output = command.output().expect("the binary runs");
    assert!(
        output.status.success(),
        "{arguments:?}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8(output.stdout).expect("text")
}

/// Compares with the file, or writes it; and holds what is true of every
/// text.
fn check(goldens: &mut Goldens, file: &str, text: &str) {
    for line in text.lines() {
        let width = unicode_width::UnicodeWidthStr::width(line);
        let fits = width <= 80 || is_one_word(line);
        assert!(fits, "{file}: {width} columns: {line}");
    }
    goldens.check(&folder("texts").join(file), text);
}

#[test]
fn every_recorded_autoscaler() {
    let mut count = 0;
    let mut goldens = Goldens::default();
    for situation in SITUATIONS {
        let server = ApiServer::replay(situation)
            .https()
            .at_a_standstill()
            .start();
        let kubeconfig = server.kubeconfig();
        for name in NAMES {
            let text = text(&[name, "-n", "shop"], Some(&kubeconfig));
            check(&mut goldens, &format!("{situation}/{name}.txt"), &text);
            count += 1;
        }
    }
    assert_eq!(count, 80);
}

#[test]
fn the_first_run_of_every_reported_case() {
    let directory = tempfile::tempdir().expect("a scratch directory");
    let mut files: Vec<PathBuf> = fs::read_dir(folder("cases"))
        .expect("the folder of cases")
        .map(|file| file.expect("a file").path())
        .collect();
    files.sort();
    let mut goldens = Goldens::default();
    for file in &files {
        let block = fs::read_to_string(file).expect("readable");
        let runs = case::read(&block).expect("a block");
        // Releases before 1.23 are history, given for contrast only.
        let run = runs.iter().find_map(|run| Some((run, run.case()?)));
        let (run, case) = run.expect("a run of a known release");
        let snapshot = directory.path().join(format!("{}.json", run.id));
        fs::write(&snapshot, case.document().to_string()).expect("writable");
        let path = snapshot.to_str().expect("a plain path");
        check(
            &mut goldens,
            &format!("reported/{}.txt", run.id),
            &text(&["--snapshot", path], None),
        );
    }
    assert_eq!(files.len(), 40);
}

#[test]
fn no_file_is_left_over() {
    let mut known: Vec<String> = SITUATIONS.iter().map(|name| (*name).to_owned()).collect();
    known.push("reported".to_owned());
    let mut files = 0;
    for entry in fs::read_dir(folder("texts")).expect("a folder") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().and_then(|name| name.to_str());
        assert!(name.is_some_and(|name| known.iter().any(|it| it == name)));
        files += fs::read_dir(&path).expect("a folder of texts").count();
    }
    assert_eq!(files, 120);
}

/// Ten thousand pods in three states, most of them alike.
#[test]
fn ten_thousand_pods_fit() {
    const PODS: usize = 10_000;
    let path = folder("../demos").join("stuck-without-samples.yaml");
    let yaml = fs::read_to_string(path).expect("a built-in case");
    let mut snapshot: Value = serde_yaml::from_str(&yaml).expect("YAML");
    let named = |object: &Value, index: usize| {
        let mut object = object.clone();
        object["metadata"]["name"] = format!("web-{index}").into();
        object
    };
    let kinds = snapshot["pods"].as_array().expect("pods").clone();
    let samples = &mut snapshot["metrics"]["resource"]["response"]["items"];
    let sample = samples[0].clone();
    let measured = (0..PODS).filter(|index| index % 5 != 0);
    *samples = measured.map(|index| named(&sample, index)).collect();
    let pods = (0..PODS).map(|index| named(&kinds[index % kinds.len()], index));
    snapshot["pods"] = pods.collect();
    snapshot["scale"]["response"]["spec"]["replicas"] = PODS.into();
    snapshot["scale"]["response"]["status"]["replicas"] = PODS.into();
    snapshot["horizontalPodAutoscaler"]["spec"]["maxReplicas"] = (2 * PODS).into();
    let folder = tempfile::tempdir().expect("a scratch folder");
    let file = folder.path().join("web.json");
    fs::write(&file, snapshot.to_string()).expect("writable");
    let file = file.to_str().expect("text");
    let brief = text(&["--snapshot", file], None);
    assert!(brief.contains("10000"), "{brief}");
    let verbose = text(&["--snapshot", file, "-v"], None);
    let named = (0..PODS).filter(|index| verbose.contains(&format!("web-{index}")));
    assert_eq!(named.count(), 10_000, "with -v every pod is named");
}
