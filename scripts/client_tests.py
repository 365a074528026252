"""The test that scripts/client_networks.py runs: the written client with random gaps, unknown operands and resets."""

import json
import os
import pathlib
import random

import cocotb
from client import HOST_ZERO, Machine, Port
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, Timer
from cocotb.types import LogicArray

class Reset(Exception):
    """The machine was reset: what it had been told is void."""


class RandomPort(Port):
    """A port that leaves gaps, in which nobody knows the operands, and is reset at some access or in a run."""

    def __init__(self, dut, seed):
        super().__init__(dut)
        self.random, self.unknown = random.Random(seed), {}
        # Accesses and runs before a reset; None if there is none to come.
        self.accesses, self.runs = None, None
        for name in ("host_write_i", "host_addr_i", "host_wdata_i"):
            pin = getattr(dut, name)
            self.unknown[name] = LogicArray("X" * len(pin))

    def idle(self):
        self.dut.host_valid_i.value = 0
        for name, value in self.unknown.items():
            getattr(self.dut, name).value = value

    async def access(self, address, data=None):
        if self.accesses is not None:
            self.accesses -= 1
            if self.accesses < 0:
                await self.reset_in("an access")
        for _ in range(self.random.choice((0, 0, 0, 1, 3))):
            self.idle()
            await Timer(1, "ns")
            assert self.dut.host_ready_o.value.is_resolvable, "host_ready_o is unknown in a gap"
            await FallingEdge(self.dut.clk)
        result = await super().access(address, data)
        self.idle()
        return result

    async def ended(self):
        assert self.dut.running_o.value == 1 and self.dut.done_o.value == 0, "the start does not show"
        if self.runs is not None:
            self.runs -= 1
            if self.runs < 0:
                for _ in range(self.random.randrange(200)):
                    await FallingEdge(self.dut.clk)
                await self.reset_in("a run")
        await super().ended()

    async def reset_in(self, what):
        """A write that is offered in reset is not taken."""
        print("reset in", what)
        self.dut.rst_n.value, self.dut.host_valid_i.value, self.dut.host_write_i.value = 0, 1, 1
        self.dut.host_addr_i.value, self.dut.host_wdata_i.value = HOST_ZERO, 85
        for _ in range(self.random.randrange(1, 4)):
            await Timer(1, "ns")
            assert self.dut.host_ready_o.value == 0, "host_ready_o is high in reset"
            await FallingEdge(self.dut.clk)
        self.idle()
        self.dut.rst_n.value, self.accesses, self.runs = 1, None, None
        await FallingEdge(self.dut.clk)
        assert await super().access(HOST_ZERO) == 0, "a write in reset was taken"
        raise Reset


@cocotb.test()
async def outputs_are_those_of_the_golden_network(dut):
    folder = pathlib.Path(os.environ["HEDDLE_RUN"])
    read = lambda name: json.loads((folder / name).read_text())
    network, program, expected = read("m.json"), read("p.json")["program"], read("expected.json")
    cocotb.start_soon(Clock(dut.clk, 10, "ns").start())
    port = RandomPort(dut, program["network"])
    port.idle()
    await port.reset()
    words = len(program["words"]) // 8 + sum(len(piece["bytes"]) // 16 for piece in program["image"])
    runs = sum(not run.get("host") for run in program["runs"])
    for attempt in range(3):
        machine = Machine(port, network, program)
        port.accesses = port.random.randrange(1, 2 + words) if attempt == 0 else None
        port.runs = port.random.randrange(runs) if attempt == 1 and runs else None
        try:
            await machine.start()
            made = await machine.infer(network["test"]["images"][0])
        except Reset:
            continue
        for tensor, values in made.items():
            name = program["tensors"][tensor]["name"]
            assert tensor == 0 or values == expected[name], f"{name} is {values}, expected {expected[name]}"
        assert len(made) == len(program["runs"]) + 1
