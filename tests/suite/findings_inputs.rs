//! Findings about the inputs of a pass: for each code what fires it, and the
//! nearest that does not.

use crate::support::case;

mod nearest;
mod real;
mod remedies;

use hpa_explain::controller::{Overrides, Settings};
use hpa_explain::document::snapshot::read_documents;
use hpa_explain::history::Observer;
use hpa_explain::trace::{Code, Finding};
use hpa_explain::what_if;
use serde_json::Value;

/// Everything that is found in a snapshot document.
fn found(document: &Value) -> Vec<Finding> {
    let mut documents = read_documents(&document.to_string());
    let snapshot = documents.remove(0).snapshot.expect("a readable snapshot");
    let settings = Settings::resolve(&snapshot, &Overrides::default());
    let observer = Observer::default();
    what_if::explain(&snapshot, &settings, snapshot.captured_at, &observer).findings
}

/// The codes that this program is about.
const CODES: [Code; 27] = [
    Code::MissingRequest,
    Code::WrongContainer,
    Code::MetricsApiMissing,
    Code::MetricsApiUnavailable,
    Code::MetricsForbidden,
    Code::MetricNotFound,
    Code::MetricsEmpty,
    Code::MetricSpecInvalid,
    Code::NoPods,
    Code::MetricUnreadable,
    Code::PodsWithoutSample,
    Code::PodsPending,
    Code::NeverReady,
    Code::ReadinessCollapse,
    Code::StartupBurst,
    Code::HotContainer,
    Code::SidecarRequestIgnored,
    Code::StaleMetrics,
    Code::FrozenStatus,
    Code::AllMetricsFail,
    Code::ScaleDownBlocked,
    Code::MetricFails,
    Code::MisleadingMessage,
    Code::InitializingPods,
    Code::NotReadyCounted,
    Code::TargetInUnits,
    Code::PodsIgnored,
];
