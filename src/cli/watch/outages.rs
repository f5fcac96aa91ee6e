//! What cannot be read at the moment, and since when.

use jiff::Timestamp;
use serde::Serialize;

use crate::trace::seconds_text;

/// What is read all the time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Of {
    /// The watch on the HPA.
    Watch,
    /// The inputs of a pass.
    Samples,
}

impl Of {
    /// Begins and ends.
    fn words(self) -> (&'static str, &'static str) {
        match self {
            Self::Watch => ("the watch broke off", "watching again"),
            Self::Samples => ("no sample", "sampled again"),
        }
    }
}

/// Something could not be read.
const GAP: &str = "Gap";

/// Something to say beside the passes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Remark {
    kind: &'static str,
    /// When.
    pub at: Timestamp,
    #[serde(skip_serializing_if = "Option::is_none")]
    of: Option<Of>,
    message: String,
}

impl Remark {
    /// Something that cannot be made good.
    pub fn loss(at: Timestamp, text: &str) -> Self {
        Self {
            kind: GAP,
            at,
            of: None,
            message: text.to_owned(),
        }
    }

    /// Something that is no failure.
    pub fn notice(at: Timestamp, text: String) -> Self {
        Self {
            kind: "Notice",
            at,
            of: None,
            message: text,
        }
    }

    /// What there is to say to people.
    pub fn text(&self) -> String {
        let what = if self.kind == GAP { "gap: " } else { "" };
        format!("{what}{}", self.message)
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
            kind: GAP,
            at,
            of: Some(of),
            message: format!("{}: {error}", of.words().0),
        })
    }

    /// It could be read: what to say, if it could not be before.
    pub fn is_back(&mut self, of: Of, at: Timestamp) -> Option<Remark> {
        let since = self.since(of).take()?;
        let after = seconds_text(at.duration_since(since).as_secs().max(0));
        Some(Remark {
            kind: "GapEnd",
            at,
            of: Some(of),
            message: format!("{} after {after}", of.words().1),
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
        let mut said = Vec::new();
        said.extend(outages.is_back(Of::Watch, at(0)));
        said.extend(outages.failed(Of::Watch, at(1), "503"));
        said.extend(outages.failed(Of::Watch, at(2), "503"));
        said.extend(outages.failed(Of::Samples, at(3), "late"));
        said.extend(outages.is_back(Of::Watch, at(66)));
        said.extend(outages.is_back(Of::Watch, at(67)));
        said.extend(outages.is_back(Of::Samples, at(68)));
        let texts: Vec<String> = said.iter().map(Remark::text).collect();
        assert_eq!(
            texts,
            [
                "gap: the watch broke off: 503",
                "gap: no sample: late",
                "watching again after 1m5s",
                "sampled again after 1m5s",
            ]
        );
    }
}
