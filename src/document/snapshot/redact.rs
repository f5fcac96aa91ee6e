//! A snapshot to hand on: without what nobody needs to explain it.
//!
//! What a snapshot does not model never gets into one: the environment, the
//! commands and the arguments of containers, volumes, secrets. What is taken
//! out here is what the algorithm does not read, so the Trace stays the same.
//! Sentences that it reports are not touched: the conditions and events of the
//! HPA, and the errors of metrics. Names of objects and labels stay as well.
//!
//! Images, nodes and objects get other names: hashes, the same for the same name, also
//! in the messages of pods and of what makes them.
//!
//! A plain hash of a name that can be guessed, such as that of a node called
//! after its address, is undone by trying all guesses. These hashes have a
//! key: the HPA's uid, which is random, is not in the file, and stays as long
//! as the HPA does. So all redacted snapshots of one HPA call a node the same,
//! and who has a file only can undo none of them.

use std::collections::BTreeMap;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::Arc;

use compact_str::{CompactString, format_compact};
use ring::hmac::{HMAC_SHA256, Key, sign};

use super::Snapshot;
use crate::api::object::LAST_APPLIED;
use crate::api::{OwnerReference, Pod, PodTemplateSpec};

impl Snapshot {
    /// The snapshot with images and nodes hashed, without the labels of
    /// external series and without annotations, but for the size that was
    /// last applied. A redacted snapshot is left as it is.
    pub fn redacted(mut self) -> Self {
        if self.provenance.redacted {
            return self;
        }
        let uid = self.hpa.metadata.uid.take();
        let mut aliases = Aliases::new(uid.as_deref());
        for pod in &mut self.pods {
            hash_names(pod, &mut aliases);
        }
        for pod in &mut self.pods {
            hash_in_messages(pod, &aliases);
        }
        for event in &mut self.events {
            if let Some(uid) = &mut Arc::make_mut(event).involved_object.uid {
                *uid = aliases.uid(uid);
            }
        }
        for workload in self.target.iter_mut().chain(&mut self.replica_sets) {
            let annotations = &mut workload.metadata.annotations;
            annotations.retain(|name, _| name == LAST_APPLIED);
            let template = workload.spec.template.as_mut();
            if let Some(template) = template.and_then(|it| it.spec.as_mut()) {
                hash_nodes_of_template(template, &mut aliases);
            }
        }
        let nodes = self.room.as_mut().and_then(|room| room.nodes.as_mut());
        for node in nodes.into_iter().flat_map(|nodes| &mut nodes.items) {
            let own = &mut node.node.metadata;
            own.name = aliases.node(&own.name).into();
            if let Some(host) = own.labels.get_mut(HOST_NAME) {
                *host = aliases.node(host);
            }
        }
        let external = self.metrics.external.iter_mut();
        for list in external.filter_map(|metric| metric.answer.response_mut()) {
            for item in &mut list.items {
                item.metric_labels.clear();
            }
        }
        if let Some(lease) = &mut self.controller_lease
            && let Some(holder) = &mut lease.spec.holder_identity
        {
            // A manager calls itself after its host, `HOST_UID`.
            *holder = match holder.rsplit_once('_') {
                Some((host, id)) => format!("{}_{id}", aliases.node(host)),
                None => aliases.node(holder).into(),
            };
        }
        let workloads = self.target.iter_mut().chain(&mut self.replica_sets);
        for condition in workloads.flat_map(|it| &mut it.status.conditions) {
            condition.message = aliases.in_text(&condition.message);
        }
        self.provenance.redacted = true;
        self
    }
}

fn hash_names(pod: &mut Pod, aliases: &mut Aliases) {
    let spec = &mut pod.spec;
    if let Some(node) = &mut spec.node_name {
        *node = aliases.node(node);
    }
    let containers = Arc::make_mut(&mut spec.containers).iter_mut();
    for container in containers.chain(&mut spec.init_containers) {
        if let Some(image) = &mut container.image {
            *image = aliases.image(image);
        }
    }
    // The pods of a node's own manifests belong to the node.
    let is_node = |owner: &&mut OwnerReference| owner.kind == "Node";
    let owners = Arc::make_mut(&mut pod.metadata.owner_references);
    for owner in owners.iter_mut().filter(is_node) {
        owner.name = aliases.node(&owner.name).into();
    }
}

/// Only once all names are known: a pod's message can name another's node.
fn hash_in_messages(pod: &mut Pod, aliases: &Aliases) {
    let conditions = &mut pod.status.conditions;
    if conditions.iter().any(|it| it.message.is_some()) {
        let conditions = Arc::make_mut(conditions).iter_mut();
        for message in conditions.flat_map(|it| &mut it.message) {
            *message = aliases.in_text(message);
        }
    }
}

/// The label that names a node's host, which mostly is the node's name.
const HOST_NAME: &str = "kubernetes.io/hostname";

/// Where a template says on which nodes its pods may run.
fn hash_nodes_of_template(template: &mut PodTemplateSpec, aliases: &mut Aliases) {
    if let Some(node) = &mut template.node_name {
        *node = aliases.node(node);
    }
    if let Some(host) = template.node_selector.get_mut(HOST_NAME) {
        *host = aliases.node(host);
    }
    let affinity = template.affinity.as_mut();
    let nodes = affinity.and_then(|it| it.node_affinity.as_mut()?.required.as_mut());
    for term in nodes.into_iter().flat_map(|it| &mut it.node_selector_terms) {
        let hosts = term.match_expressions.iter_mut();
        let hosts = hosts.filter(|it| it.key == HOST_NAME);
        for requirement in hosts.chain(&mut term.match_fields) {
            for host in &mut requirement.values {
                *host = aliases.node(host).into();
            }
        }
    }
}

/// How much of a hash tells names apart: among a thousand, two are mistaken
/// for each other once in nine thousand files.
const BYTES: usize = 4;

/// The other names that were given out.
pub(super) struct Aliases {
    key: Key,
    given: BTreeMap<CompactString, CompactString>,
}

impl Aliases {
    /// Nothing is known yet. An HPA without a uid, as in a file that somebody
    /// wrote, has no secret: its hashes hold for this file alone.
    pub fn new(uid: Option<&str>) -> Self {
        let random = || RandomState::new().build_hasher().finish().to_ne_bytes();
        let key = match uid.filter(|uid| !uid.is_empty()) {
            Some(uid) => Key::new(HMAC_SHA256, uid.as_bytes()),
            None => Key::new(HMAC_SHA256, &[random(), random()].concat()),
        };
        Self {
            key,
            given: BTreeMap::new(),
        }
    }

    /// `image-3f9a2c1d` for an image. A bare one such as `redis` is what
    /// containers are called as well, so sentences keep it.
    pub fn image(&mut self, name: &str) -> CompactString {
        let alias = self.alias("image", name);
        if name.contains(['/', ':']) {
            self.given.insert(name.into(), alias.clone());
        }
        alias
    }

    /// `node-3f9a2c1d` for a node.
    pub fn node(&mut self, name: &str) -> CompactString {
        let alias = self.alias("node", name);
        self.given.insert(name.into(), alias.clone());
        alias
    }

    /// `uid-3f9a2c1d` for an object.
    pub fn uid(&self, uid: &str) -> String {
        self.alias("uid", uid).into()
    }

    fn alias(&self, kind: &str, name: &str) -> CompactString {
        let hash = sign(&self.key, name.as_bytes());
        let start = hash.as_ref().iter().take(BYTES);
        start.fold(format_compact!("{kind}-"), |text, byte| {
            format_compact!("{text}{byte:02x}")
        })
    }

    /// A sentence in which the names so far are replaced: whole words only, so
    /// that `node-7` leaves `node-70` alone.
    pub fn in_text(&self, text: &str) -> String {
        replace_words(text, is_of_image, |word| {
            let found = self.word(word);
            found.unwrap_or_else(|| {
                replace_words(word, is_of_node, |part| {
                    self.word(part).unwrap_or_else(|| part.to_owned())
                })
            })
        })
    }

    /// A word, less the full stop or colon that the sentence has after it.
    fn word(&self, word: &str) -> Option<String> {
        let name = word.trim_end_matches(['.', ':']);
        let alias = self.given.get(name)?;
        Some(format!("{alias}{}", &word[name.len()..]))
    }
}

fn is_of_node(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '-' | '.')
}

fn is_of_image(c: char) -> bool {
    is_of_node(c) || matches!(c, '_' | '/' | ':' | '@')
}

/// Replaces each longest run of such characters.
fn replace_words(
    text: &str,
    is_of_word: impl Fn(char) -> bool,
    replace: impl Fn(&str) -> String,
) -> String {
    let mut replaced = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find(&is_of_word) {
        let (before, from) = rest.split_at(start);
        let end = from.find(|c| !is_of_word(c)).unwrap_or(from.len());
        let (word, after) = from.split_at(end);
        replaced.push_str(before);
        replaced.push_str(&replace(word));
        rest = after;
    }
    replaced.push_str(rest);
    replaced
}

#[cfg(test)]
mod tests {
    use super::Aliases;

    #[test]
    fn a_hash_depends_on_the_name_and_on_the_key() {
        let mut aliases = Aliases::new(Some("uid"));
        let node = aliases.node("node-7");
        assert_eq!(node.len(), "node-3f9a2c1d".len());
        assert!(node.starts_with("node-"));
        assert_eq!(aliases.node("node-7"), node);
        assert_ne!(aliases.node("node-8"), node);
        assert_ne!(Aliases::new(Some("another")).node("node-7"), node);
        assert_eq!(Aliases::new(Some("uid")).node("node-7"), node);
        for none in [None, Some("")] {
            let other = Aliases::new(none).node("node-7");
            assert_ne!(Aliases::new(none).node("node-7"), other);
        }
        assert!(aliases.image("web:1").starts_with("image-"));
    }

    #[test]
    fn names_are_replaced_in_sentences_as_whole_words() {
        let mut aliases = Aliases::new(Some("uid"));
        let node = aliases.node("node-7");
        let long = aliases.node("node-7.example.com");
        let image = aliases.image("registry:5000/team/web:1.2@sha256:ab");
        aliases.image("redis");
        let tagged = aliases.image("redis:7");
        let rows = [
            (
                "containers with unready status: [redis]",
                "containers with unready status: [redis]".to_owned(),
            ),
            ("pulling redis:7", format!("pulling {tagged}")),
            ("assigned to node-7", format!("assigned to {node}")),
            ("to node-7.", format!("to {node}.")),
            ("node/node-7: no room", format!("node/{node}: no room")),
            ("on \"node-7\"", format!("on \"{node}\"")),
            ("node-7.example.com is", format!("{long} is")),
            (
                "pulling registry:5000/team/web:1.2@sha256:ab",
                format!("pulling {image}"),
            ),
            ("node-70, my-node-7", "node-70, my-node-7".to_owned()),
            ("0/9 nodes", "0/9 nodes".to_owned()),
            ("", String::new()),
            ("über node-7 …", format!("über {node} …")),
        ];
        for (text, replaced) in rows {
            assert_eq!(aliases.in_text(text), replaced);
        }
    }
}
