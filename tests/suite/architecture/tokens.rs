//! Rust source as tokens, so that comments and strings fool nobody.

/// A token and its line, counted from 1.
#[derive(Clone, Debug, PartialEq)]
pub struct Token {
    pub line: usize,
    pub kind: Kind,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Kind {
    Word(String),
    /// The content of a string, as it is written.
    Text(String),
    /// A character, as it is written.
    Sign(String),
    /// `::`
    Path,
    Mark(char),
}

impl Token {
    pub fn word(&self) -> Option<&str> {
        match &self.kind {
            Kind::Word(word) => Some(word),
            _ => None,
        }
    }

    pub fn is(&self, mark: char) -> bool {
        self.kind == Kind::Mark(mark)
    }
}

/// The tokens of a source; comments, numbers and lifetimes are left out.
pub fn tokens(source: &str) -> Vec<Token> {
    let mut reader = Reader {
        rest: source,
        line: 1,
    };
    let mut tokens = Vec::new();
    while let Some(first) = reader.rest.chars().next() {
        let line = reader.line;
        if let Some(kind) = reader.next(first) {
            tokens.push(Token { line, kind });
        }
    }
    tokens
}

struct Reader<'s> {
    rest: &'s str,
    line: usize,
}

impl<'s> Reader<'s> {
    fn next(&mut self, first: char) -> Option<Kind> {
        if self.rest.starts_with("//") {
            self.take(self.rest.find('\n').unwrap_or(self.rest.len()));
            return None;
        }
        if self.rest.starts_with("/*") {
            self.block_comment();
            return None;
        }
        if let Some(text) = self.string() {
            return Some(Kind::Text(text.to_owned()));
        }
        if self.rest.starts_with("::") {
            self.take(2);
            return Some(Kind::Path);
        }
        if first == '\'' {
            return self.character().map(Kind::Sign);
        }
        if is_word(first) {
            let word = self.word();
            return (!first.is_ascii_digit()).then(|| Kind::Word(word.to_owned()));
        }
        self.take(first.len_utf8());
        (!first.is_whitespace()).then_some(Kind::Mark(first))
    }

    fn take(&mut self, length: usize) -> &'s str {
        let (taken, rest) = self.rest.split_at(length);
        self.line += taken.matches('\n').count();
        self.rest = rest;
        taken
    }

    fn word(&mut self) -> &'s str {
        // A raw word, such as r#type, is the word.
        if self.rest.starts_with("r#") {
            self.take(2);
        }
        let end = self.rest.find(|c| !is_word(c));
        self.take(end.unwrap_or(self.rest.len()))
    }

    /// Block comments nest.
    fn block_comment(&mut self) {
        let mut depth = 0;
        while !self.rest.is_empty() {
            let length = match self.rest {
                rest if rest.starts_with("/*") => {
                    depth += 1;
                    2
                }
                rest if rest.starts_with("*/") => {
                    depth -= 1;
                    2
                }
                rest => rest.chars().next().map_or(0, char::len_utf8),
            };
            self.take(length);
            if depth == 0 {
                return;
            }
        }
    }

    /// The content of `"…"`, `r#"…"#` and their forms with b and c.
    fn string(&mut self) -> Option<&'s str> {
        let prefix = self.rest.trim_start_matches(['b', 'c']);
        let raw = prefix.strip_prefix('r');
        let after = raw.unwrap_or(prefix);
        let hashes = after.len() - after.trim_start_matches('#').len();
        let opened = after[hashes..].strip_prefix('"')?;
        if raw.is_none() && hashes > 0 || self.rest.len() - prefix.len() > 1 {
            return None;
        }
        let start = self.rest.len() - opened.len();
        let (length, closing) = if raw.is_some() {
            let closing = format!("\"{}", "#".repeat(hashes));
            (opened.find(&closing), closing.len())
        } else {
            (end_of_string(opened), 1)
        };
        let length = length.unwrap_or(opened.len().saturating_sub(closing));
        let text = &opened[..length];
        self.take(start + length + closing);
        Some(text)
    }

    /// The character: `'x'` and `'\''`, and nothing of `'a`.
    fn character(&mut self) -> Option<String> {
        self.take(1);
        if self.rest.starts_with('\\') {
            let start = self.take(1).to_owned();
            let length = self.rest.chars().next().map_or(0, char::len_utf8);
            let escaped = start + self.take(length);
            let end = self.rest.find('\'').map_or(self.rest.len(), |end| end + 1);
            return Some(escaped + self.take(end).trim_end_matches('\''));
        }
        let length = self.rest.chars().next().map_or(0, char::len_utf8);
        if !self.rest[length..].starts_with('\'') {
            self.word();
            return None;
        }
        let character = self.take(length).to_owned();
        self.take(1);
        Some(character)
    }
}

fn end_of_string(text: &str) -> Option<usize> {
    let mut escaped = false;
    text.char_indices().find_map(|(index, character)| {
        let ends = character == '"' && !escaped;
        escaped = character == '\\' && !escaped;
        ends.then_some(index)
    })
}

fn is_word(character: char) -> bool {
    character == '_' || character.is_alphanumeric()
}
