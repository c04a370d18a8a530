"""Prometheus text, version 0.0.4, read strictly: a line that is not exactly right fails."""

import re

NAME = r"[a-zA-Z_:][a-zA-Z0-9_:]*"
LABEL = r'([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\[\\"n])*)"'
ANY_LABEL = re.sub(r"\((?!\?)", "(?:", LABEL)  # without its parts
NUMBER = r"[+-]?(?:\d+(?:\.\d*)?(?:e[+-]?\d+)?|Inf)|NaN"
SAMPLE = re.compile(rf"({NAME})(?:\{{({ANY_LABEL}(?:,{ANY_LABEL})*)\}})? ({NUMBER})")
FAMILY = re.compile(rf"# HELP ({NAME}) .+\n# TYPE ({NAME}) (counter|gauge|histogram|summary|untyped)\n((?:[^#\n].*\n)*)")


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
    families, metrics = list(FAMILY.finditer(text)), Metrics()
    assert "".join(found[0] for found in families) == text and "\r" not in text, "neither comments nor samples in their places"
    for found in families:
        helped, family, kind, lines = found.groups()
        assert helped == family not in metrics.type, f"not once: {family}"
        metrics.type[family] = kind
        for line in lines.split("\n")[:-1]:
            sample = SAMPLE.fullmatch(line)
            assert sample and metrics.family(sample[1]) == family, f"no sample of {family}: {line!r}"
            name, labels, value = sample.groups()
            pairs = re.findall(LABEL, labels or "")
            key = name, frozenset(pairs)
            assert len(dict(pairs)) == len(pairs) and key not in metrics.samples, f"twice: {line}"
            assert kind not in ("counter", "histogram") or float(value) >= 0, line
            metrics.samples[key] = float(value)
    _check_histograms(metrics)
    return metrics
