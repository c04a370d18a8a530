"""The memory budget holds in the process, not only in its own count."""

import os

import pytest
from http_server import GENERATOR, base_tile

BUDGET = 4 << 20


@pytest.mark.skipif("TIMEOUT_MULT" in os.environ, reason="a sanitizer's memory is not the program's")
def test_many_small_tiles_asked_in_every_way_stay_in_the_budget(launch):
    """Finished responses hang on cached tiles: they have to count, or small tiles would cost a hundred times their size."""
    server = launch(config={"cache": {"memory_bytes": BUDGET, "disk_bytes": 0}, "render": {"threads": 2}})
    with server.connect() as connection:
        for x in range(50):
            connection.ask(base_tile(42, 0, x, 0, "f32", size=2))
        start = server.resident_bytes()
        for first in range(0, 4000, 500):
            for version in (None, None, GENERATOR):
                for x in range(first, first + 500):
                    query = {"size": 2} if version is None else {"size": 2, "v": version}
                    assert connection.ask(base_tile(42, 0, x, 1, "f32", **query)).status == 200
            assert server.count("terrane_cache_bytes", tier="memory") <= BUDGET
        grown = server.resident_bytes() - start
    assert server.count("terrane_cache_evictions_total", tier="memory") > 0
    assert grown < 2.5 * BUDGET, f"grew by {grown} bytes"
