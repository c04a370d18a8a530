"""terrane under test: the program, a server of it, and what its metrics say."""

import contextlib
import json
import os
import pathlib
import re
import resource
import select
import shutil
import signal
import subprocess
import tempfile
import urllib.parse

from http_client import PATIENCE_S, Connection, wait_for
from http_metrics import parse_metrics

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = pathlib.Path(os.environ.get("TERRANE", ROOT / "build" / "terrane")).resolve()
OLDEST, GENERATOR = (int(re.search(rf"TERRANE_GENERATOR_{which} +(\d+)", (ROOT / "lib/terrane.h").read_text())[1])
                     for which in ("OLDEST", "VERSION"))

def rows(kind):
    """The rows of the program's table of a kind ("layer", "format", "route"): name to members, as they stand in C."""
    text = (ROOT / f"server/tile/{kind}s.inc").read_text()
    return {name: members for name, members in re.findall(rf'^{kind.upper()}\(\w+, "([^"]+)"(.*?)(?=^{kind.upper()}\(|\Z)', text, re.M | re.S)}


LAYER_ROWS, FORMAT_ROWS = rows("layer"), rows("format")
LAYERS = tuple(LAYER_ROWS)
RAW_LAYERS = tuple(name for name in LAYERS if ".values" in LAYER_ROWS[name])  # the others are pictures
SINGLE_LAYERS = tuple(name for name in LAYERS if ".values = 1," in LAYER_ROWS[name])
TOLD_LAYERS = tuple(name for name in LAYERS if not re.search("OF_PATHS|OF_CAVES", LAYER_ROWS[name]))  # of a world without these
R16_LAYERS = tuple(name for name in LAYERS if ".heights" in LAYER_ROWS[name])
GLB_LAYERS = (*R16_LAYERS, "cave", "objects")
FORMATS = {
    "png": "image/png",
    "f32": "application/octet-stream",
    "r16": "application/octet-stream",
    "npy": "application/octet-stream",
    "json": "application/json",
}
ALL_FORMATS = {name: (re.findall(r'\.type = "([^;"]+)', members) or [FORMATS["f32"]])[0]
               for name, members in FORMAT_ROWS.items() if members.startswith(", ENDING")}
ENCS = ("terrarium", "mapbox", "gray16")
LAYER_ENCS = {name: tuple(enc.lower() for enc in re.findall(r"ENC_(\w+)", members))
              for name, members in LAYER_ROWS.items() if "ENC_" in members}
LAST_LEVEL = 24
TILE_MIN, TILE_MAX = -(1 << 40), (1 << 40) - 1
# A machine that is busy with something else is no reason for a 503, nor to close a connection: tests of these times set one
# themselves. The self-test takes longer than most tests here: test_lifecycle.py is about it.
RENDER = {"deadline_ms": 600000, "selftest": False}
HTTP = {"idle_timeout_s": 3600, "send_timeout_s": 3600}
WORLDS = ROOT / "tests/http/worlds"
PLAIN = "plain"  # the default of tests, whose ground costs next to nothing
PLAIN_FILE = WORLDS / "plain.json"
WHOLE_FILE = WORLDS / "whole.json"  # has all that a recipe may have, in a fifth of the time of one that ships

def has(layer, fmt):
    needs = re.search(r"NEEDS_\w+|$", FORMAT_ROWS[fmt])[0]
    return layer in {"NEEDS_HEIGHTS": R16_LAYERS, "NEEDS_SHAPE": GLB_LAYERS, "NEEDS_LINES": ("path", "river", "objects", "height", "surface", "partition", "water"), "NEEDS_PLACES": ("objects",), "NEEDS_NUMBERS": RAW_LAYERS,
                     "NEEDS_NUMBER": SINGLE_LAYERS, "NEEDS_WEIGHTS": ("cover",)}.get(needs, LAYERS)


# Every layer in every format it has, PNG in every encoding: (layer, format, enc or None).
REPRESENTATIONS = [(layer, fmt, enc) for layer in LAYERS for fmt in FORMATS if has(layer, fmt)
                   for enc in (LAYER_ENCS.get(layer, (None,)) if fmt == "png" else (None,))]


def is_coded(layer, fmt, size=257):
    """Whether Accept-Encoding may choose: normals and slopes do not shrink, nor is it worth it for a few samples."""
    return "CODED_ALWAYS" in FORMAT_ROWS[fmt] or ("CODED_NEVER" not in FORMAT_ROWS[fmt] and
                                                  ".dense" not in LAYER_ROWS[layer] and size >= 32)


def vary(layer, fmt, negotiated=False):
    """What Vary says of a tile; []: it is not there."""
    names = ["Accept"] * negotiated + ["Accept-Encoding"] * is_coded(layer, fmt)
    return [", ".join(names)] if names else []


def tile(seed, lod, x, y, ext="f32", **query):
    """A tile's target. ext None: no extension. A query value of None is left out."""
    given = {name: value for name, value in query.items() if value is not None}
    suffix = "" if ext is None else f".{ext}"
    return f"/tile/{seed}/{lod}/{x}/{y}{suffix}" + (f"?{urllib.parse.urlencode(given)}" if given else "")


def base_tile(seed, lod, x, y, ext="f32", **query):
    """The same before erosion, for tests of queues, caches and counts: quick, and of height, normal, slope, hillshade
    and partition a single product, whatever the recipe."""
    return tile(seed, lod, x, y, ext, **{"variant": "base", **query})


def heavy(i, row=77, **query):
    """A tile that takes long to make and little to send."""
    return base_tile(42, 1, i, row, "png", **{"layer": "normal", "size": 512, **query})


def dear(i, row=77):
    """One with a region of erosion, and anchors, of its own: a quarter of a second of work."""
    return f"/tile/42/0/{5000 * i}/{row}.png?layer=relief"


def run(*arguments, environment=None, file_bytes=None, text=b""):
    """terrane with arguments, to its end; file_bytes: its files may not be longer, as where a disk is full; text: its standard input."""
    return subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, timeout=PATIENCE_S, check=False,
                          env={**os.environ, **(environment or {})}, input=text.encode() if isinstance(text, str) else text,
                          preexec_fn=file_bytes and (lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (file_bytes, file_bytes))))


def render(seed, lod, x, y, ext="png", **options):
    """What `terrane render` writes, of the recipe that is the servers' default unless recipe= says another."""
    given = [word for name, value in {"recipe": PLAIN_FILE, **options}.items() if value is not None
             for word in (f"--{name}", str(value))]
    done = run("render", seed, lod, x, y, "--format", ext, *given)
    assert done.returncode == 0, done.stderr
    return done.stdout


def book(folder, recipes, **more):
    """Writes recipes, by their names, into a folder; the member `worlds` of a configuration that has them."""
    for name, recipe in recipes.items():
        (folder / f"{name}.json").write_text(json.dumps(recipe))
    return {"dir": str(folder), **more}


class Server:
    """A running `terrane serve` on ports of its own."""

    live = []  # for the report of a failure

    def __init__(self, cache=None, config=None, environment=None, world=PLAIN, program=None, listen="127.0.0.1:0"):
        """world: the recipe that is the default where config says nothing of worlds.dir and worlds.default; program: of another version."""
        self.directory = pathlib.Path(tempfile.mkdtemp(prefix="terrane-http-"))
        self.cache = pathlib.Path(cache) if cache else self.directory / "cache"
        self.config, self.world = self.directory / "config.json", world
        self.configure(config or {})
        self.log = self.directory / "log"
        self.url, self.signalled, self.expected_exit = None, False, 0
        self.test = os.environ.get("PYTEST_CURRENT_TEST")
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(
                [program or PROGRAM, "serve", "--config", self.config, "--listen", listen, "--admin", "127.0.0.1:0", "--cache", self.cache],
                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=log, env={**os.environ, **(environment or {})})
        Server.live.append(self)
        self.ready = self._ready()
        self.url, self.admin_url = self.ready["listen"], self.ready["admin"]
        self.public, self.admin = self._address(self.url), self._address(self.admin_url)

    def configure(self, config):
        """Writes the configuration, with what all tests have unless they say otherwise."""
        worlds = config.get("worlds", {})
        if "dir" not in worlds and "default" not in worlds:
            worlds = {**worlds, "dir": str(WORLDS), "default": self.world}
        times = {name: {**given, **config.get(name, {})} for name, given in (("render", RENDER), ("http", HTTP))}
        self.config.write_text(json.dumps({**config, "worlds": worlds, **times}))

    def _ready(self):
        readable, _, _ = select.select([self.process.stdout], [], [], PATIENCE_S)
        line = self.process.stdout.readline() if readable else b""
        if not line:
            self.process.kill()
            raise AssertionError(f"the server did not start:\n{self.log_text()}")
        return json.loads(line)

    @staticmethod
    def _address(url):
        parts = urllib.parse.urlsplit(url)
        return parts.hostname, parts.port

    def descriptors(self):
        """How many the process has open while nobody is connected."""
        self.wait_idle()
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))

    def resident_bytes(self):
        return int(pathlib.Path(f"/proc/{self.process.pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    def cpu_seconds(self):
        """User and system time so far."""
        fields = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def thread_seconds(self, before=None):
        """The same of each thread, but for what it had before."""
        found = {}
        for task in pathlib.Path(f"/proc/{self.process.pid}/task").iterdir():
            with contextlib.suppress(OSError):
                found[task.name] = int((task / "schedstat").read_text().split()[0]) / 1e9 - (before or {}).get(task.name, 0)
        return found

    def log_text(self):
        return self.log.read_text(errors="replace")

    def connect(self, admin=False, source=None):
        return Connection(self.admin if admin else self.public, source=source)

    def ask(self, target, method="GET", headers=(), body=b"", admin=False):
        with self.connect(admin) as connection:
            return connection.ask(target, method, headers, body)

    def get(self, target, headers=(), status=200):
        with self.connect() as connection:
            return connection.get(target, headers, status)

    def json(self, target, headers=()):
        return json.loads(self.get(target, headers).body)

    def metrics(self):
        answer = self.ask("/metrics", admin=True)
        assert answer.status == 200
        return parse_metrics(answer.body.decode())

    def count(self, name, **labels):
        return self.metrics().total(name, **labels)

    def renders(self):
        return self.count("terrane_renders_total")

    def wait_idle(self):
        """Until nobody waits, nothing is queued, and no connection is open but the one that asks."""
        def idle():
            metrics = self.metrics()
            return (metrics.total("terrane_inflight") == 0 and metrics.total("terrane_queue_depth") == 0
                    and metrics.total("terrane_connections") == 1)
        wait_for(idle, "an idle server")

    def wait_stored(self, tiles):
        wait_for(lambda: self.count("terrane_cache_entries", tier="disk") >= tiles, "tiles on disk")

    def is_well(self):
        return self.ask("/healthz").status == 200 and self.ask(base_tile(1, 0, 0, 0, "png", size=2)).status == 200

    def signal(self, number=signal.SIGTERM):
        self.signalled = True
        self.process.send_signal(number)

    def wait(self):
        return self.process.wait(PATIENCE_S)

    def stop(self):
        """Ends it in good order; the exit status. Does not disturb an end under way."""
        if not self.signalled:
            self.signal()
        return self.wait()

    def kill(self):
        self.expected_exit = -signal.SIGKILL
        self.signal(signal.SIGKILL)
        self.wait()

    def close(self):
        try:
            status = self.stop()
        finally:
            self.process.kill()
            self.process.wait()
            self.process.stdout.close()
        return status

    def __enter__(self):
        return self

    def __exit__(self, *_):
        """Its end, with the status that is expected."""
        status = self.close()
        expected, log = self.expected_exit, self.log_text()
        if self in Server.live:
            Server.live.remove(self)
        shutil.rmtree(self.directory, ignore_errors=True)
        assert status == expected, f"exit status {status} instead of {expected}, of the server of {self.test}:\n{log}"
