//! Scenario files: an HPA against a workload without inertia. Its pods are
//! always Ready, there at once, and share the demand of the moment. And an HPA without pods
//! and samples, for any workload to fill in.

use jiff::Timestamp;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::api::HpaSpec;
use crate::controller::prepared::{Pod, Sample, ScaleError, SelectorCheck, Source};
use crate::controller::{Nanos, Overrides, Prepared, SECOND, Settings, is_disabled_at};
use crate::document::snapshot::{
    API_VERSION, Document, Flaw, KIND, ReadError, Snapshot, misspelt, read_documents,
};
use crate::document::{DocumentText, FieldPath, Place, document_texts, typed};
use crate::trace::{Bounds, SimulatedRun, Simulation};

use super::run::{Controller, MOST_PODS, SimulateError, bounded, moment};
use super::score::{Capacity, Score};
use super::workload::{milli, put_samples, put_value, rate};

/// The window that their samples claim.
const WINDOW: Nanos = 30 * SECOND;
/// The longest step.
const MOST_STEP_SECONDS: i64 = 86_400;
/// A demand that the controller's own arithmetic can still hold.
const MOST_DEMAND: i64 = 9_000_000_000;
/// More steps than this are not run.
const MOST_STEPS: usize = 10_000_000;

/// What a scenario of the real controller's answers has to describe it; nothing of it is
/// read.
const DESCRIPTIVE: [&str; 4] = ["expect", "load", "model", "rawBehavior"];

/// An HPA, and the demand of each step.
#[derive(Clone, Debug)]
pub struct Scenario {
    /// What it is called; the HPA's name where the file gives none.
    pub id: String,
    /// Its HPA, without pods and samples.
    pub snapshot: Snapshot,
    /// What was left out of the file.
    pub warnings: Vec<String>,
    initial_replicas: i32,
    /// The time between two steps, in seconds.
    pub step_seconds: i64,
    pod_cpu_request: Option<i64>,
    demand: Vec<i64>,
}

/// What a scenario has besides the inputs of a pass.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Own {
    id: Option<String>,
    initial_replicas: i32,
    step_seconds: i64,
    pod_cpu_request_milli: Option<i64>,
    demand: Vec<i64>,
    #[serde(rename = "horizontalPodAutoscaler", default)]
    hpa: Value,
    #[serde(default)]
    server_version: Value,
    #[serde(default)]
    controller: Value,
}

/// Reads every scenario of a file's text: JSON, JSON lines or YAML documents,
/// each when it is asked for.
pub fn read_scenarios(text: &str) -> impl ExactSizeIterator<Item = Result<Scenario, ReadError>> {
    document_texts(text).into_iter().map(read)
}

fn read(text: DocumentText) -> Result<Scenario, ReadError> {
    let mut unknown = Vec::new();
    let own: Own = typed(text, &mut unknown, |_| true).map_err(|it| {
        let Some(other) = it.document.as_ref().filter(|it| !it.is_object()) else {
            return (*it).into();
        };
        let reason = format!(
            "this is {}, not a scenario; a scenario is an object with an HPA and its `demand`",
            other.value.kind()
        );
        ReadError {
            place: it.place,
            flaw: Flaw::new(it.path, reason),
        }
    })?;
    unknown.retain(|it| !it.path.is_empty() || !DESCRIPTIVE.contains(&it.name.as_str()));
    // What is missing may be there under a name that is nearly right.
    let misspelt = misspelt(&unknown);
    let fault = |flaw: Flaw| ReadError {
        place: text.place_of(&flaw.path),
        flaw: Flaw::new(flaw.path, format!("{}{misspelt}", flaw.reason)),
    };
    own.check().map_err(fault)?;
    let (hpa, version, flags) = (&own.hpa, &own.server_version, &own.controller);
    let read = document(hpa, version, flags, own.initial_replicas);
    let snapshot = read.snapshot.map_err(|error| fault(error.flaw))?;
    let warnings = unknown.into_iter().map(Flaw::from).chain(read.warnings);
    let name = snapshot.hpa.metadata.name.to_string();
    let scenario = Scenario {
        id: own.id.unwrap_or(name),
        snapshot,
        warnings: warnings.map(|it| it.to_string()).collect(),
        initial_replicas: own.initial_replicas,
        step_seconds: own.step_seconds,
        pod_cpu_request: own.pod_cpu_request_milli,
        demand: own.demand,
    };
    scenario.is_driven().map_err(fault)?;
    Ok(scenario)
}

impl Own {
    fn check(&self) -> Result<(), Flaw> {
        let fault = |path: &'static str, reason: &str| Err(Flaw::new(path, reason));
        if !(0..=MOST_PODS).contains(&self.initial_replicas) {
            return fault("initialReplicas", "must be from 0 to 100000");
        }
        if !(1..=MOST_STEP_SECONDS).contains(&self.step_seconds) {
            return fault("stepSeconds", "must be from 1 to 86400");
        }
        if self.pod_cpu_request_milli.is_some_and(|it| it < 1) {
            return fault("podCpuRequestMilli", "must be 1 or more");
        }
        if self.demand.is_empty() {
            return fault("demand", "it has no step");
        }
        if self.demand.len() > MOST_STEPS {
            return fault("demand", "it has more than 10000000 steps");
        }
        let is_wrong = |demand: &i64| !(0..=MOST_DEMAND).contains(demand);
        match self.demand.iter().position(is_wrong) {
            Some(step) => {
                let path = FieldPath::from("demand").item(step);
                Err(Flaw::new(path, "must be from 0 to 9000000000"))
            }
            None => Ok(()),
        }
    }
}

impl Scenario {
    /// Whether the demand is of what the HPA measures.
    fn is_driven(&self) -> Result<(), Flaw> {
        let metrics = &self.snapshot.hpa.spec.metrics;
        let desired = match self.pod_cpu_request {
            Some(_) => "with podCpuRequestMilli, the demand is of cpu: a metric of type Resource",
            None => "without podCpuRequestMilli, the demand is of a metric of type External",
        };
        for (index, metric) in metrics.iter().enumerate() {
            let is_cpu = metric.resource.as_ref().is_some_and(|it| it.name == "cpu");
            let is_driven = match self.pod_cpu_request {
                Some(_) => is_cpu,
                None => metric.external.is_some(),
            };
            if !is_driven {
                let path = FieldPath::from("horizontalPodAutoscaler.spec.metrics").item(index);
                return Err(Flaw::new(path, desired));
            }
        }
        Ok(())
    }

    /// Runs every step.
    ///
    /// # Errors
    ///
    /// The HPA asks for more pods than can be simulated.
    pub fn run(&self, overrides: &Overrides) -> Result<SimulatedRun, SimulateError> {
        let settings = Settings::resolve(&self.snapshot, overrides);
        let start = self.snapshot.captured_at;
        let mut controller = Controller::new(&self.snapshot, &settings, self.initial_replicas);
        let spec = &self.snapshot.hpa.spec;
        let capacity = |it| Capacity::of(spec, it, self.pod_cpu_request, &settings);
        let capacity = spec.metrics.first().and_then(capacity);
        let mut score = Score::new(capacity, self.initial_replicas);
        let mut steps = Vec::with_capacity(self.demand.len());
        let mut second = 0;
        for demand in &self.demand {
            bounded(controller.replicas, second)?;
            let now = moment(start, second);
            self.observe(&mut controller, now, *demand);
            let step = controller.pass((second, now), *demand, false);
            score.pass(&step);
            let pods = i64::from(step.desired_replicas);
            score.serve(self.thousandths(*demand), pods, pods, self.step_seconds);
            steps.push(step);
            second = second.saturating_add(self.step_seconds);
        }
        Ok(SimulatedRun {
            name: self.id.clone(),
            is_now: false,
            patch: None,
            bounds: Bounds::of(spec),
            scores: score.scores(),
            reaction: None,
            failures: controller.failures,
            steps,
        })
    }

    /// The time of all steps, in seconds.
    pub fn seconds(&self) -> i64 {
        let steps = i64::try_from(self.demand.len()).unwrap_or(i64::MAX);
        steps.saturating_mul(self.step_seconds)
    }

    /// A simulation of it with its demand in thousandths of the metric's unit.
    pub fn in_thousandths(&self, mut simulation: Simulation) -> Simulation {
        for step in simulation.runs.iter_mut().flat_map(|run| &mut run.steps) {
            step.demand = self.thousandths(step.demand);
        }
        simulation
    }

    /// A demand in thousandths of the metric's unit; that of cpu is in
    /// millicores already.
    fn thousandths(&self, demand: i64) -> i64 {
        match self.pod_cpu_request {
            Some(_) => demand,
            None => demand.saturating_mul(1_000),
        }
    }

    /// Puts before the pass what it finds.
    fn observe(&self, controller: &mut Controller, now: Nanos, demand: i64) {
        let replicas = controller.replicas;
        let count = usize::try_from(replicas).unwrap_or_default();
        let prepared = &mut controller.prepared;
        if let Ok(scale) = &mut prepared.scale {
            scale.status_replicas = replicas;
        }
        prepared.pods.clear();
        prepared.pods.resize(count, Pod::steady(now));
        for metric in &mut prepared.metrics {
            if matches!(metric.source, Source::External(_)) {
                put_value(metric, Some(self.thousandths(demand)));
                continue;
            }
            let sample = Sample {
                taken: now,
                window: WINDOW,
                value: milli(rate(demand, Some(i64::from(replicas)))),
            };
            let samples = std::iter::repeat_n(Some(sample), count);
            put_samples(metric, self.pod_cpu_request, samples);
        }
    }
}

/// Reads an HPA, a server version and the controller's flags, each as a
/// snapshot file has them, or null.
///
/// # Errors
///
/// One of them is not what a snapshot file has there.
pub fn template(
    hpa: &Value,
    server_version: &Value,
    controller: &Value,
    replicas: i32,
) -> Result<Snapshot, Flaw> {
    let read = document(hpa, server_version, controller, replicas);
    read.snapshot.map_err(|error| error.flaw)
}

/// The same with what is probably not meant as it stands there.
pub(super) fn document(
    hpa: &Value,
    server_version: &Value,
    controller: &Value,
    replicas: i32,
) -> Document {
    let mut document = json!({
        "apiVersion": API_VERSION,
        "kind": KIND,
        "capturedAt": Timestamp::UNIX_EPOCH,
        "horizontalPodAutoscaler": hpa,
        "scale": {"response": {
            "spec": {"replicas": replicas},
            "status": {"replicas": replicas, "selector": "app=simulated"},
        }},
    });
    for (field, value) in [
        ("serverVersion", server_version),
        ("controller", controller),
    ] {
        if !value.is_null() {
            document[field] = value.clone();
        }
    }
    let read = read_documents(&document.to_string()).pop();
    read.unwrap_or_else(|| Document {
        number: 1,
        snapshot: Err(ReadError {
            place: Place::default(),
            flaw: Flaw::new("", "it has no HPA"),
        }),
        warnings: Vec::new(),
    })
}

/// Why the controller changes nothing today, or why that is not known; absent
/// where nothing of this kind is the matter. A simulation assumes that it
/// is fixed.
pub fn idle_today(snapshot: &Snapshot, overrides: &Overrides) -> Option<String> {
    let settings = Settings::resolve(snapshot, overrides);
    let prepared = Prepared::new(snapshot, &settings);
    let changes_nothing = "the controller changes nothing today";
    let cannot = |error: &str| format!("it cannot read the target's scale: {error}");
    let (effect, why) = match (&prepared.scale, &prepared.selector) {
        (Err(ScaleError::Unreadable(reason)), _) => (
            "what the controller does today is unknown",
            format!("reading the target's scale is not allowed: {reason}"),
        ),
        (Err(ScaleError::ApiVersion(error)), _) => (changes_nothing, cannot(error)),
        (Err(ScaleError::NoMapping(error) | ScaleError::Failed(error)), _) => {
            (changes_nothing, cannot(error))
        }
        (_, SelectorCheck::Accepted) => return None,
        (_, SelectorCheck::Required) => (
            changes_nothing,
            "the target's scale has no selector".to_owned(),
        ),
        (_, SelectorCheck::Invalid(error)) => (
            changes_nothing,
            format!("the scale's selector does not parse: {error}"),
        ),
        (_, SelectorCheck::Ambiguous(autoscalers)) => {
            let all = autoscalers.join(", ");
            let why = format!("several HPAs select the same pods: {all}");
            (changes_nothing, why)
        }
    };
    Some(format!(
        "{effect}: {why}; the simulation assumes that this is fixed"
    ))
}

/// Whether the controller leaves a target of this size alone under a spec:
/// at 0, where it did not scale to it itself.
pub fn is_paused(
    snapshot: &Snapshot,
    overrides: &Overrides,
    spec: &HpaSpec,
    replicas: i32,
) -> bool {
    let mut snapshot = snapshot.clone();
    snapshot.hpa.spec = spec.clone();
    let settings = Settings::resolve(&snapshot, overrides);
    is_disabled_at(&Prepared::new(&snapshot, &settings), &settings, replicas)
}
