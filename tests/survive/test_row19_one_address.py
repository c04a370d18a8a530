"""Row 19: one address that wants everything. Others have room for what they ask for, and connections, all the time."""

import contextlib
import json
import selectors
import socket
import threading
import time

import pytest
from herd import milliseconds, quantile
from http_client import Connection, limit, raise_descriptors, request_bytes, wait_for
from http_server import base_tile

WORLD = "continents"

GREEDY, OTHERS = "127.0.0.2", ("127.0.0.1", "127.0.0.3")
SMALL = "/region/9.f32?x0=0&y0=0&w=64&h=64&lod=20&variant=base"


class SlowReaders(threading.Thread):
    """Connections of one address that ask for the largest answers, again and again, and read 12 KB of them a second."""

    TURN_S = 0.25

    def __init__(self, address, count):
        super().__init__(daemon=True)
        self.address, self.stopping = address, threading.Event()
        self.selector, self.statuses = selectors.DefaultSelector(), []
        for n in range(count):
            self._begin(n)

    def _begin(self, n):
        connection = socket.socket()
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        connection.bind((GREEDY, 0))
        connection.connect(self.address)
        if n % 2 or n > 40:  # the last of them are small: what is left between large ones is taken, too
            query = {"size": 129} if n > 40 else {"layer": "partition", "size": 512}
            tiles = [base_tile(n, 20, x, 0, **query) for x in range(256)]
            connection.sendall(request_bytes("/tiles", "POST", body=json.dumps({"tiles": tiles}).encode()))
        else:
            connection.sendall(request_bytes(f"/region/{n}.f32?x0=0&y0=0&w=4097&h=4097&lod=20&variant=base"))
        connection.setblocking(False)
        self.selector.register(connection, selectors.EVENT_READ, n)

    def run(self):
        while not self.stopping.wait(self.TURN_S):
            for key, _ in self.selector.select(0):
                try:
                    data = key.fileobj.recv(int(12000 * self.TURN_S))
                except OSError:
                    data = b""
                if data.startswith(b"HTTP/1.1 "):
                    self.statuses.append(int(data[9:12]))
                if data and not data.startswith((b"HTTP/1.1 4", b"HTTP/1.1 5")):
                    continue
                self.selector.unregister(key.fileobj)
                key.fileobj.close()
                self._begin(key.data)

    def stop(self):
        self.stopping.set()
        self.join()
        for key in list(self.selector.get_map().values()):
            key.fileobj.close()
        self.selector.close()


@pytest.mark.long
def test_row_19_slow_readers(launch, figures, full):
    seconds = 60 if full else 3
    server = launch(config={"limits": {"stream_bytes": 256 << 20}})
    readers = SlowReaders(server.public, 64)
    readers.start()
    wait_for(lambda: server.count("terrane_streams_refused_total") > 0, what="as much as they get")
    times, statuses, most = [], [], 0
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        for source in OTHERS:
            begin = time.monotonic()
            with Connection(server.public, source=source) as connection:
                statuses.append(connection.ask(SMALL).status)
            times.append(time.monotonic() - begin)
        most = max(most, server.count("terrane_stream_bytes"))
        time.sleep(0.02)
    cut = server.count("terrane_connections_cut_total", why="send")
    readers.stop()
    p99 = quantile(times, .99)
    figures(19, f"64 slow readers of one address for {seconds} s: {readers.statuses.count(200)} answers begun for them, "
                f"{readers.statuses.count(429)} refused, {cut:.0f} cut, {most / (1 << 20):.0f} MiB of 256 held at most; "
                f"{len(times)} small regions for others, p50 {milliseconds(quantile(times, .5))}, p99 {milliseconds(p99)}")
    assert set(statuses) == {200} and set(readers.statuses) <= {200, 429}
    assert most <= 132 << 20
    assert not full or (p99 < limit(1) and cut > 0)
    wait_for(lambda: server.count("terrane_stream_bytes") == 0, what="everything given back")


@pytest.mark.long
def test_row_19_idle_connections(launch, figures, full):
    """As the server comes: 4,096 connections."""
    count = 4096 if full else 1500
    raise_descriptors(count + 500)
    server = launch()
    begin = time.monotonic()
    with contextlib.ExitStack() as stack:
        for _ in range(count):
            stack.enter_context(Connection(server.public, source=GREEDY))
        wait_for(lambda: server.count("terrane_connections") + server.count("terrane_connections_refused_total") > count,
                 what="connections, taken or not")
        times = []
        for n in range(200):
            asked = time.monotonic()
            with Connection(server.public, source=f"127.0.1.{n + 1}") as connection:
                assert connection.ask("/healthz").status == 200
            times.append(time.monotonic() - asked)
        seconds = time.monotonic() - begin
    figures(19, f"{count} idle connections of one address by default: 1024 taken; 200 others that come anew within "
                f"{seconds:.1f} s, p99 {milliseconds(quantile(times, .99))}")
    assert server.count("terrane_connections_refused_total", why="limit") == 0
    assert server.count("terrane_connections_refused_total", why="address") == count - 1024
    server.wait_idle()
