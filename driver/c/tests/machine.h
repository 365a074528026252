// The emitted Verilog of a machine, driven pin by pin, with a memory behind its DMA.
#ifndef MACHINE_H
#define MACHINE_H

#include "System.h"

#include "../heddle_image.h"
#include "need.h"
#ifdef SYSTEM_DMA
#include "axi_memory.h"
#endif
#include "heddle_regs.h"

// A machine whose inputs change after the rising edge.
struct Machine {
  System top;
  uint32_t clocks = 0, interrupts = 0;
#ifdef SYSTEM_DMA
  AxiMemory<System> memory;
#endif

  void Clock() {
#ifdef SYSTEM_DMA
    memory.Sample(top);
#endif
    top.aclk = 1;
    top.eval();
#ifdef SYSTEM_DMA
    memory.Drive(top);
#endif
    top.aclk = 0;
    top.eval();
    clocks++;
  }

  void Reset() {
    top.aresetn = 0;
    top.s_axi_bready = top.s_axi_rready = 1;
    for (int clock = 0; clock < 4; clock++) Clock();
    top.aresetn = 1;
    Clock();
  }

  void Write(uint32_t offset, uint32_t word) {
    top.s_axi_awvalid = top.s_axi_wvalid = 1;
    top.s_axi_awaddr = offset;
    top.s_axi_wdata = word;
    top.s_axi_wstrb = 15;
    for (int clock = 0; clock < 16; clock++) {
      top.eval();
      bool address = top.s_axi_awready, data = top.s_axi_wready, ends = top.s_axi_bvalid;
      Clock();
      if (address) top.s_axi_awvalid = 0;
      if (data) top.s_axi_wvalid = 0;
      if (ends) return;
    }
    Need(false, "a write is not answered");
  }

  uint32_t ReadWord(uint32_t offset) {
    top.s_axi_arvalid = 1;
    top.s_axi_araddr = offset;
    for (int clock = 0; clock < 16; clock++) {
      top.eval();
      bool address = top.s_axi_arready, ends = top.s_axi_rvalid;
      uint32_t word = top.s_axi_rdata;
      Clock();
      if (address) top.s_axi_arvalid = 0;
      if (ends) return word;
    }
    Need(false, "a read is not answered");
    return 0;
  }
};

#endif
