//! The raw samples that a Prometheus keeps, as its HTTP API answers an instant
//! query for a range of them.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::{Deserialize, Deserializer};

use super::nullable;

/// A series: its labels, and its samples in the order of time.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
pub struct Series {
    /// The labels, with the family's name as `__name__`.
    #[serde(rename = "metric", default)]
    pub labels: BTreeMap<String, String>,
    /// The samples.
    #[serde(default)]
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
    /// The series.
    #[serde(deserialize_with = "nullable::or_default")]
    pub result: Vec<Series>,
}

#[cfg(test)]
mod tests {
    use super::SeriesAnswer;

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
