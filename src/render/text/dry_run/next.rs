//! What would change the size next, on every side.

use crate::render::text::TextOptions;
use crate::render::text::next::steps_ahead;
use crate::render::text::{ahead, fallback};
use crate::trace::{DryRun, Side, Trace};

use super::{sides, view};

/// What would change the size next, each way, and where it ends: of every
/// side, or of none where there is nothing to tell of any. What is the same as
/// under the spec that there is, is said so.
pub(super) fn next_up(dry_run: &DryRun, options: &TextOptions) -> Vec<(String, String)> {
    let current = dry_run.current.as_deref();
    let is_same = |side: &Side| current.is_some_and(|it| is_same_ahead(it, side, options));
    let mut sides = sides(dry_run);
    let is_told = sides.any(|side| {
        let differs = current.is_some() && !is_same(side);
        differs || !ahead_of(&side.trace, options).is_empty()
    });
    let mut rows = Vec::new();
    for side in self::sides(dry_run).filter(|_| is_told) {
        let texts = if side.difference.is_some() && is_same(side) {
            vec!["the same".to_owned()]
        } else {
            comes(side, options)
        };
        rows.extend(texts.into_iter().map(|text| (side.name.clone(), text)));
    }
    rows
}

/// Whether the same comes next on two sides: by what is told of it, and by the
/// coming minutes where they were run.
pub(super) fn is_same_ahead(one: &Side, other: &Side, options: &TextOptions) -> bool {
    let sizes = |side: &Side| {
        let passes = side.coming.as_ref().map(|it| &it.passes);
        let sizes = passes.into_iter().flatten().map(|it| it.replicas);
        sizes.collect::<Vec<_>>()
    };
    comes(one, options) == comes(other, options) && sizes(one) == sizes(other)
}

/// Whether anything is told of what comes next on a side.
pub(super) fn is_told_ahead(side: &Side, options: &TextOptions) -> bool {
    ahead::can_settle(view(&side.trace, options)) || !ahead_of(&side.trace, options).is_empty()
}

/// What comes next on a side; of one of which there is nothing to wait for,
/// where it ends.
fn comes(side: &Side, options: &TextOptions) -> Vec<String> {
    let texts = ahead_of(&side.trace, options).into_iter();
    let mut texts: Vec<String> = texts.map(|(way, text)| format!("{way}: {text}")).collect();
    if texts.is_empty() {
        texts.push(ahead::ends(view(&side.trace, options)));
    }
    texts
}

fn ahead_of(trace: &Trace, options: &TextOptions) -> Vec<(String, String)> {
    let view = view(trace, options);
    let steps = steps_ahead(view).into_iter();
    let mut texts: Vec<(String, String)> = steps
        .map(|(way, text)| (way.trim().to_owned(), text.text()))
        .collect();
    if let Some(text) = ahead::settles(view) {
        texts.push(("then".to_owned(), text));
    }
    texts.extend(fallback::ahead(view));
    texts
}
