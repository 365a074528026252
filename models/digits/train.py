#!/usr/bin/env python3
"""Trains the digits network and writes build/digits/float.npz. About one minute on one core.

Usage: models/digits/train.py   (needs models/digits/requirements.txt)
"""

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")  # one thread: sums in one order, equal weights
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import pathlib
import sys

import numpy as np

from data import load_split
from network import backward, forward, initial_parameters

MODELS = pathlib.Path(__file__).resolve().parents[1]
sys.path.append(str(MODELS))
from training import Adam, cross_entropy, shifted

OUTPUT = MODELS.parent / "build/digits/float.npz"
SEED = 3
EPOCHS = 60
BATCH = 32
PEAK_RATE = 2e-3
DECAY = 1e-2


def accuracy(parameters, images, labels):
    return (forward(parameters, images)[0][-1].argmax(axis=1) == labels).mean()


def main():
    rng = np.random.default_rng(SEED)
    images, labels, test_images, test_labels = load_split()
    parameters = initial_parameters(rng)
    optimiser = Adam(parameters, DECAY)
    steps = EPOCHS * (len(images) // BATCH)
    step = 0
    for epoch in range(EPOCHS):
        order = rng.permutation(len(images))
        losses = []
        for start in range(0, len(images) - BATCH + 1, BATCH):
            batch = order[start : start + BATCH]
            outputs, caches = forward(parameters, shifted(rng, images[batch]))
            loss, gradient = cross_entropy(outputs[-1], labels[batch])
            rate = PEAK_RATE * 0.5 * (1.0 + np.cos(np.pi * step / steps))
            optimiser.step(parameters, backward(parameters, outputs, caches, gradient), rate)
            losses.append(loss)
            step += 1
        if epoch % 10 == 9:
            train = accuracy(parameters, images, labels)
            print(f"epoch {epoch + 1}: loss {np.mean(losses):.4f}, train {train:.4f}", flush=True)

    OUTPUT.parent.mkdir(parents=True, exist_ok=True)
    arrays = {}
    for i, (weights, bias) in enumerate(parameters):
        arrays[f"weights{i}"], arrays[f"bias{i}"] = weights, bias
    np.savez(OUTPUT, **arrays)
    print(f"float accuracy {accuracy(parameters, test_images, test_labels):.4f}")


if __name__ == "__main__":
    main()
