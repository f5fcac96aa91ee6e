//! From what is seen and sampled to passes, predictions and the record.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::pin::pin;

use futures_util::StreamExt;
use jiff::Timestamp;
use tokio::time::Instant;

use super::record::RecordFile;
use super::samples::{Plan, Sampling, TakenSample, samples};
use super::view::{Tally, View};
use crate::cli::{session::Session, terminal::Terminal};
use crate::collect::{CollectError, Start, WatchNews, watch};
use crate::history::{Follower, Pass};
use crate::render::{Of, Remark, RemarkKind};
use crate::trace::amount::counted;
use crate::trace::seconds_text;
use crate::what_if;

/// A run, from its first sample on.
pub struct Run<'t> {
    view: View,
    record: Option<RecordFile>,
    terminal: &'t mut Terminal,
    follower: Follower,
    /// When the latest pass was seen, by this machine's clock.
    passed: Instant,
    /// When the last sample was taken, unless one failed since.
    sampled: Option<Timestamp>,
    outages: Outages,
    tally: Tally,
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
        Self {
            view,
            record,
            terminal,
            follower: Follower::new(&start.hpa, begun),
            passed: Instant::now(),
            sampled: None,
            outages: Outages::default(),
            tally: Tally::default(),
        }
    }

    /// Follows the HPA, without an end.
    /// Errors: the output or the record cannot be written; nobody may watch.
    pub async fn follow(&mut self, start: &Start, sampling: Sampling<'_>) -> anyhow::Result<()> {
        let session = sampling.session;
        let reader = &session.reader;
        let mut news = pin!(watch(reader, &session.namespace, start, sampling.pace));
        let mut samples = pin!(samples(sampling));
        let mut has_watched = false;
        loop {
            tokio::select! {
                // What was seen came before what is sampled.
                biased;
                Some(news) = news.next() => {
                    match &news {
                        WatchNews::Watching => has_watched = true,
                        WatchNews::Gap(error) if error.is_forbidden() && !has_watched => {
                            return Err(session.failure(error));
                        }
                        _ => {}
                    }
                    self.news(news, sampling.plan, now(session))?;
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
        let mut lines = self.tally.lines().to_vec();
        lines.extend(self.record.as_ref().map(|record| {
            let path = record.path().display();
            format!("recorded in {path}: {}", counted(record.lines, "line"))
        }));
        for line in lines {
            self.terminal.complain(&line);
        }
    }

    /// Whether no pass was seen.
    pub fn has_no_pass(&self) -> bool {
        self.tally.passes == 0
    }

    fn news(&mut self, news: WatchNews, plan: &Plan, now: Timestamp) -> anyhow::Result<()> {
        match news {
            WatchNews::Watching => {
                let remark = self.outages.is_back(Of::Watch, now);
                self.remark(remark)
            }
            WatchNews::Written(hpa) => {
                let passes = self.follower.written(&hpa, now);
                if passes.is_empty() {
                    plan.changed();
                } else {
                    self.passed = Instant::now();
                    plan.passed();
                }
                self.reported(&passes)
            }
            WatchNews::Gap(error) => self.failed(Of::Watch, now, &error.to_string()),
            WatchNews::Lost(why) => {
                let text = format!("status updates in between may be lost: {why}");
                self.lost(now, text)
            }
            WatchNews::Deleted => {
                self.follower.deleted();
                self.remark(Some(Remark {
                    kind: RemarkKind::Notice,
                    at: now,
                    of: None,
                    message: "the HPA was deleted".to_owned(),
                }))
            }
        }
    }

    fn sampled(
        &mut self,
        sample: Result<TakenSample, CollectError>,
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
        self.notice_hole(sample.snapshot.captured_at)?;
        self.learn(sample)
    }

    /// A sample that comes late, though nothing failed: what lies between it
    /// and the one before is not known either.
    fn notice_hole(&mut self, at: Timestamp) -> anyhow::Result<()> {
        let Some(last) = self.sampled.replace(at) else {
            return Ok(());
        };
        let since = at.duration_since(last);
        if since <= self.follower.period().saturating_mul(2) {
            return Ok(());
        }
        self.not_sampled();
        self.sampled = Some(at);
        let since = seconds_text(since.as_secs());
        let text = format!("no sample for {since}: this machine was asleep or busy");
        if let Some(record) = &mut self.record {
            record.gap(at, &text)?;
        }
        self.lost(at, text)
    }

    /// What was sampled before is no neighbour of what will be.
    fn not_sampled(&mut self) {
        self.sampled = None;
        self.follower.lost();
    }

    /// Takes a sample in: what it tells of the past, what it says of the next
    /// pass, and the record.
    fn learn(&mut self, sample: TakenSample) -> anyhow::Result<()> {
        let TakenSample {
            snapshot,
            settings,
            began,
        } = sample;
        let is_after_pass = self.passed <= began;
        let learned = self.follower.sampled(snapshot, settings, is_after_pass);
        self.reported(&learned.passes)?;
        let Some((snapshot, settings)) = self.follower.sample() else {
            return Ok(());
        };
        if let Some(record) = &mut self.record {
            record.sample(snapshot, learned.pass_at)?;
        }
        if let View::Drawn(_) = self.view {
            let at = snapshot.captured_at;
            let observer = self.follower.observer();
            let trace = what_if::explain(snapshot, settings, at, observer);
            self.view.explain(&trace, self.terminal)?;
        }
        Ok(())
    }

    /// Passes, in the order of time.
    fn reported(&mut self, passes: &[Pass]) -> anyhow::Result<()> {
        for pass in passes {
            self.tally.count(pass);
            self.view.pass(pass, self.terminal)?;
        }
        Ok(())
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

    /// Something that cannot be made good.
    fn lost(&mut self, at: Timestamp, message: String) -> anyhow::Result<()> {
        self.tally.gaps += 1;
        self.remark(Some(Remark {
            kind: RemarkKind::Gap,
            at,
            of: None,
            message,
        }))
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
            let (path, lines) = (record.path().display(), counted(record.lines, "line"));
            format!("Recording  {path}, {lines}")
        }));
        self.view.draw(&state, self.terminal)
    }
}

/// The time by the server's clock, else by this machine's.
pub fn now(session: &Session) -> Timestamp {
    session.reader.server_time().unwrap_or_else(Timestamp::now)
}

/// Since when something cannot be read.
#[derive(Debug, Default)]
struct Outages(BTreeMap<Of, Timestamp>);

impl Outages {
    /// It could not be read: what to say, unless it could not be before.
    fn failed(&mut self, of: Of, at: Timestamp, error: &str) -> Option<Remark> {
        let Entry::Vacant(since) = self.0.entry(of) else {
            return None;
        };
        since.insert(at);
        let begins = match of {
            Of::Watch => "the watch was interrupted",
            Of::Samples => "no sample",
        };
        Some(Remark {
            kind: RemarkKind::Gap,
            at,
            of: Some(of),
            message: format!("{begins}: {error}"),
        })
    }

    /// It could be read: what to say, if it could not be before.
    fn is_back(&mut self, of: Of, at: Timestamp) -> Option<Remark> {
        let since = self.0.remove(&of)?;
        let ends = match of {
            Of::Watch => "watching again",
            Of::Samples => "sampled again",
        };
        let after = seconds_text(at.duration_since(since).as_secs().max(0));
        Some(Remark {
            kind: RemarkKind::GapEnd,
            at,
            of: Some(of),
            message: format!("{ends} after {after}"),
        })
    }
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;

    use super::{Of, Outages, Remark};

    #[test]
    fn an_outage_is_said_once_at_each_end() {
        let at = |second| Timestamp::from_second(second).expect("a time");
        let mut outages = Outages::default();
        let mut reported = Vec::new();
        reported.extend(outages.is_back(Of::Watch, at(0)));
        reported.extend(outages.failed(Of::Watch, at(1), "503"));
        reported.extend(outages.failed(Of::Watch, at(2), "503"));
        reported.extend(outages.failed(Of::Samples, at(3), "late"));
        reported.extend(outages.is_back(Of::Watch, at(66)));
        reported.extend(outages.is_back(Of::Watch, at(67)));
        reported.extend(outages.is_back(Of::Samples, at(68)));
        let texts: Vec<String> = reported.iter().map(Remark::text).collect();
        assert_eq!(
            texts,
            [
                "gap: the watch was interrupted: 503",
                "gap: no sample: late",
                "watching again after 1m5s",
                "sampled again after 1m5s",
            ]
        );
    }
}
