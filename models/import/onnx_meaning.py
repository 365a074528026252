"""What operators of a quantised ONNX model mean, in integers: docs/import.md has the rules.

Values are bytes with a sign, those without are 128 less. Nothing here is shared with the importer. A softmax is what the
reference kernel of LiteRT computes; that is asked itself.
"""

from fractions import Fraction
import math

import numpy

import functions as reference


def multiplier(reals):
    """Real factors as integers of 31 bits and exponents."""
    fractions, exponents = numpy.frexp(numpy.asarray(reals, numpy.float64))
    integers = numpy.floor(fractions * 2**31 + 0.5).astype(numpy.int64)
    full = integers == 2**31
    return numpy.where(full, integers // 2, integers), (exponents + full).astype(numpy.int64)


def once(sums, reals):
    """Scaled and rounded once, halves up."""
    integers, exponents = multiplier(reals)
    return (sums * integers + (numpy.int64(1) << (30 - exponents))) >> (31 - exponents)


def twice(sums, real):
    """Scaled as the reference kernels of LiteRT do: halves up, then shifted with halves away from 0."""
    integer, exponent = multiplier(real)
    high = ((sums << max(exponent, 0)) * integer + (1 << 30)) >> 31
    right = max(-exponent, 0)
    return (high + (1 << right >> 1) - ((high < 0) & (right > 0))) >> right


def clamped(values, output, clip):
    """With the zero point, cut to the bytes of an activation's bounds."""
    bounds = [-128, 127]
    for i, real in enumerate(clip):
        if real is not None:
            steps = int(numpy.round(numpy.float32(real) / output.scale))
            bounds[i] = min(max(steps + output.zero8, -128), 127)
    return numpy.clip(values + output.zero8, *bounds).astype(numpy.int8)


def sides(sizes, kernel, strides, dilations, pads=None, auto_pad=None):
    """Zeros before and behind each dimension."""
    if not auto_pad:
        pads = pads or [0] * 2 * len(sizes)
        return list(zip(pads[: len(sizes)], pads[len(sizes) :]))
    found = []
    for size, places, stride, dilation in zip(sizes, kernel, strides, dilations):
        total = max((math.ceil(size / stride) - 1) * stride + (places - 1) * dilation + 1 - size, 0)
        less = (total // 2, total - total // 2)
        found.append(less if auto_pad == "SAME_UPPER" else less[::-1])
    return found


def windows(values, kernel, strides=None, dilations=None, pads=None, auto_pad=None, fill=0):
    """For each place of the kernel the elements of a plane that it meets: places, channels, output."""
    rank = values.ndim - 2
    strides, dilations = strides or [1] * rank, dilations or [1] * rank
    around = sides(values.shape[2:], kernel, strides, dilations, pads, auto_pad)
    padded = numpy.pad(values[0], [(0, 0), *around], constant_values=fill)
    sizes = [
        (size - (places - 1) * dilation - 1) // stride + 1
        for size, places, stride, dilation in zip(padded.shape[1:], kernel, strides, dilations)
    ]
    found = []
    for place in numpy.ndindex(*kernel):
        steps = zip(place, sizes, strides, dilations)
        places = [slice(i * d, i * d + (n - 1) * s + 1, s) for i, n, s, d in steps]
        found.append(padded[(slice(None), *places)])
    return numpy.stack(found)


def convolution(source, weights, biases, reals, output, clip, group, **moving):
    """Weights are output, input of the group, kernel."""
    outputs, inner, *kernel = weights.shape
    met = windows(source.centred(), kernel, **moving)
    places, channels, *sizes = met.shape
    met = met.reshape(places, group, channels // group, -1)
    grouped = weights.astype(numpy.int64).reshape(group, outputs // group, inner, places)
    sums = numpy.einsum("pgcx,gocp->gox", met, grouped).reshape(outputs, -1) + biases[:, None]
    scaled = once(sums, numpy.broadcast_to(reals, outputs)[:, None])
    return clamped(scaled, output, clip).reshape(1, outputs, *sizes)


def rows(source, weights, biases, reals, output, clip):
    """Weights are output, input."""
    sums = source.centred() @ weights.astype(numpy.int64).T + biases
    return clamped(once(sums, reals), output, clip)


def mean(source, output, clip, kernel, **moving):
    """The exact mean, halves away from the zero point."""
    met = windows(source.centred(), kernel, **moving)
    ratio = Fraction(float(source.scale)) / Fraction(float(output.scale)) / len(met)

    def rounded(total):
        exact = int(total) * ratio
        return int(math.copysign(math.floor(abs(exact) + Fraction(1, 2)), exact))

    sums = met.sum(0)
    return clamped(numpy.vectorize(rounded)(sums), output, clip)[None]


def add(sources, output, clip, subtracts=False):
    """The rule of the reference kernels: inputs shifted by 20 bits and scaled, their sum scaled again."""
    larger = 2 * max(float(source.scale) for source in sources)
    first, second = [twice(source.centred() << 20, float(source.scale) / larger) for source in sources]
    total = first - second if subtracts else first + second
    return clamped(twice(total, larger / (2**20 * float(output.scale))), output, clip)


def product(sources, output, clip):
    """Of two tensors, element by element."""
    first, second = sources
    real = float(first.scale) * float(second.scale) / float(output.scale)
    return clamped(once(first.centred() * second.centred(), real), output, clip)


def matrices(first, second, output, clip):
    """Products of matrices."""
    real = float(first.scale) * float(second.scale) / float(output.scale)
    return clamped(once(first.centred() @ second.centred(), real), output, clip)


def function(source, output, real, clip):
    """A function of float32: its exact value in single precision, divided by the scale there, halves to even."""
    values = source.centred().astype(numpy.float32) * source.scale
    made = numpy.vectorize(real, otypes=[float])(values.astype(float)).astype(numpy.float32)
    return clamped(numpy.rint(numpy.nan_to_num(made / output.scale, nan=-1e6, posinf=1e6, neginf=-1e6)).astype(numpy.int64), output, clip)


def softmax(source):
    """What the reference kernel of LiteRT gives for rows of the last dimension."""
    values = source.meant
    return reference.softmax(values.reshape(-1, values.shape[-1]), source.scale, 1.0).reshape(values.shape)


def maximum(source, kernel_shape, **moving):
    met = windows(source.meant.astype(numpy.int64), kernel_shape, **moving, fill=-128)
    return met.max(0)[None].astype(numpy.int8)
