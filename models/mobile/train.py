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
sys.path += [str(MODELS / "digits"), str(MODELS)]
from data import load_split
from network import backward, forward, initial_parameters
from training import Adam, cross_entropy, shifted

OUTPUT = MODELS.parent / "build/mobile/float.npz"
SEED = 5
EPOCHS = 100
BATCH = 32
PEAK_RATE = 4e-3
DECAY = 1e-2


def accuracy(parameters, images, labels):
    logits = forward(parameters, images)[0]["fc"][:, :, 0, 0]
    return (logits.argmax(axis=1) == labels).mean()


def main():
    rng = np.random.default_rng(SEED)
    images, labels, test_images, test_labels = load_split()
    parameters = initial_parameters(rng)
    names = list(parameters)
    layers = [parameters[name] for name in names]  # the same arrays, in an order
    optimiser = Adam(layers, DECAY)
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
            gradients = backward(parameters, tensors, caches, gradient)
            optimiser.step(layers, [gradients[name] for name in names], rate)
            losses.append(loss)
            step += 1
        if epoch % 10 == 9:
            train = accuracy(parameters, images, labels)
            print(f"epoch {epoch + 1}: loss {np.mean(losses):.4f}, train {train:.4f}", flush=True)

    OUTPUT.parent.mkdir(parents=True, exist_ok=True)
    named = {f"{n}_{what}": p for n, ps in parameters.items() for what, p in zip(("w", "b"), ps)}
    np.savez(OUTPUT, **named)
    print(f"float accuracy {accuracy(parameters, test_images, test_labels):.4f}")


if __name__ == "__main__":
    main()
