#!/usr/bin/env python3
"""Runs an image on the emitted Verilog: the driver in Python on one side, AxiLiteMaster of cocotbext-axi on the other. A machine with a DMA has an AxiRam,
and runs through its ring.

Usage: driver/python/tests/digits.py FOLDER IMAGE INPUTS OUTPUTS: the folder of `heddle gen`, and bytes of all inputs and outputs, an inference
behind the other.
"""

import itertools
import os
import pathlib
import sys

import cocotb
from bench import Port, simulate
from cocotb.utils import get_sim_time
from cocotbext.axi import AxiBus, AxiRam

AT_ONCE = 4


def memory_of(dut, heddle):
    """Memory behind the AXI4 manager, if there is one."""
    if not hasattr(dut, "m_axi_awvalid"):
        return None
    ram = AxiRam(AxiBus.from_prefix(dut, "m_axi"), dut.aclk, dut.aresetn, False, size=1 << 20)
    return heddle.Memory(ram, (0x1000, 0x7F000), (0x80000, 0x10000))


def split(data, tensors):
    """Bytes of tensors that lie one behind the other, by name."""
    ends = list(itertools.accumulate((own.total for own in tensors), initial=0))
    return {own.name: data[begin:end] for own, begin, end in zip(tensors, ends, ends[1:])}


@cocotb.test()
async def outputs_are_those_of_the_golden_machine(dut):
    import heddle

    image, inputs, outputs = (pathlib.Path(os.environ[f"HEDDLE_{name}"]).read_bytes() for name in ("IMAGE", "INPUTS", "OUTPUTS"))
    port, memory = Port(dut), memory_of(dut, heddle)
    await port.reset()
    machine = heddle.Machine(port, memory)
    await machine.load(image)
    sources, results = ([own for _, own in machine.image.firsts(holds)] for holds in (lambda own: own.is_input, lambda own: own.is_output))
    size, made = (sum(own.total for own in tensors) for tensors in (sources, results))
    loaded, count = get_sim_time("ns") / 10, len(inputs) // size
    assert count > 0 and len(inputs) == count * size and len(outputs) == count * made
    for first in range(0, count, AT_ONCE):
        given = [split(inputs[index * size :], sources) for index in range(first, min(first + AT_ONCE, count))]
        for index, found in enumerate(await machine.infer_all(given), first):
            found, expected = b"".join(found[own.name] for own in results), outputs[index * made :][:made]
            assert found == expected, f"inference {index} is {found.hex()}, expected {expected.hex()}"
    clocks = get_sim_time("ns") / 10 - loaded
    way = "through the ring" if machine.ring else "over the window port"
    print(f"{count} inferences are right {way}: loaded in {loaded:.0f} clocks, then {clocks / count:.0f} clocks each")


if __name__ == "__main__":
    folder, image, inputs, outputs = (os.path.abspath(path) for path in sys.argv[1:])
    simulate(folder, "digits", HEDDLE_IMAGE=image, HEDDLE_INPUTS=inputs, HEDDLE_OUTPUTS=outputs)
