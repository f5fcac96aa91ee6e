//! How wide the columns are.

use super::columns::{Column, Give};

/// Between two columns, as kubectl has it.
pub(super) const GAP: usize = 3;

/// What is left of the verdict where not even the names have room: its first
/// word.
const WORD: usize = 8;

/// The most columns of a text where there is no end to a line: no name that
/// the API takes is longer.
pub(super) const LONGEST: usize = 253;

/// The columns that are shown, each with its width; by the column's place
/// among all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Layout(pub(super) Vec<(usize, usize)>);

impl Layout {
    /// Every column as wide as what is in it, whatever the terminal.
    pub(super) fn whole(natural: &[usize]) -> Self {
        let widths = natural.iter().map(|natural| LONGEST.min(*natural));
        Self(widths.enumerate().collect())
    }

    /// Lays them out where there is no end to a line: names stay whole. The
    /// verdict still leaves it readable, at `usual` columns if that can be.
    pub(super) fn endless(columns: &[Column], natural: &[usize], usual: usize) -> Self {
        let is_text = |column: &Column| column.give() == Give::End;
        let both = || columns.iter().zip(natural);
        let others = both().filter(|(column, _)| !is_text(column));
        let taken: usize = others.map(|(_, natural)| natural + GAP).sum();
        let widths = both().map(|(column, natural)| match column {
            _ if !is_text(column) => *natural,
            _ => usual
                .saturating_sub(taken)
                .max(column.least())
                .min(*natural),
        });
        Self(widths.enumerate().collect())
    }

    /// Lays columns of so many display columns out within `most`.
    pub(super) fn fit(columns: &[Column], natural: &[usize], most: usize) -> Self {
        let mut shown: Vec<usize> = (0..columns.len()).collect();
        let least = |place: &usize| natural[*place].min(columns[*place].least());
        let gaps = |shown: &[usize]| GAP * shown.len().saturating_sub(1);
        let needed = |shown: &[usize]| shown.iter().map(least).sum::<usize>() + gaps(shown);
        if needed(&shown) > most {
            shown.retain(|place| !columns[*place].goes());
        }
        let room = most.saturating_sub(gaps(&shown));
        let mut widths: Vec<usize> = shown.iter().map(least).collect();
        let kinds: Vec<Column> = shown.iter().map(|place| columns[*place]).collect();
        let desired: Vec<usize> = shown.iter().map(|place| natural[*place]).collect();
        squeeze(&kinds, &mut widths, room);
        for give in [Give::Middle, Give::End] {
            spend(&kinds, give, &desired, &mut widths, room);
        }
        Self(shown.into_iter().zip(widths).collect())
    }
}

/// Where not even the least fits: the verdict keeps its first word, and the
/// names share the rest.
fn squeeze(columns: &[Column], widths: &mut [usize], room: usize) {
    let over = |widths: &[usize]| widths.iter().sum::<usize>().saturating_sub(room);
    for (column, most_left) in [
        (Column::Verdict, WORD),
        (Column::Namespace, 1),
        (Column::Name, 1),
    ] {
        let over = over(widths);
        let place = columns.iter().position(|one| *one == column);
        if let Some(width) = place.and_then(|place| widths.get_mut(place)) {
            let spare = width.saturating_sub(most_left);
            *width -= spare.min(over);
        }
    }
}

/// Spends what room is left on the columns of a kind, evenly: what a short
/// one does not need is left to the others.
fn spend(columns: &[Column], give: Give, desired: &[usize], widths: &mut [usize], room: usize) {
    let mut places: Vec<usize> = (0..columns.len())
        .filter(|place| columns[*place].give() == give)
        .collect();
    places.sort_by_key(|place| desired[*place]);
    let others: usize =
        widths.iter().sum::<usize>() - places.iter().map(|place| widths[*place]).sum::<usize>();
    let mut left = room.saturating_sub(others);
    for (done, place) in places.iter().enumerate() {
        let share = left / (places.len() - done);
        let width = &mut widths[*place];
        *width = desired[*place].min(share.max(1));
        left = left.saturating_sub(*width);
    }
}

#[cfg(test)]
mod tests {
    use super::super::columns::Column::{self, Name, Namespace, Replicas, Since, Verdict};
    use super::{GAP, LONGEST, Layout};

    /// The widths of the columns in their order; 0 where one is not shown.
    fn widths(columns: &[Column], natural: &[usize], most: usize) -> Vec<usize> {
        let layout = Layout::fit(columns, natural, most);
        let of = |place| layout.0.iter().find(|(shown, _)| *shown == place);
        let widths = (0..columns.len()).map(|place| of(place).map_or(0, |(_, width)| *width));
        widths.collect()
    }

    #[test]
    fn names_stay_readable_before_the_verdict_is_whole() {
        let columns = [Name, Replicas, Verdict, Since];
        let rows = [
            (100, [15, 8, 40, 5], [15, 8, 40, 5]),
            (78, [15, 8, 60, 5], [15, 8, 41, 5]),
            (78, [60, 8, 60, 5], [32, 8, 24, 5]),
            (60, [60, 8, 60, 5], [14, 8, 24, 5]),
            (50, [60, 8, 60, 5], [12, 8, 24, 0]),
            (40, [60, 8, 60, 5], [12, 8, 14, 0]),
            (25, [60, 8, 60, 5], [3, 8, 8, 0]),
        ];
        for (most, natural, expected) in rows {
            assert_eq!(widths(&columns, &natural, most), expected, "{most}");
        }
    }

    #[test]
    fn where_a_line_has_no_end_names_stay_whole() {
        let columns = [Name, Replicas, Verdict, Since];
        let rows = [
            ([15, 8, 40, 5], [15, 8, 40, 5]),
            ([15, 8, 60, 5], [15, 8, 41, 5]),
            ([90, 8, 60, 5], [90, 8, 24, 5]),
        ];
        for (natural, expected) in rows {
            let layout = Layout::endless(&columns, &natural, 78);
            let widths: Vec<usize> = layout.0.iter().map(|(_, width)| *width).collect();
            assert_eq!(widths, expected);
        }
    }

    #[test]
    fn names_share_what_there_is() {
        let columns = [Namespace, Name, Replicas, Verdict, Since];
        let rows = [
            ([5, 9, 8, 24, 5], [5, 9, 8, 24, 5]),
            ([5, 60, 8, 24, 5], [5, 24, 8, 24, 5]),
            ([60, 5, 8, 24, 5], [24, 5, 8, 24, 5]),
            ([60, 50, 8, 24, 5], [15, 14, 8, 24, 5]),
        ];
        for (natural, expected) in rows {
            assert_eq!(widths(&columns, &natural, 78), expected, "{natural:?}");
        }
    }

    #[test]
    fn no_line_is_too_wide() {
        let columns = [Namespace, Name, Replicas, Verdict, Since];
        let natural = [20, 63, 11, 60, 5];
        let mut shown = Vec::new();
        for most in 40..400 {
            let layout = Layout::fit(&columns, &natural, most);
            let width: usize = layout.0.iter().map(|(_, width)| width + GAP).sum();
            assert!(width - GAP <= most, "{most}: {layout:?}");
            shown.push(layout.0.len());
        }
        assert!(shown.is_sorted(), "more room shows more");
        assert_eq!((shown[0], shown[shown.len() - 1]), (4, 5));
    }

    #[test]
    fn a_whole_table_has_no_end_but_that_of_a_name() {
        let Layout(widths) = Layout::whole(&[20, 60, 10_000]);
        assert_eq!(widths, [(0, 20), (1, 60), (2, LONGEST)]);
    }
}
