//! Texts that must not act in Markdown, as GitHub reads it: no markup, no
//! HTML, no link, no picture, no mention of a person or an issue.
//!
//! What would act in a terminal is made harmless before.

/// A text inside a paragraph, a heading or a cell of a table.
pub(super) fn inline(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    let mut rest = text.chars().peekable();
    while let Some(character) = rest.next() {
        match character {
            '\\' | '`' | '*' | '_' | '[' | ']' | '|' | '~' => {
                safe.push('\\');
                safe.push(character);
            }
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '&' => safe.push_str("&amp;"),
            // An escape does not keep these from being looked up; code does.
            '@' | '#' | '$' => {
                safe.push('`');
                safe.push(character);
                safe.push('`');
            }
            // The colon of `https://`.
            ':' if rest.peek() == Some(&'/') => safe.push_str("\\:"),
            // The dot of `www.`.
            '.' if safe.ends_with("www") || safe.ends_with("WWW") => safe.push_str("\\."),
            _ => safe.push(character),
        }
    }
    safe
}

/// Lines as they are, between fences that none of them can close.
pub(super) fn fenced(language: &str, lines: &[String]) -> Vec<String> {
    let longest = lines.iter().map(|line| longest_run(line)).max();
    let fence = "`".repeat(longest.unwrap_or_default().max(2) + 1);
    let mut fenced = vec![format!("{fence}{language}")];
    fenced.extend(lines.iter().cloned());
    fenced.push(fence);
    fenced
}

fn longest_run(text: &str) -> usize {
    let runs = text.split(|character| character != '`');
    runs.map(str::len).max().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::{fenced, inline};

    #[test]
    fn nothing_acts() {
        let rows = [
            ("web-7c9d4f is at 60%.", "web-7c9d4f is at 60%."),
            ("a|b", r"a\|b"),
            (
                "`rm` **now** _or_ ~later~",
                r"\`rm\` \*\*now\*\* \_or\_ \~later\~",
            ),
            ("<img src=x>&lt;", "&lt;img src=x&gt;&amp;lt;"),
            ("[me](http://x) ![p](//y)", r"\[me\](http\://x) !\[p\](//y)"),
            ("www.example.com", r"www\.example.com"),
            ("@team, see #12", "`@`team, see `#`12"),
            (r"C:\x", r"C:\\x"),
        ];
        for (text, safe) in rows {
            assert_eq!(inline(text), safe);
        }
    }

    #[test]
    fn no_line_closes_its_fence() {
        let lines = |lines: &[&str]| {
            lines
                .iter()
                .map(|line| (*line).to_owned())
                .collect::<Vec<_>>()
        };
        assert_eq!(
            fenced("text", &lines(&["a"])),
            lines(&["```text", "a", "```"])
        );
        let fences = fenced("", &lines(&["```", "x ````` y"]));
        assert_eq!(fences.first().map(String::as_str), Some("``````"));
    }
}
