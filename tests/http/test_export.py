"""terrane export: what engines get is what the server serves: sizes, byte order, range, edges that two tiles share; and going on after an end of any kind."""

import csv
import fcntl
import io
import json
import os
import re
import shutil
import signal
import struct
import subprocess
import time

import numpy as np
import pytest
from http_client import PATIENCE_S
from http_seed import lines
from http_server import PLAIN_FILE, PROGRAM, WHOLE_FILE, run
from http_worlds import syncs  # noqa: F401
from PIL import Image

CENTER = "1543.4,-472"  # a coast with trees
RECIPE = json.loads(WHOLE_FILE.read_text())
MATERIALS = len(RECIPE["cover"]["materials"])


def words(*more, engine="unreal", recipe=WHOLE_FILE):
    return ["--engine", engine, "--center", CENTER, "--recipe", recipe, *more]


def export(folder, *more, status=0, **options):
    done = run("export", folder, *words(*more), **options)
    assert done.returncode == status, (done.returncode, done.stderr)
    return done


def facts(folder):
    return json.loads((folder / "set.json").read_text())


def window(server, ext, told, tiles=None, **query):
    """The set's ground, as /region has it."""
    across, down = tiles or told["set"]["tiles"]
    size = told["set"]["size"]
    step, (x0, y0) = size - size % 2, told["set"]["north_west"]
    width, height = across * step + size % 2, down * step + size % 2
    asked = "&".join(f"{name}={value}" for name, value in query.items())
    return server.get(f"/region/42.{ext}?x0={x0}&y0={y0}&w={width}&h={height}&lod={told['set']['lod']}&recipe=whole&{asked}").body, (height, width)


def cut(whole, told, column, row):
    size = told["set"]["size"]
    step = size - size % 2
    return whole[row * step:row * step + size, column * step:column * step + size]


def over_range(heights, low, high):
    return np.floor((heights.astype("f8") - low) / (high - low) * 65535 + 0.5).clip(0, 65535).astype("u2")


@pytest.fixture(scope="module")
def unreal(tmp_path_factory):
    """3 x 2 tiles of 127 with everything, two runs of it alike to the byte."""
    folder = tmp_path_factory.mktemp("sets") / "unreal"
    export(folder, "--size", 127, "--tiles", "3x2")
    return folder


def test_heights_are_the_servers(server, unreal):
    """In 16 bits, little-endian, rows from the north, over one range of whole metres that just holds them; shared edges bit-equal."""
    told = facts(unreal)
    assert told["whole"] and told["shares_edges"] and told["set"]["tiles"] == [3, 2] and told["set"]["north_west"] == [1543 - 189, -472 - 126]
    (low, high), of = told["range_m"], {}
    for kind, layer in (("height", "height"), ("water", "surface")):
        body, shape = window(server, "f32", told, layer=layer)
        whole = of[layer] = np.frombuffer(body, "<f4").reshape(shape)
        files = {(x, y): np.frombuffer((unreal / f"{kind}_x{x}_y{y}.r16").read_bytes(), "<u2").reshape(127, 127) for x in range(3) for y in range(2)}
        for (x, y), tile in files.items():
            assert np.array_equal(tile, over_range(cut(whole, told, x, y), low, high)), (kind, x, y)
        assert np.array_equal(files[0, 0][:, -1], files[1, 0][:, 0]) and np.array_equal(files[2, 0][-1], files[2, 1][0])
    assert low == np.floor(min(v.min() for v in of.values())) and high == np.ceil(max(v.max() for v in of.values()))
    assert (of["surface"] > of["height"]).any()  # or water has not been tried


def test_weights_are_the_servers(server, unreal):
    """A grey picture of 8 bits a material; they sum to 255."""
    told = facts(unreal)
    names = [material["name"] for material in RECIPE["cover"]["materials"]]
    assert [material["name"] for material in told["materials"]] == names
    bands = [np.asarray(Image.open(io.BytesIO(window(server, "png", told, layer="cover", bands=band)[0]))) for band in (0, 1)]
    for x, y in ((0, 0), (2, 1)):
        pictures = [Image.open(unreal / f"cover{k}-{name}_x{x}_y{y}.png") for k, name in enumerate(names)]
        assert {picture.mode for picture in pictures} == {"L"}
        weights = np.stack([np.asarray(picture) for picture in pictures], axis=2)
        assert (weights.sum(axis=2, dtype=int) == 255).all() and np.ptp(weights) > 0
        assert np.array_equal(weights, np.concatenate([cut(band, told, x, y) for band in bands], axis=2)[:, :, :MATERIALS])


def rows_of(path):
    return list(csv.DictReader(io.StringIO(path.read_text())))


def objects_of(server, told, to_x, to_y):
    """What stands in a rectangle of the set, as the server's records have it: class, metres from the set's corner, height, turn."""
    (x0, y0), found = told["set"]["north_west"], set()
    for ty in range(y0 // 256, (y0 + to_y) // 256 + 1):
        for tx in range(x0 // 256, (x0 + to_x) // 256 + 1):
            body = server.get(f"/tile/42/0/{tx}/{ty}.bin?layer=objects&recipe=whole").body
            for at in range(16, len(body), 16):
                x, y, z, turn, _, of, _ = struct.unpack_from("<fffBBBB", body, at)
                east, south = x + tx * 256 - x0, y + ty * 256 - y0
                if 0 <= east < to_x and 0 <= south < to_y:
                    found.add((RECIPE["objects"]["classes"][of]["name"], round(east, 3), round(south, 3), round(z, 3), turn * 360 / 256))
    return found


AXES = {  # a row of a table as metres to the east and south of the set's corner, height, and clockwise turn
    "unreal": lambda x, y, z, yaw, told: (x / 100, y / 100, z / 100, yaw),
    "unity": lambda x, y, z, yaw, told: (x, told["side"][1] - z, y, yaw),
    "godot": lambda x, y, z, yaw, told: (x + told["side"][0] / 2, z + told["side"][1] / 2, y, -yaw),
    "blender": lambda x, y, z, yaw, told: (x + told["side"][0] / 2, told["side"][1] / 2 - y, z, -yaw),
}


@pytest.mark.parametrize("engine,size", [("unreal", 127), ("unity", 129), ("godot", 128), ("blender", 129)])
def test_objects_stand_where_the_server_has_them(server, tmp_path, engine, size):
    """Each once, in the file of its tile, in the engine's axes."""
    export(tmp_path, "--size", size, "--tiles", "2x2", "--layers", "objects", "--engine", engine)
    told = facts(tmp_path)
    step = size - size % 2
    told["side"] = (2 * step, 2 * step)
    assert "range_m" not in told and "Heights" not in (tmp_path / "README.md").read_text()
    found = []
    for path in tmp_path.glob("objects*.csv"):
        column, row = map(int, re.findall(r"\d+", path.name))
        row = 1 - row if engine == "unity" else row
        for line in rows_of(path):
            east, south, up, turn = AXES[engine](*(float(line[name]) for name in ("X", "Y", "Z", "Yaw")), told)
            assert column * step <= east + 0.001 and east < (column + 1) * step and row * step <= south + 0.001 and south < (row + 1) * step
            found.append((line["Class"], round(east, 3), round(south, 3), round(up, 3), turn))
    expected = objects_of(server, told, *told["side"])
    assert len(found) == len(expected) > 10
    for got, wanted in zip(sorted(found), sorted(expected)):
        assert got[0] == wanted[0] and np.allclose(got[1:], wanted[1:], atol=0.0021)


def test_unity(server, tmp_path):
    """Rows of samples and of tiles from the south; splat maps of an even side, north up, without the middle row and column."""
    export(tmp_path, "--size", 65, "--tiles", "2x3", "--layers", "height,cover", "--engine", "unity")
    told = facts(tmp_path)
    (low, high) = told["range_m"]
    body, shape = window(server, "f32", told)
    whole = np.frombuffer(body, "<f4").reshape(shape)
    splat = np.asarray(Image.open(io.BytesIO(window(server, "png", told, layer="cover", bands=0)[0])))
    kept = [i for i in range(65) if i != 32]
    for x in range(2):
        for z in range(3):
            tile = np.frombuffer((tmp_path / f"height_{x}_{z}.raw").read_bytes(), "<u2").reshape(65, 65)
            assert np.array_equal(tile[::-1], over_range(cut(whole, told, x, 2 - z), low, high))
            picture = Image.open(tmp_path / f"cover0_{x}_{z}.png")
            assert picture.mode == "RGBA" and np.array_equal(np.asarray(picture), cut(splat, told, x, 2 - z)[kept][:, kept])
    page = (tmp_path / "README.md").read_text()
    assert f"| Terrain Size Y | {(high - low) * 65536 / 65535:.9g} |" in page and "| Resolution | 65 |" in page


def test_godot(server, tmp_path):
    """Terrain3D's regions side by side, true heights, and its control map: the two heaviest materials of each sample."""
    export(tmp_path, "--size", 64, "--tiles", "2x2", "--layers", "height,cover", "--format", "f32", "--engine", "godot")
    told = facts(tmp_path)
    body, shape = window(server, "f32", told)
    whole = np.frombuffer(body, "<f4").reshape(shape)
    bands = [np.asarray(Image.open(io.BytesIO(window(server, "png", told, layer="cover", bands=band)[0]))) for band in (0, 1)]
    weights = np.concatenate(bands, axis=2).astype(int)[:, :, :MATERIALS]
    assert not told["shares_edges"] and "range_m" not in told and not (tmp_path / "unfinished").exists()
    for x in range(2):
        for y in range(2):
            tile = np.frombuffer((tmp_path / f"height_x{x}_y{y}.f32").read_bytes(), "<f4").reshape(64, 64)
            assert np.array_equal(tile, cut(whole, told, x, y))
            control = np.frombuffer((tmp_path / f"control_x{x}_y{y}.u32").read_bytes(), "<u4").reshape(64, 64)
            base, over, blend = control >> 27, control >> 22 & 31, control >> 14 & 255
            of = cut(weights, told, x, y)
            first, second = (np.take_along_axis(of, ids.astype(int)[..., None], 2)[..., 0] for ids in (base, over))
            ordered = np.sort(of, axis=2)
            assert (base != over).all() and (first == ordered[..., -1]).all() and (second == ordered[..., -2]).all()
            assert np.abs(blend - 255 * second / (first + second)).max() <= 0.5 and not (control & 0x3FFF).any()
            assert Image.open(tmp_path / f"cover0_x{x}_y{y}.png").mode == "RGBA"


@pytest.mark.parametrize("fmt", ["png", "f32", "tif"])
def test_blender(server, tmp_path, fmt):
    export(tmp_path, "--size", 65, "--layers", "height", "--format", fmt, "--engine", "blender", "--lod", 2, "--range", "-100,300")
    told, (path,) = facts(tmp_path), tmp_path.glob("height*")
    whole = np.frombuffer(window(server, "f32", told)[0], "<f4").reshape(65, 65)
    if fmt == "png":
        assert np.array_equal(np.asarray(Image.open(path)), over_range(whole, -100, 300))
    else:
        assert np.array_equal(np.fromfile(path, "<f4").reshape(65, 65) if fmt == "f32" else np.asarray(Image.open(path)), whole)
    page = (tmp_path / "README.md").read_text()
    assert told["spacing_m"] == 4 and "256 x 256 m" in page and ("| Strength | 400 |" in page) == (fmt == "png")


def test_ranges(tmp_path):
    """The world's is that of the recipe; a given one cuts off what lies beyond, and none of them waits for all heights."""
    export(tmp_path / "world", "--size", 127, "--layers", "height", "--range", "world")
    assert facts(tmp_path / "world")["range_m"] == RECIPE["range_m"]
    export(tmp_path / "given", "--size", 127, "--layers", "height", "--range", "-38,-34")
    values = np.fromfile(tmp_path / "given" / "height_x0_y0.r16", "<u2")
    low, high = RECIPE["range_m"]
    metres = low + np.fromfile(tmp_path / "world" / "height_x0_y0.r16", "<u2") / 65535 * (high - low)
    assert facts(tmp_path / "given")["range_m"] == [-38, -34] and metres.min() < -39 and metres.max() > -33
    assert (values[metres > -33.9] == 65535).all() and (values[metres < -38.1] == 0).all()


def test_the_numbers_of_unreal(unreal):
    """The page's scale and place make metres of the files again."""
    told, page = facts(unreal), (unreal / "README.md").read_text()
    number = {name: float(value) for name, value in re.findall(r"\| ([\w ,]+) \| (-?[\d.]+) \|", page)}
    low, high = told["range_m"]
    for value, metres in ((0, low), (65535, high)):
        assert abs(number["Location Z"] + (value - 32768) / 128 * number["Scale Z"] - metres * 100) < (high - low) / 65535
    assert number["Scale X, Y"] == 100 and number["sea level, Z"] == RECIPE["sea_m"] * 100
    for pattern in told["files"]:
        assert f"`{pattern}`" in page and len(list(unreal.glob(pattern))) == 6
    assert len(list(unreal.iterdir())) == 6 * len(told["files"]) + 2


def test_a_secret_world(tmp_path):
    """Is called by its name alone; its digest is its server's, against which no guess can be tried."""
    worlds = {"dir": str(WHOLE_FILE.parent), "named": {"home": {"seed": "78187493520", "recipe": "plain", "secret": True}}}
    (tmp_path / "c.json").write_text(json.dumps({"worlds": worlds}))
    for seed in ("home", "78187493520"):
        done = run("export", tmp_path / seed, "--engine", "blender", "--center", "0,0", "--size", 65, "--seed", seed, "--config", tmp_path / "c.json",
                   *(["--recipe", "plain"] if seed != "home" else []))
        assert done.returncode == 0, done.stderr
    home, seed = content(tmp_path / "home"), content(tmp_path / "78187493520")
    told = json.loads(home["set.json"])["set"]
    assert told["name"] == "home" and told["digest"] and b"78187493520" not in home["README.md"] + home["set.json"]
    assert json.loads(seed["set.json"])["set"]["digest"] not in ("", told["digest"]) and home["height_x0_y0.png"] == seed["height_x0_y0.png"]


MANY = ["--size", "127", "--tiles", "3x3", "--threads", "1"]


def content(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


def put(folder, files):
    folder.mkdir()
    for name, data in files.items():
        (folder / name).write_bytes(data)
    return folder


@pytest.fixture(scope="module")
def many(tmp_path_factory):
    folder = tmp_path_factory.mktemp("sets") / "many"
    assert export(folder, *MANY, "--quiet").stdout == b""
    return content(folder)


def start(folder, *more):
    return subprocess.Popen([PROGRAM, "export", folder, *map(str, words(*more))], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_goes_on_after_a_signal(tmp_path, many, number):
    """To the same bytes; whatever has a name before is whole; the signal comes once files are there."""
    folder = tmp_path / "set"
    process = start(folder, *MANY)
    while len(list(folder.glob("objects*"))) < 2 and process.poll() is None:
        time.sleep(0.002)
    process.send_signal(number)
    out, err = process.communicate(timeout=PATIENCE_S)
    assert process.returncode in (3 if number == signal.SIGINT else -number, 0)
    if process.returncode == 3:
        assert b"the same command goes on from here" in err and json.loads(out.splitlines()[-1])["result"] == "stopped"
    there = content(folder)
    assert {name: data for name, data in there.items() if name != "set.json"}.items() <= many.items()
    found = lines(export(folder, *MANY, "--dry-run").stdout)[0]
    assert 2 <= found["found_files"] <= len(there)
    last = lines(export(folder, *MANY).stdout)[-1]
    assert last["result"] == "done" and last["found"] == found["found"] and content(folder) == many and not (folder / "unfinished").exists()


def test_what_waits_is_gone_on_with(tmp_path, many):
    """Heights of an earlier run that wait for the range are taken as they are; the range is that of all."""
    folder = put(tmp_path / "set", {name: data for name, data in many.items() if not name.startswith(("height", "water", "README"))})
    told = json.loads(many["set.json"])
    (folder / "set.json").write_text(json.dumps({"set": told["set"]}))
    (folder / "unfinished").mkdir()
    low, high = told["range_m"]
    kept = np.frombuffer(many["height_x1_y1.r16"], "<u2").astype("f4") / 65535 * (high - low) + low
    (folder / "unfinished/height_x1_y1.r16").write_bytes(kept.astype("<f4").tobytes())
    (folder / "unfinished/height_x2_y2.r16").write_bytes(b"half")
    assert lines(export(folder, *MANY).stdout)[-1]["made"] > 0
    assert content(folder) == many


def test_what_is_whole_is_known(tmp_path, many):
    folder = put(tmp_path / "set", many)
    dry, = lines(export(folder, *MANY, "--dry-run").stdout)
    assert dry["found"] == dry["total"] and dry["found_files"] == dry["files"] - 2 and dry["room_bytes"] == dry["bytes"] and dry["seconds"] == dry["cpu_seconds"] == 0
    last = lines(export(folder, *MANY).stdout)[-1]
    assert last["made"] == 0 and last["found"] == last["total"] and content(folder) == many
    (folder / "cover0-rock_x0_y0.png").write_bytes(many["cover0-rock_x0_y0.png"][:-9])  # as a power cut may leave it
    (folder / "height_x2_y2.r16").write_bytes(b"")
    assert 0 < lines(export(folder, *MANY).stdout)[-1]["made"] < 20 and content(folder) == many


def test_what_has_no_end_is_on_the_disk_before_its_name(tmp_path, syncs):  # noqa: F811
    """Half a table, or half a GeoTIFF, could not be told from a whole one after a power cut."""
    folder = tmp_path / "of.world"  # where syncs fail
    for name, layer, fmt in (("objects_x0_y0.csv", "objects", "png"), ("height_x0_y0.tif", "height", "tif")):
        given = words("--size", 65, "--layers", layer, "--format", fmt, engine="blender")
        assert run("export", folder, *given).returncode == 0
        whole = (folder / name).read_bytes()
        (folder / name).unlink()
        syncs.take(-1)
        done = run("export", folder, *given, environment=syncs.environment)
        assert done.returncode == 1 and done.stderr.decode() == f"terrane export: {folder}/{name}: Input/output error\n" and not (folder / name).exists()
        assert run("export", folder, *given).returncode == 0 and (folder / name).read_bytes() == whole
        shutil.rmtree(folder)


def test_dry_run_tells_what_it_takes(tmp_path):
    dry, = lines(export(tmp_path / "set", *MANY, "--dry-run").stdout)
    assert not (tmp_path / "set").exists() and dry["found"] == dry["found_files"] == 0 and dry["files"] == 9 * (3 + MATERIALS) + 2
    assert dry["seconds"] > 0 and dry["cpu_seconds"] > 0 and dry["room_bytes"] - dry["bytes"] == 9 * 2 * 127 * 127 * 2  # heights wait as floats
    dry_world, = lines(export(tmp_path / "set", *MANY, "--range", "world", "--dry-run").stdout)
    assert dry_world["room_bytes"] == dry_world["bytes"]
    export(tmp_path / "set", *MANY)
    size = sum(path.stat().st_size for path in (tmp_path / "set").iterdir())
    assert 0.5 < dry["bytes"] / size < 2, (dry["bytes"], size)


@pytest.mark.parametrize("other,named", [
    (["--size", "253"], "size"), (["--tiles", "2x2"], "tiles"), (["--engine", "blender", "--size", "129"], "engine"), (["--seed", "43"], "seed"),
    (["--recipe", PLAIN_FILE], "recipe"), (["--lod", "1"], "lod"), (["--range", "world"], "range"), (["--layers", "height"], "layers"),
    (["--center", "0,0"], "north_west"), (["--format", "png"], "format"), (["--variant", "base"], "variant")])
def test_another_set_is_refused(tmp_path, unreal, other, named):
    """By name, and nothing is touched."""
    shutil.copy(unreal / "set.json", tmp_path)
    before = content(tmp_path)
    for more in ([], ["--dry-run"]):
        message = export(tmp_path, "--size", 127, "--tiles", "3x2", *other, *more, status=1).stderr.decode()
        assert message.startswith(f"terrane export: {tmp_path}: holds another set, whose {named} is ") and message.count("\n") == 1
    assert content(tmp_path) == before and [path.name for path in tmp_path.iterdir()] == ["set.json"]


def test_places_that_cannot_be(tmp_path):
    (tmp_path / "file").touch()
    (tmp_path / "full").mkdir()
    (tmp_path / "full/mine").touch()
    (tmp_path / "odd").mkdir()
    (tmp_path / "odd/set.json").write_text("[]")
    (tmp_path / "left/unfinished").mkdir(parents=True)  # of another set, whose description is gone
    (tmp_path / "left/unfinished/height_x0_y0.r16").touch()
    for name, why in (("file", "Not a directory"), ("full", "is not empty"), ("odd", "is no description of a set"), ("left", "is not empty")):
        for more in ([], ["--dry-run"]):
            message = export(tmp_path / name, "--size", 127, *more, status=1).stderr.decode()
            assert message.startswith(f"terrane export: {tmp_path / name}") and why in message and message.count("\n") == 1
    assert (tmp_path / "full/mine").exists() and [path.name for path in (tmp_path / "full").iterdir()] == ["mine"]


def test_two_at_once(tmp_path):
    folder = os.open(tmp_path, os.O_RDONLY)
    fcntl.flock(folder, fcntl.LOCK_EX)
    assert b"another process writes this set" in export(tmp_path, *MANY, status=1).stderr and not list(tmp_path.iterdir())
    os.close(folder)


def test_a_full_disk(tmp_path, many):
    """Says so, fails, leaves nothing half, and goes on when there is space."""
    done = export(tmp_path / "set", *MANY, file_bytes=20000, status=1)
    assert re.match(rb"terrane export: \S+/\S+: File too large\n$", done.stderr), done.stderr
    assert json.loads(done.stdout.splitlines()[-1])["result"] == "failed"
    assert not [name for name, data in content(tmp_path / "set").items() if name != "set.json" and many[name] != data]
    export(tmp_path / "set", *MANY)
    assert content(tmp_path / "set") == many


@pytest.mark.parametrize("more,named", [
    (["--engine", "lumberyard"], "engine=lumberyard: must be unreal, unity, godot or blender"), (["--size", "1000"], "size=1000: unreal takes tiles of 1009, "),
    (["--size", "0x1"], "size=0x1"), (["--engine", "unity", "--size", "1009"], "size=1009: unity takes"), (["--format", "exr"], "format=exr: unreal takes r16, png"),
    (["--tiles", "0x1"], "tiles=0x1"), (["--tiles", "65x1"], "tiles=65x1"), (["--tiles", "4"], "tiles=4"), (["--center", "1"], "center=1"),
    (["--center", "nan,0"], "center=nan,0"), (["--center", "1e300,0"], "lies beyond the last tile"), (["--range", "5,5"], "range=5,5"),
    (["--range", "0,1e9"], "range=0,1e9"), (["--layers", "height,lava"], "layers=height,lava"), (["--layers", ""], "layers="),
    (["--layers", "objects", "--lod", "5"], "there are objects at levels 0 to 4"), (["--layers", "cover", "--recipe", "PLAIN"], None),
    (["--engine", "godot", "--tiles", "33x1"], "Terrain3D has at most 32 x 32 regions"), (["--lod", "25"], "lod=25"), (["--seed", ""], "seed="),
    (["--variant", "melted"], "variant=melted"), (["--threads", "0"], "threads=0"), (["--generator", "6"], "v=6"), (["--nonsense"], "--nonsense"),
    (["again"], "again: one word too many")])
def test_what_is_wrong_is_named(tmp_path, more, named):
    if named is None:
        recipe = tmp_path / "bare.json"
        recipe.write_text('{"terms": {"a": {"fractal": "fbm", "octaves": 1, "cell_m": 1024, "amplitude_m": 9}}, "height": "a"}')
        more, named = ["--layers", "cover", "--recipe", recipe], "the recipe has no cover"
    message = export(tmp_path / "set", *more, status=2).stderr.decode()
    assert message.startswith("terrane export: ") and named in message and message.count("\n") == 1 and not (tmp_path / "set").exists()


def test_needs_words(tmp_path):
    for given, named in (([], "needs DIR"), ([tmp_path / "a"], "needs --engine"), ([tmp_path / "a", "--engine", "unity"], "needs --center")):
        done = run("export", *given)
        assert done.returncode == 2 and named in done.stderr.decode()
