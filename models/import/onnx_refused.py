"""ONNX models that cannot be imported."""

import numpy
import onnx
from onnx import TensorProto, helper, numpy_helper

from onnx_graph import OPSETS, Model, weighted

FLOAT = TensorProto.FLOAT


def file(name, nodes, constants=(), shape=(1, 2, 6, 6), kind=FLOAT, output="output", versions=(9, 17)):
    """A model whose constants are arrays by name."""
    tensors = [numpy_helper.from_array(values, key) for key, values in dict(constants).items()]
    inputs = [helper.make_tensor_value_info("input", kind, shape)]
    outputs = [helper.make_tensor_value_info(output, FLOAT, None)]
    graph = helper.make_graph(nodes, name, inputs, outputs, tensors)
    opsets = [helper.make_opsetid("", versions[1]), *OPSETS[1:]]
    return helper.make_model(graph, opset_imports=opsets, ir_version=versions[0])


def node(operator, inputs, output, **attributes):
    return helper.make_node(operator, inputs, [output], f"{output}/{operator}", **attributes)


WEIGHTS = numpy.ones((3, 2, 3, 3), numpy.float32)


def floating(name, **options):
    nodes = [node("Conv", ["input", "weights"], "conv1"), node("Relu", ["conv1"], "output")]
    return file(name, nodes, {"weights": WEIGHTS}, **options)


def dynamic(name):
    nodes = [
        helper.make_node("DynamicQuantizeLinear", ["input"], ["bytes", "scale", "zero"], "quantise"),
        node("ConvInteger", ["bytes", "weights", "zero"], "sums"),
        node("Cast", ["sums"], "output", to=FLOAT),
    ]
    return file(name, nodes, {"weights": WEIGHTS.astype(numpy.int8)})


def quantised(name):
    """A convolution in bytes; gives the model and the float32 that its output stands for."""
    model = Model(name)
    source = model.input((1, 2, 6, 6), 0.05, 3)
    return model, weighted(model, "Conv", source, "conv1", 4, (3, 3))


def ended(model, name, kind="float32"):
    """The model with this output."""
    return model.pack({name: kind})


def island(name):
    """A convolution without scales between others that have them, and a sum that reads it."""
    model, x = quantised(name)
    weights = model.constant("island_weights", numpy.ones((4, 4, 1, 1), numpy.float32))
    model.call("Conv", [model.real(x), weights], "island")
    model.call("Conv", [model.real(x), model.dequantise("conv2_weights")], "conv2")
    model.constant("conv2_weights", numpy.ones((4, 4, 1, 1), numpy.int8))
    model.range("conv2_weights", numpy.float32(0.01), numpy.int8(0))
    model.call("Add", ["island", "conv2"], "sum")
    model.quantise("sum", 0.1, 3)
    return model.pack()


def unsupported(name):
    """Two operators that no layer does, one behind the other."""
    model, x = quantised(name)
    model.call("Sin", [model.real(x)], "sine")
    y = model.quantise("sine", 1 / 128, 0)
    model.call("LSTM", [model.real(y)], "lstm", hidden_size=4)
    return ended(model, "lstm")


def weights_zero(name):
    model = Model(name)
    source = model.input((1, 2, 6, 6), 0.05, 3)
    weighted(model, "Conv", source, "conv1", 4, (3, 3), weights_zero=7)
    return model.pack()


def without_sign(name):
    model = Model(name, "qoperator", "uint8", "uint8")
    source = model.input((1, 2, 6, 6), 0.05, 3)
    weighted(model, "Conv", source, "conv1", 4, (3, 3), weights_zero=7)
    return model.pack()


def other_scale(name):
    """A bias whose scale is not that of the sums, and a tensor read with another scale than it was made with."""
    model, x = quantised(name)
    for tensor in model.constants:
        if tensor.name == "conv1_bias_scale":
            tensor.CopyFrom(numpy_helper.from_array(numpy.full(4, 0.5, numpy.float32), tensor.name))
    model.range("other", numpy.float32(0.07), numpy.int8(0))
    model.call("DequantizeLinear", [x.name, "other_scale", "other_zero_point"], "output")
    return ended(model, "output")


def numbers(model, name, *lists):
    """Constants of int64."""
    return [model.constant(f"{name}_{i}", numpy.array(values, numpy.int64)) for i, values in enumerate(lists)]


def awkward(name):
    """What layers cannot do, each in an operator that they can."""
    model, x = quantised(name)
    real, y = model.real(x), {}
    y["pool"] = model.call("AveragePool", [real], "pool", kernel_shape=[2, 2], pads=[1, 1, 0, 0])
    y["ceil"] = model.call("AveragePool", [real], "ceil", kernel_shape=[3, 3], strides=[2, 2], ceil_mode=1)
    y["channels"] = model.call("ReduceMean", [real], "channels", axes=[1])
    y["flat"] = model.call("Flatten", [real], "flat")
    y["product"] = model.call("MatMul", [y["flat"], y["flat"]], "product")
    y["stepped"] = model.call("Slice", [real, *numbers(model, "slice", [0], [9], [2], [2])], "stepped")
    y["split"] = model.call("Split", [real, *numbers(model, "sizes", [3])], "split", axis=1)
    factors = model.constant("factors", numpy.array([1, 1, 2, 2], numpy.float32))
    y["bilinear"] = model.call("Resize", [real, "", factors], "bilinear", mode="linear")
    aligned = {"coordinate_transformation_mode": "align_corners"}
    y["aligned"] = model.call("Resize", [real, "", factors], "aligned", **aligned)
    y["joined"] = model.call("Concat", [real, y["flat"]], "joined", axis=1)
    y["sides"] = model.call("Mul", [real, y["flat"]], "sides")
    y["slopes"] = model.call("PRelu", [real, model.constant("slope", numpy.ones((4, 1, 1), numpy.float32))], "slopes")
    shares = model.quantise(model.call("Softmax", [real], "shares", axis=-1), 1 / 128, 0)
    y["of_shares"] = model.call("Tanh", [model.real(shares)], "of_shares")
    bias = model.constant("wide_bias", numpy.ones(4, numpy.float32))
    model.constant("wide_weights", numpy.ones((4, 4, 1, 1), numpy.int8))
    model.range("wide_weights", numpy.float32(0.01), numpy.int8(0))
    y["wide"] = model.call("Conv", [real, model.dequantise("wide_weights"), bias], "wide")
    pads = model.constant("pads", numpy.ones(8, numpy.int64))
    y["wrapped"] = model.call("Pad", [real, pads], "wrapped", mode="wrap")
    names = [name for name in y if name not in ("flat", "wrapped")]
    outputs = {model.quantise(name, 0.1, 0).name: "int8" for name in names}
    places = {"last": {"axis": 1, "select_last_index": 1}, "of_batch": {}, "best": {"axis": 1}}
    for name, options in places.items():
        outputs[model.call("ArgMax", [real], name, **options)] = "int64"
    outputs[model.call("Flatten", ["best"], "of_best")] = "int64"
    return model.pack(outputs | {"wrapped": "float32"})


def copied(name):
    """One constant, of which every reader makes another copy."""
    model, x = quantised(name)
    model.constant("bytes", numpy.full((4, 4, 15, 15), 128, numpy.uint8))
    ranged = model.range("bytes", numpy.float32(0.01), numpy.uint8(128))
    for i in range(60):
        model.call("DequantizeLinear", ["bytes", *ranged], f"copy{i}")
    model.call("Conv", [model.real(x), "copy59"], "conv2", pads=[7, 7, 7, 7])
    model.quantise("conv2", 0.1, 0)
    return model.pack()


def other_shape(name):
    """A shape that is not that of the result."""
    model, _ = quantised(name)
    file = onnx.load_from_string(model.pack())
    file.graph.value_info.append(helper.make_tensor_value_info("conv1", FLOAT, (1, 4, 5, 5)))
    return file.SerializeToString()


def padded(name):
    """As many zeros around a convolution as its kernel has places."""
    model = Model(name)
    source = model.input((1, 2, 6, 6), 0.05, 3)
    weighted(model, "Conv", source, "conv1", 4, (1, 1), pads=[1, 1, 1, 1])
    return model.pack()


def computed(name):
    """Constants that are too large, that do not fit, and that follow from no other ones."""
    model, x = quantised(name)
    real, y = model.real(x), {}
    wide = numbers(model, "wide", [1 << 20, 1 << 20], [1 << 31, 0], [1 << 40])
    y["large"] = model.call("ConstantOfShape", wide[:1], "large")
    y["empty"] = model.call("ConstantOfShape", wide[1:2], "empty")
    y["repeated"] = model.call("Tile", wide[1:], "repeated")
    y["beyond"] = model.call("Gather", [wide[0], wide[2]], "beyond")
    y["narrow"] = model.call("Cast", wide[2:], "narrow", to=TensorProto.INT32)
    y["by_zero"] = model.call("Div", [wide[0], *numbers(model, "zero", [0])], "by_zero")
    y["of_bytes"] = model.call("Cast", [real], "of_bytes", to=TensorProto.INT64)
    return model.pack({name: "int64" for name in y})


def external(name):
    model = floating(name)
    tensor = model.graph.initializer[0]
    tensor.ClearField("raw_data")
    tensor.data_location = TensorProto.EXTERNAL
    entry = tensor.external_data.add()
    entry.key, entry.value = "location", "../weights.bin"
    model.graph.node.append(node("QuantizeLinear", ["output", "scale"], "bytes"))
    model.graph.initializer.append(numpy_helper.from_array(numpy.float32(1), "scale"))
    return model


def changed(name, change):
    model = floating(name)
    model.graph.node.append(node("QuantizeLinear", ["output", "weights"], "bytes"))
    change(model.graph)
    return model


def backwards(graph):
    nodes = list(graph.node)[::-1]
    del graph.node[:]
    graph.node.extend(nodes)


CHANGES = {
    "reads_later": backwards,
    "made_twice": lambda graph: graph.node.append(graph.node[0]),
    "no_such_output": lambda graph: setattr(graph.output[0], "name", "nowhere"),
    "short": lambda graph: setattr(graph.initializer[0], "raw_data", b"1234"),
    "large": lambda graph: graph.initializer[0].dims.__setitem__(0, 1 << 31),
    "deep": lambda graph: graph.initializer[0].dims.extend([1] * 9),
    "open_size": lambda graph: setattr(graph.input[0].type.tensor_type.shape.dim[2], "dim_param", "height"),
}


def refused_models():
    """Name and bytes of each."""
    yield "float", floating("float").SerializeToString()
    yield "dynamic", dynamic("dynamic").SerializeToString()
    yield "old", floating("old", versions=(9, 9)).SerializeToString()
    yield "future", floating("future", versions=(99, 17)).SerializeToString()
    yield "external", external("external").SerializeToString()
    for name, change in CHANGES.items():
        yield name, changed(name, change).SerializeToString()
    for make in (island, unsupported, weights_zero, without_sign, other_scale, other_shape, copied, awkward, padded, computed):
        yield make.__name__, make(make.__name__)
