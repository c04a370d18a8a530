"""terrane seed: the cache that a server starts with, archives that others read, and going on after an end of any kind."""

import contextlib
import gzip
import json
import os
import shutil
import signal
import sqlite3
import subprocess
import time

import http_seed
import pytest
from http_archives import PMTiles, hilbert, martin, mbtiles
from http_client import PATIENCE_S, wait_for
from http_server import PROGRAM, WORLDS, render, run, tile
from http_seed import SMALL, end_early, on_a_terminal, seed, start

TEN = 10_000_000
KINDS = ["pmtiles", "mbtiles", "cache"]


def lines(done):
    return http_seed.lines(done.stdout)


def files(folder):
    return sorted(path.name for path in folder.iterdir())


@pytest.mark.parametrize("words,query,deepest,twice", [
    (["--layer", "relief"], "layer=relief", 2, ""), (["--enc", "mapbox", "--size", "512"], "enc=mapbox", 1, "@2x"),
    (["--reg", "center"], "reg=center", 1, ""), (["--layer", "cover", "--bands", "1"], "layer=cover&bands=1", 1, "")])
def test_archives_hold_the_tiles_of_xyz(server, tmp_path, words, query, deepest, twice):
    """Every tile of the pyramid as the server answers it, the shifted root among them; in both formats the same."""
    count = (4 << 2 * deepest) // 3
    for name in ("a.pmtiles", "again.a.pmtiles", "a.mbtiles"):
        last = lines(seed("--zoom", f"0-{deepest}", *words, "-o", tmp_path / name))[-1]
        assert (last["made"], last["done"], last["total"], last["result"]) == (count, count, count, "done")
    (tiles, said), archive = mbtiles(tmp_path / "a.mbtiles"), PMTiles(tmp_path / "a.pmtiles")
    assert sorted(tiles) == [(z, x, y) for z in range(deepest + 1) for x in range(1 << z) for y in range(1 << z)]
    for (z, x, y), data in tiles.items():
        assert server.get(f"/xyz/42/{z}/{x}/{y}{twice}.png?{query}").body == data, (z, x, y)
    assert archive.tiles() == {hilbert(*place): data for place, data in tiles.items()}
    assert said.get("terrane:reg") == archive.metadata.get("terrane:reg") == ("center" if "reg" in query else None)
    assert (tmp_path / "a.pmtiles").read_bytes() == (tmp_path / "again.a.pmtiles").read_bytes()


def test_what_archives_say(tmp_path):  # more of MBTiles: test_mbtiles.py
    words = ["--zoom", "8-9", "--zoom-window", "9/256-257/254-255", "--variant", "base"]
    seed(*words, "-o", tmp_path / "a.mbtiles")
    seed(*words, "-o", tmp_path / "a.pmtiles")
    tiles, said = mbtiles(tmp_path / "a.mbtiles")
    assert sorted(tiles) == [(8, 128, 127)] + [(9, x, y) for x in (256, 257) for y in (254, 255)]
    west, south, east, north = map(float, said["bounds"].split(","))
    assert (west, south) == (0, 0) and east == 1.40625 and 1.40 < north < 1.41
    archive = PMTiles(tmp_path / "a.pmtiles")
    assert archive.flags == (1, 2, 1, 2, 8, 9) and archive.addressed == archive.entries == archive.contents == 5
    assert archive.place[:4] == (0, 0, round(east * TEN), round(north * TEN)) and 8 <= archive.place[4] <= 9
    assert archive.metadata["encoding"] == "terrarium" and archive.metadata["terrane:seed"] == "42"
    seed(*words, "--layer", "slope", "-o", tmp_path / "s.mbtiles")
    assert "encoding" not in mbtiles(tmp_path / "s.mbtiles")[1]


def test_archives_of_vector_tiles(server, tmp_path):
    """By gzip, under the names that their readers know; from zoom 1 on."""
    for kind in ("mbtiles", "pmtiles"):
        words = ["--zoom", "1-2", "--format", "mvt", "-o", tmp_path / f"a.{kind}"]
        seed(*words)
        before = (tmp_path / f"a.{kind}").read_bytes()
        assert lines(seed(*words))[-1]["made"] == 0 and (tmp_path / f"a.{kind}").read_bytes() == before
    seed("--zoom", "1-2", "-o", tmp_path / "a.pmtiles", status=1)
    (tiles, said), (told, served) = mbtiles(tmp_path / "a.mbtiles"), martin(tmp_path / "a.mbtiles")
    assert len(tiles) == 20 and (told["minzoom"], told["maxzoom"]) == (1, 2)
    for (z, x, y), data in tiles.items():
        assert served(z, x, y) == data and server.get(f"/xyz/42/{z}/{x}/{y}.mvt").body == gzip.decompress(data)
    archive, layers = PMTiles(tmp_path / "a.pmtiles"), server.json("/xyz/42/vector.json")["vector_layers"]
    assert archive.tiles() == {hilbert(*place): data for place, data in tiles.items()} and archive.flags[2:4] == (2, 1)
    assert said["format"] == "pbf" and json.loads(said["json"]) == {"vector_layers": layers} and archive.metadata["vector_layers"] == layers


def test_same_tiles_are_there_once(tmp_path):
    """Ground above the sea everywhere: no water is one content in one run, but for the root, which is stitched."""
    flat = tmp_path / "flat.json"
    flat.write_text(json.dumps({"terms": {"ground": {"fractal": "fbm", "cell_m": 1024, "octaves": 1, "amplitude_m": 1}},
                                "height": "ground", "sea_m": -100}))
    seed("--zoom", "0-4", "--recipe", flat, "--layer", "water", "-o", tmp_path / "a.pmtiles", world=1)
    archive = PMTiles(tmp_path / "a.pmtiles")
    assert archive.addressed == 341 and archive.contents == archive.entries == 2
    assert len(archive.tiles()) == 341


@pytest.mark.skipif(not os.environ.get("TERRANE_TEST_LONG"), reason="16,384 tiles: TERRANE_TEST_LONG=1")
def test_many_tiles_have_leaves(tmp_path):
    seed("--zoom", "7", "--layer", "partition", "--threads", 4, "-o", tmp_path / "a.pmtiles")  # a minute of processor
    archive = PMTiles(tmp_path / "a.pmtiles")
    assert archive.leaves[1] > 0 and archive.addressed == 1 << 14
    tiles = archive.tiles()
    for z, x, y in ((7, 0, 0), (7, 127, 127), (7, 3, 99)):
        assert tiles[hilbert(z, x, y)] == render(42, 11, x - 64, y - 64, "png", layer="partition")


def test_a_world_by_name_and_format_by_option(tmp_path):
    config = tmp_path / "c.json"
    config.write_text(json.dumps({"worlds": {"dir": str(WORLDS), "named": {"alps": {"seed": "7", "recipe": "plain", "secret": False}}}}))
    done = seed("--lod", "16..17", "--variant", "base", "--config", config, "--archive", "mbtiles", "-o", tmp_path / "tiles",
                world="alps")
    assert lines(done)[-1]["total"] == 4 + 16
    tiles, said = mbtiles(tmp_path / "tiles")
    assert said["terrane:recipe"] == "plain" and said["terrane:seed"] == "7"
    assert tiles[(2, 1, 3)] == render(7, 16, -1, 1, "png", variant="base")


def test_a_seeded_cache_is_served(launch, tmp_path):
    words = ["--lod", "5..6", "--center", "5000,-3000", "--radius", "6000", "--cache", tmp_path / "cache"]
    last = lines(seed(*words))[-1]
    assert last["result"] == "done" and last["made"] == last["total"] == last["done"] and last["found"] == 0
    again = lines(seed(*words))[-1]
    assert again["made"] == 0 and again["found"] == last["total"]
    server = launch(cache=tmp_path / "cache")
    count = 0
    for lod in (5, 6):
        side = 256 << lod
        for x in range(-1000 // side, 10999 // side + 1):
            for y in range(-9000 // side, 2999 // side + 1):
                answer = server.get(tile(42, lod, x, y, "png"))
                assert answer["X-Cache"] == "disk", (lod, x, y)
                count += 1
    assert count == last["total"] and server.renders() == 0
    assert server.get(tile(42, 5, 100, 100, "png"))["X-Cache"] == "render"


def test_a_secret_world(launch, tmp_path):
    """Into a cache under the names that its server knows; an archive tells its name."""
    worlds = {"dir": str(WORLDS), "named": {"home": {"seed": "78187493520", "recipe": "plain", "secret": True}}}
    (tmp_path / "c.json").write_text(json.dumps({"worlds": worlds, "cache": {"dir": str(tmp_path / "cache")}}))
    words = ["--zoom", "1-2", "--variant", "base", "--config", tmp_path / "c.json"]
    assert lines(seed(*words, world="home"))[-1]["made"] == 20
    server = launch(config={"worlds": worlds}, cache=tmp_path / "cache")
    assert server.get("/xyz/home/2/1/3.png?variant=base")["X-Cache"] == "disk"
    assert server.get("/xyz/78187493520/2/1/3.png?recipe=plain&variant=base")["X-Cache"] == "render"
    assert not seed(*words, "-o", tmp_path / "a.mbtiles", world="home").stderr
    said = mbtiles(tmp_path / "a.mbtiles")[1]
    assert said["terrane:name"] == "home" and "78187493520" not in repr(said)
    vectors = ["--zoom", 1, "--format", "mvt", "--config", tmp_path / "c.json", "-o", tmp_path / "v.mbtiles"]
    for k in range(2):  # a cache that has none yet: the archive's ids would be those of no server, unless it is told of
        done = seed(*vectors, world="home", environment={"TERRANE_CACHE_DIR": str(tmp_path / "other")})
        assert (b"terrane seed: a new secret was drawn beside the cache" in done.stderr) == (k == 0)
    assert b"its own recipe" in seed(*words, "--recipe", "desert", world="home", status=2).stderr
    assert b"worlds.secret_file" in seed(*words, "--shared", "redis://127.0.0.1:1", world="home", status=2).stderr


@pytest.mark.parametrize("zoom,target", [("0", "/xyz/42/0/0/0.png"), ("1", "/xyz/42/1/1/0.png")])
def test_a_seeded_root_is_served(launch, tmp_path, zoom, target):
    seed("--zoom", zoom, "--cache", tmp_path / "cache")
    assert launch(cache=tmp_path / "cache").get(target)["X-Cache"] == "disk"


def test_a_cache_that_a_server_uses(launch, tmp_path):
    """Is left alone; what it would take can be told, but not what is there."""
    server = launch(cache=tmp_path / "cache")
    dry = seed(*SMALL, "--cache", tmp_path / "cache", "--dry-run")
    assert lines(dry)[0]["found"] == 0 and b"another process" in dry.stderr and dry.stderr.endswith(b"what it has is not counted\n")
    done = seed(*SMALL, "--cache", tmp_path / "cache", status=1)
    message = done.stderr.decode()
    assert message.count("\n") == 1 and str(tmp_path / "cache") in message and "another process" in message and "lock" in message
    assert server.is_well()


def test_a_quota_is_told_of(tmp_path):
    config = tmp_path / "c.json"
    config.write_text(json.dumps({"cache": {"disk_bytes": 4 << 20}}))
    words = [*SMALL, "--config", config, "--cache", tmp_path / "cache"]
    dry = seed(*words, "--dry-run")
    assert "more than the cache keeps: cache.disk_bytes" in dry.stderr.decode() and not (tmp_path / "cache").exists()
    done = seed(*words)
    assert "has dropped" in done.stderr.decode() and "cache.disk_bytes is 4194304" in done.stderr.decode()
    assert sum(path.stat().st_size for path in (tmp_path / "cache").iterdir()) <= 4 << 20


def test_a_quota_of_tiles_is_told_of_beforehand(tmp_path):
    config = tmp_path / "c.json"
    for rows in (84, 85):
        config.write_text(json.dumps({"cache": {"disk_rows": rows, "disk_bytes": 1 << 30}}))
        dry = seed(*SMALL, "--config", config, "--cache", tmp_path / "cache", "--dry-run")
        assert dry.stderr.endswith(b"more than the cache keeps: cache.disk_bytes is 1073741824 (1073.7 MB), cache.disk_rows 84\n") == (rows == 84), dry.stderr
        assert (not dry.stderr) == (rows == 85)


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """Finished archives of SMALL, in a folder; for copies."""
    folder = tmp_path_factory.mktemp("finished")
    for kind in ("pmtiles", "mbtiles"):
        done = seed(*SMALL, "-o", folder / f"a.{kind}", "--quiet")
        assert done.stdout == done.stderr == b""
    return folder


def where(tmp_path, kind):
    return ["--cache", tmp_path / "cache"] if kind == "cache" else ["-o", tmp_path / f"a.{kind}"]


@pytest.mark.long
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_goes_on_after_a_signal(tmp_path, finished, kind, number):
    """Again and again. What was told of is there: no tile of it is made again, and after SIGINT none at all."""
    words = [*SMALL, *where(tmp_path, kind), "--rate", 8]
    for pause in (0.05, 0.2, 0.4):
        process = start(*words)
        time.sleep(pause)
        process.send_signal(number)
        process.communicate(timeout=PATIENCE_S)
    last, status, message = end_early(start(*words), number, 20)
    told = last["done"]
    if number == signal.SIGINT:
        assert status == 3 and last["result"] == "stopped" and "the same command goes on from here" in message
        assert f"{told} of 85 tiles are in " in message
    else:
        assert status == -signal.SIGKILL
    assert not (tmp_path / f"a.{kind}").exists()  # nothing that is not whole has the name
    assert kind == "cache" or (tmp_path / f"a.{kind}.part").exists()
    last = lines(seed(*SMALL, *where(tmp_path, kind)))[-1]
    assert last["result"] == "done" and last["found"] + last["made"] == last["total"] == 85
    if number == signal.SIGINT:
        assert last["found"] == told
    else:  # lines come once a second, and it was killed right behind one
        assert told <= last["found"] <= told + 40
    if kind == "pmtiles":
        assert (tmp_path / "a.pmtiles").read_bytes() == (finished / "a.pmtiles").read_bytes() and files(tmp_path) == ["a.pmtiles"]
    if kind == "mbtiles":
        assert mbtiles(tmp_path / "a.mbtiles") == mbtiles(finished / "a.mbtiles") and files(tmp_path) == ["a.mbtiles"]
        martin(tmp_path / "a.mbtiles")


def test_an_unfinished_archive_under_its_name(tmp_path, finished):
    """As earlier versions left them: a look counts its tiles, a run goes on with them under the name of a part. Where there
    is a part already, neither is written over."""
    path, part = tmp_path / "a.mbtiles", tmp_path / "a.mbtiles.part"
    shutil.copy(finished / "a.mbtiles", path)
    with sqlite3.connect(path) as database:
        database.execute("DELETE FROM tiles WHERE zoom_level = 3")
    database.close()
    assert lines(seed(*SMALL, "-o", path, "--dry-run"))[0]["found"] == 21 and files(tmp_path) == ["a.mbtiles"]
    part.write_text("mine")
    before = path.read_bytes()
    assert b"remove one of them" in seed(*SMALL, "-o", path, status=1).stderr
    assert part.read_text() == "mine" and path.read_bytes() == before
    part.unlink()
    process = start(*SMALL, "-o", path, "--rate", 1)  # a minute's work: it has not ended when it is killed
    end_early(process, signal.SIGKILL, 22)
    assert not path.exists() and "agg_tiles_hash" not in mbtiles(part)[1]
    assert lines(seed(*SMALL, "-o", path))[-1]["found"] > 21
    assert mbtiles(path) == mbtiles(finished / "a.mbtiles") and files(tmp_path) == ["a.mbtiles"]


def test_an_archive_of_an_earlier_version_gets_its_hash(tmp_path, finished):
    path = tmp_path / "a.mbtiles"
    shutil.copy(finished / "a.mbtiles", path)
    with sqlite3.connect(path) as database:
        database.execute("DELETE FROM metadata WHERE name = 'agg_tiles_hash'")
    database.close()
    assert lines(seed(*SMALL, "-o", path))[-1]["found"] == 85 and martin(path) and files(tmp_path) == ["a.mbtiles"]


def state(path):
    return path.read_bytes(), path.stat().st_mtime_ns, path.stat().st_ino


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_finished_is_known(tmp_path, finished, kind):
    """The same again makes nothing and succeeds; an archive is not even touched."""
    if kind == "cache":
        seed(*SMALL, *where(tmp_path, kind))
    else:
        shutil.copy(finished / f"a.{kind}", tmp_path)
    before = state(tmp_path / f"a.{kind}") if kind != "cache" else None
    done = seed(*SMALL, *where(tmp_path, kind))
    last = lines(done)[-1]
    assert (last["made"], last["found"], last["done"], last["total"], last["result"]) == (0, 85, 85, 85, "done") and not done.stderr
    assert seed(*SMALL, *where(tmp_path, kind), "--quiet").stdout == b""
    dry = lines(seed(*SMALL, *where(tmp_path, kind), "--dry-run"))[0]
    assert (dry["total"], dry["found"], dry["samples"], dry["seconds"], dry["bytes"]) == (85, 85, 0, 0, 0)
    out, told = on_a_terminal(*SMALL, *where(tmp_path, kind))
    assert out == b"" and b"100 % 85 of 85 tiles" in told and b"already complete" in told
    if before:
        assert state(tmp_path / f"a.{kind}") == before and files(tmp_path) == [f"a.{kind}"]


@pytest.mark.parametrize("kind,verb", [("pmtiles", "is there already, and was made"), ("mbtiles", "was begun")])
@pytest.mark.parametrize("other,named", [
    (["--size", "512"], "size"), (["--layer", "slope"], "layer"), (["--enc", "mapbox"], "enc"), (["--recipe", "alpine"], "recipe"),
    (["--zoom", "0-4"], "zoom"), (["--bounds", "0,0,1000,1000"], "window"), (["--reg", "center"], "description"),
    (None, "seed")])
def test_other_options_are_refused(tmp_path, finished, kind, verb, other, named):
    """By a run, and by a look at what it would take."""
    path = tmp_path / f"a.{kind}"
    shutil.copy(finished / path.name, path)
    before = path.read_bytes()
    for more in ([], ["--dry-run"]):
        done = seed(*SMALL, *(other or []), *more, "-o", path, status=1, world=42 if other else 43)
        assert f"{path}: {verb} with {named} " in done.stderr.decode() and done.stderr.count(b"\n") == 1 and not done.stdout
    assert path.read_bytes() == before and files(tmp_path) == [path.name]


def test_another_variant_is_refused(tmp_path):
    words = ["--zoom", "0", "--recipe", "desert", "-o", tmp_path / "a.mbtiles", "--variant"]
    seed(*words, "base")
    assert b"was begun with variant " in seed(*words, "eroded", status=1).stderr


def test_a_part_that_was_left(tmp_path, finished):
    """Killed between the archive's getting its name and the end: the part goes. One of somebody else's stays."""
    path, part = tmp_path / "a.pmtiles", tmp_path / "a.pmtiles.part"
    shutil.copy(finished / "a.pmtiles", path)
    shutil.copy(finished / "a.mbtiles", part)
    assert lines(seed(*SMALL, "-o", path))[-1]["found"] == 85 and files(tmp_path) == ["a.pmtiles"]
    part.write_text("mine")
    assert lines(seed(*SMALL, "-o", path))[-1]["found"] == 85 and part.read_text() == "mine"
    shutil.copy(finished / "a.mbtiles", part)
    path.write_text("mine, too")
    before = state(path)
    message = seed(*SMALL, "-o", path, status=1).stderr.decode()
    assert f"{path}: is there already" in message and "write elsewhere" in message and state(path) == before


@pytest.mark.parametrize("kind", ["pmtiles", "mbtiles"])
def test_places_that_are_no_files(tmp_path, kind):
    (tmp_path / f"folder.{kind}").mkdir()
    os.mkfifo(tmp_path / f"pipe.{kind}")
    (tmp_path / "file").touch()
    before = files(tmp_path)
    for name, why in ((f"folder.{kind}", "is a directory"), (f"pipe.{kind}", "is a pipe"), (f"no/a.{kind}", "No such file or directory"),
                      (f"file/a.{kind}", "Not a directory")):
        for more in ([], ["--dry-run"]):
            done = seed("--zoom", 0, *more, "-o", tmp_path / name, status=1)
            message = done.stderr.decode()
            assert message.startswith(f"terrane seed: {tmp_path / name}: ") and why in message and message.count("\n") == 1
    assert files(tmp_path) == before


def test_a_cache_that_cannot_be(tmp_path):
    (tmp_path / "file").touch()
    for place in (tmp_path / "file", tmp_path / "file" / "cache"):
        message = seed("--zoom", 0, "--cache", place, status=1).stderr.decode()
        assert message == f"terrane seed: cache directory {place}: cannot be written: Not a directory\n"
    assert files(tmp_path) == ["file"]


def test_standard_output_that_is_full(tmp_path):
    """Says so once, and fails, though the tiles are made. Of other commands: test_command_line.py."""
    with open("/dev/full", "wb") as full:
        done = subprocess.run([PROGRAM, "seed", "42", *SMALL, "-o", tmp_path / "a.mbtiles", "--rate", "60"], stdout=full, stderr=subprocess.PIPE,
                              timeout=PATIENCE_S, check=False)
    assert (done.returncode, done.stderr) == (1, b"terrane seed: standard output: No space left on device\n")
    assert len(mbtiles(tmp_path / "a.mbtiles")[0]) == 85


@pytest.mark.parametrize("room", [8192, 1 << 20])
@pytest.mark.parametrize("kind", KINDS)
def test_a_full_disk(tmp_path, kind, room):
    """Says so, fails, and goes on when there is space."""
    done = seed(*SMALL, *where(tmp_path, kind), file_bytes=room, status=1)
    assert (room == 8192 and not done.stdout) or json.loads(done.stdout.splitlines()[-1])["result"] == "failed"
    message = done.stderr.decode()
    assert str(tmp_path) in message and ("disk" in message or "File too large" in message)
    assert not (tmp_path / f"a.{kind}").exists()
    last = lines(seed(*SMALL, *where(tmp_path, kind)))[-1]
    assert last["done"] == 85
    assert not [name for name in files(tmp_path) if "part" in name or "new" in name or "journal" in name]


def test_no_room_for_the_archive_itself(tmp_path, finished):
    """The tiles fit, what is written from them does not: they are kept."""
    shutil.copy(finished / "a.mbtiles", tmp_path / "a.pmtiles.part")
    done = seed(*SMALL, "-o", tmp_path / "a.pmtiles", file_bytes=1 << 20, status=1)
    assert b"a.pmtiles: File too large" in done.stderr and files(tmp_path) == ["a.pmtiles.part"]
    assert lines(seed(*SMALL, "-o", tmp_path / "a.pmtiles"))[-1]["found"] == 85
    assert (tmp_path / "a.pmtiles").read_bytes() == (finished / "a.pmtiles").read_bytes() and files(tmp_path) == ["a.pmtiles"]


@pytest.mark.parametrize("kind", KINDS)
def test_dry_run_makes_nothing_and_counts_what_is_there(tmp_path, kind):
    """At one tile a second the estimate is what is left."""
    words = [*SMALL, *where(tmp_path, kind)]
    dry, = lines(seed(*words, "--dry-run", "--threads", 2))
    assert (dry["total"], dry["found"], dry["estimate"]) == (85, 0, True) and not files(tmp_path)
    assert 85 * 20_000 < dry["bytes"] < 85 * 300_000 and dry["seconds"] > 0 and dry["samples"] <= 16
    assert dry["basis"].startswith(f"from {dry['samples']} tiles timed just now, 2 workers, load ")
    told = end_early(start(*words, "--rate", 4), signal.SIGINT, 2)[0]
    before = files(tmp_path)
    dry = lines(seed(*words, "--rate", 1, "--dry-run"))[0]
    assert dry["found"] == told["done"] and dry["seconds"] == 85 - dry["found"] and files(tmp_path) == before
    assert lines(seed(*words))[-1]["found"] == dry["found"]


@pytest.mark.parametrize("name", ["a.pmtiles.part", "a.mbtiles.part", "a.mbtiles"])
def test_dry_run_leaves_what_is_empty(tmp_path, name):
    """As a run leaves it that was killed soon, or whose disk was full."""
    (tmp_path / name).touch()
    dry, = lines(seed("--zoom", "0", "-o", tmp_path / name.removesuffix(".part"), "--dry-run"))
    assert (dry["total"], dry["found"]) == (1, 0) and files(tmp_path) == [name] and (tmp_path / name).stat().st_size == 0


def test_dry_run_leaves_an_empty_cache(tmp_path):
    (tmp_path / "tiles.db").touch()
    assert lines(seed("--zoom", "0", "--cache", tmp_path, "--dry-run"))[0]["found"] == 0
    assert files(tmp_path) == ["tiles.db"] and (tmp_path / "tiles.db").stat().st_size == 0


def test_dry_run_leaves_a_cache_of_another_version(tmp_path):
    words = ["--zoom", "0", "--cache", tmp_path]
    seed(*words)
    with contextlib.closing(sqlite3.connect(tmp_path / "tiles.db", isolation_level=None)) as db:
        db.execute("PRAGMA user_version = 1001")
    before = (tmp_path / "tiles.db").read_bytes()
    done = seed(*words, "--dry-run")
    assert b"made by another version" in done.stderr and b"what it has is not counted" in done.stderr and lines(done)[0]["found"] == 0
    assert (tmp_path / "tiles.db").read_bytes() == before and not (tmp_path / "tiles.db.damaged").exists()


def test_dry_run_tells_the_room(tmp_path, finished):
    """PMTiles is written from its tiles, which lie beside it until then."""
    for kind in KINDS:
        dry, = lines(seed(*SMALL, *where(tmp_path, kind), "--dry-run"))
        assert dry["room_bytes"] == pytest.approx(dry["bytes"] * (2 if kind == "pmtiles" else 1), abs=2)
    shutil.copy(finished / "a.mbtiles", tmp_path / "a.pmtiles.part")
    dry, = lines(seed(*SMALL, "-o", tmp_path / "a.pmtiles", "--dry-run"))
    assert dry["bytes"] == 0 and dry["room_bytes"] == (tmp_path / "a.pmtiles.part").stat().st_size


def test_dry_run_is_about_right(tmp_path):
    """Eroded, of several levels, on a machine that does other things: within a factor that no wrong count of regions, tiles or
    workers passes; by hand it is within two."""
    words = ["--lod", "2..4", "--center", "3000,-4000", "--radius", "3000", "-o", tmp_path / "a.mbtiles"]
    dry = lines(seed(*words, "--dry-run"))[0]
    begun = time.monotonic()
    last = lines(seed(*words))[-1]
    ratio = dry["seconds"] / (time.monotonic() - begun)
    assert dry["total"] == last["made"] and (0.2 < ratio < 5 or not os.environ.get("TERRANE_TEST_LONG"))
    assert 0.8 < dry["bytes"] / last["bytes"] < 1.25 or dry["samples"] < 16  # which a busy machine has no time for


@pytest.mark.long
def test_the_load_is_waited_for(tmp_path):
    words = [*SMALL, "-o", tmp_path / "a.mbtiles", "--max-load"]
    wait_for(lambda: os.getloadavg()[0] > 0.02, "some load")
    dry = lines(seed(*words, 0.01, "--dry-run"))[0]
    assert dry["waits"] == "waits for the load to fall" and dry["load"] > 0.01
    assert "waits" not in lines(seed(*words, 100000, "--dry-run"))[0]
    process = start(*words, 0.01)
    first = json.loads(process.stdout.readline())
    process.terminate()
    process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 3 and first["done"] == 0 and first["waits"] == dry["waits"]


@pytest.mark.long
def test_the_rate_is_held(tmp_path):
    begun = time.monotonic()
    told = lines(seed(*SMALL, "-o", tmp_path / "a.mbtiles", "--rate", 40))
    assert time.monotonic() - begun > 84 / 40 - 0.2
    assert 2 <= len(told) <= 30 and all(line["made"] <= 40 * (k + 2) for k, line in enumerate(told))
    assert set(told[0]) == {"done", "total", "made", "found", "bytes", "rate", "eta_s"}
    assert told[-1]["bytes"] == sum(len(data) for data in mbtiles(tmp_path / "a.mbtiles")[0].values())


def test_a_bar_on_a_terminal(tmp_path):
    out, told = on_a_terminal(*SMALL, "-o", tmp_path / "a.mbtiles")
    assert out == b"" and b"[########################] 100 % 85 of 85 tiles" in told and b"already" not in told


@pytest.mark.parametrize("words,named", [
    ([], "needs --lod A..B or --zoom A-B"), (["43", "--zoom", "3"], "43"), (["--lod", "19", "-o", "a.mbtiles"], "lod=19:"),
    (["--zoom", "18", "--size", "512", "--zoom-window", "3/0-0/0-0"], "size=512:"),
    (["--lod", "3", "--center", "1e9,0", "--radius", "9", "-o", "a.mbtiles"], "outside of the map"),
    (["--lod", "3", "--center", "-1e16,0", "--radius", "9"], "center=-1e16,0: lies beyond the last tile"),
    (["--lod", "0", "--center", "281474976710656,0", "--radius", "0.001", "--dry-run"], "lies beyond the last tile"),
    (["--zoom", "0-1", "-o", "a.mbtiles", "--format", "mvt"], "zoom 0"), (["--zoom", "1", "--cache", "c", "--format", "mvt"], "--output"),
    (["--zoom", "1", "--layer", "relief", "-o", "a.mbtiles", "--format", "mvt"], "ext=mvt"),
    *((["--zoom", "3", *words], named) for words, named in [
        (["--size", "257"], "size=257:"), (["--size", "100"], "size"), (["--layer", "lava"], "layer"), (["--enc", "quantised"], "enc"),
        (["--layer", "delta", "--enc", "gray16"], "enc"), (["--reg", "grid"], "reg="), (["--reg", "center", "--layer", "relief"], "reg="), (["--bands", "1"], "bands"),
        (["--recipe", "none"], "recipe"), (["--nonsense"], "--nonsense"),
        (["-o", "a.zip"], "output=a.zip:"), (["-o", "a"], "output=a:"), (["-o", "", "--archive", "pmtiles"], "output=:"), (["-o", "a", "--archive", "zip"], "archive=zip:"),
        (["--archive", "mbtiles"], "--archive needs --output"), (["-o", "a.mbtiles", "--cache", "c"], "not both"),
        (["--threads", "0"], "threads=0:"), (["--threads", "1.5"], "threads=1.5:"), (["--rate", "0"], "rate=0:"),
        (["--rate", "x"], "rate=x:"), (["--max-load", "-1"], "max-load=-1:"), (["--cache", ""], "cache=:"),
        (["--shared", "http://127.0.0.1"], "shared: "), (["--shared", "redis://127.0.0.1:99999"], "shared: "), (["--shared", ""], "shared: "),
        (["--part", "3/2"], "part=3/2:"), (["--part", "1/2", "-o", "a.mbtiles"], "not both: an archive is one file"),
        (["--shared", "redis://h", "--cache", "c"], "not both"), (["--shared", "redis://h", "-o", "a.mbtiles"], "not both"),
        (["--shared", "redis://u:secret@h:x"], "shared: "), (["--patience", "9"], "needs --shared"),
        (["--shared", "redis://h", "--patience", "-1"], "patience=-1:")])])
def test_bad_options_exit_2(words, named, tmp_path):
    done = subprocess.run([PROGRAM, "seed", "42", *words], capture_output=True, timeout=PATIENCE_S, cwd=tmp_path, check=False,
                          env={**os.environ, "XDG_CACHE_HOME": str(tmp_path)})
    message = done.stderr.decode()
    assert done.returncode == 2 and done.stdout == b"" and message.startswith("terrane seed: ") and message.count("\n") == 1
    assert named in message and "secret" not in message and not files(tmp_path)


@pytest.mark.parametrize("name", ["file:z.mbtiles", "file:z.pmtiles", "file:z?mode=memory.mbtiles"])
def test_a_name_is_a_name(tmp_path, name):
    """SQLite could take some for addresses."""
    done = subprocess.run([PROGRAM, "seed", "42", *SMALL[2:], "--zoom", "0", "-o", name], capture_output=True, timeout=PATIENCE_S, cwd=tmp_path,
                          check=False)
    assert done.returncode == 0 and files(tmp_path) == [name], done.stderr


@pytest.mark.long
def test_examples_work_as_printed(tmp_path):
    """Those of the help, in an empty folder."""
    for command in ("seed", "render"):
        text = run(command, "--help").stdout.decode().split("examples:\n")[1]
        for line in text.strip().splitlines():
            done = subprocess.run(line.replace("terrane", str(PROGRAM), 1), shell=True, cwd=tmp_path, capture_output=True,
                                  timeout=PATIENCE_S, executable="/bin/bash", check=False)
            assert done.returncode == 0, (line, done.stderr)
    assert files(tmp_path) == ["heights.mbtiles", "heights.npy", "map.png", "relief.pmtiles", "tile.png", "tiles"]
