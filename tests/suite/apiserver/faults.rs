//! Each fault is seen by a client, and gone once it is lifted.

use std::io::Read;
use std::time::{Duration, Instant};

use flate2::read::GzDecoder;
use http_body_util::BodyExt;
use serde_json::json;

use crate::apiserver::client::{Connection, Got, Options, get, get_with, run};
use crate::support::apiserver::{ApiServer, Fault};

const HPA: &str = "/apis/autoscaling/v2/namespaces/shop/horizontalpodautoscalers/web";
const USAGE: &str = "/apis/metrics.k8s.io/v1beta1/namespaces/shop/pods?labelSelector=app%3Dweb";

/// The failures that are answered with: a status, words of the body, and
/// whether these are a Status. Elsewhere all goes on as before.
#[test]
fn failures_are_answered_and_lifted() {
    #[rustfmt::skip] // one fault a line
    let table = [
        (Fault::Status(401), 401, "Unauthorized", true),
        (Fault::Status(403), 403, "pods.metrics.k8s.io is forbidden: User \"viewer\" cannot list resource \"pods\" in API group \"metrics.k8s.io\" in the namespace \"shop\"", true),
        (Fault::Status(404), 404, "404 page not found\n", false),
        (Fault::Status(405), 405, "the server does not allow this method on the requested resource", true),
        (Fault::Status(429), 429, "Too many requests, please try again later.\n", false),
        (Fault::Status(500), 500, "Internal error occurred: etcdserver: request timed out", true),
        (Fault::Status(503), 503, "the server is currently unable to handle the request", true),
        (Fault::Status(504), 504, "Timeout: request did not complete within the allotted timeout", true),
        (Fault::Text(404), 404, "404 page not found\n", false),
        (Fault::Text(500), 500, "Internal Server Error\n", false),
        (Fault::Text(503), 503, "service unavailable\n", false),
        (Fault::MissingGroup, 404, "404 page not found\n", false),
        (Fault::TooManyRequests { times: 9, retry_after: 2 }, 429, "Too many requests, please try again later.\n", false),
    ];
    for https in [false, true] {
        let server = ApiServer::replay("steady");
        let server = if https { server.https() } else { server }.start();
        let fine = get(&server, USAGE).body;
        let hpa = get(&server, HPA).body;
        for (fault, status, words, is_status) in &table {
            let id = server.fault("/apis/metrics.k8s.io", fault.clone());
            let got = get(&server, USAGE);
            assert_eq!(got.status, *status, "{fault:?}");
            if *is_status {
                let body = got.json();
                assert_eq!(body["message"], *words, "{fault:?}");
                let kind = (&body["kind"], &body["status"], &body["code"]);
                assert_eq!(kind, (&json!("Status"), &json!("Failure"), &json!(status)));
            } else {
                assert_eq!(got.text(), *words, "{fault:?}");
                assert_eq!(got.header("content-type"), "text/plain; charset=utf-8");
            }
            assert_eq!(get(&server, HPA).body, hpa, "{fault:?}");
            server.lift(id);
            assert_eq!(get(&server, USAGE).body, fine, "{fault:?}");
        }
    }
}

#[test]
fn too_many_requests_end() {
    let server = ApiServer::replay("steady").start();
    server.fault(
        "/",
        Fault::TooManyRequests {
            times: 2,
            retry_after: 3,
        },
    );
    let got = [(); 4].map(|()| get(&server, HPA));
    assert_eq!(got.each_ref().map(|got| got.status), [429, 429, 200, 200]);
    assert_eq!(got[0].header("retry-after"), "3");
    assert_eq!(got[2].header("retry-after"), "");
}

/// The prefix of a fault ends where a part of the path ends.
#[test]
fn a_fault_is_where_it_was_set() {
    let deployment = "/apis/apps/v1/namespaces/shop/deployments/web";
    let scale = &format!("{deployment}/scale");
    let other = "/apis/apps/v1/namespaces/shop/deployments/worker";
    let table = [
        ("/".to_owned(), [503; 3]),
        (deployment.to_owned(), [503, 503, 200]),
        (format!("{deployment}$"), [503, 200, 200]),
        (scale.clone(), [200, 503, 200]),
        (deployment.replace("web", "w"), [200; 3]),
        ("/api".to_owned(), [200; 3]),
        ("/apis/apps/v1/namespaces/shop".to_owned(), [503; 3]),
    ];
    let server = ApiServer::replay("steady").start();
    for (prefix, want) in table {
        server.fault(&prefix, Fault::Text(503));
        let got = [deployment, scale, other].map(|path| get(&server, path).status);
        assert_eq!(got, want, "{prefix}");
        server.lift_all();
    }
    // The one that was set last answers.
    server.fault(deployment, Fault::Status(403));
    let forbidden = server.fault(scale, Fault::Status(500));
    assert_eq!(
        [deployment, scale].map(|path| get(&server, path).status),
        [403, 500]
    );
    server.lift(forbidden);
    assert_eq!(get(&server, scale).status, 403);
}

#[test]
fn an_answer_takes_its_time() {
    let server = ApiServer::replay("steady").start();
    let time = Duration::from_millis(300);
    let id = server.fault(HPA, Fault::Latency(time));
    assert!(elapsed(|| get(&server, HPA)) >= time);
    server.lift(id);
    assert!(elapsed(|| get(&server, HPA)) < time);
}

fn elapsed(work: impl FnOnce() -> Got) -> Duration {
    let start = Instant::now();
    assert_eq!(work().status, 200);
    start.elapsed()
}

#[test]
fn a_body_is_cut_off() {
    for https in [false, true] {
        let server = ApiServer::replay("steady");
        let server = if https { server.https() } else { server }.start();
        let whole = get(&server, HPA);
        assert!(whole.complete);
        let id = server.fault(HPA, Fault::Truncated);
        let cut = get(&server, HPA);
        assert_eq!((cut.status, cut.complete), (200, false));
        assert_eq!(cut.header("content-length"), whole.body.len().to_string());
        assert_eq!(cut.body, whole.body[..whole.body.len() / 2]);
        server.lift(id);
        assert!(get(&server, HPA).complete);
    }
}

#[test]
fn a_body_never_ends() {
    let server = ApiServer::replay("steady").start();
    let whole = get(&server, "/version").body;
    server.fault("/version", Fault::Trickle(Duration::from_millis(1)));
    let start = run(async {
        let mut connection = Connection::open(&server, &Options::default()).await?;
        let response = connection.start("GET", "/version", &[]).await?;
        let mut body = response.into_body();
        let mut start = Vec::new();
        while start.len() < whole.len() + 10 {
            let frame = body.frame().await.expect("no end").expect("no error");
            start.extend(frame.into_data().expect("data"));
        }
        std::io::Result::Ok(start)
    });
    let start = start.expect("a body");
    assert_eq!(start[..whole.len()], whole);
    assert!(start[whole.len()..].iter().all(|byte| *byte == b' '));
    // The client gave up, and the log says when.
    let deadline = Instant::now() + Duration::from_secs(5);
    while server.log()[1].ended.is_none() {
        assert!(Instant::now() < deadline, "the body is still sent");
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn bodies_are_compressed_for_who_asks() {
    let server = ApiServer::replay("steady").start();
    let plain = get(&server, HPA);
    let asked = [("accept-encoding", "deflate, gzip;q=0.9")];
    assert_eq!(
        get_with(&server, HPA, &asked).header("content-encoding"),
        ""
    );
    server.fault("/", Fault::Gzip);
    assert_eq!(get(&server, HPA).body, plain.body);
    for _ in 0..2 {
        let got = get_with(&server, HPA, &asked);
        assert_eq!(got.header("content-encoding"), "gzip");
        assert!(got.body.len() < plain.body.len());
        let mut body = Vec::new();
        let mut decoder = GzDecoder::new(got.body.as_slice());
        decoder.read_to_end(&mut body).expect("gzip");
        assert_eq!(body, plain.body);
    }
}

#[test]
fn warnings_are_in_the_headers() {
    let server = ApiServer::replay("steady").start();
    assert_eq!(get(&server, HPA).header("warning"), "");
    server.fault(HPA, Fault::Warning("autoscaling/v2 is \"old\"".to_owned()));
    let got = get(&server, HPA);
    assert_eq!(
        got.header("warning"),
        "299 - \"autoscaling/v2 is \\\"old\\\"\""
    );
    assert_eq!(got.status, 200);
}

/// A group that is missing is missing everywhere.
#[test]
fn a_missing_group_is_not_discovered() {
    let server = ApiServer::replay("steady").start();
    let aggregated = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
    let named = || {
        let documents = ["application/json", aggregated].map(|accept| {
            let got = get_with(&server, "/apis", &[("accept", accept)]);
            got.text().matches("\"name\":\"metrics.k8s.io\"").count()
        });
        (documents, get(&server, "/apis/metrics.k8s.io").status)
    };
    assert_eq!(named(), ([1, 1], 200));
    let id = server.fault("/apis/metrics.k8s.io", Fault::MissingGroup);
    assert_eq!(named(), ([0, 0], 404));
    server.lift(id);
    assert_eq!(named(), ([1, 1], 200));
}
