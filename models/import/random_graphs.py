"""Random graphs with branches, of operators that the importer takes."""

import contextlib

import numpy

from graph import N, R, R6, SUFFIX, Graph, fit, fused, pads, pool, weighted
from networks import dense, entries, flatten, smooth

GRAPHS = 20
OPERATORS_RANGE = 3, 12
KERNELS = (1, 1), (3, 3), (3, 3), (2, 2), (1, 3), (3, 1), (4, 5)


class Dull(Exception):
    """A plane has few values: what reads it proves little."""


class Planes:
    """A graph that grows operator by operator, all of whose planes are read."""

    def __init__(self, name, exact_sums):
        self.graph = Graph(name)
        self.rng, self.exact_sums = self.graph.rng, exact_sums
        self.sums = []
        self.means = set()  # planes whose zero the network does not know
        self.count = 0

    def draw(self, *choices):
        return choices[self.rng.integers(len(choices))]

    def shape(self, plane):
        return self.graph.values[plane].shape

    def ran(self, output):
        self.count += 1
        self.graph.run()
        values = self.graph.values[output]
        if len(numpy.unique(values)) < min(8, values.size / 2):
            raise Dull
        return output

    def weighted(self, operator, plane, outputs, kernel, **options):
        name = f"{operator.lower()}{self.count}"
        options = {"activation": self.draw(N, R, R6), "spread": 3.0} | options
        return self.ran(weighted(self.graph, operator, plane, name, outputs, kernel, **options))

    def window(self, plane):
        """A kernel with stride, dilation and padding that has a place on the plane."""
        kernel, stride = self.draw(*KERNELS), (int(self.rng.integers(1, 3)), int(self.rng.integers(1, 3)))
        dilation = self.draw((1, 1), (1, 1), (2, 1)) if stride == (1, 1) else (1, 1)
        same = plane not in self.means and self.rng.random() < 0.5
        sizes = self.shape(plane)[1:3]
        if not same and any((k - 1) * d >= size for k, d, size in zip(kernel, dilation, sizes)):
            kernel = 1, 1
        return kernel, {"stride": stride, "dilation": dilation, "same": same}

    def conv(self, plane):
        kernel, options = self.window(plane)
        return self.weighted("CONV_2D", plane, int(self.rng.integers(1, 11)), kernel, **options)

    def depthwise(self, plane):
        kernel, options = self.window(plane)
        outputs = self.shape(plane)[3] * self.draw(1, 1, 2)
        return self.weighted("DEPTHWISE_CONV_2D", plane, outputs, kernel, **options)

    def pool(self, plane, operator):
        sizes = self.shape(plane)[1:3]
        kernel, stride = [tuple(min(int(self.rng.integers(1, 4)), size) for size in sizes) for _ in range(2)]
        output = self.ran(pool(self.graph, operator, plane, f"pool{self.count}", kernel, stride))
        if operator == "AVERAGE_POOL_2D" or plane in self.means:
            self.means.add(output)
        return output

    def padded(self, plane):
        """PAD and a convolution that reads it."""
        if plane in self.means:
            return self.conv(plane)
        sides = self.rng.integers(0, 3, (2, 2))
        amounts = self.graph.constant(f"paddings{self.count}", pads((0, 0), *sides, (0, 0)))
        output = self.graph.tensor(f"pad{self.count}", *self.graph.scale(plane))
        self.graph.call("PAD", [plane, amounts], [output])
        self.ran(output)
        # A network takes less padding than its kernel.
        kernel = tuple(int(side) + 1 for side in sides.max(1))
        return self.weighted("CONV_2D", output, int(self.rng.integers(1, 8)), kernel)

    def branches(self, plane):
        """A sum of the plane, or of a convolution of it, and another convolution."""
        outputs = self.shape(plane)[3]
        one = plane
        if plane in self.means or self.rng.random() < 0.5:
            outputs = int(self.rng.integers(1, 9))
            one = self.weighted("CONV_2D", plane, outputs, (1, 1), stride=(1, 1))
        ranged = {}
        if self.exact_sums:
            scale, zero_point = self.graph.scale(one)[0], int(self.rng.integers(-60, 60))
            ranged = {"scale": scale, "zero_point": zero_point, "spread": 50 * scale}
        kernel = (1, 1) if plane in self.means else (3, 3)
        same = kernel == (3, 3)
        if self.rng.random() < 0.4:
            plane = self.weighted("CONV_2D", plane, int(self.rng.integers(1, 9)), kernel, same=same)
        other = self.weighted("CONV_2D", plane, outputs, (1, 1), activation=N, **ranged)
        return self.sum(one, other)

    def sum(self, one, other):
        """With a scale that the network has exactly, 3/2 of that of both inputs, or with the one that fits."""
        activation = self.draw(N, R)
        scale, zero_point = 1.5 * self.graph.scale(one)[0], -128 if activation == R else 0
        output = self.graph.tensor(f"add{self.count}/{SUFFIX[activation]}", scale, zero_point)
        self.graph.call("ADD", [one, other], [output], **fused(activation))
        if not self.exact_sums:
            fit(self.graph, output, activation)
        self.sums.append(output)
        return self.ran(output)

    def mean(self, plane):
        axes = self.graph.constant("axes", [1, 2])
        output = self.graph.tensor("mean", self.graph.scale(plane)[0] / 2, int(self.rng.integers(-128, 0)))
        self.graph.call("MEAN", [plane, axes], [output], keepDims=bool(self.rng.random() < 0.5))
        return self.ran(output)

    def step(self, plane):
        steps = self.conv, self.depthwise, self.padded, self.branches, self.branches
        pools = [lambda x, name=name: self.pool(x, f"{name}_POOL_2D") for name in ("MAX", "AVERAGE")]
        return self.draw(*steps, *pools)(plane)

    def end(self, plane):
        """The planes, their mean, or fully connected layers."""
        kind = self.rng.integers(4)
        if kind == 0:
            return
        if kind == 1 and plane not in self.means:
            plane = self.mean(plane)
        plane = self.ran(flatten(self.graph, plane, "flatten"))
        for layer in range(self.draw(1, 1, 2)):
            plane = self.ran(dense(self.graph, plane, f"dense{layer}", int(self.rng.integers(1, 30))))


def grow(name, exact_sums):
    planes = Planes(name, exact_sums)
    size = 1, *(int(side) for side in planes.rng.integers(4, 13, 2)), int(planes.rng.integers(1, 6))
    plane = planes.graph.input("input", smooth(planes.rng, size), 0.02, int(planes.rng.integers(-128, 128)))
    for _ in range(planes.rng.integers(1, 7)):
        plane = planes.step(plane)
    planes.end(plane)
    return planes


def random_graph(name, exact_sums):
    """The first of a sequence of graphs that has a branch and as many operators as it may have."""
    least, most = OPERATORS_RANGE
    for attempt in range(1000):
        with contextlib.suppress(Dull, ZeroDivisionError):  # the second if all weights are 0
            planes = grow(f"{name}/{attempt}", exact_sums)
            if planes.sums and least <= planes.count <= most:
                return planes
    raise AssertionError(f"{name} has no graph of {least} to {most} operators")


def write_graphs(folder):
    """Of each graph NAME/model, NAME/input0 and NAME/tensor/INDEX."""
    found = {}
    for number in range(GRAPHS):
        name = f"random{number:02}"
        planes = random_graph(name, exact_sums=number % 2 == 0)
        found[f"{name}/model"] = numpy.frombuffer(planes.graph.pack(), numpy.uint8)
        found |= {f"{name}/{key}": values for key, values in entries(planes.graph).items()}
    numpy.savez_compressed(folder / "graphs.npz", **found)
