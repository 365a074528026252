"""What the training of all networks has in common: data augmentation, loss, Adam."""

import numpy as np


def shifted(rng, images):
    """Each 8x8 image moved by at most one pixel in each direction, zeros moving in."""
    padded = np.pad(images, ((0, 0), (0, 0), (1, 1), (1, 1)))
    moved = np.empty_like(images)
    for i, (row, col) in enumerate(rng.integers(0, 3, (len(images), 2))):
        moved[i] = padded[i, :, row : row + 8, col : col + 8]
    return moved


def cross_entropy(logits, labels):
    """Mean loss and its gradient with respect to the logits."""
    shifted = logits - logits.max(axis=1, keepdims=True)
    probabilities = np.exp(shifted)
    probabilities /= probabilities.sum(axis=1, keepdims=True)
    rows = np.arange(len(labels))
    loss = -np.log(probabilities[rows, labels] + 1e-12).mean()
    probabilities[rows, labels] -= 1.0
    return loss, probabilities / len(labels)


class Adam:
    """Adam with decoupled weight decay (weights only, not biases)."""

    def __init__(self, parameters, decay):
        self.decay = decay
        self.step_count = 0
        self.mean = [[np.zeros_like(p) for p in layer] for layer in parameters]
        self.square = [[np.zeros_like(p) for p in layer] for layer in parameters]

    def step(self, parameters, gradients, rate):
        self.step_count += 1
        correct_mean = 1.0 - 0.9**self.step_count
        correct_square = 1.0 - 0.999**self.step_count
        for i, layer in enumerate(gradients):
            for j, gradient in enumerate(layer):
                mean, square = self.mean[i][j], self.square[i][j]
                mean += 0.1 * (gradient - mean)
                square += 0.001 * (gradient * gradient - square)
                update = (mean / correct_mean) / (np.sqrt(square / correct_square) + 1e-8)
                if j == 0:
                    update = update + self.decay * parameters[i][j]
                parameters[i][j] -= (rate * update).astype(np.float32)
