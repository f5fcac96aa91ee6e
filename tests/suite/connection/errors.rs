//! What failures read like: kubectl's sentences, each with a next step.

use std::ffi::OsStr;
use std::fs;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::path::Path;
use std::thread;

use serde_json::{Value, json};

use crate::connection::steady;
use crate::connection::tool::{Beside, beside_kubectl, explain, run};
use crate::support::apiserver::{ApiServer, Certificate, Fault};

/// A kubeconfig, flags, what is said and the next step.
type Row<'a> = (&'a Path, &'a [&'a str], &'a str, &'a str);

/// Nothing is asked of the server, and no secret is told.
fn check(server: &ApiServer, rows: &[Row]) {
    for (kubeconfig, arguments, sentence, hint) in rows {
        let what = format!("{} {arguments:?} {sentence}", kubeconfig.display());
        let ran = explain(kubeconfig, arguments);
        ran.failed(&what, sentence, hint);
        assert!(!ran.stderr.contains("my-secret"), "{what}: {}", ran.stderr);
    }
    assert!(server.log().is_empty());
}

#[test]
#[rustfmt::skip] // one row a line
fn a_file_that_is_no_kubeconfig_says_where() {
    let server = steady().https().start();
    let folder = tempfile::tempdir().expect("a folder");
    let file = |name: &str, content: &[u8]| {
        let path = folder.path().join(name);
        fs::write(&path, content).expect("a file");
        path
    };
    let broken = file("broken", b"users:\n- name: a\n  user: {token: my-secret\nx: [");
    let wrong = file("wrong", b"users:\n- name: a\n  user: my-secret\n");
    let empty = file("empty", b"");
    let binary = file("binary", b"\xff\xffmy-secret\xc0");
    let view = "kubectl config view";
    let rows: [Row; 7] = [
        (Path::new("/nowhere/config"), &[], "error: kubeconfig /nowhere/config: no such file", "correct the path"),
        (folder.path(), &[], ": it is a directory, not a file", view),
        (&broken, &[], "error: kubeconfig ", view),
        (&broken, &[], "broken:4:2: this cannot be read as YAML: ", view),
        (&wrong, &[], "wrong:3:3: users[0].user must be an object, not a string", view),
        (&binary, &[], "binary: not UTF-8 text at line 1 column 1", "if it is Latin-1"),
        (&empty, &[], "empty: it is empty", "--kubeconfig or KUBECONFIG"),
    ];
    check(&server, &rows);
    let ran = run(&["web"].map(OsStr::new), &[("KUBECONFIG", "/nowhere/a:/nowhere/b")]);
    let sought = "no configuration has been provided: no kubeconfig file was found at /nowhere/a, /nowhere/b";
    ran.failed("nothing", sought, "KUBECONFIG");
}

#[test]
#[rustfmt::skip] // one row a line
fn a_kubeconfig_that_cannot_be_used_says_why() {
    let server = steady().https().start();
    let user = |user| server.kubeconfig_with(|config| config["users"][0]["user"] = user);
    let cluster = |key: &str, value: &str| {
        server.kubeconfig_with(|config| config["clusters"][0]["cluster"][key] = json!(value))
    };
    let pair = |text: &str| user(json!({"client-certificate-data": text, "client-key-data": text}));
    let no_file = user(json!({"tokenFile": "/nowhere/token"}));
    let no_key = user(json!({"client-certificate-data": "bXktc2VjcmV0"}));
    let no_pem = pair("bXktc2VjcmV0");
    let no_base64 = pair("my-secret!");
    let bad_token = user(json!({"token": "my-secret\u{7}"}));
    let no_server = cluster("server", "https://[my");
    let misspelt = |place: &str, right: &str, wrong: &str| {
        server.kubeconfig_with(|config| {
            let object = config.pointer_mut(place).and_then(Value::as_object_mut).expect(place);
            let value = object.remove(right).expect(right);
            object.insert(wrong.to_owned(), value);
        })
    };
    let no_address = misspelt("/clusters/0/cluster", "server", "sever");
    let no_cluster = misspelt("/clusters/0", "cluster", "cluser");
    let no_contexts = misspelt("", "contexts", "contexs");
    let no_context = misspelt("/contexts/0", "context", "contxt");
    let no_current = misspelt("", "current-context", "curent-context");
    let no_user = misspelt("/users/0", "user", "usr");
    let bad_ca = cluster("certificate-authority-data", "bm8gY2VydGlmaWNhdGU=");
    let basic = user(json!({"username": "u", "password": "my-secret"}));
    let provider = |name: &str| user(json!({"auth-provider": {"name": name, "config": {}}}));
    let (gcp, azure, other) = (provider("gcp"), provider("azure"), provider("openstack"));
    let certificates = "certificates and the key";
    let view = "kubectl config view --kubeconfig";
    let rows: [Row; 17] = [
        (&gcp, &[], "user \"viewer\": auth-provider \"gcp\" was removed from kubectl in 1.26", "gke-gcloud-auth-plugin"),
        (&azure, &[], "user \"viewer\": auth-provider \"azure\" was removed from kubectl in 1.26", "kubelogin"),
        (&other, &[], "user \"viewer\": no auth-provider found for name \"openstack\"", "exec plugin"),
        (&no_file, &[], "user \"viewer\": unable to read tokenFile /nowhere/token: no such file", "kubectl config view"),
        (&no_key, &[], "error: unable to load certificates: ", certificates),
        (&no_pem, &[], "error: unable to load certificates: ", certificates),
        (&no_base64, &[], "error: unable to load certificates: failed to decode base64 data", certificates),
        (&bad_token, &[], "error: the token holds what no header can", "where the token comes from"),
        (&bad_ca, &[], "error: unable to load root certificates: no certificate", "certificate-authority"),
        (&no_server, &[], "error: host must be a URL or a host:port pair", "--server takes a URL"),
        (&no_address, &[], ":7:9: unknown field `sever`; did you mean `server`?", view),
        (&no_cluster, &[], ":5:7: unknown field `cluser`; did you mean `cluster`?", view),
        (&no_contexts, &[], ": unknown field `contexs`; did you mean `contexts`?", view),
        (&no_context, &[], ": unknown field `contxt`; did you mean `context`?", view),
        (&no_current, &[], ": unknown field `curent-context`; did you mean `current-context`?", view),
        (&no_user, &["--user", "viewer"], ": unknown field `usr`; did you mean `user`?", view),
        (&basic, &["--token", "my-secret"], "error: more than one authentication method found", "--token"),
    ];
    check(&server, &rows);
}

#[test]
#[rustfmt::skip] // one row a line
fn flags_that_cannot_be_used_say_why() {
    let server = steady().https().start();
    let good = server.kubeconfig();
    let view = "kubectl config view";
    let rows: [Row; 12] = [
        (&good, &["--context", "nosuch"], "error: context \"nosuch\" does not exist", "hint: --context takes one of these: test"),
        (&good, &["--cluster", "nosuch"], "error: cluster \"nosuch\" does not exist", "get-clusters"),
        (&good, &["--user", "nosuch"], "error: auth info \"nosuch\" does not exist", "get-users"),
        (&good, &["--certificate-authority", "/nowhere/ca", "--insecure-skip-tls-verify"], "error: specifying a root certificates file with the insecure flag is not allowed", "give either"),
        (&good, &["--certificate-authority", "/nowhere/ca"], "error: unable to read certificate-authority /nowhere/ca: no such file", view),
        (&good, &["--client-certificate", "/nowhere/crt", "--client-key", "/nowhere/key"], "error: unable to read client-certificate /nowhere/crt: no such file", view),
        (&good, &["-s", "https://u:my-secret@a b"], "error: host must be a URL or a host:port pair: \"a b\"", "--server takes a URL"),
        (&good, &["-s", "https://127.0.0.1:port"], "error: host must be a URL or a host:port pair", "--server takes a URL"),
        (&good, &["-s", "ftp://127.0.0.1"], "error: host must be a URL or a host:port pair", "--server takes a URL"),
        (&good, &["--as-group", "a"], "error: requesting uid, groups or user-extra without impersonating a user", "--as"),
        (&good, &["--as", "a\u{7}"], "error: unable to say who you are: ", "check --as"),
        (&good, &["--tls-server-name", "a b"], "\"a b\" is not a valid name", "--tls-server-name takes"),
    ];
    check(&server, &rows);
}

fn a_server_that_cannot_be_reached_says_why(beside: Beside) {
    let server = steady().https().start();
    let plain = steady().start();
    let elsewhere = steady().https_for(&["api.example"]).start();
    let of = |certificate| steady().certificate(certificate).start();
    let expired = of(Certificate::Expired);
    let early = of(Certificate::NotYetValid);
    let authority = of(Certificate::Authority);
    let url = |server: &ApiServer, scheme| format!("{scheme}://{}", server.address());
    let unknown = server.kubeconfig_with(|config| {
        config["clusters"][0]["cluster"] = json!({"server": server.url()});
    });
    let silent = silent();
    let babbling = babbling();
    let x509 = "Unable to connect to the server: failed to verify certificate: x509: ";
    let rows = [
        (
            server.kubeconfig(),
            "https://127.0.0.1:1".to_owned(),
            "The connection to the server 127.0.0.1:1 was refused - did you specify the right host or port?".to_owned(),
            "-s takes another server",
        ),
        (
            server.kubeconfig(),
            "https://api.invalid:6443".to_owned(),
            "Unable to connect to the server: lookup api.invalid: no such host".to_owned(),
            "check the server's name",
        ),
        (unknown, String::new(), format!("{x509}certificate signed by unknown authority"), "--certificate-authority"),
        (
            elsewhere.kubeconfig(),
            String::new(),
            format!("{x509}certificate is valid for api.example, not 127.0.0.1"),
            "--tls-server-name",
        ),
        (expired.kubeconfig(), String::new(), format!("{x509}certificate has expired"), "clock"),
        (early.kubeconfig(), String::new(), format!("{x509}certificate is not yet valid"), "clock"),
        (
            authority.kubeconfig(),
            String::new(),
            format!("{x509}the server presents a CA certificate"),
            "--insecure-skip-tls-verify",
        ),
        (
            server.kubeconfig(),
            url(&plain, "https"),
            format!("{} does not speak TLS", plain.address()),
            "http://",
        ),
        (
            server.kubeconfig(),
            url(&server, "http"),
            "Unable to connect to the server: ".to_owned(),
            "https://",
        ),
        (
            server.kubeconfig(),
            format!("http://{silent}"),
            "Unable to connect to the server: ".to_owned(),
            "check the connection",
        ),
        (
            server.kubeconfig(),
            format!("http://{babbling}"),
            format!("{babbling} gives no HTTP answer"),
            "https://",
        ),
    ];
    let ran = explain(
        &server.kubeconfig(),
        &["--tls-server-name", "other.example"],
    );
    let sentence =
        format!("{x509}certificate is valid for 127.0.0.1, localhost, not other.example");
    ran.failed("another name", &sentence, "--tls-server-name");
    for (kubeconfig, url, sentence, hint) in &rows {
        let flags = ["-s", url];
        let flags = if url.is_empty() { &[] } else { &flags[..] };
        let what = format!("{url} {sentence}");
        explain(kubeconfig, flags).failed(&what, sentence, hint);
        // kubectl takes an authority's certificate for the server's own.
        let accepted = sentence.contains("a CA certificate");
        if url.starts_with("http://") {
            // It goes on trying for half a minute.
            continue;
        }
        if let Some(ran) = beside.kubectl(kubeconfig, flags, &[]) {
            assert_eq!(
                ran.code,
                Some(i32::from(!accepted)),
                "kubectl {what}: {}",
                ran.stderr
            );
        }
    }
    assert_eq!(rows.len(), 11);
}

beside_kubectl!(a_server_that_cannot_be_reached_says_why);

/// Hangs up as soon as it is asked something.
fn silent() -> String {
    answering(b"")
}

/// Answers in no protocol that anybody speaks.
fn babbling() -> String {
    answering(b"220 welcome to the mail\r\n")
}

fn answering(words: &'static [u8]) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = listener.local_addr().expect("an address");
    thread::spawn(move || {
        while let Ok((mut stream, _)) = listener.accept() {
            let mut asked = [0; 4096];
            // Whoever is gone needs no answer.
            let _ = stream
                .read(&mut asked)
                .and_then(|_| stream.write_all(words));
        }
    });
    address.to_string()
}

#[test]
fn a_refusal_reads_like_kubectls() {
    let server = steady().https().token("secret").start();
    let kubeconfig = server.kubeconfig();
    let hpa = "/apis/autoscaling/v2/namespaces/shop/horizontalpodautoscalers/web";
    let rows = [
        (
            401,
            "error: You must be logged in to the server (Unauthorized)",
            "log in again",
        ),
        (
            403,
            "Error from server (Forbidden): horizontalpodautoscalers.autoscaling \"web\" is forbidden",
            "ask for the right to get horizontalpodautoscalers in namespace shop; `kubectl hpa-explain rbac -n shop` prints the role",
        ),
        (
            404,
            "Error from server (NotFound): ",
            "kubectl get hpa -n shop",
        ),
        (405, "Error from server (MethodNotAllowed): ", "try again"),
        // No code says it, the Status does.
        (410, "Error from server (Expired): ", "try again"),
        (500, "Error from server (InternalError): ", "try again"),
        (503, "Error from server (ServiceUnavailable): ", "try again"),
    ];
    for (code, sentence, hint) in rows {
        let fault = server.fault(hpa, Fault::Status(code));
        explain(&kubeconfig, &[]).failed(&code.to_string(), sentence, hint);
        server.lift(fault);
    }
    let in_text = [
        (400, "Error from server (BadRequest): "),
        (409, "Error from server (Conflict): "),
        (422, "Error from server (Invalid): "),
        (502, "Error from server (InternalError): "),
        (
            418,
            "Error from server: the server responded with the status code 418",
        ),
    ];
    for (code, sentence) in in_text {
        let fault = server.fault(hpa, Fault::Text(code));
        explain(&kubeconfig, &[]).failed(&code.to_string(), sentence, "try again");
        server.lift(fault);
    }
    explain(&kubeconfig, &["--token", "expired"]).failed(
        "an expired token",
        "error: You must be logged in to the server (Unauthorized)",
        "log in again",
    );
    server.require_token("newer");
    let ran = explain(&kubeconfig, &[]);
    assert_eq!(ran.code, Some(1));
    assert!(!ran.stderr.contains("secret"), "{}", ran.stderr);
}

/// A list takes another right than an object.
#[test]
fn a_forbidden_list_names_the_right_to_list() {
    let server = steady().https().start();
    let kubeconfig = server.kubeconfig();
    let rows: [(&[&str], &str, &str); 2] = [
        (
            &["capture", "-n", "shop", "-o", "yaml"],
            "/apis/autoscaling/v2/namespaces/shop/horizontalpodautoscalers",
            "hint: ask for the right to list horizontalpodautoscalers in namespace shop; `kubectl hpa-explain rbac -n shop` prints the role",
        ),
        (
            &["capture", "-A", "-o", "yaml"],
            "/apis/autoscaling/v2/horizontalpodautoscalers",
            "hint: ask for the right to list horizontalpodautoscalers in all namespaces; `kubectl hpa-explain rbac -A` prints the role",
        ),
    ];
    for (arguments, path, hint) in rows {
        let fault = server.fault(path, Fault::Status(403));
        let mut arguments: Vec<&OsStr> = arguments.iter().map(OsStr::new).collect();
        arguments.extend([OsStr::new("--kubeconfig"), kubeconfig.as_os_str()]);
        let ran = run(&arguments, &[]);
        ran.failed(path, "Error from server (Forbidden): ", hint);
        server.lift(fault);
        assert_eq!(run(&arguments, &[]).code, Some(0), "{path}");
    }
}

#[test]
fn what_is_no_name_is_said_before_anything_is_asked() {
    let server = steady().https().start();
    let kubeconfig = server.kubeconfig();
    let mut refused = 0;
    for name in ["", "hpa/", "/web", "a/b/c"] {
        for command in [&[][..], &["capture", "-o", "yaml"]] {
            let mut arguments: Vec<&OsStr> = command.iter().map(OsStr::new).collect();
            arguments.extend([name, "-n", "shop", "--kubeconfig"].map(OsStr::new));
            arguments.push(kubeconfig.as_os_str());
            let ran = run(&arguments, &[]);
            assert_eq!(ran.code, Some(2), "{name:?}: {}", ran.stderr);
            assert!(
                ran.stderr.contains("TYPE/NAME of a target"),
                "{name:?}: {}",
                ran.stderr
            );
            refused += 1;
        }
    }
    assert_eq!(refused, 8);
    assert!(server.log().is_empty());
}
