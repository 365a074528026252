#!/usr/bin/env python3
"""Runs a program of `heddle compile` on the emitted Verilog: cocotb on Icarus, no line of Heddle in between.

Usage: docs/client.py FOLDER, which holds top/ (heddle gen), p.json and heddle_layout.py (heddle compile), m.json (the network)
and sim.json (heddle sim --json). Prints the outputs; an output that is not that of sim.json fails. Needs cocotb 2 and Icarus Verilog.
"""
import json
import os
import pathlib
import sys

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, Timer

CTRL, START_PC, STATUS, HOST_ZERO = 1 * 8, 2 * 8, 3 * 8, 4 * 8
PROGRAM, COLUMNS, BUFFER = 1 << 30, 2 << 30, 3 << 30
# Bit 29: the other memories of these regions.
CLUSTER, TABLES, ROW_TABLES = PROGRAM | 1 << 29, COLUMNS | 1 << 29, BUFFER | 1 << 29


class Port:
    """The host port of a machine; inputs change at the falling edge."""

    def __init__(self, dut):
        self.dut = dut

    async def reset(self):
        self.dut.host_valid_i.value, self.dut.rst_n.value = 0, 0
        for _ in range(4):
            await FallingEdge(self.dut.clk)
        self.dut.rst_n.value = 1

    async def access(self, address, data=None):
        """Writes data, or reads without."""
        dut = self.dut
        dut.host_valid_i.value, dut.host_write_i.value = 1, int(data is not None)
        dut.host_addr_i.value, dut.host_wdata_i.value = address, data or 0
        taken = False
        while not taken:
            await Timer(1, "ns")
            taken = dut.host_ready_o.value == 1
            await FallingEdge(dut.clk)
        dut.host_valid_i.value = 0
        while data is None and dut.host_rvalid_o.value == 0:
            await FallingEdge(dut.clk)
        return int(dut.host_rdata_o.value) if data is None else None

    async def ended(self):
        """Waits for the end of a run, which shows in the clock after its start."""
        if self.dut.running_o.value == 1:
            await FallingEdge(self.dut.running_o)
        await FallingEdge(self.dut.clk)


def hexadecimal(text, digits):
    return [int(text[at : at + digits], 16) for at in range(0, len(text), digits)]


class Machine:
    """A machine with a program, and the host's part of it."""

    def __init__(self, port, network, program):
        from heddle_layout import Host, Layout  # of the folder, beside the program

        self.port, self.program = port, program
        self.layout, self.host = Layout(program), Host(network, program)
        self.segments = {segment["runs"][0]: segment for segment in program.get("segments", [])}

    async def load(self, part):
        """What is written once, or for a segment. A byte passes the port as it is while HOST_ZERO is 0."""
        access = self.port.access
        await access(HOST_ZERO, 0)
        for piece in part["image"]:
            address = BUFFER | piece["partition"] << 21 | piece["word"] << 3
            data = bytes.fromhex(piece["bytes"])
            for at in range(0, len(data), 8):
                await access(address + at, int.from_bytes(data[at : at + 8], "little"))
        for column in part["columns"]:
            address = COLUMNS | column["column"] << 21 | column["tile"] << 4
            await access(address, column["bias"] & 0xFFFFFFFF)
            await access(address | 8, scale(column))
        for table, text in enumerate(part.get("tables", [])):
            for byte, stored in enumerate(bytes.fromhex(text)):
                await access(TABLES | table << 11 | byte << 3, stored)
        for row, entry, offset in part["row_offsets"]:
            await access(ROW_TABLES | row << 21 | entry << 3, 0 if offset is None else 1 << 16 | offset)
        await self.load_words(hexadecimal(part["words"], 8), part.get("first_word", 0))

    async def load_words(self, words, first):
        """Words of a program in banks go in pairs, the even one in the lower half."""
        width = {"separate": 1, "banks": 2}[self.program["machine"]["program_memory"]]
        words = [0] * (first % width) + words + [0] * (-(first + len(words)) % width)
        for at in range(0, len(words), width):
            data = sum(word << 32 * i for i, word in enumerate(words[at : at + width]))
            await self.port.access(PROGRAM | ((first + at) // width) << 3, data)

    async def start(self):
        """After a reset."""
        await self.load(self.program)
        for text in self.program.get("cluster", []):
            await self.port.access(CLUSTER | (len(text) == 16) << 3, int(text, 16))
        while self.program.get("cluster") and await self.port.access(STATUS) & 8:
            pass

    async def write(self, tensor, values):
        await self.port.access(HOST_ZERO, self.program["tensors"][tensor]["zero_point"] & 0xFF)
        for partition, word, data in self.layout.words(tensor, values):
            await self.port.access(BUFFER | partition << 21 | word << 3, int.from_bytes(data, "little"))

    async def read(self, tensor):
        await self.port.access(HOST_ZERO, self.program["tensors"][tensor]["zero_point"] & 0xFF)
        words = []
        for partition, word in self.layout.places(tensor):
            data = await self.port.access(BUFFER | partition << 21 | word << 3)
            words.append(data.to_bytes(8, "little"))
        return self.layout.values(tensor, words)

    async def run(self, run):
        await self.port.access(START_PC, run["start_pc"])
        await self.port.access(CTRL, 1)
        await self.port.ended()
        status = await self.port.access(STATUS)
        assert status & 7 == 2, f"{run['name']}: STATUS is {status:#x}, see docs/isa.md"

    async def infer(self, image):
        """What each run makes of an image, by the number of its tensor: runs of the machine, and layers of the host."""
        made = {0: self.host.given(image, 0)}
        if 0 in self.segments:
            await self.load(self.segments[0])
        await self.write(0, made[0])
        for index, run in enumerate(self.program["runs"]):
            if index in self.segments and index > 0:
                await self.load(self.segments[index])
            layer, end = run["layers"][0], run["layers"][1]
            if run.get("host"):
                sources = self.program["layers"][layer]["inputs"]
                keeps = self.program.get("keeps")
                inputs = [made[source] if keeps else await self.read(source) for source in sources]
                made[end] = self.host.run(layer, image, inputs)
                await self.write(end, made[end])
            else:
                await self.run(run)
                made[end] = await self.read(end)
        self.host.keep(made)
        return made


def scale(column):
    """The word of multiplier and shift, or of the two factors of a dual scale."""
    if column.get("factors"):
        upper, lower = column["factors"]
        return ((14 - column["shift"]) & 0x3F | lower >> 15 << 6) << 32 | (lower & 0x7FFF) << 17 | upper
    return (column["shift"] & 0x3F) << 32 | column["multiplier"]


@cocotb.test()
async def outputs_are_those_of_the_golden_network(dut):
    folder = pathlib.Path(os.environ["HEDDLE_RUN"])
    read = lambda name: json.loads((folder / name).read_text())
    network, program = read("m.json"), read("p.json")["program"]
    cocotb.start_soon(Clock(dut.clk, 10, "ns").start())
    port = Port(dut)
    await port.reset()
    machine = Machine(port, network, program)
    await machine.start()
    for image, expected in zip(network["test"]["images"], read("sim.json")["report"]["outputs"]):
        made = await machine.infer(image)
        found = made[len(program["layers"])]
        print("output", found)
        assert found == expected, f"expected {expected}"


def simulate(run, module, build=None):
    """Whether the tests of a module of Python pass on run/top, with what lies in run."""
    from cocotb_tools.runner import get_runner

    top = json.loads((run / "top/manifest.json").read_text())["top"]
    sources = [run / "top" / name for name in (run / "top/filelist.f").read_text().split()]
    runner = get_runner("icarus")
    build = build or run / "build"
    runner.build(sources=sources, hdl_toplevel=top, build_dir=build, timescale=("1ns", "1ns"))
    os.environ["HEDDLE_RUN"] = str(run)
    sys.path.append(str(run))  # heddle_layout.py: the simulator's Python gets these folders
    results = runner.test(hdl_toplevel=top, test_module=module, build_dir=build, results_xml=str(run / "results.xml"))
    return "<failure" not in results.read_text()


if __name__ == "__main__":
    sys.exit(0 if simulate(pathlib.Path(sys.argv[1]).resolve(), "client") else "FAILED")
