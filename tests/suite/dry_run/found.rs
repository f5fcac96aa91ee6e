//! What is found on a side: of its pass, of its spec alone, and of an HPA that
//! does not exist yet.

use hpa_explain::api::HpaSpec;
use hpa_explain::controller::Release;
use hpa_explain::document::manifest::{self, Assignment, Rules};
use hpa_explain::document::snapshot::Snapshot;
use hpa_explain::trace::{Code, Finding};

use super::folder::{Folder, WEB};
use super::{compare, other};
use crate::support::build::Case;

/// Fields that are set, and the trap that they make.
#[rustfmt::skip] // one row a line
const TRAPS: [(&[&str], Code); 9] = [
    (&["spec.minReplicas=20"], Code::FixedSize),
    (&["spec.metrics[0].resource.target.type=Value"], Code::TargetTypeIgnored),
    (&["spec.behavior.scaleUp.stabilizationWindowSeconds=15"], Code::ShortPeriod),
    (&["spec.behavior.scaleUp.stabilizationWindowSeconds=400", "spec.behavior.scaleDown.stabilizationWindowSeconds=300"], Code::WindowOrder),
    (&["spec.behavior.scaleDown.stabilizationWindowSeconds=0"], Code::SuddenDrop),
    (&["spec.behavior.scaleUp.selectPolicy=Disabled"], Code::BehaviorDisabled),
    (&["spec.behavior.scaleUp.policies=[{type: Pods, value: 2, periodSeconds: 60}, {type: Pods, value: 1, periodSeconds: 60}]"], Code::PolicyUnused),
    (&["spec.behavior.scaleDown.tolerance=1"], Code::ToleranceUnused),
    (&["spec.behavior={}"], Code::BehaviorEmpty),
];

fn steady() -> Snapshot {
    Case::new()
        .bounds(2, 20)
        .replicas(5)
        .cpu(60)
        .wants(5)
        .snapshot()
}

fn edited(snapshot: &Snapshot, set: &[&str]) -> HpaSpec {
    let parsed = set.iter().map(|it| it.parse().expect("a path and a value"));
    let assignments: Vec<Assignment> = parsed.collect();
    let rules = Rules::new(Release::minor(36), &std::collections::BTreeMap::new());
    let hpa = &snapshot.hpa;
    manifest::edited(hpa, &assignments, rules).expect("a spec")
}

fn codes(findings: &[Finding]) -> Vec<Code> {
    findings.iter().map(|finding| finding.code).collect()
}

/// Whoever makes a trap gains its finding, whoever mends it loses it, and
/// whoever has it on both sides hears nothing of it.
#[test]
fn traps_of_the_spec_alone_are_gained_and_lost() {
    let plain = steady();
    let own = plain.hpa.spec.clone();
    for (set, code) in TRAPS {
        let spec = edited(&plain, set);
        let compared = compare(&plain, &spec);
        let gained = &other(&compared).difference.as_ref().expect("two").gained;
        assert!(codes(gained).contains(&code), "{set:?}: {gained:?}");

        let mut trapped = plain.clone();
        trapped.hpa.spec = spec.clone();
        let compared = compare(&trapped, &own);
        let lost = &other(&compared).difference.as_ref().expect("two").lost;
        assert!(codes(lost).contains(&code), "{set:?}: {lost:?}");

        let compared = compare(&trapped, &spec);
        let difference = other(&compared).difference.as_ref().expect("two");
        assert!(difference.is_empty(), "{set:?}: {difference:?}");
    }
    assert_eq!(TRAPS.len(), 9);
}

/// Beside an HPA that scales the same pods: what is said, and what is not.
#[test]
fn a_new_hpa_beside_another_is_told_of_it() {
    let folder = Folder::of("stuck-without-samples");
    let fresh = WEB.replace("{name: web}\nspec", "{name: fresh}\nspec");
    folder.write("fresh.yaml", fresh);
    let rows = [
        (
            "1.36",
            "every pass stops before the metrics (several HPAs select the same pods)",
            "ambiguous-selector (error): HPA web selects the same pods, so neither HPA scales",
        ),
        (
            "1.25",
            "1 change and 0 reversals in 5m",
            "ambiguous-selector (warning): HPA web also selects the same pods, so each sets its own \
             size",
        ),
    ];
    for (release, ahead, found) in rows {
        let version = format!("--kubernetes-version={release}");
        let arguments = [
            "fresh",
            "-f",
            "fresh.yaml",
            "--for=5m",
            "-omarkdown",
            &version,
        ];
        let (code, answered, complained) = folder.run(&arguments);
        assert_eq!((code, complained.as_str()), (Some(0), ""), "{release}");
        for says in [ahead, found] {
            assert!(answered.contains(says), "{release}: {says}\nin {answered}");
        }
        for never in ["metrics fail", "controller-restarted"] {
            assert!(!answered.contains(never), "{release}: {answered}");
        }
    }
    assert_eq!(rows.len(), 2);
}
