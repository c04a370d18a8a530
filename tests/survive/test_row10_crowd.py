"""Row 10: a thousand clients ask for one cold tile, all at the same moment, and it is made once."""

import signal
import time

import pytest
from http_client import Crowd, wait_for
from http_server import base_tile, tile

CROWD = 1000
TARGETS = [base_tile(42, 1, 4000, 10, "png", layer="normal", size=512), base_tile(42, 2, 4001, 10, "npy", layer="normal", size=65),
           tile(42, 6, -4, 3, "png"), base_tile(42, 0, 4003, 10, "f32", size=2)]


@pytest.mark.parametrize("target", TARGETS)
def test_row_10_one_cold_tile(launch, target, figures):
    server = launch()
    before = server.metrics()
    server.process.send_signal(signal.SIGSTOP)
    try:
        crowd = Crowd(server.public, [target] * CROWD)  # they are accepted, and their requests there, when it goes on
        begin = time.monotonic()
    finally:
        server.process.send_signal(signal.SIGCONT)
    with crowd:
        answers = crowd.receive()
    seconds = time.monotonic() - begin
    after = server.metrics()
    renders, coalesced = (after.total(name) - before.total(name) for name in ("terrane_renders_total", "terrane_coalesced_total"))
    figures(f"{CROWD} clients, {target}: {renders:.0f} render, {coalesced:.0f} joined it, all answered in "
            f"{seconds:.2f} s")
    assert all(answer and answer.status == 200 for answer in answers)
    assert len({(answer.body, answer["ETag"]) for answer in answers}) == 1
    assert renders == 1
    came = [answer["X-Cache"] for answer in answers]
    assert set(came) <= {"render", "coalesced", "memory"} and came.count("render") == 1 and came.count("coalesced") == coalesced
    wait_for(lambda: server.count("terrane_inflight") == 0, what="nothing in flight")
