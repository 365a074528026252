"""What files may look like that LiteRT takes: shapes that operators compute, options that are left out, and the rest."""

import numpy
from ai_edge_litert import schema_py_generated as schema

from graph import N, TYPES, Graph, fused, image, weighted


def computed(graph, operator, inputs, name, dtype="int32", **options):
    """An operator on integers; gives its output."""
    output = graph.tensor(name, dtype=dtype)
    graph.call(operator, inputs, [output], **options)
    return output


def part(graph, source, name, begin, end, stride=1, shrink=0, masks=(0, 0)):
    held = [graph.constant(f"{name}/{key}", [at]) for key, at in zip(("begin", "end", "stride"), (begin, end, stride))]
    options = {"shrinkAxisMask": shrink, "beginMask": masks[0], "endMask": masks[1]}
    return computed(graph, "STRIDED_SLICE", [source, *held], name, **options)


def sizes_of(graph, source):
    return computed(graph, "SHAPE", [source], "sizes", outType=TYPES["int32"])


def scalar(graph, name, value, dtype=numpy.int32):
    return graph.tensor(name, data=numpy.array(value, dtype))


def convolution(name):
    graph = Graph(name)
    source = graph.input("input", image(graph.rng, (1, 6, 5, 4)), 0.031, -20)
    output = weighted(graph, "CONV_2D", source, "conv", 6, (3, 3), scale=0.1, zero_point=2, spread=5)
    return graph.run(), output


def ended(graph, source, shape, outputs=7):
    """A RESHAPE to a shape, and a fully connected layer."""
    flat = graph.tensor("flat", *graph.scale(source))
    graph.call("RESHAPE", [source, shape], [flat])
    graph.run()
    weighted(graph, "FULLY_CONNECTED", flat, "dense", outputs, scale=0.4, zero_point=-3, spread=20, per_channel=False)
    return graph.run()


def flattened(name):
    """As Keras flattens a plane whose batch is open."""
    graph, source = convolution(name)
    batch = part(graph, sizes_of(graph, source), "batch", 0, 1, shrink=1)
    shape = computed(graph, "PACK", [batch, scalar(graph, "all", 72)], "shape", valuesCount=2)
    return ended(graph, source, shape)


def multiplied(name):
    """Sizes times one another, and a part with steps backwards."""
    graph, source = convolution(name)
    sizes = sizes_of(graph, source)
    first = computed(graph, "GATHER", [sizes, graph.constant("places", [1, 2])], "first")
    last = part(graph, sizes, "last", -1, 0, -9, masks=(1, 1))
    all_three = computed(graph, "CONCATENATION", [first, last], "all_three", **fused(N))
    one = computed(graph, "MUL", [part(graph, all_three, "h", 0, 1), part(graph, all_three, "w", 1, 2)], "hw", **fused(N))
    one = computed(graph, "MUL", [one, part(graph, all_three, "c", 2, 3)], "hwc", **fused(N))
    one = computed(graph, "SUB", [computed(graph, "ADD", [one, one], "twice", **fused(N)), one], "once", **fused(N))
    shape = computed(graph, "CONCATENATION", [graph.constant("batch", [1]), one], "shape", **fused(N))
    return ended(graph, source, shape)


def counted(name):
    """The product of the sizes that a range of places has."""
    graph, source = convolution(name)
    ends = [scalar(graph, key, at) for key, at in (("from", 3), ("to", 0), ("by", -1))]
    places = computed(graph, "RANGE", ends, "places")
    sizes = computed(graph, "GATHER", [sizes_of(graph, source), places], "sizes_back")
    axes = graph.constant("axes", [-1])
    flat = computed(graph, "REDUCE_PROD", [sizes, axes], "flat", keepDims=True)
    batch = computed(graph, "CAST", [flat], "is_any", "bool", inDataType=TYPES["int32"], outDataType=TYPES["bool"])
    batch = computed(graph, "CAST", [batch], "batch", inDataType=TYPES["bool"], outDataType=TYPES["int32"])
    shape = computed(graph, "CONCATENATION", [batch, flat], "shape", **fused(N))
    return ended(graph, source, shape)


def filled(name):
    """Zeros around a plane, whose numbers come of int64."""
    graph, source = convolution(name)
    dims = graph.constant("dims", [4, 1])
    ones = computed(graph, "FILL", [dims, scalar(graph, "two", 2, numpy.int64)], "ones", "int64")
    ones = computed(graph, "CAST", [ones], "narrow", inDataType=TYPES["int64"], outDataType=TYPES["int32"])
    ones = computed(graph, "TILE", [ones, graph.constant("times", [1, 2])], "pairs")
    mask = graph.constant("mask", [[0, 0], [1, 0], [1, 1], [0, 0]])
    amounts = computed(graph, "MUL", [ones, mask], "amounts", **fused(N))
    rows = computed(graph, "RESHAPE", [amounts, graph.constant("flat", [8])], "row")
    amounts = computed(graph, "RESHAPE", [rows, graph.constant("square", [4, 2])], "square")
    amounts = computed(graph, "CAST", [amounts], "wide", "int64", inDataType=TYPES["int32"], outDataType=TYPES["int64"])
    output = graph.tensor("output", *graph.scale(source))
    graph.call("PAD", [source, amounts], [output])
    return graph.run()


def squeezed(name):
    """Dimensions that go and come, and a part by begin and size."""
    graph, source = convolution(name)
    sizes = sizes_of(graph, source)
    sizes = computed(graph, "EXPAND_DIMS", [sizes, scalar(graph, "axis", 0)], "row")
    sizes = computed(graph, "SQUEEZE", [sizes], "list", squeezeDims=[0])
    held = [graph.constant("begin", [1]), graph.constant("size", [-1])]
    plane = computed(graph, "SLICE", [sizes, *held], "plane")
    shape = computed(graph, "CONCATENATION", [graph.constant("batch", [-1, 1]), plane], "shape", **fused(N))
    flat = graph.tensor("output", *graph.scale(source))
    graph.call("RESHAPE", [source, shape], [flat])
    graph.run()
    # The shape is that of a converter which knew none.
    graph.graph.tensors[flat].shapeSignature = [-1] * 5
    graph.graph.tensors[flat].shape = [1] * 5
    graph.graph.outputs = [flat]
    return graph


def padded(name):
    graph = Graph(name)
    source = graph.input("input", image(graph.rng, (1, 6, 5, 4)), 0.031, -20)
    middle = graph.tensor("pad", 0.031, -20)
    amounts = graph.constant("amounts", [[0, 0], [1, 1], [1, 1], [0, 0]])
    graph.call("PAD", [source, amounts], [middle])
    graph.run()
    weighted(graph, "CONV_2D", middle, "conv", 5, (3, 3), scale=0.1, zero_point=2, spread=5)
    return graph.run()


def without_table(name):
    """Options of a type, and no table of them."""
    graph = padded(name)
    graph.graph.operators[0].builtinOptions = None
    return graph


def joined_without_table(name):
    """An axis of 0, which is that of the second input."""
    graph, source = convolution(name)
    sizes = sizes_of(graph, source)
    one = part(graph, sizes, "one", 0, 1)
    graph.graph.operators[-1].builtinOptions = None
    shape = computed(graph, "CONCATENATION", [one, graph.constant("all", [72])], "shape")
    graph.graph.operators[-1].builtinOptions = None
    return ended(graph, source, shape)


def open_sizes(name):
    """A signature leaves sizes open that the shape has."""
    graph, _ = convolution(name)
    for found in graph.graph.tensors:
        if not found.buffer:
            found.shapeSignature = [-1] * len(found.shape)
    return graph


def empty_tensor(name):
    graph, _ = convolution(name)
    graph.tensor("nothing", 0.1, 0, (1, 0, 4))
    return graph


def two_graphs(name):
    """A further graph that nothing runs."""
    graph, _ = convolution(name)
    other = schema.SubGraphT()
    other.tensors, other.operators, other.inputs, other.outputs, other.name = [], [], [], [], "other"
    graph.model.subgraphs.append(other)
    return graph


class Moved(Graph):
    """A file whose lists of int64 are not aligned: all behind the head lies 4 bytes further."""

    def pack(self):
        file = super().pack()
        root = int.from_bytes(file[:4], "little") + 4
        return root.to_bytes(4, "little") + file[4:8] + bytes(4) + file[8:]


def not_aligned(name):
    graph, _ = convolution(name)
    graph.__class__ = Moved
    return graph


MODELS = (
    flattened,
    multiplied,
    counted,
    filled,
    squeezed,
    without_table,
    joined_without_table,
    open_sizes,
    empty_tensor,
    two_graphs,
    not_aligned,
)


def write_folded(folder):
    """The entries are those of operators.npz; folded.tflite has most of the operators on integers, for files that are damaged."""
    entries = {}
    for make in MODELS:
        graph = make(make.__name__)
        file = graph.pack()
        graph.run()
        entries[f"{make.__name__}/model"] = numpy.frombuffer(file, numpy.uint8)
        entries[f"{make.__name__}/input0"] = graph.values[graph.graph.inputs[0]]
        entries[f"{make.__name__}/output"] = graph.values[graph.graph.outputs[0]]
    numpy.savez_compressed(folder / "folded.npz", **entries)
    (folder / "folded.tflite").write_bytes(multiplied("multiplied").pack())
