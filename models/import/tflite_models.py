#!/usr/bin/env python3
"""Writes import/tests/data: small .tflite models and what the reference kernels of LiteRT give for them.

operators.npz holds models of one operator; each network is NAME.tflite beside NAME.npz with the bytes of
all its tensors; what cannot be imported is a .tflite alone. Every model draws from a generator seeded by
its name, so that one more model changes no other. README.md here lists their entries.
Needs `pip install ai-edge-litert==2.3.0 numpy==2.4.6 flatbuffers==25.12.19`; tests need the files alone.
Usage: models/import/tflite_models.py [FOLDER]
"""

import math
import pathlib
import sys
import zlib

import flatbuffers
import numpy
from ai_edge_litert import schema_py_generated as schema
from ai_edge_litert.interpreter import Interpreter, OpResolverType

OUTPUT = pathlib.Path(__file__).resolve().parents[2] / "import/tests/data"
OPERATORS = {  # name -> version, table of its options
    "ADD": (2, "AddOptions"),
    "ARG_MAX": (2, "ArgMaxOptions"),
    "AVERAGE_POOL_2D": (2, "Pool2DOptions"),
    "BATCH_MATMUL": (2, "BatchMatMulOptions"),
    "CONCATENATION": (2, "ConcatenationOptions"),
    "CONV_2D": (3, "Conv2DOptions"),
    "CUSTOM": (1, None),
    "DEPTHWISE_CONV_2D": (3, "DepthwiseConv2DOptions"),
    "FULLY_CONNECTED": (5, "FullyConnectedOptions"),
    "HARD_SWISH": (1, "HardSwishOptions"),
    "LEAKY_RELU": (2, "LeakyReluOptions"),
    "LOGISTIC": (2, None),
    "MAX_POOL_2D": (2, "Pool2DOptions"),
    "MEAN": (2, "ReducerOptions"),
    "MUL": (2, "MulOptions"),
    "PAD": (2, "PadOptions"),
    "QUANTIZE": (2, "QuantizeOptions"),
    "RELU": (2, None),
    "RELU6": (2, None),
    "RESHAPE": (1, "ReshapeOptions"),
    "RESIZE_NEAREST_NEIGHBOR": (2, "ResizeNearestNeighborOptions"),
    "SLICE": (2, "SliceOptions"),
    "SOFTMAX": (2, "SoftmaxOptions"),
    "SPLIT": (2, "SplitOptions"),
    "STRIDED_SLICE": (2, "StridedSliceOptions"),
    "SUB": (2, "SubOptions"),
    "SVDF": (1, "SVDFOptions"),
    "TANH": (2, None),
    "TRANSPOSE": (2, "TransposeOptions"),
    "TRANSPOSE_CONV": (3, "TransposeConvOptions"),
}
TYPES = {"int8": 9, "uint8": 3, "int16": 7, "int32": 2, "float32": 0}  # of schema.TensorType


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

    def run(self):
        """Runs the reference kernels on the values of the inputs and keeps what every tensor holds."""
        interpreter = Interpreter(
            model_content=self.pack(),
            experimental_op_resolver_type=OpResolverType.BUILTIN_REF,
            experimental_preserve_all_tensors=True,
        )
        interpreter.allocate_tensors()
        for index in self.graph.inputs:
            interpreter.set_tensor(index, self.values[index])
        interpreter.invoke()
        for index, found in enumerate(self.graph.tensors):
            if not found.buffer:
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
):
    """Weights, scales and biases of a layer whose real outputs have the standard deviation `spread`.

    channels: real multiplier and bias of each, or its sum at the only place of the output. halves: the
    other multiplier of near_halves, which gives the channels. rows: the input is one row for each place.
    """
    rng, (source_scale, source_zero) = graph.rng, graph.scale(source)
    values = graph.values[source].astype(int) - source_zero
    inputs = values.size if operator == "FULLY_CONNECTED" and not rows else values.shape[-1]
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
    low, high = min(real.min() - COARSE, 0) if activation == "NONE" else 0, real.max() + COARSE
    scale = (high - low) / 255
    graph.rescale(output, scale, round(-128 - low / scale))


# Models of one operator

N, R, R1, R6 = "NONE", "RELU", "RELU_N1_TO_1", "RELU6"
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
TRANSPOSED = {
    "stride_2_same": ((3, 4, 3), 4, (3, 3), {"same": True, "stride": (2, 2), "shape": (1, 6, 8, 4)}),
    "ties": ((1, 1, 2), 35, (1, 1), POWERS | {"channels": TIES, "shape": (1, 1, 1, 35)}),
    "stride_2_valid": ((3, 3, 2), 3, (2, 2), {"stride": (2, 2), "shape": (1, 6, 6, 3), "bias": "none"}),
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
}
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
}


def pads(*pairs):
    return [*map(list, pairs)]


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
    "pad": ("PAD", [(1, 3, 4, 2)], [0, pads((0, 0), (1, 2), (0, 3), (0, 0))], {}),
    "pad_channels": ("PAD", [(1, 3, 3, 3)], [0, pads((0, 0), (0, 0), (0, 0), (0, 5))], {}),
    "concatenation": ("CONCATENATION", [(1, 3, 4, 2), (1, 3, 4, 5)], [0, 1], {"axis": 3}),
    "concatenation_from_the_end": ("CONCATENATION", [(1, 2, 2, 8), (1, 2, 2, 8)], [0, 1], {"axis": -1}),
    "resize_nearest": ("RESIZE_NEAREST_NEIGHBOR", [(1, 3, 4, 2)], [0, [6, 8]], {}),
    "strided_slice": (
        "STRIDED_SLICE",
        [(1, 3, 3, 8)],
        [0, [0, 0, 0, 2], [1, 3, 3, 7], [1, 1, 1, 1]],
        {"beginMask": 7, "endMask": 7},
    ),
    "slice": ("SLICE", [(1, 3, 3, 8)], [0, [0, 0, 0, 3], [-1, -1, -1, 4]], {}),
    "split": ("SPLIT", [(1, 3, 3, 8)], [[3], 0], {"numSplits": 2}, None, 2),
    "transpose": ("TRANSPOSE", [(1, 3, 4, 5)], [0, [0, 3, 1, 2]], {}),
    "transpose_matrix": ("TRANSPOSE", [(1, 6, 7)], [0, [0, 2, 1]], {}),
    "batch_matmul": ("BATCH_MATMUL", [(1, 5, 8), (1, 8, 6)], [0, 1], {}, (1.3, 4)),
    "batch_matmul_adjoint": ("BATCH_MATMUL", [(1, 5, 8), (1, 6, 8)], [0, 1], {"adjY": True}, (1.3, -6)),
    "batch_matmul_scale_product": ("BATCH_MATMUL", [(1, 12, 40), (1, 40, 16)], [0, 1], {}, (0.0334158382, 0)),
    "softmax_fixed_point": ("SOFTMAX", [(1, 8, 120)], [0], {"beta": 2.389}, (1 / 256, -128)),
    "arg_max": ("ARG_MAX", [(1, 10)], [0, [1]], {"outputType": TYPES["int32"]}),
    "arg_max_of_planes": ("ARG_MAX", [(1, 4, 4, 6)], [0, [3]], {"outputType": TYPES["int32"]}),
}


def drawn(rng, zeros, count=2):
    """Zero points: the given ones, random ones in place of None."""
    return [int(rng.integers(-128, 128)) if zero is None else zero for zero in zeros or [None] * count]


def weighted_model(
    name, operator, size, outputs, kernel, zeros=None, scale=None, source_scale=None, **options
):
    graph = Graph(name)
    source_zero, zero = drawn(graph.rng, zeros)
    source_scale = float(numpy.float32(source_scale or graph.rng.uniform(0.01, 0.08)))
    scale = float(numpy.float32(scale or graph.rng.uniform(0.02, 0.1)))
    source = graph.input("input", image(graph.rng, size), source_scale, source_zero)
    weighted(
        graph,
        operator,
        source,
        "layer",
        outputs,
        kernel,
        scale=scale,
        zero_point=zero,
        spread=50 * scale,
        **options,
    )
    return graph


def halves_image(rng, size):
    """Planes of an even number of bytes whose mean is k + 1/2, for k below and above 0."""
    height, width, channels = size
    plane = numpy.arange(height * width) % 2
    planes = [rng.permutation(plane) + k - channels // 2 for k in range(channels)]
    return numpy.stack(planes, -1).reshape(1, *size).astype(numpy.int8)


def pool(graph, operator, source, name, kernel, stride, same=False, activation=N):
    output = graph.tensor(name, *graph.scale(source))
    options = window(stride, same) | fused(activation)
    graph.call(operator, [source], [output], filterHeight=kernel[0], filterWidth=kernel[1], **options)
    return output


def pool_model(name, operator, size, kernel, stride, zero, same, activation):
    graph = Graph(name)
    zero = drawn(graph.rng, [zero])[0]
    values = image(graph.rng, (1, *size))
    if kernel == size[:2] and operator == "AVERAGE_POOL_2D" and math.prod(kernel) % 2 == 0:
        values = halves_image(graph.rng, size)
    source = graph.input("input", values, 0.0457, zero)
    pool(graph, operator, source, "output", kernel, stride, same, activation)
    return graph


def two_inputs(name, operator, scales, zeros, activation):
    graph = Graph(name)
    images = [image(graph.rng, (1, 7, 9, 5)) for _ in range(2)]
    sources = [graph.input(f"input{i}", images[i], scales[i], zeros[i]) for i in range(2)]
    graph.call(operator, sources, [graph.tensor("output", scales[2], zeros[2])], **fused(activation))
    return graph


def same_input(name, operator, activation):
    graph = Graph(name)
    source = graph.input("input", image(graph.rng, (1, 16, 16, 1)), 0.031, -20)
    graph.call(operator, [source] * 2, [graph.tensor("output", 0.051, 7)], **fused(activation))
    return graph


def constant_input(name, operator, size, constant):
    """The second input is a constant of that shape."""
    graph = Graph(name)
    source = graph.input("input", image(graph.rng, size), 0.031, -20)
    factors = graph.tensor("factors", 0.0123, 5, data=image(graph.rng, constant))
    graph.call(operator, [source, factors], [graph.tensor("output", 0.051, 7)], **fused(N))
    return graph


def table_model(name, operator, scale, zero, output_scale, output_zero, options):
    graph = Graph(name)
    source = graph.input("input", image(graph.rng, (1, 16, 16, 1)), scale, zero)
    graph.call(operator, [source], [graph.tensor("output", output_scale, output_zero)], **options)
    return graph


def other_model(name, operator, shapes, places, options, ranged=None, parts=1):
    graph = Graph(name)
    scale, zero = 0.0457, int(graph.rng.integers(-60, 60))
    images = [image(graph.rng, shape) for shape in shapes]
    sources = [graph.input(f"input{i}", values, scale, zero) for i, values in enumerate(images)]
    held = [
        sources[place] if isinstance(place, int) else graph.constant(f"constant{i}", place)
        for i, place in enumerate(places)
    ]
    ranged, dtype = ranged or (scale, zero), "int32" if operator == "ARG_MAX" else "int8"
    outputs = [graph.tensor(f"output{i}", *ranged, dtype=dtype) for i in range(parts)]
    graph.call(operator, held, outputs, **options)
    return graph


def operator_models():
    """Name and graph of every model of one operator."""
    kinds = {
        "conv": ("CONV_2D", CONVOLUTIONS),
        "depthwise": ("DEPTHWISE_CONV_2D", DEPTHWISE),
        "transpose_conv": ("TRANSPOSE_CONV", TRANSPOSED),
    }
    rows = [
        (weighted_model, f"{kind}_{name}", (operator, (1, *size), *row, options))
        for kind, (operator, table) in kinds.items()
        for name, (size, *row, options) in table.items()
    ]
    rows += [
        (weighted_model, f"fully_connected_{name}", ("FULLY_CONNECTED", size, outputs, (1, 1), options))
        for name, (size, outputs, options) in DENSE.items()
    ]
    for maker, name, (*row, options) in rows:
        yield name, maker(name, *row, **options)
    tables = (pool_model, POOLS), (two_inputs, SUMS), (table_model, TABLES), (other_model, OTHERS)
    for maker, table in tables:
        yield from ((name, maker(name, *row)) for name, row in table.items())
    yield "add_twice", same_input("add_twice", "ADD", N)
    yield "sub_twice", same_input("sub_twice", "SUB", R)
    yield "mul_twice", same_input("mul_twice", "MUL", N)
    for operator in ("add", "mul"):
        name = f"{operator}_channel_vector"
        yield name, constant_input(name, operator.upper(), (1, 5, 4, 6), (1, 1, 1, 6))


def write_operators(folder):
    entries = {}
    for name, graph in operator_models():
        graph.run()
        entries[f"{name}/model"] = numpy.frombuffer(graph.pack(), numpy.uint8)
        entries |= {f"{name}/input{i}": graph.values[at] for i, at in enumerate(graph.graph.inputs)}
        for i, at in enumerate(graph.graph.outputs):
            entries[f"{name}/output{i or ''}"] = graph.values[at]
    numpy.savez_compressed(folder / "operators.npz", **entries)
    return sum(key.endswith("/model") for key in entries)


# Networks


def layer(graph, operator, source, name, outputs, kernel=(1, 1), **options):
    """A layer with weights whose output has the range that the input of the graph gives it."""
    output = weighted(graph, operator, source, name, outputs, kernel, **options)
    graph.run()
    return output


def conv(graph, source, name, outputs, kernel=(3, 3), **options):
    return layer(graph, "CONV_2D", source, name, outputs, kernel, **{"same": True} | options)


def depthwise(graph, source, name, **options):
    channels = graph.values[source].shape[3]
    return layer(graph, "DEPTHWISE_CONV_2D", source, name, channels, (3, 3), same=True, **options)


def dense(graph, source, name, outputs, **options):
    return layer(graph, "FULLY_CONNECTED", source, name, outputs, per_channel=False, **options)


def whole_pool(graph, source, name):
    size = graph.values[source].shape[1:3]
    output = pool(graph, "AVERAGE_POOL_2D", source, name, size, size)
    graph.run()
    return output


def add(graph, first, second, name, activation):
    output = graph.tensor(f"{name}/{SUFFIX[activation]}", COARSE)
    graph.call("ADD", [first, second], [output], **fused(activation))
    fit(graph, output, activation)
    graph.run()
    return output


def flatten(graph, source, name):
    shape = [1, graph.values[source].size]
    output = graph.tensor(name, *graph.scale(source))
    graph.call("RESHAPE", [source, graph.constant(f"{name}/shape", shape)], [output], newShape=shape)
    graph.run()
    return output


def classify(graph, source, classes):
    """Flattened, a fully connected layer, SOFTMAX."""
    source = dense(graph, flatten(graph, source, "flatten"), "dense", classes, spread=2.0)
    output = graph.tensor("softmax", 1 / 256, -128)
    graph.call("SOFTMAX", [source], [output], beta=1.0)


def separable(graph):
    x = graph.input("input", smooth(graph.rng, (1, 16, 16, 3)), 1 / 255, -128)
    x = conv(graph, x, "conv1", 8, stride=(2, 2), activation=R6, spread=5.0)
    for i, (outputs, stride) in enumerate([(12, (1, 1)), (16, (2, 2)), (20, (1, 1))], 2):
        x = depthwise(graph, x, f"depthwise{i}", stride=stride, activation=R6, spread=2.5)
        x = conv(graph, x, f"pointwise{i}", outputs, (1, 1), activation=R6, spread=2.5)
    classify(graph, whole_pool(graph, x, "pool"), 10)


def residual(graph):
    x = graph.input("input", smooth(graph.rng, (1, 8, 8, 3)), 0.0157, -3)
    x = conv(graph, x, "conv1", 8, activation=R)
    for i, (outputs, stride) in enumerate([(8, (1, 1)), (12, (2, 2))], 2):
        y = conv(graph, x, f"conv{i}a", outputs, stride=stride, activation=R)
        y = conv(graph, y, f"conv{i}b", outputs)
        if stride != (1, 1):
            x = conv(graph, x, f"shortcut{i}", outputs, (1, 1), stride=stride)
        x = add(graph, x, y, f"add{i}", R)
    classify(graph, whole_pool(graph, x, "pool"), 10)


def autoencoder(graph):
    x = graph.input("input", image(graph.rng, (1, 96)), 0.05, 7)
    for i, outputs in enumerate((32, 8, 32), 1):
        x = dense(graph, x, f"dense{i}", outputs, activation=R)
    dense(graph, x, "dense4", 96)


def keyword(graph):
    x = graph.input("input", smooth(graph.rng, (1, 25, 10, 1)), 0.58, 83)
    x = conv(graph, x, "conv1", 8, (10, 4), stride=(2, 2), activation=R)
    x = depthwise(graph, x, "depthwise2", activation=R)
    x = conv(graph, x, "pointwise2", 12, (1, 1), activation=R)
    classify(graph, whole_pool(graph, x, "pool"), 12)


def convolution(graph):
    x = graph.input("input", smooth(graph.rng, (1, 14, 14, 2)), 0.02, -11)
    x = conv(graph, x, "conv1", 6, same=False, activation=R)
    x = pool(graph, "MAX_POOL_2D", x, "pool1", (2, 2), (2, 2))
    graph.run()
    x = conv(graph, x, "conv2", 8, stride=(2, 2), activation=R)
    dense(graph, flatten(graph, x, "flatten"), "dense", 5)


def padded(graph):
    """As Keras makes them: PAD in front of a strided convolution, MEAN behind the last one."""
    x = graph.input("input", smooth(graph.rng, (1, 15, 15, 3)), 1 / 127, -1)
    for i, outputs in enumerate((8, 12), 1):
        amounts = graph.constant(f"pad{i}/paddings", pads((0, 0), (0, 1), (1, 2), (0, 0)))
        y = graph.tensor(f"pad{i}", *graph.scale(x))
        graph.call("PAD", [x, amounts], [y])
        graph.run()
        x = conv(graph, y, f"conv{i}", outputs, same=False, stride=(2, 2), activation=R6, spread=2.5)
    axes = graph.constant("mean/axes", [1, 2])
    y = graph.tensor("mean", 0.0213, -90)
    graph.call("MEAN", [x, axes], [y], keepDims=False)
    graph.run()
    dense(graph, y, "dense", 10)


NETWORKS = {
    "separable": separable,
    "residual": residual,
    "dense": autoencoder,
    "keyword": keyword,
    "convolution": convolution,
    "padded": padded,
}


def smooth(rng, shape):
    """Random bytes, each the mean of 2 x 2, spread over the whole range."""
    values = rng.uniform(-1, 1, shape)
    values = sum(numpy.roll(values, (i, j), (1, 2)) for i in (0, 1) for j in (0, 1))
    low, high = values.min(), values.max()
    return numpy.round((values - low) / (high - low) * 255 - 128).astype(numpy.int8)


def write_network(folder, name):
    graph = Graph(name)
    NETWORKS[name](graph)
    graph.run()
    (folder / f"{name}.tflite").write_bytes(graph.pack())
    entries = {"input0": graph.values[graph.graph.inputs[0]]}
    entries |= {f"tensor/{i}": graph.values[i] for i, at in enumerate(graph.graph.tensors) if not at.buffer}
    numpy.savez_compressed(folder / f"{name}.npz", **entries)


# What cannot be imported


def plain_conv(name, activations, weights, zero_point=0, image_shape=(1, 6, 6, 2)):
    """A 3x3 convolution with activations and weights of these types; gives its graph and output."""
    graph, scaled = Graph(name), 0.05 if activations != "float32" else None
    values = graph.rng.integers(1, 100, (3, 3, 3, 2)).astype(weights)
    bias = numpy.zeros(3, "float32" if activations == "float32" else "int32")
    source = graph.tensor("input", scaled, zero_point, image_shape, dtype=activations)
    held = graph.tensor("conv1/weights", None if weights == "float32" else 0.01, zero_point, data=values)
    bias = graph.tensor("conv1/bias", scaled and 0.05 * 0.01, data=bias)
    output = graph.tensor("conv1/Relu", scaled, zero_point, (*image_shape[:3], 3), dtype=activations)
    graph.call("CONV_2D", [source, held, bias], [output], **window((1, 1), True), **fused(R))
    graph.graph.inputs = [source]
    return graph, output


def unsupported():
    """A convolution, then two operators that no lowering has."""
    graph, source = plain_conv("unsupported", "int8", "int8")
    middle = graph.tensor("resonator", 0.05, shape=(1, 108))
    graph.call("CUSTOM", [source], [middle])
    feature = graph.tensor("svdf/weights_feature", 0.01, data=image(graph.rng, (4, 108)))
    time = graph.tensor("svdf/weights_time", 0.01, data=graph.rng.integers(-9, 9, (4, 2), numpy.int16))
    state = graph.tensor("svdf/state", 0.01, shape=(1, 8), dtype="int16")
    graph.graph.tensors[state].isVariable = True
    output = graph.tensor("svdf/Relu", 0.05, shape=(1, 4))
    graph.call("SVDF", [middle, feature, time, -1, state], [output], rank=1, **fused(R))
    return graph


def dynamic():
    """Batch and height are not known before the network runs."""
    graph, output = plain_conv("dynamic", "int8", "int8")
    for index in (graph.graph.inputs[0], output):
        found = graph.graph.tensors[index]
        found.shapeSignature = [-1, -1, *found.shape[2:]]
        found.shape = [1, 1, *found.shape[2:]]
    return graph


def malformed(name, shape, zero_point, calls):
    """Calls of operators on tensors of one shape: rows of operator, tensors read, tensor made; 0 is the input."""
    graph = Graph(name)
    count = 1 + max(made for _, _, made in calls)
    found = [graph.tensor(f"t{i}", 0.05, zero_point, shape) for i in range(count)]
    for operator, read, made in calls:
        options = {}
        if operator.endswith("POOL_2D"):
            options = {"filterHeight": 1, "filterWidth": 1, **window((1, 1), False), **fused(N)}
        graph.call(operator, [found[i] for i in read], [found[made]], **options)
    graph.graph.inputs = [found[0]]
    return graph


def mean_before_padding():
    """A mean, a maximum, then a convolution whose padding is not what the mean takes for 0."""
    graph = malformed("mean_before_padding", (1, 4, 4, 1), 5, [("AVERAGE_POOL_2D", [0], 1), ("MAX_POOL_2D", [1], 2)])
    weights = graph.tensor("weights", 0.01, data=graph.rng.integers(1, 9, (1, 3, 3, 1), numpy.int8))
    bias = graph.constant("bias", [0])
    output = graph.tensor("output", 0.05, 5, (1, 4, 4, 1))
    graph.call("CONV_2D", [2, weights, bias], [output], **window((1, 1), True), **fused(N))
    return graph


PLANE, WIDE = (1, 4, 4, 1), (1, 1, 1, 1 << 28)
MALFORMED = {  # name -> shape, zero point, calls
    "reads_itself": (PLANE, 0, [("RESHAPE", [0], 0)]),
    "reads_later": (PLANE, 0, [("MAX_POOL_2D", [2], 1), ("MAX_POOL_2D", [0], 2)]),
    "made_twice": (PLANE, 0, [("MAX_POOL_2D", [0], 1), ("MAX_POOL_2D", [0], 1)]),
    "wide": (WIDE, 0, [("AVERAGE_POOL_2D", [0], 1)]),
    "wide_add": (WIDE, 0, [("ADD", [0, 0], 1)]),
}


def other_shape():
    """A reshape to another shape than that of its tensor."""
    graph = malformed("other_shape", PLANE, 0, [("MAX_POOL_2D", [0], 1)])
    output = graph.tensor("output", 0.05, 0, PLANE)
    graph.call("RESHAPE", [1, graph.constant("shape", [1, 2, 8, 1])], [output])
    return graph


def refused_models():
    for name, row in MALFORMED.items():
        yield name, malformed(name, *row)
    yield "mean_before_padding", mean_before_padding()
    yield "other_shape", other_shape()
    yield "float", plain_conv("float", "float32", "float32")[0]
    yield "hybrid", plain_conv("hybrid", "float32", "int8")[0]
    yield "uint8", plain_conv("uint8", "uint8", "uint8", 128)[0]
    yield "unsupported", unsupported()
    yield "dynamic", dynamic()


def main():
    folder = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else OUTPUT
    folder.mkdir(parents=True, exist_ok=True)
    count = write_operators(folder)
    for name in NETWORKS:
        write_network(folder, name)
    for name, graph in refused_models():
        (folder / f"{name}.tflite").write_bytes(graph.pack())
    size = sum(path.stat().st_size for path in folder.iterdir())
    print(f"{count} models of one operator, {len(NETWORKS)} networks in {folder}: {size >> 10} KiB")


if __name__ == "__main__":
    main()
