"""Meshes over HTTP: glTF under /tile and /xyz, quantized-mesh under /terrain, against the f32."""

import gzip

import numpy as np
import pytest
from http_mesh import RADII, from_glb, from_terrain
from http_samples import get_samples
from http_server import tile

PLACES = [(0, 3, -7), (4, -49, 19), (11, 0, 0), (16, -1, -1)]


def ground_of(connection, lod, x, y, layer, size):
    """Heights and normals of f32, and metres between samples. Water is level."""
    heights = get_samples(connection, 42, lod, x, y, layer, size)
    normals = get_samples(connection, 42, lod, x, y, "normal", size).copy()
    if layer == "surface":
        normals[get_samples(connection, 42, lod, x, y, "water", size) > 0] = (0, 0, 1)
    return heights, normals, 2.0 ** lod * 256 / (size - 1)


@pytest.mark.parametrize("layer", ["height", "surface"])
@pytest.mark.parametrize("size,place", zip([3, 65, 129, 257, 129], [*PLACES, (7, 2, 2)]))
def test_glb_is_the_ground(connection, layer, size, place):
    lod, x, y = place
    answer = connection.get(tile(42, lod, x, y, "glb", layer=layer, size=size))
    assert answer["Content-Type"] == "model/gltf-binary"
    mesh = from_glb(answer.body)
    heights, normals, spacing = ground_of(connection, lod, x, y, layer, size)
    half, count = spacing * (size - 1) / 2, size * size
    steps = np.arange(size) * spacing - half
    top = mesh.attributes["POSITION"][:count].reshape(size, size, 3)
    assert np.array_equal(top[..., 1], heights)
    assert (top[..., 0] == steps).all() and (top[..., 2] == steps[:, None]).all()
    east_up_south = normals[..., [0, 2, 1]].reshape(count, 3)
    assert np.array_equal(mesh.attributes["NORMAL"][:count], east_up_south)
    shares = np.arange(size) / (size - 1)
    texture = mesh.attributes["TEXCOORD_0"][:count].reshape(size, size, 2)
    assert np.allclose(texture[..., 0], shares) and np.allclose(texture[..., 1], shares[:, None])
    extras = mesh.json["asset"]["extras"]
    assert extras["spacing_m"] == spacing
    assert extras["centre_m"] == [x * 256 * 2.0 ** lod + half, y * 256 * 2.0 ** lod + half]


@pytest.mark.parametrize("enc", [None, "quantised"])
@pytest.mark.parametrize("size", [3, 65, 257])
def test_glb_bounds_frames_and_winding(connection, enc, size):
    mesh = from_glb(connection.get(tile(42, 4, -49, 19, "glb", size=size, enc=enc)).body)
    position = mesh.json["accessors"][mesh.json["meshes"][0]["primitives"][0]["attributes"]["POSITION"]]
    raw = mesh.arrays["POSITION"]
    assert position["min"] == raw.min(axis=0).astype(float).tolist()
    assert position["max"] == raw.max(axis=0).astype(float).tolist()

    normal, tangent = mesh.attributes["NORMAL"], mesh.attributes["TANGENT"]
    error = 0.015 if enc else 1e-6
    assert np.abs(np.linalg.norm(normal, axis=1) - 1).max() < error
    assert np.abs(np.linalg.norm(tangent[:, :3], axis=1) - 1).max() < error
    assert np.abs((normal * tangent[:, :3]).sum(axis=1)).max() < error
    north = np.cross(normal, tangent[:, :3]) * tangent[:, 3:]  # where a texture has its upper side
    assert (north[:, 2] < 0).all() and (tangent[:, 0] > 0).all() and (np.abs(tangent[:, 3]) == 1).all()

    count, place = size * size, mesh.attributes["POSITION"]
    corner = place[mesh.triangles]
    area = np.cross(corner[:, 1] - corner[:, 0], corner[:, 2] - corner[:, 0])
    top = (mesh.triangles < count).all(axis=1)
    assert top.sum() == 2 * (size - 1) ** 2 and (area[top, 1] > 0).all()
    assert np.isclose(area[top, 1].sum() / 2, (place[:count, 0].max() - place[:count, 0].min()) ** 2)
    outwards = (area * corner.mean(axis=1))[~top][:, [0, 2]].sum(axis=1)
    assert len(outwards) == 8 * (size - 1) and (outwards > 0).all() and (area[~top, 1] == 0).all()


@pytest.mark.parametrize("size", [3, 65, 257])
def test_glb_skirt_hangs_below_the_edge(connection, size):
    mesh = from_glb(connection.get(tile(42, 4, -49, 19, "glb", size=size)).body)
    place, count = mesh.attributes["POSITION"], size * size
    spacing = mesh.json["asset"]["extras"]["spacing_m"]
    above = {(p[0], p[2]): i for i, p in enumerate(place[:count])}
    feet = place[count:]
    assert len({(p[0], p[2]) for p in feet}) == len(feet) == 4 * (size - 1)
    for i, foot in enumerate(feet):
        top = above[foot[0], foot[2]]
        assert place[top, 1] - foot[1] > 2 * spacing
        for name in ("NORMAL", "TANGENT", "TEXCOORD_0"):
            assert (mesh.attributes[name][top] == mesh.attributes[name][count + i]).all()


@pytest.mark.parametrize("layer", ["height", "surface"])
@pytest.mark.parametrize("size,place", zip([3, 5, 65, 129, 257], [*PLACES, *PLACES]))
def test_quantised_glb_is_near_and_its_squares_meet(connection, layer, size, place):
    lod, x, y = place
    exact = from_glb(connection.get(tile(42, lod, x, y, "glb", layer=layer, size=size)).body)
    coarse = tile(42, lod, x, y, "glb", layer=layer, size=size, enc="quantised")
    small = from_glb(connection.get(coarse).body)
    assert small.json["extensionsRequired"] == small.json["extensionsUsed"] == ["KHR_mesh_quantization"]
    assert "extensionsRequired" not in exact.json
    scale = small.json["nodes"][0]["scale"]
    spacing = exact.json["asset"]["extras"]["spacing_m"]
    assert scale[0] == scale[1] == scale[2]  # so that normals are what they seem
    off = np.abs(small.attributes["POSITION"] - exact.attributes["POSITION"])
    assert off[:, 1].max() <= scale[1] / 65535 * 0.501
    assert off[:, [0, 2]].max() <= 1e-9 * spacing * size
    assert np.abs(small.attributes["NORMAL"] - exact.attributes["NORMAL"]).max() < 0.5 / 127 + 1e-6
    assert np.abs(small.attributes["TANGENT"] - exact.attributes["TANGENT"]).max() < 0.5 / 127 + 1e-6
    assert np.abs(small.attributes["TEXCOORD_0"] - exact.attributes["TEXCOORD_0"]).max() < 1 / 65535
    assert np.array_equal(small.triangles, exact.triangles)


def test_xyz_gives_the_tiles_glb(connection):
    lod, x, y = 6, -4, -4
    there = connection.get(f"/xyz/42/{18 - lod}/{x + 2 ** 11}/{y + 2 ** 11}.glb?size=65")
    assert there.body == connection.get(tile(42, lod, x, y, "glb", size=65)).body
    root = from_glb(connection.get("/xyz/42/0/0/0.glb?size=65").body)
    assert root.json["asset"]["extras"]["centre_m"] == [0, 0]


def picture_of(mesh, body):
    """The png that a glb's material shows."""
    material, = mesh.json["materials"]
    texture = mesh.json["textures"][material["pbrMetallicRoughness"]["baseColorTexture"]["index"]]
    image, sampler = mesh.json["images"][texture["source"]], mesh.json["samplers"][texture["sampler"]]
    assert image["mimeType"] == "image/png" and sampler == {"magFilter": 9729, "minFilter": 9987, "wrapS": 33071, "wrapT": 33071}
    view = mesh.json["bufferViews"][image["bufferView"]]
    numbers = len(body) - mesh.json["buffers"][0]["byteLength"]
    return body[numbers + view["byteOffset"]:][:view["byteLength"]]


@pytest.mark.parametrize("query", [{}, {"layer": "surface", "size": 257}, {"enc": "quantised", "size": 33},
                                   {"recipe": "whole", "variant": "base"}])
def test_texture_is_the_tiles_relief(connection, query):
    plain = connection.get(tile(42, 4, -49, 19, "glb", **query))
    answer = connection.get(tile(42, 4, -49, 19, "glb", **query, texture="relief"))
    mesh, bare = from_glb(answer.body), from_glb(plain.body)
    of_relief = {name: query[name] for name in ("recipe", "variant") if name in query}
    relief = connection.get(tile(42, 4, -49, 19, "png", **of_relief, layer="relief", size=257))
    assert picture_of(mesh, answer.body) == relief.body and answer["ETag"] != plain["ETag"]
    assert "textures" not in bare.json and "baseColorTexture" not in bare.json["materials"][0]["pbrMetallicRoughness"]
    material, = mesh.json["materials"]
    factors = material["pbrMetallicRoughness"]
    assert "baseColorFactor" not in factors and factors["metallicFactor"] == 0 and factors["roughnessFactor"] == 1
    assert material["extensions"] == {"KHR_materials_unlit": {}} and "KHR_materials_unlit" in mesh.json["extensionsUsed"]
    assert mesh.json.get("extensionsRequired") == bare.json.get("extensionsRequired")
    assert np.array_equal(mesh.triangles, bare.triangles)
    for name in ("POSITION", "NORMAL", "TANGENT"):
        assert np.array_equal(mesh.arrays[name], bare.arrays[name])
    pixels = mesh.attributes["TEXCOORD_0"] * 257 - 0.5  # 0: the middle of the first
    assert np.abs(pixels - bare.attributes["TEXCOORD_0"] * 256).max() < 1 / 64


@pytest.mark.parametrize("target", ["/xyz/42/12/9/5.glb", "/xyz/42/0/0/0.glb", "/3dtiles/42/7/60/61.glb", "/3dtiles/42/0/0/0.glb"])
def test_pyramids_have_textures(connection, target):
    answer = connection.get(f"{target}?texture=relief", [("Accept-Encoding", "gzip")])
    assert answer["Content-Encoding"] == "gzip"
    body = gzip.decompress(answer.body)
    mesh, plain = from_glb(body), from_glb(connection.get(target).body)
    assert picture_of(mesh, body).startswith(b"\x89PNG") and mesh.json["nodes"] == plain.json["nodes"]


def terrain(connection, z, x, y, headers=(), **query):
    given = "&".join(f"{name}={value}" for name, value in query.items())
    return connection.get(f"/terrain/42/{z}/{x}/{y}.terrain" + (f"?{given}" if given else ""), headers)


def lattice(z, x, y):
    """The tile under a terrain tile."""
    return 16 - z, x - 2 ** z, 2 ** z - 1 - y - 2 ** (z - 1)


def axes(lon, lat):
    """East, south and up where that is."""
    zero = np.zeros_like(lon)
    east = np.stack([-np.sin(lon), np.cos(lon), zero], axis=1)
    south = np.stack([np.sin(lat) * np.cos(lon), np.sin(lat) * np.sin(lon), -np.cos(lat)], axis=1)
    up = np.stack([np.cos(lat) * np.cos(lon), np.cos(lat) * np.sin(lon), np.sin(lat)], axis=1)
    return east, south, up


# Land and sea at once, deep sea, high land, the corners of the globe; a tile of z 1 is an eighth of it.
GLOBE = [(16, 65536 + 3, 32768 + 7), (12, 4097, 2048), (9, 512, 255), (7, 130, 61), (5, 33, 17), (1, 0, 0),
         (1, 3, 1), (16, 0, 0), (16, 131071, 65535)]


@pytest.mark.parametrize("size,place", zip([None, 3, 33, 129, 257] * 2, GLOBE))
def test_terrain_vertices_are_the_surface(connection, size, place):
    z, x, y = place
    mesh = from_terrain(terrain(connection, z, x, y, **({"size": size} if size else {})).body)
    size = size or 65
    assert len(mesh.u) == size * size and mesh.index_bytes == (4 if size == 257 else 2)
    steps = np.floor(np.arange(size) / (size - 1) * 32767 + 0.5).astype(int)
    column, row = np.searchsorted(steps, mesh.u), size - 1 - np.searchsorted(steps, mesh.v)
    assert (steps[column] == mesh.u).all() and (steps[size - 1 - row] == mesh.v).all()
    assert len(set(zip(column.tolist(), row.tolist()))) == size * size

    surface = get_samples(connection, 42, *lattice(z, x, y), "surface", size)
    step = (mesh.high - mesh.low) / 32767
    assert mesh.low == surface.min() and mesh.high == surface.max()
    assert np.abs(mesh.heights - surface[row, column]).max() <= step * 0.501


@pytest.mark.parametrize("size", [3, 65, 257])
def test_terrain_triangles_and_edges(connection, size):
    mesh = from_terrain(terrain(connection, 9, 512, 255, size=size).body)
    place = np.stack([mesh.u, mesh.v], axis=1)
    a, b, c = (place[mesh.triangles[:, i]].astype(np.int64) for i in range(3))
    twice = (b - a)[:, 0] * (c - a)[:, 1] - (b - a)[:, 1] * (c - a)[:, 0]
    assert len(twice) == 2 * (size - 1) ** 2 and (twice > 0).all() and twice.sum() == 2 * 32767 ** 2
    assert max(np.ptp(place[mesh.triangles], axis=1).ravel()) <= 32767 // (size - 1) + 1
    for name, along, value in (("west", mesh.u, 0), ("east", mesh.u, 32767), ("south", mesh.v, 0),
                               ("north", mesh.v, 32767)):
        on_edge = mesh.edges[name]
        assert set(on_edge) == set(np.flatnonzero(along == value)) and len(on_edge) == size
    turn = [mesh.v[mesh.edges["west"]], -mesh.u[mesh.edges["south"]], -mesh.v[mesh.edges["east"]],
            mesh.u[mesh.edges["north"]]]
    assert all((np.diff(values) > 0).all() for values in turn)


@pytest.mark.parametrize("z,x,y", GLOBE)
def test_terrain_normals_are_turned_to_the_globes_axes(connection, z, x, y):
    mesh = from_terrain(terrain(connection, z, x, y, layer="height").body)
    assert len(mesh.extensions[1]) == 2 * len(mesh.u)
    normals = get_samples(connection, 42, *lattice(z, x, y), "normal", 65).astype(float)
    column, row = np.rint(mesh.u * 64 / 32767).astype(int), 64 - np.rint(mesh.v * 64 / 32767).astype(int)
    n = normals[row, column]
    east, south, up = axes(*mesh.angles(z, x, y))
    expected = n[:, :1] * east + n[:, 1:2] * south + n[:, 2:] * up
    cosine = (mesh.normals() * expected).sum(axis=1)
    assert cosine.min() > np.cos(np.radians(1.0)), np.degrees(np.arccos(cosine.min()))


@pytest.mark.parametrize("z,x,y", GLOBE)
def test_terrain_bounds(connection, z, x, y):
    mesh = from_terrain(terrain(connection, z, x, y).body)
    places = mesh.places(z, x, y)
    off = np.linalg.norm(places - mesh.sphere, axis=1)
    assert off.max() <= mesh.radius <= off.max() * (1 + 1e-6)
    assert np.linalg.norm(mesh.centre - mesh.sphere) == 0
    assert mesh.radius < np.linalg.norm(places.max(axis=0) - places.min(axis=0)) * 0.51


def is_hidden(camera, points):
    """Whether the globe hides points from a camera, in units in which it is a sphere: as viewers test it."""
    above = camera @ camera - 1
    towards = points - camera
    down = -(towards @ camera)
    with np.errstate(invalid="ignore"):
        return (down > above) & (down ** 2 / (towards ** 2).sum(axis=1) > above)


@pytest.mark.parametrize("z,x,y", [*GLOBE, (0, 0, 0), (0, 1, 0), (3, 4, 4), (2, 7, 0)])
def test_what_the_horizon_point_hides_is_hidden(connection, z, x, y):
    mesh = from_terrain(terrain(connection, z, x, y).body)
    vertices = mesh.places(z, x, y) / RADII
    vertices = vertices * np.maximum(1, 1 / np.linalg.norm(vertices, axis=1))[:, None]
    dice = np.random.default_rng(z * 1000 + x)
    middle = mesh.centre / RADII / np.linalg.norm(mesh.centre / RADII)
    hidden = 0
    for reach in (1.00001, 1.001, 1.1, 3.0):
        for _ in range(100):
            direction = dice.normal(size=3)
            near = middle + direction / np.linalg.norm(direction) * dice.uniform(0, 2.2)
            camera = near / np.linalg.norm(near) * reach
            if is_hidden(camera, mesh.horizon[None])[0]:
                hidden += 1
                # A hair below each vertex: this is no test of rounding.
                assert is_hidden(camera, vertices * (1 - 1e-9)).all()
    assert hidden > 20 if z > 0 else np.isnan(mesh.horizon).all()


@pytest.mark.parametrize("z,x,y", GLOBE)
def test_terrain_water(connection, z, x, y):
    mesh = from_terrain(terrain(connection, z, x, y).body)
    depth = get_samples(connection, 42, *lattice(z, x, y), "water", 65)
    mask = np.frombuffer(mesh.extensions[2], "u1")
    wet = depth > 0
    if wet.all() or not wet.any():
        assert mask.tolist() == [255 if wet.all() else 0]
        return
    mask = mask.reshape(256, 256).astype(float)
    blocks = mask.reshape(64, 4, 64, 4).mean(axis=(1, 3)) / 255
    corners = (wet[:-1, :-1].astype(float) + wet[1:, :-1] + wet[:-1, 1:] + wet[1:, 1:]) / 4
    assert np.abs(blocks - corners).max() < 1 / 255
    rows = mask[:, 0].reshape(64, 4)  # along the western column: from the northern vertex to the southern one
    falls = wet[:-1, 0] & ~wet[1:, 0] & ~(wet[:-1, 1] ^ wet[:-1, 0]) & ~(wet[1:, 1] ^ wet[1:, 0])
    assert (np.diff(rows[falls], axis=1) < 0).all()


def test_some_water_is_mixed_all_and_none(connection):
    lengths = {(len(m), m[0] if len(m) == 1 else None)
               for m in (from_terrain(terrain(connection, *place).body).extensions[2] for place in GLOBE)}
    assert lengths == {(65536, None), (1, 0), (1, 255)}, lengths


def test_both_roots_are_halves_of_the_globe(connection):
    west, east = (from_terrain(terrain(connection, 0, x, 0, recipe="continents").body) for x in (0, 1))
    step = max(west.high - west.low, east.high - east.low) / 32767
    assert np.abs(west.heights[west.edges["east"]] - east.heights[east.edges["west"]][::-1]).max() <= step
    for x, mesh in ((0, west), (1, east)):
        assert len(mesh.u) == 65 * 65 and (mesh.sphere[1] < 0) == (x == 0)
        # Their samples are those of two tiles: the southern half of one, the northern half of the other.
        halves = [get_samples(connection, 42, 16, x - 1, y, "surface", 65, recipe="continents") for y in (-1, 0)]
        whole = np.vstack([halves[0][32:-1], halves[1][:33]])
        assert np.ptp(whole) > 1000
        column, row = np.rint(mesh.u * 64 / 32767).astype(int), 64 - np.rint(mesh.v * 64 / 32767).astype(int)
        assert np.abs(mesh.heights - whole[row, column]).max() <= step
        lon, lat = mesh.angles(0, x, 0)
        _, _, up = axes(lon, lat)
        slope = np.degrees(np.arccos(np.clip((mesh.normals() * up).sum(axis=1), -1, 1)))
        assert slope.max() < 2  # at 1,049 km between vertices all ground is level
