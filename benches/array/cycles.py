#!/usr/bin/env python3
"""Cycles of the networks of benches/array/networks.py on benches/array/ample.json, as tables in Markdown.

The cycles are those that the compiler predicts; with --sim the golden machine runs each network and must agree.
Those of SCALE-Sim beside them are in scalesim.csv.
Usage: benches/array/cycles.py [--sim]   (heddle is $HEDDLE or target/release/heddle)
"""

import csv
import json
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
HEDDLE = os.environ.get("HEDDLE", str(ROOT / "target/release/heddle"))
CONFIG = ROOT / "benches/array/ample.json"
SIDE = 16
NAMES = ("resnet8", "dscnn", "autoencoder", "square")


def heddle(*arguments):
    command = [HEDDLE, *map(str, arguments), "--json"]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return json.loads(done.stdout)


def shapes(network):
    """Output channels, height, width of every tensor, and input channels of every layer."""
    source = network["input"]
    found = {"input": (source["channels"], source["height"], source["width"])}
    previous = "input"
    for layer in network["layers"]:
        channels, height, width = found[layer.get("inputs", [previous])[0]]
        previous = layer["name"]
        if layer["kind"] == "fully_connected":
            found[previous] = (layer["output_features"], 1, 1)
        elif layer["kind"] == "add":
            found[previous] = (channels, height, width)
        else:
            pad, kernel = layer.get("padding", {}), layer["kernel"]
            step = layer.get("stride", [1, 1] if layer["kind"] == "conv2d" else kernel)
            height += pad.get("top", 0) + pad.get("bottom", 0) - kernel[0]
            width += pad.get("left", 0) + pad.get("right", 0) - kernel[1]
            outputs = layer.get("output_channels", channels)
            found[previous] = (outputs, height // step[0] + 1, width // step[1] + 1)
    return found


def bound(layer, source, output):
    """Sum over tiles of max(vectors, load clocks), K flattened; depthwise layers one tap at a time on the diagonal."""
    kind = layer["kind"]
    if kind not in ("conv2d", "fully_connected"):
        return None
    kernel = layer.get("kernel", source[1:])
    column_tiles = -(-output[0] // SIDE)
    pixels = max(output[1] * output[2], SIDE // 8)
    if layer.get("groups", 1) > 1:
        return column_tiles * kernel[0] * kernel[1] * pixels
    return column_tiles * -(-source[0] * kernel[0] * kernel[1] // SIDE) * pixels


def scale_sim():
    """Cycles of SCALE-Sim by network and layer."""
    with open(ROOT / "benches/array/scalesim.csv", encoding="utf-8") as file:
        return {(row["network"], row["layer"]): int(row["cycles"]) for row in csv.DictReader(file)}


def report(name, check):
    path = ROOT / f"build/workloads/{name}.json"
    network = json.loads(path.read_text())
    target = ROOT / f"build/workloads/{name}.prog"
    layers = heddle("compile", path, "-c", CONFIG, "-o", target)["runs"]
    if check:
        assert heddle("sim", "-c", CONFIG, "-m", path, "-p", target)["exact"]
    whole = heddle("compile", path, "-c", CONFIG, "--whole", "-o", target)["runs"][0]
    if check:
        assert heddle("sim", "-c", CONFIG, "-m", path, "-p", target)["exact"]
    found = shapes(network)
    print(f"### {name}\n\n| layer | cycles | bound | of it | SCALE-Sim |\n|---|---|---|---|---|")
    known = scale_sim()
    previous, products, others, bounds, scale = "input", 0, 0, 0, 0
    for layer, run in zip(network["layers"], layers):
        source = found[layer.get("inputs", [previous])[0]]
        previous = layer["name"]
        limit = bound(layer, source, found[previous])
        if limit is None:
            others += run["cycles"]
            print(f"| {previous} ({layer['kind']}) | {run['cycles']} | | | |")
        else:
            products += run["cycles"]
            bounds += limit
            other = known[name, previous]
            scale += other
            print(f"| {previous} | {run['cycles']} | {limit} | {limit / run['cycles']:.3f} | {other} |")
    share = bounds / products
    print(f"| **convolution, depthwise, fully connected** | **{products}** | {bounds} | {share:.3f} | {scale} |")
    print(f"| adds and pooling | {others} | | | |")
    print(f"| all layers in one run | {whole['cycles']} | | | |\n")


def main():
    subprocess.run([ROOT / "benches/array/networks.py"], check=True, stdout=subprocess.DEVNULL)
    for name in NAMES:
        report(name, "--sim" in sys.argv[1:])


if __name__ == "__main__":
    main()
