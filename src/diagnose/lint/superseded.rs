//! Findings that another one makes moot: what has no effect has no trap, and
//! advice on it would only lead away from the cause.

use crate::trace::{Code, CodeKind};

use super::Found;

/// Drops what another finding makes moot.
pub(super) fn drop_superseded(found: &mut Vec<Found>) {
    let causes: Vec<(Code, String)> = found
        .iter()
        .map(|(field, finding)| (finding.code, field.clone()))
        .collect();
    found.retain(|(field, finding)| {
        let mut causes = causes.iter();
        !causes.any(|(cause, at)| is_moot((finding.code, field), (*cause, at)))
    });
}

/// Whether a finding tells nothing beside another one.
fn is_moot((code, field): (Code, &str), (cause, at): (Code, &str)) -> bool {
    let inside = |outer: &str| {
        let rest = field.strip_prefix(outer);
        rest.is_some_and(|rest| rest.starts_with('.'))
    };
    match cause {
        // The size cannot change, whatever may change it.
        Code::FixedSize => code.is(CodeKind::OfBehavior),
        // This direction is off; that its tolerance has no use says so.
        Code::BehaviorDisabled => {
            let direction = at.trim_end_matches(".selectPolicy");
            let is_told = matches!(code, Code::BehaviorDisabled | Code::ToleranceUnused);
            code == Code::WindowOrder
                || inside(direction) && !is_told && code.is(CodeKind::OfBehavior)
        }
        // The policy never counts, and neither does what is inside.
        Code::PolicyUnused => inside(at) && code.is(CodeKind::OfBehavior),
        _ => false,
    }
}
