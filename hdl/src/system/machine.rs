//! The engine behind its register port.

use super::{Axil, Csr, CsrShape, WindowPort};
use crate::control::counters;
use crate::sliced::SlicedShape;
use crate::top::{Top, module_name};
use heddle_arch::Params;
use heddle_arch::isa::fields::status;
use heddle_arch::params::PartialSums;
use heddle_arch::registers::ADDRESS_BITS;
use heddle_kernel::prelude::*;

/// Neural-network accelerator behind AXI4-Lite registers.
///
/// The registers are those of heddle_regs.h. A processor writes weights, parameters, operands and a program through the window port, starts it, waits for
/// the interrupt and reads results and counters.
///
/// # Timing
/// Every access is answered within 4 clocks, also while a program runs.
#[module(describe)]
pub struct System<const W: usize, const D: usize, const A: usize> {
    /// Address of a write, a byte address.
    pub s_axi_awaddr: Signal<In, Bits<ADDRESS_BITS>>,
    /// Protection of a write: not looked at.
    pub s_axi_awprot: Signal<In, Bits<3>>,
    /// There is an address of a write.
    pub s_axi_awvalid: Signal<In, Bit>,
    /// It is taken.
    pub s_axi_awready: Signal<Out, Bit>,
    /// Word to write.
    pub s_axi_wdata: Signal<In, Bits<32>>,
    /// Its bytes that are to be written: all, or it is a bad access.
    pub s_axi_wstrb: Signal<In, Bits<4>>,
    /// There is a word.
    pub s_axi_wvalid: Signal<In, Bit>,
    /// It is taken.
    pub s_axi_wready: Signal<Out, Bit>,
    /// Answer to a write: always OKAY.
    pub s_axi_bresp: Signal<Out, Bits<2>>,
    /// There is an answer.
    pub s_axi_bvalid: Signal<Out, Bit>,
    /// It is taken.
    pub s_axi_bready: Signal<In, Bit>,
    /// Address of a read, a byte address.
    pub s_axi_araddr: Signal<In, Bits<ADDRESS_BITS>>,
    /// Protection of a read: not looked at.
    pub s_axi_arprot: Signal<In, Bits<3>>,
    /// There is an address of a read.
    pub s_axi_arvalid: Signal<In, Bit>,
    /// It is taken.
    pub s_axi_arready: Signal<Out, Bit>,
    /// Word read.
    pub s_axi_rdata: Signal<Out, Bits<32>>,
    /// Answer to a read: always OKAY.
    pub s_axi_rresp: Signal<Out, Bits<2>>,
    /// There is a word.
    pub s_axi_rvalid: Signal<Out, Bit>,
    /// It is taken.
    pub s_axi_rready: Signal<In, Bit>,
    /// Interrupt: a level.
    pub irq_o: Signal<Out, Bit>,
    axil: Axil,
    #[new(CsrShape::of(params))]
    _shape: CsrShape,
    #[new(Csr::new(shape))]
    csr: Csr,
    window_port: WindowPort,
    #[new(Top::new(params))]
    #[own_reset]
    engine: Top<W, D, A>,
    #[argument]
    _params: &Params,
    #[new(counters(SlicedShape::of_bank(params).slices()))]
    _counts: usize,
    #[new((params.array.partial_sums == PartialSums::Top).into())]
    _sums: usize,
    #[new(module_name(&params.name))]
    _name: String,
}

impl<const W: usize, const D: usize, const A: usize> System<W, D, A> {
    fn describe(&self, meta: Meta) -> Meta {
        meta.named(format!("system_{}", self._name)).top().axi()
    }
}

#[kernel]
impl<const W: usize, const D: usize, const A: usize> System<W, D, A> {
    fn update(&mut self) {
        self.bus();
        self.registers();
        self.window();
        self.engine();
    }

    /// AXI4-Lite.
    fn bus(&mut self) {
        self.axil.aw_addr_i = self.s_axi_awaddr;
        self.axil.aw_valid_i = self.s_axi_awvalid;
        self.s_axi_awready = self.axil.aw_ready_o;
        self.axil.w_data_i = self.s_axi_wdata;
        self.axil.w_strb_i = self.s_axi_wstrb;
        self.axil.w_valid_i = self.s_axi_wvalid;
        self.s_axi_wready = self.axil.w_ready_o;
        self.s_axi_bresp = 0.into();
        self.s_axi_bvalid = self.axil.b_valid_o;
        self.axil.b_ready_i = self.s_axi_bready;
        self.axil.ar_addr_i = self.s_axi_araddr;
        self.axil.ar_valid_i = self.s_axi_arvalid;
        self.s_axi_arready = self.axil.ar_ready_o;
        self.s_axi_rdata = self.axil.r_data_o;
        self.s_axi_rresp = 0.into();
        self.s_axi_rvalid = self.axil.r_valid_o;
        self.axil.r_ready_i = self.s_axi_rready;
        self.axil.word_i = self.csr.word_o;
        self.irq_o = self.csr.irq_o;
    }

    fn registers(&mut self) {
        self.csr.write_i = self.axil.write_o;
        self.csr.write_addr_i = self.axil.write_addr_o;
        self.csr.write_data_i = self.axil.write_data_o;
        self.csr.write_whole_i = self.axil.write_whole_o;
        self.csr.read_i = self.axil.read_o;
        self.csr.read_addr_i = self.axil.read_addr_o;
        self.csr.running_i = self.engine.running_o;
        self.csr.done_i = self.engine.done_o;
        self.csr.error_i = self.engine.error_o;
        self.csr.code_i = field!(self.engine.status_o[0], status::CODE);
        self.csr.source_i = self.engine.source_o[0];
        self.csr.pc_i = field!(self.engine.status_o[0], status::PC);
        self.csr.cluster_busy_i = flag!(self.engine.status_o[0], status::CLUSTER);
        self.csr.count_i.follow(&self.engine.count_o);
        self.csr.stall_sums_i.follow(&self.engine.stall_sums_o);
        self.csr.port_busy_i = self.window_port.busy_o;
        self.csr.starting_i = self.window_port.starting_o;
        self.csr.port_taken_i = self.window_port.taken_o;
        self.csr.port_word_i[0] = self.window_port.word_o[0];
        self.csr.port_word_i[1] = self.window_port.word_o[1];
    }

    fn window(&mut self) {
        self.window_port.clear_i = self.csr.resetting_o;
        self.window_port.start_i = self.csr.start_o;
        self.window_port.pc_changes_i = self.csr.pc_changes_o;
        self.window_port.pc_i = self.csr.start_pc_o;
        self.window_port.zero_changes_i = self.csr.zero_changes_o;
        self.window_port.zero_i = self.csr.host_zero_o;
        self.window_port.read_i = self.csr.port_read_o;
        self.window_port.write_i = self.csr.port_write_o;
        self.window_port.addr_i = self.csr.port_addr_o;
        self.window_port.wdata_i[0] = self.csr.port_data_o[0];
        self.window_port.wdata_i[1] = self.csr.port_data_o[1];
        self.window_port.running_i = self.engine.running_o;
        self.window_port.host_ready_i = self.engine.host_ready_o;
        self.window_port.host_i.follow(&self.engine.host_o);
    }

    fn engine(&mut self) {
        // A reset of the engine alone, and with all others.
        self.engine.rst_n = self.csr.engine_rst_n_o;
        self.engine.host_i.follow(&self.window_port.host_o);
    }
}
