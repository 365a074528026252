"""Models that cannot be imported."""

import numpy

from graph import N, R, TYPES, Graph, fused, image, window


def plain_conv(name, activations, weights, zero_point=0, image_shape=(1, 6, 6, 2)):
    """A 3x3 convolution with activations and weights of these types; gives its graph and output."""
    graph, scaled = Graph(name), 0.05 if activations != "float32" else None
    values = graph.rng.integers(1, 100, (3, 3, 3, 2)).astype(weights)
    bias = numpy.zeros(3, "float32" if activations == "float32" else "int32")
    source = graph.tensor("input", scaled, zero_point, image_shape, dtype=activations)
    held = graph.tensor("conv1/weights", None if weights == "float32" else 0.01, zero_point, data=values)
    bias = graph.tensor("conv1/bias", scaled and 0.05 * 0.01, data=bias)
    output = graph.tensor("conv1/Relu", scaled, zero_point, (*image_shape[:3], 3), dtype=activations)
    graph.call("CONV_2D", [source, held, bias], [output], **window((1, 1), True), **fused(R))
    graph.graph.inputs = [source]
    return graph, output


def unsupported():
    """A convolution, then two operators that no lowering has."""
    graph, source = plain_conv("unsupported", "int8", "int8")
    middle = graph.tensor("resonator", 0.05, shape=(1, 108))
    graph.call("CUSTOM", [source], [middle])
    feature = graph.tensor("svdf/weights_feature", 0.01, data=image(graph.rng, (4, 108)))
    time = graph.tensor("svdf/weights_time", 0.01, data=graph.rng.integers(-9, 9, (4, 2), numpy.int16))
    state = graph.tensor("svdf/state", 0.01, shape=(1, 8), dtype="int16")
    graph.graph.tensors[state].isVariable = True
    output = graph.tensor("svdf/Relu", 0.05, shape=(1, 4))
    graph.call("SVDF", [middle, feature, time, -1, state], [output], rank=1, **fused(R))
    return graph


def dynamic():
    """Batch and height are not known before the network runs."""
    graph, output = plain_conv("dynamic", "int8", "int8")
    for index in (graph.graph.inputs[0], output):
        found = graph.graph.tensors[index]
        found.shapeSignature = [-1, -1, *found.shape[2:]]
        found.shape = [1, 1, *found.shape[2:]]
    return graph


def malformed(name, shape, zero_point, calls):
    """Calls of operators on tensors of one shape: rows of operator, tensors read, tensor made; 0 is the input."""
    graph = Graph(name)
    count = 1 + max(made for _, _, made in calls)
    found = [graph.tensor(f"t{i}", 0.05, zero_point, shape) for i in range(count)]
    for operator, read, made in calls:
        options = {}
        if operator.endswith("POOL_2D"):
            options = {"filterHeight": 1, "filterWidth": 1, **window((1, 1), False), **fused(N)}
        graph.call(operator, [found[i] for i in read], [found[made]], **options)
    graph.graph.inputs = [found[0]]
    return graph


PLANE, WIDE = (1, 4, 4, 1), (1, 1, 1, 1 << 28)
MALFORMED = {  # name -> shape, zero point, calls
    "reads_itself": (PLANE, 0, [("RESHAPE", [0], 0)]),
    "reads_later": (PLANE, 0, [("MAX_POOL_2D", [2], 1), ("MAX_POOL_2D", [0], 2)]),
    "made_twice": (PLANE, 0, [("MAX_POOL_2D", [0], 1), ("MAX_POOL_2D", [0], 1)]),
    "wide": (WIDE, 0, [("AVERAGE_POOL_2D", [0], 1)]),
    "wide_add": (WIDE, 0, [("ADD", [0, 0], 1)]),
}


def other_shape():
    """A reshape to another shape than that of its tensor."""
    graph = malformed("other_shape", PLANE, 0, [("MAX_POOL_2D", [0], 1)])
    output = graph.tensor("output", 0.05, 0, PLANE)
    graph.call("RESHAPE", [1, graph.constant("shape", [1, 2, 8, 1])], [output])
    return graph


def large_fill():
    """Zeros around a tensor as a constant of 2^40 elements says."""
    graph = malformed("large_fill", PLANE, 0, [("MAX_POOL_2D", [0], 1)])
    made = graph.tensor("fill", dtype="int32")
    value = graph.tensor("value", data=numpy.array(1, numpy.int32))
    graph.call("FILL", [graph.constant("dims", [1 << 20, 1 << 20]), value], [made])
    graph.call("PAD", [1, made], [graph.tensor("output", 0.05, 0, PLANE)])
    return graph


def other_graphs():
    """A state that another graph sets."""
    graph = malformed("other_graphs", PLANE, 0, [("MAX_POOL_2D", [0], 1)])
    graph.model.subgraphs.append(Graph("other").graph)
    graph.call("CALL_ONCE", [], [], initSubgraphIndex=1)
    handle, state = graph.tensor("handle", dtype="resource"), graph.tensor("state", 0.05, 0, PLANE)
    graph.call("VAR_HANDLE", [], [handle], sharedName="state")
    graph.call("READ_VARIABLE", [handle], [state])
    graph.call("ADD", [1, state], [graph.tensor("output", 0.05, 0, PLANE)], **fused(N))
    return graph


def constant_output():
    """The sizes of a result beside it."""
    graph = malformed("constant_output", PLANE, 0, [("MAX_POOL_2D", [0], 1)])
    sizes = graph.tensor("sizes", shape=(4,), dtype="int32")
    graph.call("SHAPE", [1], [sizes], outType=TYPES["int32"])
    graph.graph.outputs = [1, sizes]
    return graph


def recurrent():
    """An LSTM, whose scratch tensors have no elements."""
    graph = malformed("recurrent", (1, 8), 0, [("ABS", [0], 1)])
    state = graph.tensor("scratch", 0.05, 0, (0, 8))
    graph.call("LSTM", [1, state], [graph.tensor("output", 0.05, 0, (1, 8))])
    return graph


def unnamed():
    """A file without names of tensors."""
    graph = malformed("unnamed", PLANE, 0, [("MAX_POOL_2D", [0], 1), ("CUSTOM", [1], 2)])
    for found in graph.graph.tensors:
        found.name = ""
    return graph


def one_conv(name, bias, scale):
    graph = Graph(name)
    source = graph.tensor("input", 1.0, 0, PLANE)
    weights = graph.tensor("weights", 1.0, data=numpy.full((1, 1, 1, 1), 127, numpy.int8))
    output = graph.tensor("output", scale, 0, PLANE)
    graph.call("CONV_2D", [source, weights, graph.constant("bias", [bias])], [output], **window((1, 1), False), **fused(N))
    graph.graph.inputs = [source]
    return graph


def no_options():
    graph = one_conv("no_options", 0, 1.0)
    graph.graph.operators[0].builtinOptions = None
    return graph


def refused_models():
    yield "large_fill", large_fill()
    yield "other_graphs", other_graphs()
    yield "constant_output", constant_output()
    yield "recurrent", recurrent()
    yield "unnamed", unnamed()
    yield "large_sums", one_conv("large_sums", 2**31 - 1, 2.0**11)
    yield "ratio", one_conv("ratio", 0, 2.0**-20)
    yield "no_options", no_options()
    yield "empty_input", malformed("empty_input", (1, 0, 4, 1), 0, [("MAX_POOL_2D", [0], 1)])
    for name, row in MALFORMED.items():
        yield name, malformed(name, *row)
    yield "other_shape", other_shape()
    yield "float", plain_conv("float", "float32", "float32")[0]
    yield "hybrid", plain_conv("hybrid", "float32", "int8")[0]
    yield "uint8", plain_conv("uint8", "uint8", "uint8", 128)[0]
    yield "unsupported", unsupported()
    yield "dynamic", dynamic()
