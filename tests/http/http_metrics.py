"""Prometheus text, version 0.0.4, read strictly: a line that is not exactly right fails."""

import re

NAME = r"[a-zA-Z_:][a-zA-Z0-9_:]*"
LABEL = r'[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\n]|\\[\\"n])*"'
NUMBER = r"[+-]?(?:\d+(?:\.\d*)?(?:e[+-]?\d+)?|Inf)|NaN"
SAMPLE = re.compile(rf"({NAME})(?:\{{({LABEL}(?:,{LABEL})*)\}})? ({NUMBER})")
META = re.compile(rf"# (HELP|TYPE) ({NAME}) (.+)")
TYPES = {"counter", "gauge", "histogram", "summary", "untyped"}


class Metrics:
    def __init__(self):
        self.type = {}     # family: type
        self.samples = {}  # (name, frozenset of label pairs): value

    def total(self, name, **labels):
        """The sum of a name's samples that have these labels. The family has to be there."""
        assert name in self.type or any(key[0] == name for key in self.samples), name
        wanted = set(labels.items())
        return sum(value for (found, pairs), value in self.samples.items() if found == name
                   and wanted <= pairs)

    def labels(self, name):
        return [dict(pairs) for found, pairs in self.samples if found == name]

    def family(self, name):
        base = re.sub(r"_(bucket|sum|count)$", "", name)
        return base if self.type.get(base) == "histogram" else name


def _check_histograms(metrics):
    for family in (name for name, kind in metrics.type.items() if kind == "histogram"):
        series = {}
        for (name, pairs), value in metrics.samples.items():
            if name == f"{family}_bucket":
                labels = dict(pairs)
                bound = float(labels.pop("le"))
                series.setdefault(frozenset(labels.items()), []).append((bound, value))
        assert series, f"{family} has no buckets"
        for labels, buckets in series.items():
            buckets.sort()
            counts = [count for _, count in buckets]
            assert buckets[-1][0] == float("inf") and counts == sorted(counts), (family, buckets)
            assert metrics.samples[f"{family}_count", labels] == counts[-1]
            # A scrape may come between the two steps of an observation: the sum is ahead then, never behind.
            assert metrics.samples[f"{family}_sum", labels] > 0 or counts[-1] == 0


def parse_metrics(text):
    assert text.endswith("\n") and "\r" not in text
    metrics, helped, current, closed = Metrics(), set(), None, set()
    for line in text[:-1].split("\n"):
        meta = META.fullmatch(line)
        if meta:
            kind, name, rest = meta.groups()
            if kind == "HELP":
                assert name not in helped, f"second HELP: {line}"
                helped.add(name)
            else:
                assert name not in metrics.type and rest in TYPES and name in helped, line
                metrics.type[name] = rest
            if name != current:
                closed.add(current)
                current = name
            continue
        sample = SAMPLE.fullmatch(line)
        assert sample, f"neither comment nor sample: {line!r}"
        name, labels, value = sample.groups()
        family = metrics.family(name)
        assert family == current and family in metrics.type, f"outside its family: {line}"
        pairs = re.findall(LABEL, labels or "")
        names = [pair.partition("=")[0] for pair in pairs]
        assert len(set(names)) == len(names), line
        key = name, frozenset((pair.partition("=")[0], pair.partition("=")[2][1:-1]) for pair in pairs)
        assert key not in metrics.samples, f"twice: {line}"
        if metrics.type[family] in ("counter", "histogram"):
            assert float(value) >= 0, line
        metrics.samples[key] = float(value)
        assert current not in closed, f"family in two places: {line}"
    _check_histograms(metrics)
    return metrics
