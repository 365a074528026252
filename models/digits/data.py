"""The optical digits set of scikit-learn, split once and for all."""

import numpy as np
from sklearn.datasets import load_digits

PIXEL_MAX = 16.0
TEST_IMAGES = 360
SPLIT_SEED = 1


def load_split():
    """(train images, train labels, test images, test labels), pixels scaled to 0..1.

    The test images serve for the final accuracy only: neither training nor calibration sees them.
    """
    digits = load_digits()
    images = (digits.images[:, None] / PIXEL_MAX).astype(np.float32)
    order = np.random.default_rng(SPLIT_SEED).permutation(len(images))
    test, train = order[:TEST_IMAGES], order[TEST_IMAGES:]
    return images[train], digits.target[train], images[test], digits.target[test]
