//! What the API server makes of a manifest: the answers of a real one.

use flate2::read::GzDecoder;
use hpa_explain::controller::Release;
use hpa_explain::document::manifest::{Content, Manifest, Rules, read};
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;

#[derive(Deserialize)]
struct Vector {
    id: String,
    manifest: Value,
    expect: Expected,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Expected {
    accepted: bool,
    #[serde(default)]
    defaulted: Option<Value>,
    #[serde(default)]
    errors: Option<Vec<String>>,
    #[serde(default)]
    decode_error: bool,
}

fn vectors() -> Vec<Vector> {
    let folder = env!("CARGO_MANIFEST_DIR");
    let path = format!("{folder}/tests/conformance/specs-v1.36.2.jsonl.gz");
    let mut text = String::new();
    let file = File::open(path).expect("the vectors");
    let mut file = GzDecoder::new(file);
    file.read_to_string(&mut text).expect("text");
    let lines = text.lines();
    lines
        .map(|line| serde_json::from_str(line).expect("a vector"))
        .collect()
}

fn rules() -> Rules {
    Rules::new(Release::minor(36), &BTreeMap::new())
}

fn manifest(text: &str) -> Manifest {
    let mut documents = read(text, rules());
    assert_eq!(documents.len(), 1, "{text}");
    match documents.remove(0).content {
        Ok(Content::Autoscaler(manifest)) => *manifest,
        other => panic!("{text}: {other:?}"),
    }
}

fn check(id: &str, manifest: &Manifest, expect: &Expected) {
    assert_eq!(!manifest.faults.is_empty(), expect.decode_error, "{id}");
    let errors: Vec<String> = manifest
        .errors(rules())
        .iter()
        .map(ToString::to_string)
        .collect();
    assert_eq!(errors, expect.errors.clone().unwrap_or_default(), "{id}");
    assert_eq!(
        errors.is_empty() && !expect.decode_error,
        expect.accepted,
        "{id}"
    );
    if let Some(defaulted) = &expect.defaulted {
        let spec = serde_json::to_value(manifest.defaulted(rules())).expect("JSON");
        assert_eq!(&spec, defaulted, "{id}");
    }
}

#[test]
fn manifests_are_decoded_defaulted_and_validated_as_the_server_does() {
    let (mut accepted, mut refused, mut undecodable) = (0, 0, 0);
    for Vector {
        id,
        manifest: written,
        expect,
    } in vectors()
    {
        check(&id, &manifest(&written.to_string()), &expect);
        match (expect.accepted, expect.decode_error) {
            (true, _) => accepted += 1,
            (_, true) => undecodable += 1,
            _ => refused += 1,
        }
    }
    assert_eq!((accepted, refused, undecodable), (416, 353, 24));
}

/// The same manifests over several lines, as YAML and as JSON.
#[test]
fn the_form_of_the_file_makes_no_difference() {
    let mut checked = 0;
    for Vector {
        id,
        manifest: written,
        expect,
    } in vectors()
    {
        let pretty = serde_json::to_string_pretty(&written).expect("JSON");
        check(&id, &manifest(&pretty), &expect);
        // YAML has no number that only JSON would refuse.
        if !expect.decode_error {
            let yaml = serde_yaml::to_string(&written).expect("YAML");
            // To kubectl, which reads YAML 1.1, this is a boolean.
            let yaml = yaml.replace("- y\n", "- 'y'\n");
            check(&id, &manifest(&yaml), &expect);
        }
        checked += 1;
    }
    assert_eq!(checked, 793);
}
