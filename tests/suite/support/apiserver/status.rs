//! Failures in the words of a real API server.

use serde_json::{Map, Value, json};

use super::reply::Reply;
use super::target::Address;

/// What Go's multiplexer says of a path that nobody serves.
pub fn page_not_found() -> Reply {
    Reply::text(404, "404 page not found")
}

pub fn not_found(address: &Address) -> Reply {
    let name = address.name.as_deref().unwrap_or_default();
    let message = format!("{} \"{name}\" not found", address.qualified());
    failure(404, "NotFound", &message, details(address))
}

/// What an adapter says of a metric that it does not have.
pub fn metric_not_found(address: &Address) -> Reply {
    let message = match (&address.subresource, address.name.as_deref()) {
        (Some(metric), Some("*") | None) => {
            format!(
                "the server could not find the metric {metric} for {}",
                address.resource
            )
        }
        (Some(metric), Some(name)) => format!(
            "the server could not find the metric {metric} for {} {name}",
            address.resource
        ),
        (None, _) => format!(
            "unable to get external metric {}/{}: no matching metric found",
            address.namespace.as_deref().unwrap_or_default(),
            address.resource
        ),
    };
    failure(404, "NotFound", &message, Value::Null)
}

pub fn may_not_watch(path: &str, user: &str) -> Reply {
    let mut body = forbidden(path, user).value();
    let message = body["message"].as_str().unwrap_or_default();
    body["message"] = message.replace("cannot list", "cannot watch").into();
    Reply::json(403, &body)
}

pub fn forbidden(path: &str, user: &str) -> Reply {
    let Some(address) = Address::of(path) else {
        let message = format!("forbidden: User \"{user}\" cannot get path \"{path}\"");
        return failure(403, "Forbidden", &message, json!({}));
    };
    let name = address.name.as_ref();
    let verb = if name.is_some() { "get" } else { "list" };
    let name = name.map_or(String::new(), |name| format!("\"{name}\" "));
    let subresource = address.subresource.as_ref();
    let subresource = subresource.map_or(String::new(), |part| format!("/{part}"));
    let scope = match &address.namespace {
        Some(namespace) => format!("in the namespace \"{namespace}\""),
        None => "at the cluster scope".to_owned(),
    };
    let message = format!(
        "{} {name}is forbidden: User \"{user}\" cannot {verb} resource \"{}{subresource}\" \
         in API group \"{}\" {scope}",
        address.qualified(),
        address.resource,
        address.group,
    );
    failure(403, "Forbidden", &message, details(&address))
}

pub fn bad_request(message: &str) -> Reply {
    failure(400, "BadRequest", message, Value::Null)
}

/// The answer to a continue token whose revision is compacted. The token in
/// it goes on from the same place, at the price of consistency.
pub fn expired(token: &str) -> Reply {
    let message = "The provided continue parameter is too old to display a consistent list \
         result. You can start a new list without the continue parameter, or use the continue \
         token in this response to retrieve the remainder of the results. Continuing with the \
         provided token results in an inconsistent list - objects that were created, modified, \
         or deleted between the time the first chunk was returned and now may show up in the \
         list.";
    let mut body = failure(410, "Expired", message, Value::Null).value();
    body["metadata"] = json!({"continue": token});
    Reply::json(410, &body)
}

/// The server's own limit is enforced before anything that could write a
/// Status.
pub fn too_many_requests(retry_after: u64) -> Reply {
    let words = "Too many requests, please try again later.";
    Reply::text(429, words).with("retry-after", &retry_after.to_string())
}

/// Any other failure as a Status.
pub fn of(code: u16, path: &str, user: &str) -> Reply {
    let (reason, message, details) = match code {
        401 => ("Unauthorized", "Unauthorized", Value::Null),
        403 => return forbidden(path, user),
        404 => {
            let address = Address::of(path).filter(|address| address.name.is_some());
            return address.map_or_else(page_not_found, |address| not_found(&address));
        }
        405 => (
            "MethodNotAllowed",
            "the server does not allow this method on the requested resource",
            json!({}),
        ),
        410 => (
            "Expired",
            "The resourceVersion for the provided watch is too old.",
            Value::Null,
        ),
        429 => return too_many_requests(1),
        500 => {
            let cause = "etcdserver: request timed out";
            (
                "InternalError",
                "Internal error occurred: etcdserver: request timed out",
                json!({"causes": [{"message": cause}]}),
            )
        }
        503 => (
            "ServiceUnavailable",
            "the server is currently unable to handle the request",
            Value::Null,
        ),
        504 => (
            "Timeout",
            "Timeout: request did not complete within the allotted timeout",
            json!({}),
        ),
        other => panic!("no words for a Status of {other}"),
    };
    failure(code, reason, message, details)
}

/// A failure as plain text, as proxies and the layers before the API say it.
pub fn text(code: u16) -> Reply {
    match code {
        404 => page_not_found(),
        429 => too_many_requests(1),
        // The aggregator, of an APIService that is not available.
        503 => Reply::text(503, "service unavailable"),
        other => {
            let status = hyper::StatusCode::from_u16(other).expect("a status code");
            Reply::text(other, status.canonical_reason().unwrap_or_default())
        }
    }
}

fn details(address: &Address) -> Value {
    let mut details = Map::new();
    if let Some(name) = &address.name {
        details.insert("name".to_owned(), name.as_str().into());
    }
    if !address.group.is_empty() {
        details.insert("group".to_owned(), address.group.as_str().into());
    }
    details.insert("kind".to_owned(), address.resource.as_str().into());
    details.into()
}

fn failure(code: u16, reason: &str, message: &str, details: Value) -> Reply {
    let mut body = json!({
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": {},
        "status": "Failure",
        "message": message,
        "reason": reason,
        "code": code,
    });
    if !details.is_null() {
        body["details"] = details;
    }
    Reply::json(code, &body)
}
