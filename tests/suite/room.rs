//! Whether maxReplicas can be reached: made-up clusters with the line of each, and
//! random ones against a packing that knows nothing of how it is counted.

mod packing;
mod served;

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use serde::Deserialize;
use serde_json::{Map, Value, json};

/// A cluster, and the line that its page has.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Cluster {
    case: String,
    #[serde(default)]
    quotas: Map<String, Value>,
    #[serde(default)]
    ranges: Map<String, Value>,
    #[serde(default = "base")]
    template: Value,
    #[serde(default)]
    target: Value,
    pods: Option<Vec<Value>>,
    #[serde(default = "eighteen")]
    pods_there: i32,
    #[serde(default)]
    waiting: usize,
    /// The condition `PodScheduled` of those that wait.
    #[serde(default)]
    not_scheduled: Option<Value>,
    /// The labels that pods have beyond those of the template.
    #[serde(default)]
    labels: Map<String, Value>,
    nodes: Option<Vec<Value>>,
    #[serde(default)]
    placed: Map<String, Value>,
    #[serde(default)]
    refused: Vec<String>,
    #[serde(default)]
    unread: bool,
    #[serde(default = "release")]
    server_version: Value,
    room: Option<String>,
}

fn base() -> Value {
    json!({})
}

fn release() -> Value {
    json!("v1.36.0")
}

const fn eighteen() -> i32 {
    18
}

impl Cluster {
    fn template(&self) -> Option<Value> {
        let own = self.template.as_object()?;
        let mut template = json!({"containers": [
            {"name": "app", "resources": {"requests": {"cpu": "1", "memory": "1Gi"}}}
        ]});
        let fields = template.as_object_mut().expect("an object");
        fields.extend(own.clone());
        Some(template)
    }

    fn pods(&self) -> Vec<Value> {
        let template = self.template().unwrap_or_else(
            || json!({"containers": [{"name": "app", "resources": {"requests": {"cpu": "1"}}}]}),
        );
        let running = self.pods.clone().unwrap_or_else(|| vec![template.clone()]);
        let running = running.into_iter().map(|mut spec| {
            if spec["nodeName"].is_null() {
                spec["nodeName"] = json!("n0");
            }
            (spec, "Running")
        });
        let waiting = std::iter::repeat_n((template, "Pending"), self.waiting);
        let pods = running.chain(waiting).enumerate();
        let pod = |(at, (spec, phase))| {
            let mut labels = self.labels.clone();
            labels.insert("app".to_owned(), json!("web"));
            let mut pod = json!({
                "metadata": {"name": format!("web-{at}"), "namespace": "shop", "labels": labels},
                "spec": spec, "status": {"phase": phase},
            });
            if let Some(condition) = self.not_scheduled.as_ref().filter(|_| phase == "Pending") {
                let mut condition = condition.clone();
                condition["type"] = json!("PodScheduled");
                condition["status"] = json!("False");
                pod["status"]["conditions"] = json!([condition]);
            }
            pod
        };
        pods.map(pod).collect()
    }

    fn room(&self) -> Value {
        let mut room = json!({});
        let refuses = |part: &str| self.refused.iter().any(|it| it == part);
        if !refuses("resourceQuotas") {
            room["resourceQuotas"] = self.quotas.iter().map(quota).collect();
        }
        if !refuses("limitRanges") {
            let ranges = self.ranges.iter().map(
                |(name, limits)| json!({"metadata": {"name": name}, "spec": {"limits": limits}}),
            );
            room["limitRanges"] = ranges.collect();
        }
        if let Some(nodes) = &self.nodes {
            let mut placed = json!({"ownPriority": 0, "lowestPriority": 0});
            let fields = placed.as_object_mut().expect("an object");
            fields.extend(self.placed.clone());
            placed["items"] = nodes.iter().enumerate().map(node).collect();
            room["nodes"] = placed;
        }
        room
    }

    fn snapshot(&self) -> Value {
        let own = |field: &str| self.target[field].clone();
        let updated = own("updated").as_i64().unwrap_or(self.pods_there.into());
        let mut spec = json!({"replicas": 30});
        if let Some(template) = self.template() {
            spec["template"] = json!({"metadata": {"labels": {"app": "web"}}, "spec": template});
        }
        if !own("volumeClaimTemplates").is_null() {
            spec["volumeClaimTemplates"] = own("volumeClaimTemplates");
        }
        let not_read = self.refused.iter().map(
            |part| json!({"part": part, "reason": "it is forbidden: User \"me\" cannot list it"}),
        );
        let mut snapshot = json!({
            "apiVersion": "hpa-explain/v1", "kind": "Snapshot",
            "capturedAt": "2026-11-20T10:00:00Z", "serverVersion": self.server_version,
            "horizontalPodAutoscaler": {
                "apiVersion": "autoscaling/v2", "kind": "HorizontalPodAutoscaler",
                "metadata": {"name": "web", "namespace": "shop"},
                "spec": {
                    "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"},
                    "minReplicas": 1, "maxReplicas": 30,
                    "metrics": [{"type": "External", "external": {
                        "metric": {"name": "queue"}, "target": {"type": "AverageValue", "averageValue": "1"},
                    }}],
                },
            },
            "scale": {"response": {
                "spec": {"replicas": 30},
                "status": {"replicas": self.pods_there, "selector": "app=web"},
            }},
            "metrics": {"external": [{"metric": "queue", "response": {"items": [
                {"metricName": "queue", "timestamp": "2026-11-20T10:00:00Z", "value": "40"},
            ]}}]},
            "pods": self.pods(),
            "target": {
                "metadata": {"name": "web", "generation": 2},
                "spec": spec,
                "status": {
                    "observedGeneration": 2, "replicas": self.pods_there, "updatedReplicas": updated,
                    "conditions": own("conditions"),
                },
            },
            "provenance": {"notRead": not_read.collect::<Value>()},
        });
        if !self.unread {
            snapshot["room"] = self.room();
        }
        snapshot
    }
}

/// A quota from `hard used` by name, or `hard` where nothing is counted.
fn quota((name, own): (&String, &Value)) -> Value {
    let mut quota = json!({"metadata": {"name": name}, "spec": {}, "status": {}});
    for (field, value) in own.as_object().expect("an object") {
        match field.as_str() {
            "scopes" => quota["spec"]["scopes"] = value.clone(),
            "select" => {
                quota["spec"]["scopeSelector"] = json!({"matchExpressions": value});
            }
            "spec" => quota["spec"]["hard"] = value.clone(),
            resource => {
                let text = value.as_str().expect("text");
                let (hard, used) = match text.split_once(' ') {
                    Some((hard, used)) => (hard, Some(used)),
                    None => (text, None),
                };
                if own.get("spec").is_none() {
                    quota["spec"]["hard"][resource] = json!(hard);
                }
                quota["status"]["hard"][resource] = json!(hard);
                if let Some(used) = used {
                    quota["status"]["used"][resource] = json!(used);
                }
            }
        }
    }
    quota
}

/// A node from `cpu memory pods`, and what it has `also`.
fn node((at, own): (usize, &Value)) -> Value {
    let three = |text: &str| -> Vec<String> { text.split(' ').map(str::to_owned).collect() };
    let has = own.as_str().or_else(|| own["has"].as_str());
    let has = three(has.expect("what it has"));
    let on = three(own["on"].as_str().unwrap_or("0 0 0"));
    let pods: u32 = on[2].parse().expect("a number");
    let mut node = json!({
        "metadata": {"name": format!("n{at}"), "labels": own["labels"]},
        "spec": {"unschedulable": own["cordoned"], "taints": own["taints"]},
        "status": {"allocatable": {"cpu": has[0], "memory": has[1], "pods": has[2]}, "conditions": own["conditions"]},
        "pods": pods, "requested": {"cpu": on[0], "memory": on[1]},
    });
    for (resource, amount) in own["also"].as_object().into_iter().flatten() {
        node["status"]["allocatable"][resource] = amount.clone();
    }
    node
}

/// What the binary prints of documents, one a line.
fn explained(input: &str, arguments: &[&str]) -> String {
    let mut child = Command::new(env!("CARGO_BIN_EXE_kubectl-hpa_explain"))
        .args(["--snapshot", "-"])
        .args(arguments)
        .env_clear()
        .env("TZ", "UTC")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the binary starts");
    let mut stdin = child.stdin.take().expect("a pipe");
    let input = input.to_owned();
    let writer = std::thread::spawn(move || stdin.write_all(input.as_bytes()));
    let output = child.wait_with_output().expect("the binary ends");
    writer.join().expect("it ends").expect("it is read");
    String::from_utf8(output.stdout).expect("text")
}

/// The line of a page, in one.
fn line(page: &str) -> Option<String> {
    let mut lines = page.lines().skip_while(|line| !line.starts_with("Room   "));
    let first = lines.next()?.strip_prefix("Room   ")?;
    let more = lines.take_while(|line| line.starts_with("        ") || line.starts_with("       "));
    let more = more.map(|line| format!(" {}", line.trim()));
    Some(first.to_owned() + &more.collect::<String>())
}

#[test]
fn each_cluster_has_its_line() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/room.yaml");
    let text = std::fs::read_to_string(path).expect("the table");
    let clusters: Vec<Cluster> = serde_yaml::from_str(&text).expect("clusters");
    let mut wrong = Vec::new();
    for cluster in &clusters {
        let page = explained(&cluster.snapshot().to_string(), &[]);
        assert!(page.contains("At max"), "{}\n{page}", cluster.case);
        let line = line(&page);
        if line != cluster.room {
            wrong.push(format!(
                "{}\nwant {:?}\ngot  {line:?}",
                cluster.case, cluster.room
            ));
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n\n"));
    assert!(clusters.len() >= 162, "{}", clusters.len());
}
