#!/usr/bin/env python3
"""Writes arch/tests/data/requantise.json: what requantisation must give, from exact integers.

Usage: models/requant_vectors.py
"""

import json
import pathlib
import random

from tflite import INT32_MAX, INT32_MIN, requantise

OUTPUT = pathlib.Path(__file__).resolve().parents[1] / "arch/tests/data/requantise.json"
KEYS = ("acc", "multiplier", "shift", "rounding", "zero_point", "min", "max")
ONE_HALF = 1 << 30
LARGEST = (1 << 31) - 1
RANDOM_VECTORS = 2000


def corners():
    accs = (INT32_MIN, INT32_MIN + 1, -(1 << 30), -2, -1, 0, 1, 2, 1 << 30, INT32_MAX)
    for rounding in ("double", "single"):
        for shift in (-31, -30, -8, -1, 0, 1, 7, 29, 30):
            for multiplier in (0, ONE_HALF, ONE_HALF + 1, LARGEST):
                for acc in accs:
                    yield acc, multiplier, shift, rounding, 0, -128, 127


def exact_halves():
    """acc * 1/2 * 2^shift lies exactly between two integers; its neighbours do not."""
    for rounding in ("double", "single"):
        for shift in (0, -1, -2, -7, -15, -23):
            unit = 1 << -shift  # acc of one half
            for odd in (1, 3, 5, 101, 127, 253):
                for sign in (-1, 1):
                    for near in (-1, 0, 1):
                        yield sign * odd * unit + near, ONE_HALF, shift, rounding, 0, -128, 127


def tie_chains():
    """The first rounding makes the tie that the second one rounds: the modes differ."""
    for rounding in ("double", "single"):
        for shift in (-1, -3, -10):
            for multiplier in (LARGEST, LARGEST - 1, 3 << 29, ONE_HALF + 1):
                for half in (1, 3, 7):
                    centre = half << -shift >> 1
                    for near in (-1, 0, 1):
                        for sign in (-1, 1):
                            acc = sign * ((centre << 31) // multiplier + near)
                            yield acc, multiplier, shift, rounding, 0, -128, 127


def eighths():
    """Every right shift, in steps of an eighth of the result: halves and their neighbours, both signs."""
    for rounding in ("double", "single"):
        for shift in range(-31, 0):
            for eighth in range(-12, 13):
                # multiplier 1/2: the product is acc / 2
                acc = eighth << -shift >> 2
                if INT32_MIN <= acc <= INT32_MAX:
                    yield acc, ONE_HALF, shift, rounding, 0, -128, 127


def single_bits():
    """-1/2 and one bit below it: each bit that is shifted out counts, whichever stage drops it."""
    for shift in range(-31, -1):
        for bit in range(-shift - 1):
            yield 2 * ((1 << bit) - (1 << -shift - 1)), ONE_HALF, shift, "double", 0, -128, 127


def clamp_edges():
    for rounding in ("double", "single"):
        for zero_point in (-128, -1, 0, 5, 127):
            for low, high in ((-128, 127), (zero_point, 127), (-100, 100), (3, 3)):
                if low > high:
                    continue
                for target in (low - 1, low, low + 1, high - 1, high, high + 1):
                    # multiplier 1/2 and shift 1: the scale is 1
                    yield target - zero_point, ONE_HALF, 1, rounding, zero_point, low, high
                for acc in (INT32_MIN, INT32_MAX):
                    yield acc, LARGEST, 0, rounding, zero_point, low, high


def pseudo_random(count):
    rng = random.Random(20240607)
    for _ in range(count):
        shift = rng.choice((rng.randint(-31, 30), rng.randint(-14, 2)))
        multiplier = rng.randint(ONE_HALF, LARGEST) if rng.random() > 0.05 else 0
        if rng.random() < 0.3:
            acc = rng.randint(INT32_MIN, INT32_MAX)
        else:  # most results inside the clamp
            acc = round(rng.uniform(-300, 300) * 2.0 ** (31 - shift) / max(multiplier, ONE_HALF))
            acc = max(INT32_MIN, min(INT32_MAX, acc))
        zero_point = rng.randint(-128, 127)
        low, high = rng.choice(
            ((-128, 127), (zero_point, 127), tuple(sorted(rng.choices(range(-128, 128), k=2))))
        )
        yield acc, multiplier, shift, rng.choice(("double", "single")), zero_point, low, high


def main():
    cases = dict.fromkeys(
        [*corners(), *exact_halves(), *eighths(), *single_bits(), *tie_chains(), *clamp_edges()]
    )
    cases = [*cases, *pseudo_random(RANDOM_VECTORS)]
    rows = [
        json.dumps(dict(zip(KEYS, case)) | {"expected": requantise(*case)}) for case in cases
    ]
    OUTPUT.parent.mkdir(parents=True, exist_ok=True)
    OUTPUT.write_text("[\n" + ",\n".join(rows) + "\n]\n")
    print(f"{len(cases)} vectors in {OUTPUT.name}")


if __name__ == "__main__":
    main()
