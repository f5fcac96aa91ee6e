//! Small random clusters, packed by trying: what is said to fit can be placed, and
//! what is said not to fit cannot.

use hpa_explain::api::Pod;
use hpa_explain::document::snapshot::Snapshot;
use hpa_explain::trace::RoomAnswer;
use hpa_explain::what_if::room;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::Cluster;

/// Thousandths of cpu and whole Mi of memory that a container requests.
type Request = (i64, i64);

/// What a node has, what is requested on it, its pods, its most pods, and whether it
/// has the label, the taint, and a cordon.
type Machine = (Request, Request, (i64, i64), [bool; 3]);

#[derive(Clone, Debug)]
struct Random {
    containers: Vec<Request>,
    /// Each with whether it is a sidecar.
    init: Vec<(Request, bool)>,
    overhead: i64,
    selects: bool,
    tolerates: bool,
    nodes: Vec<Machine>,
    /// The most cpu and pods, and how much is used.
    quota: Option<(Request, Request)>,
    /// The highest cpu limit of a container, which is the default, too.
    most: Option<i64>,
    there: i32,
    waiting: usize,
    max: i32,
}

fn request() -> impl Strategy<Value = Request> {
    (
        prop_oneof![Just(0), 1_i64..=20],
        prop_oneof![Just(0), 1_i64..=16],
    )
        .prop_map(|(cpu, memory)| (cpu * 50, memory * 64))
}

fn cluster() -> impl Strategy<Value = Random> {
    let node = (
        (0_i64..=60, 0_i64..=48).prop_map(|(cpu, memory)| (cpu * 50, memory * 64)),
        request(),
        (0_i64..=2, 0_i64..=6),
        prop::array::uniform3(prop::bool::weighted(0.3)),
    );
    let quota = ((0_i64..=80, 0_i64..=8), request())
        .prop_map(|((cpu, pods), used)| ((cpu * 50, pods), (used.0, used.1 / 128)));
    (
        prop::collection::vec(request(), 1..=2),
        prop::collection::vec((request(), any::<bool>()), 0..=3),
        prop_oneof![3 => Just(0_i64), 1 => Just(100)],
        (prop::bool::weighted(0.3), any::<bool>()),
        prop::collection::vec(node, 0..=3),
        prop::option::weighted(0.5, quota),
        prop::option::weighted(0.2, (2_i64..=30).prop_map(|it| it * 50)),
        (0_i32..=3, 0_usize..=2, 1_i32..=5),
    )
        .prop_map(
            |(containers, init, overhead, places, nodes, quota, most, sizes)| Random {
                containers,
                init,
                overhead,
                selects: places.0,
                tolerates: places.1,
                nodes,
                quota,
                most,
                there: sizes.0,
                waiting: sizes.1.min(usize::try_from(sizes.0).expect("small")),
                max: sizes.2,
            },
        )
}

impl Random {
    fn snapshot(&self) -> Snapshot {
        let requests = |(cpu, memory): Request| {
            let mut requests = json!({});
            if cpu > 0 {
                requests["cpu"] = json!(format!("{cpu}m"));
            }
            if memory > 0 {
                requests["memory"] = json!(format!("{memory}Mi"));
            }
            json!({"requests": requests})
        };
        let containers = self.containers.iter().enumerate();
        let containers = containers
            .map(|(at, it)| json!({"name": format!("c{at}"), "resources": requests(*it)}));
        let init = self.init.iter().enumerate().map(|(at, (it, is_sidecar))| {
            let policy = is_sidecar.then_some("Always");
            json!({"name": format!("i{at}"), "resources": requests(*it), "restartPolicy": policy})
        });
        let mut template = json!({
            "containers": containers.collect::<Value>(), "initContainers": init.collect::<Value>(),
        });
        if self.overhead > 0 {
            template["overhead"] = json!({"cpu": format!("{}m", self.overhead)});
        }
        if self.selects {
            template["nodeSelector"] = json!({"disk": "ssd"});
        }
        if self.tolerates {
            template["tolerations"] = json!([{"key": "gpu", "operator": "Exists"}]);
        }
        let nodes = self.nodes.iter().map(|(has, on, (pods, most), [label, taint, cordon])| {
            let label = label.then(|| json!({"disk": "ssd"}));
            let taint = taint.then(|| json!([{"key": "gpu", "effect": "NoSchedule"}]));
            json!({
                "has": format!("{}m {}Mi {most}", has.0, has.1), "on": format!("{}m {}Mi {pods}", on.0, on.1),
                "labels": label, "taints": taint, "cordoned": cordon,
            })
        });
        let quotas = self.quota.map(|(hard, used)| {
            json!({"q": {"requests.cpu": format!("{}m {}m", hard.0, used.0), "pods": format!("{} {}", hard.1, used.1)}})
        });
        let ranges = self.most.map(|most| {
            let most = format!("{most}m");
            json!({"r": [{"type": "Container", "max": {"cpu": most}, "default": {"cpu": most}, "defaultRequest": {"cpu": most}}]})
        });
        let mut cluster: Cluster = serde_json::from_value(json!({
            "case": "", "template": template, "pods": [], "pods-there": self.there, "waiting": self.waiting,
            "nodes": nodes.collect::<Value>(),
            "quotas": quotas.unwrap_or_else(|| json!({})), "ranges": ranges.unwrap_or_else(|| json!({})),
        }))
        .expect("a cluster");
        cluster.room = None;
        let mut snapshot = cluster.snapshot();
        snapshot["horizontalPodAutoscaler"]["spec"]["maxReplicas"] = json!(self.max);
        serde_json::from_value(snapshot).expect("a snapshot")
    }

    /// What a new pod requests once the limit range has filled in its cpu.
    fn filled(&self, (cpu, memory): Request) -> Request {
        let cpu = if cpu == 0 {
            self.most.unwrap_or(0)
        } else {
            cpu
        };
        (cpu, memory)
    }

    /// The highest that a pod requests at any moment of its life, told step by step.
    fn pod(&self, is_new: bool) -> Request {
        let of = |it: Request| if is_new { self.filled(it) } else { it };
        let sum = |one: Request, two: Request| (one.0 + two.0, one.1 + two.1);
        let mut moments = Vec::new();
        for at in 0..=self.init.len() {
            let sidecars = self.init[..at].iter().filter(|(_, is_sidecar)| *is_sidecar);
            let beside = sidecars.map(|(it, _)| of(*it)).fold((0, 0), sum);
            match self.init.get(at) {
                Some((own, _)) => moments.push(sum(beside, of(*own))),
                None => moments.push(self.containers.iter().map(|it| of(*it)).fold(beside, sum)),
            }
        }
        let cpu = moments.iter().map(|it| it.0).max().unwrap_or(0);
        let memory = moments.iter().map(|it| it.1).max().unwrap_or(0);
        (cpu + self.overhead, memory)
    }

    /// Whether the API server takes so many new pods.
    fn are_created(&self, mut count: i64) -> bool {
        let mut all = self
            .containers
            .iter()
            .chain(self.init.iter().map(|(it, _)| it));
        if let Some(most) = self.most
            && count > 0
            && all.any(|it| self.filled(*it).0 > most)
        {
            return false;
        }
        let Some((hard, mut used)) = self.quota else {
            return true;
        };
        let mut all = self
            .containers
            .iter()
            .chain(self.init.iter().map(|(it, _)| it));
        if count > 0 && all.any(|it| self.filled(*it).0 == 0) {
            return false;
        }
        while count > 0 {
            used = (used.0 + self.pod(true).0, used.1 + 1);
            if used.0 > hard.0 || used.1 > hard.1 {
                return false;
            }
            count -= 1;
        }
        true
    }

    /// Whether pods can be placed, one after the other, each wherever it can be.
    fn are_placed(&self, pods: &[Request]) -> bool {
        let mut free: Vec<(Request, i64)> = Vec::new();
        for (has, on, (pods, most), [label, taint, cordon]) in &self.nodes {
            if *cordon || (self.selects && !label) || (*taint && !self.tolerates) {
                continue;
            }
            free.push(((has.0 - on.0, has.1 - on.1), most - pods));
        }
        place(&mut free, pods)
    }
}

fn place(free: &mut Vec<(Request, i64)>, pods: &[Request]) -> bool {
    let Some(((cpu, memory), rest)) = pods.split_first() else {
        return true;
    };
    for at in 0..free.len() {
        let ((has_cpu, has_memory), slots) = free[at];
        let is_enough = |request: i64, has: i64| request == 0 || request <= has;
        if slots < 1 || !is_enough(*cpu, has_cpu) || !is_enough(*memory, has_memory) {
            continue;
        }
        free[at] = ((has_cpu - cpu, has_memory - memory), slots - 1);
        if place(free, rest) {
            return true;
        }
        free[at] = ((has_cpu, has_memory), slots);
    }
    false
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn what_fits_can_be_placed(random in cluster()) {
        let snapshot = random.snapshot();
        let pods: Vec<&Pod> = snapshot.pods.iter().collect();
        let Some(room) = room(&snapshot, &pods, None) else {
            return Ok(());
        };
        let new = (i64::from(random.max) - i64::from(random.there)).max(0);
        prop_assert_eq!(room.needed, new);
        let mut all = vec![random.pod(false); random.waiting];
        all.extend(vec![random.pod(true); usize::try_from(new).expect("small")]);
        let fits = random.are_created(new) && random.are_placed(&all);
        match room.answer {
            RoomAnswer::Fits { .. } => prop_assert!(fits, "{:?}", room),
            RoomAnswer::DoesNotFit { .. } => prop_assert!(!fits, "{:?}", room),
            RoomAnswer::FitsQuota { .. } => prop_assert!(false, "nodes were read"),
            // Pods that were there before the limit range differ from new ones.
            RoomAnswer::Unknown { .. } => prop_assert!(random.waiting > 0 && random.most.is_some()),
        }
    }
}
