//! The objects of a list, one by one while it comes: neither their texts nor
//! the list is held as a whole. And the lines of an answer that goes on, as they come.

use http_body_util::BodyExt;
use kube::client::Body;

use crate::collect::connect::innermost;
use crate::collect::request::Unanswered;

/// Where the objects are in an answer: so many objects and arrays are open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Depth {
    /// `{"items": [{}]}`, a list of the API server's.
    List = 2,
    /// `{"data": {"result": [{}]}}`, series of a Prometheus.
    Series = 3,
}

/// Takes the objects of a list out of its text.
#[derive(Default)]
pub struct Items {
    of_list: usize,
    /// How many objects and arrays are open.
    depth: usize,
    /// Whether what is open within the list's own braces is an array.
    is_array: bool,
    within: Within,
    /// Whether an object has just been taken.
    was_taken: bool,
    /// Whether an object was not taken: it stays, and so does what follows.
    is_refused: bool,
    /// The object that is under way.
    object: Vec<u8>,
    rest: Vec<u8>,
}

/// What a character of JSON is part of.
#[derive(Clone, Copy, Default)]
enum Within {
    #[default]
    Structure,
    Text,
    /// What follows a backslash in a text.
    Escape,
}

impl Items {
    /// Takes those of a depth.
    pub fn at(depth: Depth) -> Self {
        Self {
            of_list: depth as usize,
            ..Self::default()
        }
    }

    /// Goes on with the text. `take` says whether it could make something of an
    /// object.
    pub fn read(&mut self, text: &[u8], take: &mut dyn FnMut(&[u8]) -> bool) {
        if self.is_refused {
            return self.rest.extend_from_slice(text);
        }
        let mut from = 0;
        for (at, &byte) in text.iter().enumerate() {
            if !matches!(self.within, Within::Structure) {
                self.within = match (self.within, byte) {
                    (Within::Text, b'\\') => Within::Escape,
                    (Within::Text, b'"') => Within::Structure,
                    _ => Within::Text,
                };
                continue;
            }
            if self.was_taken && !byte.is_ascii_whitespace() {
                self.was_taken = false;
                // The comma goes with the object before it.
                if byte == b',' {
                    self.rest.extend_from_slice(&text[from..at]);
                    from = at + 1;
                }
            }
            match byte {
                b'"' => self.within = Within::Text,
                b'{' | b'[' => {
                    if self.is_between() {
                        self.rest.extend_from_slice(&text[from..at]);
                        from = at;
                    }
                    self.depth += 1;
                    if self.depth == self.of_list {
                        self.is_array = byte == b'[';
                    }
                }
                b'}' | b']' => {
                    self.depth = self.depth.saturating_sub(1);
                    if self.is_between() {
                        self.hand_over(&text[from..=at], take);
                        from = at + 1;
                        if self.is_refused {
                            break;
                        }
                    }
                    self.is_array &= self.depth >= self.of_list;
                }
                _ => {}
            }
        }
        let open = if self.is_array && self.depth > self.of_list {
            &mut self.object
        } else {
            &mut self.rest
        };
        open.extend_from_slice(&text[from..]);
    }

    /// Whether this is in the list, but in none of its objects.
    fn is_between(&self) -> bool {
        self.is_array && self.depth == self.of_list
    }

    /// Hands an object over whose end this is; most are in one piece.
    fn hand_over(&mut self, end: &[u8], take: &mut dyn FnMut(&[u8]) -> bool) {
        let mut object = std::mem::take(&mut self.object);
        let whole = if object.is_empty() {
            end
        } else {
            object.extend_from_slice(end);
            &object
        };
        self.was_taken = take(whole);
        self.is_refused = !self.was_taken;
        if self.is_refused {
            self.rest.extend_from_slice(whole);
        }
        object.clear();
        self.object = object;
    }

    /// How many bytes of the text are held.
    pub fn held(&self) -> usize {
        self.rest.len() + self.object.len()
    }

    /// The text without the objects that were taken.
    pub fn rest(mut self) -> Vec<u8> {
        self.rest.append(&mut self.object);
        self.rest
    }
}

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
    /// Errors: the answer broke off, also within a line, or the line is too long.
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
    use serde_json::Value;

    use super::{Depth, Items, Lines, MOST_BYTES};

    #[test]
    fn series_leave_a_matrix() {
        let text = r#"{"data":{"result":[{"values":[[1,"2"]]},{}]},"warnings":["a"]}"#;
        let mut items = Items::at(Depth::Series);
        let mut taken = 0;
        items.read(text.as_bytes(), &mut |_| {
            taken += 1;
            true
        });
        assert_eq!(taken, 2);
        let rest = String::from_utf8(items.rest()).expect("text");
        assert_eq!(rest, r#"{"data":{"result":[]},"warnings":["a"]}"#);
    }

    /// However a text comes, the objects are handed over once each, and the list
    /// without them stays. From one on that is not taken, all stays as it is.
    #[test]
    fn objects_leave_the_list() {
        let list =
            r#"{"meta":{"a":{"b":[1,{}]}},"items":[{"n":"a]}\"{"}, {"n":[{}]},{}],"t":[1,2]}"#;
        let rows: [(&str, usize, usize, &str); 6] = [
            (
                list,
                9,
                3,
                r#"{"meta":{"a":{"b":[1,{}]}},"items":[ ],"t":[1,2]}"#,
            ),
            (
                list,
                1,
                2,
                r#"{"meta":{"a":{"b":[1,{}]}},"items":[ {"n":[{}]},{}],"t":[1,2]}"#,
            ),
            (list, 0, 1, list),
            (r#"{"items":null}"#, 9, 0, r#"{"items":null}"#),
            (r#"{"items":[{"n":1},{"n":"#, 9, 1, r#"{"items":[{"n":"#),
            ("]]}} no list", 9, 0, "]]}} no list"),
        ];
        for (text, refused, count, rest) in rows {
            for size in [1, 7, text.len()] {
                let (mut items, mut calls) = (Items::at(Depth::List), 0);
                let mut take = |object: &[u8]| {
                    serde_json::from_slice::<Value>(object).expect("an object");
                    calls += 1;
                    calls <= refused
                };
                for part in text.as_bytes().chunks(size) {
                    items.read(part, &mut take);
                }
                assert_eq!(String::from_utf8(items.rest()).expect("text"), rest);
                assert_eq!(calls, count, "{text}");
            }
        }
    }

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
