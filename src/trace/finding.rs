//! What somebody should know about an HPA beyond the numbers: each finding
//! with a stable code, its evidence and what helps.

use std::cmp::Reverse;

use schemars::JsonSchema;
use serde::Serialize;

use super::command::yaml;
use super::rule::written_by_id;
use super::{Word, is_pasteable};

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

impl Severity {
    /// The name, as documents have it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Info => "info",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

impl Role {
    /// The name, as documents have it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Cause => "cause",
            Self::Symptom => "symptom",
            Self::Benign => "benign",
        }
    }
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
    /// Found whatever the pass does, so never the reason of its answer.
    Habit,
    /// Happens only to an HPA that has run before.
    OfPast,
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
    ($($name:ident = $code:literal, $severity:ident, $role:ident, [$($kind:ident $(($word:expr))?),*], $says:literal;)*) => {
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
        }
    };
}

codes! {
    TargetNotFound = "target-not-found", Error, Cause, [Stuck, OnPage, FailsScale], "The object that the HPA scales does not exist.";
    TargetUnknownKind = "target-unknown-kind", Error, Cause, [Stuck, OnPage], "No API serves the kind and apiVersion of scaleTargetRef.";
    TargetCannotScale = "target-cannot-scale", Error, Cause, [Stuck, Leads], "The kind of the target has no scale subresource.";
    TargetOwned = "target-owned", Error, Cause, [Stuck, Leads], "Another object owns the target and sets its size, as a Deployment does with its ReplicaSets.";
    SelectorMissing = "selector-missing", Error, Cause, [Stuck, Leads], "The scale subresource of the target has no pod selector, or one that does not parse.";
    AmbiguousSelector = "ambiguous-selector", Error, Cause, [NamedBy(Word::Failing)], "Several HPAs select the same pods; from Kubernetes 1.26 on, none of them scales.";

    MissingRequest = "missing-request", Error, Cause, [FailsMetrics, Leads], "A container of a selected pod has no resource request, so the whole metric fails.";
    WrongContainer = "wrong-container", Error, Cause, [FailsMetrics, Leads], "Pods have no container with the name that the metric gives.";
    MetricsApiMissing = "metrics-api-missing", Error, Cause, [FailsMetrics, Leads], "The metrics API is not registered, or nothing serves it.";
    MetricsApiUnavailable = "metrics-api-unavailable", Error, Cause, [FailsMetrics, Leads], "The metrics API is registered, but its server does not answer, or it returns errors.";
    MetricsForbidden = "metrics-forbidden", Error, Cause, [FailsMetrics, Leads], "The controller is not allowed to read a metric.";
    MetricNotFound = "metric-not-found", Error, Cause, [FailsMetrics, Leads], "The metrics API answers but does not have the metric.";
    MetricsEmpty = "metrics-empty", Error, Cause, [FailsMetrics, Leads], "The metrics API answers without a single sample for the pods.";
    MetricSpecInvalid = "metric-spec-invalid", Error, Cause, [FailsMetrics, Leads], "A metric cannot be computed with the spec as it is.";
    NegativeMetric = "negative-metric", Error, Cause, [Leads], "A metric is below 0; from Kubernetes 1.34 on, an External average below 0 asks for more than any maxReplicas.";
    NoPods = "no-pods", Error, Cause, [FailsMetrics, Leads], "The selector matches no pods.";
    MetricUnreadable = "metric-unreadable", Warning, Cause, [OnPage, Unread], "You are not allowed to read what the controller reads, so part of the result is unknown.";

    ForeignPods = "foreign-pods", Warning, Cause, [Leads, Disagrees], "The selector matches pods that do not belong to the target.";
    SucceededPods = "succeeded-pods", Warning, Cause, [Leads], "Up to Kubernetes 1.37, completed pods count as pods without a sample.";
    PodsWithoutSample = "pods-without-sample", Error, Cause, [], "Pods that should count have no sample.";
    PodsPending = "pods-pending", Warning, Cause, [], "Pending pods count as 0 and slow down a scale-up.";
    NeverReady = "never-ready", Warning, Cause, [], "Pods that have not been Ready since they started count as 0 for cpu and slow down a scale-up.";
    CrashLoop = "crash-loop", Warning, Cause, [OnPage], "A pod counts for a metric although one of its containers crashes repeatedly.";
    ReadinessCollapse = "readiness-collapse", Error, Cause, [Leads, Urgent], "Few pods are Ready, and a target of type Value multiplies by the Ready pods only.";
    StartupBurst = "startup-burst", Warning, Cause, [Fleeting, Leads], "Pods that just became Ready use more than the others and raise the size.";
    OneHotPod = "one-hot-pod", Warning, Cause, [Leads], "One pod uses far more than the others, and it alone raises the size.";
    HotContainer = "hot-container", Warning, Cause, [Leads], "One container is far above the target, but the total of its pod hides it.";
    HotReplicaSet = "hot-replica-set", Warning, Cause, [Leads], "The pods of one ReplicaSet are above the target and those of another are below it, but the average hides that.";
    SmallRequest = "small-request", Warning, Cause, [Leads, AgainstMore], "The cpu request is so small that any load is a multiple of the target.";
    SidecarRequestIgnored = "sidecar-request-ignored", Warning, Cause, [Leads], "Before Kubernetes 1.29, the usage of a native sidecar counts, but its request does not.";
    StaleMetrics = "stale-metrics", Warning, Cause, [], "The samples are old.";
    FrozenStatus = "frozen-status", Warning, Cause, [], "The HPA's status still shows a value although the metric fails now.";
    ValueForAverage = "value-for-average", Warning, Cause, [Leads, AgainstMore], "A target has type Value, but the metric does not fall as pods are added.";
    MemoryCannotFall = "memory-cannot-fall", Warning, Cause, [Leads], "A memory metric keeps the size up, because more pods do not lower memory usage.";
    TargetUnreachable = "target-unreachable", Warning, Cause, [Leads], "No number of pods brings the metric to its target.";
    IdleAboveTarget = "idle-above-target", Warning, Cause, [Leads], "At maxReplicas all pods use little, but still more than the target: idle pods may never fall below it.";
    TargetAboveLimit = "target-above-limit", Warning, Cause, [Leads], "The containers' limits keep a metric below the value at which it asks for more pods.";

    HpaDeleted = "hpa-deleted", Warning, Cause, [], "The HPA is being deleted; once it is gone, nothing changes the size.";
    ReplicasWriter = "replicas-writer", Warning, Cause, [FleetingNote], "Something other than the HPA also sets the target's size.";
    AppliedReplicas = "applied-replicas", Warning, Cause, [Habit, AtNextApply], "A manifest that is applied sets replicas and resets the size.";
    VpaConflict = "vpa-conflict", Warning, Cause, [Habit], "A VerticalPodAutoscaler changes the requests that the HPA's target is a percentage of.";
    KedaPaused = "keda-paused", Warning, Cause, [Leads], "KEDA is paused for the HPA's target.";
    KedaFallback = "keda-fallback", Warning, Cause, [Fleeting, Leads], "KEDA returns a fallback value, because its source fails.";
    RolloutSurge = "rollout-surge", Warning, Cause, [Leads, Fleeting], "The extra pods of a rollout change what the HPA asks for.";

    UnknownField = "unknown-field", Error, Cause, [Strict], "A manifest has a field that the API does not have; kubectl rejects it, and the API server drops it.";
    DuplicateField = "duplicate-field", Error, Cause, [Strict], "A manifest sets a field twice; the last value counts.";
    DuplicateName = "duplicate-name", Error, Cause, [], "The input has two HPAs with the same name; the last one that is applied wins.";
    ScaleToZeroOff = "scale-to-zero-off", Warning, Cause, [Leads], "minReplicas 0 needs the feature gate HPAScaleToZero.";
    FixedSize = "fixed-size", Warning, Cause, [OfSpec, EndsBehavior], "minReplicas and maxReplicas are equal, so the size cannot change.";
    MetricTwice = "metric-twice", Warning, Cause, [OfSpec], "The spec lists a metric twice, and only the larger proposal counts.";
    TargetTypeIgnored = "target-type-ignored", Warning, Cause, [], "A metric's target has one type but sets the value of another, and the value counts.";
    ToleranceUnused = "tolerance-unused", Warning, Cause, [OfBehavior, OfDisabled], "A tolerance is dropped, or it is so large that it prevents every change.";
    WindowOrder = "window-order", Warning, Cause, [OfBehavior, OfBothDirections], "The scaleUp window is longer than the scaleDown window.";
    ShortPeriod = "short-period", Warning, Cause, [OfSpec, OfBehavior, OfSyncPeriod], "A window or period is shorter than the time between two passes of the controller.";
    PolicyUnused = "policy-unused", Warning, Cause, [OfBehavior, EndsField], "A policy or a window never takes effect, because another policy or selectPolicy takes precedence.";
    AnnotationIgnored = "annotation-ignored", Warning, Cause, [], "An annotation that holds part of the spec in an older version does not parse, so the API server ignores it.";
    OldVersion = "old-version", Warning, Cause, [], "A manifest uses an older version of the API.";

    BehaviorDisabled = "behavior-disabled", Warning, Cause, [OfBehavior, OnPage, OfDisabled, EndsDirection], "selectPolicy Disabled prevents any change in this direction.";
    BehaviorEmpty = "behavior-empty", Info, Cause, [OfBehavior], "An empty behavior is not the same as no behavior.";
    PercentTrap = "percent-trap", Warning, Cause, [Habit, OfBehavior, Leads], "A Percent policy allows less, or more, than it seems to.";
    SuddenDrop = "sudden-drop", Info, Cause, [OfBehavior, OnPage, Unlimited], "Nothing limits a scale-down: half of the pods or more are removed at once.";
    FallbackIgnored = "fallback-ignored", Info, Cause, [OfDesign], "The spec sets a fallback for an External metric, a field that no Kubernetes release has.";
    PolicyPeriod = "policy-period", Info, Cause, [OnPage], "A policy counts from the size at the start of its period, and changes in the other direction have moved that size.";

    AllMetricsFail = "all-metrics-fail", Error, Symptom, [Stuck, NamesFailures, OnPage], "No metric can be computed, so the size stays whatever the load is.";
    ScaleDownBlocked = "scale-down-blocked", Warning, Symptom, [Stuck, NamesFailures, OnPage], "A failed metric blocks a scale-down that the other metrics ask for.";
    MetricFails = "metric-fails", Warning, Symptom, [OnPage], "One of several metrics fails; the others decide.";
    Dampened = "dampened", Warning, Symptom, [Stuck, OnPage], "Pods without a usable sample cancel the change that the other pods ask for.";
    Flapping = "flapping", Warning, Symptom, [AgainstSooner], "The size goes up and down repeatedly.";
    AtMax = "at-max", Warning, Symptom, [OnPage, NamedBy(Word::AtMax), Tried], "The metrics ask for more than maxReplicas.";
    AlwaysAboveMax = "always-above-max", Warning, Symptom, [OfPast], "For an hour or more, a metric has asked for more than maxReplicas in every pass that is known.";
    UpBelowTarget = "up-below-target", Warning, Symptom, [], "The size rises although the metrics are below their targets.";
    RollingUpdate = "rolling-update", Info, Symptom, [], "Pods of the old and the new template run at the same time.";
    TargetLags = "target-lags", Warning, Symptom, [Disagrees, AgainstMore], "The target does not have as many pods as it should have.";
    ControllerLate = "controller-late", Warning, Symptom, [], "The last pass of the controller was long ago.";
    Paused = "paused", Warning, Symptom, [OnPage, NamedBy(Word::Paused)], "The target has 0 replicas, so the HPA does nothing.";
    OutOfBounds = "out-of-bounds", Info, Symptom, [OnPage], "The size is outside minReplicas and maxReplicas, so it is set to the nearest bound at once.";
    PolicyLimits = "policy-limits", Info, Symptom, [OnPage], "A policy allows only part of the change for now.";
    WindowHolds = "window-holds", Info, Symptom, [OnPage], "An earlier recommendation in the stabilization window limits the change.";
    MisleadingMessage = "misleading-message", Info, Symptom, [], "A message or condition of the controller is misleading here.";
    ControllerRestarted = "controller-restarted", Info, Symptom, [OnPage, OfPast], "The controller lost its memory, so windows and periods start over.";
    InitializingPods = "initializing-pods", Info, Symptom, [OnPage], "Pods that just started do not count yet.";
    NeverAboveMin = "never-above-min", Info, Symptom, [OfPast], "For an hour or more, a metric has not asked for more than minReplicas in any pass that is known.";

    WithinTolerance = "within-tolerance", Info, Benign, [OnPage], "A metric is off its target, but inside the tolerance.";
    RoundedUp = "rounded-up", Info, Benign, [OnPage], "A fraction of a pod is rounded up, so the size stays.";
    AtMin = "at-min", Info, Benign, [OnPage], "The metrics ask for less than minReplicas: the target is idle, as intended.";
    AtMaxExactly = "at-max-exactly", Info, Benign, [OnPage], "The size is maxReplicas, and the metrics ask for exactly that.";
    UnevenPods = "uneven-pods", Info, Symptom, [Disagrees], "One average covers pods that differ much, and one of them is above the target.";
    NotReadyCounted = "not-ready-counted", Info, Benign, [OnPage, Disagrees], "Pods that are no longer Ready still count for cpu.";
    TargetInUnits = "target-in-units", Info, Benign, [OnPage], "A target in percent of the requests stands for this amount per pod.";
    PodsIgnored = "pods-ignored", Info, Benign, [OnPage], "Failed and terminating pods are left out.";
    KedaOwned = "keda-owned", Info, Benign, [], "KEDA created this HPA and scales the target between 0 and 1.";
}

/// Something that was found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
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
#[serde(rename_all = "camelCase")]
pub struct Fact {
    /// What it is about: an object such as `Pod/web-1`, or a field such as
    /// `spec.maxReplicas`.
    pub about: String,
    /// The fact.
    pub says: String,
}

/// What helps.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Remedy {
    /// What it does, in one line that begins with a verb.
    pub says: String,
    /// A command, ready for a shell.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
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
    /// Advice that no command carries out.
    pub fn advice(says: impl Into<String>) -> Self {
        Self {
            says: says.into(),
            command: None,
            patch: None,
            looks: false,
        }
    }

    /// A command that only looks.
    pub fn look(says: impl Into<String>, command: impl Into<String>) -> Self {
        Self {
            command: Some(command.into()),
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
    pub fn look(self, says: impl Into<String>, command: impl Into<String>) -> Self {
        self.command(Remedy::look(says, command))
    }

    /// Adds a command that changes something, unless a name in it would make
    /// it do something else.
    pub fn change(self, says: impl Into<String>, command: impl Into<String>) -> Self {
        self.command(Remedy {
            looks: false,
            ..Remedy::look(says, command)
        })
    }

    fn command(mut self, remedy: Remedy) -> Self {
        if remedy.command.as_deref().is_some_and(is_pasteable) {
            self.remedies.push(remedy);
        }
        self
    }

    /// Adds a change of a manifest that helps.
    pub fn patch(mut self, says: impl Into<String>, patch: &serde_json::Value) -> Self {
        self.remedies.push(Remedy {
            patch: Some(yaml(patch)),
            ..Remedy::advice(says)
        });
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
