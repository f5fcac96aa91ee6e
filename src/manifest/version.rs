//! The versions of the API that HPAs are written in: what reads each, and
//! which releases serve it.

use std::fmt;

use crate::api::HpaSpec;
use crate::controller::{Release, Switch};

use super::convert::Annotations;
use super::decode::{SpecReader, spec, spec_of_v2beta2, spec_with_fallback};
use super::{Rules, convert};

/// Takes what an older version keeps in annotations.
pub(super) type Conversion = fn(&mut HpaSpec, &mut Annotations);

/// A version of the API.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Version {
    V2,
    V1,
    V2beta2,
    V2beta1,
}

impl Version {
    const ALL: [Self; 4] = [Self::V2, Self::V1, Self::V2beta2, Self::V2beta1];

    /// The version of an `apiVersion`.
    pub(super) fn of(api_version: &str) -> Option<Self> {
        let mut all = Self::ALL.into_iter();
        all.find(|version| version.name() == api_version)
    }

    /// How `apiVersion` says it.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::V2 => "autoscaling/v2",
            Self::V1 => "autoscaling/v1",
            Self::V2beta2 => "autoscaling/v2beta2",
            Self::V2beta1 => "autoscaling/v2beta1",
        }
    }

    pub(super) fn reader(self, rules: Rules) -> SpecReader {
        match self {
            Self::V2 if rules.external_metric_fallback => spec_with_fallback,
            Self::V2 => spec,
            Self::V1 => convert::v1,
            Self::V2beta2 => spec_of_v2beta2,
            Self::V2beta1 => convert::v2beta1,
        }
    }

    pub(super) fn conversion(self) -> Conversion {
        match self {
            Self::V2 => |_, _| {},
            Self::V1 => convert::v1_annotations,
            Self::V2beta2 => convert::v2beta2_annotations,
            Self::V2beta1 => convert::v2beta1_annotations,
        }
    }

    /// The rule with which it is gone.
    const fn end(self) -> Option<Switch> {
        match self {
            Self::V2 | Self::V1 => None,
            Self::V2beta2 => Some(Switch::V2beta2Gone),
            Self::V2beta1 => Some(Switch::V2beta1Gone),
        }
    }

    /// The last release that serves it, of one that is gone by now.
    pub(super) fn last(self) -> Option<Release> {
        let end = self.end()?;
        Some(Release::minor(end.since().saturating_sub(1)))
    }

    /// That a release does not serve it.
    pub(super) fn unserved(self, release: Release) -> Option<Unserved> {
        let last = self.last().filter(|last| release > *last)?;
        let version = self;
        Some(Unserved {
            version,
            release,
            last,
        })
    }
}

/// That a release does not serve the version that an HPA is written in; it
/// looks at nothing else then.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unserved {
    version: Version,
    release: Release,
    last: Release,
}

impl fmt::Display for Unserved {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            version,
            release,
            last,
        } = self;
        let fields = match version {
            Version::V2beta1 => "in which the fields of metrics differ",
            _ => "which has the same fields",
        };
        write!(
            f,
            "no matches for kind \"HorizontalPodAutoscaler\" in version \"{}\": Kubernetes \
             {release} does not serve it, {last} was the last to do so; use apiVersion: {}, {fields}",
            version.name(),
            Version::V2.name()
        )
    }
}
