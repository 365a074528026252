"""Integer arithmetic of the TensorFlow Lite reference kernels, on exact Python integers.

Everything here follows the published definition of the kernels and shares nothing with the Rust
crates, so that it can serve as a second opinion. Standard library only.
"""

import math
from operator import mul

INT32_MIN = -(1 << 31)
INT32_MAX = (1 << 31) - 1


def saturate_int32(value):
    return max(INT32_MIN, min(INT32_MAX, value))


def divide_truncating(numerator, denominator):
    """Integer division toward zero, as in C; Python's // goes toward minus infinity."""
    quotient = abs(numerator) // abs(denominator)
    return quotient if (numerator < 0) == (denominator < 0) else -quotient


def saturating_rounding_doubling_high_mul(a, b):
    """High half of 2*a*b, rounded to nearest. Only INT32_MIN * INT32_MIN saturates."""
    if a == INT32_MIN and b == INT32_MIN:
        return INT32_MAX
    product = a * b
    nudge = 1 << 30 if product >= 0 else 1 - (1 << 30)
    return divide_truncating(product + nudge, 1 << 31)


def rounding_divide_by_pot(x, exponent):
    """x / 2^exponent, rounded to nearest, ties away from zero."""
    mask = (1 << exponent) - 1
    threshold = (mask >> 1) + (1 if x < 0 else 0)
    return (x >> exponent) + (1 if (x & mask) > threshold else 0)


def scale_double_rounding(acc, multiplier, shift):
    """MultiplyByQuantizedMultiplier, double rounding: convolution and depthwise.

    The reference leaves a left shift beyond 32 bits undefined; here it saturates.
    """
    left, right = max(shift, 0), max(-shift, 0)
    shifted = saturate_int32(acc << left)
    return rounding_divide_by_pot(
        saturating_rounding_doubling_high_mul(shifted, multiplier), right
    )


def scale_single_rounding(acc, multiplier, shift):
    """MultiplyByQuantizedMultiplier, single rounding: fully connected."""
    total_shift = 31 - shift
    return (acc * multiplier + (1 << (total_shift - 1))) >> total_shift


SCALE = {"double": scale_double_rounding, "single": scale_single_rounding}


def requantise(acc, multiplier, shift, rounding, zero_point, low, high):
    """Scales an int32 accumulator to int8: clamp(scale(acc) + zero_point, low, high)."""
    return max(low, min(high, SCALE[rounding](acc, multiplier, shift) + zero_point))


def quantise_multiplier(real):
    """QuantizeMultiplier: real = multiplier / 2^31 * 2^shift, with 2^30 <= multiplier < 2^31."""
    if real == 0.0:
        return 0, 0
    fraction, shift = math.frexp(real)
    multiplier = math.floor(fraction * (1 << 31) + 0.5)
    if multiplier == 1 << 31:
        multiplier, shift = multiplier // 2, shift + 1
    if shift < -31:
        return 0, 0
    return multiplier, shift


def flat_size(shape):
    return shape[0] * shape[1] * shape[2]


def output_shape(layer, shape):
    """(channels, height, width) after a layer."""
    if layer["kind"] == "fully_connected":
        return layer["output_features"], 1, 1
    pad = layer["padding"]
    sizes = (
        shape[1] + pad["top"] + pad["bottom"],
        shape[2] + pad["left"] + pad["right"],
    )
    height, width = (
        (size - kernel) // stride + 1
        for size, kernel, stride in zip(sizes, layer["kernel"], layer["stride"])
    )
    return layer["output_channels"], height, width


def patches(layer, x, shape):
    """One list of operands per output pixel, in the order of the weights: I, KH, KW."""
    channels, height, width = shape
    if layer["kind"] == "fully_connected":
        return [x]
    pad = layer["padding"]
    (kernel_h, kernel_w), (stride_h, stride_w) = layer["kernel"], layer["stride"]
    row_size = width + pad["left"] + pad["right"]
    plane = [[0] * row_size for _ in range(channels * (height + pad["top"] + pad["bottom"]))]
    plane_height = height + pad["top"] + pad["bottom"]
    for c in range(channels):
        for row in range(height):
            start = (c * height + row) * width
            target = plane[c * plane_height + pad["top"] + row]
            target[pad["left"] : pad["left"] + width] = x[start : start + width]
    _, out_height, out_width = output_shape(layer, shape)
    return [
        [
            value
            for c in range(channels)
            for kh in range(kernel_h)
            for value in plane[c * plane_height + oy * stride_h + kh][
                ox * stride_w : ox * stride_w + kernel_w
            ]
        ]
        for oy in range(out_height)
        for ox in range(out_width)
    ]


def accumulators(layer, x, shape):
    """int32 sums [output channel][pixel]; x holds x - zero_point, so padding is 0."""
    columns = patches(layer, x, shape)
    size = len(columns[0])
    return [
        [
            bias + sum(map(mul, layer["weights"][channel * size : (channel + 1) * size], column))
            for column in columns
        ]
        for channel, bias in enumerate(layer["bias"])
    ]


def run_layer(layer, x, shape):
    """int8 outputs, flat in C, H, W order, and their shape."""
    outputs = []
    for channel, sums in enumerate(accumulators(layer, x, shape)):
        for acc in sums:
            assert INT32_MIN <= acc <= INT32_MAX, f"{layer['name']}: accumulator leaves 32 bits"
            outputs.append(
                requantise(
                    acc,
                    layer["multiplier"][channel],
                    layer["shift"][channel],
                    layer["rounding"],
                    layer["output_zero_point"],
                    layer["activation_min"],
                    layer["activation_max"],
                )
            )
    return outputs, output_shape(layer, shape)


def run_network(network, image):
    """int8 outputs of every layer for one image of int8 values, flat in C, H, W order."""
    source = network["input"]
    shape = (source["channels"], source["height"], source["width"])
    assert len(image) == flat_size(shape), "image does not have the size of the input"
    values, zero_point, outputs = image, source["zero_point"], []
    for layer in network["layers"]:
        values, shape = run_layer(layer, [v - zero_point for v in values], shape)
        zero_point = layer["output_zero_point"]
        outputs.append(values)
    return outputs
