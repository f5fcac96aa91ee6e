//! The least role for what the commands read.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::process::ExitCode;

use clap::{Args, ValueEnum};

use crate::cli::terminal::Terminal;

#[derive(Debug, Args)]
#[command(before_help = "\
Examples:
  kubectl hpa-explain rbac -n shop > role.yaml   for all commands in shop
  kubectl hpa-explain rbac list -A               for list in all namespaces")]
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
}

/// A command that reads a cluster.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Reads {
    /// Explaining HPAs, and capturing those that are named
    Explain,
    /// Listing them
    List,
    /// Finding those that flap, and capturing all of a namespace
    Flaps,
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
fn name(text: &str) -> Result<String, String> {
    let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    if !text.is_empty() && text.chars().all(is_plain) {
        return Ok(text.to_owned());
    }
    Err("must consist of lowercase letters, digits and '-'".to_owned())
}

fn target(text: &str) -> Result<ScaledResource, String> {
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
    fn rules(self) -> BTreeMap<(String, Use, &'static str), Vec<String>> {
        let mut rules: BTreeMap<_, Vec<String>> = BTreeMap::new();
        for ((group, resource, verb), what_for) in self.0 {
            rules
                .entry((group, what_for, verb))
                .or_default()
                .push(resource);
        }
        rules
    }
}

/// Prints the role.
///
/// # Errors
///
/// The output cannot be written.
pub fn run(rbac: &Rbac, terminal: &mut Terminal) -> anyhow::Result<ExitCode> {
    write(rbac, terminal.out())?;
    Ok(ExitCode::SUCCESS)
}

fn write(rbac: &Rbac, out: &mut impl Write) -> io::Result<()> {
    let reads = |command| rbac.commands.is_empty() || rbac.commands.contains(&command);
    let targets = rbac.targets();
    let mut rights = Rights::default();
    if reads(Reads::Explain) || reads(Reads::Flaps) {
        rights.explain(&targets);
    }
    if reads(Reads::List) {
        rights.list(&targets, rbac.full);
    }
    if reads(Reads::Flaps) {
        rights.survey(&targets);
    }
    if reads(Reads::Watch) {
        rights.watch(&targets);
    }
    writeln!(
        out,
        "# What kubectl hpa-explain reads; it never writes. /version and discovery are"
    )?;
    writeln!(
        out,
        "# open to every user. Targets of other kinds: rbac --target RESOURCE.GROUP"
    )?;
    let own = Role {
        name: "hpa-explain",
        namespace: (!rbac.all_namespaces).then_some(rbac.namespace.as_str()),
    };
    own.head(out)?;
    for ((group, what_for, verb), resources) in rights.rules() {
        rule(what_for, &group, &resources, verb, &[], out)?;
    }
    own.binding(out)?;
    if !rbac.commands.iter().all(|it| *it == Reads::List) || rbac.commands.is_empty() {
        metrics_apis(out)?;
    }
    controller(rbac, out)
}

/// Who answers for a metrics API belongs to no namespace.
fn metrics_apis(out: &mut impl Write) -> io::Result<()> {
    let role = Role {
        name: "hpa-explain-metrics-apis",
        namespace: None,
    };
    writeln!(out, "---\n# Optional: used only where a metrics API fails.")?;
    role.head(out)?;
    let services = Use::Optional("the service behind a metrics API is unknown");
    let (group, resources) = ("apiregistration.k8s.io", ["apiservices".to_owned()]);
    rule(services, group, &resources, "get", &METRICS_APIS, out)?;
    role.binding(out)
}

/// The registrations of the metrics APIs.
const METRICS_APIS: [&str; 4] = [
    "v1beta1.metrics.k8s.io",
    "v1beta2.custom.metrics.k8s.io",
    "v1beta1.custom.metrics.k8s.io",
    "v1beta1.external.metrics.k8s.io",
];

/// What is read of the controller itself, under a name of its own: in
/// kube-system, the other role is there as well.
fn controller(rbac: &Rbac, out: &mut impl Write) -> io::Result<()> {
    let of_its_namespace = Role {
        name: "hpa-explain-controller",
        namespace: Some("kube-system"),
    };
    writeln!(
        out,
        "---\n# Optional: without it, the controller's flags are assumed to be the defaults."
    )?;
    if !rbac.k3s {
        writeln!(out, "# In k3s they are elsewhere: rbac --k3s")?;
    }
    of_its_namespace.head(out)?;
    let flags = Use::Optional("the controller's flags are unknown");
    // In k3s as well: an explanation looks there if the version is late.
    if !rbac.all_namespaces {
        rule(flags, "", &["pods".to_owned()], "list", &[], out)?;
    }
    let leases = ["leases".to_owned()];
    let lease = Use::Optional("the controller's last restart is unknown");
    let manager = ["kube-controller-manager"];
    rule(lease, "coordination.k8s.io", &leases, "get", &manager, out)?;
    of_its_namespace.binding(out)?;
    if !rbac.k3s {
        return Ok(());
    }
    let of_nodes = Role {
        namespace: None,
        ..of_its_namespace
    };
    writeln!(out, "---\n# Optional. Nodes belong to no namespace.")?;
    of_nodes.head(out)?;
    rule(flags, "", &["nodes".to_owned()], "list", &[], out)?;
    of_nodes.binding(out)
}

/// A Role, or a `ClusterRole` for all namespaces.
#[derive(Clone, Copy)]
struct Role<'r> {
    name: &'r str,
    namespace: Option<&'r str>,
}

impl Role<'_> {
    fn kind(self) -> &'static str {
        if self.namespace.is_some() {
            "Role"
        } else {
            "ClusterRole"
        }
    }

    fn head(self, out: &mut impl Write) -> io::Result<()> {
        self.object(self.kind(), out)?;
        writeln!(out, "rules:")
    }

    /// Who gets the role is for the reader to say.
    fn binding(self, out: &mut impl Write) -> io::Result<()> {
        let (kind, name) = (self.kind(), self.name);
        writeln!(out, "---")?;
        self.object(&format!("{kind}Binding"), out)?;
        writeln!(out, "roleRef:\n  apiGroup: rbac.authorization.k8s.io")?;
        writeln!(out, "  kind: {kind}\n  name: {name}")?;
        writeln!(out, "subjects:  # User, Group or ServiceAccount")?;
        writeln!(
            out,
            "- apiGroup: rbac.authorization.k8s.io\n  kind: User\n  name: CHANGE-ME"
        )
    }

    fn object(self, kind: &str, out: &mut impl Write) -> io::Result<()> {
        writeln!(
            out,
            "apiVersion: rbac.authorization.k8s.io/v1\nkind: {kind}"
        )?;
        writeln!(out, "metadata:\n  name: {}", self.name)?;
        match self.namespace {
            Some(namespace) => writeln!(out, "  namespace: \"{namespace}\""),
            None => Ok(()),
        }
    }
}

fn rule(
    what_for: Use,
    group: &str,
    resources: &[String],
    verb: &str,
    names: &[&str],
    out: &mut impl Write,
) -> io::Result<()> {
    match what_for {
        Use::Needed(text) => writeln!(out, "# needed: {text}")?,
        Use::Optional(text) => writeln!(out, "# optional: without it, {text}")?,
    }
    writeln!(out, "- apiGroups: [\"{group}\"]")?;
    writeln!(out, "  resources: [\"{}\"]", resources.join("\", \""))?;
    if !names.is_empty() {
        writeln!(out, "  resourceNames:")?;
    }
    for name in names {
        writeln!(out, "  - \"{name}\"")?;
    }
    writeln!(out, "  verbs: [\"{verb}\"]")
}
