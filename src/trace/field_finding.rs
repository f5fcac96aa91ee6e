//! A finding about a field of a manifest.

use super::Finding;

/// Something that was found in a manifest, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldFinding {
    /// The field, such as `spec.behavior.scaleDown.tolerance`.
    pub field: String,
    /// What was found.
    pub finding: Finding,
}
