#!/usr/bin/env python3
"""A LiteX system without a processor on SimPlatform: a master reads ID, writes a program through the window port, starts it and waits for the interrupt.

Usage: examples/litex/sim.py FOLDER, the folder of `heddle gen` of a machine on AXI4-Lite. LiteX writes the Verilog, Icarus runs it: its own
runner needs headers of libevent and json-c. Prints PASS. Needs litex and Icarus Verilog.
"""

import pathlib
import subprocess
import sys
import tempfile

from heddle import Heddle
from litex.build.generic_platform import Pins
from litex.build.sim import SimPlatform
from litex.gen import LiteXModule
from litex.soc.integration.soc import SoCRegion
from litex.soc.integration.soc_core import SoCMini
from litex.soc.interconnect import axi
from migen import Case, ClockDomain, Display, Finish, FSM, If, NextState, NextValue, Signal

ORIGIN = 0x3000_0000
SYNC, HALT = 0x107, 0x101  # docs/isa.md
PROGRAM = [SYNC, SYNC, HALT]
WRITE, EXPECT, LINE = range(3)  # what a step of the master does


def steps(regs):
    """(what, offset or level, word): a run, and its interrupt."""
    yield EXPECT, regs.ID, regs.ID_VALUE_RESET
    yield WRITE, regs.PORT_ADDR, 1 << 30  # program memory
    for word in PROGRAM:
        yield WRITE, regs.PORT_WLO, word
        yield WRITE, regs.PORT_WHI, 0
        yield EXPECT, regs.STATUS, 0  # the window port is idle
    yield WRITE, regs.IRQ_ENABLE, regs.IRQ_ENABLE_DONE_MASK
    yield LINE, 0, 0
    yield WRITE, regs.CTRL, regs.CTRL_START_MASK
    yield LINE, 1, 0
    yield EXPECT, regs.STATUS, regs.STATUS_DONE_MASK
    yield EXPECT, regs.INSTRUCTIONS, len(PROGRAM)
    yield EXPECT, regs.IRQ_STATUS, regs.IRQ_STATUS_DONE_MASK
    yield WRITE, regs.IRQ_STATUS, regs.IRQ_STATUS_DONE_MASK
    yield LINE, 0, 0


class Master(LiteXModule):
    """Goes through the steps, in place of a processor. A word that is not the one expected, or no answer, ends the simulation."""

    def __init__(self, irq, todo):
        self.bus = bus = axi.AXILiteInterface(data_width=32, address_width=32)
        at, waits, found = Signal(max=len(todo) + 1), Signal(12), Signal(32)
        what, offset, word = Signal(2), Signal(32), Signal(32)
        values = {i: [what.eq(step[0]), offset.eq(step[1]), word.eq(step[2])] for i, step in enumerate(todo)}
        self.sync += Case(at, values)  # in a clock: Icarus looks at no constant in clock 0
        self.comb += [bus.aw.addr.eq(ORIGIN + offset), bus.ar.addr.eq(ORIGIN + offset), bus.w.data.eq(word), bus.w.strb.eq(0xF)]
        done = [NextValue(at, at + 1), NextValue(waits, 0), NextState("FETCH")]
        self.fsm = fsm = FSM(reset_state="FETCH")
        self.sync += If(fsm.ongoing("END"), Display("PASS"), Finish()).Else(waits.eq(waits + 1))
        self.sync += If(waits == 4095, Display("FAIL: step %d, the word read is %x", at, found), Finish())
        fsm.act("FETCH", NextState("NEXT"))
        fsm.act("NEXT", If(at == len(todo), NextState("END")).Else(Case(what, {WRITE: NextState("ADDRESS"), EXPECT: NextState("READ"), "default": NextState("LINE")})))
        fsm.act("ADDRESS", bus.aw.valid.eq(1), If(bus.aw.ready, NextState("WORD")))
        fsm.act("WORD", bus.w.valid.eq(1), If(bus.w.ready, NextState("ANSWER")))
        fsm.act("ANSWER", bus.b.ready.eq(1), If(bus.b.valid & (bus.b.resp == 0), *done))
        fsm.act("READ", bus.ar.valid.eq(1), If(bus.ar.ready, NextState("DATA")))
        fsm.act("DATA", bus.r.ready.eq(1), If(bus.r.valid & (bus.r.resp == 0), NextValue(found, bus.r.data), If(bus.r.data == word, *done).Else(NextState("WRONG"))))
        fsm.act("LINE", If(irq == offset[0], *done))
        fsm.act("WRONG")
        fsm.act("END")


class System(SoCMini):
    """The smallest system with a machine."""

    def __init__(self, platform, folder, todo):
        super().__init__(platform, clk_freq=int(1e6), bus_standard="axi-lite")
        self.cd_sys = ClockDomain()
        self.comb += [self.cd_sys.clk.eq(platform.request("sys_clk")), self.cd_sys.rst.eq(platform.request("sys_rst"))]
        self.heddle = Heddle(platform, folder)
        self.bus.add_slave("heddle", self.heddle.bus, SoCRegion(origin=ORIGIN, size=Heddle.SIZE, cached=False))
        self.master = Master(self.heddle.irq, todo)
        self.bus.add_master("master", self.master.bus)


BENCH = """`timescale 1ns / 1ps
module bench;
  reg clk = 0, rst = 1;
  always #5 clk = !clk;
  initial #100 rst = 0;
  sim dut (.sys_clk(clk), .sys_rst(rst), .sim_trace(1'b0));
endmodule
"""


def main(folder):
    sys.path.append(folder)
    import heddle_regs

    platform = SimPlatform("SIM", [("sys_clk", 0, Pins(1)), ("sys_rst", 0, Pins(1))])
    system = System(platform, folder, list(steps(heddle_regs)))
    system.finalize()
    with tempfile.TemporaryDirectory() as work:
        place = pathlib.Path(work)
        platform.get_verilog(system, name="sim", regular_comb=False).write(str(place / "sim.v"))
        (place / "bench.v").write_text(BENCH)
        sources = [source for source, *_ in platform.sources]
        subprocess.run(["iverilog", "-g2012", "-s", "bench", "-o", "run", *sources, "sim.v", "bench.v"], cwd=work, check=True)
        said = subprocess.run(["vvp", "-n", "run"], cwd=work, check=True, capture_output=True, text=True, timeout=120).stdout
    print(said, end="")
    sys.exit("PASS\n" not in said)


if __name__ == "__main__":
    main(*sys.argv[1:])
