#!/usr/bin/env python3
"""A convolution on the sparse cluster: cocotb on Icarus, no line of Heddle in between.

Usage: examples/sparse_client.py FOLDER [SEED], the folder of `heddle gen --top sparse_cluster` with 8 units of 8 channels, 8 lanes and
1024 words of sums, as in configs/edge.json. Results that are not those of the definition fail. Needs cocotb 2 and Icarus Verilog.
"""
import itertools, json, os, pathlib, random, sys
import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, Timer

UNITS, G, R, BANDS, CELLS = 8, 8, 8, 2, 4  # a unit for each of 4 cells of 2 bands
ROWS, COLS, INPUTS, OUTPUTS, K, PAD = 10, 12, 16, 16, 3, 1
SET, LOAD, WEIGHTS, RUN, DRAIN, SCALE = 0x10, 0x11, 0x12, 0x13, 0x14, 0x18
PITCH, AREA = 3, 6  # a unit keeps at most 7 x 5 results of a group: 8 words for each row, 64 for a group
SHIFT, MULTIPLIER = 6, 1 << 30  # sums are divided by 2^(1 + SHIFT), halves up

def command(opcode, *words):
    return [opcode | (len(words) + 1) << 8, *(word & 0xFFFFFFFF for word in words)]

def word(data):
    return int.from_bytes(bytes(value & 0xFF for value in data), "little")

def span(first, end):
    return first | end << 16

def cells():
    """What each unit takes of the map, equal parts, and the results that it keeps: neighbours overlap in their results."""
    rows = [PAD + ROWS * i // BANDS for i in range(BANDS + 1)]
    cols = [PAD + COLS * i // CELLS for i in range(CELLS + 1)]
    for r, c in itertools.product(range(BANDS), range(CELLS)):
        results = [(max(a, K - 1), min(b + K - 1, n + K - 1)) for a, b, n in ((*rows[r : r + 2], ROWS), (*cols[c : c + 2], COLS))]
        yield (rows[r], rows[r + 1]), (cols[c], cols[c + 1]), *results

def program(bias):
    everything, groups, chunks = (1 << UNITS) - 1, OUTPUTS // G, INPUTS // R
    yield command(SET, 1 << 16 | 2, 0)
    yield command(SET, 1 << 16 | 4, span(0, 32), span(0, 32))
    yield command(DRAIN, 1 << 1 | 5 << 4 | 10 << 8 | 1 << 16 | 1 << 24, 0, span(32, 32), 0, 0)  # clears all 1024 words
    for unit, (*part, rows, cols) in enumerate(cells()):
        yield command(SET, unit << 8, *(span(*side) for side in part))
        yield command(SET, unit << 8 | 4, span(*rows), span(*cols))
    yield command(SCALE, 0, *itertools.chain(*((value, MULTIPLIER, -SHIFT & 0x3F) for value in bias)))
    yield command(WEIGHTS, span(0, INPUTS * K * K * groups), 0, everything, 0)
    yield command(LOAD, 1 << 4 | R << 17 | 127 << 24, span(PAD, PAD), span(ROWS, COLS), chunks - 1 | R << 16, everything, 0)
    yield command(RUN, PITCH << 24 | AREA << 28 | (chunks - 1) << 8 | (K - 1) << 16 | (K - 1) << 20, everything, 0)
    first, bounds = span(K - 1, K - 1), 1 << 31 | span(-128 & 0x1FF, 127)
    yield command(DRAIN, PITCH << 4 | AREA << 8 | groups << 16 | groups << 24, first, span(ROWS, COLS), 0, bounds)

def weight_words(weights):
    """A list for each input channel: a word of G weights for each place of the kernel and group."""
    places = list(itertools.product(range(OUTPUTS // G), range(K), range(K)))
    lists = [(i, place, place == places[-1]) for i in range(INPUTS) for place in places]
    for at in range(0, len(lists), 4):
        block = lists[at : at + 4]
        indices = [kr | kc << 4 | g << 8 | last << 15 for _, (g, kr, kc), last in block]
        yield sum(index << (16 * n) for n, index in enumerate(indices))
        for i, (g, kr, kc), _ in block:
            yield word(weights[G * g + o][kr][kc][i] for o in range(G))

def convolution(data, weights, bias):
    for g, row, col in itertools.product(range(OUTPUTS // G), range(ROWS), range(COLS)):
        for o in range(G * g, G * g + G):
            total = bias[o]
            for kr, kc in itertools.product(range(K), range(K)):
                r, c = row + kr - PAD, col + kc - PAD
                if 0 <= r < ROWS and 0 <= c < COLS:
                    total += sum(x * w for x, w in zip(data[r][c], weights[o][kr][kc]))
            yield max(-128, min(127, (total + (1 << SHIFT)) >> (1 + SHIFT)))

async def send(dut, name, stream):
    valid, ready, bits = (getattr(dut, f"{name}_{part}") for part in ("valid_i", "ready_o", "data_i"))
    for data in stream:
        valid.value, bits.value, taken = 1, data, False
        while not taken:
            await Timer(1, "ns")  # ready may follow inputs
            taken = ready.value == 1
            await FallingEdge(dut.clk)
        valid.value = 0

@cocotb.test()
async def results_are_those_of_the_definition(dut):
    rng = random.Random(int(os.environ["HEDDLE_SEED"]))
    value = lambda: rng.choice((0, 0, 0, 0, rng.randint(-60, 60)))
    data = [[[value() for _ in range(INPUTS)] for _ in range(COLS)] for _ in range(ROWS)]
    weights = [[[[rng.randint(-60, 60) for _ in range(INPUTS)] for _ in range(K)] for _ in range(K)] for _ in range(OUTPUTS)]
    bias = [rng.randint(-500, 500) for _ in range(OUTPUTS)]
    for port in (dut.cmd_valid_i, dut.map_valid_i, dut.weight_valid_i, dut.out_ready_i, dut.count_i, dut.rst_n):
        port.value = 0
    cocotb.start_soon(Clock(dut.clk, 10, "ns").start())
    for _ in range(4):
        await FallingEdge(dut.clk)
    dut.rst_n.value = 1
    slots = [word(data[r][c][i : i + R]) for i in range(0, INPUTS, R) for r in range(ROWS) for c in range(COLS)]
    cocotb.start_soon(send(dut, "cmd", itertools.chain(*program(bias))))
    cocotb.start_soon(send(dut, "map", slots))
    cocotb.start_soon(send(dut, "weight", weight_words(weights)))
    found, last = [], False
    while not last:
        dut.out_ready_i.value = rng.randint(0, 1)
        await Timer(1, "ns")
        assert dut.error_o.value == 0, f"error {int(dut.error_o.value)} behind word {int(dut.words_o.value)}, see docs/sparse.md"
        if dut.out_valid_o.value == 1 and dut.out_ready_i.value == 1:
            found += [(byte ^ 128) - 128 for byte in int(dut.out_data_o.value).to_bytes(8, "little")]
            last = dut.out_last_o.value == 1
        await FallingEdge(dut.clk)
    assert found == list(convolution(data, weights, bias))
    print(f"{len(found)} results are right")

if __name__ == "__main__":
    from cocotb_tools.runner import get_runner

    run = pathlib.Path(sys.argv[1]).resolve()
    top = json.loads((run / "manifest.json").read_text())["top"]
    sources = [run / name for name in (run / "filelist.f").read_text().split()]
    runner = get_runner("icarus")
    runner.build(sources=sources, hdl_toplevel=top, build_dir=run / "build", timescale=("1ns", "1ns"))
    os.environ.update(HEDDLE_SEED=(sys.argv[2:] or ["1"])[0], PYTHONPATH=str(pathlib.Path(__file__).resolve().parent))
    results = runner.test(hdl_toplevel=top, test_module="sparse_client", build_dir=run / "build")
    sys.exit("FAILED" if "<failure" in results.read_text() else 0)
