"""Upgrades as operators do them (docs/promise.md): one version of the program fills a cache, another takes over its folder and its
configuration. The versions are the commit before (TERRANE_TEST_BEFORE=COMMIT: another), this tree, and this tree with its next generator
begun by the steps of CONTRIBUTING.md, in which a recipe that ships has another text. Long: two trees are built."""

import json
import os
import subprocess
import sys

import pytest
from http_server import GENERATOR, OLDEST, PROGRAM, ROOT, tile

pytestmark = pytest.mark.long

RECIPE = "desert"
WORLDS = {"default": "alpine", "named": {"home": {"seed": 42, "recipe": RECIPE, "generator": OLDEST, "secret": False},
                                        "loose": {"seed": 43, "recipe": RECIPE, "secret": False}}}
# Ground with its regions, of several kinds and levels.
ASKED = [(2, 1, 2, "f32", {}), (2, 1, 2, "png", {"layer": "relief"}), (6, -3, 0, "r16", {}), (6, -3, 0, "npy", {"layer": "water"}),
         (9, 0, 1, "png", {"layer": "cover"}), (4, 2, -2, "f32", {"variant": "base"})]


@pytest.fixture(scope="module")
def commit_before():
    """Its program, built as other commits are for benches."""
    sys.path.insert(0, str(ROOT / "tests/bench"))
    import bench_against  # pylint: disable=import-outside-toplevel,import-error
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(ROOT)
        return bench_against.build(os.environ.get("TERRANE_TEST_BEFORE", "HEAD~1"), "build/terrane").resolve()


@pytest.fixture(scope="module")
def next_generator(tmp_path_factory):
    """The program of this tree with its next generator begun, for which RECIPE has rougher ground."""
    tree = tmp_path_factory.mktemp("next")
    files = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True).stdout
    packed = subprocess.run(["tar", "--null", "-T", "-", "-c"], cwd=ROOT, check=True, capture_output=True, input=files).stdout
    subprocess.run(["tar", "-x", "-C", tree], check=True, input=packed)

    def change(name, before, after):
        text = (tree / name).read_text()
        assert text.count(before) == 1, f"{name}: {before}"
        (tree / name).write_text(text.replace(before, after))

    change("lib/terrane.h", f"#define TERRANE_GENERATOR_VERSION {GENERATOR}", f"#define TERRANE_GENERATOR_VERSION {GENERATOR + 1}")
    shipped = tree / f"config/worlds/{RECIPE}.json"
    (tree / f"config/worlds/{GENERATOR}").mkdir()
    (tree / f"config/worlds/{GENERATOR}/{RECIPE}.json").write_text(shipped.read_text())
    recipe = json.loads(shipped.read_text())
    recipe["terms"]["swells"]["gain"] *= 0.9
    shipped.write_text(json.dumps(recipe))
    change("server/recipe/book_builtin.c", "#define OLDER(X)", f"#define OLDER(X) X({GENERATOR}, {RECIPE})")
    subprocess.run(["make", "-C", tree, "build/terrane"], check=True, stdout=subprocess.DEVNULL)
    return tree / "build/terrane"


@pytest.fixture
def lived(launch, tmp_path):
    """Answers of a program to all that is asked of two worlds, over one cache, to its end: {target: (bytes, ETag)}, and sources."""
    def live(program, worlds=None):
        server = launch(program=program, cache=tmp_path / "cache", config={"worlds": worlds or WORLDS})
        answers, sources = {}, {}
        for world in WORLDS["named"]:
            for lod, x, y, ext, query in ASKED:
                target = tile(world, lod, x, y, ext, **query)
                answer = server.get(target)
                answers[target], sources[target] = (answer.body, answer["ETag"]), answer["X-Cache"]
        described = server.json("/world/home")
        server.stop()
        return answers, sources, described
    return live


def of(world, answers):
    """Those of one world."""
    return {target: answer for target, answer in answers.items() if f"/{world}/" in target}


def test_from_the_commit_before(commit_before, lived):
    """A world that is pinned is there after the upgrade, to the bit, and out of the cache that the old program left."""
    before, sources, described_before = lived(commit_before)
    assert "render" in sources.values()
    after, sources, described = lived(PROGRAM)
    assert of("home", after) == of("home", before)
    assert set(of("home", sources).values()) == {"disk"}
    assert (described["world"], described["generator"]) == (described_before["world"], described_before["generator"])


def test_to_the_next_generator(next_generator, lived):
    """... while one that is not becomes the next generator's, with its recipes; `v=` and worlds.generator keep it as it was."""
    before, _, described_before = lived(PROGRAM)
    after, sources, described = lived(next_generator)
    assert of("home", after) == of("home", before)
    assert set(of("home", sources).values()) == {"disk"}
    assert described["world"] == described_before["world"] and described["generators"] == list(range(OLDEST, GENERATOR + 2))
    loose_before, loose = of("loose", before), of("loose", after)
    assert all(tag != loose_before[target][1] for target, (_, tag) in loose.items())
    assert any(body != loose_before[target][0] for target, (body, _) in loose.items())
    kept, sources, _ = lived(next_generator, {**WORLDS, "generator": GENERATOR})
    assert kept == before and set(sources.values()) == {"disk"}


def test_back_again(next_generator, lived):
    """An older program over a newer one's folder makes anew what it does not know, and serves what it pins from there."""
    newer, _, _ = lived(next_generator)
    back, sources, _ = lived(PROGRAM)
    assert of("home", back) == of("home", newer)
    assert set(of("home", sources).values()) == {"disk"}
    assert "render" in of("loose", sources).values()
