//! What a person is told of what the controller remembers: one golden file a
//! situation.
//!
//! The passes are run on memories that are known, bounded or unknown; what
//! they were put together from is given by hand.
//!
//! `UPDATE_GOLDEN=1 cargo test --test suite memory_text::` writes the files anew.

mod given;
use crate::support;
use crate::support::golden::Goldens;
use crate::support::is_one_word;

use std::path::{Path, PathBuf};

use given::{Given, evidence, known, notice, since};
use hpa_explain::controller::Account;
use hpa_explain::render::{Format, Summary, TextOptions};
use hpa_explain::trace::{CheckVerdict, EvidenceKind as From, NoticeKind, Trace};
use serde_json::json;
use support::build::Case;

/// A situation, and how it is looked at.
struct Row {
    name: &'static str,
    trace: Trace,
    live: bool,
    verbosity: u8,
}

fn row(name: &'static str, given: Given) -> Row {
    Row {
        name,
        trace: given.run(),
        live: true,
        verbosity: 0,
    }
}

fn of_a_file(row: Row) -> Row {
    Row { live: false, ..row }
}

fn verbose(row: Row) -> Row {
    Row {
        verbosity: 1,
        ..row
    }
}

fn rows() -> Vec<Row> {
    [held(), unknown(), by_policy(), interrupted(), checked()]
        .into_iter()
        .flatten()
        .collect()
}

/// At 31% of a target of 60%: 5 would do.
fn nine() -> Case {
    Case::new()
        .replicas(9)
        .bounds(2, 20)
        .behavior(json!({}))
        .wants(5)
}

/// A recommendation of 9 or more, some that nobody saw, one below 9.
fn held_in_part() -> Given {
    let unseen = 0..=i32::MAX;
    Given::new(nine().condition("AbleToScale", "True"))
        .within(Account {
            recommendations: vec![
                given::bounded(8..=8, 15, 15),
                given::uncertain(unseen.clone(), 150, 30),
                given::bounded(9..=i32::MAX, 165, 165),
            ],
            ..Account::default()
        })
        .recommended(given::recalled(
            (0, Some(8)),
            (15, 15),
            evidence(From::Status, Some(15), "ScaleDownStabilized"),
        ))
        .recommended(given::any((150, 30), "9 unrecorded passes"))
        .recommended(given::recalled(
            (9, None),
            (165, 165),
            evidence(
                From::Event,
                Some(165),
                "New size: 9; reason: cpu above target",
            ),
        ))
        .since(since(From::Lease, 1_928))
        .agrees(9, "ScaleDownStabilized")
}

fn held() -> Vec<Row> {
    let recorded = [(15_i32, 5), (30, 5), (45, 6), (60, 9), (75, 9), (90, 8)];
    let case = nine().remembers(&recorded);
    let exactly = recorded
        .iter()
        .fold(Given::new(case), |given, (age, replicas)| {
            given.recommended(known(*replicas, i64::from(*age), From::Record))
        });
    let young = Given::new(nine().remembers(&[(60, 9), (45, 5), (30, 5), (15, 5)]))
        .recommended(known(5, 15, From::Record))
        .recommended(known(5, 30, From::Record))
        .recommended(known(5, 45, From::Record))
        .recommended(known(9, 60, From::Lease))
        .since(since(From::Lease, 60));
    vec![
        row("held-known-in-part", held_in_part()),
        of_a_file(row("held-known-in-part-from-a-file", held_in_part())),
        verbose(row("held-known-in-part-v", held_in_part())),
        row(
            "held-known-exactly",
            exactly.agrees(9, "ScaleDownStabilized"),
        ),
        row("younger-than-the-window", young),
    ]
}

fn unknown() -> Vec<Row> {
    let account = |from: i64| Account {
        recommendations: vec![given::uncertain(0..=i32::MAX, from, 0)],
        ..Account::default()
    };
    let open = |case: Case| {
        Given::new(case)
            .within(account(300))
            .recommended(given::any((300, 0), ""))
            .since(since(From::Lease, 7_200))
    };
    let steady = Case::new()
        .replicas(9)
        .bounds(2, 20)
        .behavior(json!({}))
        .wants(9);
    let idle = Case::new()
        .replicas(2)
        .bounds(2, 20)
        .behavior(json!({}))
        .wants(1);
    let not_up = Case::new()
        .replicas(9)
        .bounds(2, 20)
        .behavior(json!({"scaleUp": {"stabilizationWindowSeconds": 60}}))
        .wants(12);
    let legacy = Case::new().replicas(9).bounds(2, 20).wants(9);
    vec![
        row("down-unless-held", open(nine())),
        of_a_file(row("down-unless-held-from-a-file", open(nine()))),
        verbose(row("down-unless-held-v", open(nine()))),
        row("up-unless-held", open(not_up)),
        row("steady-in-any-case", open(steady)),
        row("steady-unless-raised", open(legacy)),
        row("at-min-in-any-case", open(idle)),
        of_a_file(row("nothing-known", Given::new(nine()).unknown())),
    ]
}

/// 30 wanted; 4 a minute allowed.
fn twelve() -> Case {
    Case::new()
        .replicas(12)
        .bounds(4, 40)
        .behavior(json!({"scaleUp": {"policies": [
            {"type": "Pods", "value": 4, "periodSeconds": 60},
            {"type": "Percent", "value": 10, "periodSeconds": 60},
        ]}}))
        .wants(30)
}

fn by_policy() -> Vec<Row> {
    let added = evidence(
        From::Event,
        Some(30),
        "New size: 12; reason: load above target",
    );
    let slowed = Given::new(twelve().added(&[(30, 2)]))
        .recommended(known(12, 15, From::Record))
        .added(given::recalled((2, Some(2)), (30, 30), added.clone()))
        .checked(
            CheckVerdict::InputsNewer,
            12,
            "ReadyForNewScale",
            "load-0 asked for 12",
        );
    let missing = Given::new(twelve())
        .within(Account {
            scale_up_events: vec![
                given::bounded(2..=2, 30, 30),
                given::uncertain(0..=8, 60, 30),
            ],
            ..Account::default()
        })
        .added(given::recalled((2, Some(2)), (30, 30), added.clone()))
        .added(given::change(
            (0, Some(8)),
            (60, 30),
            "one event counts 3 of them",
        ))
        .noticed(notice(
            NoticeKind::ClockJumped,
            (60, 30),
            "the controller's clock was set back: an event is of before the one it follows",
            evidence(From::Event, Some(30), "New size: 12"),
        ));
    let late = Given::new(twelve().replicas(20).wants(25))
        .within(Account {
            scale_up_events: vec![given::bounded(4..=4, 70, 40)],
            ..Account::default()
        })
        .added(given::recalled((4, Some(4)), (70, 40), added));
    vec![
        row("slowed-with-its-events", slowed),
        row("slowed-with-events-missing", missing),
        row("slowed-by-an-event-of-unknown-time", late),
    ]
}

fn interrupted() -> Vec<Row> {
    let restart = || {
        let seed = Account {
            recommendations: vec![given::bounded(9..=9, 100, 40)],
            ..Account::default()
        };
        let kept = Account {
            recommendations: vec![given::bounded(9..=12, 165, 165)],
            ..Account::default()
        };
        Given::new(nine())
            .within(seed)
            .within(kept)
            .recommended(given::recalled(
                (9, Some(12)),
                (165, 40),
                evidence(From::Event, Some(165), "New size: 9"),
            ))
            .since(since(From::Lease, 1_928))
            .may_have_restarted()
    };
    let noticed = |kind, ages, says| {
        notice(
            kind,
            ages,
            says,
            evidence(From::ManagedFields, Some(ages.1), "kubectl"),
        )
    };
    let restarted = notice(
        NoticeKind::Restarted,
        (100, 100),
        "the controller's lead changed: what it remembered is lost",
        evidence(From::Lease, Some(100), "kcm-2"),
    );
    let many = || {
        held_in_part()
            .noticed(noticed(
                NoticeKind::ClockJumped,
                (280, 240),
                "the controller's clock was set back by 40s",
            ))
            .noticed(noticed(
                NoticeKind::ScaledByOthers,
                (200, 200),
                "kubectl set the size from 6 to 9",
            ))
            .noticed(restarted.clone())
            .noticed(noticed(
                NoticeKind::Applied,
                (90, 90),
                "a manifest with replicas: 9 was applied",
            ))
    };
    let contradiction = held_in_part().noticed(noticed(
        NoticeKind::Contradiction,
        (165, 15),
        "the event says \"New size: 9\", lastScaleTime is of another moment",
    ));
    vec![
        row("may-have-restarted", restart()),
        row("contradiction", contradiction),
        row("many-notices", many()),
        verbose(row("many-notices-v", many())),
    ]
}

fn checked() -> Vec<Row> {
    let given = |verdict, says| held_in_part().checked(verdict, 8, "ReadyForNewScale", says);
    let because = "it let go of 9 already; the recommendation 2m45s ago may have been below";
    let blind = Given::new(nine().condition("AbleToScale", "True").set(
        "/scale",
        json!({"unreadable": "deployments.apps \"web\" is forbidden: User \"me\" cannot get"}),
    ))
    .checked(
        CheckVerdict::NoPass,
        9,
        "AbleToScale",
        "the scale is unreadable",
    );
    vec![
        row(
            "check-inputs-newer",
            given(CheckVerdict::InputsNewer, "load-0 asked for 8 then"),
        ),
        row("check-remembered", given(CheckVerdict::Memory, because)),
        row(
            "check-unexplained",
            given(CheckVerdict::Unexplained, "8 is outside 9"),
        ),
        of_a_file(row(
            "check-unexplained-from-a-file",
            given(CheckVerdict::Unexplained, "8 is outside 9"),
        )),
        row(
            "check-no-pass",
            given(CheckVerdict::NoPass, "the HPA has no status yet"),
        ),
        row("check-blind", blind),
    ]
}

fn directory() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/memory_text")
}

fn text(row: &Row, options: &TextOptions) -> String {
    let options = TextOptions {
        live: row.live,
        verbosity: row.verbosity,
        ..options.clone()
    };
    let mut text = Vec::new();
    Format::Text
        .write(&row.trace, &options, &mut text)
        .expect("a vector takes all");
    String::from_utf8(text).expect("text")
}

#[test]
fn every_situation() {
    let rows = rows();
    let mut goldens = Goldens::default();
    for row in &rows {
        let options = TextOptions::default();
        let summary = Summary::of(&row.trace, &options);
        let list = format!("{}  {}", summary.replicas(), summary.headline);
        let page = format!("{}\nIn a list: {list}\n", text(row, &options));
        goldens.check(&directory().join(format!("{}.txt", row.name)), &page);
    }
    assert_eq!(rows.len(), 26);
}

#[test]
fn a_page_is_no_wider_than_its_terminal() {
    let mut shown = 0;
    for row in rows() {
        for width in [20, 40, 78, 200] {
            let options = TextOptions {
                width,
                ..TextOptions::default()
            };
            let text = text(&row, &options);
            let lines = text.lines().filter(|line| !is_one_word(line));
            let widest = lines.map(|line| line.chars().count()).max();
            let is_cut = text.contains("(more with -v)");
            assert!(widest <= Some(width), "{}: {text}", row.name);
            assert!(!(is_cut && width >= 78), "{}: {text}", row.name);
            shown += 1;
        }
    }
    assert_eq!(shown, 26 * 4);
}

/// The word is that of the metric, unless it says whose memory it is.
#[test]
fn memory_is_never_what_the_controller_remembers() {
    for row in rows() {
        for verbosity in 0..=2 {
            let row = Row {
                verbosity,
                trace: row.trace.clone(),
                ..row
            };
            let text = text(&row, &TextOptions::default()).to_lowercase();
            let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
            let whose = ["controller memory", "controller's memory", "the memory"];
            let text = whose.iter().fold(text, |text, it| text.replace(it, ""));
            assert!(!text.contains("memory"), "{}: {text}", row.name);
        }
    }
}

#[test]
fn no_file_is_left_over() {
    let names: Vec<String> = rows()
        .iter()
        .map(|row| format!("{}.txt", row.name))
        .collect();
    let mut files = 0;
    for file in std::fs::read_dir(directory()).expect("a folder") {
        let name = file.expect("an entry").file_name();
        let name = name.into_string().expect("a plain name");
        if Path::new(&name).extension().is_some_and(|it| it == "txt") {
            assert!(names.contains(&name), "{name} belongs to no situation");
            files += 1;
        }
    }
    assert_eq!(files, names.len());
}
