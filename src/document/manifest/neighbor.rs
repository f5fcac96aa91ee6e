//! The objects that stand beside HPAs in manifests, as far as they decide what
//! an HPA can do.

use serde::Deserialize;
use serde_json::{Map, Value as Json};

use crate::api::{CrossVersionObjectReference, PodSpec, VerticalPodAutoscaler, group_of};
use crate::document::{Node, Place, Value};

/// An object that is no HPA.
#[derive(Clone, Debug)]
pub struct Neighbor {
    /// Its kind, name and API version.
    pub object: CrossVersionObjectReference,
    /// The namespace; empty where there is none.
    pub namespace: String,
    /// Where it begins.
    pub place: Place,
    /// The size that it sets, as it is written, and where.
    pub replicas: Option<(String, Place)>,
    /// What its pods are made from.
    pub pods: Option<PodSpec>,
    /// What sets its pods' size or requests, where it is one of those.
    pub scaler: Option<Scaler>,
}

/// What an object does to the pods of another.
#[derive(Clone, Debug)]
pub enum Scaler {
    /// KEDA makes an HPA of its own for the target; `takes_over` names an HPA
    /// that it makes its own instead.
    ScaledObject {
        /// The target.
        target: CrossVersionObjectReference,
        /// The HPA that it takes over.
        takes_over: Option<String>,
        /// Whether KEDA is told to pause.
        is_paused: bool,
    },
    /// A `VerticalPodAutoscaler` sets the requests.
    Vertical(Box<VerticalPodAutoscaler>),
}

impl Scaler {
    /// The name of what it sets the size or the requests of.
    pub fn target_name(&self) -> Option<&str> {
        let target = match self {
            Self::ScaledObject { target, .. } => Some(target),
            Self::Vertical(vpa) => vpa.spec.target_ref.as_ref(),
        };
        target.map(|target| target.name.as_str())
    }
}

impl Neighbor {
    /// What there is to know of an object.
    pub(super) fn of(node: &Node) -> Self {
        let text = |of: Option<&Node>, key: &str| {
            let text = of.and_then(|of| of.text(key));
            text.unwrap_or_default().to_owned()
        };
        let metadata = node.get("metadata");
        let spec = node.get("spec");
        let pods = spec.and_then(|it| it.get("template")?.get("spec"));
        let object = CrossVersionObjectReference {
            kind: text(Some(node), "kind"),
            name: text(metadata, "name"),
            api_version: text(Some(node), "apiVersion"),
        };
        Self {
            namespace: text(metadata, "namespace"),
            place: node.place,
            replicas: spec.and_then(|spec| {
                let replicas = match &spec.get("replicas")?.value {
                    Value::Number(text) | Value::Text(text) => text.clone(),
                    _ => return None,
                };
                Some((replicas, node.place_of(&"spec.replicas".into())))
            }),
            // Of a template that no pod can be made from nothing is known.
            pods: pods.and_then(template),
            scaler: match (group_of(&object.api_version), object.kind.as_str()) {
                ("keda.sh", "ScaledObject") => spec.and_then(|spec| scaled(metadata, spec)),
                ("autoscaling.k8s.io", "VerticalPodAutoscaler") => {
                    let vpa = VerticalPodAutoscaler::deserialize(node).ok();
                    vpa.map(|vpa| Scaler::Vertical(Box::new(vpa)))
                }
                _ => None,
            },
            object,
        }
    }
}

/// The containers of a pod template, and what they request. Nothing else of it
/// is read, so that nothing else can spoil it.
fn template(pods: &Node) -> Option<PodSpec> {
    let part = |of: &Node, keys: &[&str]| -> Json {
        let parts = keys.iter().filter_map(|key| {
            let value = of.get(key)?.to_json();
            Some(((*key).to_owned(), value))
        });
        parts.collect::<Map<String, Json>>().into()
    };
    let containers = |key: &str| -> Json {
        let items = match pods.get(key).map(|it| &it.value) {
            Some(Value::List(items)) => items.as_slice(),
            _ => &[],
        };
        let own = ["name", "resources", "restartPolicy"];
        items.iter().map(|item| part(item, &own)).collect()
    };
    let mut spec = part(pods, &["resources"]);
    for key in ["containers", "initContainers"] {
        spec[key] = containers(key);
    }
    serde_json::from_value(spec).ok()
}

/// What a `ScaledObject` scales: a Deployment, unless it says otherwise.
fn scaled(metadata: Option<&Node>, spec: &Node) -> Option<Scaler> {
    let target = spec.get("scaleTargetRef")?;
    let text = |key: &str, default: &str| {
        let text = target.text(key).filter(|text| !text.is_empty());
        text.unwrap_or(default).to_owned()
    };
    let annotation = |key: &str| metadata.and_then(|it| it.get("annotations")?.get(key));
    let takes_over = annotation("scaledobject.keda.sh/transfer-hpa-ownership")
        .filter(|it| matches!(&it.value, Value::Text(text) if text == "true"))
        .and_then(|_| {
            spec.get("advanced")?
                .get("horizontalPodAutoscalerConfig")?
                .text("name")
        });
    let paused = annotation("autoscaling.keda.sh/paused");
    let is_paused =
        paused.is_some_and(|it| !matches!(&it.value, Value::Text(text) if text == "false"));
    Some(Scaler::ScaledObject {
        target: CrossVersionObjectReference {
            kind: text("kind", "Deployment"),
            name: text("name", ""),
            api_version: text("apiVersion", "apps/v1"),
        },
        takes_over: takes_over.map(str::to_owned),
        is_paused: is_paused || annotation("autoscaling.keda.sh/paused-replicas").is_some(),
    })
}
