//! Pages that once misled their readers: small inputs, each with the sentences
//! that its page needs and the words that it must not have.
//!
//! `UPDATE_GOLDEN=1 cargo test --test suite wrong_pages::` writes the pages anew.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use crate::support::golden::Goldens;

/// The name of the input and more arguments; then what the page says in its
/// first paragraph (`^`), anywhere (`+`) and nowhere (`-`), parted by bars.
const PAGES: &str = "
dry-run-other-way dry-run --set spec.behavior.scaleDown.stabilizationWindowSeconds=60
^ no difference now (4 → 6): it affects only scale-downs | ^ try a lower load
dry-run-policy-decides dry-run --set spec.metrics[0].resource.target.averageUtilization=70 --set spec.behavior.scaleUp.policies[0].value=20
^ 4 → 9 (current: 4 → 6), because scaleUp Pods 20/60s allows 24
^ Also different: cpu asks for 9
foreign-pods
^ 1 of 5 selected pods (be-1) belongs to Deployment/be, not to Deployment/web
+ cpu is below its target but asks for 5, not 4
+ kubectl get pods -n shop -l app=web --show-labels
hot-canary
^ cpu is at 270% in the 1 pod of ReplicaSet/web-2 but at 10% in the 4 pods of ReplicaSet/web-1
+ Do send each version its share of the traffic | - Steady
hot-container
^ container app is at 98% of its cpu request (target 60%), but its pods are at 37%
+ Do measure container app alone | - Steady
just-started
^ the controller has just started and holds the current size until 09:35:00 (in 5m)
+ the controller has led since 09:29:40 (20s ago)
more-selected-than-owned
^ 2 of 6 selected pods (job-a-1, job-a-2) belong to Job/a, not to Deployment/web
+ kubectl get pods -n shop -l app=web --show-labels | - Steady
period-start-down
^ Pods 2 per 300s counts from 4, because 4 of the 8 were added within its period
target-not-found
^ Deployment/web does not exist in namespace shop | + Do kubectl get deployment -n shop | - next apply | - runs
crash-loop
^ CrashLoopBackOff | + kubectl logs web-1-4 | - kubectl describe pod
crash-loop-counted
^ CrashLoopBackOff, 14 restarts | + Do kubectl logs web-1-4 -n shop -c app --previous # see why it crashes | - Steady
direction-guard
^ over 2 pods that would be a scale-up | ^ such pods never cause below the target | + 1 of 2 pods still counts | - ceil(
foreign-pods-alike
^ belong to Job/a, not to Deployment/web | + Do # list the selected pods with their labels kubectl get pods | - Steady
just-started-assumed
^ The controller started 20s ago, and its memory
next-is-the-size
+ Do kubectl describe pod web-1-4 -n shop # see what the pod is doing Check | - 4 if web-1-4
one-core
+ (100m of 1 core) | - (100m of 1)
pod-missing
^ Deployment/web has 3 pods instead of 4 | + Do kubectl describe deployment | - Steady
readiness-at-min
^ m is above its target (1.11×), but 2 of 3 pods (web-1-b, web-1-c) are not Ready and are left out, so it asks for 2 instead of 4
+ 1 of 3 pods still counts
slow-way-up
^ twice the size or 4, whichever is larger | + ends at maxReplicas 5; the metrics want 17
status-replicas-ratio
^ the ratio of m is 0.60 instead of 0.90; with 10 pods the metrics ask for 10, not 9
+ Do lower maxSurge
surge-pods-set-the-ratio
^ 6 pods run instead of 4 | + kubectl rollout status
tiny-request
^ the cpu request of Deployment/web's pods is only 10m | ^ helm set the template 1h30m ago | + Do | - Try spec.maxReplicas
two-holds
^ and so would
two-kinds-of-pods
^ cpu is at 110% in the 3 pods of ReplicaSet/web-2 but at 10% in the 3 | + Do | - canary
uneven-pods
^ 210% | + Do kubectl top pods | - Steady
value-ran-away
^ its target 5 has type Value | + use AverageValue | - goes to maxReplicas 5
value-runs-away
^ and its target 5 has type Value; unless it falls as pods are added, the size goes to maxReplicas 20
+ use AverageValue
";

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/wrong_pages");

fn file(name: &str, extension: &str) -> PathBuf {
    PathBuf::from(format!("{FOLDER}/{name}.{extension}"))
}

/// What the binary prints, as on a terminal of 80 columns.
fn page(name: &str, arguments: &[&str]) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kubectl-hpa_explain"));
    command.args(arguments).arg("--snapshot");
    command.arg(file(name, "yaml")).env_clear().env("TZ", "UTC");
    command.env("COLUMNS", "80").env("LC_ALL", "C.UTF-8");
    let output = command.output().expect("the binary runs");
    let warnings = String::from_utf8_lossy(&output.stderr);
    let is_well = output.status.success() && warnings.is_empty();
    assert!(is_well, "{name}: {warnings}");
    String::from_utf8(output.stdout).expect("text")
}

/// Lines that were wrapped, as one.
fn joined(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The pages of a table by their names, and what is wrong with them.
fn read(table: &str) -> (Vec<(&str, String)>, Vec<String>) {
    let (mut pages, mut wrong) = (Vec::<(&str, String)>::new(), Vec::new());
    for says in table.trim().lines().flat_map(|line| line.split(" | ")) {
        let (mark, words) = says.split_once(' ').unwrap_or((says, ""));
        let Some((name, text)) = pages.last().filter(|_| "^+-".contains(mark)) else {
            let arguments: Vec<&str> = words.split_whitespace().collect();
            pages.push((mark, page(mark, &arguments)));
            continue;
        };
        let first = text.split("\n\n").nth(1).unwrap_or_default();
        let within = joined(if mark == "^" { first } else { text });
        if within.contains(words) == (mark == "-") {
            wrong.push(format!("{name}: {says}"));
        }
    }
    (pages, wrong)
}

#[test]
fn pages_say_what_misled_before() {
    let (pages, wrong) = read(PAGES);
    let mut goldens = Goldens::default();
    for (name, text) in &pages {
        goldens.check(&file(name, "txt"), text);
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert_eq!(pages.len(), 27);
    // Each input with its page.
    let files = fs::read_dir(FOLDER).expect("a folder").count();
    assert_eq!(files, 2 * 27);
}
