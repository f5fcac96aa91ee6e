//! What names and references may look like.

use crate::api::CrossVersionObjectReference;
use crate::api::names::{SUBDOMAIN, is_subdomain};
use crate::controller::Switch;
use crate::manifest::field_error::FieldPath;
use crate::manifest::{Metadata, Rules};

/// The longest name of an object.
const LONGEST_NAME: usize = 253;

/// `metadata.name`.
pub(super) fn object_name(mut field: FieldPath, metadata: &Metadata) {
    let name = metadata.name.as_str();
    if name.is_empty() {
        if metadata.generate_name.is_empty() {
            field.required("name or generateName is required");
        }
        return;
    }
    if name.len() > LONGEST_NAME {
        let text = format!("must be no more than {LONGEST_NAME} characters");
        field.invalid_text(name, text);
    }
    if !is_subdomain(name) {
        field.invalid_text(name, SUBDOMAIN);
    }
}

/// `spec.scaleTargetRef`, whose API group is looked at from 1.34 on.
pub(super) fn scale_target(
    mut field: FieldPath,
    target: &CrossVersionObjectReference,
    rules: Rules,
) {
    if described_object(&mut field, target, rules) {
        return;
    }
    let version = &target.api_version;
    // The one kind of the core group that scales.
    let is_core = target.kind == "ReplicationController";
    if rules.release.has(Switch::TargetGroupRequired) && !is_core && !has_group(version) {
        let mut field = field.at("apiVersion");
        field.invalid_text(version, "apiVersion must specify API group");
    }
}

/// `describedObject` of an Object metric. Whether its apiVersion has more than
/// one slash, which is told.
pub(super) fn described_object(
    field: &mut FieldPath,
    object: &CrossVersionObjectReference,
    rules: Rules,
) -> bool {
    segment(field.at("kind"), &object.kind, "");
    segment(field.at("name"), &object.name, "");
    let version = &object.api_version;
    let is_malformed =
        rules.release.has(Switch::TargetGroupRequired) && version.matches('/').count() > 1;
    if is_malformed {
        let text = format!("unexpected GroupVersion string: {version}");
        field.at("apiVersion").invalid_text(version, text);
    }
    is_malformed
}

fn has_group(version: &str) -> bool {
    let group = version.split_once('/').map(|(group, _)| group);
    group.is_some_and(|group| !group.is_empty())
}

/// What becomes a part of a URL's path
/// (`ValidatePathSegmentName`); `required` is said where it is empty.
pub(super) fn segment(mut field: FieldPath, value: &str, required: &str) {
    match value {
        "" => field.required(required),
        "." | ".." => field.invalid_text(value, format!("may not be '{value}'")),
        _ => {
            for character in ['/', '%'] {
                if value.contains(character) {
                    field.invalid_text(value, format!("may not contain '{character}'"));
                }
            }
        }
    }
}
