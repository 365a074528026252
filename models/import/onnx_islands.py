"""Models with operators in float32 between DequantizeLinear and QuantizeLinear, and what onnxruntime gives for them.

What is meant is what onnxruntime gives: layers are at most one step away from it.
"""

import numpy
import onnxruntime

from onnx_graph import QDQ, QOPERATOR, Model, signed, weighted

PLANE = (1, 6, 9, 10)
ROWS = (1, 7, 24)


def chain(*calls):
    """Operators one behind the other: each a name, further inputs, and attributes."""

    def make(model, real):
        for i, (operator, others, options) in enumerate(calls):
            held = [constant(model, f"c{i}_{j}", other) for j, other in enumerate(others)]
            real = model.call(operator, [real, *held], f"r{i}", **options)
        return real

    return make


def constant(model, name, other):
    """The name of a constant; a shape stands for random numbers."""
    if isinstance(other, (str, type(None))):
        return other or ""
    if isinstance(other, tuple):
        other = model.rng.uniform(0.5, 1.5, other).astype(numpy.float32)
    return model.constant(name, other)


def reals(*values):
    return numpy.array(values, numpy.float32)


def whole(*values):
    return numpy.array(values, numpy.int64)


def times_itself(*before):
    """x times a function of x."""
    return lambda model, real: model.call("Mul", [chain(*before)(model, real), real], "product")


def centred(operator, over):
    """x and one place of it."""
    return lambda model, real: model.call(operator, [real, model.call(over, [real], "one", axes=[1])], "apart")


def normal(model, real):
    """A normalisation of rows as exporters write it out."""
    mean = model.call("ReduceMean", [real], "mean", axes=[-1])
    apart = model.call("Sub", [real, mean], "apart")
    square = model.call("Pow", [apart, model.constant("two", numpy.float32(2))], "square")
    variance = model.call("ReduceMean", [square], "variance", axes=[-1])
    moved = model.call("Add", [variance, model.constant("epsilon", numpy.float32(1e-5))], "moved")
    found = model.call("Div", [apart, model.call("Sqrt", [moved], "root")], "normal")
    return model.call("Mul", [found, constant(model, "factors", (24,))], "scaled")


def attention(model, real):
    """Shares of products of rows with each other, and what these weigh."""
    turned = model.call("Transpose", [real], "turned", perm=[0, 2, 1])
    products = model.call("MatMul", [real, turned], "products")
    scaled = model.call("Mul", [products, model.constant("factor", numpy.float32(0.2))], "scaled")
    return model.call("MatMul", [model.call("Softmax", [scaled], "shares", axis=-1), real], "weighed")


def two(operator, shape=None, zero=5):
    """Of the input and another result, which has this shape: the end of the input."""

    def make(model, real):
        other = model.quantise(model.call("Neg", [real], "negative"), 0.037, zero)
        model.kept.pop("negative")
        other = model.real(other)
        if shape:
            other = model.call("Reshape", [model.call("Slice", [other, *ends(model, shape)], "end"), model.constant("shape", whole(*shape))], "part")
        return model.call(operator, [real, other], "both")

    return make


def ends(model, shape):
    """The last places of the last dimensions, and one of the others."""
    count = len(shape)
    rank = 3
    starts = [0] * (rank - count) + [0] * count
    stops = [1] * (rank - count) + list(shape)
    return [model.constant(name, whole(*values)) for name, values in (("starts", starts), ("stops", stops))]


def shuffled(model, real):
    """Channels of two halves by turns, the function of one of them."""
    halves = [model.call("Slice", [real, *slices], f"half{i}") for i, slices in enumerate(halves_of(model))]
    joined = model.call("Concat", [model.call("Sigmoid", halves[:1], "shares"), halves[1]], "joined", axis=1)
    apart = model.call("Reshape", [joined, model.constant("apart", whole(1, 2, 3, 9, 10))], "apart_real")
    turned = model.call("Transpose", [apart], "turned", perm=[0, 2, 1, 3, 4])
    return model.call("Reshape", [turned, model.constant("whole", whole(1, 6, 9, 10))], "shuffled")


def halves_of(model):
    for i in range(2):
        yield [model.constant(f"{name}{i}", whole(value)) for name, value in (("from", 3 * i), ("to", 3 * i + 3), ("axis", 1))]


LINEAR = {"mode": "linear"}
CORNERS = {"coordinate_transformation_mode": "align_corners", **LINEAR}
ORIGIN = {"coordinate_transformation_mode": "asymmetric", **LINEAR}
PYTORCH = {"coordinate_transformation_mode": "pytorch_half_pixel", **LINEAR}
EDGES = {"kernel_shape": [3, 3], "pads": [1, 1, 1, 1]}
CUT = {"kernel_shape": [3, 2], "strides": [2, 3], "ceil_mode": 1}
# name -> shape of the input; what is made of it in float32
ISLANDS = {
    "mish": (PLANE, times_itself(("Softplus", [], {}), ("Tanh", [], {}))),
    "swish": (PLANE, times_itself(("Sigmoid", [], {}))),
    "gelu": (PLANE, times_itself(("Div", [reals(1.4142135)], {}), ("Erf", [], {}), ("Add", [reals(1)], {}), ("Mul", [reals(0.5)], {}))),
    "softplus_cut": (PLANE, chain(("Softplus", [], {}), ("Clip", [numpy.float32(0.5), numpy.float32(2)], {}))),
    "root_of_exponentials": (PLANE, chain(("Exp", [], {}), ("Sqrt", [], {}))),
    "logarithm_of_negatives": (PLANE, chain(("Log", [], {}), ("Add", [reals(0.5)], {}))),
    "by_zero": (PLANE, chain(("Reciprocal", [], {}), ("Mul", [reals(0.1)], {}))),
    "ceil": (PLANE, chain(("Ceil", [], {}))),
    "floor": (PLANE, chain(("Floor", [], {}))),
    "round": (PLANE, chain(("Round", [], {}))),
    "thresholded": (PLANE, chain(("ThresholdedRelu", [], {"alpha": 0.7}))),
    "power_3": (PLANE, chain(("Pow", [numpy.float32(3)], {}))),
    "layer_normal": (ROWS, chain(("LayerNormalization", [(24,), (24,)], {}))),
    "layer_normal_of_planes": (PLANE, chain(("LayerNormalization", [(6, 9, 10)], {"axis": 1}))),
    "layer_normal_written_out": (ROWS, normal),
    "instance_normal": (PLANE, chain(("InstanceNormalization", [(6,), (6,)], {}))),
    "batch_normal": (PLANE, chain(("BatchNormalization", [(6,), (6,), (6,), (6,)], {}))),
    "softmax_of_channels": (PLANE, chain(("Softmax", [], {"axis": 1}))),
    "softmax_of_another_scale": (ROWS, chain(("Softmax", [], {"axis": -1}))),
    "log_softmax": (ROWS, chain(("LogSoftmax", [], {"axis": -1}))),
    "log_softmax_of_channels": (PLANE, chain(("LogSoftmax", [], {"axis": 1}))),
    "mean_of_channels": (PLANE, chain(("ReduceMean", [], {"axes": [1], "keepdims": 1}))),
    "mean_of_rows": (PLANE, chain(("ReduceMean", [], {"axes": [2], "keepdims": 0}))),
    "sum_of_rows": (PLANE, chain(("ReduceSum", [whole(2)], {}))),
    "above_the_least": (PLANE, centred("Sub", "ReduceMin")),
    "below_the_largest": (PLANE, centred("Sub", "ReduceMax")),
    "by_the_largest": (PLANE, centred("Div", "ReduceMax")),
    "linear": (PLANE, chain(("Resize", [None, reals(1, 1, 2, 2)], LINEAR))),
    "linear_sizes": (PLANE, chain(("Resize", [None, None, whole(1, 6, 5, 23)], LINEAR))),
    "linear_corners": (PLANE, chain(("Resize", [None, None, whole(1, 6, 20, 19)], CORNERS))),
    "linear_origin": (PLANE, chain(("Resize", [None, reals(1, 1, 3, 1.7)], ORIGIN))),
    "linear_pytorch": (PLANE, chain(("Resize", [None, None, whole(1, 6, 1, 17)], PYTORCH))),
    "average_edges": (PLANE, chain(("AveragePool", [], EDGES))),
    "average_edges_strided": (PLANE, chain(("AveragePool", [], {**EDGES, "strides": [2, 2]}))),
    "average_cut": (PLANE, chain(("AveragePool", [], CUT))),
    "average_row": (ROWS, chain(("AveragePool", [], {"kernel_shape": [3], "pads": [1, 1]}))),
    "max_cut": (PLANE, chain(("MaxPool", [], CUT))),
    "max_dilated": (PLANE, chain(("MaxPool", [], {"kernel_shape": [3, 3], "dilations": [2, 2]}))),
    "slopes": (PLANE, chain(("PRelu", [(6, 1, 1)], {}))),
    "sum_of_ranks": (ROWS, two("Add", (24,))),
    "product_of_ranks": (ROWS, two("Mul", (7, 1))),
    "quotient": (ROWS, two("Div", zero=-128)),
    "quotient_by_zero": (ROWS, two("Div")),
    "larger": (ROWS, two("Max")),
    "smaller": (ROWS, two("Min")),
    "sum": (ROWS, two("Sum")),
    "difference_of_stored": (ROWS, chain(("Sub", [(7, 24)], {}))),
    "attention": (ROWS, attention),
    "shuffled": (PLANE, shuffled),
    "blocks_of_a_function": (PLANE, chain(("Tanh", [], {}), ("SpaceToDepth", [], {"blocksize": 1}), ("Transpose", [], {"perm": [0, 2, 3, 1]}))),
    "maximum_of_a_function": (PLANE, chain(("Tanh", [], {}), ("MaxPool", [], {"kernel_shape": [2, 2]}), ("Flatten", [], {}))),
}
POOLED = {"kernel_shape": [2, 2], "strides": [2, 2]}
# What comes behind a convolution in front of QuantizeLinear: the same bytes behind it
BEHIND = {
    "max": chain(("MaxPool", [], POOLED)),
    "relu_max": chain(("Relu", [], {}), ("MaxPool", [], POOLED)),
    "max_relu_flat": chain(("MaxPool", [], POOLED), ("Relu", [], {}), ("Flatten", [], {})),
    "mean": chain(("Relu", [], {}), ("GlobalAveragePool", [], {})),
    "rows": chain(("Flatten", [], {}), ("Gemm", [(5, 144), (5,)], {"transB": 1}), ("Sigmoid", [], {})),
    "transpose": chain(("Transpose", [], {"perm": [0, 2, 3, 1]})),
}


def output_scale(model, name):
    """Scale and zero point that spread a result in float32 over the bytes."""
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(model.pack({name: "float32"}), options, ["CPUExecutionProvider"])
    (values,) = session.run([name], model.feeds)
    values = values[numpy.isfinite(values)]
    low, high = numpy.quantile(values, [0.01, 0.99])
    scale = max(float(high - low), 1e-3) / 240
    return scale, int(numpy.clip(-120 - round(low / scale), -128, 127))


def ended(model, result):
    """The bytes of a result in float32."""
    return model.quantise(result, *output_scale(model, result))


def island(name, dtype, shape, make):
    model = Model(name, QDQ, dtype, dtype)
    source = model.input(shape, 0.0237, -9)
    ended(model, make(model, model.real(source)))
    return model


def convolution(name, dtype, count):
    """Results of convolutions without a scale; those of several are joined."""
    model = Model(name, QDQ, dtype, dtype)
    real = model.real(model.input((1, 3, 8, 8), 0.0237, -9))
    found = []
    for i in range(count):
        weights = model.rng.integers(-127, 128, (4, 3, 3, 3)).astype(numpy.int8)
        zero = 128 if dtype == "uint8" else 0
        model.constant(f"w{i}", (weights.astype(int) + zero).astype(dtype))
        model.range(f"w{i}", numpy.float32(0.004), numpy.array(zero, dtype))
        found.append(model.call("Conv", [real, model.dequantise(f"w{i}")], f"conv{i}"))
    return model, found


def with_scales(name, dtype, operator, shapes, options):
    """An operator that has scales among its inputs."""
    model = Model(name, QOPERATOR, dtype, dtype)
    source = model.input(shapes[0], 0.0237, -9)
    other = [model.held("other", shape, 0.031, 4) for shape in shapes[1:]]
    output, ranged = model.ranged("output", 0.029, 3)
    model.call(operator, model.arguments(source.name, *(found.name for found in other)) + ranged, "output", "com.microsoft", **options)
    return model


def halved(name):
    """Half of each byte, in steps of which many are halves."""
    model = Model(name)
    real = model.real(model.input((1, 1, 16, 16), 1 / 32, -9))
    model.quantise(model.call("Mul", [real, model.constant("factor", numpy.float32(0.5))], "half"), 1 / 32, 3)
    return model


def models():
    yield "halved", halved("halved")
    for i, (name, row) in enumerate(ISLANDS.items()):
        for dtype in ("int8", "uint8"):
            yield f"{name}_{dtype}", island(f"{name}_{dtype}", dtype, *row)
    for name, make in BEHIND.items():
        model, (real,) = convolution(f"behind_{name}", "int8", 1)
        ended(model, make(model, real))
        yield model.name, model
    model, parts = convolution("behind_joined", "uint8", 2)
    ended(model, model.call("Concat", parts, "joined", axis=1))
    yield model.name, model
    for options in (EDGES, {**EDGES, "strides": [2, 2]}):
        name = f"linear_average_{len(options)}"
        yield name, with_scales(name, "uint8", "QLinearAveragePool", [PLANE], options)


def entries(model):
    """The image, and the bytes that onnxruntime gives."""
    for tensor in model.kept.values():
        tensor.meant = None
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.intra_op_num_threads, options.log_severity_level = 1, 3
    session = onnxruntime.InferenceSession(model.pack(), options, ["CPUExecutionProvider"])
    (values,) = session.run(None, model.feeds)
    return {"input": signed(model.image), "output": signed(values), "model": numpy.frombuffer(model.pack(), numpy.uint8)}


def write_islands(path):
    found = {}
    for name, model in models():
        found |= {f"{name}/{key}": values for key, values in entries(model).items()}
    numpy.savez_compressed(path, **found)
