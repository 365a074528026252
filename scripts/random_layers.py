"""Networks of random layers for scripts/random_networks.py, as network files (heddle config schema --network)."""

import random

FIRST = "input"
SIDES = ("top", "bottom", "left", "right")
AXES = ("channels", "height", "width")


class Draw:
    """Random numbers of getrandbits alone: the same with every version of Python."""

    def __init__(self, seed):
        self.bits = random.Random(seed).getrandbits

    def below(self, count):
        return self.bits(32) * count >> 32

    def among(self, least, most):
        return least + self.below(most - least + 1)

    def one_of(self, items):
        return items[self.below(len(items))]

    def chance(self, percent):
        return self.below(100) < percent

    def byte(self):
        return self.bits(8) - 128

    def bytes(self, count):
        return [self.byte() for _ in range(count)]

    def multiplier(self):
        return self.among(1 << 30, (1 << 31) - 1)


def reciprocal(count):
    """Multiplier and shift of 1 / (2 x count)."""
    shift = 1 - count.bit_length()
    return ((1 << (31 - shift)) + count) // (2 * count), shift


class Network:
    """Layers that read each other; `post` has the options of post-processing that they may need."""

    def __init__(self, draw, name, shape, post=()):
        self.draw, self.name, self.post = draw, name, post
        self.shapes = {FIRST: tuple(shape)}
        self.zero_points = {FIRST: draw.byte() if draw.chance(70) else 0}
        self.layers, self.further, self.tables = [], [], []
        self.last = FIRST

    def push(self, kind, shape, inputs, **fields):
        name = f"{kind}{len(self.layers)}"
        self.layers.append({"kind": kind, "name": name, "inputs": inputs, **fields})
        self.shapes[name] = tuple(shape)
        self.zero_points[name] = fields.get("output_zero_point", self.zero_points[inputs[0]])
        self.last = name
        return name

    def add_input(self):
        """A further input, which is added to the first one."""
        self.shapes["side"], self.zero_points["side"] = self.shapes[FIRST], self.draw.byte()
        self.further.append("side")
        self.weighted_sum([FIRST, "side"])

    def source(self):
        """Mostly the layer before."""
        return self.draw.one_of(list(self.shapes)) if self.draw.chance(20) else self.last

    def others(self, name):
        """A tensor of the same shape, now and then the same one."""
        return self.draw.one_of([other for other in self.shapes if self.shapes[other] == self.shapes[name]])

    def scale(self, fan_in):
        if self.draw.chance(4):
            return 0, 0
        if "left_shift" in self.post and self.draw.chance(8):
            return self.draw.multiplier(), self.draw.among(0, 2)
        return self.draw.multiplier(), -8 - (fan_in.bit_length() - 1) // 2

    def clamped(self):
        """Zero point and bounds: a Relu, any, or none."""
        draw, zero_point = self.draw, self.draw.byte()
        least, most = -128, 127
        if draw.chance(40):
            least = zero_point
        elif draw.chance(20):
            least, most = sorted((draw.byte(), draw.byte()))
        return {"output_zero_point": zero_point, "activation_min": least, "activation_max": most, "output_scale": 0.1}

    def scaled(self, outputs, fan_in):
        scales = [self.scale(fan_in) for _ in range(outputs)]
        fields = {
            "multiplier": [multiplier for multiplier, _ in scales],
            "shift": [shift for _, shift in scales],
            "rounding": self.draw.one_of(("single", "double")),
            **self.clamped(),
        }
        if "activations" in self.post and self.draw.chance(15):
            fields |= self.looked_up(fields["output_zero_point"])
        return fields

    def looked_up(self, zero_point):
        if len(self.tables) < 4:
            self.tables.append(self.draw.bytes(256))
        table = self.draw.one_of(self.tables)
        return {"table": table, "table_zero_point": zero_point, "output_zero_point": self.draw.byte()}

    def weighted(self, outputs, fan_in):
        draw, zeros = self.draw, self.draw.below(60)
        return {
            "weights": [0 if draw.chance(zeros) else draw.byte() for _ in range(outputs * fan_in)],
            "bias": [draw.among(-50000, 50000) for _ in range(outputs)],
            **self.scaled(outputs, fan_in),
        }

    def conv(self, outputs, kernel, source=None, stride=(1, 1), dilation=(1, 1), groups=1, same=True):
        """Padding that keeps the plane, or any that the kernel allows."""
        draw, source = self.draw, source or self.last
        channels, *sides = self.shapes[source]
        padding, result = [], []
        for axis in (0, 1):
            extent = (kernel[axis] - 1) * dilation[axis] + 1
            before, after = (extent - 1) // 2, extent // 2
            if not same:
                before, after = draw.below(extent), draw.below(extent)
            after += max(0, extent - sides[axis] - before - after)
            padding += [before, after]
            result.append((sides[axis] + before + after - extent) // stride[axis] + 1)
        window = {"kernel": list(kernel), "stride": list(stride), "dilation": list(dilation), "groups": groups}
        fields = self.weighted(outputs, channels // groups * kernel[0] * kernel[1])
        return self.push("conv2d", (outputs, *result), [source], output_channels=outputs, **window,
                         padding=dict(zip(SIDES, padding)), **fields)

    def any_conv(self):
        draw, source = self.draw, self.source()
        channels = self.shapes[source][0]
        groups = draw.one_of((1, 1, channels, draw.one_of([n for n in range(1, channels + 1) if channels % n == 0])))
        outputs = draw.among(1, 20) if groups == 1 else groups * draw.among(1, 2)
        kernel = draw.among(1, 3), draw.among(1, 3)
        dilation = (draw.among(1, 3), draw.among(1, 3)) if draw.chance(20) else (1, 1)
        stride = (draw.among(1, 2), draw.among(1, 2)) if draw.chance(40) else (1, 1)
        return self.conv(outputs, kernel, source, stride, dilation, groups, draw.chance(50))

    def depthwise(self, stride=1, kernel=(3, 3), dilation=(1, 1), same=True):
        channels = self.shapes[self.last][0]
        return self.conv(channels, kernel, None, (stride, stride), dilation, channels, same)

    def connected(self, outputs):
        channels, height, width = self.shapes[self.last]
        fields = self.weighted(outputs, channels * height * width)
        return self.push("fully_connected", (outputs, 1, 1), [self.last], output_features=outputs, **fields)

    def end(self, outputs):
        """Values of the whole plane, of its mean if it is large."""
        channels, height, width = self.shapes[self.last]
        if channels * height * width > 400:
            self.plane_mean()
        return self.connected(outputs)

    def pool(self, kind):
        draw, source = self.draw, self.last
        channels, *sides = self.shapes[source]
        kernel = [draw.among(1, min(3, side)) for side in sides]
        stride, padding = [draw.among(1, 3), draw.among(1, 3)], [0, 0, 0, 0]
        if draw.chance(30):
            padding = [draw.below(kernel[place // 2]) for place in range(4)]
        grown = [sides[axis] + padding[2 * axis] + padding[2 * axis + 1] for axis in (0, 1)]
        shape = [(grown[axis] - kernel[axis]) // stride[axis] + 1 for axis in (0, 1)]
        padding = dict(zip(SIDES, padding))
        return self.push(kind, (channels, *shape), [source], kernel=kernel, stride=stride, padding=padding)

    def plane_mean(self):
        """A mean of the whole plane as importers write it; the biases of some are no multiples of the elements."""
        channels, height, width = self.shapes[self.last]
        size, phases = height * width, -(-height // 2) * -(-width // 2) * 4
        step = self.draw.one_of((size, size, size * phases, size * phases, 1))
        multiplier, shift = reciprocal(size)
        sums = {
            "weights": [self.draw.one_of((1, 1, 2))] * (channels * size),
            "bias": [step * self.draw.among(-4, 4) for _ in range(channels)],
            "multiplier": [multiplier] * channels,
            "shift": [shift] * channels,
        }
        return self.push("conv2d", (channels, 1, 1), [self.last], output_channels=channels, kernel=[height, width],
                         groups=channels, rounding="double", **sums, **self.clamped())

    def add(self, first=None, second=None, constant=False):
        draw, first = self.draw, first or self.last
        scales = [(1 << 30, 0), (draw.multiplier(), -draw.among(1, 3))]
        scales = scales[::draw.one_of((1, -1))]
        inputs, fields = [first, second or self.others(first)], {}
        if constant:
            channels, height, width = self.shapes[first]
            shape = draw.one_of(((1, 1, 1), (channels, 1, 1), (channels, height, width)))
            values = [draw.byte() for _ in range(shape[0] * shape[1] * shape[2])]
            inputs, fields = [first], {"constant": {"shape": list(shape), "zero_point": draw.byte(), "values": values}}
        fields |= {"input_multiplier": [scale[0] for scale in scales], "input_shift": [scale[1] for scale in scales]}
        return self.push("add", self.shapes[first], inputs, multiplier=[draw.multiplier()],
                         shift=[draw.among(-20, -19)], subtract=draw.chance(20), **fields, **self.clamped())

    def weighted_sum(self, inputs):
        channels = self.shapes[inputs[0]][0]
        factors = self.draw.bytes(len(inputs))
        return self.push("weighted_sum", self.shapes[inputs[0]], inputs, factors=factors, **self.scaled(channels, 4))

    def sum(self, first=None):
        """Of one, two or three tensors."""
        draw, first = self.draw, first or self.last
        if "dual_scale" in self.post and draw.chance(70):
            return self.add(first, constant=draw.chance(20))
        return self.weighted_sum([first] + [self.others(first) for _ in range(draw.among(1, 2))])

    def table(self):
        return self.push("table", self.shapes[self.last], [self.last], output_scale=0.1,
                         **self.looked_up(self.zero_points[self.last]))

    def plane_layer(self):
        draw, kinds = self.draw, ["conv"] * 5 + ["sum", "average"]
        kinds += ["maximum", "mean"] if "pooling" in self.post else []
        kinds += ["table"] if "activations" in self.post else []
        kind = draw.one_of(kinds)
        return {
            "conv": self.any_conv,
            "sum": self.sum,
            "average": lambda: self.pool("average_pool2d"),
            "maximum": lambda: self.pool("max_pool2d"),
            "mean": self.plane_mean,
            "table": self.table,
        }[kind]()

    def product(self):
        """Of two tensors whose sides fit, or of one and weights."""
        draw, first = self.draw, self.source()
        turned = [draw.chance(30), draw.chance(30)]

        def sides(name, is_turned):
            _, rows, columns = self.shapes[name]
            return (columns, rows) if is_turned else (rows, columns)

        rows, terms = sides(first, turned[0])
        channels = self.shapes[first][0]
        alike = [name for name in self.shapes if self.shapes[name][0] == channels]
        fitting = [name for name in alike if sides(name, turned[1])[0] == terms]
        inputs, fields = [first], {}
        if fitting and draw.chance(60):
            inputs.append(draw.one_of(fitting))
            columns = sides(inputs[1], turned[1])[1]
        else:
            columns = draw.among(1, 14)
            fields = {"output_features": columns, "weights": draw.bytes(terms * columns)}
        values = columns if draw.chance(25) else 1
        if draw.chance(40):
            fields["bias"] = [draw.among(-9000, 9000) for _ in range(values)]
        fields |= {
            "multiplier": [draw.multiplier() for _ in range(values)],
            "shift": [-7 - terms.bit_length() // 2] * values,
            "rounding": draw.one_of(("single", "double")),
            "output_zero_point": draw.byte() if draw.chance(15) else 0,
        }
        return self.push("matmul", (channels, rows, columns), inputs, transposed=turned, **fields)

    def transpose(self):
        draw, source = self.draw, self.last
        channels, height, width = self.shapes[source]
        axes = [0, 1, 3, 2]
        if draw.chance(30):
            axes = draw.one_of(([0, 2, 3, 1], [0, 3, 1, 2], [1, 2, 3, 0], [2, 3, 0, 1], [3, 0, 1, 2]))
        batch = draw.one_of([n for n in range(1, 5) if channels % n == 0])
        wide = draw.one_of([n for n in range(1, 5) if width % n == 0]) if draw.chance(25) else 1
        sizes = (batch, channels // batch, height, width // wide)
        a, b, c, d = (sizes[axis] for axis in axes)
        return self.push("transpose", (a * b, c, d * wide), [source], permutation=axes, batch=batch, element_bytes=wide)

    def host_layer(self):
        """What no machine has."""
        draw, source = self.draw, self.source()
        channels, height, width = shape = self.shapes[source]
        pair, axis = [source, self.others(source)], draw.one_of(AXES)
        scale = {"multiplier": [draw.multiplier()], "shift": [-draw.among(5, 7)]}
        grown = [channels, height + draw.among(1, 3), width + draw.among(1, 3)]
        kind = draw.below(11)
        if kind == 0:
            return self.softmax(source, axis)
        if kind == 1:
            return self.push("mul", shape, pair, **scale, **self.clamped())
        if kind == 2:
            scales = {"input_multiplier": [draw.multiplier(), 1 << 30], "input_shift": [-1, 0]}
            scale["shift"] = [-12]
            return self.push("squared_difference", shape, pair, **scales, **scale, **self.clamped())
        if kind == 3:
            slopes = {"shape": [channels, 1, 1], "zero_point": 0, "values": draw.bytes(channels)}
            scales = {"multiplier": scale["multiplier"] * 2, "shift": [0, -7]}
            return self.push("prelu", shape, [source], constant=slopes, **scales, **self.clamped())
        if kind == 4:
            sides = dict(zip(AXES, shape)) | {axis: 1}
            scale["shift"] = [-2]
            return self.push("mean", sides.values(), [source], axes=[axis], **scale, **self.clamped())
        if kind == 5:
            sides = [(1 + (axis == name)) * side for name, side in zip(AXES, shape)]
            return self.push("concat", sides, pair, axis=axis)
        if kind == 6:
            start = [draw.below((side + 1) // 2) for side in shape]
            sizes = [draw.among(1, side - at) for side, at in zip(shape, start)]
            return self.push("slice", sizes, [source], start=start, output_shape=sizes)
        if kind == 7:
            return self.push("pad", grown, [source], start=[0, draw.below(2), draw.below(2)], output_shape=grown)
        if kind == 8:
            return self.push("resize", (channels, 2 * height, width), [source], scale_factor=[2, 1])
        if kind == 9:
            alignment = draw.one_of(("origin", "half_pixel_centers", "align_corners"))
            return self.push("resize_bilinear", grown, [source], output_shape=grown, alignment=alignment)
        turned, order = [channels, width, height], draw.one_of(("channels_first", "channels_last"))
        return self.push("reshape", turned, [source], output_shape=turned, order=order)

    def softmax(self, source=None, axis="channels"):
        source = source or self.last
        scale = {"multiplier": [self.draw.multiplier()], "shift": [self.draw.among(20, 24)]}
        name = self.push("softmax", self.shapes[source], [source], axis=axis, **scale)
        self.zero_points[name] = -128
        return name

    def arg_max(self):
        """Only at the end: no layer reads it."""
        return self.push("arg_max", (4, *self.shapes[self.last][1:]), [self.last], axis="channels")

    def file(self):
        """The network file: what nobody reads is an output."""
        channels, height, width = self.shapes[FIRST]
        read = {name for layer in self.layers for name in layer["inputs"]}
        outputs = [layer["name"] for layer in self.layers if layer["name"] not in read]
        if self.draw.chance(15):
            outputs.append(self.draw.one_of(self.layers)["name"])
        source = {"channels": channels, "height": height, "width": width, "scale": 0.1}
        further = [{"name": name, **source, "zero_point": self.zero_points[name]} for name in self.further]
        return {
            "format": "heddle-network-2",
            "name": self.name,
            "input": {**source, "zero_point": self.zero_points[FIRST]},
            "further_inputs": further,
            "layers": self.layers,
            "outputs": sorted(set(outputs)),
        }

    def zeros(self):
        """What `heddle advise --slices --json` says of zeros: words by how many of their bytes are not zero."""
        tensors = []
        for name, (channels, height, width) in self.shapes.items():
            words, counts = channels * height * -(-width // 8), [0] * 9
            counts[self.draw.below(channels * height * width // words + 1)] = words
            tensors.append({"name": name, "populations": [{"unit_bits": 8, "words": counts}]})
        return {"tensors": tensors}
