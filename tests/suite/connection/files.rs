//! Kubeconfig files: which are read, how they are merged, what a user in them
//! can be; and a pod's service account in their place.

use std::ffi::OsStr;
use std::fs;
use std::path::Path;

use hpa_explain::collect::{ConnectionFlags, Environment, InCluster, client, load};
use serde_json::{Value, json};

use crate::connection::steady;
use crate::connection::tool::{Beside, Ran, beside_kubectl, explain, run};

/// `web -n shop` with the environment's kubeconfig.
fn by_environment(variables: &[(&str, &str)]) -> Ran {
    run(&["web", "-n", "shop"].map(OsStr::new), variables)
}

fn text(path: &Path) -> &str {
    path.to_str().expect("a plain path")
}

#[test]
fn lists_are_merged_and_missing_files_skipped() {
    let server = steady().https().start();
    let whole = server.kubeconfig();
    let token_of = |token: &str| {
        server.kubeconfig_with(|config| config["users"][0]["user"] = json!({"token": token}))
    };
    let only = |section: &str| {
        server.kubeconfig_with(|config| {
            let kept = config[section].take();
            *config = json!({"apiVersion": "v1", "kind": "Config"});
            config[section] = kept;
        })
    };
    let (first, second) = (token_of("first"), token_of("second"));
    let parts = ["contexts", "clusters", "users", "current-context"].map(only);
    let parts: Vec<&str> = parts.iter().map(|part| text(part)).collect();
    let rows = [
        (text(&whole).to_owned(), "any"),
        (format!("/nowhere/a:{}:/nowhere/b", text(&whole)), "any"),
        (format!("::{}:", text(&whole)), "any"),
        (format!("{}:{}", text(&first), text(&second)), "first"),
        (format!("{}:{}", text(&second), text(&first)), "second"),
        (parts.join(":"), "any"),
    ];
    for (list, token) in &rows {
        server.forget_log();
        by_environment(&[("KUBECONFIG", list)]).explained(list);
        let header = format!("Bearer {token}");
        assert_eq!(server.log()[0].header("authorization"), header, "{list}");
    }
    assert_eq!(rows.len(), 6);
}

#[test]
fn without_a_list_the_home_folder_has_the_file() {
    let server = steady().https().start();
    let home = tempfile::tempdir().expect("a folder");
    fs::create_dir(home.path().join(".kube")).expect("a folder");
    fs::copy(server.kubeconfig(), home.path().join(".kube/config")).expect("a copy");
    let home = text(home.path());
    by_environment(&[("HOME", home)]).explained("no list");
    by_environment(&[("HOME", home), ("KUBECONFIG", "")]).explained("an empty list");
}

/// Paths in a file start from its folder.
fn a_users_credentials_may_be_of_several_kinds(beside: Beside) {
    let server = steady().https().start();
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("token"), "of-a-file\n").expect("a file");
    fs::write(folder.path().join("ca.crt"), server.ca()).expect("a file");
    let rows = [
        (json!({"token": "inline"}), "Bearer inline"),
        (json!({"tokenFile": "token"}), "Bearer of-a-file"),
        (
            json!({"token": "inline", "tokenFile": "token"}),
            "Bearer of-a-file",
        ),
        (json!({"username": "u", "password": "p"}), "Basic dTpw"),
    ];
    for (user, header) in &rows {
        let config = server.kubeconfig_with(|config| {
            config["users"][0]["user"] = user.clone();
            config["clusters"][0]["cluster"] =
                json!({"server": server.url(), "certificate-authority": "ca.crt"});
        });
        let here = folder.path().join("config");
        fs::copy(config, &here).expect("a copy");
        server.forget_log();
        explain(&here, &[]).explained(header);
        assert_eq!(server.log()[0].header("authorization"), *header, "{user}");
        server.forget_log();
        if beside.kubectl(&here, &[], &[]).is_some() {
            let log = server.log();
            let last = log.last().expect("a request");
            assert_eq!(last.header("authorization"), *header, "kubectl {user}");
        }
    }
    assert_eq!(rows.len(), 4);
}

beside_kubectl!(a_users_credentials_may_be_of_several_kinds);

/// A pod has no kubeconfig, but a folder with its token.
#[test]
fn a_pod_uses_its_service_account() {
    let server = steady().https().start();
    let folder = tempfile::tempdir().expect("a folder");
    let account = [
        ("token", "of-the-pod\n"),
        ("ca.crt", server.ca()),
        ("namespace", "shop"),
    ];
    for (name, content) in account {
        fs::write(folder.path().join(name), content).expect("a file");
    }
    let environment = Environment {
        in_cluster: Some(InCluster {
            host: server.address().ip().to_string(),
            port: server.address().port().to_string(),
            folder: folder.path().to_owned(),
        }),
        ..Environment::default()
    };
    let flags = ConnectionFlags {
        impersonate: Some("jane".to_owned()),
        ..ConnectionFlags::default()
    };
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime");
    let version: Value = runtime.block_on(async {
        let config = load(&flags, &environment).await.expect("a configuration");
        assert_eq!(config.default_namespace, "shop");
        let client = client(config).expect("a client");
        let request = http::Request::get("/version")
            .body(Vec::new())
            .expect("a request");
        client.request(request).await.expect("an answer")
    });
    assert_eq!(version["gitVersion"], "v1.36.2");
    let log = server.log();
    assert_eq!(log[0].header("authorization"), "Bearer of-the-pod");
    assert_eq!(log[0].header("impersonate-user"), "jane");
}
