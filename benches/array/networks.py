#!/usr/bin/env python3
"""Makes networks of the shapes in benches/workloads, with random weights: build/workloads/NAME.json.

Shapes alone decide the cycles; the weights are there so that the networks can be run. Standard library only.
Usage: benches/array/networks.py
"""

import pathlib
import random
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "models"))
from network_file import write_network

OUTPUT = ROOT / "build/workloads"
# Sums of random products stay inside int8 with about this scale.
MULTIPLIER, SHIFT = 1 << 30, -7


def scaled(entry, outputs, kind_is_dense=False):
    return entry | {
        "multiplier": [MULTIPLIER] * outputs,
        "shift": [SHIFT] * outputs,
        "rounding": "single" if kind_is_dense else "double",
        "output_zero_point": -128,
        "activation_min": -128,
        "activation_max": 127,
        "output_scale": 1.0,
    }


def weights(rng, count):
    return [rng.randint(-127, 127) for _ in range(count)]


def conv(rng, name, source, outputs, kernel, stride=(1, 1), padding=None, inputs=None, groups=1):
    """A convolution of a source with so many channels."""
    entry = {"kind": "conv2d", "name": name}
    if inputs:
        entry["inputs"] = inputs
    entry |= {"output_channels": outputs, "kernel": list(kernel), "stride": list(stride)}
    if groups > 1:
        entry["groups"] = groups
    if padding:
        entry["padding"] = dict(zip(("top", "bottom", "left", "right"), padding))
    count = outputs * source // groups * kernel[0] * kernel[1]
    entry |= {"weights": weights(rng, count), "bias": [0] * outputs}
    return scaled(entry, outputs)


def dense(rng, name, source, outputs):
    entry = {"kind": "fully_connected", "name": name, "output_features": outputs}
    entry |= {"weights": weights(rng, source * outputs), "bias": [0] * outputs}
    return scaled(entry, outputs, kind_is_dense=True)


def add(name, inputs, channels):
    entry = {"kind": "add", "name": name, "inputs": inputs, "factors": [127, 127]}
    return scaled(entry, channels)


def mean(name, kernel):
    return {"kind": "average_pool2d", "name": name, "kernel": list(kernel)}


def resnet8(rng):
    same = (1, 1, 1, 1)
    layers = [conv(rng, "conv0", 3, 16, (3, 3), padding=same)]
    layers += [
        conv(rng, "s1_conv1", 16, 16, (3, 3), padding=same),
        conv(rng, "s1_conv2", 16, 16, (3, 3), padding=same),
        add("s1_add", ["conv0", "s1_conv2"], 16),
    ]
    before, channels = "s1_add", 16
    for stage in ("s2", "s3"):
        outputs = 2 * channels
        layers += [
            conv(rng, f"{stage}_conv1", channels, outputs, (3, 3), (2, 2), (0, 1, 0, 1), [before]),
            conv(rng, f"{stage}_conv2", outputs, outputs, (3, 3), padding=same),
            conv(rng, f"{stage}_short", channels, outputs, (1, 1), (2, 2), inputs=[before]),
            add(f"{stage}_add", [f"{stage}_conv2", f"{stage}_short"], outputs),
        ]
        before, channels = f"{stage}_add", outputs
    return (3, 32, 32), layers + [mean("pool", (8, 8)), dense(rng, "fc", 64, 10)]


def dscnn(rng):
    layers = [conv(rng, "conv0", 1, 64, (10, 4), (2, 2), (4, 5, 1, 1))]
    for i in range(1, 5):
        layers.append(conv(rng, f"DP_dw{i}", 64, 64, (3, 3), padding=(1, 1, 1, 1), groups=64))
        layers.append(conv(rng, f"pw{i}", 64, 64, (1, 1)))
    return (1, 49, 10), layers + [mean("pool", (25, 5)), dense(rng, "fc", 64, 12)]


def autoencoder(rng):
    widths = [640, 128, 128, 128, 128, 8, 128, 128, 128, 128, 640]
    pairs = enumerate(zip(widths, widths[1:]))
    return (640, 1, 1), [dense(rng, f"fc{i}", a, b) for i, (a, b) in pairs]


def square(rng):
    """The 3x3 convolution, 64 -> 64 channels, 28x28, of the utilisation figure."""
    return (64, 28, 28), [conv(rng, "conv", 64, 64, (3, 3), padding=(1, 1, 1, 1))]


def main():
    OUTPUT.mkdir(parents=True, exist_ok=True)
    for make in (resnet8, dscnn, autoencoder, square):
        rng = random.Random(1)
        (channels, height, width), layers = make(rng)
        source = {"channels": channels, "height": height, "width": width}
        image = [rng.randint(-128, 127) for _ in range(channels * height * width)]
        network = {
            "format": "heddle-network-1",
            "name": make.__name__,
            "input": source | {"zero_point": -128, "scale": 1.0},
            "layers": layers,
            "test": {"images": [image], "labels": [0]},
        }
        write_network(network, OUTPUT / f"{make.__name__}.json")
        print(f"build/workloads/{make.__name__}.json")


if __name__ == "__main__":
    main()
