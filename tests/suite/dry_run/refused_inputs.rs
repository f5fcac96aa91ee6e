//! What-ifs on the inputs that are none: refused with the flag, what is wrong
//! and what to give, before anything is compared.

use super::folder::{Folder, WEB};

const METRIC: &str = "give NAME=VALUE, such as queue=900 or cpu=180%";
const PODS: &str = "give a whole number of pods, from 0 to 100000";
const ALTER: &str = "hint: --metric, --unready, --missing and --replicas change existing inputs";

/// The flags, the exit code, what is said, and what to do.
#[rustfmt::skip] // one row a line
const ROWS: [(&[&str], i32, &str, &str); 41] = [
    (&["--metric", "cpu"], 2, "invalid value 'cpu' for '--metric", METRIC),
    (&["--metric", ""], 2, "invalid value '' for '--metric", METRIC),
    (&["--metric", "=5"], 2, "invalid value '=5' for '--metric", METRIC),
    (&["--metric", "cpu="], 2, "\"\" is not an amount", METRIC),
    (&["--metric", "cpu=lots"], 2, "\"lots\" is not an amount", METRIC),
    (&["--metric", "cpu=5x"], 2, "\"5x\" is not an amount", METRIC),
    (&["--metric", "cpu=NaN"], 2, "\"NaN\" is not an amount", METRIC),
    (&["--metric", "cpu=.nan"], 2, "\".nan\" is not an amount", METRIC),
    (&["--metric", "cpu=inf"], 2, "\"inf\" is not an amount", METRIC),
    (&["--metric", "cpu=-5"], 2, "\"-5\" is below 0", METRIC),
    (&["--metric", "cpu=-1m"], 2, "\"-1m\" is below 0", METRIC),
    (&["--metric", "cpu=9e30"], 2, "\"9e30\" is more than the controller can count", METRIC),
    (&["--metric", "cpu=%"], 2, "\"%\" is not a percentage", METRIC),
    (&["--metric", "cpu=1.5%"], 2, "\"1.5%\" is not a whole percentage; leave the fraction out", METRIC),
    (&["--metric", "cpu=-5%"], 2, "\"-5%\" is below 0", METRIC),
    (&["--metric", "cpu=NaN%"], 2, "\"NaN%\" is not a percentage", METRIC),
    (&["--metric", "cpu=99999999999%"], 2, "\"99999999999%\" is more than the limit of 4294967295%", METRIC),
    (&["--metric", "cpu=inf%"], 2, "\"inf%\" is not a percentage", METRIC),
    (&["--metric", "cpu=50%", "--metric", "cpu=900m"], 2, "--metric gives cpu twice: cpu=50% and cpu=900m", "hint: leave one out"),
    (&["--metric", "cpu=5", "--metric", "cpu=5"], 2, "--metric gives cpu twice: cpu=5 and cpu=5", "hint: leave one out"),
    (&["--metric", "cpuu=5"], 2, "the spec has no metric cpuu; the metrics are cpu", ALTER),
    (&["--metric", "cpu=5", "--metric", "queue=5"], 2, "the spec has no metric queue; the metrics are cpu", ALTER),
    (&["--unready", "-1"], 2, "invalid value '-1' for '--unready", PODS),
    (&["--unready=many"], 2, "invalid value 'many' for '--unready", PODS),
    (&["--unready=NaN"], 2, "invalid value 'NaN' for '--unready", PODS),
    (&["--unready=1.5"], 2, "invalid value '1.5' for '--unready", PODS),
    (&["--unready="], 2, "for '--unready", PODS),
    (&["--unready=100001"], 2, "invalid value '100001' for '--unready", PODS),
    (&["--unready=18446744073709551616"], 2, "for '--unready", PODS),
    (&["--unready=7"], 2, "only 5 pods have a usable sample, fewer than the 7 to leave out", ALTER),
    (&["--missing", "-1"], 2, "invalid value '-1' for '--missing", PODS),
    (&["--missing=NaN"], 2, "invalid value 'NaN' for '--missing", PODS),
    (&["--missing="], 2, "for '--missing", PODS),
    (&["--missing=7"], 2, "only 5 pods have a usable sample, fewer than the 7 to leave out", ALTER),
    (&["--unready=100000", "--missing=100000"], 2, "only 5 pods have a usable sample, fewer than the 200000 to leave out", ALTER),
    (&["--replicas", "-1"], 2, "invalid value '-1' for '--replicas", PODS),
    (&["--replicas=NaN"], 2, "invalid value 'NaN' for '--replicas", PODS),
    (&["--replicas=2.5"], 2, "invalid value '2.5' for '--replicas", PODS),
    (&["--replicas="], 2, "for '--replicas", PODS),
    (&["--replicas=100001"], 2, "invalid value '100001' for '--replicas", PODS),
    (&["--replicas=3", "--unready=4"], 2, "only 3 pods have a usable sample, fewer than the 4 to leave out", ALTER),
];

#[test]
fn an_input_that_cannot_be_altered_so_is_named() {
    let folder = Folder::of("stuck-without-samples");
    let mut wrong = Vec::new();
    for (flags, exit, says, next) in ROWS {
        let arguments = [&["web", "--set=spec.maxReplicas=21"], flags].concat();
        let (code, answered, complained) = folder.run(&arguments);
        assert_eq!(code, Some(exit), "{flags:?}: {answered}{complained}");
        assert_eq!(answered, "", "{flags:?}");
        for says in [says, next] {
            if !complained.contains(says) {
                wrong.push(format!("{flags:?}: want {says:?}\nin {complained}"));
            }
        }
        assert!(!complained.contains("panicked"), "{flags:?}: {complained}");
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert_eq!(ROWS.len(), 41);
}

/// The largest that is taken, and the smallest.
#[test]
fn the_ends_of_what_can_be_given_are_taken() {
    let folder = Folder::of("stuck-without-samples");
    let rows: [&[&str]; 8] = [
        &["--metric=cpu=0"],
        &["--metric=cpu=0%"],
        &["--metric=cpu=9223372036854775"],
        &["--metric=cpu=4294967295%"],
        &["--unready=5"],
        &["--missing=0", "--unready=0"],
        &["--replicas=0"],
        &["--replicas=100000", "--metric=cpu=9223372036854775"],
    ];
    for flags in rows {
        let arguments = [&["web", "--set=spec.maxReplicas=21"], flags].concat();
        let (code, answered, complained) = folder.run(&arguments);
        assert_eq!((code, complained.as_str()), (Some(0), ""), "{flags:?}");
        assert!(answered.contains("--set"), "{flags:?}: {answered}");
    }
    assert_eq!(rows.len(), 8);
}

/// What is read from standard input is gone then.
#[test]
fn standard_input_is_read_once() {
    let folder = Folder::of("stuck-without-samples");
    folder.write("web.yaml", WEB);
    let rows: [&[&str]; 3] = [
        &["dry-run", "web", "--snapshot=in.yaml", "-f", "-", "-f", "-"],
        &["dry-run", "web", "--snapshot=-", "-f", "-"],
        &["lint", "-f", "-", "-f", "web.yaml", "-f", "-"],
    ];
    for arguments in rows {
        let output = folder.binary(arguments);
        let complained = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(output.stdout.is_empty(), "{arguments:?}");
        assert!(
            complained.contains("standard input is asked for twice"),
            "{complained}"
        );
        assert!(complained.contains("hint: give - once"), "{complained}");
    }
    assert_eq!(rows.len(), 3);
}

/// One name twice, in a file and in two: the other place is named.
#[test]
fn two_hpas_of_one_name_are_told_apart_by_their_places() {
    let folder = Folder::empty();
    folder.write("a.yaml", format!("{WEB}---\n{}", WEB.replace("20", "30")));
    folder.write(
        "b.yaml",
        WEB.replace("name: web}\n  min", "name: api}\n  min"),
    );
    let output = folder.binary(&["lint", "-f", "a.yaml", "-f", "b.yaml"]);
    let said = String::from_utf8_lossy(&output.stdout);
    let said = said.split_whitespace().collect::<Vec<_>>().join(" ");
    let rows = [
        "a.yaml:3:12: HPA web is defined twice, also at line 14; the last one that is applied wins \
         (duplicate-name)",
        "a.yaml:14:12: HPA web is defined twice, also at line 3; the last one that is applied wins \
         (duplicate-name)",
        "b.yaml:3:12: HPA web is defined twice, also at a.yaml:3; the last one that is applied wins \
         (duplicate-name)",
    ];
    for says in rows {
        assert!(said.contains(says), "want {says:?}\nin {said}");
    }
}
