#!/usr/bin/env python3
"""Writes the test images of a network, and the outputs that `heddle sim --json` has of them, as bytes one after another.

Usage: driver/c/tests/digits.py NETWORK SIM INPUTS OUTPUTS
"""
import json
import pathlib
import struct
import sys

network, sim, inputs, outputs = map(pathlib.Path, sys.argv[1:])
wanted = json.loads(sim.read_text())["report"]["outputs"]
images = json.loads(network.read_text())["test"]["images"][: len(wanted)]
for path, rows in [(inputs, images), (outputs, wanted)]:
    path.write_bytes(b"".join(struct.pack(f"{len(row)}b", *row) for row in rows))
