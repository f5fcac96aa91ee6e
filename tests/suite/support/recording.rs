//! A recording holds what an API server answered to each request. This puts
//! the answers together to the snapshots that the controller's passes ran on.
//!
//! It works on plain JSON and knows nothing of the crate, so that it cannot
//! repeat a mistake of the crate's own collecting.

#![allow(dead_code, reason = "each test program uses a part of this")]

use std::collections::HashMap;
use std::io::{BufRead, BufReader};
use std::path::Path;

use flate2::read::GzDecoder;
use serde_json::{Map, Value, json};

const CONTROLLER_MANAGER: &str =
    "/api/v1/namespaces/kube-system/pods?labelSelector=component%3Dkube-controller-manager";

/// What an API server answered, request by request.
pub struct Recording {
    at: Value,
    namespace: String,
    answers: HashMap<String, Value>,
}

impl Recording {
    /// Reads `tests/recordings/NAME.jsonl.gz`.
    pub fn open(name: &str) -> Self {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/recordings");
        let file = std::fs::File::open(folder.join(format!("{name}.jsonl.gz"))).expect(name);
        let mut lines = BufReader::new(GzDecoder::new(file))
            .lines()
            .map(|line| serde_json::from_str::<Value>(&line.expect(name)).expect(name));
        let header = lines.next().expect("a recording begins with a header");
        let answers = lines
            // Requests with an `accept` of their own repeat a path in another form.
            .filter(|request| request["accept"].is_null())
            .map(|request| (text(&request["path"]), request))
            .collect();
        Self {
            at: header["recordedAt"].clone(),
            namespace: text(&header["namespace"]),
            answers,
        }
    }

    /// Whether this path was asked.
    pub fn has(&self, path: &str) -> bool {
        self.answers.contains_key(path)
    }

    /// The namespace's HPAs as the API server returned them, by name.
    pub fn autoscalers(&self) -> Vec<Value> {
        let folder = self.path("autoscaling/v2", "horizontalpodautoscalers");
        items(self.body(&folder))
            .map(|hpa| {
                let name = text(&hpa["metadata"]["name"]);
                self.body(&format!("{folder}/{name}")).clone()
            })
            .collect()
    }

    /// The snapshot document of the pass on one HPA, by a controller that
    /// has just started.
    pub fn snapshot(&self, hpa: &Value) -> Value {
        let scale = self.scale(hpa);
        let selector = text(&scale["response"]["status"]["selector"]);
        json!({
            "apiVersion": "hpa-explain/v1",
            "kind": "Snapshot",
            "capturedAt": self.at,
            "serverVersion": self.body("/version")["gitVersion"],
            "controller": self.controller(),
            "horizontalPodAutoscaler": hpa,
            "scale": scale,
            "pods": self.body(&format!("/api/v1/namespaces/{}/pods", self.namespace)),
            "metrics": self.metrics(hpa, &selector),
            "otherAutoscalers": self.others(hpa),
            "history": {"recommendations": [], "scaleUpEvents": [], "scaleDownEvents": []},
        })
    }

    fn scale(&self, hpa: &Value) -> Value {
        let target = &hpa["spec"]["scaleTargetRef"];
        let version = text(&target["apiVersion"]);
        let resource = self.resource(&version, &text(&target["kind"]));
        let name = text(&target["name"]);
        let path = format!("{}/{name}/scale", self.path(&version, &resource));
        self.answer(&path, &format!("{resource} {name}"))
    }

    /// The other HPAs of the namespace whose scale can be read.
    fn others(&self, hpa: &Value) -> Vec<Value> {
        self.autoscalers()
            .iter()
            .filter(|other| other["metadata"]["name"] != hpa["metadata"]["name"])
            .filter_map(|other| {
                let scale = self.scale(other);
                let selector = scale["response"]["status"]["selector"].as_str()?;
                Some(json!({
                    "namespace": self.namespace,
                    "name": other["metadata"]["name"],
                    "selector": selector,
                }))
            })
            .collect()
    }

    /// The answers to what the controller asks for the metrics of the spec.
    fn metrics(&self, hpa: &Value, selector: &str) -> Value {
        let mut resource = Value::Null;
        let (mut custom, mut external) = (Vec::new(), Vec::new());
        for metric in array(&hpa["spec"]["metrics"]) {
            match text(&metric["type"]).as_str() {
                "Resource" | "ContainerResource" => resource = self.resource_metrics(selector),
                "Pods" => custom.push(self.pods_metric(&metric["pods"]["metric"], selector)),
                "Object" => custom.push(self.object_metric(&metric["object"])),
                "External" => external.push(self.external_metric(&metric["external"]["metric"])),
                other => panic!("metrics of type {other} are not recorded"),
            }
        }
        json!({"resource": resource, "custom": custom, "external": external})
    }

    /// The recorded metrics API shares one load among the pods that it is
    /// asked for, so it matters to ask with the selector, as the controller
    /// does.
    fn resource_metrics(&self, selector: &str) -> Value {
        let query = query_text(&[("labelSelector", selector)]);
        let path = self.path("metrics.k8s.io/v1beta1", &format!("pods{query}"));
        self.answer(&path, "pods.metrics.k8s.io")
    }

    fn pods_metric(&self, metric: &Value, selector: &str) -> Value {
        let name = text(&metric["name"]);
        let query = [
            ("labelSelector", selector),
            ("metricLabelSelector", &wire_text(metric)),
        ];
        let answer = self.custom(&format!("pods/%2A/{name}"), &query, "pods", "*");
        with_identity(answer, metric)
    }

    fn object_metric(&self, source: &Value) -> Value {
        let (metric, object) = (&source["metric"], &source["describedObject"]);
        let (name, object_name) = (text(&metric["name"]), text(&object["name"]));
        let version = text(&object["apiVersion"]);
        let mut resource = self.resource(&version, &text(&object["kind"]));
        if let Some((group, _)) = version.split_once('/') {
            resource = format!("{resource}.{group}");
        }
        let path = format!("{resource}/{object_name}/{name}");
        let query = [("metricLabelSelector", wire_text(metric))];
        let query = query.each_ref().map(|(key, value)| (*key, value.as_str()));
        let mut answer = with_identity(self.custom(&path, &query, &resource, &object_name), metric);
        answer["describedObject"] = object.clone();
        answer
    }

    /// Asks the version of the custom metrics API that discovery prefers.
    fn custom(&self, path: &str, query: &[(&str, &str)], resource: &str, name: &str) -> Value {
        let group = &self.answers["/apis/custom.metrics.k8s.io"];
        if group["status"] != 200 {
            return json!({"error": "no custom metrics API (custom.metrics.k8s.io) registered"});
        }
        let version = text(&group["body"]["preferredVersion"]["groupVersion"]);
        let path = format!("{}{}", self.path(&version, path), query_text(query));
        self.answer(&path, &format!("{resource}.custom.metrics.k8s.io {name}"))
    }

    fn external_metric(&self, metric: &Value) -> Value {
        let name = text(&metric["name"]);
        let query = query_text(&[("labelSelector", &wire_text(metric))]);
        let path = format!(
            "{}{query}",
            self.path("external.metrics.k8s.io/v1beta1", &name)
        );
        let answer = self.answer(&path, &format!("{name}.external.metrics.k8s.io"));
        with_identity(answer, metric)
    }

    /// The flags of the kube-controller-manager that shape a pass, as far as
    /// the recordings set them.
    fn controller(&self) -> Value {
        let mut flags = Map::new();
        let pods = self.body(CONTROLLER_MANAGER);
        let containers = items(pods).flat_map(|pod| array(&pod["spec"]["containers"]));
        for argument in containers.flat_map(|container| array(&container["command"])) {
            let argument = text(argument);
            let Some((flag, value)) = argument.split_once('=') else {
                continue;
            };
            match flag {
                "--horizontal-pod-autoscaler-sync-period" => {
                    flags.insert("syncPeriodSeconds".to_owned(), seconds(value).into());
                }
                "--horizontal-pod-autoscaler-downscale-stabilization" => {
                    let key = "downscaleStabilizationSeconds".to_owned();
                    flags.insert(key, seconds(value).into());
                }
                "--horizontal-pod-autoscaler-tolerance" => {
                    let tolerance: f64 = value.parse().expect("a tolerance is a number");
                    flags.insert("tolerance".to_owned(), tolerance.into());
                }
                "--feature-gates" => {
                    flags.insert("featureGates".to_owned(), gates(value));
                }
                _ => {}
            }
        }
        flags.into()
    }

    /// The name of a kind's resource, as discovery tells it.
    fn resource(&self, version: &str, kind: &str) -> String {
        let resources = self.body(&root(version));
        let found = array(&resources["resources"]).iter().find(|resource| {
            let name = resource["name"].as_str().unwrap_or_default();
            resource["kind"] == kind && !name.contains('/')
        });
        text(&found.unwrap_or_else(|| panic!("{version} serves no {kind}"))["name"])
    }

    fn path(&self, version: &str, rest: &str) -> String {
        format!("{}/namespaces/{}/{rest}", root(version), self.namespace)
    }

    fn body(&self, path: &str) -> &Value {
        &self.request(path)["body"]
    }

    fn request(&self, path: &str) -> &Value {
        let request = self.answers.get(path);
        request.unwrap_or_else(|| panic!("nobody recorded {path}"))
    }

    /// The answer to a request for `what`, in the words of client-go where
    /// it is an error.
    fn answer(&self, path: &str, what: &str) -> Value {
        let request = self.request(path);
        let body = &request["body"];
        if request["status"] == 200 {
            return json!({"response": body});
        }
        if body["kind"] == "Status" {
            return json!({"error": body["message"]});
        }
        let sentence = match request["status"].as_u64() {
            Some(404) => "the server could not find the requested resource",
            Some(503) => "the server is currently unable to handle the request",
            other => panic!("{path}: no sentence for status {other:?}"),
        };
        json!({"error": format!("{sentence} (get {what})")})
    }
}

fn root(version: &str) -> String {
    let folder = if version.contains('/') { "apis" } else { "api" };
    format!("/{folder}/{version}")
}

fn with_identity(mut answer: Value, metric: &Value) -> Value {
    answer["metric"] = metric["name"].clone();
    answer["metricSelector"] = wire_text(metric).into();
    answer
}

/// A metric's selector as it goes over the wire; the recordings have no
/// expressions.
fn wire_text(metric: &Value) -> String {
    let selector = &metric["selector"];
    assert!(selector["matchExpressions"].is_null(), "{selector}");
    let labels = selector["matchLabels"].as_object();
    let pairs = labels.into_iter().flatten();
    let pairs: Vec<String> = pairs
        .map(|(key, value)| format!("{key}={}", text(value)))
        .collect();
    pairs.join(",")
}

/// A query as client-go writes it: empty values are left out.
fn query_text(query: &[(&str, &str)]) -> String {
    let given = query.iter().filter(|(_, value)| !value.is_empty());
    let pairs: Vec<String> = given
        .map(|(key, value)| format!("{key}={}", escaped(value)))
        .collect();
    if pairs.is_empty() {
        return String::new();
    }
    format!("?{}", pairs.join("&"))
}

fn escaped(value: &str) -> String {
    let mut text = String::new();
    for character in value.chars() {
        match character {
            '=' => text.push_str("%3D"),
            '/' => text.push_str("%2F"),
            ',' => text.push_str("%2C"),
            plain => text.push(plain),
        }
    }
    text
}

/// A duration such as `5m0s` in seconds.
fn seconds(duration: &str) -> u64 {
    let mut total = 0;
    for part in duration.split_inclusive(['h', 'm', 's']) {
        let (number, unit) = part.split_at(part.len() - 1);
        let number: u64 = number.parse().expect(duration);
        total += number
            * [("h", 3600), ("m", 60), ("s", 1)]
                .iter()
                .find_map(|(name, seconds)| (*name == unit).then_some(*seconds))
                .expect(duration);
    }
    total
}

/// Gates such as `A=true,B=false`.
fn gates(value: &str) -> Value {
    let gates = value.split(',').map(|gate| {
        let (name, on) = gate.split_once('=').expect("a gate is NAME=BOOL");
        (name.to_owned(), Value::Bool(on == "true"))
    });
    Value::Object(gates.collect())
}

fn items(list: &Value) -> impl Iterator<Item = &Value> {
    array(&list["items"]).iter()
}

fn array(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}
