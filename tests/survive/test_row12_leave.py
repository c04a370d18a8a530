"""Row 12: many clients leave while they wait. What nobody waits for any more is dropped."""

import resource
import socket
import time

import pytest
from http_client import Crowd, limit, wait_for
from http_server import base_tile

WORLD = "continents"


@pytest.mark.long
def test_row_12_clients_leave(launch, figures):
    clients = 10000
    assert resource.getrlimit(resource.RLIMIT_NOFILE)[1] > clients + 300, "too few descriptors for this test"
    server = launch(config={"http": {"connections": 16384, "connections_per_address": 16384}, "cache": {"disk_bytes": 0},
                            "render": {"threads": 1, "queue": 65536, "deadline_ms": 600000}})
    with Crowd(server.public, [base_tile(42, 1, i, 12, "png", layer="normal", size=512) for i in range(clients)]) as crowd:
        wait_for(lambda: server.count("terrane_inflight") + server.renders() >= clients, "clients that wait")
        waiting = server.count("terrane_inflight")
        for s in crowd.sockets[::2]:  # half of them with a reset
            s.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
        begin = time.monotonic()
    wait_for(lambda: server.count("terrane_inflight") == 0, "nothing in flight")
    seconds = time.monotonic() - begin
    wait_for(lambda: server.count("terrane_queue_depth") == 0, "an empty queue")
    server.wait_idle()
    wait_for(lambda: server.count("terrane_dropped_total") + server.renders() >= clients, "the tile that was begun")
    metrics = server.metrics()
    renders, dropped, left = (metrics.total(f"terrane_{name}_total") for name in ("renders", "dropped", "left"))
    figures(f"{clients} clients asked, {waiting:.0f} waited when all left: nothing in flight {seconds:.2f} s "
            f"later; {dropped:.0f} jobs dropped, {left:.0f} clients noticed as gone, {renders:.0f} tiles made")
    assert dropped + renders == clients and dropped >= 0.9 * waiting
    assert left >= dropped and renders < clients / 2
    assert seconds < limit(5)
    assert server.get(base_tile(42, 1, clients, 12, "png")).status == 200
