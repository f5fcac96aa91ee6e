//! What a Prometheus answered of an HPA, kept in a file: JSON lines. The first
//! one says so; the second has the times of the scrapes; the third is a snapshot
//! of the HPA; then comes a line a series, with the labels that matter, and its
//! values: from which time on so many had which.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

use jiff::{SignedDuration, Timestamp};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::api::{HorizontalPodAutoscaler, Series, SeriesPoint};
use crate::cli::kind::{SCRAPES_KIND, ScrapesHeader, name, open};
use crate::cli::{failure::Failure, kind::read_text, past::reading::Reading};
use crate::collect::ScrapedSeries;
use crate::document::snapshot::{API_VERSION, Document, Flaw, ReadError, Snapshot, read_documents};
use crate::document::{DocumentText, Form, Place, UnknownField, typed};
use crate::history::{Scrapes, ScrapesError};
use crate::render::{Format, OwnDocument, TextOptions};

/// The first line is no longer.
const MOST_OF_HEADER: u64 = 1 << 10;

const ORIGIN: &str = "`kubectl hpa-explain record NAME --prometheus --file FILE` writes one";

/// More samples are not read: a short file can claim any number.
const MOST_SAMPLES: usize = 10_000_000;

/// The labels that anything is concluded from. None of the others is kept: they
/// name machines and addresses.
const LABELS: [&str; 17] = [
    "__name__",
    "namespace",
    "horizontalpodautoscaler",
    "deployment",
    "statefulset",
    "replicaset",
    "pod",
    "container",
    "resource",
    "unit",
    "metric_name",
    "metric_target_type",
    "condition",
    "status",
    "phase",
    "owner_kind",
    "owner_name",
];

pub struct Kept {
    /// The HPA and its inputs when it was written.
    pub snapshot: Snapshot,
    /// What was scraped of it.
    pub scraped: ScrapedSeries,
    /// What is probably not meant as it stands in the file.
    pub warnings: Vec<Flaw>,
}

/// The second line.
#[derive(Serialize, Deserialize)]
struct Times {
    warnings: Vec<String>,
    /// In milliseconds.
    times: Vec<i64>,
}

/// What the controller measured.
const MEASURED: &str = "kube_horizontalpodautoscaler_status_target_metric";

/// From which time on so many had a value, and which.
type Run = (usize, usize, String);

#[derive(Serialize, Deserialize)]
struct SeriesLine {
    metric: BTreeMap<String, String>,
    runs: Vec<Run>,
}

impl Kept {
    /// Reads a file, if it is one of these.
    pub fn open(path: &Path) -> anyhow::Result<Option<Self>> {
        let Some(header) = header(path) else {
            return Ok(None);
        };
        let failed = |line: usize, flaw: &Flaw| {
            Failure::error(format!("{}:{line}: {flaw}", name(path)), ORIGIN)
        };
        if header.api_version != API_VERSION {
            let form = format!("its form is {}, not {API_VERSION}", header.api_version);
            return Err(failed(1, &Flaw::new("", form)));
        }
        let text = read_text(path, ORIGIN)?;
        let read = Self::read(&text).map_err(|it| failed(it.place.line, &it.flaw));
        read.map(Some)
    }

    fn read(text: &str) -> Result<Self, ReadError> {
        let mut lines = (2..).zip(text.lines().skip(1));
        let (_, second) = lines.next().unwrap_or((2, ""));
        let mut unknown = Vec::new();
        let times: Times = read_line(second, 2, &mut unknown)?;
        let (_, third) = lines.next().unwrap_or((3, ""));
        let document = read_documents(third).into_iter().next();
        let document = document.ok_or_else(|| at_line(3, Flaw::new("", "has no snapshot")))?;
        let snapshot = document.snapshot.map_err(|it| at_line(3, it.flaw))?;
        let mut left = MOST_SAMPLES;
        let series = lines.map(|(number, line)| {
            let line: SeriesLine = read_line(line, number, &mut unknown)?;
            let series = line.series(&times.times, &mut left);
            series.map_err(|flaw| at_line(number, flaw))
        });
        let series = series.collect::<Result<_, _>>()?;
        // What every line has too much is said once.
        unknown.dedup();
        let unknown = unknown.into_iter().map(Flaw::from);
        Ok(Self {
            snapshot,
            scraped: ScrapedSeries {
                series,
                warnings: times.warnings,
            },
            warnings: unknown.chain(document.warnings).collect(),
        })
    }

    /// The snapshot, as one of a file.
    pub fn document(&self) -> Document {
        Document {
            number: 1,
            snapshot: Ok(self.snapshot.clone()),
            warnings: self.warnings.clone(),
        }
    }

    /// The bytes of a file.
    pub fn bytes(snapshot: &Snapshot, scraped: &ScrapedSeries) -> anyhow::Result<Vec<u8>> {
        let points = scraped.series.iter().flat_map(|it| &it.values);
        let times: BTreeSet<i64> = points.map(|it| it.0.as_millisecond()).collect();
        let times: Vec<i64> = times.into_iter().collect();
        let header = ScrapesHeader {
            kind: SCRAPES_KIND.to_owned(),
            api_version: API_VERSION.to_owned(),
            tool_version: env!("CARGO_PKG_VERSION").to_owned(),
        };
        let times = Times {
            warnings: scraped.warnings.clone(),
            times,
        };
        let mut bytes = Vec::new();
        add(&header, &mut bytes)?;
        add(&times, &mut bytes)?;
        add(snapshot, &mut bytes)?;
        for series in &scraped.series {
            add(&SeriesLine::of(series, &times.times), &mut bytes)?;
        }
        Ok(bytes)
    }

    /// What a Prometheus would answer of HPAs before their moments, in their order;
    /// nothing of any but its own.
    /// Errors: it is of none of them, or tells nothing of the time.
    pub fn of_each(
        &self,
        hpas: &[(HorizontalPodAutoscaler, Timestamp)],
        reading: Reading,
    ) -> anyhow::Result<Vec<Option<Scrapes>>> {
        let own = &self.snapshot.hpa.metadata;
        let is_own = |hpa: &HorizontalPodAutoscaler| {
            (&hpa.metadata.namespace, &hpa.metadata.name) == (&own.namespace, &own.name)
        };
        if !hpas.iter().any(|(hpa, _)| is_own(hpa)) {
            return Err(Failure::error(
                format!("the file of --history is of {}/{}", own.namespace, own.name),
                "each HPA has a file of its own",
            ));
        }
        let scrapes = hpas.iter().map(|(hpa, until)| {
            if !is_own(hpa) {
                return Ok(None);
            }
            let from = until.checked_sub(reading.span);
            let time = (from.unwrap_or(Timestamp::UNIX_EPOCH), *until);
            let scrapes = self.scrapes(hpa, time, reading.pods_of(hpas.len()));
            scrapes.map(Some).map_err(|error| {
                let message = format!("the file of --history: {error} of that time");
                Failure::error(message, "it was written for another time")
            })
        });
        scrapes.collect()
    }

    /// What a Prometheus would answer of a time, and of the pods since a moment.
    fn scrapes(
        &self,
        hpa: &HorizontalPodAutoscaler,
        (from, to): (Timestamp, Timestamp),
        pods: Option<SignedDuration>,
    ) -> Result<Scrapes, ScrapesError> {
        let pods_since = pods.map(|span| to.checked_sub(span).unwrap_or(from).max(from));
        let series = self.scraped.series.iter().filter_map(|it| {
            let is_of_pods = !it.label("pod").is_empty() || it.name() == "kube_replicaset_owner";
            let is_measured = it.name() == MEASURED;
            let since = match pods_since {
                None if is_of_pods || is_measured => return None,
                Some(since) if is_of_pods => since,
                _ => from,
            };
            let values = it.values.iter();
            let values = values.filter(|it| since <= it.0 && it.0 <= to);
            let mut values: Vec<SeriesPoint> = values.copied().collect();
            if is_of_pods {
                // What repeats was left out, so that it can go on at both ends.
                let over = |next: usize| {
                    let (one, other) = (it.values.get(next.checked_sub(1)?)?, it.values.get(next)?);
                    one.1.total_cmp(&other.1).is_eq().then_some(one.1)
                };
                let first = over(it.values.partition_point(|it| it.0 < since));
                let last = over(it.values.partition_point(|it| it.0 <= to));
                values.splice(0..0, first.map(|value| SeriesPoint(since, value)));
                values.extend(last.map(|value| SeriesPoint(to, value)));
            }
            (!values.is_empty()).then(|| Series {
                labels: it.labels.clone(),
                values,
            })
        });
        let series: Vec<Series> = series.collect();
        Scrapes::new(hpa, &series, &self.scraped.warnings, pods.is_some())
    }
}

/// Reads a line of a file, and notes its unknown fields.
fn read_line<T: DeserializeOwned>(
    text: &str,
    number: usize,
    unknown: &mut Vec<UnknownField>,
) -> Result<T, ReadError> {
    let line = DocumentText {
        text,
        lines_before: number - 1,
        form: Form::JsonLine,
    };
    typed(line, unknown, |_| true).map_err(|fault| (*fault).into())
}

fn add(document: &impl Serialize, bytes: &mut Vec<u8>) -> io::Result<()> {
    Format::Json.write(&OwnDocument(document), &TextOptions::default(), bytes)
}

fn at_line(line: usize, flaw: Flaw) -> ReadError {
    let place = Place { line, column: 1 };
    ReadError { place, flaw }
}

/// Whether a file is one of these, by its first line: it can be long.
pub fn is_kept(path: &Path) -> bool {
    header(path).is_some()
}

/// The first line of a file, if it is that of one of these.
fn header(path: &Path) -> Option<ScrapesHeader> {
    path.is_file().then_some(())?;
    let mut first = String::new();
    let file = open(path).ok()?.take(MOST_OF_HEADER);
    BufReader::new(file).read_line(&mut first).ok()?;
    ScrapesHeader::of(&first)
}

impl SeriesLine {
    fn of(series: &Series, times: &[i64]) -> Self {
        let labels = series.labels.iter();
        let labels = labels.filter(|(label, _)| LABELS.contains(&label.as_str()));
        let mut runs: Vec<Run> = Vec::new();
        for SeriesPoint(at, value) in &series.values {
            let place = times.partition_point(|it| *it < at.as_millisecond());
            let value = value.to_string();
            match runs.last_mut() {
                Some((first, count, own)) if *first + *count == place && *own == value => {
                    *count += 1;
                }
                _ => runs.push((place, 1, value)),
            }
        }
        Self {
            metric: labels
                .map(|(label, value)| (label.clone(), value.clone()))
                .collect(),
            runs,
        }
    }

    fn series(self, times: &[i64], left: &mut usize) -> Result<Series, Flaw> {
        let wrong = |reason: &str| Flaw::new("runs", reason);
        let mut values = Vec::new();
        for (first, count, text) in self.runs {
            let value = text.parse::<f64>();
            let value = value.map_err(|_| wrong(&format!("{text} is not a number")))?;
            let rest = left.checked_sub(count);
            *left = rest.ok_or_else(|| wrong("too many samples"))?;
            let end = first.checked_add(count);
            let times = end.and_then(|end| times.get(first..end));
            for at in times.ok_or_else(|| wrong("a run has no times"))? {
                let at = Timestamp::from_millisecond(*at);
                let at = at.map_err(|error| wrong(&error.to_string()))?;
                values.push(SeriesPoint(at, value));
            }
        }
        values.sort_by_key(|it| it.0);
        Ok(Series {
            labels: self.metric,
            values,
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn series_come_back_without_what_names_machines() {
        let series: Series = serde_json::from_value(json!({
            "metric": {"__name__": "kube_pod_created", "pod": "web-1", "node": "n1",
                "instance": "10.0.0.1:8080", "uid": "x"},
            "values": [[1.5, "2"], [16.5, "2"], [31.5, "NaN"], [61.5, "2"]],
        }))
        .expect("series");
        let times = [1_500, 16_500, 31_500, 46_500, 61_500];
        let line = SeriesLine::of(&series, &times);
        let runs = [(0, 2, "2"), (2, 1, "NaN"), (4, 1, "2")];
        assert_eq!(line.runs, runs.map(|it| (it.0, it.1, it.2.to_owned())));
        let back = line.series(&times, &mut 4).expect("series");
        let labels: Vec<&str> = back.labels.keys().map(String::as_str).collect();
        assert_eq!(labels, ["__name__", "pod"]);
        let times = |it: &Series| it.values.iter().map(|it| it.0).collect::<Vec<_>>();
        assert_eq!(times(&back), times(&series));
        let wrong = |runs| {
            SeriesLine {
                metric: BTreeMap::new(),
                runs,
            }
            .series(&[1], &mut 3)
            .is_err()
        };
        assert!(wrong(vec![(0, 2, "1".to_owned())]));
        assert!(wrong(vec![(usize::MAX, 2, "1".to_owned())]));
        assert!(wrong(vec![(0, 1, "x".to_owned())]));
    }
}
