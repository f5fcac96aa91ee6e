//! Quantities as the server stores them: `0.05` comes back as `50m`.

use crate::snapshot::{HpaSpec, MetricSpec, Quantity, ScalingRules};

/// Gives every quantity of a spec the text that the server answers with.
pub(super) fn print_quantities(spec: &mut HpaSpec) {
    let targets = spec.metrics.iter_mut().flat_map(MetricSpec::targets_mut);
    for target in targets {
        print(&mut target.value);
        print(&mut target.average_value);
    }
    let behavior = spec.behavior.iter_mut();
    let rules = behavior.flat_map(|it| [&mut it.scale_up, &mut it.scale_down]);
    for ScalingRules { tolerance, .. } in rules.flatten() {
        print(tolerance);
    }
}

fn print(quantity: &mut Option<Quantity>) {
    // What is printed can be read again.
    if let Some(printed) = quantity.as_ref().and_then(|it| it.to_string().parse().ok()) {
        *quantity = Some(printed);
    }
}
