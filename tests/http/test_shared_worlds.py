"""Worlds that people change: what is written stays, tiles that nobody touched stay as they were, and nobody writes without the
right."""

import concurrent.futures
import hashlib
import json
import math
import random
import struct
import time

import numpy as np
import pytest
from http_operator import bearer, keys_file, reload
from http_server import run
from http_worlds import DIGGER, OLD, OTHER, RAISE, READER, STROKE, anew, commons, log_of, samples, served, tile, world, write  # noqa: F401


def test_an_edit_is_seen_where_it_is_and_nowhere_else(commons):
    names = [tile(x, y, layer=layer, ext=ext, size=size) for x, y in ((0, 0), (1, 1), (-1, 0)) for layer, ext, size in (
        ("height", "f32", 257), ("normal", "f32", 257), ("slope", "f32", 65), ("relief", "png", 256), ("height", "png", 256), ("surface", "r16", 129), ("height", "json", 257), ("height", "glb", 65))]
    before = [commons.get(name) for name in names]
    assert all(answer["Cache-Control"] == "public, max-age=0, must-revalidate" for answer in before)
    write(commons, RAISE)
    made, after = commons.renders(), [commons.get(name) for name in names]
    assert commons.renders() - made == len(names) // 3  # those that nobody touched are in the cache as they were
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


def test_levels_agree_within_the_bound(commons):
    """That /world tells: nothing before there are edits, no more than rounding where strokes are wide, and what a narrow one may do."""
    def bounds():
        told = commons.json("/world/commons")
        assert not any(level["geometric_error_m"] for level in told["levels"][:6])  # all of the rest is of edits
        return told["edits"]["level_errors_m"]

    def apart(lod):
        fine, coarse = (samples(commons.get(tile(0, 0, lod=of)))[..., 0] for of in (0, lod))
        return np.abs(fine[::2**lod, ::2**lod] - coarse[:256 // 2**lod + 1, :256 // 2**lod + 1]).max()
    assert bounds() == [0] * 25
    write(commons, [{**RAISE, "outer": 64}, {"brush": "level", "x": 60, "y": 90, "outer": 70, "height_m": 9}, {"brush": "mark", "x": 0, "y": 0}])
    wide = bounds()
    assert wide[0] == 0 < wide[1] == wide[5] < 0.01 and 8192 < wide[6] == wide[24] < 8192.01, wide
    assert max(apart(lod) for lod in (1, 3, 5)) <= wide[1]
    write(commons, {**RAISE, "x": 64, "y": 128, "outer": 20, "inner": 9})
    more = bounds()
    assert more[:4] == wide[:4] and more[4] == wide[4] + 8 and more[24] == wide[24]
    assert apart(3) <= more[3] and 4 < apart(5) <= more[5]


def test_seams_across_edits(commons):
    """Tiles share their edges, in all that is made of heights; and centres, shifted roots and coded answers follow."""
    strokes = [("raise", {"strength_m": 30}), ("level", {"height_m": 77.25}), ("noise", {"term": "hills"}), ("smooth", {}), ("restore", {"strength": 0.5})]
    batch = [{"brush": brush, "x": 256 + 7 * k, "y": 250 - 5 * k, "outer": 60, "inner": 20, **more} for k, (brush, more) in enumerate(strokes)]
    write(commons, batch)
    layers = [layer["name"] for layer in commons.json("/world/commons")["layers"] if "f32" in layer["formats"]]
    assert {"height", "normal", "slope", "surface", "water", "cover"} < set(layers)
    for layer in layers:
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


def test_undo_of_everything_is_the_ground_of_before(commons):
    """Of every brush, one over the other, in any order, at every level."""
    names = [tile(0, 0, layer=layer, lod=lod, size=65) for layer in ("height", "normal", "cover") for lod in (0, 3, 7)]
    before = [commons.get(name) for name in names]
    more = [("raise", {"strength_m": 30}), ("lower", {"strength_m": 7}), ("level", {"height_m": 77.25}), ("smooth", {}), ("sharpen", {}), ("noise", {"term": "hills"}), ("restore", {"strength": 0.5}), ("mark", None)]
    write(commons, [{"brush": brush, "x": 90 + 9 * k, "y": 120 - 7 * k, **({"inner": 9, "outer": 80, **rest} if rest is not None else {})} for k, (brush, rest) in enumerate(more)])
    write(commons, {"brush": "way", "line": [[20, 30, 5], [200, 180, 20]], "width": 8, "slope": 1})
    assert all(commons.get(name)["ETag"] != old["ETag"] for name, old in zip(names, before, strict=True))
    order = list(range(1, 10))
    random.Random(3).shuffle(order)
    for seq in order:
        write(commons, {"seq": seq}, to="undo")
    for name, old in zip(names, before, strict=True):
        now = commons.get(name)
        assert now["ETag"] == old["ETag"] and now.body == old.body, name
    assert json.loads(commons.get("/world/commons/marks").body)["features"] == []


def test_who_may_see_a_world_reads_its_log(launch, tmp_path):
    """And nobody else, by whatever address."""
    server = launch(config={**world(tmp_path), "access": {"keys_file": served(tmp_path)["access"]["keys_file"], "required": True}})
    write(server, RAISE)
    targets = ["/world/commons", "/world/commons/edits", "/world/commons/edits?since=0&box=0,0,9,9", "/world/commons/marks", "/world/commons/events", "/point/commons?x=1&y=1", tile(0, 0), tile(0, 0, at=0)]
    for target in targets:
        for forged in (None, "nobody-s-key-at-all-0", READER[:-1], OLD):
            refused = server.ask(target, headers=bearer(forged) if forged else [])
            assert refused.status == 401 and b"raise" not in refused.body, (target, forged)
        assert server.ask(target, "HEAD", bearer(READER)).status == 200, target
    for target in ("/worlds", "/world/commons/log"):  # all there is, for those that follow
        assert server.ask(target, headers=bearer(DIGGER)).status == 403, target


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
    head = run("world", "export", "commons", "--dir", tmp_path).stdout.replace(b'"count":0', b'"count":%d' % count)
    for name in tmp_path.glob("commons.world*"):
        name.unlink()
    draw, sign = random.Random(1), (1, -1)
    strokes = [{**STROKE, "seq": k + 1, "brush": k % 2, "x": 1600 + draw.randrange(side), "y": 1600 + draw.randrange(side), "inner": 100, "outer": 200, "strength": 1 + k % 7 * 1000} for k in range(count)]
    log = head + "\n".join(map(json.dumps, strokes)).encode()
    assert run("world", "import", "commons", "--dir", tmp_path, text=log + b"\n").returncode == 0
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
    view = {"seed": "commons", "position": [0, 0], "view_distance": 900}
    commons.ask("/prefetch", "POST", body=json.dumps({**view, "recipe": "alpine"}).encode()).problem(400, "recipe")
    told = [json.loads(commons.ask("/prefetch", "POST", body=json.dumps(view).encode()).body)["tiles"][0],
            json.loads(commons.get("/point/commons?x=1&y=2").body)["tile"]["url"], *json.loads(commons.get(tile(0, 0, ext="json")).body)["links"].values()]
    assert all(commons.ask(path).status == 200 for path in told)


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
    marks = [{"brush": "mark", "x": 3.5, "y": -4, "properties": {"name": "Köln", "size": 2, "osm": 2**53 + 1}}, {"brush": "mark", "x": 9, "y": 9}]
    before = commons.get(tile(0, 0))["ETag"]
    write(commons, [*marks, RAISE])
    write(commons, {"seq": 2}, to="undo")
    shown = json.loads(commons.get("/world/commons/marks").body)
    assert shown == {"type": "FeatureCollection", "partial": False, "features": [{"type": "Feature", "id": 1, "geometry": {
        "type": "Point", "coordinates": [3.5, -4.0]}, "properties": marks[0]["properties"]}]}
    assert commons.get(tile(0, 0, at=2))["ETag"] == before
    assert ["box" in edit for edit in log_of(commons)["edits"]] == [False, False, True, False]
    told = commons.json("/world/commons")["edits"]
    assert len(told.pop("level_errors_m")) == 25
    assert told == {"epoch": log_of(commons)["epoch"], "count": 4, "brushes": ["raise", "lower", "level", "smooth", "sharpen", "noise", "restore", "mark", "way"],
                    "terms": ["land", "hills"], "outer_m": 65536, "undo": 100000} and "edits" not in commons.json("/world/42")
    assert commons.json("/viewer/worlds.json")["named"] == [{"name": "commons", "recipe": ""}]


def test_marks_of_a_box(commons):
    """10,000 are shown, and it is told whether there are more of them in the box."""
    for first in range(0, 10240, 256):
        write(commons, [{"brush": "mark", "x": k % 100, "y": k // 100} for k in range(first, first + 256)])
    write(commons, {"seq": 102}, to="undo")
    for box, count, partial in (("", 10000, True), ("0,0,99,100", 10000, True), ("0,0,99,99", 9999, False), ("0,0,1,1", 3, False), ("-9,-9,-1,-1", 0, False)):
        shown = commons.json(f"/world/commons/marks?box={box}" if box else "/world/commons/marks")
        assert (len(shown["features"]), shown["partial"]) == (count, partial), box
    assert [mark["id"] for mark in commons.json("/world/commons/marks?box=0,0,1,1")["features"]] == [1, 2, 101]


@pytest.mark.parametrize("document", ["/xyz/commons/tile.json", "/xyz/commons/vector.json", "/style/commons.json", "/terrain/commons/layer.json", "/gdal/commons.xml", "/3dtiles/commons/tileset.json"])
def test_documents_hand_on_at(commons, document):
    write(commons, RAISE)
    epoch = log_of(commons)["epoch"].encode()
    asks = [commons.get(f"{document}{query}").body.replace(b"&amp;", b"&").count(b"&at=0&epoch=" + epoch) for query in ("?at=0", "")]
    assert asks[0] > 0 == asks[1]
    assert commons.ask(f"{document}?at=0&epoch=0123456789abcdef").problem(404, "at")


def test_the_past_of_another_world_is_refused_everywhere(commons):
    write(commons, RAISE)
    epoch, other = log_of(commons)["epoch"], "0123456789abcdef"
    for path in (tile(0, 0), tile(0, 0).replace("?", "/status?"), "/xyz/commons/18/131072/131072.png?", "/world/commons?", "/point/commons?x=1&y=1",
                 "/region/commons.f32?lod=0&x0=0&y0=0&w=9&h=9", "/find/commons?what=peak&x=0&y=0&lod=3"):
        assert commons.get(f"{path}&at=0&epoch={epoch}") and commons.get(f"{path}&epoch={other}")  # of now it says nothing
        for query in (f"at=0&epoch={other}", f"epoch={other}&at=0"):
            refused = commons.ask(f"{path}&{query}")
            assert refused.problem(404, "at") and refused["Cache-Control"] == "no-store", path
    paths = {"tiles": [tile(0, 0, at=0, epoch=of) for of in (other, epoch)]}
    body = commons.ask("/tiles", "POST", body=json.dumps(paths).encode()).body
    index, status, size = struct.unpack("<3I", body[:12])
    assert (index, status) == (0, 404) and struct.unpack("<3I", body[12 + size:24 + size])[:2] == (1, 200)


def test_tags_of_many_tiles_are_of_one_world(launch, tmp_path):
    """As many operations were done to another one of its name, and none where its first tile is."""
    config, seen = world(tmp_path), []
    for strength in (8, 3):
        server = launch(config=config)
        write(server, {**RAISE, "x": 5004, "y": 5004, "strength_m": strength})
        seen.append([server.get(target) for target in ("/region/commons.f32?lod=0&x0=5000&y0=5000&w=9&h=9", "/find/commons?what=peak&x=0&y=0&lod=3", "/point/commons?x=5004&y=5004")])
        server.stop()
        anew(tmp_path)
    assert seen[0][0].body != seen[1][0].body and all(a["ETag"] != b["ETag"] for a, b in zip(*seen, strict=True))
