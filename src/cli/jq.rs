//! kubectl's languages for a part of the answer, in jq's.

/// What `-o` asks for in another language, and the jq command for the same;
/// `None` where it is a format.
pub fn same_as(format: &str) -> Option<(&'static str, String)> {
    let (language, text) = match format.split_once('=') {
        Some((language, text)) => (language, text),
        None => (format, ""),
    };
    let (language, paths): (_, Vec<&str>) = match language {
        "jsonpath" | "jsonpath-as-json" => ("jsonpath", vec![text]),
        "go-template" | "template" => ("go-template", vec![text]),
        "custom-columns" => {
            let columns = text.split(',');
            (
                "custom-columns",
                columns
                    .filter_map(|it| Some(it.split_once(':')?.1))
                    .collect(),
            )
        }
        "jsonpath-file" | "go-template-file" | "templatefile" | "custom-columns-file" => {
            ("FORMAT-file", Vec::new())
        }
        _ => return None,
    };
    let paths: Option<Vec<String>> = paths.into_iter().map(path).collect();
    let filter = match paths.unwrap_or_default().as_slice() {
        [] => "jq .".to_owned(),
        [one] => format!("jq -r '{one}'"),
        several => format!("jq -r '[{}] | @tsv'", several.join(", ")),
    };
    Some((language, filter))
}

/// A path such as `{.trace.desired}`; `None` for all that is more than one.
fn path(text: &str) -> Option<String> {
    let braced = text.trim_matches(['{', '}', ' ', '\'', '"']);
    let path = braced.trim_start_matches('$').replace("[*]", "[]");
    let is_plain = |it: char| it.is_ascii_alphanumeric() || "._[]-".contains(it);
    (path.starts_with('.') && path.chars().all(is_plain)).then_some(path)
}

#[cfg(test)]
mod tests {
    use super::same_as;

    #[test]
    fn a_path_is_the_same_in_jq() {
        let rows = [
            (
                "jsonpath={.desiredReplicas}",
                Some("jq -r '.desiredReplicas'"),
            ),
            ("jsonpath={.items[*].name}", Some("jq -r '.items[].name'")),
            ("jsonpath={range .items[*]}{.name}{end}", Some("jq .")),
            ("jsonpath", Some("jq .")),
            ("go-template={{.name}}", Some("jq -r '.name'")),
            (
                "custom-columns=NAME:.name,SIZE:.trace.size",
                Some("jq -r '[.name, .trace.size] | @tsv'"),
            ),
            ("jsonpath={.a}' ; rm x", Some("jq .")),
            ("jsonpath-file=x", Some("jq .")),
            ("json", None),
            ("xml", None),
        ];
        for (format, filter) in rows {
            assert_eq!(
                same_as(format).map(|it| it.1).as_deref(),
                filter,
                "{format}"
            );
        }
    }
}
