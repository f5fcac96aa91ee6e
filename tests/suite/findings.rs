//! Findings over everything that was recorded: how often each is found, and
//! what all of them keep to. `docs/findings.md` is written from it.
//!
//! `UPDATE_GOLDEN=1 cargo test --test suite findings::` writes the page anew.

mod corpora;
mod page;
mod rules;
mod survey;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use crate::support::golden;
use hpa_explain::trace::{Code, Severity};
use survey::Survey;

/// Codes that none of the recorded situations leads to, each with the test
/// that does.
const FIRED_ELSEWHERE: &[(Code, &str)] = &[
    (Code::TargetUnknownKind, "findings_decisions::the_target"),
    (Code::FallbackIgnored, "findings_decisions::the_fallback"),
    (Code::TargetCannotScale, "findings_decisions::the_target"),
    (
        Code::HotReplicaSet,
        "findings_decisions/inputs::replica_sets_on_both_sides_of_the_target",
    ),
    (
        Code::CrashLoop,
        "findings_decisions/inputs::pods_that_crash_and_count",
    ),
    (Code::FrozenStatus, "findings_inputs/nearest::samples"),
    (Code::ControllerLate, "findings_decisions::the_controller"),
    (
        Code::TargetOwned,
        "findings_cluster::a_target_that_is_a_part_of_something_else",
    ),
    (
        Code::VpaConflict,
        "findings_cluster::what_keeps_a_vpa_off_the_measured_resource",
    ),
    (
        Code::KedaPaused,
        "findings_cluster::kedas_numbers_are_in_the_evidence",
    ),
    (
        Code::KedaFallback,
        "findings_cluster::kedas_numbers_are_in_the_evidence",
    ),
    (
        Code::ReplicasWriter,
        "findings_cluster::the_time_line_shows_both_sides",
    ),
    (Code::RollingUpdate, "findings_cluster::a_rolling_update"),
    (Code::UnknownField, "lint::findings"),
    (Code::DuplicateField, "lint::findings"),
    (Code::DuplicateName, "lint::neighbours"),
    (Code::ScaleToZeroOff, "lint::findings"),
    (
        Code::IdleAboveTarget,
        "findings_decisions/inputs::pods_that_use_little_at_max",
    ),
    (
        Code::TargetAboveLimit,
        "findings_decisions/inputs::targets_above_the_limit",
    ),
    (
        Code::HpaDeleted,
        "findings_decisions/inputs::an_hpa_that_is_deleted",
    ),
    (Code::TargetTypeIgnored, "lint::findings"),
    (Code::ToleranceUnused, "lint::findings"),
    (Code::WindowOrder, "lint::findings"),
    (Code::PolicyUnused, "lint::findings"),
    (
        Code::AnnotationIgnored,
        "lint/versions::an_annotation_that_does_not_parse_is_told",
    ),
    (Code::OldVersion, "lint::neighbours"),
    (
        Code::AlwaysAboveMax,
        "prometheus_passes::a_metric_beyond_a_bound_for_long_is_told_with_what_it_would_take",
    ),
    (
        Code::NeverAboveMin,
        "prometheus_passes::a_metric_beyond_a_bound_for_long_is_told_with_what_it_would_take",
    ),
];

/// Everything once, for all tests.
fn survey() -> &'static Survey {
    static SURVEY: OnceLock<Survey> = OnceLock::new();
    SURVEY.get_or_init(Survey::of_all)
}

#[test]
fn every_recorded_pass_is_looked_at() {
    let passes = survey().corpora.each_ref().map(|corpus| corpus.passes);
    assert_eq!(passes, [85, 80, 35_120, 11_003]);
}

#[test]
fn every_finding_keeps_the_rules() {
    let broken = &survey().broken;
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

/// Two situations in which nothing is wrong with it.
#[test]
fn a_healthy_autoscaler_has_nothing_above_info() {
    for name in ["steady", "settled"] {
        let trace = corpora::recorded(name, "db");
        assert!(
            trace.worst().is_none_or(|worst| worst == Severity::Info),
            "{name}: {:#?}",
            trace.findings
        );
    }
}

#[test]
fn every_code_is_found_somewhere() {
    let found: BTreeSet<Code> = survey().found().collect();
    let elsewhere: BTreeSet<Code> = FIRED_ELSEWHERE.iter().map(|(code, _)| *code).collect();
    for code in Code::ALL {
        let places = (found.contains(code), elsewhere.contains(code));
        assert!(places.0 != places.1, "{code}: {places:?}");
    }
    for (code, test) in FIRED_ELSEWHERE {
        let (file, function) = test.split_once("::").expect("file::function");
        let source = fs::read_to_string(folder().join("tests/suite").join(format!("{file}.rs")));
        let source = source.unwrap_or_else(|error| panic!("{code}: {file}: {error}"));
        assert!(
            source.contains(&format!("fn {function}()")),
            "{code}: {test}"
        );
        assert!(
            source.contains(&format!("Code::{code:?}")),
            "{code}: {test}"
        );
    }
}

#[test]
fn the_page_is_current() {
    let path = folder().join("docs/findings.md");
    let page = page::page(survey(), FIRED_ELSEWHERE);
    golden::check(&path, &page);
}

/// `explain CODE` shows them.
#[test]
fn the_examples_are_current() {
    let examples = Code::ALL.iter().filter_map(|code| {
        let (_, finding) = survey().example(*code)?;
        let remedy = finding.remedies.first();
        let example = serde_json::json!({ "message": finding.message, "remedy": remedy });
        Some((code.as_str(), example))
    });
    let examples: BTreeMap<_, _> = examples.collect();
    let examples = serde_json::to_string_pretty(&examples).expect("JSON") + "\n";
    golden::check(&folder().join("docs/findings.json"), &examples);
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).to_path_buf()
}
