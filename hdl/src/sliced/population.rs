//! Number of non-zero units.

use heddle_kernel::prelude::*;

/// Counts the non-zero units of a word in a tree of adders. They are written bit by bit: a carry
/// chain of an FPGA is slower than a few LUTs at these widths.
///
/// # Timing
/// Combinational.
#[module(name = "sliced_population", combinational)]
pub struct Population {
    /// Non-zero units of the word, by position.
    pub mask_i: [Signal<In, Bits<1>>; units],
    /// Number of these.
    pub pop_o: Signal<Out, Bits<7>>,
    /// Bits of each node. Node n - 1 is the sum of the nodes 2n - 1 and 2n; the last nodes are the
    /// units.
    sum: [[Signal<Local, Bit>; 7]; nodes],
    /// Carries into each bit of a node.
    carry: [[Signal<Local, Bit>; 7]; units - 1],
    /// The number, collected.
    pop: Signal<Local, Bits<7>>,
    /// Units of a word.
    _units: Param<'u'>,
    #[new(nodes_of(units))]
    _nodes: usize,
}

/// Nodes of the tree.
///
/// # Panics
/// If `units` is not in 1..=64.
fn nodes_of(units: usize) -> usize {
    assert!(
        (1..=64).contains(&units),
        "a word has {units} units, allowed 1 to 64"
    );
    2 * units - 1
}

#[kernel]
impl Population {
    fn update(&mut self) {
        for j in 0..self._units {
            let leaf = self._units - 1 + j;
            self.sum[leaf].tie_low();
            self.sum[leaf][0] = self.mask_i[j].get_bit(0);
        }
        for node in (0..self._units - 1).rev() {
            self.carry[node][0] = false;
            for b in 0..7 {
                let x = self.sum[2 * node + 1][b];
                let y = self.sum[2 * node + 2][b];
                let c = self.carry[node][b];
                self.sum[node][b] = x ^ y ^ c;
                if b < 6 {
                    self.carry[node][b + 1] = (x & y) | (c & (x ^ y));
                }
            }
        }
        self.pop = 0.into();
        for b in 0..7 {
            self.pop = self.pop.replace_bit(b, self.sum[0][b]);
        }
        self.pop_o = self.pop;
    }
}
