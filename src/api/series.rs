//! The raw samples that a Prometheus keeps, as its HTTP API answers an instant
//! query for a range of them.

use std::collections::BTreeMap;
use std::fmt::{self, Formatter};

use jiff::Timestamp;
use serde::de::{DeserializeSeed, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};

use super::nullable;

/// A series: its labels, and its samples in the order of time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Series {
    /// The labels, with the family's name as `__name__`.
    pub labels: BTreeMap<String, String>,
    /// The samples.
    pub values: Vec<SeriesPoint>,
}

impl Series {
    /// The family's name.
    pub fn name(&self) -> &str {
        self.label("__name__")
    }

    /// The value of a label; as in Prometheus, one that is absent is empty.
    pub fn label(&self, name: &str) -> &str {
        self.labels.get(name).map_or("", String::as_str)
    }
}

/// A sample: when it was scraped, and what.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
pub struct SeriesPoint(
    #[serde(deserialize_with = "moment")] pub Timestamp,
    #[serde(deserialize_with = "number")] pub f64,
);

/// Seconds with a fraction; Prometheus knows milliseconds.
fn moment<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Timestamp, D::Error> {
    let seconds = f64::deserialize(deserializer)?;
    // A number that no moment has saturates, and is refused then.
    #[expect(clippy::cast_possible_truncation)]
    let milliseconds = (seconds * 1_000.0).round() as i64;
    Timestamp::from_millisecond(milliseconds).map_err(serde::de::Error::custom)
}

/// A number as text, for JSON has no `NaN`.
fn number<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    let text = String::deserialize(deserializer)?;
    text.parse().map_err(serde::de::Error::custom)
}

/// Reads a series; of a pod, only the first and the last of the samples in a row
/// that are the same: they are many, and it is known from others when scrapes were.
/// Of a condition's status, only those that say that it is this one.
impl<'de> Deserialize<'de> for Series {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(SeriesVisitor)
    }
}

struct SeriesVisitor;

impl<'de> Visitor<'de> for SeriesVisitor {
    type Value = Series;

    fn expecting(&self, to: &mut Formatter) -> fmt::Result {
        to.write_str("a series")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Series, A::Error> {
        let mut series = Series::default();
        while let Some(key) = map.next_key::<String>()? {
            match key.as_str() {
                "metric" => series.labels = map.next_value()?,
                "values" => {
                    let points = Points {
                        is_of_pod: !series.label("pod").is_empty(),
                        is_of_status: series.name() == STATUS,
                    };
                    series.values = map.next_value_seed(points)?;
                }
                _ => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(series)
    }
}

/// The family of an HPA's conditions: a series for each status that one can have.
const STATUS: &str = "kube_horizontalpodautoscaler_status_condition";

struct Points {
    is_of_pod: bool,
    is_of_status: bool,
}

impl<'de> DeserializeSeed<'de> for Points {
    type Value = Vec<SeriesPoint>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for Points {
    type Value = Vec<SeriesPoint>;

    fn expecting(&self, to: &mut Formatter) -> fmt::Result {
        to.write_str("samples")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        let mut all: Vec<SeriesPoint> = Vec::new();
        while let Some(point) = seq.next_element::<SeriesPoint>()? {
            if self.is_of_pod
                && let [.., one, other] = all.as_slice()
                && [one.1, other.1]
                    .iter()
                    .all(|it| it.total_cmp(&point.1).is_eq())
            {
                all.pop();
            }
            if !self.is_of_status || point.1 > 0.0 {
                all.push(point);
            }
        }
        all.sort_by_key(|it| it.0);
        all.shrink_to_fit();
        Ok(all)
    }
}

/// The answer to a query.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct SeriesAnswer {
    /// `success` or `error`.
    pub status: String,
    /// What was found.
    #[serde(deserialize_with = "nullable::or_default")]
    pub data: SeriesData,
    /// Why nothing was.
    pub error: String,
    /// Why what was found may be incomplete.
    #[serde(deserialize_with = "nullable::or_default")]
    pub warnings: Vec<String>,
}

/// What was found.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct SeriesData {
    #[serde(deserialize_with = "nullable::or_default")]
    pub result: Vec<Series>,
}

#[cfg(test)]
mod tests {
    use super::{Series, SeriesAnswer};

    #[test]
    fn an_answer_is_read_to_the_millisecond() {
        let text = r#"{"status":"success","data":{"resultType":"matrix","result":[
            {"metric":{"__name__":"up"},"values":[[1795376907.55,"0.067"],[1795376922,"NaN"]]}]}}"#;
        let answer: SeriesAnswer = serde_json::from_str(text).expect("an answer");
        let series = &answer.data.result[0];
        assert_eq!(series.name(), "up");
        assert_eq!(series.label("job"), "");
        assert_eq!(series.values[0].0.as_millisecond(), 1_795_376_907_550);
        assert_eq!(series.values[0].1.to_string(), "0.067");
        assert!(series.values[1].1.is_nan());
    }

    #[test]
    fn of_a_pod_what_repeats_is_left_out() {
        let of = |label: &str| {
            let values = r#"[[1,"0"],[2,"1"],[3,"1"],[4,"1"],[5,"1"],[6,"0"]]"#;
            let text = format!(r#"{{"metric":{{"{label}":"x"}},"values":{values},"more":1}}"#);
            let series: Series = serde_json::from_str(&text).expect("a series");
            let times = series.values.iter().map(|it| it.0.as_second());
            times.collect::<Vec<_>>()
        };
        assert_eq!(of("pod"), [1, 2, 5, 6]);
        assert_eq!(of("deployment"), [1, 2, 3, 4, 5, 6]);
    }

    #[test]
    fn no_moment_and_no_number_are_refused() {
        for value in [r#"[1e300,"1"]"#, r#"[1,"one"]"#, "[1,1]", r#"["1","1"]"#] {
            let text = format!(r#"{{"data":{{"result":[{{"values":[{value}]}}]}}}}"#);
            assert!(
                serde_json::from_str::<SeriesAnswer>(&text).is_err(),
                "{value}"
            );
        }
    }
}
