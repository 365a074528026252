"""A small convolutional network in numpy: forward, backward and Adam, nothing hidden.

Tensors are N, C, H, W in 32-bit floats. The layer list is the single description of the network;
training and quantisation both walk it.
"""

import numpy as np

LAYERS = [
    {"kind": "conv2d", "name": "conv1", "inputs": 1, "outputs": 16, "stride": 1, "relu": True},
    # No ReLU: the outputs have both signs, so their zero point lies inside the int8 range.
    {"kind": "conv2d", "name": "conv2", "inputs": 16, "outputs": 32, "stride": 2, "relu": False},
    {"kind": "conv2d", "name": "conv3", "inputs": 32, "outputs": 32, "stride": 1, "relu": True},
    {"kind": "fully_connected", "name": "fc", "inputs": 512, "outputs": 10, "relu": False},
]
KERNEL = 3
PADDING = 1


def initial_parameters(rng):
    """He initialisation: (weights, bias) per layer, weights in the order O, I, KH, KW."""
    parameters = []
    for layer in LAYERS:
        shape = (layer["outputs"], layer["inputs"])
        if layer["kind"] == "conv2d":
            shape += (KERNEL, KERNEL)
        deviation = np.sqrt(2.0 / np.prod(shape[1:]))
        weights = rng.normal(0.0, deviation, shape).astype(np.float32)
        parameters.append([weights, np.zeros(shape[0], np.float32)])
    return parameters


def im2col(x, stride):
    """Columns N, C*KH*KW, OH*OW of the padded input."""
    padded = np.pad(x, ((0, 0), (0, 0), (PADDING, PADDING), (PADDING, PADDING)))
    windows = np.lib.stride_tricks.sliding_window_view(padded, (KERNEL, KERNEL), axis=(2, 3))
    windows = windows[:, :, ::stride, ::stride].transpose(0, 1, 4, 5, 2, 3)
    n, c, kh, kw, oh, ow = windows.shape
    return windows.reshape(n, c * kh * kw, oh * ow), (oh, ow)


def col2im(columns, shape, stride):
    """The adjoint of im2col: adds every column entry to the pixel it came from."""
    n, c, height, width = shape
    out_height = (height + 2 * PADDING - KERNEL) // stride + 1
    out_width = (width + 2 * PADDING - KERNEL) // stride + 1
    taps = columns.reshape(n, c, KERNEL, KERNEL, out_height, out_width)
    padded = np.zeros((n, c, height + 2 * PADDING, width + 2 * PADDING), columns.dtype)
    for kh in range(KERNEL):
        for kw in range(KERNEL):
            rows = slice(kh, kh + stride * out_height, stride)
            cols = slice(kw, kw + stride * out_width, stride)
            padded[:, :, rows, cols] += taps[:, :, kh, kw]
    return padded[:, :, PADDING:-PADDING, PADDING:-PADDING]


def forward(parameters, x):
    """Outputs of every layer (after ReLU) and what the backward pass needs."""
    outputs, caches = [], []
    for layer, (weights, bias) in zip(LAYERS, parameters):
        shape = x.shape
        if layer["kind"] == "conv2d":
            columns, (height, width) = im2col(x, layer["stride"])
            y = np.matmul(weights.reshape(layer["outputs"], -1), columns)
            y = y.reshape(len(x), layer["outputs"], height, width) + bias[:, None, None]
        else:
            columns = x.reshape(len(x), -1)
            y = columns @ weights.T + bias
        if layer["relu"]:
            y = np.maximum(y, 0.0)
        outputs.append(y)
        caches.append((columns, shape))
        x = y
    return outputs, caches


def backward(parameters, outputs, caches, gradient):
    """Gradients of all parameters from the gradient of the logits."""
    gradients = [None] * len(LAYERS)
    for i in reversed(range(len(LAYERS))):
        layer, (weights, _), (columns, shape) = LAYERS[i], parameters[i], caches[i]
        gradient = gradient.reshape(outputs[i].shape)
        if layer["relu"]:
            gradient = gradient * (outputs[i] > 0.0)
        if layer["kind"] == "conv2d":
            flat = gradient.reshape(len(gradient), layer["outputs"], -1)
            by_weight = np.matmul(flat, columns.transpose(0, 2, 1)).sum(axis=0)
            gradients[i] = [by_weight.reshape(weights.shape), flat.sum(axis=(0, 2))]
            by_column = np.matmul(weights.reshape(layer["outputs"], -1).T, flat)
            gradient = col2im(by_column, shape, layer["stride"])
        else:
            gradients[i] = [gradient.T @ columns, gradient.sum(axis=0)]
            gradient = gradient @ weights
    return gradients
