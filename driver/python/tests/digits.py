#!/usr/bin/env python3
"""Runs an image on the emitted Verilog: the driver in Python on one side, AxiLiteMaster of cocotbext-axi on the other.

Usage: driver/python/tests/digits.py FOLDER IMAGE INPUTS OUTPUTS: the folder of `heddle gen`, and bytes of inputs and outputs, an inference behind
the other.
"""

import os
import pathlib
import sys

import cocotb
from bench import Port, simulate
from cocotb.utils import get_sim_time


@cocotb.test()
async def outputs_are_those_of_the_golden_machine(dut):
    import heddle

    image, inputs, outputs = (pathlib.Path(os.environ[f"HEDDLE_{name}"]).read_bytes() for name in ("IMAGE", "INPUTS", "OUTPUTS"))
    port = Port(dut)
    await port.reset()
    machine = heddle.Machine(port)
    await machine.load(image)
    source, result = (next(own for own in machine.image.tensors if own.region == region) for region in (1, 2))
    loaded, count = get_sim_time("ns") / 10, len(inputs) // source.total
    assert count > 0 and len(inputs) == count * source.total and len(outputs) == count * result.total
    for index in range(count):
        given = inputs[index * source.total :][: source.total]
        found = (await machine.infer({source.name: given}))[result.name]
        expected = outputs[index * result.total :][: result.total]
        assert found == expected, f"inference {index} is {found.hex()}, expected {expected.hex()}"
    clocks = get_sim_time("ns") / 10 - loaded
    print(f"{count} inferences are right: loaded in {loaded:.0f} clocks, then {clocks / count:.0f} clocks each")


if __name__ == "__main__":
    folder, image, inputs, outputs = (os.path.abspath(path) for path in sys.argv[1:])
    simulate(folder, "digits", HEDDLE_IMAGE=image, HEDDLE_INPUTS=inputs, HEDDLE_OUTPUTS=outputs)
