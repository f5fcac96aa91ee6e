//! Which change of the spec would let a change of the size through now.

use super::Question;
use crate::api::{Format, HpaSpec, PolicyKind, Quantity, ScalingRules};
use crate::controller::{NextPass, decision};
use crate::findings::seems_idle;
use crate::trace::{Attempt, Direction, End, Limit, Settling, ShellCommand, milli_text, short};

/// No value beyond this is proposed.
const LARGEST: i32 = 1_000_000;

/// The rules of a direction; a spec without any gets the defaults of the
/// others.
fn rules_of(way: Direction, spec: &mut HpaSpec) -> &mut ScalingRules {
    spec.behavior.get_or_insert_default().rules_mut(way)
}

/// Whether the first size is further this way than the second.
fn is_further(way: Direction, one: i32, other: i32) -> bool {
    Direction::between(other, one) == Some(way)
}

impl Question<'_> {
    /// For each stage that holds something back, the smallest change that it
    /// takes.
    pub(super) fn attempts(self, settling: Option<&Settling>) -> Vec<Attempt> {
        // What owns the HPA writes its spec.
        let owners = &self.case.hpa().metadata.owner_references;
        let Some(recommended) = self.trace.recommended().filter(|_| owners.is_empty()) else {
            return Vec::new();
        };
        let attempts = [
            self.max_replicas(recommended, settling),
            self.window(recommended),
            self.policy(recommended),
            self.tolerance(recommended),
        ];
        attempts.into_iter().flatten().collect()
    }

    fn way(self, recommended: i32) -> Option<Direction> {
        Direction::between(self.current(), recommended)
    }

    fn max_replicas(self, recommended: i32, settling: Option<&Settling>) -> Option<Attempt> {
        let max = self.trace.bounds.max_replicas;
        let reached = self.trace.outcome.desired_replicas? == max;
        let is_in_vain = settling
            .is_some_and(|it| it.end == End::AtMax && it.without_max.is_none())
            || seems_idle(self.case, self.trace).is_some();
        if recommended <= max || recommended > LARGEST || !reached || is_in_vain {
            return None;
        }
        let spec = self.case.changed(|spec| spec.max_replicas = recommended);
        let replicas =
            self.at_the_next_pass(recommended, &spec, self.decision(recommended, &spec)?)?;
        let patch = format!(r#"{{"spec":{{"maxReplicas":{recommended}}}}}"#);
        (replicas > max).then(|| Attempt {
            limit: Limit::MaxReplicas,
            field: "spec.maxReplicas".to_owned(),
            from: Some(max.to_string()),
            to: recommended.to_string(),
            replicas,
            command: self.trace.patch_hpa("--type=merge", &patch),
        })
    }

    /// The longest window that does not hold the change.
    fn window(self, recommended: i32) -> Option<Attempt> {
        let way = self.way(recommended)?;
        let record = self.trace.stabilization.as_ref()?;
        let edge = record.edge(way)?;
        if !is_further(way, recommended, record.result) {
            return None;
        }
        let under = |seconds: i32| {
            let change = |spec: &mut HpaSpec| {
                rules_of(way, spec).stabilization_window_seconds = Some(seconds);
            };
            Some((recommended, self.case.changed(change)))
        };
        let window = i32::try_from(edge.window_seconds).ok()?;
        let (most, replicas) = self.nearest(way, 0, window, under)?;
        Some(Attempt {
            limit: Limit::Window,
            field: format!("spec.behavior.{way}.stabilizationWindowSeconds"),
            from: edge.from_spec.then(|| window.to_string()),
            to: most.to_string(),
            replicas,
            command: self.behavior(way, "stabilizationWindowSeconds", &most.to_string()),
        })
    }

    /// The smallest value of the policy that counts.
    fn policy(self, recommended: i32) -> Option<Attempt> {
        let way = self.way(recommended)?;
        let limit = self.trace.limit.as_ref().filter(|it| it.slows())?;
        let index = limit.policies.iter().position(|policy| policy.selected)?;
        let policy = &limit.policies[index];
        let most = match (policy.kind, way) {
            (PolicyKind::Percent, Direction::Down) => 100,
            _ => LARGEST,
        };
        let under = |value: i32| {
            let change = |spec: &mut HpaSpec| {
                let policies = rules_of(way, spec).policies.as_mut();
                if let Some(policy) = policies.and_then(|policies| policies.get_mut(index)) {
                    policy.value = value;
                }
            };
            Some((recommended, self.case.changed(change)))
        };
        let (least, replicas) = self.nearest(way, most, policy.value, under)?;
        let place = format!("/spec/behavior/{way}/policies/{index}/value");
        let patch = format!(r#"[{{"op":"replace","path":"{place}","value":{least}}}]"#);
        Some(Attempt {
            limit: Limit::Policy,
            field: format!("spec.behavior.{way}.policies[{index}].value"),
            from: Some(policy.value.to_string()),
            to: least.to_string(),
            replicas,
            command: self.trace.patch_hpa("--type=json", &patch),
        })
    }

    /// The largest tolerance that does not keep the size.
    fn tolerance(self, recommended: i32) -> Option<Attempt> {
        let winner = self.trace.winner()?;
        let measured = winner.deciding()?;
        let is_off = measured.ratio.partial_cmp(&1.0).filter(|it| it.is_ne())?;
        let applies = self.case.settings.gates.configurable_tolerance
            && measured.within_tolerance
            && recommended == self.current();
        if !applies {
            return None;
        }
        let (way, now) = if is_off.is_gt() {
            (Direction::Up, measured.tolerated_to - 1.0)
        } else {
            (Direction::Down, 1.0 - measured.tolerated_from)
        };
        let under = |thousandths: i32| {
            let change = |spec: &mut HpaSpec| {
                let tolerance = Quantity::from_milli(i64::from(thousandths), Format::DecimalSi);
                rules_of(way, spec).tolerance = Some(tolerance);
            };
            let spec = self.case.changed(change);
            let (recommended, _) = self.what_if.under(&spec).recommendation()?;
            Some((recommended, spec))
        };
        let (most, replicas) = self.nearest(way, 0, thousandths(now)?, under)?;
        let to = milli_text(i64::from(most));
        Some(Attempt {
            limit: Limit::Tolerance,
            field: format!("spec.behavior.{way}.tolerance"),
            from: Some(short(now, 4)),
            command: self.behavior(way, "tolerance", &format!("\"{to}\"")),
            to,
            replicas,
        })
    }

    /// Between `far`, which lets the whole change through if any value does,
    /// and the value as it is, the nearest one that does so, too, and the count
    /// of the next pass under that. `spec` is what is asked for with a value,
    /// and the spec that has it.
    fn nearest(
        self,
        way: Direction,
        far: i32,
        now: i32,
        spec: impl Fn(i32) -> Option<(i32, HpaSpec)>,
    ) -> Option<(i32, i32)> {
        let under = |value| {
            let (recommended, spec) = spec(value)?;
            self.decision(recommended, &spec)
        };
        let whole = under(far)?;
        let as_it_is = self.trace.outcome.desired_replicas?;
        if !is_further(way, whole, as_it_is) {
            return None;
        }
        let (mut yes, mut no) = (far, now);
        while yes.abs_diff(no) > 1 {
            let middle = i32::midpoint(yes, no);
            if under(middle) == Some(whole) {
                yes = middle;
            } else {
                no = middle;
            }
        }
        let (recommended, spec) = spec(yes)?;
        let replicas = self.at_the_next_pass(recommended, &spec, whole)?;
        is_further(way, replicas, as_it_is).then_some((yes, replicas))
    }

    /// The count of the pass under a changed spec.
    fn decision(self, recommended: i32, spec: &HpaSpec) -> Option<i32> {
        self.what_if.decision(spec, recommended, self.case.memory)
    }

    /// Whenever the next pass begins, what a pass at once comes to, or what is
    /// nearer to the size: until then a change can leave its period.
    fn at_the_next_pass(self, recommended: i32, spec: &HpaSpec, at_once: i32) -> Option<i32> {
        let (settings, now) = (self.case.settings, self.case.now.as_nanosecond());
        let next = self.next_pass().map(<[_; 2]>::from);
        let mut nearest = at_once;
        for at in next.into_iter().flatten().filter(|at| *at > now) {
            let next = NextPass {
                now,
                at,
                spread: 0,
                apart: settings.sync_period,
            };
            // None can begin then.
            let Some(memory) = self.case.memory.found_by(&next) else {
                continue;
            };
            let later = decision(spec, settings, &memory, at, (self.current(), recommended))?;
            let is_nearer = later.abs_diff(self.current()) < nearest.abs_diff(self.current());
            nearest = if is_nearer { later } else { nearest };
        }
        Some(nearest)
    }

    fn behavior(self, way: Direction, field: &str, value: &str) -> ShellCommand {
        let rules = format!(r#"{{"{way}":{{"{field}":{value}}}}}"#);
        let patch = format!(r#"{{"spec":{{"behavior":{rules}}}}}"#);
        self.trace.patch_hpa("--type=merge", &patch)
    }
}

/// A tolerance in thousandths, for those that are not absurd.
fn thousandths(tolerance: f64) -> Option<i32> {
    let thousandths = (tolerance * 1000.0).ceil();
    #[expect(clippy::cast_possible_truncation, reason = "tested to be in range")]
    (0.0..=1e6)
        .contains(&thousandths)
        .then_some(thousandths as i32)
}
