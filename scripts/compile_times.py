#!/usr/bin/env python3
"""Writes the table of benches/compile.md: processor time and memory of `heddle compile` for known networks on all presets.

Usage: scripts/compile_times.py [--check]
  --check  writes nothing, and fails if a compilation exceeds a limit of the page
HEDDLE names the heddle binary (default: target/release/heddle). The networks are those of scripts/networks.py, which makes them in
build/networks, and a residual network of one dimension with 110 operators, made here.
"""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import random_layers

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / "benches/compile.md"
HEDDLE = os.environ.get("HEDDLE", str(ROOT / "target/release/heddle"))
NETWORKS = {
    "resnet8": "ResNet-8", "dscnn": "DS-CNN", "autoencoder": "AutoEncoder", "mobilenet": "MobileNetV1 0.25, 96",
    **{f"mobilenetv1_{side}": f"MobileNetV1 0.25, {side}" for side in (128, 160, 192, 224)},
    **{f"mobilenetv2_{side}": f"MobileNetV2 0.35, {side}" for side in (96, 224)},
    **{f"resnet18_{side}": f"ResNet-18, {side}" for side in (96, 224)},
}
PRESETS = ("tiny", "edge", "mobile", "default", "tflite", "large", "huge")
# Seconds and megabytes that no compilation may exceed; seconds of the network of one dimension.
SECONDS, MEGABYTES, LINE_SECONDS = 2.0, 200, 1.0
# Blocks of one channel count: convolution, dilated convolution, sum.
BLOCKS = [16] * 12 + [32] * 20 + [64] * 4


def line(folder):
    """A residual network of one row, dilated, with 110 operators."""
    network = random_layers.Network(random_layers.Draw(1), "line", (8, 1, 256))
    network.conv(BLOCKS[0], (1, 9))
    for number, channels in enumerate(BLOCKS):
        before = network.last
        if network.shapes[before][0] != channels:
            before = network.conv(channels, (1, 1))
        network.conv(channels, (1, 9), dilation=(1, 1 << number % 4))
        network.conv(channels, (1, 1) if channels > 16 else (1, 9))
        network.weighted_sum([before, network.last])
    assert len(network.layers) >= 110, len(network.layers)
    path = folder / "line.json"
    path.write_text(json.dumps(network.file()))
    return path


def measured(model, preset, folder):
    """Seconds of processor time, megabytes, and what became of it."""
    command = [HEDDLE, "compile", model, "-c", ROOT / f"configs/{preset}.json", "-o", folder / "p.json"]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in (0, 2):
        sys.exit(f"compile_times: {model} on {preset}: exit {process.returncode}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, process.returncode == 0


def main():
    check = sys.argv[1:] == ["--check"]
    if sys.argv[1:] and not check:
        sys.exit("compile_times: usage: scripts/compile_times.py [--check]")
    rows, exceeded = [], []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        models = {label: ROOT / f"build/networks/{network}.tflite" for network, label in NETWORKS.items()}
        models["one dimension, 110 operators"] = line(folder)
        for label, model in models.items():
            if not model.exists():
                sys.exit(f"compile_times: {model} is missing: scripts/networks.py makes it")
            cells = []
            for preset in PRESETS:
                seconds, megabytes, compiled = measured(model, preset, folder)
                cells.append(f"{seconds:.2f} s, {megabytes:.0f} MB" + ("" if compiled else ", refused"))
                if seconds > (LINE_SECONDS if model.suffix == ".json" else SECONDS) or megabytes > MEGABYTES:
                    exceeded.append(f"{label} on {preset}: {cells[-1]}")
            rows.append(f"| {label} | {' | '.join(cells)} |")
            print(rows[-1], flush=True)
    if not check:
        head = f"| network | {' | '.join(PRESETS)} |\n|---|{'---|' * len(PRESETS)}"
        table = "\n".join(["<!-- times -->", head, *rows, "<!-- end of times -->"])
        text = re.sub(r"<!-- times -->.*<!-- end of times -->", lambda _: table, PAGE.read_text(), flags=re.DOTALL)
        PAGE.write_text(text)
    if exceeded:
        sys.exit("compile_times: over the limit: " + "; ".join(exceeded))


if __name__ == "__main__":
    main()
