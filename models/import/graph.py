"""Builds .tflite models operator by operator and runs the reference kernels of LiteRT on them."""

import math
import zlib

import flatbuffers
import numpy
from ai_edge_litert import schema_py_generated as schema
from ai_edge_litert.interpreter import Interpreter, OpResolverType

N, R, R1, R6 = "NONE", "RELU", "RELU_N1_TO_1", "RELU6"
OPERATORS = {  # name -> version, table of its options
    "ABS": (2, "AbsOptions"),
    "ADD": (2, "AddOptions"),
    "ARG_MAX": (2, "ArgMaxOptions"),
    "ASSIGN_VARIABLE": (1, "AssignVariableOptions"),
    "AVERAGE_POOL_2D": (2, "Pool2DOptions"),
    "BATCH_MATMUL": (2, "BatchMatMulOptions"),
    "BROADCAST_TO": (2, "BroadcastToOptions"),
    "CALL_ONCE": (1, "CallOnceOptions"),
    "CAST": (1, "CastOptions"),
    "CONCATENATION": (2, "ConcatenationOptions"),
    "CONV_2D": (3, "Conv2DOptions"),
    "CUSTOM": (1, None),
    "DEPTHWISE_CONV_2D": (3, "DepthwiseConv2DOptions"),
    "DEPTH_TO_SPACE": (1, "DepthToSpaceOptions"),
    "DEQUANTIZE": (2, "DequantizeOptions"),
    "DIV": (1, "DivOptions"),
    "ELU": (1, None),
    "EXP": (2, "ExpOptions"),
    "EXPAND_DIMS": (1, "ExpandDimsOptions"),
    "FILL": (1, "FillOptions"),
    "FLOOR": (1, None),
    "FULLY_CONNECTED": (5, "FullyConnectedOptions"),
    "GATHER": (1, "GatherOptions"),
    "GELU": (2, "GeluOptions"),
    "HARD_SWISH": (1, "HardSwishOptions"),
    "L2_NORMALIZATION": (2, "L2NormOptions"),
    "LEAKY_RELU": (2, "LeakyReluOptions"),
    "LOG": (2, None),
    "LOGISTIC": (2, None),
    "LOG_SOFTMAX": (2, "LogSoftmaxOptions"),
    "LSTM": (1, "LSTMOptions"),
    "MAX_POOL_2D": (2, "Pool2DOptions"),
    "MEAN": (2, "ReducerOptions"),
    "MIRROR_PAD": (2, "MirrorPadOptions"),
    "MUL": (2, "MulOptions"),
    "PACK": (1, "PackOptions"),
    "PAD": (2, "PadOptions"),
    "PADV2": (2, "PadV2Options"),
    "PRELU": (1, None),
    "QUANTIZE": (2, "QuantizeOptions"),
    "RANGE": (1, "RangeOptions"),
    "READ_VARIABLE": (1, "ReadVariableOptions"),
    "REDUCE_MAX": (2, "ReducerOptions"),
    "REDUCE_MIN": (2, "ReducerOptions"),
    "REDUCE_PROD": (1, "ReducerOptions"),
    "MAXIMUM": (2, "MaximumMinimumOptions"),
    "MINIMUM": (2, "MaximumMinimumOptions"),
    "NEG": (1, "NegOptions"),
    "RELU": (2, None),
    "RELU_0_TO_1": (1, None),
    "RELU6": (2, None),
    "RELU_N1_TO_1": (1, None),
    "RESHAPE": (1, "ReshapeOptions"),
    "RESIZE_BILINEAR": (3, "ResizeBilinearOptions"),
    "RESIZE_NEAREST_NEIGHBOR": (2, "ResizeNearestNeighborOptions"),
    "RSQRT": (2, None),
    "SQRT": (1, None),
    "SHAPE": (1, "ShapeOptions"),
    "SLICE": (2, "SliceOptions"),
    "SOFTMAX": (2, "SoftmaxOptions"),
    "SPACE_TO_DEPTH": (1, "SpaceToDepthOptions"),
    "SPLIT": (2, "SplitOptions"),
    "SPLIT_V": (2, "SplitVOptions"),
    "SQUARE": (1, "SquareOptions"),
    "SQUARED_DIFFERENCE": (2, "SquaredDifferenceOptions"),
    "SQUEEZE": (1, "SqueezeOptions"),
    "STRIDED_SLICE": (2, "StridedSliceOptions"),
    "SUB": (2, "SubOptions"),
    "SUM": (1, "ReducerOptions"),
    "SVDF": (1, "SVDFOptions"),
    "TANH": (2, None),
    "TILE": (1, "TileOptions"),
    "TRANSPOSE": (2, "TransposeOptions"),
    "TRANSPOSE_CONV": (3, "TransposeConvOptions"),
    "UNPACK": (2, "UnpackOptions"),
    "VAR_HANDLE": (1, "VarHandleOptions"),
    "WHILE": (1, "WhileOptions"),
}
TYPES = {"int8": 9, "uint8": 3, "int16": 7, "int32": 2, "int64": 4, "float32": 0, "bool": 6, "resource": 13}  # of schema.TensorType


class Graph:
    """A model of one graph. Shapes and values of its tensors are those of the last run."""

    def __init__(self, name):
        self.rng = numpy.random.default_rng(zlib.crc32(name.encode()))
        self.model, self.graph = schema.ModelT(), schema.SubGraphT()
        self.model.version, self.model.subgraphs = 3, [self.graph]
        self.model.buffers, self.model.operatorCodes = [schema.BufferT()], []
        self.graph.name = name
        self.graph.tensors, self.graph.operators = [], []
        self.graph.inputs, self.graph.outputs = [], []
        self.values = {}

    def tensor(self, name, scales=None, zero_point=0, shape=(), data=None, dtype="int8", axis=0):
        """Index of one more tensor; one with data is a constant, one without scales has no range."""
        found = schema.TensorT()
        found.name, found.shape, found.type = name, list(shape), TYPES[dtype]
        if scales is not None:
            found.quantization = schema.QuantizationParametersT()
            found.quantization.scale = numpy.atleast_1d(scales).astype(numpy.float32)
            found.quantization.zeroPoint = [int(zero_point)] * len(found.quantization.scale)
            found.quantization.quantizedDimension = axis
        if data is not None:
            found.shape, found.type = list(data.shape), TYPES[data.dtype.name]
            found.buffer = len(self.model.buffers)
            self.model.buffers.append(schema.BufferT())
            self.model.buffers[-1].data = numpy.frombuffer(data.tobytes(), numpy.uint8)
        self.graph.tensors.append(found)
        return len(self.graph.tensors) - 1

    def constant(self, name, values):
        return self.tensor(name, data=numpy.array(values, numpy.int32))

    def input(self, name, values, scale, zero_point):
        found = self.tensor(name, scale, zero_point, values.shape)
        self.graph.inputs.append(found)
        self.values[found] = values
        return found

    def call(self, operator, inputs, outputs, version=None, **options):
        """Appends an operator, whose outputs become those of the graph."""
        usual, table = OPERATORS[operator]
        call = schema.OperatorT()
        call.inputs, call.outputs = inputs, outputs
        call.opcodeIndex = self.opcode(operator, version or usual)
        if table:
            call.builtinOptionsType = getattr(schema.BuiltinOptions, table)
            call.builtinOptions = getattr(schema, table + "T")()
        for key, value in options.items():
            assert hasattr(call.builtinOptions, key), f"{table} has no {key}"
            setattr(call.builtinOptions, key, value)
        self.graph.operators.append(call)
        self.graph.outputs = outputs

    def opcode(self, operator, version):
        code = schema.OperatorCodeT()
        code.builtinCode = getattr(schema.BuiltinOperator, operator)
        code.deprecatedBuiltinCode, code.version = min(code.builtinCode, 127), version
        code.customCode = "Resonator" if operator == "CUSTOM" else None
        known = [(found.builtinCode, found.version) for found in self.model.operatorCodes]
        if (code.builtinCode, version) not in known:
            known.append((code.builtinCode, version))
            self.model.operatorCodes.append(code)
        return known.index((code.builtinCode, version))

    def pack(self):
        builder = flatbuffers.Builder(1024)
        builder.Finish(self.model.Pack(builder), file_identifier=b"TFL3")
        return bytes(builder.Output())

    def run(self, resolver=OpResolverType.BUILTIN_REF):
        """Runs the reference kernels on the values of the inputs and keeps what every tensor holds."""
        interpreter = Interpreter(
            model_content=self.pack(),
            experimental_op_resolver_type=resolver,
            experimental_preserve_all_tensors=True,
        )
        interpreter.allocate_tensors()
        for index in self.graph.inputs:
            interpreter.set_tensor(index, self.values[index])
        interpreter.invoke()
        for index, found in enumerate(self.graph.tensors):
            if not found.buffer and found.type != TYPES["resource"]:
                self.values[index] = interpreter.get_tensor(index)
                found.shape = list(self.values[index].shape)
        return self

    def scale(self, index):
        """Scale as the float32 of the file, and zero point."""
        found = self.graph.tensors[index].quantization
        return float(found.scale[0]), found.zeroPoint[0]

    def rescale(self, index, scale, zero_point):
        found = self.graph.tensors[index].quantization
        found.scale, found.zeroPoint = numpy.float32([scale]), [int(zero_point)]


def fused(activation):
    return {"fusedActivationFunction": getattr(schema.ActivationFunctionType, activation)}


def window(stride, same):
    padding = schema.Padding.SAME if same else schema.Padding.VALID
    return {"padding": padding, "strideH": stride[0], "strideW": stride[1]}


def image(rng, shape):
    """All bytes once where they fit, else random bytes."""
    if math.prod(shape) == 256:
        return rng.permutation(256).astype(numpy.uint8).view(numpy.int8).reshape(shape)
    return rng.integers(-128, 128, shape, numpy.int8)


# Layers with weights

SUFFIX = {"NONE": "Linear", "RELU": "Relu", "RELU_N1_TO_1": "Relu1", "RELU6": "Relu6"}
COARSE = 0.25  # scale of a first pass, which finds the range of a tensor


def weight_shape(operator, inputs, kernel, outputs):
    if operator == "DEPTHWISE_CONV_2D":
        return 1, *kernel, outputs
    return (outputs, inputs) if operator == "FULLY_CONNECTED" else (outputs, *kernel, inputs)


def root_mean_square(values):
    return float(numpy.sqrt(numpy.mean(numpy.square(values.astype(float)))))


def float32_product(*scales):
    """The real multiplier of a layer if s_in * s_w is rounded to float32."""
    source, factor, output = map(numpy.float32, scales)
    return float(source * factor) / float(output)


def quantised(*scales):
    """The real multiplier of a layer in 31 bits."""
    fraction, exponent = math.frexp(scales[0] * scales[1] / scales[2])
    return math.ldexp(math.floor(fraction * 2**31 + 0.5), exponent - 31)


def near_halves(rng, other, source_scale, scale, outputs, per_channel):
    """Channels whose sums round one way with the multiplier in double, another way with `other`."""
    found = []
    while len(found) < outputs:
        if per_channel or len(found) == 0:
            factor = float(numpy.float32(rng.uniform(1.2e-7, 2e-7) * scale / source_scale))
        real, second = source_scale * factor / scale, other(source_scale, factor, scale)
        half = int(rng.integers(30, 100)) * int(rng.choice((-1, 1))) + 0.5
        total = round(half * (1 / real + 1 / second) / 2)
        if (total * real < half) != (total * second < half):
            found.append((real, total))
    return found


def products(weights, values, depthwise):
    """Sums without bias at the only place of the output."""
    if depthwise:
        repeated = numpy.repeat(values, weights.shape[-1] // values.shape[-1], -1)
        return (weights.astype(int) * repeated).sum((0, 1, 2))
    return weights.reshape(len(weights), -1).astype(int) @ values.reshape(-1)


def parameters(
    graph,
    operator,
    source,
    outputs,
    kernel,
    scale,
    *,
    per_channel=True,
    spread=1.0,
    peak=127,
    channels=None,
    sums=False,
    halves=None,
    rows=False,
    groups=1,
):
    """Weights, scales and biases of a layer whose real outputs have the standard deviation `spread`.

    channels: real multiplier and bias of each, or its sum at the only place of the output. halves: the
    other multiplier of near_halves, which gives the channels. rows: the input is one row for each place.
    """
    rng, (source_scale, source_zero) = graph.rng, graph.scale(source)
    values = graph.values[source].astype(int) - source_zero
    inputs = values.size if operator == "FULLY_CONNECTED" and not rows else values.shape[-1] // groups
    weights = rng.integers(-peak, peak + 1, weight_shape(operator, inputs, kernel, outputs), numpy.int8)
    deviation = (weights.size / outputs) ** 0.5 * root_mean_square(values) * root_mean_square(weights)
    factors = spread / source_scale / deviation * rng.uniform(0.6, 1.4, outputs if per_channel else 1)
    biases = rng.normal(0, spread / 4, outputs) / (source_scale * factors)
    if halves:
        channels, sums = near_halves(rng, halves, source_scale, scale, outputs, per_channel), True
    if channels:
        reals, biases = map(numpy.array, zip(*channels))
        factors = reals[: outputs if per_channel else 1] * scale / source_scale
    if sums:
        biases = biases - products(weights, values, operator == "DEPTHWISE_CONV_2D")
    return weights, factors.astype(numpy.float32), numpy.round(biases).astype(numpy.int32)


def weighted(
    graph,
    operator,
    source,
    name,
    outputs,
    kernel=(1, 1),
    *,
    stride=(1, 1),
    dilation=(1, 1),
    same=False,
    activation="NONE",
    scale=None,
    zero_point=0,
    bias="drawn",
    rows=False,
    shape=None,
    **scaling,
):
    """Appends a layer with weights; gives its output, whose range is found by a pass if scale is None.

    bias: "drawn", "none" (two inputs) or "absent" (index -1). shape: of the output of TRANSPOSE_CONV.
    """
    weights, factors, biases = parameters(
        graph, operator, source, outputs, kernel, scale, rows=rows, **scaling
    )
    axis = 3 if operator == "DEPTHWISE_CONV_2D" else 0
    held = [source, graph.tensor(f"{name}/weights", factors, data=weights, axis=axis)]
    if operator == "TRANSPOSE_CONV":
        held = [graph.constant(f"{name}/output_shape", shape), held[1], source]
    if bias == "drawn":
        scales = numpy.float32(graph.scale(source)[0]) * factors
        held.append(graph.tensor(f"{name}/bias", scales, data=biases))
    held += [-1] if bias == "absent" else []
    output = graph.tensor(f"{name}/{SUFFIX[activation]}", scale or COARSE, zero_point)
    options = fused(activation)
    if operator == "FULLY_CONNECTED":
        options |= {"keepNumDims": rows, "version": 12 if len(factors) > 1 else None}
    else:
        options |= window(stride, same)
    if operator == "TRANSPOSE_CONV" and activation != N:
        options["version"] = 4
    if operator in ("CONV_2D", "DEPTHWISE_CONV_2D"):
        options |= {"dilationHFactor": dilation[0], "dilationWFactor": dilation[1]}
    if operator == "DEPTHWISE_CONV_2D":
        options["depthMultiplier"] = outputs // graph.values[source].shape[-1]
    graph.call(operator, held, [output], **options)
    if scale is None:
        fit(graph, output, activation)
    return output


def fit(graph, output, activation):
    """Sets the range of a tensor as converters do: what a pass with a coarse scale finds, with 0 in it."""
    if activation == "RELU6":
        return graph.rescale(output, 6 / 255, -128)
    graph.rescale(output, COARSE, -128 if activation == "RELU" else 0)
    graph.run()
    real = (graph.values[output].astype(int) - graph.scale(output)[1]) * COARSE
    low, high = min(real.min() - COARSE, 0) if activation == "NONE" else 0, max(real.max() + COARSE, 0)
    scale = (high - low) / 255
    graph.rescale(output, scale, round(-128 - low / scale))


def pads(*pairs):
    return [*map(list, pairs)]


def pool(graph, operator, source, name, kernel, stride, same=False, activation=N):
    output = graph.tensor(name, *graph.scale(source))
    options = window(stride, same) | fused(activation)
    graph.call(operator, [source], [output], filterHeight=kernel[0], filterWidth=kernel[1], **options)
    return output
