//! What is said of manifests, for programs that know of files, tests and
//! rules: GitHub, code scanning, test reports.

use serde::{Serialize, Serializer};

use crate::trace::{Code, Remedy, Review, Severity, Unreadable};

/// What can be said of a manifest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ReviewRule {
    Refused,
    Unreadable,
    Finding(Code),
}

impl ReviewRule {
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Refused => "refused",
            Self::Unreadable => "unreadable",
            Self::Finding(code) => code.as_str(),
        }
    }

    /// How much it matters at worst.
    pub(super) fn severity(self) -> Severity {
        match self {
            Self::Refused | Self::Unreadable => Severity::Error,
            Self::Finding(code) => code.severity(),
        }
    }

    /// What it means.
    pub(super) fn says(self) -> &'static str {
        match self {
            Self::Refused => "The API server would refuse it.",
            Self::Unreadable => "A document cannot be read.",
            Self::Finding(code) => code.says(),
        }
    }
}

impl Serialize for ReviewRule {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

/// A document of a file, and what is said of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Reviewed {
    /// The file, as it was named.
    pub file: String,
    /// The HPA as `namespace/name`; empty where it has neither, and where the
    /// document is none.
    pub name: String,
    /// What is said.
    pub annotations: Vec<Annotation>,
}

/// What is said of a line of a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Annotation {
    pub(super) severity: Severity,
    pub(super) line: usize,
    pub(super) column: usize,
    pub(super) rule: ReviewRule,
    pub(super) message: String,
    /// Every step of what helps: a command and a part of a manifest stand
    /// inside.
    pub(super) steps: Vec<String>,
}

impl Annotation {
    /// The message and every step, so that who reads it needs no other output.
    pub(super) fn lines(&self) -> impl Iterator<Item = &str> {
        let steps = self.steps.iter().map(String::as_str);
        self.message.lines().chain(steps)
    }
}

/// The rules of `lint` that are no findings, and what each means.
pub fn lint_rules() -> [(&'static str, &'static str); 2] {
    [ReviewRule::Refused, ReviewRule::Unreadable].map(|it| (it.as_str(), it.says()))
}

/// Every rule.
pub(super) fn rules() -> impl Iterator<Item = ReviewRule> {
    let codes = Code::ALL.iter().copied().map(ReviewRule::Finding);
    [ReviewRule::Refused, ReviewRule::Unreadable]
        .into_iter()
        .chain(codes)
}

/// An HPA, with each problem and each finding.
pub(super) fn of_review(review: &Review) -> Reviewed {
    let problems = review.problems.iter().map(|problem| Annotation {
        severity: Severity::Error,
        line: problem.line,
        column: problem.column,
        rule: ReviewRule::Refused,
        message: problem.message.clone(),
        steps: Vec::new(),
    });
    let findings = review.findings.iter().map(|placed| {
        let finding = &placed.finding;
        Annotation {
            severity: finding.severity,
            line: placed.line,
            column: placed.column,
            rule: ReviewRule::Finding(finding.code),
            message: finding.message.clone(),
            steps: steps(&finding.remedies),
        }
    });
    let name = match review.namespace.as_str() {
        "" => review.name.clone(),
        namespace => format!("{namespace}/{}", review.name),
    };
    Reviewed {
        file: review.file.clone(),
        name,
        annotations: problems.chain(findings).collect(),
    }
}

/// A document that is no manifest.
pub(super) fn of_unreadable(document: &Unreadable) -> Reviewed {
    Reviewed {
        file: document.file.clone(),
        name: String::new(),
        annotations: vec![Annotation {
            severity: Severity::Error,
            line: document.line,
            column: document.column,
            rule: ReviewRule::Unreadable,
            message: document.error.clone(),
            steps: steps(document.remedy.as_slice()),
        }],
    }
}

fn steps(remedies: &[Remedy]) -> Vec<String> {
    let mut steps = Vec::new();
    for remedy in remedies {
        steps.push(remedy.says.clone());
        for text in remedy.texts() {
            steps.extend(text.lines().map(|line| format!("  {line}")));
        }
    }
    steps
}
