//! Codes that nothing finds yet.

use hpa_explain::trace::Code;

pub const AWAITED: &[Code] = &[
    Code::TargetOwned,
    Code::ForeignPods,
    Code::SucceededPods,
    Code::ValueForAverage,
    Code::MemoryCannotFall,
    Code::TargetUnreachable,
    Code::ReplicasWriter,
    Code::AppliedReplicas,
    Code::VpaConflict,
    Code::KedaPaused,
    Code::KedaFallback,
    Code::Dampened,
    Code::KedaOwned,
];
