"""A map of one's own: files of heights beside recipes, what is made of them, and what is refused of them."""

import io
import json
import os
import stat
import struct
import subprocess
import zlib

import numpy as np
import pytest
from http_client import wait_for
from http_hold import HungDisk
from http_operator import reload
from http_samples import get_samples
from http_server import LAYERS, PROGRAM, WORLDS, has, run, tile
from PIL import Image

gdal = pytest.importorskip("osgeo.gdal")
gdal.UseExceptions()

SIDE, SPACING = 65, 96.0
MAP = {"raster": "map.npy", "spacing_m": SPACING, "at": [0, 0], "fade_m": 2000, "beyond": -100}


def heights(seed=1, side=SIDE):
    y, x = np.mgrid[0:side, 0:side] / side
    rough = np.random.default_rng(seed).uniform(-20, 20, (side, side))
    return (900 * np.sin(3 * x + seed) * np.cos(2 * y) + rough).astype(np.float32)


def write(folder, name, values, **options):
    """As what the name ends with."""
    path = folder / name
    if name.endswith(".npy"):
        np.save(path, values)
        return path
    kind, data = {"tif": ("GTiff", gdal.GDT_Float32), "png": ("PNG", gdal.GDT_UInt16), "asc": ("AAIGrid", gdal.GDT_Float32)}[name[-3:]]
    memory = gdal.GetDriverByName("MEM").Create("", values.shape[1], values.shape[0], 1, options.pop("type", data))
    memory.GetRasterBand(1).WriteArray(values)
    memory.SetGeoTransform((0, SPACING, 0, 0, 0, -SPACING))
    if "nodata" in options:
        memory.GetRasterBand(1).SetNoDataValue(options.pop("nodata"))
    gdal.GetDriverByName(kind).CreateCopy(str(path), memory, options=[f"{key}={value}" for key, value in options.items()])
    return path


def recipe(folder, name="mine", **members):
    (folder / f"{name}.json").write_text(json.dumps({"height": {**MAP, **members}}))
    return folder / f"{name}.json"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A recipe for each format, of the same heights, and one that has all that a recipe may have."""
    directory = tmp_path_factory.mktemp("worlds")
    values, grey = heights(), np.arange(SIDE * SIDE, dtype=np.uint16).reshape(SIDE, SIDE) * 15
    write(directory, "map.npy", values)
    write(directory, "strips.tif", values)
    write(directory, "tiles.tif", values, TILED="YES", BLOCKXSIZE=32, BLOCKYSIZE=16, COMPRESS="DEFLATE", PREDICTOR=3)
    write(directory, "big.tif", values.astype(np.float64), type=gdal.GDT_Float64, ENDIANNESS="BIG", BIGTIFF="YES")
    write(directory, "map.asc", values, SIGNIFICANT_DIGITS=9)
    write(directory, "grey.png", grey)
    write(directory, "grey.tif", grey, type=gdal.GDT_UInt16, COMPRESS="LZW", PREDICTOR=2)
    for name, file in (("npy", "map.npy"), ("strips", "strips.tif"), ("tiles", "tiles.tif"), ("big", "big.tif"), ("asc", "map.asc")):
        recipe(directory, name, raster=file)
    recipe(directory, "grey-png", raster="grey.png", times=0.5, offset_m=-30)
    recipe(directory, "grey-tif", raster="grey.tif", times=0.5, offset_m=-30)
    whole = json.loads((WORLDS / "whole.json").read_text())
    whole["terms"]["map"] = {**MAP, "at": [-3000, -3000]}
    whole["height"] = {"sum": [whole["height"], [0.5, "map"]]}
    (directory / "whole.json").write_text(json.dumps(whole))
    return directory


@pytest.fixture(scope="module")
def mapped(stay, folder):
    return stay(config={"worlds": {"dir": str(folder), "default": "npy"}})


@pytest.fixture(scope="module")
def mapped_connection(mapped):
    with mapped.connect() as opened:
        yield opened


def test_places_of_its_samples_have_its_numbers(mapped_connection):
    for level, step in ((0, 96), (4, 6), (5, 3)):
        side = min((SIDE - 1) * step + 1, 4097)
        body = mapped_connection.get(f"/region/42.f32?x0=0&y0=0&w={side}&h={step + 1}&lod={level}").body
        samples = np.frombuffer(body, "<f4").reshape(-1, side)[::step, ::step]
        assert samples.tobytes() == heights()[:2, :samples.shape[1]].tobytes(), level


@pytest.mark.parametrize("name", ["strips", "tiles", "big", "asc"])
def test_all_formats_are_the_same_world(mapped, name):
    facts = [mapped.json(f"/world/42?recipe={each}") for each in ("npy", name)]
    assert facts[0]["world"] == facts[1]["world"]
    bodies = {mapped.get(tile(42, 4, 0, 0, "f32", recipe=each)).body for each in ("npy", name)}
    assert len(bodies) == 1


def test_grey_is_what_its_numbers_say(mapped):
    bodies = {mapped.get(tile(42, 5, 0, 0, "f32", recipe=f"grey-{kind}", size=256)).body for kind in ("png", "tif")}
    assert len(bodies) == 1
    samples = np.frombuffer(bodies.pop(), "<f4").reshape(256, 256)
    assert (samples[::3, ::3][:65, :65] == np.arange(SIDE * SIDE).reshape(SIDE, SIDE) * 15 * 0.5 - 30).all()


def test_beyond_it_is_what_it_fades_into(mapped_connection):
    assert (get_samples(mapped_connection, 42, 4, 40, -3, "height", 65) == -100).all()
    samples = get_samples(mapped_connection, 42, 5, -1, 0, "height", 256)  # 2 km west of it, 62 samples
    assert (samples[:, :256 - 63] == -100).all() and samples[1, 255] != -100


def test_every_layer_in_every_format_stands_on_it(mapped):
    """With rivers, erosion, paths, caves, climate, cover and objects."""
    for layer in LAYERS:
        for level, x, y in ((0, 1, 1), (3, -1, 0), (6, 0, 0)):
            for kind in ("png", "f32"):
                if has(layer, kind):
                    mapped.get(tile(42, level, x, y, kind, recipe="whole", layer=layer, size=65 if kind == "f32" else None))


def test_a_file_that_changes_is_another_world(launch, tmp_path):
    write(tmp_path, "map.npy", heights())
    recipe(tmp_path)
    server = launch(config={"worlds": {"dir": str(tmp_path), "default": "mine"}})
    before = server.json("/world/42")["world"], server.get(tile(42, 4, 0, 0, "f32"))
    write(tmp_path, "map.npy", heights(2))
    wait_for(lambda: server.count("terrane_files_changed") == 1, what="a look at the file")
    assert server.log_text().count("map.npy of mine: the file has changed on the disk: worlds stay as they were read, until a reload makes others") == 1
    assert server.json("/world/42")["world"] == before[0]
    assert reload(server) and "map.npy of mine: the file has changed, so that there are other worlds now" in server.log_text()
    after = server.json("/world/42")["world"], server.get(tile(42, 4, 0, 0, "f32"))
    assert after[0] != before[0] and after[1]["ETag"] != before[1]["ETag"] and after[1].body != before[1].body
    wait_for(lambda: server.count("terrane_files_changed") == 0, what="a look at the file")
    (tmp_path / "map.npy").write_bytes(b"\x93NUMPY")
    assert not reload(server) and "map.npy: ends in its head" in server.log_text()
    assert server.get(tile(42, 4, 0, 0, "f32")).body == after[1].body
    write(tmp_path, "map.npy", heights())
    assert reload(server) and server.get(tile(42, 4, 0, 0, "f32")).body == before[1].body
    assert reload(server) and server.log_text().count("has changed, so") == 2
    (tmp_path / "map.npy").unlink()
    wait_for(lambda: server.count("terrane_files_changed") == 1, what="a look at the file")
    assert server.get(tile(42, 4, 0, 0, "f32")).body == before[1].body


def test_a_disk_that_hangs_keeps_no_end_waiting(launch, tmp_path):
    """Nor the clock, which is the same thread's."""
    disk = HungDisk(tmp_path)
    write(tmp_path, "map.npy", heights())
    recipe(tmp_path)
    server = launch(config={"worlds": {"dir": str(tmp_path), "default": "mine"}}, environment=disk.environment)
    try:
        disk.hang()
        wait_for(lambda: disk.waiting() == 1, what="a look at the file")
        assert server.is_well() and server.stop() == 0 and disk.waiting() == 1
    finally:
        disk.release()


def test_clients_are_not_told_to_make_it(tmp_path):
    write(tmp_path, "map.npy", heights())
    recipe(tmp_path)
    config = tmp_path / "server.conf"
    config.write_text(json.dumps({"worlds": {"dir": str(tmp_path), "named": {"home": {"seed": 1, "recipe": "mine", "client": True}}}}))
    done = run("serve", "--config", config)
    assert done.returncode != 0 and b"worlds.named.home.client: recipe mine names files, which clients have not" in done.stderr


@pytest.mark.parametrize("kind", ["<i8", ">i8", "<i4", ">i2", "|i1"])
def test_integers_have_their_sign(tmp_path, kind):
    """numpy's own are of 64 bits."""
    values = np.array([[-100, -1, 20], [5, 7, -128]])
    np.save(tmp_path / "map.npy", values.astype(kind))
    (tmp_path / "map.json").write_text(json.dumps({"height": {**MAP, "beyond": 0}}))
    done = run("render", 1, 0, "--window", "0,0,97,97", "--format", "npy", "--recipe", tmp_path / "map.json")
    assert done.returncode == 0, done.stderr
    assert np.load(io.BytesIO(done.stdout)).min() < -90


def png(width, height, data=b"", depth=16, colour=0, interlace=0, more=None):
    def chunk(name, body):
        return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))

    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, depth, colour, 0, 0, interlace))
            + (chunk(*more) if more else b"") + chunk(b"IDAT", zlib.compress(data)) + chunk(b"IEND", b""))


def npy(text, data=b""):
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text.encode() + data


def tif(*entries, data=b""):
    """Of entries (tag, type, count, value), behind which data are."""
    body = struct.pack("<H", len(entries)) + b"".join(struct.pack("<HHII", *entry) for entry in entries) + struct.pack("<I", 0)
    return b"II*\x00" + struct.pack("<I", 8) + body + data


def grey_tif(width=4, height=4, offset=200, length=32, rows=4, bits=16, channels=1, shown=1, more=(), data=bytes(400)):
    return tif((256, 4, 1, width), (257, 4, 1, height), (258, 3, 1, bits), (259, 3, 1, 1), (262, 3, 1, shown), (273, 4, 1, offset),
               (277, 3, 1, channels), (278, 4, 1, rows), (279, 4, 1, length), *more, data=data)  # fmt: skip


NPY = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 2), }"
FOUR = struct.pack("<4f", 1, 2, 3, 4)
HEAD = b"ncols 2\nnrows 2\nxllcorner 0\nyllcorner 0\ncellsize 1\n"
HOSTILE = {
    "empty": (b"", "is none of TIFF, PNG, npy and Esri's ASCII grid"),
    "other": (b"GIF89a" + bytes(90), "is none of TIFF, PNG, npy and Esri's ASCII grid"),
    "npy-wide": (npy(NPY.replace("2, 2", "2, 8193")), "8193 x 2 samples: allowed from 2 to 8192"),
    "npy-huge": (npy(NPY.replace("2, 2", "4294967296, 4294967296")), "4294967296 x 4294967296 samples: allowed"),
    "npy-line": (npy(NPY.replace("2, 2", "1, 4")), "4 x 1 samples: allowed from 2"),
    "npy-cube": (npy(NPY.replace("2, 2", "2, 2, 2")), "its shape is not (rows, columns)"),
    "npy-short": (npy(NPY, FOUR[:15]), "ends in row 1"),
    "npy-nan": (npy(NPY, FOUR[:12] + struct.pack("<f", np.nan)), "row 1, column 1: nan is not a number within 2^24 of 0"),
    "npy-infinite": (npy(NPY, struct.pack("<f", np.inf) + FOUR), "row 0, column 0: inf is not a number"),
    "npy-objects": (npy(NPY.replace("<f4", "|O"), FOUR), "its numbers are no integers, float32 or float64"),
    "npy-fortran": (npy(NPY.replace("False", "True"), FOUR), "is in Fortran's order"),
    "npy-head": (b"\x93NUMPY\x02\x00\xff\xff\xff\xff" + bytes(90), "has no head of at most 4096 bytes"),
    "asc-short": (HEAD + b"1 2 3\n", "ends after 3 of 4 numbers"),
    "asc-long": (HEAD + b"1 2 3 4 5\n", "has more than 4 numbers"),
    "asc-words": (HEAD + b"1 2 three 4\n", '"three" is no number'),
    "asc-none": (HEAD + b"NODATA_value -9999\n1 2 -9999 4\n", "row 1, column 0 has no value (-9999, as the file says): fill such places first"),
    "asc-endless": (HEAD + b"1" * 100000, "ends after 0 of 4 numbers, or has a word of over 63 bytes"),
    "asc-huge": (HEAD.replace(b"2", b"1e300", 1), "ncols or nrows is no number of samples"),
    "asc-odd": (b"ncols 2\nnrows 2\nwhatever 7\n1 2 3 4\n", '"whatever" is no line of the head'),
    "png-wide": (png(8193, 2), "libpng: "),
    "png-colour": (png(2, 2, bytes(13) + b"\1", depth=8, colour=2), "row 1, column 1 is not grey, or is transparent"),
    "png-clear": (png(2, 2, b"\0\7\xff\7\xff\0\7\xfe\7\xff", depth=8, colour=4), "row 1, column 0 is not grey, or is transparent"),
    "png-palette": (png(2, 2, bytes(6), depth=8, colour=3, more=(b"PLTE", bytes(3))), "has a palette, or less than 8 bits"),
    "png-bits": (png(8, 2, bytes(4), depth=1), "has a palette, or less than 8 bits"),
    "png-none": (png(2, 2, b"\0\7\7\0\7\0", depth=8, more=(b"tRNS", bytes(2))), "row 1, column 1 has no value (0, as the file says)"),
    "png-laced": (png(2, 2, bytes(5), interlace=1), "libpng: Not enough image data"),
    "png-short": (png(2, 2, bytes(10))[:-30], "libpng: the file ends too early"),
    "png-few": (png(2, 2, bytes(3)), "libpng: Not enough image data"),
    "tif-wide": (grey_tif(width=100000), "100000 x 4 samples: allowed from 2 to 8192"),
    "tif-channels": (grey_tif(channels=3), "has 3 numbers a sample: allowed 1"),
    "tif-bits": (grey_tif(bits=12), "its numbers are no integers of 8, 16 or 32 bits"),
    "tif-palette": (grey_tif(bits=8, length=16, shown=3, more=[(320, 3, 768, 216)], data=bytes(1800)), "its numbers are places in a palette"),
    "tif-absent": (grey_tif(rows=1), "strip 1 is not in the file"),
    "tif-far": (grey_tif(offset=2**31), "strip 0 cannot be read (libtiff: "),
    "tif-short": (grey_tif(data=bytes(100)), "strip 0 cannot be read (libtiff: "),
    "tif-endless": (grey_tif(length=2**32 - 1, rows=2**32 - 1, data=bytes(100)), "strip 0 cannot be read (libtiff: "),
    "tif-nothing": (tif((256, 4, 1, 4)), "is no TIFF that can be read (libtiff: "),
    "tif-cut": (b"II*\x00\xff\xff", "is no TIFF that can be read"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_files_are_refused_by_name(tmp_path, name):
    body, reason = HOSTILE[name]
    (tmp_path / "heights").write_bytes(body)
    done = run("recipe", recipe(tmp_path, raster="heights"))
    line = done.stderr.decode()
    assert done.returncode == 1 and line.startswith(f"{tmp_path}/mine.json: /height/raster: heights: {reason}") and line.count("\n") == 1, line


def digest_of(tmp_path, body):
    """Of the recipe whose heights these are."""
    (tmp_path / "heights").write_bytes(body)
    done = run("recipe", recipe(tmp_path, raster="heights"))
    assert done.returncode == 0, done.stderr
    return next(line for line in done.stdout.splitlines() if line.startswith(b"digest"))


@pytest.mark.parametrize("depth,kind", [(8, "u1"), (16, ">u2")])
def test_a_grey_picture_may_be_written_in_colours(tmp_path, depth, kind):
    """With alpha or without, they are the same world."""
    grey, worlds = np.arange(12, dtype=kind).reshape(3, 4, 1) * 21, set()
    for colour, channels in ((0, 1), (4, 2), (2, 3), (6, 4)):
        pixels = np.repeat(grey, channels, axis=2)
        pixels[..., -1] = grey[..., 0] if channels % 2 else 2**depth - 1
        worlds.add(digest_of(tmp_path, png(4, 3, b"".join(b"\0" + row.tobytes() for row in pixels), depth, colour)))
    assert len(worlds) == 1


def adam7(values):
    """An interlaced picture of 16 bits."""
    rows = b""
    for top, left, down, across in ((0, 0, 8, 8), (0, 4, 8, 8), (4, 0, 8, 4), (0, 2, 4, 4), (2, 0, 4, 2), (0, 1, 2, 2), (1, 0, 2, 1)):
        part = values[top::down, left::across].astype(">u2")
        rows += b"".join(b"\0" + row.tobytes() for row in part) if part.shape[1] else b""
    return png(values.shape[1], values.shape[0], rows, interlace=1)


@pytest.mark.parametrize("shape", [(2, 2), (3, 5), (5, 2), (17, 23)])
def test_an_interlaced_picture_is_the_same_world(tmp_path, shape):
    values = np.arange(shape[0] * shape[1]).reshape(shape) * 131
    plain = png(shape[1], shape[0], b"".join(b"\0" + row.astype(">u2").tobytes() for row in values))
    assert digest_of(tmp_path, adam7(values)) == digest_of(tmp_path, plain)


def test_what_is_no_file_is_refused(tmp_path):
    (tmp_path / "folder").mkdir()
    for name, reason in (("none.tif", "No such file or directory"), ("folder", "is not a regular file")):
        assert reason in run("recipe", recipe(tmp_path, raster=name)).stderr.decode()
    with (tmp_path / "large").open("wb") as file:
        file.truncate(2**31 + 1)
    assert "the file is too large: allowed at most 2147483648 bytes" in run("recipe", recipe(tmp_path, raster="large")).stderr.decode()


@pytest.mark.parametrize("none,said", [(-32768, "-32768"), (-9999.9, "-9999.90039")])
def test_nodata_of_a_geotiff_is_refused(tmp_path, none, said):
    values = heights()
    values[7, 9] = none
    write(tmp_path, "map.tif", values, nodata=none)
    assert f"row 7, column 9 has no value ({said}, as the file says)" in run("recipe", recipe(tmp_path, raster="map.tif")).stderr.decode()


def test_a_full_disk_leaves_nothing_of_an_import(tmp_path):
    write(tmp_path, "found.npy", heights())
    done = run("import", "heightmap", tmp_path / "found.npy", "--across", "9km", "-o", tmp_path / "new", file_bytes=5000)
    assert done.returncode == 1 and b"cannot be written" in done.stderr and not list((tmp_path / "new").iterdir())


def test_an_imported_map_serves_at_once(launch, tmp_path):
    values = np.abs(heights())
    write(tmp_path, "found.tif", values)
    done = run("import", "heightmap", tmp_path / "found.tif", "--across", "64km", "--sea", "100", "-o", tmp_path / "new")
    assert done.returncode == 0, done.stderr
    _, line = done.stdout.decode().splitlines()
    assert line == f"terrane serve --worlds {tmp_path}/new # then /tile/42/9/0/0.png?layer=relief&recipe=map"
    server = launch(config={"worlds": {"dir": f"{tmp_path}/new"}})
    assert server.get(tile(42, 7, 0, 0, "png", layer="relief", recipe="map"))["Content-Type"] == "image/png"
    assert sorted(path.name for path in (tmp_path / "new").iterdir()) == ["map.json", "map.tif"]


@pytest.mark.parametrize("words,status,said", [
    (["--across", "9km", "-o", "new"], 2, "a picture's numbers are no metres: say --heights LOW,HIGH"),
    (["--across", "far", "-o", "new", "--heights", "0,9"], 2, '--across: "far": allowed are kilometres'),
    (["--across", "0.1", "-o", "new", "--heights", "0,9"], 2, "samples are to be from 1/16 m to 2^20 m apart"),
    (["--across", "9km", "-o", "new", "--heights", "9,0"], 2, '--heights: "9,0": allowed are two numbers'),
    (["--across", "9km", "-o", "new", "--heights", "-13000,0"], 2, "allowed are -12000 to 30000"),
    (["--across", "9km", "-o", "new", "--name", "A"], 2, '--name: "A": allowed [a-z]'),
    (["--across", "9km", "-o", "", "--heights", "0,9"], 1, "No such file or directory"),
    (["--across", "9km"], 2, "needs heightmap FILE --across WIDTH -o DIR"),
    (["--across", "9km", "-o", "taken", "--heights", "0,9"], 1, "map.png: File exists")])
def test_what_import_refuses(tmp_path, words, status, said):
    write(tmp_path, "grey.png", np.arange(25, dtype=np.uint16).reshape(5, 5))
    (tmp_path / "taken").mkdir()
    (tmp_path / "taken/map.png").write_bytes(b"mine")
    done = run("import", "heightmap", tmp_path / "grey.png", *[tmp_path / word if word in ("new", "taken") else word for word in words])
    assert done.returncode == status and said in done.stderr.decode() and done.stderr.count(b"\n") == 1, done.stderr
    assert not (tmp_path / "new").exists() and (tmp_path / "taken/map.png").read_bytes() == b"mine"


def test_an_import_can_be_read_by_whom_the_umask_lets(tmp_path):
    write(tmp_path, "found.npy", heights())
    for mask, folder, file in ((0o022, 0o755, 0o644), (0o077, 0o700, 0o600)):
        new = tmp_path / f"{mask}" / "new"
        assert subprocess.run([PROGRAM, "import", "heightmap", tmp_path / "found.npy", "--across", "9km", "-o", new], check=False, umask=mask, capture_output=True).returncode == 0
        assert [stat.S_IMODE(path.stat().st_mode) for path in (new.parent, new)] == [folder] * 2
        assert {stat.S_IMODE(path.stat().st_mode) for path in new.iterdir()} == {file}


def picture(mode="L", side=48):
    """Of black, a slope, and white."""
    y, x = np.mgrid[0:side, 0:side]
    return Image.fromarray(np.clip(x * 3 + y - 20, 0, 160).astype(np.uint8)).convert(mode)


def saved(image, kind, **options):
    file = io.BytesIO()
    image.save(file, kind, **options)
    return file.getvalue()


def imported(tmp_path, body, *words):
    (tmp_path / "found").write_bytes(body)
    return run("import", "heightmap", tmp_path / "found", "--across", "9km", "--heights", "0,2550", "-o", tmp_path / "new", *words)


TERRACES = "heights come in steps of 10 m, which make terraces: take a file of 16 bits, or --smooth\n"
PICTURES = {"jpeg": ("L", "JPEG", {"quality": 100}), "progressive": ("RGB", "JPEG", {"quality": 100, "progressive": True, "subsampling": 0}),
            "webp": ("RGB", "WEBP", {"lossless": True}), "webp-alpha": ("RGBA", "WEBP", {"lossless": True, "exact": True}), "bmp": ("L", "BMP", {}),
            "bmp24": ("RGB", "BMP", {}), "bmp32": ("RGBA", "BMP", {}), "palette": ("P", "PNG", {}), "tif": ("RGB", "TIFF", {}), "tif-alpha": ("RGBA", "TIFF", {"compression": "tiff_lzw"})}


@pytest.mark.parametrize("name", PICTURES)
def test_any_picture_becomes_a_map(tmp_path, name):
    mode, kind, options = PICTURES[name]
    done = imported(tmp_path, saved(picture(mode), kind, **options))
    assert done.returncode == 0 and done.stderr.decode() == f"terrane import: {tmp_path}/found: {TERRACES}", done
    samples, off = np.load(tmp_path / "new/map.npy"), np.abs(np.load(tmp_path / "new/map.npy") - np.asarray(picture()))
    assert samples.dtype == np.float32 and off.max() <= (2 if "JPEG" in kind else 0) and off.mean() < 0.3
    assert json.loads((tmp_path / "new/map.json").read_text())["terms"]["map"]["times"] == 10
    refused = run("recipe", recipe(tmp_path, raster="found"))
    assert refused.returncode == 1 and refused.stderr.count(b"\n") == 1  # what a recipe may name stays what it was


def test_few_bits_are_stretched_to_white(tmp_path):
    done = imported(tmp_path, saved(picture("1"), "PNG"))
    assert done.returncode == 0 and set(np.load(tmp_path / "new/map.npy").flat) == {0, 255} and b"steps of 2.55e+03 m" in done.stderr


@pytest.mark.parametrize("kind,options", [("PNG", {}), ("BMP", {}), ("TIFF", {}), ("WEBP", {"lossless": True}), ("JPEG", {"quality": 100, "subsampling": 0})])
def test_of_colours_their_lightness_counts(tmp_path, kind, options):
    grey = np.asarray(picture())
    colours = np.dstack([grey, 255 - grey, grey // 2])
    done = imported(tmp_path, saved(Image.fromarray(colours), kind, **options))
    assert done.returncode == 0 and done.stderr.decode() == f"terrane import: {tmp_path}/found: is in colours: how light they are is taken for heights\n"
    off = np.abs(np.load(tmp_path / "new/map.npy") - colours @ [0.299, 0.587, 0.114])
    assert off.max() < (3 if kind == "JPEG" else 0.001)


def test_terraces_become_slopes_that_round_to_them(tmp_path):
    grey = np.asarray(picture(side=200))
    done = imported(tmp_path, saved(Image.fromarray(grey // 8), "PNG"), "--smooth")
    assert done.returncode == 0 and not done.stderr
    smooth, true = np.load(tmp_path / "new/map.npy"), grey / 8 - 0.4375
    assert (np.round(smooth) == grey // 8).all()
    inner = (grey > 8) & (grey < 152)
    assert np.abs(smooth - true)[inner].mean() < 0.3 * np.abs(grey // 8 - true)[inner].mean()
    assert (smooth[grey < 8] == 0).all()  # a sea stays level


def test_numbers_of_16_bits_make_no_terraces(tmp_path):
    done = imported(tmp_path, saved(Image.fromarray(np.arange(2500, dtype=np.uint16).reshape(50, 50) * 26), "PNG"))
    assert done.returncode == 0 and not done.stderr
    widened = imported(tmp_path, saved(Image.fromarray(np.asarray(picture()).astype(np.uint16) * 257), "PNG"), "--name", "wide")
    assert widened.returncode == 0 and TERRACES in widened.stderr.decode()  # they are 8, written as 16


def scans(count):
    """A progressive JPEG of 16 x 16 pixels, and so many more scans, which say nothing of its four blocks."""
    nothing = b"\xff\xda\0\x08\x01\x01\0\x01\x3f\0\x0f"
    return saved(picture(side=16), "JPEG", progressive=True)[:-2] + b"\xff\xc4\0\x14\x10\x01" + bytes(16) + nothing * count + b"\xff\xd9"


def patched(body, at, value):
    return body[:at] + value + body[at + len(value):]


JPEG, WEBP, BMP = saved(picture(), "JPEG"), saved(picture("RGB"), "WEBP", lossless=True), saved(picture("RGB"), "BMP")
SIZE = JPEG.index(b"\xff\xc0") + 5
BAD_PICTURES = {
    "other": (b"GIF89a" + bytes(90), "is none of TIFF, PNG, JPEG, WebP, BMP, npy and Esri's ASCII grid"),
    "jpeg-wide": (patched(JPEG, SIZE, struct.pack(">HH", 48, 8193)), "8193 x 48 samples: allowed from 2 to 8192"),
    "jpeg-line": (patched(JPEG, SIZE, struct.pack(">HH", 1, 48)), "48 x 1 samples: allowed from 2"),
    "jpeg-more": (patched(JPEG, SIZE, struct.pack(">HH", 8192, 8192)), "libjpeg: Corrupt JPEG data: premature end of data segment"),
    "jpeg-short": (JPEG[:-200], "the file ends too early"),
    "jpeg-head": (JPEG[:30], "the file ends too early"),
    "jpeg-none": (b"\xff\xd8\xff\xd9", "libjpeg: JPEG datastream contains no image"),
    "jpeg-cmyk": (saved(picture().convert("CMYK"), "JPEG"), "has 4 inks or channels: save it in grey or RGB"),
    "jpeg-scans": (scans(64), "has more than 64 scans"),
    "jpeg-garbled": (patched(JPEG, len(JPEG) - 200, b"\xff\xd0" * 50), "libjpeg: Corrupt JPEG data"),
    "webp-short": (WEBP[:-20], "is damaged, ends too early, or memory is short"),
    "webp-wide": (patched(WEBP, 21, struct.pack("<I", 9000 - 1 | 47 << 14)), "9000 x 48 samples: allowed from 2 to 8192"),
    "webp-none": (b"RIFF" + bytes(40), "is no WebP that can be read"),
    "webp-clear": (saved(Image.new("RGBA", (4, 4), (9, 9, 9, 7)), "WEBP", lossless=True), "row 0, column 0 is not grey, or is transparent"),
    "webp-moving": (saved(picture("RGB"), "WEBP", save_all=True, append_images=[picture("RGB", 48).rotate(90)]), "is a moving picture"),
    "bmp-short": (BMP[:-1], "ends in row 0"),
    "bmp-wide": (patched(BMP, 18, struct.pack("<I", 2**31)), "2147483648 x 48 samples: allowed"),
    "bmp-down": (patched(BMP, 22, struct.pack("<I", 2**31)), "48 x 2147483648 samples: allowed"),
    "bmp-packed": (patched(BMP, 30, b"\1"), "has 24 bits a pixel, compressed by method 1"),
    "bmp-head": (BMP[:40], "has no head of a BMP that is known"),
    "tif-parts": (grey_tif(channels=3, bits=32, length=192, data=bytes(800), shown=2), "its 3 numbers a sample are no RGB of 8 or 16 bits"),
}


def test_a_progressive_picture_may_have_many_scans(tmp_path):
    assert imported(tmp_path, scans(50)).returncode == 0


@pytest.mark.parametrize("name", BAD_PICTURES)
def test_hostile_pictures_are_refused_by_name(tmp_path, name):
    body, reason = BAD_PICTURES[name]
    done = imported(tmp_path, body)
    line = done.stderr.decode()
    assert done.returncode == 1 and line.startswith(f"terrane import: {tmp_path}/found: {reason}") and line.count("\n") == 1, line
    assert not os.path.exists(tmp_path / "new")
