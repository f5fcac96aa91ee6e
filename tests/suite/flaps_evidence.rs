//! What `flaps` takes for evidence: histories of the folder `tests/flaps`,
//! each with one thing about it changed.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::support::binary::{run, stderr, stdout};

/// What is changed about a history.
type Change = fn(&mut Value);

/// What lies in the load is told by its arithmetic, which has tests of its own.
const OF_THE_LOAD: [&str; 2] = ["metric-noise", "short-window"];

/// A history with a change, and what is found in it: the state, the
/// mechanisms beside those of the load, and parts of the text.
struct Row {
    shows: &'static str,
    history: &'static str,
    change: Change,
    state: &'static str,
    mechanisms: &'static [&'static str],
    says: &'static [&'static str],
}

/// The snapshot of a history.
fn snapshot(name: &str) -> Value {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let path = root.join("tests/flaps").join(name).join("snapshot.yaml");
    let text = fs::read_to_string(&path).expect("a snapshot");
    serde_yaml::from_str(&text).expect("YAML")
}

/// What is printed of a snapshot: the document, and the text in one line.
fn judged(snapshot: &Value, arguments: &[&str]) -> (Value, String) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("snapshot.json");
    fs::write(&path, snapshot.to_string()).expect("writable");
    let path = path.to_string_lossy();
    let mut all = vec!["flaps", "--snapshot", &path];
    all.extend(arguments);
    let text = run(Path::new("/dev/null"), &all);
    all.extend(["-o", "json"]);
    let output = run(Path::new("/dev/null"), &all);
    assert!(output.status.success(), "{}", stderr(&output));
    let document = serde_json::from_slice(&output.stdout).expect("JSON");
    let words: Vec<&str> = stdout(&text).split_whitespace().collect();
    (document, words.join(" "))
}

fn hold(rows: &[Row], count: usize) {
    for row in rows {
        let mut snapshot = snapshot(row.history);
        (row.change)(&mut snapshot);
        let (document, text) = judged(&snapshot, &[]);
        let (item, shows) = (&document["items"][0], row.shows);
        assert_eq!(item["state"], row.state, "{shows}: {text}");
        let kinds = item["mechanisms"].as_array().into_iter().flatten();
        let kinds = kinds.filter_map(|it| it["kind"].as_str());
        let kinds: Vec<&str> = kinds.filter(|kind| !OF_THE_LOAD.contains(kind)).collect();
        assert_eq!(kinds, row.mechanisms, "{shows}: {text}");
        for says in row.says {
            assert!(text.contains(says), "{shows}: {says}\n{text}");
        }
    }
    assert_eq!(rows.len(), count);
}

/// No event and no status has a change.
fn remembered_alone(snapshot: &mut Value) {
    snapshot["events"] = json!([]);
    snapshot["horizontalPodAutoscaler"]["status"]["lastScaleTime"] = Value::Null;
    snapshot["history"] = json!({"scaleUpEvents": [
        {"timestamp": "2026-11-20T09:26:00Z", "replicaChange": 2}]});
}

fn about_all_events(snapshot: &mut Value, about: &Value) {
    for event in snapshot["events"].as_array_mut().into_iter().flatten() {
        event["involvedObject"] = about.clone();
    }
}

fn of_another_deployment(snapshot: &mut Value) {
    for set in snapshot["replicaSets"].as_array_mut().into_iter().flatten() {
        set["metadata"]["ownerReferences"][0]["name"] = json!("other");
    }
}

#[test]
fn what_is_about_another_object_is_none_of_the_hpas() {
    const HPA: &str = "HorizontalPodAutoscaler";
    let rows = [
        Row {
            shows: "events of this HPA",
            history: "window-single",
            change: |it| {
                let about = json!({"kind": HPA, "name": "web", "namespace": "shop"});
                about_all_events(it, &about);
            },
            state: "flapping",
            mechanisms: &[],
            says: &["at least 5 times"],
        },
        Row {
            shows: "events of another HPA of the namespace",
            history: "window-single",
            change: |it| about_all_events(it, &json!({"kind": HPA, "name": "other"})),
            state: "unknown",
            mechanisms: &[],
            says: &["status.lastScaleTime shows a change 2m ago"],
        },
        Row {
            shows: "events of an HPA of that name elsewhere",
            history: "window-single",
            change: |it| {
                about_all_events(it, &json!({"kind": HPA, "name": "web", "namespace": "x"}));
            },
            state: "unknown",
            mechanisms: &[],
            says: &["status.lastScaleTime shows a change 2m ago"],
        },
        Row {
            shows: "a change that only the controller's memory has",
            history: "window-single",
            change: remembered_alone,
            state: "calm",
            mechanisms: &[],
            says: &["the controller's memory has a last change at 09:26:00 (4m ago)"],
        },
        Row {
            shows: "rollouts of another Deployment with the same labels",
            history: "surge",
            change: of_another_deployment,
            state: "flapping",
            mechanisms: &[],
            says: &["at least 5 times"],
        },
    ];
    hold(&rows, 5);
}

/// What becomes of a line of the log.
type Line = fn(&str) -> Option<String>;

/// A log: what is wrong with it, how many changes have a moment and how many
/// have none, and parts of the text.
type Cut = (&'static str, Line, (u64, u64), &'static [&'static str]);

/// The controller's log of `window-log`, of which some lines are left out or
/// changed.
fn logged(change: Line) -> (Value, String) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let path = root.join("tests/flaps/window-log/controller.log");
    let text = fs::read_to_string(path).expect("a log");
    let lines: Vec<String> = text.lines().filter_map(change).collect();
    let log = tempfile::NamedTempFile::new().expect("a file");
    fs::write(log.path(), lines.join("\n")).expect("writable");
    let path = log.path().to_string_lossy().into_owned();
    judged(&snapshot("window-log"), &["--controller-log", &path])
}

/// The time of the day that a line of the log begins with.
fn time(line: &str) -> &str {
    line.split(' ').nth(1).unwrap_or_default()
}

/// Six rescales, of which events tell as well: a log with holes takes none of
/// them back, and none is counted twice.
#[test]
fn what_events_tell_is_not_taken_back_by_a_log_with_holes() {
    let whole: Line = |line| Some(line.to_owned());
    let rows: [Cut; 5] = [
        (
            "whole",
            whole,
            (6, 0),
            &["changes before 08:50:00 may be missing"],
        ),
        (
            "without the rescales",
            |line| (!line.contains("Successfully")).then(|| line.to_owned()),
            (4, 2),
            &["it lacks 6 rescales that events show"],
        ),
        (
            "without a quarter of an hour",
            |line| (!("09:10".."09:26").contains(&time(line))).then(|| line.to_owned()),
            (4, 2),
            &[
                "changes before 09:23:00 may be missing",
                "the controller's log has gaps; the last one ended 3m59s ago",
            ],
        ),
        (
            "with sizes that are no number",
            |line| {
                let is_rise = line.contains("Successfully") && line.contains("desiredReplicas=8");
                let broken = line.replace("desiredReplicas=8", "desiredReplicas=99999999999");
                Some(if is_rise { broken } else { line.to_owned() })
            },
            (5, 1),
            &["the controller's log has gaps"],
        ),
        (
            "of another HPA",
            |line| Some(line.replace("shop/web", "shop/other")),
            (4, 2),
            &["changes before 09:23:00 may be missing"],
        ),
    ];
    for (what, cut, (with, without), says) in rows {
        let (document, text) = logged(cut);
        let item = &document["items"][0];
        assert_eq!(item["state"], "flapping", "{what}: {text}");
        let told = &item["told"];
        let moments = (told["withMoment"].as_u64(), told["withoutMoment"].as_u64());
        assert_eq!(moments, (Some(with), Some(without)), "{what}: {text}");
        assert_eq!(item["swing"]["reversals"]["from"], 5, "{what}: {text}");
        for says in says {
            assert!(text.contains(says), "{what}: {says}\n{text}");
        }
    }
}

/// Moves the events of a history back, and leaves one change of now.
fn over_but_for_one_rise(it: &mut Value) {
    for event in it["events"].as_array_mut().into_iter().flatten() {
        for field in ["firstTimestamp", "lastTimestamp"] {
            let earlier = event[field].as_str().map(|at| at.replace("T09:", "T08:"));
            event[field] = json!(earlier);
        }
    }
    let rise = json!({"reason": "SuccessfulRescale", "type": "Normal", "count": 1,
        "firstTimestamp": "2026-11-20T09:28:00Z", "lastTimestamp": "2026-11-20T09:28:00Z",
        "message": "New size: 8; reason: external metric queue(nil) above target"});
    it["events"].as_array_mut().expect("events").push(rise);
    of_size(it, 8);
}

/// Each change twelve minutes after the one before it.
fn slower(it: &mut Value) {
    let events = it["events"].as_array_mut().into_iter().flatten();
    for (event, minute) in events.zip(["00", "12", "24", "36", "48", "58"]) {
        for field in ["firstTimestamp", "lastTimestamp"] {
            event[field] = json!(format!("2026-11-20T08:{minute}:00Z"));
        }
    }
    it["capturedAt"] = json!("2026-11-20T08:59:00Z");
    it["horizontalPodAutoscaler"]["status"]["lastScaleTime"] = json!("2026-11-20T08:58:00Z");
    it["horizontalPodAutoscaler"]["metadata"]["managedFields"][0]["time"] =
        json!("2026-11-20T08:58:50Z");
}

#[test]
fn what_is_over_or_too_slow_is_said_to_be() {
    let rows = [
        Row {
            shows: "a pause, and then one rise",
            history: "window-single",
            change: over_but_for_one_rise,
            state: "calm",
            mechanisms: &[],
            says: &[
                "This HPA is not flapping now. It flapped until 1h2m ago: the size reversed at least 5 \
                 times in 25m, between 4 and 8",
                "7 changes on record",
            ],
        },
        Row {
            shows: "turns that are further apart than the rule allows",
            history: "window-single",
            change: slower,
            state: "calm",
            mechanisms: &[],
            says: &["between 4 and 8: 11m36s apart; it counts as flapping only within 10m."],
        },
    ];
    hold(&rows, 2);
}

fn in_a_list(it: &mut Value) {
    it["events"] = json!({"kind": "List", "items": it["events"]});
}

fn an_hour_later(it: &mut Value) {
    it["events"] = json!([]);
    it["capturedAt"] = json!("2026-11-20T10:30:00Z");
    it["horizontalPodAutoscaler"]["metadata"]["managedFields"][0]["time"] =
        json!("2026-11-20T10:29:50Z");
}

fn ahead(it: &mut Value) {
    it["capturedAt"] = json!("2026-11-20T09:17:00Z");
    it["horizontalPodAutoscaler"]["metadata"]["managedFields"][0]["time"] =
        json!("2026-11-20T09:16:50Z");
}

fn below_zero(it: &mut Value) {
    it["events"][5]["message"] = json!("New size: -4; reason: All metrics below target");
    it["scale"]["response"]["spec"]["replicas"] = json!(-8);
}

#[test]
fn missing_and_impossible_events_are_told() {
    const MISSING: &str =
        "Cannot tell: events are missing (status.lastScaleTime shows a change 2m ago";
    let rows = [
        Row {
            shows: "the field is absent",
            history: "window-single",
            change: |it| drop(it.as_object_mut().and_then(|it| it.remove("events"))),
            state: "unknown",
            mechanisms: &[],
            says: &[MISSING, "changes before 09:27:47 may be missing"],
        },
        Row {
            shows: "the field is null",
            history: "window-single",
            change: |it| it["events"] = Value::Null,
            state: "unknown",
            mechanisms: &[],
            says: &[MISSING],
        },
        Row {
            shows: "there are none, but the last change is too long ago to be told",
            history: "window-single",
            change: an_hour_later,
            state: "calm",
            mechanisms: &[],
            says: &["the size changed once, 1h2m ago", "complete"],
        },
        Row {
            shows: "a List, as kubectl prints it",
            history: "window-single",
            change: in_a_list,
            state: "flapping",
            mechanisms: &[],
            says: &["at least 5 times"],
        },
        Row {
            shows: "stamps from the future",
            history: "window-single",
            change: ahead,
            state: "calm",
            mechanisms: &[],
            says: &["ignored 3 events up to 11m in the future: the clocks differ"],
        },
        Row {
            shows: "sizes below zero",
            history: "window-single",
            change: below_zero,
            state: "flapping",
            mechanisms: &[],
            says: &[
                "ignored 1 event without a valid new size",
                "the scale shows -8 replicas, which is impossible; it is ignored",
            ],
        },
        Row {
            shows: "an event that has the reason of a rescale, and other words",
            history: "window-single",
            change: |it| it["events"][5]["message"] = json!("Rescaled to 4 by a script"),
            state: "flapping",
            mechanisms: &[],
            says: &["ignored 1 event without a valid new size"],
        },
    ];
    hold(&rows, 7);
    for (events, says) in [
        (json!("x"), "events: must be an array or a List"),
        (json!({}), "events: the field `items` is missing"),
        (json!([{"count": 1e12}]), "events[0].count: must be"),
    ] {
        let mut it = snapshot("window-single");
        it["events"] = events;
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("snapshot.json");
        fs::write(&path, it.to_string()).expect("writable");
        let path = path.to_string_lossy();
        let output = run(Path::new("/dev/null"), &["flaps", "--snapshot", &path]);
        assert!(stderr(&output).contains(says), "{}", stderr(&output));
        assert_eq!(output.status.code(), Some(1), "{says}");
    }
}

/// An event of the HPA.
fn rescale(at: &str, size: i32, why: &str) -> Value {
    let message = format!("New size: {size}; reason: {why}");
    json!({"reason": "SuccessfulRescale", "type": "Normal", "count": 1, "message": message,
        "firstTimestamp": at, "lastTimestamp": at})
}

/// An event of the Deployment.
fn scaled(at: &str, from: i32, to: i32) -> Value {
    let way = if to > from { "up" } else { "down" };
    let message = format!("Scaled {way} replica set web-1 from {from} to {to}");
    let about = json!({"kind": "Deployment", "name": "web"});
    json!({"reason": "ScalingReplicaSet", "type": "Normal", "count": 1, "message": message,
        "involvedObject": about, "firstTimestamp": at, "lastTimestamp": at})
}

fn reworded(it: &mut Value, from: &str, to: &str) {
    for event in it["events"].as_array_mut().into_iter().flatten() {
        let message = event["message"].as_str().unwrap_or_default();
        event["message"] = json!(message.replace(from, to));
    }
}

fn five_for_six(it: &mut Value) {
    reworded(it, "New size: 6", "New size: 5");
    of_size(it, 5);
}

/// The size of now.
fn of_size(it: &mut Value, size: i32) {
    let status = &mut it["horizontalPodAutoscaler"]["status"];
    status["currentReplicas"] = json!(size);
    status["desiredReplicas"] = json!(size);
    let scale = &mut it["scale"]["response"];
    scale["spec"]["replicas"] = json!(size);
    scale["status"]["replicas"] = json!(size);
}

fn of_cpu(it: &mut Value) {
    let target = json!({"type": "Utilization", "averageUtilization": 50});
    it["horizontalPodAutoscaler"]["spec"]["metrics"] =
        json!([{"type": "Resource", "resource": {"name": "cpu", "target": target}}]);
    reworded(it, "external metric queue(nil)", "cpu resource utilization");
}

#[test]
fn a_mechanism_is_named_by_sizes_that_it_explains() {
    let rows = [
        Row {
            shows: "rises by a surge, of a metric that adopts it",
            history: "surge",
            change: |_| (),
            state: "flapping",
            mechanisms: &["rollout-surge"],
            says: &[
                "2 of 3 rises came right after a rollout began and were no larger than its surge",
            ],
        },
        Row {
            shows: "rises right after rollouts to twice the size",
            history: "surge",
            change: |it| reworded(it, "New size: 12", "New size: 20"),
            state: "flapping",
            mechanisms: &[],
            says: &["between 10 and 20"],
        },
        Row {
            shows: "cpu, which takes no size from the status",
            history: "surge",
            change: of_cpu,
            state: "flapping",
            mechanisms: &[],
            says: &["between 10 and 12"],
        },
        Row {
            shows: "sizes that are KEDA's fallback",
            history: "keda-fallback-flaps",
            change: |_| (),
            state: "flapping",
            mechanisms: &["keda-fallback"],
            says: &["the size went to 6 4 times"],
        },
        Row {
            shows: "a fallback to which the size never went",
            history: "keda-fallback-flaps",
            change: five_for_six,
            state: "flapping",
            mechanisms: &[],
            says: &["between 5 and 12"],
        },
    ];
    hold(&rows, 5);
}

/// Noise each minute, and twice somebody sets a third of the size.
fn noise_and_resets(it: &mut Value) {
    let mut events = Vec::new();
    for minute in 0..28 {
        let (size, why) = match minute % 2 {
            0 => (12, "external metric queue(nil) above target"),
            _ => (11, "All metrics below target"),
        };
        let at = format!("2026-11-20T09:{minute:02}:00Z");
        events.push(rescale(&at, size, why));
        if minute % 10 == 9 {
            let at = format!("2026-11-20T09:{minute:02}:30Z");
            events.push(scaled(&at, 11, 4));
        }
    }
    events.push(rescale(
        "2026-11-20T09:28:00Z",
        4,
        "All metrics below target",
    ));
    it["events"] = json!(events);
    // One client tells of all: nobody else has led since.
    let lease = json!({"acquireTime": "2026-11-20T00:00:00Z", "renewTime": "2026-11-20T09:29:58Z"});
    it["controllerLease"] = json!({"spec": lease});
}

/// KEDA takes its target to 0 and back, and the HPA does nothing.
fn activated_by_keda(it: &mut Value) {
    let own = snapshot("keda-fallback-flaps");
    let metadata = &own["horizontalPodAutoscaler"]["metadata"];
    it["horizontalPodAutoscaler"]["metadata"] = metadata.clone();
    let status = &mut it["horizontalPodAutoscaler"]["status"];
    status["lastScaleTime"] = Value::Null;
    of_size(it, 1);
    let events = (0..6).map(|turn| {
        let at = format!("2026-11-20T09:{:02}:00Z", 4 * turn + 4);
        if turn % 2 == 0 {
            scaled(&at, 1, 0)
        } else {
            scaled(&at, 0, 1)
        }
    });
    it["events"] = events.collect();
}

/// Without `behavior`, the highest recommendation of the window is taken up
/// again whenever somebody has set a lower size.
fn taken_up_again(it: &mut Value) {
    it["horizontalPodAutoscaler"]["spec"]["behavior"] = Value::Null;
    let events = ["03", "08", "13", "18", "23", "28"];
    let events = events.map(|minute| {
        let at = format!("2026-11-20T09:{minute}:00Z");
        rescale(&at, 4, "All metrics below target")
    });
    it["events"] = json!(events);
}

/// The schedule of `bounds-edited` with the bound of now: no edit is proven.
fn beyond_the_bound_of_now(it: &mut Value) {
    it["horizontalPodAutoscaler"]["spec"]["minReplicas"] = json!(10);
}

#[test]
fn whoever_moves_the_size_is_told_by_what_he_does() {
    let rows = [
        Row {
            shows: "two writes of thirty, which move a third of the pods",
            history: "window-single",
            change: noise_and_resets,
            state: "flapping",
            mechanisms: &["another-writer"],
            says: &["something other than the HPA set the size of Deployment/web 2 times"],
        },
        Row {
            shows: "KEDA's activation",
            history: "window-single",
            change: activated_by_keda,
            state: "calm",
            mechanisms: &[],
            says: &["KEDA scaled to 0 3 times", "no flapping"],
        },
        Row {
            shows: "a reason that is no direction",
            history: "window-single",
            change: taken_up_again,
            state: "flapping",
            mechanisms: &["another-writer"],
            says: &["6 times to 4 and never away from it", "at least 5 times"],
        },
        Row {
            shows: "a bound that was edited, and by whom",
            history: "bounds-edited",
            change: |_| (),
            state: "flapping",
            mechanisms: &["edited-bounds"],
            says: &[
                "cron-hpa-controller edits minReplicas",
                "3 times to 10, which was minReplicas then; it is 4 now",
            ],
        },
        Row {
            shows: "a size below a bound that is what it was",
            history: "bounds-edited",
            change: beyond_the_bound_of_now,
            state: "flapping",
            mechanisms: &["another-writer"],
            says: &["3 times because the size was outside the bounds"],
        },
    ];
    hold(&rows, 5);
}

/// A record's line of a moment.
fn sample(snapshot: &Value, at: &str) -> Value {
    let mut sample = json!({"t": at, "full": true, "serverVersion": snapshot["serverVersion"]});
    for part in [
        "horizontalPodAutoscaler",
        "scale",
        "metrics",
        "events",
        "target",
    ] {
        sample[part] = snapshot[part].clone();
    }
    sample
}

/// The HPA takes the size over at its next rescale, and the name of the writer
/// before it with it: only an earlier sample has it.
#[test]
fn a_writer_is_named_by_an_earlier_sample_of_a_record() {
    let now = snapshot("writer-unseen");
    let mut earlier = now.clone();
    let status = &mut earlier["horizontalPodAutoscaler"]["status"];
    status["lastScaleTime"] = json!("2026-11-20T09:12:00Z");
    status["currentReplicas"] = json!(5);
    earlier["scale"]["response"]["spec"]["replicas"] = json!(5);
    earlier["target"] = json!({"apiVersion": "apps/v1", "kind": "Deployment",
        "metadata": {"name": "web", "namespace": "shop",
            "creationTimestamp": "2026-11-01T00:00:00Z",
            "managedFields": [{"manager": "argocd-controller", "operation": "Update",
                "time": "2026-11-20T09:14:57Z", "fieldsV1": {"f:spec": {"f:replicas": {}}}}]},
        "spec": {"replicas": 5}, "status": {"replicas": 5}});
    let header = json!({"kind": "Record", "apiVersion": "hpa-explain/v1", "namespace": "shop",
        "horizontalPodAutoscaler": "web", "recordedAt": "2026-11-20T09:15:00Z"});
    let lines = [
        header,
        sample(&earlier, "2026-11-20T09:15:00Z"),
        sample(&now, "2026-11-20T09:29:55Z"),
    ];
    let lines = lines.map(|line| line.to_string());
    let record = tempfile::NamedTempFile::new().expect("a file");
    fs::write(record.path(), lines.join("\n")).expect("writable");
    let path = record.path().to_string_lossy().into_owned();
    let nameless = "another writer may set the size of Deployment/web";
    let (_, text) = judged(&now, &[]);
    assert!(text.contains(nameless), "{text}");
    let (_, text) = judged(&now, &["--history", &path]);
    assert!(!text.contains(nameless), "{text}");
    assert!(
        text.contains("Argo CD (argocd-controller), not the HPA, set the size of"),
        "{text}"
    );
}

/// KEDA's fallback looks like a load that comes and goes, where the HPA can have
/// one.
#[test]
fn a_fallback_looks_alike_where_there_can_be_one() {
    const METADATA: &str = "/horizontalPodAutoscaler/metadata";
    let owner = json!([{"apiVersion": "keda.sh/v1alpha1", "kind": "ScaledObject", "name": "web"}]);
    let object = |spec: Value| json!({"metadata": {"name": "web"}, "spec": spec});
    let fallback = json!({"fallback": {"failureThreshold": 3, "replicas": 6}});
    let rows: [(&str, &str, Value, bool); 6] = [
        ("not by KEDA", "/other", Value::Null, false),
        ("a fallback", "/scaledObject", object(fallback), true),
        ("no fallback", "/scaledObject", object(json!({})), false),
        ("its owner is not there", "/ownerReferences", owner, true),
        (
            "its label alone tells",
            "/labels",
            json!({"app.kubernetes.io/managed-by": "keda-operator",
                "scaledobject.keda.sh/name": "web"}),
            true,
        ),
        (
            "another label",
            "/labels",
            json!({"app.kubernetes.io/managed-by": "Helm"}),
            false,
        ),
    ];
    for (shows, place, value, is_alike) in &rows {
        let mut snapshot = snapshot("window-single");
        let part = place.trim_start_matches('/');
        if part == "scaledObject" {
            snapshot[part] = value.clone();
        } else {
            let metadata = snapshot.pointer_mut(METADATA).expect("metadata");
            metadata[part] = value.clone();
        }
        let (document, text) = judged(&snapshot, &[]);
        let mechanism = &document["items"][0]["mechanisms"][0];
        assert_eq!(mechanism["kind"], "short-window", "{shows}: {text}");
        let told = &mechanism["alike"];
        let expected = if *is_alike {
            json!(["keda-fallback", "metric-noise"])
        } else {
            json!(["metric-noise"])
        };
        assert_eq!(*told, expected, "{shows}: {text}");
        assert_eq!(
            text.contains("KEDA's fallback"),
            *is_alike,
            "{shows}: {text}"
        );
    }
    assert_eq!(rows.len(), 6);
}
