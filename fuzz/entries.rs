//! The entry points for bytes that anybody may have written: the targets of
//! cargo-fuzz drive them, and `tests/suite/fuzzed.rs` does under stable Rust.
//!
//! An entry returns whatever the bytes are; what it must never do is panic,
//! go on for seconds, or break what its assertions say.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashSet};
use std::convert::Infallible;
use std::str;
use std::time::Duration;

use hpa_explain::api::{FieldSelector, GoDuration, ObjectMeta, Quantity, Selector, Wording};
use hpa_explain::collect::{
    Audience, Cluster, ConnectionFlags, Environment, Patience, Reader, Scope, ScrapedSeries,
    SeriesSource, client, collect, load, scraped, survey,
};
use hpa_explain::controller::{
    Memory, Overrides, Prepared, Release, Settings, reconcile, reconcile_autoscaler,
};
use hpa_explain::document::manifest::{self, Content, Rules};
use hpa_explain::document::snapshot::{RecordReader, Snapshot, read_documents};
use hpa_explain::history::{self, ControllerLog, Observer, Scrapes, Subject};
use hpa_explain::render::{Format, OwnDocument, TextOptions};
use hpa_explain::simulate::load::read_csv;
use hpa_explain::simulate::read_scenarios;
use hpa_explain::trace::Nothing;
use http::{Request, Response, StatusCode};
use http_body_util::Full;
use hyper::body::Bytes;
use jiff::{SignedDuration, Timestamp};
use kube::Client;
use kube::client::Body;

/// What is driven: the bytes of one case.
pub type Entry = fn(&[u8]);

/// Every entry, by the name of its target.
pub const ENTRIES: [(&str, Entry); 13] = [
    ("snapshot", snapshot),
    ("record", record),
    ("controller_log", controller_log),
    ("manifest", manifest),
    ("quantity", quantity),
    ("selector", selector),
    ("duration", duration),
    ("load", load_file),
    ("scenario", scenario),
    ("kubeconfig", kubeconfig),
    ("answers", answers),
    ("prometheus", prometheus),
    ("differential", differential),
];

/// More pods than this only take time.
const MOST_PODS: usize = 300;

/// A snapshot file: read, explained, shown.
pub fn snapshot(bytes: &[u8]) {
    for snapshot in snapshots(bytes) {
        let settings = Settings::resolve(&snapshot, &Overrides::default());
        let (now, observer) = (snapshot.captured_at, Observer::default());
        let trace = history::explain(&snapshot, &settings, now, &observer);
        let options = TextOptions {
            verbosity: 2,
            ..TextOptions::default()
        };
        let mut text = Vec::new();
        Format::Text
            .write(&trace, &options, &mut text)
            .expect("memory takes everything");
        assert_is_plain(&text);
        let json = Format::Json.write(&trace, &options, &mut text);
        json.expect("a document");
        let redacted = OwnDocument(snapshot.redacted());
        let yaml = Format::Yaml.write(&redacted, &options, &mut text);
        yaml.expect("a document");
        assert_is_plain(&text);
    }
}

fn snapshots(bytes: &[u8]) -> Vec<Snapshot> {
    let Ok(text) = str::from_utf8(bytes) else {
        return Vec::new();
    };
    let documents = read_documents(text).into_iter().take(4);
    let snapshots = documents.filter_map(|document| document.snapshot.ok());
    snapshots
        .filter(|snapshot| snapshot.pods.len() <= MOST_PODS)
        .collect()
}

/// Nothing in it moves a cursor or turns text around.
fn assert_is_plain(text: &[u8]) {
    let text = str::from_utf8(text).expect("text");
    assert!(!text.contains(is_hidden), "{text:?}");
}

/// What a terminal obeys in place of showing it.
pub fn is_hidden(c: char) -> bool {
    let reorders = matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    c.is_control() && c != '\n' || reorders || ('\u{e0000}'..='\u{e007f}').contains(&c)
}

/// The record of a watch, with a cut line, a gap, another record behind it.
pub fn record(bytes: &[u8]) {
    let mut reader = RecordReader::default();
    let entries: Vec<_> = reader.read(bytes).take(2_000).collect();
    assert!(entries.len() <= 2_000);
    reader.remarks();
}

/// A controller's log, for two HPAs.
pub fn controller_log(bytes: &[u8]) {
    let subject = |name: &str| Subject {
        namespace: "shop".to_owned(),
        name: name.to_owned(),
        target_kind: "Deployment".to_owned(),
        target_name: name.to_owned(),
        at: Timestamp::from_second(1_763_625_600).expect("a moment"),
    };
    // What is compressed, for one, is refused.
    if let Ok(logs) = ControllerLog::read(bytes, vec![subject("web"), subject("api")]) {
        assert_eq!(logs.len(), 2);
    }
}

/// Manifests, by the oldest and the newest rules.
pub fn manifest(bytes: &[u8]) {
    let Ok(text) = str::from_utf8(bytes) else {
        return;
    };
    for release in [Release::OLDEST, Release::NEWEST] {
        let rules = Rules::new(release, &BTreeMap::new());
        for document in manifest::read(text, rules) {
            if let Ok(Content::Autoscaler(manifest)) = document.content {
                _ = (manifest.errors(rules), manifest.defaulted(rules));
            }
        }
    }
}

/// What a quantity prints is the same quantity.
pub fn quantity(bytes: &[u8]) {
    let text = str::from_utf8(bytes).unwrap_or_default();
    let Ok(quantity) = text.parse::<Quantity>() else {
        return;
    };
    let again: Quantity = quantity.to_string().parse().expect("as it was printed");
    // apimachinery has no suffix for what is larger, and leaves it out.
    if quantity.nano_value().is_some() {
        assert!(quantity.cmp_value(&again).is_eq(), "{text:?}");
    }
    _ = (quantity.milli_value(), quantity.nano_value());
    _ = (quantity.as_approximate_float(), quantity.printed_in_full());
    assert!(
        quantity
            .add(&again)
            .cmp_value(&again.add(&quantity))
            .is_eq()
    );
}

/// Selectors by labels and by fields.
pub fn selector(bytes: &[u8]) {
    let text = str::from_utf8(bytes).unwrap_or_default();
    if let Ok(selector) = Selector::parse(text, Wording::LabelKey) {
        _ = selector.matches(&ObjectMeta::default().labels);
    }
    _ = FieldSelector::parse(text);
}

/// What a duration prints is the same duration.
pub fn duration(bytes: &[u8]) {
    let text = str::from_utf8(bytes).unwrap_or_default();
    if let Ok(duration) = text.parse::<GoDuration>() {
        let again = duration.to_string().parse();
        assert_eq!(Ok(duration), again, "{text:?}");
    }
}

/// A load as a table of times and values.
pub fn load_file(bytes: &[u8]) {
    let text = str::from_utf8(bytes).unwrap_or_default();
    if let Ok((shape, seconds)) = read_csv(text) {
        drop(shape);
        assert!(seconds >= 0);
    }
}

/// Scenarios of a simulation.
pub fn scenario(bytes: &[u8]) {
    let text = str::from_utf8(bytes).unwrap_or_default();
    for scenario in read_scenarios(text).take(4).flatten() {
        assert!(scenario.seconds() >= 0);
    }
}

/// A kubeconfig, up to the client. One that names a program to run is left
/// out: it would be run.
pub fn kubeconfig(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    if ["exec", "xec:", "command", "auth-provider"]
        .iter()
        .any(|it| text.contains(it))
    {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("config");
    std::fs::write(&path, bytes).expect("writable");
    let environment = Environment {
        kubeconfig_files: vec![path],
        in_cluster: None,
        proxy_variables: Vec::new(),
        audience: Audience::Nobody,
    };
    run(async {
        if let Ok(config) = load(&ConnectionFlags::default(), &environment).await {
            _ = client(config);
        }
    });
}

/// What a server answers: sections of a line with a part of the path and a
/// status, and the body.
pub fn answers(bytes: &[u8]) {
    let sections: Vec<(String, u16, Vec<u8>)> = sections(bytes);
    let answer = move |request: Request<Body>| {
        let path = request.uri().path();
        let section = sections
            .iter()
            .find(|(part, ..)| path.contains(part.as_str()));
        let (status, body) = match section {
            Some((_, status, body)) => (*status, body.clone()),
            None => (404, Vec::new()),
        };
        let mut response = Response::new(Full::new(Bytes::from(body)));
        *response.status_mut() = StatusCode::from_u16(status).unwrap_or_default();
        async { Ok::<_, Infallible>(response) }
    };
    run(async {
        let reader = reader(tower::service_fn(answer));
        let cluster = Cluster::new(&reader);
        let now = Timestamp::UNIX_EPOCH;
        if let Ok(snapshot) = collect(&cluster, "shop", "web", now).await {
            assert!(snapshot.pods.len() < 1_000_000);
        }
        let scope = Scope {
            metrics: Some(|_, _| true),
            whole: true,
            ..Scope::default()
        };
        if let Ok(survey) = survey(&cluster, scope, now).await {
            let snapshots = survey.snapshots();
            let len = snapshots.len();
            assert_eq!(snapshots.count(), len);
        }
    });
}

/// Asks what answers in place of a server.
fn reader<S, F>(server: tower::util::ServiceFn<S>) -> Reader
where
    S: FnMut(Request<Body>) -> F + Send + 'static,
    F: Future<Output = Result<Response<Full<Bytes>>, Infallible>> + Send + 'static,
{
    let wait = Duration::from_secs(2);
    let patience = Patience {
        request: wait,
        whole: wait,
    };
    Reader::new(Client::new(server, "shop"), patience)
}

/// What a Prometheus answers to each query about the HPA of a snapshot: the
/// snapshot, and behind a line of `%%%` the body.
pub fn prometheus(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let Some((snapshot, body)) = text.split_once("\n%%%\n") else {
        return;
    };
    for snapshot in snapshots(snapshot.as_bytes()) {
        let body = Bytes::from(body.to_owned());
        let answer = move |_: Request<Body>| {
            let response = Response::new(Full::new(body.clone()));
            async { Ok::<_, Infallible>(response) }
        };
        let to = snapshot.captured_at;
        let Ok(from) = to.checked_sub(SignedDuration::from_mins(5)) else {
            continue;
        };
        let mut scraped_series = None;
        run(async {
            let source = SeriesSource {
                reader: &reader(tower::service_fn(answer)),
                below: "",
                labels: &[],
                pods_since: Some(from),
            };
            let hpa = &snapshot.hpa;
            scraped_series = scraped(source, hpa, (from, to)).await.ok();
        });
        if let Some(series) = scraped_series {
            past(&snapshot, &series, (from, to));
        }
    }
}

/// The story of a time, and the pass in the middle of it, by what was scraped.
fn past(snapshot: &Snapshot, series: &ScrapedSeries, (from, to): (Timestamp, Timestamp)) {
    let hpa = &snapshot.hpa;
    let Ok(scrapes) = Scrapes::new(hpa, &series.series, &series.warnings, true) else {
        return;
    };
    let mut observer = Observer::default();
    observer.read_scrapes(scrapes);
    let settings = Settings::resolve(snapshot, &Overrides::default());
    let (options, mut text) = (TextOptions::default(), Vec::new());
    let story = observer.story(snapshot, &settings, (from, to), None);
    let written = Format::Text.write(&story, &options, &mut text);
    written.expect("memory takes everything");
    let at = from + to.duration_since(from) / 2;
    if let Some(moment) = observer.scraped_moment(snapshot, &settings, at) {
        let trace = history::explain(&moment.snapshot, &settings, at, &moment.observer);
        let written = Format::Text.write(&trace, &options, &mut text);
        written.expect("memory takes everything");
    }
    assert_is_plain(&text);
}

/// `PART STATUS`, then the body, up to a line of `%%%`.
fn sections(bytes: &[u8]) -> Vec<(String, u16, Vec<u8>)> {
    let text = String::from_utf8_lossy(bytes);
    let sections = text.split("\n%%%\n").filter_map(|section| {
        let (head, body) = section.split_once('\n')?;
        let (part, status) = head.rsplit_once(' ')?;
        Some((
            part.to_owned(),
            status.parse().ok()?,
            body.as_bytes().to_vec(),
        ))
    });
    sections.take(40).collect()
}

/// A pass is the same recorded and unrecorded, and with its inputs in another
/// order; it keeps within the bounds.
pub fn differential(bytes: &[u8]) {
    for mut snapshot in snapshots(bytes) {
        // Of an unknown memory, only one of the two says that it is unknown.
        snapshot.history.get_or_insert_default();
        let settings = Settings::resolve(&snapshot, &Overrides::default());
        let trace = reconcile(&snapshot, &settings, snapshot.captured_at);
        let prepared = Prepared::new(&snapshot, &settings);
        let mut memory = Memory::new(snapshot.history.as_ref());
        let now = snapshot.captured_at.as_nanosecond();
        let decision = reconcile_autoscaler(&prepared, &settings, &mut memory, now, &mut Nothing);
        let outcome = &trace.outcome;
        // Neither does it say what cannot be read.
        if let Some(rescale) = outcome.rescale {
            assert_eq!(decision.rescaled, rescale);
        }
        if outcome.error.is_none() && outcome.desired_replicas.is_some() {
            assert_eq!(decision.replicas, outcome.desired_replicas);
        }
        let other = reconcile(&reversed(snapshot.clone()), &settings, snapshot.captured_at);
        assert_eq!(outcome.desired_replicas, other.outcome.desired_replicas);
        assert_eq!(outcome.rescale, other.outcome.rescale);
        let spec = &snapshot.hpa.spec;
        if outcome.rescale == Some(true)
            && let Some(size) = outcome.desired_replicas
        {
            // Of bounds that exclude each other, which no API server takes, the
            // one that is looked at first holds.
            let most = spec.max_replicas.max(spec.min_replicas.unwrap_or(1));
            assert!(size <= most, "{size}");
        }
    }
}

/// Every list of inputs in the other order. Of two samples of one pod, which
/// no server gives, the last one counts: they stay as they are.
fn reversed(mut snapshot: Snapshot) -> Snapshot {
    snapshot.pods.reverse();
    if let Some(answer) = &mut snapshot.metrics.resource
        && let Some(samples) = answer.response_mut()
    {
        let items = &samples.items;
        let names: HashSet<_> = items.iter().map(|it| &it.metadata.name).collect();
        if names.len() == items.len() {
            samples.items.reverse();
        }
    }
    snapshot
}

thread_local! {
    static RUNTIME: RefCell<tokio::runtime::Runtime> = RefCell::new(
        tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime"),
    );
}

fn run(work: impl Future<Output = ()>) {
    RUNTIME.with_borrow_mut(|runtime| runtime.block_on(work));
}
