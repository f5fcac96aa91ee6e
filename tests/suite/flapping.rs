//! Twenty-five minutes of a flapping HPA on a real cluster, explained at
//! every sample and held against the controller's own log.

#![expect(clippy::print_stdout, reason = "the figures are to be read")]

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufReader, Read};
use std::path::PathBuf;

use flate2::read::GzDecoder;
use hpa_explain::controller::{Overrides, Settings};
use hpa_explain::document::snapshot::{RecordEntry, RecordReader, Snapshot};
use hpa_explain::history::{Agreement, ControllerLog, Observer, Subject, explain};
use hpa_explain::trace::{CheckVerdict, Notice, NoticeKind, Range, Trace};
use jiff::{SignedDuration, Timestamp};

use crate::restless::{Told, told};

fn open(name: &str) -> BufReader<impl Read> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/recordings");
    let file = File::open(path.join(name)).expect("a recording");
    BufReader::new(GzDecoder::new(file))
}

/// The samples, as they were taken every five seconds.
fn samples() -> Vec<Snapshot> {
    let mut reader = RecordReader::default();
    let entries = reader.read(open("flapping-run.jsonl.gz"));
    let samples = entries.map(|entry| match entry.expect("a readable record") {
        RecordEntry::Sample(sample) => sample.snapshot,
        RecordEntry::Gap(gap) => panic!("{gap:?}"),
    });
    samples.collect()
}

fn log(snapshot: &Snapshot) -> ControllerLog {
    let subject = Subject::of(snapshot);
    let mut logs = ControllerLog::read(open("flapping-run.controller.log.gz"), vec![subject]);
    logs.as_mut().expect("a readable log").remove(0)
}

/// A pass of the real controller: when, and to which size.
#[derive(Clone, Copy, Debug)]
struct RealPass {
    at: Timestamp,
    to: i32,
}

/// The passes that came to a decision; those that failed are none.
fn passes(log: &ControllerLog) -> Vec<RealPass> {
    let kept = log.unchanged.iter().map(|it| RealPass {
        at: it.at,
        to: it.replicas,
    });
    let changed = log.rescales.iter().map(|it| RealPass {
        at: it.at,
        to: it.to,
    });
    let mut passes: Vec<RealPass> = kept.chain(changed).collect();
    passes.sort_by_key(|pass| pass.at);
    passes
}

fn settings(snapshot: &Snapshot) -> Settings {
    Settings::resolve(snapshot, &Overrides::default())
}

fn decision(trace: &Trace) -> Option<Range> {
    let decided = trace.outcome.desired_replicas.map(Range::of);
    trace.outcome.possible.or(decided)
}

/// Whether what a pass was asked for is known: the samples around it agree on
/// it, and on the size.
fn inputs_agree(before: &Trace, after: &Trace) -> bool {
    let asked = |trace: &Trace| trace.recommendation.as_ref().and_then(|it| it.replicas);
    let size = |trace: &Trace| {
        trace
            .scale
            .as_ref()
            .and_then(|scale| scale.current_replicas)
    };
    asked(before) == asked(after) && size(before) == size(after)
}

/// How the passes of a time compare.
#[derive(Default)]
struct Tally {
    passes: usize,
    sound: usize,
    exact: usize,
    with_known_inputs: usize,
    exact_with_known_inputs: usize,
}

/// Explains every pass from the sample before it, and counts.
fn compare(
    samples: &[Snapshot],
    log: &ControllerLog,
    reads_log: bool,
    is_counted: impl Fn(Timestamp) -> bool,
) -> Tally {
    let mut tally = Tally::default();
    let mut observer = Observer::default();
    if reads_log {
        observer.read_log(log.clone());
    }
    let mut passes = passes(log).into_iter().peekable();
    for (number, sample) in samples.iter().enumerate() {
        observer.observe(sample.clone(), &settings(sample), None);
        let next = samples.get(number + 1);
        while let Some(pass) =
            passes.next_if(|pass| next.is_none_or(|next| pass.at < next.captured_at))
        {
            if pass.at < sample.captured_at || !is_counted(pass.at) {
                continue;
            }
            let Some(next) = next else { continue };
            // The inputs of the pass are those of one sample or the other.
            let trace = explain(sample, &settings(sample), pass.at, &observer);
            let other = explain(next, &settings(next), pass.at, &observer);
            let is_known = inputs_agree(&trace, &other);
            let Some(range) = decision(&trace) else {
                continue;
            };
            let joined = decision(&other).map_or(range, |other| range.join(other));
            tally.passes += 1;
            let is_sound = joined.contains(pass.to);
            tally.sound += usize::from(is_sound);
            let is_exact = range == Range::of(pass.to);
            tally.exact += usize::from(is_exact);
            if is_known {
                assert!(
                    range.contains(pass.to),
                    "{pass:?}: {range:?}\n{:#?}",
                    trace.recollection
                );
                tally.with_known_inputs += 1;
                tally.exact_with_known_inputs += usize::from(is_exact);
            } else if !is_sound {
                println!("{pass:?}: {range:?}, {joined:?}");
            }
        }
    }
    tally
}

fn print(what: &str, tally: &Tally) {
    println!(
        "{what}: {} passes, {} within the set, {} exact; of the {} whose inputs are known {} exact",
        tally.passes,
        tally.sound,
        tally.exact,
        tally.with_known_inputs,
        tally.exact_with_known_inputs,
    );
}

#[test]
fn the_controllers_decision_is_within_the_set_at_every_pass() {
    let samples = samples();
    assert_eq!(samples.len(), 300);
    let log = log(samples.last().expect("samples"));
    let start = samples[0].captured_at;
    // The longest window of the run.
    let full = start + SignedDuration::from_secs(180);
    let early = compare(&samples, &log, false, |at| at < full);
    let late = compare(&samples, &log, false, |at| at >= full);
    print("before one full window", &early);
    print("after it", &late);
    assert_eq!(early.passes + late.passes, early.sound + late.sound);
    assert_eq!((early.passes, late.passes), (11, 83));
    // What is wide enough is always sound.
    assert!(early.exact >= 9 && late.exact >= 72);
}

#[test]
fn with_the_controllers_log_the_decision_is_exact() {
    let samples = samples();
    let log = log(samples.last().expect("samples"));
    let tally = compare(&samples, &log, true, |_| true);
    print("with the log", &tally);
    assert_eq!(tally.passes, tally.sound);
    assert_eq!(tally.with_known_inputs, tally.exact_with_known_inputs);
    assert_eq!((tally.passes, tally.with_known_inputs), (94, 68));
}

/// The samples with the Lease, which `watch` reads and this recorder did not: by
/// the log, which of two controllers led, and that the first one ended.
fn samples_with_lease(log: &ControllerLog) -> Vec<Snapshot> {
    let time = |time: &str| -> Timestamp { time.parse().expect("a time") };
    let [first, second] = [time("2026-11-20T08:00:20Z"), time("2026-11-20T08:40:43.9Z")];
    let is_start = |at: &Timestamp| at.duration_since(first).as_secs() < 1;
    assert!(log.starts.iter().any(is_start), "{:?}", log.starts);
    let ended = time("2026-11-20T08:40:37Z");
    let mut samples = samples();
    for sample in &mut samples {
        let at = sample.captured_at;
        let (acquired, renewed) = if at < second {
            (first, at.min(ended))
        } else {
            (second, at)
        };
        let lease = serde_json::json!({"spec": {"acquireTime": acquired, "renewTime": renewed}});
        sample.controller_lease = Some(serde_json::from_value(lease).expect("a Lease"));
    }
    samples
}

/// Whether one full window has gone by: since the first sample, since the edit
/// to a window of 180 s, and since the controller began anew.
fn is_after_full_window(at: Timestamp) -> bool {
    let rows = [
        ("2026-11-20T08:26:11Z", "2026-11-20T08:35:51Z"),
        ("2026-11-20T08:38:51Z", "2026-11-20T08:40:43Z"),
        ("2026-11-20T08:43:43Z", "2026-11-20T09:00:00Z"),
    ];
    let time = |time: &str| -> Timestamp { time.parse().expect("a time") };
    rows.iter()
        .any(|(from, to)| (time(from)..time(to)).contains(&at))
}

/// Followed as `watch` does it: after one full window each pass whose inputs
/// did not move after its sample is foreseen.
#[test]
fn passes_are_foreseen_where_their_inputs_did_not_move() {
    let log = log(samples().last().expect("samples"));
    let samples = samples_with_lease(&log);
    let real = passes(&log);
    let [mut moved, mut exact, mut inside, mut outside] = [0; 4];
    for Told { pass, moved: what } in told(&samples) {
        let is_near = |it: &&RealPass| it.at.duration_since(pass.at).as_secs().abs() <= 3;
        let mut near = real.iter().filter(is_near);
        let has_failed = log.errors.iter().any(|it| {
            let apart = it.at.duration_since(pass.at);
            apart.as_secs().abs() <= 3
        });
        let is_right = has_failed || near.any(|it| it.to == pass.desired_replicas);
        assert!(is_right, "{}: no such pass", pass.at);
        if !is_after_full_window(pass.at) {
            assert!(pass.prediction != Agreement::Missed || !what.is_empty());
            continue;
        }
        let said = format!("{} {:?}", pass.at, pass.prediction);
        match pass.prediction {
            _ if !what.is_empty() => {
                moved += 1;
                println!("{said}: {}", what.join(", "));
            }
            Agreement::Predicted => exact += 1,
            Agreement::Inside | Agreement::NoSample => {
                inside += 1;
                println!("{said}: {} of {:?}", pass.desired_replicas, pass.expected);
            }
            Agreement::Missed => {
                outside += 1;
                println!("{said}: {} of {:?}", pass.desired_replicas, pass.expected);
            }
        }
    }
    let still = exact + inside + outside;
    println!("moved: {moved} passes, each listed above; still: {still}, {exact} of them exact");
    assert_eq!(outside, 0);
    assert!(still >= 20, "{still}");
    assert!(exact * 100 >= still * 99, "{exact} of {still}");
}

/// What was done to the HPA, and by when it is to be noticed.
#[test]
fn what_was_done_to_it_is_noticed() {
    let rows = [
        (NoticeKind::ScaledByOthers, "2026-11-20T08:30:21Z"),
        (NoticeKind::Applied, "2026-11-20T08:32:31Z"),
        (NoticeKind::SpecEdited, "2026-11-20T08:35:51Z"),
        (NoticeKind::Restarted, "2026-11-20T08:40:43Z"),
    ];
    let samples = samples();
    let mut observer = Observer::default();
    let mut seen: Vec<Notice> = Vec::new();
    let mut checks: BTreeMap<CheckVerdict, usize> = BTreeMap::new();
    for sample in &samples {
        let trace = explain(sample, &settings(sample), sample.captured_at, &observer);
        assert!(decision(&trace).is_some(), "{}", sample.captured_at);
        let check = trace.check.expect("a comparison");
        if check.verdict == CheckVerdict::Unexplained {
            println!("{}: {check:?}", sample.captured_at);
        }
        *checks.entry(check.verdict).or_default() += 1;
        let notices = trace.recollection.notices;
        seen.extend(
            notices
                .into_iter()
                .filter(|notice| !seen.contains(notice))
                .collect::<Vec<_>>(),
        );
        observer.observe(sample.clone(), &settings(sample), None);
    }
    for notice in &seen {
        println!(
            "{:?} {:?} {} {}",
            notice.kind, notice.from, notice.to, notice.says
        );
    }
    println!("{checks:?}");
    assert_eq!(checks.values().sum::<usize>(), 300);
    assert_eq!(checks.get(&CheckVerdict::Unexplained), None);
    for (kind, at) in rows {
        let at: Timestamp = at.parse().expect("a time");
        let near = |notice: &&Notice| {
            let slack = SignedDuration::from_secs(1);
            notice.kind == kind
                && notice.from.is_none_or(|from| from <= at + slack)
                && notice.to + slack >= at
        };
        assert!(seen.iter().any(|notice| near(&notice)), "{kind:?} at {at}");
    }
}
