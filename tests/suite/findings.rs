//! Findings over everything that was recorded: how often each is found, and
//! what all of them keep to. `docs/findings.md` is written from it.
//!
//! `UPDATE_GOLDEN=1 cargo test --test suite findings::` writes the page anew.

mod corpora;
mod page;
mod rules;
mod survey;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use crate::support::golden;
use hpa_explain::render::lint_rules;
use hpa_explain::trace::{Code, Rule, Severity};
use survey::Survey;

/// Everything once, for all tests.
fn survey() -> &'static Survey {
    static SURVEY: OnceLock<Survey> = OnceLock::new();
    SURVEY.get_or_init(Survey::of_all)
}

#[test]
fn every_recorded_pass_is_looked_at() {
    let passes = survey().corpora.each_ref().map(|corpus| corpus.passes);
    assert_eq!(passes, [85, 80, 35_120, 11_003, 38]);
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
    assert!(found.iter().eq(Code::ALL.iter().collect::<BTreeSet<_>>()));
}

#[test]
fn the_page_is_current() {
    let path = folder().join("docs/findings.md");
    golden::check(&path, &page::page(survey()));
}

/// `explain CODE` shows them.
#[test]
fn the_examples_are_current() {
    let codes = Code::ALL.iter().map(|it| it.as_str());
    let rules = Rule::ALL.iter().map(|it| it.id());
    let ids = codes.chain(lint_rules().map(|(id, _)| id)).chain(rules);
    let examples = ids.map(|id| (id, survey().example(id)));
    let examples: BTreeMap<_, _> = examples.collect();
    let without = examples.iter().filter(|it| it.1.is_none()).map(|it| *it.0);
    assert_eq!(without.collect::<Vec<_>>(), [""; 0]);
    let examples = serde_json::to_string_pretty(&examples).expect("JSON") + "\n";
    golden::check(&folder().join("docs/findings.json"), &examples);
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).to_path_buf()
}
