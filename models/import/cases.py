"""Models of one operator: tables of what they are like."""

from graph import N, R, R1, R6, TYPES, float32_product, pads, quantised

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


def swept(size, outputs):
    """Kernels, strides and paddings on a plane of 9 x 8, dilations of a kernel of 3 x 3."""
    found = {}
    for same in (False, True):
        for kernel in ((2, 2), (3, 3), (5, 4)):
            for stride in ((1, 1), (2, 2), (3, 2)):
                name = f"swept_{kernel[0]}x{kernel[1]}_stride_{stride[0]}x{stride[1]}"
                row = size, outputs, kernel, {"stride": stride, "same": same}
                found[f"{name}_{'same' if same else 'valid'}"] = row
        for dilation in ((2, 1), (1, 3), (3, 3)):
            name = f"swept_dilation_{dilation[0]}x{dilation[1]}_{'same' if same else 'valid'}"
            found[name] = size, outputs, (3, 3), {"dilation": dilation, "same": same}
    return found


ENDS = {  # of the zero points of input and output
    f"ends_{name}": zeros
    for name, zeros in {
        "lowest": (-128, -128),
        "highest": (127, 127),
        "lowest_and_highest": (-128, 127),
        "highest_and_lowest": (127, -128),
    }.items()
}
CONVOLUTIONS |= swept((9, 8, 3), 4)
CONVOLUTIONS |= {
    name: ((5, 7, 2), 3, (3, 2), {"zeros": zeros, "same": True, "stride": (2, 1)})
    for name, zeros in ENDS.items()
}
CONVOLUTIONS |= {
    "groups_2": ((6, 5, 4), 6, (3, 3), {"groups": 2, "same": True}),
    "groups_3_stride_2": ((7, 6, 9), 3, (2, 3), {"groups": 3, "stride": (2, 2)}),
    "groups_4_pointwise": ((5, 4, 8), 12, (1, 1), {"groups": 4}),
    "groups_dilated": ((8, 7, 4), 4, (3, 3), {"groups": 2, "same": True, "dilation": (2, 2)}),
    "one_pixel": ((1, 1, 17), 9, (1, 1), {}),
    "one_pixel_same_3x3": ((1, 1, 5), 6, (3, 3), {"same": True}),
    "one_row": ((1, 13, 3), 5, (1, 4), {"same": True, "stride": (1, 3)}),
    "one_column": ((13, 1, 3), 5, (4, 1), {"stride": (2, 1)}),
    "many_inputs": ((3, 3, 65), 3, (3, 3), {}),
    "many_outputs": ((3, 4, 2), 67, (2, 2), {}),
    "large_biases_relu": ((4, 5, 2), 4, (2, 2), {"channels": LARGE, "activation": R, "zeros": (9, -50)}),
    "large_biases_pointwise": ((3, 3, 3), 4, (1, 1), {"channels": LARGE, "zeros": (-128, 127)}),
    "multiplier_zero_relu6": ((4, 4, 2), 5, (2, 2), {"channels": FLAT, "activation": R6}),
    "multiplier_zero_ends": ((4, 4, 2), 5, (1, 1), {"channels": FLAT, "zeros": (127, -128)}),
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
DEPTHWISE |= swept((9, 8, 3), 3)
DEPTHWISE |= {
    name: ((5, 7, 2), 4, (3, 2), {"zeros": zeros, "same": True, "stride": (2, 1)})
    for name, zeros in ENDS.items()
}
DEPTHWISE |= {
    "one_row": ((1, 13, 3), 3, (1, 4), {"same": True, "stride": (1, 3)}),
    "one_column": ((13, 1, 3), 3, (4, 1), {"stride": (2, 1)}),
    "many_channels": ((4, 3, 67), 67, (3, 3), {"same": True}),
    "multiplier_4_dilated": ((7, 6, 2), 8, (3, 2), {"dilation": (2, 3), "same": True}),
    "multiplier_5_stride_3": ((8, 8, 1), 5, (3, 3), {"stride": (3, 3)}),
    "one_pixel": ((1, 1, 5), 5, (3, 3), {"same": True}),
    "large_biases_relu6": ((4, 5, 4), 4, (2, 2), {"channels": LARGE, "activation": R6, "zeros": (9, -50)}),
    "large_biases_multiplier_2": ((4, 4, 2), 4, (3, 3), {"channels": LARGE, "zeros": (127, 0)}),
    "multiplier_zero_ends": ((4, 4, 5), 5, (1, 1), {"channels": FLAT, "zeros": (-128, 127)}),
    "lowest_shift": ((2, 2, 6), 6, (1, 1), {"channels": LOWEST}),
    "multipliers_above_one": ((16, 16, 4), 4, (1, 1), {"channels": STEEP, "peak": 1}),
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
DENSE |= {name: ((1, 19), 13, {"per_channel": False, "zeros": zeros}) for name, zeros in ENDS.items()}
DENSE |= {
    "one_input": ((1, 1), 7, {}),
    "one_input_one_output": ((1, 1), 1, {"per_channel": False}),
    "many_inputs": ((1, 1031), 3, {"per_channel": False}),
    "many_outputs": ((1, 5), 131, {}),
    "of_a_tall_plane": ((1, 7, 1, 3), 6, {}),
    "of_a_wide_plane": ((1, 1, 7, 3), 6, {"activation": R, "zeros": (-9, -128)}),
    "large_biases_relu6": ((1, 9), 4, {"channels": LARGE, "activation": R6, "zeros": (3, -60)}),
    "multiplier_zero_ends": ((1, 9), 5, {"channels": FLAT, "zeros": (127, -128)}),
    "multipliers_above_one": ((1, 4), 4, {"channels": STEEP, "peak": 1}),
}
TRANSPOSED = {
    "stride_2_same": ((3, 4, 3), 4, (3, 3), {"same": True, "stride": (2, 2), "shape": (1, 6, 8, 4)}),
    "ties": ((1, 1, 2), 35, (1, 1), POWERS | {"channels": TIES, "shape": (1, 1, 1, 35)}),
    "stride_2_valid": ((3, 3, 2), 3, (2, 2), {"stride": (2, 2), "shape": (1, 6, 6, 3), "bias": "none"}),
    "absent_bias": ((2, 3, 2), 3, (3, 2), {"stride": (2, 2), "shape": (1, 5, 6, 3), "bias": "absent"}),
    "stride_1_same": ((5, 4, 3), 4, (3, 3), {"same": True, "shape": (1, 5, 4, 4)}),
    "stride_1_valid": ((4, 5, 2), 3, (2, 4), {"shape": (1, 5, 8, 3)}),
    "stride_2_same_odd": ((4, 3, 3), 5, (3, 3), {"same": True, "stride": (2, 2), "shape": (1, 7, 5, 5)}),
    "stride_2_same_5x4": ((3, 4, 2), 3, (5, 4), {"same": True, "stride": (2, 2), "shape": (1, 6, 8, 3)}),
    "stride_2_valid_5x5": ((3, 2, 2), 4, (5, 5), {"stride": (2, 2), "shape": (1, 9, 7, 4)}),
    "stride_4_same": ((2, 3, 3), 2, (7, 8), {"same": True, "stride": (4, 4), "shape": (1, 8, 12, 2)}),
    "stride_4_same_of_3": ((3, 2, 2), 3, (3, 2), {"same": True, "stride": (4, 4), "shape": (1, 12, 8, 3)}),
    "stride_4_valid": ((2, 2, 5), 3, (5, 6), {"stride": (4, 4), "shape": (1, 9, 10, 3)}),
    "stride_2x1_same": ((3, 5, 2), 3, (3, 2), {"same": True, "stride": (2, 1), "shape": (1, 6, 5, 3)}),
    "stride_1x3_valid": ((4, 3, 2), 3, (2, 2), {"stride": (1, 3), "shape": (1, 5, 9, 3)}),
    "pointwise_stride_2": ((3, 3, 4), 3, (1, 1), {"same": True, "stride": (2, 2), "shape": (1, 6, 6, 3)}),
    "valid_beyond_the_reach": ((2, 2, 2), 3, (2, 2), {"stride": (2, 2), "shape": (1, 5, 4, 3)}),
    "valid_far_beyond": ((2, 2, 2), 3, (1, 2), {"stride": (4, 5), "shape": (1, 8, 11, 3)}),
    "one_pixel": ((1, 1, 7), 5, (4, 3), {"stride": (4, 3), "shape": (1, 4, 3, 5)}),
    "one_row": ((1, 6, 3), 4, (1, 4), {"same": True, "stride": (1, 2), "shape": (1, 1, 12, 4)}),
    "many_channels": ((2, 2, 33), 17, (2, 2), {"same": True, "stride": (2, 2), "shape": (1, 4, 4, 17)}),
    "per_tensor": (
        (3, 3, 2),
        4,
        (3, 3),
        {"same": True, "stride": (2, 2), "shape": (1, 6, 6, 4), "per_channel": False},
    ),
    "relu6": (
        (3, 4, 2),
        4,
        (3, 3),
        {"same": True, "stride": (2, 2), "shape": (1, 6, 8, 4), "activation": R6, "zeros": (9, -90)},
    ),
    "scale_product": (
        (1, 1, 8),
        24,
        (1, 1),
        {"halves": float32_product, "per_channel": False, "shape": (1, 1, 1, 24), "zeros": (3, 0)},
    ),
    "quantised_multiplier": ((1, 1, 8), 24, (1, 1), {"halves": quantised, "shape": (1, 1, 1, 24)}),
    "multiplier_zero": ((2, 2, 2), 5, (2, 2), {"channels": FLAT, "stride": (2, 2), "shape": (1, 4, 4, 5)}),
    "large_biases": ((2, 3, 2), 4, (3, 3), {"channels": LARGE, "same": True, "shape": (1, 2, 3, 4)}),
}
TRANSPOSED |= {
    name: (
        (3, 2, 2),
        3,
        (3, 2),
        {"zeros": zeros, "same": True, "stride": (2, 2), "shape": (1, 6, 4, 3)},
    )
    for name, zeros in ENDS.items()
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
POOLS |= {
    "max_pool_whole": ("MAX_POOL_2D", (5, 7, 3), (5, 7), (1, 1), -128, False, N),
    "max_pool_1x3_stride_2": ("MAX_POOL_2D", (1, 12, 5), (1, 3), (1, 2), 127, False, N),
    "max_pool_stride_3_of_2": ("MAX_POOL_2D", (8, 8, 2), (2, 2), (3, 3), None, False, N),
    "max_pool_relu": ("MAX_POOL_2D", (6, 6, 2), (2, 2), (2, 2), 4, False, R),
    "max_pool_same_1x3": ("MAX_POOL_2D", (1, 9, 4), (1, 3), (1, 2), 127, True, N),
    "average_pool_whole_odd": ("AVERAGE_POOL_2D", (5, 7, 9), (5, 7), (1, 1), -128, False, N),
    "average_pool_1x3_stride_2": ("AVERAGE_POOL_2D", (1, 12, 5), (1, 3), (1, 2), 127, False, N),
    "average_pool_stride_3_of_2": ("AVERAGE_POOL_2D", (8, 8, 2), (2, 2), (3, 3), None, False, N),
    "average_pool_relu_n1_to_1": ("AVERAGE_POOL_2D", (6, 6, 2), (2, 2), (2, 2), 4, False, R1),
    "average_pool_10x6": ("AVERAGE_POOL_2D", (10, 6, 8), (10, 6), (1, 1), 0, False, N),
    "average_pool_same_5x5_of_3x4": ("AVERAGE_POOL_2D", (3, 4, 3), (5, 5), (1, 1), None, True, N),
    "average_pool_same_2x2_stride_1": ("AVERAGE_POOL_2D", (5, 4, 3), (2, 2), (1, 1), 3, True, N),
    "average_pool_same_1x1_stride_2": ("AVERAGE_POOL_2D", (5, 4, 3), (1, 1), (2, 2), 3, True, N),
    "average_pool_same_relu": ("AVERAGE_POOL_2D", (5, 6, 4), (3, 3), (2, 2), -9, True, R),
    "average_pool_same_relu6": ("AVERAGE_POOL_2D", (5, 6, 4), (3, 2), (1, 2), -40, True, R6),
    "average_pool_same_1x3": ("AVERAGE_POOL_2D", (1, 9, 4), (1, 3), (1, 2), 127, True, N),
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
    "add_zeros_lowest": ("ADD", (0.04, 0.03, 0.06), (-128, -128, -128), N),
    "add_zeros_highest": ("ADD", (0.04, 0.03, 0.06), (127, 127, 127), N),
    "add_ties": ("ADD", (0.25, 0.25, 0.5), (0, 0, 0), N),
    "add_second_lost": ("ADD", (0.5, 1e-10, 0.6), (3, 9, 5), N),
    "sub_ties": ("SUB", (0.25, 0.125, 0.5), (0, 0, 0), N),
    "sub_zeros_ends": ("SUB", (0.03, 0.05, 0.06), (127, -128, 127), N),
    "sub_relu6": ("SUB", (0.03, 0.05, 0.045), (-128, -128, -100), R6),
    "mul_ties": ("MUL", (0.25, 0.25, 0.125), (0, 0, 0), N),
    "mul_zeros_lowest": ("MUL", (0.01, 0.02, 0.05), (-128, -128, -128), N),
    "mul_zeros_highest": ("MUL", (0.01, 0.02, 0.05), (127, 127, -128), N),
    "mul_multiplier_zero": ("MUL", (1e-6, 1e-6, 0.5), (5, -9, 33), N),
    "mul_above_one": ("MUL", (1.5, 2.0, 0.9), (1, -2, 3), N),
    "mul_relu": ("MUL", (0.02, 0.03, 0.045), (9, 20, -77), R),
    "mul_relu_n1_to_1": ("MUL", (0.02, 0.03, 0.0171), (9, 20, -7), R1),
    "squared_difference": ("SQUARED_DIFFERENCE", (0.031, 0.047, 0.2), (3, -17, -128), N),
    "squared_difference_equal": ("SQUARED_DIFFERENCE", (0.05, 0.05, 0.05), (0, 0, 0), N),
    "squared_difference_ties": ("SQUARED_DIFFERENCE", (0.25, 0.25, 0.125), (0, 0, -128), N),
    "squared_difference_ends": ("SQUARED_DIFFERENCE", (0.03, 0.02, 0.6), (-128, 127, -128), N),
    "squared_difference_ratio_300": ("SQUARED_DIFFERENCE", (0.0001, 0.03, 0.06), (50, 4, -128), N),
    "squared_difference_zero": ("SQUARED_DIFFERENCE", (1e-6, 2e-6, 0.3), (50, 4, -12), N),
}
# name -> shapes of both inputs, for each of ADD, SUB, MUL, SQUARED_DIFFERENCE
BROADCASTS = {
    "channels": ((1, 5, 4, 6), (6,)),
    "one_value": ((1, 5, 3, 7), ()),
    "one_channel": ((1, 5, 4, 6), (1, 5, 4, 1)),
    "rows": ((1, 4, 9), (1, 1, 9)),
    "columns": ((1, 4, 9), (1, 4, 1)),
    "both": ((1, 1, 4, 5), (1, 3, 1, 5)),
    "first": ((1, 1, 3), (1, 7, 3)),
}
PRELUS = {  # name -> shape of the slopes for planes of 5 x 4 with 6 channels
    "prelu_channel_vector": (1, 1, 6),
    "prelu_row": (1, 4, 1),
    "prelu_plane": (5, 4, 6),
    "prelu_small_output": (1, 1, 6),
    "prelu_ties": (1, 1, 6),
}
PRELU_RANGES = {"prelu_small_output": (0.0113, -128), "prelu_ties": (0.062, 0)}  # of the output
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
    "quantize_zeros_ends": ("QUANTIZE", 0.02, 127, 0.031, 127, {}),
    "quantize_multiplier_zero": ("QUANTIZE", 1e-9, 5, 9.0, -7, {}),
    "abs": ("ABS", 0.031, -20, 0.04, -128, {}),
    "abs_equal_scales": ("ABS", 0.031, -20, 0.031, 5, {}),
    "exp": ("EXP", 0.017, 90, 0.0123, -128, {}),
    "gelu": ("GELU", 0.04, -30, 0.025, -121, {"approximate": False}),
    "gelu_approximate": ("GELU", 0.04, -30, 0.025, -121, {"approximate": True}),
    "log": ("LOG", 0.05, -128, 0.031, 40, {}),
    "relu_n1_to_1": ("RELU_N1_TO_1", 0.031, 20, 0.0171, -3, {}),
    "rsqrt": ("RSQRT", 0.02, -128, 0.055, -128, {}),
    "rsqrt_one_step": ("RSQRT", 0.0001, -128, 0.4, 0, {}),
    "logistic_steep": ("LOGISTIC", 0.2, -128, 1 / 256, -128, {}),
    "tanh_flat": ("TANH", 0.001, 127, 1 / 128, 0, {}),
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
    "mean_of_channels": ("MEAN", [(1, 5, 4, 24)], [0, [-1]], {"keepDims": True}, (0.013, 9)),
    "mean_of_rows": ("MEAN", [(1, 40, 33)], [0, [2]], {"keepDims": True}, (0.0217, -128)),
    "mean_of_rows_equal_scales": ("MEAN", [(1, 40, 32)], [0, [-1]], {"keepDims": False}),
    "mean_of_all": ("MEAN", [(1, 5, 4, 6)], [0, [1, 2, 3]], {"keepDims": False}, (0.004, 127)),
    "mean_small_output": ("MEAN", [(1, 3, 3, 40)], [0, [1, 2]], {"keepDims": False}, (0.0031, -3)),
    "mean_multiplier_zero": ("MEAN", [(1, 3, 3, 9)], [0, [1, 2]], {"keepDims": False}, (1e9, -3)),
    "mean_ties": ("MEAN", [(1, 1, 2, 200)], [0, [1, 2]], {"keepDims": False}),
    "reduce_max": ("REDUCE_MAX", [(1, 5, 7, 6)], [0, [1, 2]], {"keepDims": False}),
    "reduce_max_keep_dims": ("REDUCE_MAX", [(1, 16, 16, 5)], [0, [-3, -2]], {"keepDims": True}),
    "reduce_max_above_256": ("REDUCE_MAX", [(1, 16, 17, 5)], [0, [1, 2]], {"keepDims": False}),
    "reduce_max_long": ("REDUCE_MAX", [(1, 257, 2, 3)], [0, [1, 2]], {"keepDims": True}),
    "reduce_max_of_height": ("REDUCE_MAX", [(1, 6, 5, 3)], [0, [1]], {"keepDims": True}),
    "reduce_max_of_long_columns": ("REDUCE_MAX", [(1, 33, 9, 2)], [0, [1]], {"keepDims": False}),
    "reduce_max_of_width": ("REDUCE_MAX", [(1, 6, 5, 3)], [0, [2]], {"keepDims": False}),
    "reduce_max_of_channels": ("REDUCE_MAX", [(1, 5, 4, 24)], [0, [-1]], {"keepDims": True}),
    "reduce_max_of_rows": ("REDUCE_MAX", [(1, 40, 33)], [0, [2]], {"keepDims": False}),
    "reduce_max_of_all": ("REDUCE_MAX", [(1, 5, 4, 6)], [0, [1, 2, 3]], {"keepDims": False}),
    "pad": ("PAD", [(1, 3, 4, 2)], [0, pads((0, 0), (1, 2), (0, 3), (0, 0))], {}),
    "pad_rows": ("PAD", [(1, 5, 3)], [0, pads((0, 0), (2, 1), (0, 4))], {}),
    "pad_vector": ("PAD", [(1, 9)], [0, pads((0, 0), (3, 0))], {}),
    "pad_all_sides": ("PAD", [(1, 2, 3, 4)], [0, pads((0, 0), (1, 0), (3, 2), (1, 2))], {}),
    "pad_none": ("PAD", [(1, 2, 3, 4)], [0, pads((0, 0), (0, 0), (0, 0), (0, 0))], {}),
    "pad_channels": ("PAD", [(1, 3, 3, 3)], [0, pads((0, 0), (0, 0), (0, 0), (0, 5))], {}),
    "concatenation": ("CONCATENATION", [(1, 3, 4, 2), (1, 3, 4, 5)], [0, 1], {"axis": 3}),
    "concatenation_from_the_end": ("CONCATENATION", [(1, 2, 2, 8), (1, 2, 2, 8)], [0, 1], {"axis": -1}),
    "resize_nearest": ("RESIZE_NEAREST_NEIGHBOR", [(1, 3, 4, 2)], [0, [6, 8]], {}),
    "resize_bilinear": ("RESIZE_BILINEAR", [(1, 3, 4, 2)], [0, [6, 8]], {}),
    "resize_bilinear_odd": ("RESIZE_BILINEAR", [(1, 5, 7, 3)], [0, [8, 9]], {}),
    "resize_bilinear_smaller": ("RESIZE_BILINEAR", [(1, 9, 8, 3)], [0, [4, 3]], {}),
    "resize_bilinear_of_one": ("RESIZE_BILINEAR", [(1, 1, 1, 9)], [0, [3, 5]], {"halfPixelCenters": True}),
    "resize_bilinear_centers": ("RESIZE_BILINEAR", [(1, 3, 4, 5)], [0, [6, 8]], {"halfPixelCenters": True}),
    "resize_bilinear_centers_odd": (
        "RESIZE_BILINEAR",
        [(1, 5, 7, 3)],
        [0, [13, 9]],
        {"halfPixelCenters": True},
    ),
    "resize_bilinear_centers_smaller": (
        "RESIZE_BILINEAR",
        [(1, 9, 8, 3)],
        [0, [4, 3]],
        {"halfPixelCenters": True},
    ),
    "resize_bilinear_corners": ("RESIZE_BILINEAR", [(1, 3, 4, 5)], [0, [5, 7]], {"alignCorners": True}),
    "resize_bilinear_corners_odd": ("RESIZE_BILINEAR", [(1, 4, 5, 3)], [0, [9, 13]], {"alignCorners": True}),
    "resize_bilinear_corners_to_one": ("RESIZE_BILINEAR", [(1, 4, 5, 3)], [0, [1, 7]], {"alignCorners": True}),
    "strided_slice": (
        "STRIDED_SLICE",
        [(1, 3, 3, 8)],
        [0, [0, 0, 0, 2], [1, 3, 3, 7], [1, 1, 1, 1]],
        {"beginMask": 7, "endMask": 7},
    ),
    "strided_slice_beyond": ("STRIDED_SLICE", [(1, 3, 3, 8)], [0, [0, -9, 1, 2], [1, 3, 9, 20], [1, 1, 1, 1]], {}),
    "slice": ("SLICE", [(1, 3, 3, 8)], [0, [0, 0, 0, 3], [-1, -1, -1, 4]], {}),
    "split": ("SPLIT", [(1, 3, 3, 8)], [[3], 0], {"numSplits": 2}, None, 2),
    "transpose": ("TRANSPOSE", [(1, 3, 4, 5)], [0, [0, 3, 1, 2]], {}),
    "transpose_matrix": ("TRANSPOSE", [(1, 6, 7)], [0, [0, 2, 1]], {}),
    "batch_matmul": ("BATCH_MATMUL", [(1, 5, 8), (1, 8, 6)], [0, 1], {}, (1.3, 4)),
    "batch_matmul_adjoint": ("BATCH_MATMUL", [(1, 5, 8), (1, 6, 8)], [0, 1], {"adjY": True}, (1.3, -6)),
    "batch_matmul_scale_product": ("BATCH_MATMUL", [(1, 12, 40), (1, 40, 16)], [0, 1], {}, (0.0334158382, 0)),
    "softmax_fixed_point": ("SOFTMAX", [(1, 8, 120)], [0], {"beta": 2.389}, (1 / 256, -128)),
    "arg_max": ("ARG_MAX", [(1, 10)], [0, [1]], {"outputType": TYPES["int32"]}),
    "arg_max_ties": ("ARG_MAX", [(1, 8, 600)], [0, [2]], {"outputType": TYPES["int32"]}),
    "arg_max_of_one": ("ARG_MAX", [(1, 7, 1)], [0, [2]], {"outputType": TYPES["int32"]}),
    "arg_max_of_planes": ("ARG_MAX", [(1, 4, 4, 6)], [0, [3]], {"outputType": TYPES["int32"]}),
    "arg_max_of_height": ("ARG_MAX", [(1, 40, 3, 2)], [0, [1]], {"outputType": TYPES["int32"]}),
}
