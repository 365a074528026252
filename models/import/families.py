#!/usr/bin/env python3
"""Writes networks of known families in their published shapes, too large to be committed: NAME.tflite, NAME.npz with
what the reference kernels give in every tensor, NAME.npy with the input.

Weights are random, seeded by the name; scales are those that a first pass finds. scripts/networks.py runs it.
Usage: models/import/families.py FOLDER [NAME...]   (resnet8-7: another seed of resnet8)
"""

import pathlib
import sys

import numpy

from graph import R, R6, Graph
from networks import add, classify, conv, dense, depthwise, entries, smooth, whole_pool


def calibrated(graph, output):
    """Ranges of many inputs are a little wider than that of the one here, and in no simple ratio to each other."""
    scale, zero_point = graph.scale(output)
    graph.rescale(output, scale * graph.rng.uniform(1, 1.05), zero_point)
    graph.run()
    return output


def resnet8(graph):
    """CIFAR-10: three stages of two convolutions and a sum."""

    def layer(*arguments, **options):
        return calibrated(graph, conv(graph, *arguments, **options))

    x = graph.input("input", smooth(graph.rng, (1, 32, 32, 3)), 1 / 255, -128)
    x = layer(x, "conv0", 16, activation=R)
    for stage, outputs in enumerate((16, 32, 64), 1):
        stride = (1, 1) if stage == 1 else (2, 2)
        y = layer(x, f"s{stage}_conv1", outputs, stride=stride, activation=R)
        y = layer(y, f"s{stage}_conv2", outputs)
        if stage > 1:
            x = layer(x, f"s{stage}_short", outputs, (1, 1), stride=stride)
        x = calibrated(graph, add(graph, x, y, f"s{stage}_add", R))
    classify(graph, whole_pool(graph, x, "pool"), 10)


def dscnn(graph):
    """Key words in 49 times 10 features of sound."""
    x = graph.input("input", smooth(graph.rng, (1, 49, 10, 1)), 0.58, 83)
    x = conv(graph, x, "conv0", 64, (10, 4), stride=(2, 2), activation=R)
    for i in range(1, 5):
        x = depthwise(graph, x, f"dw{i}", activation=R)
        x = conv(graph, x, f"pw{i}", 64, (1, 1), activation=R)
    classify(graph, whole_pool(graph, x, "pool"), 12)


def autoencoder(graph):
    """Sounds of machines: 640 features, 8 in the middle."""
    x = graph.input("input", smooth(graph.rng, (1, 640, 1, 1)).reshape(1, 640), 0.36, 88)
    for i, outputs in enumerate((128, 128, 128, 128, 8, 128, 128, 128, 128)):
        x = dense(graph, x, f"fc{i}", outputs, activation=R, spread=4.0)
    dense(graph, x, "fc9", 640, spread=4.0)


MOBILENET = [(16, 1), (32, 2), (32, 1), (64, 2), (64, 1), (128, 2), *[(128, 1)] * 5, (256, 2), (256, 1)]


def mobilenet(graph):
    """MobileNetV1 with a quarter of the channels: persons in 96 times 96 pixels."""
    x = graph.input("input", smooth(graph.rng, (1, 96, 96, 3)), 1 / 255, -128)
    x = conv(graph, x, "conv0", 8, stride=(2, 2), activation=R6, spread=2.5)
    for i, (outputs, stride) in enumerate(MOBILENET, 1):
        x = depthwise(graph, x, f"dw{i}", stride=(stride, stride), activation=R6, spread=2.5)
        x = conv(graph, x, f"pw{i}", outputs, (1, 1), activation=R6, spread=2.5)
    classify(graph, whole_pool(graph, x, "pool"), 2)


FAMILIES = {"resnet8": resnet8, "dscnn": dscnn, "autoencoder": autoencoder, "mobilenet": mobilenet}


def write_family(folder, name):
    graph = Graph(name)
    FAMILIES[name.split("-")[0]](graph)
    graph.run()
    (folder / f"{name}.tflite").write_bytes(graph.pack())
    found = entries(graph)
    numpy.savez(folder / f"{name}.npz", **found)
    numpy.save(folder / f"{name}.npy", found["input0"])


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for name in sys.argv[2:] or FAMILIES:
        write_family(folder, name)


if __name__ == "__main__":
    main()
