//! What changed when: every difference between releases, in one place.

use std::fmt;

use thiserror::Error;

/// The rules of one Kubernetes minor release.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Release {
    minor: u32,
}

/// A difference between releases: a rule that a release has or has not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Switch {
    /// Rate limits look at changes in both directions, not only their own.
    PeriodStartFromBothDirections,
    /// The errors of Resource, `ContainerResource` and External metrics are
    /// wrapped once more.
    WrappedMetricErrors,
    /// The target's complaint speaks of averages.
    AverageTargetTexts,
    /// HPAs that select the same pods block each other.
    AmbiguousSelector,
    /// A missing pod counts as max(100, target)% of its request, not as 100%.
    MissingFilledAtTarget,
    /// Requests are looked at after the check for samples, and a missing one
    /// is named with container and pod.
    RequestsAfterSamples,
    /// The error of an average value speaks of usage.
    UsageTexts,
    /// "targeted pods (pods might be unready)" in place of "any ready pods".
    TargetedPodsText,
    /// Container metrics have a name of their own.
    ContainerMetricName,
    /// A partial failure is returned as an error although scaling went on.
    PartialFailureReturned,
    /// The controller looks at the gate `HPAContainerMetrics`.
    ContainerMetricsGate,
    /// An average exactly on target fills in nothing for missing pods.
    MissingNotFilledOnTarget,
    /// The requests of sidecars are counted.
    SidecarRequests,
    /// Condition messages are taken literally, not as formats.
    LiteralMessages,
    /// The gate `HPAContainerMetrics` is locked on.
    ContainerMetricsLocked,
    /// The tolerance is a range with two ends.
    ToleranceRange,
    /// The gate `HPAConfigurableTolerance` exists.
    ConfigurableTolerance,
    /// A container without a sample makes its pod missing, not the metric
    /// fail.
    MissingContainerTolerated,
    /// The status of an Object average names the object.
    ObjectAverageDescribed,
    /// Memory is shown with binary suffixes.
    BinaryMemory,
    /// External averages are capped, and overflow counts as the maximum.
    ExternalAverageCapped,
    /// The gate `PodLevelResources` exists and is on by default.
    PodLevelResources,
    /// Targets of type Value are capped.
    ValueCapped,
    /// A pod without the named container fails the metric.
    ContainerRequired,
    /// The selector parser speaks of label keys and bytes.
    LabelKeyTexts,
    /// `HPAConfigurableTolerance` is on by default.
    ConfigurableToleranceOn,
    /// Zero replicas are told apart by the condition `ScaledToZero`.
    ScaledToZeroCondition,
    /// `HPAScaleToZero` is on by default.
    ScaleToZeroOn,
    /// `HPAConfigurableTolerance` is locked on.
    ConfigurableToleranceLocked,
    /// A new HPA, and one whose spec was changed, is looked at at once.
    QueuedOnEdit,
    /// Float conversions saturate.
    SaturatingConversions,
    /// Utilization is computed without overflow.
    WideUtilization,
    /// Succeeded pods are ignored.
    SucceededIgnored,
    /// A pod's overhead is left out of its pod-level request.
    OverheadExcluded,
    /// The reported average is not divided by zero replicas.
    AverageOfZeroReplicas,
}

impl Switch {
    /// The first minor release that has the rule.
    #[must_use]
    pub const fn since(self) -> u32 {
        match self {
            Self::PeriodStartFromBothDirections
            | Self::WrappedMetricErrors
            | Self::AverageTargetTexts => 25,
            Self::AmbiguousSelector
            | Self::MissingFilledAtTarget
            | Self::RequestsAfterSamples
            | Self::UsageTexts => 26,
            Self::TargetedPodsText
            | Self::ContainerMetricName
            | Self::PartialFailureReturned
            | Self::ContainerMetricsGate => 27,
            Self::MissingNotFilledOnTarget => 28,
            Self::SidecarRequests | Self::LiteralMessages => 29,
            Self::ContainerMetricsLocked => 30,
            Self::ToleranceRange
            | Self::ConfigurableTolerance
            | Self::MissingContainerTolerated
            | Self::ObjectAverageDescribed => 33,
            Self::BinaryMemory | Self::ExternalAverageCapped | Self::PodLevelResources => 34,
            Self::ValueCapped
            | Self::ContainerRequired
            | Self::LabelKeyTexts
            | Self::ConfigurableToleranceOn => 35,
            Self::ScaledToZeroCondition => 36,
            Self::ScaleToZeroOn | Self::ConfigurableToleranceLocked | Self::QueuedOnEdit => 37,
            Self::SaturatingConversions
            | Self::WideUtilization
            | Self::SucceededIgnored
            | Self::OverheadExcluded
            | Self::AverageOfZeroReplicas => 38,
        }
    }
}

/// A version text that names no Kubernetes release.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("`{0}` is no Kubernetes version such as v1.36.2")]
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
    #[must_use]
    pub const fn minor(minor: u32) -> Self {
        Self { minor }
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
            Some(Ok(minor)) => Ok(Self { minor }),
            _ => Err(ParseReleaseError(version.to_owned())),
        }
    }

    /// Every release whose rules are known, from the oldest on.
    pub fn known() -> impl Iterator<Item = Self> {
        (Self::OLDEST.minor..=Self::NEWEST.minor).map(Self::minor)
    }

    /// The nearest release whose rules are known.
    #[must_use]
    pub fn nearest_known(self) -> Self {
        self.clamp(Self::OLDEST, Self::NEWEST)
    }

    /// Whether the release has a rule.
    #[must_use]
    pub const fn has(self, switch: Switch) -> bool {
        self.minor >= switch.since()
    }

    /// What is to be said of a release whose rules no recorded answer of a
    /// real controller covers.
    #[must_use]
    pub fn remark(self) -> Option<&'static str> {
        match self.minor {
            ..25 => Some("rules read in the source, not checked against a real controller"),
            25..=36 => None,
            37.. => Some("rules from release notes, not checked against a real controller"),
        }
    }
}

impl fmt::Display for Release {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        write!(formatter, "1.{}", self.minor)
    }
}

#[cfg(test)]
mod tests {
    use super::Release;

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
    fn unknown_releases_fall_to_the_nearest_known_one() {
        assert_eq!(Release::minor(9).nearest_known(), Release::OLDEST);
        assert_eq!(Release::minor(99).nearest_known(), Release::NEWEST);
        assert_eq!(Release::minor(31).nearest_known(), Release::minor(31));
    }

    #[test]
    fn releases_without_recorded_answers_say_so() {
        let silent: Vec<u32> = (23..=38)
            .filter(|minor| Release::minor(*minor).remark().is_some())
            .collect();
        assert_eq!(silent, [23, 24, 37, 38]);
    }
}
