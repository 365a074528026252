#!/usr/bin/env python3
"""Random accesses to the registers of a machine, compared with a model: AxiLiteMaster of cocotbext-axi with random pauses on all five channels.

Usage: driver/python/tests/accesses.py FOLDER [COUNT [SEED]], the folder of `heddle gen` of a machine on AXI4-Lite.
"""

import os
import random
import sys

import cocotb
from bench import Port, simulate
from cocotb.triggers import ClockCycles, Combine, SimTimeoutError

HALT, SYNC, ILLEGAL = 0x101, 0x107, 0x100  # docs/isa.md
ROWS, WORDS = 4, 8  # of the state buffer
PLAIN = ("START_PC", "HOST_ZERO", "IRQ_ENABLE", "PORT_ADDR", "PORT_WLO")


class Model:
    """What the registers and the memories hold."""

    def __init__(self, port, rng):
        import heddle_image
        import heddle_regs as regs

        self.port, self.rng, self.regs = port, rng, regs
        self.word = dict.fromkeys(PLAIN, 0)
        self.mask = {name: self.bits(name) for name in PLAIN}
        self.mask["IRQ_ENABLE"] &= ~regs.IRQ_ENABLE_QUEUE_EMPTY_MASK  # the machine has no DMA
        self.happened, self.words, self.events = 0, {}, dict.fromkeys(("bad", "run", "error", "window", "both"), 0)
        self.buffer, self.program = heddle_image.WINDOW_BUFFER, heddle_image.WINDOW_PROGRAM

    def bits(self, name):
        """All bits of the fields of a register."""
        masks = [key for key in vars(self.regs) if key.startswith(name + "_") and key.endswith("_MASK")]
        return sum(getattr(self.regs, key) for key in masks)

    async def write(self, name, word):
        self.word[name] = word & self.mask[name]
        await self.port.write(getattr(self.regs, name), word)

    async def check(self, name):
        found, expected = await self.port.read(getattr(self.regs, name)), self.word[name]
        assert found == expected, f"{name} is {found:#x}, expected {expected:#x}"

    async def mixed(self):
        """Writes and reads at once, of different registers; several of a kind wait at a time."""
        names = self.rng.sample(PLAIN, len(PLAIN))
        cut = self.rng.randrange(1, len(names))
        writes = [self.write(self.rng.choice(names[:cut]), self.rng.getrandbits(32)) for _ in range(self.rng.randrange(1, 6))]
        reads = [self.check(self.rng.choice(names[cut:])) for _ in range(self.rng.randrange(1, 6))]
        await Combine(*(cocotb.start_soon(access) for access in writes + reads))
        self.events["both"] += 1
        for name in PLAIN:
            await self.check(name)

    async def bad(self):
        """Accesses that change nothing."""
        regs, rng, word = self.regs, self.rng, self.rng.getrandbits(32)
        kind = rng.randrange(5)
        if kind == 0:
            first = rng.randrange(4)
            data = word.to_bytes(4, "little")[first : rng.randrange(first + 1, 5 - (first == 0))]
            await self.port.write_bytes(getattr(regs, rng.choice(PLAIN)) + first, data)
        elif kind == 1:
            await self.port.write(rng.choice((regs.ID, regs.CONFIG, regs.STATUS, regs.ERROR, regs.PORT_RHI, regs.CYCLES)), word)
        elif kind == 2:
            await self.port.write(rng.choice((0x054, 0x400, 0xFFC)), word)
        elif kind == 3:
            offset = rng.choice((0x024, 0x05C, 0x200, 0x800, 0xFFC))
            assert await self.port.read(offset) == 0, f"{offset:#x} reads other than 0"
        else:
            await self.write("PORT_ADDR", word & (1 << 30) - 1)  # region 0
            await self.port.write(regs.PORT_CTRL, regs.PORT_CTRL_READ_MASK)
        self.happened |= regs.IRQ_STATUS_BAD_ACCESS_MASK
        self.events["bad"] += 1
        for name in PLAIN:
            await self.check(name)

    async def idle(self):
        while await self.port.read(self.regs.STATUS) & self.regs.STATUS_PORT_BUSY_MASK:
            pass

    async def put(self, word):
        await self.write("PORT_WLO", word & 0xFFFFFFFF)
        await self.port.write(self.regs.PORT_WHI, word >> 32)
        await self.idle()
        self.word["PORT_ADDR"] = self.word["PORT_ADDR"] + 8 & 0xFFFFFFFF

    async def get(self):
        await self.port.write(self.regs.PORT_CTRL, self.regs.PORT_CTRL_READ_MASK)
        await self.idle()
        self.word["PORT_ADDR"] = self.word["PORT_ADDR"] + 8 & 0xFFFFFFFF
        return await self.port.read(self.regs.PORT_RLO) | await self.port.read(self.regs.PORT_RHI) << 32

    async def window(self, fresh=()):
        """Words of the state buffer: none lost, none doubled, each with the zero point of its access. Others have no value before."""
        zero = self.rng.randrange(256)
        await self.write("HOST_ZERO", zero)
        row, first = fresh or (self.rng.randrange(ROWS), self.rng.randrange(WORDS))
        indices = range(first, WORDS if fresh else self.rng.randrange(first, WORDS) + 1)
        base, place, partition = self.buffer
        await self.write("PORT_ADDR", base + first * place + row * partition)
        writes = fresh or self.rng.random() < 0.5
        for index in indices:
            if writes:
                data = self.rng.randbytes(8)
                await self.put(int.from_bytes(data, "little"))
                self.words[row, index] = bytes((byte - zero) % 256 for byte in data)
                continue
            found = (await self.get()).to_bytes(8, "little")
            expected = bytes((byte + zero) % 256 for byte in self.words[row, index])
            assert found == expected, f"partition {row}, word {index} is {found.hex()}, expected {expected.hex()}"
            self.events["window"] += 1
        await self.check("PORT_ADDR")

    async def run(self):
        """A program of some SYNCs and a HALT, or a word that is no instruction."""
        regs, port, start = self.regs, self.port, self.rng.randrange(16)
        is_wrong = self.rng.random() < 0.3
        program = [SYNC] * self.rng.randrange(4) + [ILLEGAL if is_wrong else HALT]
        await self.write("PORT_ADDR", self.program[0] + 8 * start)
        for word in program:
            await self.put(word)
        await self.write("START_PC", start)
        await port.write(regs.CTRL, regs.CTRL_START_MASK)
        while (status := await port.read(regs.STATUS)) & regs.STATUS_RUNNING_MASK:
            pass
        if is_wrong:
            assert status & regs.STATUS_ERROR_MASK and not status & regs.STATUS_DONE_MASK, f"STATUS is {status:#x}"
            place = await port.read(regs.ERROR_PC)
            assert place == start + len(program) - 1, f"ERROR_PC is {place}"
            self.happened |= regs.IRQ_STATUS_ERROR_MASK
            await port.write(regs.CTRL, regs.CTRL_RESET_MASK)
            while await port.read(regs.STATUS) & regs.STATUS_RESETTING_MASK:
                pass
        else:
            assert status & regs.STATUS_DONE_MASK, f"STATUS is {status:#x}"
            count = await port.read(regs.INSTRUCTIONS)
            assert count == len(program), f"{count} instructions of {len(program)}"
            self.happened |= regs.IRQ_STATUS_DONE_MASK
        self.events["error" if is_wrong else "run"] += 1

    async def interrupts(self):
        """The line, and what has happened; some of it is cleared."""
        regs, port = self.regs, self.port
        await ClockCycles(port.dut.aclk, 3)
        line, found = int(port.dut.irq_o.value), await port.read(regs.IRQ_STATUS)
        assert found == self.happened, f"IRQ_STATUS is {found:#x}, expected {self.happened:#x}"
        assert line == (found & self.word["IRQ_ENABLE"] != 0), f"irq_o is {line} with {found:#x}"
        cleared = self.rng.getrandbits(32)
        await port.write(regs.IRQ_STATUS, cleared)
        self.happened &= ~cleared


@cocotb.test()
async def registers_and_window_port_are_those_of_the_model(dut):
    seed, count = os.environ["HEDDLE_SEED"], int(os.environ["HEDDLE_COUNT"])
    rng, port = random.Random(seed), Port(dut)
    await port.reset()
    port.pause(seed)
    model = Model(port, rng)
    for row in range(ROWS):
        await model.window((row, 0))
    while port.reads + port.writes < count:
        step = rng.choices((model.mixed, model.bad, model.window, model.run), (4, 2, 4, 1))[0]
        try:
            await step()
            await model.interrupts()
        except (AssertionError, SimTimeoutError) as error:
            raise AssertionError(f"seed {seed}, access {port.reads + port.writes}: {error!r}") from None
    assert all(model.events.values()), f"never happened: {model.events}"
    print(f"{port.reads} reads and {port.writes} writes are right: {model.events}")


if __name__ == "__main__":
    count, seed = (sys.argv[2:] + ["10000", "1"][len(sys.argv) - 2 :])[:2]
    simulate(sys.argv[1], "accesses", HEDDLE_COUNT=count, HEDDLE_SEED=seed)
