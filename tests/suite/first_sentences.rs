//! The first sentence of a page names the cause with its culprit: held for the
//! page of every reported case that has numbers.
//!
//! `UPDATE_GOLDEN=1 cargo test --test suite first_sentences::` writes the table
//! anew.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use crate::support::golden::Goldens;

/// What the cause of each case cannot be named without.
const CULPRITS: &str = "
A1: pod report, no cpu request
A2: linkerd-proxy, no cpu request
A3: daprd, no cpu or memory request
A4: 275m of 250m, 80% (200m)
A6: 1 of 160 selected pods, no sample, counts as 100%
A7: container named application, app
B1: 2 of 5 selected pods, Pending, Deployment/canary, count as 0%
B2: Deployment/be, without
B4: default/other also selects the pods
C1: 10 of 20 selected pods, Succeeded, count as 100%
C4: 9 of 10 selected pods, Pending, count as 0%
D1: has just started, only 1 of 10 pods counts
D2: none of the 10 pods is Ready
D3: none of the 3 pods is Ready, Ready before
E1: (broken-1), which blocks any scale-down
E3: 2 of 10 selected pods, no sample, count as 100%
F1: 1.03, inside the tolerance
F3: 1.09, inside the tolerance
F4: 1.09, inside the tolerance
G1: rounded up
G2: 0.92, inside the tolerance
G4: memory, 166%
H1: recommendation of the last 600s, 21, still counts
H2: lowest recommendation of the last 300s, 2
H3: lowest recommendation of the last 300s, 2
H5: 0.91, inside the tolerance
I1: Pods 4 per 60s, selectPolicy Max
I3: Percent 300 per 300s, counts from 2
I4: Pods 2 per 300s, counts from 4, 4 of the 8 were added
I6: no scaleDown policy limits this drop
J2: minReplicas keeps 2
L2: status has 11 replicas, rollout
L4: 1 of 2 selected pods, no sample, counts as 100%
M3: 0 replicas
N2: 4 in total (1334m = 1.334 per pod)
O1: type Value: not divided by the pods
V1: Pods 2 per 300s, counts from 8
V3: exactly on the edge of the tolerance 0.90..1.10
V6: recommendation of 6, without behavior, even upward
W1: 2 of 14 selected pods, no sample, count as 0%
";

/// What people found who read the sentences beside the cause of each block, and knew
/// nothing else of the tool.
const JUDGED: &str = "
| judged by | first | later | missing |
|---|---|---|---|
| a reader who knew only the causes | 38 | 2 | 0 |
| another one | 38 | 2 | 0 |

Both found the same two: H3 does not say that only the policy's period paces what comes
after the window, and V1 does not say that the controller overwrote an older scale-up.
";

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests")
        .join(name)
}

/// The paragraph below the first line of a page.
fn paragraph(page: &str) -> String {
    let lines = page.lines().skip_while(|line| !line.is_empty()).skip(1);
    let lines: Vec<&str> = lines.take_while(|line| !line.is_empty()).collect();
    lines.join(" ")
}

/// The text up to the first period that ends a sentence.
fn first_sentence(paragraph: &str) -> &str {
    let end = paragraph.find(". ").map_or(paragraph.len(), |at| at + 1);
    &paragraph[..end]
}

#[test]
fn the_cause_of_every_reported_case_comes_first() {
    let mut table = "| block | first sentence | cause |\n|---|---|---|\n".to_owned();
    let mut counts = [0; 3];
    for row in CULPRITS.trim().lines() {
        let (block, culprits) = row.split_once(": ").expect("a block and its culprits");
        let path = folder("texts/reported").join(format!("{block}.txt"));
        let page = fs::read_to_string(&path).expect("the page of a case");
        let paragraph = paragraph(&page);
        let sentence = first_sentence(&paragraph);
        let names = |text: &str| culprits.split(", ").all(|it| text.contains(it));
        let place = match (names(sentence), names(&paragraph)) {
            (true, _) => 0,
            (false, true) => 1,
            (false, false) => 2,
        };
        counts[place] += 1;
        let cause = ["first", "later", "missing"][place];
        writeln!(table, "| {block} | {sentence} | {cause} |").expect("a row");
    }
    table += JUDGED;
    let mut goldens = Goldens::default();
    goldens.check(&folder("first-sentences.md"), &table);
    assert_eq!(counts, [40, 0, 0], "{table}");
}

#[test]
fn a_sentence_ends_at_its_period() {
    assert_eq!(
        first_sentence("At 1.5: it stays. More."),
        "At 1.5: it stays."
    );
    assert_eq!(first_sentence("Only one."), "Only one.");
}
