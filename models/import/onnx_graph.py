"""Builds .onnx models in both quantised forms, says what they mean, and runs onnxruntime on them."""

import math
import zlib

import numpy
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

import onnx_meaning as meaning

QDQ, QOPERATOR = "qdq", "qoperator"
OPSETS = [helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)]
TYPES = {
    "int8": TensorProto.INT8,
    "uint8": TensorProto.UINT8,
    "int64": TensorProto.INT64,
    "float32": TensorProto.FLOAT,
}


class Tensor:
    """A quantised tensor: name, scale, zero point, and the bytes that it should have, with a sign."""

    def __init__(self, name, scale, zero, dtype, meant=None):
        self.name, self.real, self.dtype, self.meant = name, f"{name}_real", dtype, meant
        self.scale, self.zero8 = numpy.float32(scale), zero
        self.zero = numpy.array(zero + 128 if dtype == "uint8" else zero, dtype)

    def centred(self):
        return self.meant.astype(numpy.int64) - self.zero8


def as_bytes(places, axis):
    """The 4 bytes of each along the dimension of which they are places, as a network has them."""
    found = numpy.ascontiguousarray(places, "<i4")[..., None].view(numpy.int8)
    return numpy.moveaxis(found, -1, axis)


def signed(values):
    """Bytes with a sign."""
    return values if values.dtype == numpy.int8 else (values.astype(int) - 128).astype(numpy.int8)


class Model:
    """A model with one input of bytes, or of float32 that it quantises itself."""

    def __init__(self, name, form=QDQ, dtype="int8", weights="int8"):
        self.name, self.form, self.dtype, self.weights = name, form, dtype, weights
        self.rng = numpy.random.default_rng(zlib.crc32(name.encode()))
        self.nodes, self.constants, self.inputs, self.outputs = [], [], [], []
        self.kept, self.feeds, self.image, self.version = {}, {}, None, 17

    def constant(self, name, values):
        self.constants.append(numpy_helper.from_array(numpy.asarray(values), name))
        return name

    def call(self, operator, inputs, output, domain="", **attributes):
        node = helper.make_node(operator, inputs, [output], f"{output}/{operator}", domain=domain, **attributes)
        self.nodes.append(node)
        return output

    def held(self, name, shape, scale, zero):
        """A constant of bytes and its range."""
        info = numpy.iinfo(self.dtype)
        values = self.rng.integers(info.min, info.max + 1, shape, self.dtype)
        found = self.tensor(self.constant(name, values), scale, zero, signed(values))
        self.range(name, found.scale, found.zero)
        return found

    def range(self, name, scale, zero):
        """Names of scale and zero point."""
        return [self.constant(f"{name}_scale", scale), self.constant(f"{name}_zero_point", zero)]

    def tensor(self, name, scale, zero, meant=None):
        return Tensor(name, scale, zero, self.dtype, meant)

    def input(self, shape, scale, zero, quantises=False, flat=False):
        """flat: the float32 are a vector that Reshape makes a plane of."""
        info = numpy.iinfo(self.dtype)
        self.image = self.rng.integers(info.min, info.max + 1, shape, self.dtype)
        found = self.tensor("input", scale, zero, signed(self.image))
        self.range("input", found.scale, found.zero)
        if quantises:
            reals = found.centred().astype(numpy.float32) * found.scale
            self.feeds["input_float"] = reals.reshape(1, -1) if flat else reals
            sizes = ["batch", *self.feeds["input_float"].shape[1:]]  # as exporters leave it open
            self.inputs = [helper.make_tensor_value_info("input_float", TensorProto.FLOAT, sizes)]
            held = "input_float"
            if flat:
                asked = self.constant("input_shape", numpy.array([-1, *shape[1:]], numpy.int64))
                held = self.call("Reshape", [held, asked], "input_plane")
            self.call("QuantizeLinear", [held, "input_scale", "input_zero_point"], "input")
        else:
            self.feeds["input"] = self.image
            self.inputs = [helper.make_tensor_value_info("input", TYPES[self.dtype], shape)]
        return found

    def dequantise(self, name, axis=None):
        """The float32 that a tensor stands for, whose range is made."""
        options = {} if axis is None else {"axis": axis}
        ranged = [name, f"{name}_scale", f"{name}_zero_point"]
        return self.call("DequantizeLinear", ranged, f"{name}_real", **options)

    def real(self, tensor):
        """The same, once for each tensor."""
        if not any(tensor.real in node.output for node in self.nodes):
            self.dequantise(tensor.name)
        return tensor.real

    def quantise(self, name, scale, zero):
        """The result `name` in bytes, which the importer calls by it."""
        found = self.tensor(f"{name}_bytes", scale, zero)
        self.range(found.name, found.scale, found.zero)
        self.call("QuantizeLinear", [name, f"{found.name}_scale", f"{found.name}_zero_point"], found.name)
        return self.keep(name, found)

    def clip(self, name, output, bounds, dtype):
        """Bytes that are cut to these, which have a sign."""
        moved = 128 if dtype == "uint8" else 0
        ends = [numpy.array(bound + moved, dtype) for bound in bounds]
        return self.call("Clip", [name, *(self.constant(f"{output}_bound_{i}", end) for i, end in enumerate(ends))], output)

    def keep(self, name, tensor):
        self.kept[name], self.outputs = tensor, [tensor]
        return tensor

    def ranged(self, name, scale, zero):
        """A result of an operator that has the scale itself."""
        found = self.tensor(name, scale, zero)
        return self.keep(name, found), self.range(name, found.scale, found.zero)

    def arguments(self, *names):
        """Operands of an operator that has their scales beside them."""
        return [part for name in names for part in (name, f"{name}_scale", f"{name}_zero_point")]

    def end(self, name, dtype="float32"):
        """The output is this tensor, which is not quantised."""
        self.outputs = [Tensor(name, 1, 0, dtype)]

    def pack(self, outputs=None):
        outputs = outputs or {found.name: found.dtype for found in self.outputs}
        infos = [helper.make_tensor_value_info(name, TYPES[kind], None) for name, kind in outputs.items()]
        graph = helper.make_graph(self.nodes, self.name, self.inputs, infos, self.constants)
        opsets = [helper.make_opsetid("", self.version), *OPSETS[1:]]
        return helper.make_model(graph, opset_imports=opsets, ir_version=9).SerializeToString()

    def entries(self):
        """The image, the bytes of every layer by its name, and place and byte where these are not what is meant."""
        options = onnxruntime.SessionOptions()
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
        options.intra_op_num_threads, options.log_severity_level = 1, 3
        file = self.pack({tensor.name: tensor.dtype for tensor in self.kept.values()})
        session = onnxruntime.InferenceSession(file, options, ["CPUExecutionProvider"])
        made = session.run([tensor.name for tensor in self.kept.values()], self.feeds)
        found = {"input": signed(self.image)}
        for (name, tensor), values in zip(self.kept.items(), made):
            if tensor.dtype == "int64":
                values = as_bytes(values.reshape(numpy.delete(tensor.meant.shape, tensor.axis)), tensor.axis)
            found[f"layer/{name}"] = values = signed(values)
            assert values.shape == tensor.meant.shape, (self.name, name, values.shape, tensor.meant.shape)
            places = numpy.flatnonzero(values != tensor.meant)
            if len(places):
                pairs = numpy.stack([places, tensor.meant.reshape(-1)[places]], -1)
                found[f"meant/{name}"] = pairs.astype(numpy.int32)
        return found


def spread(values):
    return float(numpy.sqrt(numpy.mean(numpy.square(values.astype(float))))) or 1.0


def bounds(activation):
    """Smallest and largest value."""
    return (0, None) if activation == "Relu" else activation or (None, None)


def weighted(
    model,
    operator,
    source,
    name,
    outputs,
    kernel=(),
    *,
    group=1,
    per_channel=True,
    activation=None,
    scale=None,
    zero=0,
    bias=True,
    weights_zero=0,
    transposed=True,
    floating=False,
    real_bias=False,
    turned=False,
    cut=None,
    byte_bias=None,
    **moving,
):
    """Appends a convolution or rows of weights; the scale is that which spreads the outputs over the bytes.

    floating: the weights are float32 in the file, and QuantizeLinear makes bytes of them. real_bias: the bias is float32.
    turned: another order of the dimensions of weights, which Transpose puts right. cut: Clip of the bytes of weights to these.
    byte_bias: the scale of a bias of bytes.
    """
    rng, values = model.rng, source.centred()
    rows = operator != "Conv"
    shape = (outputs, values.shape[-1]) if rows else (outputs, values.shape[1] // group, *kernel)
    weights = rng.integers(-127, 128, shape).astype(numpy.int8)
    count = outputs if per_channel else 1
    scales = rng.uniform(0.002, 0.02, count).astype(numpy.float32)
    deviation = math.sqrt(math.prod(shape[1:])) * spread(values) * spread(weights)
    real = deviation * float(source.scale) * float(scales.mean())
    scale = scale or real / 45
    if cut:
        weights = numpy.clip(weights, *cut)
    biases = numpy.round(rng.normal(0, real / 3, outputs) / (float(source.scale) * scales)) * bias
    if byte_bias:
        bytes_ = rng.integers(-60, 60, outputs).astype(numpy.int8)
        steps = (bytes_.astype(numpy.float32) - 5) * numpy.float32(byte_bias)
        biases = numpy.rint(steps.astype(float) / (float(source.scale) * scales.astype(float)))
    output, ranged = None, []
    if model.form == QOPERATOR:
        output, ranged = model.ranged(name, scale, zero)
    else:
        output = model.tensor(name, scale, zero)
    biases = biases.astype(numpy.int32)
    reals = float(source.scale) * scales.astype(float) / float(output.scale)
    if rows:
        meant = meaning.rows(source, weights, biases, reals, output, bounds(activation))
    else:
        clip = bounds(activation)
        meant = meaning.convolution(source, weights, biases, reals, output, clip, group, **moving)
        moving |= {"group": group}

    zeros = numpy.full(count, weights_zero, numpy.int8)
    if model.weights == "uint8":
        weights, zeros = [(array.astype(int) + 128).astype(numpy.uint8) for array in (weights, zeros)]
    if rows and not transposed:
        weights = weights.T
    if operator == "Gemm" and transposed:
        moving["transB"] = 1
    one = (lambda array: array) if per_channel else (lambda array: array[0])
    ranged_weights = model.range(f"{name}_weights", one(scales), one(zeros))
    if floating:
        reals32 = (weights.reshape(outputs, -1) * scales[:, None]).astype(numpy.float32).reshape(shape)
        held = model.call("Constant", [], f"{name}_real", value=numpy_helper.from_array(reals32))
        model.call("QuantizeLinear", [held, *ranged_weights], f"{name}_weights", axis=0)
    else:
        model.constant(f"{name}_weights" if not cut else f"{name}_uncut", weights.swapaxes(0, 1) if turned else weights)
    if cut:
        model.clip(f"{name}_uncut", f"{name}_weights", cut, model.weights)
    if real_bias:
        away = rng.uniform(-0.2, 0.2, outputs)
        biases = ((biases + away) * float(source.scale) * scales).astype(numpy.float32)
    if byte_bias:
        biases = bytes_
    biases = model.constant(f"{name}_bias", biases) if bias else ""
    if model.form == QOPERATOR:
        operands = model.arguments(source.name, f"{name}_weights")
        if operator == "Gemm":
            model.call("QGemm", [*operands, biases, *ranged], name, "com.microsoft", **moving)
        elif operator == "MatMul":
            model.call("QLinearMatMul", [*operands, *ranged], name)
        else:
            model.call("QLinearConv", [*operands, *ranged] + [biases] * bias, name, **moving)
        output.meant = meant
        return output
    axis = 1 if rows and not transposed else 0
    if turned:
        axis = 1
    held = [model.real(source), model.dequantise(f"{name}_weights", axis if per_channel else None)]
    if turned:
        order = [1, 0, *range(2, weights.ndim)]
        held[1] = model.call("Transpose", held[1:], f"{name}_turned", perm=order)
    if byte_bias:
        model.range(f"{name}_bias", numpy.float32(byte_bias), numpy.int8(5))
        held.append(model.dequantise(f"{name}_bias"))
    elif real_bias:
        held.append(biases)
    elif bias:
        model.range(f"{name}_bias", one(source.scale * scales), one(numpy.zeros(count, numpy.int32)))
        held.append(model.dequantise(f"{name}_bias", 0 if per_channel else None))
    if operator == "MatMul" and bias:
        name = model.call("Add", [model.call(operator, held[:2], f"{name}/product"), held[2]], name)
    else:
        name = model.call(operator, held, name, **moving)
    output = model.quantise(activate(model, name, activation), scale, zero)
    output.meant = meant
    return output


def activate(model, name, activation):
    """Relu, or Clip with these bounds."""
    if activation == "Relu":
        return model.call("Relu", [name], f"{name}/Relu")
    if activation:
        cut = [
            "" if bound is None else model.constant(f"{name}_{side}", numpy.float32(bound))
            for side, bound in zip(("min", "max"), activation)
        ]
        return model.call("Clip", [name, *cut], f"{name}/Clip")
    return name


def mean(model, operator, source, name, scale, zero, activation=None, **options):
    """AveragePool, GlobalAveragePool or ReduceMean."""
    if model.form == QOPERATOR:
        output, ranged = model.ranged(name, scale, zero)
        operands = model.arguments(source.name) + ranged
        model.call(f"QLinear{operator}", operands, name, "com.microsoft", **options)
    else:
        model.call(operator, [model.real(source)], name, **options)
        output = model.quantise(activate(model, name, activation), scale, zero)
    kernel = options.get("kernel_shape", source.meant.shape[2:])
    moving = {key: options[key] for key in ("strides", "pads") if key in options}
    output.meant = meaning.mean(source, output, bounds(activation), kernel, **moving)
    if options.get("keepdims") == 0:
        output.meant = output.meant.reshape(output.meant.shape[:2])
    return output


def rescaled(model, source, scale, zero):
    """The same numbers with another scale: QuantizeLinear alone makes it."""
    found = model.tensor("rescaled", scale, zero)
    found.meant = meaning.mean(source, found, (None, None), [1] * (source.meant.ndim - 2))
    ranged = model.range(found.name, found.scale, found.zero)
    model.call("QuantizeLinear", [model.real(source), *ranged], found.name)
    if (found.scale, found.zero8) == (source.scale, source.zero8):
        return found  # nothing is left of it
    return model.keep(found.name, found)


def pair(model, operator, sources, name, scale, zero, activation=None):
    """Add, Sub, Mul or MatMul of two tensors."""
    if model.form == QOPERATOR:
        output, ranged = model.ranged(name, scale, zero)
        operands = model.arguments(*(found.name for found in sources)) + ranged
        model.call(f"QLinear{operator}", operands, name, "" if operator == "MatMul" else "com.microsoft")
    else:
        model.call(operator, [model.real(found) for found in sources], name)
        output = model.quantise(activate(model, name, activation), scale, zero)
    clip = bounds(activation)
    if operator == "MatMul":
        output.meant = meaning.matrices(*sources, output, clip)
    elif operator == "Mul":
        output.meant = meaning.product(sources, output, clip)
    else:
        output.meant = meaning.add(sources, output, clip, operator == "Sub")
    return output


def function(model, operator, source, name, scale, zero, real, activation=None, slope=None, **options):
    """A function of each byte."""
    if model.form == QOPERATOR:
        output, ranged = model.ranged(name, scale, zero)
        operands = model.arguments(source.name) + ranged
        model.call(f"QLinear{operator}", operands, name, "com.microsoft", **options)
    else:
        held = [model.real(source)] + ([] if slope is None else [model.constant(f"{name}_slope", slope)])
        model.call(operator, held, name, **options)
        output = model.quantise(activate(model, name, activation), scale, zero)
    output.meant = meaning.function(source, output, real, bounds(activation))
    return output


def softmax(model, source, name):
    """Shares of rows of the last dimension, in steps of 1/256."""
    if model.form == QOPERATOR:
        output, ranged = model.ranged(name, 1 / 256, -128)
        operands = model.arguments(source.name) + ranged
        model.call("QLinearSoftmax", operands, name, "com.microsoft", axis=-1, opset=17)
    else:
        model.call("Softmax", [model.real(source)], name, axis=-1)
        output = model.quantise(name, 1 / 256, -128)
    output.meant = meaning.softmax(source)
    return output


def arg_max(model, source, name, axis, keepdims=1):
    """Places of the largest, the first of several."""
    held = source.name if model.form == QOPERATOR else model.real(source)
    model.call("ArgMax", [held], name, axis=axis, keepdims=keepdims)
    found = Tensor(name, 1, 0, "int64", as_bytes(numpy.argmax(source.meant, axis), axis))
    found.axis = axis
    return model.keep(name, found)


def joined(model, sources, name, scale, zero, axis):
    """One tensor behind another; those of another scale are rescaled."""
    if model.form == QOPERATOR:
        output, ranged = model.ranged(name, scale, zero)
        model.call("QLinearConcat", ranged + model.arguments(*(found.name for found in sources)), name, "com.microsoft", axis=axis)
    else:
        model.call("Concat", [model.real(found) for found in sources], name, axis=axis)
        output = model.quantise(name, scale, zero)
    is_same = lambda found: (found.scale, found.zero8) == (output.scale, output.zero8)
    ones = [1] * (sources[0].meant.ndim - 2)
    parts = [found.meant if is_same(found) else meaning.mean(found, output, (None, None), ones) for found in sources]
    output.meant = numpy.concatenate(parts, axis)
    return output


def split(model, source, names, axis, sizes=None):
    """Parts along a dimension, which are the outputs."""
    held = [source.name if model.form == QOPERATOR else model.real(source)]
    if sizes:
        held.append(model.constant("sizes", numpy.array(sizes, numpy.int64)))
    model.nodes.append(helper.make_node("Split", held, names, "parts/Split", axis=axis))
    places = numpy.cumsum(sizes)[:-1] if sizes else len(names)
    found = []
    for name, part in zip(names, numpy.array_split(source.meant, places, axis)):
        if model.form == QOPERATOR:
            found.append(model.ranged(name, source.scale, source.zero8)[0])
        else:
            found.append(model.quantise(name, source.scale, source.zero8))
        found[-1].meant = part
    model.outputs = found
    return found


def same(model, operator, source, name, constants=(), meant=None, **options):
    """An operator that keeps bytes as they are; `meant` are those of its output, or their shape. Constants may be names of tensors."""

    def constant(i, values):
        named = values is None or isinstance(values, str)
        return values or "" if named else model.constant(f"{name}_{i}", values)

    held = [constant(i, values) for i, values in enumerate(constants)]
    if model.form == QOPERATOR:
        output, _ = model.ranged(name, source.scale, source.zero8)
        model.call(operator, [source.name, *held], name, **options)
    else:
        model.call(operator, [model.real(source), *held], name, **options)
        output = model.quantise(name, source.scale, source.zero8)
    output.meant = meaning.maximum(source, **options) if operator == "MaxPool" else meant
    if meant is None and operator != "MaxPool":
        output.meant = source.meant
    elif isinstance(meant, tuple):  # a shape
        output.meant = source.meant.reshape(meant)
    return output
