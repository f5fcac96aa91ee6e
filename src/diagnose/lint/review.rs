//! A manifest's review: what the API server says of it, and what is found.

use crate::document::SyntaxError;
use crate::manifest::{FieldError, Hint, Manifest, Unserved};
use crate::trace::{PlacedProblem, Remedy, Review, Unreadable};

use super::{Lint, lint};

/// Reviews a manifest of a file.
#[must_use]
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
#[must_use]
pub fn unreadable(file: &str, hint: Option<Hint>, error: &SyntaxError) -> Unreadable {
    Unreadable {
        file: file.to_owned(),
        line: error.place.line,
        column: error.place.column,
        error: error.reason.clone(),
        remedy: hint.map(|hint| Remedy {
            says: hint.says().to_owned(),
            command: match hint {
                Hint::Template => {
                    Some("helm template . | kubectl hpa-explain lint -f -".to_owned())
                }
                Hint::Tabs => None,
            },
            patch: None,
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
    let errors = errors.iter().map(|error| {
        let place = manifest.place_of(&error.field);
        PlacedProblem {
            field: error.field.clone(),
            line: place.line,
            column: place.column,
            message: error.to_string(),
        }
    });
    let unserved = unserved.into_iter();
    unserved.chain(faults).chain(errors).collect()
}
