//! Nested loops over addresses, and what a traversal unit with few loops can do of them.

use heddle_arch::isa::Loop;

/// A loop: how often, and the distance of its addresses in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Count {
    pub trips: u32,
    pub step: u32,
}

impl Count {
    pub fn new(trips: u32, step: u32) -> Self {
        Self { trips, step }
    }

    /// The registers of the loop. A bound that does not fit is not needed: any value above the last
    /// offset ends the loop there, and offsets are addresses of a partition.
    pub fn registers(self, offset_bits: u32) -> Loop {
        let end = u64::from(self.trips) * u64::from(self.step);
        let largest = (1u64 << offset_bits) - 1;
        Loop {
            initial: 0,
            step: self.step,
            end: u32::try_from(end.min(largest)).expect("at most 32 bits"),
        }
    }
}

/// Leaves out loops of one iteration and joins neighbours that walk on without a gap; innermost
/// first. The addresses and their order stay the same.
pub(crate) fn merge(loops: &[Count]) -> Vec<Count> {
    let mut merged: Vec<Count> = Vec::new();
    for &next in loops.iter().filter(|count| count.trips > 1) {
        match merged.last_mut() {
            Some(inner) if inner.trips * inner.step == next.step => inner.trips *= next.trips,
            _ => merged.push(next),
        }
    }
    merged
}

/// Keeps the innermost `keep` loops and gives the offsets that the others run through, in order.
pub(crate) fn unroll(loops: &[Count], keep: usize) -> (Vec<Count>, Vec<u32>) {
    let keep = keep.min(loops.len());
    let mut offsets = vec![0];
    for outer in loops[keep..].iter() {
        let inner = offsets.clone();
        let turns = (1..outer.trips).map(|turn| turn * outer.step);
        offsets.extend(turns.flat_map(|start| inner.iter().map(move |offset| start + offset)));
    }
    (loops[..keep].to_vec(), offsets)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All addresses of a nest, innermost first.
    fn addresses(loops: &[Count]) -> Vec<u32> {
        unroll(loops, 0).1
    }

    #[test]
    fn merging_keeps_all_addresses_in_order() {
        for (loops, merged) in [
            (
                vec![(1, 5), (3, 1), (4, 3), (2, 16)],
                vec![(12, 1), (2, 16)],
            ),
            (vec![(2, 2), (3, 4), (5, 12)], vec![(30, 2)]),
            (vec![(4, 1), (4, 8)], vec![(4, 1), (4, 8)]),
            (vec![(1, 1), (1, 8)], vec![]),
        ] {
            let counts = |list: &[(u32, u32)]| -> Vec<Count> {
                list.iter().map(|&(t, s)| Count::new(t, s)).collect()
            };
            let loops = counts(&loops);
            assert_eq!(merge(&loops), counts(&merged));
            assert_eq!(addresses(&merge(&loops)), addresses(&loops));
        }
    }

    #[test]
    fn unrolled_offsets_are_in_order() {
        let loops = [Count::new(2, 1), Count::new(3, 10), Count::new(2, 100)];
        let (kept, offsets) = unroll(&loops, 1);
        assert_eq!(kept, loops[..1]);
        assert_eq!(offsets, [0, 10, 20, 100, 110, 120]);
        assert_eq!(unroll(&loops, 3), (loops.to_vec(), vec![0]));
    }

    #[test]
    fn bounds_saturate() {
        let registers = Count::new(8192, 8).registers(16);
        assert_eq!((registers.step, registers.end), (8, 65535));
    }
}
