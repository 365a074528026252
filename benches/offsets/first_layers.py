#!/usr/bin/env python3
"""Writes the first layers of ResNet-8 and DS-CNN as networks of one layer, for `heddle cosim`.

Weights and images are pseudo-random: cycles do not depend on them. The labels are the layer's own
answers. Usage: benches/offsets/first_layers.py FOLDER
"""

import pathlib
import random
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "models"))

from network_file import write_network
from tflite import flat_size, quantise_multiplier, run_network

IMAGES = 2
SPREAD = 45.0  # standard deviation of the outputs before the clamp

# name, input channels, height, width, kernel, stride, padding, outputs
LAYERS = [
    ("resnet8_conv0", (3, 32, 32), [3, 3], [1, 1], (1, 1, 1, 1), 16),
    ("dscnn_conv0", (1, 49, 10), [10, 4], [2, 2], (4, 5, 1, 1), 64),
]


def make(name, shape, kernel, stride, padding, outputs):
    rng = random.Random(name)
    channels, height, width = shape
    taps = channels * kernel[0] * kernel[1]
    multiplier, shift = quantise_multiplier(SPREAD / (taps**0.5 * 74 * 50))
    layer = {
        "kind": "conv2d",
        "name": "conv0",
        "output_channels": outputs,
        "kernel": kernel,
        "stride": stride,
        "padding": dict(zip(("top", "bottom", "left", "right"), padding)),
        "weights": [max(-128, min(127, round(rng.gauss(0, 50)))) for _ in range(outputs * taps)],
        "bias": [rng.randint(-4000, 4000) for _ in range(outputs)],
        "multiplier": [multiplier] * outputs,
        "shift": [shift] * outputs,
        "rounding": "single",
        "output_zero_point": 0,
        "activation_min": -128,
        "activation_max": 127,
        "output_scale": 0.05,
    }
    source = {"channels": channels, "height": height, "width": width, "zero_point": 0}
    network = {
        "format": "heddle-network-1",
        "name": name,
        "input": {**source, "scale": 0.05},
        "layers": [layer],
    }
    size = flat_size(shape)
    images = [[rng.randint(-128, 127) for _ in range(size)] for _ in range(IMAGES)]
    answers = [run_network(network, image)[-1] for image in images]
    labels = [answer.index(max(answer)) for answer in answers]
    network["test"] = {"images": images, "labels": labels}
    return network


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: benches/offsets/first_layers.py FOLDER")
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for layer in LAYERS:
        write_network(make(*layer), folder / f"{layer[0]}.json")


if __name__ == "__main__":
    main()
