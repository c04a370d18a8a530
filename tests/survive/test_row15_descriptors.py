"""Row 15: descriptors run out. The server waits without turning round and round, and goes on when there are some."""

import os
import time

import http_server
import pytest
from herd import milliseconds
from http_client import Connection, limit, wait_for
from http_server import base_tile

WORLD = "continents"

DESCRIPTORS, CONNECTIONS = 200, 400


@pytest.mark.long
def test_row_15_no_descriptors(launch, tmp_path, monkeypatch, figures):
    limited = tmp_path / "terrane"
    limited.write_text(f'#!/bin/sh\nexec prlimit --nofile={DESCRIPTORS} "{http_server.PROGRAM}" "$@"\n')
    limited.chmod(0o755)
    monkeypatch.setattr(http_server, "PROGRAM", limited)
    server = launch(config={"http": {"idle_timeout_s": 600}})
    folder = f"/proc/{server.process.pid}/fd"
    with server.connect() as early, server.connect(admin=True) as admin:
        assert early.ask("/healthz").status == admin.ask("/healthz").status == 200
        crowd = [Connection(server.public) for _ in range(CONNECTIONS)]
        wait_for(lambda: len(os.listdir(folder)) >= DESCRIPTORS, what="descriptors that run out")
        opened = len(os.listdir(folder))
        seconds = 10
        before = server.cpu_seconds()
        time.sleep(seconds)
        used = (server.cpu_seconds() - before) / seconds
        cold = [early.ask(base_tile(42, 0, i, 15, "png")).status for i in range(20)]
        refused = [line for line in admin.ask("/metrics").body.decode().splitlines()
                   if line.startswith('terrane_connections_refused_total{why="descriptors"}')]
        begin = time.monotonic()
        for connection in crowd:
            connection.close()
        with server.connect() as late:
            assert late.ask(base_tile(42, 0, 1000, 15, "png")).status == 200
        recovery = time.monotonic() - begin
    figures(f"{CONNECTIONS} connections where {DESCRIPTORS} descriptors are allowed: {opened} open, "
            f"{100 * used:.1f} % of a core used for {seconds} s, {len(cold)} cold tiles served meanwhile; served "
            f"{milliseconds(recovery)} after the others closed; {refused[0]}")
    assert used < 0.1
    assert cold == [200] * 20 and float(refused[0].split()[-1]) > 0
    assert recovery < limit(2)
    server.wait_idle()
    assert "cannot accept connections" in server.log_text() and server.log_text().count("cannot accept") <= 3
