#!/usr/bin/env python3
"""Writes import/tests/data: small .tflite models and what the reference kernels of LiteRT give for them.

operators.npz holds models of one operator, functions.npz and softmax.npz what some do under many scales,
ratios.npz models of one operator whose output has far smaller scales than its inputs, folded.npz networks in forms that few files have, graphs.npz random graphs, islands.npz models with operators on float32, states.npz streams with frames; each network is NAME.tflite beside NAME.npz with the bytes of all its tensors; what
cannot be imported is a .tflite alone. Every model draws from a generator seeded by its name, so that one
more model changes no other. README.md here lists their entries.
Needs the packages of requirements.txt here; tests need the files alone.
Usage: models/import/tflite_models.py [FOLDER]
"""

import pathlib
import sys

from batches import write_batches
from folded import write_folded
from functions import write_functions, write_softmax
from islands import write_islands
from networks import NETWORKS, write_network
from operators import write_operators
from random_graphs import write_graphs
from ratios import write_ratios
from refused import refused_models
from states import write_states

OUTPUT = pathlib.Path(__file__).resolve().parents[2] / "import/tests/data"


def main():
    folder = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else OUTPUT
    folder.mkdir(parents=True, exist_ok=True)
    count = write_operators(folder)
    write_functions(folder)
    write_softmax(folder)
    write_ratios(folder)
    write_folded(folder)
    write_graphs(folder)
    write_islands(folder)
    write_batches(folder)
    write_states(folder)
    for name in NETWORKS:
        write_network(folder, name)
    for name, graph in refused_models():
        (folder / f"{name}.tflite").write_bytes(graph.pack())
    size = sum(path.stat().st_size for path in folder.iterdir())
    print(f"{count} models of one operator, {len(NETWORKS)} networks in {folder}: {size >> 10} KiB")


if __name__ == "__main__":
    main()
