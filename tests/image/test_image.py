"""The image: what it holds, as whom and how it runs. Run by tests/image/run, as root, on the image's files in IMAGE_WORK/tree.

A container stands here for what every engine does with namespaces: a process of the image's user with the image's files,
read-only, as PID 1 of a PID namespace, with a volume at /var/cache/terrane, loopback ports of the host, and the image's environment.
"""

import json
import os
import pathlib
import re
import signal
import socket
import stat
import subprocess
import tempfile
import time
import urllib.error
import urllib.request

import pytest
from image_facts import facts

if "IMAGE_WORK" not in os.environ:
    pytest.skip("tests/image/run IMAGE runs these", allow_module_level=True)

WORK = pathlib.Path(os.environ["IMAGE_WORK"])
TREE, BASE = WORK / "tree", WORK / "base"
CONFIG = facts(WORK / "tree.json")
ENVIRONMENT = dict(entry.split("=", 1) for entry in CONFIG["Env"])
USER = 10001
PROGRAM = "usr/local/bin/terrane"
ABOVE_BASE_BYTES = 60e6
READY_S = 1.0
PATIENCE_S = 60 * float(os.environ.get("TIMEOUT_MULT", "1"))

# As PID 1: the mounts. The words behind are the program's.
CONTAINER = """
set -e
mount --make-rprivate /
mount --bind "$TREE" "$ROOT"
mount -o remount,bind,ro "$ROOT"
mount -t proc proc "$ROOT/proc"
mount --rbind /dev "$ROOT/dev"
mount --bind "$VOLUME" "$ROOT/var/cache/terrane"
[ -z "$HIDE" ] || mount --bind "$HIDE" "$ROOT/usr/bin"
cd /
exec "$STARTER" "$ROOT" "$@"
"""

# Into the image's files and out of all privileges, without a program of the image's.
STARTER = f"""#!/usr/bin/python3 -IS
import ctypes, os, sys
os.chroot(sys.argv[1])
os.chdir("/")
prctl = ctypes.CDLL(None, use_errno=True).prctl
for capability in range(64):
    prctl(24, capability, 0, 0, 0)  # PR_CAPBSET_DROP; those that there are
os.setgroups([])
os.setresgid({USER}, {USER}, {USER})
os.setresuid({USER}, {USER}, {USER})
assert prctl(38, 1, 0, 0, 0) == 0  # PR_SET_NO_NEW_PRIVS
assert prctl(1, 9, 0, 0, 0) == 0  # PR_SET_PDEATHSIG: what unshare --kill-child asked for ends with another user
image = {{name[6:]: value for name, value in os.environ.items() if name.startswith("IMAGE_")}}
os.execve("/usr/local/bin/" + sys.argv[2], sys.argv[2:], image)
"""


def free_ports(count):
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [taken.getsockname()[1] for taken in sockets]
    for taken in sockets:
        taken.close()
    return ports


class Container:
    """The image's entrypoint and command, or other words, with the image's environment and what is said over it."""

    def __init__(self, *words, environment=None, hide=None, listen=True):
        self.directory = pathlib.Path(tempfile.mkdtemp(prefix="container-", dir=WORK))
        self.root, self.volume = self.directory / "root", self.directory / "volume"
        self.directory.chmod(0o755)
        for path in (self.root, self.volume):
            path.mkdir()
            path.chmod(0o755)
        os.chown(self.volume, USER, USER)
        starter = self.directory / "starter"
        starter.write_text(STARTER)
        starter.chmod(0o755)
        self.port, self.admin_port = free_ports(2)
        self.environment = dict(ENVIRONMENT)
        if listen:
            self.environment.update({"TERRANE_LISTEN": f"0.0.0.0:{self.port}", "TERRANE_ADMIN": f"0.0.0.0:{self.admin_port}"})
        self.environment.update(environment or {})
        given = {f"IMAGE_{name}": value for name, value in self.environment.items()}
        paths = {"TREE": TREE, "ROOT": self.root, "VOLUME": self.volume, "STARTER": starter, "HIDE": hide or ""}
        self.words = list(words) or CONFIG["Cmd"]
        self.log = self.directory / "log"
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(
                ["setpriv", "--pdeathsig", "KILL", "unshare", "--mount", "--pid", "--fork", "--kill-child", "bash", "-c", CONTAINER, "container", *CONFIG["Entrypoint"], *self.words],
                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=log, env={"PATH": os.environ["PATH"], **given, **{k: str(v) for k, v in paths.items()}})

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()  # and with it, its child
        self.process.wait()
        self.process.stdout.close()

    def pid(self):
        """The program's, as this namespace counts."""
        children = pathlib.Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text().split()
        return int(children[0])

    def ready(self):
        line = self.process.stdout.readline()
        assert line, self.log.read_text()
        return json.loads(line)

    def get(self, target, port=None):
        with urllib.request.urlopen(f"http://127.0.0.1:{port or self.port}{target}", timeout=PATIENCE_S) as answer:
            return answer.read()

    def status_of(self, target):
        try:
            self.get(target)
            return 200
        except urllib.error.HTTPError as error:
            return error.code
        except OSError:
            return None

    def finish(self):
        return self.process.wait(PATIENCE_S)


def run(*words, environment=None):
    """A command of the program in a container of its own, to its end: status, standard output, standard error."""
    with Container(*words, environment=environment, listen=False) as container:
        out = container.process.stdout.read()
        return container.finish(), out.decode(), container.log.read_text()


def files(tree):
    for folder, _, names in os.walk(tree):
        for name in names:
            path = pathlib.Path(folder) / name
            yield path.relative_to(tree), path.lstat()


# ---- What it holds


@pytest.mark.skipif(not BASE.exists(), reason="the base is not here")
def test_size_above_the_base():
    def key(status):
        return status.st_size, int(status.st_mtime), status.st_mode, status.st_uid

    base = {path: key(status) for path, status in files(BASE)}
    added, seen = {}, set()
    for path, status in files(TREE):
        if base.get(path) != key(status) and status.st_ino not in seen:
            seen.add(status.st_ino)
            added[path] = status.st_size
    total = sum(added.values())
    largest = sorted(added, key=added.get)[-6:]
    print(f"\nimage: {total / 1e6:.1f} MB above its base; largest: "
          + ", ".join(f"{path.name} {added[path] / 1e6:.1f}" for path in reversed(largest)))
    assert 1e6 < total < ABOVE_BASE_BYTES


def test_the_program_is_stripped_and_whole():
    told = subprocess.run(["readelf", "-S", TREE / PROGRAM], capture_output=True, text=True, check=True).stdout
    assert ".symtab" not in told and ".debug_info" not in told
    libraries = subprocess.run(["chroot", TREE, "/usr/bin/ldd", f"/{PROGRAM}"], capture_output=True, text=True, check=False).stdout
    assert "not found" not in libraries and "libc.so" in libraries


def test_nothing_is_setuid_and_little_is_for_everybody_to_write():
    wrong = [path for path, status in files(TREE) if stat.S_ISREG(status.st_mode) and status.st_mode & (stat.S_ISUID | stat.S_ISGID | stat.S_IWOTH)]
    assert wrong == []


def test_nothing_of_the_build_is_left():
    for path in ("src", "out", "usr/bin/gcc", "usr/bin/make", "usr/bin/npm", "usr/bin/curl", "usr/include/microhttpd.h", "root/.npmrc", "usr/etc/npmrc", "run/secrets"):
        assert not (TREE / path).exists(), path
    for path in ("var/lib/apt/lists", "etc/apt/sources.list.d", "etc/apt/auth.conf.d", "var/cache/apt/archives"):
        if BASE.exists():
            added, known = ({entry.name for entry in (tree / path).iterdir()} if (tree / path).exists() else set() for tree in (TREE, BASE))
            assert added <= known, path


def test_only_the_volume_is_the_users():
    own = [path for path, status in files(TREE) if status.st_uid == USER or status.st_gid == USER]
    assert own == []
    volume = (TREE / "var/cache/terrane").stat()
    assert (volume.st_uid, volume.st_gid) == (USER, USER)
    assert f"terrane:x:{USER}:{USER}:" in (TREE / "etc/passwd").read_text()


def test_what_the_engine_is_told():
    assert CONFIG["User"] == f"{USER}:{USER}"
    assert CONFIG["Entrypoint"] == ["terrane"] and CONFIG["Cmd"] == ["serve"]
    assert set(CONFIG["ExposedPorts"]) == {"8080/tcp", "8081/tcp"}
    assert set(CONFIG["Volumes"]) == {"/var/cache/terrane"}
    assert CONFIG["StopSignal"] == "SIGTERM"
    assert CONFIG["Healthcheck"]["Test"] == ["CMD", "terrane", "health"]
    assert ENVIRONMENT["TERRANE_CACHE_DIR"] == "/var/cache/terrane"
    for name in ("title", "description", "licenses", "version", "base.name"):
        assert CONFIG["Labels"][f"org.opencontainers.image.{name}"]


# ---- How it runs


def test_a_container_ends_with_its_test():
    with Container() as container:
        container.ready()
        inside = pathlib.Path(f"/proc/{container.pid()}")
    end = time.monotonic() + PATIENCE_S
    while inside.exists():
        assert time.monotonic() < end, "it runs on"
        time.sleep(0.01)


def test_it_serves_as_the_user_on_a_read_only_root():
    with Container() as container:
        ready = container.ready()
        assert ready["pid"] == 1 and ready["listen"].endswith(f":{container.port}")
        status = pathlib.Path(f"/proc/{container.pid()}/status").read_text()
        assert re.search(rf"^Uid:\t{USER}\t{USER}\t{USER}\t{USER}$", status, re.M)
        assert re.search(rf"^Gid:\t{USER}\t{USER}\t{USER}\t{USER}$", status, re.M)
        for name in ("CapInh", "CapPrm", "CapEff", "CapAmb"):
            assert re.search(rf"^{name}:\t0+$", status, re.M), name
        assert re.search(r"^NoNewPrivs:\t1$", status, re.M)
        root = next(line.split() for line in pathlib.Path(f"/proc/{container.pid()}/mountinfo").read_text().splitlines() if line.split()[4] == "/")
        assert "ro" in root[5].split(",")
        tile = container.get("/tile/42/9/0/0.png?variant=base")
        assert tile.startswith(b"\x89PNG")
        assert b"terrane_ready 1" in container.get("/metrics", container.admin_port)
        assert container.get("/")  # the viewer is in it
        os.kill(container.pid(), signal.SIGTERM)
        assert container.finish() == 0
        stored = [path for path in container.volume.rglob("*") if path.is_file()]
        assert stored and all(path.stat().st_uid == USER for path in stored)
        assert "cache" not in container.log.read_text()


def test_it_is_ready_within_a_second():
    """From the start of the first process to the first 200 of /readyz: the best of five, each with an empty volume."""
    best = None
    for _ in range(5):
        begun = time.monotonic()
        with Container() as container:
            while container.status_of("/readyz") != 200:
                assert container.process.poll() is None, container.log.read_text()
                assert time.monotonic() - begun < PATIENCE_S
                time.sleep(0.002)
            taken = time.monotonic() - begun
            os.kill(container.pid(), signal.SIGTERM)
            container.finish()
        best = taken if best is None else min(best, taken)
    print(f"\nimage: ready {best * 1000:.0f} ms after the start of its first process")
    assert best < READY_S


def test_the_health_check():
    """Its command, with the environment of the container: 0 while it serves; 1 before, while it ends, and after."""
    check = CONFIG["Healthcheck"]["Test"][1:]
    assert check[0] == "terrane"
    with Container() as container:
        container.ready()
        status, told, _ = run(*check[1:], environment=container.environment)
        assert status == 0 and told == f"http://127.0.0.1:{container.admin_port}/readyz: ready\n"
        os.kill(container.pid(), signal.SIGTERM)
        status, told, error = run(*check[1:], environment=container.environment)
        assert status == 1 and told == "" and container.finish() == 0
        status, told, error = run(*check[1:], environment=container.environment)
        assert status == 1 and error == f"terrane health: http://127.0.0.1:{container.admin_port}/readyz: Connection refused\n"


def test_it_needs_no_other_program():
    """With an empty directory in place of /usr/bin: no shell, no tools."""
    empty = WORK / "empty"
    empty.mkdir(exist_ok=True)
    with Container(hide=empty) as container:
        container.ready()
        assert container.get("/tile/42/9/0/0.png?variant=base").startswith(b"\x89PNG")
        os.kill(container.pid(), signal.SIGTERM)
        assert container.finish() == 0


