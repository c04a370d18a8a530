"""terrane analyze: a window of a world, a file of heights, or Thorimbert and Chopard (2018) again."""
import math

import say

SIDES = (64, 4096)
WINDOWS, SHAPE_LEVELS = (1, 4096), (11, 14)
OPTIONS = {"--world": ["recipe", "variant", "layer", "lod", "at", "size", "shape", "windows"], "a file": ["width", "member", "spacing"],
           "--paper": ["quick"]}
NOT_OF_SHAPE = ["variant", "layer", "at", "size", "sea", "contour"]

USAGE = """\
usage: terrane analyze --world SEED [--recipe NAME|FILE] [--variant V] [--layer L] [--lod L] [--at X,Y]
                       [--size N] [options]
       terrane analyze --world SEED --shape [--windows N] [--recipe NAME|FILE] [--lod L] [--out DIR]
       terrane analyze FILE [--width W] [--member NAME] [--spacing M[,M]] [options]
       terrane analyze --paper [--quick] [--out DIR]

measures a window of a world, or a raster of real ground: box-count dimension of the coast, slopes,
hypsometry, pits and peaks, drainage (concavity, Hack's exponent, Horton's ratios, directions),
roughness and power spectrum. Prints a table; writes analysis.json and pictures.

  --world SEED       a number, 0x hex or a name
  --recipe R         a recipe's name, or a file (default: the recipe that ships)
  --variant V        base or eroded: all measures are of that surface (default: eroded where the recipe
                     erodes)
  --layer L          height (default), or surface: drainage is that of ground and water, lakes and all
  --lod L            level of detail, 0 (finest, default) .. 24
  --at X,Y           the window's middle in metres, east and south of the origin (default: 0,0)
  --size N           samples a side, 64 .. 4096 (default: 1024)

  --shape            the whole world's: sea and heights against Earth's, ranges, rain shadows, zones, light,
                     and how levels differ, each beside what it is to reach; writes shape.json; some minutes
  --windows N        ... over N windows at hashed places, 4,194 km wide where samples are 1 m, 1 .. 4096
                     (default: 64); a level of 11 .. 14 (default: 13)

  FILE               NAME.npy, NAME.npz, or little-endian floats, north to south, west to east
  --width W          samples a row of a file of floats
  --member NAME      of an .npz (default: its first array of two dimensions)
  --spacing M[,M]    metres between samples of a row, and between rows (default: 1)

  --sea M            sea level in metres (default: the recipe's; for files 0)
  --contour M        count the boxes of this contour, in metres or "median" (default: the sea level)
  --out DIR          where files go; made when missing (default: terrane-analysis)
  --no-pictures      numbers alone

  --paper            Thorimbert and Chopard 2018 measured again: its figures 1, 6, 7, 14 and 15, coasts of GSHHG (Debian's
                     gmt-gshhg-high) and ground of SRTM (python-matplotlib-data); a few minutes
  --quick            ... with few seeds and gains, in seconds
"""


def check(asked):
    subjects = [name for name, value in (("--world", asked.world), ("a file", asked.file), ("--paper", asked.paper or None))
                if value is not None]
    if len(subjects) != 1:
        raise say.Failure("needs one of --world SEED, FILE and --paper (see terrane analyze --help)", 2)
    others = [option for subject, options in OPTIONS.items() if subject != subjects[0] for option in options]
    for option in others + (["sea", "contour", "no-pictures"] if asked.paper else []):
        if getattr(asked, option.replace("-", "_")) not in (None, False):
            raise say.Failure(f"--{option}: does not go with {subjects[0]} (see terrane analyze --help)", 2)
    for option in NOT_OF_SHAPE if asked.shape else ["windows"]:
        if getattr(asked, option) is not None:
            raise say.Failure(f"--{option}: {'does not go with' if asked.shape else 'is for'} --shape (see terrane analyze --help)", 2)


def pair(text):
    numbers = [say.number(part) for part in text.split(",")]
    return numbers if len(numbers) == 2 and None not in numbers else None


def level_of(option, text):
    """A height that was asked for; None: another one, or none."""
    if text is None or (option == "contour" and text == "median"):
        return None
    found = say.number(text)
    if found is None:
        say.refuse(option, text, "a height in metres" + (', or "median"' if option == "contour" else ""))
    return found


def read_world(asked, folder):
    import source

    size = say.whole("size", asked.size or "1024", *SIDES, "sides are 64 .. 4096")
    variant = "eroded" if asked.variant is None else asked.variant
    if variant not in ("base", "eroded"):
        say.refuse("variant", variant, "variants are base and eroded")
    layer = "height" if asked.layer is None else asked.layer
    if layer not in ("height", "surface"):
        say.refuse("layer", layer, "layers are height and surface")
    if layer == "surface" and asked.sea is not None:
        raise say.Failure("--sea: does not go with --layer=surface, whose sea is the recipe's (see terrane analyze --help)", 2)
    at = pair(asked.at or "0,0")
    if at is None:
        say.refuse("at", asked.at, "a place is X,Y in metres")
    words = [f"--variant={variant}"] + ([f"--recipe={asked.recipe}"] if asked.recipe is not None else [])
    level = "0" if asked.lod is None else asked.lod
    digest, seed, variant, spacing = source.facts(asked.world, level, *words)
    if not max(map(abs, at)) / spacing < 2 ** 47:
        say.refuse("at", asked.at, "this lies outside the world")
    gi, gj = (math.floor(place / spacing) - size // 2 for place in at)
    origin = {"world": digest, "seed": seed, "variant": variant, "layer": layer, "lod": int(level), "gi": gi, "gj": gj}
    say.prepare(folder, not asked.no_pictures)
    heights, surface = (source.window(seed, level, gi, gj, size, size, *words, f"--layer={which}").astype(float)
                        if which in ("height", layer) else None for which in ("height", "surface"))
    return heights, surface, (spacing, spacing), source.sea_level(asked.recipe), origin


def measure_shape(asked, folder):
    import survey

    windows = say.whole("windows", asked.windows or "64", *WINDOWS, "windows are 1 .. 4096")
    level = say.whole("lod", asked.lod or "13", *SHAPE_LEVELS, "with --shape levels are 11 .. 14")
    world = survey.World(asked.world, asked.recipe, level)
    say.prepare(folder, True)
    survey.run(world, windows, folder, not asked.no_pictures)


def read_file(asked, folder):
    import source

    width = None if asked.width is None else say.whole("width", asked.width, *source.SIDES, "widths are 16 .. 32768")
    text = asked.spacing or "1"
    spacing = pair(text if "," in text else f"{text},{text}")
    if spacing is None or not 1e-6 <= min(spacing) <= max(spacing) <= 1e6:
        say.refuse("spacing", text, "distances are 10^-6 .. 10^6 m")
    heights = source.read_file(asked.file, width, asked.member)
    say.prepare(folder, not asked.no_pictures)
    return heights, None, spacing, 0.0, {"file": asked.file}


def run(words):
    parser = say.Words(["world", "recipe", "variant", "layer", "lod", "at", "size", "width", "member", "spacing", "sea", "contour",
                        "out", "windows"], ["paper", "quick", "no-pictures", "shape"])
    parser.add_argument("file", nargs="?")
    asked = parser.parse_args(words)
    if asked.help:
        print(USAGE, end="")
        return 0
    check(asked)
    sea, level = level_of("sea", asked.sea), level_of("contour", asked.contour)
    folder = asked.out or "terrane-analysis"
    if asked.paper:
        import paper

        say.prepare(folder, True)
        paper.run(folder, asked.quick)
        return 0
    if asked.shape:
        measure_shape(asked, folder)
        return 0
    heights, surface, spacing, usual, origin = (read_file if asked.world is None else read_world)(asked, folder)
    import report
    import source

    sea = usual if sea is None else sea
    if level is None:
        level = source.median(heights) if asked.contour == "median" else sea
    title = asked.file if asked.world is None else f"world {asked.world}"
    found = report.analyse(heights, *spacing, sea, level, None if asked.no_pictures else folder, "", title, surface)
    report.save_json(f"{folder}/analysis.json", {**found, "origin": origin})
    return 0
