//! A Prometheus as a source of history.

use std::fmt::Display;
use std::panic::resume_unwind;
use std::path::PathBuf;
use std::{env, thread};

use anyhow::{Context as _, bail, ensure};
use clap::Args;
use http::header::AUTHORIZATION;
use http::{HeaderName, HeaderValue, Uri};
use jiff::{SignedDuration, Timestamp};

use super::reading::Reading;
use crate::api::HorizontalPodAutoscaler;
use crate::cli::connection::{Connection, environment};
use crate::cli::connection_error::{no_client, no_configuration};
use crate::cli::session::{say_requests, until_interrupted};
use crate::cli::{
    failure::Failure, kind::read_text, live::AT_ONCE, options::time, terminal::Terminal,
};
use crate::collect::{
    CollectError, ConfigError, Patience, PrometheusError, Reader, ScrapedSeries, SeriesLabel,
    SeriesSource, Unanswered, client, config_outside_cluster, prometheus_services, scraped,
};
use crate::history::{Scrapes, ScrapesError};

/// The variable that has the address where the flag has none.
const VARIABLE: &str = "HPA_EXPLAIN_PROMETHEUS";
/// The variables that have who asks. Of flags, others see the values.
const USER: &str = "HPA_EXPLAIN_PROMETHEUS_USER";
const PASSWORD: &str = "HPA_EXPLAIN_PROMETHEUS_PASSWORD";

#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Earlier passes")]
pub struct PrometheusFlags {
    /// Ask a Prometheus for earlier sizes; without URL, that of
    /// `HPA_EXPLAIN_PROMETHEUS`, or one that is found in the cluster
    #[arg(
        long,
        value_name = "URL",
        num_args = 0..=1,
        default_missing_value = "",
        value_parser = Address::parse,
        group = "earlier"
    )]
    prometheus: Option<Address>,
    /// Only series with this label, such as cluster=prod; can be repeated
    #[arg(long, value_name = "NAME=VALUE", value_parser = label, requires = "prometheus",
        hide_short_help = true)]
    prometheus_label: Vec<SeriesLabel>,
    /// Send this header as well, such as X-Scope-OrgID=prod; can be repeated
    #[arg(long, value_name = "NAME=VALUE", value_parser = header, requires = "prometheus",
        hide_short_help = true)]
    prometheus_header: Vec<(HeaderName, HeaderValue)>,
    /// Read the bearer token for the Prometheus from this file
    #[arg(
        long,
        value_name = "FILE",
        requires = "prometheus",
        hide_short_help = true
    )]
    prometheus_token_file: Option<PathBuf>,
    /// Trust the certificates of this file instead of the system's; a
    /// Prometheus in the cluster is asked as the cluster is
    #[arg(
        long,
        value_name = "FILE",
        requires = "prometheus",
        hide_short_help = true
    )]
    prometheus_ca_file: Option<PathBuf>,
}

/// Where a Prometheus is.
#[derive(Clone, Debug)]
enum Address {
    /// There.
    Given(Uri),
    /// Where the environment says, or in the cluster.
    Unknown,
}

impl Address {
    /// Reads the flag's value; what is empty was not given.
    fn parse(text: &str) -> anyhow::Result<Self> {
        if text.is_empty() {
            return Ok(Self::Unknown);
        }
        address(text).map(Self::Given)
    }
}

/// A Prometheus that can be queried.
struct Reached {
    reader: Reader,
    /// The path below which it answers.
    below: String,
    /// What it is called in messages.
    name: String,
    /// What it is called where nobody named it.
    note: Option<String>,
    is_in_cluster: bool,
}

/// What was read of each HPA, and what to warn of; or why no more were asked for.
type Queried<T> = anyhow::Result<(Vec<Option<T>>, Vec<String>)>;

/// HPAs, and the moments before which their past matters.
type Subjects = [(HorizontalPodAutoscaler, Timestamp)];

impl PrometheusFlags {
    /// Whether one is to be queried.
    pub fn is_given(&self) -> bool {
        self.prometheus.is_some()
    }

    /// What was scraped of HPAs before their moments, in their order. Of one
    /// HPA, there must be something; of several, those without are warned of.
    /// Errors: there is none, it does not answer, or tells nothing of the only HPA.
    pub fn scraped(
        &self,
        hpas: &Subjects,
        reading: Reading,
        terminal: &mut Terminal,
    ) -> anyhow::Result<Vec<Option<Scrapes>>> {
        let of_passes = reading.pods_of(hpas.len()).is_some();
        self.query(hpas, reading, terminal, |hpa, read| {
            Scrapes::new(hpa, &read.series, &read.warnings, of_passes)
        })
    }

    /// The series of an HPA before a moment, if they tell of it.
    pub fn series(
        &self,
        hpa: &HorizontalPodAutoscaler,
        until: Timestamp,
        reading: Reading,
        terminal: &mut Terminal,
    ) -> anyhow::Result<ScrapedSeries> {
        let hpas = [(hpa.clone(), until)];
        let read = self.query(&hpas, reading, terminal, |hpa, read| {
            Scrapes::new(hpa, &read.series, &read.warnings, true).map(|_| read)
        })?;
        Ok(read.into_iter().flatten().next().unwrap_or_default())
    }

    fn query<T: Send>(
        &self,
        hpas: &Subjects,
        reading: Reading,
        terminal: &mut Terminal,
        take: impl Fn(&HorizontalPodAutoscaler, ScrapedSeries) -> Result<T, ScrapesError> + Send,
    ) -> anyhow::Result<Vec<Option<T>>> {
        if !self.is_given() || hpas.is_empty() {
            return Ok(Vec::new());
        }
        // On a thread of its own: some callers are within a runtime.
        let (found, queried) = thread::scope(|scope| {
            let asks = scope.spawn(|| until_interrupted(self.query_each(hpas, reading, take)));
            asks.join().unwrap_or_else(|panic| resume_unwind(panic))
        })?;
        if let Some(note) = found.note {
            terminal.warn_once(&note);
        }
        if reading.connection.show_requests {
            say_requests(&found.reader.take_sent(), terminal);
        }
        let (all, warnings) = queried?;
        for warning in warnings {
            terminal.warn_once(&warning);
        }
        Ok(all)
    }

    async fn query_each<T>(
        &self,
        hpas: &Subjects,
        reading: Reading<'_>,
        take: impl Fn(&HorizontalPodAutoscaler, ScrapedSeries) -> Result<T, ScrapesError>,
    ) -> anyhow::Result<(Reached, Queried<T>)> {
        let mut patience = reading.connection.patience();
        let times = u32::try_from(hpas.len().div_ceil(AT_ONCE)).unwrap_or(u32::MAX);
        patience.whole = patience.whole.saturating_mul(times);
        let found = self.found(reading.connection, patience).await?;
        let queried = self.read_each(hpas, &found, reading, take).await;
        Ok((found, queried))
    }

    async fn read_each<T>(
        &self,
        hpas: &Subjects,
        found: &Reached,
        reading: Reading<'_>,
        take: impl Fn(&HorizontalPodAutoscaler, ScrapedSeries) -> Result<T, ScrapesError>,
    ) -> Queried<T> {
        let (mut all, mut warnings) = (Vec::new(), Vec::new());
        let pods = reading.pods_of(hpas.len());
        for (hpa, until) in hpas {
            let from = until.checked_sub(reading.span);
            let window = (from.unwrap_or(Timestamp::UNIX_EPOCH), *until);
            let source = SeriesSource {
                reader: &found.reader,
                below: &found.below,
                labels: &self.prometheus_label,
                pods_since: pods.and_then(|span| until.checked_sub(span).ok()),
            };
            let result = match scraped(source, hpa, window).await {
                Ok(read) => take(hpa, read).map_err(|error| found.failed(&error, NO_SERIES)),
                Err(error) if error.is_of_all() => {
                    return Err(found.failed(&error, found.next_step(&error)));
                }
                Err(error) => Err(found.failed(&error, found.next_step(&error))),
            };
            match result {
                Ok(read) => all.push(Some(read)),
                Err(error) if hpas.len() == 1 => return Err(error),
                Err(error) => {
                    warnings.extend(Failure::lines(&error));
                    all.push(None);
                }
            }
        }
        Ok((all, warnings))
    }

    /// The Prometheus that is meant. Only one that nobody names is looked for.
    async fn found(&self, connection: &Connection, patience: Patience) -> anyhow::Result<Reached> {
        let given = match &self.prometheus {
            Some(Address::Given(address)) => Some(address.clone()),
            _ => from_environment()?,
        };
        let Some(address) = given else {
            return self.found_in_cluster(connection, patience).await;
        };
        let authorities = self.prometheus_ca_file.as_deref();
        let authorities = authorities.map(|path| read_text(path, PEM)).transpose()?;
        let config =
            config_outside_cluster(address.clone(), authorities.as_deref(), &environment());
        let mut config = config.map_err(|error| match error {
            ConfigError::NoAuthority => {
                Failure::error(format!("--prometheus-ca-file: {error}"), PEM)
            }
            error => no_configuration(&error, None),
        })?;
        config.headers.clone_from(&self.prometheus_header);
        let auth = &mut config.auth_info;
        if let Some(path) = &self.prometheus_token_file {
            let hint = "--prometheus-token-file takes a file that holds the token alone";
            let token = read_text(path, hint)?;
            auth.token = Some(token.trim().to_owned().into());
        } else {
            let set = |name| env::var(name).ok().filter(|text| !text.is_empty());
            auth.username = set(USER);
            auth.password = set(PASSWORD).map(Into::into);
        }
        let client = client(config).map_err(|error| no_client(&error))?;
        Ok(Reached {
            reader: Reader::new(client, patience),
            below: String::new(),
            name: address.to_string(),
            note: None,
            is_in_cluster: false,
        })
    }

    /// Looks for one in the cluster, and asks it through the API server with
    /// the user's own credentials.
    async fn found_in_cluster(
        &self,
        connection: &Connection,
        patience: Patience,
    ) -> anyhow::Result<Reached> {
        let mut config = connection.config().await?;
        config.headers.extend(self.prometheus_header.clone());
        let client = client(config).map_err(|error| no_client(&error))?;
        let reader = Reader::new(client, patience);
        let services = prometheus_services(&reader).await;
        let services = services.map_err(|error| not_looked_for(&error))?;
        let Some((first, others)) = services.split_first() else {
            return Err(Failure::error(
                "no Prometheus was found in the cluster: no Service has the labels of the usual charts",
                GIVE_URL,
            ));
        };
        let others = others.iter().map(|it| format!(", not {}", it.name));
        let others: String = others.collect();
        Ok(Reached {
            reader,
            below: first.path.clone(),
            name: first.name.clone(),
            note: Some(format!(
                "note: asking the Prometheus {}{others} through the API server",
                first.name
            )),
            is_in_cluster: true,
        })
    }
}

/// What a file of certificates is to be.
const PEM: &str = "--prometheus-ca-file takes a file of PEM certificates";

/// What to do where a Prometheus cannot be found.
const GIVE_URL: &str =
    "give its address with --prometheus URL; `kubectl port-forward` makes a Service reachable";

/// What to do where it does not know an HPA.
const NO_SERIES: &str = "it must scrape kube-state-metrics with honorLabels: true; --prometheus-label tells clusters apart";

fn not_looked_for(error: &CollectError) -> anyhow::Error {
    let hint = if error.is_forbidden() {
        "`kubectl hpa-explain rbac --prometheus` prints the required role; or give --prometheus URL"
    } else {
        GIVE_URL
    };
    let reason = error.reason();
    Failure::error(format!("cannot look for a Prometheus: {reason}"), hint)
}

impl Reached {
    fn failed(&self, error: &impl Display, hint: &str) -> anyhow::Error {
        Failure::error(format!("Prometheus at {}: {error}", self.name), hint)
    }

    fn next_step(&self, error: &PrometheusError) -> &'static str {
        match error {
            PrometheusError::Unanswered(Unanswered::Timeout(_) | Unanswered::Late(_)) => {
                "give it more time with --request-timeout, or ask for a shorter time with --for or --since"
            }
            PrometheusError::Refused(..) if self.is_in_cluster => {
                "`kubectl hpa-explain rbac --prometheus` prints the required role; or give --prometheus URL"
            }
            PrometheusError::Refused(..) => {
                "give a token with --prometheus-token-file, or user and password with \
                 HPA_EXPLAIN_PROMETHEUS_USER and HPA_EXPLAIN_PROMETHEUS_PASSWORD"
            }
            PrometheusError::Unanswered(_) | PrometheusError::Foreign(..) if self.is_in_cluster => {
                GIVE_URL
            }
            PrometheusError::Unanswered(_) => {
                "check the URL; `kubectl port-forward` makes a Service of the cluster reachable"
            }
            PrometheusError::Foreign(..) => {
                "check the URL, its path included: /api/v1/query is appended to it"
            }
            PrometheusError::Failed(..) | PrometheusError::TooMany => {
                "ask for a shorter time with --for or --since"
            }
            PrometheusError::NoSizes(_) => "a record (`watch --record`) tells of any target",
        }
    }
}

/// The address that the environment has.
fn from_environment() -> anyhow::Result<Option<Uri>> {
    let text = env::var(VARIABLE).unwrap_or_default();
    if text.is_empty() {
        return Ok(None);
    }
    let address = address(&text).map_err(|error| {
        let hint = format!("correct {VARIABLE}, or give --prometheus URL");
        Failure::error(format!("{VARIABLE}: {error}"), hint)
    })?;
    Ok(Some(address))
}

/// Reads a header. One that holds a secret is refused: others see what is
/// typed.
fn header(text: &str) -> anyhow::Result<(HeaderName, HeaderValue)> {
    const FORM: &str = "must be NAME=VALUE, such as X-Scope-OrgID=prod";
    let (name, value) = text.split_once('=').context(FORM)?;
    let name: HeaderName = name.parse().context(FORM)?;
    ensure!(
        name != AUTHORIZATION,
        "must not hold a password, which others see in the list of processes; {USER} and \
         {PASSWORD}, or --prometheus-token-file, are for that"
    );
    Ok((name, value.parse().context(FORM)?))
}

/// Reads an address.
fn address(text: &str) -> anyhow::Result<Uri> {
    const FORM: &str = "must be a URL such as http://localhost:9090";
    let uri: Uri = text.parse().context(FORM)?;
    let authority = uri.authority().context(FORM)?;
    ensure!(
        !authority.as_str().contains('@'),
        "must not hold a password, which others see in the list of processes"
    );
    let is_web = matches!(uri.scheme_str(), Some("http" | "https"));
    ensure!(is_web && uri.query().is_none(), FORM);
    Ok(uri)
}

/// Reads a label.
fn label(text: &str) -> anyhow::Result<SeriesLabel> {
    let is_part = |it: char| it.is_ascii_alphanumeric() || it == '_';
    match text.split_once('=') {
        Some((name, value))
            if name.chars().all(is_part) && name.starts_with(|it: char| !it.is_ascii_digit()) =>
        {
            Ok(SeriesLabel {
                name: name.to_owned(),
                value: value.to_owned(),
            })
        }
        _ => bail!("must be NAME=VALUE, such as cluster=prod"),
    }
}

/// Reads how far back to look.
pub fn span(text: &str) -> anyhow::Result<SignedDuration> {
    time(text, "6h or 14d")
}

#[cfg(test)]
mod tests {
    use super::{address, header, label, span};

    #[test]
    fn what_is_typed_is_read_or_refused() {
        for (text, is_read) in [
            ("http://localhost:9090", true),
            ("https://metrics.example/prometheus", true),
            ("web", false),
            ("localhost:9090", false),
            ("ftp://localhost", false),
            ("http://user:secret@localhost", false),
            ("http://localhost?query=up", false),
        ] {
            assert_eq!(address(text).is_ok(), is_read, "{text}");
        }
        for (text, is_read) in [
            ("cluster=prod", true),
            ("a=", true),
            ("=b", false),
            ("a\"}=b", false),
            ("1=b", false),
            ("a", false),
        ] {
            assert_eq!(label(text).is_ok(), is_read, "{text}");
        }
        for (text, is_read) in [
            ("X-Scope-OrgID=prod", true),
            ("X-Scope-OrgID: prod", false),
            ("a b=c", false),
            ("authorization=Bearer x", false),
        ] {
            assert_eq!(header(text).is_ok(), is_read, "{text}");
        }
        for (text, hours) in [
            ("14d", Some(336)),
            ("6h", Some(6)),
            ("0d", None),
            ("-1h", None),
            ("soon", None),
        ] {
            assert_eq!(span(text).ok().map(|it| it.as_hours()), hours, "{text}");
        }
    }
}
