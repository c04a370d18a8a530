"""What benchmarks of the server share: their command line, load by wrk, the rows that a pass line judges."""

import argparse
import json
import re
import signal
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from bench_process import busy_share, which

ROOT = Path(__file__).resolve().parents[2]
MODULES = ROOT / "build/clients/node_modules"
UNITS = {"us": 1e-6, "ms": 1e-3, "s": 1.0, "m": 60.0}


def wrk(address, target, connections, seconds, headers=(), script=None):
    """One run of one thread. Returns a dict: requests, seconds, requests_per_s, p50_s, p99_s.

    An answer that is not 2xx or 3xx, or a failure of a socket, is a RuntimeError.
    """
    command = [which("wrk"), "-t1", f"-c{connections}", f"-d{seconds}s", "--latency", "--timeout", "30s"]
    for header in headers:
        command += ["-H", header]
    if script is not None:
        command += ["-s", str(script)]
    done = subprocess.run(command + [f"http://{address}{target}"], capture_output=True, text=True,
                          timeout=seconds + 60, check=False)
    text = done.stdout
    counts = re.search(r"(\d+) requests in ([\d.]+)(us|ms|s|m),", text)
    if done.returncode != 0 or counts is None:
        raise RuntimeError(f"wrk: {text}{done.stderr}")
    errors = re.findall(r"^\s*((?:Non-2xx|Socket errors).*)$", text, re.M)
    if errors:
        raise RuntimeError(f"{target}: {', '.join(errors)}, {counts[1]} requests in {counts[2]}{counts[3]}")
    latency = {k: float(v) * UNITS[u] for k, v, u in re.findall(r"(50|99)%\s+([\d.]+)(us|ms|s|m)\b", text)}
    return {
        "requests": int(counts[1]),
        "seconds": float(counts[2]) * UNITS[counts[3]],
        "requests_per_s": float(re.search(r"Requests/sec:\s+([\d.]+)", text)[1]),
        "p50_s": latency.get("50"),
        "p99_s": latency.get("99"),
    }


def node(script, *words):
    """What a script of Chromium prints, without an error of its pages."""
    done = subprocess.run(["node", ROOT / script, *map(str, words)], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(done.stderr)
    told = json.loads(done.stdout)
    if told["errors"]:
        raise RuntimeError("\n".join(told["errors"]))
    return told


class Fresh:
    """wrk scripts whose every request asks for a tile that none of this object's scripts asked for before."""

    ROWS = 4096  # of 256 tiles, for a script: more than a run can use up

    def __init__(self, path, seed):
        self.path, self.seed, self.row = path, seed, 0

    def script(self, suffix):
        """Writes the next script; returns its path. It begins in row self.row before the call."""
        self.path.write_text(f"""
local n = -1
request = function()
    n = n + 1
    return wrk.format("GET", string.format("/tile/{self.seed}/0/%d/%d{suffix}", n % 256,
                                           {self.row} + math.floor(n / 256)))
end
""")
        self.row += self.ROWS
        return self.path

    def target(self, n, suffix):
        """The n-th tile that the last script asks for, from 0."""
        return f"/tile/{self.seed}/0/{n % 256}/{self.row - self.ROWS + n // 256}{suffix}"


def percentile(values, share):
    """The least value that at least this share of all is not above."""
    return sorted(values)[max(0, -int(-share * len(values) // 1) - 1)]


def ratio_by_round(over, under):
    """Median of the ratios of runs that stood side by side."""
    return statistics.median(a / b for a, b in zip(over, under))


class Report:
    """What was measured: text at once, rows and data at the end."""

    def __init__(self):
        self.rows = []
        self.data = {}

    def say(self, text=""):
        print(text, flush=True)

    def judge(self, what, value, limit, at_least, unit="", note=""):
        """A row: measured against a pass line."""
        ok = value >= limit if at_least else value <= limit
        line = f"{'>=' if at_least else '<='} {limit:g}"
        self.rows.append({"what": what, "measured": value, "unit": unit, "pass": line, "ok": ok,
                          "note": note})

    def table(self):
        """The rows, one line each."""
        self.say(f"\n  {'what':<52} {'measured':>12}  {'pass line':<16} ")
        for r in self.rows:
            measured = f"{r['measured']:,.{0 if r['measured'] >= 1000 else 3}f} {r['unit']}".strip()
            line = f"{r['pass']} {r['unit']}".strip()
            verdict = "ok" if r["ok"] else "MISS"
            self.say(f"  {r['what']:<52} {measured:>12}  {line:<16} {verdict:<5} {r['note']}".rstrip())

    def passed(self):
        return all(r["ok"] for r in self.rows)

    def note_busy(self, when):
        """Says so when others use this machine, too: rates and wall times are then not what they are alone."""
        busy = self.data["busy_" + when] = busy_share()
        if busy > 0.03:
            self.say(f"WARNING: {when} this run others keep {busy:.0%} of the cores busy: do not trust it\n")


def arguments(about, parts=None, **more):
    """What the command line asks for; args.parts: those of parts, a function by name. more: options of a benchmark's own."""
    parser = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--terrane", type=lambda path: Path(path).resolve(), default="build/terrane", help="the program")
    if parts:
        parser.add_argument("--part", action="append", choices=parts, help="this part alone; repeatable")
    parser.add_argument("--quick", action="store_true", help="fewer and shorter runs")
    parser.add_argument("--strict", action="store_true", help="exit status 2 when a pass line is missed")
    parser.add_argument("--json", metavar="FILE", help="write everything that was measured")
    parser.add_argument("--tmp", metavar="DIR", help="where the temporary directory goes: up to 3 GB, a real disk")
    for name, given in more.items():
        parser.add_argument(f"--{name.replace('_', '-')}", **given)
    args = parser.parse_args()
    args.parts = [part for name, part in (parts or {}).items() if not args.part or name in args.part]
    return args


def run(args, measure):
    """measure(report, directory), and what it found as args ask for it; the exit status."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # a signal leaves through the context managers
    report = Report()
    report.note_busy("before")
    with tempfile.TemporaryDirectory(prefix="terrane-bench-", dir=args.tmp) as directory:
        measure(report, Path(directory))
    report.note_busy("after")
    report.table()
    if args.json:
        Path(args.json).parent.mkdir(parents=True, exist_ok=True)
        Path(args.json).write_text(json.dumps({"rows": report.rows, **report.data}, indent=1) + "\n")
    return 2 if args.strict and not report.passed() else 0


def run_parts(args, bench):
    """... by the parts that args ask for, of one bench(args, report, directory)."""
    def measure(report, directory):
        made = bench(args, report, directory)
        for part in args.parts:
            part(made)

    return run(args, measure)
