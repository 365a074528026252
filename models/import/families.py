#!/usr/bin/env python3
"""Writes networks of known families in their published shapes, too large to be committed: NAME.tflite, NAME.npz with
what the reference kernels give in every tensor, NAME.npy with the input.

Weights are random, seeded by the name; scales are those that a first pass finds. scripts/networks.py runs it.
Usage: models/import/families.py FOLDER [NAME...]   (resnet8-7: another seed of resnet8; mobilenetv1_224, mobilenetv2_224,
resnet18_224: of 224 times 224 pixels)
"""

import pathlib
import sys

import numpy

from graph import N, R, R6, Graph, pool
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


def mobilenet(graph, side=96, classes=2):
    """MobileNetV1 with a quarter of the channels: persons in 96 times 96 pixels, or 1000 classes in more."""
    x = graph.input("input", smooth(graph.rng, (1, side, side, 3)), 1 / 255, -128)
    x = conv(graph, x, "conv0", 8, stride=(2, 2), activation=R6, spread=2.5)
    for i, (outputs, stride) in enumerate(MOBILENET, 1):
        x = depthwise(graph, x, f"dw{i}", stride=(stride, stride), activation=R6, spread=2.5)
        x = conv(graph, x, f"pw{i}", outputs, (1, 1), activation=R6, spread=2.5)
    classify(graph, whole_pool(graph, x, "pool"), classes)


# Expansion, channels, blocks, stride of the first one.
MOBILENET_V2 = [(1, 8, 1, 1), (6, 8, 2, 2), (6, 16, 3, 2), (6, 24, 4, 2), (6, 32, 3, 1), (6, 56, 3, 2), (6, 112, 1, 1)]


def mobilenetv2(graph, side, classes):
    """MobileNetV2 with 0.35 of the channels."""
    x = graph.input("input", smooth(graph.rng, (1, side, side, 3)), 1 / 255, -128)
    x, channels, number = conv(graph, x, "conv0", 16, stride=(2, 2), activation=R6, spread=2.5), 16, 0
    for expansion, outputs, count, first in MOBILENET_V2:
        for block in range(count):
            number, stride, before = number + 1, first if block == 0 else 1, x
            if expansion > 1:
                x = conv(graph, x, f"ex{number}", expansion * channels, (1, 1), activation=R6, spread=2.5)
            x = depthwise(graph, x, f"dw{number}", stride=(stride, stride), activation=R6, spread=2.5)
            x = calibrated(graph, conv(graph, x, f"pw{number}", outputs, (1, 1), spread=2.5))
            if stride == 1 and channels == outputs and block > 0:
                x = calibrated(graph, add(graph, before, x, f"add{number}", N))
            channels = outputs
    x = conv(graph, x, "last", 1280, (1, 1), activation=R6, spread=2.5)
    classify(graph, whole_pool(graph, x, "pool"), classes)


def resnet18(graph, side, classes):
    """Four stages of four convolutions and two sums."""

    def layer(*arguments, **options):
        return calibrated(graph, conv(graph, *arguments, **options))

    x = graph.input("input", smooth(graph.rng, (1, side, side, 3)), 1 / 255, -128)
    x = layer(x, "conv0", 64, (7, 7), stride=(2, 2), activation=R)
    x = pool(graph, "MAX_POOL_2D", x, "pool0", (3, 3), (2, 2), same=True)
    graph.run()
    for stage, outputs in enumerate((64, 128, 256, 512), 1):
        for block in (1, 2):
            stride = (2, 2) if stage > 1 and block == 1 else (1, 1)
            y = layer(x, f"s{stage}_{block}_conv1", outputs, stride=stride, activation=R)
            y = layer(y, f"s{stage}_{block}_conv2", outputs)
            if stride == (2, 2):
                x = layer(x, f"s{stage}_short", outputs, (1, 1), stride=stride)
            x = calibrated(graph, add(graph, x, y, f"s{stage}_{block}_add", R))
    classify(graph, whole_pool(graph, x, "pool"), classes)


FAMILIES = {"resnet8": resnet8, "dscnn": dscnn, "autoencoder": autoencoder, "mobilenet": mobilenet}
# Of 1000 classes, with the sides of the input in the name.
LARGE = {"mobilenetv1": mobilenet, "mobilenetv2": mobilenetv2, "resnet18": resnet18}


def write_family(folder, name):
    graph = Graph(name)
    family, _, side = name.split("-")[0].partition("_")
    if side:
        LARGE[family](graph, int(side), 1000)
    else:
        FAMILIES[family](graph)
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
