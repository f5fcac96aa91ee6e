//! What is the same for every HPA of a cluster, asked once; among it the controller's
//! own flags, where they can be seen: static pods of kubeadm and minikube show their
//! command line, nodes of k3s their arguments.

use std::cell::{self, RefCell};
use std::collections::BTreeMap;
use std::pin::pin;
use std::rc::Rc;
use std::time::Duration;

use futures_util::future::{Either, select};
use jiff::Timestamp;
use k8s_openapi::apimachinery::pkg::version::Info;
use serde::Deserialize;
use tokio::sync::OnceCell;
use tokio::time::timeout;

use super::listed;
use crate::api::{
    Answered, GoDuration, HorizontalPodAutoscaler, Lease, Metrics, ReadFailure, Scale,
};
use crate::collect::request::{CollectError, Reader, list, paths};
use crate::document::snapshot::{
    API_VERSION, ControllerFlags, KIND, NotRead, Part, Provenance, Snapshot,
};

/// The HPAs of a namespace.
pub type Listed = Rc<[HorizontalPodAutoscaler]>;

/// What the snapshots of a cluster share, as far as it was seen.
pub struct Shared {
    captured_at: Timestamp,
    server_version: Option<String>,
    controller: ControllerFlags,
    controller_lease: Option<Lease>,
    not_read: Vec<NotRead>,
}

impl Shared {
    /// A snapshot of an HPA with nothing yet of what is its own but the scale.
    pub fn snapshot(&self, hpa: HorizontalPodAutoscaler, scale: Answered<Scale>) -> Snapshot {
        Snapshot {
            api_version: API_VERSION.to_owned(),
            kind: KIND.to_owned(),
            captured_at: self.captured_at,
            server_version: self.server_version.clone(),
            controller: self.controller.clone(),
            hpa,
            scale,
            pods: Vec::new(),
            metrics: Metrics::default(),
            other_autoscalers: Vec::new(),
            history: None,
            target: None,
            replica_sets: Vec::new(),
            events: Vec::new(),
            controller_lease: self.controller_lease.clone(),
            vertical_pod_autoscalers: Vec::new(),
            scaled_object: None,
            api_services: Vec::new(),
            room: None,
            provenance: Provenance {
                not_read: self.not_read.clone(),
                ..Provenance::default()
            },
        }
    }
}

/// What is read to tell whether more pods have room.
#[derive(Clone, Copy, Debug, Default)]
pub struct RoomReading {
    /// Quotas and limit ranges in any case, not only at `maxReplicas` or with Pending pods.
    pub always: bool,
    /// With them the nodes, and the pods of all namespaces.
    pub nodes: bool,
}

/// What is the same for every HPA of a cluster.
pub struct Cluster<'r> {
    /// Who asks.
    pub reader: &'r Reader,
    /// How long what an answer can do without may delay it.
    pub wait: Duration,
    /// What is read to tell whether more pods have room.
    pub room: RoomReading,
    version: OnceCell<Answered<Info>>,
    managers: OnceCell<Answered<Vec<Manager>>>,
    lease: OnceCell<Answered<Option<Lease>>>,
    /// By namespace.
    autoscalers: RefCell<BTreeMap<String, Rc<OnceCell<Listed>>>>,
}

impl<'r> Cluster<'r> {
    /// A cluster that nothing is known of yet.
    pub fn new(reader: &'r Reader) -> Self {
        Self {
            reader,
            wait: GRACE,
            room: RoomReading::default(),
            version: OnceCell::new(),
            managers: OnceCell::new(),
            lease: OnceCell::new(),
            autoscalers: RefCell::default(),
        }
    }

    /// The same for a file that is kept: it is worth waiting for all of it, as
    /// long as the deadlines allow.
    pub fn patient(reader: &'r Reader) -> Self {
        Self {
            wait: Duration::MAX,
            ..Self::new(reader)
        }
    }

    /// The HPAs of a namespace, listed once.
    ///
    /// # Errors
    ///
    /// Why they cannot be listed.
    pub async fn autoscalers(&self, namespace: &str) -> Result<Listed, CollectError> {
        let cell = {
            let mut known = self.autoscalers.borrow_mut();
            Rc::clone(known.entry(namespace.to_owned()).or_default())
        };
        let list = async || {
            let listed = listed::autoscalers(self.reader, Some(namespace)).await?;
            Ok::<_, CollectError>(listed.into())
        };
        cell.get_or_try_init(list).await.cloned()
    }

    /// Whether all is waited for.
    pub fn is_patient(&self) -> bool {
        self.wait == Duration::MAX
    }

    /// The server's version.
    pub async fn version(&self) -> Option<String> {
        let endpoint = paths::version();
        self.version
            .get_or_init(|| self.reader.ask(&endpoint))
            .await;
        self.version_observed()
    }

    /// The server's version, if it was seen by now.
    pub fn version_observed(&self) -> Option<String> {
        let version = self.version.get()?.response()?;
        Some(version.git_version.clone())
    }

    /// Asks for the kube-controller-manager's pods; in k3s, as far as the
    /// version was seen by now, for the nodes: there it is part of a program
    /// that runs on them.
    pub async fn read_managers(&self) {
        let version = self.version_observed().unwrap_or_default();
        let endpoint = if version.contains("+k3s") {
            paths::control_plane_nodes()
        } else {
            paths::controller_managers()
        };
        self.managers
            .get_or_init(|| list(self.reader, &endpoint))
            .await;
    }

    /// Waits for what is needed, and beside it asks for the server's version and the
    /// controller's flags, which delay it little: whether a spec is accepted depends
    /// on its gates.
    ///
    /// # Errors
    ///
    /// Those of what is needed.
    pub async fn with_settings<T, E>(
        &self,
        needed: impl Future<Output = Result<T, E>>,
    ) -> Result<T, E> {
        let settings = async {
            self.version().await;
            self.read_managers().await;
        };
        within(needed, settings, GRACE * 8).await
    }

    /// Asks for the kube-controller-manager's lease. Controllers that do not
    /// elect a leader have none.
    pub async fn read_lease(&self) {
        let endpoint = paths::controller_lease();
        self.lease
            .get_or_init(|| self.reader.look_for(&endpoint))
            .await;
    }

    /// The controller's flags, as far as they were seen by now.
    pub fn flags(&self) -> ControllerFlags {
        let managers = self.managers.get();
        let managers = managers.and_then(Answered::response);
        managers.map_or_else(ControllerFlags::default, |managers| observed(managers))
    }

    /// What snapshots share, as far as it was seen by now. `now` stands in for the
    /// server's clock should it not tell the time.
    pub fn shared(&self, now: Timestamp) -> Shared {
        let not_read = [
            not_read(Part::ServerVersion, self.version.get()),
            not_read(Part::ControllerFlags, self.managers.get()),
            not_read(Part::ControllerLease, self.lease.get()),
        ];
        let lease = self.lease.get().and_then(Answered::response);
        Shared {
            captured_at: self.reader.server_time().unwrap_or(now),
            server_version: self.version_observed(),
            controller: self.flags(),
            controller_lease: lease.cloned().flatten(),
            not_read: not_read.into_iter().flatten().collect(),
        }
    }
}

/// A part that did not come, or not in time.
pub fn not_read<T>(part: Part, answer: Option<&Answered<T>>) -> Option<NotRead> {
    let reason = match answer {
        None => ReadFailure::not_read("not waited for"),
        Some(answer) => answer.failure()?,
    };
    Some(NotRead { part, reason })
}

/// What came of a part, if anything, and why nothing did.
pub fn taken<T: Default>(
    part: Part,
    answer: cell::OnceCell<Answered<T>>,
    missing: &mut Vec<NotRead>,
) -> T {
    missing.extend(not_read(part, answer.get()));
    let answer = answer.into_inner();
    answer
        .and_then(|it| it.into_response::<()>().ok())
        .unwrap_or_default()
}

/// How long to wait once all that is needed is there. A person takes a third
/// of a second for no delay at all.
pub const GRACE: Duration = Duration::from_millis(250);

/// Runs both; what is beside ends at the latest a moment after what is
/// needed.
/// Errors: those of what is needed, at once.
pub async fn within<T, E>(
    needed: impl Future<Output = Result<T, E>>,
    supplements: impl Future<Output = ()>,
    wait: Duration,
) -> Result<T, E> {
    match select(pin!(needed), pin!(supplements)).await {
        Either::Left((needed, supplements)) => {
            let needed = needed?;
            // What has not come by then is named as not waited for.
            let _ = timeout(wait, supplements).await;
            Ok(needed)
        }
        Either::Right(((), needed)) => needed.await,
    }
}

/// A pod, as far as its command lines, or a node, as far as the arguments
/// that k3s notes on it.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Manager {
    metadata: ManagerMeta,
    spec: ManagerSpec,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct ManagerMeta {
    annotations: Option<ManagerAnnotations>,
}

#[derive(Debug, Deserialize)]
struct ManagerAnnotations {
    /// A JSON array of words.
    #[serde(rename = "k3s.io/node-args")]
    node_args: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct ManagerSpec {
    containers: Vec<Program>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Program {
    command: Vec<String>,
    args: Vec<String>,
}

/// What hands a flag on to the controller manager inside k3s.
const HANDED_ON: &str = "--kube-controller-manager-arg";

/// The flags of the first controller manager that can be seen. Where there
/// are several, they are replicas of one configuration.
pub fn observed(managers: &[Manager]) -> ControllerFlags {
    let mut flags = ControllerFlags::default();
    let words = managers.iter().map(Manager::words);
    let words = words.into_iter().find(|words| !words.is_empty());
    for (name, value) in pairs(&words.unwrap_or_default()) {
        match name {
            HANDED_ON => {
                if let Some((name, value)) = value.split_once('=') {
                    set(&mut flags, &format!("--{name}"), value);
                }
            }
            name => set(&mut flags, name, value),
        }
    }
    flags
}

impl Manager {
    /// The command line, word by word; a shell's script is one word of it.
    fn words(&self) -> Vec<String> {
        let containers = self.spec.containers.iter();
        let words = containers.flat_map(|program| program.command.iter().chain(&program.args));
        let words = words.flat_map(|word| word.split_whitespace());
        let mut words: Vec<String> = words.map(str::to_owned).collect();
        let noted = self.metadata.annotations.as_ref();
        let noted = noted.and_then(|noted| noted.node_args.as_deref());
        let noted = noted.and_then(|text| serde_json::from_str::<Vec<String>>(text).ok());
        words.extend(noted.unwrap_or_default());
        words
    }
}

/// `--name=value`, or `--name value`.
fn pairs(words: &[String]) -> impl Iterator<Item = (&str, &str)> {
    let flags = words.iter().enumerate();
    let flags = flags.filter(|(_, word)| word.starts_with("--"));
    flags.filter_map(|(at, word)| match word.split_once('=') {
        Some(pair) => Some(pair),
        None => Some((word.as_str(), words.get(at + 1)?.as_str())),
    })
}

fn set(flags: &mut ControllerFlags, name: &str, value: &str) {
    let seconds = || {
        let duration: GoDuration = value.parse().ok()?;
        let whole = Duration::from_nanos(u64::try_from(duration.0).ok()?).as_secs();
        u32::try_from(whole).ok()
    };
    match name.strip_prefix("--horizontal-pod-autoscaler-") {
        Some("sync-period") => flags.sync_period_seconds = seconds(),
        Some("tolerance") => flags.tolerance = value.parse().ok().filter(|t: &f64| t.is_finite()),
        Some("downscale-stabilization") => flags.downscale_stabilization_seconds = seconds(),
        Some("cpu-initialization-period") => flags.cpu_initialization_period_seconds = seconds(),
        Some("initial-readiness-delay") => flags.initial_readiness_delay_seconds = seconds(),
        _ if name == "--feature-gates" => {
            let gates = value.split(',').filter_map(|gate| gate.split_once('='));
            let gates = gates.filter_map(|(gate, on)| Some((gate.to_owned(), on.parse().ok()?)));
            flags.feature_gates.extend(gates);
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::future::pending;
    use std::time::Duration;

    use serde_json::json;
    use tokio::time::{Instant, sleep};

    use super::{GRACE, Manager, observed, within};

    /// A paused clock goes on as soon as everything waits for it.
    #[tokio::test(start_paused = true)]
    async fn what_can_be_done_without_delays_by_a_moment_at_most() {
        let milli = Duration::from_millis;
        let rows = [
            // Needed, beside, when it is over.
            (milli(100), milli(50), milli(100)),
            (milli(100), milli(200), milli(200)),
            (milli(100), milli(300), milli(300)),
            (milli(100), milli(400), milli(350)),
            (milli(100), Duration::from_secs(60), milli(350)),
        ];
        for (needed, supplements, over) in rows {
            let started = Instant::now();
            let came = Cell::new(false);
            let supplements = async {
                sleep(supplements).await;
                came.set(true);
            };
            let needed = async {
                sleep(needed).await;
                Ok::<_, ()>(())
            };
            assert_eq!(within(needed, supplements, GRACE).await, Ok(()));
            let took = started.elapsed();
            // The timer counts whole milliseconds.
            assert!(took >= over && took <= over + milli(1), "{took:?}");
            assert_eq!(came.get(), over < milli(350), "{took:?}");
        }
        assert!(GRACE <= milli(300));
    }

    #[tokio::test(start_paused = true)]
    async fn what_is_needed_and_fails_is_waited_for_no_longer() {
        let failed = async { Err::<(), _>("no") };
        assert_eq!(within(failed, pending(), GRACE).await, Err("no"));
    }

    fn flags(managers: serde_json::Value) -> crate::document::snapshot::ControllerFlags {
        let managers: Vec<Manager> = serde_json::from_value(managers).expect("a list");
        observed(&managers)
    }

    #[test]
    fn flags_are_read_off_the_command_line() {
        let flags = flags(json!([{"spec": {"containers": [{
            "command": ["kube-controller-manager", "--v=2"],
            "args": [
                "--horizontal-pod-autoscaler-sync-period=10s",
                "--horizontal-pod-autoscaler-tolerance", "0.05",
                "--horizontal-pod-autoscaler-downscale-stabilization=1m30s",
                "--feature-gates=HPAScaleToZero=true,Other=false",
            ],
        }]}}]));
        assert_eq!(flags.sync_period_seconds, Some(10));
        assert_eq!(flags.tolerance, Some(0.05));
        assert_eq!(flags.downscale_stabilization_seconds, Some(90));
        assert_eq!(flags.cpu_initialization_period_seconds, None);
        assert_eq!(flags.feature_gates.get("HPAScaleToZero"), Some(&true));
    }

    #[test]
    fn flags_are_read_off_a_shells_script() {
        let script = "exec kube-controller-manager --horizontal-pod-autoscaler-tolerance=0.2 --v=2";
        let command = json!(["/bin/sh", "-c", script]);
        let managers = json!([{"spec": {"containers": [{"command": command}]}}]);
        assert_eq!(flags(managers).tolerance, Some(0.2));
    }

    #[test]
    fn flags_are_read_off_the_nodes_of_k3s() {
        let node = |words: serde_json::Value| json!({"metadata": {"annotations": {"k3s.io/node-args": words.to_string()}}});
        let rows = [
            json!([
                "server",
                "--kube-controller-manager-arg",
                "horizontal-pod-autoscaler-tolerance=0.3"
            ]),
            json!([
                "server",
                "--kube-controller-manager-arg=horizontal-pod-autoscaler-tolerance=0.3"
            ]),
        ];
        for words in rows {
            let managers = json!([{"metadata": {}}, node(words)]);
            assert_eq!(flags(managers).tolerance, Some(0.3));
        }
        let plain = json!([node(json!(["server"])), {"metadata": {"annotations": null}}]);
        assert_eq!(flags(plain).tolerance, None);
    }
}
