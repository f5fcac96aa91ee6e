//! An answer that goes on: its lines, as they come.

use http_body_util::BodyExt;
use kube::client::Body;

use super::reader::Unanswered;
use crate::collect::connect::innermost;

/// The longest line that is read. No object of the API server is larger than
/// what etcd takes, 1.5 MiB.
const MOST_BYTES: usize = 4 << 20;

/// An answer that goes on.
pub struct Lines {
    body: Body,
    /// What came and is not handed out yet.
    bytes: Vec<u8>,
    /// How much of it holds no line break.
    searched: usize,
}

impl Lines {
    pub(super) fn of(body: Body) -> Self {
        Self {
            body,
            bytes: Vec::new(),
            searched: 0,
        }
    }

    /// The next line, without its end; nothing once the answer has ended.
    ///
    /// # Errors
    ///
    /// The answer broke off, also within a line, or the line is too long.
    pub async fn next(&mut self) -> Result<Option<Vec<u8>>, Unanswered> {
        loop {
            if let Some(line) = self.taken() {
                return Ok(Some(line));
            }
            if self.bytes.len() > MOST_BYTES {
                let text = format!("a line of more than {} MiB", MOST_BYTES >> 20);
                return Err(Unanswered::Body(text));
            }
            match self.body.frame().await {
                Some(Ok(frame)) => {
                    if let Ok(data) = frame.into_data() {
                        self.bytes.extend_from_slice(&data);
                    }
                }
                Some(Err(error)) => return Err(Unanswered::Body(innermost(&error))),
                None if self.bytes.is_empty() => return Ok(None),
                None => return Err(Unanswered::Body("it ends within a line".to_owned())),
            }
        }
    }

    /// The first line of what came, if it is there as a whole.
    fn taken(&mut self) -> Option<Vec<u8>> {
        let rest = &self.bytes[self.searched..];
        let Some(end) = rest.iter().position(|byte| *byte == b'\n') else {
            self.searched = self.bytes.len();
            return None;
        };
        let mut line: Vec<u8> = self.bytes.drain(..=self.searched + end).collect();
        self.searched = 0;
        line.pop();
        Some(line)
    }
}

#[cfg(test)]
mod tests {
    use kube::client::Body;

    use super::{Lines, MOST_BYTES};

    /// The lines of a body, and how it ends.
    async fn read(text: &str) -> (Vec<String>, Result<(), String>) {
        let mut lines = Lines::of(Body::from(text.as_bytes().to_vec()));
        let mut read = Vec::new();
        loop {
            match lines.next().await {
                Ok(Some(line)) => read.push(String::from_utf8(line).expect("text")),
                Ok(None) => return (read, Ok(())),
                Err(error) => return (read, Err(error.to_string())),
            }
        }
    }

    #[tokio::test]
    async fn a_line_is_handed_out_whole_or_not_at_all() {
        let rows: [(&str, &[&str], Result<(), &str>); 5] = [
            ("", &[], Ok(())),
            ("one\ntwo\n", &["one", "two"], Ok(())),
            ("\n\n", &["", ""], Ok(())),
            ("one\ntw", &["one"], Err("it ends within a line")),
            ("o", &[], Err("it ends within a line")),
        ];
        for (text, lines, end) in rows {
            let (read, ended) = read(text).await;
            assert_eq!(read, lines, "{text:?}");
            match (ended, end) {
                (Ok(()), Ok(())) => {}
                (Err(error), Err(reason)) => assert!(error.contains(reason), "{error}"),
                (ended, _) => panic!("{text:?}: {ended:?}"),
            }
        }
    }

    #[tokio::test]
    async fn a_line_has_a_longest_length() {
        let (lines, end) = read(&"x".repeat(MOST_BYTES + 1)).await;
        assert!(lines.is_empty());
        assert!(end.expect_err("too long").contains("more than 4 MiB"));
    }
}
