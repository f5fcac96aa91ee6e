//! Quantities as the server stores them: `0.05` comes back as `50m`.

use crate::snapshot::{HpaSpec, MetricSpec, MetricTarget, Quantity, ScalingRules};

/// Gives every quantity of a spec the text that the server answers with.
pub(super) fn print_quantities(spec: &mut HpaSpec) {
    let targets = spec.metrics.iter_mut().flat_map(targets);
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

fn targets(metric: &mut MetricSpec) -> impl Iterator<Item = &mut MetricTarget> {
    let resource = metric.resource.iter_mut().map(|it| &mut it.target);
    let container = metric.container_resource.iter_mut();
    let pods = metric.pods.iter_mut().map(|it| &mut it.target);
    let object = metric.object.iter_mut().map(|it| &mut it.target);
    let external = metric.external.iter_mut().map(|it| &mut it.target);
    resource
        .chain(container.map(|it| &mut it.target))
        .chain(pods)
        .chain(object)
        .chain(external)
}

fn print(quantity: &mut Option<Quantity>) {
    // What is printed can be read again.
    if let Some(printed) = quantity.as_ref().and_then(|it| it.to_string().parse().ok()) {
        *quantity = Some(printed);
    }
}
