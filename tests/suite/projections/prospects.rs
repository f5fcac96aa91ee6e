//! What other inputs would lead to shows.

use hpa_explain::api::Phase;
use hpa_explain::trace::{
    Attempt, BreakPoint, Counterfactual, End, Premise, Prospects, Settling, Trace,
};
use jiff::SignedDuration;

use super::mutation::{Mutation, check, trace};

fn prospects(trace: &mut Trace) -> &mut Prospects {
    trace.prospects.as_mut().expect("somebody looked")
}

fn up(trace: &mut Trace) -> &mut BreakPoint {
    let points = &mut prospects(trace).break_points[0];
    points.up.as_mut().expect("a value above")
}

fn down(trace: &mut Trace) -> &mut BreakPoint {
    let points = &mut prospects(trace).break_points[0];
    points.down.as_mut().expect("a value below")
}

#[test]
fn a_changed_break_point_shows() {
    let mutations = [
        Mutation::new("metric", |t: &mut Trace| {
            prospects(t).break_points[0].metric = 1;
        }),
        Mutation::new("up, value", |t| up(t).value += 1),
        Mutation::new("up, last", |t| up(t).last -= 1),
        Mutation::new("up, last in thousandths", |t| {
            up(t).last_in_thousandths = Some(107_900);
        }),
        Mutation::new("up, replicas", |t| up(t).replicas += 1),
        Mutation::new("up, none", |t| prospects(t).break_points[0].up = None),
        Mutation::new("up, total", |t: &mut Trace| up(t).total += 1).in_json_alone(),
        Mutation::new("down, value", |t| down(t).value -= 1),
        Mutation::new("down, last", |t| down(t).last += 1),
        Mutation::new("down, last in thousandths", |t| {
            down(t).last_in_thousandths = Some(44_100);
        }),
        Mutation::new("down, replicas", |t| down(t).replicas -= 1),
        Mutation::new("down, none", |t| prospects(t).break_points[0].down = None),
        Mutation::new("down, total", |t: &mut Trace| down(t).total += 1).in_json_alone(),
    ];
    assert_eq!(check(&trace("stuck-without-samples"), &mutations), 13);
}

fn settling(trace: &mut Trace) -> &mut Settling {
    let settling = &mut prospects(trace).settling;
    settling.as_mut().expect("an end")
}

#[test]
fn a_changed_resting_point_shows() {
    let mutations = [
        Mutation::new("none", |t: &mut Trace| prospects(t).settling = None),
        Mutation::new("end", |t| settling(t).end = End::Cycle),
        Mutation::new("replicas", |t| settling(t).replicas = Some(99)),
        Mutation::new("metric", |t| settling(t).metric = Some(1)),
        Mutation::new("value", |t| settling(t).value = Some(65)),
        Mutation::new("holds from", |t| settling(t).holds_from = Some(55)),
        Mutation::new("holds to", |t| settling(t).holds_to = Some(67)),
        Mutation::new("the last step's time", |t| {
            let last = settling(t).steps.last_mut().expect("a step");
            last.at = last.at.map(|at| at + SignedDuration::from_secs(60));
        }),
        // The text tells where the way ends, and when.
        Mutation::new("the first step", |t: &mut Trace| {
            settling(t).steps[0].replicas += 1;
        })
        .in_json_alone(),
        Mutation::new("the first step's time", |t: &mut Trace| {
            settling(t).steps[0].at = None;
        })
        .in_json_alone(),
    ];
    assert_eq!(check(&trace("slowed-by-policy"), &mutations), 10);
}

#[test]
fn a_changed_way_to_the_maximum_shows() {
    let mutations = [
        Mutation::new("without max", |t| settling(t).without_max = Some(16)),
        Mutation::new("runaway", |t| {
            let settling = settling(t);
            (settling.without_max, settling.taken_constant) = (None, vec![1]);
        }),
    ];
    assert_eq!(check(&trace("three-metrics-at-max"), &mutations), 2);
}

/// No size satisfies a metric that does not fall as pods are added.
#[test]
fn a_changed_runaway_shows() {
    let mut runaway = trace("three-metrics-at-max");
    let end = settling(&mut runaway);
    (end.without_max, end.taken_constant) = (None, vec![1]);
    let mutations = [
        Mutation::new("replicas", |t| settling(t).replicas = Some(99)),
        Mutation::new("metric", |t| settling(t).metric = Some(0)),
        Mutation::new("what is taken not to fall", |t| {
            settling(t).taken_constant = vec![0];
        }),
        Mutation::new("without max", |t| settling(t).without_max = Some(16)),
    ];
    assert_eq!(check(&runaway, &mutations), 4);
}

#[test]
fn a_changed_cycle_shows() {
    let mut cycle = trace("slowed-by-policy");
    settling(&mut cycle).end = End::Cycle;
    let mutations = [
        Mutation::new("the largest size", |t| settling(t).replicas = Some(99)),
        Mutation::new("the smallest size", |t| settling(t).steps[0].replicas -= 1),
        Mutation::new("end", |t| settling(t).end = End::Rest),
    ];
    assert_eq!(check(&cycle, &mutations), 3);
}

/// What is told of the premise that comes first, second and third.
fn counterfactual(trace: &mut Trace, at: usize) -> &mut Counterfactual {
    &mut prospects(trace).counterfactuals[at]
}

#[test]
fn a_changed_counterfactual_shows() {
    let mutations = [
        Mutation::new("without foreign pods, how many", |t| {
            counterfactual(t, 0).premise = Premise::WithoutForeignPods { pods: 3 };
        }),
        Mutation::new("without foreign pods, replicas", |t| {
            counterfactual(t, 0).replicas = Some(6);
        }),
        // It is only told where it is another one.
        Mutation::new("without foreign pods, recommendation", |t| {
            counterfactual(t, 0).recommendation = Some(3);
        }),
        Mutation::new("without foreign pods, value", |t: &mut Trace| {
            counterfactual(t, 0).value = Some(51);
        })
        .in_json_alone(),
        Mutation::new("whose they are", |t| {
            for pod in &mut prospects(t).foreign_pods {
                pod.owner = Some("Deployment/other".to_owned());
            }
        }),
        Mutation::new("a pod of another owner", |t| {
            prospects(t).foreign_pods[1].owner = None;
        }),
        // By its name the verdict finds whose the pod is.
        Mutation::new("a foreign pod's name", |t: &mut Trace| {
            prospects(t).foreign_pods[0].name.push('x');
        }),
        Mutation::new("a foreign pod's phase", |t: &mut Trace| {
            prospects(t).foreign_pods[0].phase = Phase::Failed.into();
        })
        .in_json_alone(),
    ];
    assert_eq!(check(&trace("canary-pins-the-count"), &mutations), 8);
    let mutations = [
        Mutation::new("one counts, which", |t| {
            let pod = "web-7c9d4f-x2k4p".to_owned();
            counterfactual(t, 0).premise = Premise::OneCounts { pod };
        }),
        Mutation::new("one counts, replicas", |t| {
            counterfactual(t, 0).replicas = Some(12);
        }),
        Mutation::new("all count, replicas", |t| {
            counterfactual(t, 1).replicas = Some(9);
        }),
        Mutation::new("all count, value", |t| {
            counterfactual(t, 1).value = Some(58);
        }),
        Mutation::new("all count, metric", |t| {
            counterfactual(t, 1).metric = None;
        }),
        Mutation::new("one less", |t| {
            prospects(t).counterfactuals.remove(0);
        }),
    ];
    let mut stuck = trace("stuck-without-samples");
    // With the size that there is, it would not be told.
    counterfactual(&mut stuck, 1).replicas = Some(7);
    assert_eq!(check(&stuck, &mutations), 6);
}

fn attempt(trace: &mut Trace) -> &mut Attempt {
    &mut prospects(trace).attempts[0]
}

#[test]
fn a_changed_attempt_shows() {
    let mutations = [
        Mutation::new("field", |t: &mut Trace| attempt(t).field.push('x')),
        Mutation::new("from", |t| attempt(t).from = None),
        Mutation::new("to", |t| attempt(t).to.push('0')),
        Mutation::new("replicas", |t| attempt(t).replicas += 1),
        Mutation::new("command", |t| {
            let attempt = attempt(t);
            attempt.command = attempt.command.clone().and("x");
        }),
        // At -v each attempt is told, whatever it lets through.
        Mutation::new("limit", |t: &mut Trace| {
            attempt(t).limit = hpa_explain::trace::Limit::Window;
        })
        .in_json_alone(),
        Mutation::new("none", |t| prospects(t).attempts.clear()),
    ];
    assert_eq!(check(&trace("slowed-by-policy"), &mutations), 7);
}
