//! What is kept of a log for one HPA.

use jiff::{SignedDuration, Timestamp};

use super::clock::in_zone;
use crate::history::Subject;
use crate::trace::amount::counted;

use super::statement::{About, Statement, What};
use super::{ControllerLog, LoggedError, LoggedPass, LoggedRescale, LoggedUnchanged};

/// So many lines of a kind are kept, the latest ones: with a pass a second,
/// that is more than two hours of them.
const MOST: usize = 10_000;

/// So long before its moment an HPA's log matters.
const SPAN: SignedDuration = SignedDuration::from_hours(2);

/// A zone may move a line by so much, either way.
const FARTHEST_ZONE: SignedDuration = SignedDuration::from_hours(15);

/// A line that names an HPA without its namespace belongs to the pass that
/// was logged no longer ago than this.
const ONE_PASS: SignedDuration = SignedDuration::from_secs(10);

/// More of a sentence tells nothing.
const MOST_CHARS: usize = 512;

/// A moment of the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Moment {
    /// The moment, as if the host's zone were UTC if it is the host's.
    pub at: Timestamp,
    /// Whether it is on the host's calendar.
    pub is_on_host: bool,
}

impl Moment {
    /// The moment itself, on a host whose zone is so far ahead of UTC.
    pub fn in_utc(self, zone: Option<SignedDuration>) -> Timestamp {
        if self.is_on_host {
            in_zone(self.at, zone.unwrap_or_default())
        } else {
            self.at
        }
    }
}

/// The lines about one HPA, until the zone is known.
#[derive(Debug)]
pub(super) struct Collector {
    subject: Subject,
    target: String,
    autoscaler: String,
    latest_pass: Option<Timestamp>,
    passes: Vec<(Moment, i32, String)>,
    rescales: Vec<(Moment, (i32, i32), String)>,
    unchanged: Vec<(Moment, i32)>,
    errors: Vec<(Moment, String)>,
    unread: Vec<Moment>,
}

impl Collector {
    pub fn new(subject: Subject) -> Self {
        let Subject {
            namespace,
            name,
            target_kind,
            target_name,
            ..
        } = &subject;
        Self {
            target: format!("{target_kind}/{namespace}/{target_name}"),
            autoscaler: format!("{namespace}/{name}"),
            subject,
            latest_pass: None,
            passes: Vec::new(),
            rescales: Vec::new(),
            unchanged: Vec::new(),
            errors: Vec::new(),
            unread: Vec::new(),
        }
    }

    /// Forgets all lines.
    pub fn clear(&mut self) {
        *self = Self::new(self.subject.clone());
    }

    /// Keeps a line that is about the HPA and may be of its time.
    pub fn take(&mut self, moment: Moment, (about, what): &Statement<'_>) {
        let age = self.subject.at.duration_since(moment.at);
        if age < -FARTHEST_ZONE || age > SPAN + FARTHEST_ZONE || !self.is_about(moment, about) {
            return;
        }
        match *what {
            What::Start => {}
            What::Pass {
                recommendation,
                metric,
                ..
            } => {
                self.latest_pass = Some(moment.at);
                push(&mut self.passes, (moment, recommendation, short(metric)));
            }
            What::Rescale { from, to, reason } => {
                push(&mut self.rescales, (moment, (from, to), short(reason)));
            }
            What::Unchanged { replicas } => push(&mut self.unchanged, (moment, replicas)),
            What::Error { text } => push(&mut self.errors, (moment, short(text))),
            What::Unread => push(&mut self.unread, moment),
        }
    }

    fn is_about(&self, moment: Moment, about: &About<'_>) -> bool {
        match *about {
            About::All => true,
            About::Target(target) => target == self.target,
            About::Autoscaler(autoscaler) => autoscaler == self.autoscaler,
            About::Name(name) => {
                let since_pass = self.latest_pass.map(|at| moment.at.duration_since(at));
                name == self.subject.name && since_pass.is_some_and(|since| since <= ONE_PASS)
            }
            About::Sentence(text) => names(text, &self.target) || names(text, &self.autoscaler),
        }
    }

    /// What there is to say of the two hours before the HPA's moment.
    pub fn finish(self, zone: Option<SignedDuration>, starts: &[Timestamp]) -> ControllerLog {
        let until = self.subject.at;
        let is_kept = |at: Timestamp| at <= until && until.duration_since(at) <= SPAN;
        let kept = |moment: Moment| Some(moment.in_utc(zone)).filter(|at| is_kept(*at));
        let passes: Vec<LoggedPass> = self
            .passes
            .into_iter()
            .filter_map(|(moment, recommendation, metric)| {
                Some(LoggedPass {
                    at: kept(moment)?,
                    recommendation,
                    metric,
                })
            })
            .collect();
        let rescales = self
            .rescales
            .into_iter()
            .filter_map(|(moment, (from, to), reason)| {
                Some(LoggedRescale {
                    at: kept(moment)?,
                    from,
                    to,
                    reason,
                })
            });
        let unchanged = self.unchanged.into_iter().filter_map(|(moment, replicas)| {
            Some(LoggedUnchanged {
                at: kept(moment)?,
                replicas,
            })
        });
        let errors = self.errors.into_iter().filter_map(|(moment, text)| {
            Some(LoggedError {
                at: kept(moment)?,
                text,
            })
        });
        let unread: Vec<Timestamp> = self.unread.into_iter().filter_map(kept).collect();
        let silence = format!(
            "it has no recommendation for {} in the two hours before {until}; the controller logs them with -v=4",
            self.autoscaler
        );
        let mut remarks: Vec<String> = passes.is_empty().then_some(silence).into_iter().collect();
        if !unread.is_empty() {
            let lines = counted(unread.len(), "line");
            let about = &self.autoscaler;
            remarks.push(format!(
                "ignored {lines} about {about}: a number is not a replica count"
            ));
        }
        ControllerLog {
            covers: None,
            unread,
            starts: starts.iter().copied().filter(|at| is_kept(*at)).collect(),
            rescales: rescales.collect(),
            unchanged: unchanged.collect(),
            errors: errors.collect(),
            remarks,
            passes,
        }
    }
}

/// Keeps the latest: once too many are there, the older half goes.
pub(super) fn push<T>(lines: &mut Vec<T>, line: T) {
    if lines.len() >= 2 * MOST {
        lines.drain(..MOST);
    }
    lines.push(line);
}

fn short(text: &str) -> String {
    text.chars().take(MOST_CHARS).collect()
}

/// Whether a sentence has the name as a whole word.
fn names(sentence: &str, name: &str) -> bool {
    let is_of_name = |char: char| char.is_alphanumeric() || "-./".contains(char);
    sentence.match_indices(name).any(|(at, name)| {
        let before = sentence[..at].chars().next_back();
        let after = sentence[at + name.len()..].chars().next();
        !before.is_some_and(is_of_name) && !after.is_some_and(is_of_name)
    })
}
