"""`terrane path` on the command line: the tables it prints, the files it writes, what it refuses, how it is stopped."""

import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import time

import pytest
from PIL import Image

ROOT = pathlib.Path(__file__).resolve().parents[2]
TERRANE = pathlib.Path(os.environ.get("TERRANE", ROOT / "build" / "terrane"))
FOLDER = TERRANE.parent / "analyze"
PLOTS = {"figure-4-iterations.png", "figure-6-iterations.png", "figure-10-iterations.png", "figure-11-unsatisfied.png"}
RATIOS = {"figure-8-ratio.png", "figure-9-ratio.png"}
PATCHES = {f"patch-{name}.png" for name in ("slope_0.0005", "slope_0.0035", "slope_0.0095", "roughness", "across_stitched",
                                            "roughness_stitched")}
TABLES = {
    "table_1": ["slope 0.0005", "slope 0.0035", "slope 0.0095"],
    "figure_4": ["slope 0.0005", "slope 0.0035", "slope 0.0095", "fast way, its time in sweeps"],
    "figure_6": ["across", "roughness", "across, stitched", "roughness, stitched", "fast way, its time in sweeps"],
    "figure_6_solved": ["across", "roughness", "across, stitched", "roughness, stitched"],
    "figure_8": ["slope 0.0005", "slope 0.0035", "slope 0.0095", "fast way, slope 0.0035"],
    "figure_9": ["threshold 1e-3", "threshold 1e-4", "threshold 1e-5", "threshold 1e-6", "fast way, no threshold"],
    "figure_10": ["threshold 1e-3", "threshold 1e-4", "threshold 1e-5", "threshold 1e-6", "fast way, its time in sweeps"],
    "figure_11": ["across", "roughness", "across, stitched", "roughness, stitched", "fast way"],
    "fast_times": ["slope 0.0005", "slope 0.0035", "slope 0.0095"],
    "fast_distance": ["slope 0.0005", "slope 0.0035", "slope 0.0095"],
}
# A stand-in for the program that solves for the optimum: its distance is the samples of the problem it is given.
OPTIMUM = """#!/usr/bin/python3
import json, struct, sys
data = open(sys.argv[1], "rb").read()
side, spacing = struct.unpack_from("<id", data)
assert len(data) == 12 + side * side * (8 + 4 * 4) and abs(spacing * (side - 1) - 80) < 1e-9
ground = struct.unpack_from(f"<{side * side}d", data, 12)
gradient = struct.unpack_from(f"<{side * side}f", data, 12 + 8 * side * side)
assert -0.5 <= min(ground) < max(ground) <= 1.5 and max(gradient) > 0 > min(gradient)
print(json.dumps({"distance": side * side, "seconds": 0.1}))
"""


def run(*arguments, folder=FOLDER, seconds=300, **options):
    return subprocess.run([folder / "main.py", "path", *map(str, arguments)], capture_output=True, text=True, timeout=seconds,
                          **options)


def tables_of(text):
    """Title -> [(label, [number or None])], in the order of the lines."""
    found = {}
    for block in text.split("\n\n"):
        title, *rows = block.split("\n")
        rows = [re.match(r"  (.{30}) +(.*)$", row) for row in rows]
        if rows and all(rows):
            found[title] = [(row[1].rstrip(), [None if n == "-" else float(n) for n in row[2].split()]) for row in rows]
    return found


def near(number, printed):
    """Is this what the table shows, to the digits it has?"""
    return number is printed is None or abs(number - printed) <= (0.051 if abs(number) >= 100 else 0.00051)


def check_tables(text, numbers, without=()):
    tables = tables_of(text)
    figures = numbers["figures"]
    assert set(figures) == set(TABLES)
    assert set(tables) == {figures[key]["title"] for key in TABLES if key not in without}
    for key, labels in TABLES.items():
        lines = figures[key]["lines"]
        assert [line["label"] for line in lines] == labels
        if key in without:
            assert all(mean is None for line in lines for mean in line["mean"])
            continue
        rows = tables[figures[key]["title"]]
        assert rows[0] == ("samples of a patch", [side * side for side in numbers["sides"]])
        shown = [row for row in rows[1:] if not row[0].startswith("  ")]
        assert [label for label, _ in shown] == labels
        for line, (_, row) in zip(lines, shown):
            assert len(row) == len(line["mean"]) and all(map(near, line["mean"], row))
            for mean, values in zip(line["mean"], line["values"]):
                known = [v for v in values if v is not None]
                assert len(values) == numbers["terrains"]
                assert mean == (pytest.approx(sum(known) / len(known), rel=1e-6) if known else None)


def check_experiments(numbers):
    """Lines of figures are what the experiments say."""
    series = {one["key"]: one for one in numbers["series"]}
    assert len(series) == 9
    for one in series.values():
        for size in one["sizes"]:
            for t in size["terrains"]:
                kinds = t["constraints"]
                assert kinds["gradient"]["held"] > 0 and 0 <= t["iterations"] <= size["iterations_max"]
                assert ("across" in kinds) == (one["beside"] == "across")
                assert ("position" in kinds) == one["stitched"]
                unsatisfied = sum(k["unsatisfied"] for k in kinds.values())
                assert (t["ended_by"] == "all") == (unsatisfied == 0)
                held = sum(k["held"] for k in kinds.values())
                assert t["unsatisfied_percent"] == pytest.approx(100 * unsatisfied / held, abs=1e-6)
                if "fast" in t:
                    assert t["fast"]["unsatisfied_percent"] == 0, (one["key"], size["side"])
    for label, key in (("slope 0.0005", "slope_0.0005"), ("slope 0.0035", "slope_0.0035"), ("slope 0.0095", "slope_0.0095")):
        line = next(l for l in numbers["figures"]["figure_4"]["lines"] if l["label"] == label)
        assert line["values"] == [[t["iterations"] for t in size["terrains"]] for size in series[key]["sizes"]]


def check_files(out, pictures):
    assert {p.name for p in out.iterdir()} == {"paths.json"} | pictures
    for name in pictures:
        with Image.open(out / name) as picture:
            picture.load()
            assert len(set(picture.resize((64, 64)).getdata())) > 8, name


@pytest.fixture(scope="module")
def quick(tmp_path_factory):
    """What --quick --sizes 9,17 printed and wrote; no optimum stands beside that copy of the program."""
    place = tmp_path_factory.mktemp("path")
    folder = shutil.copytree(FOLDER, place / "analyze")
    done = run("--paper", "--quick", "--sizes", "9,17", "--jobs", 2, "--out", place / "out", folder=folder)
    assert done.returncode == 0, done.stderr
    return done, place / "out", json.loads((place / "out/paths.json").read_text())


def test_tables_files_and_json(quick):
    done, out, numbers = quick
    assert numbers["complete"] is True and numbers["quick"] is True and numbers["optimum"] is False
    assert numbers["sides"] == [9, 17] and numbers["terrains"] == 3
    check_tables(done.stdout, numbers, without=("figure_8", "figure_9"))
    check_experiments(numbers)
    check_files(out, PLOTS | PATCHES)
    assert "figures 8 and 9" in done.stdout and "build/optimum" in done.stdout


def test_table_1_is_near_the_document(quick):
    """Three terrains of ten, two sizes of six: the same order of magnitude, in the same order."""
    _, _, numbers = quick
    lines = numbers["figures"]["table_1"]["lines"]
    assert [line["published"] for line in lines] == [[82.8, 385.7], [58.2, 219.1], [11.3, 18.3]]
    for line in lines:
        assert all(0.25 < mean / there < 4 for mean, there in zip(line["mean"], line["published"]))
    for size in range(2):
        assert lines[0]["mean"][size] > lines[1]["mean"][size] > lines[2]["mean"][size]


def test_progress(quick):
    """A line for each series and size: how far, which, how many iterations, how long yet."""
    lines = quick[0].stderr.splitlines()
    assert len(lines) == 18
    form = re.compile(r"\d+/54  (9 x 9|17 x 17), [\w\-., ]+, 3 terrains: [\d.]+ iterations, (\d+ (s|min) left|time left unknown)")
    assert all(form.fullmatch(line) for line in lines)
    assert lines[-1].startswith("54/54  ") and lines[-1].endswith(" 0 s left")


def test_same_numbers_again(quick, tmp_path):
    """But for times, nothing depends on threads or on other sizes."""
    done = run("--paper", "--quick", "--sizes=17", "--jobs=1", "--out", tmp_path / "out", "--no-pictures")
    assert done.returncode == 0, done.stderr
    again = json.loads((tmp_path / "out/paths.json").read_text())
    for one, other in zip(quick[2]["series"], again["series"]):
        for t, u in zip(one["sizes"][1]["terrains"], other["sizes"][0]["terrains"]):
            assert [t[k] for k in ("ended_by", "iterations", "constraints", "distance")] == \
                   [u[k] for k in ("ended_by", "iterations", "constraints", "distance")]
            assert "fast" not in t or t["fast"]["distance"] == u["fast"]["distance"]


def with_optimum(place, text):
    """A copy of the program with such a solver beside it."""
    (place / "optimum").write_text(text)
    (place / "optimum").chmod(0o755)
    return shutil.copytree(FOLDER, place / "analyze")


def test_optimum(tmp_path):
    folder = with_optimum(tmp_path, OPTIMUM)
    done = run("--paper", "--quick", "--sizes", 9, "--out", tmp_path / "out", folder=folder)
    assert done.returncode == 0, done.stderr
    numbers = json.loads((tmp_path / "out/paths.json").read_text())
    check_tables(done.stdout, numbers)
    check_files(tmp_path / "out", PLOTS | RATIOS | PATCHES)
    assert numbers["optimum"] is True and "Left out" not in done.stdout
    usual = next(one for one in numbers["series"] if one["key"] == "slope_0.0035")["sizes"][0]["terrains"]
    assert all(t["optimum"] == 81 for t in usual)
    lines = {line["label"]: line for line in numbers["figures"]["figure_9"]["lines"]}
    assert lines["threshold 1e-5"]["values"][0] == pytest.approx([t["distance"] / 81 for t in usual])
    assert lines["fast way, no threshold"]["values"][0] == pytest.approx([t["fast"]["distance"] / 81 for t in usual])
    loose = next(one for one in numbers["series"] if one["key"] == "threshold_1e-3")["sizes"][0]["terrains"]
    assert lines["threshold 1e-3"]["values"][0] == pytest.approx([t["distance"] / 81 for t in loose])


@pytest.mark.parametrize("text", ["#!/bin/sh\nexit 1\n", "#!/bin/sh\necho '{'\n", "#!/bin/sh\necho '{\"distance\": -1}'\n",
                                  "#!/bin/sh\nyes\n", "#!/no/such/shell\n"])
def test_optimum_that_fails(tmp_path, text):
    """What it does not say is left out; the rest is whole."""
    folder = with_optimum(tmp_path, text)
    done = run("--paper", "--quick", "--sizes", 9, "--out", tmp_path / "out", "--no-pictures", folder=folder)
    assert done.returncode == 0 and "gave no distance of 9 x 9 samples" in done.stderr
    numbers = json.loads((tmp_path / "out/paths.json").read_text())
    check_tables(done.stdout, numbers, without=("figure_8", "figure_9"))
    check_files(tmp_path / "out", set())


def stopped(folder, out, after, *words):
    """Ends it by a signal once `after` says so of its paths.json."""
    running = subprocess.Popen([folder / "main.py", "path", "--paper", *words, "--out", out], stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True)
    try:
        until = time.monotonic() + 600
        while True:
            assert running.poll() is None and time.monotonic() < until
            file = out / "paths.json"
            if file.exists():
                numbers = json.loads(file.read_text())  # whole at every moment
                assert numbers["complete"] is False
                if after(numbers):
                    break
            time.sleep(0.05)
        running.send_signal(signal.SIGTERM)
        text, errors = running.communicate(timeout=600)
    finally:
        running.kill()
        running.wait()
    assert running.returncode == 3
    assert errors.splitlines()[-1] == f"terrane path: stopped; what was measured is in {out}"
    return text, json.loads((out / "paths.json").read_text())


def test_stopped_while_it_relaxes(tmp_path):
    """Patches of 257 x 257 take minutes each: those of 9 x 9 are there, and in tables, JSON and pictures."""
    def small_are_there(numbers):
        return all(t for one in numbers["series"] for t in one["sizes"][0]["terrains"])

    text, numbers = stopped(FOLDER, tmp_path / "out", small_are_there, "--sizes=9,257", "--jobs=2")
    assert numbers["complete"] is False and small_are_there(numbers)
    assert None in numbers["series"][0]["sizes"][1]["terrains"]
    check_tables(text, numbers, without=() if numbers["optimum"] else ("figure_8", "figure_9"))
    assert not list((tmp_path / "out").glob("optimum-*"))


def test_stopped_while_the_optimum_is_sought(tmp_path):
    """It ends the solver, too."""
    folder = with_optimum(tmp_path, f"#!/bin/sh\necho $$ >{tmp_path}/solver\nexec sleep 1000\n")
    text, numbers = stopped(folder, tmp_path / "out", lambda _: (tmp_path / "solver").exists() and
                            (tmp_path / "solver").read_text().endswith("\n"), "--quick", "--sizes=9", "--jobs=1")
    assert numbers["series"][0]["sizes"][0]["terrains"] == [None] * 3
    assert {p.suffix for p in (tmp_path / "out").iterdir()} <= {".json", ".png"}
    assert not pathlib.Path(f"/proc/{int((tmp_path / 'solver').read_text())}").exists()


@pytest.mark.parametrize("words,named", [
    ([], "--paper"), (["--quick"], "--paper"), (["--nonsense"], "--nonsense"), (["--paper", "word"], "word"),
    (["--paper", "--sizes"], "--sizes"), (["--paper", "--sizes", ""], "--sizes="), (["--paper", "--sizes", "8"], "--sizes=8"),
    (["--paper", "--sizes", "9,"], "--sizes=9,"), (["--paper", "--sizes", "9,9"], "--sizes=9,9"),
    (["--paper", "--sizes", "17,9"], "--sizes=17,9"), (["--paper", "--sizes", "513"], "--sizes=513"),
    (["--paper", "--sizes", "5"], "--sizes=5"), (["--paper", "--sizes", "9;17"], "--sizes=9;17"),
    (["--paper", "--sizes", "99999999999"], "--sizes=99999999999"), (["--paper", "--sizes=-9"], "--sizes=-9"),
    (["--paper", "--jobs", "0"], "--jobs=0"), (["--paper", "--jobs", "65"], "--jobs=65"), (["--paper", "--jobs", "2,"], "--jobs=2,"),
    (["--paper", "--jobs", "two"], "--jobs=two"), (["--paper", "--jobs", ""], "--jobs="), (["--paper", "--jobs", "2,3"], "--jobs=2,3"),
])
def test_bad_questions_exit_2(tmp_path, words, named):
    done = run(*words, cwd=tmp_path)
    assert done.returncode == 2 and done.stdout == ""
    assert done.stderr.startswith("terrane path: ") and done.stderr.count("\n") == 1 and named in done.stderr
    assert not list(tmp_path.iterdir())


def test_places_that_cannot_be_written(tmp_path):
    (tmp_path / "file").write_text("")
    for out in ("file", "file/where"):
        done = run("--paper", "--quick", "--sizes=9", "--out", out, cwd=tmp_path)
        assert done.returncode == 1 and done.stderr.startswith(f"terrane path: {out}: ") and done.stderr.count("\n") == 1
    (tmp_path / "out" / "paths.json").mkdir(parents=True)
    done = run("--paper", "--quick", "--sizes=9", "--out", "out", cwd=tmp_path)
    assert done.returncode == 1 and "out/paths.json" in done.stderr


def test_terrane_hands_over():
    done = subprocess.run([TERRANE, "path", "--help"], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0 and done.stdout == run("--help").stdout
    done = subprocess.run([TERRANE, "path", "--sizes", "3", "--paper"], capture_output=True, text=True, timeout=60)
    assert done.returncode == 2 and "--sizes=3" in done.stderr
