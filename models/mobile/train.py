#!/usr/bin/env python3
"""Trains the mobile network on the digits and writes build/mobile/float.npz. About a minute on one core.

Usage: models/mobile/train.py   (needs models/digits/requirements.txt)
"""

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")  # one thread: sums in one order, equal weights
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import pathlib
import sys

import numpy as np

MODELS = pathlib.Path(__file__).resolve().parents[1]
# This folder has a network of its own, which comes before that of the digits.
sys.path.append(str(MODELS / "digits"))
from data import load_split
from network import backward, forward, initial_parameters

OUTPUT = MODELS.parent / "build/mobile/float.npz"
SEED = 5
EPOCHS = 100
BATCH = 32
PEAK_RATE = 4e-3
DECAY = 1e-2


def shifted(rng, images):
    """Each image moved by at most one pixel in each direction, zeros moving in."""
    padded = np.pad(images, ((0, 0), (0, 0), (1, 1), (1, 1)))
    moved = np.empty_like(images)
    for i, (row, col) in enumerate(rng.integers(0, 3, (len(images), 2))):
        moved[i] = padded[i, :, row : row + 8, col : col + 8]
    return moved


def accuracy(parameters, images, labels):
    logits = forward(parameters, images)[0]["fc"][:, :, 0, 0]
    return (logits.argmax(axis=1) == labels).mean()


def cross_entropy(logits, labels):
    """Mean loss and its gradient with respect to the logits."""
    shifted_logits = logits - logits.max(axis=1, keepdims=True)
    odds = np.exp(shifted_logits)
    odds /= odds.sum(axis=1, keepdims=True)
    rows = np.arange(len(labels))
    loss = -np.log(odds[rows, labels] + 1e-12).mean()
    odds[rows, labels] -= 1.0
    return loss, odds / len(labels)


def adam_step(parameters, gradients, state, step, rate):
    """Adam with decoupled weight decay (weights only, not biases)."""
    for name, of_layer in gradients.items():
        for j, gradient in enumerate(of_layer):
            mean, square = state[name][j]
            mean += 0.1 * (gradient - mean)
            square += 0.001 * (gradient * gradient - square)
            update = (mean / (1.0 - 0.9**step)) / (np.sqrt(square / (1.0 - 0.999**step)) + 1e-8)
            if j == 0:
                update = update + DECAY * parameters[name][j]
            parameters[name][j] -= (rate * update).astype(np.float32)


def main():
    rng = np.random.default_rng(SEED)
    images, labels, test_images, test_labels = load_split()
    parameters = initial_parameters(rng)
    state = {n: [(np.zeros_like(p), np.zeros_like(p)) for p in ps] for n, ps in parameters.items()}
    steps = EPOCHS * (len(images) // BATCH)
    step = 0
    for epoch in range(EPOCHS):
        order = rng.permutation(len(images))
        losses = []
        for start in range(0, len(images) - BATCH + 1, BATCH):
            batch = order[start : start + BATCH]
            tensors, caches = forward(parameters, shifted(rng, images[batch]))
            loss, gradient = cross_entropy(tensors["fc"][:, :, 0, 0], labels[batch])
            rate = PEAK_RATE * 0.5 * (1.0 + np.cos(np.pi * step / steps))
            step += 1
            gradients = backward(parameters, tensors, caches, gradient)
            adam_step(parameters, gradients, state, step, rate)
            losses.append(loss)
        if epoch % 10 == 9:
            train = accuracy(parameters, images, labels)
            print(f"epoch {epoch + 1}: loss {np.mean(losses):.4f}, train {train:.4f}", flush=True)

    OUTPUT.parent.mkdir(parents=True, exist_ok=True)
    named = {f"{n}_{what}": p for n, ps in parameters.items() for what, p in zip(("w", "b"), ps)}
    np.savez(OUTPUT, **named)
    print(f"float accuracy {accuracy(parameters, test_images, test_labels):.4f}")


if __name__ == "__main__":
    main()
