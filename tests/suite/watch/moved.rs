//! Inputs that move between the sample that comes just before a pass and the pass.

use jiff::Timestamp;
use serde_json::{Value, json};

use crate::watch::process::Process;
use crate::watch::world::World;

/// Slow enough for a sample and a move in the two seconds before a pass: a period
/// takes 750 ms.
const RATE: u32 = 20;

/// What is used long before each pass, and when it runs.
const LOADS: [[i64; 2]; 14] = [
    [250, 250],
    [270, 270],
    [300, 300],
    [280, 330],
    [310, 310],
    [240, 300],
    [330, 330],
    [250, 250],
    [290, 410],
    [350, 350],
    [420, 420],
    [300, 250],
    [260, 260],
    [350, 350],
];

#[test]
#[expect(clippy::print_stdout, reason = "what was measured is to be read")]
fn what_stays_is_foreseen_and_what_moves_is_told() {
    let mut world = World::start_at(RATE);
    let process = Process::watch_at(RATE, &world.kubeconfig(), &["-o", "json"]);
    world.wait_until("a watch", |server| World::watches(server) == 1);
    let played = LOADS.map(|loads| world.run_on(loads));
    let passes = || -> Vec<Value> {
        let lines = process.lines().into_iter();
        let documents = lines.map(|line| serde_json::from_str(&line).expect("JSON"));
        documents
            .filter(|it: &Value| it["kind"] == "Pass")
            .collect()
    };
    let at = |pass: &Value| -> Timestamp {
        let at = pass["at"].as_str().expect("a time");
        at.parse().expect("a time")
    };
    let last = played[played.len() - 1].at;
    world.wait_until("the last pass", |_| {
        passes().iter().any(|it| at(it) == last)
    });
    let passes = passes();
    let [mut sampled, mut still, mut moved] = [0; 3];
    // At first it is not known when passes are, nor what was recommended before.
    for (played, loads) in played.iter().zip(LOADS).skip(3) {
        let is_this = |it: &&Value| at(it) == played.at;
        let pass = passes.iter().find(is_this).expect("a pass");
        // Where this machine has other work, a sample comes late.
        if !played.is_sampled {
            continue;
        }
        sampled += 1;
        let [before, after] = played.utilization;
        if loads[0] == loads[1] {
            assert_eq!(pass["prediction"], "predicted", "{pass:#}");
            assert_eq!(pass.get("moved"), None, "{pass:#}");
            still += 1;
        } else {
            let what = format!("cpu changed from {before}% to {after}%");
            assert_eq!(pass["moved"], json!([what]), "{pass:#}");
            moved += 1;
        }
    }
    println!("a sample just before {sampled} of 11 passes: {still} still, {moved} moved");
    assert!(sampled >= 8, "{sampled}");
    assert!(still >= 4 && moved >= 2, "{still} still, {moved} moved");
    process.signal("INT");
    let (status, _, complaints) = process.end();
    assert_eq!(status.code(), Some(0), "{complaints:?}");
}
