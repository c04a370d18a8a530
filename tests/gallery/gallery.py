#!/usr/bin/python3
"""gallery PROGRAM DIRECTORY: relief of every recipe at six levels, beside what another commit made of it, with an index page.

Each recipe is shown at one place, closer and closer. The place is looked for in its base heights, from the coarsest level down:
where ground rises highest above the sea, times the share of land, which at the levels from 9 on, where coasts are to be seen, is
to be 40 to 80 percent. So it depends on the recipe and the seed alone; the other commit's program finds its own.

Of each picture is printed how much is water, how much of the land is under 15 percent grey, and the contrast of its light: the
standard deviation of hillshade over land, as a share of what level ground has.

Pictures are made at once by as many processes as there are cores, each in a file beside its place until it is whole.
"""

import argparse
import concurrent.futures
import html
import io
import json
import math
import os
import pathlib
import statistics
import subprocess
import sys
import time

import numpy as np
from PIL import Image

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "analyze"))
import shape  # noqa: E402 pylint: disable=wrong-import-position,import-error

TILE = 256        # samples along a tile
SEARCH_TILES = 16  # tiles along the square around the origin where the first place is looked for
SEARCH_SAMPLES = 256  # along a side, in every search
COASTS = 9        # the finest level whose pictures are to hold land and sea
LEVELS = [14, 12, 9, 6, 3, 0]
VERSION = "define TERRANE_GENERATOR_VERSION"


def run(program, *words):
    return subprocess.run([program, *map(str, words)], check=True, stdout=subprocess.PIPE).stdout


def other_commit(name):
    """Its program. "last": of the last commit of the generator version before this one; None where no history tells."""
    if name == "last":
        command = ["git", "log", "-1", "--format=%H~1", f"-G{VERSION}", "--", "lib/terrane.h"]
        name = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, check=False).stdout.decode().strip()
    if not name:
        return None, None
    sys.path.insert(0, str(ROOT / "tests/bench"))
    import bench_against  # pylint: disable=import-outside-toplevel,import-error
    return name, bench_against.build(name, "build/terrane").resolve()


# ---- Places ---------------------------------------------------------------------------------------------------------


def pixels(path):
    with Image.open(path) as image:
        return np.asarray(image)


def samples(program, words, side):
    return np.frombuffer(run(program, *words, "--format", "f32"), "<f4").reshape(side, side)


def score(found, level, sea):
    """How much there is to see in a square: relief above the sea, from a tenth to nine tenths of the ground, times the
    share of land, or what is good of it."""
    low, high = np.quantile(found, [0.1, 0.9])
    land = (found > sea).mean()
    if level >= COASTS:
        land = min(1, land / 0.4, max(1 - land, 0.01) / 0.2)
    return max(high - max(low, sea), 0) * land


def best_square(values, side, stride, level, sea):
    """Column and row of the best square; the first one of equals."""
    places = [(column, row) for row in range(0, SEARCH_SAMPLES - side + 1, stride)
              for column in range(0, SEARCH_SAMPLES - side + 1, stride)]
    return max(places, key=lambda at: score(values[at[1]:at[1] + side, at[0]:at[0] + side], level, sea))


def levels_of(text):
    words = text.split(",")
    if not all(word.isdecimal() and int(word) <= 17 for word in words):
        raise argparse.ArgumentTypeError(f'"{text}": allowed are 0 to 17, as in 14,6,0')
    return [int(word) for word in words]


def find_places(program, word, options, sea):
    """[(level, x, y)]: the first tile of a picture at each level, each picture within the one before, whether that is asked for or not."""
    tiles = options.tiles
    levels = sorted({*LEVELS, *options.levels}, reverse=True)
    parent, x, y, span = levels[0], -SEARCH_TILES // 2, -SEARCH_TILES // 2, SEARCH_TILES
    places = []
    for level in levels:
        words = ["render", options.seed, parent, x, y, "--recipe", word, "--variant", "base", "--region", f"{span}x{span}",
                 "--size", SEARCH_SAMPLES // span]
        values = samples(program, words, SEARCH_SAMPLES)
        tile = SEARCH_SAMPLES // span >> (parent - level)  # samples found along a tile of this level
        stride = max(tile * 2, 1)                           # every other tile: pictures cover whole regions
        column, row = best_square(values, tile * tiles, stride, level, sea)
        x, y = ((first << parent - level) + at // tile for first, at in ((x, column), (y, row)))
        if level in options.levels:
            places.append((level, x, y))
        parent, span = level, tiles
    return places


# ---- Pictures -------------------------------------------------------------------------------------------------------


class Picture:
    def __init__(self, recipe, program, options, place):
        self.recipe, self.program, self.seed, self.tiles = recipe.name, program, options.seed, options.tiles
        self.when = "before" if program != options.program else "now"
        self.level, self.x, self.y = place
        self.file = f"{recipe.name}-{self.level}-{self.when}.png"
        self.words = ["render", self.seed, self.level, self.x, self.y, "--recipe", recipe.word, "--layer", "relief",
                      "--region", f"{self.tiles}x{self.tiles}"]
        self.water = self.dark = self.contrast = math.nan

    def make(self, directory):
        start = time.monotonic()
        unfinished = directory / (self.file + ".new.png")
        run(self.program, *self.words, "-o", unfinished)
        self.measure(unfinished)
        unfinished.replace(directory / self.file)
        print(f"  {self.recipe:12} {self.level:5}  {self.when:6} {self.water:7.1%} {self.dark:9.2%} {self.contrast:9.3f} "
              f"{time.monotonic() - start:7.1f} s", flush=True)

    def layer(self, name):
        return [name if word == "relief" else word for word in self.words]

    def measure(self, path):
        land = samples(self.program, [*self.layer("water"), "--size", TILE], self.tiles * TILE) <= 0
        shade = pixels(io.BytesIO(run(self.program, *self.layer("hillshade"))))
        self.water = 1 - land.mean()
        self.dark, self.contrast = shape.light(pixels(path)[..., :3], shade, land)


class Recipe:
    """What one of the programs knows: where pictures are, and how large."""

    def __init__(self, path, programs, options):
        text = json.loads(path.read_text())
        self.name, self.description = path.stem, text.get("description", "")
        self.word = path if options.worlds else self.name  # as --recipe takes it
        about = json.loads(run(programs[-1], "render", options.seed, 0, 0, 0, "--recipe", self.word, "--format", "json", "--size", 2))
        self.spacing = about["samples"]["spacing_m"] / TILE * 2
        self.rows = list(zip(*(self.pictures(program, options, text.get("sea_m", 0)) for program in programs if self.known(program))))

    def known(self, program):
        done = subprocess.run([program, "recipe", self.word], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
        return done.returncode == 0

    def pictures(self, program, options, sea):
        return [Picture(self, program, options, place) for place in find_places(program, self.word, options, sea)]


def print_levels(pictures, levels):
    """Mean contrast by level, and its greatest change from each level to the next."""
    print()
    for when in sorted({picture.when for picture in pictures}):
        found = [[p.contrast for p in pictures if (p.when, p.level) == (when, level) and p.contrast > 0] for level in levels]
        means = [(level, statistics.fmean(of)) for level, of in zip(levels, found) if of]
        change = max((max(a, b) / min(a, b) - 1 for (_, a), (_, b) in zip(means, means[1:])), default=0)
        print(f"  mean contrast {when}: " + ", ".join(f"level {level} {mean:.3f}" for level, mean in means)
              + f"; greatest change {change:.0%}")


# ---- The page -------------------------------------------------------------------------------------------------------

STYLE = """
:root { color-scheme: light dark; --ground: #fbfaf7; --ink: #1d1f21; --soft: #6a6f76; --line: #dcd8cf; }
@media (prefers-color-scheme: dark) {
  :root { --ground: #15171a; --ink: #e6e4df; --soft: #989ea6; --line: #33373d; }
}
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 92rem; padding: 2.5rem clamp(1rem, 4vw, 3rem) 5rem; background: var(--ground);
  color: var(--ink); font: 16px/1.55 system-ui, sans-serif; }
h1 { font-size: 2rem; letter-spacing: -.02em; margin: 0 0 .3rem; }
h2 { font-size: 1.4rem; letter-spacing: -.01em; margin: 4rem 0 0; padding-top: 1.5rem; border-top: 1px solid var(--line); }
p { max-width: 44rem; margin: .3rem 0 1.2rem; color: var(--soft); }
nav a { margin-right: 1.1rem; }
a { color: inherit; text-underline-offset: .2em; text-decoration-color: var(--line); }
.row { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(26rem, 100%), 1fr)); gap: 1.2rem; margin: 1.2rem 0 2rem; }
figure { margin: 0; }
img { display: block; width: 100%; height: auto; border-radius: 6px; background: var(--line); }
figcaption { margin-top: .5rem; font-size: .85rem; color: var(--soft); }
figcaption b { color: var(--ink); font-weight: 600; margin-right: .4em; }
code { font: .78rem/1.4 ui-monospace, monospace; overflow-wrap: anywhere; }
"""


def metres(value):
    return f"{value / 1000:,.4g} km" if value >= 1000 else f"{value:,.4g} m"


def figure(picture, spacing):
    side, last, spacing = picture.tiles * TILE, picture.tiles - 1, spacing * 2**picture.level
    caption = (f"<b>{picture.when}</b> seed {picture.seed}, level {picture.level}: {metres(spacing)} a sample, "
               f"tiles {picture.x}, {picture.y} to {picture.x + last}, {picture.y + last}, {metres(side * spacing)} across; "
               f"water {picture.water:.0%}, dark {picture.dark:.1%}, contrast {picture.contrast:.3f}")
    command = html.escape(" ".join(["terrane", *map(str, picture.words), "-o", picture.file]))
    return (f'<figure><a href="{picture.file}"><img src="{picture.file}" width="{side}" height="{side}" loading="lazy" '
            f'alt="{picture.recipe}, level {picture.level}, {picture.when}"></a>'
            f"<figcaption>{caption}<br><code>{command}</code></figcaption></figure>")


def page(recipes, against):
    parts = ["<!doctype html>", '<html lang="en"><head><meta charset="utf-8"><title>terrane: gallery</title>',
             '<meta name="viewport" content="width=device-width, initial-scale=1">', f"<style>{STYLE}</style></head><body>",
             "<h1>terrane: gallery</h1>",
             "<p>Every recipe at one place, closer and closer" + (f", beside what commit {html.escape(against)} made" if against else "")
             + ". Each picture lies within the one above it; its command makes it again.</p><nav>"]
    parts += [f'<a href="#{recipe.name}">{recipe.name}</a>' for recipe in recipes]
    parts += ['<a href="sheet.png">all on one sheet</a>', "</nav>"]
    for recipe in recipes:
        parts.append(f'<h2 id="{recipe.name}">{recipe.name}</h2><p>{html.escape(recipe.description)}</p>')
        for row in recipe.rows:
            parts.append('<div class="row">' + "".join(figure(p, recipe.spacing) for p in row) + "</div>")
    return "\n".join(parts + ["</body></html>", ""])


def sheet(recipes, directory, thumbnail=256, gap=8):
    """All pictures small: a recipe a row, or two, the ones of before above."""
    rows = [column for recipe in recipes for column in zip(*recipe.rows)]
    step = thumbnail + gap
    whole = Image.new("RGB", (max(map(len, rows)) * step + gap, len(rows) * step + gap), (24, 26, 29))
    for j, row in enumerate(rows):
        for i, picture in enumerate(row):
            with Image.open(directory / picture.file) as image:
                small = image.convert("RGB").resize((thumbnail, thumbnail), Image.LANCZOS)
            whole.paste(small, (gap + i * step, gap + j * step))
    whole.save(directory / "sheet.png")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("directory", type=pathlib.Path)
    parser.add_argument("--against", default="", metavar="COMMIT",
                        help="show what it made, too; last: the last commit of the generator version before this one")
    parser.add_argument("--seed", default="42")
    parser.add_argument("--levels", type=levels_of, default=LEVELS, help="some of 0 to 17, from coarse to fine")
    parser.add_argument("--tiles", type=int, default=2, choices=(1, 2, 4, 8), help="along a side of a picture")
    parser.add_argument("--worlds", type=pathlib.Path, help="a directory of recipes to show instead of those that ship")
    parser.add_argument("--recipes", nargs="*", help="names of some of them")
    options = parser.parse_args()
    options.directory.mkdir(parents=True, exist_ok=True)
    against, before = other_commit(options.against)
    programs = [program for program in (before, options.program) if program]
    paths = sorted((options.worlds or ROOT / "config" / "worlds").glob("*.json"))
    paths = [path for path in paths if not options.recipes or path.stem in options.recipes]
    start = time.monotonic()
    print("  recipe       level           water      dark  contrast")
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        recipes = list(pool.map(lambda path: Recipe(path, programs, options), paths))
        pictures = [picture for recipe in recipes for row in recipe.rows for picture in row]
        list(pool.map(lambda picture: picture.make(options.directory), pictures))
    print_levels(pictures, options.levels)
    sheet(recipes, options.directory)
    (options.directory / "index.html").write_text(page(recipes, against))
    print(f"{len(pictures)} pictures in {time.monotonic() - start:.0f} s: {options.directory / 'index.html'}")


if __name__ == "__main__":
    main()
