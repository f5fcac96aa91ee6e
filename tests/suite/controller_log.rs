//! The controller's own log: of one HPA, in every form, from any zone.

use crate::support::flapping;

use hpa_explain::history::{ControllerLog, LoggedPass, LoggedRescale, LoggedUnchanged, Subject};
use jiff::Timestamp;
use proptest::prelude::RngExt;
use proptest::test_runner::{RngAlgorithm, TestRng};

fn at(text: &str) -> Timestamp {
    text.parse().expect("a time")
}

fn subject(time: &str) -> Subject {
    Subject {
        namespace: "flap".to_owned(),
        name: "api".to_owned(),
        target_kind: "Deployment".to_owned(),
        target_name: "api".to_owned(),
        at: at(time),
    }
}

fn read(log: &str, time: &str) -> ControllerLog {
    let logs = ControllerLog::read(log.as_bytes(), vec![subject(time)]);
    logs.expect("text").remove(0)
}

#[test]
fn the_recorded_log_is_read_whole() {
    let log = read(&flapping::controller_log(), "2026-11-20T08:56:00Z");
    assert_eq!(
        log.starts,
        [
            at("2026-11-20T08:00:20.696607Z"),
            at("2026-11-20T08:40:43.960937Z"),
        ]
    );
    assert_eq!(log.passes.len(), 124);
    assert_eq!(log.rescales.len(), 16);
    assert_eq!(log.unchanged.len(), 108);
    assert_eq!(log.errors.len(), 5);
    assert_eq!(log.remarks, Vec::<String>::new());
    let first = LoggedPass {
        at: at("2026-11-20T08:23:36.131793Z"),
        recommendation: 4,
        metric: "cpu resource utilization (percentage of request)".to_owned(),
    };
    assert_eq!(log.passes[0], first);
    let rescale = &log.rescales[0];
    assert_eq!((rescale.from, rescale.to), (4, 8));
    let (from, to) = log.covers.expect("lines");
    assert_eq!(from, at("2026-11-20T08:00:20.541564Z"));
    assert!(to > at("2026-11-20T08:47:00Z"));
}

/// Two passes, the first of which changes the size, in each form.
const NEW: &str = r#"
I1120 08:24:36.100000    9998 horizontal.go:907] "Proposing desired replicas" desiredReplicas=13 metric="cpu" timestamp="2026-11-20 08:24:30 +0000 UTC" scaleTarget="Deployment/flap/api"
I1120 08:24:36.200000    9998 horizontal.go:940] "Successfully rescaled" HPA="flap/api" currentReplicas=4 desiredReplicas=8 reason="cpu above target"
I1120 08:24:51.300000    9998 horizontal.go:907] "Proposing desired replicas" desiredReplicas=8 metric="cpu" timestamp="2026-11-20 08:24:45 +0000 UTC" scaleTarget="Deployment/flap/api"
I1120 08:24:51.400000    9998 horizontal.go:1008] "Decided not to scale" scaleTarget="Deployment/flap/api" desiredReplicas=8 lastScaleTime="2026-11-20 08:24:36 +0000 UTC"
"#;

const OLD: &str = "
I1120 08:24:36.100000    9998 horizontal.go:722] proposing 13 desired replicas (based on cpu from 2026-11-20 08:24:30 +0000 UTC) for Deployment/flap/api
I1120 08:24:36.200000    9998 horizontal.go:758] Successful rescale of api, old size: 4, new size: 8, reason: cpu above target
I1120 08:24:51.300000    9998 horizontal.go:722] proposing 8 desired replicas (based on cpu from 2026-11-20 08:24:45 +0000 UTC) for Deployment/flap/api
I1120 08:24:51.400000    9998 horizontal.go:763] decided not to scale Deployment/flap/api to 8 (last scale time was 2026-11-20 08:24:36 +0000 UTC)
";

const JSON: &str = r#"
{"ts":1795163076100.000,"caller":"horizontal.go:907","msg":"Proposing desired replicas","v":4,"desiredReplicas":13,"metric":"cpu","timestamp":"2026-11-20T08:24:30Z","scaleTarget":"Deployment/flap/api"}
{"ts":1795163076200.000,"caller":"horizontal.go:940","msg":"Successfully rescaled","v":0,"HPA":{"name":"api","namespace":"flap"},"currentReplicas":4,"desiredReplicas":8,"reason":"cpu above target"}
{"ts":1795163091300.000,"caller":"horizontal.go:907","msg":"Proposing desired replicas","v":4,"desiredReplicas":8,"metric":"cpu","timestamp":"2026-11-20T08:24:45Z","scaleTarget":"Deployment/flap/api"}
{"ts":1795163091400.000,"caller":"horizontal.go:1008","msg":"Decided not to scale","v":4,"scaleTarget":"Deployment/flap/api","desiredReplicas":8,"lastScaleTime":""}
"#;

#[test]
fn every_form_and_zone_gives_the_same() {
    let kolkata = NEW
        .replace(" 08:24:36.", " 13:54:36.")
        .replace(" 08:24:51.", " 13:54:51.");
    let pacific = NEW
        .replace(" 08:24:36.", " 00:24:36.")
        .replace(" 08:24:51.", " 00:24:51.");
    let own_zone = kolkata.replace(" 08:24:30 +0000 UTC", " 13:54:30 +0530 IST");
    let runtime: String = NEW
        .lines()
        .filter_map(|line| {
            let seconds = line.get(11..26)?;
            Some(format!(
                "2026-11-20T08:{}Z stderr F {line}\n",
                &seconds[0..12]
            ))
        })
        .collect();
    let others = OLD.replace("flap/api", "shop/api");
    let others = others.replace("I1120 08:24", "I1120 08:23") + NEW;
    let rows = [
        ("text", NEW.to_owned()),
        ("up to 1.26", OLD.to_owned()),
        ("JSON", JSON.to_owned()),
        ("a zone of a half hour", kolkata),
        ("a zone behind UTC", pacific),
        ("times in the host's zone", own_zone),
        ("a container runtime's file", runtime),
        ("another HPA of the name", others),
        (
            "broken lines between",
            NEW.replace('\n', "\npanic: x\n\u{fffd}\n{\n"),
        ),
    ];
    for (form, text) in rows {
        let log = read(&text, "2026-11-20T08:25:00Z");
        let pass = |time, recommendation| LoggedPass {
            at: at(time),
            recommendation,
            metric: "cpu".to_owned(),
        };
        let passes = [
            pass("2026-11-20T08:24:36.1Z", 13),
            pass("2026-11-20T08:24:51.3Z", 8),
        ];
        assert_eq!(log.passes, passes, "{form}");
        let rescale = LoggedRescale {
            at: at("2026-11-20T08:24:36.2Z"),
            from: 4,
            to: 8,
            reason: "cpu above target".to_owned(),
        };
        assert_eq!(log.rescales, [rescale], "{form}");
        let unchanged = LoggedUnchanged {
            at: at("2026-11-20T08:24:51.4Z"),
            replicas: 8,
        };
        assert_eq!(log.unchanged, [unchanged], "{form}");
        assert_eq!(log.remarks, Vec::<String>::new(), "{form}");
    }
}

#[test]
fn a_start_is_said_or_seen_by_a_new_process() {
    let line = |time: &str, process: &str, text: &str| {
        format!("I1120 {time}.000000 {process} x.go:1] {text}\n")
    };
    let start = "\"Starting HPA controller\"";
    let rows = [
        (
            "one process",
            vec![("08:00:00", "9", "x"), ("08:01:00", "9", "x")],
            vec![],
        ),
        (
            "a new process",
            vec![("08:00:00", "9", "x"), ("08:01:00", "7", "x")],
            vec!["2026-11-20T08:01:00Z"],
        ),
        (
            "a new process that starts later",
            vec![
                ("08:00:00", "9", "x"),
                ("08:01:00", "7", "x"),
                ("08:01:05", "7", start),
            ],
            vec!["2026-11-20T08:01:05Z"],
        ),
        (
            "a start of the same process id",
            vec![("08:00:00", "1", start), ("08:01:00", "1", start)],
            vec!["2026-11-20T08:00:00Z", "2026-11-20T08:01:00Z"],
        ),
        (
            "one before, one after the two hours",
            vec![("06:00:00", "1", start), ("08:06:00", "1", start)],
            vec![],
        ),
    ];
    for (case, lines, starts) in rows {
        let lines = lines
            .into_iter()
            .map(|(time, process, text)| line(time, process, text));
        let log = read(&lines.collect::<String>(), "2026-11-20T08:05:00Z");
        let starts: Vec<Timestamp> = starts.into_iter().map(at).collect();
        assert_eq!(log.starts, starts, "{case}");
    }
}

#[test]
fn what_weakens_a_log_is_said() {
    let silent = "it has no recommendation for flap/api in the two hours before \
                  2026-11-20T08:25:00Z; the controller logs them with -v=4";
    let no_zone = NEW.replace(
        "2026-11-20 08:24:30 +0000 UTC",
        "0001-01-01 00:00:00 +0000 UTC",
    );
    let no_zone = no_zone.replace(
        "2026-11-20 08:24:45 +0000 UTC",
        "0001-01-01 00:00:00 +0000 UTC",
    );
    let earlier = NEW.replace("I1120 08:", "I1120 07:");
    let rows = [
        (
            no_zone,
            2,
            vec!["its time zone is unknown and assumed to be UTC"],
        ),
        (
            "I1120 08:24:36.1 9 x.go:1] x".to_owned(),
            0,
            vec!["its time zone is unknown and assumed to be UTC", silent],
        ),
        (
            "nothing\n".to_owned(),
            0,
            vec!["this is not the log of a kube-controller-manager; it is ignored"],
        ),
        (
            String::new(),
            0,
            vec!["this is not the log of a kube-controller-manager; it is ignored"],
        ),
        (
            format!("{}{NEW}", NEW.replace("I1120 08:24", "I1120 08:29")),
            2,
            vec!["its times go backward; everything before the jump is ignored"],
        ),
        (
            NEW.replace("1120", "1119").replace("11-20", "11-19"),
            0,
            vec![silent],
        ),
        (earlier.replace(" 08:24:", " 07:24:"), 2, vec![]),
    ];
    for (text, passes, remarks) in rows {
        let log = read(&text, "2026-11-20T08:25:00Z");
        assert_eq!(log.passes.len(), passes, "{text}");
        assert_eq!(log.remarks, remarks, "{text}");
    }
}

#[test]
fn one_reading_serves_several() {
    let text = NEW.to_owned()
        + &NEW
            .replace("flap/api", "flap/web")
            .replace("1120 08:2", "1120 08:3");
    let web = Subject {
        name: "web".to_owned(),
        target_name: "web".to_owned(),
        ..subject("2026-11-20T08:40:00Z")
    };
    let subjects = vec![subject("2026-11-20T08:24:40Z"), web];
    let logs = ControllerLog::read(text.as_bytes(), subjects).expect("text");
    let passes: Vec<Vec<i32>> = logs
        .iter()
        .map(|log| log.passes.iter().map(|pass| pass.recommendation).collect())
        .collect();
    assert_eq!(passes, [vec![13], vec![13, 8]]);
}

/// Whatever a log holds, reading it ends, keeps a bounded part, and does not
/// panic.
#[test]
fn hostile_logs_do_no_harm() {
    let recorded = flapping::controller_log();
    let mut rng = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let mut passes = 0;
    for _ in 0..200 {
        let mut text = recorded.clone().into_bytes();
        for _ in 0..50 {
            let at = rng.random_range(0..text.len());
            text[at] = rng.random();
        }
        let subjects = vec![subject("2026-11-20T08:56:00Z")];
        let logs = ControllerLog::read(text.as_slice(), subjects).expect("a log");
        passes += logs[0].passes.len();
    }
    assert!(passes > 10_000, "{passes}");
    let many = NEW.repeat(30_000);
    let log = read(&many, "2026-11-20T08:25:00Z");
    assert!(log.passes.len() < 20_001, "{}", log.passes.len());
    let endless = "I1120 ".repeat(100_000);
    assert_eq!(read(&endless, "2026-11-20T08:25:00Z").passes, []);
}
