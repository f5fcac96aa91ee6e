//! Each flag, by what the server sees of it and by what kubectl does.

use std::time::{Duration, Instant};

use hyper::Version;
use serde_json::{Value, json};

use crate::connection::steady;
use crate::connection::tool::{Beside, Ran, beside_kubectl, explain};
use crate::support::apiserver::{ApiServer, Entry, Fault};

/// The headers that say who asks and how.
const HEADERS: [&str; 6] = [
    "authorization",
    "impersonate-user",
    "impersonate-group",
    "impersonate-uid",
    "accept-encoding",
    "proxy-authorization",
];

/// All values of these headers, a line each.
fn said(entry: &Entry) -> Vec<String> {
    let said = HEADERS.iter().flat_map(|name| {
        let values = entry.headers.get_all(*name).iter();
        values.map(move |value| format!("{name}: {}", value.to_str().expect("text")))
    });
    said.collect()
}

/// Two contexts, clusters and users; the second cluster leads nowhere.
fn two_of_each(config: &mut Value) {
    let more = |list: &mut Value, item: Value| list.as_array_mut().expect("a list").push(item);
    more(
        &mut config["users"],
        json!({"name": "joe", "user": {"token": "joes"}}),
    );
    more(
        &mut config["clusters"],
        json!({"name": "gone", "cluster": {"server": "https://127.0.0.1:1"}}),
    );
    more(
        &mut config["contexts"],
        json!({"name": "joes", "context": {"cluster": "test", "user": "joe"}}),
    );
    more(
        &mut config["contexts"],
        json!({"name": "lost", "context": {"cluster": "gone", "user": "nobody"}}),
    );
}

fn the_server_sees_what_kubectl_shows_it(beside: Beside) {
    let server = steady().https().start();
    let kubeconfig = server.kubeconfig_with(two_of_each);
    let url = server.url();
    let viewer = "authorization: Bearer any";
    let joe = "authorization: Bearer joes";
    let gzip = "accept-encoding: gzip";
    let rows: [(&[&str], &[&str]); 23] = [
        (&[], &[viewer, gzip]),
        (&["--token", "flag"], &["authorization: Bearer flag", gzip]),
        (&["--token", ""], &[viewer, gzip]),
        (&["--context", "joes"], &[joe, gzip]),
        (&["--context", ""], &[viewer, gzip]),
        (&["--user", "joe"], &[joe, gzip]),
        (&["--context", "joes", "--user", "viewer"], &[viewer, gzip]),
        (&["--context", "joes", "--cluster", "test"], &[joe, gzip]),
        (&["--context", "lost", "--cluster", "test"], &[gzip]),
        (
            &["--context", "lost", "--cluster", "test", "--user", "joe"],
            &[joe, gzip],
        ),
        (
            &[
                "--cluster",
                "gone",
                "--server",
                &url,
                "--insecure-skip-tls-verify",
            ],
            &[viewer, gzip],
        ),
        (&["--as", "jane"], &[viewer, "impersonate-user: jane", gzip]),
        (
            &[
                "--as",
                "jane",
                "--as-group",
                "a",
                "--as-group",
                "b,c",
                "--as-uid",
                "7",
            ],
            &[
                viewer,
                "impersonate-user: jane",
                "impersonate-group: a",
                "impersonate-group: b,c",
                "impersonate-uid: 7",
                gzip,
            ],
        ),
        (&["--client-key", "/nowhere/key"], &[viewer, gzip]),
        (&["--disable-compression"], &[viewer]),
        (&["--disable-compression=true"], &[viewer]),
        (&["--disable-compression=false"], &[viewer, gzip]),
        (&["--insecure-skip-tls-verify=false"], &[viewer, gzip]),
        // The last of a repeated flag counts.
        (&["--context", "test", "--context", "joes"], &[joe, gzip]),
        (&["-n", "elsewhere", "-n", "shop"], &[viewer, gzip]),
        (
            &["--disable-compression", "--disable-compression=false"],
            &[viewer, gzip],
        ),
        (&["--request-timeout", "9"], &[viewer, gzip]),
        (&["--request-timeout", "0"], &[viewer, gzip]),
    ];
    for (arguments, want) in rows {
        server.forget_log();
        let what = format!("{arguments:?}");
        explain(&kubeconfig, arguments).explained(&what);
        let log = server.log();
        assert!(log.len() > 3, "{what}: {} requests", log.len());
        for entry in &log {
            assert_eq!(said(entry), want, "{what}: {}", entry.target);
            assert_eq!(entry.version, Version::HTTP_2, "{what}");
            assert_eq!(entry.header("accept"), "application/json", "{what}");
            let agent = entry.header("user-agent");
            assert!(agent.starts_with("kubectl-hpa-explain/"), "{what}: {agent}");
        }
        server.forget_log();
        if let Some(ran) = beside.kubectl(&kubeconfig, arguments, &[]) {
            as_kubectl(&server, &what, want, &ran);
        }
    }
}

beside_kubectl!(the_server_sees_what_kubectl_shows_it);

/// kubectl says the same of itself, and gets an answer.
fn as_kubectl(server: &ApiServer, what: &str, want: &[&str], ran: &Ran) {
    // It would ask a nobody for a name and a password.
    if want.iter().any(|line| line.starts_with("authorization")) {
        assert_eq!(ran.code, Some(0), "{what}: {}", ran.stderr);
        let log = server.log();
        let last = log.last().expect("a request");
        assert_eq!(said(last), want, "kubectl {what}");
    }
}

#[test]
fn a_namespace_is_the_flags_or_the_contexts() {
    let server = steady().https().start();
    let kubeconfig = server.kubeconfig_with(|config| {
        config["contexts"][0]["context"]["namespace"] = json!("elsewhere");
    });
    let without = server.kubeconfig_with(|config| {
        config["contexts"][0]["context"]["namespace"] = json!("");
    });
    let rows = [
        (&kubeconfig, vec!["web"], "elsewhere"),
        (&kubeconfig, vec!["web", "-n", ""], "elsewhere"),
        (&without, vec!["web", "--namespace="], "default"),
        (&kubeconfig, vec!["web", "-n", "shop"], "shop"),
        (&kubeconfig, vec!["web", "--namespace=shop"], "shop"),
        (&without, vec!["web"], "default"),
    ];
    for (kubeconfig, mut arguments, namespace) in rows {
        server.forget_log();
        arguments.extend(["--kubeconfig", kubeconfig.to_str().expect("a path")]);
        let arguments: Vec<_> = arguments.iter().map(std::ffi::OsStr::new).collect();
        let ran = crate::connection::tool::run(&arguments, &[]);
        let path =
            format!("/apis/autoscaling/v2/namespaces/{namespace}/horizontalpodautoscalers/web");
        let log = server.log();
        assert!(
            log.iter().any(|entry| entry.path() == path),
            "{arguments:?}: {}",
            ran.stderr
        );
    }
}

fn the_servers_certificate_is_checked_as_asked(beside: Beside) {
    let server = steady().https_for(&["api.example"]).start();
    let local = steady().https().start();
    let bare = |server: &ApiServer| {
        server.kubeconfig_with(|config| {
            config["clusters"][0]["cluster"] = json!({"server": server.url()});
        })
    };
    let (ca, other) = (local.ca_file(), server.ca_file());
    let (ca, other) = (
        ca.to_str().expect("a path"),
        other.to_str().expect("a path"),
    );
    let rows: [(&ApiServer, bool, &[&str], i32); 13] = [
        // Server, whether the kubeconfig knows its authority, flags, exit code.
        (&local, true, &[], 0),
        (&local, false, &[], 1),
        (&local, false, &["--certificate-authority", ca], 0),
        (&local, true, &["--certificate-authority", other], 1),
        (&local, false, &["--insecure-skip-tls-verify"], 0),
        (&local, true, &["--insecure-skip-tls-verify"], 0),
        (&local, false, &["--insecure-skip-tls-verify=true"], 0),
        (&local, false, &["--insecure-skip-tls-verify=false"], 1),
        (&server, true, &[], 1),
        (&server, true, &["--tls-server-name", "api.example"], 0),
        (&server, true, &["--tls-server-name", "other.example"], 1),
        (&server, true, &["--insecure-skip-tls-verify"], 0),
        (&local, true, &["--tls-server-name", "localhost"], 0),
    ];
    for (server, knows, flags, code) in rows {
        let kubeconfig = if knows {
            server.kubeconfig()
        } else {
            bare(server)
        };
        let ran = explain(&kubeconfig, flags);
        assert_eq!(ran.code, Some(code), "{flags:?}: {}", ran.stderr);
        if let Some(ran) = beside.kubectl(&kubeconfig, flags, &[]) {
            assert_eq!(ran.code, Some(code), "kubectl {flags:?}: {}", ran.stderr);
        }
    }
}

beside_kubectl!(the_servers_certificate_is_checked_as_asked);

#[test]
fn a_client_certificate_is_shown() {
    let server = steady().client_certificate().start();
    let (certificate, key) = server.client_files();
    let (certificate, key) = (
        certificate.to_str().expect("a path"),
        key.to_str().expect("a path"),
    );
    explain(&server.kubeconfig(), &[]).explained("the kubeconfig's data");
    let nobody = server.kubeconfig_with(|config| config["users"][0]["user"] = json!({}));
    explain(
        &nobody,
        &["--client-certificate", certificate, "--client-key", key],
    )
    .explained("the flags' files");
    let of_files = server.kubeconfig_with(|config| {
        config["users"][0]["user"] = json!({
            "client-certificate": certificate,
            "client-key": key,
        });
    });
    explain(&of_files, &[]).explained("the kubeconfig's files");
    explain(&nobody, &[]).failed("nobody", "(Unauthorized)", "log in again");
}

#[test]
fn an_answer_may_be_compressed() {
    let server = steady().https().start();
    server.fault("/", Fault::Gzip);
    let kubeconfig = server.kubeconfig();
    explain(&kubeconfig, &[]).explained("gzip");
    explain(&kubeconfig, &["--disable-compression"]).explained("plain");
    let in_file = server.kubeconfig_with(|config| {
        config["clusters"][0]["cluster"]["disable-compression"] = json!(true);
    });
    server.forget_log();
    explain(&in_file, &[]).explained("plain by the file");
    assert!(
        server
            .log()
            .iter()
            .all(|entry| entry.header("accept-encoding").is_empty())
    );
}

#[test]
fn a_request_has_its_time() {
    let server = steady().https().start();
    server.fault("/", Fault::Latency(Duration::from_secs(60)));
    for time in ["1", "1s", "1000ms", "0m1s"] {
        let started = Instant::now();
        let ran = explain(&server.kubeconfig(), &["--request-timeout", time]);
        ran.failed(time, "did not answer within 1s", "--request-timeout");
        assert!(started.elapsed() < Duration::from_secs(30), "{time}");
    }
    for wrong in ["soon", "1 s", "1x", ""] {
        let ran = explain(&server.kubeconfig(), &["--request-timeout", wrong]);
        assert_eq!(ran.code, Some(2), "{wrong}: {}", ran.stderr);
        assert!(
            ran.stderr.contains("such as 5s or 1m30s"),
            "{wrong}: {}",
            ran.stderr
        );
    }
}

/// As kubectl, no secret travels without TLS.
fn plain_http_carries_no_secret(beside: Beside) {
    let server = steady().start();
    let basic = server.kubeconfig_with(|config| {
        config["users"][0]["user"] = json!({"username": "u", "password": "p"});
    });
    let rows: [(_, &[&str], &[&str]); 4] = [
        (server.kubeconfig(), &[], &["accept-encoding: gzip"]),
        (
            server.kubeconfig(),
            &["--token", "flag"],
            &["accept-encoding: gzip"],
        ),
        (basic, &[], &["accept-encoding: gzip"]),
        (
            server.kubeconfig(),
            &["--as", "jane"],
            &["impersonate-user: jane", "accept-encoding: gzip"],
        ),
    ];
    for (kubeconfig, arguments, want) in rows {
        server.forget_log();
        explain(&kubeconfig, arguments).explained(&format!("{arguments:?}"));
        assert!(
            server.log().iter().all(|entry| said(entry) == want),
            "{arguments:?}"
        );
        server.forget_log();
        if beside.kubectl(&kubeconfig, arguments, &[]).is_some() {
            assert_eq!(said(&server.log()[0]), want, "kubectl {arguments:?}");
        }
    }
}

beside_kubectl!(plain_http_carries_no_secret);

#[test]
fn a_server_may_be_named_in_short() {
    let server = steady().start();
    let address = server.address().to_string();
    let port = server.address().port();
    for name in [
        &address,
        &format!("localhost:{port}"),
        &format!("http://{address}/"),
    ] {
        explain(&server.kubeconfig(), &["-s", name]).explained(name);
    }
}

#[test]
fn a_warning_is_said_once() {
    let server = steady().https().start();
    server.fault("/", Fault::Warning("web is \"old\"".to_owned()));
    server.fault("/api", Fault::Warning("so are pods".to_owned()));
    let ran = explain(&server.kubeconfig(), &[]);
    assert_eq!(ran.code, Some(0));
    let mut lines: Vec<&str> = ran.stderr.lines().collect();
    lines.sort_unstable();
    assert_eq!(lines, ["Warning: so are pods", "Warning: web is \"old\""]);
}

/// Somebody who looks is told what is waited for; a file is not.
#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "needs util-linux's script")]
fn a_long_wait_is_said_on_a_terminal_alone() {
    let server = steady().https().start();
    let kubeconfig = server.kubeconfig();
    let notice = "waiting for the API server ...";
    let fault = server.fault("/", Fault::Latency(Duration::from_millis(1_500)));
    explain(&kubeconfig, &[]).explained("no terminal");
    let screen = crate::connection::tool::on_a_terminal(&kubeconfig);
    let screen = screen.trim_start_matches('\r');
    // Written over before anything else is said.
    let blank = " ".repeat(notice.len());
    let said = format!("{notice}\r{blank}\r");
    assert!(screen.starts_with(&said), "{screen:?}");
    assert!(screen[said.len()..].starts_with("shop/web  "), "{screen:?}");
    assert_eq!(screen.matches(notice).count(), 1, "{screen:?}");
    server.lift(fault);
}
