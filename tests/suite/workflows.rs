//! The workflows take no action that could change under them, and no right that
//! a job does not need.

use std::collections::BTreeMap;

use serde_yaml::Value;

const WORKFLOWS: [(&str, &str); 3] = [
    ("ci", include_str!("../../.github/workflows/ci.yml")),
    ("fuzz", include_str!("../../.github/workflows/fuzz.yml")),
    (
        "release",
        include_str!("../../.github/workflows/release.yml"),
    ),
];

fn read(text: &str) -> Value {
    serde_yaml::from_str(text).expect("YAML")
}

/// The jobs of a workflow.
fn jobs(workflow: &Value) -> impl Iterator<Item = (&str, &Value)> {
    let jobs = workflow["jobs"].as_mapping().expect("jobs");
    jobs.iter()
        .map(|(name, job)| (name.as_str().expect("a name"), job))
}

#[test]
fn each_action_is_pinned_by_its_commit_with_its_version_beside() {
    let mut pinned = BTreeMap::new();
    for (name, text) in WORKFLOWS {
        for line in text.lines() {
            let Some((_, action)) = line.split_once("uses: ") else {
                continue;
            };
            let (action, version) = action.split_once(" # v").expect(line);
            let (action, commit) = action.split_once('@').expect(line);
            let is_hash = commit.len() == 40 && commit.bytes().all(|byte| byte.is_ascii_hexdigit());
            assert!(is_hash, "{name}: {line}");
            let is_version = version.split('.').all(|part| part.parse::<u32>().is_ok());
            assert!(is_version, "{name}: {line}");
            let other = pinned.insert(action, commit);
            assert!(other.is_none_or(|other| other == commit), "{name}: {line}");
        }
    }
    assert_eq!(pinned.len(), 6, "{pinned:?}");
}

/// A job may read the repository; what else it may is named here.
#[test]
fn each_job_has_the_least_rights() {
    let rights = |job: &Value| serde_yaml::to_string(&job["permissions"]).expect("YAML");
    let mut more = Vec::new();
    let mut looked_at = 0;
    for (workflow, text) in WORKFLOWS {
        let parsed = read(text);
        assert_eq!(rights(&parsed), "{}\n", "{workflow}: none by default");
        for (name, job) in jobs(&parsed) {
            looked_at += 1;
            if rights(job) != "contents: read\n" {
                more.push((format!("{workflow}/{name}"), rights(job)));
            }
        }
    }
    assert_eq!(looked_at, 11);
    let publish = "contents: write\nattestations: write\nid-token: write\n";
    assert_eq!(more, [("release/publish".to_owned(), publish.to_owned())]);
}

#[test]
fn every_target_is_built_and_every_entry_fuzzed() {
    let release = read(WORKFLOWS[2].1);
    let rows = &release["jobs"]["archives"]["strategy"]["matrix"]["include"];
    let rows = rows.as_sequence().expect("a matrix");
    let built: Vec<_> = rows
        .iter()
        .filter_map(|row| row["target"].as_str())
        .collect();
    assert_eq!(built.len(), 6);
    let script = include_str!("../../scripts/release");
    for target in built {
        assert!(script.contains(&format!("  '{target} ")), "{target}");
    }

    let fuzz = read(WORKFLOWS[1].1);
    let entries = &fuzz["jobs"]["fuzz"]["strategy"]["matrix"]["entry"];
    let entries = entries.as_sequence().expect("entries").iter();
    let entries = entries
        .filter_map(Value::as_str)
        .map(|name| format!("{name}.rs"));
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/fuzz/targets");
    let targets = std::fs::read_dir(folder).expect("the targets");
    let targets = targets.map(|entry| entry.expect("a target").file_name());
    let mut targets: Vec<_> = targets.collect();
    targets.sort();
    assert!(targets.len() > 10);
    assert!(entries.eq(targets.iter().map(|name| name.to_string_lossy())));
}
