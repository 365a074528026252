//! The untimed address sequence: an odometer per row, rows one after another.

/// One row: base address and the registers of its loops, innermost first.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Row {
    /// Base address, added in the address sum only.
    pub base: u64,
    /// V: offset of each loop at the start and after each wrap.
    pub initial: Vec<u64>,
    /// X: added to the offset after each iteration.
    pub step: Vec<u64>,
    /// Y: the offset wraps when it reaches or exceeds this value.
    pub end: Vec<u64>,
}

impl Row {
    /// A row from its base and (initial, step, end) per loop, innermost first.
    pub fn new(base: u64, loops: &[(u64, u64, u64)]) -> Self {
        Self {
            base,
            initial: loops.iter().map(|l| l.0).collect(),
            step: loops.iter().map(|l| l.1).collect(),
            end: loops.iter().map(|l| l.2).collect(),
        }
    }
}

/// One element of the sequence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Element {
    /// Number of the row the address belongs to.
    pub row: usize,
    /// Offsets of the row's loops while the address is formed, innermost first.
    pub offsets: Vec<u64>,
    /// Base plus all offsets, cut to the address width.
    pub address: u64,
    /// Per loop: it is in its last iteration.
    pub finals: Vec<bool>,
    /// Last address of its row.
    pub last: bool,
    /// Last address of the traversal.
    pub end: bool,
}

/// Iterator over the whole traversal. Rows are visited in the given order.
#[derive(Debug, Clone)]
pub struct Walk {
    rows: Vec<(usize, Row)>,
    address_mask: u64,
    position: usize,
    offsets: Vec<u64>,
}

impl Walk {
    /// Walks `rows` (row number and contents). Addresses are cut to `address_bits` (1 to 64).
    pub fn new(rows: Vec<(usize, Row)>, address_bits: u32) -> Self {
        let offsets = rows.first().map(|(_, r)| r.initial.clone());
        Self {
            rows,
            address_mask: u64::MAX >> (64 - address_bits),
            position: 0,
            offsets: offsets.unwrap_or_default(),
        }
    }

    /// True while the sequence has further elements.
    pub fn has_more(&self) -> bool {
        self.position < self.rows.len()
    }

    fn move_to_next_row(&mut self) {
        self.position += 1;
        if let Some((_, row)) = self.rows.get(self.position) {
            self.offsets.clone_from(&row.initial);
        }
    }
}

impl Iterator for Walk {
    type Item = Element;

    fn next(&mut self) -> Option<Element> {
        let (number, row) = self.rows.get(self.position)?.clone();
        let offsets = self.offsets.clone();
        let sum = offsets.iter().fold(row.base, |s, z| s.wrapping_add(*z));
        let finals: Vec<bool> = (0..offsets.len())
            .map(|c| offsets[c] + row.step[c] >= row.end[c])
            .collect();
        let last = finals.iter().all(|f| *f);
        let element = Element {
            row: number,
            address: sum & self.address_mask,
            last,
            end: last && self.position + 1 == self.rows.len(),
            finals,
            offsets,
        };

        if last {
            self.move_to_next_row();
        } else {
            // The odometer: loops that reached their end start again, the next one moves on.
            for c in 0..element.finals.len() {
                if !element.finals[c] {
                    self.offsets[c] += row.step[c];
                    break;
                }
                self.offsets[c] = row.initial[c];
            }
        }
        Some(element)
    }
}
