//! What the server knows, and how it answers what nobody recorded.
//!
//! A recorded answer always wins, byte for byte. The metrics API of the
//! recordings shares one load among the pods that it is asked for, so the
//! answers with and without a selector hold different usage, and deriving one
//! from the other would be wrong where both are recorded.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Arc, OnceLock};

use serde_json::{Value, json};

use super::discovery::Discovery;
use super::list::{Item, List};
use super::reply::{JSON, Reply};
use super::scale;
use super::status;
use super::tape::Answer;
use super::target::{Address, Query, Target};

const NAMESPACES: &str = "/api/v1/namespaces";

/// An answer that is known, under its path.
struct Known {
    query: Query,
    accept: Option<String>,
    reply: Reply,
    list: OnceLock<Option<Arc<List>>>,
}

impl Known {
    fn list(&self, address: &Address) -> Option<&Arc<List>> {
        let read = || List::of(&self.reply.value(), address).map(Arc::new);
        self.list.get_or_init(read).as_ref()
    }

    fn is_fine(&self) -> bool {
        self.reply.status == 200
    }
}

/// The answers of a cluster.
pub struct World {
    known: HashMap<String, Vec<Known>>,
    discovery: Discovery,
    /// The recorded user may not see everything. What nobody recorded is
    /// forbidden then, since that is decided before anything else.
    restricted: bool,
}

impl World {
    pub fn of(answers: Vec<Answer>) -> Self {
        let mut world = Self {
            known: HashMap::new(),
            discovery: Discovery::default(),
            restricted: false,
        };
        for answer in answers {
            world.restricted |= answer.reply.status == 403;
            if Address::of(&answer.target.path).is_none() {
                world.discovery.learn(&answer.reply.value());
            }
            let known = Known {
                query: answer.target.query,
                accept: answer.accept,
                reply: answer.reply,
                list: OnceLock::new(),
            };
            let path = world.known.entry(answer.target.path).or_default();
            path.push(known);
        }
        world
    }

    /// Serves a document instead of whatever was known of it before: a list
    /// replaces the objects and selections of its namespace, an object its
    /// namesake in every list.
    pub fn put(&mut self, target: &Target, document: &Value) {
        let address = Address::of(&target.path);
        let list = address
            .as_ref()
            .and_then(|address| List::of(document, address))
            .map(Arc::new);
        let reply = match (&address, &list) {
            (Some(address), Some(list)) if !address.is_adapted_metric() => {
                list.page(&Target::parse(&target.path), address)
            }
            _ => Reply::json(200, document),
        };
        if target.query.is_empty() {
            self.forget(&target.path);
            if let Some(address) = address
                .as_ref()
                .filter(|address| !address.is_adapted_metric())
            {
                if list.is_some() {
                    self.forget_lists(address);
                } else if address.subresource.is_none() {
                    self.put_into_lists(address, document);
                }
            }
        }
        let path = self.known.entry(target.path.clone()).or_default();
        path.retain(|known| known.query != target.query);
        path.push(Known {
            query: target.query.clone(),
            accept: None,
            reply,
            list: list.map_or_else(OnceLock::new, |list| Some(list).into()),
        });
    }

    /// Serves an object that was written: the lists that hold it have its
    /// version, too.
    pub fn update(&mut self, target: &Target, object: &Value) {
        self.put(target, object);
        let address = Address::of(&target.path).expect("an object");
        let version = object["metadata"]["resourceVersion"].clone();
        self.change_lists(&address, |list| {
            list["metadata"]["resourceVersion"] = version.clone();
        });
    }

    /// Takes an object away, as of a version, and says what it was.
    pub fn delete(&mut self, target: &Target, version: &str) -> Value {
        let address = Address::of(&target.path).expect("an object");
        let known = self.known.remove(&target.path).expect("an object");
        self.change_lists(&address, |list| {
            list["metadata"]["resourceVersion"] = version.into();
            let items = list["items"].as_array_mut().expect("a list");
            items.retain(|item| item["metadata"]["name"].as_str() != address.name.as_deref());
        });
        let mut object = known[0].reply.value();
        object["metadata"]["resourceVersion"] = version.into();
        object
    }

    /// Changes the lists that an object is in.
    fn change_lists(&mut self, address: &Address, change: impl Fn(&mut Value)) {
        let lists = self.known.iter_mut().filter(|(path, _)| {
            let place = Address::of(path);
            place.is_some_and(|place| place.same_resource(address) && place.name.is_none())
        });
        let fine = |known: &&mut Known| known.is_fine();
        for known in lists.flat_map(|(_, known)| known).filter(fine) {
            let mut document = known.reply.value();
            change(&mut document);
            known.reply = Reply::json(200, &document);
            known.list = OnceLock::new();
        }
    }

    /// Forgets a path and all beneath it.
    fn forget(&mut self, path: &str) {
        let beneath = format!("{path}/");
        self.known
            .retain(|known, _| known != path && !known.starts_with(&beneath));
    }

    /// Forgets the lists that hold objects of the same resource and place.
    fn forget_lists(&mut self, address: &Address) {
        self.known.retain(|path, _| {
            Address::of(path).is_none_or(|known| {
                let overlaps = known.namespace.is_none() || address.namespace.is_none();
                !(known.same_resource(address) && overlaps)
            })
        });
    }

    fn put_into_lists(&mut self, address: &Address, object: &Value) {
        for (path, known) in &mut self.known {
            let Some(place) = Address::of(path).filter(|place| {
                let same_place = place.namespace.is_none() || place.namespace == address.namespace;
                place.same_resource(address) && place.name.is_none() && same_place
            }) else {
                continue;
            };
            known.retain_mut(|known| {
                let mut document = known.reply.value();
                let Some(items) = document["items"].as_array_mut().filter(|_| known.is_fine())
                else {
                    return true;
                };
                items.retain(|item| {
                    item["metadata"]["name"] != object["metadata"]["name"]
                        || item["metadata"]["namespace"] != object["metadata"]["namespace"]
                });
                items.push(object.clone());
                let list = List::of(&document, &place).expect("it has items");
                known.reply = list.page(&Target::parse(path), &place);
                known.list = Some(Arc::new(list)).into();
                // A selection would have to be made again: it is, by deriving.
                known.query.is_empty()
            });
        }
    }

    /// The answer to a GET request by a user.
    pub fn answer(&self, target: &Target, accept: &str, user: &str) -> Reply {
        let Some(address) = Address::of(&target.path) else {
            let recorded = self.recorded(&target.path, &target.query, accept);
            let recorded = recorded.map(|known| known.reply.clone());
            let document = || self.discovery.document(&target.path);
            return recorded
                .or_else(|| Some(Reply::json(200, &document()?)))
                .unwrap_or_else(status::page_not_found);
        };
        let query = if address.is_metric() {
            target.selection()
        } else {
            target.query.clone()
        };
        if let Some(known) = self.recorded(&target.path, &query, accept) {
            return known.reply.clone();
        }
        if address.is_adapted_metric() {
            return self.metric(target, &address, user);
        }
        let derived = match address.name {
            Some(_) => self.object(&address, &target.path, user),
            None => self.list(target, &address, user),
        };
        derived.unwrap_or_else(|failure| failure)
    }

    /// What is known of exactly this request. An answer in a special form is
    /// only for those who accept the form.
    fn recorded(&self, path: &str, query: &Query, accept: &str) -> Option<&Known> {
        let fits = |known: &&Known| {
            known.accept.as_deref().is_none_or(|form| {
                let form = form.split(',').next().unwrap_or(form);
                accept.split(',').any(|accepted| accepted.trim() == form)
            })
        };
        let known = self.known.get(path)?.iter();
        known
            .filter(|known| known.query == *query)
            .filter(fits)
            .max_by_key(|known| known.accept.is_some())
    }

    /// A page or a selection of a list. The error is the answer too.
    fn list(&self, target: &Target, address: &Address, user: &str) -> Result<Reply, Reply> {
        let known = self.recorded(&target.path, &target.selection(), JSON);
        let Some(known) = known else {
            let whole = self.whole(address, &target.path, user)?;
            return Ok(whole.page(target, address));
        };
        let list = known.list(address).filter(|_| known.is_fine());
        let list = list.ok_or_else(|| known.reply.clone())?;
        let limit = target.parameter("limit").parse().unwrap_or(usize::MAX);
        if list.items.len() <= limit && target.parameter("continue").is_empty() {
            return Ok(known.reply.clone());
        }
        Ok(list.page(target, address))
    }

    /// An object or its subresource. The error is the answer too.
    fn object(&self, address: &Address, path: &str, user: &str) -> Result<Reply, Reply> {
        let name = address.name.as_deref().unwrap_or_default();
        let object = format!("{}/{name}", address.list_path());
        let object = match self.recorded(&object, &Query::new(), JSON) {
            Some(known) if known.is_fine() => known.reply.clone(),
            Some(known) => return Err(failed(known, path, user)),
            None => {
                let list = self.whole(address, path, user)?;
                let item = list.find(name).ok_or_else(|| status::not_found(address))?;
                Reply::bytes(200, JSON, item.document(&list))
            }
        };
        match address.subresource.as_deref() {
            None | Some("status") => Ok(object),
            Some("scale") => Ok(Reply::json(200, &scale::of(&object.value()))),
            Some(_) => Err(status::page_not_found()),
        }
    }

    /// All objects of a resource in the namespace that is asked for, or in
    /// all. The error is the answer to whoever asked.
    fn whole(&self, address: &Address, path: &str, user: &str) -> Result<Arc<List>, Reply> {
        if let Some(known) = self.recorded(&address.list_path(), &Query::new(), JSON) {
            let list = known.list(address).filter(|_| known.is_fine());
            return list.cloned().ok_or_else(|| failed(known, path, user));
        }
        let alike = || self.of_resource(address);
        let failing = alike().find(|(place, known)| {
            place.name.is_none() && known.query.is_empty() && !known.is_fine()
        });
        if let Some((_, known)) = failing {
            return Err(failed(known, path, user));
        }
        if self.restricted {
            return Err(status::forbidden(path, user));
        }
        self.gathered(address)
            .map(Arc::new)
            .ok_or_else(status::page_not_found)
    }

    /// All objects of a resource that any answer holds; none if there is no
    /// such resource.
    fn gathered(&self, address: &Address) -> Option<List> {
        let mut parts: Vec<_> = self
            .of_resource(address)
            .filter(|(place, known)| place.subresource.is_none() && known.is_fine())
            .collect();
        // The later ones win: whole lists.
        parts.sort_by_key(|(place, known)| (place.name.is_none(), known.query.is_empty()));
        let mut items = BTreeMap::new();
        if address.list_path() == NAMESPACES {
            let namespaces = self.namespaces(address).map(Arc::new);
            items.extend(namespaces.map(|item| (item.key(), item)));
        }
        let mut kind = self
            .discovery
            .kind(address)
            .map(|kind| format!("{kind}List"));
        let mut resource_version = Value::Null;
        for (place, known) in parts {
            let objects = if let Some(list) = known.list(&place) {
                kind = Some(list.kind.clone());
                resource_version = list.resource_version.clone();
                list.items.clone()
            } else {
                let object = known.reply.value();
                let own = object["kind"].as_str().map(|kind| format!("{kind}List"));
                kind = kind.or(own);
                vec![Arc::new(Item::of(&object, &place))]
            };
            let asked = address.namespace.as_ref();
            let here = |item: &Arc<Item>| asked.is_none_or(|asked| *asked == item.namespace);
            let objects = objects.into_iter().filter(here);
            items.extend(objects.map(|item| (item.key(), item)));
        }
        Some(List {
            kind: kind?,
            api_version: address.group_version(),
            resource_version,
            items: items.into_values().collect(),
        })
    }

    /// The namespaces, as far as anything is known of them.
    fn namespaces(&self, address: &Address) -> impl Iterator<Item = Item> {
        let places = self.known.keys().filter_map(|path| Address::of(path));
        let names: BTreeSet<String> = places.filter_map(|place| place.namespace).collect();
        let objects = names.into_iter().map(|name| {
            json!({
                "metadata": {"name": name, "labels": {"kubernetes.io/metadata.name": name}},
                "spec": {"finalizers": ["kubernetes"]},
                "status": {"phase": "Active"},
            })
        });
        objects.map(|object| Item::of(&object, address))
    }

    /// A custom or external metric that nobody recorded in this form.
    fn metric(&self, target: &Target, address: &Address, user: &str) -> Reply {
        let known = self.known.get(&target.path).map_or(&[][..], Vec::as_slice);
        if let Some(known) = known.iter().find(|known| !known.is_fine()) {
            return failed(known, &target.path, user);
        }
        if let Some(known) = known.iter().find(|known| known.query.is_empty()) {
            // Custom metrics do not say the labels that they are selected by.
            let list = known.list(address).filter(|_| address.name.is_none());
            return list.map_or_else(|| known.reply.clone(), |list| list.page(target, address));
        }
        if self.restricted {
            return status::forbidden(&target.path, user);
        }
        let known_group = self.discovery.has_group_version(address)
            || self.known.keys().any(|path| {
                let place = Address::of(path);
                place.is_some_and(|place| place.group_version() == address.group_version())
            });
        if known_group {
            status::metric_not_found(address)
        } else {
            status::page_not_found()
        }
    }

    fn of_resource(&self, address: &Address) -> impl Iterator<Item = (Address, &Known)> {
        let same = self.known.iter().filter_map(|(path, known)| {
            let place = Address::of(path)?;
            place.same_resource(address).then_some((place, known))
        });
        same.flat_map(|(place, known)| known.iter().map(move |known| (place.clone(), known)))
    }
}

/// A recorded failure, as it is said to whoever asks for something like it.
fn failed(known: &Known, path: &str, user: &str) -> Reply {
    if known.reply.status == 403 {
        status::forbidden(path, user)
    } else {
        known.reply.clone()
    }
}
