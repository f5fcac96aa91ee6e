//! Manifests of `tests/lint/silent` of which nothing was said once, each with
//! all that is found in it. They were given; what is like them, and the nearest
//! that is well, is in `around`.

use std::collections::BTreeSet;
use std::fs;

use hpa_explain::trace::Code;

use super::{folder, found};

#[rustfmt::skip] // one row a line
#[test]
fn they_are_silent_no_more() {
    let (metric, kind, down) = ("spec.metrics[0]", "spec.scaleTargetRef.kind", "spec.behavior.scaleDown");
    let rows: [(&str, &[(Code, String)]); 16] = [
        ("00", &[(Code::PolicyUnused, format!("{down}.policies[1]"))]),
        ("05", &[(Code::BehaviorDisabled, format!("{down}.selectPolicy")), (Code::PolicyUnused, format!("{down}.stabilizationWindowSeconds"))]),
        ("15", &[(Code::MissingRequest, metric.to_owned())]),
        ("16", &[(Code::MissingRequest, metric.to_owned())]),
        ("17", &[(Code::MissingRequest, metric.to_owned())]),
        ("18", &[(Code::WrongContainer, format!("{metric}.containerResource.container"))]),
        ("19", &[(Code::TargetUnknownKind, kind.to_owned())]),
        ("20", &[(Code::TargetUnknownKind, kind.to_owned())]),
        ("21", &[(Code::TargetCannotScale, kind.to_owned())]),
        ("22", &[(Code::TargetCannotScale, kind.to_owned())]),
        ("23", &[(Code::TargetNotFound, "spec.scaleTargetRef.name".to_owned())]),
        ("26", &[(Code::MetricTwice, "spec.metrics[1]".to_owned())]),
        ("32", &[(Code::AmbiguousSelector, "spec.scaleTargetRef".to_owned())]),
        ("33", &[(Code::VpaConflict, metric.to_owned())]),
        ("34", &[(Code::ValueForAverage, format!("{metric}.external.target.type"))]),
        ("37", &[(Code::TargetAboveLimit, metric.to_owned())]),
    ];
    for (name, expected) in rows {
        let text = fs::read_to_string(folder().join(format!("silent/{name}.yaml"))).expect(name);
        assert_eq!(found(&text, 36, &[]), expected.iter().cloned().collect::<BTreeSet<_>>(), "{name}");
    }
    assert_eq!(rows.len(), fs::read_dir(folder().join("silent")).expect("a folder").count());
}
