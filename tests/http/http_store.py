"""A store for tests of the shared tier: redis-server on a free port, and what it takes to speak to it."""

import contextlib
import os
import pathlib
import random
import select
import shutil
import signal
import socket
import socketserver
import subprocess
import tempfile
import threading
import time

from http_client import PATIENCE_S, wait_for

PROGRAM = shutil.which("redis-server") or shutil.which("valkey-server")


def free_port(given=set()):  # noqa: B006
    """One that no other store has had, which may be at the end of its life, and below those that Linux gives connections: those are
    other tests' clients'."""
    while True:
        port = random.randrange(12000, 32000)
        with socket.socket() as s, contextlib.suppress(OSError):
            s.bind(("127.0.0.1", port))
            if port not in given:
                given.add(port)
                return port


class Speaker:
    """One connection; replies as Python has them, an error of the store as RuntimeError."""

    def __init__(self, port, host="127.0.0.1"):
        self.socket = socket.create_connection((host, port), timeout=PATIENCE_S)
        self.file = self.socket.makefile("rb")

    def __call__(self, *words):
        data = [word if isinstance(word, bytes) else str(word).encode() for word in words]
        self.socket.sendall(b"*%d\r\n" % len(data) + b"".join(b"$%d\r\n%s\r\n" % (len(d), d) for d in data))
        return self._reply()

    def _reply(self):
        line = self.file.readline()
        if not line.endswith(b"\r\n"):
            raise ConnectionError("the store has closed")
        kind, rest = line[:1], line[1:-2]
        if kind == b"-":
            raise RuntimeError(rest.decode())
        if kind == b":":
            return int(rest)
        if kind == b"$":
            return None if rest == b"-1" else self.file.read(int(rest) + 2)[:-2]
        if kind == b"*":
            return [self._reply() for _ in range(int(rest))]
        return rest

    def close(self):
        self.file.close()
        self.socket.close()


@contextlib.contextmanager
def slow_way(store, delay_s):
    """The URL of a port that leads to the store, by which every answer takes a while."""

    class Way(socketserver.BaseRequestHandler):
        def handle(self):
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", store.port)) as far:
                while True:
                    for source in select.select([self.request, far], [], [])[0]:
                        if not (data := source.recv(1 << 16)):
                            return
                        time.sleep(delay_s if source is far else 0)
                        (self.request if source is far else far).sendall(data)

    socketserver.ThreadingTCPServer.daemon_threads = True
    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Way) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"redis://127.0.0.1:{server.server_address[1]}"
        server.shutdown()


class Store:
    """A running redis-server without files. stop, freeze, thaw, kill and start it as tests like."""

    def __init__(self, *options, password=None):
        self.port, self.options, self.password = free_port(), options, password
        self.url = f"redis://127.0.0.1:{self.port}"
        self.directory = pathlib.Path(tempfile.mkdtemp(prefix="terrane-store-"))
        self.process = None
        self.start()

    def start(self):
        secret = ("--requirepass", self.password) if self.password else ()
        with open(self.directory / "log", "ab") as log:
            self.process = subprocess.Popen(
                [PROGRAM, "--bind", "127.0.0.1", "--port", str(self.port), "--save", "", "--appendonly", "no", "--dir",
                 self.directory, *secret, *self.options], stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        wait_for(self._answers, what="the store")

    def _answers(self):
        try:
            return self.ask("PING") == b"PONG"
        except (OSError, RuntimeError):
            assert self.process.poll() is None, (self.directory / "log").read_text()
            return False

    def ask(self, *words):
        speaker = Speaker(self.port)
        try:
            if self.password:
                speaker("AUTH", self.password)
            return speaker(*words)
        finally:
            speaker.close()

    def entries(self):
        return sorted(key for key in self.ask("KEYS", "terrane:*") if not key.endswith(b":lease"))

    def leases(self):
        return self.ask("KEYS", "terrane:*:lease")

    def wait_entries(self, count):
        wait_for(lambda: len(self.entries()) >= count, what=f"{count} entries in the store")

    def change_all(self, change):
        """Every entry becomes change(entry)."""
        for key in self.entries():
            self.ask("SET", key, change(self.ask("GET", key)))

    def freeze(self):
        os.kill(self.process.pid, signal.SIGSTOP)
        time.sleep(0.05)

    def thaw(self):
        os.kill(self.process.pid, signal.SIGCONT)

    def stop(self, number=signal.SIGKILL):
        if self.process.poll() is None:
            self.thaw()
            self.process.send_signal(number)
        self.process.wait()

    def close(self):
        self.stop()
        shutil.rmtree(self.directory, ignore_errors=True)
