//! What was found shows with its evidence and with what helps.

use hpa_explain::trace::{Code, Finding, Role, Severity, Trace};

use super::mutation::{Mutation, check, trace};

fn found(trace: &mut Trace, code: Code) -> &mut Finding {
    let mut findings = trace.findings.iter_mut();
    let found = findings.find(|finding| finding.code == code);
    found.unwrap_or_else(|| panic!("{code} is not found"))
}

#[test]
fn a_changed_finding_shows() {
    let mutations = [
        Mutation::new("code", |t| {
            found(t, Code::PodsWithoutSample).code = Code::StaleMetrics;
        }),
        // What is only good to know has no step under `Do`.
        Mutation::new("severity, lower", |t| {
            found(t, Code::PodsWithoutSample).severity = Severity::Info;
        }),
        Mutation::new("severity, higher", |t: &mut Trace| {
            found(t, Code::PodsWithoutSample).severity = Severity::Error;
        })
        .not_in_text(),
        // The text tells causes first, and does not name the roles.
        Mutation::new("role", |t: &mut Trace| {
            found(t, Code::PodsWithoutSample).role = Role::Symptom;
        })
        .not_in_text(),
        Mutation::new("message", |t| {
            found(t, Code::PodsWithoutSample).message.push('x');
        }),
        Mutation::new("what a fact is about", |t| {
            found(t, Code::PodsWithoutSample).evidence[0]
                .about
                .push('x');
        }),
        Mutation::new("what a fact says", |t| {
            found(t, Code::PodsWithoutSample).evidence[0].says.push('x');
        }),
        Mutation::new("one fact less", |t| {
            found(t, Code::PodsWithoutSample).evidence.pop();
        }),
        Mutation::new("what a remedy does", |t| {
            found(t, Code::PodsWithoutSample).remedies[0].says.push('x');
        }),
        Mutation::new("a command", |t| {
            let remedy = &mut found(t, Code::PodsWithoutSample).remedies[0];
            remedy.command = remedy.command.take().map(|it| it.and("x"));
        }),
        Mutation::new("no command", |t| {
            found(t, Code::PodsWithoutSample).remedies[0].command = None;
        }),
        Mutation::new("one finding less", |t| {
            t.findings.pop();
        }),
        Mutation::new("another order", |t| t.findings.reverse()),
    ];
    assert_eq!(check(&trace("stuck-without-samples"), &mutations), 13);
}

#[test]
fn a_changed_patch_shows() {
    let mutations = [
        Mutation::new("a patch", |t| {
            let remedy = &mut found(t, Code::SuddenDrop).remedies[0];
            remedy.patch.as_mut().expect("a patch").push('x');
        }),
        Mutation::new("a line of a patch", |t| {
            let remedy = &mut found(t, Code::SuddenDrop).remedies[0];
            let patch = remedy.patch.as_mut().expect("a patch");
            patch.insert_str(0, "# first\n");
        }),
        Mutation::new("no patch", |t| {
            found(t, Code::SuddenDrop).remedies[0].patch = None;
        }),
        Mutation::new("advice", |t| {
            let remedies = &mut found(t, Code::ReadinessCollapse).remedies;
            let advice = remedies.iter_mut().find(|it| it.command.is_none());
            advice.expect("advice").says.push('x');
        }),
    ];
    assert_eq!(check(&trace("readiness-collapse"), &mutations), 4);
}
