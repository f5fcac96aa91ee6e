//! What a real Prometheus scraped of a real controller, and a server of it for
//! one `cargo test`: it answers what ours asks, selectors of raw samples.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::Path;

use flate2::read::GzDecoder;
use hpa_explain::api::Series;
use jiff::Timestamp;
use regex_lite::Regex;
use serde::Deserialize;
use serde_json::{Value, json};

/// A file of `tests/prometheus`.
pub fn unpacked(name: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/prometheus");
    let file = std::fs::File::open(folder.join(name)).expect(name);
    let mut text = String::new();
    GzDecoder::new(file).read_to_string(&mut text).expect(name);
    text
}

/// From which scrape on so many had a value, and which.
type Run = (usize, usize, String);

/// The series that were scraped every 15 s or every 30 s.
#[derive(Deserialize)]
pub struct Stored {
    /// The moments of the scrapes, in milliseconds.
    times: Vec<i64>,
    /// Each by its labels: from which scrape on so many had a value.
    series: Vec<(BTreeMap<String, String>, Vec<Run>)>,
}

impl Stored {
    /// `15s` or `30s`, or `60s`: each fourth scrape of those every 15 s.
    pub fn read(interval: &str) -> Self {
        if interval == "60s" {
            return Self::read("15s").thinned(2, 4);
        }
        let text = unpacked(&format!("series-{interval}.json.gz"));
        serde_json::from_str(&text).expect("series")
    }

    /// The first scrape that is kept, and every so many behind it.
    pub fn thinned(mut self, first: usize, step: usize) -> Self {
        self.times = self.times.into_iter().skip(first).step_by(step).collect();
        let place = |of: usize| of.saturating_sub(first).div_ceil(step);
        for (begin, count, _) in self.series.iter_mut().flat_map(|it| &mut it.1) {
            (*begin, *count) = (place(*begin), place(*begin + *count) - place(*begin));
        }
        self
    }

    /// What was scraped of an HPA and of its target in the hour before a moment,
    /// with the pods or without.
    pub fn series(&self, name: &str, until: Timestamp, with_pods: bool) -> Vec<Series> {
        self.of_hours(name, until, with_pods, 1)
    }

    /// The same of so many hours.
    pub fn of_hours(
        &self,
        name: &str,
        until: Timestamp,
        with_pods: bool,
        hours: u32,
    ) -> Vec<Series> {
        let milliseconds = hours * 3_600_000;
        let hpa =
            r#"__name__=~"kube_horizontalpodautoscaler_(created|s.*)",horizontalpodautoscaler="#;
        let mut selectors = vec![
            format!(r#"{{{hpa}"{name}"}}"#),
            format!(r#"{{__name__=~"kube_deployment_.*",deployment="{name}"}}"#),
        ];
        if with_pods {
            let pods = format!("{name}-[0-9a-f]+-[a-z0-9]{{5}}");
            selectors.extend([
                format!(r#"{{__name__="kube_replicaset_owner",owner_name="{name}"}}"#),
                format!(r#"{{__name__=~"kube_pod_.*",pod=~"{pods}"}}"#),
            ]);
        }
        let answers = selectors.iter().flat_map(|selector| {
            let answer = self.answer(
                &format!("{selector}[{milliseconds}ms]"),
                until.as_millisecond(),
            );
            let result = answer["data"]["result"].clone();
            serde_json::from_value::<Vec<Series>>(result).expect("series")
        });
        answers.collect()
    }

    /// The series as text, with times in seconds or in so many parts of them.
    pub fn exposed(&self, parts: i64, end: &str) -> String {
        let mut families: BTreeMap<&str, Vec<String>> = BTreeMap::new();
        for (labels, runs) in &self.series {
            let own = labels.iter().filter(|(name, _)| *name != "__name__");
            let own: Vec<String> = own
                .map(|(name, value)| format!("{name}={value:?}"))
                .collect();
            let name = labels["__name__"].as_str();
            let lines = families.entry(name).or_default();
            for (first, count, value) in runs {
                let times = self.times[*first..first + count].iter();
                lines.extend(times.map(|at| {
                    let at = if parts == 1 { seconds(*at) } else { json!(at) };
                    format!("{name}{{{}}} {value} {at}\n", own.join(","))
                }));
            }
        }
        let families = families
            .into_iter()
            .map(|(name, lines)| format!("# TYPE {name} gauge\n{}", lines.concat()));
        families.collect::<String>() + end
    }

    /// The answer to a selector of raw samples at a moment in milliseconds.
    pub fn answer(&self, query: &str, at: i64) -> Value {
        let (selector, range) = query.rsplit_once('[').expect("a range");
        let milliseconds = range.strip_suffix("ms]").expect("milliseconds");
        let from = at - milliseconds.parse::<i64>().expect("a number");
        let matchers = matchers(selector);
        let selected = self.series.iter().filter(|(labels, _)| {
            let mut matchers = matchers.iter();
            matchers.all(|(name, is_it)| is_it(labels.get(name).map_or("", String::as_str)))
        });
        let result = selected.filter_map(|(labels, runs)| {
            let points = runs.iter().flat_map(|(first, count, value)| {
                let times = &self.times[*first..first + count];
                let inside = times.iter().filter(|it| from <= **it && **it <= at);
                inside.map(move |it| json!([seconds(*it), value]))
            });
            let points: Vec<Value> = points.collect();
            (!points.is_empty()).then(|| json!({"metric": labels, "values": points}))
        });
        let result: Vec<Value> = result.collect();
        json!({"status": "success", "data": {"resultType": "matrix", "result": result}})
    }

    /// The same to a request, such as `GET /api/v1/query?…`.
    pub fn reply(&self, request: &str) -> (u16, String) {
        let (_, query) = request.split_once('?').unwrap_or_default();
        let query = query.split(' ').next().unwrap_or_default();
        let query: BTreeMap<_, _> = form_urlencoded::parse(query.as_bytes()).collect();
        let at = query["time"].replace('.', "").parse().expect("a time");
        let answer = self.answer(&query["query"], at);
        (200, answer.to_string())
    }
}

/// Milliseconds as Prometheus writes them.
fn seconds(milliseconds: i64) -> Value {
    let text = format!("{}.{:03}", milliseconds / 1_000, milliseconds % 1_000);
    serde_json::from_str(&text).expect("a number")
}

/// A label, and which values of it are wanted.
pub type Matcher = (String, Box<dyn Fn(&str) -> bool>);

/// What a selector wants of labels; its quotes are those of `PromQL`.
pub fn matchers(selector: &str) -> Vec<Matcher> {
    let inner = selector
        .strip_prefix('{')
        .and_then(|it| it.strip_suffix('}'));
    let mut rest = inner.expect("a selector");
    let mut all: Vec<Matcher> = Vec::new();
    while !rest.is_empty() {
        let (name, behind) = rest.split_once('=').expect("a matcher");
        let is_regex = behind.starts_with('~');
        let quoted = behind.trim_start_matches('~');
        let mut values = serde_json::Deserializer::from_str(quoted).into_iter::<String>();
        let value = values.next().expect("a value").expect("a text");
        rest = quoted[values.byte_offset()..].trim_start_matches(',');
        let is_it: Box<dyn Fn(&str) -> bool> = if is_regex {
            let regex = Regex::new(&format!("^(?:{value})$")).expect("a pattern");
            Box::new(move |text| regex.is_match(text))
        } else {
            Box::new(move |text| text == value)
        };
        all.push((name.to_owned(), is_it));
    }
    all
}
