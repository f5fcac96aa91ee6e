//! The kube-controller-manager's own log: what it recommended and did, pass
//! by pass, where it runs with `-v=4`.
//!
//! Its text form has neither year nor zone. The year is that of the moment
//! for which the log is read; the zone follows from the times of the metrics,
//! which stand in the lines in UTC, shortly before the line's own.

mod clock;
mod line;
mod statement;

use std::io::BufRead;

use jiff::{SignedDuration, Timestamp};

use crate::api::beginning;
use crate::document::snapshot::{Ending, next_line};
use crate::document::{Encoding, TextError};
use crate::history::Subject;
use crate::trace::amount::counted;
use clock::{Clock, FARTHEST_ZONE, in_zone};
use line::{Line, When};
use statement::{About, Statement, What, reported};

/// A longer line is of something else.
const MOST_BYTES: usize = 64 << 10;

/// A log that goes back by more is two logs, the newer one first.
const BACK: SignedDuration = SignedDuration::from_secs(60);

/// What the log says of one HPA in the two hours before a moment: no window
/// and no period is longer than one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ControllerLog {
    /// The first and the last line of the log, whatever they say: of what is
    /// outside, the log's silence says nothing.
    pub covers: Option<(Timestamp, Timestamp)>,
    /// When a controller started, with an empty memory.
    pub starts: Vec<Timestamp>,
    /// The passes that computed a recommendation.
    pub passes: Vec<LoggedPass>,
    /// The passes that changed the size.
    pub rescales: Vec<LoggedRescale>,
    /// The passes that did not.
    pub unchanged: Vec<LoggedUnchanged>,
    /// What went wrong, in whole or in part.
    pub errors: Vec<LoggedError>,
    /// When it says what cannot be read: it is not complete before that.
    pub unread: Vec<Timestamp>,
    /// What a reader of the result should know of it.
    pub remarks: Vec<String>,
}

/// A pass that computed a recommendation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoggedPass {
    /// When the line was written: behind the metrics, before the memory is
    /// looked at.
    pub at: Timestamp,
    /// The replicas that the metrics asked for, before stabilization.
    pub recommendation: i32,
    /// The metric that asked for most.
    pub metric: String,
}

/// A change of the size that was carried out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoggedRescale {
    /// When the line was written: behind the scale's, shortly before or after
    /// the change is remembered.
    pub at: Timestamp,
    /// The replicas before.
    pub from: i32,
    /// The replicas after.
    pub to: i32,
    /// The controller's reason.
    pub reason: String,
}

/// A pass that left the size as it was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoggedUnchanged {
    /// When the line was written.
    pub at: Timestamp,
    /// The size.
    pub replicas: i32,
}

/// A pass that failed, in whole or in part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoggedError {
    /// When the line was written.
    pub at: Timestamp,
    /// The controller's sentence, as far as it is needed to tell it.
    pub text: String,
}

impl ControllerLog {
    /// Reads a log once for several HPAs: what it says of each, in their
    /// order. It holds what is kept, not the log; lines that are none of the
    /// controller's are read over.
    ///
    /// # Errors
    ///
    /// The log cannot be read, or is no text.
    pub fn read(mut log: impl BufRead, subjects: Vec<Subject>) -> Result<Vec<Self>, TextError> {
        let latest = subjects.iter().map(|subject| subject.at).max();
        let mut reader = Reader::new(latest.unwrap_or_default(), subjects);
        let mut line = Vec::new();
        let mut is_first = true;
        while let Some(ending) = next_line(MOST_BYTES, &mut log, &mut line)? {
            if is_first && let Some(encoding) = Encoding::of(&line) {
                return Err(TextError::Other(encoding));
            }
            is_first = false;
            if ending != Ending::TooFar {
                reader.line(&String::from_utf8_lossy(&line));
            }
        }
        Ok(reader.finish())
    }
}

/// A log on its way to what is kept of it.
#[derive(Default)]
struct Reader {
    clock: Clock,
    process: Option<String>,
    first: Option<Moment>,
    last: Option<Moment>,
    /// Moments at which a controller started, the latest last.
    starts: Vec<Moment>,
    /// Whether the latest start is only known from a new process.
    is_new_process: bool,
    goes_back: bool,
    collectors: Vec<Collector>,
}

impl Reader {
    fn new(latest: Timestamp, subjects: Vec<Subject>) -> Self {
        Self {
            clock: Clock::new(latest),
            collectors: subjects.into_iter().map(Collector::new).collect(),
            ..Self::default()
        }
    }

    fn line(&mut self, text: &str) {
        let Some(line) = Line::parse(text) else {
            return;
        };
        let Some(moment) = self.moment(line.when) else {
            return;
        };
        self.go_on_to(moment);
        self.note_process(line.process, moment);
        let Some(reported) = reported(&line) else {
            return;
        };
        match &reported.1 {
            What::Start => self.start(moment),
            What::Pass {
                metric_at: Some(metric_at),
                ..
            } if moment.is_on_host => self.clock.learn(moment.at, *metric_at),
            _ => {}
        }
        for collector in &mut self.collectors {
            collector.take(moment, &reported);
        }
    }

    fn moment(&self, when: When) -> Option<Moment> {
        let (at, is_on_host) = match when {
            When::At(at) => (at, false),
            When::OnHost { month, day, time } => (self.clock.as_if_utc(month, day, time)?, true),
        };
        Some(Moment { at, is_on_host })
    }

    /// Forgets what is before a jump back: it cannot be told how far it is
    /// from what comes after.
    fn go_on_to(&mut self, moment: Moment) {
        let behind = self.last.map(|last| last.at.duration_since(moment.at));
        if behind.is_some_and(|behind| behind > BACK) {
            self.goes_back = true;
            (self.first, self.process) = (None, None);
            self.starts.clear();
            for collector in &mut self.collectors {
                collector.clear();
            }
        }
        self.first.get_or_insert(moment);
        self.last = Some(moment);
    }

    /// Another process is another controller.
    fn note_process(&mut self, process: Option<&str>, moment: Moment) {
        if process.is_none() || self.process.as_deref() == process {
            return;
        }
        let is_first = self.process.is_none();
        self.process = process.map(str::to_owned);
        if !is_first {
            push(&mut self.starts, moment);
            self.is_new_process = true;
        }
    }

    /// The controller begins to work: a new process is no controller before.
    fn start(&mut self, moment: Moment) {
        if self.is_new_process {
            self.starts.pop();
            self.is_new_process = false;
        }
        push(&mut self.starts, moment);
    }

    fn finish(self) -> Vec<ControllerLog> {
        let zone = self.clock.zone();
        let in_utc = |moment: Moment| moment.in_utc(zone);
        let starts: Vec<Timestamp> = self.starts.into_iter().map(in_utc).collect();
        let covers = self.first.map(in_utc).zip(self.last.map(in_utc));
        let is_on_host = self.last.is_some_and(|last| last.is_on_host);
        let mut remarks = Vec::new();
        if self.last.is_none() {
            remarks
                .push("this is not the log of a kube-controller-manager; it is ignored".to_owned());
        }
        if self.goes_back {
            remarks.push("its times go backward; everything before the jump is ignored".to_owned());
        }
        if is_on_host && zone.is_none() {
            remarks.push("its time zone is unknown and assumed to be UTC".to_owned());
        }
        let finished = self.collectors.into_iter().map(|collector| {
            let mut log = collector.finish(zone, &starts);
            log.covers = covers;
            if self.last.is_none() {
                log.remarks.clear();
            }
            log.remarks.splice(..0, remarks.iter().cloned());
            log
        });
        finished.collect()
    }
}

/// So many lines of a kind are kept, the latest ones: with a pass a second,
/// that is more than two hours of them.
const MOST: usize = 10_000;

/// So long before its moment an HPA's log matters.
const SPAN: SignedDuration = SignedDuration::from_hours(2);

/// A line that names an HPA without its namespace belongs to the pass that
/// was logged no longer ago than this.
const ONE_PASS: SignedDuration = SignedDuration::from_secs(10);

/// More of a sentence tells nothing.
const MOST_CHARS: usize = 512;

/// A moment of the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Moment {
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
#[derive(Debug, Default)]
struct Collector {
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
        let (namespace, target) = (&subject.namespace, &subject.target_name);
        Self {
            target: format!("{}/{namespace}/{target}", subject.target_kind),
            autoscaler: format!("{namespace}/{}", subject.name),
            subject,
            ..Self::default()
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
        let short = |text| beginning(text, MOST_CHARS).to_owned();
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
        let passes = self.passes.into_iter();
        let passes = passes.filter_map(|(moment, recommendation, metric)| {
            Some(LoggedPass {
                at: kept(moment)?,
                recommendation,
                metric,
            })
        });
        let passes: Vec<LoggedPass> = passes.collect();
        let rescales = self.rescales.into_iter();
        let rescales = rescales.filter_map(|(moment, (from, to), reason)| {
            Some(LoggedRescale {
                at: kept(moment)?,
                from,
                to,
                reason,
            })
        });
        let unchanged = self.unchanged.into_iter().filter_map(|(moment, replicas)| {
            let at = kept(moment)?;
            Some(LoggedUnchanged { at, replicas })
        });
        let errors = self.errors.into_iter().filter_map(|(moment, text)| {
            let at = kept(moment)?;
            Some(LoggedError { at, text })
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
fn push<T>(lines: &mut Vec<T>, line: T) {
    if lines.len() >= 2 * MOST {
        lines.drain(..MOST);
    }
    lines.push(line);
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
