"""Whole networks, with random weights and the scales that a first pass finds."""

import numpy

from graph import COARSE, N, R, R6, SUFFIX, Graph, fit, fused, image, pads, pool, weighted
from transformer import transformer, view


def layer(graph, operator, source, name, outputs, kernel=(1, 1), **options):
    """A layer with weights whose output has the range that the input of the graph gives it."""
    output = weighted(graph, operator, source, name, outputs, kernel, **options)
    graph.run()
    return output


def conv(graph, source, name, outputs, kernel=(3, 3), **options):
    return layer(graph, "CONV_2D", source, name, outputs, kernel, **{"same": True} | options)


def depthwise(graph, source, name, **options):
    channels = graph.values[source].shape[3]
    return layer(graph, "DEPTHWISE_CONV_2D", source, name, channels, (3, 3), same=True, **options)


def dense(graph, source, name, outputs, **options):
    return layer(graph, "FULLY_CONNECTED", source, name, outputs, per_channel=False, **options)


def whole_pool(graph, source, name):
    size = graph.values[source].shape[1:3]
    output = pool(graph, "AVERAGE_POOL_2D", source, name, size, size)
    graph.run()
    return output


def add(graph, first, second, name, activation):
    output = graph.tensor(f"{name}/{SUFFIX[activation]}", COARSE)
    graph.call("ADD", [first, second], [output], **fused(activation))
    fit(graph, output, activation)
    graph.run()
    return output


def flatten(graph, source, name):
    shape = [1, graph.values[source].size]
    output = graph.tensor(name, *graph.scale(source))
    graph.call("RESHAPE", [source, graph.constant(f"{name}/shape", shape)], [output], newShape=shape)
    graph.run()
    return output


def classify(graph, source, classes):
    """Flattened, a fully connected layer, SOFTMAX."""
    source = dense(graph, flatten(graph, source, "flatten"), "dense", classes, spread=2.0)
    output = graph.tensor("softmax", 1 / 256, -128)
    graph.call("SOFTMAX", [source], [output], beta=1.0)


def separable(graph):
    x = graph.input("input", smooth(graph.rng, (1, 16, 16, 3)), 1 / 255, -128)
    x = conv(graph, x, "conv1", 8, stride=(2, 2), activation=R6, spread=5.0)
    for i, (outputs, stride) in enumerate([(12, (1, 1)), (16, (2, 2)), (20, (1, 1))], 2):
        x = depthwise(graph, x, f"depthwise{i}", stride=stride, activation=R6, spread=2.5)
        x = conv(graph, x, f"pointwise{i}", outputs, (1, 1), activation=R6, spread=2.5)
    classify(graph, whole_pool(graph, x, "pool"), 10)


def residual(graph):
    x = graph.input("input", smooth(graph.rng, (1, 8, 8, 3)), 0.0157, -3)
    x = conv(graph, x, "conv1", 8, activation=R)
    for i, (outputs, stride) in enumerate([(8, (1, 1)), (12, (2, 2))], 2):
        y = conv(graph, x, f"conv{i}a", outputs, stride=stride, activation=R)
        y = conv(graph, y, f"conv{i}b", outputs)
        if stride != (1, 1):
            x = conv(graph, x, f"shortcut{i}", outputs, (1, 1), stride=stride)
        x = add(graph, x, y, f"add{i}", R)
    classify(graph, whole_pool(graph, x, "pool"), 10)


def autoencoder(graph):
    x = graph.input("input", image(graph.rng, (1, 96)), 0.05, 7)
    for i, outputs in enumerate((32, 8, 32), 1):
        x = dense(graph, x, f"dense{i}", outputs, activation=R)
    dense(graph, x, "dense4", 96)


def keyword(graph):
    x = graph.input("input", smooth(graph.rng, (1, 25, 10, 1)), 0.58, 83)
    x = conv(graph, x, "conv1", 8, (10, 4), stride=(2, 2), activation=R)
    x = depthwise(graph, x, "depthwise2", activation=R)
    x = conv(graph, x, "pointwise2", 12, (1, 1), activation=R)
    classify(graph, whole_pool(graph, x, "pool"), 12)


def convolution(graph):
    x = graph.input("input", smooth(graph.rng, (1, 14, 14, 2)), 0.02, -11)
    x = conv(graph, x, "conv1", 6, same=False, activation=R)
    x = pool(graph, "MAX_POOL_2D", x, "pool1", (2, 2), (2, 2))
    graph.run()
    x = conv(graph, x, "conv2", 8, stride=(2, 2), activation=R)
    dense(graph, flatten(graph, x, "flatten"), "dense", 5)


def padded(graph):
    """As Keras makes them: PAD in front of a strided convolution, MEAN behind the last one."""
    x = graph.input("input", smooth(graph.rng, (1, 15, 15, 3)), 1 / 127, -1)
    for i, outputs in enumerate((8, 12), 1):
        amounts = graph.constant(f"pad{i}/paddings", pads((0, 0), (0, 1), (1, 2), (0, 0)))
        y = graph.tensor(f"pad{i}", *graph.scale(x))
        graph.call("PAD", [x, amounts], [y])
        graph.run()
        x = conv(graph, y, f"conv{i}", outputs, same=False, stride=(2, 2), activation=R6, spread=2.5)
    axes = graph.constant("mean/axes", [1, 2])
    y = graph.tensor("mean", 0.0213, -90)
    graph.call("MEAN", [x, axes], [y], keepDims=False)
    graph.run()
    dense(graph, y, "dense", 10)


def row_conv(graph, source, name, outputs, size, **options):
    """Conv1D: the row as a plane of height 1, a convolution, the plane as a row again."""
    plane = viewed(graph, "EXPAND_DIMS", source, f"{name}/plane", 1)
    plane = conv(graph, plane, name, outputs, (1, size), **options)
    return viewed(graph, "SQUEEZE", plane, f"{name}/row", squeezeDims=[1])


def viewed(graph, operator, source, name, axis=None, **options):
    axes = [] if axis is None else [graph.constant(f"{name}/axis", axis)]
    output = graph.tensor(name, *graph.scale(source))
    graph.call(operator, [source, *axes], [output], **options)
    graph.run()
    return output


def keyword_1d(graph):
    """As Keras makes them: Conv1D, MaxPooling1D, GlobalAveragePooling1D."""
    x = graph.input("input", smooth(graph.rng, (1, 40, 1, 10)).reshape(1, 40, 10), 0.58, 83)
    x = row_conv(graph, x, "conv1", 12, 5, stride=(1, 2), activation=R)
    x = viewed(graph, "EXPAND_DIMS", x, "pool/plane", 1)
    x = pool(graph, "MAX_POOL_2D", x, "pool", (1, 2), (1, 2))
    graph.run()
    x = viewed(graph, "SQUEEZE", x, "pool/row", squeezeDims=[1])
    x = row_conv(graph, x, "conv2", 16, 3, same=False, activation=R)
    axes = graph.constant("mean/axes", [1])
    y = graph.tensor("mean", graph.scale(x)[0] / 2, -128)
    graph.call("MEAN", [x, axes], [y], keepDims=False)
    graph.run()
    x = dense(graph, y, "dense", 12, spread=2.0)
    output = graph.tensor("softmax", 1 / 256, -128)
    graph.call("SOFTMAX", [x], [output], beta=1.0)


def transposed(graph, source, name, kernel, **options):
    """A transposed convolution with stride 2."""
    options = {"stride": (2, 2), "activation": R} | options
    return layer(graph, "TRANSPOSE_CONV", source, name, options["shape"][3], kernel, **options)


def segmentation(graph):
    """A plane becomes smaller, then as large again: means at the edges, zeros in channels, transposed convolutions."""
    x = graph.input("input", smooth(graph.rng, (1, 11, 10, 3)), 1 / 127, -1)
    # More zeros than a kernel of 3 reaches: no padding of a layer.
    x = view(graph, "PAD", x, "border", pads((0, 0), (3, 3), (0, 1), (0, 0)))
    x = conv(graph, x, "conv1", 6, stride=(2, 2), activation=R)
    y = pool(graph, "AVERAGE_POOL_2D", x, "pool", (3, 3), (2, 2), same=True)
    graph.run()
    y = conv(graph, y, "conv2", 8, activation=R6, spread=2.5)
    y = transposed(graph, y, "up1", (3, 3), same=True, shape=(1, 9, 6, 6))
    x = add(graph, x, y, "add", R)
    # Read by a pool too: no padding either.
    x = view(graph, "PAD", x, "pad", pads((0, 0), (1, 0), (0, 2), (0, 2)))
    pooled = pool(graph, "MAX_POOL_2D", x, "maximum", (3, 3), (1, 1), same=True)
    graph.run()
    x = add(graph, conv(graph, x, "conv3", 8), pooled, "both", R)
    transposed(graph, x, "up2", (2, 4), same=False, activation=N, shape=(1, 20, 18, 4))


def float_ends(graph):
    """float32 outside: QUANTIZE in front, with halves of steps and numbers beyond all bytes; outputs are real numbers, bytes, or both."""
    scale = 1 / 16
    steps = graph.rng.integers(-300, 300, (1, 8, 8, 2)) / 2
    values = numpy.float32(steps * scale)
    values[0, 0, :4] = [[1e3, -1e3], [0.49999997 * scale, -0.49999997 * scale], [-0.0, 9.6e-39], [8.03125, -7.46875]]
    source = graph.tensor("input", shape=values.shape, dtype="float32")
    graph.graph.inputs, graph.values[source] = [source], values
    x = graph.tensor("input_bytes", scale, -7)
    graph.call("QUANTIZE", [source], [x])
    graph.run()
    x = conv(graph, x, "conv1", 6, activation=R)
    pooled = pool(graph, "AVERAGE_POOL_2D", x, "pool", (2, 2), (2, 2))
    graph.run()
    x = dense(graph, flatten(graph, pooled, "flatten"), "dense", 7, spread=2.0)
    shares = graph.tensor("softmax", 1 / 256, -128)
    graph.call("SOFTMAX", [x], [shares], beta=1.0)
    outputs = [x]
    for bytes_of, name in ((pooled, "means"), (x, "scores"), (shares, "shares")):
        outputs.append(graph.tensor(name, dtype="float32"))
        graph.call("DEQUANTIZE", [bytes_of], outputs[-1:])
    graph.graph.outputs = outputs


NETWORKS = {
    "float_ends": float_ends,
    "segmentation": segmentation,
    "keyword_1d": keyword_1d,
    "transformer": transformer,
    "separable": separable,
    "residual": residual,
    "dense": autoencoder,
    "keyword": keyword,
    "convolution": convolution,
    "padded": padded,
}


def smooth(rng, shape):
    """Random bytes, each the mean of 2 x 2, spread over the whole range."""
    values = rng.uniform(-1, 1, shape)
    values = sum(numpy.roll(values, (i, j), (1, 2)) for i in (0, 1) for j in (0, 1))
    low, high = values.min(), values.max()
    return numpy.round((values - low) / (high - low) * 255 - 128).astype(numpy.int8)


def entries(graph):
    """Input and all tensors that are no constants, after a run."""
    found = {"input0": graph.values[graph.graph.inputs[0]]}
    return found | {
        f"tensor/{i}": graph.values[i] for i, at in enumerate(graph.graph.tensors) if not at.buffer
    }


def write_network(folder, name):
    graph = Graph(name)
    NETWORKS[name](graph)
    graph.run()
    (folder / f"{name}.tflite").write_bytes(graph.pack())
    numpy.savez_compressed(folder / f"{name}.npz", **entries(graph))
