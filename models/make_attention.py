#!/usr/bin/env python3
"""Writes models/attention.json: scores Q K^T of an attention, scaled, times V.

Q, K and V are products of the input with weights. K is transposed by a layer of its own; that Q and the
scores have to be transposed as well is for the compiler to find. Softmax is left out: the machine has none.
Weights and images are pseudo-random; the labels are the places of the largest output that the plain loops
below find. Usage: models/make_attention.py
"""

import json
import pathlib
import random

from network_file import write_network
from tflite import quantise_multiplier, requantise

OUTPUT = pathlib.Path(__file__).resolve().parent / "attention.json"
TOKENS, WIDTH, HEAD = 12, 16, 8
IMAGES = 4
SPREAD = 40.0  # standard deviation of a layer's outputs before the clamp


def matrix(values, columns):
    return [values[i : i + columns] for i in range(0, len(values), columns)]


def transposed(rows):
    return [list(column) for column in zip(*rows)]


def sums(first, second):
    """The product of two matrices."""
    columns = transposed(second)
    return [[sum(a * b for a, b in zip(row, column)) for column in columns] for row in first]


def product(layer, first, second):
    """Scaled and clamped, with all zero points 0."""
    multiplier, shift = layer["multiplier"][0], layer["shift"][0]
    rounding = layer["rounding"]
    return [
        [requantise(value, multiplier, shift, rounding, 0, -128, 127) for value in row]
        for row in sums(first, second)
    ]


def finish(layer, pairs):
    """Picks the scale for a good spread over all images; gives the products."""
    values = [value for pair in pairs for row in sums(*pair) for value in row]
    mean = sum(values) / len(values)
    deviation = (sum((value - mean) ** 2 for value in values) / len(values)) ** 0.5
    multiplier, shift = quantise_multiplier(SPREAD / max(deviation, 1.0))
    layer.update(multiplier=[multiplier], shift=[shift], rounding="single")
    return [product(layer, *pair) for pair in pairs]


def main():
    rng = random.Random(11)
    images = [[rng.randint(-128, 127) for _ in range(TOKENS * WIDTH)] for _ in range(IMAGES)]
    inputs = [matrix(image, WIDTH) for image in images]
    layers, heads = [], {}
    for name in ("query", "key", "value"):
        weights = [max(-128, min(127, round(rng.gauss(0, 40)))) for _ in range(WIDTH * HEAD)]
        layer = {"kind": "matmul", "name": name, "inputs": ["input"]}
        layer.update(output_features=HEAD, weights=weights)
        heads[name] = finish(layer, [(x, matrix(weights, HEAD)) for x in inputs])
        layers.append(layer)
    layers.append({"kind": "transpose", "name": "key_turned", "inputs": ["key"]})
    keys = [transposed(key) for key in heads["key"]]
    score = {"kind": "matmul", "name": "score", "inputs": ["query", "key_turned"]}
    scores = finish(score, list(zip(heads["query"], keys)))
    out = {"kind": "matmul", "name": "out", "inputs": ["score", "value"]}
    outputs = finish(out, list(zip(scores, heads["value"])))
    layers += [score, out]
    flat = [[value for row in rows for value in row] for rows in outputs]
    network = {
        "format": "heddle-network-1",
        "name": "attention",
        "input": {"channels": 1, "height": TOKENS, "width": WIDTH, "zero_point": 0, "scale": 0.05},
        "layers": layers,
        "test": {"images": images, "labels": [row.index(max(row)) for row in flat]},
    }
    write_network(network, OUTPUT)
    print(json.dumps({"file": OUTPUT.name, "labels": network["test"]["labels"]}))


if __name__ == "__main__":
    main()
