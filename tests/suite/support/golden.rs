//! Files that hold what is printed.

use std::fs;
use std::path::Path;

/// Compares with the file; with `UPDATE_GOLDEN` set, writes it.
pub fn check(path: &Path, content: &str) {
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        fs::create_dir_all(path.parent().expect("a folder")).expect("writable");
        fs::write(path, content).expect("writable");
        return;
    }
    let golden = fs::read_to_string(path).unwrap_or_default();
    let file = path.display();
    assert_eq!(
        content, golden,
        "{file} differs; UPDATE_GOLDEN=1 writes it anew"
    );
}
