//! What a Prometheus has of an HPA and its target: raw samples with their true
//! moments. A resampled range would hide the holes. The Prometheus of a cluster is found by
//! the labels that the usual charts give its Service, and asked through the API server's
//! proxy.

use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use k8s_openapi::api::core::v1::{Service, ServicePort};
use tokio::time::sleep;

use super::request::pages::pages;
use super::request::paths::{prometheus_query, service_proxy, services};
use super::request::{CollectError, Reader, Unanswered};
use crate::api::{CrossVersionObjectReference, HorizontalPodAutoscaler, Series, SeriesAnswer};

/// What kube-state-metrics says of an HPA, without the common beginning.
const OF_AUTOSCALER: &str = "kube_horizontalpodautoscaler_(created|spec_max_replicas|\
     spec_min_replicas|spec_target_metric|status_condition|status_current_replicas|\
     status_desired_replicas";

/// What it says the controller measured.
const MEASURED: &str = "|status_target_metric";

/// The kinds of targets of which kube-state-metrics tells the size: the label
/// that names one, and the family.
const SIZES: [(&str, &str, &str); 3] = [
    (
        "Deployment",
        "deployment",
        "kube_deployment_(spec|status)_replicas",
    ),
    (
        "StatefulSet",
        "statefulset",
        "kube_statefulset_(|status_)replicas",
    ),
    (
        "ReplicaSet",
        "replicaset",
        "kube_replicaset_(spec|status)_replicas",
    ),
];

/// What kube-state-metrics says of pods.
const OF_PODS: &str = "kube_pod_(container_resource_requests|created|deletion_timestamp|owner|\
     start_time|status_phase|status_ready|status_ready_time)";

/// A name that is made up has as many characters in front of the last five at
/// the most.
const LONGEST_BASE: usize = 58;

/// A window is not cut into shorter ones.
const SHORTEST: SignedDuration = SignedDuration::from_mins(10);
/// So often one HPA is asked for again, and how long first it is waited: twice as
/// long the next time.
const MOST_PAUSES: u32 = 2;
const PAUSE: Duration = Duration::from_millis(500);
/// So often no answer in time may mean a window that is too long.
const MOST_LATE: u8 = 1;

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
    #[error("what answers there is not a Prometheus (status {}{})", .0, in_words(.1))]
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
    /// Since when the pods and what was measured matter, if they do.
    pub pods_since: Option<Timestamp>,
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
    let selectors = selectors(source, hpa)?;
    let mut asking = Asking {
        source,
        queries: 0,
        late: 0,
        pauses: 0,
        scraped: ScrapedSeries::default(),
    };
    for selector in &selectors {
        asking.ask(selector, (from, to)).await?;
    }
    let since = source.pods_since.map(|since| since.max(from));
    if let Some(since) = since.filter(|since| *since < to) {
        asking.ask_for_pods(hpa, (since, to)).await?;
    }
    let mut scraped = asking.scraped;
    scraped.warnings.sort();
    scraped.warnings.dedup();
    Ok(scraped)
}

/// One HPA that is asked for, and what is known of it so far.
struct Asking<'a> {
    source: SeriesSource<'a>,
    queries: usize,
    late: u8,
    pauses: u32,
    scraped: ScrapedSeries,
}

impl Asking<'_> {
    /// Asks for what a selector selects, the oldest first: for shorter windows where
    /// that is too much, and again where the server is busy.
    async fn ask(
        &mut self,
        selector: &str,
        window: (Timestamp, Timestamp),
    ) -> Result<(), PrometheusError> {
        // The oldest on top.
        let mut windows = vec![window];
        while let Some((from, to)) = windows.pop() {
            self.queries += 1;
            if self.queries > MOST_QUERIES {
                return Err(PrometheusError::TooMany);
            }
            match query(self.source, selector, (from, to)).await {
                Ok(answer) => {
                    self.scraped.series.extend(answer.data.result);
                    self.scraped.warnings.extend(answer.warnings);
                }
                Err(error) if error.is_busy() && self.pauses < MOST_PAUSES => {
                    sleep(PAUSE * 2_u32.pow(self.pauses)).await;
                    self.pauses += 1;
                    windows.push((from, to));
                }
                Err(error) => {
                    let is_late =
                        matches!(error, PrometheusError::Unanswered(Unanswered::Timeout(_)));
                    self.late += u8::from(is_late);
                    let is_short = to.duration_since(from) < SHORTEST + SHORTEST;
                    if is_short || self.late > MOST_LATE || !error.is_too_much() {
                        return Err(error);
                    }
                    let middle = from + to.duration_since(from) / 2;
                    windows.extend([(middle, to), (from, middle)]);
                }
            }
        }
        Ok(())
    }

    /// Asks for the pods, behind what owns them.
    async fn ask_for_pods(
        &mut self,
        hpa: &HorizontalPodAutoscaler,
        window: (Timestamp, Timestamp),
    ) -> Result<(), PrometheusError> {
        let target = &hpa.spec.scale_target_ref;
        let labels = self.source.labels;
        let selector = |matchers: &[Matcher]| selector(labels, hpa, matchers);
        let mut owners = vec![target.name.clone()];
        let mut end = "[a-z0-9]{5}";
        match target.kind.as_str() {
            "Deployment" => {
                let sets = selector(&[
                    ("__name__", "=", "kube_replicaset_owner"),
                    ("owner_kind", "=", "Deployment"),
                    ("owner_name", "=", &target.name),
                ]);
                let first = self.scraped.series.len();
                self.ask(&sets, window).await?;
                let names = self.scraped.series[first..].iter();
                owners = names.map(|it| it.label("replicaset").to_owned()).collect();
                owners.sort();
                owners.dedup();
            }
            "StatefulSet" => end = "[0-9]+",
            _ => {}
        }
        let owners: Vec<String> = owners.iter().map(|it| literal(it)).collect();
        if owners.is_empty() {
            return Ok(());
        }
        let pods = format!("({})-{end}", owners.join("|"));
        let of_pods = [
            ("__name__", "=~", OF_PODS),
            ("pod", "=~", pods.as_str()),
            // What the other conditions say, this one says as well.
            ("condition", "=~", "|true"),
        ];
        self.ask(&selector(&of_pods), window).await
    }
}

/// What the name of an owner's pods begins with, in a pattern.
fn literal(name: &str) -> String {
    let base = name.chars().take(LONGEST_BASE - 1);
    base.flat_map(|it| {
        let escape = (!it.is_ascii_alphanumeric() && it != '-').then_some('\\');
        escape.into_iter().chain([it])
    })
    .collect()
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
        // Of the shortest window, even what is too large is no answer.
        matches!(
            self,
            Self::Refused(..) | Self::Foreign(..) | Self::Unanswered(_)
        )
    }

    /// Whether the same may be answered later.
    fn is_busy(&self) -> bool {
        matches!(
            self,
            Self::Failed(429 | 503, _) | Self::Foreign(429 | 503, _)
        )
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

async fn query(
    source: SeriesSource<'_>,
    selector: &str,
    (from, to): (Timestamp, Timestamp),
) -> Result<SeriesAnswer, PrometheusError> {
    let milliseconds = to.as_millisecond() - from.as_millisecond();
    let endpoint = prometheus_query(source.below, &format!("{selector}[{milliseconds}ms]"), to);
    let mut series = Vec::new();
    let take = |one: Series| {
        series.push(one);
        true
    };
    let reply = source.reader.get_list(&endpoint, take).await?;
    let status = reply.status.as_u16();
    // The API server's words, where it is the one who answers.
    let words = || reply.failure().map_or_else(String::new, |it| it.message);
    if matches!(status, 401 | 403) {
        return Err(PrometheusError::Refused(status, words()));
    }
    match reply.body::<SeriesAnswer>() {
        Some(mut answer) if answer.status == "success" => {
            answer.data.result = series;
            Ok(answer)
        }
        Some(answer) if answer.status == "error" => {
            Err(PrometheusError::Failed(status, answer.error))
        }
        _ => Err(PrometheusError::Foreign(status, words())),
    }
}

/// What selects the series of an HPA, and those of its target's size.
fn selectors(
    source: SeriesSource<'_>,
    hpa: &HorizontalPodAutoscaler,
) -> Result<[String; 2], PrometheusError> {
    let target = &hpa.spec.scale_target_ref;
    let (label, family) =
        size(target).ok_or_else(|| PrometheusError::NoSizes(target.kind.clone()))?;
    let of = |families: &str, name: &'static str, value: &str| {
        let matchers = [("__name__", "=~", families), (name, "=", value)];
        selector(source.labels, hpa, &matchers)
    };
    let measured = source.pods_since.map_or("", |_| MEASURED);
    let of_autoscaler = format!("{OF_AUTOSCALER}{measured})");
    let name = &hpa.metadata.name;
    Ok([
        of(&of_autoscaler, "horizontalpodautoscaler", name),
        of(family, label, &target.name),
    ])
}

/// A label, how it is compared, and with what.
type Matcher<'m> = (&'m str, &'m str, &'m str);

/// What selects series of the HPA's namespace.
fn selector(labels: &[SeriesLabel], hpa: &HorizontalPodAutoscaler, matchers: &[Matcher]) -> String {
    let (own, other) = matchers.split_at(1);
    let namespace = [("namespace", "=", hpa.metadata.namespace.as_str())];
    let given = labels
        .iter()
        .map(|it| (it.name.as_str(), "=", it.value.as_str()));
    let all = own.iter().copied().chain(namespace);
    let all = all.chain(other.iter().copied()).chain(given);
    let all = all.map(|(name, how, value)| format!("{name}{how}{}", quoted(value)));
    format!("{{{}}}", all.collect::<Vec<_>>().join(","))
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

/// How the usual charts label the Service that answers queries, and below
/// which path it does: what serves a cluster by itself first.
const CHARTS: [(&str, &str); 9] = [
    ("app=kube-prometheus-stack-prometheus", ""),
    ("app.kubernetes.io/name=prometheus", ""),
    ("app=prometheus,component=server", ""),
    ("operated-prometheus=true", ""),
    ("app.kubernetes.io/name=thanos-query", ""),
    (
        "app.kubernetes.io/name=thanos,app.kubernetes.io/component=query",
        "",
    ),
    (
        "app.kubernetes.io/name in (vmsingle,victoria-metrics-single)",
        "",
    ),
    ("app.kubernetes.io/name=vmselect", "/select/0/prometheus"),
    (
        "app.kubernetes.io/name=mimir,app.kubernetes.io/component in (gateway,nginx)",
        "/prometheus",
    ),
];

/// How the charts call the port that answers queries; the sidecars' are others.
const PORTS: [&str; 5] = ["http-web", "web", "http", "http-query", "https"];

/// A Service that answers queries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PrometheusService {
    /// `NAMESPACE/NAME:PORT`.
    pub name: String,
    /// The path of the API server below which it answers.
    pub path: String,
}

/// The Services of the first chart that is there, by namespace and name; none
/// where none of the charts is.
///
/// # Errors
///
/// The Services cannot be listed.
pub async fn prometheus_services(reader: &Reader) -> Result<Vec<PrometheusService>, CollectError> {
    for (labels, below) in CHARTS {
        let listed: Vec<Service> = pages(reader, &services(labels)).await?;
        let found = listed.iter().filter_map(|it| answering(it, below));
        let mut found: Vec<PrometheusService> = found.collect();
        found.sort_by(|one, other| one.name.cmp(&other.name));
        if !found.is_empty() {
            return Ok(found);
        }
    }
    Ok(Vec::new())
}

fn answering(service: &Service, below: &str) -> Option<PrometheusService> {
    let metadata = &service.metadata;
    let (namespace, name) = (metadata.namespace.as_ref()?, metadata.name.as_ref()?);
    let ports = service.spec.as_ref()?.ports.as_ref()?;
    let is_called = |port: &&ServicePort, name: &str| port.name.as_deref() == Some(name);
    let mut called = PORTS.iter();
    let port = called.find_map(|name| ports.iter().find(|port| is_called(port, name)));
    let port = port.or(ports.first())?;
    let scheme = if is_called(&port, "https") {
        "https:"
    } else {
        ""
    };
    let number = port.port;
    Some(PrometheusService {
        name: format!("{namespace}/{name}:{number}"),
        path: service_proxy(namespace, &format!("{scheme}{name}:{number}")) + below,
    })
}

#[cfg(test)]
mod tests {
    use k8s_openapi::api::core::v1::Service;
    use serde_json::{from_value, json};

    use super::{answering, quoted};

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

    #[test]
    fn the_port_is_the_one_that_answers_queries() {
        let rows = [
            (
                json!([{"name": "reloader-web", "port": 8080}, {"name": "http-web", "port": 9090}]),
                "/api/v1/namespaces/mon/services/prom:9090/proxy",
            ),
            (
                json!([{"name": "any", "port": 8481}]),
                "/api/v1/namespaces/mon/services/prom:8481/proxy",
            ),
            (
                json!([{"name": "https", "port": 9091}]),
                "/api/v1/namespaces/mon/services/https:prom:9091/proxy",
            ),
        ];
        for (ports, path) in rows {
            let service: Service = from_value(json!({
                "metadata": {"namespace": "mon", "name": "prom"}, "spec": {"ports": ports}
            }))
            .expect("a service");
            let found = answering(&service, "").map(|it| it.path);
            assert_eq!(found.as_deref(), Some(path), "{ports}");
        }
        let portless: Service =
            from_value(json!({"metadata": {"namespace": "a", "name": "b"}})).expect("a service");
        assert_eq!(answering(&portless, ""), None);
    }
}
