//! A connection to a cluster, and what there is to say about it.

use std::future::Future;

use jiff::SignedDuration;
use tokio::signal::ctrl_c;

use super::connection_error::{no_client, not_collected};
use super::options::given;
use super::waiting::Waiting;
use crate::budget;
use crate::cli::failure::{Failure, Interrupted};
use crate::cli::{connection::Connection, exit::INTERRUPTED, terminal::Terminal};
use crate::collect::{CollectError, Reader, Sent, SurveyTally, client};
use crate::trace::seconds_text;

/// Clocks that differ by no more than this are said nothing of.
const CLOCKS_APART: SignedDuration = SignedDuration::from_secs(2);

/// Said where no answer has a `Date` header.
const NO_CLOCK: &str =
    "warning: the API server's responses have no Date: using this machine's clock";

/// A connection to a cluster.
pub struct Session {
    /// Who asks.
    pub reader: Reader,
    /// The namespace that is asked for, by flag or by context.
    pub namespace: String,
    server: String,
    shows_requests: bool,
    waiting: Waiting,
}

impl Session {
    /// Resolves flags and kubeconfig; nothing is sent yet, but an exec plugin
    /// may run.
    pub async fn open(connection: &Connection, namespace: Option<&str>) -> anyhow::Result<Self> {
        Self::open_for(1, connection, namespace).await
    }

    /// The same for more than a few HPAs: together, the requests may take so
    /// many times as long.
    pub async fn open_for(
        times: u32,
        connection: &Connection,
        namespace: Option<&str>,
    ) -> anyhow::Result<Self> {
        let config = connection.config().await?;
        let server = config.cluster_url.to_string();
        let namespace =
            given(namespace).map_or_else(|| config.default_namespace.clone(), str::to_owned);
        let client = client(config).map_err(|error| no_client(&error))?;
        let mut patience = connection.patience();
        patience.whole = patience.whole.saturating_mul(times);
        Ok(Self {
            reader: Reader::new(client, patience),
            namespace,
            server,
            shows_requests: connection.show_requests,
            waiting: Waiting::start(),
        })
    }

    /// Why something that is needed cannot be read, with the next step.
    pub fn failure(&self, error: &CollectError) -> anyhow::Error {
        not_collected(error, &self.server, &self.namespace)
    }

    /// Why HPAs cannot be listed. Who may not see all namespaces may see one;
    /// `role` is the command that prints what else is needed.
    pub fn not_listed(
        &self,
        error: &CollectError,
        verb: &str,
        namespace: Option<&str>,
        role: &str,
    ) -> anyhow::Error {
        if !error.is_forbidden() {
            return self.failure(error);
        }
        let role = format!("`{role}` prints the required role");
        let hint = match namespace {
            None => format!("{verb} one namespace with -n; {role}"),
            Some(_) => role,
        };
        Failure::stated(error.to_string(), hint)
    }

    /// Where it is noted how far the reading is, for those who wait.
    pub fn tally(&self) -> &SurveyTally {
        self.waiting.tally()
    }

    /// Says what the answers say beside their content: the server's warnings,
    /// its clock, and on demand every request.
    pub fn report(&self, terminal: &mut Terminal) {
        self.waiting.end();
        for warning in self.reader.warnings() {
            terminal.complain(&format!("Warning: {warning}"));
        }
        match self.reader.clock_ahead() {
            Some(ahead) => {
                if let Some(text) = clocks_apart(ahead) {
                    terminal.complain(&text);
                }
            }
            None if self.reader.sent().iter().any(|sent| sent.status.is_some()) => {
                terminal.complain(NO_CLOCK);
            }
            None => {}
        }
        self.say_requests(terminal);
    }

    /// Says on demand every request since this was last done, and forgets
    /// them.
    pub fn say_requests(&self, terminal: &mut Terminal) {
        let sent = self.reader.take_sent();
        if self.shows_requests {
            say_requests(&sent, terminal);
        }
    }
}

/// Says what was asked.
pub fn say_requests(sent: &[Sent], terminal: &mut Terminal) {
    for sent in sent {
        terminal.complain(&line(sent));
    }
}

/// What to say of a clock that is ahead of the server's.
fn clocks_apart(ahead: SignedDuration) -> Option<String> {
    if ahead.abs() <= CLOCKS_APART {
        return None;
    }
    let side = if ahead.is_negative() {
        "behind"
    } else {
        "ahead of"
    };
    let by = seconds_text(ahead.abs().as_secs());
    Some(format!(
        "warning: this machine's clock is {by} {side} the API server's, which counts"
    ))
}

/// `GET /version  200  3ms`.
fn line(sent: &Sent) -> String {
    let status = match sent.status {
        Some(status) => status.to_string(),
        None => "no answer".to_owned(),
    };
    format!(
        "{} {}  {status}  {}ms",
        sent.method,
        sent.path,
        sent.took.as_millis()
    )
}

/// Runs what waits for a cluster, on this thread.
pub fn block_on<T>(work: impl Future<Output = anyhow::Result<T>>) -> anyhow::Result<T> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_io()
        .enable_time()
        .build()?;
    let result = runtime.block_on(work);
    // A name server that does not answer is asked on a thread of its own,
    // which nobody waits for.
    runtime.shutdown_background();
    result
}

/// Does the work, unless somebody ends it with a key.
pub fn until_interrupted<T>(work: impl Future<Output = anyhow::Result<T>>) -> anyhow::Result<T> {
    block_on(async {
        tokio::select! {
            result = work => result,
            // A picker before this has taken Ctrl-C over from the system.
            _ = ctrl_c() => Err(Interrupted.into()),
        }
    })
}

/// Does the work with what was read when somebody ends it with a key.
pub fn as_far_as_read<T>(work: impl Future<Output = anyhow::Result<T>>) -> anyhow::Result<T> {
    budget::catch_interrupt(INTERRUPTED)?;
    block_on(work)
}

#[cfg(test)]
mod tests {
    use jiff::SignedDuration;

    use super::clocks_apart;

    #[test]
    fn a_difference_of_more_than_two_seconds_is_said() {
        let text = |millis| clocks_apart(SignedDuration::from_millis(millis));
        assert_eq!(text(2_000), None);
        assert_eq!(text(-2_000), None);
        let ahead = text(62_000).expect("a warning");
        assert!(ahead.contains("1m2s ahead of the API server's"), "{ahead}");
        let behind = text(-2_500).expect("a warning");
        assert!(behind.contains("2s behind the API server's"), "{behind}");
        let long = text(17_520_000).expect("a warning");
        assert!(long.len() <= 78, "{long}");
    }
}
