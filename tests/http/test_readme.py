"""What README.md and the pages of docs/ print works as printed (but for the ports, which are this server's, places in the tree, and
fewer zooms and tiles)."""

import io
import json
import math
import pathlib
import re
import subprocess

import numpy as np
import pytest
from http_samples import from_png
from http_server import PROGRAM
from PIL import Image


WORLD = "continents"

ROOT = pathlib.Path(__file__).resolve().parents[2]
README = ROOT / "README.md"
PAGES = [README, *sorted(ROOT.glob("docs/*.md")), *sorted(ROOT.glob("*/README.md"))]
STEP = re.compile(r"```sh\n(.*?)```|^    (build/terrane serve --config \S+)$", re.S | re.M)
STEPS = {page: [block or serve for block, serve in STEP.findall(page.read_text())] for page in [README, *ROOT.glob("docs/*.md")]}


def samples(name, data):
    if name.endswith(".f32"):
        return np.frombuffer(data, "<f4")
    if name.endswith(".npy"):
        return np.load(io.BytesIO(data))
    return from_png(data) if name.endswith(".png") else np.asarray(Image.open(io.BytesIO(data)))


def length_m(line):
    return sum(math.dist(a[:2], b[:2]) for a, b in zip(line, line[1:]))


def check_values(line, name, data):
    """That there is something to see: no sea floor, no samples that are all alike, no empty collection, no way of a step."""
    if name.endswith((".f32", ".npy", ".png", ".tif")):
        values = samples(name, data)
        assert np.ptp(values) > 0, line
        if name.endswith(".png") and "layer" not in line and "enc" not in line:
            values = values @ [256, 1, 1 / 256] - 32768
        if "layer" not in line:
            assert (values > 0).mean() > 0.25, line
    elif name.endswith(".json") or data.startswith(b"{"):
        told = json.loads(data)
        if told.get("type") == "FeatureCollection":
            lines = [feature["geometry"]["coordinates"] for feature in told["features"] if feature["geometry"]["type"] == "LineString"]
            assert told["features"] if "/find/" in line else lines and ("geographic" in line or sum(map(length_m, lines)) > 1000), line
        for place in told.get("places", [told]):
            assert place.get("height_m", 1) > 0 and place.get("max", 1) > 0, line


def settings_of(path):
    """What a page has written for a server of its own, with directories and files of the page's."""
    return {group: {key: str(path.parent / value) for key, value in of.items()} for group, of in json.loads(path.read_text()).items()}


@pytest.mark.parametrize("page", [page for page, steps in STEPS.items() if steps], ids=lambda page: page.stem)
def test_shell_lines_work_as_printed(server, launch, tmp_path, page):
    heights = {}
    for line in "\n".join(STEPS[page]).splitlines():
        if line.startswith("build/terrane serve"):
            if (settings := tmp_path / line.split()[-1]).exists():  # else a page's by hand
                server = launch(config=settings_of(settings))
            continue
        if not line:
            continue
        command = (line.replace("http://127.0.0.1:8080", server.url).replace("http://127.0.0.1:8081", server.admin_url)
                   .replace("build/terrane", str(PROGRAM)).replace(" config/", f" {ROOT}/config/").replace("--zoom 0-4", "--zoom 0-1").replace("--zoom 1-3", "--zoom 1-1")
                   .replace("--tiles 2x2", "--tiles 1x1"))
        done = subprocess.run(command.replace("curl ", "curl --fail --silent --show-error ", 1), shell=True, cwd=tmp_path, capture_output=True,
                              executable="/bin/bash")
        assert done.returncode == 0, (line, done.stderr)
        names = re.findall(r"(?:-o |>)([a-z][\w.]*\.\w+)", line.split("  #")[0])
        for name in names:
            assert (tmp_path / name).stat().st_size > 30, line
            check_values(line, name, (tmp_path / name).read_bytes())
        if not names and line.startswith("curl"):
            check_values(line, "", done.stdout)
        if "/point/commons" in line:
            heights["at=0" in line] = json.loads(done.stdout)["height_m"]
    assert not heights or heights[False] == heights[True] + 20


def test_readme_prints_no_other_commands():
    """Every line that looks like one is in a block that is run, or names a target of make that there is."""
    text = re.sub(r"```sh\n.*?```", "", README.read_text(), flags=re.S)
    makefiles = "\n".join(path.read_text() for path in [ROOT / "Makefile", *ROOT.glob("*/*.mk"), *ROOT.glob("*/*/*.mk")])
    for line in re.findall(r"^    (\S.*)", text, re.M):
        assert re.match(r"make\b|/tile/\{seed\}|build/terrane serve \[", line), line
    targets = set(re.findall(r"^    make +((?:[a-z][\w-]* ?)+)(?:  |$)", text, re.M)) | set(re.findall(r"`make ([\w-]+)", text))
    for target in " ".join(targets).split():
        assert re.search(rf"^(?:\.PHONY:.* )?{target}\b", makefiles, re.M), target


def test_links_lead_somewhere():
    for page in PAGES:
        for link in re.findall(r"\]\(([^)#:]+)\)", page.read_text()):
            assert (page.parent / link).exists(), (page, link)


def test_readme_is_short():
    assert len(README.read_text().splitlines()) <= 220
