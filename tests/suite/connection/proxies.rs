//! Through proxies, and past them.

use serde_json::json;

use crate::connection::steady;
use crate::connection::tool::{Beside, beside_kubectl, explain, explain_with};
use crate::support::apiserver::ApiServer;
use crate::support::proxy::{Manner, Proxy};

/// A server whose name only a proxy knows.
fn hidden_server() -> ApiServer {
    let names = ["api.test", "127.0.0.1", "localhost"];
    steady().https_for(&names).token("secret").start()
}

#[test]
fn every_kind_of_proxy_leads_to_the_server() {
    let server = hidden_server();
    let (address, tls) = (server.address(), server.tls());
    let port = address.port();
    let connect = format!("CONNECT api.test:{port}");
    let socks = format!("SOCKS api.test:{port}");
    // The proxy, its URL up to the address, what it was asked for.
    let rows = [
        (
            Proxy::http(address, Manner::Open, None),
            "http://",
            &connect,
        ),
        (
            Proxy::http(address, Manner::Login, None),
            "http://user:p%40ss@",
            &connect,
        ),
        (
            Proxy::http(address, Manner::Open, Some(tls.clone())),
            "https://",
            &connect,
        ),
        (
            Proxy::http(address, Manner::Login, Some(tls)),
            "https://user:p%40ss@",
            &connect,
        ),
        (Proxy::socks(address, Manner::Open), "socks5://", &socks),
        (Proxy::socks(address, Manner::Open), "socks5h://", &socks),
        (
            Proxy::socks(address, Manner::Login),
            "socks5://user:p%40ss@",
            &socks,
        ),
    ];
    for (proxy, scheme, want) in &rows {
        let url = format!("{scheme}{}", proxy.address);
        let api = format!("https://api.test:{port}");
        let by_variable = server.kubeconfig_with(|config| {
            config["clusters"][0]["cluster"]["server"] = json!(api);
        });
        let by_file = server.kubeconfig_with(|config| {
            config["clusters"][0]["cluster"]["server"] = json!(api);
            config["clusters"][0]["cluster"]["proxy-url"] = json!(url);
        });
        server.forget_log();
        explain_with(&by_variable, &[], &[("HTTPS_PROXY", &url)]).explained(&url);
        explain_with(&by_file, &[], &[("NO_PROXY", "*")]).explained(&url);
        // Tunnels, with HTTP/2 in them.
        let seen = proxy.seen();
        assert!(
            seen.len() >= 2 && seen.iter().all(|asked| asked == *want),
            "{url}: {seen:?}"
        );
        let log = server.log();
        assert!(
            log.iter()
                .all(|entry| entry.version == hyper::Version::HTTP_2),
            "{url}"
        );
        assert_eq!(log[0].header("authorization"), "Bearer secret");
        assert_eq!(log[0].header("proxy-authorization"), "", "{url}");
    }
    assert_eq!(rows.len(), 7);
}

#[test]
fn plain_http_is_forwarded() {
    let server = steady().start();
    let address = server.address();
    let open = Proxy::http(address, Manner::Open, None);
    let login = Proxy::http(address, Manner::Login, None);
    let socks = Proxy::socks(address, Manner::Open);
    let rows = [
        (&open, "http://", "GET http://api.test/"),
        (&login, "http://user:p%40ss@", "GET http://api.test/"),
        (&socks, "socks5://", "SOCKS api.test:80"),
    ];
    for (proxy, scheme, want) in rows {
        let url = format!("{scheme}{}", proxy.address);
        let arguments = ["--server", "http://api.test"];
        let variables = [("HTTP_PROXY", url.as_str())];
        explain_with(&server.kubeconfig(), &arguments, &variables).explained(&url);
        let seen = proxy.seen();
        assert!(
            !seen.is_empty() && seen.iter().all(|asked| asked.starts_with(want)),
            "{seen:?}"
        );
    }
    assert_eq!(rows.len(), 3);
}

/// Host of the server, variables, whether the way is through the proxy.
type Row<'a> = (&'a str, &'a [(&'a str, &'a str)], bool);

/// Which way is taken, and that kubectl takes the same.
fn the_way_is_kubectls(beside: Beside) {
    let server = hidden_server();
    let proxy = Proxy::http(server.address(), Manner::Open, None);
    let port = server.address().port();
    let url = format!("http://{}", proxy.address);
    let bare = proxy.address.to_string();
    let with_port = format!("api.test:{port}");
    let other_port = format!("api.test:{}", port ^ 1);
    let rows: [Row; 15] = [
        ("api.test", &[("HTTPS_PROXY", &url)], true),
        ("api.test", &[("https_proxy", &url)], true),
        ("api.test", &[("HTTPS_PROXY", &bare)], true),
        ("api.test", &[("HTTP_PROXY", &url)], false),
        ("api.test", &[("ALL_PROXY", &url)], false),
        (
            "api.test",
            &[("HTTPS_PROXY", &url), ("NO_PROXY", "127.0.0.1,")],
            true,
        ),
        (
            "api.test",
            &[("HTTPS_PROXY", &url), ("NO_PROXY", "api.test")],
            false,
        ),
        (
            "api.test",
            &[("HTTPS_PROXY", &url), ("NO_PROXY", " .test , ,")],
            false,
        ),
        (
            "api.test",
            &[("HTTPS_PROXY", &url), ("no_proxy", "*.test")],
            false,
        ),
        (
            "api.test",
            &[("HTTPS_PROXY", &url), ("NO_PROXY", "*")],
            false,
        ),
        (
            "api.test",
            &[("HTTPS_PROXY", &url), ("NO_PROXY", &with_port)],
            false,
        ),
        (
            "api.test",
            &[("HTTPS_PROXY", &url), ("NO_PROXY", &other_port)],
            true,
        ),
        (
            "api.test",
            &[("HTTPS_PROXY", &url), ("NO_PROXY", "pi.test")],
            true,
        ),
        ("127.0.0.1", &[("HTTPS_PROXY", &url)], false),
        ("localhost", &[("HTTPS_PROXY", &url)], false),
    ];
    let mut compared = 0;
    for (host, variables, through) in rows {
        let server_flag = ["--server", &format!("https://{host}:{port}")];
        let kubeconfig = server.kubeconfig();
        let before = proxy.seen().len();
        let ran = explain_with(&kubeconfig, &server_flag, variables);
        assert_eq!(proxy.seen().len() > before, through, "{host} {variables:?}");
        // Without the proxy the name leads nowhere.
        let reached = through || host != "api.test";
        assert_eq!(
            ran.code,
            Some(i32::from(!reached)),
            "{host} {variables:?}: {}",
            ran.stderr
        );

        let before = proxy.seen().len();
        if beside
            .kubectl(&kubeconfig, &server_flag, variables)
            .is_some()
        {
            assert_eq!(
                proxy.seen().len() > before,
                through,
                "kubectl {host} {variables:?}"
            );
            compared += 1;
        }
    }
    let expected = if let Beside::Kubectl = beside {
        rows.len()
    } else {
        0
    };
    assert_eq!(compared, expected);
}

beside_kubectl!(the_way_is_kubectls);

#[test]
fn a_proxy_that_is_in_the_way_is_named() {
    let server = hidden_server();
    let address = server.address();
    let closed = Proxy::http(address, Manner::Closed, None);
    let login = Proxy::http(address, Manner::Login, None);
    let socks = Proxy::socks(address, Manner::Closed);
    let socks_login = Proxy::socks(address, Manner::Login);
    let gone = "127.0.0.1:1";
    let url = |scheme: &str, proxy: &Proxy| format!("{scheme}{}", proxy.address);
    let login_hint = "http://USER:PASSWORD@";
    let hint = "check HTTPS_PROXY";
    let rows = [
        (url("http://", &closed), "refuses the connection", hint),
        (
            url("http://", &login),
            "requires a user and a password",
            login_hint,
        ),
        (
            url("http://user:guess@", &login),
            "requires a user and a password",
            login_hint,
        ),
        (url("socks5://", &socks), "refuses the connection", hint),
        (
            url("socks5://", &socks_login),
            "requires a user and a password",
            login_hint,
        ),
        (
            url("socks5://user:guess@", &socks_login),
            "requires a user and a password",
            login_hint,
        ),
        (
            url("https://", &closed),
            "refuses the connection: it speaks another protocol",
            hint,
        ),
        (
            format!("http://user:guess@{gone}"),
            "refuses connections",
            hint,
        ),
        (
            format!("socks5://user:guess@{gone}"),
            "refuses connections",
            hint,
        ),
        (
            "http://user:guess@proxy.invalid:1".to_owned(),
            "has a name that cannot be resolved",
            hint,
        ),
        (
            "ftp://user:guess@proxy.test".to_owned(),
            "HTTPS_PROXY is not a valid proxy: its scheme",
            "set HTTPS_PROXY to a URL",
        ),
        (
            "http://user:guess@proxy:port".to_owned(),
            "HTTPS_PROXY is not a valid proxy: it is not a URL",
            "set HTTPS_PROXY to a URL",
        ),
    ];
    for (url, sentence, hint) in &rows {
        let arguments = ["--server", "https://api.test"];
        let ran = explain_with(&server.kubeconfig(), &arguments, &[("HTTPS_PROXY", url)]);
        ran.failed(url, sentence, hint);
        assert!(!ran.stderr.contains("guess"), "{}", ran.stderr);
        let by_file = server.kubeconfig_with(|config| {
            config["clusters"][0]["cluster"]["proxy-url"] = json!(url);
        });
        let ran = explain(&by_file, &arguments);
        ran.failed(
            url,
            &sentence.replace("HTTPS_PROXY", "proxy-url of the cluster"),
            "proxy",
        );
        assert!(!ran.stderr.contains("guess"), "{}", ran.stderr);
    }
    assert_eq!(rows.len(), 12);
}
