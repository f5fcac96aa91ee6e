//! kubectl's languages for a part of the answer, in jq's.

/// Prints all of a document.
pub const ALL: &str = "jq .";

/// Why that is all that can be told.
pub const OTHER_FIELDS: &str =
    "the document has other fields than the HPA object; docs/schema.json lists them";

/// What a command's documents have at their top.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fields {
    OfExplanation,
    /// Of each in `.items`.
    OfList,
    /// Not told here.
    Others,
}

impl Fields {
    const fn names(self) -> &'static [&'static str] {
        match self {
            Self::OfExplanation => &[
                "name",
                "namespace",
                "possible",
                "possibleRange",
                "prediction",
                "trace",
                "verdict",
            ],
            Self::OfList => &[
                "creationTimestamp",
                "currentReplicas",
                "desiredReplicas",
                "findings",
                "holds",
                "lastPass",
                "maxReplicas",
                "minReplicas",
                "name",
                "namespace",
                "possibleRange",
                "rescale",
                "severity",
                "since",
                "target",
                "verdict",
            ],
            Self::Others => &[],
        }
    }

    /// The path of the same field of ours; what `.items` has stands alone.
    fn own(self, path: &str) -> Option<String> {
        let path = path.strip_prefix(".items[]").unwrap_or(path);
        let of_object = [".metadata.", ".spec.", ".status."];
        let rest = of_object.iter().find_map(|it| path.strip_prefix(it));
        let rest = rest.or_else(|| path.strip_prefix('.'))?;
        let part = match rest {
            "currentReplicas" | "desiredReplicas" => ".trace.outcome",
            "minReplicas" | "maxReplicas" => ".trace.bounds",
            "bounds" => ".trace",
            _ => "",
        };
        if self == Self::OfExplanation && !part.is_empty() {
            return Some(format!("{part}.{rest}"));
        }
        let first = rest.split(['.', '[']).next()?;
        self.names().contains(&first).then(|| format!(".{rest}"))
    }
}

/// What `-o` asks for in another language, and the jq command for the same;
/// `None` where it is a format.
pub fn same_as(format: &str, fields: Fields) -> Option<(&str, String)> {
    let (language, text) = format.split_once('=').unwrap_or((format, ""));
    let expressions: Vec<&str> = match language {
        "jsonpath" | "jsonpath-as-json" | "go-template" | "template" => expressions(text),
        "custom-columns" => {
            let columns = text.split(',').filter_map(|it| it.split_once(':'));
            columns.map(|(_, path)| path).collect()
        }
        "jsonpath-file" | "go-template-file" | "templatefile" | "custom-columns-file" => Vec::new(),
        _ => return None,
    };
    Some((
        language,
        filter(&expressions, fields).unwrap_or_else(|| ALL.to_owned()),
    ))
}

/// What stands in braces; all of it where there are none.
fn expressions(text: &str) -> Vec<&str> {
    let text = text.trim_matches(['\'', ' ']);
    if !text.contains('{') {
        return vec![text];
    }
    let parts = text.split('{').filter_map(|part| part.split_once('}'));
    let parts = parts.map(|(inside, _)| inside.trim());
    let is_text = |it: &str| it.starts_with(['"', '\'']) || it == "end";
    parts.filter(|it| !is_text(it)).collect()
}

/// `None` where something in it is not a field of ours.
fn filter(expressions: &[&str], fields: Fields) -> Option<String> {
    let (range, expressions) = match expressions {
        [first, rest @ ..] if first.starts_with("range ") => (Some(&first[6..]), rest),
        all => (None, all),
    };
    // kubectl's list, which is each document here.
    let is_of_items = |range: &str| matches!(range.trim(), ".items" | ".items[*]");
    if range.is_some_and(|range| !is_of_items(range)) {
        return None;
    }
    let paths: Option<Vec<String>> = expressions
        .iter()
        .map(|it| path(&fields.own(&it.trim_start_matches('$').replace("[*]", "[]"))?))
        .collect();
    let each = if fields == Fields::OfList {
        ".items[] | "
    } else {
        ""
    };
    match paths?.as_slice() {
        [] => None,
        [one] => Some(format!("jq -r '{each}{one}'")),
        several => Some(format!("jq -r '{each}[{}] | @tsv'", several.join(", "))),
    }
}

/// A path as jq reads it, each step in quotes where it is not a plain word.
fn path(text: &str) -> Option<String> {
    let steps = text.strip_prefix('.')?.split('.');
    let steps = steps.map(|step| {
        let (name, indices) = step.split_at(step.find('[').unwrap_or(step.len()));
        let is_index = |it: &str| {
            let inside = it.strip_prefix('[').and_then(|it| it.strip_suffix(']'));
            inside.is_some_and(|it| it.is_empty() || it.parse::<i32>().is_ok())
        };
        let is_word = |it: char| it.is_ascii_alphanumeric() || "_-".contains(it);
        let is_step = !name.is_empty() && name.chars().all(is_word);
        if !is_step || !indices.split_inclusive(']').all(is_index) {
            return None;
        }
        let is_plain = !name.contains('-') && !name.starts_with(|it: char| it.is_ascii_digit());
        let quote = if is_plain { "" } else { "\"" };
        Some(format!(".{quote}{name}{quote}{indices}"))
    });
    steps.collect()
}

#[cfg(test)]
mod tests {
    use super::Fields::{OfExplanation, OfList, Others};
    use super::{ALL, same_as};

    #[test]
    fn a_path_is_the_same_in_jq() {
        // What is asked for, and the filter of jq.
        let explanation = [
            "jsonpath={.verdict} => .verdict",
            "jsonpath={.items[*].name} => .name",
            "jsonpath={.metadata.name} => .name",
            "jsonpath={.status.desiredReplicas} => .trace.outcome.desiredReplicas",
            "jsonpath={.spec.maxReplicas} => .trace.bounds.maxReplicas",
            "jsonpath={.bounds} => .trace.bounds",
            "jsonpath={.name}{\"\\n\"} => .name",
            "jsonpath=.name => .name",
            "jsonpath={$.trace.findings[*].id} => .trace.findings[].id",
            "jsonpath={.trace.app-name[0]} => .trace.\"app-name\"[0]",
            "go-template={{.name}} => .name",
            "custom-columns=NAME:.name,SIZE:.trace.outcome => [.name, .trace.outcome] | @tsv",
        ];
        let list = [
            "custom-columns=NAME:.name => .items[] | .name",
            "custom-columns=NAME:.metadata.name,MAX:.spec.maxReplicas => .items[] | [.name, .maxReplicas] | @tsv",
            "jsonpath={range .items[*]}{.name}{end} => .items[] | .name",
            "go-template={{range .items}}{{.name}}{{end}} => .items[] | .name",
            "jsonpath={.items[*].metadata.name} => .items[] | .name",
        ];
        let of_explanation = explanation.map(|row| (OfExplanation, row));
        let of_list = list.map(|row| (OfList, row));
        for (fields, row) in of_explanation.into_iter().chain(of_list) {
            let (format, filter) = row.split_once(" => ").expect(row);
            let same = same_as(format, fields).map(|it| it.1);
            assert_eq!(same, Some(format!("jq -r '{filter}'")), "{row}");
        }
        let all = [
            (OfExplanation, "jsonpath={.metadata.labels}"),
            (OfExplanation, "jsonpath={.trace.}"),
            (OfExplanation, "jsonpath={.trace['at']}"),
            (OfExplanation, "jsonpath={.}"),
            (OfExplanation, "jsonpath"),
            (OfExplanation, "jsonpath={.a}' ; rm x"),
            (OfExplanation, "jsonpath-file=x"),
            (OfList, "jsonpath={range .trace}{.name}{end}"),
            (OfList, "jsonpath={.trace.outcome}"),
            (Others, "jsonpath={.metadata.name}"),
        ];
        for (fields, format) in all {
            let same = same_as(format, fields).map(|it| it.1);
            assert_eq!(same.as_deref(), Some(ALL), "{format}");
        }
        for format in ["json", "xml"] {
            assert_eq!(same_as(format, OfExplanation), None, "{format}");
        }
        assert_eq!((explanation.len(), list.len(), all.len()), (12, 5, 10));
        let language = same_as("jsonpath-file=x", Others).map(|it| it.0);
        assert_eq!(language, Some("jsonpath-file"));
    }

    /// What is told of is in the documents.
    #[test]
    fn the_fields_are_those_of_the_schema() {
        let schema = std::fs::read_to_string("docs/schema.json").expect("the schema");
        let schema: serde_json::Value = serde_json::from_str(&schema).expect("JSON");
        for (fields, document) in [(OfExplanation, "Explanation"), (OfList, "Summary")] {
            for name in fields.names() {
                let property = &schema["$defs"][document]["properties"][name];
                assert!(property.is_object(), "{document}: {name}");
            }
        }
    }
}
