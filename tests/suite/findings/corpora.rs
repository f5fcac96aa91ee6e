//! Everything that was recorded, as explained passes.

use std::fs;
use std::path::Path;

use hpa_explain::controller::{Overrides, Settings};
use hpa_explain::history::Observer;
use hpa_explain::snapshot::{Snapshot, read_documents};
use hpa_explain::trace::Trace;
use hpa_explain::what_if::explain;
use serde_json::Value;

use crate::support::apiserver::ApiServer;
use crate::support::binary::{NAMES, SITUATIONS, run, stdout};
use crate::support::case;
use crate::support::timeline::{self, Observed, Sight, Timeline};
use crate::support::vectors::{self, vectors};

/// Hands each pass with its name to whoever looks at it.
pub type Look<'a> = &'a mut dyn FnMut(&str, &Trace);

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
                look(&run.title(), &explained(&read(&case.document())));
            }
        }
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
            look(&format!("{situation} {name}"), &explained(&snapshot));
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
                &explained(&snapshot),
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
        look(&format!("{version} {}", vector.id), &trace);
    }
}

/// The versions that answers were recorded of.
pub fn answer_versions() -> impl Iterator<Item = &'static str> {
    vectors::RECORDED.iter().map(|(version, _)| *version)
}
