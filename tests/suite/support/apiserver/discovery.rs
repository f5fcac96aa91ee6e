//! Which resources the recorded server has, by its own discovery.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::target::Address;

/// The resources of the recorded server. The aggregated documents list all of
/// them, also those of groups that nobody recorded anything else of.
#[derive(Default)]
pub struct Discovery {
    groups: BTreeMap<String, Value>,
    resources: BTreeMap<(String, String), Vec<Value>>,
}

impl Discovery {
    /// Learns from a document, whichever of discovery's it is.
    pub fn learn(&mut self, document: &Value) {
        match document["kind"].as_str() {
            Some("APIGroupList") => {
                for group in array(&document["groups"]) {
                    self.groups.insert(text(&group["name"]), group.clone());
                }
            }
            Some("APIGroupDiscoveryList") => {
                for group in array(&document["items"]) {
                    self.learn_group(group);
                }
            }
            _ => {}
        }
    }

    fn learn_group(&mut self, group: &Value) {
        // The core group has no name.
        let name = text(&group["metadata"]["name"]);
        for version in array(&group["versions"]) {
            let resources = array(&version["resources"]).iter().map(resource);
            let key = (name.clone(), text(&version["version"]));
            self.resources.insert(key, resources.collect());
        }
    }

    pub fn has_group_version(&self, address: &Address) -> bool {
        let key = (address.group.clone(), address.version.clone());
        self.resources.contains_key(&key)
    }

    /// The kind of a resource; none if the server does not have it.
    pub fn kind(&self, address: &Address) -> Option<String> {
        let key = (address.group.clone(), address.version.clone());
        let resources = self.resources.get(&key)?.iter();
        let mut found = resources.filter(|resource| resource["name"] == address.resource.as_str());
        found.next().map(|resource| text(&resource["kind"]))
    }

    /// The document of a group or of one of its versions.
    pub fn document(&self, path: &str) -> Option<Value> {
        let mut parts = path.strip_prefix("/apis/")?.split('/');
        let group = parts.next()?;
        let Some(version) = parts.next() else {
            let mut document = self.groups.get(group)?.clone();
            document["kind"] = "APIGroup".into();
            document["apiVersion"] = "v1".into();
            return Some(document);
        };
        let key = (group.to_owned(), version.to_owned());
        Some(json!({
            "kind": "APIResourceList",
            "apiVersion": "v1",
            "groupVersion": format!("{group}/{version}"),
            "resources": self.resources.get(&key).filter(|_| parts.next().is_none())?,
        }))
    }
}

/// A document of discovery without a group that is missing.
pub fn without_group(document: &mut Value, group: &str) {
    if let Some(groups) = document["groups"].as_array_mut() {
        groups.retain(|entry| entry["name"] != group);
    }
    if let Some(groups) = document["items"].as_array_mut() {
        groups.retain(|entry| entry["metadata"]["name"] != group);
    }
}

fn resource(resource: &Value) -> Value {
    json!({
        "name": resource["resource"],
        "singularName": resource["singularResource"],
        "namespaced": resource["scope"] == "Namespaced",
        "kind": resource["responseKind"]["kind"],
        "verbs": resource["verbs"],
    })
}

fn array(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}
