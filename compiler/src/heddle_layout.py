"""Where a program of `heddle compile` wants its tensors, and the layers that it leaves to the host.

`heddle compile --layout FILE` writes this file. It is the same for all programs, needs Python 3.8 and no package, and reads
nothing: give it the field `program` of a program file and the network file, as Python makes them of JSON.

    layout = Layout(program)
    layout.words(0, values)              # what to write of tensor 0: (partition, word, 8 bytes), with HOST_ZERO = its zero point
    layout.places(tensor)                # (partition, word) of every word to read of a tensor, in the order that ...
    layout.values(tensor, words)         # ... this takes them in
    layout.locations(tensor)             # (partition, word, byte) of every copy of each element; layout.element() is the way back
    host = Host(network, program)
    host.run(index, image, inputs)       # what layer `index` of the program makes: of tensors, or of the image
    host.keep(made)                      # after an image: values by tensor, of which states keep theirs for the next image

Elements are int8 in the order channel, row, column. Tensors are numbered as in the program: 0 is the input of the network, i + 1
what layer i makes. What is not understood is an error (ValueError), never passed over.
"""
import itertools

WORD_BYTES = 8
# Phases of the pixels of a channel that lie in planes of their own: how many, and the rows and columns between neighbours.
ORDERS = {
    "plain": (1, (1, 1)),
    "split_rows": (2, (2, 1)),
    "joined_rows": (2, (2, 1)),
    "split_blocks": (4, (2, 2)),
    "joined_blocks": (4, (2, 2)),
    "phased": (4, (2, 2)),
}


class Layout:
    """Tensors of a program in the state buffer."""

    def __init__(self, program):
        self.tensors, self.machine = program["tensors"], program["machine"]
        self.kept = {}

    def locations(self, number):
        """For each element a list of (partition, word, byte): several if the channel lies in several partitions, none if the
        host alone has the tensor."""
        if number not in self.kept:
            tensor = self.tensors[number]
            found = self._matrices(tensor) if tensor.get("matrices") else self._planes(tensor)
            self.kept[number] = [[(p, at // WORD_BYTES, at % WORD_BYTES) for p, at in copies] for copies in found]
        return self.kept[number]

    def element(self, number, partition, word, byte):
        """Channel, row and column of what lies there; None if that is no element of the tensor."""
        places = Shape(self.tensors[number]["shape"]).places()
        there = ((partition, word, byte) in copies for copies in self.locations(number))
        return next(itertools.compress(places, there), None)

    def places(self, number):
        """Partition and word of every word to read: of an element that lies in several partitions one of them."""
        return sorted({copies[0][:2] for copies in self.locations(number) if copies})

    def values(self, number, words):
        """The elements in words of 8 bytes, which are in the order of `places` and were read with HOST_ZERO = the zero point."""
        found = dict(zip(self.places(number), words))
        bytes_ = (found[copies[0][:2]][copies[0][2]] for copies in self.locations(number))
        return [(byte ^ 128) - 128 for byte in bytes_]

    def words(self, number, values):
        """Partition, word and 8 bytes of all that is written of a tensor, with HOST_ZERO = its zero point. A byte of a word that
        holds no element is the zero point: a halo."""
        locations, zero = self.locations(number), self.tensors[number]["zero_point"] & 0xFF
        if len(values) != len(locations):
            raise ValueError(f"tensor {number} has {len(locations)} elements, {len(values)} are given")
        found = {}
        for copies, value in zip(locations, values):
            for partition, word, byte in copies:
                found.setdefault((partition, word), bytearray([zero] * WORD_BYTES))[byte] = value & 0xFF
        return [(*place, bytes(data)) for place, data in sorted(found.items())]

    def _planes(self, tensor):
        channels, height, width = tensor["shape"]
        order, lanes = tensor.get("order", "plain"), len(tensor["planes"])
        if order not in ORDERS:
            raise ValueError(f"order of tensor {tensor['name']!r} is {order!r}, expected one of {', '.join(ORDERS)}")
        phases, (down, right) = ORDERS[order]
        found = [[] for _ in range(channels * height * width)]
        for partition, planes in enumerate(tensor["planes"]):
            for plane, channel in enumerate(planes):
                if channel >= channels:
                    continue
                phase = plane % phases
                if order.startswith("joined"):
                    phase ^= partition // (lanes // phases)
                first_row, first_column = (phase, 0) if phases == 2 else divmod(phase, 2)
                for y, x in itertools.product(range(first_row, height, down), range(first_column, width, right)):
                    at = tensor["origin"] + plane * tensor["plane_stride"] + y // down * tensor["pitch"] + x // right
                    found[(channel * height + y) * width + x].append((partition, at))
        return found

    def _matrices(self, tensor):
        """Row i of a matrix lies in partition i mod R. Columns are in groups of C, each of which begins at a word."""
        partitions, group = self.machine["rows"], self.machine["cols"]
        pitch = WORD_BYTES
        while pitch < group:
            pitch *= 2
        matrices = tensor["matrices"]
        rows, cols = matrices["shape"]
        turned = matrices.get("turned", False)
        stride = -(-(rows if turned else cols) // group) * pitch
        for base, row, col in itertools.product(matrices["bases"], range(rows), range(cols)):
            row, col = (col, row) if turned else (row, col)
            yield [(row % partitions, base + row // partitions * stride + col // group * pitch + col % group)]


def product(sides):
    result = 1
    for side in sides:
        result *= side
    return result


def clamped(value, least, most):
    return min(max(value, least), most)


def int32(value):
    return clamped(value, -(1 << 31), (1 << 31) - 1)


def toward_zero(dividend, divisor):
    quotient = abs(dividend) // divisor
    return quotient if dividend >= 0 else -quotient


def high_product(a, b):
    """The upper half of the doubled product of two numbers of 32 bits, rounded to nearest."""
    if a == b == -(1 << 31):
        return (1 << 31) - 1
    doubled = a * b
    return toward_zero(doubled + ((1 << 30) if doubled >= 0 else 1 - (1 << 30)), 1 << 31)


def rounding_shift(value, bits):
    """Divided by 2^bits, rounded to nearest, halves away from zero."""
    mask = (1 << bits) - 1
    return (value >> bits) + ((value & mask) > (mask >> 1) + (value < 0))


def scaled(total, scale, rounding):
    """A sum of 32 bits times multiplier / 2^31 * 2^shift."""
    multiplier, shift = scale
    left, right = max(shift, 0), max(-shift, 0)
    total = int32(total << left)
    if rounding == "double":
        return rounding_shift(high_product(total, multiplier), right)
    return (total * multiplier + (1 << (30 + right))) >> (31 + right)


def reciprocal(count):
    """The scale 1 / count."""
    bits = max((count - 1).bit_length(), 1)
    multiplier = ((1 << (30 + bits)) + count // 2) // count
    return min(multiplier, (1 << 31) - 1), 1 - bits


class Shape(tuple):
    """Channels, height, width."""

    def index(self, place):
        return (place[0] * self[1] + place[1]) * self[2] + place[2]

    def places(self):
        return itertools.product(*map(range, self))

    def along(self, axis, side):
        return Shape(side if i == axis else own for i, own in enumerate(self))


AXES = {"channels": 0, "height": 1, "width": 2}


class Layer:
    """A layer of a network file, with the numbers of the tensors that it reads and what follows from their shapes."""

    def __init__(self, fields, inputs, shapes, zero_points):
        self.fields, self.inputs, self.shapes, self.zero_points = fields, inputs, shapes, zero_points
        self.kind, self.name = fields["kind"], fields["name"]
        if self.kind not in OPERATORS:
            raise ValueError(f"layer {self.name!r} is of kind {self.kind!r}, which this file does not know")
        self.kernel, self.stride = (1, 1), (1, 1)
        self.dilation, self.groups = tuple(fields.get("dilation", (1, 1))), fields.get("groups", 1)
        self.padding = {side: fields.get("padding", {}).get(side, 0) for side in ("top", "bottom", "left", "right")}
        self.output = OPERATORS[self.kind][0](self)
        zero = {"softmax": -128, "arg_max": 0, "matmul": fields.get("output_zero_point", 0)}
        self.zero_point = zero.get(self.kind, fields.get("output_zero_point", zero_points[0]))
        # What sums become before a table, if there is one.
        self.sum_zero = self.zero_point
        if "table" in fields:
            self.sum_zero = fields.get("table_zero_point", zero_points[0])
        self.least, self.most = fields.get("activation_min", -128), fields.get("activation_max", 127)

    def windows(self, channels):
        """The output of a kernel that moves over the input."""
        self.kernel = tuple(self.fields["kernel"])
        pools = self.kind in ("average_pool2d", "max_pool2d")
        self.stride = tuple(self.fields.get("stride") or (self.kernel if pools else (1, 1)))
        _, height, width = self.shapes[0]
        sides = (height + self.padding["top"] + self.padding["bottom"], width + self.padding["left"] + self.padding["right"])
        counts = [(sides[i] - (self.kernel[i] - 1) * self.dilation[i] - 1) // self.stride[i] + 1 for i in (0, 1)]
        return Shape((channels, *counts))

    def scales(self, prefix=""):
        return list(zip(self.fields[prefix + "multiplier"], self.fields[prefix + "shift"]))

    def byte(self, total, scale, rounding="double"):
        return clamped(scaled(int32(total), scale, rounding) + self.sum_zero, self.least, self.most)

    def run(self, inputs):
        """What it makes of the values of its inputs."""
        if isinstance(self.fields.get("weights"), dict):
            raise ValueError(f"weights of layer {self.name!r} lie in another file, expected them in the network file")
        values = list(OPERATORS[self.kind][1](self, inputs))
        table = self.fields.get("table")
        return [table[value + 128] for value in values] if table else values

    # Shapes.

    def axis(self):
        return AXES[self.fields["axis"]]

    def pooled(self):
        self.groups = self.shapes[0][0]
        return self.windows(self.groups)

    def connected(self):
        self.kernel = self.shapes[0][1:]
        return Shape((self.fields["output_features"], 1, 1))

    def each(self):
        self.groups = self.shapes[0][0]
        return self.shapes[0]

    def broadcast(self):
        self.groups = self.shapes[0][0]
        constant = self.fields.get("constant")
        shapes = [self.shapes[0], constant["shape"] if constant else self.shapes[1]]
        return Shape(max(pair) for pair in zip(*shapes))

    def product_shape(self):
        transposed = self.fields.get("transposed", (False, False))
        sides = [shape[:0:-1] if turned else shape[1:] for shape, turned in zip(self.shapes, transposed)]
        cols = self.fields["output_features"] if len(sides) == 1 else sides[1][1]
        return Shape((self.shapes[0][0], sides[0][0], cols))

    def permutation(self):
        """Sizes of the four dimensions, their order and the bytes of an element."""
        batch, size = self.fields.get("batch", 1), self.fields.get("element_bytes", 1)
        channels, height, width = self.shapes[0]
        return (batch, channels // batch, height, width // size), self.fields.get("permutation", (0, 1, 3, 2)), size

    def transposed(self):
        sizes, axes, size = self.permutation()
        a, b, c, d = (sizes[axis] for axis in axes)
        return Shape((a * b, c, d * size))

    def reduced(self):
        shape = self.shapes[0]
        for axis in self.fields["axes"]:
            shape = shape.along(AXES[axis], 1)
        return shape

    def given(self):
        return Shape(self.fields["output_shape"])

    def joined(self):
        axis = self.axis()
        return self.shapes[0].along(axis, sum(shape[axis] for shape in self.shapes))

    def larger(self):
        channels, height, width = self.shapes[0]
        down, across = self.fields["scale_factor"]
        return Shape((channels, height * down, width * across))

    # Meanings.

    def window(self, values, channel, y, x):
        """Place of the kernel and element, of what lies inside the plane."""
        _, height, width = self.shapes[0]
        for ky, kx in itertools.product(*map(range, self.kernel)):
            row = y * self.stride[0] + ky * self.dilation[0] - self.padding["top"]
            column = x * self.stride[1] + kx * self.dilation[1] - self.padding["left"]
            if 0 <= row < height and 0 <= column < width:
                yield ky * self.kernel[1] + kx, values[self.shapes[0].index((channel, row, column))]

    def weighted(self, inputs):
        weights, scales, zero = self.fields["weights"], self.scales(), self.zero_points[0]
        sources, outputs = self.shapes[0][0] // self.groups, self.output[0] // self.groups
        taps = self.kernel[0] * self.kernel[1]
        for channel, y, x in self.output.places():
            total = self.fields["bias"][channel]
            for source in range(sources):
                first = (channel * sources + source) * taps
                elements = self.window(inputs[0], channel // outputs * sources + source, y, x)
                total += sum(weights[first + tap] * (value - zero) for tap, value in elements)
            yield self.byte(total, scales[channel], self.fields["rounding"])

    def average(self, inputs):
        zero, scale = self.zero_points[0], reciprocal(self.kernel[0] * self.kernel[1])
        for place in self.output.places():
            values = [value for _, value in self.window(inputs[0], *place)]
            if any(self.padding.values()):
                total, count = sum(values), len(values)
                yield toward_zero(2 * total + ((total > 0) - (total < 0)) * count, 2 * count)
            else:
                yield self.byte(sum(values) - len(values) * zero, scale, "single")

    def largest(self, inputs):
        for place in self.output.places():
            most = max(value for _, value in self.window(inputs[0], *place))
            yield self.byte(most - self.zero_points[0], reciprocal(1), "single")

    def looked_up(self, inputs):
        return (self.byte(value - self.zero_points[0], reciprocal(1), "single") for value in inputs[0])

    def pairs(self, inputs):
        """Both elements less their zero points, for each element of the output."""
        tensors = list(zip(self.shapes, self.zero_points, inputs))
        constant = self.fields.get("constant")
        if constant:
            place = 0 if constant.get("first") else 1
            tensors.insert(place, (Shape(constant["shape"]), constant["zero_point"], constant["values"]))
        for place in self.output.places():
            yield [
                values[shape.index([min(at, side - 1) for at, side in zip(place, shape)])] - zero
                for shape, zero, values in tensors
            ]

    def terms(self, inputs, bits):
        first, second = self.scales("input_")
        for a, b in self.pairs(inputs):
            yield scaled(a << bits, first, "double"), scaled(b << bits, second, "double")

    def added(self, inputs):
        sign = -1 if self.fields.get("subtract") else 1
        return (self.byte(a + sign * b, self.scales()[0]) for a, b in self.terms(inputs, 20))

    def squared(self, inputs):
        return (self.byte((a - b) ** 2, self.scales()[0]) for a, b in self.terms(inputs, 7))

    def multiplied(self, inputs):
        rounding = self.fields.get("rounding", "double")
        return (self.byte(a * b, self.scales()[0], rounding) for a, b in self.pairs(inputs))

    def sloped(self, inputs):
        above, below = self.scales()
        return (self.byte(a, above) if a >= 0 else self.byte(a * b, below) for a, b in self.pairs(inputs))

    def compared(self, inputs):
        choose = min if self.fields.get("smaller") else max
        return (choose(pair) + self.zero_points[0] for pair in self.pairs(inputs))

    def summed(self, inputs):
        scales, rounding = self.scales(), self.fields["rounding"]
        for index, (channel, _, _) in enumerate(self.output.places()):
            terms = zip(self.fields["factors"], inputs, self.zero_points)
            total = sum(factor * (values[index] - zero) for factor, values, zero in terms)
            yield self.byte(total, scales[channel], rounding)

    def matrix_product(self, inputs):
        fields = self.fields
        bias, rounding = fields.get("bias", [0]), fields.get("rounding", "single")
        scales = self.scales() if "multiplier" in fields else [reciprocal(1)]
        transposed = fields.get("transposed", (False, False))
        terms = self.shapes[0][1 if transposed[0] else 2]
        for channel, row, column in self.output.places():
            total = bias[column % len(bias)]
            for term in range(terms):
                first = (term, row) if transposed[0] else (row, term)
                second = (column, term) if transposed[1] else (term, column)
                a = inputs[0][self.shapes[0].index((channel, *first))] - self.zero_points[0]
                if len(inputs) == 1:
                    width = terms if transposed[1] else self.output[2]
                    b = fields["weights"][second[0] * width + second[1]]
                else:
                    b = inputs[1][self.shapes[1].index((channel, *second))] - self.zero_points[1]
                total += a * b
            yield self.byte(total, scales[column % len(scales)], rounding)

    def permuted(self, inputs):
        sizes, axes, size = self.permutation()
        for place in itertools.product(*(range(sizes[axis]) for axis in axes)):
            element = sum(at * product(sizes[axis + 1 :]) for at, axis in zip(place, axes))
            yield from inputs[0][element * size : (element + 1) * size]

    def maximum(self, inputs):
        found = [-128] * product(self.output)
        for place, value in zip(self.shapes[0].places(), inputs[0]):
            index = self.output.index([min(at, side - 1) for at, side in zip(place, self.output)])
            found[index] = max(found[index], value)
        return found

    def mean(self, inputs):
        over = {AXES[axis] for axis in self.fields["axes"]}
        found = [0] * product(self.output)
        for place, value in zip(self.shapes[0].places(), inputs[0]):
            index = self.output.index([0 if axis in over else at for axis, at in enumerate(place)])
            found[index] += value - self.zero_points[0]
        return (self.byte(total, self.scales()[0]) for total in found)

    def row(self, values, axis, place):
        """Indices of the elements along a dimension."""
        return [self.shapes[0].index([i if at == axis else p for at, p in enumerate(place)]) for i in range(self.shapes[0][axis])]

    def shares(self, inputs):
        axis, found = self.axis(), [0] * len(inputs[0])
        for place in self.output.along(axis, 1).places():
            indices = self.row(inputs[0], axis, place)
            for index, share in zip(indices, softmax([inputs[0][index] for index in indices], self.scales()[0])):
                found[index] = share
        return found

    def places_of_largest(self, inputs):
        axis = self.axis()
        for place in self.output.places():
            row = [inputs[0][index] for index in self.row(inputs[0], axis, place)]
            byte = row.index(max(row)) >> 8 * place[axis] & 0xFF
            yield (byte ^ 128) - 128

    def one_after_another(self, inputs):
        axis = self.axis()
        for place in self.output.places():
            place, tensors = list(place), iter(zip(self.shapes, inputs))
            shape, values = next(tensors)
            while place[axis] >= shape[axis]:
                place[axis] -= shape[axis]
                shape, values = next(tensors)
            yield values[shape.index(place)]

    def part(self, inputs):
        start, shape = self.fields["start"], self.shapes[0]
        return (inputs[0][shape.index([a + b for a, b in zip(place, start)])] for place in self.output.places())

    def gathered(self, inputs):
        return (inputs[0][sum(source)] for source in itertools.product(*(self.fields[name] for name in SOURCES)))

    def padded(self, inputs):
        found, steps = [self.fields.get("value", self.zero_point)] * product(self.output), (1, *self.fields.get("stride", (1, 1)))
        for place, value in zip(self.shapes[0].places(), inputs[0]):
            moved = [first + at * step for first, at, step in zip(self.fields["start"], place, steps)]
            found[self.output.index(moved)] = value
        return found

    def repeated(self, inputs):
        down, across = self.fields["scale_factor"]
        return (inputs[0][self.shapes[0].index((c, y // down, x // across))] for c, y, x in self.output.places())

    def reshaped(self, inputs):
        if self.fields.get("order", "channels_first") == "channels_first":
            return inputs[0]
        shapes = self.shapes[0], self.output
        found = [0] * len(inputs[0])
        last = lambda shape: itertools.product(range(shape[1]), range(shape[2]), range(shape[0]))
        for (y, x, c), (v, u, d) in zip(*map(last, shapes)):
            found[self.output.index((d, v, u))] = inputs[0][self.shapes[0].index((c, y, x))]
        return found

    def between(self, place, axis):
        """The two neighbours of a place of the output, and the share of the second one in steps of 2^-10."""
        to, came = self.output[axis], self.shapes[0][axis]
        last, alignment = came - 1, self.fields.get("alignment", "origin")
        if alignment == "align_corners" and to > 1:
            to, came = to - 1, came - 1
        step = ((came << 10) + to // 2) // to
        at = place * step + (step // 2 - 512 if alignment == "half_pixel_centers" else 0)
        first = clamped(toward_zero(at, 1 << 10), 0, last)
        second = clamped(toward_zero(at + 1023, 1 << 10), first, last)
        share = at - (first << 10)
        return (first, (1 << 10) - share), (second, share)

    def in_float32(self, _inputs):
        raise ValueError(f"layer {self.name!r} computes in float32, which this file does not: heddle sim runs it")

    def bilinear(self, inputs):
        for channel, y, x in self.output.places():
            total = sum(
                inputs[0][self.shapes[0].index((channel, row, column))] * down * across
                for (row, down), (column, across) in itertools.product(self.between(y, 1), self.between(x, 2))
            )
            yield toward_zero(total + ((1 << 19) if total > 0 else -(1 << 19)), 1 << 20)


# Fields of gather.
SOURCES = "channels", "rows", "columns"
# Of each kind the shape of its output, and what it makes.
OPERATORS = {
    "conv2d": (lambda layer: layer.windows(layer.fields["output_channels"]), Layer.weighted),
    "fully_connected": (Layer.connected, Layer.weighted),
    "average_pool2d": (Layer.pooled, Layer.average),
    "max_pool2d": (Layer.pooled, Layer.largest),
    "add": (Layer.broadcast, Layer.added),
    "weighted_sum": (Layer.each, Layer.summed),
    "table": (Layer.each, Layer.looked_up),
    "matmul": (Layer.product_shape, Layer.matrix_product),
    "transpose": (Layer.transposed, Layer.permuted),
    "mul": (Layer.broadcast, Layer.multiplied),
    "maximum": (Layer.broadcast, Layer.compared),
    "prelu": (Layer.broadcast, Layer.sloped),
    "squared_difference": (Layer.broadcast, Layer.squared),
    "reduce_max": (Layer.reduced, Layer.maximum),
    "mean": (Layer.reduced, Layer.mean),
    "softmax": (lambda layer: layer.shapes[0], Layer.shares),
    "arg_max": (lambda layer: layer.shapes[0].along(layer.axis(), 4), Layer.places_of_largest),
    "concat": (Layer.joined, Layer.one_after_another),
    "slice": (Layer.given, Layer.part),
    "gather": (lambda layer: Shape(len(layer.fields[name]) for name in SOURCES), Layer.gathered),
    "pad": (Layer.given, Layer.padded),
    "resize": (Layer.larger, Layer.repeated),
    "resize_bilinear": (Layer.given, Layer.bilinear),
    "float32": (Layer.given, Layer.in_float32),
    "reshape": (Layer.given, Layer.reshaped),
}

# e^(-1/4), e^(-1/2), and so on to e^(-16), in 31 bits.
POWERS = (1672461947, 1302514674, 790015084, 290630308, 39332535, 720401, 242)


def exponential(a):
    """e^a in 31 bits, a from -31 to 0 in steps of 2^-26."""
    if a == 0:
        return (1 << 31) - 1
    quarter = 1 << 24
    part = (a & (quarter - 1)) - quarter
    x = (part << 5) + (1 << 28)
    square = high_product(x, x)
    cube, fourth = high_product(square, x), high_product(square, square)
    rest = rounding_shift(high_product(rounding_shift(fourth, 2) + cube, 715827883) + square, 1)
    found = int32(1895147668 + high_product(1895147668, x + rest))
    quarters = (part - a) // quarter
    for bit, power in enumerate(POWERS):
        if quarters >> bit & 1:
            found = high_product(found, power)
    return found


def softmax(row, scale):
    """Shares of a row, from -128 for 0 to 127 in steps of 1/256, as the TensorFlow Lite reference kernels make them."""
    multiplier, shift = scale
    smallest, largest = -((31 << 26) >> shift), max(row)
    powers = [
        exponential(high_product((value - largest) << shift, multiplier)) if value - largest >= smallest else None
        for value in row
    ]
    total = min(sum(rounding_shift(power, 12) for power in powers if power is not None), (1 << 31) - 1)
    zeros = 32 - total.bit_length()
    fraction = (total << zeros & 0xFFFFFFFF) - (1 << 31)
    half = toward_zero(fraction + (1 << 31), 2)
    share = 1515870810 + high_product(half, -1010580540)
    for _ in range(3):
        share += int32(high_product(share, (1 << 29) - high_product(half, share)) << 2)
    share, bits = int32(share << 1), max(12 - zeros, 0)
    output = lambda power: rounding_shift(high_product(share, power), 23 + bits) - 128
    return [-128 if power is None else clamped(output(power), -128, 127) for power in powers]


class Host:
    """The layers of a program: those of its network, or the same with layers in pieces."""

    def __init__(self, network, program):
        self.names = [layer["name"] for layer in program["layers"]]
        self.shapes = [Shape(network["input"][side] for side in ("channels", "height", "width"))]
        self.zero_points = [network["input"]["zero_point"]]
        self.layers, self.slices, self.inputs = [], {}, [0]
        known, before = {"input": 0}, "input"
        pieces = {pieces["layer"]: pieces for pieces in program.get("pieces", [])}
        for given in network.get("further_inputs", []):
            self.shapes.append(Shape(given[side] for side in ("channels", "height", "width")))
            self.zero_points.append(given["zero_point"])
            self.layers.append(None)
            self.inputs.append(len(self.layers))
            known[given["name"]] = len(self.layers)
        for fields in network["layers"]:
            if network["format"] == "heddle-network-1" and fields["kind"] == "add":
                fields = {**fields, "kind": "weighted_sum"}
            layer = self.layer(fields, [known[name] for name in fields.get("inputs", [before])])
            before = layer.name
            if layer.name in pieces:
                self.push_pieces(layer, pieces[layer.name])
            else:
                self.push(layer)
            known[layer.name] = len(self.layers)
        # Of each state the tensor that is kept, and what its input has now.
        self.states, self.kept = {}, {}
        for state in network.get("states", []):
            number = known[state["input"]]
            self.states[number] = known[state["output"]]
            self.kept[number] = state.get("initial") or [self.zero_points[number]] * product(self.shapes[number])
        if len(self.layers) != len(self.names) or self.shapes != [Shape(t["shape"]) for t in program["tensors"]]:
            raise ValueError("the program is not one of this network")

    def run(self, index, image, inputs):
        """The output of a layer: of the values of its inputs, or a further input of the network out of an image."""
        layer = self.layers[index]
        return self.given(image, index + 1) if layer is None else layer.run(inputs)

    def given(self, image, tensor):
        """The part of an image that is an input of the network, or what a state has kept."""
        if tensor in self.kept:
            return self.kept[tensor]
        own = [number for number in self.inputs if number not in self.kept]
        sizes = [product(self.shapes[number]) for number in own]
        if len(image) != sum(sizes):
            raise ValueError(f"the image has {len(image)} values, expected {sum(sizes)}")
        at = own.index(tensor)
        return image[sum(sizes[:at]) : sum(sizes[: at + 1])]

    def keep(self, made):
        """Keeps what an image has made of states for the next one."""
        self.kept = {number: list(made[output]) for number, output in self.states.items()}

    def layer(self, fields, inputs):
        return Layer(fields, inputs, [self.shapes[i] for i in inputs], [self.zero_points[i] for i in inputs])

    def push(self, layer):
        self.layers.append(layer)
        self.shapes.append(layer.output)
        self.zero_points.append(layer.zero_point)
        if layer.kind == "slice":
            self.slices.setdefault((layer.inputs[0], tuple(layer.fields["start"]), layer.output), len(self.layers))
        return len(self.layers)

    def push_pieces(self, layer, pieces):
        """Pieces of a layer, with what cuts their inputs out in front of them and what joins their outputs behind them."""
        channels, height, _ = layer.output
        bands = []
        for top in range(0, height, pieces["rows"]):
            rows = range(top, min(top + pieces["rows"], height))
            parts = []
            for first in range(0, channels, pieces["channels"]):
                group = range(first, min(first + pieces["channels"], channels))
                start, shape = self.needed(layer, group, rows)
                for number in layer.inputs:
                    self.cut(layer, number, start, shape)
                self.layers.append(Piece(layer.name))
                self.shapes.append(Shape((len(group), len(rows), layer.output[2])))
                self.zero_points.append(layer.zero_point)
                parts.append(len(self.layers))
            bands.append(self.join(parts, "channels", layer))
        self.join(bands, "height", layer)

    def needed(self, layer, group, rows):
        """Where the input of a piece begins, and its shape."""
        channels, height, width = layer.shapes[0]
        first, top = 0, 0
        if layer.groups > 1 and len(group) < layer.output[0]:
            step, sources = layer.output[0] // layer.groups, channels // layer.groups
            first, channels = group[0] // step * sources, len(group) // step * sources
        if len(rows) < layer.output[1]:
            reach = (layer.kernel[0] - 1) * layer.dilation[0] + 1
            begin, end = rows[0] * layer.stride[0], rows[-1] * layer.stride[0] + reach
            top = max(begin - layer.padding["top"], 0)
            height = min(end - layer.padding["top"], height) - top
        return (first, top, 0), Shape((channels, height, width))

    def cut(self, layer, number, start, shape):
        if shape != self.shapes[number] and (number, start, shape) not in self.slices:
            fields = {"kind": "slice", "name": f"part of {layer.name}", "start": start, "output_shape": shape}
            self.push(self.layer(fields, [number]))

    def join(self, parts, axis, layer):
        if len(parts) == 1:
            return parts[0]
        return self.push(self.layer({"kind": "concat", "name": layer.name, "axis": axis}, parts))


class Piece:
    """A part of a layer, which the machine makes."""

    def __init__(self, name):
        self.name = name

    def run(self, inputs):
        raise ValueError(f"a piece of layer {self.name!r} is not for the host")
