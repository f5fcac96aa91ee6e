//! Files that hold what is printed.

use std::fs;
use std::path::Path;

/// Compares with files, each named by its path; the test fails at its end, so
/// that all differences are told in one run.
///
/// With `UPDATE_GOLDEN` set the files are written. The run fails all the same:
/// a pass means that somebody else's reading was compared with.
#[derive(Default)]
pub struct Goldens {
    differing: Vec<String>,
}

impl Goldens {
    pub fn check(&mut self, path: &Path, content: &str) {
        let golden = fs::read_to_string(path).unwrap_or_default();
        if golden == content {
            return;
        }
        if std::env::var_os("UPDATE_GOLDEN").is_some() {
            fs::create_dir_all(path.parent().expect("a folder")).expect("writable");
            fs::write(path, content).expect("writable");
            self.differing
                .push(format!("{} is written", path.display()));
        } else {
            let (line, now, before) = first_difference(content, &golden);
            self.differing.push(format!(
                "{}:{line}\n  now  {now:?}\n  file {before:?}",
                path.display()
            ));
        }
    }
}

impl Drop for Goldens {
    fn drop(&mut self) {
        assert!(
            self.differing.is_empty() || std::thread::panicking(),
            "{} files differ; UPDATE_GOLDEN=1 writes them:\n{}",
            self.differing.len(),
            self.differing.join("\n")
        );
    }
}

/// Compares with one file.
pub fn check(path: &Path, content: &str) {
    Goldens::default().check(path, content);
}

fn first_difference<'a>(now: &'a str, before: &'a str) -> (usize, &'a str, &'a str) {
    let pairs = now.lines().zip(before.lines());
    let equal = pairs.take_while(|(now, before)| now == before).count();
    let line = |text: &'a str| text.lines().nth(equal).unwrap_or("(nothing)");
    (equal + 1, line(now), line(before))
}

#[cfg(test)]
mod tests {
    use super::{Goldens, first_difference};

    #[test]
    fn a_difference_is_told_at_its_line() {
        let rows = [
            ("a\nb\n", "a\nc\n", (2, "b", "c")),
            ("a\n", "a\nc\n", (2, "(nothing)", "c")),
            ("a\nb\n", "", (1, "a", "(nothing)")),
            ("a\n", "a", (2, "(nothing)", "(nothing)")),
        ];
        for (now, before, told) in rows {
            assert_eq!(first_difference(now, before), told, "{now:?} {before:?}");
        }
    }

    /// Written or not: what differs fails.
    #[test]
    #[should_panic(expected = "1 files differ")]
    fn what_differs_fails_at_the_end() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut goldens = Goldens::default();
        goldens.check(&folder.path().join("missing"), "text");
        assert_eq!(goldens.differing.len(), 1);
    }
}
