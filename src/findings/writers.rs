//! Who else writes the size of the target, and who will: told by the name that a writer
//! gives itself as a field manager, with the recipe by which it stops.

use jiff::{SignedDuration, Timestamp};
use serde_json::json;

use super::{Case, shared_findings};
use crate::api::{Event, ManagedFields, SUCCESSFUL_RESCALE, Workload, Writer};
use crate::document::snapshot::{Snapshot, is_about};
use crate::findings::shared_findings::REMOVE_REPLICAS;
use crate::history::{self, ChangeByOthers};
use crate::trace::{Code, EvidenceKind, Finding, Severity, SizeChange, Trace, seconds_text};

/// How long after the HPA's rescale the target's controller may report it.
const REPORTED_WITHIN: SignedDuration = SignedDuration::from_secs(5);

/// How many moments of a time-line are told.
const MOST_MOMENTS: usize = 8;
/// So long after a change by others, a rescale is the HPA's answer to it.
const ANSWERED_WITHIN: SignedDuration = SignedDuration::from_mins(1);

/// How far the times between writes may be from their mean, in percent, to be
/// called a period.
const PERIOD_SPREAD: i64 = 25;

/// Something else than the HPA has set the size, or will.
pub(super) fn writers(case: &Case, trace: &Trace, findings: &mut Vec<Finding>) {
    let written = ForeignWrites::of(case);
    let writer = written.finding(case, trace);
    let is_reported = writer
        .as_ref()
        .is_some_and(|it| it.severity > Severity::Info);
    let known_writer = written.writer().filter(|_| is_reported);
    let known_writer = known_writer.map(ManagedFields::writer);
    findings.extend(writer);
    if !known_writer.is_some_and(Writer::applies) {
        findings.extend(applied(case, trace));
    }
}

/// What others wrote.
struct ForeignWrites<'a> {
    /// The changes that the target's controller reported, the oldest first.
    changes: Vec<ForeignChange<'a>>,
    /// Who has taken the size over since the HPA's last rescale.
    owner: Option<&'a ManagedFields>,
    /// Until when merged events hide others.
    hidden_until: Option<Timestamp>,
}

/// A change of the size that somebody else made.
struct ForeignChange<'a> {
    change: ChangeByOthers,
    /// Who wrote the target at that moment.
    by: Option<&'a ManagedFields>,
}

impl<'a> ForeignWrites<'a> {
    fn of(case: &Case<'a>) -> Self {
        let snapshot = case.snapshot;
        let hpa = &snapshot.hpa;
        let created = hpa.metadata.creation_timestamp;
        let reported = history::changes_by_others(snapshot, case.settings, case.now).into_iter();
        // What the samples of a record show, they know better.
        let is_sampled = |it: &SizeChange| it.source == Some(EvidenceKind::Record);
        let is_sampled = case.moves.known.iter().any(is_sampled);
        let moves = || case.moves.known.iter();
        let is_known = |it: &SizeChange| is_sampled || it.is_by_hpa();
        let reported = reported.filter(|it| !moves().any(|own| is_known(own) && is_it(own, it)));
        let reported = reported.map(|change| ForeignChange {
            by: writer_at(snapshot, change.at, change.at),
            change,
        });
        let observed = moves().filter(|_| is_sampled);
        let observed = observed.filter_map(|change| ForeignChange::observed(change, snapshot));
        let mut changes: Vec<ForeignChange> = reported
            .chain(observed)
            .filter(|it| created.is_none_or(|created| it.change.at >= created))
            .filter(|change| change.is_by_others(case))
            .filter(|change| !snapshot.is_by_keda() || !change.is_kedas())
            .collect();
        changes.sort_by_key(|it| it.change.at);
        // Samples show what merged events hide.
        let hidden_until = history::target_events_hide_until(snapshot);
        Self {
            changes,
            owner: owner(snapshot),
            hidden_until: hidden_until.filter(|_| !is_sampled),
        }
    }

    /// The writer that is known by name.
    fn writer(&self) -> Option<&'a ManagedFields> {
        let named = self.changes.iter().rev().find_map(|change| change.by);
        self.owner.or(named)
    }

    fn finding(&self, case: &Case, trace: &Trace) -> Option<Finding> {
        let last = self.last()?;
        let who = self.writer().map_or_else(
            || "something other than the HPA".to_owned(),
            |entry| format!("{}, not the HPA,", entry.writer_name()),
        );
        let who = format!("{who} set the size of {}", trace.target_name());
        let message = format!("{who} {}", self.when(case, last));
        let mut finding = self.with_evidence(case, Finding::new(Code::ReplicasWriter, message));
        finding.writer = self.writer().map(|_| who);
        let kind = self.writer().map_or(Writer::Other, ManagedFields::writer);
        let finding = recipe(finding, kind, is_shared(case.snapshot), trace);
        let is_over = !self.goes_on() || trace.outcome.current_replicas == 0;
        Some(finding.info_if(is_over))
    }

    fn with_evidence(&self, case: &Case, finding: Finding) -> Finding {
        let writer = self.writer().map(|entry| {
            let time = entry.time.map_or_else(String::new, |at| format!(", {at}"));
            (MANAGED_FIELDS, manages(entry) + &time)
        });
        let moments = moments(case, &self.changes).into_iter();
        finding
            .facts(writer)
            .facts(self.as_in_a_manifest(case))
            .facts(moments.map(|(at, about, says)| (about, format!("{at} {says}"))))
    }

    /// Where nobody has a name: that each of them set what a manifest has, if it is so.
    fn as_in_a_manifest(&self, case: &Case) -> Option<(&'static str, String)> {
        let size = case.snapshot.target.as_ref()?.applied_replicas()?;
        let is_it = |it: &ForeignChange| i64::from(it.change.to) == size;
        let are_all = self.changes.len() > 1 && self.changes.iter().all(is_it);
        let says = format!(
            "spec.replicas {size}, the size that each of these writes set: this manifest is \
             probably applied again and again"
        );
        (are_all && self.writer().is_none()).then_some((APPLIED, says))
    }

    /// When somebody else last wrote, at the latest.
    fn last(&self) -> Option<Timestamp> {
        let reported = self.changes.last().map(|change| change.change.at);
        reported.max(self.owner.and_then(|owner| owner.time))
    }

    /// A single change that the HPA has made up for is over.
    fn goes_on(&self) -> bool {
        self.owner.is_some() || self.changes.len() > 1
    }

    /// How often somebody else wrote, and when last.
    fn when(&self, case: &Case, last: Timestamp) -> String {
        let ago = |at: Timestamp| seconds_text(case.now.duration_since(at).as_secs());
        let count = self.changes.len();
        let last = ago(last);
        let mut changes = self.changes.iter();
        let is_hidden = changes.next().is_some_and(|it| self.is_hidden_since(it));
        let at_least = if is_hidden { "at least " } else { "" };
        let count = format!("{at_least}{count} times");
        let change = |it: &ForeignChange| {
            let from = it.change.from;
            let from = from.map_or_else(String::new, |from| format!("from {from} "));
            format!("{from}to {}, {last} ago", it.change.to)
        };
        match (self.changes.first(), self.period()) {
            (Some(_), Some(period)) => {
                let period = seconds_text(period);
                format!("{count}, about every {period}, last {last} ago")
            }
            (Some(first), None) if self.changes.len() > 1 => {
                let since = ago(first.change.at);
                // Who wrote last has a name; who wrote before may be another.
                match self.changes.last().filter(|_| self.writer().is_some()) {
                    Some(latest) => {
                        let latest = change(latest);
                        format!("{latest}; others set it {count} in {since}")
                    }
                    None if is_hidden => {
                        format!("{count} in {since}, the last one on record {last} ago")
                    }
                    None => format!("{count} in {since}, last {last} ago"),
                }
            }
            (Some(only), None) => change(only),
            (None, _) => format!("{last} ago"),
        }
    }

    /// Whether others may have set the size since a change without a record of it.
    fn is_hidden_since(&self, change: &ForeignChange) -> bool {
        self.hidden_until >= Some(change.change.at)
    }

    /// The mean time between changes, if none is far from it and all of them are
    /// on record.
    fn period(&self) -> Option<i64> {
        if self.is_hidden_since(self.changes.first()?) {
            return None;
        }
        let times: Vec<Timestamp> = self.changes.iter().map(|it| it.change.at).collect();
        let pairs = times.windows(2);
        let gaps = pairs.map(|pair| pair[1].duration_since(pair[0]).as_secs());
        let gaps: Vec<i64> = gaps.collect();
        let mean = gaps.iter().sum::<i64>() / i64::try_from(gaps.len()).ok()?.max(1);
        let is_close = |gap: &i64| (gap - mean).abs() * 100 <= mean * PERIOD_SPREAD;
        (gaps.len() > 1 && mean > 0 && gaps.iter().all(is_close)).then_some(mean)
    }
}

/// Whether the HPA's controller owns the size by now.
fn is_shared(snapshot: &Snapshot) -> bool {
    snapshot.target.as_ref().is_some_and(|target| {
        let mut entries = target.metadata.managed_fields.iter();
        entries.any(|entry| entry.owns_replicas() && snapshot.is_by_controller(entry))
    })
}

/// `helm (Update) owns spec.replicas`.
fn manages(entry: &ManagedFields) -> String {
    let what = if entry.owns_replicas() {
        "owns spec.replicas"
    } else {
        "changed the target at that moment"
    };
    format!("{} ({}) {what}", entry.manager, entry.operation)
}

/// What the evidence of a named writer is about.
const MANAGED_FIELDS: &str = "metadata.managedFields";

/// What the evidence of an applied manifest is about.
const APPLIED: &str = "metadata.annotations[kubectl.kubernetes.io/last-applied-configuration]";

/// Who has changed the size since the HPA last did. A rescale takes the size
/// from every other owner, so that whoever owns it alone came later.
pub(crate) fn owner(snapshot: &Snapshot) -> Option<&ManagedFields> {
    let status = &snapshot.hpa.status;
    let target = &snapshot.target.as_ref()?.metadata;
    let rescaled = status.last_scale_time?;
    // A target that was created since then had its size from the beginning.
    if target.creation_timestamp.is_none_or(|at| at > rescaled) {
        return None;
    }
    let mut owners = target.managed_fields.iter().filter(|it| it.owns_replicas());
    let (owner, other) = (owners.next()?, owners.next());
    let is_later = owner.time.is_some_and(|time| time >= rescaled);
    let is_other = !snapshot.is_by_controller(owner) && owner.writer() != Writer::Keda;
    (other.is_none() && is_later && is_other).then_some(owner)
}

/// Whether a change of a record is what the target's controller reported.
fn is_it(observed: &SizeChange, reported: &ChangeByOthers) -> bool {
    // One of the HPA has the moment of its pass; one by others lies between samples.
    let (from, to) = match observed.is_own {
        Some(true) => (observed.from, observed.from),
        Some(false) => (observed.from, observed.to),
        None => return false,
    };
    let is_then = is_about(reported.at, (from, to), REPORTED_WITHIN);
    observed.after == Some(reported.to) && is_then
}

impl<'a> ForeignChange<'a> {
    /// One that the samples of a record show, or an event beside them.
    fn observed(change: &SizeChange, snapshot: &'a Snapshot) -> Option<Self> {
        let (by, at) = match change.source? {
            EvidenceKind::Record => ("the record", change.to),
            EvidenceKind::TargetEvent => ("an event", change.from),
            _ => return None,
        };
        let to = change.after.filter(|_| change.is_own == Some(false))?;
        let from = change.before;
        let was = from.map_or_else(String::new, |from| format!("{from} to "));
        Some(Self {
            change: ChangeByOthers {
                at,
                from,
                to,
                message: format!("{was}{to}, as {by} shows"),
                is_certain: true,
            },
            by: writer_at(snapshot, change.from, change.to),
        })
    }

    /// Whether it cannot be a rescale of which the event was dropped: all of
    /// them are known, or somebody else wrote at that moment, or the size is
    /// one that the HPA never sets.
    fn is_by_others(&self, case: &Case) -> bool {
        let hpa = case.hpa();
        let bounds = hpa.spec.min_replicas.unwrap_or(1)..=hpa.spec.max_replicas;
        // Under other bounds it may have.
        let is_of_now = hpa.spec_written().is_none_or(|at| at <= self.change.at);
        self.change.is_certain
            || self.by.is_some()
            || (is_of_now && !bounds.contains(&self.change.to))
    }

    /// Whether it is what KEDA does beside the HPA that it made.
    fn is_kedas(&self) -> bool {
        let is_by_keda = self.by.is_some_and(|by| by.writer() == Writer::Keda);
        is_by_keda || self.change.to == 0
    }
}

/// Who wrote the target in a time in which its size changed.
fn writer_at(snapshot: &Snapshot, from: Timestamp, to: Timestamp) -> Option<&ManagedFields> {
    let entries = &snapshot.target.as_ref()?.metadata.managed_fields;
    snapshot.written_by_others(entries, (from, to)).next()
}

/// The latest changes by others and by the HPA, in the order of time.
fn moments(case: &Case, changes: &[ForeignChange]) -> Vec<(Timestamp, String, String)> {
    let snapshot = case.snapshot;
    let hpa = &snapshot.hpa;
    let target = &hpa.spec.scale_target_ref;
    let theirs = changes.iter().map(|change| {
        let about = format!("{}/{}", target.kind, target.name);
        (change.change.at, about, change.change.message.clone())
    });
    let is_rescale = |event: &&Event| event.reason == SUCCESSFUL_RESCALE;
    let own = snapshot.own_events().filter(is_rescale).flat_map(|event| {
        let about = format!("HorizontalPodAutoscaler/{}", hpa.metadata.name);
        let last = event.last_timestamp.or(event.event_time);
        let last = last.filter(|_| last != event.first_timestamp);
        let times = event.first_timestamp.into_iter().chain(last);
        times.map(move |at| (at, about.clone(), event.message.clone()))
    });
    // What the HPA did about it, and nothing else of it.
    let is_answer = |at: &Timestamp| {
        changes.iter().any(|it| {
            let later = at.duration_since(it.change.at);
            !later.is_negative() && later <= ANSWERED_WITHIN
        })
    };
    let mut moments: Vec<_> = theirs.chain(own.filter(|it| is_answer(&it.0))).collect();
    moments.sort();
    let superfluous = moments.len().saturating_sub(MOST_MOMENTS);
    moments.split_off(superfluous)
}

/// A manifest with a size will be applied again.
fn applied(case: &Case, trace: &Trace) -> Option<Finding> {
    let target = case.snapshot.target.as_ref()?;
    // Of a target whose scale cannot be had, the size is unknown.
    let scale = trace.scale.as_ref();
    if scale.is_some_and(|scale| scale.error.is_some() && scale.unreadable.is_none()) {
        return None;
    }
    let kind = applier(case.snapshot, target);
    let live = trace.outcome.current_replicas;
    let name = trace.target_name();
    let (message, is_harmless) = match (target.applied_replicas(), kind) {
        (Some(size), _) if size == i64::from(live) => (
            format!("the last applied manifest of {name} sets replicas {size}, the current size"),
            true,
        ),
        (Some(size), _) => (
            format!("the next apply of {name} resets the size from {live} to {size}"),
            false,
        ),
        (None, Some((_, entry))) if entry.owns_replicas() => (
            format!(
                "{} set replicas of {name} and will set it again",
                entry.writer_name()
            ),
            true,
        ),
        _ => return None,
    };
    let applied = target.applied_replicas();
    let applied = applied.map(|size| (APPLIED, format!("spec.replicas {size}")));
    let owner = kind.filter(|(_, entry)| entry.owns_replicas());
    let finding = Finding::new(Code::AppliedReplicas, message)
        .facts(applied)
        .facts(owner.map(|(_, entry)| (MANAGED_FIELDS, manages(entry))))
        .info_if(is_harmless);
    let kind = kind.map_or(Writer::ClientSideApply, |(kind, _)| kind);
    Some(recipe(finding, kind, is_shared(case.snapshot), trace))
}

/// Who applies the target: an owner of its size before others. kubectl's own
/// name stands for every tool that applies as kubectl does.
fn applier<'a>(snapshot: &Snapshot, target: &'a Workload) -> Option<(Writer, &'a ManagedFields)> {
    let entries = target.metadata.managed_fields.iter();
    let entries =
        entries.filter(|entry| entry.subresource.is_empty() && !snapshot.is_by_controller(entry));
    let appliers = entries.map(|entry| (entry.writer(), entry));
    let mut appliers: Vec<_> = appliers.filter(|(kind, _)| kind.applies()).collect();
    appliers.sort_by_key(|(_, it)| (!it.owns_replicas(), it.writer() == Writer::ClientSideApply));
    appliers.first().copied()
}

/// The size in the manifest of a target, as a JSON pointer.
const REPLICAS: &str = "/spec/replicas";

/// What makes a writer stop. `is_shared` is whether the HPA's controller owns
/// the size by now, so that it stays when the other owner gives it up.
fn recipe(finding: Finding, kind: Writer, is_shared: bool, trace: &Trace) -> Finding {
    match kind {
        Writer::ClientSideApply => client_side(finding, trace),
        Writer::ServerSideApply | Writer::FluxKustomize => server_side(finding, is_shared, trace),
        Writer::Helm => helm(finding),
        Writer::ArgoCd => argo_cd(finding, trace),
        Writer::FluxHelm => flux_helm(finding, trace),
        Writer::ByHand => finding.advice(
            "set minReplicas and maxReplicas to fix the size: the next pass reverts a size that \
             is set by hand",
        ),
        Writer::Keda | Writer::Other => finding.look(
            "see who owns spec.replicas (an operator must not set it while an HPA scales the target)",
            trace.see_managers(),
        ),
    }
}

fn client_side(finding: Finding, trace: &Trace) -> Finding {
    let view = trace.kubectl_target("kubectl apply view-last-applied");
    let target = trace.target_argument();
    shared_findings::stop_applying(finding, &target, &trace.namespace)
        .look("see what was last applied", view.and("-o yaml"))
}

/// A field whose only owner gives it up is removed, and 1 is the default; so
/// another owner has to be there first.
fn server_side(finding: Finding, is_shared: bool, trace: &Trace) -> Finding {
    if is_shared {
        return finding.advice(format!(
            "{REMOVE_REPLICAS}; the HPA's controller also owns it, so the size stays"
        ));
    }
    let target = &trace.target;
    finding
        .patch(
            "write replicas.yaml to hand over the field first; without it, the next apply sets the size to 1",
            &json!({
                "apiVersion": target.api_version,
                "kind": target.kind,
                "metadata": {"name": target.name},
                "spec": {"replicas": trace.outcome.current_replicas},
            }),
        )
        .change(
            "apply it with a field manager of its own, which then owns spec.replicas",
            trace
                .kubectl("kubectl apply -f replicas.yaml", &[])
                .and("--server-side --field-manager=handover-to-hpa --validate=false"),
        )
        .advice(format!("{REMOVE_REPLICAS} afterward"))
}

fn helm(finding: Finding) -> Finding {
    finding
        .advice(
            "omit replicas in the chart's template while an HPA scales the target: put it between \
             {{- if not .Values.autoscaling.enabled }} and {{- end }}",
        )
        .advice(
            "expect the upgrade that drops replicas to set the size to 1 once; the next pass raises \
             it to minReplicas",
        )
}

fn flux_helm(finding: Finding, trace: &Trace) -> Finding {
    let target = json!({"kind": trace.target.kind, "name": trace.target.name});
    helm(finding).patch(
        "ignore replicas in the drift detection of the HelmRelease until then",
        &json!({"spec": {"driftDetection": {"ignore": [{"paths": [REPLICAS], "target": target}]}}}),
    )
}

fn argo_cd(finding: Finding, trace: &Trace) -> Finding {
    let target = &trace.target;
    finding.advice(format!("{REMOVE_REPLICAS} in Git")).patch(
        "ignore replicas in the Application, so that a sync leaves the size unchanged",
        &json!({"spec": {
            "ignoreDifferences": [{
                "group": target.group(),
                "kind": target.kind,
                "name": target.name,
                "jsonPointers": [REPLICAS],
            }],
            "syncPolicy": {"syncOptions": ["RespectIgnoreDifferences=true"]},
        }}),
    )
}
