#!/usr/bin/env python3
"""Prints cases of what the host computes, with results of the reference in Python, a line each.

Usage: driver/c/tests/vectors.py
A line: operation, types of source and result, rows, length, stride, multiplier, shift, scale (bits), zero point (32 bits), then
bytes of the source and of the result in hexadecimal.
"""
import math
import pathlib
import random
import struct
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "compiler/src"))
import heddle_layout

INT8, UINT8, INT32, FLOAT = range(4)
random.seed(1)


def single(value):
    """The float32 next to a number."""
    return struct.unpack("<f", struct.pack("<f", value))[0]


def show(operation, types, rows, length, stride, source, made, multiplier=0, shift=0, scale=0.0, zero=0):
    bits = struct.unpack("<I", struct.pack("<f", scale))[0]
    print(operation, *types, rows, length, stride, multiplier, shift, bits, zero & 0xFFFFFFFF, source.hex(), made.hex())


def packed(values, kind):
    return struct.pack(f"<{len(values)}{'bBif'[kind]}", *values)


def places(row, length, stride):
    first = row // stride * length * stride + row % stride
    return [first + at * stride for at in range(length)]


def half_away(value):
    return math.copysign(math.floor(abs(value) + 0.5), value)


def quantised(value, scale, zero, kind, rounded=half_away):
    low = 0 if kind == UINT8 else -128
    if math.isnan(value):
        return 0
    try:
        steps = single(value / scale)
    except OverflowError:
        steps = math.copysign(math.inf, value)
    if math.isinf(steps):
        return low + 255 if steps > 0 else low
    return int(max(low, min(low + 255, rounded(steps) + zero)))


# Rows, multipliers and shifts for which the last bit of a product of negative numbers counts.
LAST_BITS = [
    ((0, -15, -58), 1635858495, 20), ((0, -36, -7), 2072086200, 22), ((0, -9, -8), 2059800389, 23),
    ((0, -19), 1967949309, 22), ((0, -48, -9), 1796965828, 23), ((0, -50), 1197915477, 21),
    ((0, -3, -56), 1293842108, 22), ((0, -16, -26), 1534985199, 22), ((0, -41, -5), 2131070976, 20),
    ((0, -24, -45), 1157321076, 22), ((0, -61, -55), 1797751250, 20), ((0, -24, -28), 1315583464, 20),
]


def short_rows():
    """Few elements that are near each other: their shares are large."""
    rows = list(LAST_BITS)
    for _ in range(300):
        row = [random.randint(-20, 0) for _ in range(random.randint(2, 9))]
        rows.append((row, random.randint(1 << 30, (1 << 31) - 1), random.randint(18, 23)))
    for row, multiplier, shift in rows:
        made = heddle_layout.softmax(list(row), (multiplier, shift))
        show(3, (INT8, INT8), 1, len(row), 1, packed(row, INT8), packed(made, INT8), multiplier, shift)


def rows_of(operation):
    """Shares or places of the largest along rows with and without a stride, of bytes with and without a sign."""
    for case in range(60):
        rows, length, stride = random.choice([(1, 10, 1), (4, 7, 2), (6, 1, 3), (3, 40, 3), (1, 600, 1), (12, 16, 4)])
        kind, spread = random.choice([INT8, UINT8]), random.choice([0, 2, 20, 127])
        values = [random.randint(-spread - (spread > 0), spread) for _ in range(rows * length)]
        multiplier, shift = random.randint(1 << 30, (1 << 31) - 1), random.randint(15, 26)
        if case % 10 == 0:
            multiplier, shift = random.choice([(0, 0), ((1 << 31) - 1, 30), (1, 0)])
        made = [0] * (rows if operation == 4 else rows * length)
        for row in range(rows):
            own = [values[place] for place in places(row, length, stride)]
            if operation == 4:
                made[row] = own.index(max(own))
                continue
            for place, share in zip(places(row, length, stride), heddle_layout.softmax(own, (multiplier, shift))):
                made[place] = share
        moved = 128 if kind == UINT8 else 0
        source = packed([value + moved for value in values], kind)
        if operation == 4:
            show(4, (kind, INT32), rows, length, stride, source, packed(made, INT32))
        else:
            made = packed([share + moved for share in made], kind)
            show(3, (kind, kind), rows, length, stride, source, made, multiplier, shift)


def reals():
    for case in range(40):
        kind = random.choice([INT8, UINT8])
        zero = random.randint(0, 255) - (128 if kind == INT8 else 0)
        scale = single(random.choice([1.0, 0.5, 1 / 255, 0.1, 3.0, 1e-30, 1e30]) * (1 if case % 2 else random.uniform(0.5, 2)))
        values = [single(random.uniform(-300, 300) * scale) for _ in range(60)]
        values += [single((step + 0.5) * scale) for step in range(-130, 130)]
        values += [single(math.nextafter((step + 0.5) * scale, 0)) for step in range(-5, 5)]
        values += [0.0, -0.0, math.inf, -math.inf, math.nan, 3e38, -3e38, 1e-45, single(1024 * scale), single(-1024 * scale)]
        # Python's round takes halves to the even number.
        for operation, rounded in [(1, half_away), (5, round)]:
            made = [quantised(value, scale, zero, kind, rounded) for value in values]
            show(operation, (FLOAT, kind), 1, len(values), 1, packed(values, FLOAT), packed(made, kind), scale=scale, zero=zero)
        steps = list(range(256)) if kind == UINT8 else list(range(-128, 128))
        made = [single((step - zero) * scale) for step in steps]
        show(2, (kind, FLOAT), 1, 256, 1, packed(steps, kind), packed(made, FLOAT), scale=scale, zero=zero)


short_rows()
rows_of(3)
rows_of(4)
reals()
