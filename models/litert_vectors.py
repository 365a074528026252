#!/usr/bin/env python3
"""Writes arch/tests/data/litert.json: what the reference kernels of LiteRT give for small layers.

Each layer becomes a .tflite file and runs with BUILTIN_REF, the resolver of the reference kernels.
Needs `pip install ai-edge-litert==2.3.0`; its version is recorded. Tests need the file alone.
Usage: models/litert_vectors.py
"""

import importlib.metadata
import itertools
import json
import pathlib
import random

import flatbuffers
import numpy
from ai_edge_litert import schema_py_generated as schema
from ai_edge_litert.interpreter import Interpreter, OpResolverType

from requant_vectors import eighths, single_bits
from tflite import INT32_MAX, INT32_MIN, quantise_multiplier

OUTPUT = pathlib.Path(__file__).resolve().parents[1] / "arch/tests/data/litert.json"
KERNELS = {  # kind -> operator, options
    "conv2d": (schema.BuiltinOperator.CONV_2D, "Conv2DOptions"),
    "depthwise": (schema.BuiltinOperator.DEPTHWISE_CONV_2D, "DepthwiseConv2DOptions"),
    "fully_connected": (schema.BuiltinOperator.FULLY_CONNECTED, "FullyConnectedOptions"),
}


def quantisation(scales, zero_point, dimension=0):
    found = schema.QuantizationParametersT()
    found.scale, found.zeroPoint = scales, [zero_point] * len(scales)
    found.quantizedDimension = dimension
    return found


def run_reference(kind, image, weights, bias, scales, zero_points, options):
    """int8 outputs for an NHWC image; scales: of the input and of each output channel's weights."""
    operator, name = KERNELS[kind]
    model, graph, call = schema.ModelT(), schema.SubGraphT(), schema.OperatorT()
    model.buffers, graph.tensors = [schema.BufferT()], []

    def tensor(dtype, shape, parameters, data=None):
        found = schema.TensorT()
        found.type, found.shape, found.quantization = dtype, list(shape), parameters
        found.name = str(len(graph.tensors))
        if data is not None:
            model.buffers.append(schema.BufferT())
            model.buffers[-1].data = numpy.frombuffer(data.tobytes(), dtype=numpy.uint8)
            found.buffer = len(model.buffers) - 1
        graph.tensors.append(found)

    int8, int32 = schema.TensorType.INT8, schema.TensorType.INT32
    axis = 3 if kind == "depthwise" else 0
    bias_scales = [float(numpy.float32(scales[0] * scale)) for scale in scales[1]]
    tensor(int8, image.shape, quantisation([scales[0]], zero_points[0]))
    tensor(int8, weights.shape, quantisation(scales[1], 0, axis), weights)
    tensor(int32, bias.shape, quantisation(bias_scales, 0), bias)
    tensor(int8, (), quantisation([1.0], zero_points[1]))
    graph.inputs, graph.outputs = [0], [3]
    call.inputs, call.outputs = [0, 1, 2], [3]
    call.builtinOptionsType = getattr(schema.BuiltinOptions, name)
    call.builtinOptions = getattr(schema, name + "T")()
    for key, value in options.items():
        setattr(call.builtinOptions, key, value)
    code = schema.OperatorCodeT()
    code.builtinCode = code.deprecatedBuiltinCode = operator
    code.version = 12 if kind == "fully_connected" else 5
    graph.operators, model.operatorCodes = [call], [code]
    model.subgraphs, model.version = [graph], 3

    builder = flatbuffers.Builder(1024)
    builder.Finish(model.Pack(builder), file_identifier=b"TFL3")
    interpreter = Interpreter(
        model_content=bytes(builder.Output()),
        experimental_op_resolver_type=OpResolverType.BUILTIN_REF,
    )
    interpreter.allocate_tensors()
    interpreter.set_tensor(interpreter.get_input_details()[0]["index"], image)
    interpreter.invoke()
    return interpreter.get_tensor(interpreter.get_output_details()[0]["index"])


def same_padding(size, kernel, stride, dilation):
    """Places before and after, as padding SAME has them."""
    total = max((-(-size // stride) - 1) * stride + (kernel - 1) * dilation + 1 - size, 0)
    return total // 2, total - total // 2


def case(name, kind, image, weights, bias, scales, zero_points, relu=False, **geometry):
    """A network of one layer, its image (C, H, W) and what the reference gives for it."""
    stride, dilation = geometry.get("stride", (1, 1)), geometry.get("dilation", (1, 1))
    same = geometry.get("same", False)
    options = {"fusedActivationFunction": int(relu)}
    if kind != "fully_connected":
        options |= {"padding": 0 if same else 1, "strideH": stride[0], "strideW": stride[1]}
        options |= {"dilationHFactor": dilation[0], "dilationWFactor": dilation[1]}
    if kind == "depthwise":
        options["depthMultiplier"] = weights.shape[3] // image.shape[3]
    found = run_reference(kind, image, weights, bias, scales, zero_points, options)

    scaled = [quantise_multiplier(scales[0] * scale) for scale in scales[1]]
    layer = {"kind": "fully_connected" if kind == "fully_connected" else "conv2d", "name": name}
    if kind == "fully_connected":
        layer["output_features"] = len(bias)
        order, height, width, channels = weights, 1, 1, image.shape[1]
    else:
        _, height, width, channels = image.shape
        # O, H, W, I or 1, H, W, O to O, I, H, W
        order = weights.transpose((0, 3, 1, 2) if kind == "conv2d" else (3, 0, 1, 2))
        places = [(0, 0)] * 2
        if same:
            sizes = zip((height, width), order.shape[2:], stride, dilation)
            places = [same_padding(*size) for size in sizes]
        layer |= {"output_channels": len(bias), "kernel": order.shape[2:]}
        layer |= {"stride": stride, "dilation": dilation}
        layer |= {"groups": channels} if kind == "depthwise" else {}
        layer["padding"] = dict(zip(("top", "bottom", "left", "right"), sum(places, ())))
        found, image = found.transpose((0, 3, 1, 2)), image.transpose((0, 3, 1, 2))
    layer |= {
        "weights": order.flatten().tolist(),
        "bias": bias.tolist(),
        "multiplier": [multiplier for multiplier, _ in scaled],
        "shift": [shift for _, shift in scaled],
        "rounding": "single" if kind == "fully_connected" else "double",
        "output_zero_point": zero_points[1],
        "activation_min": zero_points[1] if relu else -128,
        "activation_max": 127,
        "output_scale": 1.0,
    }
    source = {"channels": channels, "height": height, "width": width}
    source |= {"zero_point": zero_points[0], "scale": scales[0]}
    network = {"format": "heddle-network-1", "name": name, "input": source, "layers": [layer]}
    return {
        "network": network,
        "image": image.flatten().tolist(),
        "expected": found.flatten().tolist(),
    }


def scalings(rng):
    """(sum, scale): ties and their neighbours for each right shift, and any sum with any scale."""
    for acc, _, shift, *_ in dict.fromkeys((v[:3]) for v in [*eighths(), *single_bits()]):
        yield acc, 2.0 ** (shift - 1)
    for _ in range(600):
        scale = rng.uniform(0.5, 1) * 2.0 ** rng.randint(-31, 8)
        acc = round(rng.uniform(-150, 150) / scale)
        yield max(INT32_MIN + 1, min(INT32_MAX, acc)), scale


def requantisation(rng, kind, zero_point, relu):
    """Sums that are biases: every weight is 0."""
    accs, scales = zip(*((acc, scale) for acc, scale in scalings(rng) if acc != INT32_MIN))
    ratio = float(numpy.float32(1.2345678))  # so that multipliers have more than 24 bits
    weights = [
        float(numpy.float32(scale if scale.hex().startswith("0x1.0000000000000p") else scale / ratio))
        for scale in scales
    ]
    for exact in (True, False):
        chosen = [i for i, scale in enumerate(scales) if exact == (weights[i] == scale)]
        shape = (1, 1) if kind == "fully_connected" else (1, 1, 1, 1)
        yield case(
            f"requantise_{kind}_{'ties' if exact else 'random'}",
            kind,
            numpy.zeros(shape, numpy.int8),
            numpy.zeros((len(chosen), *shape[1:]), numpy.int8),
            numpy.array([accs[i] for i in chosen], numpy.int32),
            (1.0 if exact else ratio, [weights[i] for i in chosen]),
            (0, zero_point),
            relu,
        )


def layer(rng, name, kind, size, kernel, outputs, **geometry):
    """A layer with weights, image, zero points and a scale for each channel drawn at random."""
    numbers = numpy.random.default_rng(rng.randrange(1 << 30))
    inputs = size[2]
    shape = {
        "conv2d": (outputs, *kernel, inputs),
        "depthwise": (1, *kernel, outputs),
        "fully_connected": (outputs, inputs),
    }[kind]
    image_shape = (1, inputs) if kind == "fully_connected" else (1, *size)
    terms = kernel[0] * kernel[1] * (1 if kind == "depthwise" else inputs)
    scales = [float(numpy.float32(rng.uniform(0.3, 2) / 75 / terms**0.5)) for _ in range(outputs)]
    return case(
        name,
        kind,
        numbers.integers(-128, 128, image_shape, numpy.int8),
        numbers.integers(-127, 128, shape, numpy.int8),
        numbers.integers(-20000, 20000, outputs, numpy.int32),
        (float(numpy.float32(rng.uniform(0.5, 1))), scales),
        (rng.randint(-128, 127), rng.randint(-30, 30)),
        **geometry,
    )


def main():
    rng = random.Random(20260101)
    same, strided = {"same": True}, {"same": True, "stride": (2, 1)}
    kinds = zip(("conv2d", "fully_connected"), (-5, 17), (False, True))
    cases = [
        *itertools.chain(*(requantisation(rng, *kind) for kind in kinds)),
        layer(rng, "convolution", "conv2d", (6, 5, 3), (3, 3), 7, **same),
        layer(rng, "pointwise", "conv2d", (3, 4, 9), (1, 1), 5, relu=True),
        layer(rng, "strided", "conv2d", (7, 6, 2), (2, 3), 4, **strided),
        layer(rng, "dilated", "conv2d", (7, 8, 2), (3, 2), 3, dilation=(2, 3)),
        layer(rng, "depthwise", "depthwise", (6, 5, 6), (3, 3), 6, **strided),
        layer(rng, "depthwise_of_two", "depthwise", (5, 4, 3), (3, 2), 6, relu=True),
        layer(rng, "fully_connected", "fully_connected", (1, 1, 60), (1, 1), 24),
        layer(rng, "fully_connected_relu", "fully_connected", (1, 1, 17), (1, 1), 9, relu=True),
    ]
    version = importlib.metadata.version("ai-edge-litert")
    head = json.dumps({"ai-edge-litert": version, "resolver": "BUILTIN_REF"})
    lines = ",\n".join(json.dumps(entry, separators=(",", ":")) for entry in cases)
    OUTPUT.write_text(f'{head[:-1]}, "cases": [\n{lines}\n]}}\n')
    print(f"{sum(len(entry['expected']) for entry in cases)} outputs in {OUTPUT.name}")


if __name__ == "__main__":
    main()
