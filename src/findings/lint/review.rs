//! A manifest's review: what the API server says of it, and what is found.

use std::collections::BTreeSet;

use crate::document::SyntaxError;
use crate::manifest::{FieldError, Hint, Manifest, Unserved};
use crate::trace::{Code, CodeKind, PlacedProblem, Remedy, Review, Unreadable};

use super::{Found, Lint, lint};

/// Of more problems, or more findings, of one HPA nobody reads the rest.
const MOST_SHOWN: usize = 200;

/// Reviews a manifest of a file.
pub fn review(input: &Lint) -> Review {
    let Lint {
        file,
        manifest,
        rules,
        ..
    } = *input;
    let errors = manifest.errors(rules);
    let unserved = manifest.unserved(rules);
    let decode_error = !manifest.faults.is_empty();
    let accepted = errors.is_empty() && !decode_error && unserved.is_none();
    let mut problems = problems(manifest, unserved, &errors);
    let mut findings = lint(input);
    shorten(&mut problems, "problems", |last, says| last.message = says);
    shorten(&mut findings, "findings", |last, says| {
        last.finding.message = says;
        last.finding.evidence.clear();
        last.finding.remedies.clear();
    });
    let metadata = &manifest.metadata;
    let name = if metadata.name.is_empty() {
        &metadata.generate_name
    } else {
        &metadata.name
    };
    Review {
        file: file.to_owned(),
        line: manifest.node.place.line,
        api_version: manifest.api_version().to_owned(),
        namespace: metadata.namespace.clone(),
        name: name.clone(),
        release: rules.release.to_string(),
        accepted,
        unserved: unserved.is_some(),
        decode_error,
        defaulted: accepted.then(|| manifest.defaulted(rules)),
        errors: errors
            .iter()
            .take(MOST_SHOWN)
            .map(ToString::to_string)
            .collect(),
        problems,
        findings,
    }
}

/// Leaves out what is too many. The first of it stays, to say how many there
/// are: none of the rest matters more.
fn shorten<T>(items: &mut Vec<T>, what: &str, tell: impl Fn(&mut T, String)) {
    let more = items.len().saturating_sub(MOST_SHOWN);
    items.truncate(MOST_SHOWN + 1);
    if more > 1
        && let Some(last) = items.last_mut()
    {
        tell(
            last,
            format!("{more} more {what} are left out: fix these first"),
        );
    }
}

/// Tells of a document of a file that cannot be read, and what to do next.
pub fn unreadable(file: &str, hint: Option<Hint>, error: &SyntaxError) -> Unreadable {
    Unreadable {
        file: file.to_owned(),
        line: error.place.line,
        column: error.place.column,
        error: error.reason.clone(),
        remedy: hint.map(|hint| match hint {
            Hint::Template => Remedy::look(
                hint.says(),
                "helm template . | kubectl hpa-explain lint -f -",
            ),
            Hint::Tabs => Remedy::advice(hint.says()),
        }),
    }
}

/// What a version that is served would be told comes after that it is not.
fn problems(
    manifest: &Manifest,
    unserved: Option<Unserved>,
    errors: &[FieldError],
) -> Vec<PlacedProblem> {
    let unserved = unserved.map(|unserved| {
        let field = "apiVersion";
        let place = manifest.place_of(field);
        PlacedProblem {
            field: field.to_owned(),
            line: place.line,
            column: place.column,
            message: format!("{field}: {unserved}"),
        }
    });
    let faults = manifest.faults.iter().map(|fault| PlacedProblem {
        field: fault.field.clone(),
        line: fault.place.line,
        column: fault.place.column,
        message: format!("{} {}", fault.field, fault.reason()),
    });
    let mut reported: BTreeSet<String> = BTreeSet::new();
    let errors = manifest.own(errors).map(|error| {
        let place = manifest.place_of(&error.field);
        PlacedProblem {
            field: error.field.clone(),
            line: place.line,
            column: place.column,
            message: error.to_string(),
        }
    });
    let unserved = unserved.into_iter();
    let all = unserved.chain(faults).chain(errors);
    // The server looks at some fields twice.
    all.filter(|it| reported.insert(it.message.clone()))
        .collect()
}

/// Drops what another finding makes needless: what has no effect has no trap, and
/// advice on it would only lead away from the cause.
pub(super) fn drop_superseded(found: &mut Vec<Found>) {
    let ends = [
        CodeKind::EndsBehavior,
        CodeKind::EndsDirection,
        CodeKind::EndsField,
    ];
    let causes = found
        .iter()
        .filter(|(_, it)| ends.iter().any(|kind| it.code.is(*kind)));
    let causes: Vec<(Code, String)> = causes.map(|(at, it)| (it.code, at.clone())).collect();
    found.retain(|(field, finding)| {
        let mut causes = causes.iter();
        !causes.any(|(cause, at)| is_superseded((finding.code, field), (*cause, at)))
    });
}

/// Whether a finding tells nothing beside another one.
fn is_superseded((code, field): (Code, &str), (cause, at): (Code, &str)) -> bool {
    let inside = |outer: &str| {
        let rest = field.strip_prefix(outer);
        code.is(CodeKind::OfBehavior) && rest.is_some_and(|rest| rest.starts_with('.'))
    };
    let direction = at.trim_end_matches(".selectPolicy");
    // The size cannot change, whatever may change it.
    (cause.is(CodeKind::EndsBehavior) && code.is(CodeKind::OfBehavior))
        // This direction is off; that its tolerance has no use says so.
        || (cause.is(CodeKind::EndsDirection)
            && (code.is(CodeKind::OfBothDirections)
                || inside(direction) && !code.is(CodeKind::OfDisabled)))
        // The policy never counts, and neither does what is inside.
        || (cause.is(CodeKind::EndsField) && inside(at))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::controller::Release;
    use crate::findings::lint::{InFile, WholeInput};
    use crate::manifest::{Content, Rules, read};

    #[test]
    fn of_very_many_findings_the_first_are_told_and_the_rest_counted() {
        let cpu = "{type: Resource, resource: {name: cpu, target: {type: Utilization, \
            averageUtilization: 5}}}";
        let text = format!(
            "apiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\nmetadata: {{name: web}}\n\
             spec:\n  scaleTargetRef: {{kind: Deployment, name: web, apiVersion: apps/v1}}\n  \
             maxReplicas: 9\n  metrics: [{}]\n",
            vec![cpu; 302].join(", ")
        );
        let rules = Rules::new(Release::ASSUMED, &std::iter::empty().collect());
        let documents = read(&text, rules);
        let [Ok(Content::Autoscaler(manifest))] =
            [documents.into_iter().next().expect("one").content]
        else {
            panic!("no HPA");
        };
        let all = [InFile {
            file: "a.yaml",
            item: &*manifest,
        }];
        let input = Lint {
            file: "a.yaml",
            manifest: &manifest,
            input: &WholeInput::new(&all, &[]),
            rules,
        };
        let whole = lint(&input);
        let review = review(&input);
        assert!(review.accepted && review.problems.is_empty(), "{review:?}");
        assert_eq!(review.findings.len(), MOST_SHOWN + 1);
        assert_eq!(review.findings[..MOST_SHOWN], whole[..MOST_SHOWN]);
        let last = &review.findings[MOST_SHOWN].finding;
        let more = whole.len() - MOST_SHOWN;
        let expected = format!("{more} more findings are left out: fix these first");
        assert_eq!(last.message, expected);
        assert_eq!(last.severity, whole[MOST_SHOWN].finding.severity);
        assert!(more > 100, "{more}");
    }
}
