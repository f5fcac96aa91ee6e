//! What a YAML text may ask of the parser.
//!
//! A short text can stand for a very large document, by aliases that repeat
//! parts of it, or take very long, by nesting. No snapshot needs either.

/// The most that a document may grow to by its aliases, in bytes.
const MOST_EXPANDED: usize = 64 << 20;

/// The deepest nesting of brackets; the parser's time grows with its square.
const DEEPEST: usize = 5_000;

/// Refuses a text that asks for too much.
///
/// Both tests are made on the bare text, so that they cost next to nothing;
/// they err far on the permitting side.
pub(super) fn check(text: &str) -> Result<(), String> {
    if aliases(text).saturating_mul(text.len()) > MOST_EXPANDED {
        return Err("too many aliases; write out what they stand for".to_owned());
    }
    if is_deeply_nested(text) {
        return Err(format!("brackets nested more than {DEEPEST} deep"));
    }
    Ok(())
}

/// How many aliases (`*name`) there can be at most.
fn aliases(text: &str) -> usize {
    let bytes = text.as_bytes();
    let starts = bytes.windows(3).filter(|window| {
        let [before, star, after] = *window else {
            return false;
        };
        matches!(before, b' ' | b'\n' | b'\t' | b',' | b'[' | b'{' | b':')
            && *star == b'*'
            && !after.is_ascii_whitespace()
    });
    starts.count()
}

fn is_deeply_nested(text: &str) -> bool {
    let mut depth = 0_usize;
    text.bytes().any(|byte| {
        match byte {
            b'[' | b'{' => depth += 1,
            b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth > DEEPEST
    })
}

#[cfg(test)]
mod tests {
    use super::check;

    #[test]
    fn ordinary_texts_pass() {
        let many_pods = "- {name: \"a*b\", command: [\"*\", x]}\n".repeat(100_000);
        let anchored = format!(
            "a: &a [1, 2]\nb: *a\nc: {{d: *a}}\n{}",
            "e: 1\n".repeat(100_000)
        );
        for text in ["", "a: b", &many_pods, &anchored] {
            assert_eq!(check(text), Ok(()));
        }
    }

    #[test]
    fn texts_that_grow_or_nest_without_end_are_refused() {
        let list = "x, ".repeat(20_000);
        let repeated = format!("a: &a [{list}]\nb: [{}]\n", "*a, ".repeat(2_000));
        assert!(check(&repeated).is_err_and(|reason| reason.contains("aliases")));
        let nested = format!("x: {}{}", "[".repeat(100_000), "]".repeat(100_000));
        assert!(check(&nested).is_err_and(|reason| reason.contains("nested")));
    }
}
