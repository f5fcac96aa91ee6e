//! The cluster's side: connect, ask what the controller asks, and put the
//! answers into a [`crate::document::snapshot::Snapshot`].
//!
//! One HPA in `autoscaler`, many in `survey`, one over time in `watch`; `connect` and
//! `request` know nothing of these.
//!
//! Nothing here writes to the cluster: of requests that would, only those with
//! `dryRun=All` are sent. Nothing here knows the algorithm.

mod autoscaler;
mod cluster;
mod connect;
mod listed;
mod metrics;
mod prometheus;
mod request;
mod survey;
mod target;
mod watch;

pub use autoscaler::supplements::METRICS_APIS;
pub use autoscaler::{autoscaler, collect, dry_run_create, dry_run_patch, gather};
pub use cluster::{Cluster, RoomReading};
pub use connect::{
    Audience, ClientError, ConfigError, ConnectionFlags, Environment, InCluster, PROXY_VARIABLES,
    PluginError, ProxyFault, Unreachable, client, config_outside_cluster, load,
};
pub use listed::{autoscalers, namespaces};
pub use prometheus::{
    PrometheusError, ScrapedSeries, SeriesLabel, SeriesSource, prometheus_services, scraped,
};
pub use request::{
    CollectError, Patience, Reader, Right, Sent, StatusReason, Unanswered, interrupted,
};
pub use survey::{Scope, Survey, SurveyTally, Unusable, survey};
pub use target::owners;
pub use watch::{Backoff, Pace, Start, WatchNews, watch};
