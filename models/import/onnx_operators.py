"""ONNX models of one operator: tables of what they are like, and what makes them."""

import math
import zlib

import numpy
from onnx import TensorProto, helper, numpy_helper

import onnx_meaning
from onnx_graph import QDQ, QOPERATOR, TYPES, Model, activate, arg_max, bounds, function, joined, mean, pair, rescaled, same, softmax, split, weighted

BOTH = (QDQ, QOPERATOR)
SMALL = (1, 3, 12, 11)
# name -> shape of the input; outputs; kernel; the rest
CONVOLUTIONS = {
    "pointwise": ((1, 9, 10, 12), 7, (1, 1), {}),
    "3x3": (SMALL, 9, (3, 3), {}),
    "padded": (SMALL, 8, (3, 3), {"pads": [1, 1, 1, 1]}),
    "uneven_pads": (SMALL, 6, (3, 2), {"pads": [2, 0, 1, 1], "zeros": (-128, 5)}),
    "stride_2": ((1, 4, 15, 14), 6, (3, 3), {"pads": [1, 1, 1, 1], "strides": [2, 2]}),
    "stride_2x3": ((1, 2, 13, 16), 8, (2, 5), {"strides": [2, 3]}),
    "same_upper": (SMALL, 5, (3, 2), {"auto_pad": "SAME_UPPER", "strides": [2, 2]}),
    "same_lower": (SMALL, 5, (3, 2), {"auto_pad": "SAME_LOWER", "strides": [2, 2]}),
    "dilated": (SMALL, 6, (3, 2), {"dilations": [2, 3]}),
    "grouped": ((1, 8, 9, 9), 12, (3, 3), {"group": 4}),
    "depthwise": ((1, 7, 12, 12), 7, (3, 3), {"group": 7, "pads": [1, 1, 1, 1]}),
    "depthwise_twice": ((1, 5, 12, 12), 10, (3, 3), {"group": 5}),
    "one_channel": ((1, 1, 16, 16), 1, (3, 3), {"per_channel": False}),
    "whole_plane": ((1, 5, 4, 3), 32, (4, 3), {}),
    "per_tensor": (SMALL, 8, (3, 3), {"per_channel": False}),
    "no_bias": (SMALL, 8, (3, 3), {"bias": False}),
    "zeros_lowest": (SMALL, 8, (3, 3), {"zeros": (-128, -128), "pads": [1, 1, 1, 1]}),
    "zeros_highest": (SMALL, 8, (3, 3), {"zeros": (127, 127), "pads": [1, 1, 1, 1]}),
    "fine_output": (SMALL, 8, (3, 3), {"scale": 0.004}),
    "larger": ((1, 8, 34, 34), 32, (3, 3), {}),
    "large": ((1, 16, 24, 24), 24, (3, 3), {"pads": [1, 1, 1, 1], "zeros": (-3, -19)}),
}
# The form with DequantizeLinear alone
FLOATING = {
    "relu": (SMALL, 8, (3, 3), {"activation": "Relu", "zeros": (-7, -20)}),
    "relu_lowest": (SMALL, 8, (3, 3), {"activation": "Relu", "zeros": (9, -128)}),
    "relu6": (SMALL, 8, (3, 3), {"activation": (0, 6), "zeros": (4, -100), "scale": 0.0457}),
    "clip_below": (SMALL, 8, (3, 3), {"activation": (-1.01, None), "zeros": (0, 3), "scale": 0.02}),
    "clip_half": (SMALL, 8, (3, 3), {"activation": (-0.25, 0.75), "zeros": (1, 2), "scale": 0.1}),
    "floating": (SMALL, 8, (3, 3), {"floating": True}),
    "real_bias": (SMALL, 8, (3, 3), {"real_bias": True}),
    "real_bias_relu": (SMALL, 8, (3, 3), {"real_bias": True, "activation": "Relu", "zeros": (-7, -128)}),
    "one_row": ((1, 6, 40), 10, (5,), {"pads": [2, 2], "strides": [2]}),
    "one_row_dilated": ((1, 4, 41), 6, (3,), {"dilations": [3], "pads": [3, 2]}),
    "cut_weights": (SMALL, 8, (3, 3), {"cut": (-90, 77)}),
    "turned_weights": (SMALL, 8, (3, 2), {"turned": True}),
    "byte_bias": (SMALL, 8, (3, 2), {"byte_bias": 0.0123}),
    "turned_weights_per_tensor": (SMALL, 8, (3, 2), {"turned": True, "per_channel": False}),
}
ROWS = {  # name -> operator; shape of the input; outputs; the rest
    "gemm": ("Gemm", (1, 60), 96, {}),
    "gemm_per_tensor": ("Gemm", (1, 33), 64, {"per_channel": False}),
    "gemm_columns": ("Gemm", (1, 40), 80, {"transposed": False}),
    "gemm_no_bias": ("Gemm", (1, 25), 64, {"bias": False, "zeros": (127, -128)}),
    "matmul": ("MatMul", (1, 48), 90, {"bias": False, "transposed": False}),
    "matmul_per_tensor": (
        "MatMul",
        (1, 48),
        90,
        {"bias": False, "transposed": False, "per_channel": False, "zeros": (-128, 127)},
    ),
}
MEANS = {  # name -> operator; shape; scale and zero point of the output beside 0.0457; options
    "average_2x2": ("AveragePool", SMALL, (0.0291, 7), {"kernel_shape": [2, 2], "strides": [2, 2]}),
    "average_3x3": ("AveragePool", (1, 8, 11, 11), (0.0307, -90), {"kernel_shape": [3, 3]}),
    "average_3x2": ("AveragePool", SMALL, (0.0533, 101), {"kernel_shape": [3, 2], "strides": [2, 1]}),
    "average_all": ("AveragePool", (1, 48, 6, 4), (0.0171, 3), {"kernel_shape": [6, 4]}),
    "global_average": ("GlobalAveragePool", (1, 96, 7, 7), (0.0113, -20), {}),
    "global_average_even": ("GlobalAveragePool", (1, 96, 8, 8), (0.0127, 127), {}),
}
ZEROS_COUNT = {"kernel_shape": [3, 3], "pads": [1, 1, 1, 1], "count_include_pad": 1}
FLOATING_MEANS = {
    "average_counting_zeros": ("AveragePool", SMALL, (0.0291, 7), ZEROS_COUNT),
    "average_relu": ("AveragePool", SMALL, (0.0291, -40), {"kernel_shape": [2, 2], "activation": "Relu"}),
    "reduce_mean": ("ReduceMean", (1, 96, 6, 5), (0.0137, 5), {"axes": [2, 3], "keepdims": 0}),
    "reduce_mean_keeping": ("ReduceMean", (1, 64, 5, 4), (0.0153, -5), {"axes": [-1, -2], "keepdims": 1}),
    "reduce_mean_of_a_row": ("ReduceMean", (1, 64, 20), (0.0153, -5), {"axes": [2], "keepdims": 0}),
}
# Means with as many halves as there can be
HALVES = {
    "2x2": ("AveragePool", (1, 4, 16, 16), (0.0457, None), {"kernel_shape": [2, 2], "strides": [2, 2]}),
    "6x1": ("AveragePool", (1, 4, 12, 20), (0.0457, None), {"kernel_shape": [6, 1], "strides": [6, 1]}),
}
SAME = {  # name -> operator; shape; constants; attributes
    "max_2x2": ("MaxPool", SMALL, (), {"kernel_shape": [2, 2], "strides": [2, 2]}),
    "max_3x2": ("MaxPool", SMALL, (), {"kernel_shape": [3, 2], "strides": [2, 1]}),
    "max_padded": ("MaxPool", SMALL, (), {"kernel_shape": [3, 3], "strides": [2, 2], "pads": [1, 1, 1, 1]}),
}
VIEWS = {  # name -> operator; constants; shape of the output
    "flatten": ("Flatten", (), (1, 72)),
    "reshape": ("Reshape", ([0, -1],), (1, 72)),
    "reshape_whole": ("Reshape", ([1, 72],), (1, 72)),
    "reshape_parts": ("Reshape", ([1, 4, -1],), (1, 4, 18)),
    "identity": ("Identity", (), (1, 40)),
    "dropout": ("Dropout", (), (1, 40)),
    "unsqueeze": ("Unsqueeze", ([0],), (1, 1, 40)),
    "squeeze": ("Squeeze", (), (40,)),
}
ADDS = {  # name -> scales of the inputs and the output; zero points; activation
    "add_equal": ((0.0457, 0.0457, 0.0731), (3, 3, -9), None),
    "add_halved": ((0.05, 0.025, 0.05), (-128, -128, -128), None),
    "add_third": ((0.0457, 0.0311, 0.0731), (3, -17, -9), None),
}


def blocks(values, side, mode):
    """Channels as blocks of the plane."""
    batch, channels, height, width = values.shape
    left = channels // side**2
    if mode == "DCR":
        apart = values.reshape(batch, side, side, left, height, width).transpose(0, 3, 4, 1, 5, 2)
    else:
        apart = values.reshape(batch, left, side, side, height, width).transpose(0, 1, 4, 2, 5, 3)
    return apart.reshape(batch, left, height * side, width * side)


# The same bytes in other places: name -> operator; shape; constants; attributes; what is made
FACTORS = numpy.array([1, 1, 2, 3], numpy.float32)
PLACED = {
    "slice": (
        "Slice",
        (1, 6, 7, 9),
        ([1, -8, 0], [5, -1, 1 << 62], [1, 3, -2]),
        {},
        lambda x: x[:, 1:5, :, 1:8],
    ),
    "slice_without_axes": ("Slice", (1, 20), ([0, 3], [1, 11]), {}, lambda x: x[:, 3:11]),
    "transpose": ("Transpose", (1, 6, 7, 9), (), {"perm": [0, 2, 3, 1]}, lambda x: x.transpose(0, 2, 3, 1)),
    "transpose_row": ("Transpose", (1, 6, 9), (), {"perm": [0, 2, 1]}, lambda x: x.transpose(0, 2, 1)),
    "resize": ("Resize", (1, 3, 5, 4), (None, FACTORS), {}, lambda x: x.repeat(2, 2).repeat(3, 3)),
    "resize_to_sizes": (
        "Resize",
        (1, 3, 5, 4),
        (None, None, [1, 3, 20, 4]),
        {"coordinate_transformation_mode": "asymmetric", "nearest_mode": "floor"},
        lambda x: x.repeat(4, 2),
    ),
    "resize_odd": (
        "Resize",
        (1, 3, 5, 4),
        (None, None, [1, 3, 7, 3]),
        {},
        lambda x: x[:, :, [0, 1, 1, 2, 3, 3, 4]][..., [0, 1, 3]],
    ),
    "resize_fractions": (
        "Resize",
        (1, 3, 4, 5),
        (None, numpy.array([1, 1, 1.5, 0.6], numpy.float32)),
        {"coordinate_transformation_mode": "asymmetric", "nearest_mode": "floor"},
        lambda x: x[:, :, [0, 0, 1, 2, 2, 3]][..., [0, 1, 3]],
    ),
    "resize_corners": (
        "Resize",
        (1, 3, 5, 4),
        (None, None, [1, 3, 9, 1]),
        {"coordinate_transformation_mode": "align_corners"},
        lambda x: x[:, :, [0, 0, 1, 1, 2, 2, 3, 3, 4]][..., [0]],
    ),
    "slice_steps": (
        "Slice",
        (1, 6, 7, 9),
        ([5, 1, 0], [-7, 7, 9], [1, 2, 3], [-2, 3, 4]),
        {},
        lambda x: x[:, 5::-2, 1:7:3, 0:9:4],
    ),
    "gather": ("Gather", (1, 6, 5, 4), ([3, -1, 0, 0],), {"axis": 1}, lambda x: x[:, [3, -1, 0, 0]]),
    "gather_column": ("Gather", (1, 6, 5, 4), (numpy.array(2),), {"axis": -1}, lambda x: x[..., 2]),
    "tile": ("Tile", (1, 3, 2, 4), ([1, 2, 1, 3],), {}, lambda x: numpy.tile(x, (1, 2, 1, 3))),
    "expand": ("Expand", (1, 3, 1, 4), ([3, 5, 1],), {}, lambda x: numpy.broadcast_to(x, (1, 3, 5, 4))),
    "depth_to_space": ("DepthToSpace", (1, 12, 3, 4), (), {"blocksize": 2}, lambda x: blocks(x, 2, "DCR")),
    "depth_to_space_crd": (
        "DepthToSpace",
        (1, 18, 2, 3),
        (),
        {"blocksize": 3, "mode": "CRD"},
        lambda x: blocks(x, 3, "CRD"),
    ),
    "space_to_depth": (
        "SpaceToDepth",
        (1, 3, 4, 6),
        (),
        {"blocksize": 2},
        lambda x: x.reshape(1, 3, 2, 2, 3, 2).transpose(0, 3, 5, 1, 2, 4).reshape(1, 12, 2, 3),
    ),
    "transpose_of_five": (
        "Transpose",
        (1, 2, 3, 4, 5),
        (),
        {"perm": [0, 2, 4, 1, 3]},
        lambda x: x.transpose(0, 2, 4, 1, 3),
    ),
    "reduce_max": (
        "ReduceMax",
        (1, 6, 5, 7),
        (),
        {"axes": [2, 3], "keepdims": 0},
        lambda x: x.max((2, 3)),
    ),
    "reduce_max_of_all": ("ReduceMax", (1, 6, 5, 7), (), {"keepdims": 1}, lambda x: x.max((1, 2, 3), keepdims=True)),
    "reduce_max_of_channels": (
        "ReduceMax",
        (1, 6, 5, 7),
        (),
        {"axes": [-3], "keepdims": 1},
        lambda x: x.max(1, keepdims=True),
    ),
    "reduce_min": ("ReduceMin", (1, 6, 5, 7), (), {"axes": [2, 3], "keepdims": 0}, lambda x: x.min((2, 3))),
    "global_max": ("GlobalMaxPool", (1, 4, 9, 8), (), {}, lambda x: x.max((2, 3), keepdims=True)),
    "global_max_above_256": ("GlobalMaxPool", (1, 4, 18, 15), (), {}, lambda x: x.max((2, 3), keepdims=True)),
}


def sigmoid(x):
    return 1 / (1 + math.exp(-x))


def gelu_approximate(x):
    return 0.5 * x * (1 + math.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))


def cut(x):
    return min(max(x, 0.0), 1.0)


def sloped(factor):
    return lambda x: x if x >= 0 else float(numpy.float32(factor)) * x


SLOPE = numpy.full((1, 1, 1), 0.3, numpy.float32)
# name -> operator; scale and zero point of input and output; function of a real number; the rest
FUNCTIONS = {
    "abs": ("Abs", (0.031, 7, 0.0257, -120), abs, {}),
    "celu": ("Celu", (0.031, 7, 0.0257, -60), lambda x: max(x, 0) + min(0, 0.5 * math.expm1(x / 0.5)), {"alpha": 0.5}),
    "erf": ("Erf", (0.0171, 7, 1 / 128, 0), math.erf, {}),
    "log": ("Log", (0.031, -128, 0.0257, 30), lambda x: math.log(x) if x else -math.inf, {}),
    "mish": ("Mish", (0.031, 7, 0.0257, -100), lambda x: x * math.tanh(math.log1p(math.exp(x))), {}),
    "neg": ("Neg", (0.031, 7, 0.0257, -60), lambda x: -x, {}),
    "reciprocal": ("Reciprocal", (0.031, -128, 0.0457, -128), lambda x: 1 / x if x else math.inf, {}),
    "selu": (
        "Selu",
        (0.031, 7, 0.0257, -60),
        lambda x: 1.05070102214813232421875 * (x if x > 0 else 1.67326319217681884765625 * math.expm1(x)),
        {},
    ),
    "softplus": ("Softplus", (0.031, 7, 0.0257, -128), lambda x: math.log1p(math.exp(x)), {}),
    "softsign": ("Softsign", (0.031, 7, 1 / 128, 0), lambda x: x / (1 + abs(x)), {}),
    "sqrt_below_0": ("Sqrt", (0.031, 7, 0.0157, -5), lambda x: math.sqrt(x) if x >= 0 else math.nan, {}),
    "sqrt": ("Sqrt", (0.031, -128, 0.0157, -128), math.sqrt, {}),
    "elu": ("Elu", (0.031, 7, 0.0257, -60), lambda x: x if x >= 0 else 1.5 * math.expm1(x), {"alpha": 1.5}),
    "elu_usual": ("Elu", (0.02, -9, 0.017, 0), lambda x: x if x >= 0 else math.expm1(x), {}),
    "exp": ("Exp", (0.017, 100, 0.011, -128), math.exp, {}),
    "gelu": ("Gelu", (0.03, 5, 0.0173, -110), lambda x: 0.5 * x * (1 + math.erf(x / math.sqrt(2))), {}),
    "gelu_approximate": ("Gelu", (0.03, 5, 0.0173, -110), gelu_approximate, {"approximate": "tanh"}),
    "hard_sigmoid": (
        "HardSigmoid",
        (0.05, 0, 0.00413, -128),
        lambda x: cut(float(numpy.float32(0.17)) * x + float(numpy.float32(0.4))),
        {"alpha": 0.17, "beta": 0.4},
    ),
    "hard_sigmoid_usual": (
        "HardSigmoid",
        (0.0417, 3, 1 / 256, -128),
        lambda x: cut(float(numpy.float32(0.2)) * x + 0.5),
        {},
    ),
    "hard_swish": ("HardSwish", (0.0371, -4, 0.0211, -110), lambda x: x * cut(x / 6 + 0.5), {}),
    "leaky_relu": ("LeakyRelu", (0.0371, -4, 0.0293, -50), sloped(0.17), {"alpha": 0.17}),
    "leaky_relu_of_halves": ("LeakyRelu", (0.0371, -4, 0.0371, -4), sloped(0.5), {"alpha": 0.5}),
    "leaky_relu_usual": ("LeakyRelu", (0.0371, -4, 0.0293, -120), sloped(0.01), {}),
    "prelu": ("PRelu", (0.0371, -4, 0.0293, -50), sloped(0.3), {"slope": SLOPE}),
    "sigmoid": ("Sigmoid", (0.0437, 10, 1 / 256, -128), sigmoid, {}),
    "tanh": ("Tanh", (0.0237, 10, 1 / 128, 0), math.tanh, {}),
    "tanh_relu": ("Tanh", (0.0237, 10, 1 / 128, -70), math.tanh, {"activation": "Relu"}),
}
WITH_SCALES = ("Sigmoid", "LeakyRelu")  # of FUNCTIONS, in the form that has them
# Two operands: operator; what the second one is; scales and zero points of second and output
PAIRS = {
    "mul": ("Mul", "other", (0.0311, -17, 0.0357, 9)),
    "mul_by_means": ("Mul", "means", (0.0113, -17, 0.0157, 9)),
    "mul_by_one": ("Mul", (), (0.0113, -17, 0.0257, 9)),
    "mul_by_each_channel": ("Mul", (4, 1, 1), (0.0113, 0, 0.0257, 9)),
    "mul_by_a_row": ("Mul", (12,), (0.0113, 3, 0.0257, 9)),
    "add_one": ("Add", (1,), (0.0311, -17, 0.0557, 9)),
    "add_to_each_channel": ("Add", (1, 4, 1, 1), (0.0311, -17, 0.0557, 9)),
}


def forms(table):
    """Both forms of each model, one with bytes that have a sign and one without, in turn by the name."""
    for name, row in table.items():
        number = zlib.crc32(name.encode())
        for i, form in enumerate(BOTH):
            dtype = ("int8", "uint8")[(number + i) % 2]
            # Weights without sign go with activations without.
            weights = "uint8" if dtype == "uint8" and number % 3 == 0 else "int8"
            yield f"{form}_{name}_{dtype}", (form, dtype, weights), row


def weighted_model(name, kind, operator, shape, outputs, kernel, zeros=(11, -6), **options):
    model = Model(name, *kind)
    source = model.input(shape, model.rng.uniform(0.01, 0.08), zeros[0])
    weighted(model, operator, source, "output", outputs, kernel, zero=zeros[1], **options)
    return model


def mean_model(name, kind, operator, shape, ranged, options):
    model = Model(name, *kind)
    zero = int(model.rng.integers(-100, 100))
    source = model.input(shape, 0.0457, zero)
    scale, other = ranged
    mean(model, operator, source, "output", scale, zero if other is None else other, **options)
    return model


def same_model(name, kind, operator, shape, constants, options):
    model = Model(name, *kind)
    output = same(model, operator, model.input(shape, 0.031, -40), "output", constants, **options)
    model.call("DequantizeLinear", model.arguments(output.name), "output_real")
    model.end("output_real")
    return model


def view_model(name, kind, operator, constants, shape):
    """A view between a convolution and rows of weights."""
    model = Model(name, *kind)
    source = model.input((1, 3, 4, 6), 0.031, -40)
    view = operator in ("Flatten", "Reshape")
    kernel = (1, 1) if view else (4, 6)
    made = weighted(model, "Conv", source, "conv", 3 if view else 40, kernel)
    constants = [numpy.array(values, numpy.int64) for values in constants]
    if not view:
        made = same(model, "Flatten", made, "flat", meant=(1, -1))
    if operator == "Squeeze":
        made = same(model, "Unsqueeze", made, "longer", [numpy.array([0, 3], numpy.int64)], meant=(1, 1, 40, 1))
    made = same(model, operator, made, "view", constants, meant=shape)
    if len(shape) != 2:
        made = same(model, "Reshape", made, "row", [numpy.array([1, -1], numpy.int64)], meant=(1, -1))
    weighted(model, "Gemm", made, "output", 50)
    return model


def add_model(name, kind, scales, zeros, activation, operator="Add"):
    """The input, and the input with another scale."""
    model = Model(name, *kind)
    source = model.input((1, 4, 12, 12), scales[0], zeros[0])
    if model.form == QOPERATOR:
        other = mean(model, "AveragePool", source, "other", scales[1], zeros[1], kernel_shape=[1, 1])
    else:
        other = rescaled(model, source, scales[1], zeros[1])
    pair(model, operator, [source, other], "output", scales[2], zeros[2], activation)
    return model


def pair_model(name, kind, operator, second, ranged, activation=None):
    """The input, and a second operand of this kind or a constant of this shape."""
    model = Model(name, *kind)
    source = model.input((1, 4, 9, 12), 0.0457, 3)
    scale, zero, *output = ranged
    if second == "other":
        other = weighted(model, "Conv", source, "other", 4, (1, 1), scale=scale, zero=zero)
    elif second == "means":
        other = mean(model, "GlobalAveragePool", source, "other", scale, zero)
    else:
        other = model.held("other", second, scale, zero)
    sources = [source, other] if zero < 0 else [other, source]
    pair(model, operator, sources, "output", *output, activation)
    return model


def matrices_model(name, kind, shape, order):
    """The input times the input turned."""
    model = Model(name, *kind)
    source = model.input(shape, 0.0457, 3)
    turned = same(model, "Transpose", source, "turned", perm=order)
    turned.meant = source.meant.transpose(order)
    pair(model, "MatMul", [source, turned], "output", 0.0457**2 * 400, -20)
    return model


def function_model(name, kind, operator, ranged, real, options, layers=()):
    """layers: a convolution before, whose layer takes the table."""
    model = Model(name, *kind)
    model.version = 20  # from there on Gelu is one
    source = model.input((1, 4, 12, 12), *ranged[:2])
    if layers:
        source = weighted(model, "Conv", source, "conv", *layers, scale=ranged[0], zero=ranged[1])
        model.kept.pop("conv")  # no layer makes it
    function(model, operator, source, "output", *ranged[2:], real, **options)
    return model


def softmax_model(name, kind, shape, scale):
    """A softmax that a table reads."""
    model = Model(name, *kind)
    shares = softmax(model, model.input(shape, scale, 7), "shares")
    if model.form == QDQ:
        function(model, "Tanh", shares, "output", 1 / 200, -128, math.tanh)
    return model


def joined_model(name, kind, ranged, axis):
    """The input, and a convolution of it."""
    model = Model(name, *kind)
    source = model.input((1, 3, 7, 9), 0.0413, 4)
    other = weighted(model, "Conv", source, "other", 3, (1, 1), scale=ranged[0], zero=ranged[1])
    joined(model, [source, other], "output", *ranged[2:], axis)
    return model


def split_model(name, kind, names, axis, sizes):
    model = Model(name, *kind)
    source = weighted(model, "Conv", model.input((1, 3, 7, 9), 0.0413, 4), "conv", 6, (1, 1))
    split(model, source, names, axis, sizes)
    return model


def placed_model(name, kind, operator, shape, constants, options, place):
    model = Model(name, *kind)
    source = model.input(shape, 0.031, -40)
    typed = [numpy.array(values, numpy.int64) if isinstance(values, list) else values for values in constants]
    output = same(model, operator, source, "output", typed, meant=place(source.meant), **options)
    model.call("DequantizeLinear", model.arguments(output.name), "output_real")
    model.end("output_real")
    return model


def pad_model(name, kind, amounts, constants):
    """Zeros in front of a convolution."""
    model = Model(name, *kind)
    source = model.input((1, 3, 9, 8), 0.031, -40)
    if model.form == QOPERATOR:  # the operator itself says no scale
        source = weighted(model, "Conv", source, "first", 3, (1, 1))
    around = list(zip(amounts[:4], amounts[4:]))
    meant = numpy.pad(source.meant, around, constant_values=source.zero8)
    constants = [numpy.array(amounts, numpy.int64), *constants]
    padded = same(model, "Pad", source, "pad", constants, meant=meant)
    weighted(model, "Conv", padded, "output", 12, (3, 3), strides=[2, 2])
    return model


def cut_model(name, kind):
    """Bytes of a convolution that Clip cuts, in front of another one."""
    model = Model(name, *kind)
    first = weighted(model, "Conv", model.input((1, 3, 9, 8), 0.031, -40), "first", 6, (3, 3))
    cut = model.tensor("cut", first.scale, first.zero8, numpy.clip(first.meant, -7, 60))
    model.clip(first.name, "cut", (-7, 60), kind[1])
    model.range("cut", cut.scale, cut.zero)
    weighted(model, "Conv", model.keep("cut", cut), "output", 12, (3, 3))
    return model


def arg_max_model(name, kind, shape, *options):
    model = Model(name, *kind)
    arg_max(model, model.input(shape, 0.031, -40), "best", *options)
    return model


def ended_model(name, operator):
    """A convolution, and what the host does."""
    model = Model(name, QDQ if operator == "Softmax" else QOPERATOR)
    x = weighted(model, "Conv", model.input(SMALL, 0.031, -40), "output", 5, (3, 3))
    if operator == "ArgMax":
        arg_max(model, x, "best", 1)
    elif operator == "Softmax":
        model.call(operator, [model.real(x)], "softmax", axis=1)
        model.end("softmax")
    else:
        ranged = model.range("softmax", numpy.float32(1 / 256), numpy.int8(-128))
        held = model.arguments("output") + ranged
        model.call(operator, held, "softmax", "com.microsoft", axis=1, opset=17)
        model.end("softmax", "int8")
    return model


def list_of(model, name, *values):
    return model.constant(name, numpy.array(values, numpy.int64))


def computed_reshape(name, kind):
    """A shape that follows from that of a result, by all operators that are computed."""
    model = Model(name, *kind)
    made = weighted(model, "Conv", model.input((1, 3, 4, 6), 0.031, -40), "conv", 3, (1, 1))
    read = model.real(made) if model.form == QDQ else made.name
    sizes = model.call("Shape", [read], "sizes")
    batch = model.call("Gather", [sizes, model.constant("first", numpy.int64(0))], "batch")
    batches = model.call("Unsqueeze", [batch, list_of(model, "axis", 0)], "batches")
    narrow = model.call("Cast", [sizes], "narrow", to=TensorProto.INT32)
    kept = {"starts": [-1], "ends": [-4], "axes": [0], "steps": [-1]}
    held = [list_of(model, key, *values) for key, values in kept.items()]
    turned = model.call("Slice", [narrow, *held], "turned")  # 6, 4, 3
    wide = model.call("Cast", [turned], "wide", to=TensorProto.INT64)
    places = [list_of(model, f"place{i}", i) for i in range(3)]
    first, second, third = [model.call("Gather", [wide, at], f"{at}_size") for at in places]
    product = model.call("Mul", [model.call("Mul", [first, second], "pixels"), third], "all")
    halves = model.call("Div", [product, list_of(model, "two", 2)], "halves")
    whole = model.call("Sub", [model.call("Add", [halves, product], "more"), halves], "whole")
    asked = model.call("Concat", [batches, whole], "asked", axis=0)
    zeros = model.call("ConstantOfShape", [list_of(model, "count", 2)], "zeros", value=helper.make_tensor("", 7, [1], [0]))
    asked = model.call("Add", [asked, zeros], "asked_again")
    asked = model.call("Tile", [asked, list_of(model, "once", 1)], "asked_once")
    made = same(model, "Reshape", made, "view", [asked], meant=(1, 72))
    weighted(model, "Gemm", made, "output", 50)
    return model


def computed_slice(name, kind):
    """The second half of the channels, whose number the file computes."""
    model = Model(name, *kind)
    made = weighted(model, "Conv", model.input(SMALL, 0.031, -40), "conv", 6, (3, 3))
    read = model.real(made) if model.form == QDQ else made.name
    channels = model.call("Gather", [model.call("Shape", [read], "sizes"), list_of(model, "one", 1)], "channels")
    half = model.call("Div", [channels, list_of(model, "two", 2)], "half")
    held = [half, channels, list_of(model, "axes", 1)]
    output = same(model, "Slice", made, "output", held, meant=made.meant[:, 3:])
    model.call("DequantizeLinear", model.arguments(output.name), "output_real")
    model.end("output_real")
    return model


def computed_expand(name, kind):
    """A shape as torch finds it: sizes of -1 are those that there are."""
    model = Model(name, *kind)
    made = weighted(model, "Conv", model.input((1, 3, 4, 6), 0.031, -40), "conv", 3, (1, 1))
    read = model.real(made) if model.form == QDQ else made.name
    sizes = model.call("Shape", [read], "sizes", start=1)
    elements = model.call("ReduceProd", [sizes], "elements", axes=[0], keepdims=0)
    elements = model.call("Unsqueeze", [elements, list_of(model, "axis", 0)], "as_list")
    real = model.call("Cast", [elements], "real", to=TensorProto.FLOAT)
    quarter = model.call("Mul", [real, model.constant("quarter", numpy.float32(0.26))], "quarters")
    whole = model.call("Cast", [quarter], "whole", to=TensorProto.INT64)  # 18.72 becomes 18
    ones = model.call("ConstantOfShape", [list_of(model, "one", 1)], "ones", value=helper.make_tensor("", 7, [1], [1]))
    open_size = model.call("Mul", [ones, list_of(model, "minus", -1)], "open_size")
    asked = list_of(model, "asked", -1)
    is_open = model.call("Equal", [asked, open_size], "is_open")
    held = model.call("Where", [is_open, list_of(model, "two", 2), asked], "held")
    both = model.call("Expand", [whole, held], "both")  # 18, 18
    ends = [model.constant(f"end{i}", numpy.int64(i)) for i in (0, 2, 1)]
    places = model.call("Range", ends, "places")
    flags = model.call("Cast", [places], "flags", to=TensorProto.BOOL)
    shape = model.call("Where", [flags, list_of(model, "four", 4), both], "shape")  # 18, 4
    shape = model.call("Concat", [list_of(model, "batch", 1), shape], "whole_shape", axis=0)
    made = same(model, "Reshape", made, "view", [shape], meant=(1, 18, 4))
    made = same(model, "Reshape", made, "row", [list_of(model, "flat", 1, -1)], meant=(1, 72))
    weighted(model, "Gemm", made, "output", 50)
    return model


def computed_ranges(name, dtype):
    """Scales and zero points in other types than the operators need, and bytes cast to what they are, as torch exports both."""
    model = Model(name, QDQ, dtype)
    source = model.input((1, 3, 8, 7), 0.031, -40)
    made = weighted(model, "Conv", source, "conv", 5, (3, 3))
    weighted(model, "Conv", made, "output", 4, (3, 3), activation="Relu")
    read = next(i for i, node in enumerate(model.nodes) if node.op_type == "DequantizeLinear" and node.input[0] == made.name)
    model.nodes[read].input[0] = "bytes_again"
    model.nodes.insert(read, helper.make_node("Cast", [made.name], ["bytes_again"], "again/Cast", to=TYPES[dtype]))
    casts = []
    for tensor in [found for found in model.constants if found.name.endswith(("_scale", "_zero_point"))]:
        model.constants.remove(tensor)
        wide = numpy_helper.to_array(tensor)
        wide = wide if wide.dtype == numpy.float32 else wide.astype(numpy.int64)
        held = model.constant(f"{tensor.name}_wide", wide)
        casts.append(helper.make_node("Cast", [held], [tensor.name], f"{tensor.name}/Cast", to=tensor.data_type))
    model.nodes[:0] = casts
    return model


def operator_models():
    """Name and model of every model of one operator."""
    floating = ("qdq", "uint8", "int8"), ("qdq", "int8", "int8")
    for name, kind, (shape, outputs, kernel, options) in forms(CONVOLUTIONS):
        yield f"conv_{name}", weighted_model(f"conv_{name}", kind, "Conv", shape, outputs, kernel, **options)
    for i, (name, (shape, outputs, kernel, options)) in enumerate(FLOATING.items()):
        name = f"conv_qdq_{name}"
        yield name, weighted_model(name, floating[i % 2], "Conv", shape, outputs, kernel, **options)
    for name, kind, (operator, shape, outputs, options) in forms(ROWS):
        yield f"rows_{name}", weighted_model(f"rows_{name}", kind, operator, shape, outputs, (), **options)
    for dtype in ("int8", "uint8"):
        name = f"rows_qdq_matmul_add_{dtype}"
        kind = (QDQ, dtype, "int8")
        yield name, weighted_model(name, kind, "MatMul", (1, 48), 90, (), transposed=False, activation="Relu")
        name = f"rows_qdq_real_bias_{dtype}"
        operator, transposed = ("Gemm", True) if dtype == "int8" else ("MatMul", False)
        yield name, weighted_model(name, kind, operator, (1, 48), 90, (), transposed=transposed, real_bias=True)
    for prefix, table in (("mean", MEANS), ("halves", HALVES)):
        for name, kind, row in forms(table):
            name = f"{prefix}_{name}"
            yield name, mean_model(name, kind, *row)
    for i, (name, row) in enumerate(FLOATING_MEANS.items()):
        yield f"mean_qdq_{name}", mean_model(f"mean_qdq_{name}", floating[i % 2], *row)
    for name, kind, row in forms(SAME):
        yield name, same_model(name, kind, *row)
    for name, kind, row in forms(VIEWS):
        if row[0] == "Dropout" and kind[0] == QOPERATOR:
            continue  # has no bytes
        yield f"view_{name}", view_model(f"view_{name}", kind, *row)
    for name, kind, row in forms(ADDS):
        yield name, add_model(name, kind, *row)
    yield "qdq_sub_equal", add_model("qdq_sub_equal", floating[1], (0.03, 0.03, 0.05), (4, 4, 6), None, "Sub")
    yield "qdq_add_relu", add_model("qdq_add_relu", floating[0], (0.03, 0.03, 0.05), (4, 4, -60), "Relu")
    for kind in floating:
        yield f"qdq_cut_bytes_{kind[1]}", cut_model(f"qdq_cut_bytes_{kind[1]}", kind)
    amounts = [0, 0, 1, 0, 0, 0, 0, 1]
    yield "qdq_pad", pad_model("qdq_pad", floating[1], amounts, [numpy.float32(0)])
    yield "qdq_pad_no_value", pad_model("qdq_pad_no_value", floating[0], amounts, [])
    yield "qoperator_pad", pad_model("qoperator_pad", (QOPERATOR, "int8", "int8"), amounts, [])
    for operator in ("ArgMax", "Softmax", "QLinearSoftmax"):
        yield f"ended_{operator}", ended_model(f"ended_{operator}", operator)
    for name, kind, (operator, ranged, real, options) in forms(FUNCTIONS):
        if kind[0] == QDQ or operator in WITH_SCALES:
            yield f"table_{name}", function_model(f"table_{name}", kind, operator, ranged, real, options)
    for kind in floating:
        name = f"table_behind_conv_{kind[1]}"
        ranged = (0.0437, 10, 1 / 256, -128)
        yield name, function_model(name, kind, "Sigmoid", ranged, sigmoid, {}, (5, (3, 3)))
    for name, kind, row in forms(PAIRS):
        yield f"pair_{name}", pair_model(f"pair_{name}", kind, *row)
    row = ("Mul", "other", (0.0311, -17, 0.0357, -60), "Relu")
    yield "pair_qdq_mul_relu", pair_model("pair_qdq_mul_relu", floating[0], *row)
    matrices = {"matrices": ((1, 2, 6, 11), (0, 1, 3, 2)), "one_matrix": ((1, 7, 12), (0, 2, 1))}
    for name, kind, row in forms(matrices):
        yield name, matrices_model(name, kind, *row)
    for name, kind, row in forms({"softmax": ((1, 2, 9, 13), 0.043), "softmax_row": ((1, 40), 0.07)}):
        yield name, softmax_model(name, kind, *row)
    places = {"arg_max_channels": ((1, 300, 2, 3), 1, 0), "arg_max_width": ((1, 2, 3, 500), -1), "arg_max_row": ((1, 600), 1)}
    for name, kind, row in forms(places):
        if kind[0] == QDQ:  # the other form has no scale for an input that nothing else reads
            yield name, arg_max_model(name, kind, *row)
    concats = {
        "concat": ((0.0413, 4, 0.0413, 4), 1),
        "concat_rows": ((0.0413, 4, 0.0413, 4), -2),
        "concat_others": ((0.0313, 4, 0.0371, -9), 1),
    }
    for name, kind, row in forms(concats):
        yield name, joined_model(name, kind, *row)
    for make in (computed_reshape, computed_slice, computed_expand):
        for name, kind, _ in forms({make.__name__: ()}):
            yield name, make(name, kind)
    for dtype in ("int8", "uint8"):
        yield f"qdq_computed_ranges_{dtype}", computed_ranges(f"qdq_computed_ranges_{dtype}", dtype)
    splits = {"split": (["first", "second", "third"], 1, None), "split_uneven": (["first", "second"], -1, [2, 7])}
    for name, kind, row in forms(splits):
        yield name, split_model(name, kind, *row)
    for name, kind, row in forms(PLACED):
        if row[0] != "GlobalMaxPool" or kind[0] == QDQ:  # onnxruntime has it of float32 alone
            yield name, placed_model(name, kind, *row)
    for activation in ("Relu", (-0.5, 1.0)):
        name = f"qdq_{'relu' if activation == 'Relu' else 'clip'}_alone"
        model = Model(name)
        source = model.input((1, 4, 12, 12), 0.0413, -40)
        model.call("Identity", [model.real(source)], "same")
        output = model.quantise(activate(model, "same", activation), 0.0297, -100)
        output.meant = onnx_meaning.mean(source, output, bounds(activation), (1, 1))
        yield name, model
