//! A manifest's review: what the API server says of it, and what is found.

use crate::manifest::{FieldError, Manifest};
use crate::trace::{PlacedProblem, Review};

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
    let decode_error = !manifest.faults.is_empty();
    let accepted = errors.is_empty() && !decode_error;
    let metadata = &manifest.metadata;
    let name = if metadata.name.is_empty() {
        &metadata.generate_name
    } else {
        &metadata.name
    };
    Review {
        file: file.to_owned(),
        line: manifest.node.place.line,
        api_version: manifest.api_version.clone(),
        namespace: metadata.namespace.clone(),
        name: name.clone(),
        release: rules.release.to_string(),
        accepted,
        decode_error,
        defaulted: accepted.then(|| manifest.defaulted(rules)),
        errors: errors.iter().map(ToString::to_string).collect(),
        problems: problems(manifest, &errors),
        findings: lint(input),
    }
}

fn problems(manifest: &Manifest, errors: &[FieldError]) -> Vec<PlacedProblem> {
    let faults = manifest.faults.iter().map(|fault| PlacedProblem {
        field: fault.field.clone(),
        line: fault.place.line,
        column: fault.place.column,
        message: format!("{} {}", fault.field, fault.reason),
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
    faults.chain(errors).collect()
}
