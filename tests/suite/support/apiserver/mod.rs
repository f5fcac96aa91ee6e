//! An API server for tests: it plays a recording, or a cluster made up by the
//! test, to the real binary and to any other client.
//!
//! It knows nothing of the crate. What it is asked for it answers in the
//! recorded bytes where it has them, and otherwise derives the answer on plain
//! JSON, so that it cannot repeat a mistake of the crate's own reading.
//!
//! ```ignore
//! let server = ApiServer::replay("steady").https().start();
//! let id = server.fault("/apis/metrics.k8s.io", Fault::Status(503));
//! run(["web", "--kubeconfig", server.kubeconfig()]);
//! server.lift(id);
//! assert!(server.log().len() <= 12);
//! ```

#![allow(
    dead_code,
    unused_imports,
    reason = "each test program uses a part of this"
)]

mod base64;
mod body;
mod discovery;
mod distance;
pub mod dry_run;
mod fault;
mod kubeconfig;
mod list;
mod log;
mod partial;
mod reply;
mod respond;
mod scale;
mod selector;
mod status;
mod tape;
mod target;
mod tls;
mod watch;
mod wire;
mod world;

use std::net::{SocketAddr, TcpListener};
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::thread;
use std::time::Duration;

use hyper::Method;
use jiff::Timestamp;
use rustls::ServerConfig;
use serde_json::Value;
use tempfile::TempDir;
use tokio::sync::oneshot;
use tokio_rustls::TlsAcceptor;

pub use fault::{Fault, FaultId};
pub use list::list_document;
pub use log::Entry;
pub use tls::{Certificate, Pki};
pub use watch::Interrupt;

use kubeconfig::Access;
use respond::{Auth, Shared};
use tape::Tape;
use target::{Address, Target};
use wire::Wiring;
use world::World;

/// Who the recorded requests came from, where a failure names the user.
const USER: &str = "viewer";

/// A server that does not stop in this time is left behind.
const STOP: Duration = Duration::from_secs(5);

/// A server that is not started yet.
pub struct Builder {
    namespace: String,
    now: Timestamp,
    world: World,
    rate: u32,
    https: bool,
    names: Vec<String>,
    certificate: Certificate,
    round_trip: Duration,
    auth: Auth,
    writes: bool,
}

impl Builder {
    fn new(tape: Tape) -> Self {
        Self {
            namespace: tape.namespace,
            now: tape.recorded_at,
            world: World::of(tape.answers),
            rate: 1,
            https: false,
            names: ["127.0.0.1", "localhost"].map(str::to_owned).to_vec(),
            certificate: Certificate::Good,
            round_trip: Duration::ZERO,
            auth: Auth::default(),
            writes: false,
        }
    }

    /// Serves a document, or instead of the recorded one. See
    /// [`ApiServer::put`].
    pub fn put(mut self, path: &str, document: &Value) -> Self {
        self.world.put(&Target::parse(path), document);
        self
    }

    /// The time that the `Date` header starts with: that of the recording, if
    /// nothing is said.
    pub fn at(mut self, now: Timestamp) -> Self {
        self.now = now;
        self
    }

    /// The `Date` header stays what it starts with, so that what is read
    /// later is read at the same time.
    pub fn at_a_standstill(mut self) -> Self {
        self.rate = 0;
        self
    }

    /// The clock of the `Date` header goes so many times as fast as this
    /// machine's, and so does what watches do by it.
    pub fn times_as_fast(mut self, rate: u32) -> Self {
        self.rate = rate;
        self
    }

    /// TLS with a certificate for `127.0.0.1` and `localhost`, HTTP/2 and
    /// HTTP/1.1.
    pub fn https(mut self) -> Self {
        self.https = true;
        self
    }

    /// TLS with a certificate for other names.
    pub fn https_for(mut self, names: &[&str]) -> Self {
        self.names = names.iter().map(|name| (*name).to_owned()).collect();
        self.https()
    }

    /// TLS with a certificate that is not as it should be.
    pub fn certificate(mut self, certificate: Certificate) -> Self {
        self.certificate = certificate;
        self.https()
    }

    /// Every round trip takes this long, those of the TCP and TLS handshakes
    /// too.
    pub fn round_trip(mut self, time: Duration) -> Self {
        self.round_trip = time;
        self
    }

    /// Only who has this token, or another proof, is let in.
    pub fn token(mut self, token: &str) -> Self {
        self.auth.token = Some(token.to_owned());
        self
    }

    /// Only who has a client certificate, or another proof, is let in.
    pub fn client_certificate(mut self) -> Self {
        self.auth.certificate = true;
        self.https()
    }

    /// A request that is no GET is answered with 405, and fails the test when
    /// the server goes. This takes the latter away.
    pub fn tolerating_writes(mut self) -> Self {
        self.writes = true;
        self
    }

    /// Starts the server on a thread of its own.
    pub fn start(self) -> ApiServer {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        listener.set_nonblocking(true).expect("a listener");
        let address = listener.local_addr().expect("an address");
        let pki = self
            .https
            .then(|| Pki::new(&self.names, USER, self.certificate));
        let wiring = Wiring {
            tls: pki
                .as_ref()
                .map(|pki| TlsAcceptor::from(Arc::clone(&pki.server))),
            round_trip: self.round_trip,
        };
        let shared = Shared::new(self.world, self.now, self.rate, USER);
        *shared.auth.lock().expect("auth") = self.auth;
        let shared = Arc::new(shared);
        let running = Running::start(listener, wiring, Arc::clone(&shared));
        ApiServer {
            address,
            namespace: self.namespace,
            writes: self.writes,
            pki,
            shared,
            running: Mutex::new(Some(running)),
            folder: tempfile::tempdir().expect("a folder"),
            files: AtomicUsize::new(0),
        }
    }
}

/// A running server. It stops when it is dropped.
pub struct ApiServer {
    address: SocketAddr,
    namespace: String,
    writes: bool,
    pki: Option<Pki>,
    shared: Arc<Shared>,
    running: Mutex<Option<Running>>,
    folder: TempDir,
    files: AtomicUsize,
}

impl ApiServer {
    /// A server that plays `tests/recordings/NAME.jsonl.gz`.
    pub fn replay(name: &str) -> Builder {
        Builder::new(Tape::open(name))
    }

    /// A server with the discovery of the recorded cluster and none of its
    /// objects: those are put.
    pub fn empty() -> Builder {
        let mut tape = Tape::open("steady");
        tape.answers
            .retain(|answer| Address::of(&answer.target.path).is_none());
        Builder::new(tape)
    }

    /// Serves a document from now on: a list, of which pages, selections and
    /// objects are derived, or an object, which is put into every list that
    /// it belongs to. With a query, it answers exactly that. What was known of
    /// the path is forgotten.
    pub fn put(&self, path: &str, document: &Value) {
        let target = Target::parse(path);
        self.shared.change(|world| world.put(&target, document));
    }

    /// As [`Self::put`] for an object, which gets the next version: lists say
    /// so, and watches tell it.
    pub fn update(&self, path: &str, object: &Value) {
        let target = Target::parse(path);
        let address = Address::of(&target.path).expect("the path of an object");
        let watches = &self.shared.watches;
        let mut object = object.clone();
        object["metadata"]["resourceVersion"] = watches.next_version().to_string().into();
        // A watch that is told can be followed by a look at the object.
        self.shared.change(|world| world.update(&target, &object));
        watches.tell(&address, "MODIFIED", &object);
    }

    /// Deletes an object of a list that was put.
    pub fn delete(&self, path: &str) {
        let target = Target::parse(path);
        let address = Address::of(&target.path).expect("the path of an object");
        let watches = &self.shared.watches;
        let version = watches.next_version().to_string();
        let object = self
            .shared
            .world
            .write()
            .expect("world")
            .delete(&target, &version);
        self.shared.change(|_| ());
        watches.tell(&address, "DELETED", &object);
    }

    /// Ends the watches that are under way, and says how many they are.
    pub fn interrupt(&self, interrupt: Interrupt) -> usize {
        self.shared.watches.interrupt(interrupt)
    }

    /// Watches can no longer go on from before now.
    pub fn compact(&self) {
        self.shared.watches.compact();
    }

    /// The time by the server's clock.
    pub fn now(&self) -> Timestamp {
        self.shared.clock.now()
    }

    /// Sets a fault of a path and all beneath it, or of the path alone if a
    /// `$` follows it; `/` is everything.
    pub fn fault(&self, prefix: &str, fault: Fault) -> FaultId {
        self.shared.faults.set(prefix, fault)
    }

    /// Takes a fault away.
    pub fn lift(&self, id: FaultId) {
        self.shared.faults.lift(id);
    }

    /// Takes all faults away.
    pub fn lift_all(&self) {
        self.shared.faults.lift_all();
    }

    /// Requires another token from now on, as if the old one had expired.
    pub fn require_token(&self, token: &str) {
        self.shared.auth.lock().expect("auth").token = Some(token.to_owned());
    }

    /// The requests so far, in the order in which they came.
    pub fn log(&self) -> Vec<Entry> {
        self.shared.log.entries()
    }

    /// Forgets the requests so far.
    pub fn forget_log(&self) {
        self.check_verbs();
        self.shared.log.forget();
    }

    /// `https://127.0.0.1:PORT`, or `http://…`.
    pub fn url(&self) -> String {
        let scheme = if self.pki.is_some() { "https" } else { "http" };
        format!("{scheme}://{}", self.address)
    }

    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The namespace of the recording.
    pub fn namespace(&self) -> &str {
        &self.namespace
    }

    /// A kubeconfig file that leads here, with all that the server requires.
    pub fn kubeconfig(&self) -> PathBuf {
        self.kubeconfig_with(|_| ())
    }

    /// A kubeconfig file that was changed before it was written. It has one
    /// cluster and one context, both `test`, and the user `viewer`.
    pub fn kubeconfig_with(&self, change: impl FnOnce(&mut Value)) -> PathBuf {
        let mut document = {
            let auth = self.shared.auth.lock().expect("auth");
            kubeconfig::document(&Access {
                url: &self.url(),
                namespace: &self.namespace,
                user: &self.shared.user,
                pki: self.pki.as_ref(),
                token: auth.token.as_deref(),
                certificate: auth.certificate,
            })
        };
        change(&mut document);
        self.write("kubeconfig", &format!("{document:#}\n"))
    }

    /// What the server does for TLS, for others that are to go by its names.
    pub fn tls(&self) -> Arc<ServerConfig> {
        Arc::clone(&self.pki().server)
    }

    /// The CA's certificate as PEM.
    pub fn ca(&self) -> &str {
        &self.pki().ca
    }

    /// The CA's certificate as a file.
    pub fn ca_file(&self) -> PathBuf {
        self.write("ca.crt", self.ca())
    }

    /// The user's certificate and key as PEM.
    pub fn client(&self) -> (&str, &str) {
        let client = &self.pki().client;
        (&client.certificate, &client.key)
    }

    /// The user's certificate and key as files.
    pub fn client_files(&self) -> (PathBuf, PathBuf) {
        let (certificate, key) = self.client();
        (
            self.write("client.crt", certificate),
            self.write("client.key", key),
        )
    }

    /// Stops the server: connections break, new ones are refused. Files that
    /// it wrote stay as long as it does.
    pub fn stop(&self) {
        // Taken out first: stopping takes time.
        let running = self.running.lock().expect("running").take();
        if let Some(running) = running {
            running.stop();
        }
    }

    fn pki(&self) -> &Pki {
        self.pki.as_ref().expect("only a server with TLS has it")
    }

    fn write(&self, name: &str, text: &str) -> PathBuf {
        let number = self.files.fetch_add(1, Ordering::Relaxed);
        let path = self.folder.path().join(format!("{number}-{name}"));
        std::fs::write(&path, text).expect(name);
        path
    }

    /// The tool only reads, and every test that uses a server proves it.
    fn check_verbs(&self) {
        if self.writes || thread::panicking() {
            return;
        }
        for entry in self.shared.log.entries() {
            let is_harmless = entry.method == Method::GET || entry.target.contains("dryRun=All");
            assert!(is_harmless, "{} {}", entry.method, entry.target);
        }
    }
}

impl Drop for ApiServer {
    fn drop(&mut self) {
        self.stop();
        self.check_verbs();
    }
}

/// The server's thread.
struct Running {
    stop: oneshot::Sender<()>,
    stopped: mpsc::Receiver<()>,
}

impl Running {
    fn start(listener: TcpListener, wiring: Wiring, shared: Arc<Shared>) -> Self {
        let (stop, stopping) = oneshot::channel();
        let (end, stopped) = mpsc::channel();
        let serve = move || {
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build()
                .expect("a runtime");
            runtime.block_on(async {
                let listener = tokio::net::TcpListener::from_std(listener).expect("a listener");
                tokio::select! {
                    () = wire::accept(listener, wiring, shared) => {}
                    _ = stopping => {}
                }
            });
            // With it go the connections.
            drop(runtime);
            // Nobody may be waiting any more.
            let _ = end.send(());
        };
        thread::Builder::new()
            .name("apiserver".to_owned())
            .spawn(serve)
            .expect("a thread");
        Self { stop, stopped }
    }

    fn stop(self) {
        let _ = self.stop.send(());
        let _ = self.stopped.recv_timeout(STOP);
    }
}
