"""Functions of a byte under many scales, as tables of 256 bytes, and SOFTMAX of rows of every length."""

import numpy
from ai_edge_litert.interpreter import OpResolverType

from graph import Graph

SETS = 40  # tables of each function
ALL_BYTES = numpy.arange(-128, 128).astype(numpy.int8).reshape(1, 256)
LONGEST = 1024  # row
SHORT_SETS = 20  # of 1000 rows of 3 bytes
SUM_LIMIT = 512  # of the exponentials of a row
SOFTMAX_SCALES = (0.0008, 0.01, 0.031, 0.0625, 0.11, 0.3, 1.7)
BETAS = (1.0, 0.5, 2.389, 1.0, 8.0)


def fixed(scale, zero_point):
    return lambda rng, source: (scale, zero_point)


def wide(least, most):
    """Scales of the output from `least` to `most` times that of the input, on a logarithmic range."""
    return lambda rng, source: (source * numpy.exp(rng.uniform(*numpy.log((least, most)))), end(rng))


def near_halves(rng, source):
    """A scale with which some byte comes to lie close to a half."""
    return source * rng.integers(1, 128) / (rng.integers(1, 100) + 0.5), int(rng.integers(-5, 6))


def mixed(least, most):
    """Every third scale near halves, every fifth that of the input."""
    kinds = [wide(least, most), near_halves, wide(least, most), wide(1, 1), near_halves]
    return lambda rng, source: kinds[rng.integers(len(kinds))](rng, source)


def absolute(least, most):
    return lambda rng, source: (rng.uniform(least, most), end(rng))


def end(rng):
    """A zero point: one of the ends, 0, or any."""
    return int(rng.choice((-128, 127, 0, rng.integers(-128, 128))))


FUNCTIONS = {  # name -> operator, range of the input's scale, of the output's, options, numbers of its own
    "abs": ("ABS", (0.001, 0.2), mixed(0.3, 20)),
    "elu": ("ELU", (0.001, 0.2), mixed(0.3, 20)),
    "exp": ("EXP", (0.0005, 0.05), absolute(0.003, 0.5)),
    "gelu": ("GELU", (0.001, 0.1), mixed(0.3, 20)),
    "gelu_approximate": ("GELU", (0.001, 0.1), mixed(0.3, 20)),
    "hard_swish": ("HARD_SWISH", (0.001, 0.1), mixed(0.3, 20)),
    "leaky_relu": ("LEAKY_RELU", (0.001, 0.2), mixed(0.1, 20)),
    "log": ("LOG", (0.001, 0.2), absolute(0.01, 0.1)),
    "logistic": ("LOGISTIC", (0.0005, 0.2), fixed(1 / 256, -128)),
    "prelu": ("PRELU", (0.001, 0.2), mixed(0.1, 20)),
    "quantize": ("QUANTIZE", (0.001, 0.2), mixed(0.05, 100)),
    "neg": ("NEG", (0.001, 0.2), mixed(0.3, 20)),
    "relu": ("RELU", (0.001, 0.2), mixed(0.05, 100)),
    "relu_0_to_1": ("RELU_0_TO_1", (0.001, 0.2), mixed(0.05, 100)),
    "relu6": ("RELU6", (0.001, 0.2), mixed(0.05, 100)),
    "relu_n1_to_1": ("RELU_N1_TO_1", (0.001, 0.2), mixed(0.05, 100)),
    "rsqrt": ("RSQRT", (0.001, 0.2), absolute(0.01, 0.5)),
    "sqrt": ("SQRT", (0.001, 0.2), absolute(0.002, 0.2)),
    "tanh": ("TANH", (0.0005, 0.2), fixed(1 / 128, 0)),
    "tanh_narrow": ("TANH", (0.0005, 0.2), absolute(0.003, 0.05)),
}
UNSIGNED = ("RSQRT", "SQRT")  # defined from 0 on: the zero point of the input is -128
# The reference kernels have none: that of the optimised ones, which computes in the same way as their GELU.
NOT_IN_REFERENCE = {"elu": OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES}


def slope(rng, name, graph):
    """Inputs, options and numbers of LEAKY_RELU and PRELU: alpha, or scale, zero point and byte."""
    if name == "leaky_relu":
        alpha = float(numpy.float32(rng.uniform(-0.3, 1.2)))
        return [], {"alpha": alpha}, [alpha, 0, 0]
    if name == "prelu":
        scale, zero_point = float(numpy.float32(rng.uniform(0.001, 0.02))), end(rng)
        byte = int(rng.integers(-128, 128))
        held = graph.tensor("slope", scale, zero_point, data=numpy.int8([[byte]]))
        return [held], {}, [scale, zero_point, byte]
    return [], {"approximate": name == "gelu_approximate"} if name.startswith("gelu") else {}, [0, 0, 0]


def one_table(name, rng):
    operator, (least, most), output_range = FUNCTIONS[name]
    scale = numpy.float32(rng.uniform(least, most))
    zero_point = -128 if operator in UNSIGNED else end(rng)
    output_scale, output_zero = output_range(rng, float(scale))
    graph = Graph(name)
    source = graph.input("input", ALL_BYTES, scale, zero_point)
    held, options, numbers = slope(rng, name, graph)
    output = graph.tensor("output", output_scale, output_zero)
    graph.call(operator, [source, *held], [output], **options)
    graph.run(NOT_IN_REFERENCE.get(name, OpResolverType.BUILTIN_REF))
    scales = [scale, graph.scale(output)[0]]
    return scales, [zero_point, output_zero], numbers, graph.values[output].reshape(-1)


def write_functions(folder):
    """Of each function NAME/scales, NAME/zero_points, NAME/numbers and NAME/tables, SETS rows each."""
    entries = {}
    for name in FUNCTIONS:
        rng = Graph(f"functions/{name}").rng
        columns = zip(*(one_table(name, rng) for _ in range(SETS)))
        kinds = {"scales": "float32", "zero_points": "int8", "numbers": "float32", "tables": "int8"}
        for (key, dtype), column in zip(kinds.items(), columns):
            entries[f"{name}/{key}"] = numpy.array(column, dtype)
    numpy.savez_compressed(folder / "functions.npz", **entries)


def softmax(values, scale, beta):
    """Of each row of a matrix."""
    graph = Graph("row")
    source = graph.input("input", values, scale, int(graph.rng.integers(-128, 128)))
    output = graph.tensor("output", 1 / 256, -128)
    graph.call("SOFTMAX", [source], [output], beta=float(beta))
    return graph.run().values[output]


def write_softmax(folder):
    """Row n is input[n : 2n], with scale and beta n; the outputs of all rows follow one another.

    equal[n - 1] is each output of n equal bytes. The reference kernel aborts where the sum is 512 or more. Short
    rows have large outputs, some of which lie so close to a half that the last bits decide.
    """
    rng = Graph("softmax").rng
    values = rng.integers(-128, 128, 2 * LONGEST, numpy.int8)
    lengths = range(1, LONGEST + 1)
    low = [SOFTMAX_SCALES if n < SUM_LIMIT else SOFTMAX_SCALES[2:] for n in lengths]
    scales = numpy.float32([choice[n % len(choice)] for n, choice in zip(lengths, low)])
    betas = numpy.float32([BETAS[n % len(BETAS)] for n in lengths])
    rows = [softmax(values[None, n : 2 * n], *held)[0] for n, *held in zip(lengths, scales, betas)]
    entries = {"input": values, "scales": scales, "betas": betas, "output": numpy.concatenate(rows)}
    equal = [numpy.full((1, n), n % 256 - 128, numpy.int8) for n in range(1, SUM_LIMIT)]
    entries["equal"] = numpy.array([softmax(row, 0.05, 1.0)[0, 0] for row in equal])
    short = rng.integers(-128, 128, (SHORT_SETS, 1000, 3), numpy.int8)
    entries |= {"short": short, "short_scales": numpy.float32(rng.uniform(0.002, 0.05, SHORT_SETS))}
    made = [softmax(matrix, scale, 1.0) for matrix, scale in zip(short, entries["short_scales"])]
    numpy.savez_compressed(folder / "softmax.npz", short_output=numpy.array(made), **entries)
