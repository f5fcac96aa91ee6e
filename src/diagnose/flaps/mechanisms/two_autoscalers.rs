//! Several HPAs on the same pods: since 1.26 none of them scales, before that
//! each sets what its own metrics ask for.

use crate::controller::Switch;
use crate::diagnose::flaps::pass_facts::{PassFacts, of_finding};
use crate::trace::{Code, Mechanism, MechanismKind};

pub(super) fn tell(ground: &PassFacts) -> Option<Mechanism> {
    let finding = ground.finding(Code::AmbiguousSelector)?;
    if !ground.case.settings.release.has(Switch::AmbiguousSelector) {
        // They can agree, too.
        ground.flapping()?;
    }
    Some(of_finding(MechanismKind::TwoAutoscalers, finding))
}
