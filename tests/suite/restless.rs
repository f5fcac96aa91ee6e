//! Half an hour of ten HPAs, followed again sample by sample as `watch` does
//! it, each pass held against the controller's own log.
//!
//! Where the inputs moved between a sample and its pass, nobody can foresee
//! it; each such pass is listed with what moved.

#![expect(clippy::print_stdout, reason = "the figures are to be read")]

use std::collections::VecDeque;
use std::fs::File;
use std::io::{BufReader, Read};
use std::path::PathBuf;

use flate2::read::GzDecoder;
use hpa_explain::api::{Answered, Pod};
use hpa_explain::controller::{Overrides, Settings};
use hpa_explain::document::snapshot::{RecordEntry, RecordReader, Snapshot};
use hpa_explain::history::{Agreement, Follower, Pass};
use jiff::{SignedDuration, Timestamp};

/// The HPAs, and how long the longest window of each is, in seconds: before,
/// what was recommended earlier is not known.
const HPAS: [(&str, i64); 10] = [
    ("s1", 300),
    ("s2", 300),
    ("s3", 60),
    ("s4", 120),
    ("s5", 120),
    ("s6", 45),
    ("s7", 300),
    ("s8", 60),
    ("s9", 90),
    ("s10", 300),
];

/// What the controller's log says of a pass.
struct Decided {
    at: Timestamp,
    desired: Option<i32>,
}

/// A pass, and what moved after the sample that it was foreseen by.
pub struct Told {
    pub pass: Pass,
    pub moved: Vec<String>,
}

fn open(name: &str) -> BufReader<impl Read + use<>> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/recordings/restless");
    BufReader::new(GzDecoder::new(File::open(folder.join(name)).expect(name)))
}

fn samples(name: &str) -> Vec<Snapshot> {
    let mut reader = RecordReader::default();
    let entries = reader.read(open(&format!("{name}.jsonl.gz")));
    let samples = entries.map(|entry| match entry.expect("a readable line") {
        RecordEntry::Sample(sample) => sample.snapshot,
        RecordEntry::Gap(gap) => panic!("{gap:?}"),
    });
    samples.collect()
}

/// The passes of an HPA: those that decided, and those that failed.
fn decided(log: &str, name: &str) -> Vec<Decided> {
    let target = format!("scaleTarget=\"Deployment/soak/{name}\"");
    let hpa = format!("HPA=\"soak/{name}\"");
    let failed = format!("Deployment/soak/{name}: ");
    let pass = |line: &str| {
        let keeps = line.contains("\"Decided not to scale\"") && line.contains(&target);
        let rescales = line.contains("\"Successfully rescaled\"") && line.contains(&hpa);
        let fails = line.contains("\"Unhandled Error\"")
            && line.contains("failed to compute desired number of replicas")
            && line.contains(&failed);
        let desired = line.split("desiredReplicas=").nth(1);
        let desired = desired.and_then(|it| it.split(' ').next()?.parse().ok());
        let time = format!("2026-11-22T{}Z", line.split(' ').nth(1)?);
        let at = time.parse().ok()?;
        (keeps || rescales || fails).then_some(Decided { at, desired })
    };
    log.lines().filter_map(pass).collect()
}

/// The passes of which `watch` tells.
pub fn told(samples: &[Snapshot]) -> Vec<Told> {
    let first = &samples[0];
    let mut follower = Follower::new(&first.hpa, first.captured_at);
    let mut told = Vec::new();
    let mut seen: VecDeque<&Snapshot> = VecDeque::new();
    for sample in samples {
        let settings = Settings::resolve(sample, &Overrides::default());
        let written = follower.written(&sample.hpa, sample.captured_at);
        let learned = follower.sampled(sample.clone(), settings.clone(), written.is_empty());
        for pass in written.into_iter().chain(learned.passes) {
            let mut before = seen.iter().rev();
            let before = before.find(|it| it.captured_at < pass.at);
            let mut moved = pass.moved.clone();
            moved.extend(before.and_then(|it| pods_moved(it, sample, &pass)));
            told.push(Told { pass, moved });
        }
        seen.push_back(sample);
        if seen.len() > 10 {
            seen.pop_front();
        }
    }
    told
}

/// What the HPA does not tell: the pods, and a metric at no replicas, of which
/// the status reports no average. What came of the pass itself is no cause: of
/// a pass that adds pods, those of its own second are.
fn pods_moved(before: &Snapshot, after: &Snapshot, pass: &Pass) -> Option<String> {
    let (old, new) = (external(before), external(after));
    if pass.current_replicas == 0 && old != new {
        return Some(format!(
            "the metric moved from {old:?} to {new:?} at size 0"
        ));
    }
    let is_earlier = |at: Option<Timestamp>| at.is_some_and(|at| at <= pass.at);
    let since = |at: Option<Timestamp>| is_earlier(at) && at >= Some(before.captured_at);
    let names = |snapshot: &Snapshot| -> Vec<String> {
        let pods = snapshot.pods.iter();
        pods.map(|pod| pod.metadata.name.to_string()).collect()
    };
    let (old, new) = (names(before), names(after));
    let (known, others): (Vec<&Pod>, Vec<&Pod>) = after
        .pods
        .iter()
        .partition(|pod| old.contains(&pod.metadata.name.to_string()));
    let adds = pass.desired_replicas > pass.current_replicas;
    let came = others.iter().filter(|pod| {
        let created = pod.metadata.creation_timestamp;
        is_earlier(created) && !(adds && created == Some(pass.at))
    });
    let went = old.iter().filter(|name| !new.contains(name));
    let went = went.filter(|_| pass.desired_replicas >= pass.current_replicas);
    let changed = known.iter().filter(|pod| {
        let mut conditions = pod.status.conditions.iter();
        let was = before
            .pods
            .iter()
            .find(|it| it.metadata.name == pod.metadata.name);
        since(pod.metadata.deletion_timestamp)
            || was.is_some_and(|was| was.status.phase != pod.status.phase)
            || conditions.any(|condition| since(condition.last_transition_time))
    });
    let reports = |snapshot: &Snapshot, pod: &Pod| {
        let list = snapshot.metrics.resource.iter();
        let mut items = list
            .filter_map(Answered::response)
            .flat_map(|list| &list.items);
        items.any(|item| item.metadata.name == pod.metadata.name)
    };
    let reporting = known
        .iter()
        .filter(|pod| reports(before, pod) != reports(after, pod));
    let reporting = reporting.count();
    if reporting > 0 {
        return Some(format!("{reporting} pods began or ceased to report"));
    }
    let (came, went, changed) = (came.count(), went.count(), changed.count());
    (came + went + changed > 0)
        .then(|| format!("the pods moved ({came} came, {went} went, {changed} changed)"))
}

/// The external values, without their times.
fn external(snapshot: &Snapshot) -> Vec<String> {
    let lists = snapshot.metrics.external.iter();
    let items = lists
        .filter_map(|it| it.answer.response())
        .flat_map(|list| &list.items);
    items.map(|item| item.value.to_string()).collect()
}

#[derive(Default)]
struct Row {
    passes: usize,
    moved: usize,
    exact: usize,
    inside: usize,
    outside: usize,
}

#[test]
fn passes_are_foreseen_where_their_inputs_did_not_move() {
    let mut log = String::new();
    open("controller.log.gz")
        .read_to_string(&mut log)
        .expect("a log");
    let mut all = Row::default();
    let mut wrong = Vec::new();
    println!("hpa   passes  moved  still  exact  inside  outside");
    for (name, window) in HPAS {
        let samples = samples(name);
        assert_eq!(samples.len(), 348, "{name}");
        let truth = decided(&log, name);
        let known_from = samples[0].captured_at + SignedDuration::from_secs(window);
        let mut row = Row::default();
        for Told { pass, moved } in told(&samples) {
            let near = |it: &&Decided| {
                let apart = it.at.duration_since(pass.at);
                (-3..=3).contains(&apart.as_secs())
            };
            let is_right = truth.iter().filter(near).any(|it| {
                it.desired
                    .is_none_or(|desired| desired == pass.desired_replicas)
            });
            if !is_right {
                wrong.push(format!("{name} {}: no such pass", pass.at));
            }
            if pass.at < known_from {
                continue;
            }
            row.passes += 1;
            if !moved.is_empty() {
                row.moved += 1;
                let what = moved.join(", ");
                println!("{name} {} {:?}: {what}", pass.at, pass.prediction);
                continue;
            }
            match pass.prediction {
                Agreement::Predicted => row.exact += 1,
                Agreement::Inside | Agreement::NoSample => row.inside += 1,
                Agreement::Missed => row.outside += 1,
            }
            if pass.prediction != Agreement::Predicted {
                println!(
                    "{name} {} {} -> {}: {:?} of {:?}, {:?}",
                    pass.at,
                    pass.current_replicas,
                    pass.desired_replicas,
                    pass.prediction,
                    pass.expected,
                    pass.reasons
                );
            }
        }
        row.print(name);
        all.add(&row);
    }
    all.print("all");
    println!("moved: {} passes, each listed above", all.moved);
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert_eq!(all.outside, 0);
    assert!(all.passes > 1_000, "{}", all.passes);
    // Windows and periods of this recording are multiples of the sync period,
    // and in the minutes after the restart passes lay less than that apart:
    // whether what is just as old still counts is decided by milliseconds.
    let still = all.passes - all.moved;
    assert!(still > 300, "{still}");
    assert!(all.exact * 100 >= still * 97, "{} of {still}", all.exact);
}

impl Row {
    fn add(&mut self, other: &Self) {
        self.passes += other.passes;
        self.moved += other.moved;
        self.exact += other.exact;
        self.inside += other.inside;
        self.outside += other.outside;
    }

    fn print(&self, name: &str) {
        let still = self.passes - self.moved;
        println!(
            "{name:<5} {:>6} {:>6} {still:>6} {:>6} {:>7} {:>8}",
            self.passes, self.moved, self.exact, self.inside, self.outside
        );
    }
}
