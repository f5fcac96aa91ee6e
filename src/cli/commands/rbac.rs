//! The least role for what the commands read.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::io::Write;
use std::process::ExitCode;

use anyhow::ensure;
use clap::{Args, ValueEnum};

use crate::cli::terminal::Terminal;
use crate::collect::METRICS_APIS;

#[derive(Debug, Args)]
#[command(before_help = "\
Examples:
  kubectl hpa-explain rbac -n shop > role.yaml   for all commands in shop
  kubectl hpa-explain rbac list -A               for list in all namespaces")]
#[expect(clippy::struct_excessive_bools, reason = "a flag each")]
pub struct Rbac {
    /// What the role is for; everything by default
    #[arg(value_name = "COMMAND", value_enum)]
    commands: Vec<Reads>,
    /// For HPAs of this namespace
    #[arg(short, long, value_name = "NAMESPACE", default_value = "default", value_parser = name)]
    namespace: String,
    /// For HPAs of all namespaces
    #[arg(short = 'A', long, conflicts_with = "namespace")]
    all_namespaces: bool,
    /// A kind that HPAs scale beside deployments.apps and statefulsets.apps,
    /// such as rollouts.argoproj.io; can be repeated
    #[arg(long = "target", value_name = "RESOURCE.GROUP", value_parser = target)]
    targets: Vec<ScaledResource>,
    /// For k3s, where the controller's flags are annotations of the nodes
    #[arg(long)]
    k3s: bool,
    /// For `list --full`
    #[arg(long)]
    full: bool,
    /// For `--nodes`: the nodes, and the pods of all namespaces
    #[arg(long)]
    nodes: bool,
    /// For --prometheus without a URL, which finds one in the cluster
    #[arg(long)]
    prometheus: bool,
}

/// A command that reads a cluster.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Reads {
    /// Explaining HPAs, and capturing those that are named
    #[value(aliases = ["dry-run", "simulate", "record"])]
    Explain,
    /// Listing them
    List,
    /// Finding those that flap, and capturing all of a namespace
    Flaps,
    /// Finding changes that pay
    Tune,
    /// Watching one, and recording what its passes run on
    Watch,
}

/// A kind that HPAs scale.
#[derive(Clone, Debug, PartialEq, Eq)]
struct ScaledResource {
    resource: String,
    group: String,
}

impl Rbac {
    /// What HPAs scale everywhere, and what they scale here.
    fn targets(&self) -> Vec<ScaledResource> {
        let everywhere =
            ["deployments", "statefulsets"].map(|plural| ScaledResource::new(plural, "apps"));
        let mut targets = everywhere.to_vec();
        targets.extend(self.targets.iter().cloned());
        targets
    }
}

impl ScaledResource {
    fn new(resource: &str, group: &str) -> Self {
        Self {
            resource: resource.to_owned(),
            group: group.to_owned(),
        }
    }

    /// Whether a list of its objects tells what it selects.
    fn is_built_in(&self) -> bool {
        matches!(
            (self.group.as_str(), self.resource.as_str()),
            ("apps", "deployments" | "replicasets" | "statefulsets")
                | ("", "replicationcontrollers")
        )
    }
}

/// A name as it may stand in YAML without quotes.
fn name(text: &str) -> anyhow::Result<String> {
    let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    let is_name = !text.is_empty() && text.chars().all(is_plain);
    ensure!(is_name, "must consist of lowercase letters, digits and '-'");
    Ok(text.to_owned())
}

fn target(text: &str) -> anyhow::Result<ScaledResource> {
    let (resource, group) = text.split_once('.').unwrap_or((text, ""));
    for part in group.split('.').filter(|_| !group.is_empty()) {
        name(part)?;
    }
    Ok(ScaledResource::new(&name(resource)?, group))
}

/// What a right is for: the command fails or is blind without it, or it only
/// knows less.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Use {
    Needed(&'static str),
    Optional(&'static str),
}

/// The uses by API group, resource and verb.
#[derive(Default)]
struct Rights(BTreeMap<(String, String, &'static str), Use>);

impl Rights {
    /// Adds a right; what is needed once is needed.
    fn add(&mut self, group: &str, resource: &str, verb: &'static str, what_for: Use) {
        let key = (group.to_owned(), resource.to_owned(), verb);
        let known = self.0.entry(key).or_insert(what_for);
        if matches!((*known, what_for), (Use::Optional(_), Use::Needed(_))) {
            *known = what_for;
        }
    }

    /// What all commands read.
    fn common(&mut self) {
        let pods = Use::Needed("what the pods request, and whether they are Ready");
        self.add("", "pods", "list", pods);
        let usage = Use::Needed("Resource metrics: cpu and memory");
        self.add("metrics.k8s.io", "pods", "list", usage);
        let events = Use::Optional("what the controller did is known only from the status");
        self.add("", "events", "list", events);
    }

    /// Metrics that take a request each.
    fn adapted_metrics(&mut self) {
        let custom = Use::Needed("Pods and Object metrics");
        self.add("custom.metrics.k8s.io", "*", "get", custom);
        let external = Use::Needed("External metrics");
        self.add("external.metrics.k8s.io", "*", "list", external);
    }

    fn explain(&mut self, targets: &[ScaledResource]) {
        self.common();
        self.adapted_metrics();
        let own = Use::Needed("the HPA itself");
        self.add("autoscaling", "horizontalpodautoscalers", "get", own);
        let others = Use::Optional(
            "HPAs that select the same pods are not found, and no HPA is found by its target",
        );
        self.add("autoscaling", "horizontalpodautoscalers", "list", others);
        let owners = Use::Optional("HPAs are not found by a pod's name");
        self.add("", "pods", "get", owners);
        self.add("apps", "replicasets", "get", owners);
        for ScaledResource { resource, group } in targets {
            let size = Use::Needed("the target's size and its pod selector");
            self.add(group, &format!("{resource}/scale"), "get", size);
            let object = Use::Optional("other writers of the target's size are unknown");
            self.add(group, resource, "get", object);
        }
        for ScaledResource { resource, group } in
            targets.iter().filter(|target| target.is_built_in())
        {
            let others = Use::Optional("the pods that other HPAs select are unknown");
            self.add(group, resource, "list", others);
        }
        let vertical = Use::Optional("a VPA that sets the measured requests is not found");
        self.add(
            "autoscaling.k8s.io",
            "verticalpodautoscalers",
            "list",
            vertical,
        );
        let keda = Use::Optional("whether KEDA pauses or uses its fallback is unknown");
        self.add("keda.sh", "scaledobjects", "get", keda);
        let room = Use::Optional("whether maxReplicas can be reached is unknown");
        self.add("", "limitranges", "list", room);
        self.add("", "resourcequotas", "list", room);
        let is_deployments = |target: &ScaledResource| target.resource == "deployments";
        if targets.iter().any(is_deployments) {
            let rollouts = Use::Optional("the pods that a Deployment owns are unknown");
            self.add("apps", "replicasets", "list", rollouts);
        }
    }

    /// A watch goes on from a list.
    fn watch(&mut self, targets: &[ScaledResource]) {
        self.explain(targets);
        for verb in ["list", "watch"] {
            let passes = Use::Needed("what the controller writes, pass by pass");
            self.add("autoscaling", "horizontalpodautoscalers", verb, passes);
        }
    }

    fn list(&mut self, targets: &[ScaledResource], full: bool) {
        self.common();
        if full {
            self.adapted_metrics();
        }
        let all = Use::Needed("the HPAs themselves");
        self.add("autoscaling", "horizontalpodautoscalers", "list", all);
        for target in targets {
            let ScaledResource { resource, group } = target;
            let size = Use::Needed("the target's size and its pod selector");
            if target.is_built_in() {
                self.add(group, resource, "list", size);
            } else {
                self.add(group, &format!("{resource}/scale"), "get", size);
            }
        }
    }

    /// What many HPAs are read with as well, where none is named.
    fn survey(&mut self, targets: &[ScaledResource]) {
        self.list(targets, true);
        for ScaledResource { resource, group } in targets {
            let objects = Use::Optional("other writers of a target's size are unknown");
            self.add(group, resource, "list", objects);
        }
        let keda = Use::Optional("whether KEDA pauses or uses its fallback is unknown");
        self.add("keda.sh", "scaledobjects", "list", keda);
    }

    /// The rules: what differs only in the resource is one.
    fn rules(self) -> String {
        let mut rules: BTreeMap<_, Vec<String>> = BTreeMap::new();
        for ((group, resource, verb), what_for) in self.0 {
            let resources = rules.entry((group, what_for, verb)).or_default();
            resources.push(resource);
        }
        let rules = rules.iter().map(|((group, what_for, verb), resources)| {
            rule(*what_for, group, resources, verb, &[])
        });
        rules.collect()
    }
}

/// Prints the roles.
pub fn run(rbac: &Rbac, terminal: &mut Terminal) -> anyhow::Result<ExitCode> {
    terminal.out().write_all(roles(rbac).as_bytes())?;
    Ok(ExitCode::SUCCESS)
}

fn roles(rbac: &Rbac) -> String {
    let reads = |command| rbac.commands.is_empty() || rbac.commands.contains(&command);
    let surveys = reads(Reads::Flaps) || reads(Reads::Tune);
    let targets = rbac.targets();
    let mut rights = Rights::default();
    if reads(Reads::Explain) || surveys {
        rights.explain(&targets);
    }
    if reads(Reads::List) {
        rights.list(&targets, rbac.full);
    }
    if surveys {
        rights.survey(&targets);
    }
    if reads(Reads::Watch) {
        rights.watch(&targets);
    }
    let namespace = (!rbac.all_namespaces).then_some(rbac.namespace.as_str());
    let own = role("hpa-explain", namespace, &rights.rules());
    let mut documents = vec![format!(
        "\
# What kubectl hpa-explain reads; it never writes. /version and discovery are
# open to every user. Targets of other kinds: rbac --target RESOURCE.GROUP
{own}"
    )];
    if !rbac.commands.iter().all(|it| *it == Reads::List) || rbac.commands.is_empty() {
        documents.push(metrics_apis());
    }
    if rbac.nodes {
        documents.push(nodes());
    }
    if rbac.prometheus {
        documents.push(prometheus());
    }
    documents.extend(controller(rbac));
    documents.join("---\n")
}

/// Nodes belong to no namespace, and pods of all namespaces are on them.
fn nodes() -> String {
    let room = Use::Optional("whether the nodes have room is unknown");
    let own = role(
        "hpa-explain-nodes",
        None,
        &rule(room, "", &["nodes", "pods"], "list", &[]),
    );
    format!("# For --nodes, which sums up what pods of all namespaces request.\n{own}")
}

/// A Prometheus is in a namespace of its own, which has to be found.
fn prometheus() -> String {
    let found = Use::Needed("in which namespace the Prometheus is");
    let scraped = Use::Needed("what it scraped");
    let rules = rule(found, "", &["services"], "list", &[])
        + &rule(scraped, "", &["services/proxy"], "get", &[]);
    let own = role("hpa-explain-prometheus", None, &rules);
    format!(
        "\
# For --prometheus without a URL. Whoever may use the proxy can ask every Service
# of the cluster; a Role of the namespace of the Prometheus is enough for that rule.
{own}"
    )
}

/// Who answers for a metrics API belongs to no namespace.
fn metrics_apis() -> String {
    let services = Use::Optional("the service behind a metrics API is unknown");
    let group = "apiregistration.k8s.io";
    let rules = rule(
        services,
        group,
        &["apiservices"],
        "get",
        &METRICS_APIS.concat(),
    );
    let own = role("hpa-explain-metrics-apis", None, &rules);
    format!("# Optional: used only where a metrics API fails.\n{own}")
}

/// What is read of the controller itself, under a name of its own: in
/// kube-system, the other role is there as well.
fn controller(rbac: &Rbac) -> Vec<String> {
    let own = |namespace, rules: &str| role("hpa-explain-controller", namespace, rules);
    let flags = Use::Optional("the controller's flags are unknown");
    // In k3s as well: an explanation looks there if the version is late.
    let pods = (!rbac.all_namespaces).then(|| rule(flags, "", &["pods"], "list", &[]));
    let lease = Use::Optional("the controller's last restart is unknown");
    let (group, manager) = ("coordination.k8s.io", ["kube-controller-manager"]);
    let leases = rule(lease, group, &["leases"], "get", &manager);
    let rules = pods.unwrap_or_default() + &leases;
    let hint = if rbac.k3s {
        ""
    } else {
        "# In k3s they are elsewhere: rbac --k3s\n"
    };
    let mut documents = vec![format!(
        "# Optional: without it, the controller's flags are assumed to be the defaults.\n{hint}{}",
        own(Some("kube-system"), &rules)
    )];
    if rbac.k3s {
        let of_nodes = own(None, &rule(flags, "", &["nodes"], "list", &[]));
        documents.push(format!(
            "# Optional. Nodes belong to no namespace.\n{of_nodes}"
        ));
    }
    documents
}

/// A Role, or a `ClusterRole` for all namespaces, and its binding. Who gets it
/// is for the reader to say.
fn role(name: &str, namespace: Option<&str>, rules: &str) -> String {
    let kind = namespace.map_or("ClusterRole", |_| "Role");
    let namespace = namespace.map(|it| format!("  namespace: \"{it}\"\n"));
    let namespace = namespace.unwrap_or_default();
    format!(
        "\
apiVersion: rbac.authorization.k8s.io/v1
kind: {kind}
metadata:
  name: {name}
{namespace}rules:
{rules}---
apiVersion: rbac.authorization.k8s.io/v1
kind: {kind}Binding
metadata:
  name: {name}
{namespace}roleRef:
  apiGroup: rbac.authorization.k8s.io
  kind: {kind}
  name: {name}
subjects:  # User, Group or ServiceAccount
- apiGroup: rbac.authorization.k8s.io
  kind: User
  name: CHANGE-ME
"
    )
}

/// A rule for resources of a group, or for those of these names alone.
fn rule(
    what_for: Use,
    group: &str,
    resources: &[impl Debug],
    verb: &str,
    names: &[&str],
) -> String {
    let what_for = match what_for {
        Use::Needed(text) => format!("needed: {text}"),
        Use::Optional(text) => format!("optional: without it, {text}"),
    };
    let head = names.first().map_or("", |_| "  resourceNames:\n");
    let names = names.iter().map(|name| format!("  - \"{name}\"\n"));
    let names: String = names.collect();
    format!(
        "\
# {what_for}
- apiGroups: [\"{group}\"]
  resources: {resources:?}
{head}{names}  verbs: [\"{verb}\"]
"
    )
}
