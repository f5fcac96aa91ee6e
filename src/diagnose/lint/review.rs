//! A manifest's review: what the API server says of it, and what is found.

use std::collections::BTreeSet;

use crate::document::SyntaxError;
use crate::manifest::{FieldError, Hint, Manifest, Unserved};
use crate::trace::{Code, CodeKind, PlacedProblem, Remedy, Review, Unreadable};

use super::{Found, Lint, lint};

/// Reviews a manifest of a file.
pub fn review(input: &Lint) -> Review {
    let Lint {
        file,
        manifest,
        rules,
        ..
    } = *input;
    let errors = manifest.errors(rules);
    let unserved = manifest.unserved(rules);
    let decode_error = !manifest.faults.is_empty();
    let accepted = errors.is_empty() && !decode_error && unserved.is_none();
    let metadata = &manifest.metadata;
    let name = if metadata.name.is_empty() {
        &metadata.generate_name
    } else {
        &metadata.name
    };
    Review {
        file: file.to_owned(),
        line: manifest.node.place.line,
        api_version: manifest.api_version().to_owned(),
        namespace: metadata.namespace.clone(),
        name: name.clone(),
        release: rules.release.to_string(),
        accepted,
        unserved: unserved.is_some(),
        decode_error,
        defaulted: accepted.then(|| manifest.defaulted(rules)),
        errors: errors.iter().map(ToString::to_string).collect(),
        problems: problems(manifest, unserved, &errors),
        findings: lint(input),
    }
}

/// Tells of a document of a file that cannot be read, and what to do next.
pub fn unreadable(file: &str, hint: Option<Hint>, error: &SyntaxError) -> Unreadable {
    Unreadable {
        file: file.to_owned(),
        line: error.place.line,
        column: error.place.column,
        error: error.reason.clone(),
        remedy: hint.map(|hint| match hint {
            Hint::Template => Remedy::look(
                hint.says(),
                "helm template . | kubectl hpa-explain lint -f -",
            ),
            Hint::Tabs => Remedy::advice(hint.says()),
        }),
    }
}

/// What a version that is served would be told comes after that it is not.
fn problems(
    manifest: &Manifest,
    unserved: Option<Unserved>,
    errors: &[FieldError],
) -> Vec<PlacedProblem> {
    let unserved = unserved.map(|unserved| {
        let field = "apiVersion";
        let place = manifest.place_of(field);
        PlacedProblem {
            field: field.to_owned(),
            line: place.line,
            column: place.column,
            message: format!("{field}: {unserved}"),
        }
    });
    let faults = manifest.faults.iter().map(|fault| PlacedProblem {
        field: fault.field.clone(),
        line: fault.place.line,
        column: fault.place.column,
        message: format!("{} {}", fault.field, fault.reason()),
    });
    let mut reported: BTreeSet<String> = BTreeSet::new();
    let errors = manifest.own(errors).map(|error| {
        let place = manifest.place_of(&error.field);
        PlacedProblem {
            field: error.field.clone(),
            line: place.line,
            column: place.column,
            message: error.to_string(),
        }
    });
    let unserved = unserved.into_iter();
    let all = unserved.chain(faults).chain(errors);
    // The server looks at some fields twice.
    all.filter(|it| reported.insert(it.message.clone()))
        .collect()
}

/// Drops what another finding makes moot: what has no effect has no trap, and
/// advice on it would only lead away from the cause.
pub(super) fn drop_superseded(found: &mut Vec<Found>) {
    let causes: Vec<(Code, String)> = found
        .iter()
        .map(|(field, finding)| (finding.code, field.clone()))
        .collect();
    found.retain(|(field, finding)| {
        let mut causes = causes.iter();
        !causes.any(|(cause, at)| is_superseded((finding.code, field), (*cause, at)))
    });
}

/// Whether a finding tells nothing beside another one.
fn is_superseded((code, field): (Code, &str), (cause, at): (Code, &str)) -> bool {
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
            let is_reported = matches!(code, Code::BehaviorDisabled | Code::ToleranceUnused);
            code == Code::WindowOrder
                || inside(direction) && !is_reported && code.is(CodeKind::OfBehavior)
        }
        // The policy never counts, and neither does what is inside.
        Code::PolicyUnused => inside(at) && code.is(CodeKind::OfBehavior),
        _ => false,
    }
}
