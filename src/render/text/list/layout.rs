//! How wide the columns are.

use super::columns::Column;

/// Between two columns, as kubectl has it.
pub(super) const GAP: usize = 3;

/// The most columns of a text: no name that the API takes is longer.
pub(super) const LONGEST: usize = 253;

/// The width of each column within `most`, where texts wrap; none where there
/// is no room for all of them.
pub(super) fn fit(columns: &[Column], natural: &[usize], most: usize) -> Option<Vec<usize>> {
    let both = columns.iter().zip(natural);
    let mut widths: Vec<usize> = both
        .map(|(column, natural)| column.least().min(*natural))
        .collect();
    let gaps = GAP * columns.len().saturating_sub(1);
    let mut left = most.checked_sub(gaps + widths.iter().sum::<usize>())?;
    // Names first; of them the short ones, so that they stay whole.
    let mut places: Vec<usize> = (0..columns.len()).collect();
    places.sort_by_key(|place| (columns[*place] == Column::Verdict, natural[*place]));
    for place in places {
        let more = left.min(natural[place].saturating_sub(widths[place]));
        widths[place] += more;
        left -= more;
    }
    Some(widths)
}

#[cfg(test)]
mod tests {
    use super::super::columns::Column::{Name, Namespace, Replicas, Since, Verdict};
    use super::{GAP, fit};

    #[test]
    fn names_have_what_there_is_before_the_verdict() {
        let columns = [Namespace, Name, Replicas, Verdict, Since];
        let rows = [
            ([5, 9, 8, 60, 5], 78, Some([5, 9, 8, 39, 5])),
            ([5, 60, 8, 24, 5], 78, Some([5, 24, 8, 24, 5])),
            ([60, 5, 8, 24, 5], 78, Some([24, 5, 8, 24, 5])),
            ([60, 50, 8, 24, 5], 78, Some([12, 17, 8, 24, 5])),
            ([60, 50, 8, 24, 5], 200, Some([60, 50, 8, 24, 5])),
            ([60, 50, 8, 24, 5], 72, None),
            ([5, 9, 8, 60, 5], 40, None),
        ];
        for (natural, most, expected) in rows {
            let widths = fit(&columns, &natural, most);
            assert_eq!(widths, expected.map(Vec::from), "{natural:?} {most}");
            let used = widths.map(|widths| widths.iter().sum::<usize>() + 4 * GAP);
            assert!(used <= Some(most));
        }
    }
}
