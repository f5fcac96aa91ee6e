//! Development only.
#![allow(warnings)]
use std::fs::File;
use std::io::BufReader;
use hpa_explain::controller::{Overrides, Settings};
use hpa_explain::history::{Follower, Pass, Verdict};
use hpa_explain::snapshot::{RecordEntry, RecordReader, Snapshot};
use jiff::Timestamp;

struct Decided { at: Timestamp, desired: i32 }
fn log(name: &str) -> Vec<Decided> {
    let text = std::fs::read_to_string("/tmp/w/watchdata/controller.log").unwrap();
    let target = format!("scaleTarget=\"Deployment/soak/{name}\"");
    let hpa = format!("HPA=\"soak/{name}\"");
    text.lines().filter_map(|l| {
        let hit = (l.contains("\"Decided not to scale\"") && l.contains(&target)) || (l.contains("\"Successfully rescaled\"") && l.contains(&hpa));
        if !hit { return None }
        let time = l.split(' ').nth(1)?;
        let at: Timestamp = format!("2026-11-22T{time}Z").parse().ok()?;
        let desired = l.split("desiredReplicas=").nth(1)?.split(' ').next()?.parse().ok()?;
        Some(Decided { at, desired })
    }).collect()
}
fn main() {
    let names: Vec<String> = std::env::args().skip(1).collect();
    let mut sum = [0usize; 8];
    for name in names {
        let truth = log(&name);
        let mut reader = RecordReader::new();
        let file = File::open(format!("/tmp/w/watchdata/{name}.jsonl")).unwrap();
        let samples: Vec<Snapshot> = reader.read(BufReader::new(file)).filter_map(|e| match e.unwrap() { RecordEntry::Sample(s) => Some(s.snapshot), _ => None }).collect();
        let mut f: Option<Follower> = None;
        let mut passes: Vec<(Pass, usize)> = Vec::new();
        for (i, s) in samples.iter().enumerate() {
            let settings = Settings::resolve(s, &Overrides::default());
            let hpa = &s.horizontal_pod_autoscaler;
            let f = f.get_or_insert_with(|| Follower::new(hpa, s.captured_at));
            let seen = f.written(hpa, s.captured_at);
            let is_after = seen.is_empty();
            passes.extend(seen.into_iter().map(|p| (p, i)));
            let learned = f.sampled(s, &settings, is_after);
            passes.extend(learned.passes.into_iter().map(|p| (p, i)));
        }
        let (mut n, mut ok, mut inside, mut missed, mut none, mut moved_n, mut bad, mut unmoved) = (0,0,0,0,0,0,0,0);
        for (p, i) in &passes {
            n += 1;
            let d = truth.iter().min_by_key(|d| (d.at.as_nanosecond() - p.at.as_nanosecond() - 500_000_000).abs()).unwrap();
            let off = (d.at.as_nanosecond() - p.at.as_nanosecond()) as f64 / 1e9;
            let wrong = off.abs() > 3.0 || d.desired != p.desired_replicas;
            if wrong { bad += 1; }
            match p.prediction { Verdict::Predicted => ok += 1, Verdict::Inside => inside += 1, Verdict::Missed => missed += 1, Verdict::NoSample => none += 1 }
            let is_moved = !p.moved.is_empty();
            if is_moved { moved_n += 1 } else { unmoved += usize::from(p.prediction == Verdict::Predicted) }
            if std::env::var("D").is_ok() && (p.prediction != Verdict::Predicted || wrong) && (!is_moved || p.prediction == Verdict::Missed && std::env::var("M").is_ok()) {
                println!("{name} line {} {} inf={} {}->{} {:?} exp {:?} asks {:?} {:?} moved {:?} {}", i + 1, p.at, p.inferred, p.current_replicas, p.desired_replicas, p.prediction, p.expected, p.asks_for, p.reasons, p.moved, if wrong { format!("WRONG truth {} at {} ({off:.1})", d.desired, d.at) } else { String::new() });
            }
        }
        let begin = samples[0].captured_at; let end = samples.last().unwrap().captured_at;
        let all = truth.iter().filter(|d| d.at > begin && d.at < end).count();
        println!("{name}: truth {all} passes {n} predicted {ok} inside {inside} missed {missed} none {none} wrong {bad}; moved {moved_n}; unmoved exact {unmoved}/{}", n - moved_n);
        for (a, b) in sum.iter_mut().zip([n, ok, inside, missed, none, moved_n, unmoved, bad]) { *a += b as usize; }
    }
    println!("all: n, ok, inside, missed, none, moved, unmoved exact, wrong {sum:?}");
}
