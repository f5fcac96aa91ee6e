//! Findings together with others, and with what the controller does.

use hpa_explain::trace::Code;
use serde_json::json;

use super::{found, hpa, run};
use crate::support::binary::stdout;
use crate::support::build::Case;

/// Specs, and all that is found in them: what another finding makes moot is
/// left out.
#[test]
fn findings_do_not_contradict_each_other() {
    let slow = "{type: Percent, value: 10, periodSeconds: 5}";
    let behavior =
        |rules: &str| format!("  maxReplicas: 9\n  minReplicas: 2\n  behavior: {{{rules}}}\n");
    let fixed = |spec: &str| format!("  maxReplicas: 3\n  minReplicas: 3\n{spec}");
    let rows = [
        (
            behavior(&format!(
                "scaleUp: {{selectPolicy: Disabled, stabilizationWindowSeconds: 5, policies: [{slow}]}}"
            )),
            "behavior-disabled spec.behavior.scaleUp.selectPolicy, \
             policy-unused spec.behavior.scaleUp.stabilizationWindowSeconds",
        ),
        (
            behavior(
                "scaleUp: {stabilizationWindowSeconds: 90}, \
                 scaleDown: {selectPolicy: Disabled, stabilizationWindowSeconds: 60}",
            ),
            "behavior-disabled spec.behavior.scaleDown.selectPolicy, \
             policy-unused spec.behavior.scaleDown.stabilizationWindowSeconds",
        ),
        (
            behavior("scaleUp: {selectPolicy: Disabled, tolerance: 0.2}"),
            "behavior-disabled spec.behavior.scaleUp.selectPolicy, \
             tolerance-unused spec.behavior.scaleUp.tolerance",
        ),
        (
            fixed("  behavior: {scaleDown: {stabilizationWindowSeconds: 0}}\n"),
            "fixed-size spec.maxReplicas",
        ),
        (fixed("  behavior: {}\n"), "fixed-size spec.maxReplicas"),
        // What is no matter of the size is told in any case.
        (
            fixed("  behavior: {scaleUp: {period: 5, selectPolicy: Disabled}}\n"),
            "fixed-size spec.maxReplicas, unknown-field spec.behavior.scaleUp.period",
        ),
        (
            behavior(&format!(
                "scaleUp: {{policies: [{slow}, {{type: Percent, value: 20, periodSeconds: 5}}]}}"
            )),
            "policy-unused spec.behavior.scaleUp.policies[0], \
             short-period spec.behavior.scaleUp.policies[1].periodSeconds",
        ),
        (
            behavior(
                "scaleDown: {policies: [{type: Percent, value: 100, periodSeconds: 15}, \
                 {type: Percent, value: 200, periodSeconds: 15}]}",
            ),
            "policy-unused spec.behavior.scaleDown.policies[1]",
        ),
    ];
    for (spec, expected) in rows {
        let found = found(&hpa(&spec), 36, &[]).into_iter();
        let mut told: Vec<String> = found.map(|(code, at)| format!("{code} {at}")).collect();
        told.sort();
        assert_eq!(told.join(", "), expected, "{spec}");
    }
    let twice = "{type: Pods, value: 5, periodSeconds: 60}";
    let text = hpa(&behavior(&format!(
        "scaleDown: {{policies: [{twice}, {twice}]}}"
    )));
    let output = run(&["-f", "-"], text.as_bytes());
    let said = stdout(&output);
    assert!(
        said.contains("scaleDown policy Pods 5 per 60s is listed twice"),
        "{said}"
    );
    assert!(!said.contains("selectPolicy"), "{said}");
}

/// The length from which on a window is not called without use, run by the
/// controller's rules, a whole period after the pass before.
#[test]
fn a_window_holds_from_where_lint_says_so() {
    for (window, size) in [(15, 5), (16, 9)] {
        let rules = json!({"stabilizationWindowSeconds": window,
            "policies": [{"type": "Pods", "value": 9, "periodSeconds": 15}]});
        let case = Case::new().replicas(9).wants(5).remembers(&[(15, 9)]);
        let case = case.behavior(json!({"scaleDown": rules}));
        assert_eq!(case.run().size(), size, "{window}s");
        let spec = format!("  maxReplicas: 9\n  behavior: {{scaleDown: {rules}}}\n");
        let all = found(&hpa(&spec), 36, &[]);
        let is_idle = all.iter().any(|(code, _)| *code == Code::ShortPeriod);
        assert_eq!(is_idle, size == 5, "{window}s");
    }
}

/// A target's type as it is called, or that there is none.
#[test]
fn a_target_without_a_type_is_called_so() {
    let resource = "{type: Resource, resource: {name: cpu, target: {TARGET}}}";
    let object = "{type: Object, object: {describedObject: {kind: Service, name: s}, metric: \
        {name: q}, target: {TARGET}}}";
    let rows = [
        (
            resource.replace("TARGET", "averageUtilization: 50"),
            "the target of cpu has no type, so its Utilization counts",
        ),
        (
            resource.replace("TARGET", "type: Value, averageUtilization: 50"),
            "the target of cpu has type Value, but its Utilization counts",
        ),
        (
            object.replace("TARGET", "value: 5"),
            "the target of q has no type, so this metric fails in every pass",
        ),
        (
            object.replace("TARGET", "type: Value"),
            "the target of q has type Value but does not set value, so this metric fails in every pass",
        ),
    ];
    for (metric, says) in &rows {
        let text = hpa(&format!("  maxReplicas: 9\n  metrics: [{metric}]\n"));
        let output = run(&["-f", "-"], text.as_bytes());
        let said = stdout(&output).split_whitespace().collect::<Vec<_>>();
        let said = said.join(" ");
        assert!(said.contains(says), "{metric}: {said}");
    }
}
