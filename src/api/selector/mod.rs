//! The label selector of a scale: `app=web,tier in (a, b)`.
//!
//! The scale subresource states as a text which pods it counts. This reads
//! that text (apimachinery `labels.Parser`), with the controller's own words where it
//! cannot be read, and applies it to labels. The structured selector of a metric is
//! another type, [`super::LabelSelector`], and is never applied here.
//!
//! Reading takes one token of lookahead and no recursion: what is held meanwhile is
//! proportional to the text.

use std::collections::BTreeSet;
use std::mem;

use compact_str::CompactString;

use super::Labels;
use crate::api::names::{key_problems, value_problems};

/// The wording of two rules, which changed with release 1.35.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wording {
    /// Up to 1.34: `a qualified name must …`, lengths in `characters`.
    QualifiedName,
    /// From 1.35 on: `a valid label key must …`, lengths in `bytes`.
    LabelKey,
}

/// Requirements on labels, all of which must hold
/// (apimachinery `labels.Selector`). Without any it matches everything.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selector {
    requirements: Vec<Requirement>,
}

/// A condition on one label.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Requirement {
    key: CompactString,
    condition: Condition,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Condition {
    Exists,
    DoesNotExist,
    In(BTreeSet<CompactString>),
    NotIn(BTreeSet<CompactString>),
    GreaterThan(i64),
    LessThan(i64),
}

/// All labels of some pods. Of a thousand selectors hardly one asks for any of
/// these, and to read each of them takes longer than to look at its first label.
#[derive(Debug)]
pub struct AllLabels<'l>(BTreeSet<(&'l str, &'l str)>);

impl<'l> AllLabels<'l> {
    /// The labels of each pod.
    pub fn of(pods: impl Iterator<Item = &'l Labels>) -> Self {
        let labels = pods.flat_map(Labels::entries);
        let mut all = BTreeSet::new();
        // Not collected, which would sort every label of ten thousand equal pods.
        all.extend(labels.map(|(key, value)| (key.as_str(), value.as_str())));
        Self(all)
    }

    /// Whether a selector may match one of the pods: not where none has the label
    /// that it asks for first, as far as that is written as the API server writes
    /// it: `app=web`.
    pub fn may_meet(&self, selector: &str) -> bool {
        let first = selector.split(',').next().unwrap_or_default();
        let is_plain = |it: char| it.is_ascii_alphanumeric() || "-_./".contains(it);
        let Some((key, value)) = first.split_once('=') else {
            return true;
        };
        let is_plain = !key.is_empty() && key.chars().chain(value.chars()).all(is_plain);
        !is_plain || self.0.contains(&(key, value))
    }
}

impl Selector {
    /// Reads a selector; the empty text matches everything
    /// (apimachinery `labels.Parse`).
    ///
    /// # Errors
    ///
    /// Fails where the controller does, and says what it says in the given
    /// wording.
    pub fn parse(text: &str, wording: Wording) -> Result<Self, ParseSelectorError> {
        let requirements = requirements(text, wording)?;
        Ok(Self { requirements })
    }

    /// The labels, of which every one is on what this selects: `app=web`.
    pub fn labels(&self) -> impl Iterator<Item = (&str, &str)> {
        let requirements = self.requirements.iter();
        requirements.filter_map(|it| match &it.condition {
            Condition::In(values) if values.len() == 1 => {
                Some((it.key.as_str(), values.first()?.as_str()))
            }
            _ => None,
        })
    }

    /// Whether labels meet every requirement
    /// (apimachinery `labels.Requirement.Matches`).
    pub fn matches(&self, labels: &Labels) -> bool {
        self.requirements
            .iter()
            .all(|requirement| requirement.holds(labels.get(requirement.key.as_str())))
    }
}

impl Requirement {
    /// Takes the label's value, if the label is there.
    fn holds(&self, value: Option<&CompactString>) -> bool {
        let number = || value?.parse::<i64>().ok();
        match &self.condition {
            Condition::Exists => value.is_some(),
            Condition::DoesNotExist => value.is_none(),
            Condition::In(values) => value.is_some_and(|value| values.contains(value)),
            Condition::NotIn(values) => value.is_none_or(|value| !values.contains(value)),
            Condition::GreaterThan(bound) => number().is_some_and(|number| number > *bound),
            Condition::LessThan(bound) => number().is_some_and(|number| number < *bound),
        }
    }
}

const BLANKS: [char; 4] = [' ', '\t', '\r', '\n'];
const SYMBOLS: [char; 7] = ['=', '!', '(', ')', ',', '<', '>'];

/// Why a text is not a label selector, in the words of apimachinery
/// `labels.Parse`.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ParseSelectorError(String);

/// Reads requirements up to the end of the text.
fn requirements(text: &str, wording: Wording) -> Result<Vec<Requirement>, ParseSelectorError> {
    let mut parser = Parser::new(text, wording);
    let mut requirements = Vec::new();
    if parser.token.is_empty() {
        return Ok(requirements);
    }
    if !parser.at_requirement() {
        return parser.unexpected("!, identifier, or 'end of string'");
    }
    loop {
        requirements.push(parser.requirement().map_err(in_requirement)?);
        match parser.token {
            "" => return Ok(requirements),
            "," => parser.advance(),
            _ => return parser.unexpected("',' or 'end of string'"),
        };
        if !parser.at_requirement() {
            return parser.unexpected("identifier after ','");
        }
    }
}

/// The next token, which is empty at the end, and what follows it.
struct Parser<'a> {
    token: &'a str,
    rest: &'a str,
    wording: Wording,
}

impl<'a> Parser<'a> {
    fn new(text: &'a str, wording: Wording) -> Self {
        let (token, rest) = split_token(text);
        Self {
            token,
            rest,
            wording,
        }
    }

    fn requirement(&mut self) -> Result<Requirement, ParseSelectorError> {
        let negated = self.token == "!";
        if negated {
            self.advance();
        }
        let key = self.word()?;
        self.check_key(key)?;
        let condition = if negated {
            Condition::DoesNotExist
        } else if self.at_end_of_requirement() {
            Condition::Exists
        } else {
            self.comparison(key)?
        };
        Ok(Requirement {
            key: key.into(),
            condition,
        })
    }

    /// An operator and its values.
    fn comparison(&mut self, key: &str) -> Result<Condition, ParseSelectorError> {
        let operator = self.token;
        let values = match operator {
            "in" | "notin" => {
                self.advance();
                self.list()?
            }
            "=" | "==" | "!=" | "<" | ">" => {
                self.advance();
                BTreeSet::from([self.value()?])
            }
            _ => return self.unexpected("in, notin, =, ==, !=, gt, lt"),
        };
        let number = values.first().and_then(|value| value.parse().ok());
        let not_a_number = matches!(operator, "<" | ">") && number.is_none();
        self.check_values(key, &values, not_a_number)?;
        let values = values.into_iter().map(Into::into).collect();
        Ok(match (operator, number) {
            ("<", Some(bound)) => Condition::LessThan(bound),
            (">", Some(bound)) => Condition::GreaterThan(bound),
            ("!=" | "notin", _) => Condition::NotIn(values),
            _ => Condition::In(values),
        })
    }

    /// The value of an exact operator; a missing one is empty.
    fn value(&mut self) -> Result<&'a str, ParseSelectorError> {
        if self.at_end_of_requirement() {
            return Ok("");
        }
        self.word()
    }

    /// Values in parentheses, any of which may be missing and so be empty.
    fn list(&mut self) -> Result<BTreeSet<&'a str>, ParseSelectorError> {
        if self.token != "(" {
            return Err(ParseSelectorError(format!(
                "found '{}' expected: '('",
                self.token
            )));
        }
        self.advance();
        if !matches!(self.token, "," | ")") && !self.at_word() {
            return self.unexpected("',', ')' or identifier");
        }
        let values = self.identifiers()?;
        self.advance();
        Ok(values)
    }

    /// The values up to the closing parenthesis (`parseIdentifiersList`). A
    /// comma after a comma is taken together with it, so that
    /// nothing is left to stand between the pair and a parenthesis.
    fn identifiers(&mut self) -> Result<BTreeSet<&'a str>, ParseSelectorError> {
        let mut values = BTreeSet::new();
        while self.token != ")" {
            if self.at_word() {
                values.insert(self.advance());
                if !matches!(self.token, "," | ")") {
                    return self.unexpected("',' or ')'");
                }
                continue;
            }
            if self.token != "," {
                return self.unexpected("',', or identifier");
            }
            self.advance();
            let is_doubled = self.token == ",";
            if values.is_empty() || is_doubled || self.token == ")" {
                values.insert("");
            }
            if is_doubled {
                self.advance();
                if self.token == ")" {
                    return self.unexpected("',', or identifier");
                }
            }
        }
        if values.is_empty() {
            values.insert("");
        }
        Ok(values)
    }

    fn word(&mut self) -> Result<&'a str, ParseSelectorError> {
        if self.at_word() {
            return Ok(self.advance());
        }
        self.unexpected("identifier")
    }

    fn check_key(&self, key: &str) -> Result<(), ParseSelectorError> {
        let problems = key_problems(key, self.wording);
        if problems.is_empty() {
            return Ok(());
        }
        // The literal `<nil>` is a field path that nobody set.
        let problems = problems.join("; ");
        Err(ParseSelectorError(format!(
            "<nil>: Invalid value: \"{key}\": {problems}"
        )))
    }

    /// Reports every bad value at once, after the one that should have been a
    /// number.
    fn check_values(
        &self,
        key: &str,
        values: &BTreeSet<&str>,
        not_a_number: bool,
    ) -> Result<(), ParseSelectorError> {
        let mut errors = Vec::new();
        for value in values.iter().filter(|_| not_a_number) {
            errors.push(format!(
                "values[0]: Invalid value: \"{value}\": \
                 for 'Gt', 'Lt' operators, the value must be an integer"
            ));
        }
        for (index, value) in values.iter().enumerate() {
            let problems = value_problems(value, self.wording).join("; ");
            if !problems.is_empty() {
                errors.push(format!(
                    "values[{index}][{key}]: Invalid value: \"{value}\": {problems}"
                ));
            }
        }
        match errors.as_slice() {
            [] => Ok(()),
            [error] => Err(ParseSelectorError(error.clone())),
            errors => Err(ParseSelectorError(format!("[{}]", errors.join(", ")))),
        }
    }

    fn at_requirement(&self) -> bool {
        self.token == "!" || self.at_word()
    }

    fn at_end_of_requirement(&self) -> bool {
        matches!(self.token, "" | ",")
    }

    /// Whether the token is neither a symbol nor the end; `in` and `notin`
    /// are words wherever no operator is due.
    fn at_word(&self) -> bool {
        !self.token.is_empty() && !self.token.starts_with(SYMBOLS)
    }

    /// Steps to the next token and returns the one that was left.
    fn advance(&mut self) -> &'a str {
        let (token, rest) = split_token(self.rest);
        self.rest = rest;
        mem::replace(&mut self.token, token)
    }

    fn unexpected<T>(&self, expected: &str) -> Result<T, ParseSelectorError> {
        let found = self.token;
        Err(ParseSelectorError(format!(
            "found '{found}', expected: {expected}"
        )))
    }
}

fn in_requirement(ParseSelectorError(problem): ParseSelectorError) -> ParseSelectorError {
    ParseSelectorError(format!("unable to parse requirement: {problem}"))
}

/// Cuts off the next token: the longest operator or a run of other characters.
fn split_token(text: &str) -> (&str, &str) {
    let text = text.trim_start_matches(BLANKS);
    let length = if text.starts_with("==") || text.starts_with("!=") {
        2
    } else if text.starts_with(SYMBOLS) {
        1
    } else {
        text.find(|c| BLANKS.contains(&c) || SYMBOLS.contains(&c))
            .unwrap_or(text.len())
    };
    text.split_at(length)
}

#[cfg(test)]
mod tests;
