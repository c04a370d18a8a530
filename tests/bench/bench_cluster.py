#!/usr/bin/env python3
"""What a cluster gains: nodes of terrane and nginx with docker/nginx.conf, each in a network namespace (tests/cluster).

Viewers walk eroded worlds, nothing of which has been made: two nodes on a core each, against one node on one core. Each node has
one render thread. nginx and the viewers take what cores have to spare; where a machine has but two cores, they take it from the
nodes. What hashing saves, and that a crowd's tile is made once, tests/cluster/test_nodes.py asserts.

Exit status 0, whatever was measured; with --strict 2 when a pass line is missed. Everything it starts is ended, on errors and
signals, too. Needs nginx, redis-server, and namespaces (as root, or where users may make their own).
"""

import os
import statistics
import sys
import threading
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "cluster"), str(HERE.parent / "http")]

from bench_load import arguments, ratio_by_round, run  # noqa: E402
from bench_process import cpu_ns  # noqa: E402

NODES_PASS = 1.8
CLIENTS = 64
NO_CACHE = ("proxy_cache tiles;", "proxy_cache off;")
WITHOUT = {n: [(f"        server node{n}:8080 max_fails=2 fail_timeout=5s;\n", ""), (f"        server node{n}:8080 max_fails=0;\n", "")]
           for n in (2, 3)}


def walks(seed, viewers, steps):
    """Targets of some viewers, each at another place of one of two worlds, as they come at the same time."""
    from walk import path_of_screens
    paths = [[f"/tile/{41 + v % 2}/{level}/{x + 700 * v}/{y - 900 * seed}.png" for level, x, y in
              path_of_screens(1000 * seed + v, [0, 1, 2, 3], steps)] for v in range(viewers)]
    return list(dict.fromkeys(path[i] for i in range(max(map(len, paths))) for path in paths if i < len(path)))


def fetch_all(address, targets, clients=CLIENTS):
    """Wall seconds until all have been answered by 200. A 503 is asked again."""
    from http_client import Connection
    left, failed, lock = iter(targets), [], threading.Lock()

    def client():
        with Connection(address) as connection:
            while True:
                with lock:
                    target = next(left, None)
                if target is None:
                    return
                while (answer := connection.ask(target)).status == 503:
                    time.sleep(0.05)
                if answer.status != 200:
                    failed.append((target, answer.status))

    threads = [threading.Thread(target=client) for _ in range(clients)]
    started = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failed:
        raise RuntimeError(f"{len(failed)} failed: {failed[:3]}")
    return time.perf_counter() - started


def nodes(cluster, report, quick):
    """Twice: viewers whose regions one node's memory holds, and so many that it does not, as two nodes' does."""
    one_against_two(cluster, report, 40, 2 if quick else 3, range(1 if quick else 3))
    if not quick:
        one_against_two(cluster, report, 100, 2, range(5, 6))


def one_against_two(cluster, report, viewers, steps, rounds):
    seconds, rates = {1: [], 2: []}, {1: [], 2: []}
    split = []
    for r in rounds:
        targets = walks(r, viewers, steps)
        for count in (1, 2) if r % 2 else (2, 1):
            cluster.restart_front(swap=[NO_CACHE, *WITHOUT[3], *(WITHOUT[2] if count == 1 else [])])
            cluster.forget()
            before = [cpu_ns(node.process.pid) for node in cluster.nodes]
            seconds[count].append(fetch_all(cluster.front.address, targets))
            rates[count].append(len(targets) / seconds[count][-1])
            used = [(cpu_ns(node.process.pid) - b) / 1e9 for node, b in zip(cluster.nodes, before)]
            if count == 1:
                alone = used[0]
            else:
                both = used[:2]
        split.append(alone / max(both))
        report.say(f"    {len(targets)} tiles: one node {seconds[1][-1]:6.2f} s ({alone:.2f} of CPU), two {seconds[2][-1]:6.2f} s "
                   f"({both[0]:.2f} + {both[1]:.2f}): {seconds[1][-1] / seconds[2][-1]:.2f} x")
    ratio = ratio_by_round(seconds[1], seconds[2])
    report.data[f"nodes, {viewers} viewers"] = {"seconds": seconds, "tiles_per_s": rates, "cpu_ratio": split}
    report.judge(f"two nodes, a core each, against one: {viewers} walk", ratio, NODES_PASS, True, "x",
                 f"by CPU time of the busier node {statistics.median(split):.2f} x")


def main():
    args = arguments(__doc__)
    os.environ["TERRANE"] = str(args.terrane)
    import cluster as kit
    why = kit.missing()
    if why:
        print(f"bench_cluster: {why}", file=sys.stderr)
        return 0
    cores = sorted(os.sched_getaffinity(0))
    settings = {"render": {"threads": 1, "deadline_ms": 60000}, "cache": {"shared_timeout_ms": 1000, "shared_lease_ms": 30000}}
    pinned = lambda i: (kit.which("taskset"), "-c", str(cores[(i - 1) % len(cores)]))  # noqa: E731

    def measure(report, _):
        report.say(f"A cluster: {len(cores)} cores")
        with kit.Cluster(settings, pinned) as cluster:
            nodes(cluster, report, args.quick)

    return run(args, measure)


if __name__ == "__main__":
    sys.exit(main())
