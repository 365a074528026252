//! The engine behind its register port.

use super::{Axil, Csr, CsrShape, WindowPort, Wishbone};
use crate::top::{Top, module_name};
use heddle_arch::Params;
use heddle_arch::isa::fields::status;
use heddle_arch::params::RegisterBus;
use heddle_arch::registers::ADDRESS_BITS;
use heddle_kernel::prelude::*;

/// Neural-network accelerator behind registers on AXI4-Lite or Wishbone.
///
/// The registers are those of heddle_regs.h. A processor writes weights, parameters, operands and a program through the window port, starts it, waits for
/// the interrupt and reads results and counters.
///
/// # Timing
/// Every access is answered within 4 clocks, also while a program runs.
#[module(describe)]
pub struct System<const W: usize, const D: usize, const A: usize> {
    /// Address of a write, a byte address.
    pub s_axi_awaddr: [Signal<In, Bits<ADDRESS_BITS>>; axil],
    /// Protection of a write: not looked at.
    pub s_axi_awprot: [Signal<In, Bits<3>>; axil],
    /// There is an address of a write.
    pub s_axi_awvalid: [Signal<In, Bit>; axil],
    /// It is taken.
    pub s_axi_awready: [Signal<Out, Bit>; axil],
    /// Word to write.
    pub s_axi_wdata: [Signal<In, Bits<32>>; axil],
    /// Its bytes that are to be written: all, or it is a bad access.
    pub s_axi_wstrb: [Signal<In, Bits<4>>; axil],
    /// There is a word.
    pub s_axi_wvalid: [Signal<In, Bit>; axil],
    /// It is taken.
    pub s_axi_wready: [Signal<Out, Bit>; axil],
    /// Answer to a write: always OKAY.
    pub s_axi_bresp: [Signal<Out, Bits<2>>; axil],
    /// There is an answer.
    pub s_axi_bvalid: [Signal<Out, Bit>; axil],
    /// It is taken.
    pub s_axi_bready: [Signal<In, Bit>; axil],
    /// Address of a read, a byte address.
    pub s_axi_araddr: [Signal<In, Bits<ADDRESS_BITS>>; axil],
    /// Protection of a read: not looked at.
    pub s_axi_arprot: [Signal<In, Bits<3>>; axil],
    /// There is an address of a read.
    pub s_axi_arvalid: [Signal<In, Bit>; axil],
    /// It is taken.
    pub s_axi_arready: [Signal<Out, Bit>; axil],
    /// Word read.
    pub s_axi_rdata: [Signal<Out, Bits<32>>; axil],
    /// Answer to a read: always OKAY.
    pub s_axi_rresp: [Signal<Out, Bits<2>>; axil],
    /// There is a word.
    pub s_axi_rvalid: [Signal<Out, Bit>; axil],
    /// It is taken.
    pub s_axi_rready: [Signal<In, Bit>; axil],
    /// A Wishbone cycle is under way.
    pub wb_cyc_i: [Signal<In, Bit>; wishbone],
    /// There is a request.
    pub wb_stb_i: [Signal<In, Bit>; wishbone],
    /// Write, else read.
    pub wb_we_i: [Signal<In, Bit>; wishbone],
    /// Bytes that are meant: of a write all, or it is a bad access.
    pub wb_sel_i: [Signal<In, Bits<4>>; wishbone],
    /// Byte address.
    pub wb_adr_i: [Signal<In, Bits<ADDRESS_BITS>>; wishbone],
    /// Word to write.
    pub wb_dat_i: [Signal<In, Bits<32>>; wishbone],
    /// The request is done.
    pub wb_ack_o: [Signal<Out, Bit>; wishbone],
    /// Word read.
    pub wb_dat_o: [Signal<Out, Bits<32>>; wishbone],
    /// Interrupt: a level.
    pub irq_o: Signal<Out, Bit>,
    axil: [Axil; axil],
    wishbone: [Wishbone; wishbone],
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
    /// The bus of the registers is Wishbone, else AXI4-Lite.
    #[new(params.system.as_ref().is_some_and(|s| s.registers == RegisterBus::Wishbone).into())]
    _wishbone: usize,
    #[new(1 - wishbone)]
    _axil: usize,
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
        self.axil();
        self.wishbone();
        self.registers();
        self.window();
        self.engine();
    }

    fn axil(&mut self) {
        for k in 0..self._axil {
            self.axil[k].aw_addr_i = self.s_axi_awaddr[k];
            self.axil[k].aw_valid_i = self.s_axi_awvalid[k];
            self.s_axi_awready[k] = self.axil[k].aw_ready_o;
            self.axil[k].w_data_i = self.s_axi_wdata[k];
            self.axil[k].w_strb_i = self.s_axi_wstrb[k];
            self.axil[k].w_valid_i = self.s_axi_wvalid[k];
            self.s_axi_wready[k] = self.axil[k].w_ready_o;
            self.s_axi_bresp[k] = 0.into();
            self.s_axi_bvalid[k] = self.axil[k].b_valid_o;
            self.axil[k].b_ready_i = self.s_axi_bready[k];
            self.axil[k].ar_addr_i = self.s_axi_araddr[k];
            self.axil[k].ar_valid_i = self.s_axi_arvalid[k];
            self.s_axi_arready[k] = self.axil[k].ar_ready_o;
            self.s_axi_rdata[k] = self.axil[k].r_data_o;
            self.s_axi_rresp[k] = 0.into();
            self.s_axi_rvalid[k] = self.axil[k].r_valid_o;
            self.axil[k].r_ready_i = self.s_axi_rready[k];
            self.axil[k].word_i = self.csr.word_o;
            self.csr.write_i = self.axil[k].write_o;
            self.csr.write_addr_i = self.axil[k].write_addr_o;
            self.csr.write_data_i = self.axil[k].write_data_o;
            self.csr.write_whole_i = self.axil[k].write_whole_o;
            self.csr.read_i = self.axil[k].read_o;
            self.csr.read_addr_i = self.axil[k].read_addr_o;
        }
    }

    fn wishbone(&mut self) {
        for k in 0..self._wishbone {
            self.wishbone[k].cyc_i = self.wb_cyc_i[k];
            self.wishbone[k].stb_i = self.wb_stb_i[k];
            self.wishbone[k].we_i = self.wb_we_i[k];
            self.wishbone[k].sel_i = self.wb_sel_i[k];
            self.wishbone[k].adr_i = self.wb_adr_i[k];
            self.wishbone[k].dat_i = self.wb_dat_i[k];
            self.wb_ack_o[k] = self.wishbone[k].ack_o;
            self.wb_dat_o[k] = self.wishbone[k].dat_o;
            self.wishbone[k].word_i = self.csr.word_o;
            self.csr.write_i = self.wishbone[k].write_o;
            self.csr.write_addr_i = self.wishbone[k].write_addr_o;
            self.csr.write_data_i = self.wishbone[k].write_data_o;
            self.csr.write_whole_i = self.wishbone[k].write_whole_o;
            self.csr.read_i = self.wishbone[k].read_o;
            self.csr.read_addr_i = self.wishbone[k].read_addr_o;
        }
    }

    fn registers(&mut self) {
        self.irq_o = self.csr.irq_o;
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
        self.window_port.start_pc_i = self.csr.start_pc_o;
        self.window_port.read_i = self.csr.port_read_o;
        self.window_port.write_i = self.csr.port_write_o;
        self.window_port.host_zero_i = self.csr.host_zero_o;
        self.window_port.running_i = self.engine.running_o;
        self.window_port.host_ready_i = self.engine.host_ready_o;
        self.window_port.host_i.follow(&self.engine.host_o);
    }

    fn engine(&mut self) {
        // A reset of the engine alone, and with all others.
        self.engine.rst_n = self.rst_n & self.csr.engine_rst_n_o;
        self.engine.start_i[0] = self.window_port.start_o;
        self.engine.start_pc_i[0] = self.window_port.pc_o;
        self.engine.zero_i[0] = self.window_port.zero_o;
        self.engine.host_i.valid = self.window_port.valid_o;
        self.engine.host_i.write = self.window_port.write_o;
        self.engine.host_i.addr = self.csr.port_addr_o;
        for i in 0..4 {
            self.engine.host_i.wdata[i] = self.csr.port_data_o[0].get_bits::<8>(8 * i);
            self.engine.host_i.wdata[i + 4] = self.csr.port_data_o[1].get_bits::<8>(8 * i);
        }
    }
}
