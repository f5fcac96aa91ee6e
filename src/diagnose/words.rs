//! Words that findings share: names in lists, and the arguments of commands.

use crate::trace::{MetricRecord, Trace, shell_word};

/// The most objects that one finding names one by one.
pub(super) const MOST: usize = 5;

/// The first few names, and how many more there are.
pub(super) fn some<S: AsRef<str>>(names: &[S], most: usize) -> String {
    let shown: Vec<&str> = names.iter().take(most).map(AsRef::as_ref).collect();
    let shown = shown.join(", ");
    match names.len().saturating_sub(most) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}

/// `cpu, memory`, each once.
pub(super) fn each_once<S: Into<String>>(names: impl IntoIterator<Item = S>) -> String {
    let mut once: Vec<String> = Vec::new();
    for name in names {
        let name = name.into();
        if !once.contains(&name) {
            once.push(name);
        }
    }
    once.join(", ")
}

/// A metric as sentences name it: `cpu`, `cpu of container app`.
pub(super) fn metric(metric: &MetricRecord) -> String {
    let source = &metric.source;
    match (&source.container, &source.object) {
        (Some(container), _) => format!("{} of container {container}", source.name),
        (_, Some(object)) => format!("{} of {object}", source.name),
        _ if source.name.is_empty() => format!("metric {} of the spec", metric.index),
        _ => source.name.clone(),
    }
}

/// Where a metric stands in the HPA.
pub(super) fn field(metric: &MetricRecord) -> String {
    format!("spec.metrics[{}]", metric.index)
}

/// `-n shop`.
pub(super) fn namespace(trace: &Trace) -> String {
    format!("-n {}", shell_word(&trace.namespace))
}

/// `-n shop -l app=web`: the pods that the selector matches.
pub(super) fn selected(trace: &Trace) -> String {
    let scale = trace.scale.as_ref();
    match scale.and_then(|scale| scale.selector.as_deref()) {
        Some(selector) if !selector.is_empty() => {
            format!("{} -l {}", namespace(trace), shell_word(selector))
        }
        _ => namespace(trace),
    }
}

/// `kubectl VERB pod NAME -n shop`.
pub(super) fn on_pod(trace: &Trace, verb: &str, pod: &str) -> String {
    format!(
        "kubectl {verb} pod {} {}",
        shell_word(pod),
        namespace(trace)
    )
}

/// The target as a kubectl argument, such as `deployment/web`.
pub(super) fn target(trace: &Trace) -> String {
    let target = &trace.target;
    let mut kind = target.kind.to_lowercase();
    if let Some((group, _)) = target.api_version.split_once('/')
        && group != "apps"
    {
        kind = format!("{kind}.{group}");
    }
    shell_word(&format!("{kind}/{}", target.name))
}

#[cfg(test)]
mod tests {
    use super::{each_once, some};

    #[test]
    fn lists_stay_short_and_without_repetition() {
        assert_eq!(some(&["a", "b"], 2), "a, b");
        assert_eq!(some(&["a", "b", "c"], 2), "a, b and 1 more");
        assert_eq!(each_once(["cpu", "memory", "cpu"]), "cpu, memory");
    }
}
