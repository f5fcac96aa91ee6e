//! A total among parts.

/// Splits a total in the proportion of the weights; evenly where they come to
/// nothing. What a division leaves goes to the next part, so that the parts
/// come to the total.
pub(super) fn split(total: i128, weights: &[i128]) -> Vec<i64> {
    let sum: i128 = weights.iter().sum();
    let is_even = sum <= 0;
    let all = if is_even {
        i128::try_from(weights.len()).unwrap_or(i128::MAX)
    } else {
        sum
    };
    let mut left = 0;
    let part = |weight: &i128| {
        let weight = if is_even { 1 } else { *weight };
        let part = weight.saturating_mul(total).saturating_add(left);
        left = part.rem_euclid(all);
        i64::try_from(part.div_euclid(all)).unwrap_or(i64::MAX)
    };
    weights.iter().map(part).collect()
}

#[cfg(test)]
mod tests {
    use super::split;

    #[test]
    fn the_parts_come_to_the_total() {
        let rows: [(i128, &[i128], &[i64]); 8] = [
            (1_200, &[300, 300, 300], &[400, 400, 400]),
            (1_200, &[100, 200], &[400, 800]),
            (100, &[1, 1, 1], &[33, 33, 34]),
            (7, &[0, 0], &[3, 4]),
            (7, &[0, 5], &[0, 7]),
            (-7, &[1, 1], &[-4, -3]),
            (7, &[], &[]),
            (i128::from(i64::MAX), &[1], &[i64::MAX]),
        ];
        for (total, weights, parts) in rows {
            assert_eq!(split(total, weights), parts, "{total} by {weights:?}");
        }
        assert_eq!(rows.len(), 8);
    }
}
