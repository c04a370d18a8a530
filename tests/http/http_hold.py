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

SOURCE = pathlib.Path(__file__).with_name("hold.c")


@functools.cache
def library():
    """Compiled once."""
    path = pathlib.Path(tempfile.mkdtemp(prefix="terrane-hold-")) / "hold.so"
    atexit.register(shutil.rmtree, path.parent, ignore_errors=True)
    subprocess.run(["cc", "-D_GNU_SOURCE", "-O1", "-fPIC", "-shared", "-o", path, SOURCE, "-ldl"], check=True)
    return path


class Hold:
    """For one server: launch(environment=hold.environment). Workers that have a PNG to write wait where they are."""

    def __init__(self, directory):
        path = directory / "hold"
        path.write_bytes(bytes(mmap.PAGESIZE))
        with path.open("r+b") as file:
            self.count = mmap.mmap(file.fileno(), 16)
        self.environment = {"LD_PRELOAD": str(library()), "HOLD_FILE": str(path),
                            "ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "") + ":verify_asan_link_order=0"}
        self.release()

    def allow(self, pictures):
        """So many are written, and then no more."""
        self.count[:8] = struct.pack("=q", pictures)

    def hold(self):
        self.allow(0)

    def release(self):
        self.allow(-1)

    def is_spent(self):
        """As many have been written as were allowed, or are being written."""
        return struct.unpack("=q", self.count[:8])[0] == 0

    def waiting(self):
        """How many workers wait to write one."""
        return struct.unpack("=q", self.count[8:])[0]
