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


def pair(layer, field, default=(1, 1)):
    return tuple(layer.get(field, default))


def output_shape(layer, shape):
    """(channels, height, width) after a layer."""
    kind = layer["kind"]
    if kind == "fully_connected":
        return layer["output_features"], 1, 1
    if kind == "add":
        return shape
    pad = layer.get("padding", {})
    kernel, dilation = pair(layer, "kernel"), pair(layer, "dilation")
    stride = pair(layer, "stride", (1, 1) if kind == "conv2d" else kernel)
    sizes = (
        shape[1] + pad.get("top", 0) + pad.get("bottom", 0),
        shape[2] + pad.get("left", 0) + pad.get("right", 0),
    )
    height, width = (
        (size - (places - 1) * distance - 1) // step + 1
        for size, places, distance, step in zip(sizes, kernel, dilation, stride)
    )
    return layer.get("output_channels", shape[0]), height, width


def windows(layer, x, shape):
    """For every channel and output pixel the values under the kernel, padding as 0."""
    channels, height, width = shape
    pad = layer.get("padding", {})
    top, left = pad.get("top", 0), pad.get("left", 0)
    kernel, dilation = pair(layer, "kernel"), pair(layer, "dilation")
    stride = pair(layer, "stride", (1, 1) if layer["kind"] == "conv2d" else kernel)
    _, out_height, out_width = output_shape(layer, shape)

    def at(channel, row, col):
        inside = 0 <= row < height and 0 <= col < width
        return x[(channel * height + row) * width + col] if inside else 0

    return [
        [
            [
                at(
                    channel,
                    oy * stride[0] + ky * dilation[0] - top,
                    ox * stride[1] + kx * dilation[1] - left,
                )
                for ky in range(kernel[0])
                for kx in range(kernel[1])
            ]
            for oy in range(out_height)
            for ox in range(out_width)
        ]
        for channel in range(channels)
    ]


def dot(bias, weights, values):
    return bias + sum(map(mul, weights, values))


def convolution(layer, x, shape):
    """int32 sums [output channel][pixel]; weights in the order O, I of the group, KH, KW."""
    found = windows(layer, x, shape)
    outputs, groups = len(layer["bias"]), layer.get("groups", 1)
    inputs = shape[0] // groups
    columns = [
        [sum(pixel, []) for pixel in zip(*found[group * inputs : (group + 1) * inputs])]
        for group in range(groups)
    ]
    size = len(columns[0][0])
    return [
        [
            dot(bias, layer["weights"][channel * size : (channel + 1) * size], column)
            for column in columns[channel * groups // outputs]
        ]
        for channel, bias in enumerate(layer["bias"])
    ]


def accumulators(layer, inputs, shape):
    """int32 sums [output channel][pixel]; inputs hold x - zero_point, so padding is 0."""
    kind, x = layer["kind"], inputs[0]
    if kind == "fully_connected":
        size = len(x)
        return [
            [dot(bias, layer["weights"][channel * size : (channel + 1) * size], x)]
            for channel, bias in enumerate(layer["bias"])
        ]
    if kind == "conv2d":
        return convolution(layer, x, shape)
    if kind == "add":
        sums = [sum(map(mul, layer["factors"], values)) for values in zip(*inputs)]
        size = shape[1] * shape[2]
        return [sums[i : i + size] for i in range(0, len(sums), size)]
    combine = max if kind == "max_pool2d" else sum
    return [[combine(window) for window in channel] for channel in windows(layer, x, shape)]


def completed(layer, shape, zero_point):
    """The layer with the scaling that pooling layers do not state: 1, and 1 / size."""
    if not layer["kind"].endswith("pool2d"):
        return layer
    size = layer["kernel"][0] * layer["kernel"][1] if layer["kind"] == "average_pool2d" else 1
    multiplier, shift = quantise_multiplier(1.0 / size)
    return layer | {
        "multiplier": [multiplier] * shape[0],
        "shift": [shift] * shape[0],
        "rounding": "single",
        "output_zero_point": zero_point,
        "activation_min": -128,
        "activation_max": 127,
    }


def run_layer(layer, inputs, shape):
    """int8 outputs, flat in C, H, W order, and their shape."""
    outputs = []
    for channel, sums in enumerate(accumulators(layer, inputs, shape)):
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
    tensors = {"input": (image, shape, source["zero_point"])}
    previous, outputs = "input", []
    for layer in network["layers"]:
        found = [tensors[name] for name in layer.get("inputs", [previous])]
        shape = found[0][1]
        layer = completed(layer, shape, found[0][2])
        inputs = [[value - zero_point for value in values] for values, _, zero_point in found]
        values, shape = run_layer(layer, inputs, shape)
        previous = layer["name"]
        tensors[previous] = (values, shape, layer["output_zero_point"])
        outputs.append(values)
    return outputs
