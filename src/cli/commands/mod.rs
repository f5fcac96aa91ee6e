//! One module a command: its flags, and what it does. `explain` is the command without
//! a name, `meaning` is `explain CODE`; `picker` asks which HPA is meant where none is
//! named.

pub mod capture;
pub mod completion;
pub mod demo;
pub mod dry_run;
pub mod explain;
pub mod flaps;
pub mod lint;
pub mod list;
pub mod meaning;
mod picker;
pub mod rbac;
pub mod record;
pub mod simulate;
pub mod tune;
pub mod version;
pub mod watch;
