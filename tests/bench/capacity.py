#!/usr/bin/env python3
"""How many nodes a world with so many requests a second takes: a simulation of viewers, and figures measured here.

    capacity.py                     the table for 1k, 10k and 100k requests a second, in one to three minutes
    capacity.py --scattered         ... of viewers who have little in common
    capacity.py --measure           measures what things cost here, into build/capacity.json, which the rest then uses
    capacity.py --validate          one walk against real servers: what the model says, and what they count

A request counts where it leaves the browser: at the CDN if there is one, else at nginx. Viewers walk as capacity_walk.py
says, on one world; their number grows with the rate, and the places they love stay the same. All caches are empty at
the start, and what is reported is the second half of the time. Disks of the default size are full by then: later hours
cost the same, and less with larger ones (--disk-gb, --span). Another --seed is another walk: see how far it differs.
Of much traffic a piece of the world is simulated (capacity_walk.py). Deterministic by --seed.

The table, by rate and by how nginx chooses a node: hits of the nodes' memory, of their disks, of the shared tier and what
is made, in percent of what nodes are asked; regions made; busy cores of all nodes, and those of regions alone; nodes,
whose cores are busy for --load of the time on the mean (--json has the hottest); the nodes' Gbit/s; commands and Gbit/s
to and from the shared tier. It leaves out that renders wait for cores, that nodes fail, and TLS.
"""

import argparse
import json
import signal
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

import numpy as np

import capacity_model as model
from capacity_tiers import Cluster, Lru, Router
from capacity_walk import Habits, requests, walk

GB = 10**9
FIGURES_FILE = Path("build/capacity.json")
ROUTES = ("neighbourhood", "uri", "random")
SAMPLE_GROWS = 0.35  # of the rate: requests simulated
SIMULATED_LEAST = 4  # hashed nodes
GUESS_CORES = 0.012  # busy, for each request a second


def note(text):
    print(f"capacity: {text}", file=sys.stderr, flush=True)


# ---- Before the nodes -----------------------------------------------------------------------------------


def after_browsers(views, keys, view, sizes, budget):
    """Which requests leave the browsers: each session has a cache of its own."""
    leaves = np.zeros(len(keys), dtype=bool)
    session_of = views.session[view]
    cache, last = None, -1
    for k, (session, key) in enumerate(zip(session_of.tolist(), keys.tolist())):
        if session != last:
            cache, last = Lru(budget), session
        if not cache.get(key):
            cache.put(key, sizes(key))
            leaves[k] = True
    return leaves


class Stream:
    """Requests that leave browsers, in order of time: arrays session and key; from `half` on they count."""

    def __init__(self, args, habits, rate, sizes):
        self.share = min(1.0, args.sample * (rate / 1000) ** SAMPLE_GROWS / (rate * args.span))
        self.rate = rate
        random = np.random.default_rng(args.seed)
        a_session = self.pilot(args, habits, sizes)
        sessions = max(1, round(rate * self.share * args.span / a_session))
        views = walk(random, habits, sessions, args.span, self.share)
        view, keys = requests(views, habits, self.share)
        leaves = after_browsers(views, keys, view, sizes, args.browser_mb * 1e6)
        order = np.argsort(views.time_s[view], kind="stable")
        order = order[views.time_s[view[order]] < args.span]
        counted = views.time_s[view] >= args.span / 2
        self.asked = int((counted & (views.time_s[view] < args.span)).sum())
        order = order[leaves[order]]
        self.session, self.key = views.session[view[order]], keys[order]
        self.half = int(np.searchsorted(views.time_s[view[order]], args.span / 2))
        self.views = views

    @staticmethod
    def pilot(args, habits, sizes):
        """Requests that a session sends, about: of a few hundred that are no others'."""
        views = walk(np.random.default_rng(args.seed + 1), habits, 400, 1.0)
        view, keys = requests(views, habits)
        return after_browsers(views, keys, view, sizes, args.browser_mb * 1e6).sum() / 400


def pass_through(caches, pick, stream, half, sizes):
    """Requests that miss a tier of several caches. Returns (indices of misses, index of the first that counts, hits that
    count, their bytes)."""
    missed, hits, hit_bytes = [], 0, 0
    at_half = None
    for k, key in enumerate(stream.tolist()):
        if k == half:
            at_half = len(missed)
        cache = caches[pick[k]] if len(caches) > 1 else caches[0]
        if cache.get(key):
            hits += k >= half
            hit_bytes += sizes(key) if k >= half else 0
        else:
            cache.put(key, sizes(key))
            missed.append(k)
    return np.asarray(missed, dtype=np.int64), len(missed) if at_half is None else at_half, hits, hit_bytes


# ---- The nodes ------------------------------------------------------------------------------------------


def run_nodes(args, figures, habits, keys, half, share, nodes, route, shared):
    """A cluster's counts, from `half` on, by node.

    Hashed nodes share the ground out: a piece of the world is served by a share of them, with all of their caches. Of
    nodes that are asked at random each has its part of all the ground: there are all of them, with a share of their caches.
    """
    simulated = nodes if route == "random" else min(nodes, max(SIMULATED_LEAST, round(nodes * share)))
    scale = share * nodes / simulated
    store = Lru(args.shared_gb * GB * share) if shared else None
    cluster = Cluster(figures, habits.layers, simulated, args.memory_gb * GB * scale, args.disk_gb * GB * scale, store)
    router = Router(route, simulated, np.random.default_rng(args.seed + 2), args.block)
    ask, before = cluster.ask, None
    for k, (node, key) in enumerate(zip(router.nodes_of(keys), keys.tolist())):
        if k == half:
            before = [Counter(c) for c in cluster.counts]
        ask(node, key)
    for counts, start in zip(cluster.counts, before or cluster.counts):
        counts.subtract(start)
    return cluster


def judge(args, figures, cluster, seconds, share, shared):
    """Rates and cores of a cluster whose counts are of so many seconds and of a share of the traffic."""
    per_s = 1 / (seconds * share)
    total = sum(cluster.counts, Counter())
    spent = [model.node_ms(figures, counts, shared) for counts in cluster.counts]
    cores = [sum(s.values()) / 1e3 * per_s for s in spent]
    hottest = max(cores) / (sum(cores) / len(cores)) if sum(cores) else 1.0
    rendered = model.renders(total)
    asked = max(1, total["memory"] + total["disk"] + total["shared"] + rendered)
    commands = (total["shared"] * model.SHARED_HIT_COMMANDS + rendered * model.SHARED_MAKE_COMMANDS) if shared else 0
    return {
        "asked_per_s": asked * per_s,
        "memory": total["memory"] / asked,
        "disk": total["disk"] / asked,
        "shared": total["shared"] / asked,
        "made": rendered / asked,
        "renders_per_s": rendered * per_s,
        "regions_per_s": model.regions(total) * per_s,
        "cores": sum(cores),
        "cores_for_regions": sum(s["regions"] for s in spent) / 1e3 * per_s,
        "hottest_node": hottest,
        "nodes": model.nodes_needed(sum(cores), args.cores, args.load, args.least_nodes),
        "node_gbit_s": total["sent"] * 8e-9 * per_s,
        "disk_mb_s": total["stored"] / 1e6 * per_s,
        "shared_commands_per_s": commands * per_s,
        "shared_gbit_s": (total["shared in"] + total["shared out"]) * 8e-9 * per_s if shared else 0,
        "shared_held_gb": cluster.shared.bytes / GB / share if shared else 0,
        "distinct_tiles": sum(key >= 0 for key in cluster.facts) / share,
    }


def front(args, stream, share, seconds, sizes, with_cdn):
    """CDN and nginx: (keys that nodes are asked for, the first that counts, what was seen on the way)."""
    keys, session, half, seen = stream.key, stream.session, stream.half, {}
    if with_cdn:
        edges = [Lru(args.cdn_gb * GB * share) for _ in range(args.cdn_edges)]
        counted = len(keys) - half
        missed, half, hits, _ = pass_through(edges, session % args.cdn_edges, keys, half, sizes)
        keys, session = keys[missed], session[missed]
        seen["cdn"] = hits / max(1, counted)
    counted = keys[half:]
    sent = sum(map(sizes, counted.tolist()))
    seen["nginx_per_s"] = len(counted) / (seconds * share)
    seen["nginx_gbit_s"] = sent * 8e-9 / (seconds * share)
    seen["nginxes"] = max(1, round(stream.rate / args.nginx_rate))
    caches = [Lru(args.nginx_gb * GB * share) for _ in range(seen["nginxes"])]
    missed, half, hits, _ = pass_through(caches, session // 7 % len(caches), keys, half, sizes)
    seen["nginx"] = hits / max(1, len(counted))
    return keys[missed], half, seen


def simulate(args, figures, habits, rate, with_cdn, stream=None):
    """All that is known of a rate: a dict with a row for each (route, shared)."""
    sizer = Cluster(figures, habits.layers, 1, 0, 0).size
    stream = stream or Stream(args, habits, rate, sizer)
    seconds = args.span / 2
    keys, half, seen = front(args, stream, stream.share, seconds, sizer, with_cdn)
    # the pilot's rate is about right: what is reported is scaled to the one that is wanted
    got = (len(stream.key) - stream.half) / (seconds * stream.share)
    seconds *= got / rate
    seen["nginx_per_s"] *= rate / got
    seen["nginx_gbit_s"] *= rate / got
    figure = figures["nginx_hit_ms"] * seen["nginx"] + figures["nginx_miss_ms"] * (1 - seen["nginx"])
    result = {"rate": rate, "cdn_there": with_cdn, "share": stream.share, "requests": len(stream.key),
              "browser": 1 - (len(stream.key) - stream.half) / stream.asked,
              "sessions": int(stream.views.session[-1]) + 1, **seen,
              "nginx_cores": figure * seen["nginx_per_s"] / 1e3, "rows": {}}
    def run(route, shared, nodes):
        note(f"{rate:,} requests/s{', CDN' if with_cdn else ''}: {nodes} nodes, {route}{', shared tier' if shared else ''}")
        cluster = run_nodes(args, figures, habits, keys, half, stream.share, nodes, route, shared)
        return judge(args, figures, cluster, seconds, stream.share, shared)

    nodes = args.nodes or model.nodes_needed(GUESS_CORES * rate, args.cores, args.load, args.least_nodes)
    row = run("neighbourhood", True, nodes)
    if not args.nodes and abs(row["nodes"] - nodes) > nodes / 10:
        nodes = row["nodes"]
        row = run("neighbourhood", True, nodes)
    result["nodes_simulated"] = nodes
    for route in args.routes:
        for shared in (True, False):
            if with_cdn and shared != (route == "neighbourhood"):
                continue  # fewer rows
            first = (route, shared) == ("neighbourhood", True)
            result["rows"][f"{route}{' + shared' if shared else ''}"] = row if first else run(route, shared, nodes)
    return result, stream


# ---- What is printed ------------------------------------------------------------------------------------


def table(results, cores):
    print(f"{'':>8} {'':<23} {'% of what nodes are asked':<27} {'a second':>9} {'cores':>7} {'of':>7} "
          f"{'nodes of':>8} {'Gbit/s':>7} {'shared':>8} {'tier':>7}")
    print(f"{'asked/s':>8} {'nodes are asked by':<23} {'memory':>6} {'disk':>6} {'shared':>6} {'made':>6} "
          f"{'regions':>9} {'busy':>7} {'regions':>7} {f'{cores} cores':>8} {'to nginx':>8} {'cmds/s':>7} {'Gbit/s':>7}")
    for result in results:
        cdn = f"CDN {result['cdn']:.1%}, " if result["cdn_there"] else ""
        print(f"{result['rate']:,}/s: browsers {result['browser']:.1%} (of more), {cdn}nginx {result['nginx']:.1%} of "
              f"{result['nginx_per_s']:,.0f}/s: {result['nginx_gbit_s']:.2f} Gbit/s out, {result['nginx_cores']:.1f} cores; "
              f"{result['nodes_simulated']} nodes, 1/{1 / result['share']:.0f} simulated")
        for name, row in result["rows"].items():
            print(f"{row['asked_per_s']:8,.0f} {name:<23} {row['memory']:6.1%} {row['disk']:6.1%} {row['shared']:6.1%} "
                  f"{row['made']:6.1%} {row['regions_per_s']:9,.1f} {row['cores']:7.1f} {row['cores_for_regions']:7.1f} "
                  f"{row['nodes']:8d} {row['node_gbit_s']:8.2f} {row['shared_commands_per_s']:7,.0f} "
                  f"{row['shared_gbit_s']:7.2f}")


def costs(figures):
    """What things cost, in words."""
    tile, wall = figures["tile_ms"], figures["wall_ms"]
    anchors = sum(figures["region_ms"]["anchor"].values())
    print(f"On {figures['machine']}, CPU ms (and wall ms at the client)")
    lines = (
        ("base tile, cold", f"{figures['base_ms']:.2f} PNG, {figures['base_raw_ms']:.2f} f32", "base tile"),
        ("eroded tile, nothing there", f"{model.cold_ms(figures, 'height', 0):.0f}; relief "
         f"{model.cold_ms(figures, 'relief', 0):.0f}, with lakes", None),
        ("eroded tile, new region", f"{tile['height'][0] + figures['region_ms']['erosion']['0']:.0f}; anchors "
         f"{anchors:.0f}, which many share", "eroded tile, new region"),
        ("eroded tile, warm region", f"{tile['height'][0]:.2f}; relief {tile['relief'][0]:.2f}", "eroded tile, warm region"),
        ("from the disk", f"{figures['disk_ms']:.3f}; to store one {figures['store_ms']:.2f}", "from disk"),
        ("from the shared tier", f"{figures['shared_ms']:.3f}; {figures['shared_make_ms']:.2f} more for one made",
         "from the shared tier"),
        ("from memory", f"{figures['hot_ms']:.4f} of {figures['hot_bytes'] / 1e3:.0f} KB", "hot"),
        ("304", f"{figures['not_modified_ms']:.4f}", None),
        ("nginx before it", f"{figures['nginx_hit_ms']:.3f} a hit, {figures['nginx_miss_ms']:.3f} a miss", None),
    )
    for name, text, key in lines:
        print(f"    {name:<28} {text}" + (f"   ({wall[key]} ms)" if key in wall else ""))
    memory = figures["memory"]
    print(f"    memory beside budgets        {memory['fresh_mb']:.0f} MB, {memory['job_mb']:.0f} MB a job, "
          f"{memory['connection_kb']:.0f} KB a connection")
    for layer, sizes in figures["bytes"].items():
        print(f"    bytes a tile, {layer:<14} " + ", ".join(f"{sizes[k] / 1e3:.0f}" for k in (0, 2, 4, 6, 8, 10, 14))
              + " KB at levels 0, 2, 4, 6, 8, 10, 14")


def arguments(argv=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("--measure", action="store_true", help="measure what things cost, in about a minute")
    add("--validate", action="store_true", help="compare with real servers")
    add("--terrane", default="build/terrane", help="the program, for both")
    add("--places", type=int, default=5, help="measured places")
    add("--figures", metavar="FILE", help=f"measured figures (default: {FIGURES_FILE} where it is there)")
    add("--set", action="append", default=[], metavar="NAME=NUMBER", help="one figure, as hot_ms=0.02; repeatable")
    add("--rates", type=lambda t: [int(float(v)) for v in t.split(",")], default=[1000, 10000, 100000],
        metavar="N,N...", help="requests a second")
    add("--cdn", choices=("both", "with", "without"), default="both")
    add("--routes", type=lambda t: t.split(","), default=["neighbourhood", "random"], metavar="R,R...",
        help=f"how nginx chooses, of {', '.join(ROUTES)}")
    add("--block", type=int, default=20, help="tiles a neighbourhood is wide")
    add("--scattered", action="store_true", help="viewers with little in common")
    add("--layers", default="relief,height", help="layers of the map, of those measured")
    add("--zipf", type=float, help="exponent of the popularity of places")
    add("--crowd", type=int, metavar="PLACES", help="places of the world that draw viewers")
    add("--cores", type=int, default=8, help="of a node")
    add("--load", type=float, default=0.6, help="share of its cores that a node may have busy")
    add("--nodes", type=int, default=0, help="so many, whatever they cost")
    add("--least-nodes", type=int, default=3)
    add("--memory-gb", type=float, default=8, help="memory tier of a node")
    add("--disk-gb", type=float, default=200, help="disk tier of a node")
    add("--shared-gb", type=float, default=16, help="memory of the shared tier")
    add("--nginx-gb", type=float, default=10, help="cache of an nginx")
    add("--nginx-rate", type=int, default=10000, help="requests a second that an nginx is for")
    add("--browser-mb", type=float, default=100, help="cache of a browser")
    add("--cdn-gb", type=float, default=1000, help="cache of a place of the CDN")
    add("--cdn-edges", type=int, default=10, help="places of the CDN, each with its share of viewers")
    add("--span", type=float, default=3600, help="simulated seconds, half of them warming up")
    add("--sample", type=int, default=100000, help="requests to simulate at 1,000 a second; more at more")
    add("--seed", type=int, default=1)
    add("--json", metavar="FILE", help="write everything")
    args = parser.parse_args(argv)
    for route in args.routes:
        if route not in ROUTES:
            parser.error(f"--routes {route}: of {', '.join(ROUTES)}")
    return args


def figures_of(args):
    """What was measured, with --set over it."""
    path = Path(args.figures) if args.figures else FIGURES_FILE
    measured = json.loads(path.read_text()) if args.figures or path.exists() else None
    figures = model.complete(measured)
    for text in args.set:
        name, _, value = text.partition("=")
        if not isinstance(figures.get(name), (int, float)):
            known = ", ".join(sorted(k for k, v in figures.items() if isinstance(v, (int, float))))
            sys.exit(f"capacity: --set {name}: of {known}")
        figures[name] = float(value)
    return figures


def habits_of(args, figures):
    layers = tuple(args.layers.split(","))
    for layer in layers:
        if layer not in figures["bytes"]:
            sys.exit(f"capacity: --layers {layer}: of {', '.join(figures['bytes'])}")
    chosen = {"layers": layers, **({"zipf": args.zipf} if args.zipf is not None else {}),
              **({"places": args.crowd} if args.crowd else {})}
    return Habits.scattered(**chosen) if args.scattered else Habits(**chosen)


def main():
    args = arguments()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    if args.measure:
        from capacity_measure import measure

        with tempfile.TemporaryDirectory(prefix="terrane-capacity-") as directory:
            figures = measure(directory, args.terrane, args.places)
        FIGURES_FILE.parent.mkdir(exist_ok=True)
        FIGURES_FILE.write_text(json.dumps(figures, indent=1) + "\n")
        costs(model.complete(figures))
        note(f"written to {FIGURES_FILE}")
        return 0
    figures = figures_of(args)
    habits = habits_of(args, figures)
    if args.validate:
        from capacity_validate import validate

        return validate(args, figures, habits)
    costs(figures)
    start, results = time.monotonic(), []
    for rate in args.rates:
        stream = None
        for with_cdn in {"both": (False, True), "with": (True,), "without": (False,)}[args.cdn]:
            result, stream = simulate(args, figures, habits, rate, with_cdn, stream)
            results.append(result)
    print()
    table(results, args.cores)
    note(f"{time.monotonic() - start:.0f} s")
    if args.json:
        Path(args.json).write_text(json.dumps({"arguments": vars(args), "results": results}, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
