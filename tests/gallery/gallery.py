#!/usr/bin/python3
"""gallery PROGRAM DIRECTORY: pictures of recipes, base and eroded, at four levels, with an index page.

Each recipe is shown at one place, closer and closer: the place is looked for in its base heights, from the coarsest
level down, where the ground rises highest above the sea and most of it is land. That depends on the recipe and the seed
alone. The page needs no server; sheet.png, all pictures small, needs Pillow.

Pictures are made at once by as many processes as there are cores, each in a file beside its place until it is whole.
"""

import argparse
import array
import concurrent.futures
import html
import json
import os
import pathlib
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
TILE = 256        # samples along a tile
SEARCH_TILES = 16  # tiles along the square around the origin where the first place is looked for
SEARCH_SAMPLES = 256  # along a side, in every search


def run(program, *words):
    return subprocess.run([program, *map(str, words)], check=True, stdout=subprocess.PIPE).stdout


# ---- Places ---------------------------------------------------------------------------------------------------------


def heights(program, recipe, seed, level, x, y, tiles):
    """SEARCH_SAMPLES x SEARCH_SAMPLES of the base heights of tiles x tiles tiles."""
    values = array.array("f")
    values.frombytes(run(program, "render", seed, level, x, y, "--recipe", recipe, "--variant", "base", "--format",
                         "f32", "--region", f"{tiles}x{tiles}", "--size", SEARCH_SAMPLES // tiles))
    if sys.byteorder == "big":
        values.byteswap()
    return values


def score(values, column, row, side, sea):
    """How much there is to see in a square: relief above the sea, from a tenth to nine tenths of the ground, times the
    share of land."""
    found = sorted(value for j in range(row, row + side)
                   for value in values[j * SEARCH_SAMPLES + column:j * SEARCH_SAMPLES + column + side])
    low, high = found[len(found) // 10], found[len(found) * 9 // 10]
    land = sum(value > sea for value in found) / len(found)
    return (high - max(low, sea)) * land if high > sea else 0.0


def best_square(values, side, stride, sea):
    """Column and row of the best square; the first one of equals."""
    places = [(column, row) for row in range(0, SEARCH_SAMPLES - side + 1, stride)
              for column in range(0, SEARCH_SAMPLES - side + 1, stride)]
    return max(places, key=lambda place: score(values, *place, side, sea))


def find_places(program, recipe, seed, levels, tiles, sea):
    """[(level, x, y)]: the first tile of a picture at each level, each picture within the one before."""
    parent, x, y, span = levels[0], -SEARCH_TILES // 2, -SEARCH_TILES // 2, SEARCH_TILES
    places = []
    for level in levels:
        values = heights(program, recipe, seed, parent, x, y, span)
        tile = SEARCH_SAMPLES // span >> (parent - level)  # samples found along a tile of this level
        stride = max(tile * 2, 1)                           # every other tile: pictures cover whole regions
        column, row = best_square(values, tile * tiles, stride, sea)
        x, y = ((first << parent - level) + at // tile for first, at in ((x, column), (y, row)))
        places.append((level, x, y))
        parent, span = level, tiles
    return places


# ---- Pictures -------------------------------------------------------------------------------------------------------


class Picture:
    def __init__(self, recipe, word, seed, variant, tiles, level, x, y):
        self.recipe, self.word, self.seed, self.variant, self.tiles = recipe, word, seed, variant, tiles
        self.level, self.x, self.y = level, x, y
        self.file = f"{recipe}-{level}-{variant}.png"
        self.seconds = 0.0

    def words(self):
        return ["render", self.seed, self.level, self.x, self.y, "--recipe", self.word, "--variant", self.variant,
                "--layer", "relief", "--region", f"{self.tiles}x{self.tiles}"]

    def make(self, program, directory):
        start = time.monotonic()
        unfinished = directory / (self.file + ".new.png")
        run(program, *self.words(), "-o", unfinished)
        unfinished.replace(directory / self.file)
        self.seconds = time.monotonic() - start
        print(f"  {self.file:32} {self.seconds:6.1f} s", flush=True)


def facts_of(program, recipe, seed, levels):
    """Spacing of a sample at each level, and whether the recipe erodes, as a tile's description tells them."""
    tiles = [json.loads(run(program, "render", seed, level, 0, 0, "--recipe", recipe, "--format", "json", "--size", 2))
             for level in levels]
    spacing = {level: tile["samples"]["spacing_m"] / TILE * 2 for level, tile in zip(levels, tiles)}
    return spacing, tiles[0]["variant"] == "eroded"


class Recipe:
    def __init__(self, program, path, options):
        text = json.loads(path.read_text())
        self.name, self.description = path.stem, text.get("description", "")
        word = path if options.worlds else self.name  # as --recipe takes it
        self.spacing, self.erodes = facts_of(program, word, options.seed, options.levels)
        places = find_places(program, word, options.seed, options.levels, options.tiles, text.get("sea_m", 0))
        variants = ["base", "eroded"] if self.erodes else ["base"]
        self.rows = [[Picture(self.name, word, options.seed, variant, options.tiles, *place) for variant in variants]
                     for place in places]


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
    side = picture.tiles * TILE
    last = picture.tiles - 1
    caption = (f"<b>{picture.variant}</b> seed {picture.seed}, level {picture.level}: {metres(spacing)} a sample, "
               f"tiles {picture.x}, {picture.y} to {picture.x + last}, {picture.y + last}, "
               f"{metres(side * spacing)} across")
    command = html.escape(" ".join(["terrane", *map(str, picture.words()), "-o", picture.file]))
    return (f'<figure><a href="{picture.file}"><img src="{picture.file}" width="{side}" height="{side}" loading="lazy" '
            f'alt="{picture.recipe}, {picture.variant}, level {picture.level}"></a>'
            f"<figcaption>{caption}<br><code>{command}</code></figcaption></figure>")


def page(recipes, with_sheet):
    parts = ["<!doctype html>", '<html lang="en"><head><meta charset="utf-8"><title>terrane: gallery</title>',
             '<meta name="viewport" content="width=device-width, initial-scale=1">', f"<style>{STYLE}</style></head><body>",
             "<h1>terrane: gallery</h1>",
             "<p>Every recipe at one place, closer and closer, before and after erosion. Each picture lies within the one "
             "above it; its command makes it again.</p><nav>"]
    parts += [f'<a href="#{recipe.name}">{recipe.name}</a>' for recipe in recipes]
    if with_sheet:
        parts.append('<a href="sheet.png">all on one sheet</a>')
    parts.append("</nav>")
    for recipe in recipes:
        parts.append(f'<h2 id="{recipe.name}">{recipe.name}</h2><p>{html.escape(recipe.description)}'
                     + ("" if recipe.erodes else " Its recipe does not erode.") + "</p>")
        for row in recipe.rows:
            parts.append('<div class="row">' + "".join(figure(p, recipe.spacing[p.level]) for p in row) + "</div>")
    return "\n".join(parts + ["</body></html>", ""])


def sheet(recipes, directory, thumbnail=300, gap=8):
    """All pictures small: a recipe a row. False: Pillow is not there."""
    try:
        from PIL import Image
    except ImportError:
        return False
    rows = [[picture for row in recipe.rows for picture in row] for recipe in recipes]
    across, down = max(len(row) for row in rows), len(rows)
    step = thumbnail + gap
    whole = Image.new("RGB", (across * step + gap, down * step + gap), (24, 26, 29))
    for j, row in enumerate(rows):
        for i, picture in enumerate(row):
            with Image.open(directory / picture.file) as image:
                small = image.convert("RGB").resize((thumbnail, thumbnail), Image.LANCZOS)
            whole.paste(small, (gap + i * step, gap + j * step))
    whole.save(directory / "sheet.png")
    return True


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("program")
    parser.add_argument("directory", type=pathlib.Path)
    parser.add_argument("--seed", default="42")
    parser.add_argument("--levels", type=lambda text: [int(word) for word in text.split(",")], default=[9, 6, 3, 0],
                        help="from coarse to fine, three apart or less")
    parser.add_argument("--tiles", type=int, default=4, choices=(1, 2, 4, 8), help="along a side of a picture")
    parser.add_argument("--worlds", type=pathlib.Path, help="a directory of recipes to show instead of those that ship")
    parser.add_argument("--recipes", nargs="*", help="names of some of them")
    options = parser.parse_args()
    options.directory.mkdir(parents=True, exist_ok=True)
    paths = sorted((options.worlds or ROOT / "config" / "worlds").glob("*.json"))
    paths = [path for path in paths if not options.recipes or path.stem in options.recipes]
    start = time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        recipes = list(pool.map(lambda path: Recipe(options.program, path, options), paths))
        pictures = [picture for recipe in recipes for row in recipe.rows for picture in row]
        list(pool.map(lambda picture: picture.make(options.program, options.directory), pictures))
    with_sheet = sheet(recipes, options.directory)
    (options.directory / "index.html").write_text(page(recipes, with_sheet))
    print(f"{len(pictures)} pictures in {time.monotonic() - start:.0f} s: {options.directory / 'index.html'}")


if __name__ == "__main__":
    main()
