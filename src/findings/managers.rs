//! Who writes sizes, by the name that it gives itself as a field manager, and
//! the recipe by which it stops.

use serde_json::json;

use crate::api::ManagedFields;
use crate::findings::shared_findings::{self, REMOVE_REPLICAS};
use crate::trace::{Finding, Trace, shell_word};

use super::words;

/// The name under which kubectl applies on the client's side.
pub(super) const CLIENT_SIDE_APPLY: &str = "kubectl-client-side-apply";

/// The size in the manifest of a target, as a JSON pointer.
const REPLICAS: &str = "/spec/replicas";

/// A kind of writer, told apart by what makes it stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// `kubectl apply`, on the client's side.
    ClientSideApply,
    /// Server-side apply by anything.
    ServerSideApply,
    Helm,
    ArgoCd,
    /// Flux's kustomize-controller.
    FluxKustomize,
    /// Flux's helm-controller.
    FluxHelm,
    /// KEDA, which takes a target from 0 to 1 and back.
    Keda,
    /// A person with `kubectl scale`, `edit` or `patch`.
    ByHand,
    /// Anything else.
    Other,
}

impl Kind {
    /// The kind of writer behind managed fields.
    pub(super) fn of(entry: &ManagedFields) -> Self {
        let manager = entry.manager.as_str();
        match manager {
            CLIENT_SIDE_APPLY => Self::ClientSideApply,
            "helm" | "Helm" => Self::Helm,
            "kustomize-controller" => Self::FluxKustomize,
            "helm-controller" => Self::FluxHelm,
            "keda" | "keda-operator" => Self::Keda,
            _ if manager.starts_with("argocd") => Self::ArgoCd,
            _ if entry.operation == "Apply" => Self::ServerSideApply,
            "kubectl" => Self::ByHand,
            _ if manager.starts_with("kubectl-") => Self::ByHand,
            _ => Self::Other,
        }
    }

    /// Whether it has a manifest that it will apply again.
    pub(super) fn applies(self) -> bool {
        !matches!(self, Self::Keda | Self::ByHand | Self::Other)
    }

    /// What a person calls it.
    pub(super) fn name(self, manager: &str) -> String {
        match self {
            Self::ClientSideApply => "kubectl apply".to_owned(),
            Self::ServerSideApply if manager == "kubectl" => {
                "kubectl apply --server-side".to_owned()
            }
            Self::Helm => "Helm".to_owned(),
            Self::ArgoCd => format!("Argo CD ({manager})"),
            Self::FluxKustomize | Self::FluxHelm => format!("Flux ({manager})"),
            Self::Keda => "KEDA".to_owned(),
            Self::ByHand if manager == "kubectl" => "kubectl scale".to_owned(),
            Self::ByHand => manager.replacen('-', " ", 1),
            Self::ServerSideApply | Self::Other => manager.to_owned(),
        }
    }
}

/// What makes a writer stop. `is_shared` is whether the HPA's controller owns
/// the size by now, so that it stays when the other owner gives it up.
pub(super) fn recipe(finding: Finding, kind: Kind, is_shared: bool, trace: &Trace) -> Finding {
    match kind {
        Kind::ClientSideApply => client_side(finding, trace),
        Kind::ServerSideApply | Kind::FluxKustomize => server_side(finding, is_shared, trace),
        Kind::Helm => helm(finding),
        Kind::ArgoCd => argo_cd(finding, trace),
        Kind::FluxHelm => flux_helm(finding, trace),
        Kind::ByHand => finding.advice(
            "set minReplicas and maxReplicas to fix the size: the next pass reverts a size that \
             is set by hand",
        ),
        Kind::Keda | Kind::Other => finding.look(
            "see who owns spec.replicas (an operator must not set it while an HPA scales the target)",
            words::see_managers(trace),
        ),
    }
}

fn client_side(finding: Finding, trace: &Trace) -> Finding {
    let view = trace.kubectl_target(&["apply", "view-last-applied"]);
    let target = trace.target_argument();
    shared_findings::stop_applying(finding, &target, &trace.namespace)
        .look("see what was last applied", view + " -o yaml")
}

/// A field whose only owner gives it up is removed, and 1 is the default; so
/// another owner has to be there first.
fn server_side(finding: Finding, is_shared: bool, trace: &Trace) -> Finding {
    if is_shared {
        return finding.advice(format!(
            "{REMOVE_REPLICAS}; the HPA's controller also owns it, so the size stays"
        ));
    }
    let target = &trace.target;
    finding
        .patch(
            "write replicas.yaml to hand over the field first; without it, the next apply sets the size to 1",
            &json!({
                "apiVersion": target.api_version,
                "kind": target.kind,
                "metadata": {"name": target.name},
                "spec": {"replicas": trace.outcome.current_replicas},
            }),
        )
        .change(
            "apply it with a field manager of its own, which then owns spec.replicas",
            format!(
                "kubectl apply -f replicas.yaml {} --server-side --field-manager={} \
                 --validate=false",
                trace.namespace_argument(),
                shell_word("handover-to-hpa"),
            ),
        )
        .advice(format!("{REMOVE_REPLICAS} afterward"))
}

fn helm(finding: Finding) -> Finding {
    finding
        .advice(
            "omit replicas in the chart's template while an HPA scales the target: put it between \
             {{- if not .Values.autoscaling.enabled }} and {{- end }}",
        )
        .advice(
            "expect the upgrade that drops replicas to set the size to 1 once; the next pass raises \
             it to minReplicas",
        )
}

fn flux_helm(finding: Finding, trace: &Trace) -> Finding {
    let target = json!({"kind": trace.target.kind, "name": trace.target.name});
    helm(finding).patch(
        "ignore replicas in the drift detection of the HelmRelease until then",
        &json!({"spec": {"driftDetection": {"ignore": [{"paths": [REPLICAS], "target": target}]}}}),
    )
}

fn argo_cd(finding: Finding, trace: &Trace) -> Finding {
    let target = &trace.target;
    finding.advice(format!("{REMOVE_REPLICAS} in Git")).patch(
        "ignore replicas in the Application, so that a sync leaves the size unchanged",
        &json!({"spec": {
            "ignoreDifferences": [{
                "group": target.group(),
                "kind": target.kind,
                "name": target.name,
                "jsonPointers": [REPLICAS],
            }],
            "syncPolicy": {"syncOptions": ["RespectIgnoreDifferences=true"]},
        }}),
    )
}
