//! What somebody should know about an HPA beyond the numbers: each finding
//! with a stable code, its evidence and what helps.

use std::cmp::Reverse;

use schemars::JsonSchema;
use serde::Serialize;

use super::command::yaml;
use super::rule::written_by_id;
use super::{ShellCommand, Word};

/// How much a finding matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Severity {
    /// For information only; nothing has to be done.
    Info,
    /// The size is probably wrong, or will be.
    Warning,
    /// The HPA does not work.
    Error,
}

/// Which role a finding has; causes come first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// Something that can be changed, and would change the result.
    Cause,
    /// What the causes lead to.
    Symptom,
    /// Looks like a problem but is not one.
    Benign,
}

/// Codes that are treated alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CodeKind {
    /// The reason why a metric fails.
    FailsMetrics,
    /// The reason why the scale cannot be read, as the answer gives it.
    FailsScale,
    /// Keeps the size from moving.
    Stuck,
    /// Shows only while it lasts, so that earlier passes are looked at.
    Fleeting,
    /// The same, also where it is for information only.
    FleetingNote,
    /// Happens only to an HPA that has run before.
    OfPast,
    /// Found in the sizes that there were under this spec: it tells nothing of another
    /// spec, and what is told of all changes of the size tells more of it.
    OfChanges,
    /// Told by the spec alone, and by nothing else that is found in a pass.
    OfSpec,
    /// Depends on how often the controller looks.
    OfSyncPeriod,
    /// About a field that only a design has.
    OfDesign,
    /// About windows and policies, which mean nothing where these have no
    /// effect.
    OfBehavior,
    /// Compares both directions, so that it means nothing where one is off.
    OfBothDirections,
    /// Says that a direction is off, or follows from that.
    OfDisabled,
    /// Leaves nothing for the rest of the behavior to do.
    EndsBehavior,
    /// The same for the rest of its direction.
    EndsDirection,
    /// The same for what is inside its field.
    EndsField,
    /// Tells which metrics fail and why, so that the causes are told with it.
    NamesFailures,
    /// Told by the verdict or by another block of a page about the pass.
    OnPage,
    /// Said by this word of a verdict already.
    NamedBy(Word),
    /// About pods that are set aside, so that it is not over as long as any is.
    OfSetAside,
    /// Comes true at the next apply of a manifest only, so it is told last.
    AtNextApply,
    /// Refused by kubectl, which asks the API server to be strict.
    Strict,
    /// The reason of what this pass does, so that a page begins with it.
    Leads,
    /// The pods are not what the size says, or one of them does not run, so
    /// that no search ends with it. Where the size stays, a page begins with
    /// it unless it is benign.
    Disagrees,
    /// Would do harm if nothing held the size; its first remedy gains time, so
    /// the one that looks for the cause goes with it.
    Urgent,
    /// Not everything that decides can be read from here.
    Unread,
    /// Mended by the change of the spec that is tried with its numbers.
    Tried,
    /// More pods do not help, so that a higher maxReplicas is not tried.
    AgainstMore,
    /// A size that goes sooner makes it worse, so that no shorter window and no
    /// larger policy is tried.
    AgainstSooner,
    /// Nothing limits a drop, as the answer says.
    Unlimited,
}

macro_rules! codes {
    ($($name:ident = $code:literal, $severity:ident, $role:ident, [$($kind:ident $(($word:expr))?),*], $says:literal, $when:literal, $helps:literal;)*) => {
        #[allow(clippy::doc_markdown, reason = "the sentences are for people")]
        /// What was found. The order is that in which findings of one role
        /// and severity are told.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Code {
            $(#[doc = $says] $name,)*
        }

        impl Code {
            /// Every code.
            pub const ALL: &'static [Self] = &[$(Self::$name,)*];

            /// The stable name, for documents, scripts and `docs/findings.md`.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$name => $code,)* }
            }

            /// How much it matters at worst.
            pub const fn severity(self) -> Severity {
                match self { $(Self::$name => Severity::$severity,)* }
            }

            /// Which part it plays.
            pub const fn role(self) -> Role {
                match self { $(Self::$name => Role::$role,)* }
            }

            /// Whether it is one of a kind.
            pub fn is(self, kind: CodeKind) -> bool {
                match self { $(Self::$name => [$(CodeKind::$kind $(($word))?),*].contains(&kind),)* }
            }

            /// What it means, in a sentence.
            pub const fn says(self) -> &'static str {
                match self { $(Self::$name => $says,)* }
            }

            /// In which case it is found, in a sentence.
            pub const fn when(self) -> &'static str {
                match self { $(Self::$name => $when,)* }
            }

            /// What helps in general, in a sentence.
            pub const fn helps(self) -> &'static str {
                match self { $(Self::$name => $helps,)* }
            }
        }
    };
}

codes! {
    TargetNotFound = "target-not-found", Error, Cause, [Stuck, OnPage, FailsScale], "The object that the HPA scales does not exist.",
        "The API server has no object with the kind and name of scaleTargetRef in the HPA's namespace; in `lint`: the input has others of that kind, but not this one.",
        "Fix scaleTargetRef.name, or create the target in the HPA's own namespace; for `lint`, add the target's manifest to the input.";
    TargetUnknownKind = "target-unknown-kind", Error, Cause, [Stuck, OnPage], "No API serves the kind and apiVersion of scaleTargetRef.",
        "No API serves the kind in this apiVersion, or apiVersion does not parse; in `lint`: a scalable built-in kind is misspelled or has the wrong API group.",
        "Set the apiVersion and kind that are served, such as apps/v1 and Deployment; `kubectl api-resources` lists them.";
    TargetCannotScale = "target-cannot-scale", Error, Cause, [Stuck, Leads], "The kind of the target has no scale subresource.",
        "The API server finds no scale subresource for the kind; in `lint`: the kind is a DaemonSet, Pod, Job or CronJob, or one that a built-in API group cannot scale.",
        "Scale a Deployment or StatefulSet instead; for a custom resource, declare subresources.scale in its CRD.";
    TargetOwned = "target-owned", Error, Cause, [Stuck, Leads], "Another object owns the target and may set its size, as a Deployment does with its ReplicaSets.",
        "The target's ownerReferences name a controller; for information only unless the target is a ReplicaSet or a ReplicationController.",
        "Point scaleTargetRef to the owner, or remove replicas from the owner's spec if the owner cannot be scaled.";
    SelectorMissing = "selector-missing", Error, Cause, [Stuck, Leads], "The scale subresource of the target has no pod selector, or one that does not parse.",
        "The size is not 0 and within its bounds, and status.selector in the target's scale is empty or is not a valid label selector.",
        "Set labelSelectorPath in the CRD's scale subresource, and make the operator of the custom resource fill that field.";
    AmbiguousSelector = "ambiguous-selector", Error, Cause, [NamedBy(Word::Failing)], "Several HPAs select the same pods; from Kubernetes 1.26 on, none of them scales.",
        "The selector of another HPA's target matches a pod that this one selects (only a warning before 1.26); in `lint`: an HPA or a ScaledObject has the same target.",
        "Merge them into one HPA if they scale the same target; otherwise give each target its own selector, in a new Deployment, because a selector is immutable.";

    MissingRequest = "missing-request", Error, Cause, [FailsMetrics, Leads], "A container of a selected pod has no resource request, so the whole metric fails.",
        "A Utilization target measures a container without a request in any selected pod, even an ended one, or all requests are 0; `lint` reads the pod template.",
        "Set the request in the pod template (a rollout: it replaces all pods), measure another container alone, or delete an ended pod (its logs are lost).";
    WrongContainer = "wrong-container", Error, Cause, [FailsMetrics, Leads], "Pods have no container with the name that the metric gives.",
        "A ContainerResource metric names a container that a selected pod does not have; ended and terminating pods are not checked; `lint` reads the pod template.",
        "Name a container that the pods have; during a rename list both, and remove the old one after the rollout, because it then fails and blocks scale-downs.";
    MetricsApiMissing = "metrics-api-missing", Error, Cause, [FailsMetrics, Leads], "The metrics API is not registered, or nothing serves it.",
        "A metric fails because the API server does not find the API group of the metric: metrics.k8s.io, custom.metrics.k8s.io or external.metrics.k8s.io.",
        "Install what serves the API: metrics-server, or an adapter such as prometheus-adapter or KEDA's; check with `kubectl get apiservice`.";
    MetricsApiUnavailable = "metrics-api-unavailable", Error, Cause, [FailsMetrics, Leads], "The metrics API is registered, but its server does not answer, or it returns errors.",
        "A metric fails because its API cannot be reached, has an internal error, refuses too many requests, or says that it cannot get metrics now.",
        "Check why the API is not Available with `kubectl describe apiservice`, then check the pods behind its Service.";
    MetricsForbidden = "metrics-forbidden", Error, Cause, [FailsMetrics, Leads], "The controller is not allowed to read a metric.",
        "The answer to a metric's request is forbidden; or you can read all metrics, but ScalingActive is False with a message that contains forbidden.",
        "Grant the ServiceAccount horizontal-pod-autoscaler in kube-system the right to list the metric; check with `kubectl auth can-i` and --as.";
    MetricNotFound = "metric-not-found", Error, Cause, [FailsMetrics, Leads], "The metrics API answers but does not have the metric.",
        "A metric fails, and the answer of its API says that it could not find this metric or that no metric matches.",
        "Fix the metric's name, object or selector, or add the metric to the adapter's rules; `kubectl get --raw` on the API lists what it has.";
    MetricsEmpty = "metrics-empty", Error, Cause, [FailsMetrics, Leads], "The metrics API answers without a single sample for the pods.",
        "A metric's API answers with an empty list; if the metric is measured pod by pod, only while at least one selected pod is Running.",
        "Check that the source has data for these pods or this selector, and send the controller's own request with `kubectl get --raw`; new pods need 1 to 2 minutes.";
    MetricSpecInvalid = "metric-spec-invalid", Error, Cause, [FailsMetrics, Leads], "A metric cannot be computed with the spec as it is.",
        "A metric fails: its target lacks the value of its type; its resource, type, object kind or selector is wrong; it has several series; or its gate is off.",
        "Set the value that the target's type needs, fix the resource, type, kind or selector, or narrow the selector to one series.";
    NegativeMetric = "negative-metric", Error, Cause, [Leads], "A metric is below 0; from Kubernetes 1.34 on, an External average below 0 asks for more than any maxReplicas.",
        "A Pods, Object or External metric adds up to less than 0; an error from 1.34 on if an External AverageValue metric falls below 0 at any of its series.",
        "Make the metric's query return at least 0, for example with clamp_min(..., 0).";
    NoPods = "no-pods", Error, Cause, [FailsMetrics, Leads], "The selector matches no pods.",
        "The selector matches no pods, the size is within the bounds and not 0, and a metric fails because of that.",
        "Check that the labels of the pod template match the selector, and see with `kubectl describe` why the target creates no pods.";
    MetricUnreadable = "metric-unreadable", Warning, Cause, [OnPage, Unread], "You cannot read what the controller reads, so part of the result is unknown.",
        "You cannot read the target's scale or a metric, because you have no right to it or because the request fails for you.",
        "Get the role that `kubectl hpa-explain rbac` prints, log in again, or check the API server with `kubectl get --raw /readyz`.";

    ForeignPods = "foreign-pods", Warning, Cause, [Leads, Disagrees], "The selector matches pods that do not belong to the target.",
        "A selected pod has another owner than the target, or no owner while others belong to the target; for information only if it changes no result.",
        "Change the labels of these pods where they are defined, so that the selector does not match them; the selector of a Deployment is immutable.";
    SucceededPods = "succeeded-pods", Warning, Cause, [Leads], "Up to Kubernetes 1.37, completed pods count as pods without a sample.",
        "Before Kubernetes 1.38, a selected pod in phase Succeeded has no sample; for information only if the metrics ask for the same without it.",
        "Give completed pods labels that the selector does not match, or delete them (their logs are lost).";
    PodsWithoutSample = "pods-without-sample", Error, Cause, [], "Pods that should count have no sample.",
        "A running pod has no sample of a metric that is measured pod by pod; for information only if it is not counted, or if all such pods are less than 2m old.",
        "See what the pod does with `kubectl describe pod`; if no pod of a node has a sample, check that node; pods less than 2 minutes old need only time.";
    PodsPending = "pods-pending", Warning, Cause, [], "Pending pods can count as 0 and slow down a scale-up.",
        "A selected pod is Pending, and a metric is measured pod by pod; for information only unless it counts as 0 in a scale-up or a metric fails.",
        "See why the pod does not start with `kubectl describe pod`; if no node has room for it, add a node or free room.";
    NeverReady = "never-ready", Warning, Cause, [], "Pods that have not been Ready since they started count as 0 for cpu and slow down a scale-up.",
        "For cpu, a pod that started 5m ago or more is not Ready, and last turned not Ready within 30s of its start (controller flags can change both times).",
        "Fix the readiness probe or the app, with what `kubectl describe pod` shows; the pod counts once it is Ready and has a sample.";
    CrashLoop = "crash-loop", Warning, Cause, [OnPage], "A pod counts for a metric although one of its containers crashes repeatedly.",
        "A pod counts for a metric because it has a sample, and its first waiting container waits with reason CrashLoopBackOff.",
        "See why it crashes with `kubectl logs --previous` and `kubectl describe pod`, and fix or roll back the version that does.";
    ReadinessCollapse = "readiness-collapse", Error, Cause, [Leads, Urgent], "Few pods are Ready, and a target of type Value multiplies by the Ready pods only.",
        "A metric with a Value target is above its tolerance, but asks for fewer pods than there are, because not all pods are Running and Ready.",
        "Raise minReplicas to the current size and set it back later; make the readiness probe pass under load, or use AverageValue if the metric is a total.";
    StartupBurst = "startup-burst", Warning, Cause, [Fleeting, Leads], "Pods that just became Ready use more than the others and raise the size.",
        "cpu asks for a scale-up only because of pods that started less than 5m ago, already count, and use at least twice what the others use on average.",
        "Use a startupProbe to delay readiness until the pod has warmed up; a pod that is not Ready does not count in its first minutes.";
    OneHotPod = "one-hot-pod", Warning, Cause, [Leads], "One pod uses far more than the others, and it alone raises the size.",
        "The metrics ask for a scale-up, 3 pods or more count, one older than 5m uses twice the average of the others or more, and without it no more pods are needed.",
        "Find out what the pod does with `kubectl top pod --containers`; more pods help only if they take over part of its load.";
    HotContainer = "hot-container", Warning, Cause, [Leads], "One container is above the target, but the total of its pod hides it.",
        "A Utilization metric of whole pods asks for no scale-up, but a container above the target would; for information only if it has under 25% of the requests.",
        "Measure that container alone with a ContainerResource metric, or set the requests in proportion to the usage (a rollout: it replaces all pods).";
    HotReplicaSet = "hot-replica-set", Warning, Cause, [Leads], "The pods of one ReplicaSet are above the target and those of another are below it, but the average hides that.",
        "For the deciding metric, the pods of one ReplicaSet are above the tolerance, not all of them younger than 5m, and those of another one are below it.",
        "Watch the rollout if the target is a Deployment; otherwise give each version its share of the traffic, or scale the canary with an HPA of its own.";
    SmallRequest = "small-request", Warning, Cause, [Leads, AgainstMore], "The cpu request is so small that any load is a multiple of the target.",
        "cpu decides a scale-up, its utilization is 200% or more, and the pods request 50m or less on average.",
        "Set the cpu request to what a pod uses under normal load; this replaces all pods (a rollout) and needs room on the nodes.";
    SidecarRequestIgnored = "sidecar-request-ignored", Warning, Cause, [Leads], "Before Kubernetes 1.29, the usage of a native sidecar counts, but its request does not.",
        "Before Kubernetes 1.29, a selected pod has an init container with restartPolicy Always, and its request would change a metric's utilization.",
        "Use Kubernetes 1.29 or later, or measure the main container alone with a ContainerResource metric.";
    StaleMetrics = "stale-metrics", Warning, Cause, [], "The samples are old.",
        "A sample is more than 2m old, and more than four times its window (60s where a Pods or Object metric gives none; External metrics have none).",
        "Check metrics-server with `kubectl describe apiservice v1beta1.metrics.k8s.io`, or check that the adapter's data source still collects the metric.";
    FrozenStatus = "frozen-status", Warning, Cause, [], "The HPA's status still shows a value although the metric fails now.",
        "A metric fails, ScalingActive is False, and status.currentMetrics still has an entry with a value for the metric.",
        "Ignore status.currentMetrics while ScalingActive is False, and fix the cause of the failure.";
    ValueForAverage = "value-for-average", Warning, Cause, [Leads, AgainstMore], "A target has type Value, but the metric does not fall as pods are added.",
        "A Value target decides a scale-up that ends only at maxReplicas if the value stays as it is; in `lint`: the metric's name is like that of a queue.",
        "Use AverageValue if the metric is a total, such as a queue length; a latency or a ratio must not be divided by the pods.";
    MemoryCannotFall = "memory-cannot-fall", Info, Cause, [Leads], "A memory metric alone keeps the size up; more pods rarely lower memory usage.",
        "memory decides and asks for just the current size, above minReplicas, and all other metrics ask for less; always for information only.",
        "Scale on cpu or requests alone unless memory follows the load: most programs do not give memory back.";
    TargetUnreachable = "target-unreachable", Warning, Cause, [Leads], "No number of pods brings the metric to its target.",
        "A resource other than cpu, such as memory, decides a scale-up that ends only at maxReplicas if the usage of each pod stays as it is.",
        "Request more of the resource per pod (a rollout: it replaces all pods), or raise the target above what a pod uses.";
    IdleAboveTarget = "idle-above-target", Warning, Cause, [Leads], "At maxReplicas all pods use little, but still more than the target: idle pods may never fall below it.",
        "At maxReplicas for 5m or more, cpu asks for more at under 50% of the requests, no pod uses over 25% more than another, and none is younger than 5m.",
        "Compare the usage with and without load with `kubectl top pod`, and set the target well above what a pod uses without load.";
    TargetAboveLimit = "target-above-limit", Warning, Cause, [Leads], "The containers' limits keep a metric below the value at which it asks for more pods.",
        "Each measured container has a limit, and even with all pods at their limits the metric would not be above its tolerance; `lint` reads the pod template.",
        "Lower the target well below the limit, or raise the limit (a rollout): at its limit, a container is throttled for cpu and killed for memory.";

    HpaDeleted = "hpa-deleted", Warning, Cause, [], "The HPA is being deleted; once it is gone, nothing changes the size.",
        "metadata.deletionTimestamp is set: the HPA was deleted, and finalizers still keep it.",
        "See which finalizers keep it, and keep its manifest; if it was deleted by mistake, apply it again once it is gone.";
    ReplicasWriter = "replicas-writer", Warning, Cause, [FleetingNote], "Something other than the HPA also sets the target's size.",
        "Events, managedFields or a record show a change of the size that the HPA did not make; for information only if it was one change and is over.",
        "Remove replicas from what writes it; hand the field over to the HPA first, because an apply without it can set the size to 1.";
    AppliedReplicas = "applied-replicas", Warning, Cause, [AtNextApply], "A manifest that is applied sets replicas and resets the size.",
        "The last-applied annotation sets replicas, or Helm, Argo CD, Flux or an apply owns it; a warning only if the size differs; `lint` reads the target's manifest.",
        "Remove replicas from the manifest or chart; with kubectl, run `kubectl apply edit-last-applied` first, or the apply sets the size to 1; Helm can do so once.";
    VpaConflict = "vpa-conflict", Warning, Cause, [], "A VerticalPodAutoscaler changes the requests that the HPA's target is a percentage of.",
        "A VerticalPodAutoscaler of the same target, in a mode other than Off, sets the requests of a resource for which the HPA has a Utilization target.",
        "Restrict the VPA to the other resource with controlledResources, set its updateMode to Off, or use an AverageValue target.";
    KedaPaused = "keda-paused", Warning, Cause, [Leads], "KEDA is paused for the HPA's target.",
        "The ScaledObject has the annotation autoscaling.keda.sh/paused or paused-replicas, or its condition Paused is True.",
        "Remove the annotation from the ScaledObject with `kubectl annotate`, unless it is paused on purpose; the size can then change at once.";
    KedaFallback = "keda-fallback", Warning, Cause, [Fleeting, Leads], "KEDA returns a fallback value, because its source fails.",
        "Condition Fallback of the ScaledObject is True; if it was not read, for information only: a metric is an exact multiple of a target of 10 or more.",
        "See why the source fails with `kubectl describe scaledobject`, then fix the source, its address or its credentials.";
    RolloutSurge = "rollout-surge", Warning, Cause, [Leads, Fleeting], "The extra pods of a rollout change what the HPA asks for.",
        "During a rollout there are more pods than the size; without the extra ones the metrics ask for another size, or the HPA takes the number of pods as the size.",
        "Lower maxSurge to have fewer extra pods, which slows down rollouts; or wait if the rollout ends soon.";

    UnknownField = "unknown-field", Error, Cause, [Strict], "A manifest has a field that the API does not have; kubectl rejects it, and the API server drops it.",
        "Only in `lint`: a field is not in the manifest's apiVersion: it is misspelled, misplaced, of another version, or of a design that no release has.",
        "Fix its name or place, use the apiVersion that has it, or remove it; without any metric, the API server sets cpu at 80%.";
    DuplicateField = "duplicate-field", Error, Cause, [Strict], "A manifest sets a field twice; the last value counts.",
        "Only in `lint`: the same key stands twice in one object of the manifest.",
        "Keep one of them; check which value you mean, because the last one counts so far.";
    DuplicateName = "duplicate-name", Warning, Cause, [], "The input has two HPAs with the same name; the last one that is applied wins.",
        "Only in `lint`: another HPA of the input has the same name and namespace.",
        "Keep one of them; give the other one another name only if it scales another target.";
    ScaleToZeroOff = "scale-to-zero-off", Warning, Cause, [Leads], "minReplicas 0 needs the feature gate HPAScaleToZero.",
        "Only in `lint`: minReplicas is 0, and the gate HPAScaleToZero is off, as it is by default up to Kubernetes 1.36.",
        "Set minReplicas to 1, use KEDA, or enable the gate in kube-apiserver and kube-controller-manager; if it is on, say so with --feature-gates.";
    FixedSize = "fixed-size", Warning, Cause, [OfSpec, EndsBehavior], "minReplicas and maxReplicas are equal, so the size cannot change.",
        "minReplicas and maxReplicas are the same number and at least 1; the spec alone shows it.",
        "Raise maxReplicas, or set replicas in the target first and then remove the HPA.";
    MetricTwice = "metric-twice", Warning, Cause, [OfSpec], "The spec lists a metric twice, and only the larger proposal counts.",
        "Two entries of spec.metrics measure the same with the same type of target, whether its value is the same or not; the spec alone shows it.",
        "Keep one of them; the one with the lower target decides now.";
    TargetTypeIgnored = "target-type-ignored", Warning, Cause, [], "A metric's target has one type but sets the value of another, and the value counts.",
        "Only in `lint` and `dry-run`: a target has no type, or a type other than that of the value it sets; not for Object metrics.",
        "Set the type of the value that takes effect; another value instead changes what the HPA asks for.";
    ToleranceUnused = "tolerance-unused", Warning, Cause, [OfBehavior, OfDisabled], "A tolerance has no effect, or it is so large that it prevents changes.",
        "Only in `lint` and `dry-run`: a tolerance is 1 or more, or selectPolicy is Disabled; in `lint` also if its gate is off (the default before 1.35).",
        "Write it as a fraction: 0.1 is 10%; where the gate is off, use the flag --horizontal-pod-autoscaler-tolerance, which changes all HPAs.";
    WindowOrder = "window-order", Warning, Cause, [OfBehavior, OfBothDirections], "The scaleUp window is longer than the scaleDown window.",
        "Only in `lint` and `dry-run`: the spec sets both windows, and that of scaleUp is longer than that of scaleDown and longer than 15s.",
        "Make the scaleDown window the longer one; it then keeps unneeded pods for longer.";
    ShortPeriod = "short-period", Warning, Cause, [OfSpec, OfBehavior, OfSyncPeriod], "A window or a period is too short for the time between two passes of the controller.",
        "A window above 0 is at most the sync period (15s by default), or a policy's period is shorter than it, except for a scaleDown policy of 100%.",
        "Set a window longer than the sync period, or 0 for none, and a period of at least the sync period.";
    PolicyUnused = "policy-unused", Warning, Cause, [OfBehavior, EndsField], "A policy or a window never takes effect, because another policy or selectPolicy takes precedence.",
        "Only in `lint` and `dry-run`: a policy is listed twice, or never chosen at any size within the bounds; in `lint` also under selectPolicy Disabled.",
        "Remove the policy that is never used, or change selectPolicy: Max takes the largest change, Min the smallest.";
    AnnotationIgnored = "annotation-ignored", Warning, Cause, [], "An annotation that holds part of the spec in an older version does not parse, so the API server ignores it.",
        "Only in `lint`: a manifest older than autoscaling/v2 has an autoscaling.alpha.kubernetes.io annotation that does not parse.",
        "Fix the annotation's value, or use apiVersion autoscaling/v2, which has fields for it.";
    OldVersion = "old-version", Warning, Cause, [], "A manifest uses an older version of the API.",
        "Only in `lint`: apiVersion is autoscaling/v1, v2beta1 (served up to Kubernetes 1.24) or v2beta2 (up to 1.25).",
        "Use apiVersion autoscaling/v2; `lint -o json` prints the converted spec, with an older --kubernetes-version if the version is gone.";

    BehaviorDisabled = "behavior-disabled", Warning, Cause, [OfBehavior, OnPage, OfDisabled, EndsDirection], "selectPolicy Disabled prevents any change in this direction.",
        "The metrics ask for a change, and selectPolicy Disabled keeps the size; for information only for scaleDown; `lint` needs only the spec.",
        "Set selectPolicy to Max or Min to allow this direction again, unless it is off on purpose.";
    BehaviorEmpty = "behavior-empty", Info, Cause, [OfBehavior], "An empty behavior is not the same as no behavior.",
        "behavior sets nothing but defaults, and the next size would differ without it; `lint` and `dry-run` need only the spec.",
        "Set the windows and policies that you want, or remove behavior; without it, the highest recommendation of 5m also counts for scale-ups.";
    PercentTrap = "percent-trap", Warning, Cause, [OfBehavior, Leads], "A Percent policy allows less, or more, than it seems to.",
        "A Percent policy decides and is 0 of 0 pods, rounds up to 1.5 times its share, or is half of another under Min; or scaleDown 100% overrides another policy.",
        "Add a Pods policy, change selectPolicy to Max for larger steps, or remove the 100% scaleDown policy so that the slower one counts.";
    SuddenDrop = "sudden-drop", Info, Cause, [OfBehavior, OnPage, Unlimited], "Nothing limits a scale-down: half of the pods or more are removed at once.",
        "The size falls by half or more, and by 4 pods or more, with no policy slowing it; in `lint` and `dry-run`: the scaleDown window is 0 and a policy allows 100%.",
        "Limit scale-downs to 10% per 60s, or set a scaleDown window of 300s; both keep unneeded pods for longer.";
    FallbackIgnored = "fallback-ignored", Info, Cause, [OfDesign], "The spec sets a fallback for an External metric, a field that no Kubernetes release has.",
        "An External metric sets fallback (KEP-5679), and this run does not switch on the gate HPAExternalMetricFallback; `lint` says it only if the run does.",
        "Remove the field, because kubectl rejects it; try its design with --feature-gates HPAExternalMetricFallback=true.";
    PolicyPeriod = "policy-period", Info, Cause, [OnPage], "A policy counts from the size at the start of its period, and changes in the other direction have moved that size.",
        "The policy that counts limits the change, or lets through more than its value, because the size also went the other way within its period.",
        "Nothing has to be done; the effect ends as these changes leave the period; a shorter periodSeconds ends it sooner, but allows faster changes.";

    AllMetricsFail = "all-metrics-fail", Error, Symptom, [Stuck, NamesFailures, OnPage], "No metric can be computed, so the size stays whatever the load is.",
        "The size is within its bounds, the selector is accepted, and every metric of the spec fails in the same pass.",
        "Fix the cause that is listed with it; if the load needs more pods until then, raise minReplicas and set it back later.";
    ScaleDownBlocked = "scale-down-blocked", Warning, Symptom, [Stuck, NamesFailures, OnPage], "A failed metric blocks a scale-down that the other metrics ask for.",
        "At least one metric fails, and the highest number that the others ask for is below the current size.",
        "Fix the metric that fails, or remove it, which lets the scale-down go ahead; until then, the size can only rise.";
    MetricFails = "metric-fails", Warning, Symptom, [OnPage], "One of several metrics fails; the others decide.",
        "At least one metric fails, and the highest number that the others ask for is the current size or more.",
        "Fix the cause that is listed with it, or remove the metric, which allows scale-downs again.";
    Dampened = "dampened", Warning, Symptom, [Stuck, OnPage, OfSetAside], "Pods without a usable sample cancel the change that the other pods ask for.",
        "The deciding metric is outside the tolerance without these pods, but keeps the size with them; for information only if time alone makes them count.",
        "See why the pods have no usable sample with `kubectl describe pod`; pods in their first minutes count later without help.";
    Flapping = "flapping", Warning, Symptom, [AgainstSooner, OfChanges], "The size goes up and down repeatedly.",
        "The size reversed 4 times or more (2 if others also set it), at most 10m apart on average, and it goes on, with no edit of behavior or metrics since.",
        "Find a change that helps, and what it costs, with `kubectl hpa-explain flaps`: often a longer scaleDown window or a larger tolerance.";
    AtMax = "at-max", Warning, Symptom, [OnPage, NamedBy(Word::AtMax), Tried], "The metrics ask for more than maxReplicas.",
        "The size is at maxReplicas, or goes there in this pass, while the metrics ask for more.",
        "Raise maxReplicas if the cluster has room and more pods lower the metric, or make each pod handle more load.";
    AlwaysAboveMax = "always-above-max", Warning, Symptom, [OfPast], "For an hour or more, a metric has asked for more than maxReplicas in every pass that is known.",
        "Only with a record, Prometheus or the controller's log: the metric asks for more than maxReplicas now and in all passes of 1h or more, with no gap over 150s.",
        "Raise maxReplicas or the target if the cluster has room, or make each pod handle more load.";
    UpBelowTarget = "up-below-target", Warning, Symptom, [], "The size rises although the metrics are below their targets.",
        "Without behavior, an older recommendation raises the size; or the last raise's event says so; or a metric below its target counts more pods than the size.",
        "Set a scaleDown window in behavior, because with any behavior an old recommendation raises nothing; or keep other pods out of the selector.";
    RollingUpdate = "rolling-update", Info, Symptom, [], "Pods of the old and the new template run at the same time.",
        "The target's status.updatedReplicas is below its status.replicas.",
        "Nothing has to be done while the rollout goes on; if it is stuck, see why with `kubectl rollout status`.";
    TargetLags = "target-lags", Warning, Symptom, [Disagrees, AgainstMore], "The target does not have as many pods as it should have.",
        "60s or more after its size was set (or, for information, at an unknown time), the target has more or fewer pods; not at 0 or for a rollout's extra pods.",
        "See what blocks the target with `kubectl describe`: a quota, no room on the nodes, or a StatefulSet pod that is not Ready.";
    ControllerLate = "controller-late", Warning, Symptom, [], "The last pass of the controller was long ago.",
        "The HPA, its spec or its target's size was set more than 60s and more than 4 sync periods (15s each by default) ago, and the status does not show it.",
        "Check the Lease kube-controller-manager in kube-system with `kubectl get lease`, then the pods and the log of kube-controller-manager.";
    Paused = "paused", Warning, Symptom, [OnPage, NamedBy(Word::Paused)], "The target has 0 replicas, so the HPA does nothing.",
        "The size is 0; up to Kubernetes 1.35 minReplicas is not 0, from 1.36 on the HPA did not scale it to 0 itself or may not; for information only with KEDA.",
        "Scale the target up with `kubectl scale`, unless it was stopped on purpose; the HPA continues from there.";
    OutOfBounds = "out-of-bounds", Info, Symptom, [OnPage], "The size is outside minReplicas and maxReplicas, so it is set to the nearest bound at once.",
        "The size is above maxReplicas, or below minReplicas but not 0; metrics, windows and policies do not count in such a pass.",
        "Nothing has to be done: the HPA corrects the size at once; if it comes back, find what else sets the size, or change the bound.";
    PolicyLimits = "policy-limits", Info, Symptom, [OnPage], "A policy allows only part of the change for now.",
        "A scaleUp or scaleDown policy, or without behavior the limit of twice the size or 4 pods in one pass, cuts what the metrics ask for.",
        "Nothing has to be done: later passes go on; a larger value or a shorter periodSeconds is faster, and makes larger jumps.";
    WindowHolds = "window-holds", Info, Symptom, [OnPage], "An earlier recommendation in the stabilization window limits the change.",
        "A recommendation that is still in the scaleUp or scaleDown window keeps the size, or allows only part of what the metrics ask for.",
        "Nothing has to be done: the window ends by itself; a shorter stabilizationWindowSeconds reacts sooner, with more ups and downs.";
    MisleadingMessage = "misleading-message", Info, Symptom, [], "A message or condition of the controller is misleading here.",
        "The message of a failed metric blames unready pods while none is (from 1.27 on), or ScalingLimited is left over from before the metrics failed.",
        "Ignore the message, and fix the cause that is listed with it.";
    ControllerRestarted = "controller-restarted", Info, Symptom, [OnPage, OfPast], "The controller lost its memory, so windows and periods start over.",
        "The metrics ask for another size, and the controller started or changed its leader within the longest window or period, by its Lease, log, passes or events.",
        "Nothing has to be done; expect a scale-down to wait for a whole window again, and a policy to allow a whole step again.";
    InitializingPods = "initializing-pods", Info, Symptom, [OnPage], "Pods that just started do not count yet.",
        "For cpu, a pod in its first 5m (a controller flag) is not Ready, or is Ready without a full sample since; or a pod has no Ready condition yet.",
        "Nothing has to be done: a pod counts once it is Ready and has a full sample; a startupProbe keeps it out until it has warmed up.";
    NeverAboveMin = "never-above-min", Info, Symptom, [OfPast], "For an hour or more, a metric has not asked for more than minReplicas in any pass that is known.",
        "Only with a record, Prometheus or the controller's log: the metric asks for at most minReplicas now and in all passes of 1h or more, with no gap over 150s.",
        "Lower minReplicas or the target, unless so many pods are meant as a reserve.";

    WithinTolerance = "within-tolerance", Info, Benign, [OnPage], "A metric is off its target, but inside the tolerance.",
        "The deciding metric keeps the size because its ratio to the target, not exactly 1, is inside the tolerance (0.90 to 1.10 by default) for the pods that count.",
        "Nothing has to be done; from Kubernetes 1.35 on, a smaller tolerance in behavior makes the size follow small changes of the load.";
    RoundedUp = "rounded-up", Info, Benign, [OnPage], "A fraction of a pod is rounded up, so the size stays.",
        "The deciding metric is below the tolerance, but what it asks for rounds up to the current size.",
        "Nothing has to be done; the size falls once the load is low enough for one whole pod less.";
    AtMin = "at-min", Info, Benign, [OnPage], "The metrics ask for less than minReplicas: the target is idle, as intended.",
        "The size is and stays at minReplicas, the deciding metric is below its target, and it asks for fewer pods.",
        "Nothing has to be done; lower minReplicas only if the app can run with fewer pods.";
    AtMaxExactly = "at-max-exactly", Info, Benign, [OnPage], "The size is maxReplicas, and the metrics ask for exactly that.",
        "The size is maxReplicas, and the highest number that a metric asks for is maxReplicas.",
        "Nothing has to be done now; raise maxReplicas before the load grows, if the cluster has room.";
    UnevenPods = "uneven-pods", Info, Symptom, [Disagrees], "One average covers pods that differ much, and one of them is above the target.",
        "At least 3 pods count for the deciding metric, and the highest is at least twice the median and above the tolerance.",
        "Compare the pods with `kubectl top pods`, and check that the load is spread evenly over them.";
    NotReadyCounted = "not-ready-counted", Info, Benign, [OnPage, Disagrees], "Pods that are no longer Ready still count for cpu.",
        "For cpu, a pod with a sample is not Ready, but was before, and is past its first 5m (a controller flag).",
        "Nothing has to be done for the HPA; see with `kubectl describe pod` why the pods are not Ready.";
    TargetInUnits = "target-in-units", Info, Benign, [OnPage], "A target in percent of the requests stands for this amount per pod.",
        "A metric with a Utilization target is computed, and pods with a request count; the amount is the target times the request.",
        "Nothing has to be done; another request (a rollout: it replaces all pods) or another target changes the amount.";
    PodsIgnored = "pods-ignored", Info, Benign, [OnPage], "Failed and terminating pods are left out.",
        "A metric is measured pod by pod, and a selected pod is Failed, is being deleted or, from Kubernetes 1.38 on, is Succeeded.",
        "Nothing has to be done; delete ended pods (their logs are lost) only if a missing request of theirs makes a metric fail.";
    KedaOwned = "keda-owned", Info, Benign, [], "KEDA created this HPA and scales the target between 0 and 1.",
        "The HPA's ownerReferences name a ScaledObject, or its labels say that KEDA's operator manages it for one.",
        "Nothing has to be done; make changes in the ScaledObject, because KEDA reverts changes to the HPA.";
}

/// Something that was found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Finding {
    /// What it is.
    pub code: Code,
    /// How much it matters here; never more than the code's own severity.
    pub severity: Severity,
    /// Its role.
    pub role: Role,
    /// The finding in one line, with names and numbers; no period at its end.
    pub message: String,
    /// The evidence.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub evidence: Vec<Fact>,
    /// What helps, best first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub remedies: Vec<Remedy>,
    /// Of a writer that is known by name: what is true of other moments, too.
    #[serde(skip)]
    pub writer: Option<String>,
}

/// A fact that supports a finding.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Fact {
    /// What it is about: an object such as `Pod/web-1`, or a field such as
    /// `spec.maxReplicas`.
    pub about: String,
    /// The fact.
    pub says: String,
}

/// What helps.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Remedy {
    /// What it does, in one line that begins with a verb.
    pub says: String,
    /// A command, ready for a shell.
    #[schemars(with = "Option<String>")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub command: Option<ShellCommand>,
    /// A part of a manifest, as YAML.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub patch: Option<String>,
    /// Whether the command only looks.
    #[serde(skip)]
    pub looks: bool,
}

impl Fact {
    /// What is so, about something.
    pub fn new(about: impl Into<String>, says: impl Into<String>) -> Self {
        Self {
            about: about.into(),
            says: says.into(),
        }
    }
}

impl Remedy {
    /// What to paste: the command, and the part of a manifest.
    pub fn texts(&self) -> impl Iterator<Item = String> {
        let command = self.command.iter().map(ShellCommand::to_string);
        command.chain(self.patch.clone())
    }

    /// A change of a manifest.
    pub fn patch(says: impl Into<String>, patch: &serde_json::Value) -> Self {
        Self {
            // JSON is YAML as well.
            patch: Some(
                yaml(patch).map_or_else(|_| patch.to_string(), |it| it.trim_end().to_owned()),
            ),
            ..Self::advice(says)
        }
    }

    /// Advice that no command carries out.
    pub fn advice(says: impl Into<String>) -> Self {
        Self {
            says: says.into(),
            ..Self::default()
        }
    }

    /// A command that only looks.
    pub fn look(says: impl Into<String>, command: ShellCommand) -> Self {
        Self {
            command: Some(command),
            looks: true,
            ..Self::advice(says)
        }
    }
}

impl Finding {
    /// A finding without evidence yet.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self {
            code,
            severity: code.severity(),
            role: code.role(),
            message: message.into(),
            evidence: Vec::new(),
            remedies: Vec::new(),
            writer: None,
        }
    }

    /// The same, but mattering no more than this.
    pub fn at_most(mut self, severity: Severity) -> Self {
        self.severity = self.severity.min(severity);
        self
    }

    /// The same, for information only where that is so.
    pub fn info_if(self, is_info: bool) -> Self {
        if is_info {
            self.at_most(Severity::Info)
        } else {
            self
        }
    }

    /// Adds a fact.
    pub fn fact(mut self, about: impl Into<String>, says: impl Into<String>) -> Self {
        self.evidence.push(Fact::new(about, says));
        self
    }

    /// Adds all of these facts.
    pub fn facts<A: Into<String>, S: Into<String>>(
        mut self,
        facts: impl IntoIterator<Item = (A, S)>,
    ) -> Self {
        let facts = facts.into_iter();
        self.evidence
            .extend(facts.map(|(about, says)| Fact::new(about, says)));
        self
    }

    /// Adds a command that only looks, unless a name in it would make it do
    /// something else.
    pub fn look(self, says: impl Into<String>, command: ShellCommand) -> Self {
        self.command(Remedy::look(says, command))
    }

    /// Adds a command that changes something, unless a name in it would make
    /// it do something else.
    pub fn change(self, says: impl Into<String>, command: ShellCommand) -> Self {
        self.command(Remedy {
            looks: false,
            ..Remedy::look(says, command)
        })
    }

    fn command(mut self, remedy: Remedy) -> Self {
        if remedy
            .command
            .as_ref()
            .is_some_and(ShellCommand::is_pasteable)
        {
            self.remedies.push(remedy);
        }
        self
    }

    /// Adds a change of a manifest that helps.
    pub fn patch(mut self, says: impl Into<String>, patch: &serde_json::Value) -> Self {
        self.remedies.push(Remedy::patch(says, patch));
        self
    }

    /// Adds advice that no command carries out.
    pub fn advice(mut self, says: impl Into<String>) -> Self {
        self.remedies.push(Remedy::advice(says));
        self
    }

    /// The place among others: causes before symptoms, then what matters
    /// most.
    pub fn rank(&self) -> (Role, Reverse<Severity>, Code) {
        (self.role, Reverse(self.severity), self.code)
    }
}

written_by_id!(Code, as_str, "What was found.");

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::{Code, Finding, Role, Severity};

    #[test]
    fn codes_are_unique() {
        let codes: BTreeSet<_> = Code::ALL.iter().map(|code| code.as_str()).collect();
        assert_eq!(codes.len(), Code::ALL.len());
    }

    #[test]
    fn what_is_benign_does_not_alarm() {
        let benign = Code::ALL.iter().filter(|code| code.role() == Role::Benign);
        for code in benign {
            assert_eq!(code.severity(), Severity::Info, "{code}");
        }
    }

    #[test]
    fn causes_come_before_symptoms() {
        let finding = |code| Finding::new(code, "").rank();
        assert!(finding(Code::BehaviorEmpty) < finding(Code::AllMetricsFail));
        assert!(finding(Code::MissingRequest) < finding(Code::ForeignPods));
        assert!(finding(Code::AtMax) < finding(Code::WindowHolds));
    }
}
