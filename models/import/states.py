"""Networks that keep variables from one image to the next, and frames that the reference kernels run in their order."""

import numpy
from ai_edge_litert import schema_py_generated as schema
from ai_edge_litert.interpreter import Interpreter, OpResolverType

from graph import N, R, Graph, fused, image
from networks import classify, layer

FRAMES = 10
SCALE = 0.031, -20
ROW = (1, 1, 1, 8)


class Stream(Graph):
    """A model whose second graph assigns variables at first."""

    def __init__(self, name):
        super().__init__(name)
        self.first = schema.SubGraphT()
        self.first.name, self.first.tensors, self.first.operators = "first", [], []
        self.first.inputs, self.first.outputs = [], []
        self.model.subgraphs.append(self.first)
        self.call("CALL_ONCE", [], [], initSubgraphIndex=1)

    def at_first(self, steps):
        """Lets these steps make operators of the second graph."""
        main, self.graph = self.graph, self.first
        steps()
        self.first.outputs = []
        self.graph = main

    def handle(self, name):
        found = self.tensor(f"{name}/handle", dtype="resource")
        self.call("VAR_HANDLE", [], [found], container="", sharedName=name)
        return found

    def variable(self, name, initial):
        """A variable with this value at first; none leaves it without one."""
        if initial is not None:
            constant = lambda: self.tensor(f"{name}/initial", *SCALE, data=initial)
            self.at_first(lambda: self.assign(self.handle(name), constant()))
        return self.handle(name)

    def read(self, handle, name, shape, scale):
        output = self.tensor(name, *scale, shape=shape)
        self.call("READ_VARIABLE", [handle], [output])
        return output

    def assign(self, handle, tensor):
        self.call("ASSIGN_VARIABLE", [handle, tensor], [])

    def source(self, shape=ROW):
        return self.input("input", image(self.rng, shape), *SCALE)

    def add(self, first, second, name, scale=SCALE, shape=ROW):
        output = self.tensor(name, *scale, shape=shape)
        self.call("ADD", [first, second], [output], **fused(N))
        return output

    def recorded(self):
        """Random frames, and what each output of the graph is for them."""
        interpreter = Interpreter(
            model_content=self.pack(), experimental_op_resolver_type=OpResolverType.BUILTIN_REF
        )
        interpreter.allocate_tensors()
        at = self.graph.inputs[0]
        frames = self.rng.integers(-128, 128, (FRAMES, *self.graph.tensors[at].shape), numpy.int8)
        made = []
        for frame in frames:
            interpreter.set_tensor(at, frame)
            interpreter.invoke()
            made.append([interpreter.get_tensor(output) for output in self.graph.outputs])
        outputs = {f"output{i}": numpy.stack(found) for i, found in enumerate(zip(*made))}
        return {"input0": frames} | outputs


def ring(graph, source, name, rows):
    """The last rows of a stream and a new one, of which the next image finds the last ones."""
    channels, scale = graph.graph.tensors[source].shape[3], graph.scale(source)
    initial = image(graph.rng, (1, rows, 1, channels))
    handle = graph.variable(name, initial)
    before = graph.read(handle, f"{name}/before", initial.shape, scale)
    joined = graph.tensor(f"{name}/joined", *scale)
    graph.call("CONCATENATION", [before, source], [joined], axis=1, **fused(N))
    begin, end, stride = (graph.constant(f"{name}/{i}", row) for i, row in enumerate(
        ([0, 1, 0, 0], [1, rows + 1, 1, channels], [1, 1, 1, 1])
    ))
    kept = graph.tensor(f"{name}/kept", *scale)
    graph.call("STRIDED_SLICE", [joined, begin, end, stride], [kept])
    graph.assign(handle, kept)
    graph.graph.outputs = [joined]
    graph.run()
    return joined


def streaming(graph):
    """A wake word: features of one moment, two rings, a share for each word."""
    x = ring(graph, graph.source(), "stream1", 4)
    x = layer(graph, "CONV_2D", x, "conv1", 12, (5, 1), activation=R)
    x = ring(graph, x, "stream2", 3)
    x = layer(graph, "DEPTHWISE_CONV_2D", x, "depthwise2", 12, (4, 1), activation=R)
    classify(graph, x, 3)


def begin(graph):
    """Input, a variable of its shape and what it had."""
    source, handle = graph.source(), graph.variable("state", image(graph.rng, ROW))
    return source, handle


def read_twice(graph):
    source, handle = begin(graph)
    first, second = (graph.read(handle, name, ROW, SCALE) for name in ("first", "second"))
    both = graph.add(source, first, "both")
    graph.assign(handle, both)
    graph.graph.outputs = [graph.add(second, both, "output", (0.06, 3))]


def read_after(graph):
    """The second of two reads finds what was assigned between them; of two assignments the last one stays."""
    source, handle = begin(graph)
    both = graph.add(source, graph.read(handle, "before", ROW, SCALE), "both")
    graph.assign(handle, source)
    after = graph.read(handle, "after", ROW, SCALE)
    output = graph.add(both, after, "output", (0.06, 3))
    graph.assign(handle, both)
    graph.graph.outputs = [output, both]


def delay(graph):
    """Two variables, the second of which takes over the first, which takes the input."""
    source, handle = begin(graph)
    older = graph.variable("older", image(graph.rng, ROW))
    one, two = graph.read(handle, "one", ROW, SCALE), graph.read(older, "two", ROW, SCALE)
    graph.assign(older, one)
    graph.assign(handle, source)
    graph.graph.outputs = [graph.add(source, two, "output", (0.06, 3))]


def without_range(graph):
    """Tensors of variables have neither scale nor zero point."""
    source, handle = begin(graph)
    before = graph.tensor("before", shape=ROW)
    graph.call("READ_VARIABLE", [handle], [before])
    output = graph.tensor("output", *SCALE)
    graph.call("MAXIMUM", [source, before], [output])
    graph.assign(handle, output)
    graph.graph.outputs = [output]


def views(graph):
    """A plane is kept as a row, behind a mean, whose zero point a network moves."""
    plane = (1, 2, 3, 4)
    source = graph.source((1, 4, 6, 4))
    mean = graph.tensor("mean", *SCALE, shape=plane)
    window = {"filterHeight": 2, "filterWidth": 2, "strideH": 2, "strideW": 2}
    graph.call("AVERAGE_POOL_2D", [source], [mean], **window, **fused(N))
    row = graph.tensor("row", *SCALE, shape=(1, 24))
    graph.call("RESHAPE", [mean, graph.constant("shape", [1, 24])], [row], newShape=[1, 24])
    handle = graph.variable("state", image(graph.rng, (1, 24)))
    before = graph.read(handle, "before", (1, 24), SCALE)
    graph.assign(handle, row)
    back = graph.tensor("back", *SCALE, shape=plane)
    graph.call("RESHAPE", [before, graph.constant("plane", plane)], [back], newShape=plane)
    graph.graph.outputs = [graph.add(mean, back, "output", (0.06, 3), plane)]


STREAMS = {
    "delay": delay,
    "read_after": read_after,
    "read_twice": read_twice,
    "streaming": streaming,
    "views": views,
    "without_range": without_range,
}


def kept(name, initial=True, assigned=SCALE, shape=ROW, assigns=True):
    """A variable that is read and assigned, each as these say."""
    graph = Stream(name)
    source = graph.source()
    handle = graph.variable("state", image(graph.rng, ROW) if initial else None)
    both = graph.tensor("both", *assigned, shape=ROW)
    graph.call("ADD", [source, graph.read(handle, "before", ROW, SCALE)], [both], **fused(N))
    if shape != ROW:
        flat = graph.tensor("flat", *assigned, shape=shape)
        graph.call("RESHAPE", [both, graph.constant("shape", shape)], [flat], newShape=shape)
        both = flat
    if assigns:
        graph.assign(handle, both)
    graph.graph.outputs = [both]
    return graph


def other_graph(name, index=1):
    """A CALL_ONCE of a graph that does more than assign constants, or of one that is not there."""
    graph = kept(name)
    computed = lambda: graph.call(
        "ABS", [graph.tensor("constant", *SCALE, data=image(graph.rng, ROW))], [graph.tensor("made", *SCALE)]
    )
    graph.at_first(computed)
    graph.graph.operators[0].builtinOptions.initSubgraphIndex = index
    return graph


def late(name):
    """A CALL_ONCE behind what reads the variable."""
    graph = kept(name)
    graph.graph.operators.append(graph.graph.operators.pop(0))
    return graph


def loop(name):
    """A WHILE that assigns what is kept."""
    graph = kept(name, assigns=False)
    made = graph.tensor("made", *SCALE, shape=ROW)
    graph.call("WHILE", graph.graph.outputs, [made], condSubgraphIndex=1, bodySubgraphIndex=1)
    return graph


def refused_states():
    return {
        "not_first": kept("not_first", initial=False),
        "not_assigned": kept("not_assigned", assigns=False),
        "other_range": kept("other_range", assigned=(0.06, 3)),
        "other_shape": kept("other_shape", shape=[1, 8]),
        "computed_first": other_graph("computed_first"),
        "no_such_graph": other_graph("no_such_graph", 7),
        "late": late("late"),
        "loop": loop("loop"),
    }


def write_states(folder):
    arrays = {}
    for name, make in STREAMS.items():
        graph = Stream(name)
        make(graph)
        graph.run()
        arrays |= {f"{name}/{entry}": values for entry, values in graph.recorded().items()}
        model = graph.pack()
        if name == "streaming":
            (folder / f"{name}.tflite").write_bytes(model)
        arrays[f"{name}/model"] = numpy.frombuffer(model, numpy.uint8)
    for name, graph in refused_states().items():
        arrays[f"{name}/refused"] = numpy.frombuffer(graph.pack(), numpy.uint8)
    numpy.savez_compressed(folder / "states.npz", **arrays)
