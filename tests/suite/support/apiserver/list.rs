//! Lists: read once, then selected from and cut into pages at no cost.

use std::collections::BTreeMap;
use std::sync::Arc;

use hyper::body::Bytes;
use serde_json::{Map, Value, json};

use super::base64;
use super::reply::{JSON, Reply};
use super::selector::{Selector, selectable};
use super::status;
use super::target::{Address, Target};

/// An object, as it is sent and as it is selected.
pub struct Item {
    pub namespace: String,
    pub name: String,
    labels: BTreeMap<String, String>,
    fields: BTreeMap<String, String>,
    /// Custom resources say what they are in lists too, built-in ones do not.
    says_kind: bool,
    bytes: Bytes,
}

impl Item {
    pub fn of(object: &Value, address: &Address) -> Self {
        let metadata = &object["metadata"];
        let labels = [&metadata["labels"], &object["metricLabels"]];
        let labels = labels.into_iter().filter_map(Value::as_object).flatten();
        let fields = selectable(&address.group, &address.resource);
        Self {
            namespace: text(&metadata["namespace"]),
            name: text(&metadata["name"]),
            labels: labels
                .map(|(key, value)| (key.clone(), text(value)))
                .collect(),
            fields: fields
                .map(|(name, place)| (name.to_owned(), field(object, place)))
                .collect(),
            says_kind: object.get("kind").is_some(),
            bytes: object.to_string().into(),
        }
    }

    /// The place in the order of the store.
    pub fn key(&self) -> (String, String) {
        (self.namespace.clone(), self.name.clone())
    }

    /// The object on its own, which says what it is.
    pub fn document(&self, list: &List) -> String {
        let object = str::from_utf8(&self.bytes).expect("JSON is text");
        if self.says_kind {
            return format!("{object}\n");
        }
        let (kind, version) = (list.item_kind(), &list.api_version);
        let rest = object.trim_start_matches('{');
        format!("{{\"kind\":\"{kind}\",\"apiVersion\":\"{version}\",{rest}\n")
    }
}

/// A list in the order of the store: by namespace and name.
pub struct List {
    pub kind: String,
    pub api_version: String,
    pub resource_version: Value,
    pub items: Vec<Arc<Item>>,
}

impl List {
    /// The list that a document is, of the resource that was asked for.
    pub fn of(document: &Value, address: &Address) -> Option<Self> {
        let items = document["items"].as_array()?.iter();
        let mut items: Vec<_> = items
            .map(|item| Arc::new(Item::of(item, address)))
            .collect();
        items.sort_by_key(|item| item.key());
        Some(Self {
            kind: text(&document["kind"]),
            api_version: text(&document["apiVersion"]),
            resource_version: document["metadata"]["resourceVersion"].clone(),
            items,
        })
    }

    pub fn item_kind(&self) -> &str {
        self.kind.strip_suffix("List").unwrap_or(&self.kind)
    }

    pub fn find(&self, name: &str) -> Option<&Arc<Item>> {
        self.items.iter().find(|item| item.name == name)
    }

    /// The page that is asked for, of what is selected.
    pub fn page(&self, target: &Target, address: &Address) -> Reply {
        match self.try_page(target, address) {
            Ok(reply) => reply,
            Err(message) => status::bad_request(&message),
        }
    }

    fn try_page(&self, target: &Target, address: &Address) -> Result<Reply, String> {
        let labels = Selector::labels(target.parameter("labelSelector"))?;
        let fields = target.parameter("fieldSelector");
        let fields = Selector::fields(fields, &address.group, &address.resource)?;
        let start = match target.parameter("continue") {
            "" => String::new(),
            token => {
                Token::read(token)
                    .ok_or("invalid continue token: continue key is not valid")?
                    .start
            }
        };
        let limit = target.parameter("limit").parse().unwrap_or(0);
        let limit = if limit == 0 || address.is_metric() {
            usize::MAX
        } else {
            limit
        };
        let mut rest = self
            .items
            .iter()
            .filter(|item| labels.matches(&item.labels) && fields.matches_fields(&item.fields))
            .skip_while(|item| token_key(item, address) < start);
        let page: Vec<&Arc<Item>> = rest.by_ref().take(limit).collect();
        let mut metadata = Map::new();
        if !self.resource_version.is_null() {
            metadata.insert("resourceVersion".to_owned(), self.resource_version.clone());
        }
        let remaining = rest.count();
        if let Some(last) = page.last().filter(|_| remaining > 0) {
            let start = format!("{}\0", token_key(last, address));
            let revision = text(&self.resource_version).parse().unwrap_or(1);
            let token = Token { revision, start }.text();
            metadata.insert("continue".to_owned(), token.into());
            // What remains of a selection is not known without reading it.
            if labels.is_empty() && fields.is_empty() {
                metadata.insert("remainingItemCount".to_owned(), remaining.into());
            }
        }
        Ok(self.document(&metadata.into(), &page))
    }

    fn document(&self, metadata: &Value, items: &[&Arc<Item>]) -> Reply {
        let (kind, version) = (&self.kind, &self.api_version);
        let head = format!(
            "{{\"kind\":\"{kind}\",\"apiVersion\":\"{version}\",\"metadata\":{metadata},\"items\":["
        );
        let length: usize = items.iter().map(|item| item.bytes.len() + 1).sum();
        let mut body = Vec::with_capacity(head.len() + length + 3);
        body.extend_from_slice(head.as_bytes());
        for (index, item) in items.iter().enumerate() {
            if index > 0 {
                body.push(b',');
            }
            body.extend_from_slice(&item.bytes);
        }
        body.extend_from_slice(b"]}\n");
        Reply::bytes(200, JSON, body)
    }
}

/// Where a list goes on, in the form of a real continue token, so that the
/// recorded ones can be followed.
pub struct Token {
    /// -1 means: whatever is newest.
    pub revision: i64,
    pub start: String,
}

impl Token {
    pub fn read(text: &str) -> Option<Self> {
        let token: Value = serde_json::from_slice(&base64::from_url(text)?).ok()?;
        (token["v"] == "meta.k8s.io/v1").then_some(())?;
        Some(Self {
            revision: token["rv"].as_i64()?,
            start: token["start"].as_str()?.to_owned(),
        })
    }

    pub fn text(&self) -> String {
        let token = json!({"v": "meta.k8s.io/v1", "rv": self.revision, "start": self.start});
        base64::url(token.to_string().as_bytes())
    }
}

/// A list of one namespace goes on at a name, one of all namespaces at both.
fn token_key(item: &Item, address: &Address) -> String {
    if address.namespace.is_some() || item.namespace.is_empty() {
        item.name.clone()
    } else {
        format!("{}/{}", item.namespace, item.name)
    }
}

/// A list document of objects.
pub fn list_document(kind: &str, api_version: &str, items: &[Value]) -> Value {
    json!({
        "kind": kind,
        "apiVersion": api_version,
        "metadata": {"resourceVersion": "1"},
        "items": items,
    })
}

fn field(object: &Value, place: &str) -> String {
    let mut value = object;
    for part in place.split('.') {
        value = &value[part];
    }
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}
