"""Models with operators on float32 between DEQUANTIZE and QUANTIZE, and what the reference kernels of LiteRT give for them."""

import numpy

from graph import Graph, fused, image, window

PLANE, ROWS = (1, 7, 8, 5), (1, 6, 11)
EDGES = {**window((2, 2), True), "filterHeight": 3, "filterWidth": 3}
# Functions of each element, with their options
FUNCTIONS = {
    "ABS": {}, "EXP": {}, "FLOOR": {}, "HARD_SWISH": {}, "LEAKY_RELU": {"alpha": 0.15}, "LOGISTIC": {}, "NEG": {},
    "RELU": {}, "RELU6": {}, "RELU_N1_TO_1": {}, "RELU_0_TO_1": {}, "SQUARE": {}, "TANH": {},
}
PAIRS = ("ADD", "SUB", "MUL", "DIV", "MAXIMUM", "MINIMUM", "SQUARED_DIFFERENCE")
# name -> shape of the input; operators one behind the other: name, constants, options
CHAINS = {
    "roots": (PLANE, [("EXP", [], {}), ("SQRT", [], {})]),
    "inverse_roots": (PLANE, [("EXP", [], {}), ("RSQRT", [], {}), ("LOG", [], {})]),
    "mean": (PLANE, [("MEAN", [[2, 3]], {"keepDims": True})]),
    "mean_of_channels": (PLANE, [("MEAN", [[3]], {"keepDims": False})]),
    "sum_of_rows": (PLANE, [("SUM", [[1]], {"keepDims": True})]),
    "largest": (PLANE, [("REDUCE_MAX", [[3]], {"keepDims": True})]),
    "softmax": (ROWS, [("SOFTMAX", [], {"beta": 0.7})]),
    "log_softmax": (ROWS, [("LOG_SOFTMAX", [], {})]),
    "unit_length": (PLANE, [("L2_NORMALIZATION", [], {})]),
    "average": (PLANE, [("AVERAGE_POOL_2D", [], EDGES)]),
    "largest_of_windows": (PLANE, [("MAX_POOL_2D", [], EDGES)]),
    "transposed": (PLANE, [("TANH", [], {}), ("TRANSPOSE", [[0, 2, 3, 1]], {})]),
    "in_another_shape": (PLANE, [("TANH", [], {}), ("RESHAPE", [[1, 8, 35]], {}), ("SOFTMAX", [], {"beta": 1.0})]),
    "slopes": (PLANE, [("PRELU", [numpy.float32([0.1, 0.2, -0.3, 0.4, 1.5])], {})]),
    "factors": (PLANE, [("MUL", [numpy.float32([0.1, 0.2, -0.3, 0.4, 1.5])], fused("RELU"))]),
    "affine": (PLANE, [("MUL", [numpy.float32([1.3])], {}), ("ADD", [numpy.float32([-0.2])], fused("RELU6"))]),
}


def begun(name, shape):
    """A graph, its bytes, and what they stand for."""
    graph = Graph(name)
    source = graph.input("input0", image(graph.rng, shape), 0.0237, -9)
    real = graph.tensor("input_real", dtype="float32")
    graph.call("DEQUANTIZE", [source], [real])
    return graph, source, real


def ended(graph, real):
    """QUANTIZE, with a scale that spreads the result over the bytes."""
    graph.run()
    values = graph.values[real]
    low, high = numpy.quantile(values[numpy.isfinite(values)], [0.01, 0.99])
    scale = max(float(high - low), 1e-3) / 240
    output = graph.tensor("output", scale, int(numpy.clip(-120 - round(low / scale), -128, 127)))
    graph.call("QUANTIZE", [real], [output])
    return graph


def chained(name, shape, calls):
    graph, _, real = begun(name, shape)
    for i, (operator, constants, options) in enumerate(calls):
        held = [graph.tensor(f"c{i}", data=numpy.asarray(value, None if isinstance(value, numpy.ndarray) else numpy.int32)) for value in constants]
        made = graph.tensor(f"r{i}", dtype="float32")
        graph.call(operator, [real, *held], [made], **options)
        real = made
    return ended(graph, real)


def times_itself(name, operator):
    """x times a function of x."""
    graph, _, real = begun(name, PLANE)
    shares, product = [graph.tensor(part, dtype="float32") for part in ("shares", "product")]
    graph.call(operator, [real], [shares])
    graph.call("MUL", [shares, real], [product])
    return ended(graph, product)


def paired(name, operator, shape):
    """Of the input and another one."""
    graph, _, real = begun(name, PLANE)
    other = graph.input("input1", numpy.where((found := image(graph.rng, shape)) == 3, 4, found).astype(numpy.int8), 0.031, 3)
    other_real, made = [graph.tensor(part, dtype="float32") for part in ("other_real", "made")]
    graph.call("DEQUANTIZE", [other], [other_real])
    graph.call(operator, [real, other_real], [made])
    return ended(graph, made)


def viewed(name):
    """A view in front of DEQUANTIZE."""
    graph = Graph(name)
    source = graph.input("input0", image(graph.rng, PLANE), 0.0237, -9)
    view = graph.tensor("view", 0.0237, -9)
    graph.call("RESHAPE", [source, graph.constant("shape", [1, 280])], [view])
    real, shares = [graph.tensor(part, dtype="float32") for part in ("real", "shares")]
    graph.call("DEQUANTIZE", [view], [real])
    graph.call("SOFTMAX", [real], [shares], beta=1.0)
    return ended(graph, shares)


def halved(name):
    """Half of each byte, in steps of which many are halves."""
    graph = Graph(name)
    source = graph.input("input0", image(graph.rng, (1, 16, 16, 1)), 1 / 32, -9)
    real, half = [graph.tensor(part, dtype="float32") for part in ("real", "half")]
    graph.call("DEQUANTIZE", [source], [real])
    graph.call("MUL", [real, graph.tensor("factor", data=numpy.float32([0.5]))], [half])
    graph.call("QUANTIZE", [half], [graph.tensor("output", 1 / 32, 3)])
    return graph


def models():
    yield "view", viewed("view")
    yield "halved", halved("halved")
    for operator, options in FUNCTIONS.items():
        yield operator.lower(), chained(operator.lower(), PLANE, [(operator, [], options)])
    for name, row in CHAINS.items():
        yield name, chained(name, *row)
    for operator in ("LOGISTIC", "TANH"):
        yield f"times_{operator.lower()}", times_itself(f"times_{operator.lower()}", operator)
    for operator in PAIRS:
        for shape in (PLANE, (1, 1, 1, 5)):
            name = f"{operator.lower()}_of_{'equal' if shape == PLANE else 'channels'}"
            yield name, paired(name, operator, shape)


def write_islands(folder):
    arrays = {}
    for name, graph in models():
        graph.run()
        arrays[f"{name}/model"] = numpy.frombuffer(graph.pack(), numpy.uint8)
        for i, index in enumerate(graph.graph.inputs):
            arrays[f"{name}/input{i}"] = graph.values[index]
        arrays[f"{name}/output"] = graph.values[graph.graph.outputs[0]]
    numpy.savez_compressed(folder / "islands.npz", **arrays)
