//! What a YAML text may ask of whoever reads it.
//!
//! A short text can stand for a very large document, by aliases that repeat
//! parts of it, or take very long, by nesting. No file needs either.

use std::collections::BTreeMap;

use saphyr_parser::{Event, Parser};

/// The deepest nesting; the API has no object that needs a tenth of it.
const DEEPEST: usize = 128;

/// The most values that aliases may repeat.
const MOST_REPEATED: usize = 500_000;

/// So many bytes of text weigh as much as a value.
const TEXT: usize = 32;

/// What the events of a document have asked for so far.
#[derive(Debug, Default)]
pub struct YamlLimits {
    /// What is not closed yet: its anchor, and its weight so far.
    open: Vec<(usize, usize)>,
    /// The weight of what aliases can repeat.
    anchors: BTreeMap<usize, usize>,
    repeated: usize,
}

impl YamlLimits {
    /// Takes the next event.
    ///
    /// # Errors
    ///
    /// The document asks for too much.
    pub fn take(&mut self, event: &Event) -> Result<(), String> {
        match event {
            Event::SequenceStart(anchor, _) | Event::MappingStart(anchor, _) => {
                if self.open.len() >= DEEPEST {
                    return Err(format!("nested more than {DEEPEST} deep"));
                }
                self.open.push((*anchor, 1));
                Ok(())
            }
            Event::SequenceEnd | Event::MappingEnd => {
                let (anchor, weight) = self.open.pop().unwrap_or_default();
                self.add(anchor, weight)
            }
            Event::Scalar(text, _, anchor, _) => self.add(*anchor, 1 + text.len() / TEXT),
            Event::Alias(anchor) => {
                let Some(weight) = self.anchors.get(anchor).copied() else {
                    return Err("the alias stands inside of what it repeats".to_owned());
                };
                self.repeat(weight)?;
                self.add(0, weight)
            }
            _ => Ok(()),
        }
    }

    fn add(&mut self, anchor: usize, weight: usize) -> Result<(), String> {
        if let Some((_, outer)) = self.open.last_mut() {
            *outer = outer.saturating_add(weight);
        }
        if anchor != 0 {
            // Whoever keeps it for its aliases keeps a copy.
            self.repeat(weight)?;
            self.anchors.insert(anchor, weight);
        }
        Ok(())
    }

    fn repeat(&mut self, weight: usize) -> Result<(), String> {
        self.repeated = self.repeated.saturating_add(weight);
        if self.repeated > MOST_REPEATED {
            return Err(format!(
                "aliases repeat more than {MOST_REPEATED} values; write out what they stand for"
            ));
        }
        Ok(())
    }
}

/// Reads a YAML document, within the limits.
///
/// # Errors
///
/// What `read` has to say, or that the text asks for too much, or is no YAML;
/// both with the line and the column in it.
pub fn within_limits<T>(text: &str, read: impl FnOnce(&str) -> T) -> Result<T, String> {
    let mut limits = YamlLimits::default();
    for event in Parser::new_from_str(text) {
        let placed = |reason: &str, line: usize, column: usize| {
            format!("{reason} at line {line} column {}", column + 1)
        };
        let (event, span) = match event {
            Ok(event) => event,
            Err(error) if closes_json(text, error.marker().line()) => return Ok(read(text)),
            Err(error) => {
                let at = error.marker();
                return Err(placed(error.info(), at.line(), at.col()));
            }
        };
        limits
            .take(&event)
            .map_err(|reason| placed(&reason, span.start.line(), span.start.col()))?;
    }
    Ok(read(text))
}

/// Whether this line closes JSON that was put into a text of YAML as it came:
/// its bracket stands in the first column, which YAML of the letter has not and
/// every other reader takes. Of a text that could ask for much, no such line is
/// taken.
fn closes_json(text: &str, line: usize) -> bool {
    let line = text.lines().nth(line.saturating_sub(1)).unwrap_or_default();
    let repeats = text.contains('&') && text.contains('*');
    let mut depth = 0_usize;
    let deepest = text.bytes().map(|byte| {
        match byte {
            b'[' | b'{' => depth += 1,
            b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth
    });
    line.starts_with(['}', ']']) && !repeats && deepest.max() <= Some(DEEPEST)
}

#[cfg(test)]
mod tests {
    use super::within_limits;

    fn check(text: &str) -> Result<(), String> {
        within_limits(text, |_| ())
    }

    #[test]
    fn ordinary_texts_pass() {
        let many_pods = "- {name: \"a*b[\", command: [\"*\", x]}\n".repeat(100_000);
        let anchored = format!(
            "a: &a [1, 2]\nb: *a\nc: {{d: *a}}\n{}",
            "e: 1\n".repeat(100_000)
        );
        // Ten thousand pods that share what they run.
        let pod = "{name: app, image: x, resources: {requests: {cpu: 1, memory: 2}}}";
        let shared = format!("- &p {pod}\n{}", "- {spec: *p}\n".repeat(10_000));
        let pasted = "a: {\n  \"b\": [\n  ]\n}\nc: [\n1\n]\n";
        let rows = ["", "a: b", &many_pods, &anchored, &shared, pasted];
        for text in rows {
            assert_eq!(check(text), Ok(()));
        }
        assert_eq!(rows.len(), 6);
    }

    #[test]
    fn texts_that_grow_or_nest_without_end_are_refused() {
        let list = "x, ".repeat(20_000);
        let repeated = format!("a: &a [{list}]\nb: [{}]\n", "*a, ".repeat(2_000));
        let pods = format!("- &p {{a: {{b: c}}}}\n{}", "- *p\n".repeat(150_000));
        let long = format!(
            "a: &a {}\nb: [{}]\n",
            "x".repeat(400_000),
            "*a, ".repeat(500)
        );
        let powers =
            (1..10).map(|at| format!("- &a{at} [{}]\n", format!("*a{}, ", at - 1).repeat(10)));
        let powers = format!("- &a0 x\n{}", powers.collect::<String>());
        let anchors: Vec<String> = (0..100).map(|at| format!("&a{at} [")).collect();
        let anchors = anchors.concat();
        let anchors = format!("{anchors}{}{}", "1,".repeat(20_000), "]".repeat(100));
        let rows = [
            (repeated, "aliases repeat more than 500000 values"),
            (pods, "aliases repeat"),
            (long, "aliases repeat"),
            (powers, "aliases repeat"),
            (anchors, "aliases repeat"),
            ("a: &a [*a]".to_owned(), "stands inside"),
            (
                format!("x: {}", "[".repeat(130)),
                "nested more than 128 deep at line 1 column 131",
            ),
            (
                format!("x: {}", "[".repeat(100_000)),
                "recursion limit exceeded",
            ),
            ("- ".repeat(100_000), "nested"),
            ("? ".repeat(100_000), "nested"),
            ("a: &a {\n}\nb: *a\n".to_owned(), "indentation"),
            (
                format!("a: {{\n}}\nb: {}", "[".repeat(1_000)),
                "indentation",
            ),
            ("{a: ".repeat(100_000), "recursion limit exceeded"),
        ];
        for (text, reason) in &rows {
            let start: String = text.chars().take(40).collect();
            let error = check(text).expect_err(&start);
            assert!(error.contains(reason), "{start}: {error}");
        }
        assert_eq!(rows.len(), 13);
    }
}
