//! The events of many HPAs and of their targets, in one list for each kind.

use std::cell::RefCell;
use std::collections::BTreeMap;

use crate::api::{Answered, Event};
use crate::collect::cluster::not_read;
use crate::collect::request::pages::list_of;
use crate::collect::request::paths;
use crate::snapshot::{NotRead, Part};

use super::spread::{Located, Permits};

/// The kind of an HPA.
pub const AUTOSCALER: &str = "HorizontalPodAutoscaler";

/// What was said of the HPAs and of their targets.
#[derive(Default)]
pub struct Events {
    by_object: BTreeMap<Place, Vec<Event>>,
    not_read: Option<NotRead>,
}

/// Namespace, kind and name of an object.
pub type Place = (String, String, String);

/// The lists by kind, once they are there.
#[derive(Default)]
pub struct EventLists(RefCell<BTreeMap<String, Option<EventList>>>);

type EventList = Answered<Vec<Located<Event>>>;

impl EventLists {
    /// Asks for those of a kind, in a namespace or in all.
    pub async fn read(
        &self,
        permits: &Permits<'_>,
        namespace: Option<&str>,
        kind: &str,
        is_selected: impl Fn(&Place) -> bool,
    ) {
        self.0.borrow_mut().insert(kind.to_owned(), None);
        let endpoint = paths::events_of_kind(namespace, kind);
        let is_of_one = |item: &Located<Event>| {
            let place = place_of(item);
            place.1 == kind && is_selected(&place)
        };
        let answer = list_of(&*permits.next().await, &endpoint, is_of_one).await;
        self.0.borrow_mut().insert(kind.to_owned(), Some(answer));
    }

    /// What came of it by now.
    pub fn into_events(self) -> Events {
        let mut events = Events::default();
        for answer in self.0.into_inner().into_values() {
            let missing = not_read(Part::Events, answer.as_ref());
            events.not_read = events.not_read.or(missing);
            let items = answer.and_then(|it| it.into_response::<()>().ok());
            for item in items.into_iter().flatten() {
                let of_one = events.by_object.entry(place_of(&item));
                of_one.or_default().push(item.object);
            }
        }
        events
    }
}

fn place_of(item: &Located<Event>) -> Place {
    let about = &item.object.involved_object;
    let namespace = item.metadata.namespace.to_string();
    (namespace, about.kind.clone(), about.name.clone())
}

impl Events {
    /// Those of an object.
    pub fn of(&self, namespace: &str, kind: &str, name: &str) -> &[Event] {
        let key = (namespace.to_owned(), kind.to_owned(), name.to_owned());
        self.by_object.get(&key).map_or(&[], Vec::as_slice)
    }

    /// Why some are missing, if they are.
    pub fn not_read(&self) -> Option<NotRead> {
        self.not_read.clone()
    }
}
