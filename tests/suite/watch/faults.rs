//! 200 passes, with everything in between that can go wrong.

use std::time::Duration;

use serde_json::Value;

use crate::support::apiserver::{ApiServer, Fault, Interrupt};
use crate::watch::process::Process;
use crate::watch::world::{HPAS, World};

/// How many passes there are between two faults.
const BETWEEN: u32 = 20;

/// What goes wrong, after which the watch is asked for again.
type Wrong = fn(&mut World);

const FAULTS: [(&str, Wrong); 9] = [
    ("the server ends the watch", |world| {
        interrupt(world, Interrupt::End);
    }),
    ("the watch is cut off within a line", |world| {
        interrupt(world, Interrupt::Cut);
    }),
    ("the connection breaks off", |world| {
        interrupt(world, Interrupt::Break);
    }),
    ("the watch says 500", |world| {
        interrupt(world, Interrupt::Failed);
    }),
    ("the watch says 410", |world| {
        interrupt(world, Interrupt::Expired);
    }),
    ("everything is answered with 500", |world| {
        let fault = world.server.fault("/", Fault::Status(500));
        interrupt(world, Interrupt::End);
        world.run(3);
        world.server.lift(fault);
    }),
    ("nothing is answered in time", |world| {
        let fault = world
            .server
            .fault("/", Fault::Latency(Duration::from_secs(3)));
        interrupt(world, Interrupt::End);
        world.run(8);
        world.server.lift(fault);
    }),
    ("answers are cut off", |world| {
        let fault = world.server.fault("/", Fault::Truncated);
        world.run(3);
        world.server.lift(fault);
        interrupt(world, Interrupt::End);
    }),
    ("what was written is no longer kept", |world| {
        let fault = world.server.fault(HPAS, Fault::Status(503));
        interrupt(world, Interrupt::End);
        let written = world.written.len();
        while world.written.len() == written {
            world.run(1);
        }
        world.server.compact();
        world.server.lift(fault);
    }),
];

fn interrupt(world: &World, interrupt: Interrupt) {
    assert_eq!(world.server.interrupt(interrupt), 1, "{interrupt:?}");
}

#[test]
#[expect(clippy::print_stdout, reason = "what was measured is to be read")]
fn nothing_is_lost_in_200_passes_with_faults() {
    let mut world = World::start();
    let before = world.written.len();
    let kubeconfig = world.kubeconfig();
    let process = Process::watch(&kubeconfig, &["-o", "json", "--request-timeout=300ms"]);
    world.wait_until("a watch", |server| World::watches(server) == 1);
    let mut memory = Vec::new();
    for (number, (what, fault)) in FAULTS.iter().enumerate() {
        world.run(BETWEEN);
        memory.push(process.memory());
        let watches = World::watches(&world.server);
        fault(&mut world);
        // Only the newest of what was written before a list is seen.
        world.wait_until(what, |server| World::watches(server) > watches);
        assert_eq!(memory.len(), number + 1);
    }
    world.run(200_u32.saturating_sub(world.passes()));
    assert!(world.passes() >= 200);
    memory.push(process.memory());
    wait_for(&mut world, &process);
    process.signal("INT");
    let (status, lines, complaints) = process.end();
    assert_eq!(status.code(), Some(0), "{complaints:?}");

    let documents: Vec<Value> = lines.iter().map(|line| document(line)).collect();
    let of_kind = |kind: &'static str| documents.iter().filter(move |it| it["kind"] == *kind);
    let passes: Vec<&Value> = of_kind("Pass").collect();
    let seen = passes.iter().filter(|pass| pass["inferred"] == false);
    let seen: Vec<&str> = seen
        .map(|pass| pass["at"].as_str().expect("a time"))
        .collect();
    let written: Vec<String> = world.written.iter().map(ToString::to_string).collect();
    assert_eq!(seen, written[before..], "each written status, once");
    assert!(passes.len() > seen.len(), "some wrote nothing");

    let gaps: Vec<&str> = of_kind("Gap")
        .map(|gap| gap["message"].as_str().expect("a message"))
        .collect();
    let said = |text: &str| gaps.iter().filter(|gap| gap.contains(text)).count();
    assert!(said("the watch was interrupted") >= 5, "{gaps:#?}");
    assert!(said("no sample") >= 2, "{gaps:#?}");
    assert_eq!(said("may be lost"), 2, "{gaps:#?}");
    assert!(said("within 0.3s") >= 1, "{gaps:#?}");
    let ends = of_kind("GapEnd").count();
    let without_end = said("may be lost") + said("no sample for");
    assert_eq!(ends + without_end, gaps.len(), "each gap ends");

    let [.., summary, predictions] = complaints.as_slice() else {
        panic!("no summary: {complaints:?}");
    };
    let inferred = passes.len() - seen.len();
    let expected = format!(
        "{} passes ({inferred} inferred), {} gaps",
        passes.len(),
        gaps.len()
    );
    assert_eq!(*summary, expected);
    let marked = |mark: &str| passes.iter().filter(|it| it["prediction"] == *mark).count();
    let marks = ["predicted", "inside", "missed", "noSample"].map(marked);
    let [predicted, inside, missed, without] = marks;
    assert_eq!(
        *predictions,
        format!(
            "{predicted} predicted, {inside} inside the range, {missed} missed, \
             {without} without a sample"
        )
    );
    // On a machine that has other work, a sample comes late now and then.
    assert!(predicted + inside > 100 && missed < 20, "{predictions}");
    println!("{summary}\n{predictions}\npages of memory: {memory:?}");
    let (early, last) = (memory[2], memory[memory.len() - 1]);
    assert!(last < early + early / 10, "memory grows: {memory:?}");
}

/// Waits until the last write is printed.
fn wait_for(world: &mut World, process: &Process) {
    let last = world.written.last().expect("a write").to_string();
    world.wait_until("the last write", |_: &ApiServer| {
        let lines = process.lines();
        lines.iter().any(|line| document(line)["at"] == *last)
    });
}

fn document(line: &str) -> Value {
    serde_json::from_str(line).expect("a JSON document a line")
}
