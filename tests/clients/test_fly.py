"""example/fly: built of the installed library, by pkg-config and by CMake, it flies without a screen and shows land, sea and sky."""

import json
import os
import re
import subprocess

import numpy as np
import pytest
from folders import ROOT
from PIL import Image

FLY = ROOT / "example" / "fly"
HILLS = {"terms": {"hills": {"fractal": "fbm", "octaves": 12, "cell_m": 16384, "amplitude_m": 800}}, "height": "hills",
         "zones": [{"name": "all", "colour": "#40a040", "ground": [[0, "#40a040"]]}]}


def run(*words, **environment):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, env=os.environ | environment, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def programs(tmp_path_factory):
    usr = tmp_path_factory.mktemp("fly") / "usr"
    run("make", "-s", "-C", ROOT, "install", f"PREFIX={usr}")
    path = {"PKG_CONFIG_PATH": f"{usr}/lib/pkgconfig"}
    run("cc", "-O2", *FLY.glob("*.c"), *run("pkg-config", "--cflags", "--libs", "libterrane", "sdl2", **path).split(), "-o", usr / "fly", **path)
    run("cmake", "-S", FLY, "-B", usr / "cmake", f"-DCMAKE_PREFIX_PATH={usr}")
    run("cmake", "--build", usr / "cmake")
    return {"pkg-config": usr / "fly", "cmake": usr / "cmake/terrane-fly"}


@pytest.mark.parametrize("built,sea_m", [("pkg-config", -3000), ("cmake", 3000)])
def test_it_flies_over_land_and_sea(programs, tmp_path, built, sea_m):
    (tmp_path / "hills.json").write_text(json.dumps(HILLS | {"sea_m": sea_m}))
    said = run(programs[built], "--recipe", tmp_path / "hills.json", "--size", "320x180", "--frames", 20, "--shot", tmp_path / "shot.bmp", SDL_VIDEODRIVER="dummy")
    assert re.fullmatch(r"20 frames of 320x180: \d+\.\d a second, the slowest in \d+\.\d ms\n", said)
    picture = np.asarray(Image.open(tmp_path / "shot.bmp").convert("RGB")).astype(int)
    red, green, blue = picture[:20].reshape(-1, 3).T
    assert (blue > red + 20).all(), "no sky"
    red, green, blue = picture[-40:].reshape(-1, 3).T
    assert np.mean((green > blue) if sea_m < 0 else (blue > red)) > 0.95, "another ground"
    assert len(np.unique(picture.reshape(-1, 3), axis=0)) > 500


@pytest.mark.long
def test_it_keeps_up_with_a_screen(programs, figures):
    """Where TERRANE_TEST_TIMES says that the machine is idle; else a third of that is enough."""
    said = run(programs["pkg-config"], "--frames", 600, SDL_VIDEODRIVER="dummy").strip()
    figures(f"fly: {said}")
    assert float(re.search(r"([\d.]+) a second", said)[1]) >= (60 if os.environ.get("TERRANE_TEST_TIMES") else 20), said
