//! When somebody led: without a leader no pass runs.

use jiff::{SignedDuration, Timestamp};

use crate::snapshot::Snapshot;

/// How late a new leader, or the news of a renewal, may seem to be: times are
/// whole seconds, and a Lease is renewed every two.
const LATE: SignedDuration = SignedDuration::from_secs(3);

/// The Lease of the controller, as the samples show it.
#[derive(Clone, Debug, Default)]
pub struct Leads(Vec<Lead>);

/// A time in which the same controller renewed the Lease.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Lead {
    acquired: Timestamp,
    renewed: Timestamp,
}

impl Leads {
    /// Takes in what a sample shows.
    pub fn note(&mut self, snapshot: &Snapshot) {
        let lease = snapshot.controller_lease.as_ref().map(|it| &it.spec);
        let times = lease.and_then(|it| it.acquire_time.zip(it.renew_time));
        let Some((acquired, renewed)) = times else {
            self.0.clear();
            return;
        };
        match self.0.last_mut() {
            Some(last) if last.acquired == acquired => last.renewed = last.renewed.max(renewed),
            _ => self.0.push(Lead { acquired, renewed }),
        }
        // What is older is told of already.
        if self.0.len() > 8 {
            self.0.remove(0);
        }
    }

    /// A status was written by a controller that does not renew the Lease: it
    /// elects no leader, and the Lease tells nothing.
    pub fn passed(&mut self, at: Timestamp, period: SignedDuration) {
        let is_of_another = |lead: &Lead| at.duration_since(lead.renewed) > period + period;
        if self.0.last().is_some_and(is_of_another) {
            self.0.clear();
        }
    }

    /// Whether a pass that wrote nothing can have run: somebody led then. A
    /// new leader waits a whole period before its first.
    pub fn can_have_passed(&self, at: Timestamp, period: SignedDuration) -> bool {
        let leads = |lead: &Lead, late: SignedDuration| {
            at.duration_since(lead.acquired) >= period - LATE
                && at.duration_since(lead.renewed) <= late
        };
        let Some((last, earlier)) = self.0.split_last() else {
            return true;
        };
        let first = earlier.first().unwrap_or(last);
        // Of those that lead no more, the last renewal is known.
        at < first.acquired
            || leads(last, LATE)
            || earlier.iter().any(|it| leads(it, SignedDuration::ZERO))
    }

    /// Until when it is known that somebody leads, if the Lease is known.
    pub fn renewed(&self) -> Option<Timestamp> {
        self.0.last().map(|it| it.renewed)
    }

    /// When the first pass of a new leader is due.
    pub fn first_due(&self, period: SignedDuration) -> Option<Timestamp> {
        let [.., _, last] = self.0.as_slice() else {
            return None;
        };
        last.acquired.checked_add(period).ok()
    }
}

#[cfg(test)]
mod tests {
    use jiff::{SignedDuration, Timestamp};

    use super::{Lead, Leads};

    const PERIOD: SignedDuration = SignedDuration::from_secs(15);

    fn second(second: i64) -> Timestamp {
        Timestamp::from_second(1_000_000 + second).expect("a time")
    }

    const MOMENTS: [i64; 8] = [0, 15, 30, 45, 60, 75, 90, 105];

    /// What happens, the leads, and the moments of which a pass is told.
    type Row = (&'static str, &'static [(i64, i64)], &'static [i64]);

    /// Each row: the leads, and the moments of which a pass is told.
    #[test]
    fn a_pass_is_inferred_only_while_somebody_leads() {
        let rows: [Row; 8] = [
            ("no Lease is known", &[], &MOMENTS),
            ("one leads all the time", &[(-900, 105)], &MOMENTS),
            ("it stands still", &[(-900, 31)], &[0, 15, 30]),
            (
                "it is taken over",
                &[(-900, 31), (47, 105)],
                &[0, 15, 30, 60, 75, 90, 105],
            ),
            (
                "it is taken over late",
                &[(-900, 31), (80, 105)],
                &[0, 15, 30, 105],
            ),
            (
                "it ends shortly before a pass",
                &[(-900, 43), (58, 105)],
                &[0, 15, 30, 75, 90, 105],
            ),
            (
                "twice",
                &[(-900, 16), (20, 46), (60, 105)],
                &[0, 15, 45, 75, 90, 105],
            ),
            (
                "the successor stands still",
                &[(-900, 16), (20, 50)],
                &[0, 15, 45],
            ),
        ];
        for (what, leads, reported) in rows {
            let lead = |(acquired, renewed): &(i64, i64)| Lead {
                acquired: second(*acquired),
                renewed: second(*renewed),
            };
            let leads = Leads(leads.iter().map(lead).collect());
            let found = MOMENTS.into_iter();
            let found = found.filter(|at| leads.can_have_passed(second(*at), PERIOD));
            assert_eq!(found.collect::<Vec<i64>>(), reported, "{what}");
        }
    }
}
