"""Builds .onnx models in both quantised forms and runs onnxruntime on them, operator by operator."""

import math
import zlib

import numpy
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

QDQ, QOPERATOR = "qdq", "qoperator"
OPSETS = [helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)]
TYPES = {"int8": TensorProto.INT8, "uint8": TensorProto.UINT8, "float32": TensorProto.FLOAT}


class Tensor:
    """A quantised tensor: its name, that of the float32 it stands for in the form QDQ, scale and zero point."""

    def __init__(self, name, real, scale, zero, dtype):
        self.name, self.real, self.dtype = name, real, dtype
        self.scale, self.zero = numpy.float32(scale), numpy.array(zero, dtype)


class Model:
    """A model with one input of bytes, or of float32 that it quantises itself."""

    def __init__(self, name, form=QDQ, dtype="int8", weights="int8"):
        self.name, self.form, self.dtype, self.weights = name, form, dtype, weights
        self.rng = numpy.random.default_rng(zlib.crc32(name.encode()))
        self.nodes, self.constants, self.inputs, self.outputs = [], [], [], []
        self.kept, self.values, self.feeds = {}, {}, {}

    def constant(self, name, values):
        self.constants.append(numpy_helper.from_array(numpy.asarray(values), name))
        return name

    def call(self, operator, inputs, output, domain="", **attributes):
        name = f"{output}/{operator}"
        node = helper.make_node(operator, inputs, [output], name, domain=domain, **attributes)
        self.nodes.append(node)
        return output

    def range(self, name, scale, zero):
        """Names of scale and zero point."""
        return [self.constant(f"{name}_scale", scale), self.constant(f"{name}_zero_point", zero)]

    def zero_point(self, zero):
        """A zero point of int8 as one of this model's bytes."""
        return zero + 128 if self.dtype == "uint8" else zero

    def input(self, shape, scale, zero, quantises=False):
        found = Tensor("input", "input_real", scale, self.zero_point(zero), self.dtype)
        info = numpy.iinfo(self.dtype)
        values = self.rng.integers(info.min, info.max + 1, shape, self.dtype)
        self.range("input", found.scale, found.zero)
        self.values["input"] = values
        if quantises:
            values = (values.astype(numpy.float32) - numpy.float32(found.zero)) * found.scale
            self.feeds["input_float"] = values
            self.inputs = [helper.make_tensor_value_info("input_float", TensorProto.FLOAT, shape)]
            self.call("QuantizeLinear", ["input_float", "input_scale", "input_zero_point"], "input")
        else:
            self.feeds["input"] = values
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
        """The result `name` in bytes."""
        found = Tensor(f"{name}_bytes", f"{name}_bytes_real", scale, self.zero_point(zero), self.dtype)
        self.range(found.name, found.scale, found.zero)
        self.call("QuantizeLinear", [name, f"{found.name}_scale", f"{found.name}_zero_point"], found.name)
        return self.keep(name, found)

    def keep(self, name, tensor):
        """The importer calls a layer by its result: by this name its bytes are recorded."""
        self.kept[name] = tensor.name
        self.outputs = [tensor]
        return tensor

    def ranged(self, name, scale, zero):
        """A result of an operator that has the scale itself."""
        found = Tensor(name, f"{name}_real", scale, self.zero_point(zero), self.dtype)
        return self.keep(name, found), self.range(name, found.scale, found.zero)

    def arguments(self, *tensors):
        """Operands of an operator that has their scales beside them."""
        return [part for found in tensors for part in (found, f"{found}_scale", f"{found}_zero_point")]

    def pack(self, outputs=None):
        outputs = outputs or {found.name: found.dtype for found in self.outputs}
        infos = [helper.make_tensor_value_info(name, TYPES.get(kind), None) for name, kind in outputs.items()]
        graph = helper.make_graph(self.nodes, self.name, self.inputs, infos, self.constants)
        return helper.make_model(graph, opset_imports=OPSETS, ir_version=9).SerializeToString()

    def run(self):
        """Records the bytes of every tensor that was kept."""
        options = onnxruntime.SessionOptions()
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
        options.intra_op_num_threads, options.log_severity_level = 1, 3
        file = self.pack({name: self.dtype for name in self.kept.values()})
        session = onnxruntime.InferenceSession(file, options, ["CPUExecutionProvider"])
        found = session.run(list(self.kept.values()), self.feeds)
        self.values |= dict(zip(self.kept.values(), found))
        return self

    def centred(self, tensor):
        return self.values[tensor.name].astype(int) - int(tensor.zero)


def spread(values):
    return float(numpy.sqrt(numpy.mean(numpy.square(values.astype(float))))) or 1.0


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
    **attributes,
):
    """Appends a convolution or rows of weights; the scale is that which spreads the outputs over the bytes."""
    rng, values = model.rng, model.centred(source)
    rows = operator != "Conv"
    shape = (outputs, values.shape[-1]) if rows else (outputs, values.shape[1] // group, *kernel)
    weights = rng.integers(-127, 128, shape).astype(numpy.int8)
    count = outputs if per_channel else 1
    scales = rng.uniform(0.002, 0.02, count).astype(numpy.float32)
    deviation = math.sqrt(math.prod(shape[1:])) * spread(values) * spread(weights)
    real = deviation * float(source.scale) * float(scales.mean())
    scale = scale or real / 45
    biases = numpy.round(rng.normal(0, real / 3, outputs) / (float(source.scale) * scales))
    zeros = numpy.full(count, weights_zero, numpy.int8)
    if model.weights == "uint8":
        weights, zeros = [(array.astype(int) + 128).astype(numpy.uint8) for array in (weights, zeros)]
    if rows and not transposed:
        weights = weights.T
    model.constant(f"{name}_weights", weights)
    one = (lambda array: array) if per_channel else (lambda array: array[0])
    model.range(f"{name}_weights", one(scales), one(zeros))
    biases = model.constant(f"{name}_bias", biases.astype(numpy.int32)) if bias else ""
    if operator == "Gemm" and transposed:
        attributes["transB"] = 1
    if group > 1:
        attributes["group"] = group
    if model.form == QOPERATOR:
        output, ranged = model.ranged(name, scale, zero)
        operands = model.arguments(source.name, f"{name}_weights")
        if operator == "Gemm":
            model.call("QGemm", [*operands, biases, *ranged], name, "com.microsoft", **attributes)
        elif operator == "MatMul":
            model.call("QLinearMatMul", [*operands, *ranged], name)
        else:
            model.call("QLinearConv", [*operands, *ranged] + [biases] * bias, name, **attributes)
        return output
    axis = 1 if rows and not transposed else 0
    held = [model.real(source), model.dequantise(f"{name}_weights", axis if per_channel else None)]
    if bias:
        model.range(f"{name}_bias", one(source.scale * scales), one(numpy.zeros(count, numpy.int32)))
        held.append(model.dequantise(f"{name}_bias", 0 if per_channel else None))
    if operator == "MatMul" and bias:
        name = model.call("Add", [model.call(operator, held[:2], f"{name}/product"), held[2]], name)
    else:
        name = model.call(operator, held, name, **attributes)
    return model.quantise(activate(model, name, activation), scale, zero)


def activate(model, name, activation):
    """Relu, or Clip with these bounds."""
    if activation == "Relu":
        return model.call("Relu", [name], f"{name}/Relu")
    if activation:
        bounds = [
            "" if bound is None else model.constant(f"{name}_{side}", numpy.float32(bound))
            for side, bound in zip(("min", "max"), activation)
        ]
        return model.call("Clip", [name, *bounds], f"{name}/Clip")
    return name


def mean(model, operator, source, name, scale, zero, activation=None, **attributes):
    """AveragePool, GlobalAveragePool or ReduceMean."""
    if model.form == QOPERATOR:
        output, ranged = model.ranged(name, scale, zero)
        operands = model.arguments(source.name) + ranged
        model.call(f"QLinear{operator}", operands, name, "com.microsoft", **attributes)
        return output
    model.call(operator, [model.real(source)], name, **attributes)
    return model.quantise(activate(model, name, activation), scale, zero)


def add(model, sources, name, scale, zero, activation=None, operator="Add"):
    if model.form == QOPERATOR:
        output, ranged = model.ranged(name, scale, zero)
        operands = model.arguments(*(found.name for found in sources)) + ranged
        model.call("QLinearAdd", operands, name, "com.microsoft")
        return output
    model.call(operator, [model.real(found) for found in sources], name)
    return model.quantise(activate(model, name, activation), scale, zero)


def same(model, operator, source, name, constants=(), **attributes):
    """An operator that keeps bytes as they are."""
    held = [model.constant(f"{name}_{i}", values) for i, values in enumerate(constants)]
    if model.form == QOPERATOR:
        output = Tensor(name, f"{name}_real", source.scale, source.zero, source.dtype)
        model.range(name, output.scale, output.zero)
        model.call(operator, [source.name, *held], name, **attributes)
        return model.keep(name, output)
    model.call(operator, [model.real(source), *held], name, **attributes)
    zero = int(source.zero) - (128 if model.dtype == "uint8" else 0)
    return model.quantise(name, source.scale, zero)
