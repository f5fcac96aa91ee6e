//! Everything that was recorded, as explained passes.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use hpa_explain::controller::{Overrides, Release, Settings};
use hpa_explain::document::manifest::{self, Content, Rules};
use hpa_explain::document::snapshot::{Snapshot, read_documents};
use hpa_explain::findings::{InFile, Lint, WholeInput, review, unreadable};
use hpa_explain::history::Observer;
use hpa_explain::trace::{Review, Trace, Unreadable};
use hpa_explain::what_if::explain;
use serde_json::Value;

use crate::support::apiserver::ApiServer;
use crate::support::binary::{NAMES, SITUATIONS, run, stdout};
use crate::support::case;
use crate::support::timeline::{self, Observed, Sight, Timeline};
use crate::support::vectors::{self, vectors};
use crate::{findings_pages, prometheus_passes};

/// Something in which findings can be.
pub enum Looked<'a> {
    Pass(&'a Trace),
    Manifest(&'a Review),
    NoManifest(&'a Unreadable),
}

/// Hands each with its name to whoever looks at it.
pub type Look<'a> = &'a mut dyn FnMut(&str, Looked);

/// A pass on a snapshot, by what it tells itself.
fn explained(snapshot: &Snapshot) -> Trace {
    let settings = Settings::resolve(snapshot, &Overrides::default());
    explain(
        snapshot,
        &settings,
        snapshot.captured_at,
        &Observer::default(),
    )
}

fn read(document: &Value) -> Snapshot {
    let mut documents = read_documents(&document.to_string());
    documents.remove(0).snapshot.expect("a readable snapshot")
}

/// The runs of the reported cases.
pub fn cases(look: Look) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases");
    let files = fs::read_dir(folder).expect("the folder of cases");
    let mut paths: Vec<_> = files.map(|file| file.expect("a file").path()).collect();
    paths.sort();
    for path in paths {
        let text = fs::read_to_string(path).expect("a readable file");
        for run in case::read(&text).expect("a block") {
            if let Some(case) = run.case() {
                look(
                    &run.title(),
                    Looked::Pass(&explained(&read(&case.document()))),
                );
            }
        }
    }
}

/// What was made to show a finding that no recording has: snapshots,
/// manifests, and a metric that Prometheus knows for long.
pub fn made(look: Look) {
    for (name, text) in findings_pages::snapshots() {
        let snapshot = read_documents(&text).remove(0).snapshot;
        let trace = explained(&snapshot.expect("a readable snapshot"));
        look(&format!("tests/findings/{name}"), Looked::Pass(&trace));
    }
    for (name, size, percent) in [
        ("an hour and more of Prometheus, little load", 2, 30),
        ("an hour and more of Prometheus, much load", 4, 80),
    ] {
        let trace = prometheus_passes::steadily(size, |_| percent, &[]);
        look(name, Looked::Pass(&trace));
    }
    let file = "tests/lint/examples.yaml";
    let text = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(file));
    let rules = Rules::new(Release::minor(36), &BTreeMap::new());
    let (mut manifests, mut neighbors) = (Vec::new(), Vec::new());
    for document in manifest::read(&text.expect(file), rules) {
        match document.content {
            Ok(Content::Autoscaler(manifest)) => manifests.push(manifest),
            Ok(Content::Neighbor(neighbor)) => neighbors.push(neighbor),
            Ok(Content::Nothing) => {}
            Err(error) => {
                let unreadable = unreadable(file, document.hint, &error);
                look(file, Looked::NoManifest(&unreadable));
            }
        }
    }
    let autoscalers: Vec<_> = manifests
        .iter()
        .map(|item| InFile {
            file,
            item: &**item,
        })
        .collect();
    let neighbors: Vec<_> = neighbors
        .iter()
        .map(|item| InFile {
            file,
            item: &**item,
        })
        .collect();
    let input = &WholeInput::new(&autoscalers, &neighbors);
    for manifest in &manifests {
        let review = review(&Lint {
            file,
            manifest,
            input,
            rules,
        });
        look(file, Looked::Manifest(&review));
    }
}

/// The HPAs of a recorded cluster, in each of its situations, as they are
/// read from its API server.
pub fn recordings(look: Look) {
    for situation in SITUATIONS {
        let snapshots = captured(situation, &NAMES);
        assert_eq!(snapshots.len(), NAMES.len(), "{situation}");
        for snapshot in snapshots {
            let name = &snapshot.hpa.metadata.name;
            look(
                &format!("{situation} {name}"),
                Looked::Pass(&explained(&snapshot)),
            );
        }
    }
}

/// What the binary reads of some HPAs in a situation, with the clock of the
/// recording at a standstill.
pub fn captured(situation: &str, names: &[&str]) -> Vec<Snapshot> {
    let server = ApiServer::replay(situation)
        .at_a_standstill()
        .https()
        .start();
    let arguments = [names, &["-n", "shop", "-o", "snapshot"]].concat();
    let output = run(&server.kubeconfig(), &arguments);
    let documents = read_documents(stdout(&output)).into_iter();
    documents
        .map(|document| document.snapshot.expect("a readable snapshot"))
        .collect()
}

/// One HPA of one situation, explained.
pub fn recorded(situation: &str, name: &str) -> Trace {
    let snapshots = captured(situation, &[name]);
    explained(snapshots.first().expect(name))
}

/// The steps of the timelines of a version, as the API shows them.
pub fn timelines(version: &str, part: usize, parts: usize, look: Look) {
    let sight = Sight {
        lease: true,
        aggregated: true,
    };
    let all: Vec<Timeline> = timeline::timelines(version);
    for timeline in all.into_iter().skip(part).step_by(parts) {
        let id = timeline.id.clone();
        let mut observed = Observed::new(timeline, sight);
        for step in 0..observed.steps() {
            let snapshot = observed.next(sight).expect("a step");
            look(
                &format!("{version} {id} step {step}"),
                Looked::Pass(&explained(&snapshot)),
            );
        }
    }
}

/// The versions whose timelines were recorded.
pub fn timeline_versions() -> impl Iterator<Item = &'static str> {
    timeline::RECORDED.iter().map(|(version, _)| *version)
}

/// The recorded answers of a version of the real controller.
pub fn answers(version: &str, part: usize, parts: usize, look: Look) {
    for vector in vectors(version).skip(part).step_by(parts) {
        let trace = explained(&read(&vector.snapshot));
        look(&format!("{version} {}", vector.id), Looked::Pass(&trace));
    }
}

/// The versions that answers were recorded of.
pub fn answer_versions() -> impl Iterator<Item = &'static str> {
    vectors::RECORDED.iter().map(|(version, _)| *version)
}
