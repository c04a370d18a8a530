"""A cluster of real processes: redis-server, nodes of terrane, nginx with the repository's docker/nginx.conf, each a host of net.py.

nginx.conf is used as it is: node1, node2, node3 are in /etc/hosts, its directories are mounted. Where a test wants other
words in it (`swap`), each has to be there.
"""

import contextlib
import json
import os
import pathlib
import re
import select
import shutil
import signal
import socket
import subprocess
import tempfile
import time

import net
from http_client import Connection, limit, wait_for
from http_metrics import parse_metrics
from http_store import Speaker

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = pathlib.Path(os.environ.get("TERRANE", ROOT / "build" / "terrane")).resolve()
TOKEN = "an-admin-token-of-tests"
FRONT, STORE, LONE = "10.0.0.10", "10.0.0.20", "10.0.0.30"
SEARCH = os.environ.get("PATH", "") + ":/usr/local/sbin:/usr/sbin:/sbin"


def which(command):
    return shutil.which(command, path=SEARCH)


def missing():
    """Why there can be no cluster here; None: there can."""
    absent = [c for c in ("nginx", "redis-server", "ip", "nsenter", "setpriv", "unshare") if not which(c)]
    if absent:
        return f"needs {', '.join(absent)}"
    return None if net.possible() else net.SKIP_REASON


class Process:
    """A process on a host. Its output is in a file; start() may follow end()."""

    def __init__(self, host, directory):
        self.host, self.directory = host, pathlib.Path(directory)
        self.directory.mkdir(parents=True, exist_ok=True)
        self.log = self.directory / "log"
        self.process = None

    def spawn(self, *words, stdout=None):
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(self.host.command(*words), stdin=subprocess.DEVNULL,
                                            stdout=stdout or log, stderr=log)

    def signal(self, number):
        self.process.send_signal(number)

    def wait(self, seconds=30):
        return self.process.wait(limit(seconds))

    def kill(self):
        """kill -9."""
        if self.process:
            self.process.kill()
            self.process.wait()

    def freeze(self):
        self.signal(signal.SIGSTOP)

    def thaw(self):
        self.signal(signal.SIGCONT)

    def cut(self):
        self.host.link(False)

    def heal(self):
        self.host.link(True)

    def log_text(self):
        return self.log.read_text(errors="replace") if self.log.exists() else ""


class Node(Process):
    """terrane serve, on 8080 and 8081. settings: members over its configuration, nested."""

    def __init__(self, host, directory, settings=None, prefix=()):
        super().__init__(host, directory)
        self.prefix = prefix
        (self.directory / "token").write_text(TOKEN)
        self.access = self.directory / "access.log"
        settings = settings or {}
        config = {
            "listen": "0.0.0.0:8080", "admin": "0.0.0.0:8081",
            "http": {"trusted_proxies": [FRONT]},
            "render": {"threads": 1, **settings.get("render", {})},
            "cache": {"dir": str(self.directory / "cache"), "memory_bytes": 64 << 20, **settings.get("cache", {})},
            "access": {"admin_token_file": str(self.directory / "token")},
            "log": {"access": str(self.access), "slow_ms": 0},
        }
        self.configured = config
        self.config = self.directory / "config.json"
        self.reconfigure()

    def reconfigure(self, **groups):
        """What is configured, with members over these groups; a node that runs reads it anew."""
        config = {**self.configured, **{name: {**self.configured[name], **members} for name, members in groups.items()}}
        self.changed = bool(groups)
        self.config.write_text(json.dumps(config))
        if self.process:
            self.signal(signal.SIGHUP)

    def begin(self):
        self.spawn(*self.prefix, PROGRAM, "serve", "--config", self.config, stdout=subprocess.PIPE)

    def await_ready(self):
        readable, _, _ = select.select([self.process.stdout], [], [], limit(30))
        line = self.process.stdout.readline() if readable else b""
        assert line, f"{self.host.name} did not start:\n{self.log_text()}"

    def start(self):
        self.begin()
        self.await_ready()

    def stop(self):
        """In good order; the exit status."""
        self.signal(signal.SIGTERM)
        return self.wait()

    def kill(self):
        super().kill()
        if self.process:
            self.process.stdout.close()

    def ask(self, target, method="GET", admin=False, headers=()):
        with Connection((self.host.address, 8081 if admin else 8080)) as connection:
            return connection.ask(target, method, headers)

    def count(self, name, **labels):
        return parse_metrics(self.ask("/metrics", admin=True).body.decode()).total(name, **labels)

    def purge(self):
        answer = self.ask("/purge?all=1", "POST", True, [("Authorization", f"Bearer {TOKEN}")])
        assert answer.status == 200, answer

    def is_ready(self):
        try:
            return self.ask("/readyz").status == 200
        except OSError:
            return False


class Store(Process):
    """redis-server on 6379, in memory alone."""

    def start(self):
        self.spawn(which("redis-server"), "--bind", "0.0.0.0", "--port", "6379", "--protected-mode", "no", "--save", "",
                   "--appendonly", "no", "--dir", self.directory)
        wait_for(self._answers, "redis-server")

    def _answers(self):
        try:
            return self.ask("PING") == b"PONG"
        except OSError:
            return False

    def ask(self, *words):
        """One command, and its reply: bytes, int, list or None. An error of the store is a RuntimeError."""
        return self.ask_all([words])[0]

    def ask_all(self, commands):
        with contextlib.closing(Speaker(6379, self.host.address)) as speaker:
            return [speaker(*words) for words in commands]


class Front(Process):
    """nginx."""

    address = (FRONT, 8080)

    def start(self, swap=(), extra=None):
        """swap: pairs of words for nginx.conf; extra: files of /etc/nginx/terrane."""
        self.swapped = bool(swap or extra)
        text = (ROOT / "docker" / "nginx.conf").read_text()
        for old, new in swap:
            assert old in text, f"nginx.conf has no {old!r}"
            text = text.replace(old, new)
        for place in ("/var/cache/nginx", "/etc/nginx/terrane"):
            shutil.rmtree(place, ignore_errors=True)
            os.makedirs(place)
        pathlib.Path("/etc/nginx/nginx.conf").write_text(text)
        for name, content in (extra or {}).items():
            pathlib.Path("/etc/nginx/terrane", name).write_text(content)
        # nginx ends a moment after unshare has, and would, by reuseport, share its port with the next one.
        wait_for(self._is_gone, "the end of the nginx before")
        # In a namespace of its own for processes: its workers end with it. Workers of root would be another user, who may not be there.
        self.spawn(which("unshare"), "--pid", "--fork", "--kill-child", which("nginx"), "-e", "/dev/stderr", "-g",
                   "user root; daemon off;")
        wait_for(self._answers, "nginx")

    def _is_gone(self):
        try:
            socket.create_connection(self.address, timeout=limit(5)).close()
            return False
        except OSError:
            return True

    def _answers(self):
        assert self.process.poll() is None, self.log_text()
        try:
            with Connection(self.address) as connection:
                return connection.ask("/healthz").status == 200
        except OSError:
            return False

    def ask(self, target, method="GET", headers=(), body=b"", source=None):
        with Connection(self.address, source=source) as connection:
            return connection.ask(target, method, headers, body)

    def lines(self):
        """Its access log."""
        return [json.loads(line) for line in re.findall(r'^\{"time".*\}$', self.log_text(), re.M)]


class Cluster:
    """Three nodes, a store, and nginx."""

    def __init__(self, settings, prefix=lambda i: ()):
        net.enter()
        self.directory = pathlib.Path(tempfile.mkdtemp(prefix="terrane-cluster-"))
        self.hosts, self.all = [], []
        self.store = self.add(Store, "valkey", STORE)
        self.lone = self.add(Node, "lone", LONE, {"render": {"threads": 2, "deadline_ms": 60000}})
        settings = {**settings, "cache": {**settings["cache"], "shared": "redis://valkey:6379"}}
        self.nodes = [self.add(Node, f"node{i}", f"10.0.0.{10 + i}", settings, prefix(i)) for i in (1, 2, 3)]
        self.front = self.add(Front, "front", FRONT)

    def add(self, kind, name, address, *rest):
        host = net.Host(name, address)
        self.hosts.append(host)
        self.all.append(kind(host, self.directory / name, *rest))
        return self.all[-1]

    def __enter__(self):
        try:
            self.store.start()
            for node in (self.lone, *self.nodes):
                node.begin()
            for node in (self.lone, *self.nodes):
                node.await_ready()
            self.front.start()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        for one in reversed(self.all):
            one.kill()
        for host in self.hosts:
            host.remove()
        shutil.rmtree(self.directory, ignore_errors=True)

    def mend(self):
        """Everything as in the beginning: all run, all cables are in, nothing is cached by nodes and store."""
        for node in self.nodes:
            if node.changed:
                node.reconfigure()
                wait_for(lambda node=node: node.ask("/world/42").status == 200, "a node that is open")
        for one in self.all:
            one.heal()
            if one.process.poll() is None:
                one.thaw()
            else:
                one.kill()
                one.start()
        if self.front.swapped:
            self.restart_front()
        wait_for(lambda: all(node.is_ready() for node in self.nodes), "nodes that serve")
        wait_for(lambda: self.count("terrane_shared_breaker_open") == 0, "a store that nodes use")
        self.forget()

    def forget(self):
        """Nothing is cached any more, but in nginx: ask it for other queries."""
        self.wait_written()
        for node in self.nodes:
            node.purge()
        self.store.ask("FLUSHALL")

    def wait_written(self):
        """Until what was made has reached the store: the count of its entries rests."""
        seen = [-1, 0]
        def rests():
            count = self.store.ask("DBSIZE")
            seen[1] = seen[1] + 1 if count == seen[0] else 0
            seen[0] = count
            time.sleep(0.05)
            return seen[1] >= 6
        wait_for(rests, "a store at rest")

    def count(self, name, **labels):
        """Over all nodes that live."""
        return sum(node.count(name, **labels) for node in self.nodes if node.process.poll() is None)

    def renders(self):
        return self.count("terrane_renders_total")

    def regions(self):
        return self.count("terrane_regions_total")

    def restart_front(self, **options):
        self.front.kill()
        self.front.start(**options)
