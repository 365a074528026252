"""What the host computes at the ends of an image (docs/image.md, Ends): bytes of a tensor from bytes of another one."""

import math
import struct

import heddle_image as image

LEAST, MOST = -(1 << 31), (1 << 31) - 1


def single(value):
    """The float32 next to a number."""
    try:
        return struct.unpack("<f", struct.pack("<f", value))[0]
    except OverflowError:
        return math.copysign(math.inf, value)


def saturated(value):
    return max(LEAST, min(MOST, value))


def high_product(a, b):
    """Upper half of twice the product of two numbers of 32 bits, to the nearest."""
    product = a * b
    doubled = product + (1 << 30 if product >= 0 else 1 - (1 << 30))
    return saturated(doubled >> 31 if doubled >= 0 else -(-doubled >> 31))


def divided(value, bits):
    """A number from 0 on / 2^bits, halves upwards."""
    return value + (1 << bits - 1) >> bits


def exponential(value):
    """e^value in 31 bits, a value from -31 to 0 in steps of 2^-26."""
    if value == 0:
        return MOST
    powers = (1672461947, 1302514674, 790015084, 290630308, 39332535, 720401, 242)  # e^(-1/4), e^(-1/2) and so on
    quarter = 1 << 24
    part = (value & quarter - 1) - quarter
    quarters = (part - value) // quarter
    x = part * 32 + (1 << 28)
    square = high_product(x, x)
    cube, fourth = high_product(square, x), high_product(square, square)
    rest = divided(high_product(divided(fourth, 2) + cube, 715827883) + square, 1)
    found = saturated(1895147668 + high_product(1895147668, x + rest))
    for bit, power in enumerate(powers):
        if quarters >> bit & 1:
            found = high_product(found, power)
    return found


def reciprocal(total):
    """1 / total as (share in 31 bits, bits to the right), the total with 12 bits in front of the point."""
    zeros = 32 - total.bit_length()
    half = total << zeros >> 1
    found = 1515870810 + high_product(half, -1010580540)
    for _ in range(3):
        missing = (1 << 29) - high_product(half, found)
        found += saturated(high_product(found, missing) * 4)
    return saturated(found * 2), max(12 - zeros, 0)


def softmax(row, multiplier, shift):
    """Shares of the elements of a row, in steps of 1/256 from -128 on."""
    largest, least = max(row), -((31 << 26) >> shift)
    powers = []
    for value in row:
        difference = value - largest
        powers.append(None if difference < least else exponential(high_product(difference << shift, multiplier)))
    share, bits = reciprocal(saturated(sum(divided(power, 12) for power in powers if power is not None)))
    return [-128 if power is None else min(127, divided(high_product(share, power), 23 + bits) - 128) for power in powers]


def quantised(value, tensor, to_even):
    """A step of a tensor of bytes; what is no number becomes 0."""
    low = 0 if tensor.kind == image.IMAGE_TYPE_UINT8 else -128
    if tensor.scale == 0:
        steps = math.nan if value == 0 or math.isnan(value) else math.copysign(math.inf, value)
    else:
        steps = single(value / tensor.scale)
    if math.isnan(steps):
        return 0
    if abs(steps) > 1024:
        return low + 255 if steps > 0 else low
    whole = math.trunc(steps)
    if not (to_even and whole % 2 == 0 and abs(steps - whole) == 0.5):
        whole += (steps - whole >= 0.5) - (steps - whole <= -0.5)
    return max(low, min(low + 255, whole + tensor.zero_point))


def values_of(tensor, data):
    """Elements of a tensor of bytes; those without a sign are moved by 128."""
    moved = 0x80 if tensor.kind == image.IMAGE_TYPE_UINT8 else 0
    return [(byte ^ moved) - 256 * ((byte ^ moved) >> 7) for byte in data]


def places(end, row):
    first = row // end.stride * end.length * end.stride + row % end.stride
    return range(first, first + end.length * end.stride, end.stride)


def compute(end, source, made, data):
    """Bytes of the tensor that an end makes, of those of its source."""
    if end.operation in (image.IMAGE_QUANTIZE, image.IMAGE_QUANTIZE_EVEN):
        steps = [quantised(value, made, end.operation == image.IMAGE_QUANTIZE_EVEN) for (value,) in struct.iter_unpack("<f", data)]
        return bytes(step & 255 for step in steps)
    if end.operation == image.IMAGE_DEQUANTIZE:
        steps = data if source.kind == image.IMAGE_TYPE_UINT8 else values_of(source, data)
        return struct.pack(f"<{len(data)}f", *(single((step - source.zero_point) * source.scale) for step in steps))
    values = values_of(source, data)
    if end.operation == image.IMAGE_ARG_MAX:
        rows = ([values[place] for place in places(end, row)] for row in range(end.rows))
        return struct.pack(f"<{end.rows}i", *(row.index(max(row)) for row in rows))
    result, moved = bytearray(len(data)), 0x80 if made.kind == image.IMAGE_TYPE_UINT8 else 0
    for row in range(end.rows):
        own = places(end, row)
        for place, share in zip(own, softmax([values[at] for at in own], end.multiplier, end.shift)):
            result[place] = share & 255 ^ moved
    return bytes(result)
