//! The untimed product.

/// Products of operand vectors with a weight matrix, added to a starting value per column.
///
/// `vectors[m][r]` are 9-bit signed operands, `weights[r][c]` 8-bit signed weights, `start[c]` the
/// values that enter at the top. Returns `sums[m][c]`, wrapped at 32 bits.
pub fn matrix_product(vectors: &[Vec<i16>], weights: &[Vec<i8>], start: &[i32]) -> Vec<Vec<i32>> {
    let sum = |vector: &[i16], c: usize| -> i32 {
        let products: i64 = vector
            .iter()
            .zip(weights)
            .map(|(x, row)| i64::from(*x) * i64::from(row[c]))
            .sum();
        (i64::from(start[c]) + products) as i32
    };
    vectors
        .iter()
        .map(|vector| (0..start.len()).map(|c| sum(vector, c)).collect())
        .collect()
}
