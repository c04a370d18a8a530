"""Meshes out of their bytes: quantized-mesh and binary glTF, read slowly and as strictly as can be."""

import dataclasses
import io
import json
import struct

import numpy as np

A, B = 6378137.0, 6356752.3142451793  # the axes of WGS 84
RADII = np.array([A, A, B])


def unzigzag(codes):
    total, values = 0, []
    for code in codes.tolist():
        total += (code >> 1) ^ -(code & 1)
        values.append(total)
    assert min(values) >= 0 and max(values) <= 32767
    return np.array(values)


def high_water(codes):
    highest, indices = 0, []
    for code in codes.tolist():
        assert code <= highest
        indices.append(highest - code)
        highest += code == 0
    return np.array(indices), highest


def from_oct(pairs):
    """Directions out of two bytes each."""
    xy = pairs.reshape(-1, 2) / 255 * 2 - 1
    z = 1 - np.abs(xy).sum(axis=1)
    x, y = xy[:, 0].copy(), xy[:, 1].copy()
    low = z < 0
    x[low] = (1 - np.abs(xy[low, 1])) * np.where(xy[low, 0] < 0, -1, 1)
    y[low] = (1 - np.abs(xy[low, 0])) * np.where(xy[low, 1] < 0, -1, 1)
    n = np.stack([x, y, z], axis=1)
    return n / np.linalg.norm(n, axis=1, keepdims=True)


@dataclasses.dataclass
class Terrain:
    centre: np.ndarray
    low: float
    high: float
    sphere: np.ndarray
    radius: float
    horizon: np.ndarray
    u: np.ndarray
    v: np.ndarray
    h: np.ndarray
    triangles: np.ndarray
    edges: dict
    extensions: dict
    index_bytes: int

    @property
    def heights(self):
        return self.low + (self.high - self.low) * self.h / 32767

    def normals(self):
        return from_oct(np.frombuffer(self.extensions[1], "u1").astype(float))

    def angles(self, z, x, y):
        """Longitudes and latitudes of the vertices, in radians; y from the south."""
        width = np.pi / 2 ** z
        return (x + self.u / 32767) * width - np.pi, (y + self.v / 32767) * width - np.pi / 2

    def places(self, z, x, y):
        lon, lat = self.angles(z, x, y)
        return on_globe(lon, lat, self.heights)


def on_globe(lon, lat, height):
    """Earth-centred places; the prime vertical's radius is written with the eccentricity."""
    e2 = 1 - (B / A) ** 2
    n = A / np.sqrt(1 - e2 * np.sin(lat) ** 2)
    return np.stack([(n + height) * np.cos(lat) * np.cos(lon), (n + height) * np.cos(lat) * np.sin(lon),
                     (n * (1 - e2) + height) * np.sin(lat)], axis=1)


def from_terrain(body):
    file = io.BytesIO(body)

    def take(dtype, count):
        """Numbers that are there, one behind the other."""
        data = file.read(np.dtype(dtype).itemsize * count)
        assert len(data) == np.dtype(dtype).itemsize * count
        return np.frombuffer(data, dtype)

    centre, (low, high), sphere, (radius,), horizon = (take(*what) for what in (("<f8", 3), ("<f4", 2), ("<f8", 3), ("<f8", 1), ("<f8", 3)))
    count, = struct.unpack("<I", file.read(4))
    u, v, h = (unzigzag(take("<u2", count)) for _ in range(3))
    index = np.dtype("<u4" if count > 65536 else "<u2")
    assert not any(file.read(-file.tell() % index.itemsize))
    indices, used = high_water(take(index, 3 * int(take("<u4", 1)[0])))
    assert used == count
    edges = {name: take(index, int(take("<u4", 1)[0])).astype(int) for name in ("west", "south", "east", "north")}
    extensions = {}
    while head := file.read(5):
        kind, size = struct.unpack("<BI", head)
        assert kind not in extensions
        extensions[kind] = take("u1", size).tobytes()
    return Terrain(centre, float(low), float(high), sphere, float(radius), horizon, u, v, h, indices.reshape(-1, 3), edges,
                   extensions, index.itemsize)


@dataclasses.dataclass
class Glb:
    json: dict
    arrays: dict  # as they are written; normalised ones as integers
    attributes: dict  # as floats, the node's scale applied
    triangles: np.ndarray


KINDS = {5120: "<i1", 5121: "<u1", 5122: "<i2", 5123: "<u2", 5125: "<u4", 5126: "<f4"}
SHAPES = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4}
ALL_ONES = {"<i1": 127, "<u1": 255, "<i2": 32767, "<u2": 65535}


def accessor(document, numbers, index):
    a = document["accessors"][index]
    view = document["bufferViews"][a["bufferView"]]
    dtype, width = np.dtype(KINDS[a["componentType"]]), SHAPES[a["type"]]
    stride = view.get("byteStride", dtype.itemsize * width)
    start = view.get("byteOffset", 0) + a.get("byteOffset", 0)
    assert start % dtype.itemsize == 0 and (a["type"] == "SCALAR" or (stride % 4 == 0 and start % 4 == 0))
    assert a.get("byteOffset", 0) + stride * (a["count"] - 1) + dtype.itemsize * width <= view["byteLength"]
    assert view.get("byteOffset", 0) + view["byteLength"] <= document["buffers"][0]["byteLength"]
    assert view["target"] == (34963 if a["type"] == "SCALAR" else 34962)
    return np.ndarray((a["count"], width), dtype, numbers, start, (stride, dtype.itemsize)), a


def from_glb(body):
    magic, version, length, json_bytes, json_kind = struct.unpack_from("<5I", body)
    assert (magic, version, length, json_kind) == (0x46546C67, 2, len(body), 0x4E4F534A)
    assert json_bytes % 4 == 0
    document = json.loads(body[20:20 + json_bytes])
    size, kind = struct.unpack_from("<2I", body, 20 + json_bytes)
    assert kind == 0x004E4942 and size % 4 == 0 and 28 + json_bytes + size == len(body)
    numbers = body[28 + json_bytes:]
    assert document["asset"]["version"] == "2.0" and len(document["buffers"]) == 1
    assert document["buffers"][0]["byteLength"] == len(numbers)
    primitive, = document["meshes"][0]["primitives"]
    node, = document["nodes"]
    arrays, attributes = {}, {}
    for name, index in primitive["attributes"].items():
        arrays[name], a = accessor(document, numbers, index)
        values = arrays[name].astype(float)
        if a.get("normalized"):
            values = np.maximum(values / ALL_ONES[KINDS[a["componentType"]]], -1)
        attributes[name] = values
    attributes["POSITION"] = (attributes["POSITION"] * node.get("scale", [1, 1, 1]) +
                              node.get("translation", [0, 0, 0]))
    indices, a = accessor(document, numbers, primitive["indices"])
    assert a["count"] % 3 == 0 and indices.max() == len(attributes["POSITION"]) - 1
    assert a["componentType"] == (5123 if indices.max() < 65535 else 5125)
    return Glb(document, arrays, attributes, indices.reshape(-1, 3).astype(int))
