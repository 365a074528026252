//! Weight memory.

use crate::prelude::*;

/// Weight bytes of one column.
///
/// # Timing
/// `ren_i` and `addr_i` in cycle T: on the outputs for the next column in T+1, the weight on `w_o`
/// in T+2. `w_o` holds while nothing is read. Addresses count modulo the words.
#[derive(LogicBlock)]
pub struct WeightColumn {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Reset, active low.
    pub rst_n: Signal<In, Bit>,
    /// Writes a byte.
    pub wen_i: Signal<In, Bit>,
    /// Word to write.
    pub waddr_i: Signal<In, Bits<16>>,
    /// Byte to write.
    pub wdata_i: Signal<In, Bits<8>>,
    /// Reads a byte.
    pub ren_i: Signal<In, Bit>,
    /// Word to read.
    pub addr_i: Signal<In, Bits<16>>,
    /// Read, to the next column.
    pub ren_o: Signal<Out, Bit>,
    /// Word to read, to the next column.
    pub addr_o: Signal<Out, Bits<16>>,
    /// Weight for the top of the column.
    pub w_o: Signal<Out, Bits<8>>,
    ren: Reg<Bit>,
    addr: Delay<Bits<16>>,
    w: Delay<Bits<8>>,
    ram: Ram1r1w<16, 8>,
    _words: usize,
}

impl WeightColumn {
    /// A column with `words` weights.
    pub fn new(words: usize) -> Self {
        Self {
            clk: Default::default(),
            rst_n: Default::default(),
            wen_i: Default::default(),
            waddr_i: Default::default(),
            wdata_i: Default::default(),
            ren_i: Default::default(),
            addr_i: Default::default(),
            ren_o: Default::default(),
            addr_o: Default::default(),
            w_o: Default::default(),
            ren: Default::default(),
            addr: Default::default(),
            w: Default::default(),
            ram: Ram1r1w::new(1, words),
            _words: words,
        }
    }
}

impl Logic for WeightColumn {
    #[hdl_gen]
    fn update(&mut self) {
        self.ren.clk.next = self.clk.val();
        self.ren.rst_n.next = self.rst_n.val();
        self.ren.d_i.next = self.ren_i.val();
        self.ren_o.next = self.ren.q_o.val();
        self.addr.clk.next = self.clk.val();
        self.addr.d_i.next = self.addr_i.val();
        self.addr_o.next = self.addr.q_o.val();
        self.ram.clk.next = self.clk.val();
        self.ram.wen_i.next = self.wen_i.val();
        self.ram.waddr_i.next = self.waddr_i.val();
        self.ram.wdata_i[0].next = self.wdata_i.val();
        self.ram.ren_i.next = self.ren_i.val();
        self.ram.raddr_i.next = self.addr_i.val();
        self.w.clk.next = self.clk.val();
        self.w.d_i.next = self.ram.rdata_o[0].val();
        self.w_o.next = self.w.q_o.val();
    }
    module!(|this| Meta::module("weight_column").param("words", "d", this._words, "weights"));
}

/// Weight words of one byte per column. A read that enters column 0 in cycle T reaches column c in
/// T+c.
///
/// # Timing
/// `ren_i` and `addr_i` in cycle T: the weight of column c is on `w_o` in T+c+2. A word written in
/// T is in the memories in T+2.
#[derive(LogicBlock)]
pub struct WeightMemory {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Reset, active low.
    pub rst_n: Signal<In, Bit>,
    /// Writes a word.
    pub wen_i: Signal<In, Bit>,
    /// Word to write.
    pub waddr_i: Signal<In, Bits<16>>,
    /// Its bytes, one per column.
    pub wdata_i: Vec<Signal<In, Bits<8>>>,
    /// Reads a word.
    pub ren_i: Signal<In, Bit>,
    /// Word to read.
    pub addr_i: Signal<In, Bits<16>>,
    /// Weights for the tops of the columns.
    pub w_o: Vec<Signal<Out, Bits<8>>>,
    column: Vec<WeightColumn>,
    wen: Reg<Bit>,
    waddr: Delay<Bits<16>>,
    wdata: Vec<Delay<Bits<8>>>,
    ren: Vec<Signal<Local, Bit>>,
    addr: Vec<Signal<Local, Bits<16>>>,
    _cols: usize,
    _words: usize,
}

impl WeightMemory {
    /// `words` words for `cols` columns.
    pub fn new(cols: usize, words: usize) -> Self {
        Self {
            clk: Default::default(),
            rst_n: Default::default(),
            wen_i: Default::default(),
            waddr_i: Default::default(),
            wdata_i: v(cols),
            ren_i: Default::default(),
            addr_i: Default::default(),
            w_o: v(cols),
            column: (0..cols).map(|_| WeightColumn::new(words)).collect(),
            wen: Default::default(),
            waddr: Default::default(),
            wdata: v(cols),
            ren: v(cols + 1),
            addr: v(cols + 1),
            _cols: cols,
            _words: words,
        }
    }
}

impl Logic for WeightMemory {
    #[hdl_gen]
    fn update(&mut self) {
        self.wen.clk.next = self.clk.val();
        self.wen.rst_n.next = self.rst_n.val();
        self.wen.d_i.next = self.wen_i.val();
        self.waddr.clk.next = self.clk.val();
        self.waddr.d_i.next = self.waddr_i.val();
        self.ren[0].next = self.ren_i.val();
        self.addr[0].next = self.addr_i.val();
        for i in 0..self._cols {
            self.wdata[i].clk.next = self.clk.val();
            self.wdata[i].d_i.next = self.wdata_i[i].val();
            self.column[i].clk.next = self.clk.val();
            self.column[i].rst_n.next = self.rst_n.val();
            self.column[i].wen_i.next = self.wen.q_o.val();
            self.column[i].waddr_i.next = self.waddr.q_o.val();
            self.column[i].wdata_i.next = self.wdata[i].q_o.val();
            self.column[i].ren_i.next = self.ren[i].val();
            self.column[i].addr_i.next = self.addr[i].val();
            self.ren[i + 1].next = self.column[i].ren_o.val();
            self.addr[i + 1].next = self.column[i].addr_o.val();
            self.w_o[i].next = self.column[i].w_o.val();
        }
    }
    module!(|this| Meta::module("weight_memory")
        .param("cols", "c", this._cols, "columns")
        .param("words", "d", this._words, "words"));
}
