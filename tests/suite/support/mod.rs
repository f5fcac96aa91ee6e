//! What the tests share: the recorded API server, the real binary, the
//! vectors and recordings, snapshots built in the controller's terms, and
//! golden files.

pub mod apiserver;
pub mod binary;
pub mod build;
pub mod case;
pub mod flapping;
pub mod generate;
pub mod golden;
pub mod interrupt;
pub mod pass;
pub mod pod;
pub mod prometheus;
pub mod proxy;
pub mod recording;
pub mod timeline;
pub mod vectors;

/// Whether a line of a page is a word of a command, which nothing may cut.
pub fn is_one_word(line: &str) -> bool {
    let mut is_quoted = false;
    let line = line.trim_matches([' ', '\\']);
    line.chars().all(|character| {
        is_quoted ^= character == '\'';
        character != ' ' || is_quoted
    })
}
