//! What lines of the HPA controller say.

use jiff::Timestamp;

use super::clock::go_time;
use super::line::Line;

/// Of which HPA a line is, and what it says.
pub(super) type Statement<'l> = (About<'l>, What<'l>);

/// How a line names an HPA.
#[derive(Debug, PartialEq)]
pub(super) enum About<'l> {
    /// By its target: `Deployment/flap/api`.
    Target(&'l str),
    /// By namespace and name: `flap/api`.
    Autoscaler(&'l str),
    /// By its name alone, as up to 1.26.
    Name(&'l str),
    /// Somewhere in this sentence.
    Sentence(&'l str),
    /// It is about all of them.
    All,
}

/// What a line says.
#[derive(Debug, PartialEq)]
pub(super) enum What<'l> {
    Start,
    Pass {
        recommendation: i32,
        metric: &'l str,
        metric_at: Option<Timestamp>,
    },
    Rescale {
        from: i32,
        to: i32,
        reason: &'l str,
    },
    Unchanged {
        replicas: i32,
    },
    Error {
        text: &'l str,
    },
    /// A pass of which a number cannot be read.
    Unread,
}

/// What a line says of HPAs, if anything.
pub(super) fn reported<'l>(line: &'l Line<'_>) -> Option<Statement<'l>> {
    let message: &str = &line.message;
    if message == "Starting HPA controller" {
        return Some((About::All, What::Start));
    }
    if line.is_error {
        // Since 1.33, the sentence is a value.
        let text = line.get("err").unwrap_or(message);
        return Some((About::Sentence(text), What::Error { text }));
    }
    if message.starts_with("Proposing desired replicas") {
        return pass(line);
    }
    match message {
        "Successfully rescaled" => rescale(line),
        "Decided not to scale" => unchanged(line),
        _ => old_pass(message)
            .or_else(|| old_rescale(message))
            .or_else(|| old_unchanged(message)),
    }
}

fn pass<'l>(line: &'l Line<'_>) -> Option<Statement<'l>> {
    let what = |recommendation| What::Pass {
        recommendation,
        metric: line.get("metric").unwrap_or_default(),
        metric_at: line.get("timestamp").and_then(go_time),
    };
    let about = About::Target(line.get("scaleTarget")?);
    let replicas = number(line, "desiredReplicas");
    Some((about, replicas.map_or(What::Unread, what)))
}

fn rescale<'l>(line: &'l Line<'_>) -> Option<Statement<'l>> {
    let sizes = number(line, "currentReplicas").zip(number(line, "desiredReplicas"));
    let what = |(from, to)| What::Rescale {
        from,
        to,
        reason: line.get("reason").unwrap_or_default(),
    };
    let about = About::Autoscaler(line.get("HPA")?);
    Some((about, sizes.map_or(What::Unread, what)))
}

fn unchanged<'l>(line: &'l Line<'_>) -> Option<Statement<'l>> {
    let what = |replicas| What::Unchanged { replicas };
    let about = About::Target(line.get("scaleTarget")?);
    let replicas = number(line, "desiredReplicas");
    Some((about, replicas.map_or(What::Unread, what)))
}

/// A count of replicas; none is below zero.
fn number(line: &Line<'_>, key: &str) -> Option<i32> {
    line.get(key)?.parse().ok().filter(|count| *count >= 0)
}

/// `proposing 3 desired replicas (based on cpu from 2022-… UTC) for
/// Deployment/flap/api`, up to 1.26.
fn old_pass(message: &str) -> Option<Statement<'_>> {
    let rest = message.strip_prefix("proposing ")?;
    let (recommendation, rest) = rest.split_once(" desired replicas (based on ")?;
    let (basis, target) = rest.rsplit_once(") for ")?;
    let (metric, time) = basis.rsplit_once(" from ")?;
    let pass = What::Pass {
        recommendation: recommendation.parse().ok()?,
        metric,
        metric_at: go_time(time),
    };
    Some((About::Target(target), pass))
}

/// `Successful rescale of api, old size: 2, new size: 3, reason: …`, up to
/// 1.26.
fn old_rescale(message: &str) -> Option<Statement<'_>> {
    let rest = message.strip_prefix("Successful rescale of ")?;
    let (name, rest) = rest.split_once(", old size: ")?;
    let (from, rest) = rest.split_once(", new size: ")?;
    let (to, reason) = rest.split_once(", reason: ")?;
    let rescale = What::Rescale {
        from: from.parse().ok()?,
        to: to.parse().ok()?,
        reason,
    };
    Some((About::Name(name), rescale))
}

/// `decided not to scale Deployment/flap/api to 3 (last scale time was …)`,
/// up to 1.26.
fn old_unchanged(message: &str) -> Option<Statement<'_>> {
    let rest = message.strip_prefix("decided not to scale ")?;
    let (rest, _) = rest.split_once(" (last scale time was ")?;
    let (target, replicas) = rest.split_once(" to ")?;
    let replicas = replicas.parse().ok()?;
    Some((About::Target(target), What::Unchanged { replicas }))
}

#[cfg(test)]
mod tests {
    use super::{About, What, reported};
    use crate::history::controller_log::line::Line;

    #[test]
    fn both_forms_say_the_same() {
        let metric_at = "2026-11-20T08:24:30Z".parse().ok();
        let pass = What::Pass {
            recommendation: 13,
            metric: "cpu resource utilization (percentage of request)",
            metric_at,
        };
        let rescale = What::Rescale {
            from: 4,
            to: 8,
            reason: "cpu above target",
        };
        let target = About::Target("Deployment/flap/api");
        let sentence = "failed to compute for Deployment/flap/api: no, \"x\"";
        let rows = [
            (
                r#""Proposing desired replicas" desiredReplicas=13 metric="cpu resource utilization (percentage of request)" tolerances="[down:10.0%, up:10.0%]" timestamp="2026-11-20 08:24:30 +0000 UTC" scaleTarget="Deployment/flap/api""#,
                (target, pass),
            ),
            (
                "proposing 13 desired replicas (based on cpu resource utilization (percentage of request) from 2026-11-20 08:24:30 +0000 UTC) for Deployment/flap/api",
                (
                    About::Target("Deployment/flap/api"),
                    What::Pass {
                        recommendation: 13,
                        metric: "cpu resource utilization (percentage of request)",
                        metric_at,
                    },
                ),
            ),
            (
                r#""Proposing desired replicas from zero" desiredReplicas=2 metric="x" timestamp="0001-01-01 00:00:00 +0000 UTC" scaleTarget="Deployment/flap/api""#,
                (
                    About::Target("Deployment/flap/api"),
                    What::Pass {
                        recommendation: 2,
                        metric: "x",
                        metric_at: "0001-01-01T00:00:00Z".parse().ok(),
                    },
                ),
            ),
            (
                r#""Successfully rescaled" HPA="flap/api" currentReplicas=4 desiredReplicas=8 reason="cpu above target""#,
                (About::Autoscaler("flap/api"), rescale),
            ),
            (
                "Successful rescale of api, old size: 4, new size: 8, reason: cpu above target",
                (
                    About::Name("api"),
                    What::Rescale {
                        from: 4,
                        to: 8,
                        reason: "cpu above target",
                    },
                ),
            ),
            (
                r#""Decided not to scale" scaleTarget="Deployment/flap/api" desiredReplicas=4 lastScaleTime="""#,
                (
                    About::Target("Deployment/flap/api"),
                    What::Unchanged { replicas: 4 },
                ),
            ),
            (
                "decided not to scale Deployment/flap/api to 4 (last scale time was <nil>)",
                (
                    About::Target("Deployment/flap/api"),
                    What::Unchanged { replicas: 4 },
                ),
            ),
            (
                "\"Proposing desired replicas\" desiredReplicas=many scaleTarget=\"a\"",
                (About::Target("a"), What::Unread),
            ),
            (
                "\"Successfully rescaled\" HPA=\"flap/api\" currentReplicas=4 desiredReplicas=-8",
                (About::Autoscaler("flap/api"), What::Unread),
            ),
            (
                "\"Decided not to scale\" scaleTarget=\"a\"",
                (About::Target("a"), What::Unread),
            ),
            ("\"Starting HPA controller\"", (About::All, What::Start)),
            ("Starting HPA controller", (About::All, What::Start)),
        ];
        let header = "1120 08:24:36.259885 9998 horizontal.go:907] ";
        for (text, expected) in rows {
            let text = format!("I{header}{text}");
            let line = Line::parse(&text).expect("a line");
            assert_eq!(reported(&line), Some(expected), "{text}");
        }
        let errors = [
            format!("E{header}\"Unhandled Error\" err={sentence:?} logger=\"x\""),
            format!("E{header}{sentence}"),
        ];
        for text in errors {
            let line = Line::parse(&text).expect("a line");
            let expected = (About::Sentence(sentence), What::Error { text: sentence });
            assert_eq!(reported(&line), Some(expected), "{text}");
        }
    }

    #[test]
    fn other_lines_say_nothing() {
        let rows = [
            "\"Successfully updated status\" HPA=\"flap/api\"",
            "\"Proposing desired replicas\" desiredReplicas=3",
            "proposing 13 desired replicas",
            "Successful rescale of api, old size: 4",
            "FLAG: --v=\"4\"",
        ];
        for text in rows {
            let text = format!("I1120 08:24:36.259885 9998 horizontal.go:907] {text}");
            let line = Line::parse(&text).expect("a line");
            assert_eq!(reported(&line), None, "{text}");
        }
    }
}
