#!/usr/bin/env python3
"""Random loads and stores of the DMA against AxiRam of cocotbext-axi, with random pauses on all five channels of its bus: no beat is lost or doubled.

Usage: driver/python/tests/beats.py FOLDER [COUNT [SEED]], the folder of `heddle gen` of a machine with a DMA; COUNT beats.
"""

import os
import random
import sys

import cocotb
from bench import Port, pauses, simulate
from cocotb.utils import get_sim_time
from cocotbext.axi import AxiBus, AxiRam

RING, SOURCE, RESULT, SIZE = 0x1000, 0x4000, 0x10000, 1 << 18
BATCH = 7  # loads and stores behind each other, and a fence
MOST = 1000  # words of one of them


def put(name, value):
    import heddle_image as image

    mask, shift = getattr(image, name + "_MASK"), getattr(image, name + "_SHIFT")
    assert value << shift & ~mask == 0, f"{name} is {value}"
    return value << shift


class Traffic:
    """What memories of both sides hold: loads go to one half of each partition while stores read the other."""

    def __init__(self, rng, ram, rows, words):
        self.rng, self.ram, self.rows, self.words = rng, ram, rows, words
        self.buffer, self.beats, self.loaded, self.stored = {}, 0, 0, 0
        data = rng.randbytes(RESULT - SOURCE)
        ram.write(SOURCE, data)
        self.source = [data[at : at + 8] for at in range(0, len(data), 8)]

    def shape(self):
        """Turns of the three loops, and the loop that walks partitions."""
        rng, walks = self.rng, self.rng.randrange(4)
        counts = [rng.choice((1, rng.randrange(1, most), most)) for most in (200, 8, 4)]
        if walks:
            counts[walks - 1] = min(counts[walks - 1], self.rows)
        return counts, walks

    def places(self, counts, walks, half):
        """First place, steps, and (partition, word) of each turn; none twice."""
        rng, words = self.rng, self.words // 2
        while True:
            steps = [rng.choice((1, rng.randrange(1, 9))), rng.randrange(1, 129), rng.randrange(1, 129)]
            first, part = rng.randrange(words), rng.randrange(self.rows - (counts[walks - 1] - 1 if walks else 0))
            turns = [(i, j, k) for k in range(counts[2]) for j in range(counts[1]) for i in range(counts[0])]
            all_places = [
                (part + (turn[walks - 1] if walks else 0), first + sum(n * step for n, step in zip(turn, steps))) for turn in turns
            ]
            if max(word for _, word in all_places) < words and len(set(all_places)) == len(turns):
                return counts, half * words + first, part, steps, [(part, half * words + word) for part, word in all_places]
            counts[rng.randrange(3)] //= 2
            counts = [max(count, 1) for count in counts]

    def transfer(self, kind, half, base, room):
        """Words of an entry, and the places of both sides."""
        import heddle_image as image

        rng = self.rng
        counts, walks = self.shape()
        counts, first, part, steps, places = self.places(counts, walks, half)
        row, rows = 8 * counts[0], counts[0] * counts[1] * 8
        pitch = [row + 8 * rng.choice((0, 0, 1, 5)), 0]
        pitch[1] = max(pitch[0] * counts[1], rows) + 8 * rng.choice((0, 0, 3))
        reach = pitch[1] * counts[2]
        if len(places) > MOST or reach > room:
            return None
        offset = 8 * rng.randrange((room - reach) // 8 + 1)
        zero = rng.randrange(256)
        words = [
            put("JOB_TYPE", kind),
            put("TRANSFER_SPACE", image.SPACE_BUFFER) | put("TRANSFER_REGION", 0 if kind == image.JOB_IS_LOAD else 1)
            | put("TRANSFER_PARTITIONS", walks) | put("TRANSFER_ZERO", zero),
            offset + base,
            put("BUFFER_PLACE_INDEX", first) | put("BUFFER_PLACE_PARTITION", part),
            put("LOOP_X_COUNT", counts[0] - 1) | put("LOOP_X_STEP", steps[0]),
            put("LOOP_OUTER_COUNT", counts[1] - 1) | put("LOOP_OUTER_STEP", steps[1]),
            pitch[0],
            put("LOOP_OUTER_COUNT", counts[2] - 1) | put("LOOP_OUTER_STEP", steps[2]),
            pitch[1],
        ]
        turns = [(i, j, k) for k in range(counts[2]) for j in range(counts[1]) for i in range(counts[0])]
        memory = [base + offset + 8 * i + pitch[0] * j + pitch[1] * k for i, j, k in turns]
        return words + [0] * 7, zero, list(zip(places, memory))

    def load(self, half):
        import heddle_image as image

        made = self.transfer(image.JOB_IS_LOAD, half, 0, RESULT - SOURCE)
        if made is None:
            return None
        words, zero, moves = made
        for place, at in moves:
            self.buffer[place] = bytes((byte - zero) % 256 for byte in self.source[at // 8])
        self.loaded += len(moves)
        return words

    def whole(self, row):
        """All words of a partition, so that each has a value."""
        import heddle_image as image

        for word in range(self.words):
            self.buffer[row, word] = self.source[word]
        self.loaded += self.words
        words = [put("JOB_TYPE", image.JOB_IS_LOAD), 0, 0, put("BUFFER_PLACE_PARTITION", row)]
        return words + [put("LOOP_X_COUNT", self.words - 1) | put("LOOP_X_STEP", 1)] + [0] * 11

    def store(self, half, slot, expected):
        """Behind each other in the result, so that no two write one word."""
        import heddle_image as image

        room = (SIZE - RESULT) // BATCH & -8
        made = self.transfer(image.JOB_IS_STORE, half, slot * room, room)
        if made is None:
            return None
        words, zero, moves = made
        for place, at in moves:
            expected[at] = bytes((byte + zero) % 256 for byte in self.buffer[place])
        self.stored += len(moves)
        return words


@cocotb.test()
async def all_beats_arrive_once(dut):
    import heddle_image as image
    import heddle_regs as regs
    from heddle_ring import Memory, Ring

    seed, count = os.environ["HEDDLE_SEED"], int(os.environ["HEDDLE_COUNT"])
    rng, port = random.Random(seed), Port(dut)
    ram = AxiRam(AxiBus.from_prefix(dut, "m_axi"), dut.aclk, dut.aresetn, False, size=SIZE)
    await port.reset()
    write, read = ram.write_if, ram.read_if
    channels = (write.aw_channel, write.w_channel, write.b_channel, read.ar_channel, read.r_channel)
    for number, channel in enumerate(channels):
        channel.set_pause_generator(pauses(random.Random(f"{seed} {number}")))
    caps, shape = await port.read(regs.CAPS), await port.read(regs.SHAPE)
    words = 1 << ((caps & regs.CAPS_BANKS_MASK) >> regs.CAPS_BANKS_SHIFT) + ((caps & regs.CAPS_BANK_WORDS_MASK) >> regs.CAPS_BANK_WORDS_SHIFT)
    traffic = Traffic(rng, ram, shape & regs.SHAPE_ROWS_MASK, words)
    ring = Ring(port, Memory(ram, (RING, RESULT - RING), (RESULT, SIZE - RESULT)), 100)
    await ring.windows(caps)
    await ring.address(regs.Q_BASE_LO, regs.Q_BASE_HI, RING)
    await port.write(regs.Q_SIZE, ring.memory.entries.bit_length() - 1 << regs.Q_SIZE_LOG_SHIFT)
    await ring.address(regs.REGION0_LO, regs.REGION0_HI, SOURCE)
    await ring.address(regs.REGION1_LO, regs.REGION1_HI, RESULT)
    await port.write(regs.CTRL, regs.CTRL_QUEUE_MASK)
    await ring.pass_through([(traffic.whole(row), None) for row in range(traffic.rows)])
    half, batches = 0, 0
    while traffic.loaded + traffic.stored < count:
        blank = rng.randbytes(8) * ((SIZE - RESULT) // 8)
        ram.write(RESULT, blank)
        expected, jobs = {}, []
        for slot in range(BATCH):
            made = traffic.store(1 - half, slot, expected) if rng.random() < 0.6 else traffic.load(half)
            jobs += [(made or traffic.load(half), None)]
        jobs = [job for job in jobs if job[0]] + [([image.JOB_IS_FENCE] + [0] * 15, None)]
        await ring.pass_through(jobs)
        found = ram.read(RESULT, SIZE - RESULT)
        for at in range(0, SIZE - RESULT, 8):
            word = expected.get(at, blank[:8])
            assert found[at : at + 8] == word, f"seed {seed}, batch {batches}: {found[at:at+8].hex()} at {at:#x}, expected {word.hex()}"
        for name, own in (("LOAD_WORDS", traffic.loaded), ("STORE_WORDS", traffic.stored)):
            counted = await port.read(getattr(regs, name))
            assert counted == own, f"seed {seed}, batch {batches}: {name} is {counted}, expected {own}"
        half, batches = 1 - half, batches + 1
    assert traffic.loaded > count / 5 and traffic.stored > count / 5, f"{traffic.loaded} loaded, {traffic.stored} stored"
    clocks = get_sim_time("ns") / 10
    print(f"{traffic.loaded} words loaded and {traffic.stored} stored, each once, in {batches} batches of {clocks:.0f} clocks")


if __name__ == "__main__":
    count, seed = (sys.argv[2:] + ["10000", "1"][len(sys.argv) - 2 :])[:2]
    simulate(sys.argv[1], "beats", HEDDLE_COUNT=count, HEDDLE_SEED=seed)
