"""Worlds that people change: what is written stays, tiles that nobody touched stay as they were, and nobody writes without the
right."""

import concurrent.futures
import contextlib
import hashlib
import http.client
import json
import math
import mmap
import os
import pathlib
import random
import resource
import sqlite3
import struct
import subprocess
import time

import numpy as np
import pytest
from http_client import wait_for
from http_operator import bearer, keys_file, reload
from http_server import GENERATOR, OLDEST, PLAIN_FILE, PROGRAM, run

DIGGER, READER, OTHER, OLD = "digger-s-key-0123456789", "reader-s-key-0123456789", "other-s-key-01234567890", "old-s-key-012345678901"
RAISE = {"brush": "raise", "x": 100, "y": 100, "inner": 10, "outer": 40, "strength_m": 8}


def world(directory, name="commons", recipe=PLAIN_FILE, seed=42):
    """Makes a world; the configuration of who serves it."""
    done = run("world", "create", name, "--seed", seed, "--recipe", recipe, "--dir", directory)
    assert done.returncode == 0, done.stderr
    return served(directory)


def served(directory):
    keys = keys_file(directory, (DIGGER, "digger", {"edit": True}), (OTHER, "other", {"edit": True}), (READER, "reader", {}), (OLD, "old", {"edit": True, "expires": "2001-01-01T00:00:00Z"}))
    return {"worlds": {"shared_dir": str(directory)}, "access": {"keys_file": keys}}


@pytest.fixture
def commons(launch, tmp_path):
    return launch(config=world(tmp_path))


def write(server, edits, key=DIGGER, status=201, to="edits", name="commons"):
    answer = server.ask(f"/world/{name}/{to}", "POST", bearer(key) if key else [], json.dumps(edits).encode())
    assert answer.status == status or status is None, (answer.status, answer.body)
    return json.loads(answer.body)


def log_of(server, since=0, name="commons"):
    return json.loads(server.get(f"/world/{name}/edits?since={since}").body)


def tile(x, y, lod=0, size=257, layer="height", ext="f32", name="commons", **query):
    more = "".join(f"&{key}={value}" for key, value in query.items())
    return f"/tile/{name}/{lod}/{x}/{y}.{ext}?size={size}&layer={layer}{more}"


def samples(answer):
    side = int(answer["Terrane-Width"])
    return np.frombuffer(answer.body, "<f4").reshape(side, side, -1)


def test_an_edit_is_seen_where_it_is_and_nowhere_else(commons):
    names = [tile(x, y, layer=layer, ext=ext, size=size) for x, y in ((0, 0), (1, 1), (-1, 0)) for layer, ext, size in (
        ("height", "f32", 257), ("normal", "f32", 257), ("slope", "f32", 65), ("relief", "png", 256), ("height", "png", 256), ("surface", "r16", 129), ("height", "json", 257), ("height", "glb", 65))]
    before = [commons.get(name) for name in names]
    assert all(answer["Cache-Control"] == "public, max-age=0, must-revalidate" for answer in before)
    write(commons, RAISE)
    after = [commons.get(name) for name in names]
    for k, (name, old, new) in enumerate(zip(names, before, after, strict=True)):
        touched = "/0/0/0." in name
        assert (old["ETag"] != new["ETag"]) == (old.body != new.body) == touched, (k, name)
        assert commons.get(name, [("If-None-Match", old["ETag"])], 200 if touched else 304)["ETag"] == new["ETag"]
    moved = samples(after[0])[..., 0] - samples(before[0])[..., 0]
    assert np.all(np.abs(moved[91:110, 91:110].diagonal()[2:-2] - 8) < 1e-3)
    y, x = np.mgrid[:257, :257] - 100
    assert not moved[x * x + y * y >= 1600].any() and moved[x * x + y * y < 1500].min() > 0


def test_coarse_levels_see_it_and_far_ones_do_not(commons):
    names = [tile(0, 0, lod=lod, size=33) for lod in (2, 5, 8, 20)]
    before = [commons.get(name)["ETag"] for name in names]
    write(commons, RAISE)
    assert [commons.get(name)["ETag"] != tag for name, tag in zip(names, before, strict=True)] == [True, True, True, False]


def test_seams_across_edits(commons):
    """Tiles share their edges, in all that is made of heights; and centres, shifted roots and coded answers follow."""
    strokes = [("raise", {"strength_m": 30}), ("level", {"height_m": 77.25}), ("noise", {"term": "hills"}), ("smooth", {}), ("restore", {"strength": 0.5})]
    batch = [{"brush": brush, "x": 256 + 7 * k, "y": 250 - 5 * k, "outer": 60, "inner": 20, **more} for k, (brush, more) in enumerate(strokes)]
    write(commons, batch)
    for layer in ("height", "normal", "slope", "surface"):
        west, east, south = (samples(commons.get(tile(*at, layer=layer))) for at in ((0, 0), (1, 0), (0, 1)))
        assert np.array_equal(west[:, -1], east[:, 0]) and np.array_equal(west[-1], south[0]), layer
    quarter = samples(commons.get(tile(0, 0, size=65)))
    assert np.array_equal(samples(commons.get(tile(0, 0)))[::4, ::4], quarter)
    region = commons.get("/region/commons.f32?lod=0&x0=200&y0=200&w=100&h=100&layer=height")
    assert np.array_equal(np.frombuffer(region.body, "<f4").reshape(100, 100)[:57, :57], samples(commons.get(tile(0, 0)))[200:, 200:, 0])
    place = json.loads(commons.get("/point/commons?x=250&y=240").body)
    assert place["height_m"] == pytest.approx(samples(commons.get(tile(0, 0)))[240, 250, 0], abs=1e-3)


def test_seams_where_edits_end(commons):
    """Ground of analytic slopes: a tile that is edited and one that is not have the same normals where they meet."""
    write(commons, {"brush": "raise", "x": 10, "y": 20, "outer": 65536, "strength_m": 300})
    for layer in ("normal", "slope", "cover"):
        was, now, east = (samples(commons.get(tile(x, 0, lod=9, layer=layer, at=at))) for x, at in ((0, 0), (0, 1), (1, 1)))
        assert np.array_equal(now[:, -1], east[:, 0]) and np.array_equal(now[140:], was[140:]) and not np.array_equal(now, was), layer


ERODES = {"range_m": [-512, 512], "sea_m": -300, "height": {"sum": ["n"]}, "erosion": {"slides": [6] * 4}, "terms": {"n": {"fractal": "billow", "octaves": 8, "cell_m": 512, "amplitude_m": 80}}}


def test_smooth_reads_ground_that_erodes(launch, tmp_path):
    """Where four regions meet, at its own level and at one far below: tiles fit, and what is rough is less so."""
    (tmp_path / "erodes.json").write_text(json.dumps(ERODES))
    server = launch(config=world(tmp_path / "worlds", recipe=tmp_path / "erodes.json"))
    write(server, [{"brush": "smooth", "x": 1020, "y": 1030, "inner": 20, "outer": 30}, {"brush": "sharpen", "x": 1000, "y": 1060, "outer": 400, "strength": 0.5}])
    (a, b), (c, d) = ([samples(server.get(tile(x, y, layer="normal"))) for x in (3, 4)] for y in (3, 4))
    assert np.array_equal(a[:, -1], b[:, 0]) and np.array_equal(c[:, -1], d[:, 0]) and np.array_equal(a[-1], c[0]) and np.array_equal(b[-1], d[0])
    was, now = (np.frombuffer(server.get(f"/region/commons.f32?lod=0&x0=1008&y0=1018&w=24&h=24&at={at}").body, "<f4").reshape(24, 24) for at in (0, 1))
    assert np.abs(np.diff(now, 2)).mean() < 0.5 * np.abs(np.diff(was, 2)).mean()
    assert np.array_equal(samples(server.get(tile(3, 3)))[-16:, -16:, 0], np.frombuffer(server.get("/region/commons.f32?lod=0&x0=1009&y0=1009&w=16&h=16").body, "<f4").reshape(16, 16))


def test_answers_of_many_tiles_have_the_tag_of_the_whole(commons):
    """Wherever it is that something was done."""
    targets = ["/region/commons.f32?lod=0&x0=5000&y0=5000&w=9&h=9", "/point/commons?x=5004&y=5004", "/find/commons?what=peak&x=0&y=0&lod=3"]
    before = [commons.get(target) for target in targets]
    write(commons, {**RAISE, "x": 5004, "y": 5004})
    for target, old in zip(targets, before, strict=True):
        new = commons.get(target, [("If-None-Match", old["ETag"])])
        assert new["ETag"] != old["ETag"] and new["Cache-Control"] == "public, max-age=0, must-revalidate", target
        assert ("find" in target) or new.body != old.body
        assert commons.get(f"{target}&at=0", [("If-None-Match", old["ETag"])], 304)


def test_level_is_level(commons):
    write(commons, {"brush": "level", "x": 64, "y": 64, "inner": 20, "outer": 30, "height_m": 12.5})
    flat = samples(commons.get(tile(0, 0)))[50:79, 50:79, 0]
    assert np.all(flat == np.float32(12.5))


def test_bounds_hold_what_may_be_done(commons):
    for _ in range(2):
        write(commons, {"brush": "raise", "x": 64, "y": 64, "inner": 20, "outer": 30, "strength_m": 4096})
    highest = samples(commons.get(tile(0, 0))).max()
    bounds = json.loads(commons.get("/world/commons").body)["height_bounds_m"]
    plain = json.loads(commons.get("/world/42").body)["height_bounds_m"]
    assert plain["high"] < highest <= bounds["high"] == plain["high"] + 4096 and bounds["low"] == plain["low"] - 4096


def test_what_was_stays_by_its_number(commons):
    tags = [commons.get(tile(0, 0))["ETag"]]
    for k in range(3):
        write(commons, {**RAISE, "strength_m": k + 1})
        tags.append(commons.get(tile(0, 0))["ETag"])
    assert len(set(tags)) == 4
    for number, tag in enumerate(tags):
        answer = commons.get(tile(0, 0, at=number))
        assert answer["ETag"] == tag and answer["Cache-Control"] == "public, max-age=31536000, immutable"
    for at, status in (("4", 404), ("x", 400), ("-1", 400), ("99999999999999999999", 404)):
        assert commons.get(tile(0, 0, at=at), status=status)
    assert commons.get(tile(0, 0, name="42", at=1), status=404)
    for since in ("x", "-1", 2**63, 2**64 - 1, 2**64):  # what JSON's numbers, here and there, do not have
        assert commons.get(f"/world/commons/edits?since={since}", status=400)
    assert log_of(commons, 3) == {"edits": [], "next": 3, "epoch": log_of(commons)["epoch"]}
    assert commons.get("/world/commons/edits?since=4", status=409)  # of a world that was made anew


def test_undo_gives_the_ground_of_before(commons):
    before = commons.get(tile(0, 0))
    write(commons, [RAISE, {**RAISE, "brush": "lower", "x": 120}])
    one = commons.get(tile(0, 0))
    assert write(commons, {"seq": 2}, to="undo")["first"] == 3
    assert write(commons, {"seq": 1}, to="undo")["first"] == 4
    after = commons.get(tile(0, 0))
    assert after["ETag"] == before["ETag"] != one["ETag"] and after.body == before.body
    assert write(commons, {**RAISE, "x": 5000})["first"] == 5
    assert [write(commons, {"seq": 5, "token": "u1"}, to="undo", status=status)["first"] for status in (201, 200)] == [6, 6]
    for seq in (1, 3, 5, 77):  # undone, an undo, itself, not there
        write(commons, {"seq": seq}, to="undo", status=409)
    for body in ({}, {"seq": 0}, {"seq": "1"}, {"seq": 1, "more": 2}, {"seq": 1, "token": "a b"}, [1]):
        write(commons, body, to="undo", status=400)
    assert log_of(commons)["next"] == 6 and log_of(commons, 3)["edits"][0]["undoes"] == 1
    assert [edit["box"] for edit in log_of(commons)["edits"]][:4] == [[60, 60, 140, 140], [80, 60, 160, 140], [80, 60, 160, 140], [60, 60, 140, 140]]


BAD = [("brush", {**RAISE, "brush": "dig"}), ("brush", {"x": 1, "y": 1}), ("x", {**RAISE, "x": 1e300}), ("x", {**RAISE, "x": 2.0**48 + 1}),
       ("y", {**RAISE, "y": "1"}), ("outer", {**RAISE, "outer": 0, "inner": 0}), ("outer", {**RAISE, "outer": 2**40}),
       ("inner", {**RAISE, "inner": 41}), ("strength_m", {**RAISE, "strength_m": 0}), ("strength_m", {**RAISE, "strength_m": 4097}),
       ("strength", {**RAISE, "strength": 1}), ("height_m", {"brush": "level", "x": 0, "y": 0, "outer": 9}), ("term", {"brush": "noise", "x": 0, "y": 0, "outer": 9, "term": "height"}),
       ("strength", {"brush": "restore", "x": 0, "y": 0, "outer": 9, "strength": 1.5}), ("token", {**RAISE, "token": "a b"}),
       ("token", {**RAISE, "token": "x" * 65}), ("properties", {"brush": "mark", "x": 0, "y": 0, "properties": {"a": "x" * 1024}}),
       ("body", {**RAISE, "colour": 1}), ("body", []), ("body", 7), ("body", [[]])]


def test_what_is_wrong_is_named_and_nothing_is_written(commons):
    for parameter, edit in BAD:
        assert write(commons, edit, status=400)["parameter"] == parameter, edit
        if isinstance(edit, dict):
            assert write(commons, [RAISE, edit], status=400)["detail"].startswith("operation 1: ")
    write(commons, [RAISE] * 257, status=413)
    good = json.dumps(RAISE).encode()
    for body, status in ((b'{"brush": ', 400), (b"", 400), (b"null", 400), (b"[" * 5000, 400), (good[:-1] + b', "brush": "lower"}', 400), (good.replace(b"100", b"1e999", 1), 400), (good.replace(b"100", b"9" * 400, 1), 400),
                         (good.replace(b"100", b"NaN", 1), 400), (good.replace(b"100", b"true", 1), 400), (good + good, 400), (b"\xff" + good, 400), (good.replace(b"raise", b"raise\\u0000"), 400), (b" " * (1 << 20) + good, 413)):
        for route in ("edits", "undo"):
            assert commons.ask(f"/world/commons/{route}", "POST", bearer(DIGGER), body).status == status, (route, body[:80])
    empty = log_of(commons)
    assert empty == {"edits": [], "next": 0, "epoch": empty["epoch"]}


def test_the_corners_of_the_world(commons):
    """As far as there are numbers, with the widest strokes there are."""
    far, wide = 2.0**48, {"inner": 65535, "outer": 65536}
    more = [("raise", {"strength_m": 4096}), ("lower", {"strength_m": 1}), ("level", {"height_m": 77}), ("smooth", {}), ("sharpen", {}), ("noise", {"term": "hills"}), ("restore", {"strength": 0.5})]
    for x, y in ((far, far), (-far, far), (far, -far), (-far, -far)):
        write(commons, [{"brush": brush, "x": x, "y": y, **wide, **rest} for brush, rest in more] + [{"brush": "mark", "x": x, "y": y}])
        write(commons, {"brush": "way", "line": [[x, y, 0], [x - math.copysign(90, x), y, 9]], "width": 8, "slope": 1})
        at = [min(int(v // 256), 2**40 - 1) for v in (x, y)]
        for lod in (0, 1, 8, 15, 24):
            names = [tile(at[0] >> lod, at[1] >> lod, lod=lod, size=17, layer=layer, at=count) for layer in ("height", "normal") for count in (0, log_of(commons)["next"])]
            plain, edited = (samples(commons.get(name)) for name in names[:2])
            assert np.isfinite(edited).all() and (lod > 8 or not np.array_equal(plain, edited)), (x, y, lod)
            assert commons.get(names[3])
        assert len(json.loads(commons.get(f"/world/commons/edits?since=0&box={x},{y},{x},{y}").body)["edits"]) == 9
    for seq in (1, 9, 36):
        write(commons, {"seq": seq}, to="undo")
        assert commons.get(tile(2**40 - 1, 2**40 - 1, size=17))


@pytest.mark.parametrize("count, side", [(10000, 1), pytest.param(1000000, 4096, marks=pytest.mark.long)])
def test_so_many_strokes_on_one_place(launch, tmp_path, count, side):
    """Imported; the tile is that of them one after the other, and one more or one less is quickly done."""
    config = {**world(tmp_path), "limits": {"tiles_per_minute": 0}}
    head = run("world", "export", "commons", "--dir", tmp_path).stdout
    for name in tmp_path.glob("commons.world*"):
        name.unlink()
    draw, sign = random.Random(1), (1, -1)
    strokes = [{**STROKE, "seq": k + 1, "brush": k % 2, "x": 1600 + draw.randrange(side), "y": 1600 + draw.randrange(side), "inner": 100, "outer": 200, "strength": 1 + k % 7 * 1000} for k in range(count)]
    log = head + "\n".join(map(json.dumps, strokes)).encode()
    assert subprocess.run([PROGRAM, "world", "import", "commons", "--dir", tmp_path], input=log + b"\n", check=False).returncode == 0
    server = launch(config=config)
    plain, edited = (samples(server.get(tile(0, 0, at=at)))[..., 0] for at in (0, count))
    if side == 1:  # an inner disc, whole
        assert edited[100, 100] - plain[100, 100] == pytest.approx(sum(sign[one["brush"]] * one["strength"] for one in strokes) / 16384, abs=1e-3)
    write(server, {"seq": count}, to="undo")
    assert np.array_equal(samples(server.get(tile(0, 0)))[..., 0], samples(server.get(tile(0, 0, at=count - 1)))[..., 0])
    assert write(server, RAISE)["first"] == count + 2 and server.get(tile(0, 0)) and server.resident_bytes() < 400 << 20


def test_who_may(commons):
    for forged in (None, "nobody-s-key-at-all-0", DIGGER[:-1], DIGGER + "0", DIGGER.upper(), hashlib.sha256(DIGGER.encode()).hexdigest(), "digger", OLD):
        write(commons, RAISE, key=forged, status=401)
        write(commons, {"seq": 1}, key=forged, to="undo", status=401)
    write(commons, RAISE, key=READER, status=403)
    write(commons, {"seq": 1}, key=READER, to="undo", status=403)
    assert write(commons, RAISE, key=OTHER)["edits"][0]["by"] == "other"
    for target in ("/world/nowhere/edits", "/world/42/edits", "/world/nowhere/marks"):
        assert json.loads(commons.get(target, status=404).body)["parameter"] == "name"
    assert commons.get(tile(0, 0, recipe="alpine"), status=400)


def test_what_was_drawn_on_an_older_world_is_refused(commons):
    def match(number, status, body=RAISE, to="edits"):
        answer = commons.ask(f"/world/commons/{to}", "POST", [*bearer(DIGGER), ("If-Match", number)], json.dumps(body).encode())
        assert answer.status == status, (answer.status, answer.body)
        return answer

    match("0", 201)
    match('"1"', 201, [{**RAISE, "token": "t"}, RAISE])
    for number in ("1", "4", '"2"'):
        assert "has 3 operations" in match(number, 412).problem(412, "If-Match")
    match("1", 409, [{**RAISE, "token": "t"}, {**RAISE, "token": "u"}])
    match("0", 200, {**RAISE, "token": "t"})  # a retry is no change
    match("2", 412, {"seq": 1}, "undo")
    match("3", 201, {"seq": 1}, "undo")
    match("*", 201)
    for number in ("x", "-1", '""', "", "1, 2", "9" * 40):
        assert match(number, 400).problem(400, "If-Match")
    with concurrent.futures.ThreadPoolExecutor(8) as many:  # one of those that saw the same world alone
        answers = [one.result() for one in [many.submit(commons.ask, "/world/commons/edits", "POST", [*bearer(DIGGER), ("If-Match", "5")], json.dumps(RAISE).encode()) for _ in range(8)]]
    assert sorted(answer.status for answer in answers) == [201] + [412] * 7
    batches = commons.metrics()
    assert batches.total("terrane_world_batches_total", result="changed") == 11 and batches.total("terrane_world_edits_total") == log_of(commons)["next"] == 6


def test_what_a_key_is_bounded_to(launch, tmp_path):
    boxed, few, daily = "boxed-s-key-0123456789", "few-s-key-01234567890", "daily-s-key-0123456789"
    bounds = {"box": [-100, -50, 100, 50.5], "outer_max_m": 20}
    config = world(tmp_path)
    keys = ((DIGGER, "digger", {"edit": True}), (boxed, "boxed", {"edit": bounds}), (few, "few", {"edit": {"per_second": 1}}), (daily, "daily", {"edit": {"per_day": 5}}))
    config["access"]["keys_file"] = keys_file(tmp_path, *keys)
    server, small = launch(config=config), {**RAISE, "y": 0, "inner": 0, "outer": 20}
    write(server, [{**small, "x": -80}, {**small, "x": 80, "y": 30.5}, {"brush": "mark", "x": 100, "y": 50.5}], key=boxed)
    for wrong in ({**small, "x": 80.0625}, {**small, "x": 0, "y": -31}, {"brush": "mark", "x": 100.0625, "y": 0}):
        refused = write(server, [{**small, "x": 0}, wrong], key=boxed, status=403)
        assert refused["parameter"] == "key" and "operation 1" in refused["detail"] and "-100,-50,100,50.5" in refused["detail"]
    assert "20 m" in write(server, {**small, "x": 0, "outer": 20.0625}, key=boxed, status=403)["detail"]
    far = write(server, {**RAISE, "x": 5000})["first"]
    write(server, {"seq": far}, key=boxed, to="undo", status=403)
    write(server, {"seq": 77}, key=boxed, to="undo", status=409)
    write(server, {"seq": 1}, key=boxed, to="undo")

    begun = time.monotonic()
    write(server, [{**RAISE, "token": "few"}] + [RAISE] * 39, key=few)  # 39 are owed
    limited = server.ask("/world/commons/edits", "POST", bearer(few), json.dumps(RAISE).encode())
    assert "1 operations a second" in limited.problem(429, "key") and 38 - (time.monotonic() - begun) < int(limited["Retry-After"]) <= 41

    write(server, [{**RAISE, "token": "d"}] * 1 + [RAISE] * 3, key=daily)
    assert "5 operations a day" in write(server, [RAISE] * 2, key=daily, status=429)["detail"]
    write(server, {"seq": 999}, key=daily, to="undo", status=409)  # which costs nothing
    write(server, RAISE, key=daily)
    server.stop()
    again = launch(config=config)  # the log remembers
    limited = again.ask("/world/commons/edits", "POST", bearer(daily), json.dumps(RAISE).encode())
    assert limited.status == 429 and 0 < int(limited["Retry-After"]) <= 86401
    counted = again.metrics()
    assert counted.total("terrane_world_batches_total", result="limited") == 1


def test_terrane_key_bounds_the_right(tmp_path):
    def told(*words):
        return run("key", "--name", "game", "--edit", *words)

    made = told("--box", "-100,-50,100,50.5", "--outer-max", "20", "--per-second", "3", "--per-day", "1000")
    assert json.loads(made.stdout)["edit"] == {"box": [-100, -50, 100, 50.5], "outer_max_m": 20, "per_second": 3, "per_day": 1000}
    assert json.loads(told("--per-day", "7").stdout)["edit"] == {"per_day": 7} and json.loads(told().stdout)["edit"] is True
    for words in (["--box", "1,2,3"], ["--box", "3,0,1,1"], ["--box", "1,2,3,4],"], ["--outer-max", "0"], ["--outer-max", "x"], ["--per-day", "0"], ["--per-second", "1.5"], ["--per-second", ""]):
        refused = told(*words)
        assert refused.returncode == 2 and refused.stderr and not refused.stdout, words
    assert run("key", "--box", "0,0,1,1").returncode == 2  # without --edit


def test_a_reload_leaves_worlds_as_they_are(commons):
    write(commons, RAISE)
    tag = commons.get(tile(0, 0))["ETag"]
    assert reload(commons)
    assert commons.get(tile(0, 0), [("If-None-Match", tag)], 304)
    assert write(commons, RAISE)["first"] == 2 and commons.get(tile(0, 0))["ETag"] != tag


def test_tokens_make_retries_harmless(commons):
    batch = [{**RAISE, "token": "a1"}, {**RAISE, "token": "a2"}]
    assert (write(commons, batch)["first"], write(commons, batch, status=200)["last"]) == (1, 2)
    for wrong in ([batch[1], batch[0]], [batch[0], {**RAISE, "token": "a3"}], [batch[0], RAISE], [{**RAISE, "token": "b"}] * 2):
        write(commons, wrong, status=409)
    assert write(commons, batch, key=OTHER)["first"] == 3  # tokens are a key's own
    assert log_of(commons)["next"] == 4


def test_marks(commons):
    marks = [{"brush": "mark", "x": 3.5, "y": -4, "properties": {"name": "Köln", "size": 2}}, {"brush": "mark", "x": 9, "y": 9}]
    before = commons.get(tile(0, 0))["ETag"]
    write(commons, [*marks, RAISE])
    write(commons, {"seq": 2}, to="undo")
    shown = json.loads(commons.get("/world/commons/marks").body)
    assert shown == {"type": "FeatureCollection", "partial": False, "features": [{"type": "Feature", "id": 1, "geometry": {
        "type": "Point", "coordinates": [3.5, -4.0]}, "properties": marks[0]["properties"]}]}
    assert commons.get(tile(0, 0, at=2))["ETag"] == before
    assert ["box" in edit for edit in log_of(commons)["edits"]] == [False, False, True, False]
    told = commons.json("/world/commons")["edits"]
    assert told == {"epoch": log_of(commons)["epoch"], "count": 4, "brushes": ["raise", "lower", "level", "smooth", "sharpen", "noise", "restore", "mark", "way"],
                    "terms": ["land", "hills"], "outer_m": 65536, "undo": 100000} and "edits" not in commons.json("/world/42")
    assert commons.json("/viewer/worlds.json")["named"] == [{"name": "commons", "recipe": ""}]


@pytest.mark.parametrize("document", ["/xyz/commons/tile.json", "/xyz/commons/vector.json", "/style/commons.json", "/terrain/commons/layer.json", "/gdal/commons.xml", "/3dtiles/commons/tileset.json"])
def test_documents_hand_on_at(commons, document):
    write(commons, RAISE)
    asks = [commons.get(f"{document}{query}").body.replace(b"&amp;", b"&").count(b"&at=") for query in ("?at=0", "")]
    assert asks[0] > 0 == asks[1]


def write_until_it_ends(server, turn, writer, told):
    """One operation after the other, until the server is gone; told: what it has acknowledged, token to number."""
    for k in range(10000):
        token = f"{turn}-{writer}-{k}"
        body = json.dumps({**RAISE, "x": writer, "y": k, "token": token}).encode()
        try:
            answer = server.ask("/world/commons/edits", "POST", bearer(DIGGER), body)
        except (OSError, ValueError, http.client.HTTPException):
            return
        if answer.status == 503 and b"stopping" in answer.body:
            return
        assert answer.status == 201, answer.body
        told[token] = json.loads(answer.body)["first"]


def pages(server):
    edits = []
    while True:
        page = log_of(server, len(edits))
        if not page["edits"]:
            return edits
        edits += page["edits"]
        assert page["next"] == len(edits)


class Syncs:
    """How long the disk takes, in milliseconds, for a server of launch(environment=syncs.environment); -1: it fails."""

    def __init__(self, directory):
        library, path = directory / "sync.so", directory / "syncs"
        subprocess.run(["cc", "-D_GNU_SOURCE", "-O1", "-fPIC", "-shared", "-o", library, pathlib.Path(__file__).with_name("sync.c"), "-ldl"], check=True)
        path.write_bytes(bytes(mmap.PAGESIZE))
        with path.open("r+b") as file:
            self.ms = mmap.mmap(file.fileno(), 8)
        self.environment = {"LD_PRELOAD": str(library), "SYNC_FILE": str(path), "ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "") + ":verify_asan_link_order=0"}

    def take(self, ms):
        self.ms[:8] = struct.pack("=q", ms)


class Power(Syncs):
    """A disk whose power may fail: what was not synced is lost then, all of it, or (draw) some sectors of it. Names are where their directory was synced."""

    def __init__(self, directory, worlds):
        super().__init__(directory)
        self.keep, self.worlds = directory / "keep", worlds
        self.keep.mkdir()
        self.environment["SYNC_KEEP"] = str(self.keep)

    def fail(self, draw=None):
        names = [line.split() for line in (self.keep / "names").read_text().splitlines()]
        left = {name: self._left(number, draw) for number, name in names}
        for path in (*self.worlds.glob("*.world*"), *self.keep.iterdir()):
            path.unlink()
        for name, data in left.items():
            (self.worlds / name).write_bytes(data)
            number = (self.worlds / name).stat().st_ino
            (self.keep / f"{number}").write_bytes(data)
            (self.keep / f"{number}.live").hardlink_to(self.worlds / name)
            with (self.keep / "names").open("a") as file:
                file.write(f"{number} {name}\n")

    def _left(self, number, draw):
        synced, live = (path.read_bytes() if path.exists() else b"" for path in (self.keep / number, self.keep / f"{number}.live"))
        if not draw:
            return synced
        size = max(len(synced), len(live))
        return b"".join(draw.choice((synced, live)).ljust(size, b"\0")[at:at + 512] for at in range(0, size, 512))


@pytest.mark.parametrize("end", ["killed", "without power", "torn"])
def test_what_was_acknowledged_survives(launch, tmp_path, end):
    """The server is killed, or its disk loses power, while many write: what was acknowledged is there, once, under its number, and the tiles are those of the log."""
    power, draw, told = Power(tmp_path, tmp_path / "worlds"), random.Random(7), {}
    assert run("world", "create", "commons", "--seed", 42, "--recipe", PLAIN_FILE, "--dir", power.worlds, environment=power.environment).returncode == 0
    config = {**served(tmp_path), "worlds": {"shared_dir": str(power.worlds)}, "limits": {"tiles_per_minute": 0}}

    def fail():
        if end != "killed":
            power.fail(draw if end == "torn" else None)
    fail()
    for turn in range(2):
        server, before = launch(config=config, environment=power.environment), len(told)
        with concurrent.futures.ThreadPoolExecutor(8) as writers:
            done = [writers.submit(write_until_it_ends, server, turn, writer, told) for writer in range(8)]
            wait_for(lambda before=before, turn=turn: len(told) > before + (40, 900)[turn % 2], what="operations that were acknowledged")
            server.kill()
        assert all(one.exception() is None for one in done)
        fail()
        again = launch(config=config, environment=power.environment)
        edits = pages(again)
        assert [edit["seq"] for edit in edits] == list(range(1, len(edits) + 1))
        tokens = {edit["token"]: edit["seq"] for edit in edits}
        assert len(tokens) == len(edits) and told.items() <= tokens.items()
        token = next(iter(told))
        assert write(again, {**RAISE, "token": token}, status=200)["first"] == told[token]
        tag = again.get(tile(0, 0))["ETag"]
        again.stop()
        fail()
    assert launch(config=config).get(tile(0, 0))["ETag"] == tag


def test_a_full_disk_takes_nothing_and_reading_goes_on(launch, tmp_path):
    """The disk is full where the log of the file may grow no further."""
    server = launch(config={**world(tmp_path), "cache": {"disk_bytes": 0}})
    write(server, RAISE)
    whole = resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE)
    size = (tmp_path / "commons.world-wal").stat().st_size
    resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, (size, whole[1]))
    tag = server.get(tile(0, 0))["ETag"]
    for _ in range(3):
        write(server, [RAISE] * 200, status=507)
    assert log_of(server)["next"] == 1 and server.get(tile(0, 0))["ETag"] == tag
    resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, whole)
    assert write(server, RAISE)["first"] == 2
    server.stop()
    assert b"good, 2 operations" in run("world", "check", "commons", "--dir", tmp_path).stdout


@pytest.fixture
def syncs(tmp_path):
    made = Syncs(tmp_path)
    yield made
    made.take(0)


def test_a_disk_that_fails_leaves_nobody_in_doubt_for_long(launch, tmp_path, syncs):
    """What it may have written is told to be unknown; then the log is what the file has, and a retry by its token is done once."""
    server = launch(config={**world(tmp_path), "cache": {"disk_bytes": 0}}, environment=syncs.environment)
    write(server, {**RAISE, "token": "a"})
    tag = server.get(tile(0, 0))["ETag"]
    syncs.take(-1)
    for _ in range(3):
        refused = write(server, [{**RAISE, "token": "b"}, {**RAISE, "token": "c"}], status=503)
        assert "may have been" in refused["detail"] or "nothing was" in refused["detail"]
    assert log_of(server)["next"] == 1 and server.get(tile(0, 0))["ETag"] == tag
    syncs.take(0)
    again = server.ask("/world/commons/edits", "POST", bearer(DIGGER), json.dumps([{**RAISE, "token": "b"}, {**RAISE, "token": "c"}]).encode())
    assert again.status in (200, 201) and json.loads(again.body)["last"] == 3
    assert write(server, RAISE)["first"] == 4 and log_of(server)["next"] == 4
    tag = server.get(tile(0, 0))["ETag"]
    server.kill()
    once_more = launch(config={**served(tmp_path), "cache": {"disk_bytes": 0}})
    assert [edit.get("token") for edit in log_of(once_more)["edits"]] == ["a", "b", "c", None] and once_more.get(tile(0, 0))["ETag"] == tag


def test_of_those_that_undo_one_thing_at_once_one_does(launch, tmp_path, syncs):
    """They come while the disk is with another operation, so that one transaction has them all."""
    server = launch(config=world(tmp_path), environment=syncs.environment)
    write(server, RAISE)
    syncs.take(300)
    with concurrent.futures.ThreadPoolExecutor(9) as writers:
        other = writers.submit(write, server, RAISE)
        undone = list(writers.map(lambda _: server.ask("/world/commons/undo", "POST", bearer(DIGGER), b'{"seq": 1}').status, range(8)))
    assert sorted(undone) == [201] + [409] * 7 and other.result()


def test_a_retry_that_comes_with_what_the_disk_loses_is_lost_with_it(launch, tmp_path, syncs):
    server, log = launch(config=world(tmp_path), environment=syncs.environment), tmp_path / "commons.world-wal"
    write(server, RAISE)
    before = log.stat().st_size

    def ask(edit):
        return server.ask("/world/commons/edits", "POST", bearer(DIGGER), json.dumps(edit).encode()).status
    syncs.take(300)
    with concurrent.futures.ThreadPoolExecutor(3) as writers:
        writers.submit(ask, RAISE)  # what the disk is with while the others come
        wait_for(lambda: log.stat().st_size > before, what="a write")
        syncs.take(-1)
        assert list(writers.map(ask, [{**RAISE, "token": "b"}] * 2)) == [503, 503]


def test_a_stop_waits_for_what_is_being_written(launch, tmp_path, syncs):
    """Batches that are with a slow disk when the server is told to end: it ends in order, and what it acknowledged is there."""
    config, told = {**world(tmp_path), "limits": {"tiles_per_minute": 0}}, {}
    server = launch(config=config, environment=syncs.environment)
    syncs.take(60)
    with concurrent.futures.ThreadPoolExecutor(16) as writers:
        done = [writers.submit(write_until_it_ends, server, 0, writer, told) for writer in range(16)]
        wait_for(lambda: len(told) > 60, what="operations that were acknowledged")
        syncs.take(1500)  # longer than the answers of a server that stops are waited for
        assert server.stop() == 0
    assert all(one.exception() is None for one in done)
    syncs.take(0)
    tokens = {edit["token"]: edit["seq"] for edit in pages(launch(config=config))}
    assert told.items() <= tokens.items()


def test_one_server_has_a_world_and_a_damaged_one_is_refused(launch, tmp_path):
    config = world(tmp_path)
    server = launch(config=config)
    write(server, [RAISE, RAISE, RAISE])
    second = tmp_path / "second.json"
    second.write_text(json.dumps({**config, "listen": "127.0.0.1:0", "admin": ""}))
    refused = subprocess.run([PROGRAM, "serve", "--config", second, "--cache", tmp_path / "c2"], capture_output=True, check=False)
    assert refused.returncode != 0 and b"another server has these worlds" in refused.stderr
    server.stop()
    with sqlite3.connect(tmp_path / "commons.world") as db:
        db.execute("UPDATE edit SET strength = strength + 1 WHERE seq = 2")
    db.close()
    done = run("world", "check", "commons", "--dir", tmp_path)
    assert done.returncode == 1 and b"commons.world: operation 2 is damaged" in done.stderr
    refused = subprocess.run([PROGRAM, "serve", "--config", second, "--cache", tmp_path / "c2"], capture_output=True, check=False)
    assert refused.returncode != 0 and b"commons.world: operation 2 is damaged" in refused.stderr
    for statement, status in (("UPDATE edit SET strength = strength - 1 WHERE seq = 2", 0), ("DELETE FROM edit WHERE seq = 3", 1), ("DELETE FROM world WHERE name = 'head'", 0)):
        with contextlib.closing(sqlite3.connect(tmp_path / "commons.world", isolation_level=None)) as db:
            assert db.execute(statement).rowcount == 1
        assert run("world", "check", "commons", "--dir", tmp_path).returncode == status, statement  # of the last: as it was before there were heads
    for name, damage in (("other", b"no database at all"), ("empty", b"")):
        (tmp_path / f"{name}.world").write_bytes(damage)
        assert run("world", "check", name, "--dir", tmp_path).returncode == 1


STROKE = {"seq": 1, "brush": 0, "x": 0, "y": 0, "inner": 0, "outer": 16, "strength": 9, "height": 0, "term": 0, "undoes": 0, "by": "a", "at": 0, "token": "", "note": ""}
UNDO = {**STROKE, "outer": 0, "strength": 0}


@pytest.mark.parametrize("lines", [
    [{"outer": 0}], [{"strength": 2**32 + 9}], [{"brush": 3, "term": 7}], [{"note": "no JSON"}], [{"note": "{}"}], [{"by": "a\n"}], [{"token": "a b"}],
    [{}, {**STROKE, "seq": 2, "undoes": 1}], [{}, {**UNDO, "seq": 2, "undoes": 1}, {**UNDO, "seq": 3, "undoes": 2}]])
def test_what_no_server_would_start_with_is_not_imported(tmp_path, lines):
    world(tmp_path)
    head = json.loads(run("world", "export", "commons", "--dir", tmp_path).stdout)
    log = [head, {**STROKE, **lines[0]}, *lines[1:]]

    def take(log):
        return subprocess.run([PROGRAM, "world", "import", "bad", "--dir", tmp_path], input="\n".join(map(json.dumps, log)).encode(), capture_output=True, check=False)
    done = take(log)
    assert done.returncode == 1 and done.stderr and not (tmp_path / "bad.world").exists()
    for more in ({"recipe": "{}"}, {"recipe": "no JSON"}, {"generator": 99}):
        assert take([{**head, **more}]).returncode == 1 and not (tmp_path / "bad.world").exists()
    assert take([head, STROKE, {**UNDO, "seq": 2, "undoes": 1}]).returncode == 0
    assert b"good, 2 operations" in run("world", "check", "bad", "--dir", tmp_path).stdout


def test_a_recipe_with_files_makes_no_world(tmp_path):
    np.save(tmp_path / "map.npy", np.zeros((4, 4), "<f4"))
    recipe = tmp_path / "map.json"
    recipe.write_text(json.dumps({"terms": {"far": {"fractal": "fbm", "octaves": 1, "cell_m": 64, "amplitude_m": 1}, "map": {"raster": "map.npy", "spacing_m": 8, "beyond": "far"}}, "height": "map"}))
    done = run("world", "create", "mine", "--seed", 1, "--recipe", recipe, "--dir", tmp_path / "worlds")
    assert done.returncode == 1 and b"may not name files" in done.stderr and not (tmp_path / "worlds/mine.world").exists()


def test_copies_are_read_where_nothing_may_be_written(tmp_path):
    """Of a disk that is mounted for reading."""
    world(tmp_path / "a?b#%20")
    words = ' && '.join(('mount --bind "$1" "$1"', 'mount -o remount,ro,bind "$1"', '"$0" world check commons --dir "$1"'))
    alone = ["unshare", "--mount", "--map-root-user", "sh", "-c"]
    if subprocess.run([*alone, 'mount --bind "$0" "$0"', tmp_path], capture_output=True, check=False).returncode != 0:
        pytest.skip("nothing may be mounted here")
    done = subprocess.run([*alone, words, PROGRAM, tmp_path / "a?b#%20"], capture_output=True, check=False)
    assert b"good, 0 operations" in done.stdout, done.stderr


def test_a_name_means_one_world(launch, tmp_path):
    config = world(tmp_path)
    twice = {**config, "worlds": {**config["worlds"], "named": {"commons": {"seed": 7}}}}
    with pytest.raises(AssertionError, match="worlds.named: commons is the name of a world of worlds.shared_dir"):
        launch(config=twice)
    server = launch(config=config)
    assert not reload(server, twice)
    write(server, RAISE)


def test_what_was_undone_is_left_out_of_a_world(launch, tmp_path):
    config = world(tmp_path)
    config["worlds"]["undo_edits"] = 4
    server = launch(config=config)
    write(server, [{**RAISE, "x": 10 * k, "token": f"t{k}"} for k in range(5)])
    for seq in (2, 4):
        write(server, {"seq": seq}, to="undo")
    assert "last 4 operations" in write(server, {"seq": 3}, to="undo", status=409)["detail"]
    write(server, [RAISE] * 2)
    write(server, {"seq": 8}, to="undo")  # after the horizon: it stays
    held = run("world", "compact", "commons", "--dir", tmp_path)
    assert held.returncode == 1 and b"another server has these worlds" in held.stderr
    before, edits, facts = server.get(tile(0, 0)), log_of(server)["edits"], json.loads(server.get("/world/commons").body)["edits"]
    assert facts["undo"] == 4
    server.stop()
    for words in (["--keep", "x"], ["--keep", "-1"], ["--keep", "9999999"]):
        assert run("world", "compact", "commons", *words, "--dir", tmp_path).returncode == 1
    done = run("world", "compact", "commons", "--keep", 4, "--dir", tmp_path)
    assert done.stdout == b"commons: 8 operations, 2 left out\n", done.stderr  # the second undo is within the last four
    again = launch(config=config)
    after, compacted = again.get(tile(0, 0)), log_of(again)
    assert after["ETag"] == before["ETag"] and after.body == before.body and compacted["epoch"] != facts["epoch"]
    assert [edit.get("undoes") for edit in compacted["edits"]] == [None, None, None, None, 3, None, None, 6]
    assert [edit.get("token") for edit in compacted["edits"][:4]] == ["t0", "t2", "t3", "t4"] == [edits[k]["token"] for k in (0, 2, 3, 4)]
    assert write(again, {**RAISE, "x": 20, "token": "t2"}, status=200)["first"] == 2
    assert len(list(tmp_path.glob(f"commons.world.aside-{facts['epoch']}-*"))) == 1 and not (tmp_path / "rewriting").exists()


def test_a_world_moves_to_another_generator_when_told(launch, tmp_path):
    recipe = tmp_path / "old.json"
    plain = json.loads(PLAIN_FILE.read_text())
    recipe.write_text(json.dumps({**plain, "generator": OLDEST}))
    config = world(tmp_path, recipe=recipe)
    server = launch(config=config)
    write(server, [{**RAISE, "x": 1000 * k} for k in range(3)])
    server.stop()
    assert run("world", "rebase", "commons", "--generator", 99, "--dir", tmp_path).returncode == 1
    done = run("world", "rebase", "commons", "--dir", tmp_path)
    told = done.stdout.decode().splitlines()
    assert done.returncode == 0 and told[-1] == f"commons: generator {GENERATOR}, 3 operations" and "of 3 squares" in told[-2], done
    head = json.loads(run("world", "export", "commons", "--dir", tmp_path).stdout.splitlines()[0])
    assert head["generator"] == GENERATOR and json.loads(head["recipe"]) == {**plain, "generator": GENERATOR}
    again = launch(config=config)
    assert again.get(tile(0, 0, at=0)).body == again.get(tile(0, 0, name="42")).body != again.get(tile(0, 0)).body


def test_what_many_made_of_a_tile_is_on_the_disk(launch, tmp_path):
    """And where it is damaged, or of another log, it is made again."""
    config, states = {**world(tmp_path), "cache": {"disk_bytes": 0}}, tmp_path / "commons.states"
    server = launch(config=config)
    for k in range(3):
        write(server, [{**RAISE, "x": 60 + j, "y": 90 + k, "strength_m": 1 + j % 5} if j % 9 else {"brush": "smooth", "x": 60 + j, "y": 90 + k, "outer": 30} for j in range(200)])
    past, body = (server.get(tile(0, 0, at=at)).body for at in (250, 600))  # the past of no state that came later
    (kept,) = states.iterdir()
    good, when = kept.read_bytes(), kept.stat().st_mtime_ns
    server.stop()
    again = launch(config=config)
    assert again.get(tile(0, 0)).body == body and kept.stat().st_mtime_ns == when  # it went on from there, and nothing had to be kept anew
    assert again.get(tile(0, 0, at=250)).body == past and again.get(tile(0, 0, at=500)) and kept.read_bytes() == good  # what is older takes no newer one's place
    again.stop()
    for damage in (b"", good[:-1], good + b"x", bytes([good[0] ^ 1]) + good[1:], good[:600] + bytes([good[600] ^ 1]) + good[601:]):
        kept.write_bytes(damage)
        server = launch(config=config)
        assert server.get(tile(0, 0)).body == body and kept.read_bytes() == good
        server.stop()
    for name in tmp_path.glob("commons.world*"):
        name.unlink()
    world(tmp_path)
    other = launch(config=config)
    write(other, [RAISE] * 256)
    write(other, [RAISE] * 256)
    assert other.get(tile(0, 0)).body != body and kept.read_bytes() != good and len(list(states.iterdir())) == 1


def test_copies_are_the_same(launch, tmp_path):
    config = world(tmp_path)
    server = launch(config=config)
    write(server, [RAISE, {**RAISE, "token": "t"}, {"brush": "mark", "x": 1, "y": 2, "properties": {"name": "a"}}])
    write(server, {"seq": 1}, to="undo")
    body = server.get(tile(0, 0)).body
    text = run("world", "export", "commons", "--dir", tmp_path).stdout
    server.stop()
    copy = subprocess.run([PROGRAM, "world", "import", "copy", "--dir", tmp_path], input=text, capture_output=True, check=True)
    assert copy.returncode == 0 and run("world", "export", "copy", "--dir", tmp_path).stdout == text
    assert [line.split()[0] for line in sorted(run("world", "list", "--dir", tmp_path).stdout.splitlines())] == [b"commons", b"copy"]
    again = launch(config=config)
    assert again.get(tile(0, 0, name="copy")).body == body and log_of(again, name="copy")["edits"] == log_of(again)["edits"]
    for cut in (b"", text[:50], text.replace(b'"seq":2', b'"seq":3'), text.replace(b'"brush":7', b'"brush":9'), text + b"{}\n"):
        refused = subprocess.run([PROGRAM, "world", "import", "bad", "--dir", tmp_path], input=cut, capture_output=True, check=False)
        assert refused.returncode == 1 and refused.stderr and not (tmp_path / "bad.world").exists()
    done = run("world", "check", "commons", "--dir", tmp_path / "not there")
    assert done.returncode == 1 and not (tmp_path / "not there").exists()
    for words in (["create"], ["create", "x"], ["create", "x", "--seed", "y", "--recipe", "alpine"], ["list", "x"], ["dig", "x"], []):
        assert run("world", *words, "--dir", tmp_path).returncode == 2
    assert run("world", "create", "commons", "--seed", 1, "--recipe", "alpine", "--dir", tmp_path).returncode == 1
    assert run("world", "create", "x", "--seed", 1, "--recipe", "nosuch", "--dir", tmp_path).returncode == 1
