//! What a server's `Warning` headers say, in the form of RFC 7234, section 5.5.

/// The texts of a header: of `299 - "text"`, and of several in one line. As
/// client-go, only code 299 counts, and what cannot be read is left out.
pub fn texts(header: &str) -> Vec<String> {
    let mut texts = Vec::new();
    let mut rest = header;
    while let Some((text, after)) = first(rest) {
        texts.extend(text);
        rest = after;
    }
    texts
}

/// The first warning, if its code is the one that counts, and what follows.
fn first(header: &str) -> Option<(Option<String>, &str)> {
    let header = header.trim_start_matches([' ', '\t', ',']);
    let (code, rest) = header.split_once(' ')?;
    let (_agent, rest) = rest.trim_start().split_once(' ')?;
    let (text, rest) = quoted(rest.trim_start())?;
    let rest = without_date(rest);
    let counts = code == "299" && !text.is_empty();
    Some((counts.then_some(text), rest))
}

/// The content of a quoted string, and what follows it.
fn quoted(text: &str) -> Option<(String, &str)> {
    let inside = text.strip_prefix('"')?;
    let mut content = String::new();
    let mut characters = inside.char_indices();
    while let Some((at, character)) = characters.next() {
        match character {
            '"' => return Some((content, &inside[at + 1..])),
            '\\' => content.push(characters.next()?.1),
            other => content.push(other),
        }
    }
    None
}

/// The date that may follow a text is of no interest.
fn without_date(rest: &str) -> &str {
    quoted(rest.trim_start()).map_or(rest, |(_, rest)| rest)
}

#[cfg(test)]
mod tests {
    use super::texts;

    #[test]
    fn only_the_text_counts() {
        let rows: [(&str, &[&str]); 12] = [
            (r#"299 - "is deprecated""#, &["is deprecated"]),
            (r#"299 k8s "is deprecated""#, &["is deprecated"]),
            (r#"299 - "a \"b\" \\ c""#, &[r#"a "b" \ c"#]),
            (r#"299 - "one", 299 - "two, too""#, &["one", "two, too"]),
            (
                r#"299 - "one" "Sat, 25 Aug 2012 23:34:45 GMT", 299 - "two""#,
                &["one", "two"],
            ),
            (r#"299 - "größe""#, &["größe"]),
            // Of other codes and what is no warning nothing is said.
            (r#"110 - "stale", 299 - "two""#, &["two"]),
            (r#"299 - """#, &[]),
            (r#"299 - "no end"#, &[]),
            (r#"299 - "no end\"#, &[]),
            ("299 - bare", &[]),
            ("", &[]),
        ];
        for (header, want) in rows {
            assert_eq!(texts(header), want, "{header}");
        }
    }
}
