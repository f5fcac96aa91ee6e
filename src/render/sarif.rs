//! What is said of manifests as SARIF 2.1.0, for code scanning.

use std::io::{self, Write};
use std::path::MAIN_SEPARATOR;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde::{Serialize, Serializer};
use serde_json::{Value, json};

use super::json::write_json;
use super::reviewed::{Annotation, Reviewed, rules};
use super::{Printable, Renderer, TextOptions};
use crate::trace::Severity;

/// What stands for itself in a path. A colon would end a scheme.
const PLAIN: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'/')
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');

/// All of an answer as one log.
pub(super) struct Sarif;

impl Renderer for Sarif {
    fn write(
        answer: &(impl Printable + ?Sized),
        options: &TextOptions,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let rules: Vec<Value> = rules()
            .map(|rule| {
                json!({
                    "id": rule,
                    "shortDescription": { "text": rule.says() },
                    "help": { "text": rule.says() },
                    "defaultConfiguration": { "level": level(rule.severity()) },
                })
            })
            .collect();
        let log = SarifLog {
            schema: "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json",
            version: "2.1.0",
            runs: [SarifRun {
                tool: json!({ "driver": {
                    "name": env!("CARGO_PKG_NAME"),
                    "semanticVersion": env!("CARGO_PKG_VERSION"),
                    "informationUri": env!("CARGO_PKG_HOMEPAGE"),
                    "rules": rules,
                } }),
                column_kind: "unicodeCodePoints",
                results: &answer.reviewed(),
            }],
        };
        write_json(&log, options.indented, out)
    }
}

#[derive(Serialize)]
struct SarifLog<'r> {
    #[serde(rename = "$schema")]
    schema: &'static str,
    version: &'static str,
    runs: [SarifRun<'r>; 1],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SarifRun<'r> {
    tool: Value,
    column_kind: &'static str,
    #[serde(serialize_with = "results")]
    results: &'r [Reviewed],
}

/// One by one: of many manifests they fill much memory.
fn results<S: Serializer>(reviewed: &&[Reviewed], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(reviewed.iter().flat_map(|it| {
        let annotations = it.annotations.iter();
        annotations.map(|one| result(&it.file, one))
    }))
}

fn result(file: &str, annotation: &Annotation) -> Value {
    let lines: Vec<&str> = annotation.lines().collect();
    json!({
        "ruleId": annotation.rule,
        "level": level(annotation.severity),
        "message": { "text": lines.join("\n") },
        "locations": [{ "physicalLocation": {
            "artifactLocation": { "uri": uri(file) },
            "region": { "startLine": annotation.line, "startColumn": annotation.column },
        } }],
    })
}

fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Info => "note",
    }
}

/// A file as it was named: relative where that was.
fn uri(file: &str) -> String {
    let file = file.replace(MAIN_SEPARATOR, "/");
    let path = utf8_percent_encode(file.strip_prefix("./").unwrap_or(&file), PLAIN);
    if file.starts_with('/') {
        format!("file://{path}")
    } else {
        path.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::uri;

    #[test]
    fn a_file_is_a_relative_reference() {
        let rows = [
            ("deploy/hpa.yaml", "deploy/hpa.yaml"),
            ("./a b.yaml", "a%20b.yaml"),
            ("c:x%\u{1b}.yaml", "c%3Ax%25%1B.yaml"),
            ("/tmp/größe.yaml", "file:///tmp/gr%C3%B6%C3%9Fe.yaml"),
            ("standard input", "standard%20input"),
        ];
        for (file, expected) in rows {
            assert_eq!(uri(file), expected, "{file}");
        }
    }
}
