"""Heights: of worlds, as `terrane render` makes them, and of files."""
import io
import json
import pathlib
import re
import subprocess
import tokenize
import zipfile
import zlib

import numpy as np

from say import Failure

SIDES = (16, 1 << 15)
SAMPLES_MAX = 1 << 26
HEIGHT_MAX_M = 1e7


# ---- Worlds ----------------------------------------------------------------------------------------------------------

HERE = pathlib.Path(__file__).resolve().parent
PROGRAM = next((p for p in (HERE.parent / "terrane", HERE.parents[1] / "bin/terrane") if p.is_file()), "terrane")


def ask(*words):
    """What a terrane command prints; what it refuses is told by the names that options have here."""
    done = subprocess.run([PROGRAM, *map(str, words)], capture_output=True)
    if done.returncode != 0:
        text = re.sub(r"^terrane \w+: ", "", done.stderr.decode(errors="replace").strip())
        raise Failure(re.sub(r"^(seed|lod|recipe)=", lambda m: f"--{'world' if m[1] == 'seed' else m[1]}=", text),
                      max(1, done.returncode))
    return done.stdout


def window(seed, level, gi, gj, width, height, *words):
    text = ask("render", seed, level, f"--window={gi},{gj},{width},{height}", "--format=npy", *words)
    return np.load(io.BytesIO(text))


def picture(seed, level, gi, gj, width, height, *words):
    """Colours from 0 to 1."""
    from matplotlib.image import imread  # which reports without pictures do without
    return imread(io.BytesIO(ask("render", seed, level, f"--window={gi},{gj},{width},{height}", "--format=png", *words)))


def facts(seed, level, *words):
    """Of a world: its digest, its seed as a number, what is measured of it, and metres from sample to sample."""
    def tell(of):
        return json.loads(ask("render", "--size=3", "--format=json", *words, "--", of, level, 0, 0))

    found = tell(seed)
    if "seed" not in found or tell(found["seed"])["world"] != found["world"]:
        raise Failure(f"--world={seed}: this world of the configuration has a recipe, a generator or a secret of its own; say its seed, and "
                      "--recipe", 2)
    bounds = found["bounds_m"]
    return found["world"], found["seed"], found["variant"], (bounds["east"] - bounds["west"]) / 256


def told(recipe):
    """What `terrane recipe` tells of one; without a name of the recipe that has a star."""
    recipe = recipe or re.search(rb"^(\S+) *\* ", ask("recipe"), re.M)[1].decode()
    return ask("recipe", recipe).decode()


def sea_level(recipe):
    return float(re.search(r"^sea {7}(\S+) m$", told(recipe), re.M)[1])


# ---- Files -----------------------------------------------------------------------------------------------------------

def read_npz(path, member):
    if not zipfile.is_zipfile(path):
        raise ValueError("is no .npz archive")
    with np.load(path, allow_pickle=False) as archive:
        if member:
            if member not in archive:
                raise ValueError(f"has no array called {member}")
            if not isinstance(archive[member], np.ndarray):
                raise ValueError(f"its {member} is no array")
            return archive[member]
        for name in archive:
            if getattr(archive[name], "ndim", 0) == 2:
                return archive[name]
    raise ValueError("has no array of two dimensions")


def read_array(path, width, member):
    if path.endswith(".npz"):
        return read_npz(path, member)
    with open(path, "rb") as file:
        if path.endswith(".npy"):
            return np.lib.format.read_array(file, allow_pickle=False)
        data = file.read()
    if len(data) == 0 or len(data) % (4 * width) != 0:
        raise ValueError(f"its {len(data)} bytes are not rows of {width} floats")
    return np.frombuffer(data, "<f4").reshape(-1, width)


def check_file(path, width, member):
    """Whether the options are those of such a file."""
    floats = not path.endswith((".npy", ".npz"))
    if floats != (width is not None):
        raise Failure(f"{path}: " + ("a file of floats needs --width" if floats else "--width is for files of floats alone"), 2)
    if member is not None and not path.endswith(".npz"):
        raise Failure(f"{path}: --member is for .npz files alone", 2)


def read_file(path, width=None, member=None):
    """Heights in float64, which are those of a float: all that is measured here."""
    check_file(path, width, member)
    try:
        array = read_array(path, width, member)
        if array.dtype.kind not in "fiu":
            raise ValueError(f"an array of {array.dtype}, not of numbers")
        if array.ndim != 2 or min(array.shape) < SIDES[0] or max(array.shape) > SIDES[1] or array.size > SAMPLES_MAX:
            raise ValueError(f"{' x '.join(map(str, array.shape))} samples; a raster has two sides of {SIDES[0]} to {SIDES[1]} and at "
                             "most 2^26 samples")
        heights = array.astype(np.float32).astype(float)
        wrong = np.flatnonzero(~(np.abs(heights) <= HEIGHT_MAX_M))
        if wrong.size:
            row, column = divmod(int(wrong[0]), array.shape[1])
            raise ValueError(f"row {row}, column {column}: {heights[row, column]:g} is no height within 10^7 m")
        return heights
    except OSError as problem:
        raise Failure(f"{path}: {problem.strerror or problem}") from None
    except (ValueError, EOFError, RuntimeError, tokenize.TokenError, zipfile.BadZipFile, zlib.error) as problem:
        raise Failure(f"{path}: {problem}") from None


def median(heights):
    """The middle sample by height, the lower of two."""
    middle = (heights.size - 1) // 2
    return float(np.partition(heights.ravel(), middle)[middle])
