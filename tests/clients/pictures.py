"""Whether a screenshot shows something."""

import numpy as np
from PIL import Image


def assert_drawn(name, path):
    pixels = np.asarray(Image.open(path).convert("RGB")).astype(np.uint32)
    _, counts = np.unique((pixels[..., 0] << 16) | (pixels[..., 1] << 8) | pixels[..., 2], return_counts=True)
    largest = counts.max() / counts.sum()
    assert len(counts) > 500 and largest < 0.9, f"{name}: {path.name} has {len(counts)} colours, {largest:.0%} of it are one"
