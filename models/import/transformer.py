"""A block of a transformer as converters emit it: attention of two heads, layer norms of simple operators, GELU."""

import numpy

from graph import COARSE, N, fit, fused, weighted

TOKENS, WIDTH, HEADS, HIDDEN = 8, 16, 2, 32


def call(graph, operator, inputs, name, **options):
    """An operator whose output has the range that the input of the graph gives it."""
    output = graph.tensor(name, COARSE)
    graph.call(operator, inputs, [output], **options)
    fit(graph, output, N)
    graph.run()
    return output


def view(graph, operator, source, name, *constants, **options):
    """An operator that moves bytes."""
    output = graph.tensor(name, *graph.scale(source))
    held = [graph.constant(f"{name}/constant{i}", values) for i, values in enumerate(constants)]
    graph.call(operator, [source, *held], [output], **options)
    graph.run()
    return output


def project(graph, source, name, outputs, **options):
    """A fully connected layer of each row."""
    output = weighted(
        graph, "FULLY_CONNECTED", source, name, outputs, per_channel=False, rows=True, **options
    )
    graph.run()
    return output


def heads(graph, source, name):
    shape = [1, TOKENS, HEADS, WIDTH // HEADS]
    split = view(graph, "RESHAPE", source, f"{name}/split", shape, newShape=shape)
    return view(graph, "TRANSPOSE", split, f"{name}/heads", [0, 2, 1, 3])


def constant(graph, name, values):
    """A constant of int8 with the range of its values and 0."""
    values = numpy.atleast_1d(numpy.float32(values))
    low, high = min(float(values.min()), 0), max(float(values.max()), 0)
    scale = (high - low) / 255
    zero_point = round(-128 - low / scale)
    quantised = numpy.clip(numpy.round(values / scale) + zero_point, -128, 127)
    return graph.tensor(name, scale, zero_point, data=quantised.astype(numpy.int8))


def attention(graph, source):
    query, key, value = (
        heads(graph, project(graph, source, f"attention/{name}", WIDTH, spread=1.0), f"attention/{name}")
        for name in ("query", "key", "value")
    )
    scores = call(graph, "BATCH_MATMUL", [query, key], "attention/scores", adjY=True)
    factor = constant(graph, "attention/factor", (WIDTH // HEADS) ** -0.5)
    scores = call(graph, "MUL", [scores, factor], "attention/scaled", **fused(N))
    shares = graph.tensor("attention/softmax", 1 / 256, -128)
    graph.call("SOFTMAX", [scores], [shares], beta=1.0)
    graph.run()
    found = call(graph, "BATCH_MATMUL", [shares, value], "attention/values")
    found = view(graph, "TRANSPOSE", found, "attention/tokens", [0, 2, 1, 3])
    shape = [1, TOKENS, WIDTH]
    found = view(graph, "RESHAPE", found, "attention/joined", shape, newShape=shape)
    return project(graph, found, "attention/output", WIDTH, spread=1.0)


def layer_norm(graph, source, name):
    """x * f + (offset - mean * f), f = factor / root of the variance and a little."""
    axes = graph.constant(f"{name}/axes", [2])
    mean = call(graph, "MEAN", [source, axes], f"{name}/mean", keepDims=True)
    squares = call(graph, "SQUARED_DIFFERENCE", [source, mean], f"{name}/squares")
    variance = graph.tensor(f"{name}/variance", graph.scale(squares)[0] / 2, -128)
    graph.call("MEAN", [squares, axes], [variance], keepDims=True)
    # A root has no negative inputs: the least byte stands for 0.
    added = graph.tensor(f"{name}/added", graph.scale(variance)[0], -128)
    little = constant(graph, f"{name}/epsilon", 0.001)
    graph.call("ADD", [variance, little], [added], **fused(N))
    graph.run()
    inverse = call(graph, "RSQRT", [added], f"{name}/rsqrt")
    factors = constant(graph, f"{name}/gamma", graph.rng.uniform(0.7, 1.3, WIDTH))
    offsets = constant(graph, f"{name}/beta", graph.rng.uniform(-0.4, 0.4, WIDTH))
    factors = call(graph, "MUL", [inverse, factors], f"{name}/factors", **fused(N))
    scaled = call(graph, "MUL", [source, factors], f"{name}/scaled", **fused(N))
    shifts = call(graph, "MUL", [mean, factors], f"{name}/shifts", **fused(N))
    shifts = call(graph, "SUB", [offsets, shifts], f"{name}/offsets", **fused(N))
    return call(graph, "ADD", [scaled, shifts], f"{name}/output", **fused(N))


def feed_forward(graph, source):
    hidden = project(graph, source, "feed_forward/hidden", HIDDEN, spread=1.5)
    hidden = call(graph, "GELU", [hidden], "feed_forward/gelu", approximate=True)
    return project(graph, hidden, "feed_forward/output", WIDTH, spread=1.0)


def transformer(graph):
    values = graph.rng.integers(-128, 128, (1, TOKENS, WIDTH), numpy.int8)
    source = graph.input("input", values, 0.0171, 3)
    for part, name in ((attention, "attention"), (feed_forward, "feed_forward")):
        found = part(graph, source)
        found = call(graph, "ADD", [source, found], f"{name}/add", **fused(N))
        source = layer_norm(graph, found, f"{name}/norm")
