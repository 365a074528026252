"""Models of a batch of three images: one that computes each image by itself, and some that mix them."""

import numpy

from graph import R, TYPES, Graph, image, pool, weighted

COUNT = 3


def classifier():
    """Convolutions, a mean of the whole plane, rows of weights and a softmax; the largest of each image besides."""
    graph = Graph("classifier")
    source = graph.input("input", image(graph.rng, (COUNT, 8, 8, 3)), 0.047, 3)
    planes = weighted(graph, "CONV_2D", source, "conv", 6, (3, 3), same=True, activation=R, scale=0.05, zero_point=-128)
    planes = pool(graph, "MAX_POOL_2D", planes, "max", (2, 2), (2, 2))
    flat = graph.tensor("flat", *graph.scale(planes))
    graph.call("RESHAPE", [planes, graph.constant("shape", [COUNT, 96])], [flat], newShape=[COUNT, 96])
    rows = weighted(graph.run(), "FULLY_CONNECTED", flat, "rows", 5, scale=0.08, zero_point=4, rows=True)
    output = graph.tensor("output", 1 / 256, -128)
    graph.call("SOFTMAX", [rows], [output], beta=1.0)
    place = graph.tensor("place", dtype="int32")
    graph.call("ARG_MAX", [rows, graph.constant("axis", 1)], [place], outputType=TYPES["int32"])
    graph.graph.outputs = [output, place]
    return graph.run()


def mixing(name, operator, shape, held=(), twice=False, **options):
    """One operator on a batch, whose images are no longer apart behind it."""
    graph = Graph(name)
    source = graph.input("input", image(graph.rng, shape), 0.047, 3)
    held = [source] * (2 if twice else 1) + [graph.constant(f"held{i}", values) for i, values in enumerate(held)]
    graph.call(operator, held, [graph.tensor("output", 0.047, 3)], **options)
    return graph.run()


def batch_models():
    shape = (COUNT, 4, 3, 2)
    yield "classifier", classifier()
    yield "mean_of_images", mixing("mean_of_images", "MEAN", shape, [[0, 1]], keepDims=True)
    yield "mean_of_rows", mixing("mean_of_rows", "MEAN", (COUNT, COUNT, 2), [[0]], keepDims=False)
    yield "joined", mixing("joined", "CONCATENATION", shape, twice=True, axis=0)
    yield "transposed", mixing("transposed", "TRANSPOSE", (COUNT, COUNT, 1, 2), [[1, 0, 2, 3]])
    yield "padded", mixing("padded", "PAD", shape, [[[1, 2], [0, 0], [0, 0], [0, 0]]])
    yield "first", mixing("first", "SLICE", shape, [[0, 0, 0, 0], [1, 4, 3, 2]])


def write_batches(folder):
    entries = {}
    for name, graph in batch_models():
        entries[f"{name}/model"] = numpy.frombuffer(graph.pack(), numpy.uint8)
        entries[f"{name}/input"] = graph.values[graph.graph.inputs[0]]
        for i, at in enumerate(graph.graph.outputs):
            entries[f"{name}/output{i or ''}"] = graph.values[at]
    numpy.savez_compressed(folder / "batches.npz", **entries)
