"""Operators whose output has a scale far below that of their inputs: the int32 of the reference may wrap."""

import numpy

from graph import N, Graph, fused, weighted

BITS = (10, 15, 16, 20, 22, 23, 24, 27, 29, 30, 31)  # of the ratio of scales
ALL_BYTES = numpy.arange(-128, 128).astype(numpy.int8).reshape(1, 16, 16, 1)
SLOPES = numpy.int8([[[-100, 3, 40, 127]]])
KINDS = {  # name -> operator; how many inputs, or a constant; options
    "abs": ("ABS", 1, {}),
    "exp": ("EXP", 1, {}),
    "gelu": ("GELU", 1, {"approximate": False}),
    "leaky_relu": ("LEAKY_RELU", 1, {"alpha": 0.1}),
    "leaky_relu_rising": ("LEAKY_RELU", 1, {"alpha": -1.7}),
    "log": ("LOG", 1, {}),
    "mean": ("MEAN", [1, 2], {"keepDims": True}),
    "mean_of_width": ("MEAN", [2], {"keepDims": True}),
    "mul": ("MUL", 2, fused(N)),
    "mul_channel_vector": ("MUL", SLOPES, fused(N)),
    "mul_constant": ("MUL", SLOPES[:, :, :1], fused(N)),
    "prelu": ("PRELU", SLOPES, {}),
    "prelu_constant": ("PRELU", SLOPES[:, :, :1], {}),
    "quantize": ("QUANTIZE", 1, {}),
    "relu": ("RELU", 1, {}),
    "relu6": ("RELU6", 1, {}),
    "relu_n1_to_1": ("RELU_N1_TO_1", 1, {}),
    "rsqrt": ("RSQRT", 1, {}),
    "squared_difference": ("SQUARED_DIFFERENCE", 2, {}),
    "tanh": ("TANH", 1, {}),
}
ONE_SIDED = ("LOG", "RSQRT")  # defined from 0 on
LARGEST = {"SQUARED_DIFFERENCE": 15}  # beyond, the reference kernel aborts


def ratio_model(name, operator, others, options, bits):
    """The ratio is 1.37 times a power of two, of the product of scales where there are two."""
    graph = Graph(f"{name}_{bits}")
    values = ALL_BYTES
    if isinstance(others, numpy.ndarray):
        values = values.reshape(1, 64 * 4 // others.size // 4, 4, others.size)
    zeros = [-128 if operator in ONE_SIDED else -20, 9]
    scale = 0.05
    sources = [graph.input("input0", values, scale, zeros[0])]
    if isinstance(others, numpy.ndarray):
        sources.append(graph.tensor("constant", 1.0, zeros[1], data=others))
    elif isinstance(others, list):
        sources.append(graph.constant("axes", others))
    elif others == 2:
        shuffled = graph.rng.permutation(values.reshape(-1)).reshape(values.shape)
        second = 1.0 if operator == "MUL" else scale
        sources.append(graph.input("input1", shuffled, second, zeros[1]))
    output = graph.tensor("output", scale / (1.37 * 2.0**bits), 7)
    graph.call(operator, sources, [output], **options)
    return graph.run()


def behind_convolution(bits):
    """A table that the layer before takes."""
    graph = Graph(f"convolution_{bits}")
    source = graph.input("input0", ALL_BYTES, 0.05, -20)
    made = weighted(graph, "CONV_2D", source, "conv", 3, scale=0.05, zero_point=4, spread=3)
    output = graph.tensor("output", 0.05 / (1.37 * 2.0**bits), 7)
    graph.call("LEAKY_RELU", [made], [output], alpha=0.1)
    return graph.run()


def ratio_models():
    """Name and graph of each: NAME_BITS."""
    for name, row in KINDS.items():
        for bits in (bits for bits in BITS if bits <= LARGEST.get(row[0], bits)):
            yield f"{name}_{bits}", ratio_model(name, *row, bits)
    for bits in (20, 27):
        yield f"behind_convolution_{bits}", behind_convolution(bits)


def write_ratios(folder):
    """The entries are those of operators.npz."""
    entries = {}
    for name, graph in ratio_models():
        entries[f"{name}/model"] = numpy.frombuffer(graph.pack(), numpy.uint8)
        entries |= {f"{name}/input{i}": graph.values[at] for i, at in enumerate(graph.graph.inputs)}
        entries[f"{name}/output"] = graph.values[graph.graph.outputs[0]]
    numpy.savez_compressed(folder / "ratios.npz", **entries)
