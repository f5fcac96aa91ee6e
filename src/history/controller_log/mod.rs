//! The kube-controller-manager's own log: what it recommended and did, pass
//! by pass, where it runs with `-v=4`.
//!
//! Its text form has neither year nor zone. The year is that of the moment
//! for which the log is read; the zone follows from the times of the metrics,
//! which stand in the lines in UTC, shortly before the line's own.

mod clock;
mod collector;
mod line;
mod statement;

use std::io::BufRead;

use jiff::{SignedDuration, Timestamp};

use crate::document::{Encoding, TextError};
use crate::history::Subject;
use crate::snapshot::{Ending, next_line};

use clock::Clock;
use collector::{Collector, Moment};
use line::{Line, When};
use statement::{What, reported};

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
            process: None,
            first: None,
            last: None,
            starts: Vec::new(),
            is_new_process: false,
            goes_back: false,
            collectors: subjects.into_iter().map(Collector::new).collect(),
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
        Some(match when {
            When::At(at) => Moment {
                at,
                is_on_host: false,
            },
            When::OnHost { month, day, time } => Moment {
                at: self.clock.as_if_utc(month, day, time)?,
                is_on_host: true,
            },
        })
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
            self.push_start(moment);
            self.is_new_process = true;
        }
    }

    /// The controller begins to work: a new process is no controller before.
    fn start(&mut self, moment: Moment) {
        if self.is_new_process {
            self.starts.pop();
            self.is_new_process = false;
        }
        self.push_start(moment);
    }

    fn push_start(&mut self, moment: Moment) {
        collector::push(&mut self.starts, moment);
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
