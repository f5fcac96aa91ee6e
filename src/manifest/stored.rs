//! Quantities as the server stores them: `0.05` comes back as `50m`.

use crate::api::{HpaSpec, MetricSpec, Quantity, ScalingRules};
use crate::controller::{Release, Switch};

/// Gives every quantity of a spec the text that the server answers with.
pub(super) fn print_quantities(spec: &mut HpaSpec, release: Release) {
    let targets = spec.metrics.iter_mut().flat_map(MetricSpec::targets_mut);
    for target in targets {
        print(&mut target.value, release);
        print(&mut target.average_value, release);
    }
    let behavior = spec.behavior.iter_mut();
    let rules = behavior.flat_map(|it| [&mut it.scale_up, &mut it.scale_down]);
    for ScalingRules { tolerance, .. } in rules.flatten() {
        print(tolerance, release);
    }
}

fn print(quantity: &mut Option<Quantity>, release: Release) {
    // What is printed can be read again.
    let printed = quantity.as_ref().map(|it| text(it, release));
    if let Some(printed) = printed.and_then(|printed| printed.parse().ok()) {
        *quantity = Some(printed);
    }
}

/// A quantity as the server prints it.
pub(super) fn text(quantity: &Quantity, release: Release) -> String {
    if release.has(Switch::ExactPrinting) {
        quantity.printed_in_full()
    } else {
        quantity.to_string()
    }
}
