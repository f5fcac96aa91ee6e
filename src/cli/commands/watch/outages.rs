//! What cannot be read at the moment, and since when.

use crate::render::{Of, Remark, RemarkKind};
use crate::trace::seconds_text;
use jiff::Timestamp;

/// What is said of the begin and of the end of an outage.
fn words(of: Of) -> (&'static str, &'static str) {
    match of {
        Of::Watch => ("the watch was interrupted", "watching again"),
        Of::Samples => ("no sample", "sampled again"),
    }
}

/// What cannot be read at the moment.
#[derive(Debug, Default)]
pub struct Outages {
    watch: Option<Timestamp>,
    samples: Option<Timestamp>,
}

impl Outages {
    /// It could not be read: what to say, unless it could not be before.
    pub fn failed(&mut self, of: Of, at: Timestamp, error: &str) -> Option<Remark> {
        let since = self.since(of);
        if since.is_some() {
            return None;
        }
        *since = Some(at);
        Some(Remark {
            kind: RemarkKind::Gap,
            at,
            of: Some(of),
            message: format!("{}: {error}", words(of).0),
        })
    }

    /// It could be read: what to say, if it could not be before.
    pub fn is_back(&mut self, of: Of, at: Timestamp) -> Option<Remark> {
        let since = self.since(of).take()?;
        let after = seconds_text(at.duration_since(since).as_secs().max(0));
        Some(Remark {
            kind: RemarkKind::GapEnd,
            at,
            of: Some(of),
            message: format!("{} after {after}", words(of).1),
        })
    }

    fn since(&mut self, of: Of) -> &mut Option<Timestamp> {
        match of {
            Of::Watch => &mut self.watch,
            Of::Samples => &mut self.samples,
        }
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
