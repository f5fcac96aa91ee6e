//! What a snapshot must satisfy beyond its shape, so that the algorithm need
//! not provide for documents that no API server would return.

use std::collections::HashSet;

use super::{API_VERSION, Answer, KIND, MetricSpec, Snapshot};

/// A place in a document and what is wrong there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Flaw {
    /// The path, such as `metrics.custom[0]`.
    pub path: String,
    /// What is wrong, for a person.
    pub reason: String,
}

impl Snapshot {
    /// Finishes a snapshot that was put together: fills in the API's
    /// defaults.
    ///
    /// # Errors
    ///
    /// The place and the reason, if it is not what an API server returns.
    pub fn finish(self) -> Result<Self, String> {
        self.complete()
            .map_err(|flaw| format!("{}: {}", flaw.path, flaw.reason))
    }

    /// Finishes reading: fills in the API's defaults, then looks for the
    /// first flaw.
    pub(super) fn complete(mut self) -> Result<Self, Flaw> {
        if self.horizontal_pod_autoscaler.metadata.namespace.is_empty() {
            self.horizontal_pod_autoscaler.metadata.namespace = "default".into();
        }
        self.horizontal_pod_autoscaler.spec.set_defaults();
        self.header()?;
        self.tolerance()?;
        self.metric_sources()?;
        self.scaling_rules()?;
        self.answers()?;
        self.pod_names()?;
        Ok(self)
    }

    fn header(&self) -> Result<(), Flaw> {
        expect("apiVersion", &self.api_version, API_VERSION)?;
        expect("kind", &self.kind, KIND)?;
        let hpa = &self.horizontal_pod_autoscaler;
        let path = "horizontalPodAutoscaler";
        expect(
            &format!("{path}.kind"),
            &hpa.kind,
            "HorizontalPodAutoscaler",
        )?;
        expect(
            &format!("{path}.apiVersion"),
            &hpa.api_version,
            "autoscaling/v2",
        )
    }

    fn tolerance(&self) -> Result<(), Flaw> {
        match self.controller.tolerance {
            Some(tolerance) if !tolerance.is_finite() => {
                flaw("controller.tolerance", "must be a finite number")
            }
            _ => Ok(()),
        }
    }

    fn metric_sources(&self) -> Result<(), Flaw> {
        let metrics = &self.horizontal_pod_autoscaler.spec.metrics;
        for (index, metric) in metrics.iter().enumerate() {
            if let Some(field) = absent_source(metric) {
                let path = format!("horizontalPodAutoscaler.spec.metrics[{index}].{field}");
                return flaw(&path, &format!("required for type {}", metric.kind));
            }
        }
        Ok(())
    }

    fn scaling_rules(&self) -> Result<(), Flaw> {
        let behavior = self.horizontal_pod_autoscaler.spec.behavior.as_ref();
        let directions = [
            (
                "scaleUp",
                behavior.and_then(|behavior| behavior.scale_up.as_ref()),
            ),
            (
                "scaleDown",
                behavior.and_then(|behavior| behavior.scale_down.as_ref()),
            ),
        ];
        for (direction, rules) in directions {
            let path = format!("horizontalPodAutoscaler.spec.behavior.{direction}");
            let select = rules.and_then(|rules| rules.select_policy.as_deref());
            let select_path = format!("{path}.selectPolicy");
            one_of(
                &select_path,
                select.unwrap_or("Max"),
                &["Max", "Min", "Disabled"],
            )?;
            let policies = rules.and_then(|rules| rules.policies.as_ref());
            for (index, policy) in policies.into_iter().flatten().enumerate() {
                let path = format!("{path}.policies[{index}].type");
                one_of(&path, &policy.kind, &["Pods", "Percent"])?;
            }
        }
        Ok(())
    }

    fn answers(&self) -> Result<(), Flaw> {
        one_answer("scale", self.scale.answer().as_ref())?;
        if let Some(resource) = &self.metrics.resource {
            one_answer("metrics.resource", resource.answer().as_ref())?;
        }
        for (index, custom) in self.metrics.custom.iter().enumerate() {
            let path = format!("metrics.custom[{index}]");
            one_answer(&path, custom.answer().as_ref())?;
        }
        for (index, external) in self.metrics.external.iter().enumerate() {
            let path = format!("metrics.external[{index}]");
            one_answer(&path, external.answer().as_ref())?;
        }
        Ok(())
    }

    /// An API server holds one pod of a name in a namespace.
    fn pod_names(&self) -> Result<(), Flaw> {
        let own = &self.horizontal_pod_autoscaler.metadata.namespace;
        let mut seen = HashSet::with_capacity(self.pods.len());
        for (index, pod) in self.pods.iter().enumerate() {
            let namespace = match &pod.metadata.namespace {
                absent if absent.is_empty() => own,
                namespace => namespace,
            };
            if !seen.insert((namespace, &pod.metadata.name)) {
                return flaw(
                    &format!("pods[{index}].metadata.name"),
                    &format!("a second pod named `{}`", pod.metadata.name),
                );
            }
        }
        Ok(())
    }
}

/// The field that the metric's type asks for, if it is not there.
fn absent_source(metric: &MetricSpec) -> Option<&'static str> {
    let (field, present) = match metric.kind.as_str() {
        "Resource" => ("resource", metric.resource.is_some()),
        "ContainerResource" => ("containerResource", metric.container_resource.is_some()),
        "Pods" => match &metric.pods {
            Some(source) => (
                "pods.target.averageValue",
                source.target.average_value.is_some(),
            ),
            None => ("pods", false),
        },
        "Object" => ("object", metric.object.is_some()),
        "External" => ("external", metric.external.is_some()),
        _ => return None,
    };
    (!present).then_some(field)
}

fn one_answer<T>(path: &str, answer: Option<&Answer<'_, T>>) -> Result<(), Flaw> {
    match answer {
        Some(_) => Ok(()),
        None => flaw(
            path,
            "must hold exactly one of `response`, `error` and `unreadable`",
        ),
    }
}

fn one_of(path: &str, got: &str, known: &[&str]) -> Result<(), Flaw> {
    if known.contains(&got) {
        return Ok(());
    }
    flaw(
        path,
        &format!("must be one of {}, not `{got}`", known.join(", ")),
    )
}

fn expect(path: &str, got: &str, want: &str) -> Result<(), Flaw> {
    if got == want {
        return Ok(());
    }
    flaw(path, &format!("must be `{want}`, not `{got}`"))
}

fn flaw(path: &str, reason: &str) -> Result<(), Flaw> {
    Err(Flaw {
        path: path.to_owned(),
        reason: reason.to_owned(),
    })
}
