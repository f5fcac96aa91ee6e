//! Inputs without some of the pods, or of what was measured of them.

use crate::snapshot::Snapshot;

/// Takes away some pods, by their names, and their samples.
pub(super) fn drop_pods(snapshot: &mut Snapshot, is_gone: impl Fn(&str) -> bool) {
    snapshot.pods.retain(|pod| !is_gone(&pod.metadata.name));
    drop_samples(snapshot, is_gone);
}

/// Takes away what was measured of some pods, by their names.
pub(super) fn drop_samples(snapshot: &mut Snapshot, is_meant: impl Fn(&str) -> bool) {
    let resource = snapshot.metrics.resource.as_mut();
    if let Some(list) = resource.and_then(|answered| answered.response.as_mut()) {
        list.items.retain(|item| !is_meant(&item.metadata.name));
    }
    let custom = snapshot.metrics.custom.iter_mut();
    for asked in custom.filter(|asked| asked.described_object.is_none()) {
        if let Some(list) = &mut asked.response {
            list.items
                .retain(|item| !is_meant(&item.described_object.name));
        }
    }
}
