#!/usr/bin/env python3
"""Quantises build/digits/float.npz to int8 and writes models/digits.json.

Post-training, as TensorFlow Lite does it: weights symmetric with one scale per output channel,
activations asymmetric with the zero point and scale of their calibrated range, biases int32.
Usage: models/digits/quantise.py   (after models/digits/train.py)
"""

import pathlib
import sys

import numpy as np

from data import load_split
from network import KERNEL, LAYERS, PADDING, forward

MODELS = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(MODELS))
from network_file import write_network
from tflite import INT32_MAX, quantise_multiplier

FLOAT = MODELS.parent / "build/digits/float.npz"
OUTPUT = MODELS / "digits.json"
CALIBRATION_IMAGES = 500  # of the training set


def activation_range(values):
    """(scale, zero point) of int8 values that cover the range of `values` and hold 0 exactly."""
    low, high = min(0.0, float(values.min())), max(0.0, float(values.max()))
    scale = (high - low) / 255.0
    zero_point = int(np.clip(np.round(-128.0 - low / scale), -128, 127))
    return scale, zero_point


def quantise(values, scale, zero_point):
    return np.clip(np.round(values / scale) + zero_point, -128, 127).astype(int)


def quantise_weights(weights):
    """int8 weights in -127..127 and the scale of each output channel."""
    scales = np.abs(weights.reshape(len(weights), -1)).max(axis=1).astype(np.float64) / 127.0
    scales[scales == 0.0] = 1.0
    shape = (-1,) + (1,) * (weights.ndim - 1)
    return np.clip(np.round(weights / scales.reshape(shape)), -127, 127).astype(int), scales


def quantise_layer(layer, parameters, input_scale, outputs):
    """The network-file form of one layer, and the scale of its outputs."""
    weights, weight_scales = quantise_weights(parameters[0])
    scale, zero_point = activation_range(outputs)
    bias = np.round(parameters[1] / (input_scale * weight_scales)).astype(int)
    magnitude = np.abs(bias) + 255 * np.abs(weights).reshape(len(weights), -1).sum(axis=1)
    assert magnitude.max() <= INT32_MAX, f"{layer['name']}: accumulator can leave 32 bits"
    scaling = [quantise_multiplier(float(input_scale * w / scale)) for w in weight_scales]

    entry = {"kind": layer["kind"], "name": layer["name"]}
    if layer["kind"] == "conv2d":
        entry |= {
            "output_channels": layer["outputs"],
            "kernel": [KERNEL, KERNEL],
            "stride": [layer["stride"]] * 2,
            "padding": {side: PADDING for side in ("top", "bottom", "left", "right")},
            "rounding": "double",
        }
    else:
        entry |= {"output_features": layer["outputs"], "rounding": "single"}
    return entry | {
        "weights": weights.reshape(-1).tolist(),
        "bias": bias.tolist(),
        "multiplier": [multiplier for multiplier, _ in scaling],
        "shift": [shift for _, shift in scaling],
        "output_zero_point": zero_point,
        "activation_min": zero_point if layer["relu"] else -128,
        "activation_max": 127,
        "output_scale": scale,
    }, scale


def main():
    stored = np.load(FLOAT)
    parameters = [(stored[f"weights{i}"], stored[f"bias{i}"]) for i in range(len(LAYERS))]
    images, _, test_images, test_labels = load_split()
    calibration = images[:CALIBRATION_IMAGES]
    input_scale, input_zero_point = activation_range(calibration)

    layers, scale = [], input_scale
    for layer, values, outputs in zip(LAYERS, parameters, forward(parameters, calibration)[0]):
        entry, scale = quantise_layer(layer, values, scale, outputs)
        layers.append(entry)

    source = {"channels": 1, "height": 8, "width": 8}
    source |= {"zero_point": input_zero_point, "scale": input_scale}
    quantised = quantise(test_images.reshape(len(test_images), -1), input_scale, input_zero_point)
    network = {
        "format": "heddle-network-1",
        "name": "digits",
        "input": source,
        "layers": layers,
        "test": {"images": quantised.tolist(), "labels": test_labels.tolist()},
    }
    write_network(network, OUTPUT)
    correct = forward(parameters, test_images)[0][-1].argmax(axis=1) == test_labels
    print(f"float accuracy {correct.mean():.4f} on {len(test_labels)} images")
    for entry in layers:
        zero_weights = entry["weights"].count(0) / len(entry["weights"])
        print(
            f"{entry['name']}: zero point {entry['output_zero_point']}, "
            f"zero weights {zero_weights:.1%}"
        )


if __name__ == "__main__":
    main()
