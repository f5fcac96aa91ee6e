//! The entry points of `fuzz`, driven under stable Rust: what the fixtures
//! hold, mutated by chance. A few hundred cases each by default; an hour of
//! them in all with `--ignored`.
//!
//! What was found is kept in `tests/fuzzed`, a folder for each entry.

#![expect(clippy::print_stdout, reason = "the figures are to be read")]

use std::collections::BTreeSet;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::panic::catch_unwind;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use flate2::read::GzDecoder;
use jiff::Timestamp;
use proptest::prelude::RngExt;
use proptest::test_runner::{RngAlgorithm, TestRng};

use crate::support::prometheus::{Stored, unpacked};

#[path = "../../fuzz/entries.rs"]
mod entries;

mod runs;

use entries::{ENTRIES, Entry};

/// How often each entry is driven by default.
const CASES: usize = 300;

/// A case that takes longer hangs, as far as whoever waits can tell.
const HANGS: Duration = Duration::from_secs(5);

/// What is longer only takes time.
const LONGEST: usize = 64 << 10;

/// Texts that mean something to some reader.
const TOKENS: [&str; 40] = [
    "",
    "0",
    "-1",
    "null",
    "true",
    "{}",
    "[]",
    "\"\"",
    "1e400",
    "9223372036854775807",
    "-9223372036854775808",
    "99999999999Ei",
    "0.0000000001m",
    "1e2147483647",
    "NaN",
    "0001-01-01T00:00:00Z",
    "9999-12-30T22:00:00.999999999Z",
    "-2562047h47m16.854775808s",
    "2147483647",
    "-2147483648",
    "\u{1b}[2J",
    "\u{202e}",
    "\u{e0041}",
    "\0",
    "\r\n",
    "---\n",
    "&a ",
    "*a",
    "!!binary ",
    "? ",
    "<<: ",
    "|-\n",
    "%",
    "\\u0000",
    "\\ud800",
    ",",
    ":",
    "\"",
    "notin (",
    "in (a,,",
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).to_owned()
}

/// Where what was found for an entry is kept.
fn kept(name: &str) -> PathBuf {
    root().join("tests/fuzzed").join(name)
}

/// The files below a folder whose names end so; those of gzip unpacked.
fn files(folder: &str, ends: &[&str], most: usize) -> Vec<Vec<u8>> {
    let mut folders = vec![root().join(folder)];
    let mut paths = BTreeSet::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            let name = path.to_string_lossy().into_owned();
            if path.is_dir() {
                folders.push(path);
            } else if ends.iter().any(|end| name.ends_with(end)) {
                paths.insert(path);
            }
        }
    }
    let read = |path: &PathBuf| {
        let bytes = fs::read(path).expect("a file");
        if path.extension().is_none_or(|it| it != "gz") {
            return bytes;
        }
        let mut unpacked = Vec::new();
        std::io::Read::read_to_end(&mut GzDecoder::new(&bytes[..]), &mut unpacked).expect("gzip");
        unpacked
    };
    let files: Vec<Vec<u8>> = paths.iter().map(read).map(shortened).take(most).collect();
    assert!(!files.is_empty(), "{folder}");
    files
}

/// The first lines of what is long.
fn shortened(mut bytes: Vec<u8>) -> Vec<u8> {
    if bytes.len() > LONGEST {
        let end = bytes[..LONGEST].iter().rposition(|byte| *byte == b'\n');
        bytes.truncate(end.map_or(LONGEST, |end| end + 1));
    }
    bytes
}

/// What an entry begins with: fixtures, and what was found.
fn seeds(name: &str) -> Vec<Vec<u8>> {
    let texts = |all: &[&str]| all.iter().map(|it| it.as_bytes().to_vec()).collect();
    let mut seeds: Vec<Vec<u8>> = match name {
        "snapshot" | "differential" => {
            let mut all = files("tests/flaps", &["snapshot.yaml"], 60);
            all.extend(files("demos", &[".yaml"], 60));
            all.retain(|it| it.len() < LONGEST);
            all
        }
        "record" => files("tests", &[".jsonl", ".jsonl.gz"], 30),
        "controller_log" => files("tests", &[".log", ".log.gz"], 30),
        "manifest" => files("tests/lint", &[".yaml", ".json"], 300),
        "quantity" => texts(&[
            "100m",
            "1.5Gi",
            "-3e7",
            "12E",
            "0.1n",
            "1e-9",
            "9223372036854775807",
        ]),
        "selector" => texts(&[
            "app=web,tier!=db",
            "a in (b,c),!d,e notin (f)",
            "x.io/y>3",
            "metadata.name=web,metadata.namespace!=shop",
        ]),
        "duration" => texts(&["1h2m3.5s", "-300ms", "1us", "2562047h47m16.854775807s", "0"]),
        "load" => texts(&[
            "time,value\n0,100\n60,250m\n120,1.5k\n",
            "0s,1\n5m,2\n1h30m,0\n",
        ]),
        "scenario" => {
            let page = fs::read_to_string(root().join("docs/simulate.md")).expect("the page");
            let mut blocks = page
                .split("```json\n")
                .filter_map(|it| it.split("```").next());
            let scenario = blocks.find(|it| it.contains("\"demand\""));
            texts(&[scenario.expect("a scenario")])
        }
        "kubeconfig" => texts(&[KUBECONFIG]),
        "answers" => vec![answers()],
        "prometheus" => ["s8", "s9"].map(scraped).to_vec(),
        _ => panic!("{name} has no seeds"),
    };
    if let Ok(folder) = fs::read_dir(kept(name)) {
        let found = folder.map(|it| fs::read(it.expect("an entry").path()).expect("a file"));
        seeds.extend(found);
    }
    seeds
}

const KUBECONFIG: &str = "apiVersion: v1
kind: Config
current-context: a
contexts: [{name: a, context: {cluster: c, user: u, namespace: shop}}]
clusters: [{name: c, cluster: {server: 'https://127.0.0.1:6443', insecure-skip-tls-verify: true, proxy-url: 'http://p:3128'}}]
users: [{name: u, user: {token: abc, username: x, password: y, client-certificate-data: YWJj}}]
";

/// A snapshot as a server would tell it.
fn answers() -> Vec<u8> {
    let text = fs::read_to_string(root().join("tests/flaps/calm/snapshot.yaml")).expect("a file");
    let snapshot: serde_json::Value = serde_yaml::from_str(&text).expect("a snapshot");
    let hpa = &snapshot["horizontalPodAutoscaler"];
    let list = |kind: &str, version: &str, items: &serde_json::Value| serde_json::json!({ "kind": kind, "apiVersion": version, "metadata": {}, "items": items });
    let sections = [
        ("horizontalpodautoscalers/web 200", hpa.clone()),
        (
            "horizontalpodautoscalers 200",
            list(
                "HorizontalPodAutoscalerList",
                "autoscaling/v2",
                &serde_json::json!([hpa]),
            ),
        ),
        ("/scale 200", snapshot["scale"]["response"].clone()),
        (
            "metrics.k8s.io 200",
            list(
                "PodMetricsList",
                "metrics.k8s.io/v1beta1",
                &snapshot["metrics"]["resource"]["response"]["items"],
            ),
        ),
        ("/events 200", list("EventList", "v1", &snapshot["events"])),
        ("/deployments/web 200", snapshot["target"].clone()),
        (
            "/deployments 200",
            list(
                "DeploymentList",
                "apps/v1",
                &serde_json::json!([snapshot["target"]]),
            ),
        ),
        ("/pods 200", list("PodList", "v1", &snapshot["pods"])),
        (
            "/version 200",
            serde_json::json!({ "gitVersion": "v1.36.2" }),
        ),
    ];
    let sections = sections.map(|(head, body)| format!("{head}\n{body}"));
    sections.join("\n%%%\n").into_bytes()
}

/// A snapshot, and what a Prometheus scraped of its HPA and its pods in the
/// minutes before.
fn scraped(name: &str) -> Vec<u8> {
    let snapshots = unpacked("snapshots.jsonl.gz");
    let mut snapshots = snapshots.lines().map(|line| {
        let snapshot: serde_json::Value = serde_json::from_str(line).expect("JSON");
        (line, snapshot)
    });
    let is_it = |hpa: &serde_json::Value| hpa["metadata"]["name"] == name;
    let (line, snapshot) = snapshots
        .find(|(_, it)| is_it(&it["horizontalPodAutoscaler"]))
        .expect("a snapshot");
    let at: Timestamp = snapshot["capturedAt"]
        .as_str()
        .and_then(|it| it.parse().ok())
        .expect("a time");
    let hpa = r#"__name__=~"kube_horizontalpodautoscaler_(created|s.*)",horizontalpodautoscaler="#;
    let selectors = [
        format!("{hpa}\"{name}\""),
        format!("deployment=\"{name}\""),
        format!("owner_name=\"{name}\""),
        format!("pod=~\"{name}-.*\""),
    ];
    let server = Stored::read("30s");
    let result = selectors.map(|selector| {
        let answer = server.answer(&format!("{{{selector}}}[300000ms]"), at.as_millisecond());
        answer["data"]["result"].as_array().expect("series").clone()
    });
    let answer = serde_json::json!({
        "status": "success",
        "data": { "resultType": "matrix", "result": result.concat() },
    });
    format!("{line}\n%%%\n{answer}").into_bytes()
}

/// One case after another, by chance.
struct Cases {
    rng: TestRng,
    corpus: Vec<Vec<u8>>,
}

impl Cases {
    fn new(name: &str, seed: u8) -> Self {
        Self {
            rng: TestRng::from_seed(RngAlgorithm::ChaCha, &[seed; 32]),
            corpus: seeds(name),
        }
    }

    fn below(&mut self, end: usize) -> usize {
        if end == 0 {
            0
        } else {
            self.rng.random_range(0..end)
        }
    }

    /// A word as chance has changed it.
    fn word(&mut self, word: &str) -> String {
        let mut bytes = word.as_bytes().to_vec();
        self.mutate(&mut bytes);
        String::from_utf8_lossy(&bytes[..bytes.len().min(4_000)]).into_owned()
    }

    fn next(&mut self) -> Vec<u8> {
        let chosen = self.below(self.corpus.len());
        let mut bytes = self.corpus[chosen].clone();
        for _ in 0..=self.below(6) {
            self.mutate(&mut bytes);
        }
        bytes.truncate(LONGEST);
        bytes
    }

    fn mutate(&mut self, bytes: &mut Vec<u8>) {
        let at = self.below(bytes.len() + 1);
        let most = if self.below(4) == 0 { 2_000 } else { 12 };
        let end = (at + self.below(most)).min(bytes.len());
        match self.below(8) {
            0 if at < bytes.len() => bytes[at] ^= 1 << self.below(8),
            1 => drop(bytes.drain(at..end)),
            2 => {
                let again = bytes[at..end].to_vec();
                bytes.splice(at..at, again);
            }
            3 => {
                let from = self.below(self.corpus.len());
                let start = self.below(self.corpus[from].len() + 1);
                let stop = (start + most).min(self.corpus[from].len());
                let piece = self.corpus[from][start..stop].to_vec();
                bytes.splice(at..end, piece);
            }
            4 => self.replace_word(bytes, at),
            5 => {
                let byte = u8::try_from(self.below(256)).unwrap_or_default();
                bytes.insert(at, byte);
            }
            6 => bytes.truncate(at),
            _ => {
                let token = TOKENS[self.below(TOKENS.len())];
                bytes.splice(at..at, token.bytes());
            }
        }
    }

    /// Puts a token in the place of a word or number.
    fn replace_word(&mut self, bytes: &mut Vec<u8>, at: usize) {
        let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || b"-.+_".contains(byte);
        let start = bytes[..at]
            .iter()
            .rposition(|it| !is_word(it))
            .map_or(0, |it| it + 1);
        let rest = &bytes[at..];
        let end = at
            + rest
                .iter()
                .position(|it| !is_word(it))
                .unwrap_or(rest.len());
        let token = TOKENS[self.below(TOKENS.len())];
        bytes.splice(start..end, token.bytes());
    }
}

/// Drives an entry as long as there is another case to try; what is found is
/// written down. Says how many were tried, and how long the slowest took.
fn drive(name: &str, entry: Entry, cases: &mut Cases, mut goes_on: impl FnMut(usize) -> bool) {
    let (mut tried, mut found, mut slowest) = (0, Vec::new(), Duration::ZERO);
    while goes_on(tried) {
        let bytes = cases.next();
        let started = Instant::now();
        let outcome = catch_unwind(|| entry(&bytes));
        let took = started.elapsed();
        slowest = slowest.max(took);
        if outcome.is_err() || took > HANGS {
            let mut hasher = DefaultHasher::new();
            bytes.hash(&mut hasher);
            let path = std::env::temp_dir().join(format!("fuzzed-{name}-{:x}", hasher.finish()));
            fs::write(&path, &bytes).expect("writable");
            found.push(path);
        }
        tried += 1;
    }
    println!(
        "{name}: {tried} cases of {} seeds, slowest {slowest:?}, found {}",
        cases.corpus.len(),
        found.len()
    );
    assert!(tried >= CASES, "{name}: {tried}");
    assert!(found.is_empty(), "{name}: {found:?}");
}

#[test]
fn nothing_that_anybody_may_write_panics() {
    for (name, entry) in ENTRIES {
        for seed in seeds(name) {
            entry(&seed);
        }
        drive(name, entry, &mut Cases::new(name, 1), |tried| tried < CASES);
    }
    assert_eq!(ENTRIES.len(), 13);
}

/// As many seconds as it is to take, from another beginning each time.
fn for_seconds(name: &str, seconds: u64) {
    let (_, entry) = ENTRIES
        .into_iter()
        .find(|(one, _)| *one == name)
        .expect("an entry");
    let end = Instant::now() + Duration::from_secs(seconds);
    let seed = u8::try_from(std::process::id() % 251).unwrap_or_default();
    drive(name, entry, &mut Cases::new(name, seed), |_| {
        Instant::now() < end
    });
}

/// An hour in all: one test each, so that they run side by side.
macro_rules! hour {
    ($($name:ident: $seconds:literal)*) => {
        mod hour {
            $(#[test]
            #[ignore = "an hour in all"]
            fn $name() {
                super::for_seconds(stringify!($name), $seconds);
            })*
        }

        #[test]
        fn the_hour_is_one_of_all_entries() {
            let times = [$((stringify!($name), $seconds)),*];
            let names = times.map(|(name, _)| name);
            assert_eq!(names, ENTRIES.map(|(name, _)| name));
            assert!(times.iter().map(|(_, seconds)| seconds).sum::<u64>() >= 3_600);
        }
    };
}

hour! {
    snapshot: 245 record: 245 controller_log: 245 manifest: 245 quantity: 240 selector: 240
    duration: 240 load: 240 scenario: 240 kubeconfig: 240 answers: 245 prometheus: 245
    differential: 900
}

/// The seeds as the corpus of cargo-fuzz.
#[test]
#[ignore = "writes fuzz/corpus, for cargo-fuzz"]
fn the_corpus_is_written() {
    for (name, _) in ENTRIES {
        let folder = root().join("fuzz/corpus").join(name);
        fs::create_dir_all(&folder).expect("a folder");
        for (number, seed) in seeds(name).iter().enumerate() {
            fs::write(folder.join(format!("seed-{number}")), seed).expect("writable");
        }
    }
}
