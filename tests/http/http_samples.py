"""Samples out of every format, and what the contract says each format makes of them."""

import io
import json
import struct
import sys
import zlib

import numpy as np
from PIL import Image

from http_server import PLAIN, ROOT, WORLDS, tile


def digest_of(samples):
    """Terrane-Digest, by the reference's hand."""
    sys.path.append(str(ROOT / "tests/reference"))
    from hashing import KEY, siphash128  # pylint: disable=import-outside-toplevel,import-error
    sys.path.pop()
    return siphash128(KEY, np.ascontiguousarray(samples, "<f4").tobytes()).hex()


def channels(layer, zones=9, recipe=PLAIN):
    if layer == "cover":
        file = next(file for folder in (WORLDS, ROOT / "config/worlds") if (file := folder / f"{recipe}.json").exists())
        return len(json.loads(file.read_text()).get("cover", {"materials": [None]})["materials"])
    return {"normal": 3, "partition": zones, "path": 2, "cave": 2, "climate": 3}.get(layer, 1)


def from_f32(body, layer, size, zones=9):
    """[row, column] or [row, column, channel] as binary32."""
    depth = len(body) // (4 * size * size) if layer == "cover" and zones == 1 else channels(layer, zones)  # of a recipe of the test's own
    assert len(body) == size * size * depth * 4
    values = np.frombuffer(body, "<f4")
    return values.reshape((size, size) if depth == 1 else (size, size, depth))


def get_samples(connection, seed, lod, x, y, layer="height", size=257, zones=9, **query):
    """A tile's f32 samples over an open connection."""
    return from_f32(connection.get(tile(seed, lod, x, y, "f32", layer=layer, size=size, **query)).body, layer, size, zones)


def png_chunks(body):
    """[(type, data)], checksums verified."""
    assert body[:8] == b"\x89PNG\r\n\x1a\n"
    at, chunks = 8, []
    while at < len(body):
        count, kind = struct.unpack(">I4s", body[at:at + 8])
        data = body[at + 8:at + 8 + count]
        assert struct.unpack(">I", body[at + 8 + count:at + 12 + count])[0] == zlib.crc32(kind + data)
        chunks.append((kind, data))
        at += 12 + count
    return chunks


def png_header(body):
    """Width, height, depth, colour type, compression, filter, interlace."""
    return struct.unpack(">IIBBBBB", png_chunks(body)[0][1])


def from_png(body):
    """Pixels as integers; palette images as indices."""
    image = Image.open(io.BytesIO(body))
    image.load()
    return np.asarray(image).astype(np.int64)


def palette(body):
    data = dict(png_chunks(body))[b"PLTE"]
    return [tuple(data[i:i + 3]) for i in range(0, len(data), 3)]


def packed(pixels):
    """R, G, B as one integer."""
    return (pixels[..., 0] << 16) | (pixels[..., 1] << 8) | pixels[..., 2]


def _rounded(values, top):
    return np.clip(np.floor(values + 0.5), 0, top).astype(np.int64)


def terrarium(heights):
    return _rounded((heights.astype(np.float64) + 32768) * 256, 0xFFFFFF)


def mapbox(heights):
    return _rounded((heights.astype(np.float64) + 10000) * 10, 0xFFFFFF)


def range16(heights, low, high):
    return _rounded((heights.astype(np.float64) - low) / (high - low) * 65535, 65535)


def eighths(depths):
    return _rounded(depths.astype(np.float64) * 8, 65535)


def flow_steps(flow):
    """n = round(16 flow) below one droplet, then 24 steps an octave, as README.md says it."""
    n = _rounded(flow.astype(np.float64) * 16, 1 << 14)
    octave = np.frexp(np.maximum(n, 16).astype(np.float64))[1] - 5  # of 2^(octave + 4) <= n
    steps = 16 + 24 * octave + (24 * (n - (16 << octave)) >> (octave + 4))
    return np.where(n < 16, n, np.minimum(steps, 255))


def turns(degrees):
    return _rounded(degrees.astype(np.float64) * 255 / 360, 255)


def unit8(normals):
    return _rounded(normals.astype(np.float64) * 127.5 + 127.5, 255)
