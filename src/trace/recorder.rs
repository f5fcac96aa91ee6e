//! How a stage hands over what it did.

use super::{
    BranchRecord, FallbackRecord, FilledIn, Groups, LimitRecord, Measured, MetricResult, Outlook,
    ReadyPods, RecommendationRecord, ScaleRecord, SelectorRecord, StabilizationRecord, Trace,
    Unsettled, ZeroClamp,
};

/// What a stage records into: a full [`Trace`], or [`Nothing`].
pub trait Recorder {
    /// Whether records are kept. Work that serves only the explanation asks
    /// this first.
    const KEEPS: bool;

    /// Keeps a record. Where records are not kept, `make` is never called.
    fn record<R: Record>(&mut self, make: impl FnOnce() -> R);
}

/// Something that a stage did, which has its place in a [`Trace`].
pub trait Record {
    /// Whether it is about the passes to come, which takes long to tell.
    const LOOKS_AHEAD: bool = false;

    /// Puts the record in its place.
    fn enter(self, trace: &mut Trace);
}

/// The records that a field of the trace holds, and those that a field of the
/// metric does which was recorded last.
macro_rules! places {
    (
        trace: $($of_trace:ty => $field:ident),*;
        metric: $($of_metric:ty => $own:ident),*;
    ) => {
        $(impl Record for $of_trace {
            fn enter(self, trace: &mut Trace) {
                trace.$field = Some(self);
            }
        })*
        $(impl Record for $of_metric {
            fn enter(self, trace: &mut Trace) {
                if let Some(metric) = trace.metrics.last_mut() {
                    metric.$own = Some(self.into());
                }
            }
        })*
    };
}

places! {
    trace:
        ScaleRecord => scale,
        BranchRecord => branch,
        SelectorRecord => selector,
        RecommendationRecord => recommendation,
        StabilizationRecord => stabilization,
        LimitRecord => limit,
        ZeroClamp => zero_clamp,
        Unsettled => unsettled;
    metric:
        Groups => groups,
        ReadyPods => ready_pods,
        Measured => measured,
        FilledIn => filled_in,
        MetricResult => result,
        FallbackRecord => fallback;
}

impl Record for Outlook {
    const LOOKS_AHEAD: bool = true;

    fn enter(self, trace: &mut Trace) {
        trace.outlook = Some(self);
    }
}

/// Keeps no record.
#[derive(Clone, Copy, Debug, Default)]
pub struct Nothing;

impl Recorder for Nothing {
    const KEEPS: bool = false;

    #[inline]
    fn record<R: Record>(&mut self, _make: impl FnOnce() -> R) {}
}

impl Recorder for Trace {
    const KEEPS: bool = true;

    fn record<R: Record>(&mut self, make: impl FnOnce() -> R) {
        make().enter(self);
    }
}

/// Keeps all but what is about the passes to come.
#[derive(Debug)]
pub struct ThisPass<'t>(pub &'t mut Trace);

impl Recorder for ThisPass<'_> {
    const KEEPS: bool = true;

    fn record<R: Record>(&mut self, make: impl FnOnce() -> R) {
        if !R::LOOKS_AHEAD {
            self.0.record(make);
        }
    }
}
