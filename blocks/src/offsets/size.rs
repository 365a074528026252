//! How large tables are, beside the matrix that they replace.

use std::collections::BTreeSet;

use heddle_arch::offsets::{Request, Tables};

use super::order::to_steps;

/// Sizes of tables.
#[derive(Debug, Clone, PartialEq)]
pub struct Sizes {
    /// GEMM rows.
    pub rows: u64,
    /// Taps.
    pub taps: u64,
    /// Entries of both tables.
    pub entries: u64,
    /// Entries of the im2col matrix.
    pub matrix_entries: u64,
    /// Elements of the tensor.
    pub tensor_elements: u64,
    /// Elements of the matrix for each element of the tensor.
    pub growth: f64,
    /// Bits of a base, with sign if one is negative.
    pub base_bits: u32,
    /// Bits of an offset from its base, with sign if one is negative.
    pub offset_bits: u32,
    /// Different steps from tap to tap, but for the first.
    pub distinct_steps: usize,
}

/// The sizes of the tables of a request that was generated.
#[must_use]
pub fn sizes(request: &Request, tables: &Tables) -> Sizes {
    let (rows, taps) = (tables.bases.len() as u64, tables.offsets.len() as u64);
    let tensor_elements = request.tensor_bytes() / u64::from(request.element_bytes);
    let distances = tables.distances();
    let steps = match tables.running {
        true => tables.offsets.clone(),
        false => to_steps(&tables.offsets),
    };
    Sizes {
        rows,
        taps,
        entries: rows + taps,
        matrix_entries: rows * taps,
        tensor_elements,
        growth: (rows * taps) as f64 / tensor_elements as f64,
        base_bits: bits(tables.bases.iter().map(|base| i64::from(*base))),
        offset_bits: bits(distances.into_iter()),
        distinct_steps: steps.iter().skip(1).collect::<BTreeSet<_>>().len(),
    }
}

/// Bits that all values fit in, two's complement if one is negative.
fn bits(values: impl Iterator<Item = i64>) -> u32 {
    let (mut magnitude, mut signed) = (0, false);
    for value in values {
        signed |= value < 0;
        // -4 needs as many bits beside the sign as 3.
        magnitude |= value ^ (value >> 63);
    }
    let plain = i64::BITS - magnitude.leading_zeros();
    (plain + u32::from(signed)).max(1)
}
