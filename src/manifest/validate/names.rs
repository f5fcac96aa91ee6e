//! What names and references may look like.

use crate::api::CrossVersionObjectReference;
use crate::api::names::{SUBDOMAIN, is_subdomain};
use crate::controller::Switch;
use crate::manifest::field_error::FieldError;
use crate::manifest::{Metadata, Rules};

/// The longest name of an object.
const LONGEST_NAME: usize = 253;

/// `metadata.name`.
pub(super) fn object_name(metadata: &Metadata, errors: &mut Vec<FieldError>) {
    let (field, name) = ("metadata.name", metadata.name.as_str());
    if name.is_empty() {
        if metadata.generate_name.is_empty() {
            let text = "name or generateName is required";
            errors.push(FieldError::required(field, text));
        }
        return;
    }
    if name.len() > LONGEST_NAME {
        let text = format!("must be no more than {LONGEST_NAME} characters");
        errors.push(FieldError::invalid_text(field, name, &text));
    }
    if !is_subdomain(name) {
        errors.push(FieldError::invalid_text(field, name, SUBDOMAIN));
    }
}

/// `spec.scaleTargetRef`, whose API group is looked at from 1.34 on.
pub(super) fn scale_target(
    target: &CrossVersionObjectReference,
    rules: Rules,
    errors: &mut Vec<FieldError>,
) {
    let field = "spec.scaleTargetRef";
    kind_and_name(field, target, errors);
    if !rules.release.has(Switch::TargetGroupRequired) || is_malformed(field, target, errors) {
        return;
    }
    let version = &target.api_version;
    // The one kind of the core group that scales.
    let is_core = target.kind == "ReplicationController";
    if !is_core && !has_group(version) {
        errors.push(FieldError::invalid_text(
            &format!("{field}.apiVersion"),
            version,
            "apiVersion must specify API group",
        ));
    }
}

/// `describedObject` of an Object metric.
pub(super) fn described_object(
    field: &str,
    object: &CrossVersionObjectReference,
    rules: Rules,
    errors: &mut Vec<FieldError>,
) {
    kind_and_name(field, object, errors);
    if rules.release.has(Switch::TargetGroupRequired) {
        is_malformed(field, object, errors);
    }
}

fn kind_and_name(
    field: &str,
    reference: &CrossVersionObjectReference,
    errors: &mut Vec<FieldError>,
) {
    segment(&format!("{field}.kind"), &reference.kind, "", errors);
    segment(&format!("{field}.name"), &reference.name, "", errors);
}

/// Whether an apiVersion has more than one slash, which is told.
fn is_malformed(
    field: &str,
    reference: &CrossVersionObjectReference,
    errors: &mut Vec<FieldError>,
) -> bool {
    let version = &reference.api_version;
    let is_malformed = version.matches('/').count() > 1;
    if is_malformed {
        errors.push(FieldError::invalid_text(
            &format!("{field}.apiVersion"),
            version,
            &format!("unexpected GroupVersion string: {version}"),
        ));
    }
    is_malformed
}

fn has_group(version: &str) -> bool {
    let group = version.split_once('/').map(|(group, _)| group);
    group.is_some_and(|group| !group.is_empty())
}

/// What becomes a part of a URL's path
/// (`ValidatePathSegmentName`); `required` is said where it is empty.
pub(super) fn segment(field: &str, value: &str, required: &str, errors: &mut Vec<FieldError>) {
    match value {
        "" => errors.push(FieldError::required(field, required)),
        "." | ".." => {
            let text = format!("may not be '{value}'");
            errors.push(FieldError::invalid_text(field, value, &text));
        }
        _ => {
            for character in ['/', '%'] {
                if value.contains(character) {
                    let text = format!("may not contain '{character}'");
                    errors.push(FieldError::invalid_text(field, value, &text));
                }
            }
        }
    }
}
