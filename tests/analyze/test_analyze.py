"""terrane analyze on the command line: what it measures, writes and refuses."""

import json
import os
import pathlib
import subprocess
import zipfile

import numpy
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
TERRANE = os.environ.get("TERRANE", ROOT / "build" / "terrane")
PICTURES = {"map.png", "coast.png", "slope.png", "hypsometry.png", "spectrum.png"}
COASTS = pathlib.Path("/usr/share/gmt-gshhg/binned_GSHHS_h.nc")
GROUND = pathlib.Path("/usr/share/matplotlib/mpl-data/sample_data/jacksboro_fault_dem.npz")


def run(*arguments, seconds=300, **options):
    return subprocess.run([TERRANE, "analyze", *map(str, arguments)], capture_output=True, timeout=seconds, **options)


def analyse(out, *arguments, pictures=frozenset()):
    """The numbers, after a look at everything else that a run leaves."""
    done = run(*arguments, "--out", out, *([] if pictures else ["--no-pictures"]))
    assert done.returncode == 0 and done.stderr == b"", done.stderr
    assert b"box-count dimension" in done.stdout
    assert {p.name for p in out.iterdir()} == pictures | {"analysis.json"}
    assert all((out / p).read_bytes().startswith(b"\x89PNG") for p in pictures)
    return json.loads((out / "analysis.json").read_text())


def island(width, height, spacing):
    """A cone on a sea floor: the slope is 0.1 everywhere but at its top."""
    y, x = numpy.mgrid[:height, :width] * spacing
    return 0.1 * (0.35 * min(width, height) * spacing - numpy.hypot(x - width * spacing / 2.03, y - height * spacing / 1.97))


def check_cone(found, width, height, spacing):
    assert found["samples"] == [width, height] and found["spacing_m"] == [spacing, spacing]
    assert found["coast"]["dimension"] == pytest.approx(1, abs=0.06) and found["coast"]["fit"]["r2"] > 0.99
    assert found["slope"]["median_degrees"] == pytest.approx(numpy.degrees(numpy.arctan(0.1)), abs=0.02)
    assert found["hypsometry"]["integral"] == pytest.approx(1 / 3, abs=0.01)
    assert sum(found["slope"]["share_of_each_degree"]) == pytest.approx(1)
    assert found["extremes"]["pit_share"] == 0
    # The mean way to the rim of a disc is a third of its radius; D8, which turns by 45 degrees, takes up to 8 % more.
    radius = 0.35 * min(width, height) * spacing
    assert radius / 3 < found["drainage"]["length_m"] < 1.09 * radius / 3
    assert found["drainage"]["ends_in_sea"] == pytest.approx(1)


@pytest.mark.parametrize("dtype", ["<f4", ">f4", "<f8", "<i4"])
def test_npy(tmp_path, dtype):
    numpy.save(tmp_path / "cone.npy", (island(500, 400, 10) * 1000).astype(dtype))
    found = analyse(tmp_path / "out", tmp_path / "cone.npy", "--spacing", 10000)
    check_cone(found, 500, 400, 10000)


def test_floats(tmp_path):
    island(300, 520, 2).astype("<f4").tofile(tmp_path / "cone.f32")
    check_cone(analyse(tmp_path / "out", tmp_path / "cone.f32", "--width", 300, "--spacing=2", pictures=PICTURES), 300, 520, 2)


@pytest.mark.parametrize("save", [numpy.savez, numpy.savez_compressed])
def test_npz(tmp_path, save):
    save(tmp_path / "cone.npz", dx=10.0, other=numpy.zeros(7), height=island(300, 300, 1), flat=numpy.zeros((64, 80)))
    check_cone(analyse(tmp_path / "a", tmp_path / "cone.npz"), 300, 300, 1)
    found = analyse(tmp_path / "b", tmp_path / "cone.npz", "--member", "flat", pictures=PICTURES)
    assert found["samples"] == [80, 64] and found["land_share"] == 1
    assert found["coast"]["dimension"] is None and found["hypsometry"]["integral"] is None


def test_levels(tmp_path):
    heights = island(300, 300, 1)
    numpy.save(tmp_path / "cone.npy", heights)
    found = analyse(tmp_path / "a", tmp_path / "cone.npy", "--sea", 5, "--contour=median")
    assert found["sea_m"] == 5 and found["land_share"] == pytest.approx((heights >= 5).mean())
    assert found["coast"]["level_m"] == pytest.approx(numpy.median(heights), abs=0.01)
    found = analyse(tmp_path / "b", tmp_path / "cone.npy", "--sea", "-3.5", "--spacing", "1,2")
    assert found["coast"]["level_m"] == -3.5 and found["spacing_m"] == [1, 2]


def test_world(tmp_path):
    where = ["--lod=6", "--size=256", "--at=-50000,80000", "--variant=base"]
    numbers = analyse(tmp_path / "a", "--world", 42, "--lod", 6, "--size", 256, "--at", "-50000,80000", "--variant", "base", pictures=PICTURES)
    assert numbers["samples"] == [256, 256]
    assert numbers == analyse(tmp_path / "b", "--world", "0x2a", *where)
    assert numbers != analyse(tmp_path / "c", "--world", "43", *where)
    away = analyse(tmp_path / "d", "--world", "atlantis", "--size", 64, "--at", "1e11,-1e11", "--lod", 1, "--variant", "base")
    assert away["samples"] == [64, 64]


def test_the_sea_is_the_recipes(tmp_path):
    (tmp_path / "high.json").write_text(json.dumps({"sea_m": 12.5, "height": {"fractal": "fbm", "octaves": 5, "cell_m": 256,
                                                                              "amplitude_m": 50}}))
    where = ["--world", 42, "--recipe", tmp_path / "high.json", "--size", 300]
    high, low = analyse(tmp_path / "a", *where), analyse(tmp_path / "b", *where, "--sea", 0)
    assert high["sea_m"] == high["coast"]["level_m"] == 12.5 and 0 < high["land_share"] < low["land_share"] < 1


@pytest.fixture
def eroding(tmp_path):
    """A recipe that erodes a few levels, as a file."""
    recipe = json.loads((ROOT / "config/worlds/alpine.json").read_text())
    recipe.pop("$schema", None)
    for name in ("rivers", "ice"):
        recipe.pop(name)
    recipe["erosion"] = {"levels": 4, "phases": 2, "steps": 10}
    file = tmp_path / "eroding.json"
    file.write_text(json.dumps(recipe))
    return file


def measures(found):
    """What is measured, without where it comes from."""
    return {name: value for name, value in found.items() if name != "origin"}


def test_variants(tmp_path, eroding):
    """Eroded by default where the recipe erodes; base is another surface, and the same as without erosion."""
    where = ["--world", 42, "--recipe", eroding, "--lod", 2, "--size", 200, "--at", "90000,40000"]
    plain = analyse(tmp_path / "a", *where)
    eroded, base = (analyse(tmp_path / v, *where, "--variant", v) for v in ("eroded", "base"))
    assert plain == eroded and plain["origin"]["variant"] == "eroded" and base["origin"]["variant"] == "base"
    assert measures(base) != measures(eroded)
    above = [analyse(tmp_path / f"above-{v}", *where[:4], "--lod", 4, "--size", 64, "--variant", v)
             for v in ("eroded", "base")]
    assert measures(above[0]) == measures(above[1])  # level 4 does not erode


@pytest.mark.parametrize("variant", ["base", "eroded"])
def test_worlds_are_measured_as_they_are_rendered(tmp_path, eroding, variant):
    subprocess.run([TERRANE, "render", "42", "3", "-3", "5", "--recipe", eroding, "--variant", variant, "--region", "2x2",
                    "-o", tmp_path / "ground.npy"], check=True, timeout=300)
    file = analyse(tmp_path / "a", tmp_path / "ground.npy", "--spacing", 8)
    world = analyse(tmp_path / "b", "--world", 42, "--recipe", eroding, "--variant", variant, "--lod", 3, "--size", 512,
                    "--at", f"{(-3 * 256 + 256) * 8},{(5 * 256 + 256) * 8}")
    assert measures(file) == measures(world)


def test_surfaces_hold_lakes(tmp_path):
    """Drainage is then over them; all else is of the ground."""
    where = ["--world", 42, "--recipe", "continents", "--lod", 9, "--variant", "eroded", "--size", 256, "--at", "-6914048,5443584"]
    dry, wet = (analyse(tmp_path / name, *where, "--layer", name) for name in ("height", "surface"))
    assert (dry["origin"]["layer"], wet["origin"]["layer"]) == ("height", "surface")
    without, over = (measures(found).pop("drainage") for found in (dry, wet))
    assert {**measures(dry), "drainage": over} == measures(wet)
    assert without["lake_share"] == 0 < 0.003 < over["lake_share"]
    assert over["closed_share"] < without["closed_share"] - 0.003 and over["pits"] < without["pits"]


def test_erosion_erodes(tmp_path, eroding):
    where = ["--world", 42, "--recipe", eroding, "--lod", 0, "--size", 512, "--at", "-6500000,5537000"]
    base, eroded = (analyse(tmp_path / v, *where, "--variant", v) for v in ("base", "eroded"))
    assert eroded["drainage"]["length_m"] > base["drainage"]["length_m"]
    assert eroded["drainage"]["concavity"] > base["drainage"]["concavity"]


def test_recipes(tmp_path):
    names = [p.stem for p in (ROOT / "config/worlds").glob("*.json")]
    where = ["--world", 1, "--size", 128, "--lod", 5, "--variant=base"]
    found = {n: analyse(tmp_path / n, *where, "--recipe", n) for n in names}
    assert len({json.dumps(f, sort_keys=True) for f in found.values()}) == len(names)
    file = ROOT / "config/worlds" / f"{names[0]}.json"
    assert found[names[0]] == analyse(tmp_path / "file", *where, "--recipe", file)


@pytest.mark.parametrize("words,named", [
    ([], "--world SEED"), (["--world", 1, "--paper"], "--world SEED"), (["a.npy", "--paper"], "--world SEED"),
    (["a.npy", "b.npy"], "b.npy"), (["--nonsense"], "--nonsense"), (["--world"], "--world"),
    (["--world", ""], "--world="), (["--world", "18446744073709551616"], "--world="), (["--world", "01"], "--world="),
    (["--world", "0x"], "--world="), (["--world", "a b"], "--world="), (["--paper", "--no-pictures"], "--no-pictures"),
    (["--world", 1, "--lod", 25], "--lod=25"), (["--world", 1, "--lod", -1], "--lod=-1"),
    (["--world", 1, "--size", 63], "--size=63"), (["--world", 1, "--size", 4097], "--size=4097"),
    (["--world", 1, "--at", 5], "--at=5"), (["--world", 1, "--at", "1,nan"], "--at="),
    (["--world", 1, "--at", "1,2,3"], "--at="), (["--world", 1, "--at", "1e300,0"], "--at="),
    (["--world", 1, "--sea", "low"], "--sea=low"), (["--world", 1, "--contour", "mean"], "--contour=mean"),
    (["--world", 1, "--width", 64], "--width"), (["--world", 1, "--quick"], "--quick"),
    (["--world", 1, "--variant", "wet"], "--variant=wet"), (["--world", 1, "--variant", ""], "--variant="),
    (["--world", 1, "--layer", "water"], "--layer=water"), (["--world", 1, "--layer", "surface", "--sea", 1], "--sea"),
    (["a.npy", "--layer", "surface"], "--layer"), (["a.npy", "--variant", "base"], "--variant"), (["--paper", "--variant", "base"], "--variant"),
    (["--world", 1, "--recipe", "lava"], "--recipe=lava"), (["--world", 1, "--recipe", "./lava.json"], "./lava.json"),
    (["--world", 1, "--shape", "--windows", 0], "--windows=0"), (["--world", 1, "--shape", "--lod", 10], "--lod=10"),
    (["--world", 1, "--windows", 8], "--windows"), (["--world", 1, "--shape", "--at", "0,0"], "--at"), (["a.npy", "--shape"], "--shape"),
    (["a.f32"], "a.f32"), (["a.f32", "--width", 0], "--width=0"), (["a.npy", "--width", 64], "a.npy"),
    (["a.npy", "--spacing", 0], "--spacing=0"), (["a.npy", "--spacing", "inf"], "--spacing=inf"),
    (["--world=--help"], "--world=--help"), (["a.npy", "--member", "x"], "a.npy"), (["--paper", "--sea", 1], "--sea"), (["a.npy", "--lod", 1], "--lod"),
])
def test_bad_questions_exit_2(tmp_path, words, named):
    done = run(*words, cwd=tmp_path)
    message = done.stderr.decode()
    assert done.returncode == 2 and done.stdout == b""
    assert message.startswith("terrane analyze: ") and message.count("\n") == 1
    assert named in message
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("secret", [True, False])
def test_worlds_of_a_configuration_are_told_by_seed_and_recipe(tmp_path, secret):
    """Windows are asked by seed: a name that stands for more is refused, one that does not is measured."""
    named = {"peaks": {"seed": 42, "recipe": "alpine", "secret": secret}, "plain": {"seed": 43, "secret": False}}
    (tmp_path / "terrane.json").write_text(json.dumps({"worlds": {"dir": str(ROOT / "config/worlds"), "default": "continents", "named": named}}))
    env = {**os.environ, "TERRANE_CONFIG": str(tmp_path / "terrane.json")}
    done = run("--world", "peaks", "--size", 64, "--lod", 6, "--out", tmp_path / "out", "--no-pictures", env=env)
    assert done.returncode == 2 and done.stderr.startswith(b"terrane analyze: --world=peaks: ") and not (tmp_path / "out").exists()
    done = run("--world", "plain", "--size", 64, "--lod", 6, "--out", tmp_path / "out", "--no-pictures", env=env)
    assert done.returncode == 0 and json.loads((tmp_path / "out/analysis.json").read_text())["origin"]["seed"] == "43"


def test_bad_files_exit_1(tmp_path):
    with zipfile.ZipFile(tmp_path / "note.npz", "w") as archive:
        archive.writestr("note", "no array")
    numpy.savez_compressed(tmp_path / "flipped.npz", a=numpy.arange(4096.).reshape(64, 64))
    data = bytearray((tmp_path / "flipped.npz").read_bytes())
    data[200:300] = bytes(100)
    (tmp_path / "flipped.npz").write_bytes(data)
    (tmp_path / "open.npy").write_bytes(b"\x93NUMPY\1\0\x10\0{'descr': '<f4',\n")
    (tmp_path / "short.npy").write_bytes(b"\x93NUMPY\1\0")
    (tmp_path / "no.npz").write_bytes(b"PK and then nothing")
    (tmp_path / "empty.npy").write_bytes(b"")
    numpy.save(tmp_path / "text.npy", numpy.array([["a", "b"]]))
    numpy.save(tmp_path / "cube.npy", numpy.zeros((20, 20, 20)))
    numpy.save(tmp_path / "thin.npy", numpy.zeros((2, 500)))
    numpy.save(tmp_path / "nan.npy", numpy.full((50, 50), numpy.nan))
    numpy.savez(tmp_path / "line.npz", a=numpy.zeros(9))
    names = [p.name for p in tmp_path.iterdir()] + ["missing.npy", "."]
    for name in names:
        done = run(name, *(["--width", 64] if name == "." else []), cwd=tmp_path)
        assert done.returncode == 1 and done.stdout == b"", name
        assert done.stderr.decode().startswith(f"terrane analyze: {name}: ")
    assert not (tmp_path / "terrane-analysis").exists()


def test_places_that_cannot_be_written(tmp_path):
    """Directories are tried before anything is measured, and its table printed."""
    where = ["--world", 1, "--variant", "base", "--out"]
    (tmp_path / "file").write_text("")
    for out in ("file", "file/where", "/proc/no/where", "/proc"):
        done = run(*where, out, cwd=tmp_path)
        assert done.returncode == 1 and out in done.stderr.decode() and done.stdout == b""
    (tmp_path / "out" / "map.png").mkdir(parents=True)
    done = run(*where, "out", "--size", 64, cwd=tmp_path)
    assert done.returncode == 1 and "out/map.png" in done.stderr.decode()


@pytest.mark.parametrize("out", ["a/b/c", "a//b/", "./c"])
def test_directories_are_made_as_needed(tmp_path, out):
    for _ in range(2):  # missing, and there
        done = run("--world", 1, "--size", 64, "--variant", "base", "--no-pictures", "--out", out, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
    assert (tmp_path / out / "analysis.json").is_file()


@pytest.fixture(scope="module")
def paper(tmp_path_factory):
    """What --paper --quick prints, and where its files are."""
    out = tmp_path_factory.mktemp("paper")
    done = run("--paper", "--quick", "--out", out)
    assert done.returncode == 0 and done.stderr == b"", done.stderr
    return done.stdout.decode(), out


@pytest.mark.long
def test_paper(paper):
    text, out = paper
    numbers = json.loads((out / "paper.json").read_text())
    assert {"figure-1-octaves.png", "figure-6-height.png", "figure-6-gradient.png", "figure-14-length.png",
            "figure-15-octaves.png", "figure-7-textures.png"} <= {p.name for p in out.iterdir()}
    for row in numbers["figures_14_15"]["figure_15"]["zero_gradient"]:
        d = row["dimension_by_octaves"]
        assert len(d) == 10 and 0.97 < d[0] < 1.05 and d[-1] >= d[0] - 0.01
    assert numbers["figures_14_15"]["figure_14"]["measured"][0]["dimension"] < 1.1
    colour = {name: max(rgb) - min(rgb) for name, rgb in numbers["figure_7"]["mean_colour"].items()}
    assert colour["wood"] > 0.2 and colour["cloud"] > 0.1 and colour["marble"] < 0.05
    for quantity in ("height", "slope"):
        for base in ("perlin_percent", "zero_gradient_percent"):
            assert sum(numbers["figure_6"][quantity][base]) == pytest.approx(100, abs=0.5)
    assert numbers["coasts"] is not None if COASTS.exists() else "gmt-gshhg-high" in text
    assert numbers["ground"] is not None if GROUND.exists() else "python-matplotlib-data" in text


@pytest.mark.skipif(not COASTS.exists(), reason="gmt-gshhg-high is not installed")
def test_richardson(paper):
    """The coasts that Thorimbert and Chopard compare with, as Richardson measured them."""
    coasts = json.loads((paper[1] / "paper.json").read_text())["coasts"]
    assert coasts["south_africa"]["dimension"] == pytest.approx(1.02, abs=0.05)
    assert coasts["britain_west"]["dimension"] == pytest.approx(1.25, abs=0.05)


@pytest.mark.skipif(not GROUND.exists(), reason="python-matplotlib-data is not installed")
def test_real_ground(tmp_path):
    found = analyse(tmp_path / "out", GROUND, "--member", "elevation", "--spacing", "74.4,92.7", "--contour=median")
    heights = numpy.load(GROUND)["elevation"].astype(float)
    south, east = numpy.gradient(heights, 92.7, 74.4)
    slope = numpy.degrees(numpy.arctan(numpy.hypot(south, east)))[1:-1, 1:-1]
    assert found["samples"] == [403, 344] and found["hypsometry"]["min_m"] == 236
    assert found["slope"]["median_degrees"] == pytest.approx(numpy.median(slope), abs=0.02)
    assert found["slope"]["mean_degrees"] == pytest.approx(slope.mean(), abs=1e-3)
    assert found["hypsometry"]["integral"] == pytest.approx((heights.mean() - 236) / (1076 - 236), abs=1e-6)
    # of rivers everywhere: Hack 1957, Horton 1945, Rodriguez-Iturbe et al. 1992
    bands = {"hack_exponent": (0.5, 0.62), "bifurcation_ratio": (3, 5), "length_ratio": (1.5, 3), "area_ratio": (3, 6),
             "area_exponent": (0.35, 0.48)}
    assert all(low <= found["drainage"][name] <= high for name, (low, high) in bands.items()), found["drainage"]
    for kind in ("directions", "directions_of_reaches"):
        assert all(0.08 < share < 0.17 for share in found["drainage"][kind].values())
