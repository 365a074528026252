#!/usr/bin/env python3
"""Writes import/tests/data/onnx: small .onnx models and what onnxruntime gives for them, without optimisations.

operators.npz holds models of one operator, islands.npz such with operators in float32; each network is NAME.onnx beside NAME.npz with the bytes of
its layers; what cannot be imported is a .onnx alone. Every model draws from a generator seeded by
its name, so that one more model changes no other. Where the bytes are not those that docs/import.md means,
the difference is kept beside them; onnx_meaning.py finds it. README.md here lists all entries.
Needs `pip install -r models/import/requirements.txt`; tests need the files alone.
Usage: models/import/onnx_models.py [FOLDER]
"""

import pathlib
import sys

import numpy
import onnx

from onnx_islands import write_islands
from onnx_networks import NETWORKS
from onnx_operators import operator_models
from onnx_refused import refused_models

OUTPUT = pathlib.Path(__file__).resolve().parents[2] / "import/tests/data/onnx"


def outside(file, path):
    """The same model with its larger constants in a file beside it."""
    model, data = onnx.load_from_string(file), b""
    for tensor in model.graph.initializer:
        if len(tensor.raw_data) > 32:
            place = {"location": path.name, "offset": str(len(data)), "length": str(len(tensor.raw_data))}
            data += tensor.raw_data
            tensor.ClearField("raw_data")
            tensor.data_location = onnx.TensorProto.EXTERNAL
            for key, value in place.items():
                tensor.external_data.add(key=key, value=value)
    path.write_bytes(data)
    return model.SerializeToString()


def main():
    folder = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else OUTPUT
    folder.mkdir(parents=True, exist_ok=True)
    arrays = {}
    for name, model in operator_models():
        arrays |= {f"{name}/{key}": values for key, values in model.entries().items()}
        arrays[f"{name}/model"] = numpy.frombuffer(model.pack(), numpy.uint8)
    numpy.savez_compressed(folder / "operators.npz", **arrays)
    write_islands(folder / "islands.npz")
    for name, make in NETWORKS.items():
        model = make(name)
        numpy.savez_compressed(folder / f"{name}.npz", **model.entries())
        (folder / f"{name}.onnx").write_bytes(model.pack())
    (folder / "outside.onnx").write_bytes(outside((folder / "keyword.onnx").read_bytes(), folder / "outside.bin"))
    for name, file in refused_models():
        (folder / f"{name}.onnx").write_bytes(file)
    size = sum(path.stat().st_size for path in folder.iterdir())
    count = sum(key.endswith("/model") for key in arrays)
    print(f"{count} models of one operator, {len(NETWORKS)} networks in {folder}: {size >> 10} KiB")


if __name__ == "__main__":
    main()
