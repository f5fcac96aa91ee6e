//! What changed when: every difference between releases, in one place.

use std::fmt;

use thiserror::Error;

use crate::api::Wording;
use crate::trace::Nearest;

/// The rules of one Kubernetes minor release.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Release {
    minor: u32,
    /// Rules of later releases that it has beside its own, a bit each.
    also: u64,
}

/// What a rule is known from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Evidence {
    /// The controller's source, and what it answered.
    Measured,
    /// The text of merged pull requests of kubernetes/kubernetes: strong, but
    /// not certain. Their numbers.
    Derived(&'static str),
}

macro_rules! switches {
    (@from) => { Evidence::Measured };
    (@from $pulls:literal) => { Evidence::Derived($pulls) };
    ($($name:ident = $since:literal, $says:literal $(, derived from $pulls:literal)?;)*) => {
        #[allow(clippy::doc_markdown, reason = "the sentences are for people")]
        /// A difference between releases: a rule that a release has or has
        /// not.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum Switch {
            $(#[doc = $says] $name,)*
        }

        impl Switch {
            /// Every difference, by the release that has it first.
            pub const ALL: &'static [Self] = &[$(Self::$name,)*];

            /// The first minor release that has the rule.
            pub const fn since(self) -> u32 {
                match self { $(Self::$name => $since,)* }
            }

            const fn bit(self) -> u64 {
                const { assert!(Self::ALL.len() <= 64, "a bit each") }
                1 << self as u32
            }

            /// The stable name, for documents.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$name => stringify!($name),)* }
            }

            /// The rule in a sentence.
            pub const fn says(self) -> &'static str {
                match self { $(Self::$name => $says,)* }
            }

            /// What the rule is known from.
            pub const fn evidence(self) -> Evidence {
                match self { $(Self::$name => switches!(@from $($pulls)?),)* }
            }
        }
    };
}

// A prerelease has the rules of its release, all of them: alpha, beta and
// -dev builds cannot be told from their version, for distributors give them
// theirs. (Of 1.38, alpha.1 lacks `ExactTotals` and `GenerationLocked`.)
//
// Two more rules of 1.37 are none of a pass on a snapshot, so nothing here
// asks for them: an HPA that is deleted during its own pass fails it ("HPA
// NAMESPACE/NAME was deleted during reconciliation"), and no pass begins
// before the informer has the status that the controller wrote last (gate
// StaleControllerConsistencyHPA).
switches! {
    V2beta1Gone = 25, "The API server no longer serves autoscaling/v2beta1.";
    PeriodStartFromBothDirections = 25, "Policies count changes in both directions, not only in their own.";
    WrappedMetricErrors = 25, "The errors of resource, container and external metrics have one more prefix.";
    AverageTargetTexts = 25, "The error about an invalid target mentions averages.";

    V2beta2Gone = 26, "The API server no longer serves autoscaling/v2beta2.";
    AmbiguousSelector = 26, "HPAs that select the same pods block each other.";
    MissingFilledAtTarget = 26, "A pod without a sample counts as the target where that is above 100% of its request.";
    RequestsAfterSamples = 26, "Requests are checked after samples, and the error names the container without one.";
    UsageTexts = 26, "The error of an average value says \"usage\".";

    DotsInLabelText = 27, "The API server says of a container's name that it must not contain dots.";
    TargetedPodsText = 27, "If no pod has a sample, the error says \"targeted pods\".";
    ContainerMetricName = 27, "Container metrics have their own name in errors.";
    PartialFailureReturned = 27, "The failure of some metrics is returned as an error although scaling goes on.";
    ContainerMetricsGate = 27, "Container metrics can be switched off by the gate HPAContainerMetrics.";

    MissingNotFilledOnTarget = 28, "If the average is exactly the target, pods without a sample are left out.";

    SidecarRequests = 29, "The requests of sidecars, init containers that keep running, are counted.";
    LiteralMessages = 29, "Messages of conditions are used literally, not as format strings.";

    ContainerMetricsLocked = 30, "The gate HPAContainerMetrics is locked on.";

    ToleranceRange = 33, "The tolerance is a range with two ends, both of which are still tolerated.";
    ConfigurableTolerance = 33, "The gate HPAConfigurableTolerance exists: the spec can set a tolerance.";
    MissingContainerTolerated = 33, "If a container has no sample, its pod counts as a pod without a sample; the metric does not fail.";
    ObjectAverageDescribed = 33, "The status of an Object metric with an average names the object.";

    TargetGroupRequired = 34, "The API server checks the apiVersion of scaleTargetRef and describedObject.";
    BinaryMemory = 34, "Memory is shown with binary suffixes.";
    ExternalAverageCapped = 34, "The average of an External metric is capped: a value that is too large counts as the largest size.";
    PodLevelResources = 34, "Requests of whole pods count (gate PodLevelResources, on by default).";

    ValueCapped = 35, "Targets of type Value are capped: a value that is too large counts as the largest size.";
    ContainerRequired = 35, "A pod without the container that the metric names makes the metric fail.";
    LabelKeyTexts = 35, "Errors of the selector mention label keys and bytes.";
    ConfigurableToleranceOn = 35, "The tolerance of the spec counts by default (gate HPAConfigurableTolerance).";

    MaxReplicasTexts = 36, "The API server has different errors for a maxReplicas of 0 and one below 0.";
    ScaledToZeroCondition = 36, "The condition ScaledToZero shows whether the HPA itself set the size to 0.";

    ScaleToZeroOn = 37, "Scaling to zero is on by default (gate HPAScaleToZero).";
    ConfigurableToleranceLocked = 37, "The gate HPAConfigurableTolerance is locked on: the tolerance of the spec counts.";
    ObjectErrorNamed = 37, "The error of an Object metric has the full name of the object before the cause.";
    AmbiguousTexts = 37, "The message about HPAs that select the same pods says \"more than one HPA (e.g. …)\".";
    AmbiguousPair = 37, "The message about HPAs that select the same pods names only two (gate HPAOptimizedSelectorStore, on by default).";
    QueuedOnEdit = 37, "A new HPA, and one whose spec was changed (gate HPAGeneration, on by default), is evaluated at once.";

    GenerationLocked = 38, "The gate HPAGeneration is locked on.";
    AverageOfZeroReplicas = 38, "The status shows an average of 0 for zero replicas.";
    ObjectAverageCapped = 38, "The average that the status shows for an Object metric is also capped.";
    SucceededIgnored = 38, "Succeeded pods are left out.";
    // Of merged pull requests whose code could not be read.
    SaturatingSizes = 38, "A size that is too large becomes the largest possible size.", derived from "141397";
    OverheadExcluded = 38, "The overhead of a pod is left out of its request as a whole.", derived from "142154";
    ExactMilli = 38, "Quantities are converted to thousandths exactly, up to the largest number.", derived from "141305, 138510";
    ZeroTolerance = 38, "A tolerance of zero is zero, whatever its exponent.", derived from "141937";
    ExactPrinting = 38, "The API server prints quantities from 10^21 on in full.", derived from "140459";
    ExactTotals = 38, "Utilization and averages over pods are computed without overflow.", derived from "142192";
}

/// A version text that names no Kubernetes release.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("`{0}` is not a Kubernetes version; write it like v1.36.2")]
pub struct ParseReleaseError(String);

impl Release {
    /// The oldest release whose rules are known.
    pub const OLDEST: Self = Self::minor(23);
    /// The newest release whose rules are known.
    pub const NEWEST: Self = Self::minor(38);
    /// What is assumed where no version is known: the newest release that
    /// answers of the real controller cover.
    pub const ASSUMED: Self = Self::minor(36);

    /// The rules of `1.MINOR`, whether known or not.
    pub const fn minor(minor: u32) -> Self {
        Self { minor, also: 0 }
    }

    /// The same release with a rule of a later one, to see what that rule
    /// alone would change. There is no such release.
    pub const fn with(self, rule: Switch) -> Self {
        Self {
            minor: self.minor,
            also: self.also | rule.bit(),
        }
    }

    /// How errors of label keys are worded.
    pub fn label_wording(self) -> Wording {
        if self.has(Switch::LabelKeyTexts) {
            Wording::LabelKey
        } else {
            Wording::QualifiedName
        }
    }

    /// The rules that came after this release, up to another one.
    pub fn new_rules(self, later: Self) -> impl Iterator<Item = Switch> {
        let rules = Switch::ALL.iter().copied();
        rules.filter(move |rule| later.has(*rule) && !self.has(*rule))
    }

    /// Reads a version such as `v1.36.2`, `1.36` or `v1.34.1-eks-3025e55`;
    /// patch and suffixes do not matter.
    ///
    /// # Errors
    ///
    /// Text that is no version, or one of another major release.
    pub fn parse(version: &str) -> Result<Self, ParseReleaseError> {
        let number = version.trim();
        let number = number.strip_prefix('v').unwrap_or(number);
        let minor = number.strip_prefix("1.").map(|rest| {
            rest.split(|c: char| !c.is_ascii_digit())
                .next()
                .unwrap_or_default()
        });
        match minor.map(str::parse) {
            Some(Ok(minor)) => Ok(Self::minor(minor)),
            _ => Err(ParseReleaseError(version.to_owned())),
        }
    }

    /// Every release whose rules are known, from the oldest on.
    pub fn known() -> impl Iterator<Item = Self> {
        (Self::OLDEST.minor..=Self::NEWEST.minor).map(Self::minor)
    }

    /// The nearest release whose rules are known.
    pub fn nearest_known(self) -> Self {
        self.clamp(Self::OLDEST, Self::NEWEST)
    }

    /// What stands in for a release whose rules are not known.
    pub fn nearest(self) -> Option<Nearest> {
        if self < Self::OLDEST {
            return Some(Nearest::Oldest);
        }
        (self > Self::NEWEST).then_some(Nearest::Newest)
    }

    /// Whether the release has a rule.
    pub const fn has(self, switch: Switch) -> bool {
        self.minor >= switch.since() || self.also & switch.bit() != 0
    }

    /// What is to be said of a release whose rules no recorded answer of a
    /// real controller covers.
    pub fn remark(self) -> Option<&'static str> {
        (self.minor < 25)
            .then_some("rules read in the source, not checked against a real controller")
    }

    /// The rules that are taken from the text of pull requests, with the
    /// numbers of these.
    pub fn derived(self) -> impl Iterator<Item = (Switch, &'static str)> {
        let rules = Switch::ALL.iter().copied();
        rules.filter_map(move |rule| match rule.evidence() {
            Evidence::Derived(pulls) if self.has(rule) => Some((rule, pulls)),
            _ => None,
        })
    }
}

impl fmt::Display for Release {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        write!(formatter, "1.{}", self.minor)
    }
}

#[cfg(test)]
mod tests {
    use super::{Release, Switch};
    use crate::trace::Nearest;

    #[test]
    fn versions_of_all_vendors_are_read() {
        let rows = [
            ("v1.36.2", Some(36)),
            ("1.36", Some(36)),
            ("v1.34.1-eks-3025e55", Some(34)),
            ("v1.33.5-gke.1080000", Some(33)),
            ("v1.32.9+k3s1", Some(32)),
            ("v1.30+", Some(30)),
            ("v2.1.0", None),
            ("latest", None),
            ("", None),
        ];
        for (text, minor) in rows {
            let read = Release::parse(text).ok();
            assert_eq!(read, minor.map(Release::minor), "{text}");
        }
    }

    #[test]
    fn a_rule_can_be_had_early_alone() {
        let early = Release::minor(32).with(Switch::ToleranceRange);
        let differing = Switch::ALL.iter().copied();
        let differing = differing.filter(|rule| early.has(*rule) != Release::minor(32).has(*rule));
        assert_eq!(differing.collect::<Vec<_>>(), [Switch::ToleranceRange]);
        let new: Vec<Switch> = Release::minor(25).new_rules(Release::minor(28)).collect();
        assert!(new.iter().all(|rule| (26..=28).contains(&rule.since())));
        assert_eq!(new.len(), 11);
    }

    #[test]
    fn rules_stand_in_the_order_of_their_releases() {
        assert!(Switch::ALL.is_sorted_by_key(|rule| rule.since()));
        for rule in Switch::ALL {
            assert!(rule.says().ends_with('.'), "{}", rule.name());
        }
    }

    #[test]
    fn unknown_releases_fall_to_the_nearest_known_one() {
        assert_eq!(Release::minor(9).nearest_known(), Release::OLDEST);
        assert_eq!(Release::minor(99).nearest_known(), Release::NEWEST);
        assert_eq!(Release::minor(31).nearest_known(), Release::minor(31));
        let stands_in = [9, 22, 23, 38, 39].map(|minor| Release::minor(minor).nearest());
        let [oldest, newest] = [Nearest::Oldest, Nearest::Newest].map(Some);
        assert_eq!(stands_in, [oldest, oldest, None, None, newest]);
    }

    #[test]
    fn releases_without_recorded_answers_say_so() {
        let silent: Vec<u32> = (23..=38)
            .filter(|minor| Release::minor(*minor).remark().is_some())
            .collect();
        assert_eq!(silent, [23, 24]);
    }
}
