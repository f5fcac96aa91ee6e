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

/// However narrow a page is, every side's moments and reasons are on it, and nothing is
/// cut.
#[test]
fn no_side_is_left_out_on_any_page() {
    let folder = Folder::of("slowed-by-policy");
    for (name, pods) in CANDIDATES {
        folder.write(name, manifest(pods));
    }
    let command = "dry-run --snapshot in.yaml checkout --for 4m";
    let rows: [(&str, &[&str]); 5] = [
        ("200", &[]),
        ("80", &[]),
        ("80", &["-owide"]),
        ("60", &[]),
        ("40", &[]),
    ];
    for (columns, more) in rows {
        let mut arguments: Vec<&str> = command.split(' ').collect();
        arguments.extend(CANDIDATES.iter().flat_map(|(name, _)| ["-f", name]));
        arguments.extend(more);
        let output = folder.on(columns, &arguments);
        let text = String::from_utf8(output.stdout).expect("text");
        let widest = text.lines().map(|line| line.chars().count()).max();
        assert!(widest <= columns.parse().ok(), "{columns}: {text}");
        let (_, moments) = text.split_once("ON AVERAGE").expect("the score");
        let (moments, _) = moments.split_once("Size, current").expect("the charts");
        let sides = CANDIDATES.iter().map(|(name, _)| *name);
        let told = sides.chain(["current", "03:12:08", "03:15:38", "WHY", "ScaleUpLimit"]);
        for told in told {
            assert!(moments.contains(told), "{columns}, {told}: {text}");
        }
        assert!(!text.lines().any(|line| line.ends_with('…')), "{text}");
    }
    assert_eq!(rows.len(), 5);
}
