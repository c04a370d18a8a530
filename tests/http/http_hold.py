"""A server whose workers a test holds: what waits then is what the test says, whatever the machine is busy with."""

import atexit
import functools
import mmap
import os
import pathlib
import shutil
import struct
import subprocess
import tempfile


@functools.cache
def library(source):
    """Of a file beside this one, compiled once."""
    path = pathlib.Path(tempfile.mkdtemp(prefix="terrane-hold-")) / "preloaded.so"
    atexit.register(shutil.rmtree, path.parent, ignore_errors=True)
    of = pathlib.Path(__file__).with_name(source)
    subprocess.run(["cc", "-D_GNU_SOURCE", "-O1", "-fPIC", "-shared", "-o", path, of, "-ldl"], check=True)
    return path


class Preloaded:
    """A library for one server, launch(environment=...environment), and numbers that it shares with the test."""

    def __init__(self, directory, source, variable, count):
        path = directory / f"of-{source}"
        path.write_bytes(bytes(mmap.PAGESIZE))
        with path.open("r+b") as file:
            self.numbers = mmap.mmap(file.fileno(), 8 * count)
        self.environment = {"LD_PRELOAD": str(library(source)), variable: str(path),
                            "ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "") + ":verify_asan_link_order=0"}


class HungDisk(Preloaded):
    """Who looks at a file of heights, or (reads) reads the cache's tiles, waits from hang() to release()."""

    def __init__(self, directory):
        super().__init__(directory, "stat.c", "STAT_FILE", 2)

    def hang(self, reads=False):
        self.numbers[:8] = struct.pack("=q", 2 if reads else 1)

    def release(self):
        self.numbers[:8] = bytes(8)

    def waiting(self):
        return struct.unpack("=q", self.numbers[8:])[0]


class Hold(Preloaded):
    """Workers that have a PNG to write wait where they are."""

    def __init__(self, directory):
        super().__init__(directory, "hold.c", "HOLD_FILE", 2)
        self.release()

    def allow(self, pictures):
        """So many are written, and then no more."""
        self.numbers[:8] = struct.pack("=q", pictures)

    def hold(self):
        self.allow(0)

    def release(self):
        self.allow(-1)

    def is_spent(self):
        """As many have been written as were allowed, or are being written."""
        return struct.unpack("=q", self.numbers[:8])[0] == 0

    def waiting(self):
        """How many workers wait to write one."""
        return struct.unpack("=q", self.numbers[8:])[0]
