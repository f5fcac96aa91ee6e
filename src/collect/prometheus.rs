//! What a Prometheus has of an HPA and its target: raw samples with their true
//! moments. A resampled range would hide the holes.

use jiff::{SignedDuration, Timestamp};

use crate::api::{CrossVersionObjectReference, HorizontalPodAutoscaler, Series, SeriesAnswer};

use super::request::paths::prometheus_query;
use super::request::{Reader, Unanswered};

/// What kube-state-metrics says of an HPA, without the common beginning.
const OF_AUTOSCALER: &str = "kube_horizontalpodautoscaler_(created|spec_max_replicas|\
     spec_min_replicas|spec_target_metric|status_condition|status_current_replicas|\
     status_desired_replicas|status_target_metric)";

/// The kinds of targets of which kube-state-metrics tells the size: the label
/// that names one, and the family.
const SIZES: [(&str, &str, &str); 3] = [
    ("Deployment", "deployment", "kube_deployment_spec_replicas"),
    ("StatefulSet", "statefulset", "kube_statefulset_replicas"),
    ("ReplicaSet", "replicaset", "kube_replicaset_spec_replicas"),
];

/// A window is not cut into shorter ones.
const SHORTEST: SignedDuration = SignedDuration::from_mins(10);

/// So often one HPA is asked for, however short the windows have to be.
const MOST_QUERIES: usize = 64;

/// A label that every series must have, such as `cluster=prod`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeriesLabel {
    /// Its name.
    pub name: String,
    /// Its value.
    pub value: String,
}

/// What was scraped.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ScrapedSeries {
    /// The series; one can come in several parts, the oldest first.
    pub series: Vec<Series>,
    /// Why it may be incomplete, in the server's words.
    pub warnings: Vec<String>,
}

/// Why nothing was read.
#[derive(Debug, thiserror::Error)]
pub enum PrometheusError {
    /// No answer.
    #[error(transparent)]
    Unanswered(#[from] Unanswered),
    /// The server wants credentials, or others.
    #[error("it refuses the query with status {}{}", .0, in_words(.1))]
    Refused(u16, String),
    /// It cannot answer, in its own words.
    #[error("it answers: {1}")]
    Failed(u16, String),
    /// What answers is no Prometheus.
    #[error("what answers there is no Prometheus (status {}{})", .0, in_words(.1))]
    Foreign(u16, String),
    /// The windows would have to be too short.
    #[error("it answers only for windows so short that {MOST_QUERIES} queries do not suffice")]
    TooMany,
    /// Nothing tells the size of such a target.
    #[error("kube-state-metrics has no series for the size of a {0}")]
    NoSizes(String),
}

/// Whom to ask, and for what of it.
#[derive(Clone, Copy)]
pub struct SeriesSource<'a> {
    /// Who asks.
    pub reader: &'a Reader,
    /// The path below which it answers.
    pub below: &'a str,
    /// The labels that every series must have.
    pub labels: &'a [SeriesLabel],
}

/// Reads what was scraped of an HPA and of its target's size in a time.
///
/// # Errors
///
/// The server cannot be asked, or has no such series for a target of this kind.
pub async fn scraped(
    source: SeriesSource<'_>,
    hpa: &HorizontalPodAutoscaler,
    (from, to): (Timestamp, Timestamp),
) -> Result<ScrapedSeries, PrometheusError> {
    let selectors = selectors(source.labels, hpa)?;
    let mut scraped = ScrapedSeries::default();
    // The oldest on top.
    let mut windows = vec![(from, to)];
    let mut queries = 0;
    while let Some((from, to)) = windows.pop() {
        let mut parts = Vec::new();
        let mut is_too_much = false;
        for selector in &selectors {
            queries += 1;
            if queries > MOST_QUERIES {
                return Err(PrometheusError::TooMany);
            }
            match asked(source, selector, (from, to)).await {
                Ok(answer) => parts.push(answer),
                Err(error) => {
                    is_too_much = true;
                    if !error.is_too_much() || to.duration_since(from) < SHORTEST + SHORTEST {
                        return Err(error);
                    }
                    break;
                }
            }
        }
        if is_too_much {
            let middle = from + to.duration_since(from) / 2;
            windows.extend([(middle, to), (from, middle)]);
            continue;
        }
        for part in parts {
            scraped.series.extend(part.data.result);
            scraped.warnings.extend(part.warnings);
        }
    }
    scraped.warnings.sort();
    scraped.warnings.dedup();
    Ok(scraped)
}

/// What a server adds to its status.
fn in_words(text: &str) -> String {
    if text.is_empty() {
        String::new()
    } else {
        format!(": {text}")
    }
}

impl PrometheusError {
    /// Whether it would say the same of any HPA.
    pub fn is_of_all(&self) -> bool {
        match self {
            Self::Refused(..) | Self::Foreign(..) => true,
            Self::Unanswered(error) => !matches!(error, Unanswered::TooLarge),
            _ => false,
        }
    }

    /// Whether a shorter window may be answered.
    fn is_too_much(&self) -> bool {
        match self {
            Self::Unanswered(it) => matches!(it, Unanswered::TooLarge | Unanswered::Timeout(_)),
            Self::Failed(status, _) | Self::Foreign(status, _) => {
                matches!(status, 413 | 422 | 429 | 502 | 503 | 504)
            }
            _ => false,
        }
    }
}

async fn asked(
    source: SeriesSource<'_>,
    selector: &str,
    (from, to): (Timestamp, Timestamp),
) -> Result<SeriesAnswer, PrometheusError> {
    let milliseconds = to.as_millisecond() - from.as_millisecond();
    let endpoint = prometheus_query(source.below, &format!("{selector}[{milliseconds}ms]"), to);
    let reply = source.reader.get(&endpoint).await?;
    let status = reply.status.as_u16();
    // The API server's words, where it is the one who answers.
    let words = || reply.failure().map_or_else(String::new, |it| it.message);
    if matches!(status, 401 | 403) {
        return Err(PrometheusError::Refused(status, words()));
    }
    match reply.body::<SeriesAnswer>() {
        Some(answer) if answer.status == "success" => Ok(answer),
        Some(answer) if answer.status == "error" => {
            Err(PrometheusError::Failed(status, answer.error))
        }
        _ => Err(PrometheusError::Foreign(status, words())),
    }
}

/// What selects the series of an HPA, and those of its target's size.
fn selectors(
    labels: &[SeriesLabel],
    hpa: &HorizontalPodAutoscaler,
) -> Result<[String; 2], PrometheusError> {
    let target = &hpa.spec.scale_target_ref;
    let (label, family) =
        size(target).ok_or_else(|| PrometheusError::NoSizes(target.kind.clone()))?;
    let selector = |families: &str, name: &str, value: &str| {
        let own = [
            ("namespace", hpa.metadata.namespace.as_str()),
            (name, value),
        ];
        let given = labels
            .iter()
            .map(|it| (it.name.as_str(), it.value.as_str()));
        let matchers = own.into_iter().chain(given);
        let matchers = matchers.map(|(name, value)| format!(",{name}={}", quoted(value)));
        let matchers: String = matchers.collect();
        format!("{{__name__=~{}{matchers}}}", quoted(families))
    };
    Ok([
        selector(OF_AUTOSCALER, "horizontalpodautoscaler", &hpa.metadata.name),
        selector(family, label, &target.name),
    ])
}

fn size(target: &CrossVersionObjectReference) -> Option<(&'static str, &'static str)> {
    let is_built_in = target.group() == "apps";
    let mut sizes = SIZES.iter().filter(|_| is_built_in);
    let (_, label, family) = sizes.find(|(kind, ..)| *kind == target.kind)?;
    Some((label, family))
}

/// A text as `PromQL` quotes it.
fn quoted(text: &str) -> String {
    let escaped = text.replace('\\', "\\\\").replace('"', "\\\"");
    format!("\"{}\"", escaped.replace('\n', "\\n").replace('\r', "\\r"))
}

#[cfg(test)]
mod tests {
    use super::quoted;

    #[test]
    fn no_text_leaves_its_quotes() {
        let rows = [
            ("web", r#""web""#),
            (r#"a"} or vector(1) #"#, r#""a\"} or vector(1) #""#),
            (r"a\", r#""a\\""#),
            (r#"\""#, r#""\\\"""#),
            ("a\nb\r", r#""a\nb\r""#),
        ];
        for (text, expected) in rows {
            assert_eq!(quoted(text), expected, "{text}");
        }
    }
}
