"""A Heddle machine in a LiteX system: an AXI4-Lite slave of the bus, and its interrupt.

    heddle = Heddle(platform, "build/edge_axi")     # the folder of `heddle gen` of a machine on AXI4-Lite
    soc.add_module("heddle", heddle)
    soc.bus.add_slave("heddle", heddle.bus, SoCRegion(origin=0x3000_0000, size=heddle.SIZE, cached=False))
    soc.irq.add("heddle", use_loc_if_exists=True)    # with a processor

The offsets of registers are those of heddle_regs.h in that folder.
"""

import json
import pathlib

from litex.gen import LiteXModule
from litex.soc.interconnect import axi
from litex.soc.interconnect.csr_eventmanager import EventManager, EventSourceLevel
from migen import ClockSignal, Constant, Instance, ResetSignal, Signal


class Heddle(LiteXModule):
    """The machine. `bus` is its register port, `irq` its line, `ev` the same for a processor."""

    SIZE = 0x1000

    def __init__(self, platform, folder):
        folder = pathlib.Path(folder).resolve()
        top = json.loads((folder / "manifest.json").read_text())["top"]
        for name in (folder / "filelist.f").read_text().split():
            platform.add_source(str(folder / name))
        self.bus, self.irq = axi.AXILiteInterface(data_width=32, address_width=32), Signal()
        self.ev = EventManager()
        self.ev.line = EventSourceLevel()
        self.ev.finalize()
        self.comb += self.ev.line.trigger.eq(self.irq)
        ports = dict(i_aclk=ClockSignal("sys"), i_aresetn=~ResetSignal("sys"), o_irq_o=self.irq)
        for channel, payload, from_master in (
            ("aw", ("addr",), True), ("w", ("data", "strb"), True), ("b", ("resp",), False),
            ("ar", ("addr",), True), ("r", ("resp", "data"), False),
        ):
            stream, to, back = getattr(self.bus, channel), *("io" if from_master else "oi")
            ports[f"{to}_s_axi_{channel}valid"] = stream.valid
            ports[f"{back}_s_axi_{channel}ready"] = stream.ready
            for name in payload:
                signal = getattr(stream, name)
                ports[f"{to}_s_axi_{channel}{name}"] = signal[:12] if name == "addr" else signal
            if channel in ("aw", "ar"):
                ports[f"i_s_axi_{channel}prot"] = Constant(0, 3)
        self.specials += Instance(top, **ports)
