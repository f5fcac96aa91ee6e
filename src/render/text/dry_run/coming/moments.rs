//! The moments at which a size changes, and why.

use crate::render::text::held::Held;
use crate::render::text::table::{Column, Row, Table};
use crate::render::text::words::range;
use crate::trace::{Coming, ComingPass, Side};

use super::{NAME, Whole, grouped};

/// The most columns for the name of a side where there is no room for reasons.
const SHORT_NAME: usize = 13;

impl Whole<'_> {
    /// The passes at which some size changes.
    pub(super) fn changing(&self) -> Vec<usize> {
        let longest = self.all.iter().map(|(_, coming)| coming.passes.len()).max();
        let all = 0..longest.unwrap_or_default();
        all.filter(|at| is_changing(&self.all, *at)).collect()
    }

    /// Some sides at some passes.
    pub(super) fn moments(
        &self,
        sides: &[(&Side, &Coming)],
        passes: &[usize],
        has_why: bool,
    ) -> Table {
        let most = if has_why { NAME } else { SHORT_NAME };
        let rows = passes.iter().map(|at| self.moment(sides, *at));
        let names = sides.iter().zip((0..u8::MAX).rev());
        let name = |side: &Side| self.page().name(&side.name, most);
        let mut columns = vec![Column::new("TIME", false, u8::MAX)];
        columns.extend(names.map(|((side, _), keep)| Column::named(name(side), keep)));
        columns.extend(has_why.then(|| Column::of_sentences("WHY")));
        Table {
            rows: rows.collect(),
            columns,
        }
    }

    /// Whether a side's moments and reasons do not fit beside each other.
    pub(super) fn is_narrow(&self, passes: &[usize]) -> bool {
        let fits = |side: &(&Side, &Coming)| {
            let alone = std::slice::from_ref(side);
            self.moments(alone, passes, true).fits(self.page())
        };
        !passes.is_empty() && !self.all.iter().all(fits)
    }

    /// As many sides in a table as the page has room for, each table with the
    /// passes at which one of its sides changes.
    pub(super) fn blocks(&self, passes: &[usize], is_narrow: bool) -> Vec<Table> {
        let mut blocks = Vec::new();
        let mut rest = &self.all[..];
        while !rest.is_empty() && !passes.is_empty() {
            let fits = |count: &usize| {
                let table = self.moments(&rest[..*count], passes, !is_narrow);
                table.fits(self.page())
            };
            let count = (1..=rest.len()).take_while(fits).last().unwrap_or(1);
            let (sides, others) = rest.split_at(count);
            let own = passes.iter().filter(|at| is_changing(sides, **at)).copied();
            let mut own: Vec<usize> = own.collect();
            if own.is_empty() {
                // The size that stays.
                own.extend(passes.first());
            }
            blocks.push(self.moments(sides, &own, !is_narrow));
            rest = others;
        }
        blocks
    }

    fn moment(&self, sides: &[(&Side, &Coming)], at: usize) -> Row {
        let mut passes = self.all.iter().filter_map(|(_, it)| it.passes.get(at));
        let time = passes.next().map_or(String::new(), |it| self.time(it.at));
        let mut cells = vec![time];
        let mut reasons = Vec::new();
        for (side, coming) in sides {
            let pass = coming.passes.get(at);
            cells.push(pass.map_or("-".to_owned(), step));
            if let Some(pass) = pass.filter(|pass| pass.is_change()) {
                reasons.push((self.name(side), why(pass)));
            }
        }
        cells.push(grouped(reasons).join("; "));
        Row {
            cells,
            ..Row::default()
        }
    }
}

fn is_changing(sides: &[(&Side, &Coming)], at: usize) -> bool {
    let mut passes = sides.iter().filter_map(|(_, it)| it.passes.get(at));
    passes.any(ComingPass::is_change)
}

/// `13 → 4`, or the size that stays.
fn step(pass: &ComingPass) -> String {
    let (from, to) = (pass.current_replicas, pass.replicas);
    if from == to {
        range(to)
    } else {
        format!("{} → {}", range(from), range(to))
    }
}

/// Why a pass leaves the size that it does.
fn why(pass: &ComingPass) -> String {
    let held = Held {
        from: pass.current_replicas,
        asked: pass.asked,
        to: pass.replicas,
        by: pass.held_by,
    };
    held.why("asks for")
}
