//! How long a doubled load would wait for its pods.

use crate::controller::{Overrides, Settings};
use crate::simulate::load::{Load, Shape};
use crate::simulate::{Keep, Model, Subject, bare, common_request, delay, is_share, spread};
use crate::snapshot::Snapshot;
use crate::trace::{Reaction, Trace};

/// The wait of the pods of a pass, of the metric that decides; with the times that
/// pods and samples usually take. Absent where what a pod carries is unknown.
pub fn reaction(snapshot: &Snapshot, overrides: &Overrides, trace: &Trace) -> Option<Reaction> {
    let spec = &snapshot.hpa.spec;
    let index = trace.recommendation.as_ref()?.winner?;
    let metric = spec.metrics.get(index)?;
    let request = common_request(snapshot, overrides, index);
    if is_share(metric) && request.is_none() {
        return None;
    }
    let model = Model {
        request,
        spread: spread(metric),
        ..Model::default()
    };
    let settings = Settings::resolve(snapshot, overrides);
    let own = trace.outcome.current_replicas;
    let pods = own.max(spec.min_replicas.unwrap_or(1));
    let load = Load {
        shape: Shape::Steps(Vec::new()),
        noise: None,
    };
    let subject = Subject {
        snapshot: &bare(snapshot, pods),
        overrides,
        metric,
        load: &load,
        model: &model,
        replicas: pods,
        seconds: settings.sync_period_seconds(),
        keep: Keep::All,
    };
    Some(Reaction {
        from: pods,
        now: delay(&subject, spec, pods)?,
        then: None,
    })
}
