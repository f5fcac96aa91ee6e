//! One module a command, called after it: its flags, and what it does.

pub mod capture;
pub mod completion;
pub mod demo;
pub mod dry_run;
pub mod explain;
pub mod flaps;
pub mod lint;
pub mod list;
pub mod rbac;
pub mod simulate;
pub mod version;
pub mod watch;
