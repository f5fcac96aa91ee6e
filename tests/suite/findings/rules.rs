//! What every finding keeps to.

use hpa_explain::trace::{Finding, Remedy};

/// The longest message, in characters.
const LONGEST: usize = 200;

/// What the findings of a pass break.
pub fn broken(findings: &[Finding]) -> Vec<String> {
    let mut broken: Vec<String> = findings.iter().flat_map(of_finding).collect();
    if !findings.is_sorted_by_key(Finding::rank) {
        broken.push("not sorted".to_owned());
    }
    let mut messages: Vec<_> = findings.iter().map(|it| (it.code, &it.message)).collect();
    messages.sort_unstable();
    if messages.windows(2).any(|pair| pair[0] == pair[1]) {
        broken.push("told twice".to_owned());
    }
    broken
}

/// What one finding breaks.
pub fn of_finding(finding: &Finding) -> Vec<String> {
    let code = finding.code;
    let mut broken = line(&finding.message);
    if finding.severity > code.severity() || finding.role != code.role() {
        broken.push("matters more than its code");
    }
    for fact in &finding.evidence {
        broken.extend(line(&fact.about).into_iter().chain(line(&fact.says)));
    }
    for remedy in &finding.remedies {
        broken.extend(of_remedy(remedy));
    }
    let message = &finding.message;
    broken
        .into_iter()
        .map(|what| format!("{code}: {what}: {message:?}"))
        .collect()
}

fn of_remedy(remedy: &Remedy) -> Vec<&'static str> {
    let mut broken = line(&remedy.says);
    if let Some(command) = remedy.command.as_ref().map(ToString::to_string) {
        if !command.starts_with("kubectl ") {
            broken.push("not a command of kubectl");
        }
        if !is_quoted(&command) {
            broken.push("a word of a command is not quoted");
        }
    }
    if let Some(patch) = &remedy.patch {
        let yaml: Result<serde_yaml::Mapping, _> = serde_yaml::from_str(patch);
        if yaml.is_err() {
            broken.push("a patch that is no YAML mapping");
        }
    }
    broken
}

/// A line that can stand in a sentence.
fn line(text: &str) -> Vec<&'static str> {
    let mut broken = Vec::new();
    if text.trim().is_empty() || text.trim() != text {
        broken.push("empty, or with blanks around it");
    }
    if text.contains('\n') {
        broken.push("more than one line");
    }
    if text.ends_with('.') && !text.ends_with("...") {
        broken.push("ends with a full stop");
    }
    if text.chars().count() > LONGEST {
        broken.push("too long");
    }
    broken
}

/// Whether a shell reads nothing but words outside of the quotes.
fn is_quoted(command: &str) -> bool {
    let mut outside = String::new();
    let mut is_inside = false;
    let mut characters = command.chars();
    while let Some(character) = characters.next() {
        match character {
            '\'' => is_inside = !is_inside,
            '\\' if !is_inside => _ = characters.next(),
            _ if is_inside => {}
            plain => outside.push(plain),
        }
    }
    let is_plain = |c: char| c.is_ascii_alphanumeric() || " -_./:=@,+%".contains(c);
    !is_inside && outside.chars().all(is_plain)
}
