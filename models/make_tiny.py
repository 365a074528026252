#!/usr/bin/env python3
"""Writes models/tiny.json: a network of three small layers that visits the corner cases.

Weights and images are pseudo-random; the labels are the network's own answers. It has zero
multipliers, left shifts, both roundings, asymmetric padding, a rectangular kernel, unequal strides,
narrow clamps and a weight of -128. Usage: models/make_tiny.py
"""

import json
import pathlib
import random

from network_file import write_network
from tflite import accumulators, flat_size, output_shape, quantise_multiplier, run_network

OUTPUT = pathlib.Path(__file__).resolve().parent / "tiny.json"
IMAGES = 4
SPREAD = 45.0  # standard deviation of a layer's outputs before the clamp


def random_weight(rng):
    return 0 if rng.random() < 0.3 else max(-128, min(127, round(rng.gauss(0, 50))))


def random_image(rng, network):
    """Two pixels in five are a real zero."""
    source = network["input"]
    size = flat_size((source["channels"], source["height"], source["width"]))
    return [
        source["zero_point"] if rng.random() < 0.4 else rng.randint(-128, 127)
        for _ in range(size)
    ]


def finish_layer(rng, layer, inputs, shape, outputs, fan_in):
    """Draws weights and biases, then picks each channel's multiplier for a good spread."""
    layer["weights"] = [random_weight(rng) for _ in range(outputs * fan_in)]
    layer["weights"][0] = -128
    layer["bias"] = [rng.randint(-4000, 4000) for _ in range(outputs)]
    for channel in layer.pop("left_shifted", []):
        row = [0] * fan_in
        row[rng.randrange(fan_in)] = 1  # a copy of one operand, doubled or more by the scale
        layer["weights"][channel * fan_in : (channel + 1) * fan_in] = row
        layer["bias"][channel] = rng.randint(-20, 20)

    scales = []
    sums = [accumulators(layer, [x], shape) for x in inputs]
    for channel in range(outputs):
        values = [value for image in sums for value in image[channel]]
        mean = sum(values) / len(values)
        deviation = (sum((v - mean) ** 2 for v in values) / len(values)) ** 0.5
        scales.append(quantise_multiplier(SPREAD / max(deviation, 1.0) * rng.uniform(0.7, 1.5)))
    for channel in layer.pop("zero_multiplier", []):
        scales[channel] = (0, 0)
    for channel, scale in layer.pop("scale", {}).items():
        scales[channel] = scale
    layer["multiplier"] = [multiplier for multiplier, _ in scales]
    layer["shift"] = [shift for _, shift in scales]


def main():
    rng = random.Random(7)
    network = {
        "format": "heddle-network-1",
        "name": "tiny",
        "input": {"channels": 2, "height": 5, "width": 6, "zero_point": -7, "scale": 0.05},
        "layers": [],
    }
    conv1 = {
        "kind": "conv2d",
        "name": "conv1",
        "output_channels": 5,
        "kernel": [3, 3],
        "stride": [1, 1],
        "padding": {"top": 1, "bottom": 1, "left": 1, "right": 1},
        "rounding": "double",
        "output_zero_point": 5,
        "activation_min": -100,
        "activation_max": 110,
        "output_scale": 0.08,
        "left_shifted": [3],
        "zero_multiplier": [1],
        "scale": {3: (1400000000, 1)},
    }
    conv2 = {
        "kind": "conv2d",
        "name": "conv2",
        "output_channels": 6,
        "kernel": [2, 3],
        "stride": [2, 1],
        "padding": {"top": 1, "bottom": 0, "left": 0, "right": 1},
        "rounding": "single",
        "output_zero_point": -128,
        "activation_min": -128,
        "activation_max": 127,
        "output_scale": 0.06,
        "left_shifted": [0],
        "zero_multiplier": [4],
        "scale": {0: (1 << 30, 2)},
    }
    fc = {
        "kind": "fully_connected",
        "name": "fc",
        "output_features": 3,
        "rounding": "single",
        "output_zero_point": 12,
        "activation_min": -128,
        "activation_max": 127,
        "output_scale": 0.3,
    }

    images = [random_image(rng, network) for _ in range(IMAGES)]
    shape = (2, 5, 6)
    for layer in (conv1, conv2, fc):
        zero_point = network["input"]["zero_point"]
        inputs = images
        if network["layers"]:
            zero_point = network["layers"][-1]["output_zero_point"]
            inputs = [run_network(network, image)[-1] for image in images]
        centred = [[value - zero_point for value in values] for values in inputs]
        kernel = layer.get("kernel", [1, 1])
        fan_in = shape[0] * kernel[0] * kernel[1] if "kernel" in layer else flat_size(shape)
        outputs = output_shape(layer, shape)[0]
        finish_layer(rng, layer, centred, shape, outputs, fan_in)
        network["layers"].append(layer)
        shape = output_shape(layer, shape)

    logits = [run_network(network, image)[-1] for image in images]
    network["test"] = {"images": images, "labels": [row.index(max(row)) for row in logits]}
    write_network(network, OUTPUT)
    print(json.dumps({"file": OUTPUT.name, "labels": network["test"]["labels"]}))


if __name__ == "__main__":
    main()
