"""Models of one operator: what makes them of the tables of cases."""

import math

import numpy

from cases import PRELU_RANGES, PRELUS, BROADCASTS, CONVOLUTIONS, DENSE, DEPTHWISE, OTHERS, POOLS, SUMS, TABLES, TRANSPOSED
from graph import N, R, Graph, fused, image, pool, weighted


def drawn(rng, zeros, count=2):
    """Zero points: the given ones, random ones in place of None."""
    return [int(rng.integers(-128, 128)) if zero is None else zero for zero in zeros or [None] * count]


def weighted_model(
    name, operator, size, outputs, kernel, zeros=None, scale=None, source_scale=None, **options
):
    graph = Graph(name)
    source_zero, zero = drawn(graph.rng, zeros)
    source_scale = float(numpy.float32(source_scale or graph.rng.uniform(0.01, 0.08)))
    scale = float(numpy.float32(scale or graph.rng.uniform(0.02, 0.1)))
    source = graph.input("input", image(graph.rng, size), source_scale, source_zero)
    weighted(
        graph,
        operator,
        source,
        "layer",
        outputs,
        kernel,
        scale=scale,
        zero_point=zero,
        spread=50 * scale,
        **options,
    )
    return graph


def halves_image(rng, size):
    """Planes of an even number of bytes whose mean is k + 1/2, for k below and above 0."""
    height, width, channels = size
    plane = numpy.arange(height * width) % 2
    planes = [rng.permutation(plane) + k - channels // 2 for k in range(channels)]
    return numpy.stack(planes, -1).reshape(1, *size).astype(numpy.int8)


def pool_model(name, operator, size, kernel, stride, zero, same, activation):
    graph = Graph(name)
    zero = drawn(graph.rng, [zero])[0]
    values = image(graph.rng, (1, *size))
    if kernel == size[:2] and operator == "AVERAGE_POOL_2D" and math.prod(kernel) % 2 == 0:
        values = halves_image(graph.rng, size)
    source = graph.input("input", values, 0.0457, zero)
    pool(graph, operator, source, "output", kernel, stride, same, activation)
    return graph


def with_activation(operator, activation):
    return {} if operator in ("PRELU", "SQUARED_DIFFERENCE") else fused(activation)


def two_inputs(name, operator, scales, zeros, activation, shapes=((1, 7, 9, 5),) * 2):
    graph = Graph(name)
    images = [image(graph.rng, shape) for shape in shapes]
    sources = [graph.input(f"input{i}", images[i], scales[i], zeros[i]) for i in range(2)]
    output = graph.tensor("output", scales[2], zeros[2])
    graph.call(operator, sources, [output], **with_activation(operator, activation))
    return graph


def same_input(name, operator, activation):
    graph = Graph(name)
    source = graph.input("input", image(graph.rng, (1, 16, 16, 1)), 0.031, -20)
    graph.call(operator, [source] * 2, [graph.tensor("output", 0.051, 7)], **fused(activation))
    return graph


def constant_input(name, operator, size, constant, scale=0.051, zero=7):
    """The second input is a constant of that shape."""
    graph = Graph(name)
    source = graph.input("input", image(graph.rng, size), 0.031, -20)
    factors = graph.tensor("factors", 0.0123, 5, data=image(graph.rng, constant))
    output = graph.tensor("output", scale, zero)
    graph.call(operator, [source, factors], [output], **with_activation(operator, N))
    return graph


def compared_model(name, operator, shape):
    """The second input is a constant of that shape, on either side."""
    graph = Graph(name)
    source = graph.input("input", image(graph.rng, (1, 5, 4, 6)), 0.031, -20)
    held = graph.tensor("held", 0.031, -20, data=image(graph.rng, shape))
    inputs = [source, held] if operator == "MAXIMUM" else [held, source]
    graph.call(operator, inputs, [graph.tensor("output", 0.031, -20)])
    return graph


def padded_model(name, value):
    """A byte around a plane, then a maximum of windows."""
    graph = Graph(name)
    source = graph.input("input", image(graph.rng, (1, 4, 5, 3)), 0.031, -23)
    around = graph.tensor("value", 0.031, -23, data=numpy.array(value, numpy.int8))
    made = graph.tensor("padded", 0.031, -23)
    graph.call("PADV2", [source, graph.constant("pads", [[0, 0], [1, 0], [2, 1], [0, 0]]), around], [made])
    pool(graph, "MAX_POOL_2D", made, "output", (2, 2), (1, 1))
    return graph


def no_scale(name):
    """A channel of weights whose scale is 0."""
    graph = Graph(name)
    source = graph.input("input", image(graph.rng, (1, 5, 5, 2)), 0.031, -7)
    made = weighted(graph, "CONV_2D", source, "output", 3, (3, 3), scale=0.05, zero_point=3, spread=2.0)
    held = graph.graph.operators[-1].inputs[1]
    graph.graph.tensors[held].quantization.scale[1] = 0
    graph.graph.outputs = [made]
    return graph


def mean_then_padded(name):
    """A mean whose zero point is -128, which a convolution with padding reads, and a sum."""
    graph = Graph(name)
    source = graph.input("input", image(graph.rng, (1, 8, 8, 3)), 0.031, -128)
    mean = pool(graph, "AVERAGE_POOL_2D", source, "mean", (2, 2), (2, 2))
    graph.run()
    conv = weighted(graph, "CONV_2D", mean, "conv", 3, (3, 3), scale=0.031, zero_point=-128, spread=1.5, same=True)
    graph.call("ADD", [conv, mean], [graph.tensor("output", 0.05, -128)], **fused(N))
    return graph


def means_model(name):
    """A mean of means, whose zero point is not that of the first ones in a network."""
    graph = Graph(name)
    source = graph.input("input", image(graph.rng, (1, 6, 8, 5)), 0.0457, -23)
    means = pool(graph, "AVERAGE_POOL_2D", source, "means", (2, 2), (2, 2))
    output = graph.tensor("output", 0.0177, 41)
    graph.call("MEAN", [means, graph.constant("axes", [1, 2])], [output], keepDims=False)
    return graph


def table_model(name, operator, scale, zero, output_scale, output_zero, options):
    graph = Graph(name)
    source = graph.input("input", image(graph.rng, (1, 16, 16, 1)), scale, zero)
    graph.call(operator, [source], [graph.tensor("output", output_scale, output_zero)], **options)
    return graph


def other_model(name, operator, shapes, places, options, ranged=None, parts=1):
    graph = Graph(name)
    scale, zero = 0.0457, int(graph.rng.integers(-60, 60))
    images = [image(graph.rng, shape) for shape in shapes]
    sources = [graph.input(f"input{i}", values, scale, zero) for i, values in enumerate(images)]
    held = [
        sources[place] if isinstance(place, int) else graph.constant(f"constant{i}", place)
        for i, place in enumerate(places)
    ]
    ranged, dtype = ranged or (scale, zero), "int32" if operator == "ARG_MAX" else "int8"
    outputs = [graph.tensor(f"output{i}", *ranged, dtype=dtype) for i in range(parts)]
    graph.call(operator, held, outputs, **options)
    return graph


def operator_models():
    """Name and graph of every model of one operator."""
    kinds = {
        "conv": ("CONV_2D", CONVOLUTIONS),
        "depthwise": ("DEPTHWISE_CONV_2D", DEPTHWISE),
        "transpose_conv": ("TRANSPOSE_CONV", TRANSPOSED),
    }
    rows = [
        (weighted_model, f"{kind}_{name}", (operator, (1, *size), *row, options))
        for kind, (operator, table) in kinds.items()
        for name, (size, *row, options) in table.items()
    ]
    rows += [
        (weighted_model, f"fully_connected_{name}", ("FULLY_CONNECTED", size, outputs, (1, 1), options))
        for name, (size, outputs, options) in DENSE.items()
    ]
    for maker, name, (*row, options) in rows:
        yield name, maker(name, *row, **options)
    tables = (pool_model, POOLS), (two_inputs, SUMS), (table_model, TABLES), (other_model, OTHERS)
    for maker, table in tables:
        yield from ((name, maker(name, *row)) for name, row in table.items())
    yield "mean_of_average_pool", means_model("mean_of_average_pool")
    yield "add_twice", same_input("add_twice", "ADD", N)
    yield "sub_twice", same_input("sub_twice", "SUB", R)
    yield "mul_twice", same_input("mul_twice", "MUL", N)
    for operator in ("add", "mul"):
        name = f"{operator}_channel_vector"
        yield name, constant_input(name, operator.upper(), (1, 5, 4, 6), (1, 1, 1, 6))
    for operator in ("ADD", "SUB", "MUL", "SQUARED_DIFFERENCE"):
        for how, shapes in BROADCASTS.items():
            name = f"{operator.lower()}_broadcast_{how}"
            yield name, two_inputs(name, operator, (0.031, 0.047, 0.06), (7, -20, -90), N, shapes)
    for operator in ("ADD", "MUL", "SUB", "PRELU"):
        name = f"{operator.lower()}_constant"
        yield name, constant_input(name, operator, (1, 16, 16, 1), (1, 1, 1))
    for operator in ("MAXIMUM", "MINIMUM"):
        for name, shape in {"constant": (1, 1, 1), "channel_vector": (1, 1, 1, 6), "constant_plane": (5, 4, 6)}.items():
            name = f"{operator.lower()}_{name}"
            yield name, compared_model(name, operator, shape)
    for name, value in {"padv2": -128, "padv2_zero": -23}.items():
        yield name, padded_model(name, value)
    yield "conv_no_scale", no_scale("conv_no_scale")
    yield "mean_then_padded", mean_then_padded("mean_then_padded")
    for name, shape in PRELUS.items():
        yield name, constant_input(name, "PRELU", (1, 5, 4, 6), shape, *PRELU_RANGES.get(name, ()))


def write_operators(folder):
    entries = {}
    for name, graph in operator_models():
        graph.run()
        entries[f"{name}/model"] = numpy.frombuffer(graph.pack(), numpy.uint8)
        entries |= {f"{name}/input{i}": graph.values[at] for i, at in enumerate(graph.graph.inputs)}
        for i, at in enumerate(graph.graph.outputs):
            entries[f"{name}/output{i or ''}"] = graph.values[at]
    numpy.savez_compressed(folder / "operators.npz", **entries)
    return sum(key.endswith("/model") for key in entries)
