"""Row 13: many idle and slow connections. A normal client is served as before, and the slow ones are cut at the deadlines of
the configuration, however steadily they send."""

import contextlib
import selectors
import signal
import socket
import time

import pytest
from herd import milliseconds, quantile
from http_client import Connection, limit, raise_descriptors, request_bytes, wait_for
from http_server import base_tile

WORLD = "continents"

HOT = base_tile(42, 0, 0, 0, "png")
LARGE = base_tile(42, 0, 0, 0, "f32", size=129)  # 66564 bytes: four seconds more to take it
LARGE_S = 4
SENDS = 100  # more of them than sockets hold


def open_all(server, count, receive_bytes=None):
    sockets = []
    for _ in range(count):
        s = socket.socket()
        if receive_bytes:
            s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_bytes)
        s.settimeout(limit(20))
        s.connect(server.public)
        sockets.append(s)
    return sockets


class Slow:
    """Connections of three kinds, which begin to be slow at the same time."""

    def __init__(self, server, count):
        self.cut = {"line": [], "header": [], "answer": []}
        self.selector, self.begin = selectors.DefaultSelector(), {}
        share = count // 3
        for kind in ("line", "header"):
            start = b"G" if kind == "line" else f"GET {HOT} HTTP/1.1\r\nHost: terrane.test\r\nX: ".encode()
            for s in open_all(server, share):
                s.sendall(start)
                self.add(s, kind)
        for s in open_all(server, count - 2 * share, 4096):
            s.sendall(request_bytes(LARGE) * SENDS)
            self.begin[s] = time.monotonic(), "answer"  # nothing is read, so its end is seen by the server's count alone

    def add(self, s, kind):
        s.setblocking(False)
        self.selector.register(s, selectors.EVENT_READ, kind)
        self.begin[s] = time.monotonic(), kind

    def send(self):
        """A byte of each; who is cut is noted."""
        for key in list(self.selector.get_map().values()):
            with contextlib.suppress(OSError):
                key.fileobj.send(b"a")
        self.note()

    def note(self):
        for key, _ in self.selector.select(0):
            try:
                more = key.fileobj.recv(4096)
            except OSError:
                more = b""
            if not more:
                self.cut[key.data].append(time.monotonic() - self.begin[key.fileobj][0])
                self.selector.unregister(key.fileobj)
                key.fileobj.close()

    def close(self):
        self.selector.close()
        for s in self.begin:
            s.close()


def normal_client(server, seconds, meanwhile):
    """Times of a client that asks for a cached tile over and over and of one that comes anew each time."""
    times, anew = [], []
    end = time.monotonic() + seconds
    with server.connect() as connection:
        while time.monotonic() < end:
            for _ in range(10):
                begin = time.monotonic()
                assert connection.ask(HOT).status == 200
                times.append(time.monotonic() - begin)
                time.sleep(0.002)
            begin = time.monotonic()
            with Connection(server.public) as other:
                assert other.ask(HOT).status == 200
            anew.append(time.monotonic() - begin)
            meanwhile()
    return times, anew


def is_resting(server):
    """Whether the server does next to nothing."""
    before = server.cpu_seconds()
    time.sleep(0.3)
    return server.cpu_seconds() - before <= 0.03


@pytest.mark.long
def test_row_13_idle_and_slow(launch, figures):
    idle, slow = 10000, 2000
    idle_s, request_s, send_s = 30, 10, 10
    raise_descriptors(idle + slow + 300)
    server = launch(config={"http": {"connections": 16384, "connections_per_address": 16384, "idle_timeout_s": idle_s,
                                     "request_timeout_s": request_s, "send_timeout_s": send_s}})
    server.get(HOT), server.get(LARGE)
    calm, calm_anew = normal_client(server, 1.5, lambda: None)
    before = server.resident_bytes()
    begin = time.monotonic()
    sockets = open_all(server, idle)
    for s in sockets[::2]:  # half of them have been served
        s.sendall(request_bytes("/healthz"))
    for s in sockets[::2]:
        assert s.recv(4096).startswith(b"HTTP/1.1 200")
    wait_for(lambda: server.count("terrane_connections") >= idle, what="idle connections")
    resting = server.resident_bytes() - before
    group = Slow(server, slow)
    opened = time.monotonic() - begin
    last = [time.monotonic()]

    def meanwhile():
        if time.monotonic() - last[0] >= 1:
            last[0] = time.monotonic()
            group.send()
        group.note()

    # Those who will not read have sent a hundred requests each: the server answers until their sockets are full.
    arriving, _ = normal_client(server, 0.5, meanwhile)
    wait_for(lambda: is_resting(server), "full sockets")
    times, anew = normal_client(server, 1.2, meanwhile)
    grown = server.resident_bytes() - before
    held = server.count("terrane_connections")

    def cut():
        meanwhile()
        metrics = server.metrics()
        counts = {why: int(metrics.total("terrane_connections_cut_total", why=why)) for why in ("idle", "request", "send")}
        return counts if metrics.total("terrane_connections") <= 1 else None

    counts = wait_for(cut, "connections that are cut")
    seconds = time.monotonic() - begin
    figures(f"{idle} idle and {slow} slow connections, {held:.0f} open at once, opened in {opened:.1f} s: a normal "
            f"client p99 {milliseconds(quantile(times, .99))} (alone {milliseconds(quantile(calm, .99))}), one "
            f"that comes anew {milliseconds(quantile(anew, .99))} (alone "
            f"{milliseconds(quantile(calm_anew, .99))}), at most {milliseconds(max(arriving))} while they come; "
            f"memory + {grown / 1e6:.1f} MB, {resting / idle:.0f} bytes an idle connection")
    spans = ", ".join(f"{len(found)} in the {kind} after {min(found):.1f} to {max(found):.1f} s"
                      for kind, found in group.cut.items() if found)
    figures(f"limits idle {idle_s} s, request {request_s} s, send {send_s} + {LARGE_S} s: cut {counts}, {spans}, "
            f"all within {seconds:.1f} s")
    group.close()
    for s in sockets:
        s.close()
    share = slow // 3
    assert len(group.cut["line"]) == len(group.cut["header"]) == share
    assert counts == {"idle": idle + share, "request": share, "send": slow - 2 * share}
    assert max(group.cut["line"]) < limit(idle_s + 1.5) and max(group.cut["header"]) < limit(request_s + 1.5)
    assert min(group.cut["line"]) > idle_s - 1 and min(group.cut["header"]) > request_s - 1
    assert quantile(times, .99) < limit(0.5) and grown < 20000 * (idle + slow) + (64 << 20)
    server.wait_idle()


@pytest.mark.long
@pytest.mark.parametrize("count", [127, 128, 129, 256])
def test_row_13_all_ready_at_once(launch, figures, count):
    """As many events as libmicrohttpd takes in one go, one fewer, one more, and twice as many."""
    server = launch(config={"http": {"threads": 1}})
    server.get(HOT)
    connections = [server.connect() for _ in range(count)]
    for connection in connections:
        assert connection.ask("/healthz").status == 200
    server.process.send_signal(signal.SIGSTOP)
    try:
        for connection in connections:
            connection.send(request_bytes(HOT))
    finally:
        server.process.send_signal(signal.SIGCONT)
    begin = time.monotonic()
    for connection in connections:
        assert connection.receive().status == 200
    seconds = time.monotonic() - begin
    for connection in connections:
        connection.close()
    figures(f"{count} connections ready at once: all answered within {milliseconds(seconds)}")
    assert seconds < limit(2)
