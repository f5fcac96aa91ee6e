//! What is asked of the API server, and what came back: paths, rights,
//! deadlines, pages, and failures in client-go's words.

pub mod collect_error;
pub mod failed_request;
pub mod items;
pub mod pages;
pub mod paths;
pub mod reader;
pub mod right;

pub use collect_error::{CollectError, StatusReason};
pub use items::{Depth, Lines};
pub use pages::{each_of, list, list_of, pages_of};
pub use paths::{Endpoint, Resource};
pub use reader::{Patience, Reader, Reply, Sent, Unanswered, interrupted};
pub use right::{Right, Status};
