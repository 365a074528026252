#!/usr/bin/env python3
"""Runs a program of `heddle compile` on the emitted Verilog: cocotb on Icarus, no line of Heddle in between.

Usage: docs/client.py FOLDER, which holds top/ (heddle gen), p.json (heddle compile), m.json (the network) and sim.json
(heddle sim --json). Prints the outputs; an output that is not that of sim.json fails. Needs cocotb 2 and Icarus Verilog.
"""
import itertools
import json
import os
import pathlib
import sys

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, Timer

START_PC, CTRL, STATUS, HOST_ZERO = 2 * 8, 1 * 8, 3 * 8, 4 * 8
PROGRAM, COLUMNS, BUFFER, ROW_TABLES = 1 << 30, 2 << 30, 3 << 30, 3 << 30 | 1 << 29


async def access(dut, address, data=None):
    """Writes data, or reads without; inputs change at the falling edge."""
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


async def write_bytes(dut, address, data):
    for at in range(0, len(data), 8):
        await access(dut, address + at, int.from_bytes(data[at : at + 8], "little"))


def rows(tensor):
    """Address and first value of every row of a tensor of planes."""
    _, height, width = tensor["shape"]
    for partition, planes in enumerate(tensor["planes"]):
        for (plane, channel), y in itertools.product(enumerate(planes), range(height)):
            at = tensor["origin"] + plane * tensor["plane_stride"] + y * tensor["pitch"]
            yield BUFFER | partition << 21 | at, (channel * height + y) * width


async def load(dut, program):
    """What is written once, or for a segment. A byte passes the port as it is while HOST_ZERO is 0."""
    await access(dut, HOST_ZERO, 0)
    for piece in program["image"]:
        address = BUFFER | piece["partition"] << 21 | piece["word"] << 3
        await write_bytes(dut, address, bytes.fromhex(piece["bytes"]))
    for c in program["columns"]:
        address = COLUMNS | c["column"] << 21 | c["tile"] << 4
        await access(dut, address, c["bias"] & 0xFFFFFFFF)
        await access(dut, address | 8, c["multiplier"] | (c["shift"] & 0x3F) << 32)
    for row, entry, offset in program["row_offsets"]:
        data = 0 if offset is None else 1 << 16 | offset
        await access(dut, ROW_TABLES | row << 21 | entry << 3, data)
    words, first = program["words"], 8 * program.get("first_word", 0)
    for at in range(0, len(words), 8):
        await access(dut, PROGRAM | first + at, int(words[at : at + 8], 16))


async def infer(dut, program, image):
    """One image: input, runs, output. Segments are loaded before their first run, the first one before the input."""
    source, result = program["tensors"][0], program["tensors"][-1]
    segments = {segment["runs"][0]: segment for segment in program.get("segments", [])}
    if segments:
        await load(dut, segments.pop(0))
    width, zero = source["shape"][2], source["zero_point"]
    await access(dut, HOST_ZERO, zero & 0xFF)
    for address, at in rows(source):
        values = image[at : at + width] + [zero] * (-width % 8)  # a halo is a real zero
        await write_bytes(dut, address, bytes(value & 0xFF for value in values))
    for index, run in enumerate(program["runs"]):
        if index in segments:
            await load(dut, segments[index])
        await access(dut, START_PC, run["start_pc"])
        await access(dut, CTRL, 1)
        await FallingEdge(dut.clk)
        while dut.running_o.value == 1:
            await FallingEdge(dut.clk)
        status = await access(dut, STATUS)
        assert status & 7 == 2, f"{run['name']}: STATUS is {status:#x}, see docs/isa.md"
    await access(dut, HOST_ZERO, result["zero_point"] & 0xFF)
    width, output = result["shape"][2], {}
    for address, at in rows(result):
        words = [await access(dut, address + x) for x in range(0, width, 8)]
        data = b"".join(word.to_bytes(8, "little") for word in words)[:width]
        output[at] = [(byte ^ 128) - 128 for byte in data]  # a byte has a sign
    return [value for at in sorted(output) for value in output[at]]


@cocotb.test()
async def outputs_are_those_of_the_golden_network(dut):
    folder = pathlib.Path(os.environ["HEDDLE_RUN"])
    read = lambda name: json.loads((folder / name).read_text())
    program, images = read("p.json")["program"], read("m.json")["test"]["images"]
    dut.host_valid_i.value, dut.rst_n.value = 0, 0
    cocotb.start_soon(Clock(dut.clk, 10, "ns").start())
    for _ in range(4):
        await FallingEdge(dut.clk)
    dut.rst_n.value = 1
    await load(dut, program)
    for image, expected in zip(images, read("sim.json")["report"]["outputs"]):
        found = await infer(dut, program, image)
        print("output", found)
        assert found == expected, f"expected {expected}"


if __name__ == "__main__":
    from cocotb_tools.runner import get_runner

    run = pathlib.Path(sys.argv[1]).resolve()
    top = json.loads((run / "top/manifest.json").read_text())["top"]
    sources = [run / "top" / name for name in (run / "top/filelist.f").read_text().split()]
    runner = get_runner("icarus")
    runner.build(sources=sources, hdl_toplevel=top, build_dir=run / "build", timescale=("1ns", "1ns"))
    os.environ.update(HEDDLE_RUN=str(run), PYTHONPATH=str(pathlib.Path(__file__).resolve().parent))
    results = runner.test(hdl_toplevel=top, test_module="client", build_dir=run / "build")
    sys.exit("FAILED" if "<failure" in results.read_text() else 0)
