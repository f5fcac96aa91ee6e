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
use hpa_explain::controller::{Overrides, Settings};
use hpa_explain::history::{Agreement, Follower, Observer, Pass, explain_next};
use hpa_explain::snapshot::{RecordEntry, RecordReader, Snapshot};
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
    /// Whether it hangs on seconds that nobody sees.
    is_at_edge: bool,
}

/// By as much, a stamp in whole seconds and a pass that stores a moment before
/// it writes leave open when something was stored.
const UNSEEN: SignedDuration = SignedDuration::from_secs(4);

fn open(name: &str) -> BufReader<impl Read + use<>> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/recordings/restless");
    BufReader::new(GzDecoder::new(File::open(folder.join(name)).expect(name)))
}

fn samples(name: &str) -> Vec<Snapshot> {
    let mut reader = RecordReader::new();
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
    let mut follower = Follower::new(&first.horizontal_pod_autoscaler, first.captured_at);
    let mut told = Vec::new();
    let mut seen: VecDeque<(&Snapshot, Observer)> = VecDeque::new();
    for sample in samples {
        let settings = Settings::resolve(sample, &Overrides::default());
        let written = follower.written(&sample.horizontal_pod_autoscaler, sample.captured_at);
        let learned = follower.sampled(sample, &settings, written.is_empty());
        for pass in written.into_iter().chain(learned.passes) {
            let mut before = seen.iter().rev();
            let before = before.find(|(it, _)| it.captured_at < pass.at);
            let mut moved = pass.moved.clone();
            moved.extend(before.and_then(|(it, _)| pods_moved(it, sample, &pass)));
            let is_open = moved.is_empty() && pass.prediction == Agreement::Inside;
            let is_at_edge =
                is_open && before.is_some_and(|(it, observer)| is_at_edge(it, observer, &pass));
            told.push(Told {
                pass,
                moved,
                is_at_edge,
            });
        }
        seen.push_back((sample, follower.observer().clone()));
        if seen.len() > 10 {
            seen.pop_front();
        }
    }
    told
}

/// Whether what is as old as a window or a period is long decides the pass: a
/// moment earlier or later, one size is possible, and it is that of the pass.
fn is_at_edge(before: &Snapshot, observer: &Observer, pass: &Pass) -> bool {
    let settings = Settings::resolve(before, &Overrides::default());
    let at = |moment| {
        let outcome = explain_next(before, &settings, moment, observer).outcome;
        outcome.desired_replicas
    };
    let moments = [pass.at - UNSEEN, pass.at + UNSEEN];
    let sizes = moments.map(at);
    sizes.contains(&Some(pass.desired_replicas))
}

/// What the HPA does not tell: the pods, and a metric at no replicas, of which
/// the status reports no average. What came of the pass itself is no cause.
fn pods_moved(before: &Snapshot, after: &Snapshot, pass: &Pass) -> Option<String> {
    if pass.current_replicas == 0 && before.metrics != after.metrics {
        return Some("the metric moved at size 0".to_owned());
    }
    let is_earlier = |at: Option<Timestamp>| at.is_some_and(|at| at <= pass.at);
    let since = |at: Option<Timestamp>| is_earlier(at) && at >= Some(before.captured_at);
    let names = |snapshot: &Snapshot| -> Vec<String> {
        let pods = snapshot.pods.iter();
        pods.map(|pod| pod.metadata.name.to_string()).collect()
    };
    let (old, new) = (names(before), names(after));
    let came = after.pods.iter().any(|pod| {
        !old.contains(&pod.metadata.name.to_string()) && is_earlier(pod.metadata.creation_timestamp)
    });
    let went = pass.desired_replicas >= pass.current_replicas
        && old.iter().any(|name| !new.contains(name));
    let changed = after.pods.iter().any(|pod| {
        let mut conditions = pod.status.conditions.iter();
        since(pod.metadata.deletion_timestamp)
            || conditions.any(|condition| since(condition.last_transition_time))
    });
    (came || went || changed).then(|| "the pods moved".to_owned())
}

#[derive(Default)]
struct Row {
    passes: usize,
    moved: usize,
    exact: usize,
    at_edge: usize,
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
    println!("hpa   passes  moved  still  exact  at edge  inside  outside");
    for (name, window) in HPAS {
        let samples = samples(name);
        assert_eq!(samples.len(), 348, "{name}");
        let truth = decided(&log, name);
        let known_from = samples[0].captured_at + SignedDuration::from_secs(window);
        let mut row = Row::default();
        for Told {
            pass,
            moved,
            is_at_edge,
        } in told(&samples)
        {
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
                Agreement::Inside if is_at_edge => row.at_edge += 1,
                Agreement::Inside | Agreement::NoSample => row.inside += 1,
                Agreement::Missed => row.outside += 1,
            }
            if pass.prediction != Agreement::Predicted {
                println!(
                    "{name} {} {} -> {}: {:?} of {:?}, {:?}, edge {is_at_edge}",
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
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert_eq!(all.outside, 0);
    assert!(all.passes > 1_000, "{}", all.passes);
    // Windows and periods of this recording are multiples of the sync period,
    // and stamps whole seconds: whether what is just as old still counts is
    // decided by milliseconds that nobody sees, and both are said.
    let still = all.passes - all.moved;
    assert!(all.exact * 100 >= still * 94, "{} of {still}", all.exact);
    let told = all.exact + all.at_edge;
    assert!(told * 100 >= still * 97, "{told} of {still}");
}

impl Row {
    fn add(&mut self, other: &Self) {
        self.passes += other.passes;
        self.moved += other.moved;
        self.exact += other.exact;
        self.at_edge += other.at_edge;
        self.inside += other.inside;
        self.outside += other.outside;
    }

    fn print(&self, name: &str) {
        let still = self.passes - self.moved;
        println!(
            "{name:<5} {:>6} {:>6} {still:>6} {:>6} {:>8} {:>7} {:>8}",
            self.passes, self.moved, self.exact, self.at_edge, self.inside, self.outside
        );
    }
}
