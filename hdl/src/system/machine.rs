//! The engine behind its register port.

use super::dma::{Dma, DmaShape};
use super::{Axil, Csr, CsrShape, DmaRegisters, Jobs, Supervisor, WindowPort, Wishbone};
use crate::top::{Top, module_name};
use heddle_arch::Params;
use heddle_arch::identity::config_hash;
use heddle_arch::isa::fields::status;
use heddle_arch::params::RegisterBus;
use heddle_arch::registers::{self, ADDRESS_BITS, axi_attr, error};
use heddle_kernel::prelude::*;

/// Neural-network accelerator behind registers on AXI4-Lite or Wishbone.
///
/// The registers are those of heddle_regs.h. A processor writes weights, parameters, operands and a program through the window port, starts it, waits for
/// the interrupt and reads results and counters. With a DMA it writes jobs into a ring in its memory and rings a doorbell instead: they load, run and
/// store by themselves.
///
/// # Timing
/// Every access is answered within 4 clocks, also while a program runs.
#[module(describe)]
pub struct System<const W: usize, const D: usize, const A: usize, const M: usize, const N: usize> {
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
    /// ID of a write burst: always 0.
    pub m_axi_awid: [Signal<Out, Bit>; ids],
    /// Address of a write burst, a byte address.
    pub m_axi_awaddr: [Signal<Out, Bit>; addresses],
    /// Its beats, less 1.
    pub m_axi_awlen: [Signal<Out, Bits<8>>; dma],
    /// Bytes of a beat: always eight.
    pub m_axi_awsize: [Signal<Out, Bits<3>>; dma],
    /// Kind of burst: always INCR.
    pub m_axi_awburst: [Signal<Out, Bits<2>>; dma],
    /// Lock: never.
    pub m_axi_awlock: [Signal<Out, Bit>; dma],
    /// AWCACHE of AXI_ATTR.
    pub m_axi_awcache: [Signal<Out, Bits<4>>; dma],
    /// PROT of AXI_ATTR.
    pub m_axi_awprot: [Signal<Out, Bits<3>>; dma],
    /// QOS of AXI_ATTR.
    pub m_axi_awqos: [Signal<Out, Bits<4>>; dma],
    /// There is a write burst.
    pub m_axi_awvalid: [Signal<Out, Bit>; dma],
    /// It is taken.
    pub m_axi_awready: [Signal<In, Bit>; dma],
    /// Bytes to write.
    pub m_axi_wdata: [Signal<Out, Bits<8>>; 8 * dma],
    /// Strobes: all, or none behind an error.
    pub m_axi_wstrb: [Signal<Out, Bits<8>>; dma],
    /// The last beat of a burst.
    pub m_axi_wlast: [Signal<Out, Bit>; dma],
    /// There is a beat.
    pub m_axi_wvalid: [Signal<Out, Bit>; dma],
    /// It is taken.
    pub m_axi_wready: [Signal<In, Bit>; dma],
    /// ID of an answer: not looked at.
    pub m_axi_bid: [Signal<In, Bit>; ids],
    /// Answer to a write burst.
    pub m_axi_bresp: [Signal<In, Bits<2>>; dma],
    /// There is an answer.
    pub m_axi_bvalid: [Signal<In, Bit>; dma],
    /// It is taken: always.
    pub m_axi_bready: [Signal<Out, Bit>; dma],
    /// ID of a read burst: always 0.
    pub m_axi_arid: [Signal<Out, Bit>; ids],
    /// Address of a read burst, a byte address.
    pub m_axi_araddr: [Signal<Out, Bit>; addresses],
    /// Its beats, less 1.
    pub m_axi_arlen: [Signal<Out, Bits<8>>; dma],
    /// Bytes of a beat: always eight.
    pub m_axi_arsize: [Signal<Out, Bits<3>>; dma],
    /// Kind of burst: always INCR.
    pub m_axi_arburst: [Signal<Out, Bits<2>>; dma],
    /// Lock: never.
    pub m_axi_arlock: [Signal<Out, Bit>; dma],
    /// ARCACHE of AXI_ATTR.
    pub m_axi_arcache: [Signal<Out, Bits<4>>; dma],
    /// PROT of AXI_ATTR.
    pub m_axi_arprot: [Signal<Out, Bits<3>>; dma],
    /// QOS of AXI_ATTR.
    pub m_axi_arqos: [Signal<Out, Bits<4>>; dma],
    /// There is a read burst.
    pub m_axi_arvalid: [Signal<Out, Bit>; dma],
    /// It is taken.
    pub m_axi_arready: [Signal<In, Bit>; dma],
    /// ID of a beat: not looked at.
    pub m_axi_rid: [Signal<In, Bit>; ids],
    /// Bytes read.
    pub m_axi_rdata: [Signal<In, Bits<8>>; 8 * dma],
    /// Answer to a read burst.
    pub m_axi_rresp: [Signal<In, Bits<2>>; dma],
    /// The last beat of a burst.
    pub m_axi_rlast: [Signal<In, Bit>; dma],
    /// There is a beat.
    pub m_axi_rvalid: [Signal<In, Bit>; dma],
    /// It is taken.
    pub m_axi_rready: [Signal<Out, Bit>; dma],
    /// Interrupt: a level.
    pub irq_o: Signal<Out, Bit>,
    axil: [Axil; axil],
    wishbone: [Wishbone; wishbone],
    #[new(CsrShape::of(params))]
    _shape: CsrShape,
    #[new(Csr::new(shape))]
    csr: Csr,
    #[new(WindowPort::new(dma))]
    window_port: WindowPort,
    #[new(DmaRegisters::new(d.address_bits))]
    registers: [DmaRegisters<M>; dma],
    supervisor: [Supervisor<M>; dma],
    #[new(Jobs::new(config_hash(params).into(), d.banked))]
    jobs: [Jobs<M>; dma],
    #[new(Dma::new(d))]
    mover: [Dma<M, N>; dma],
    #[new(Top::new(params))]
    #[own_reset]
    engine: Top<W, D, A>,
    #[argument]
    _params: &Params,
    #[new(DmaShape::of(params))]
    _d: DmaShape,
    #[new(params.has_dma().into())]
    _dma: usize,
    /// Programs have LOAD and STORE.
    #[new(params.programs_move().into())]
    _moves: usize,
    #[new(dma * d.id_bits)]
    _ids: usize,
    #[new(dma * d.address_bits)]
    _addresses: usize,
    /// The bus of the registers is Wishbone, else AXI4-Lite.
    #[new(params.system.as_ref().is_some_and(|s| s.registers == RegisterBus::Wishbone).into())]
    _wishbone: usize,
    #[new(1 - wishbone)]
    _axil: usize,
    /// Word of the read of the cycle before.
    word: Signal<Local, Bits<32>>,
    /// A program runs or is about to.
    starts_or_runs: [Signal<Local, Bit>; dma],
    /// A load, a store is open.
    loads: [Signal<Local, Bit>; dma],
    stores: [Signal<Local, Bit>; dma],
    /// Commands of the program that are open, as STATUS says it.
    moved: [Signal<Local, Bits<32>>; dma],
    #[new(module_name(&params.name))]
    _name: String,
}

impl<const W: usize, const D: usize, const A: usize, const M: usize, const N: usize>
    System<W, D, A, M, N>
{
    fn describe(&self, meta: Meta) -> Meta {
        meta.named(format!("system_{}", self._name)).top().axi()
    }
}

#[kernel]
impl<const W: usize, const D: usize, const A: usize, const M: usize, const N: usize>
    System<W, D, A, M, N>
{
    fn update(&mut self) {
        self.axil();
        self.wishbone();
        self.registers();
        self.window();
        self.engine();
        self.beside();
        self.job_list();
        self.supervise();
        self.transfers();
        self.moves();
        self.bus();
    }

    fn axil(&mut self) {
        for k in 0..self._axil {
            self.handshakes(k);
            self.axil[k].aw_addr_i = self.s_axi_awaddr[k];
            self.axil[k].w_data_i = self.s_axi_wdata[k];
            self.axil[k].w_strb_i = self.s_axi_wstrb[k];
            self.s_axi_bresp[k] = 0.into();
            self.s_axi_bvalid[k] = self.axil[k].b_valid_o;
            self.axil[k].b_ready_i = self.s_axi_bready[k];
            self.axil[k].ar_addr_i = self.s_axi_araddr[k];
            self.s_axi_rdata[k] = self.axil[k].r_data_o;
            self.s_axi_rresp[k] = 0.into();
            self.s_axi_rvalid[k] = self.axil[k].r_valid_o;
            self.axil[k].r_ready_i = self.s_axi_rready[k];
            self.axil[k].word_i = self.word;
            self.csr.write_i = self.axil[k].write_o;
            self.csr.write_addr_i = self.axil[k].write_addr_o;
            self.csr.write_data_i = self.axil[k].write_data_o;
            self.csr.write_whole_i = self.axil[k].write_whole_o;
            self.csr.read_i = self.axil[k].read_o;
            self.csr.read_addr_i = self.axil[k].read_addr_o;
        }
    }

    /// Nothing is taken until the windows are cleared.
    fn handshakes(&mut self, k: usize) {
        if self._dma > 0 {
            self.axil[k].aw_valid_i = self.s_axi_awvalid[k] & self.registers[0].ready_o;
            self.axil[k].w_valid_i = self.s_axi_wvalid[k] & self.registers[0].ready_o;
            self.axil[k].ar_valid_i = self.s_axi_arvalid[k] & self.registers[0].ready_o;
            self.s_axi_awready[k] = self.axil[k].aw_ready_o & self.registers[0].ready_o;
            self.s_axi_wready[k] = self.axil[k].w_ready_o & self.registers[0].ready_o;
            self.s_axi_arready[k] = self.axil[k].ar_ready_o & self.registers[0].ready_o;
        } else {
            self.axil[k].aw_valid_i = self.s_axi_awvalid[k];
            self.axil[k].w_valid_i = self.s_axi_wvalid[k];
            self.axil[k].ar_valid_i = self.s_axi_arvalid[k];
            self.s_axi_awready[k] = self.axil[k].aw_ready_o;
            self.s_axi_wready[k] = self.axil[k].w_ready_o;
            self.s_axi_arready[k] = self.axil[k].ar_ready_o;
        }
    }

    fn wishbone(&mut self) {
        for k in 0..self._wishbone {
            if self._dma > 0 {
                self.wishbone[k].cyc_i = self.wb_cyc_i[k] & self.registers[0].ready_o;
            } else {
                self.wishbone[k].cyc_i = self.wb_cyc_i[k];
            }
            self.wishbone[k].stb_i = self.wb_stb_i[k];
            self.wishbone[k].we_i = self.wb_we_i[k];
            self.wishbone[k].sel_i = self.wb_sel_i[k];
            self.wishbone[k].adr_i = self.wb_adr_i[k];
            self.wishbone[k].dat_i = self.wb_dat_i[k];
            self.wb_ack_o[k] = self.wishbone[k].ack_o;
            self.wb_dat_o[k] = self.wishbone[k].dat_o;
            self.wishbone[k].word_i = self.word;
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
        self.csr.done_i = self.engine.done_o;
        if self._dma > 0 {
            self.word = self.csr.word_o | self.registers[0].late_word_o;
            self.csr.running_i = self.supervisor[0].running_o;
            self.csr.error_i = self.supervisor[0].failed_o;
            self.csr.code_i = self.supervisor[0].error_o.code;
            self.csr.source_i = self.supervisor[0].error_o.source;
            self.csr.pc_i = self.supervisor[0].error_o.pc;
        } else {
            self.word = self.csr.word_o;
            self.csr.running_i = self.engine.running_o;
            self.csr.error_i = self.engine.error_o;
            self.csr.code_i = field!(self.engine.status_o[0], status::CODE);
            self.csr.source_i = self.engine.source_o[0];
            self.csr.pc_i = field!(self.engine.status_o[0], status::PC);
        }
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
        if self._dma > 0 {
            self.window_port.start_i = self.csr.start_o | self.jobs[0].start_o;
            self.window_port.start_pc_i = mux(
                self.jobs[0].start_o,
                self.jobs[0].start_pc_o,
                self.csr.start_pc_o,
            );
        } else {
            self.window_port.start_i = self.csr.start_o;
            self.window_port.start_pc_i = self.csr.start_pc_o;
        }
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

    /// Registers of the DMA.
    fn beside(&mut self) {
        for k in 0..self._dma {
            self.registers[k].write_i = self.csr.write_i;
            self.registers[k].write_addr_i = self.csr.write_addr_i;
            self.registers[k].write_data_i = self.csr.write_data_i;
            self.registers[k].write_whole_i = self.csr.write_whole_i;
            self.registers[k].read_i = self.csr.read_i;
            self.registers[k].read_addr_i = self.csr.read_addr_i;
            self.registers[k].resetting_i = self.csr.resetting_o;
            self.registers[k].queue_i = self.supervisor[k].queue_o;
            self.registers[k].lock_i = self.supervisor[k].lock_o;
            self.registers[k].busy_i = !self.mover[k].idle_o;
            self.registers[k]
                .error_i
                .follow(&self.supervisor[k].error_o);
            self.registers[k].passed_i = self.supervisor[k].passed_o;
            self.registers[k].head_i = self.jobs[k].head_o;
            self.registers[k]
                .region_low_i
                .follow(&self.jobs[k].region_low_o);
            self.registers[k]
                .region_high_i
                .follow(&self.jobs[k].region_high_o);
            self.registers[k].permit_i.follow(&self.mover[k].permit_o);
            self.registers[k].event_i[0] = self.mover[k].events_o.load_word;
            self.registers[k].event_i[1] = self.mover[k].events_o.store_word;
            self.registers[k].event_i[2] = self.mover[k].events_o.read_burst;
            self.registers[k].event_i[3] = self.mover[k].events_o.write_burst;
            for i in 0..2 {
                self.registers[k].event_i[4 + i] = self.jobs[k].stall_o[i];
                for m in 0..self._moves {
                    if self.engine.move_o[m].waits[i] {
                        self.registers[k].event_i[4 + i] = true;
                    }
                }
            }
            self.registers[k].event_i[6] = self.mover[k].events_o.load_yield;
            self.registers[k].event_i[7] = self.mover[k].events_o.store_yield;
            self.registers[k].event_i[8] = self.mover[k].events_o.read_idle;
            self.registers[k].event_i[9] = self.mover[k].events_o.write_wait;
            self.registers[k].event_i[10] = self.jobs[k].takes_o;
            self.csr.dma_i[k].takes = self.registers[k].takes_o;
            self.csr.dma_i[k].known = self.registers[k].known_o;
            self.csr.dma_i[k].word = self.registers[k].word_o;
            self.csr.dma_i[k].queue = self.supervisor[k].queue_o;
            self.csr.dma_i[k].lock = self.supervisor[k].lock_o;
            self.csr.dma_i[k].hung = self.supervisor[k].hung_o;
            self.csr.dma_i[k].busy = !self.mover[k].idle_o;
            self.csr.dma_i[k].index = self.supervisor[k].error_o.index;
            self.csr.dma_i[k].done = self.supervisor[k].done_o;
            self.csr.dma_i[k].emptied = self.supervisor[k].emptied_o;
            self.csr.dma_i[k].settled = self.supervisor[k].settled_o;
            self.csr.dma_i[k].error = (bit_cast::<32, 2>(self.supervisor[k].error_o.resp)
                << error::RESPONSE.lsb.to_bits::<5>())
            .replace_bit(error::PROGRAM.lsb, self.supervisor[k].error_o.program);
            self.csr.dma_i[k].flags = self.moved[k]
                | (bit_cast::<32, 4>(self.mover[k].open_o[0])
                    << registers::status::JOB_LOADS.lsb.to_bits::<5>())
                | (bit_cast::<32, 4>(self.mover[k].open_o[1])
                    << registers::status::JOB_STORES.lsb.to_bits::<5>())
                | bits::<32>(0)
                    .replace_bit(
                        registers::status::QUEUE_EMPTY.lsb,
                        self.supervisor[k].empty_o,
                    )
                    .replace_bit(registers::status::HUNG.lsb, self.supervisor[k].hung_o)
                    .replace_bit(registers::status::LOAD_BUSY.lsb, self.mover[k].load_busy_o)
                    .replace_bit(
                        registers::status::STORE_BUSY.lsb,
                        self.mover[k].store_busy_o,
                    );
        }
    }

    /// Entries of the ring.
    fn job_list(&mut self) {
        for k in 0..self._dma {
            self.loads[k] = self.mover[k].open_o[0].any();
            self.stores[k] = self.mover[k].open_o[1].any();
            self.starts_or_runs[k] =
                self.engine.running_o | self.window_port.starting_o | self.csr.start_o;
            self.jobs[k].clear_i = self.csr.resetting_o;
            self.jobs[k].enable_i = self.supervisor[k].queue_o;
            self.jobs[k].base_i = self.registers[k].base_o;
            self.jobs[k].size_i = self.registers[k].size_o;
            self.jobs[k].tail_i = self.registers[k].tail_o;
            self.jobs[k].fetch_ready_i = self.mover[k].job_ready_o;
            self.jobs[k].word_valid_i = self.mover[k].job_word_valid_o;
            self.jobs[k].word_i.follow(&self.mover[k].job_word_o);
            self.jobs[k]
                .region_wen_i
                .follow(&self.registers[k].region_wen_o);
            self.jobs[k].region_data_i = self.registers[k].region_data_o;
            self.jobs[k].ok_i = self.mover[k].ok_o;
            self.jobs[k].ready_i.follow(&self.mover[k].ready_o);
            self.jobs[k].loads_i = self.loads[k];
            self.jobs[k].stores_i = self.stores[k];
            self.jobs[k].running_i = self.starts_or_runs[k];
        }
    }

    /// The first error, RESET, events.
    fn supervise(&mut self) {
        for k in 0..self._dma {
            self.supervisor[k].ctrl_i.follow(&self.csr.ctrl_o[k]);
            self.supervisor[k].resetting_i = self.csr.resetting_o;
            self.supervisor[k].start_i = self.csr.start_o;
            self.supervisor[k].engine_i.running = self.engine.running_o;
            self.supervisor[k].engine_i.done = self.engine.done_o;
            self.supervisor[k].engine_i.error = self.engine.error_o;
            self.supervisor[k].engine_i.code = field!(self.engine.status_o[0], status::CODE);
            self.supervisor[k].engine_i.source = self.engine.source_o[0];
            self.supervisor[k].engine_i.pc = field!(self.engine.status_o[0], status::PC);
            self.supervisor[k].jobs_i.start = self.jobs[k].start_o;
            self.supervisor[k].jobs_i.run_index = self.jobs[k].run_index_o;
            self.supervisor[k].jobs_i.late = self.jobs[k].late_o;
            self.supervisor[k].jobs_i.fence = self.jobs[k].fence_o;
            self.supervisor[k].jobs_i.interrupt = self.jobs[k].interrupt_o;
            self.supervisor[k].jobs_i.error = self.jobs[k].error_o;
            self.supervisor[k].jobs_i.error_index = self.jobs[k].error_index_o;
            self.supervisor[k].jobs_i.empty = self.jobs[k].empty_o;
            self.supervisor[k].fault_i.follow(&self.mover[k].error_o);
            self.supervisor[k].idle_i = self.mover[k].idle_o;
            self.supervisor[k].expired_i = self.mover[k].expired_o;
            self.supervisor[k].open_i = self.loads[k] | self.stores[k];
            let of_cluster = self.mover[k].write_o.addr.get_bits::<3>(29) == 3;
            self.supervisor[k].held_i =
                self.mover[k].write_o.valid & of_cluster & !self.engine.dma_ready_o[2 * k];
            self.engine.stop_i[k] = self.supervisor[k].failed_o;
            self.engine.keep_i[k] = self.jobs[k].keep_o & !self.supervisor[k].own_o;
        }
    }

    /// Commands of the DMA, and its way to the memories.
    fn transfers(&mut self) {
        for k in 0..self._dma {
            self.mover[k].stop_i = self.supervisor[k].stop_o;
            self.mover[k].clear_i = self.supervisor[k].clear_o;
            self.mover[k].lost_i = !self.csr.engine_rst_n_o;
            self.mover[k].timeout_i = self.registers[k].timeout_o;
            self.mover[k].window_i.follow(&self.registers[k].window_o);
            self.mover[k].entry_i.follow(&self.jobs[k].entry_o);
            self.mover[k].enters_i.follow(&self.jobs[k].enters_o);
            self.mover[k]
                .region_low_i
                .follow(&self.jobs[k].region_low_o);
            self.mover[k]
                .region_high_i
                .follow(&self.jobs[k].region_high_o);
            self.mover[k].job_valid_i = self.jobs[k].fetch_valid_o;
            self.mover[k].job_addr_i = self.jobs[k].fetch_addr_o;
            self.mover[k].job_index_i = self.jobs[k].fetch_index_o;
            self.engine.dma_i[2 * k].valid = self.mover[k].write_o.valid;
            self.engine.dma_i[2 * k].addr = self.mover[k].write_o.addr;
            self.engine.dma_i[2 * k]
                .wdata
                .follow(&self.mover[k].write_o.data);
            self.engine.dma_i[2 * k].zero = self.mover[k].write_o.zero;
            self.mover[k].write_ready_i = self.engine.dma_ready_o[2 * k];
            self.engine.dma_i[2 * k + 1].valid = self.mover[k].read_o.valid;
            self.engine.dma_i[2 * k + 1].addr = self.mover[k].read_o.addr;
            self.engine.dma_i[2 * k + 1].zero = self.mover[k].read_o.zero;
            for i in 0..8 {
                self.engine.dma_i[2 * k + 1].wdata[i] = 0.into();
            }
            self.mover[k].read_ready_i = self.engine.dma_ready_o[2 * k + 1];
            self.mover[k].answer_valid_i = self.engine.dma_o[k].rvalid;
            self.mover[k].answer_i.follow(&self.engine.dma_o[k].rdata);
        }
    }

    /// LOAD and STORE of the program.
    fn moves(&mut self) {
        for k in 0..self._dma {
            self.moved[k] = 0.into();
        }
        for k in 0..self._moves {
            self.mover[k].move_i.follow(&self.engine.move_o);
            self.jobs[k].moving_i[0] = self.engine.move_o[k].valid;
            self.engine.move_i[k].ok = self.mover[k].ok_o;
            for i in 0..2 {
                self.engine.move_i[k].open[i] = self.mover[k].move_open_o[i];
                self.engine.move_i[k].ready[i] =
                    self.mover[k].move_ready_o[i] & !self.jobs[k].reading_o[0];
            }
            self.moved[k] = (bit_cast::<32, 4>(self.mover[k].move_open_o[0])
                << registers::status::PROGRAM_LOADS.lsb.to_bits::<5>())
                | (bit_cast::<32, 4>(self.mover[k].move_open_o[1])
                    << registers::status::PROGRAM_STORES.lsb.to_bits::<5>());
        }
    }

    /// The AXI4 manager.
    fn bus(&mut self) {
        for k in 0..self._dma {
            self.m_axi_awvalid[k] = self.mover[k].aw_valid_o;
            self.mover[k].aw_ready_i = self.m_axi_awready[k];
            self.m_axi_awlen[k] = self.mover[k].aw_len_o;
            self.m_axi_awsize[k] = 3.into();
            self.m_axi_awburst[k] = 1.into();
            self.m_axi_awlock[k] = false;
            self.m_axi_awcache[k] = field!(self.registers[k].attr_o, axi_attr::AWCACHE);
            self.m_axi_awprot[k] = field!(self.registers[k].attr_o, axi_attr::PROT);
            self.m_axi_awqos[k] = field!(self.registers[k].attr_o, axi_attr::QOS);
            self.m_axi_wvalid[k] = self.mover[k].w_valid_o;
            self.mover[k].w_ready_i = self.m_axi_wready[k];
            self.m_axi_wdata.follow(&self.mover[k].w_data_o);
            self.m_axi_wstrb[k] = self.mover[k].w_strb_o;
            self.m_axi_wlast[k] = self.mover[k].w_last_o;
            self.mover[k].b_valid_i = self.m_axi_bvalid[k];
            self.m_axi_bready[k] = self.mover[k].b_ready_o;
            self.mover[k].b_resp_i = self.m_axi_bresp[k];
            self.m_axi_arvalid[k] = self.mover[k].ar_valid_o;
            self.mover[k].ar_ready_i = self.m_axi_arready[k];
            self.m_axi_arlen[k] = self.mover[k].ar_len_o;
            self.m_axi_arsize[k] = 3.into();
            self.m_axi_arburst[k] = 1.into();
            self.m_axi_arlock[k] = false;
            self.m_axi_arcache[k] = field!(self.registers[k].attr_o, axi_attr::ARCACHE);
            self.m_axi_arprot[k] = field!(self.registers[k].attr_o, axi_attr::PROT);
            self.m_axi_arqos[k] = field!(self.registers[k].attr_o, axi_attr::QOS);
            self.mover[k].r_valid_i = self.m_axi_rvalid[k];
            self.m_axi_rready[k] = self.mover[k].r_ready_o;
            self.mover[k].r_data_i.follow(&self.m_axi_rdata);
            self.mover[k].r_resp_i = self.m_axi_rresp[k];
            self.mover[k].r_last_i = self.m_axi_rlast[k];
            for i in 0..self._ids {
                self.m_axi_awid[i] = false;
                self.m_axi_arid[i] = false;
            }
            for i in 0..self._addresses {
                self.m_axi_awaddr[i] = self.mover[k].aw_addr_o.get_bit(i);
                self.m_axi_araddr[i] = self.mover[k].ar_addr_o.get_bit(i);
            }
        }
    }
}
