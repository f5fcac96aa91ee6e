//! How the server is reached: TLS, protocols, who is let in, how far away it
//! is, and what it tells of all that.

use std::io::ErrorKind;
use std::process::Command;
use std::time::{Duration, Instant};

use hyper::Version;
use jiff::fmt::rfc2822::DateTimeParser;
use jiff::{SignedDuration, Timestamp};
use k8s_openapi::api::autoscaling::v2::HorizontalPodAutoscaler;
use kube::api::{Api, ListParams};
use serde_json::json;
use tokio::net::TcpStream;

use crate::apiserver::answers::client;
use crate::apiserver::client::{Connection, Got, Options, get, get_with, run};
use crate::support::apiserver::{ApiServer, Entry, Fault};

const HPA: &str = "/apis/autoscaling/v2/namespaces/shop/horizontalpodautoscalers/web";

#[test]
fn the_protocol_is_negotiated() {
    let table = [
        (vec!["h2", "http/1.1"], Version::HTTP_2),
        (vec!["h2"], Version::HTTP_2),
        (vec!["http/1.1"], Version::HTTP_11),
        (vec![], Version::HTTP_11),
    ];
    let server = ApiServer::replay("steady").https().start();
    for (alpn, version) in table {
        server.forget_log();
        let options = Options {
            alpn: alpn.clone(),
            ..Options::default()
        };
        let got = answer(&server, &options).expect("an answer");
        let seen = (got.status, got.version, server.log()[0].version);
        assert_eq!(seen, (200, version, version), "{alpn:?}");
    }
}

#[test]
fn certificates_are_for_their_names_and_of_their_authority() {
    let untrusting = Options {
        trusts: false,
        ..Options::default()
    };
    let named = |name| Options {
        name,
        ..Options::default()
    };
    let local = ApiServer::replay("steady").https().start();
    assert_eq!(request(&local, &named("127.0.0.1")), Ok(200));
    assert_eq!(request(&local, &named("localhost")), Ok(200));
    assert_eq!(
        request(&local, &untrusting),
        Err("invalid peer certificate: UnknownIssuer".to_owned())
    );
    let elsewhere = ApiServer::replay("steady")
        .https_for(&["api.example"])
        .start();
    assert_eq!(request(&elsewhere, &named("api.example")), Ok(200));
    let failure = request(&elsewhere, &named("127.0.0.1")).expect_err("not its name");
    assert!(failure.starts_with("invalid peer certificate: certificate not valid for name"));
}

#[test]
fn a_token_lets_in() {
    let server = ApiServer::replay("steady").token("secret").start();
    let with = |token: &str| {
        let header = format!("Bearer {token}");
        get_with(&server, HPA, &[("authorization", &header)]).status
    };
    let nobody = get(&server, HPA);
    assert_eq!(
        (nobody.status, &nobody.json()["reason"]),
        (401, &json!("Unauthorized"))
    );
    assert_eq!((with("guess"), with("secret")), (401, 200));
    server.require_token("newer");
    assert_eq!((with("secret"), with("newer")), (401, 200));
}

#[test]
fn a_client_certificate_lets_in() {
    let server = ApiServer::replay("steady").client_certificate().start();
    for (certificate, status) in [(false, 401), (true, 200)] {
        let options = Options {
            certificate,
            ..Options::default()
        };
        assert_eq!(request(&server, &options), Ok(status));
    }
}

/// The kubeconfig holds all that a client needs, whatever the server wants.
#[test]
fn the_kubeconfig_leads_to_the_server() {
    let servers = [
        ApiServer::replay("steady"),
        ApiServer::replay("steady").https(),
        ApiServer::replay("steady").token("secret"),
        ApiServer::replay("steady").https().token("secret"),
        ApiServer::replay("steady").client_certificate(),
    ];
    for server in servers {
        let server = server.start();
        let names = run(async {
            let client = client(&server).await;
            assert_eq!(client.default_namespace(), "shop");
            let hpas: Api<HorizontalPodAutoscaler> = Api::default_namespaced(client);
            let hpas = hpas.list(&ListParams::default()).await.expect("a list");
            hpas.items.len()
        });
        assert_eq!(names, 10, "{}", server.url());
    }
}

#[test]
fn a_kubeconfig_is_changed_at_will() {
    let server = ApiServer::replay("steady").https().start();
    let file = server.kubeconfig_with(|document| {
        document["users"][0]["user"] = json!({"token": "another"});
    });
    let text = std::fs::read_to_string(&file).expect("a file");
    assert!(text.contains("another") && text.contains("certificate-authority-data"));
    assert_ne!(file, server.kubeconfig());
    let files = [
        server.ca_file(),
        server.client_files().0,
        server.client_files().1,
    ];
    for file in &files {
        let text = std::fs::read_to_string(file).expect("a file");
        assert!(text.starts_with("-----BEGIN "), "{}", file.display());
    }
    drop(server);
    assert!(!files[0].exists());
}

#[test]
fn the_date_is_that_of_the_recording() {
    let recorded: Timestamp = "2026-11-20T08:02:21Z".parse().expect("a time");
    let another: Timestamp = "2031-01-01T00:00:00Z".parse().expect("a time");
    let table = [
        (ApiServer::replay("steady"), recorded),
        (ApiServer::replay("steady").at(another), another),
        (ApiServer::empty().at(Timestamp::now()), Timestamp::now()),
    ];
    for (server, start) in table {
        let server = server.start();
        let date = get(&server, "/version").header("date").to_owned();
        let date = DateTimeParser::new().parse_timestamp(&date).expect(&date);
        let passed = date.duration_since(start);
        // Dates come in whole seconds.
        let seconds = SignedDuration::from_secs;
        assert!((seconds(-1)..seconds(10)).contains(&passed), "{date}");
    }
}

/// The round trips of TCP and TLS 1.3 come before that of the request; on an
/// open connection there is only the last.
#[test]
fn a_distance_costs_its_round_trips() {
    let time = Duration::from_millis(200);
    let plain = ApiServer::replay("steady").round_trip(time).start();
    let secure = ApiServer::replay("steady").round_trip(time).https().start();
    for (server, trips) in [(&plain, 2), (&secure, 3)] {
        let start = Instant::now();
        let (opened, first, second) = run(async {
            let mut connection = Connection::open(server, &Options::default()).await?;
            let opened = start.elapsed();
            connection.send("GET", HPA, &[]).await?;
            let first = start.elapsed();
            connection.send("GET", HPA, &[]).await?;
            std::io::Result::Ok((opened, first, start.elapsed()))
        })
        .expect("answers");
        assert!(opened < time * trips, "{opened:?}");
        let between = |from: u32, took: Duration| time * from <= took && took < time * (from + 1);
        assert!(between(trips, first), "{} {first:?}", server.url());
        assert!(between(1, second.saturating_sub(first)), "{second:?}");
    }
}

#[test]
fn the_log_tells_of_each_request() {
    let server = ApiServer::replay("steady").https().start();
    let headers = [
        ("user-agent", "test/1"),
        ("impersonate-user", "jane"),
        ("impersonate-group", "dev"),
    ];
    get_with(&server, &format!("{HPA}?timeout=5s"), &headers);
    get(&server, "/nothing");
    let log = server.log();
    assert_eq!(log.len(), 2);
    let first = &log[0];
    assert_eq!(first.method, "GET");
    assert_eq!(first.target, format!("{HPA}?timeout=5s"));
    assert_eq!(first.path(), HPA);
    for (name, value) in headers {
        assert_eq!(first.header(name), value);
    }
    assert_eq!(first.header("authorization"), "");
    assert_eq!([first.status, log[1].status], [200, 404]);
    assert_eq!([first.connection, log[1].connection], [0, 1]);
    assert!(first.ended.expect("it ended") >= first.started);
    server.forget_log();
    assert!(server.log().is_empty());
}

/// Requests that do not wait for each other are of one stage.
#[test]
fn stages_are_told_apart() {
    let server = ApiServer::replay("steady").https().start();
    server.fault("/", Fault::Latency(Duration::from_millis(100)));
    run(async {
        let options = Options::default();
        let mut one = Connection::open(&server, &options).await?;
        let mut two = Connection::open(&server, &options).await?;
        one.send("GET", "/version", &[]).await?;
        let (first, second) = tokio::join!(one.send("GET", HPA, &[]), two.send("GET", HPA, &[]));
        first.and(second)?;
        two.send("GET", "/apis", &[]).await
    })
    .expect("answers");
    let of = |number: fn(&Entry) -> usize| server.log().iter().map(number).collect::<Vec<_>>();
    assert_eq!(of(|entry| entry.stage), [1, 2, 2, 3]);
    assert_eq!(of(|entry| entry.in_flight), [1, 1, 2, 1]);
}

/// Who acts for another is refused in the other's name.
#[test]
fn the_impersonated_user_is_named() {
    let server = ApiServer::replay("forbidden").start();
    let path = "/api/v1/namespaces/shop/pods?labelSelector=app%3Dweb";
    for user in ["jane", "joe"] {
        let got = get_with(&server, path, &[("impersonate-user", user)]);
        assert!(got.text().contains(&format!("User \\\"{user}\\\" cannot")));
    }
}

#[test]
fn a_stopped_server_refuses() {
    let server = ApiServer::replay("steady").start();
    let address = server.address();
    let broken = run(async {
        let mut connection = Connection::open(&server, &Options::default()).await?;
        connection.send("GET", HPA, &[]).await?;
        server.stop();
        connection.send("GET", HPA, &[]).await
    });
    assert!(broken.is_err());
    let refused = run(TcpStream::connect(address)).expect_err("nobody there");
    assert_eq!(refused.kind(), ErrorKind::ConnectionRefused);
    assert!(server.kubeconfig().exists());
    server.stop();
}

#[test]
fn writing_is_not_allowed() {
    let server = ApiServer::replay("steady").tolerating_writes().start();
    assert_eq!(post(&server), 405);
}

#[test]
#[should_panic(expected = "horizontalpodautoscalers/web")]
fn writing_fails_the_test() {
    let server = ApiServer::replay("steady").start();
    post(&server);
}

fn post(server: &ApiServer) -> u16 {
    let got = run(async {
        let mut connection = Connection::open(server, &Options::default()).await?;
        connection.send("POST", HPA, &[]).await
    });
    got.expect("an answer").status
}

/// What kubectl makes of the server keeps it honest.
#[test]
#[ignore = "needs kubectl"]
fn kubectl_reads_from_it() {
    let server = ApiServer::replay("steady").https().start();
    let run = |arguments: &[&str]| {
        let output = Command::new("kubectl")
            .arg("--kubeconfig")
            .arg(server.kubeconfig())
            .arg("--cache-dir")
            .arg(server.kubeconfig().with_extension("cache"))
            .args(["--request-timeout", "10s"])
            .args(arguments)
            .output()
            .expect("kubectl");
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        (
            output.status.code(),
            text,
            String::from_utf8_lossy(&output.stderr).into_owned(),
        )
    };
    let (code, text, failure) = run(&["get", "hpa", "-o", "name"]);
    assert_eq!(code, Some(0), "{failure}");
    assert_eq!(text.lines().count(), 10);
    assert!(text.contains("horizontalpodautoscaler.autoscaling/keda-hpa-worker\n"));
    let (code, text, failure) = run(&["describe", "hpa", "web"]);
    assert_eq!(code, Some(0), "{failure}");
    assert!(text.contains("TooManyReplicas"), "{text}");
    let (code, text, failure) = run(&["get", "pods", "--chunk-size=10", "-o", "name"]);
    assert_eq!((code, text.lines().count()), (Some(0), 34), "{failure}");
    let (code, _, failure) = run(&["get", "hpa", "nobody"]);
    let words = "Error from server (NotFound): horizontalpodautoscalers.autoscaling \"nobody\" \
                 not found\n";
    assert_eq!((code, failure.as_str()), (Some(1), words));
}

fn request(server: &ApiServer, options: &Options) -> Result<u16, String> {
    let got = answer(server, options);
    got.map(|got| got.status).map_err(|error| error.to_string())
}

fn answer(server: &ApiServer, options: &Options) -> std::io::Result<Got> {
    run(async {
        let mut connection = Connection::open(server, options).await?;
        connection.send("GET", HPA, &[]).await
    })
}
