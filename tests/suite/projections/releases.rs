//! What other releases would decide shows.

use hpa_explain::controller::{Overrides, Release};
use hpa_explain::history::Observer;
use hpa_explain::trace::{
    Origin, OwnRelease, PassStep, Preview, Range, ReleaseAnswer, Rule, Trace,
};
use hpa_explain::what_if;
use jiff::SignedDuration;

use super::mutation::{Mutation, check, snapshot, trace_with};

/// The demo in which releases differ, by which changes a period counts.
const DEMO: &str = "period-start";

fn preview() -> Preview {
    let snapshot = snapshot(DEMO);
    let (overrides, observer) = (Overrides::default(), Observer::default());
    what_if::preview(&snapshot, &overrides, snapshot.captured_at, &observer)
}

fn first(preview: &mut Preview) -> &mut ReleaseAnswer {
    &mut preview.answers[0]
}

fn step(answer: &mut ReleaseAnswer) -> &mut PassStep {
    answer.step.as_mut().expect("where the releases part")
}

#[test]
fn a_changed_preview_shows() {
    let mutations = [
        Mutation::new("namespace", |p: &mut Preview| p.namespace.push('x')),
        Mutation::new("name", |p| p.name.push('x')),
        Mutation::new("target, kind", |p| p.target.kind = "StatefulSet".into()),
        Mutation::new("target, name", |p| p.target.name = "other".into()),
        Mutation::new("at", |p| p.at += SignedDuration::from_secs(1)),
        Mutation::new("own version", |p| {
            p.release.version = Some("v1.30.0".to_owned());
        }),
        Mutation::new("own version, assumed", |p| {
            p.release.origin = Origin::Assumed;
        }),
        Mutation::new("unchecked", |p| p.unchecked.push("1.99".to_owned())),
        Mutation::new("from", |p| first(p).from = "1.20".to_owned()),
        Mutation::new("to", |p| first(p).to = "1.99".to_owned()),
        Mutation::new("which is its own", |p| first(p).is_own = true),
        Mutation::new("current size", |p| first(p).current_replicas += 1),
        Mutation::new("size", |p| first(p).desired_replicas = Some(19)),
        Mutation::new("possible", |p| {
            let answer = first(p);
            (answer.desired_replicas, answer.possible) = (None, Some(Range { from: 3, to: 9 }));
        }),
        Mutation::new("rescale", |p| first(p).rescale = Some(false)),
        Mutation::new("no step", |p| first(p).step = None),
        Mutation::new("stage", |p| {
            step(first(p)).stage = hpa_explain::trace::Stage::Stabilization;
        }),
        Mutation::new("metric", |p| {
            step(first(p)).metric = Some("cpu".to_owned());
        }),
        Mutation::new("formula", |p| step(first(p)).formula.push('x')),
        Mutation::new("rule, without a formula", |p| {
            step(first(p)).formula.clear();
        }),
        // The formula says what the rule does, and names no rule.
        Mutation::new("rule", |p: &mut Preview| {
            step(first(p)).rule = Rule::LimitScaleDown;
        })
        .in_json_alone(),
        Mutation::new("no new rules", |p| p.answers[1].new_rules.clear()),
        Mutation::new("a new rule, says", |p| p.answers[1].new_rules[0].says = "x"),
        Mutation::new("a new rule, name", |p: &mut Preview| {
            p.answers[1].new_rules[0].name = "x";
        })
        .in_json_alone(),
        Mutation::new("a new rule, since", |p: &mut Preview| {
            p.answers[1].new_rules[0].since.push('x');
        })
        .in_json_alone(),
        Mutation::new("one answer less", |p| {
            p.answers.pop();
        }),
    ];
    assert_eq!(check(&preview(), &mutations), 26);
}

fn own(trace: &mut Trace) -> &mut OwnRelease {
    trace.own_release.as_mut().expect("another release")
}

#[test]
fn a_changed_own_release_shows() {
    let older = Overrides {
        release: Some(Release::minor(24)),
        ..Overrides::default()
    };
    let mutations = [
        Mutation::new("none", |t: &mut Trace| t.own_release = None),
        Mutation::new("is the same", |t| own(t).is_same = true),
        Mutation::new("from", |t| own(t).answer.from = "1.99".to_owned()),
        Mutation::new("current size", |t| own(t).answer.current_replicas += 1),
        Mutation::new("size", |t| own(t).answer.desired_replicas = Some(19)),
        Mutation::new("rescale", |t| own(t).answer.rescale = Some(false)),
        Mutation::new("no step", |t| own(t).answer.step = None),
        Mutation::new("stage", |t| {
            step(&mut own(t).answer).stage = hpa_explain::trace::Stage::Stabilization;
        }),
        Mutation::new("formula", |t| step(&mut own(t).answer).formula.push('x')),
        Mutation::new("no new rules", |t| own(t).answer.new_rules.clear()),
        Mutation::new("a new rule, says", |t| {
            own(t).answer.new_rules[0].says = "x";
        }),
        // The answer by the rules of the release that was asked for is the
        // whole rest of the text.
        Mutation::new("instead", |t: &mut Trace| own(t).instead = None).in_json_alone(),
    ];
    assert_eq!(check(&trace_with(DEMO, &older), &mutations), 12);
}
