//! Kubeconfig files that lead to the server.

use serde_json::{Value, json};

use super::base64;
use super::tls::Pki;

/// The name of the only cluster and context.
pub const CONTEXT: &str = "test";

/// Where no proof is required: kubectl asks for a password if it has none to
/// give.
const ANY_TOKEN: &str = "any";

/// What a kubeconfig says of a server.
pub struct Access<'a> {
    pub url: &'a str,
    pub namespace: &'a str,
    pub user: &'a str,
    pub pki: Option<&'a Pki>,
    pub token: Option<&'a str>,
    pub certificate: bool,
}

/// A kubeconfig as JSON, which is YAML too.
pub fn document(access: &Access) -> Value {
    let mut cluster = json!({"server": access.url});
    let mut user = json!({});
    if let Some(pki) = access.pki {
        cluster["certificate-authority-data"] = encoded(&pki.ca);
        if access.certificate {
            user["client-certificate-data"] = encoded(&pki.client.certificate);
            user["client-key-data"] = encoded(&pki.client.key);
        }
    }
    if !access.certificate {
        user["token"] = access.token.unwrap_or(ANY_TOKEN).into();
    }
    json!({
        "apiVersion": "v1",
        "kind": "Config",
        "current-context": CONTEXT,
        "clusters": [{"name": CONTEXT, "cluster": cluster}],
        "users": [{"name": access.user, "user": user}],
        "contexts": [{
            "name": CONTEXT,
            "context": {
                "cluster": CONTEXT,
                "user": access.user,
                "namespace": access.namespace,
            },
        }],
    })
}

fn encoded(pem: &str) -> Value {
    base64::standard(pem.as_bytes()).into()
}
