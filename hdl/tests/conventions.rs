//! The conventions of a module, shown on a chain of accumulating cells of run-time length.

use heddle_kernel::prelude::*;

/// One cell: registers its operand and adds a weighted copy to the sum passing through.
///
/// # Timing
/// One cycle from `x_i` to `x_o` and from `sum_i` to `sum_o`.
#[module]
pub struct Cell {
    /// High while `weight_i` is to be stored.
    pub load_i: Signal<In, Bit>,
    /// Weight.
    pub weight_i: Signal<In, Signed<8>>,
    /// Operand from the left.
    pub x_i: Signal<In, Signed<8>>,
    /// Operand to the right.
    pub x_o: Signal<Out, Signed<8>>,
    /// Sum from the left.
    pub sum_i: Signal<In, Signed<24>>,
    /// Sum to the right.
    pub sum_o: Signal<Out, Signed<24>>,
    weight: RegEn<Signed<8>>,
    x: Delay<Signed<8>>,
    sum: Reg<Signed<24>>,
    mul: MulS<8, 8, 16>,
}

#[kernel]
impl Cell {
    fn update(&mut self) {
        self.weight.en_i = self.load_i;
        self.weight = self.weight_i;

        self.x = self.x_i;
        self.x_o = self.x;

        self.mul.a_i = self.x_i;
        self.mul.b_i = self.weight;
        self.sum = self.sum_i + bit_cast_signed::<24, 16>(self.mul.p_o);
        self.sum_o = self.sum;
    }
}

/// A row of cells. Operands and sums move one cell per cycle.
#[module]
pub struct Row {
    /// Stores the weights.
    pub load_i: Signal<In, Bit>,
    /// One weight per cell.
    pub weight_i: [Signal<In, Signed<8>>; cols],
    /// Operand entering the first cell.
    pub x_i: Signal<In, Signed<8>>,
    /// Sum leaving the last cell.
    pub sum_o: Signal<Out, Signed<24>>,
    cell: [Cell; cols],
    x: [Signal<Local, Signed<8>>; cols + 1],
    sum: [Signal<Local, Signed<24>>; cols + 1],
    /// Cells.
    _cols: Param<'c'>,
}

#[kernel]
impl Row {
    fn update(&mut self) {
        self.x[0] = self.x_i;
        self.sum[0] = 0.into();
        for i in 0..self._cols {
            self.cell[i].load_i = self.load_i;
            self.cell[i].weight_i = self.weight_i[i];
            self.cell[i].x_i = self.x[i];
            self.cell[i].sum_i = self.sum[i];
            self.x[i + 1] = self.cell[i].x_o;
            self.sum[i + 1] = self.cell[i].sum_o;
        }
        self.sum_o = self.sum[self._cols];
    }
}

#[test]
fn a_chain_with_local_vectors_computes_a_dot_product() {
    let mut u = Row::new(4);
    u.rst_n.next = true;
    u.load_i.next = true;
    for i in 0..4 {
        u.weight_i[i].next = signed(i as i64 - 2);
    }
    clock_cycle!(u);
    u.load_i.next = false;
    u.x_i.next = signed(-3);
    for _ in 0..8 {
        clock_cycle!(u);
    }
    // Constant operand: -3 * (-2 - 1 + 0 + 1).
    assert_eq!(u.sum_o.val(), signed::<24>(6));
}

#[test]
fn module_line_carries_parameters_and_doc_comments() {
    let meta = Meta::from_timing(&Row::new(4).timing()).expect("describe! provides it");
    assert_eq!((meta.name.as_str(), meta.item.as_str()), ("row", "Row"));
    assert_eq!(meta.source, "hdl/tests/conventions.rs");
    assert_eq!(meta.get_param("cols"), Some(4));
    assert_eq!(
        meta.doc,
        ["A row of cells. Operands and sums move one cell per cycle."]
    );
    let x_i = meta.fields.iter().find(|(name, _)| name == "x_i");
    assert_eq!(
        x_i.map(|x| x.1.as_str()),
        Some("Operand entering the first cell.")
    );
}
