//! A line of a log: when, by which process, what.

use std::borrow::Cow;

use jiff::Timestamp;
use jiff::civil::Time;
use serde_json::{Map, Value};

/// How far into a line the logger's own header may begin, behind what a
/// journal or a container runtime puts before it.
const FARTHEST: usize = 160;

/// A line that a Kubernetes component has logged.
#[derive(Debug, PartialEq)]
pub(super) struct Line<'l> {
    pub when: When,
    /// The process id; the JSON form has none.
    pub process: Option<&'l str>,
    pub is_error: bool,
    pub message: Cow<'l, str>,
    pairs: Vec<(Cow<'l, str>, Cow<'l, str>)>,
}

/// When it was logged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum When {
    At(Timestamp),
    /// On the host's calendar, without a year and without a zone.
    OnHost {
        month: i8,
        day: i8,
        time: Time,
    },
}

impl<'l> Line<'l> {
    /// Reads a line in klog's text form or in the JSON form.
    pub fn parse(text: &'l str) -> Option<Self> {
        if text.starts_with('{') {
            return Self::json(text);
        }
        let (before, header, rest) = split(text)?;
        // A container runtime says the moment in full.
        let first = before.split(' ').next().unwrap_or_default();
        let when = match first.parse() {
            Ok(at) => When::At(at),
            Err(_) => header.when,
        };
        let (message, pairs) = match rest.strip_prefix('"') {
            Some(quoted) => {
                let (message, rest) = unquoted(quoted)?;
                (message, pairs(rest))
            }
            None => (rest.into(), Vec::new()),
        };
        Some(Self {
            when,
            process: Some(header.process),
            is_error: header.is_error,
            message,
            pairs,
        })
    }

    fn json(text: &str) -> Option<Self> {
        let mut fields: Map<String, Value> = serde_json::from_str(text).ok()?;
        let when = When::At(moment(fields.get("ts")?)?);
        let message = fields.get("msg")?.as_str()?.to_owned().into();
        // Only errors have no verbosity.
        let is_error = !fields.contains_key("v");
        fields.retain(|key, _| !["ts", "msg", "v", "caller"].contains(&key.as_str()));
        let pairs = fields.into_iter();
        let pairs = pairs.map(|(key, value)| (key.into(), plain(value).into()));
        Some(Self {
            when,
            process: None,
            is_error,
            message,
            pairs: pairs.collect(),
        })
    }

    /// The value of a key.
    pub fn get(&self, key: &str) -> Option<&str> {
        let found = self.pairs.iter().find(|(own, _)| own == key);
        found.map(|(_, value)| &**value)
    }
}

/// klog's header: severity, date, time and process.
struct Header<'l> {
    when: When,
    process: &'l str,
    is_error: bool,
}

/// What is before klog's header, the header, and what follows it.
fn split(text: &str) -> Option<(&str, Header<'_>, &str)> {
    let head = text.as_bytes().iter().take(FARTHEST).enumerate();
    let starts = head.filter(|(at, byte)| {
        b"IWEF".contains(byte) && (*at == 0 || text.as_bytes()[at - 1] == b' ')
    });
    for (start, _) in starts {
        let (before, klog) = text.split_at(start);
        if let Some((header, rest)) = header(klog) {
            return Some((before, header, rest));
        }
    }
    None
}

/// `I1120 08:24:36.259885    9998 horizontal.go:907] …`
fn header(klog: &str) -> Option<(Header<'_>, &str)> {
    let (date, rest) = klog.split_once(' ')?;
    let (time, rest) = rest.split_once(' ')?;
    let (process, rest) = rest.trim_start().split_once(' ')?;
    let (_place, rest) = rest.split_once("] ")?;
    let month = date.get(1..3)?.parse().ok()?;
    let day = date.get(3..)?.parse().ok()?;
    let time = time.parse().ok()?;
    let header = Header {
        when: When::OnHost { month, day, time },
        process,
        is_error: date.starts_with('E'),
    };
    Some((header, rest))
}

/// The pairs of `key=value key="a value"`, up to what is none.
fn pairs(mut rest: &str) -> Vec<(Cow<'_, str>, Cow<'_, str>)> {
    let mut pairs = Vec::new();
    while let Some((key, value)) = rest.trim_start().split_once('=') {
        let found = match value.strip_prefix('"') {
            Some(quoted) => unquoted(quoted),
            None => Some(match value.split_once(' ') {
                Some((value, rest)) => (value.into(), rest),
                None => (value.into(), ""),
            }),
        };
        let Some((value, after)) = found else {
            break;
        };
        pairs.push((key.into(), value));
        rest = after;
    }
    pairs
}

/// A text up to the quote that ends it, and what follows.
fn unquoted(quoted: &str) -> Option<(Cow<'_, str>, &str)> {
    let end = quoted.find(['"', '\\'])?;
    if quoted[end..].starts_with('"') {
        return Some((quoted[..end].into(), &quoted[end + 1..]));
    }
    let mut text = String::new();
    let mut chars = quoted.char_indices();
    while let Some((at, char)) = chars.next() {
        match char {
            '"' => return Some((text.into(), &quoted[at + 1..])),
            '\\' => text.push(match chars.next()?.1 {
                'n' => '\n',
                't' => '\t',
                other => other,
            }),
            _ => text.push(char),
        }
    }
    None
}

/// Milliseconds since 1970, with a fraction, or a text.
fn moment(value: &Value) -> Option<Timestamp> {
    if let Some(text) = value.as_str() {
        return text.parse().ok();
    }
    let micros = value.as_f64()? * 1_000.0;
    // Beyond either end it is no moment, which the next step finds.
    #[allow(clippy::cast_possible_truncation, reason = "it saturates")]
    Timestamp::from_microsecond(micros as i64).ok()
}

/// A value as the text form has it; an object is its namespace and name.
fn plain(value: Value) -> String {
    match value {
        Value::String(text) => text,
        Value::Object(fields) => {
            let field = |key| fields.get(key).and_then(Value::as_str);
            let named = field("namespace").zip(field("name"));
            named.map_or_else(String::new, |(namespace, name)| {
                format!("{namespace}/{name}")
            })
        }
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::{Line, When};

    #[test]
    fn every_form_of_a_line_is_read() {
        let host = When::OnHost {
            month: 11,
            day: 20,
            time: "08:24:36.259885".parse().expect("a time"),
        };
        let at = |text: &str| When::At(text.parse().expect("a time"));
        // The line, when, by which process, an error or not, the message, key
        // and value.
        let rows = [
            (
                r#"I1120 08:24:36.259885    9998 horizontal.go:907] "Proposing" n=13 metric="a \"b\"""#,
                (host, Some("9998"), false, "Proposing"),
                ("metric", Some("a \"b\"")),
            ),
            (
                r#"E1120 08:24:36.259885 1 horizontal.go:289] "Unhandled Error" err="no" logger="x=y""#,
                (host, Some("1"), true, "Unhandled Error"),
                ("logger", Some("x=y")),
            ),
            (
                "I1120 08:24:36.259885 1 horizontal.go:9] proposing 3 for Deployment/a/b",
                (host, Some("1"), false, "proposing 3 for Deployment/a/b"),
                ("n", None),
            ),
            (
                r#"2026-11-20T07:24:36.26Z stderr F I1120 08:24:36.259885 1 a.go:9] "x" n=1"#,
                (at("2026-11-20T07:24:36.26Z"), Some("1"), false, "x"),
                ("n", Some("1")),
            ),
            (
                r#"Nov 20 08:24:36 node-1 k3s[77]: I1120 08:24:36.259885 77 a.go:9] "x" n=1"#,
                (host, Some("77"), false, "x"),
                ("n", Some("1")),
            ),
            (
                r#"{"ts":1795163076259.885,"caller":"a.go:9","msg":"x","v":4,"HPA":{"name":"b","namespace":"a"}}"#,
                (at("2026-11-20T08:24:36.259885Z"), None, false, "x"),
                ("HPA", Some("a/b")),
            ),
            (
                r#"{"ts":1795163076259.885,"msg":"x","n":3}"#,
                (at("2026-11-20T08:24:36.259885Z"), None, true, "x"),
                ("n", Some("3")),
            ),
        ];
        for (text, expected, (key, value)) in rows {
            let line = Line::parse(text).expect(text);
            let found = (line.when, line.process, line.is_error, &*line.message);
            assert_eq!(found, expected, "{text}");
            assert_eq!(line.get(key), value, "{text}");
        }
    }

    #[test]
    fn what_is_no_line_of_a_log_is_none() {
        let rows = [
            "",
            "panic: runtime error",
            "I1120",
            "I1120 08:24:36.259885 1 a.go:9]",
            "I1120 25:24:36.259885 1 a.go:9] x",
            "Iäöü 08:24:36.259885 1 a.go:9] x",
            "I1120 08:24:36.259885 1 a.go:9] \"never ends",
            "{\"ts\":1e300,\"msg\":\"x\"}",
            "{\"ts\":[],\"msg\":\"x\"}",
            "{",
        ];
        for text in rows {
            assert_eq!(Line::parse(text), None, "{text}");
        }
    }
}
