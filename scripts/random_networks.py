"""Random networks for scripts/same_programs.py: a number makes a network, with every version of Python the same.

Each network is of a family, which says what its layers are and on which configurations it is compiled.
"""

from random_layers import FIRST, Draw, Network

COUNT = 500
# Numbers whose first network takes too long to compile, and how often they are drawn again.
DRAWN_AGAIN = {}

PLAIN, ALL = (), ("left_shift", "pooling", "dual_scale", "activations")
SQUARE = {"kernel": (3, 3)}
DEPTHWISE = (SQUARE, SQUARE, SQUARE, SQUARE | {"stride": 2}, SQUARE | {"dilation": (1, 2)},
             {"kernel": (5, 3), "same": False})


def mixed(draw, name, post=PLAIN):
    """Any layers of planes."""
    shape = draw.among(1, 12), draw.among(1, 14), draw.among(1, 40 if draw.chance(20) else 14)
    network = Network(draw, name, shape, post)
    if draw.chance(20):
        network.add_input()
    for _ in range(draw.among(2, 8)):
        network.plane_layer()
    if draw.chance(40):
        network.end(draw.among(1, 16))
    return network


def options(draw, name):
    """The same, with all that post-processing may have."""
    return mixed(draw, name, ALL)


def depthwise(draw, name):
    """Blocks of a depthwise layer and one of single pixels: several pixels at a time."""
    shape = draw.among(1, 4), draw.among(6, 28), draw.among(4, 24)
    network = Network(draw, name, shape, draw.one_of((PLAIN, ALL)))
    channels = draw.one_of((4, 8, 16, 16, 12))
    network.conv(channels, (3, 3), stride=(draw.among(1, 2),) * 2)
    for _ in range(draw.among(1, 5)):
        before = network.last
        network.depthwise(**draw.one_of(DEPTHWISE))
        if channels < 32 and draw.chance(30):
            channels *= 2
        network.conv(channels, (1, 1))
        if network.shapes[before] == network.shapes[network.last] and draw.chance(50):
            network.sum()
    if draw.chance(40):
        network.plane_mean()
        network.connected(10)
    return network


def first(draw, name):
    """A first layer with many places of the kernel and few channels: taps over the rows."""
    side = draw.one_of((3, 5, 7, 7, 7, 9, 9))
    size = draw.among(side, 24)
    shape = draw.among(1, 3), size, draw.among(size, 28)
    network = Network(draw, name, shape, draw.one_of((PLAIN, ALL)))
    network.conv(draw.one_of((4, 8, 12)), (side, side), stride=(draw.among(1, 2),) * 2, same=draw.chance(70))
    if "pooling" in network.post:
        network.pool("max_pool2d")
    network.conv(draw.among(4, 16), (3, 3), stride=(2, 2))
    if draw.chance(50):
        network.end(10)
    return network


def residual(draw, name, height=None):
    """Chains of residual blocks."""
    shape = draw.among(1, 8), height or draw.among(4, 12), draw.among(4, 90 if height else 12)
    network = Network(draw, name, shape, draw.one_of((PLAIN, ALL)))
    channels, kernel = draw.one_of((4, 8, 12)), (1 if height else 3, 3)
    network.conv(channels, kernel)
    for block in range(draw.among(1, 4)):
        start = short = network.last
        stride = (1 if height else 2, 2) if block and channels < 32 and draw.chance(40) else (1, 1)
        channels *= max(stride)
        network.conv(channels, kernel, stride=stride)
        network.conv(channels, kernel)
        if max(stride) > 1:
            end = network.last
            short = network.conv(channels, (1, 1), start, stride)
            network.last = end
        if "dual_scale" in network.post and draw.chance(70):
            network.add(short, network.last)
        else:
            network.weighted_sum([short, network.last, *[network.others(short)] * draw.below(2)])
    network.end(draw.among(2, 12))
    return network


def line(draw, name):
    """The same of one row: sounds."""
    return residual(draw, name, 1)


def matrices(draw, name):
    """Products and transposes; sometimes attention, with softmax on the host."""
    shape = draw.one_of((1, 1, 1, 2, 4)), draw.among(1, 16), draw.among(1, 20)
    network = Network(draw, name, shape)
    network.zero_points[FIRST] = draw.byte() if draw.chance(25) else 0
    for _ in range(draw.among(1, 5)):
        if draw.chance(60):
            network.product()
        else:
            network.transpose()
    if draw.chance(25):
        network.softmax(axis="width")
        network.product()
    return network


def host(draw, name):
    """Layers of the host among others."""
    shape = draw.among(1, 8), draw.among(2, 10), draw.among(2, 10)
    network = Network(draw, name, shape, draw.one_of((PLAIN, ALL)))
    if draw.chance(20):
        network.add_input()
    network.any_conv()
    for _ in range(draw.among(1, 4)):
        network.host_layer()
        network.plane_layer()
    if draw.chance(60):
        network.end(draw.among(2, 10))
        if draw.chance(70):
            network.softmax()
        else:
            network.arg_max()
    return network


def deep(draw, name):
    """More layers than memories hold at once: segments."""
    shape = draw.among(1, 4), draw.among(6, 12), draw.among(6, 12)
    network = Network(draw, name, shape, draw.one_of((PLAIN, PLAIN, ALL)))
    channels = draw.one_of((8, 12, 16) if network.post == PLAIN else (16, 24, 32))
    network.conv(channels, (3, 3))
    for _ in range(draw.among(4, 9)):
        kind = draw.below(6)
        if kind < 4:
            network.conv(channels, draw.one_of(((3, 3), (1, 1), (1, 1), (1, 3))))
        elif kind == 4:
            network.depthwise()
        else:
            network.sum()
    network.end(draw.among(2, 10))
    return network


def wide(draw, name):
    """Layers that are too large alone: pieces."""
    shape = draw.among(1, 8), draw.among(16, 32), draw.among(10, 24)
    network = Network(draw, name, shape, draw.one_of((PLAIN, PLAIN, ALL)))
    network.conv(draw.among(8, 40), (3, 3), stride=(draw.among(1, 2), 1))
    kind = draw.below(4)
    if kind == 0:
        network.depthwise()
    elif kind == 1:
        network.sum()
    elif kind == 2 and "pooling" in network.post:
        network.pool("max_pool2d")
    network.conv(draw.among(2, 8), (3, 3), stride=(2, 2))
    network.end(draw.among(4, 200))
    return network


def cluster(draw, name):
    """What the sparse cluster can do."""
    shape = draw.among(1, 8), draw.among(4, 16), draw.among(4, 16)
    network = Network(draw, name, shape, draw.one_of((PLAIN, PLAIN, ALL)))
    for _ in range(draw.among(1, 5)):
        if draw.chance(30):
            network.depthwise(draw.one_of((1, 1, 2)))
        else:
            side = draw.one_of((1, 3, 3, 5))
            stride = draw.one_of((1, 1, 2, 4))
            network.conv(draw.among(2, 16), (side, side), stride=(stride, stride), same=draw.chance(70))
    if draw.chance(30):
        network.sum()
    if draw.chance(60):
        network.end(draw.among(2, 12))
    return network


ANY = ["", "--whole", "--whole", "--mapping channel", "--mapping flattened --whole", "--double-buffer --whole"]
SEVERAL = ["", "--whole", "--whole", "--mapping toeplitz", "--mapping blocks --whole", "--mapping channel"]
SEGMENTS = ["", "--whole", "--double-buffer", "--double-buffer --whole", "--mapping blocks --whole",
            "--mapping channel"]
MATRICES = ["", "--whole", "--fold", "--fold --whole", "--identity built", "--identity built --fold --whole",
            "--drain row", "--drain column --whole", "--drain direct --whole"]
AUTO = "--engine auto --zeros zeros.json"
ENGINES = ["--engine sparse", "--engine sparse --mapping channel --whole", f"{AUTO} --whole",
           f"{AUTO} --sparse-rule majority", f"{AUTO} --sparse-rule threshold=30", "--engine auto"]
SMALL, SMALLER = ["tiny", "edge", "edge_128"], ["tiny", "edge", "edge_64", "edge_128"]
# Each family with its configurations, those that most networks of all options need, and options.
FAMILIES = [
    (mixed, [*SMALLER, "tflite"], [], ANY),
    (options, ["edge"], ["tflite", "tflite_32"], ANY),
    (depthwise, [*SMALL, "tflite"], ["tflite", "tflite_32"], SEVERAL),
    (first, [*SMALL, "tflite"], ["tflite", "tflite_32"], ANY),
    (residual, [*SMALL, "tflite"], ["tflite", "tflite_32"], ANY),
    (line, [*SMALLER, "tflite"], ["tflite", "tflite_32"], ANY),
    (matrices, ["tiny", "edge", "edge", "tflite", "tflite"], [], MATRICES),
    (host, [*SMALL, "tflite"], ["tflite", "tflite_32"], ANY),
    (deep, [*SMALL, "edge", "edge_64"], ["tflite", "tflite_32"], SEGMENTS),
    (wide, [*SMALL, "edge_128", "edge_64"], ["tflite", "tflite_32"], SEGMENTS),
    (cluster, ["tiny_sparse", "edge_sparse"], ["tflite_sparse"], ENGINES),
]
# Every network is on one of them too: other shapes of the array and of the memories.
OTHERS = ["oblong", "oblong", "banks", "shallow"]
PAIRS = 4


def name_of(number):
    family = FAMILIES[number % len(FAMILIES)][0]
    return f"{family.__name__}-{number:03}"


def drawn(number):
    """A network, and the pairs of configuration and options that it is compiled with."""
    family, configurations, with_all, choices = FAMILIES[number % len(FAMILIES)]
    draw = Draw(number + COUNT * DRAWN_AGAIN.get(number, 0))
    network = family(draw, name_of(number))
    if network.post:
        configurations = with_all * 5 + configurations
    pairs = {f"{draw.one_of(OTHERS)} {draw.one_of(MATRICES if family is matrices else ANY)}".strip()}
    while len(pairs) <= PAIRS:
        pairs.add(f"{draw.one_of(configurations)} {draw.one_of(choices)}".strip())
    return network, sorted(pairs)
