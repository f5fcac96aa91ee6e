//! The moments of more sides than a page has columns for.

use super::folder::Folder;

const CANDIDATES: [(&str, i32); 4] = [
    ("pods-6.yaml", 6),
    ("pods-8.yaml", 8),
    ("pods-10.yaml", 10),
    ("max-of-12.yaml", 0),
];

fn manifest(pods: i32) -> String {
    let (most, policies) = match pods {
        0 => (12, "{}".to_owned()),
        _ => (
            40,
            format!("{{policies: [{{type: Pods, value: {pods}, periodSeconds: 60}}]}}"),
        ),
    };
    format!(
        "\
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {{name: checkout, namespace: shop}}
spec:
  scaleTargetRef: {{apiVersion: apps/v1, kind: Deployment, name: checkout}}
  minReplicas: 4
  maxReplicas: {most}
  metrics:
  - type: Resource
    resource: {{name: cpu, target: {{type: Utilization, averageUtilization: 60}}}}
  behavior: {{scaleUp: {policies}}}
"
    )
}

/// The tables' titles, and whether reasons are among them.
fn titles(folder: &Folder, columns: &str, more: &[&str]) -> (Vec<String>, bool) {
    let mut arguments = vec![
        "dry-run",
        "--snapshot",
        "in.yaml",
        "checkout",
        "--for",
        "4m",
    ];
    arguments.extend(CANDIDATES.iter().flat_map(|(name, _)| ["-f", name]));
    arguments.extend(more);
    let output = folder.on(columns, &arguments);
    let text = String::from_utf8(output.stdout).expect("text");
    let widest = text.lines().map(|line| line.chars().count()).max();
    assert!(widest <= columns.parse().ok(), "{columns}: {text}");
    let titles = text.lines().filter_map(|line| line.strip_prefix("  TIME "));
    let words = titles.flat_map(str::split_whitespace).map(str::to_owned);
    let (reasons, sides): (Vec<String>, Vec<String>) = words.partition(|it| it == "WHY");
    // However narrow, every number of the coming minutes is there.
    let score = ["CHANGES", "REVERSALS", "SIZES", "ON AVERAGE"];
    assert!(
        score.iter().all(|it| text.contains(it)),
        "{columns}: {text}"
    );
    let is_told = text.contains("-o markdown shows the reasons");
    assert_eq!(is_told, reasons.is_empty(), "{columns}: {text}");
    // What has no column leaves nothing behind that is cut.
    let mut lines = text.lines();
    let is_cut = lines.any(|line| line.ends_with('…'));
    assert!(!is_told || !is_cut, "{columns}: {text}");
    (sides, !reasons.is_empty())
}

#[test]
fn no_side_is_left_out_on_any_page() {
    let folder = Folder::of("slowed-by-policy");
    for (name, pods) in CANDIDATES {
        folder.write(name, manifest(pods));
    }
    let rows: [(&str, &[&str], bool); 5] = [
        ("200", &[], true),
        ("80", &[], true),
        ("80", &["-owide"], true),
        ("60", &[], true),
        ("40", &[], false),
    ];
    for (columns, more, has_why) in rows {
        let last = if has_why {
            "max-of-12.yaml"
        } else {
            "max-of…2.yaml"
        };
        let sides = [
            "current",
            "pods-6.yaml",
            "pods-8.yaml",
            "pods-10.yaml",
            last,
        ];
        let (shown, reasons) = titles(&folder, columns, more);
        assert_eq!(shown, sides, "{columns} {more:?}");
        assert_eq!(reasons, has_why, "{columns} {more:?}");
    }
    assert_eq!(rows.len(), 5);
}
