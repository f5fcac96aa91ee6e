//! From what is seen and sampled to passes, predictions and the record.

use std::pin::pin;

use futures_util::StreamExt;
use jiff::{SignedDuration, Timestamp};
use tokio::time::Instant;

use crate::cli::session::Session;
use crate::cli::terminal::Terminal;
use crate::collect::{CollectError, Seen, Start, watch};
use crate::controller::Settings;
use crate::diagnose;
use crate::history::{Observer, explain};
use crate::snapshot::{HorizontalPodAutoscaler, HpaStatus};
use crate::trace::seconds_text;

use super::foresight::Foresight;
use super::inputs::Inputs;
use super::outages::{Of, Outages, Remark};
use super::pass::Pass;
use super::passes::Passes;
use super::record::RecordFile;
use super::samples::{Sample, Sampling, samples};
use super::tally::Tally;
use super::view::View;

/// The sync period until a sample tells it, and where it is none.
const PERIOD: SignedDuration = SignedDuration::from_secs(15);

/// A run, from its first sample on.
pub struct Run<'t> {
    view: View,
    record: Option<RecordFile>,
    terminal: &'t mut Terminal,
    begun: Timestamp,
    /// The status that was written last.
    latest: Written,
    period: SignedDuration,
    /// When the last sample was taken, unless one failed since.
    sampled: Option<Timestamp>,
    passes: Passes,
    foresight: Foresight,
    inputs: Inputs,
    observer: Observer,
    outages: Outages,
    tally: Tally,
}

/// A status, and when it was written, as far as the HPA says so.
#[derive(Clone, Debug, Default, PartialEq)]
struct Written {
    status: HpaStatus,
    at: Option<Timestamp>,
}

impl Written {
    fn of(hpa: &HorizontalPodAutoscaler) -> Self {
        Self {
            status: hpa.status.clone(),
            at: hpa.status_written(),
        }
    }
}

impl<'t> Run<'t> {
    /// A run that has seen nothing yet.
    pub fn new(
        start: &Start,
        view: View,
        record: Option<RecordFile>,
        terminal: &'t mut Terminal,
        begun: Timestamp,
    ) -> Self {
        let latest = Written::of(&start.hpa);
        Self {
            view,
            record,
            terminal,
            begun,
            passes: Passes::since(latest.at),
            latest,
            period: PERIOD,
            sampled: None,
            foresight: Foresight::default(),
            inputs: Inputs::default(),
            observer: Observer::default(),
            outages: Outages::default(),
            tally: Tally::default(),
        }
    }

    /// Follows the HPA, without an end.
    ///
    /// # Errors
    ///
    /// The output or the record cannot be written; nobody may watch.
    pub async fn follow(&mut self, start: &Start, sampling: Sampling<'_>) -> anyhow::Result<()> {
        let session = sampling.session;
        let reader = &session.reader;
        let mut seen = pin!(watch(reader, &session.namespace, start, sampling.pace));
        let mut samples = pin!(samples(sampling));
        let mut has_watched = false;
        loop {
            tokio::select! {
                // What was seen came before what is sampled.
                biased;
                Some(seen) = seen.next() => {
                    match &seen {
                        Seen::Watching => has_watched = true,
                        Seen::Gap(error) if error.is_forbidden() && !has_watched => {
                            return Err(session.failure(error));
                        }
                        _ => {}
                    }
                    self.seen(seen, now(session))?;
                }
                Some(sample) = samples.next() => self.sampled(sample, now(session))?,
            }
            session.say_requests(self.terminal);
            self.draw()?;
        }
    }

    /// Leaves what is shown as it is, and says the numbers of the run.
    pub fn end(&mut self) {
        self.view.end(self.terminal);
        for line in self.summary() {
            self.terminal.complain(&line);
        }
    }

    fn summary(&self) -> Vec<String> {
        let mut lines = self.tally.lines().to_vec();
        lines.extend(self.record.as_ref().map(|record| {
            let path = record.path().display();
            format!("recorded in {path}: {}", counted_lines(record.lines))
        }));
        lines
    }

    fn seen(&mut self, seen: Seen, now: Timestamp) -> anyhow::Result<()> {
        match seen {
            Seen::Watching => {
                let remark = self.outages.is_back(Of::Watch, now);
                self.remark(remark)
            }
            Seen::Written(hpa) => self.written(&hpa, now),
            Seen::Gap(error) => self.failed(Of::Watch, now, &error.to_string()),
            Seen::Lost(why) => {
                let text = format!("what was written meanwhile may be lost: {why}");
                self.tally.gaps += 1;
                self.remark(Some(Remark::loss(now, &text)))
            }
            Seen::Deleted => {
                self.latest = Written::default();
                self.passes = Passes::default();
                let text = "the HPA was deleted".to_owned();
                self.remark(Some(Remark::notice(now, text)))
            }
        }
    }

    /// A state that was written: that of a pass, unless the status is as it
    /// was.
    fn written(&mut self, hpa: &HorizontalPodAutoscaler, now: Timestamp) -> anyhow::Result<()> {
        let written = Written::of(hpa);
        if written == self.latest {
            return Ok(());
        }
        let at = written.at.unwrap_or(now);
        let before = self.passes.written(at, self.period);
        self.inferred(before)?;
        self.latest = written;
        self.inputs.passed(at, Instant::now());
        self.pass(at, false)
    }

    fn sampled(
        &mut self,
        sample: Result<Sample, CollectError>,
        now: Timestamp,
    ) -> anyhow::Result<()> {
        let sample = match sample {
            Ok(sample) => sample,
            Err(error) => {
                self.not_sampled();
                return self.failed(Of::Samples, now, &error.to_string());
            }
        };
        let remark = self.outages.is_back(Of::Samples, now);
        self.remark(remark)?;
        self.period = period(&sample.settings);
        self.notice_hole(sample.snapshot.captured_at)?;
        self.unwritten(&sample)?;
        self.learn(&sample)
    }

    /// A sample that comes late, though nothing failed: what lies between it
    /// and the one before is not known either.
    fn notice_hole(&mut self, at: Timestamp) -> anyhow::Result<()> {
        let Some(last) = self.sampled.replace(at) else {
            return Ok(());
        };
        let since = at.duration_since(last);
        if since <= self.period.saturating_mul(2) {
            return Ok(());
        }
        self.not_sampled();
        self.sampled = Some(at);
        let since = seconds_text(since.as_secs());
        let text = format!("no sample for {since}: this machine slept, or had other work");
        if let Some(record) = &mut self.record {
            record.gap(at, &text)?;
        }
        self.tally.gaps += 1;
        self.remark(Some(Remark::loss(at, &text)))
    }

    /// What was sampled before is no neighbour of what will be.
    fn not_sampled(&mut self) {
        self.sampled = None;
        self.inputs.unknown();
        self.observer.gap();
    }

    /// Passes without a trace, as long as the sample shows that nothing was
    /// written which the watch has yet to tell.
    fn unwritten(&mut self, sample: &Sample) -> anyhow::Result<()> {
        let hpa = &sample.snapshot.horizontal_pod_autoscaler;
        if Written::of(hpa) != self.latest {
            return Ok(());
        }
        let until = sample.snapshot.captured_at;
        let passes = self.passes.unwritten(until, self.period);
        self.inferred(passes)
    }

    /// Passes without a trace; those before the run are not told of.
    fn inferred(&mut self, passes: Vec<Timestamp>) -> anyhow::Result<()> {
        let own = passes.into_iter().filter(|at| *at >= self.begun);
        let own: Vec<Timestamp> = own.collect();
        own.into_iter().try_for_each(|at| self.pass(at, true))
    }

    /// Takes a sample in: what it tells of the past, what it says of the next
    /// pass, and the record.
    fn learn(&mut self, sample: &Sample) -> anyhow::Result<()> {
        let Sample {
            snapshot,
            settings,
            began,
        } = sample;
        let at = snapshot.captured_at;
        let pass_at = self.inputs.sampled(snapshot, *began);
        self.observer.observe(snapshot, settings, pass_at);
        if let Some(record) = &mut self.record {
            record.sample(snapshot, pass_at)?;
        }
        let due = self.passes.due(at, self.period);
        let next = explain(snapshot, settings, due, &self.observer);
        self.foresight.note(at, &next);
        if self.view.wants_explanations() {
            let trace = diagnose::explain(snapshot, settings, at, &self.observer);
            self.view.explain(&trace, self.terminal)?;
        }
        Ok(())
    }

    fn pass(&mut self, at: Timestamp, inferred: bool) -> anyhow::Result<()> {
        let prediction = self.foresight.of(at, self.period);
        let pass = Pass::new(at, inferred, &self.latest.status, prediction);
        self.tally.count(&pass);
        self.view.pass(&pass, self.terminal)
    }

    fn failed(&mut self, of: Of, now: Timestamp, error: &str) -> anyhow::Result<()> {
        let Some(remark) = self.outages.failed(of, now, error) else {
            return Ok(());
        };
        self.tally.gaps += 1;
        if let Some(record) = self.record.as_mut().filter(|_| of == Of::Samples) {
            record.gap(now, error)?;
        }
        self.remark(Some(remark))
    }

    fn remark(&mut self, remark: Option<Remark>) -> anyhow::Result<()> {
        remark.map_or(Ok(()), |remark| self.view.remark(&remark, self.terminal))
    }

    fn draw(&mut self) -> anyhow::Result<()> {
        let [passes, predictions] = self.tally.lines();
        let mut state = vec![
            format!("Watching   {passes}"),
            format!("           {predictions}"),
        ];
        state.extend(self.record.as_ref().map(|record| {
            let (path, lines) = (record.path().display(), counted_lines(record.lines));
            format!("Recording  {path}, {lines}")
        }));
        self.view.draw(&state, self.terminal)
    }
}

/// The time by the server's clock, else by this machine's.
pub fn now(session: &Session) -> Timestamp {
    session.reader.server_time().unwrap_or_else(Timestamp::now)
}

fn period(settings: &Settings) -> SignedDuration {
    let nanos = i64::try_from(settings.sync_period).unwrap_or_default();
    if nanos > 0 {
        SignedDuration::from_nanos(nanos)
    } else {
        PERIOD
    }
}

fn counted_lines(lines: usize) -> String {
    crate::cli::gaps::counted(lines, "line")
}
