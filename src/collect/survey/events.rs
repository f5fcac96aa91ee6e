//! The events of many HPAs, in one list.

use std::collections::BTreeMap;

use serde::Deserialize;
use tokio::sync::OnceCell;

use crate::api::{Answered, Event};
use crate::collect::cluster::not_read;
use crate::collect::request::pages::list_of;
use crate::collect::request::paths;
use crate::snapshot::{NotRead, Part};

use super::spread::Permits;

/// What the controller said of the HPAs.
#[derive(Default)]
pub struct Events {
    by_name: BTreeMap<(String, String), Vec<Event>>,
    not_read: Option<NotRead>,
}

/// An event of a list of several namespaces.
#[derive(Deserialize)]
struct EventItem {
    metadata: Meta,
    #[serde(flatten)]
    event: Event,
}

#[derive(Deserialize)]
struct Meta {
    #[serde(default)]
    namespace: String,
}

/// The list, once it is there.
#[derive(Default)]
pub struct EventList(OnceCell<Answered<Vec<EventItem>>>);

impl EventList {
    /// Asks for it, in a namespace or in all.
    pub async fn read(&self, permits: &Permits<'_>, namespace: Option<&str>) {
        let endpoint = paths::autoscaler_events(namespace);
        let is_of_one =
            |item: &EventItem| item.event.involved_object.kind == "HorizontalPodAutoscaler";
        let answer = list_of(&*permits.next().await, &endpoint, is_of_one).await;
        _ = self.0.set(answer);
    }

    /// What came of it by now.
    pub fn into_events(self) -> Events {
        let answer = self.0.into_inner();
        let mut events = Events {
            by_name: BTreeMap::new(),
            not_read: not_read(Part::Events, answer.as_ref()),
        };
        for EventItem { metadata, event } in answer
            .and_then(|it| it.into_response::<()>().ok())
            .into_iter()
            .flatten()
        {
            let name = event.involved_object.name.clone();
            let of_one = events.by_name.entry((metadata.namespace, name));
            of_one.or_default().push(event);
        }
        events
    }
}

impl Events {
    /// Those of an HPA.
    pub fn of(&self, namespace: &str, name: &str) -> &[Event] {
        let key = (namespace.to_owned(), name.to_owned());
        self.by_name.get(&key).map_or(&[], Vec::as_slice)
    }

    /// Why they are missing, if they are.
    pub fn not_read(&self) -> Option<NotRead> {
        self.not_read.clone()
    }
}
