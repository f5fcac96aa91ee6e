//! What people read of it.

use super::{WithFallback, on, queue, waiting};
