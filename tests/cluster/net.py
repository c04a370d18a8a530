"""A network of this process's own: a bridge, and hosts on it, each in a network namespace.

Once enter() has been called this process and all that it starts live in namespaces of their own for network and mounts, and of users
where that needs no root; they are gone with the last of these processes, however that ends. Inside:

    10.0.0.1, 10.0.1.1 .. 10.0.1.100    this process, on the bridge: clients and operators
    Host(name, address)                 a namespace with one interface; link(False) pulls its cable

/etc/hosts, /etc/nginx, /run and /var/cache are mounts of our own: names of hosts resolve, and nginx finds its files where its
configuration says.
"""

import ctypes
import os
import pathlib
import subprocess
import tempfile

NEWNS, NEWUSER, NEWNET = 0x00020000, 0x10000000, 0x40000000
CLIENTS = [f"10.0.1.{i}" for i in range(1, 101)]
SKIP_REASON = ("needs network namespaces: as root (CAP_SYS_ADMIN), or where users may make their own (unshare -rmn); and a root that is a "
               "mount point, which a plain chroot's is not")
_libc = ctypes.CDLL(None, use_errno=True)
_state = {}


def _works(*flags):
    script = "mount -t tmpfs none /run && ip link add probe0 type veth peer name probe1"
    return subprocess.run(["unshare", *flags, "sh", "-c", script], capture_output=True, check=False).returncode == 0


def possible():
    """How: the flags of unshare; None: not here."""
    if "how" not in _state:
        found = [flags for flags in ((("-mn",) if os.geteuid() == 0 else ()), ("-rmn",)) if flags]
        _state["how"] = next((flags for flags in found if _works(*flags)), None)
    return _state["how"]


def ip(*words, host=None):
    inside = ["nsenter", f"--net=/run/netns/{host}"] if host else []
    subprocess.run([*inside, "ip", *words], check=True, capture_output=True)


def enter():
    """Into the namespaces; once a process. To be called while it has one thread."""
    if "hosts" in _state:
        return
    user, group = os.geteuid(), os.getegid()
    own = "r" in possible()[0]
    if _libc.unshare(NEWNS | NEWNET | (NEWUSER if own else 0)) != 0:
        raise OSError(ctypes.get_errno(), "unshare")
    if own:
        pathlib.Path("/proc/self/setgroups").write_text("deny")
        pathlib.Path("/proc/self/uid_map").write_text(f"0 {user} 1")
        pathlib.Path("/proc/self/gid_map").write_text(f"0 {group} 1")
    hosts = tempfile.NamedTemporaryFile("w", prefix="terrane-hosts-", delete=False)
    os.chmod(hosts.name, 0o644)
    mounts = "mount --make-rprivate / && " + " && ".join(
        f"mount -t tmpfs -o mode=755 none {place}" for place in ("/run", "/var/cache", "/etc/nginx"))
    subprocess.run(["sh", "-c", f"{mounts} && mount --bind {hosts.name} /etc/hosts"], check=True)
    os.unlink(hosts.name)
    _state["hosts"] = hosts  # written to in place: the mount is of this file
    print("127.0.0.1 localhost", file=hosts, flush=True)
    ip("link", "set", "lo", "up")
    ip("link", "add", "bridge", "type", "bridge")
    ip("link", "set", "bridge", "up")
    for address in ("10.0.0.1", *CLIENTS):
        ip("address", "add", f"{address}/16", "dev", "bridge")


class Host:
    """A machine of the network."""

    def __init__(self, name, address):
        self.name, self.address = name, address
        ip("netns", "add", name)
        ip("link", "add", f"to-{name}", "type", "veth", "peer", "name", "eth0", "netns", name)
        ip("link", "set", f"to-{name}", "master", "bridge", "up")
        ip("link", "set", "lo", "up", host=name)
        ip("address", "add", f"{address}/16", "dev", "eth0", host=name)
        ip("link", "set", "eth0", "up", host=name)
        print(f"{address} {name}", file=_state["hosts"], flush=True)

    def link(self, up):
        """Its cable: what is sent vanishes while it is out, and nobody is told."""
        ip("link", "set", f"to-{self.name}", "up" if up else "down")

    def command(self, *words):
        """A command that runs there, and is killed with the thread that starts it."""
        return ["setpriv", "--pdeathsig", "KILL", "nsenter", f"--net=/run/netns/{self.name}", *map(str, words)]

    def remove(self):
        ip("link", "delete", f"to-{self.name}")
        ip("netns", "delete", self.name)
