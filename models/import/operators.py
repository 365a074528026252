"""Models of one operator: tables of what they are like, and what makes them."""

import math

import numpy

from graph import N, R, R1, R6, TYPES, Graph, float32_product, fused, image, pads, pool, quantised, weighted

STEEP = [(1.5, 0), (2.75, -3), (0.9999, 1), (37.0, 1)]
FLAT = [(2.0**-33, 1 << 30), (1e-12, -5), (2.0**-7, 40), (2.0**-32 * 0.99, -(1 << 30)), (0.004, 0)]
LARGE = [(6.1e-8, (1 << 30) - 7), (3.3e-8, -(1 << 30) + 5), (1e-7, (1 << 30) + 1), (5e-8, -(1 << 30))]
TIES = [(2.0**-bits, half << bits >> 1) for bits in (1, 2, 3, 8, 20) for half in (-101, -5, -3, -1, 1, 3, 5)]
EQUAL_TIES = [(2.0**-9, half << 8) for half in (-199, -101, -5, -3, -1, 1, 3, 5)]
POWERS = {"source_scale": 2.0**-5, "scale": 2.0**-4, "sums": True}
LOWEST = [
    (2.0**-32, 2147000000),
    (2.0**-31 * 0.999, 2147000000),
    (2.0**-31 * 0.999, -2147000000),
    (2.0**-31 * 0.999, 1 << 30),
    (2.0**-32 * 1.5, -1450000000),
    (2.0**-30, 1 << 29),
]

# name -> height, width, channels; outputs; kernel; the rest. Zero points: input, output; None is drawn
CONVOLUTIONS = {
    "pointwise": ((5, 4, 9), 7, (1, 1), {}),
    "pointwise_one_channel": ((16, 16, 1), 1, (1, 1), {"per_channel": False}),
    "valid_3x3": ((7, 6, 3), 5, (3, 3), {}),
    "same_3x3": ((6, 7, 3), 9, (3, 3), {"same": True}),
    "same_3x3_stride_2_odd": ((7, 7, 2), 4, (3, 3), {"same": True, "stride": (2, 2)}),
    "same_3x3_stride_2_even": ((8, 8, 2), 4, (3, 3), {"same": True, "stride": (2, 2)}),
    "same_2x2_stride_1": ((5, 5, 2), 3, (2, 2), {"same": True}),
    "same_2x5": ((5, 6, 2), 3, (2, 5), {"same": True}),
    "same_1x3_stride_1x2": ((1, 11, 4), 6, (1, 3), {"same": True, "stride": (1, 2)}),
    "same_3x1_stride_3x1": ((11, 2, 4), 5, (3, 1), {"same": True, "stride": (3, 1)}),
    "same_1x1_stride_2": ((5, 6, 3), 4, (1, 1), {"same": True, "stride": (2, 2)}),
    "same_5x5_of_3x3": ((3, 3, 2), 3, (5, 5), {"same": True}),
    "valid_2x5_stride_2x3": ((7, 12, 2), 3, (2, 5), {"stride": (2, 3)}),
    "valid_3x3_stride_3": ((9, 10, 1), 4, (3, 3), {"stride": (3, 3)}),
    "valid_whole_plane": ((4, 3, 5), 6, (4, 3), {}),
    "dilated_valid": ((8, 9, 2), 3, (3, 2), {"dilation": (2, 3)}),
    "dilated_same": ((7, 8, 2), 3, (3, 3), {"same": True, "dilation": (2, 2)}),
    "dilated_same_even": ((8, 6, 1), 2, (2, 3), {"same": True, "dilation": (3, 2)}),
    "input_zero_lowest": ((5, 6, 3), 4, (3, 3), {"same": True, "zeros": (-128, 3)}),
    "input_zero_highest": ((5, 6, 3), 4, (3, 3), {"same": True, "zeros": (127, -9)}),
    "output_zero_lowest": ((6, 5, 3), 4, (3, 3), {"zeros": (5, -128)}),
    "output_zero_highest": ((6, 5, 3), 4, (3, 3), {"zeros": (-17, 127)}),
    "relu": ((6, 6, 3), 5, (3, 3), {"activation": R, "zeros": (-7, -20)}),
    "relu_zero_lowest": ((6, 6, 3), 5, (3, 3), {"activation": R, "zeros": (-128, -128)}),
    "relu_n1_to_1": ((6, 6, 3), 5, (3, 3), {"activation": R1, "zeros": (11, 8), "scale": 0.0213}),
    "relu_n1_to_1_half": ((6, 6, 2), 4, (2, 2), {"activation": R1, "zeros": (0, -3), "scale": 0.08}),
    "relu6": ((6, 6, 3), 5, (3, 3), {"activation": R6, "zeros": (-4, -100), "scale": 0.0457}),
    "relu6_half": ((6, 6, 2), 4, (1, 1), {"activation": R6, "zeros": (9, -30), "scale": 0.09375}),
    "relu6_not_reached": ((6, 6, 2), 4, (1, 1), {"activation": R6, "zeros": (9, -128), "scale": 0.02}),
    "per_tensor": ((6, 5, 4), 6, (3, 3), {"per_channel": False}),
    "multipliers_above_one": ((16, 16, 1), 4, (1, 1), {"channels": STEEP, "peak": 1}),
    "multiplier_zero": ((5, 5, 2), 5, (3, 3), {"channels": FLAT}),
    "large_biases": ((5, 5, 2), 4, (3, 3), {"channels": LARGE}),
    "lowest_shift": ((4, 4, 1), 6, (1, 1), {"channels": LOWEST}),
    "ties": ((2, 2, 2), 35, (2, 2), POWERS | {"channels": TIES}),
    "quantised_multiplier": ((2, 2, 3), 24, (2, 2), {"halves": quantised}),
    "scale_product": (
        (2, 2, 3),
        24,
        (2, 2),
        {"halves": float32_product, "per_channel": False, "zeros": (3, 0)},
    ),
    "scale_product_per_channel": ((2, 2, 3), 24, (2, 2), {"halves": float32_product, "zeros": (3, 0)}),
}
DEPTHWISE = {
    "valid_3x3": ((6, 7, 5), 5, (3, 3), {}),
    "same_3x3": ((5, 6, 4), 4, (3, 3), {"same": True}),
    "same_3x3_stride_2_even": ((8, 8, 3), 3, (3, 3), {"same": True, "stride": (2, 2)}),
    "same_3x3_stride_2_odd": ((7, 5, 3), 3, (3, 3), {"same": True, "stride": (2, 2)}),
    "same_2x5_stride_1x3": ((5, 10, 2), 2, (2, 5), {"same": True, "stride": (1, 3)}),
    "one_channel": ((6, 6, 1), 1, (3, 3), {"same": True, "per_channel": False}),
    "multiplier_2": ((5, 4, 3), 6, (3, 2), {}),
    "multiplier_3_same": ((5, 5, 2), 6, (3, 3), {"same": True, "stride": (2, 2)}),
    "one_channel_multiplier_8": ((6, 5, 1), 8, (3, 3), {"same": True}),
    "dilated_same": ((7, 8, 3), 3, (3, 3), {"same": True, "dilation": (2, 2)}),
    "input_zero_lowest": ((5, 6, 3), 3, (3, 3), {"same": True, "zeros": (-128, 3)}),
    "input_zero_highest": ((5, 6, 3), 3, (3, 3), {"same": True, "zeros": (127, -128)}),
    "relu": ((6, 6, 4), 4, (3, 3), {"activation": R, "zeros": (-7, -20)}),
    "relu_n1_to_1": ((6, 6, 3), 3, (3, 3), {"activation": R1, "zeros": (11, 8), "scale": 0.0213}),
    "relu6": ((6, 6, 4), 4, (3, 3), {"activation": R6, "zeros": (-128, -128), "scale": 0.06}),
    "per_tensor": ((6, 5, 4), 4, (3, 3), {"per_channel": False}),
    "no_bias": ((5, 5, 3), 3, (3, 3), {"bias": "none"}),
    "ties": ((1, 1, 35), 35, (1, 1), POWERS | {"channels": TIES}),
    "quantised_multiplier": ((2, 2, 24), 24, (2, 2), {"halves": quantised}),
    "scale_product": ((2, 2, 24), 24, (2, 2), {"halves": float32_product, "per_channel": False}),
    "multiplier_zero": ((5, 5, 5), 5, (3, 3), {"channels": FLAT}),
    "large_biases": ((5, 5, 4), 4, (3, 3), {"channels": LARGE}),
}
DENSE = {  # name -> shape of the input; outputs; the rest
    "per_tensor": ((1, 60), 24, {"per_channel": False}),
    "per_channel": ((1, 33), 17, {}),
    "one_output": ((1, 40), 1, {}),
    "no_bias": ((1, 20), 9, {"per_channel": False, "bias": "none"}),
    "absent_bias": ((1, 20), 9, {"per_channel": False, "bias": "absent"}),
    "relu": ((1, 30), 40, {"per_channel": False, "activation": R, "zeros": (5, -30)}),
    "relu_n1_to_1": ((1, 30), 40, {"activation": R1, "zeros": (-8, 8), "scale": 0.0213}),
    "relu6": ((1, 30), 40, {"per_channel": False, "activation": R6, "zeros": (0, -100), "scale": 0.0457}),
    "zeros_lowest": ((1, 25), 12, {"per_channel": False, "zeros": (-128, -128)}),
    "zeros_highest": ((1, 25), 12, {"per_channel": False, "zeros": (127, 127)}),
    "of_a_plane": ((1, 3, 2, 5), 11, {"per_channel": False}),
    "keep_num_dims": ((1, 1, 24), 10, {"per_channel": False, "rows": True}),
    "of_rows": ((1, 5, 12), 7, {"per_channel": False, "rows": True}),
    "multiplier_zero": ((1, 9), 5, {"channels": FLAT}),
    "large_biases": ((1, 9), 4, {"channels": LARGE}),
    "lowest_shift": ((1, 2), 6, {"channels": LOWEST}),
    "ties": ((1, 6), 35, POWERS | {"channels": TIES}),
    "ties_per_tensor": ((1, 6), 8, POWERS | {"channels": EQUAL_TIES, "per_channel": False}),
    "quantised_multiplier": ((1, 16), 32, {"halves": quantised}),
    "quantised_multiplier_per_tensor": ((1, 16), 32, {"halves": quantised, "per_channel": False}),
    "scale_product": ((1, 16), 32, {"halves": float32_product, "per_channel": False, "zeros": (3, 0)}),
    "scale_product_per_channel": ((1, 16), 32, {"halves": float32_product, "zeros": (3, 0)}),
}
TRANSPOSED = {
    "stride_2_same": ((3, 4, 3), 4, (3, 3), {"same": True, "stride": (2, 2), "shape": (1, 6, 8, 4)}),
    "ties": ((1, 1, 2), 35, (1, 1), POWERS | {"channels": TIES, "shape": (1, 1, 1, 35)}),
    "stride_2_valid": ((3, 3, 2), 3, (2, 2), {"stride": (2, 2), "shape": (1, 6, 6, 3), "bias": "none"}),
}
POOLS = {  # name -> operator; height, width, channels; kernel; stride; zero point; SAME; activation
    "max_pool_2x2": ("MAX_POOL_2D", (6, 8, 3), (2, 2), (2, 2), None, False, N),
    "max_pool_3x3_stride_2": ("MAX_POOL_2D", (7, 9, 3), (3, 3), (2, 2), None, False, N),
    "max_pool_2x3_stride_1x2": ("MAX_POOL_2D", (5, 8, 2), (2, 3), (1, 2), None, False, N),
    "max_pool_same_3x3_stride_2": ("MAX_POOL_2D", (8, 8, 3), (3, 3), (2, 2), None, True, N),
    "max_pool_same_odd": ("MAX_POOL_2D", (7, 5, 3), (2, 2), (2, 2), 127, True, N),
    "max_pool_same_lowest": ("MAX_POOL_2D", (6, 6, 2), (3, 3), (1, 1), -128, True, N),
    "max_pool_relu6": ("MAX_POOL_2D", (6, 6, 4), (2, 2), (2, 2), -40, False, R6),
    "average_pool_2x2": ("AVERAGE_POOL_2D", (8, 8, 5), (2, 2), (2, 2), None, False, N),
    "average_pool_2x2_lowest": ("AVERAGE_POOL_2D", (8, 8, 4), (2, 2), (2, 2), -128, False, N),
    "average_pool_2x2_highest": ("AVERAGE_POOL_2D", (8, 8, 4), (2, 2), (2, 2), 127, False, N),
    "average_pool_3x3": ("AVERAGE_POOL_2D", (9, 9, 3), (3, 3), (3, 3), None, False, N),
    "average_pool_3x3_stride_2": ("AVERAGE_POOL_2D", (8, 7, 3), (3, 3), (2, 2), -128, False, N),
    "average_pool_1x2": ("AVERAGE_POOL_2D", (4, 16, 4), (1, 2), (1, 2), None, False, N),
    "average_pool_1x4": ("AVERAGE_POOL_2D", (1, 4, 16), (1, 4), (1, 4), None, False, N),
    "average_pool_7x5": ("AVERAGE_POOL_2D", (7, 5, 16), (7, 5), (1, 1), 127, False, N),
    "average_pool_7x4": ("AVERAGE_POOL_2D", (7, 4, 16), (7, 4), (7, 4), None, False, N),
    "average_pool_8x8": ("AVERAGE_POOL_2D", (8, 8, 16), (8, 8), (8, 8), -128, False, N),
    "average_pool_8x8_of_9x9": ("AVERAGE_POOL_2D", (9, 9, 6), (8, 8), (1, 1), None, False, N),
    "average_pool_relu": ("AVERAGE_POOL_2D", (6, 6, 4), (2, 2), (2, 2), -5, False, R),
    "average_pool_relu6": ("AVERAGE_POOL_2D", (6, 6, 4), (2, 2), (2, 2), -40, False, R6),
    "average_pool_same_2x2": ("AVERAGE_POOL_2D", (7, 5, 4), (2, 2), (2, 2), None, True, N),
    "average_pool_same_3x3": ("AVERAGE_POOL_2D", (6, 6, 3), (3, 3), (1, 1), -128, True, N),
    "average_pool_same_4x4_stride_2": ("AVERAGE_POOL_2D", (7, 8, 3), (4, 4), (2, 2), 127, True, N),
}
SUMS = {  # name -> operator; scales and zero points of both inputs and the output; activation
    "add": ("ADD", (0.031, 0.047, 0.062), (3, -17, 5), N),
    "add_equal_scales": ("ADD", (0.05, 0.05, 0.05), (0, 0, 0), N),
    "add_ratio_3_4": ("ADD", (0.03, 0.04, 0.05), (-128, -128, -128), N),
    "add_ratio_100": ("ADD", (0.5, 0.005, 0.4), (12, -90, -4), N),
    "add_ratio_5000": ("ADD", (0.0001, 0.5, 0.6), (0, 127, 100), N),
    "add_small_output": ("ADD", (0.02, 0.03, 0.011), (-128, 127, -1), N),
    "add_relu": ("ADD", (0.031, 0.047, 0.055), (7, 1, -60), R),
    "add_relu_n1_to_1": ("ADD", (0.01, 0.013, 0.0171), (7, 1, 6), R1),
    "add_relu6": ("ADD", (0.04, 0.07, 0.05), (-100, -90, -110), R6),
    "sub": ("SUB", (0.031, 0.047, 0.062), (3, -17, 5), N),
    "sub_ratio_20": ("SUB", (0.01, 0.2, 0.19), (-128, 60, 7), N),
    "sub_relu": ("SUB", (0.047, 0.031, 0.05), (-7, 9, -128), R),
    "mul": ("MUL", (0.031, 0.047, 0.1), (3, -17, 5), N),
    "mul_scale_product": ("MUL", (0.0383, 0.0498, 0.263272222), (0, 0, 0), N),
    "mul_relu6": ("MUL", (0.02, 0.05, 0.045), (-128, 20, -100), R6),
}
TABLES = {  # name -> operator; scale and zero point of the input, of the output; options. All 256 bytes
    "logistic": ("LOGISTIC", 0.047, 9, 1 / 256, -128, {}),
    "tanh": ("TANH", 0.031, -20, 1 / 128, 0, {}),
    "hard_swish": ("HARD_SWISH", 0.041, -11, 0.0213, -110, {}),
    "hard_swish_zero_lowest": ("HARD_SWISH", 0.0235, -128, 0.0233, -128, {}),
    "leaky_relu": ("LEAKY_RELU", 0.031, 20, 0.027, -30, {"alpha": 0.1}),
    "leaky_relu_equal_scales": ("LEAKY_RELU", 0.05, -8, 0.05, -8, {"alpha": 0.25}),
    "relu": ("RELU", 0.031, 20, 0.027, -128, {}),
    "relu_narrow": ("RELU", 0.02, -60, 0.09, -100, {}),
    "relu_scale_ratio": ("RELU", 0.0532, -60, 0.035466666, -100, {}),
    "relu_equal_scales": ("RELU", 0.031, 20, 0.031, 20, {}),
    "relu6": ("RELU6", 0.06, -9, 6 / 255, -128, {}),
    "quantize": ("QUANTIZE", 0.031, 20, 0.043, -7, {}),
    "quantize_to_half": ("QUANTIZE", 0.02, 5, 0.04, -3, {}),
    "quantize_to_quarter": ("QUANTIZE", 0.02, -9, 0.08, 2, {}),
    "quantize_shifted": ("QUANTIZE", 0.02, 3, 0.02, -4, {}),
}


# name -> operator; shapes of the inputs; places in the call: an input's number, or a constant; options;
# scale and zero point of the output where they are not those of the input; parts it is split into
OTHERS = {
    "reshape": ("RESHAPE", [(1, 3, 4, 5)], [0, [1, 60]], {"newShape": [1, 60]}),
    "softmax": ("SOFTMAX", [(1, 10)], [0], {"beta": 1.0}, (1 / 256, -128)),
    "softmax_of_rows": ("SOFTMAX", [(1, 7, 16)], [0], {"beta": 1.0}, (1 / 256, -128)),
    "softmax_long": ("SOFTMAX", [(1, 300)], [0], {"beta": 0.5}, (1 / 256, -128)),
    "mean": ("MEAN", [(1, 7, 7, 40)], [0, [1, 2]], {"keepDims": False}, (0.0177, -3)),
    "mean_keep_dims": ("MEAN", [(1, 4, 4, 40)], [0, [1, 2]], {"keepDims": True}, (0.0177, -3)),
    "mean_equal_scales": ("MEAN", [(1, 8, 8, 64)], [0, [1, 2]], {"keepDims": False}),
    "mean_of_width": ("MEAN", [(1, 6, 5, 3)], [0, [2]], {"keepDims": True}, (0.03, 9)),
    "pad": ("PAD", [(1, 3, 4, 2)], [0, pads((0, 0), (1, 2), (0, 3), (0, 0))], {}),
    "pad_channels": ("PAD", [(1, 3, 3, 3)], [0, pads((0, 0), (0, 0), (0, 0), (0, 5))], {}),
    "concatenation": ("CONCATENATION", [(1, 3, 4, 2), (1, 3, 4, 5)], [0, 1], {"axis": 3}),
    "concatenation_from_the_end": ("CONCATENATION", [(1, 2, 2, 8), (1, 2, 2, 8)], [0, 1], {"axis": -1}),
    "resize_nearest": ("RESIZE_NEAREST_NEIGHBOR", [(1, 3, 4, 2)], [0, [6, 8]], {}),
    "strided_slice": (
        "STRIDED_SLICE",
        [(1, 3, 3, 8)],
        [0, [0, 0, 0, 2], [1, 3, 3, 7], [1, 1, 1, 1]],
        {"beginMask": 7, "endMask": 7},
    ),
    "slice": ("SLICE", [(1, 3, 3, 8)], [0, [0, 0, 0, 3], [-1, -1, -1, 4]], {}),
    "split": ("SPLIT", [(1, 3, 3, 8)], [[3], 0], {"numSplits": 2}, None, 2),
    "transpose": ("TRANSPOSE", [(1, 3, 4, 5)], [0, [0, 3, 1, 2]], {}),
    "transpose_matrix": ("TRANSPOSE", [(1, 6, 7)], [0, [0, 2, 1]], {}),
    "batch_matmul": ("BATCH_MATMUL", [(1, 5, 8), (1, 8, 6)], [0, 1], {}, (1.3, 4)),
    "batch_matmul_adjoint": ("BATCH_MATMUL", [(1, 5, 8), (1, 6, 8)], [0, 1], {"adjY": True}, (1.3, -6)),
    "batch_matmul_scale_product": ("BATCH_MATMUL", [(1, 12, 40), (1, 40, 16)], [0, 1], {}, (0.0334158382, 0)),
    "softmax_fixed_point": ("SOFTMAX", [(1, 8, 120)], [0], {"beta": 2.389}, (1 / 256, -128)),
    "arg_max": ("ARG_MAX", [(1, 10)], [0, [1]], {"outputType": TYPES["int32"]}),
    "arg_max_of_planes": ("ARG_MAX", [(1, 4, 4, 6)], [0, [3]], {"outputType": TYPES["int32"]}),
}


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


def two_inputs(name, operator, scales, zeros, activation):
    graph = Graph(name)
    images = [image(graph.rng, (1, 7, 9, 5)) for _ in range(2)]
    sources = [graph.input(f"input{i}", images[i], scales[i], zeros[i]) for i in range(2)]
    graph.call(operator, sources, [graph.tensor("output", scales[2], zeros[2])], **fused(activation))
    return graph


def same_input(name, operator, activation):
    graph = Graph(name)
    source = graph.input("input", image(graph.rng, (1, 16, 16, 1)), 0.031, -20)
    graph.call(operator, [source] * 2, [graph.tensor("output", 0.051, 7)], **fused(activation))
    return graph


def constant_input(name, operator, size, constant):
    """The second input is a constant of that shape."""
    graph = Graph(name)
    source = graph.input("input", image(graph.rng, size), 0.031, -20)
    factors = graph.tensor("factors", 0.0123, 5, data=image(graph.rng, constant))
    graph.call(operator, [source, factors], [graph.tensor("output", 0.051, 7)], **fused(N))
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
    yield "add_twice", same_input("add_twice", "ADD", N)
    yield "sub_twice", same_input("sub_twice", "SUB", R)
    yield "mul_twice", same_input("mul_twice", "MUL", N)
    for operator in ("add", "mul"):
        name = f"{operator}_channel_vector"
        yield name, constant_input(name, operator.upper(), (1, 5, 4, 6), (1, 1, 1, 6))


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
