#!/usr/bin/env python3
"""Runs a network file over its test images with exact integers and prints the accuracy.

Standard library only. Nothing of numpy, of the float network or of the Rust crates takes part.
Exits with 1 when the accuracy is below --at-least.
Usage: models/digits/evaluate.py [--images N] [--at-least FRACTION] [FILE]
"""

import argparse
import json
import pathlib
import sys

MODELS = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(MODELS))
from tflite import INT32_MAX, run_network


def check_accumulators(network):
    """|bias| + 255 * sum|w| must stay below 2^31 for every output channel."""
    weighted = [layer for layer in network["layers"] if "weights" in layer]
    for layer in weighted:
        size = len(layer["weights"]) // len(layer["bias"])
        for channel, bias in enumerate(layer["bias"]):
            row = layer["weights"][channel * size : (channel + 1) * size]
            magnitude = abs(bias) + 255 * sum(map(abs, row))
            assert magnitude <= INT32_MAX, f"{layer['name']}: channel {channel} can overflow"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--images", type=int, help="the first N images only")
    parser.add_argument("--at-least", type=float, default=0.0)
    parser.add_argument("file", nargs="?", type=pathlib.Path, default=MODELS / "digits.json")
    arguments = parser.parse_args()
    network = json.loads(arguments.file.read_text())
    check_accumulators(network)
    images = network["test"]["images"][: arguments.images]
    labels = network["test"]["labels"]
    count = len(images)
    zeros = [0] * len(network["layers"])
    sizes = [0] * len(network["layers"])
    correct = 0
    for image, label in zip(images, labels):
        outputs = run_network(network, image)
        for i, (layer, values) in enumerate(zip(network["layers"], outputs)):
            # Pooling keeps the zero point, which its file entry does not repeat.
            zeros[i] += values.count(layer.get("output_zero_point", -128))
            sizes[i] += len(values)
        correct += outputs[-1].index(max(outputs[-1])) == label
    for layer, zero, size in zip(network["layers"], zeros, sizes):
        print(f"{layer['name']}: {zero / size:.1%} of the outputs are a real zero")
    print(f"int8 accuracy {correct / count:.4f} ({correct} of {count} images)")
    sys.exit(correct < arguments.at_least * count)


if __name__ == "__main__":
    main()
