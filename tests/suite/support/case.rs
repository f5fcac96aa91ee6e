//! Reported cases as files: what a run gives the controller, and what it
//! expects of it.
//!
//! A file is one block. Its `variants` are runs of their own, each the block
//! with its keys replaced: `hpa` key by key, everything else whole. An unknown
//! key anywhere is an error, so that nothing expected goes unchecked.

#![allow(dead_code, reason = "each test program uses a part of this")]

use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value, json};
use serde_yaml::Value as Yaml;

use crate::support::build::Case;
use crate::support::pod::{Container, Pod, container};

/// One pass and what is expected of it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Run {
    pub id: String,
    /// The variant; absent where the block has none.
    pub name: Option<String>,
    #[serde(default)]
    k8s: Profile,
    hpa: Hpa,
    scale: Scale,
    #[serde(default)]
    pods: Vec<PodGroup>,
    #[serde(default)]
    history: Memory,
    /// A second HPA has the same selector.
    #[serde(default)]
    ambiguous: bool,
    pub expect: Expect,
}

/// The behaviour that a run is about, by the last release that has it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
enum Profile {
    #[serde(rename = "1.38")]
    SucceededIgnored,
    #[default]
    #[serde(rename = "1.36")]
    Present,
    #[serde(rename = "1.32")]
    AbsoluteTolerance,
    #[serde(rename = "1.25")]
    MissingAtRequest,
    #[serde(rename = "1.24")]
    OwnEventsOnly,
    #[serde(rename = "1.20")]
    BeforeTheBand,
    #[serde(rename = "1.17")]
    BeforeTheGuard,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Hpa {
    min: i32,
    max: i32,
    metrics: Vec<Metric>,
    behavior: Option<Behavior>,
}

/// A metric of the spec, with its answer where no pod gives it.
#[derive(Debug, Deserialize)]
#[serde(untagged, deny_unknown_fields, rename_all_fields = "camelCase")]
enum Metric {
    Utilization {
        resource: String,
        utilization: i32,
    },
    Average {
        resource: String,
        average_value: Value,
    },
    Container {
        container_resource: String,
        container: String,
        utilization: i32,
    },
    ExternalValue {
        external: String,
        value: Value,
        current: Value,
    },
    ExternalAverage {
        external: String,
        average_value: Value,
        current: Value,
    },
    Failing {
        error: String,
    },
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase", default)]
struct Behavior {
    scale_up: Option<Rules>,
    scale_down: Option<Rules>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Rules {
    window: Option<i32>,
    policies: Option<Vec<Policy>>,
    tolerance: Option<Value>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Policy {
    #[serde(rename = "type")]
    kind: String,
    value: i32,
    period: i32,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Scale {
    spec: i32,
    status: Option<i32>,
}

/// A group of pods; `n` of them are called `name-0`, `name-1` and so on, a
/// single one has the name itself.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct PodGroup {
    name: String,
    #[serde(default = "one")]
    n: usize,
    cpu: Option<Value>,
    memory: Option<Value>,
    req_cpu: Option<Value>,
    req_memory: Option<Value>,
    containers: Option<Vec<ContainerGroup>>,
    phase: Option<Phase>,
    #[serde(default)]
    nometrics: bool,
    /// Never ready since its start a minute ago.
    #[serde(default)]
    unready: bool,
    /// Not ready for a minute, but ready before.
    #[serde(default, rename = "notReady")]
    not_ready: bool,
    /// Another owner than the target, as `Kind/name`.
    owner: Option<String>,
}

#[derive(Clone, Copy, Debug, Deserialize)]
enum Phase {
    Pending,
    Succeeded,
    Failed,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ContainerGroup {
    name: String,
    cpu: Option<Value>,
    memory: Option<Value>,
    #[serde(default)]
    requests: Map<String, Value>,
}

/// Seconds relative to the pass, and counts. Without recommendations the
/// state is steady: all of them equal the present proposal.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Memory {
    recommendations: Option<Vec<(f64, i32)>>,
    up: Vec<(f64, i32)>,
    down: Vec<(f64, i32)>,
}

/// What a pass must come to, as far as the block says.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Expect {
    pub proposals: Option<Vec<Proposal>>,
    /// The largest proposal.
    pub desired: Option<i32>,
    /// Both edges of the stabilization.
    pub band: Option<[i32; 2]>,
    pub stabilized: Option<i32>,
    pub limits: Option<Vec<PolicyLimit>>,
    #[serde(rename = "final")]
    pub size: Option<i32>,
    #[serde(default)]
    pub event: Event,
    /// By type: a status, a reason, or both with a slash between them.
    #[serde(default)]
    pub conditions: Map<String, Value>,
    /// Part of the error.
    pub error: Option<String>,
    pub trace: Option<Vec<Steps>>,
}

/// A policy's type, value, period, start of the period, and limit.
pub type PolicyLimit = (String, i32, i32, i32, i32);

/// What is expected of the event of a rescale.
#[derive(Debug, Default)]
pub enum Event {
    /// Nothing.
    #[default]
    Unsaid,
    /// There is none; written as null.
    None,
    /// It has this reason.
    Reason(String),
}

impl<'de> Deserialize<'de> for Event {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let reason = Option::deserialize(deserializer)?;
        Ok(reason.map_or(Self::None, Self::Reason))
    }
}

/// A metric's proposal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(untagged)]
pub enum Proposal {
    Replicas(i32),
    Failed(Failed),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub enum Failed {
    #[serde(rename = "error")]
    Error,
}

/// How a metric came to its proposal.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Steps {
    /// Percent before filling in.
    pub util: Option<i32>,
    /// Percent after filling in.
    pub util2: Option<i32>,
    pub ratio: Option<f64>,
    /// The average before filling in, in thousandths.
    pub raw: Option<i64>,
    /// What the status shows, in thousandths.
    pub shown: Option<i64>,
    pub why: Option<Why>,
    pub ready: Option<usize>,
    pub unready: Option<usize>,
    pub missing: Option<usize>,
    pub ignored: Option<usize>,
}

/// Why the size stays.
#[derive(Clone, Copy, Debug, Deserialize)]
pub enum Why {
    #[serde(rename = "within tolerance")]
    Tolerated,
    #[serde(rename = "within tolerance after filling")]
    ToleratedFilledIn,
    #[serde(rename = "direction flip")]
    Reversed,
}

fn one() -> usize {
    1
}

/// Reads a block: one run, or one for each variant.
pub fn read(text: &str) -> Result<Vec<Run>, serde_yaml::Error> {
    let mut block: serde_yaml::Mapping = serde_yaml::from_str(text)?;
    let Some(variants) = block.remove("variants") else {
        return Ok(vec![serde_yaml::from_value(Yaml::Mapping(block))?]);
    };
    let variants: Vec<serde_yaml::Mapping> = serde_yaml::from_value(variants)?;
    let runs = variants
        .into_iter()
        .map(|variant| vary(block.clone(), variant));
    runs.map(|run| serde_yaml::from_value(Yaml::Mapping(run)))
        .collect()
}

fn vary(mut block: serde_yaml::Mapping, variant: serde_yaml::Mapping) -> serde_yaml::Mapping {
    for (key, value) in variant {
        match (block.get_mut(&key), value) {
            (Some(Yaml::Mapping(hpa)), Yaml::Mapping(own)) if key == "hpa" => hpa.extend(own),
            (_, value) => _ = block.insert(key, value),
        }
    }
    block
}

impl Run {
    pub fn title(&self) -> String {
        match &self.name {
            Some(name) => format!("{}/{name}", self.id),
            None => self.id.clone(),
        }
    }

    /// The minor release; `None` for those before 1.23, whose rules are
    /// history and given for contrast only.
    fn release(&self) -> Option<&'static str> {
        match self.k8s {
            Profile::SucceededIgnored => Some("v1.38.0"),
            Profile::Present => Some("v1.36.2"),
            Profile::AbsoluteTolerance => Some("v1.32.13"),
            Profile::MissingAtRequest => Some("v1.25.10"),
            Profile::OwnEventsOnly => Some("v1.24.0"),
            Profile::BeforeTheBand | Profile::BeforeTheGuard => None,
        }
    }

    /// The run as inputs of a pass; `None` where its release is out of scope.
    pub fn case(&self) -> Option<Case> {
        let mut case = Case::new()
            .set("/serverVersion", self.release()?)
            .bounds(self.hpa.min, self.hpa.max)
            .replicas(self.scale.spec)
            .status_replicas(self.scale.status.unwrap_or(self.scale.spec));
        for metric in &self.hpa.metrics {
            case = metric.add_to(case);
        }
        if let Some(behavior) = &self.hpa.behavior {
            case = case.behavior(behavior.object());
        }
        if self.ambiguous {
            let other = json!({"namespace": "default", "name": "other", "selector": "app=web"});
            case = case.set("/otherAutoscalers", json!([other]));
        }
        for group in &self.pods {
            case = group.add_to(case);
        }
        Some(self.remember(case))
    }

    fn remember(&self, case: Case) -> Case {
        let ages = |entries: &[(f64, i32)]| -> Vec<(f64, i32)> {
            entries
                .iter()
                .map(|(time, count)| (-time, *count))
                .collect()
        };
        let case = case
            .added(&ages(&self.history.up))
            .removed(&ages(&self.history.down));
        match &self.history.recommendations {
            Some(recommendations) => case.remembers(&ages(recommendations)),
            None => steady(case),
        }
    }
}

/// Fills every window with what the metrics ask for at present, which a pass
/// on a memory without recent entries tells.
fn steady(case: Case) -> Case {
    let recommendation = case.run().trace.recommendation;
    let Some(replicas) = recommendation.and_then(|recommendation| recommendation.replicas) else {
        return case;
    };
    let grid: Vec<(i32, i32)> = (1..=240).map(|pass| (15 * pass, replicas)).collect();
    case.remembers(&grid)
}

impl Metric {
    fn add_to(&self, case: Case) -> Case {
        match self {
            Self::Utilization {
                resource,
                utilization,
            } if resource == "cpu" => case.cpu(*utilization),
            Self::Utilization {
                resource,
                utilization,
            } if resource == "memory" => case.memory(*utilization),
            Self::Average {
                resource,
                average_value,
            } if resource == "cpu" => case.cpu_average(&text(average_value)),
            Self::Container {
                container_resource,
                container,
                utilization,
            } if container_resource == "cpu" => case.container_cpu(container, *utilization),
            Self::ExternalValue {
                external,
                value,
                current,
            } => case.external_value(external, &text(value), &[&text(current)]),
            Self::ExternalAverage {
                external,
                average_value,
                current,
            } => case.external_average(external, &text(average_value), &[&text(current)]),
            Self::Failing { error } => case.fails(error),
            other => panic!("no such metric: {other:?}"),
        }
    }
}

/// A quantity, written as a text or as a number.
fn text(quantity: &Value) -> String {
    quantity
        .as_str()
        .map_or_else(|| quantity.to_string(), str::to_owned)
}

impl Behavior {
    fn object(&self) -> Value {
        let rules = |rules: &Option<Rules>| rules.as_ref().map(Rules::object);
        json!({"scaleUp": rules(&self.scale_up), "scaleDown": rules(&self.scale_down)})
    }
}

impl Rules {
    fn object(&self) -> Value {
        let policy = |policy: &Policy| json!({"type": policy.kind, "value": policy.value, "periodSeconds": policy.period});
        let policies = self.policies.as_ref();
        json!({
            "stabilizationWindowSeconds": self.window,
            "policies": policies.map(|policies| policies.iter().map(policy).collect::<Vec<_>>()),
            "tolerance": self.tolerance,
        })
    }
}

impl PodGroup {
    fn add_to(&self, case: Case) -> Case {
        (0..self.n).fold(case, |case, number| match self.n {
            1 => case.pod(&self.name, self.pod()),
            _ => case.pod(&format!("{}-{number}", self.name), self.pod()),
        })
    }

    fn pod(&self) -> Pod {
        const MINUTE: f64 = 60.0;
        const HOUR: f64 = 3_600.0;
        let mut pod = Pod::of(self.containers());
        if let Some(phase) = self.phase {
            pod = pod.phase(match phase {
                Phase::Pending => "Pending",
                Phase::Succeeded => "Succeeded",
                Phase::Failed => "Failed",
            });
        }
        if self.unready {
            pod = pod.started(MINUTE).ready("False", MINUTE);
        }
        if self.not_ready {
            pod = pod.started(HOUR).ready("False", MINUTE);
        }
        if self.nometrics {
            pod = pod.unsampled();
        }
        match self
            .owner
            .as_deref()
            .and_then(|owner| owner.split_once('/'))
        {
            Some((kind, name)) => {
                // A Deployment's pods are labelled with the end of their
                // ReplicaSet's name.
                let (_, hash) = name.rsplit_once('-').unwrap_or_default();
                pod.owned_by(kind, name)
                    .labels(json!({"app": "web", "pod-template-hash": hash}))
            }
            None => pod,
        }
    }

    fn containers(&self) -> Vec<Container> {
        let given = |container: Container, used: [&Option<Value>; 2]| {
            let resources = ["cpu", "memory"].into_iter().zip(used);
            resources.fold(container, |container, (resource, amount)| match amount {
                Some(amount) => container.uses(resource, amount.clone()),
                None => container,
            })
        };
        let Some(containers) = &self.containers else {
            let mut app = given(container("app"), [&self.cpu, &self.memory]);
            if let Some(request) = &self.req_cpu {
                app = app.requests("cpu", request.clone());
            }
            if let Some(request) = &self.req_memory {
                app = app.requests("memory", request.clone());
            }
            return vec![app];
        };
        let containers = containers.iter();
        containers
            .map(|group| {
                let requests = group.requests.iter();
                let own = requests.fold(container(&group.name), |own, (resource, amount)| {
                    own.requests(resource, amount.clone())
                });
                given(own, [&group.cpu, &group.memory])
            })
            .collect()
    }
}
