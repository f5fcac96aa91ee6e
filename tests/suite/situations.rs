//! The three situations that the documentation prints: every number in them,
//! and what would be if they were a little different.

mod altered;
use crate::demos::common;

use altered::{add_samples, remembered, resize, set_first_policy, set_usage, start_all};
use common::{decide, demo, explain, proposal};
use hpa_explain::api::PolicyKind;
use hpa_explain::document::snapshot::{History, Recommendation, ScaleEvent};
use hpa_explain::trace::{Trace, milli_text};
use jiff::{Timestamp, ToSpan};

/// The pods that give no number.
const STUCK: [&str; 3] = ["web-7c9d4f-t5hjr", "web-7c9d4f-x2k4p", "web-7c9d4f-m8wqz"];

#[test]
fn slowed_by_policy_has_every_number() {
    let mut snapshot = demo("slowed-by-policy");
    let trace = explain(&snapshot);
    assert_eq!(measured(&trace, 0), "150% 2.50 12 of 12");
    assert_eq!(measured(&trace, 1), "18 1.80 12 of 12");
    let limit = trace.limit.as_ref().expect("a limit");
    let policies = limit.policies.iter().map(|policy| {
        let (kind, value, period) = (policy.kind, policy.value, policy.period_seconds);
        let numbers = (policy.added, policy.period_start, policy.limit);
        (kind, value, period, numbers, policy.selected)
    });
    let want = [
        (PolicyKind::Pods, 4, 60, (2, 10, 14), true),
        (PolicyKind::Percent, 10, 60, (2, 10, 11), false),
    ];
    assert_eq!(policies.collect::<Vec<_>>(), want);
    assert_eq!(
        (trace.bounds.min_replicas, trace.bounds.max_replicas),
        (4, 40)
    );

    set_first_policy(&mut snapshot, 20);
    assert_eq!(decide(&explain(&snapshot)), "12 -> 30");

    // The coming passes under the same load.
    let mut snapshot = demo("slowed-by-policy");
    let mut sizes = Vec::new();
    for _ in 0..40 {
        let trace = explain(&snapshot);
        if trace.outcome.rescale == Some(true) {
            let size = trace.outcome.desired_replicas.expect("a size");
            sizes.push((snapshot.captured_at.strftime("%T").to_string(), size));
            resize(&mut snapshot, size);
            set_usage(
                &mut snapshot,
                &format!("{}n", 9_000_000_000 / i64::from(size)),
            );
        }
        snapshot.history = Some(remembered(&trace));
        snapshot.captured_at += 15.seconds();
    }
    let times = "03:12:08 03:12:38 03:13:08 03:13:38 03:14:08 03:14:38 03:15:08 03:15:38";
    let times = times.split(' ').map(str::to_owned);
    assert_eq!(sizes, times.zip((14..=28).step_by(2)).collect::<Vec<_>>());
    let trace = explain(&snapshot);
    assert_eq!(measured(&trace, 0), "64% 1.07 28 of 28");
    assert_eq!(decide(&trace), "stays at 28");
}

#[test]
fn stuck_without_samples_has_every_number() {
    let trace = explain(&demo("stuck-without-samples"));
    assert_eq!(measured(&trace, 0), "92% 1.53 5 of 8");
    let filled = trace.metrics[0].filled_in.as_ref().expect("filled in");
    let missing = filled.missing.map(|fill| (fill.pods, fill.counted_as));
    let unready = filled.unready.map(|fill| (fill.pods, fill.counted_as));
    assert_eq!((missing, unready), (Some((1, 0)), Some((2, 0))));
    assert_eq!(filled.measured.utilization, Some(57));
    assert_eq!(format!("{:.2}", filled.measured.ratio), "0.95");
    let limit = trace.limit.as_ref().and_then(|limit| limit.rate_limit);
    assert_eq!(limit, Some(16));

    let mut sampled = demo("stuck-without-samples");
    add_samples(&mut sampled, &["web-7c9d4f-t5hjr"]);
    assert_eq!(decide(&explain(&sampled)), "8 -> 10");

    let mut mended = demo("stuck-without-samples");
    start_all(&mut mended);
    add_samples(&mut mended, &STUCK);
    // 5 x 460m, shared by 8.
    set_usage(&mut mended, "287500u");
    let trace = explain(&mended);
    assert_eq!(measured(&trace, 0), "57% 0.95 8 of 8");
    assert_eq!(decide(&trace), "stays at 8");

    // Above 107% of the request, which is 535m.
    let mut busier = demo("stuck-without-samples");
    for (usage, decision) in [("535m", "stays at 8"), ("536m", "8 -> 9")] {
        set_usage(&mut busier, usage);
        assert_eq!(decide(&explain(&busier)), decision, "{usage}");
    }
}

#[test]
fn held_by_window_has_every_number() {
    let trace = explain(&demo("held-by-window"));
    assert_eq!(measured(&trace, 0), "31% 0.52 9 of 9");
    let limits = (trace.bounds.min_replicas, trace.bounds.max_replicas);
    assert_eq!(limits, (2, 20));
    assert_eq!(demo("held-by-window").history, None);

    // With what the event tells, it is sure to stay; the recommendation
    // counts until 03:14:23.
    let event: Timestamp = "2026-11-20T03:09:23Z".parse().expect("a time");
    let mut told = demo("held-by-window");
    told.history = Some(History {
        recommendations: Some(vec![Recommendation {
            replicas: 9,
            timestamp: event,
        }]),
        scale_up_events: Some(Vec::new()),
        scale_down_events: Some(Vec::new()),
    });
    for (now, decision) in [
        ("2026-11-20T03:12:08Z", "stays at 9"),
        ("2026-11-20T03:14:22Z", "stays at 9"),
        ("2026-11-20T03:14:23Z", "9 -> 5"),
    ] {
        told.captured_at = now.parse().expect("a time");
        assert_eq!(decide(&explain(&told)), decision, "{now}");
    }

    // Up to 66% nothing grows, whatever the memory holds.
    let mut busier = demo("held-by-window");
    for (usage, asks_for) in [("334m", "9"), ("335m", "11")] {
        set_usage(&mut busier, usage);
        assert_eq!(proposal(&explain(&busier).metrics[0]), asks_for, "{usage}");
    }

    // 5 pods for the same load rest, at 55%.
    let mut smaller = demo("held-by-window");
    resize(&mut smaller, 5);
    set_usage(&mut smaller, "279m");
    let trace = explain(&smaller);
    assert_eq!(measured(&trace, 0), "55% 0.92 5 of 5");
    assert_eq!(proposal(&trace.metrics[0]), "5");
}

/// What a metric was measured at: value, ratio, how many pods counted.
fn measured(trace: &Trace, index: usize) -> String {
    let metric = &trace.metrics[index];
    let measured = metric.measured.as_ref().expect("a measurement");
    let groups = metric.groups.expect("groups");
    let value = match (measured.utilization, measured.average) {
        (Some(percent), _) => format!("{percent}%"),
        (None, Some(average)) => milli_text(average),
        (None, None) => milli_text(measured.total),
    };
    let (ready, selected) = (groups.ready, groups.selected);
    format!("{value} {:.2} {ready} of {selected}", measured.ratio)
}

/// Changes that leave the period together can cancel out, or take room.
#[test]
fn a_policy_has_more_room_once_the_changes_that_leave_give_it() {
    type Ages = &'static [(i64, i32)];
    // What was added and removed, how many seconds ago and how many pods, and
    // in how many seconds a policy over 60s allows more.
    let rows: [(Ages, Ages, Option<i64>); 5] = [
        (&[(40, 2)], &[], Some(20)),
        (&[(50, 1)], &[(50, 1)], None),
        (&[(40, 2)], &[(50, 1)], Some(20)),
        (&[(40, 2)], &[(50, 3)], None),
        (&[(40, 2)], &[(30, 1)], Some(20)),
    ];
    for (added, removed, seconds) in rows {
        let mut snapshot = demo("slowed-by-policy");
        let now = snapshot.captured_at;
        let events = |ages: Ages| {
            let events = ages.iter().map(|(ago, pods)| ScaleEvent {
                replica_change: *pods,
                timestamp: now - ago.seconds(),
            });
            Some(events.collect())
        };
        snapshot.history = Some(History {
            recommendations: Some(Vec::new()),
            scale_up_events: events(added),
            scale_down_events: events(removed),
        });
        let trace = explain(&snapshot);
        let limit = trace.limit.as_ref().expect("a limit");
        let at = limit.policies[0].changes_at;
        let said = at.map(|at| at.duration_since(now).as_secs());
        assert_eq!(said, seconds, "{added:?} {removed:?}");
    }
}
