#!/usr/bin/env python3
"""Writes random float32 inputs as an array and as bytes, or int8 bytes as an array; or the outputs that `heddle sim` has of them as bytes.

Usage: driver/c/tests/ends.py inputs COUNT SIZES ARRAY BYTES     SIZES: 8x8x2
       driver/c/tests/ends.py array COUNT SIZES ARRAY BYTES      BYTES: the first ones are taken
       driver/c/tests/ends.py outputs INFO ARCHIVE BYTES         INFO: what `heddle image info --json` has printed
"""
import json
import math
import pathlib
import random
import struct
import sys
import zipfile


def inputs(count, sizes, array, raw):
    """Numbers around the halves of steps of 1/16, and some beyond all bytes."""
    random.seed(1)
    shape = (int(count), *map(int, sizes.split("x")))
    steps = [random.choice([random.randint(-260, 260) / 2, random.uniform(-150, 150)]) for _ in range(math.prod(shape))]
    data = struct.pack(f"<{len(steps)}f", *(step / 16 for step in steps))
    write_array(array, "<f4", shape, data)
    pathlib.Path(raw).write_bytes(data)


def array(count, sizes, file, raw):
    shape = (int(count), *map(int, sizes.split("x")))
    write_array(file, "|i1", shape, pathlib.Path(raw).read_bytes()[: math.prod(shape)])


def write_array(file, kind, shape, data):
    header = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}\n".encode()
    pathlib.Path(file).write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + data)


def outputs(info, archive, raw):
    """All outputs of an inference one after another, in the order of the image."""
    tensors = [tensor for tensor in json.loads(pathlib.Path(info).read_text())["tensors"] if tensor["use"] == "output"]
    names = list(dict.fromkeys(tensor["name"] for tensor in tensors))
    arrays = []
    with zipfile.ZipFile(archive) as members:
        assert sorted(members.namelist()) == sorted(f"{name}.npy" for name in names), members.namelist()
        for name in names:
            file = members.read(f"{name}.npy")
            header = 10 + struct.unpack("<H", file[8:10])[0]
            count = int(file[:header].split(b"'shape': (")[1].split(b",")[0])
            size = (len(file) - header) // count
            arrays.append([file[header + at * size :][:size] for at in range(count)])
    pathlib.Path(raw).write_bytes(b"".join(part for parts in zip(*arrays) for part in parts))


if __name__ == "__main__":
    {"inputs": inputs, "array": array, "outputs": outputs}[sys.argv[1]](*sys.argv[2:])
