"""Row 16: ten times the quota in distinct tiles. The files are never larger than it, and the rows never more."""

import threading

import pytest
from herd import ask_list, directory_bytes
from http_client import wait_for
from http_server import base_tile

QUOTA, ROWS = 8 << 20, 60


class Watch(threading.Thread):
    """Looks at a directory all the time, as a context."""

    def __init__(self, path):
        super().__init__(daemon=True)
        self.path, self.most, self.looks, self.stopping = path, 0, 0, False

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.stopping = True
        self.join()

    def look(self):
        """Waits until it has looked once more."""
        looks = self.looks
        wait_for(lambda: self.looks > looks + 1, what="a look")

    def run(self):
        while not self.stopping:
            self.most, self.looks = max(self.most, directory_bytes(self.path)), self.looks + 1


@pytest.mark.parametrize("what", ["bytes", "rows"])
def test_row_16_quota(launch, figures, full, what):
    of_rows = what == "rows"
    cache = {"memory_bytes": 1 << 20, "write_interval_ms": 1, "disk_bytes": QUOTA, **({"disk_rows": ROWS} if of_rows else {})}
    server = launch(config={"cache": cache})
    size, count = (33, 10 * ROWS) if of_rows else (257, 10 * QUOTA // (257 * 257 * 4) + 1)
    count *= 5 if full else 1
    requests = [(base_tile(42, 0, i, 16, "f32", size=size), ()) for i in range(count)]
    rows = total = 0
    with Watch(server.cache) as watch:
        for first in range(0, count, 20):
            for _, answer in ask_list(server.public, requests[first:first + 20], clients=4):
                assert answer.status == 200
                total += len(answer.body)
            # Writes go behind, and are dropped when too many wait: how fast the disk is must not decide what is tested.
            wait_for(lambda most=min(first + 20, count): server.count("terrane_disk_stores_total") >= most, what="tiles that are stored")
            watch.look()
            rows = max(rows, server.count("terrane_cache_entries", tier="disk"))
    metrics = server.metrics()
    evicted, stored = metrics.total("terrane_cache_evictions_total", tier="disk"), metrics.total("terrane_disk_stores_total")
    figures(f"quota of {what}: {count} tiles of {total / 1e6:.1f} MB asked for, {stored:.0f} stored, {evicted:.0f} "
            f"evicted; files at most {watch.most} of {QUOTA} bytes in {watch.looks} looks, rows at most {rows:.0f}"
            + (f" of {ROWS}" if of_rows else ""))
    assert watch.most <= QUOTA
    assert stored == count and evicted > count / 2
    assert rows <= ROWS if of_rows else total > 10 * QUOTA
    assert metrics.total("terrane_disk_degraded") == 0
