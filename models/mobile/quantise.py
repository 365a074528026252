#!/usr/bin/env python3
"""Quantises build/mobile/float.npz to int8 and writes models/mobile.json.

As models/digits/quantise.py. Inputs of an add keep their scales: each gets a factor.
Usage: models/mobile/quantise.py   (after models/mobile/train.py)
"""

import pathlib
import sys

import numpy as np

MODELS = pathlib.Path(__file__).resolve().parents[1]
sys.path.append(str(MODELS))
sys.path.append(str(MODELS / "digits"))
from data import load_split
from network import INPUT_SHAPE, NODES, forward, shapes
from network_file import write_network
from tflite import INT32_MAX, quantise_multiplier

FLOAT = MODELS.parent / "build/mobile/float.npz"
OUTPUT = MODELS / "mobile.json"
CALIBRATION_IMAGES = 500  # of the training set
KINDS = {
    "conv": "conv2d",
    "depthwise": "conv2d",
    "dense": "fully_connected",
    "add": "add",
    "max": "max_pool2d",
    "mean": "average_pool2d",
}


def activation_range(values):
    """(scale, zero point) of int8 values that cover the range of `values` and hold 0 exactly."""
    low, high = min(0.0, float(values.min())), max(0.0, float(values.max()))
    scale = (high - low) / 255.0
    return scale, int(np.clip(np.round(-128.0 - low / scale), -128, 127))


def quantise(values, scale, zero_point):
    return np.clip(np.round(values / scale) + zero_point, -128, 127).astype(int)


def weighted(entry, node, parameters, source_scale, scale, channels):
    """Weights, biases and scales of a convolution or dense layer."""
    weights, bias = parameters
    steps = np.abs(weights.reshape(len(weights), -1)).max(axis=1).astype(np.float64) / 127.0
    steps[steps == 0.0] = 1.0
    whole = np.clip(np.round(weights / steps[:, None, None, None]), -127, 127).astype(int)
    biases = np.round(bias / (source_scale * steps)).astype(int)
    bound = np.abs(biases) + 255 * np.abs(whole).reshape(len(whole), -1).sum(axis=1)
    assert bound.max() <= INT32_MAX, f"{node['name']}: accumulator can leave 32 bits"
    if node["kind"] == "dense":
        entry["output_features"] = node["outputs"]
    else:
        size = node["size"]
        entry |= {"output_channels": len(weights), "kernel": [size, size]}
        if size > 1:
            entry["padding"] = {side: size // 2 for side in ("top", "bottom", "left", "right")}
        if node["kind"] == "depthwise":
            entry["groups"] = channels
    scaling = [quantise_multiplier(float(source_scale * step / scale)) for step in steps]
    entry |= {"weights": whole.reshape(-1).tolist(), "bias": biases.tolist()}
    return scaling


def added(entry, scales, scale, channels):
    """Factors of the inputs, the larger one 127."""
    largest = max(scales)
    factors = [int(round(127.0 * s / largest)) for s in scales]
    entry["factors"] = factors
    return [quantise_multiplier(float(largest / 127.0 / scale))] * channels


def main():
    stored = np.load(FLOAT)
    names = [node["name"] for node in NODES]
    parameters = {n: [stored[f"{n}_w"], stored[f"{n}_b"]] for n in names if f"{n}_w" in stored}
    images, _, test_images, test_labels = load_split()
    calibration = images[:CALIBRATION_IMAGES]
    tensors = forward(parameters, calibration)[0]
    ranges = {"input": activation_range(calibration)}
    all_shapes = shapes()

    layers = []
    previous = "input"
    for node in NODES:
        name, sources = node["name"], node["inputs"]
        entry = {"kind": KINDS[node["kind"]], "name": name}
        if sources != [previous]:
            entry["inputs"] = sources
        previous = name
        if node["kind"] in ("max", "mean"):
            entry["kernel"] = [node["size"]] * 2
            ranges[name] = ranges[sources[0]]
            layers.append(entry)
            continue
        scale, zero_point = ranges[name] = activation_range(tensors[name])
        channels = all_shapes[sources[0]][0]
        if node["kind"] == "add":
            scaling = added(entry, [ranges[source][0] for source in sources], scale, channels)
        else:
            source_scale = ranges[sources[0]][0]
            scaling = weighted(entry, node, parameters[name], source_scale, scale, channels)
        entry |= {
            "multiplier": [multiplier for multiplier, _ in scaling],
            "shift": [shift for _, shift in scaling],
            "rounding": "single" if node["kind"] == "dense" else "double",
            "output_zero_point": zero_point,
            "activation_min": zero_point if node["relu"] else -128,
            "activation_max": 127,
            "output_scale": scale,
        }
        layers.append(entry)

    channels, height, width = INPUT_SHAPE
    scale, zero_point = ranges["input"]
    quantised = quantise(test_images.reshape(len(test_images), -1), scale, zero_point)
    source = {"channels": channels, "height": height, "width": width}
    network = {
        "format": "heddle-network-1",
        "name": "mobile",
        "input": source | {"zero_point": zero_point, "scale": scale},
        "layers": layers,
        "test": {"images": quantised.tolist(), "labels": test_labels.tolist()},
    }
    write_network(network, OUTPUT)
    logits = forward(parameters, test_images)[0]["fc"][:, :, 0, 0]
    correct = logits.argmax(axis=1) == test_labels
    print(f"float accuracy {correct.mean():.4f} on {len(test_labels)} images")


if __name__ == "__main__":
    main()
