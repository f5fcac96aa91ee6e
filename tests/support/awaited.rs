//! Codes that nothing finds yet.

use hpa_explain::trace::Code;

pub const AWAITED: &[Code] = &[];
