//! The Prometheus of a cluster, found by the labels that the usual charts give
//! its Service, and asked through the API server's proxy.

use k8s_openapi::api::core::v1::{Service, ServicePort};

use super::request::pages::pages;
use super::request::paths::{service_proxy, services};
use super::request::{CollectError, Reader};

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

    use super::answering;

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
