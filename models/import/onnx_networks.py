"""Whole ONNX networks, with random weights and scales that spread their outputs."""

import numpy

import onnx_graph
from onnx_graph import QDQ, QOPERATOR, Model, function, joined, mean, pair, same, split, weighted
from onnx_operators import sigmoid


def conv(model, source, name, outputs, kernel=(3, 3), **options):
    """A convolution, padded so that the plane keeps its size unless it strides."""
    options = {"pads": [size // 2 for size in kernel] * 2} | options
    return weighted(model, "Conv", source, name, outputs, kernel, **options)


def classify(model, source, classes):
    """A mean, flattened, rows of weights, Softmax."""
    x = mean(model, "GlobalAveragePool", source, "pool", float(source.scale) * 0.517, -90)
    x = same(model, "Flatten", x, "flatten", meant=(1, -1))
    x = weighted(model, "Gemm", x, "dense", classes)
    softmax(model, x)


def softmax(model, source):
    """In float32, behind what the importer takes."""
    model.call("Softmax", [model.real(source)], "softmax", axis=-1)
    model.end("softmax")


def residual(name):
    """Sums of equal scales: with others the layer `add` is not exact."""
    model = Model(name)
    x = model.input((1, 3, 12, 12), 0.0157, -3, quantises=True)
    x = conv(model, x, "conv1", 8, activation="Relu", scale=0.05, zero=-128)
    for i, (outputs, stride) in enumerate([(8, 1), (12, 2)], 2):
        y = conv(model, x, f"conv{i}a", outputs, strides=[stride] * 2, activation="Relu", zero=-128)
        y = conv(model, y, f"conv{i}b", outputs, scale=0.05)
        if stride > 1:
            x = conv(model, x, f"shortcut{i}", outputs, (1, 1), pads=[0] * 4, strides=[2, 2], scale=0.05)
        x = pair(model, "Add", [x, y], f"add{i}", 0.0625, -128, "Relu")
    classify(model, x, 10)
    return model


def separable(name):
    model = Model(name, QOPERATOR, "uint8")
    x = model.input((1, 3, 16, 16), 1 / 255, -128)
    x = conv(model, x, "conv1", 8, strides=[2, 2], zero=-128)
    for i, (outputs, stride) in enumerate([(12, 1), (16, 2), (20, 1)], 2):
        channels = x.meant.shape[1]
        x = conv(model, x, f"depthwise{i}", channels, group=channels, strides=[stride] * 2, zero=-128)
        x = conv(model, x, f"pointwise{i}", outputs, (1, 1), pads=[0] * 4, zero=-128)
    x = mean(model, "GlobalAveragePool", x, "pool", float(x.scale) * 0.517, -128)
    x = same(model, "Flatten", x, "flatten", meant=(1, -1))
    weighted(model, "Gemm", x, "dense", 10, per_channel=False)
    return model


def dense(name):
    model = Model(name, QDQ, "uint8")
    x = model.input((1, 96), 0.05, 7)
    for i, outputs in enumerate((32, 8, 32), 1):
        options = {"activation": "Relu", "zero": -128, "per_channel": i != 2}
        x = weighted(model, "MatMul", x, f"dense{i}", outputs, transposed=False, **options)
    weighted(model, "Gemm", x, "dense4", 96)
    return model


def keyword(name):
    """Convolutions over one dimension."""
    model = Model(name)
    x = model.input((1, 10, 49), 0.58, 83)
    x = conv(model, x, "conv1", 16, (9,), activation="Relu", zero=-128, strides=[2])
    x = conv(model, x, "depthwise2", 16, (5,), group=16, activation=(0, 6), scale=6 / 255, zero=-128)
    x = conv(model, x, "pointwise2", 12, (1,), pads=[0, 0], activation="Relu", zero=-128)
    x = same(model, "MaxPool", x, "pool2", kernel_shape=[2], strides=[2])
    x = mean(model, "ReduceMean", x, "mean", float(x.scale) * 0.517, -100, axes=[2], keepdims=0)
    x = weighted(model, "Gemm", x, "dense", 12)
    softmax(model, x)
    return model


def flattened(name):
    """Rows of weights behind a plane: in this format its elements are in the order of the network."""
    model = Model(name, QDQ, "uint8", "uint8")
    x = model.input((1, 1, 14, 14), 0.02, -11, quantises=True, flat=True)
    x = conv(model, x, "conv1", 6, pads=[0] * 4, activation="Relu", zero=-128)
    scale = float(x.scale) * 0.817
    x = mean(model, "AveragePool", x, "pool1", scale, -128, kernel_shape=[2, 2], strides=[2, 2])
    x = conv(model, x, "conv2", 8, (3, 2), pads=[0, 1, 1, 0], strides=[2, 2], zero=9)
    x = same(model, "Reshape", x, "flatten", [numpy.array([0, -1], numpy.int64)], meant=(1, -1))
    weighted(model, "Gemm", x, "dense", 20, transposed=False)
    return model


def attention(name):
    """Heads of scores, their softmax, and what it weighs, between planes."""
    model = Model(name, QOPERATOR)
    x = model.input((1, 3, 9, 12), 0.034, 5)
    query = conv(model, x, "query", 2)
    key = same(model, "Transpose", conv(model, x, "key", 2), "key_turned", perm=[0, 1, 3, 2])
    key.meant = key.meant.transpose(0, 1, 3, 2)
    scores = pair(model, "MatMul", [query, key], "scores", float(query.scale * key.scale) * 500, 3)
    scaled = pair(model, "Mul", [scores, model.held("factor", (), 0.003, -128)], "scaled", 0.07, -1)
    shares = onnx_graph.softmax(model, scaled, "shares")
    y = pair(model, "MatMul", [shares, conv(model, x, "value", 2)], "attention", 0.02, 0)
    y = joined(model, [query, y], "joined", 0.03, 2, 1)
    y = same(model, "Reshape", y, "row", [numpy.array([1, -1], numpy.int64)], meant=(1, -1))
    weighted(model, "Gemm", y, "dense", 20)
    return model


def gated(name):
    """Channels scaled by what is seen of all pixels, then split, enlarged and joined."""
    model = Model(name, QDQ, "uint8")
    x = model.input((1, 3, 8, 10), 0.0157, -3)
    x = conv(model, x, "conv1", 8)
    x = function(model, "HardSwish", x, "swish", float(x.scale) / 2, -110, lambda v: v * min(max(v / 6 + 0.5, 0), 1))
    y = mean(model, "GlobalAveragePool", x, "pool", float(x.scale) * 0.517, -100)
    y = conv(model, y, "squeezed", 8, (1, 1), pads=[0] * 4)
    y = function(model, "Sigmoid", y, "gates", 1 / 256, -128, sigmoid)
    x = pair(model, "Mul", [x, y], "gated", float(x.scale) * 0.917, -110)
    first, second = split(model, x, ["first", "second"], 1)
    second = conv(model, second, "conv2", 4, strides=[2, 2])
    scales = numpy.array([1, 1, 2, 2], numpy.float32)
    meant = second.meant.repeat(2, 2).repeat(2, 3)
    second = same(model, "Resize", second, "enlarged", [None, scales], meant=meant)
    x = joined(model, [first, second], "joined", float(first.scale), -3, 1)
    conv(model, x, "conv3", 6)
    return model


def heavy(name):
    """More weights than a network file holds itself."""
    model = Model(name)
    x = model.input((1, 48, 3, 4), 0.0157, -3)
    x = conv(model, x, "conv1", 160)
    x = same(model, "Flatten", conv(model, x, "conv2", 4), "flatten", meant=(1, -1))
    weighted(model, "Gemm", x, "dense", 10)
    return model


NETWORKS = {
    "attention": attention,
    "gated": gated,
    "heavy": heavy,
    "residual": residual,
    "separable": separable,
    "dense": dense,
    "keyword": keyword,
    "flattened": flattened,
}
