"""A graph of depthwise and 1x1 convolutions, maxima, means and residual adds in numpy.

Tensors are N, C, H, W in 32-bit floats. NODES is the single description of the network; training and
quantisation both walk it.
"""

import numpy as np

# name, kind, inputs and what else the kind needs. Convolutions of size 3 have padding 1.
NODES = [
    {"name": "conv1", "kind": "conv", "inputs": ["input"], "outputs": 16, "size": 3, "relu": True},
    {"name": "depth1", "kind": "depthwise", "inputs": ["conv1"], "size": 3, "relu": True},
    # No ReLU: both signs enter the sum.
    {"name": "point1", "kind": "conv", "inputs": ["depth1"], "outputs": 16, "size": 1, "relu": False},
    {"name": "add1", "kind": "add", "inputs": ["point1", "conv1"], "relu": True},
    {"name": "pool1", "kind": "max", "inputs": ["add1"], "size": 2},
    {"name": "point2", "kind": "conv", "inputs": ["pool1"], "outputs": 32, "size": 1, "relu": True},
    {"name": "depth2", "kind": "depthwise", "inputs": ["point2"], "size": 3, "relu": True},
    {"name": "point3", "kind": "conv", "inputs": ["depth2"], "outputs": 32, "size": 1, "relu": False},
    {"name": "add2", "kind": "add", "inputs": ["point2", "point3"], "relu": True},
    {"name": "pool2", "kind": "mean", "inputs": ["add2"], "size": 2},
    {"name": "fc", "kind": "dense", "inputs": ["pool2"], "outputs": 10, "relu": False},
]
INPUT_SHAPE = (1, 8, 8)


def shapes():
    """Shape of every tensor by name."""
    found = {"input": INPUT_SHAPE}
    for node in NODES:
        channels, height, width = found[node["inputs"][0]]
        if node["kind"] == "dense":
            found[node["name"]] = (node["outputs"], 1, 1)
        elif node["kind"] in ("max", "mean"):
            size = node["size"]
            found[node["name"]] = (channels, height // size, width // size)
        else:
            found[node["name"]] = (node.get("outputs", channels), height, width)
    return found


def weight_shape(node, source):
    """O, I, KH, KW; depthwise convolutions have I = 1. None without weights."""
    channels, height, width = source
    return {
        "conv": lambda: (node["outputs"], channels, node["size"], node["size"]),
        "depthwise": lambda: (channels, 1, node["size"], node["size"]),
        "dense": lambda: (node["outputs"], channels, height, width),
    }.get(node["kind"], lambda: None)()


def initial_parameters(rng):
    """He initialisation: [weights, bias] by name."""
    parameters, all_shapes = {}, shapes()
    for node in NODES:
        shape = weight_shape(node, all_shapes[node["inputs"][0]])
        if shape is not None:
            deviation = np.sqrt(2.0 / np.prod(shape[1:]))
            weights = rng.normal(0.0, deviation, shape).astype(np.float32)
            parameters[node["name"]] = [weights, np.zeros(shape[0], np.float32)]
    return parameters


def windows(x, size, pad, stride):
    """N, C, OH, OW, KH, KW."""
    padded = np.pad(x, ((0, 0), (0, 0), (pad, pad), (pad, pad)))
    found = np.lib.stride_tricks.sliding_window_view(padded, (size, size), axis=(2, 3))
    return found[:, :, ::stride, ::stride]


def scatter(gradient, shape, size, pad):
    """The adjoint of `windows` for stride 1: N, C, OH, OW, KH, KW back to N, C, H, W."""
    n, c, height, width = shape
    padded = np.zeros((n, c, height + 2 * pad, width + 2 * pad), gradient.dtype)
    rows, cols = gradient.shape[2:4]
    for ky in range(size):
        for kx in range(size):
            padded[:, :, ky : ky + rows, kx : kx + cols] += gradient[..., ky, kx]
    return padded[:, :, pad : pad + height, pad : pad + width]


def forward_node(node, parameters, inputs):
    """The output of a node before ReLU, and what the backward pass needs."""
    kind, x = node["kind"], inputs[0]
    if kind == "add":
        return inputs[0] + inputs[1], None
    if kind in ("max", "mean"):
        found = windows(x, node["size"], 0, node["size"])
        flat = found.reshape(*found.shape[:4], -1)
        return (flat.max(axis=4), flat) if kind == "max" else (flat.mean(axis=4), flat)
    weights, bias = parameters[node["name"]]
    if kind == "dense":
        y = x.reshape(len(x), -1) @ weights.reshape(len(weights), -1).T + bias
        return y[:, :, None, None], None
    found = windows(x, node["size"], node["size"] // 2, 1)
    if kind == "depthwise":
        y = np.einsum("nchwyx,cyx->nchw", found, weights[:, 0], optimize=True)
    else:
        y = np.einsum("nchwyx,ocyx->nohw", found, weights, optimize=True)
    return y + bias[:, None, None], found


def forward(parameters, x):
    """All tensors by name (after ReLU), and the caches."""
    tensors, caches = {"input": x}, {}
    for node in NODES:
        inputs = [tensors[name] for name in node["inputs"]]
        y, caches[node["name"]] = forward_node(node, parameters, inputs)
        tensors[node["name"]] = np.maximum(y, 0.0) if node.get("relu") else y
    return tensors, caches


def backward_node(node, parameters, x, cache, gradient):
    """Gradients of the inputs, and of [weights, bias] if there are any."""
    kind = node["kind"]
    if kind == "add":
        return [gradient, gradient], None
    if kind in ("max", "mean"):
        size = node["size"]
        if kind == "max":
            share = (cache == cache.max(axis=4, keepdims=True)).astype(np.float32)
            share /= share.sum(axis=4, keepdims=True)
        else:
            share = np.full_like(cache, 1.0 / cache.shape[4])
        parts = (share * gradient[..., None]).reshape(*gradient.shape, size, size)
        n, c, rows, cols = gradient.shape
        back = parts.transpose(0, 1, 2, 4, 3, 5).reshape(n, c, rows * size, cols * size)
        return [back], None
    weights, _ = parameters[node["name"]]
    if kind == "dense":
        flat, matrix = gradient[:, :, 0, 0], weights.reshape(len(weights), -1)
        by_weight = (flat.T @ x.reshape(len(x), -1)).reshape(weights.shape)
        return [(flat @ matrix).reshape(x.shape)], [by_weight, flat.sum(axis=0)]
    size = node["size"]
    if kind == "depthwise":
        by_weight = np.einsum("nchw,nchwyx->cyx", gradient, cache, optimize=True)[:, None]
        by_window = np.einsum("nchw,cyx->nchwyx", gradient, weights[:, 0], optimize=True)
    else:
        by_weight = np.einsum("nohw,nchwyx->ocyx", gradient, cache, optimize=True)
        by_window = np.einsum("nohw,ocyx->nchwyx", gradient, weights, optimize=True)
    back = scatter(by_window, x.shape, size, size // 2)
    return [back], [by_weight, gradient.sum(axis=(0, 2, 3))]


def backward(parameters, tensors, caches, gradient):
    """Gradients of all parameters from the gradient of the logits (N, classes)."""
    found = {NODES[-1]["name"]: gradient[:, :, None, None]}
    gradients = {}
    for node in reversed(NODES):
        name = node["name"]
        of_output = found.pop(name)
        if node.get("relu"):
            of_output = of_output * (tensors[name] > 0.0)
        x = tensors[node["inputs"][0]]
        of_inputs, of_parameters = backward_node(node, parameters, x, caches[name], of_output)
        if of_parameters is not None:
            gradients[name] = of_parameters
        for source, part in zip(node["inputs"], of_inputs):
            if source != "input":
                found[source] = found.get(source, 0.0) + part
    return gradients
