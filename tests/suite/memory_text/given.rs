//! Passes of which all that is known of the past is given by hand; ages are
//! seconds before the pass.

use std::ops::RangeInclusive;

use hpa_explain::controller::{
    Account, Bounded, Memory, Overrides, Prepared, SECOND, Settings, reconcile_prepared,
};
use hpa_explain::document::snapshot::read_documents;
use hpa_explain::trace::{
    Check, CheckVerdict, Evidence, EvidenceKind, MemorySince, Notice, NoticeKind, Range, Recalled,
    Recollection, Trace, Within,
};
use jiff::{SignedDuration, Timestamp};

use crate::support::build::Case;

/// A pass, and what is known of those before.
#[derive(Clone, Debug)]
pub struct Given {
    case: Case,
    accounts: Vec<Account>,
    is_unknown: bool,
    recollection: Recollection,
    check: Option<Check>,
}

/// The moment of every pass.
const NOW: &str = "2026-03-01T12:00:00Z";

pub fn ago(seconds: i64) -> Timestamp {
    let now: Timestamp = NOW.parse().expect("a moment");
    now - SignedDuration::from_secs(seconds)
}

impl Given {
    /// The memory that the case has.
    pub fn new(case: Case) -> Self {
        Self {
            case,
            accounts: Vec::new(),
            is_unknown: false,
            recollection: Recollection::default(),
            check: None,
        }
    }

    /// Any memory.
    pub fn unknown(mut self) -> Self {
        self.is_unknown = true;
        self
    }

    /// A memory that this account allows.
    pub fn within(mut self, account: Account) -> Self {
        self.accounts.push(account);
        self
    }

    pub fn recommended(mut self, recalled: Recalled) -> Self {
        self.recollection.recommendations.push(recalled);
        self
    }

    pub fn added(mut self, recalled: Recalled) -> Self {
        self.recollection.scale_up_events.push(recalled);
        self
    }

    pub fn noticed(mut self, notice: Notice) -> Self {
        self.recollection.notices.push(notice);
        self
    }

    pub fn since(mut self, since: MemorySince) -> Self {
        self.recollection.since = Some(since);
        self
    }

    pub fn may_have_restarted(mut self) -> Self {
        self.recollection.may_have_restarted = true;
        self
    }

    pub fn agrees(self, replicas: i32, able_to_scale: &str) -> Self {
        self.checked(CheckVerdict::Agrees, replicas, able_to_scale, "")
    }

    pub fn checked(
        mut self,
        verdict: CheckVerdict,
        desired_replicas: i32,
        able_to_scale: &str,
        says: &str,
    ) -> Self {
        self.check = Some(Check {
            verdict,
            written: Some(ago(15)).filter(|_| verdict != CheckVerdict::NoPass),
            desired_replicas,
            able_to_scale: able_to_scale.into(),
            says: says.to_owned(),
        });
        self
    }

    pub fn run(self) -> Trace {
        let mut documents = read_documents(&self.case.document().to_string());
        let snapshot = documents.remove(0).snapshot.expect("a readable snapshot");
        let settings = Settings::resolve(&snapshot, &Overrides::default());
        let mut memory = if self.is_unknown {
            Memory::default()
        } else if self.accounts.is_empty() {
            Memory::new(snapshot.history.as_ref())
        } else {
            Memory::within(self.accounts)
        };
        let prepared = Prepared::new(&snapshot, &settings);
        let now = snapshot.captured_at.as_nanosecond();
        let (mut trace, _) = reconcile_prepared(&prepared, &settings, &mut memory, now);
        trace.recollection = self.recollection;
        trace.check = self.check;
        trace
    }
}

// What an account allows.

/// Stored for certain, between two ages.
pub fn bounded(replicas: RangeInclusive<i32>, oldest: i64, youngest: i64) -> Bounded {
    let nanos = |age: i64| ago(age).as_nanosecond();
    Bounded {
        replicas: Range {
            from: *replicas.start(),
            to: *replicas.end(),
        },
        from: nanos(oldest),
        to: nanos(youngest) - if youngest == 0 { SECOND / 1_000 } else { 0 },
        is_certain: true,
    }
}

/// Any number of entries, or none.
pub fn uncertain(replicas: RangeInclusive<i32>, oldest: i64, youngest: i64) -> Bounded {
    Bounded {
        is_certain: false,
        ..bounded(replicas, oldest, youngest)
    }
}

// What a trace tells of it.

pub fn recalled(
    (from, to): (i32, Option<i32>),
    (oldest, youngest): (i64, i64),
    source: Evidence,
) -> Recalled {
    Recalled {
        replicas: Within { from, to },
        from: Some(ago(oldest)),
        to: ago(youngest),
        certain: true,
        source,
    }
}

/// A recommendation that is known exactly.
pub fn known(replicas: i32, age: i64, kind: EvidenceKind) -> Recalled {
    recalled(
        (replicas, Some(replicas)),
        (age, age),
        evidence(kind, None, ""),
    )
}

/// Passes of which nothing is known.
pub fn any(ages: (i64, i64), says: &str) -> Recalled {
    change((0, None), ages, says)
}

/// What there may be, or not.
pub fn change(within: (i32, Option<i32>), ages: (i64, i64), says: &str) -> Recalled {
    Recalled {
        certain: false,
        ..recalled(within, ages, evidence(EvidenceKind::Unrecorded, None, says))
    }
}

pub fn evidence(kind: EvidenceKind, age: Option<i64>, says: &str) -> Evidence {
    Evidence {
        kind,
        at: age.map(ago),
        says: says.to_owned(),
    }
}

pub fn since(kind: EvidenceKind, age: i64) -> MemorySince {
    MemorySince {
        at: ago(age),
        source: evidence(kind, Some(age), ""),
    }
}

pub fn notice(
    kind: NoticeKind,
    (oldest, youngest): (i64, i64),
    says: &str,
    source: Evidence,
) -> Notice {
    Notice {
        kind,
        from: Some(ago(oldest)),
        to: ago(youngest),
        says: says.to_owned(),
        source,
    }
}
