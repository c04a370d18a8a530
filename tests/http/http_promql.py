"""PromQL, read as far as tests of dashboards and alerts need: which metrics an expression selects, by which labels, and how."""

import dataclasses
import re

FUNCTIONS = ("rate", "increase", "irate", "histogram_quantile", "absent", "changes", "time", "vector",
             "sum", "count", "min", "max", "avg", "avg_over_time")
OF_COUNTERS = {"rate", "increase", "irate"}
GROUPING = re.compile(r"\b(?:by|without|on|ignoring|group_left|group_right) *\(([\w, ]*)\)")
MATCHER = r'([a-z_]+) *(=~|!~|!=|=) *("(?:[^"\\]|\\.)*")'
ANY = re.sub(r"\((?!\?)", "(?:", MATCHER)  # without its parts
RANGE = r"\[(?:(?:\d+(?:ms|[smhdwy]))+|\$__rate_interval)\]"
SELECTOR = re.compile(rf"(?:\b(\w+)\( *)?\b((?:terrane|process)_\w+|up)\b *({{{ANY}(?: *, *{ANY})*}})?({RANGE})?")
# What else there may be.
REST = re.compile(rf"(?:\s|(?:{'|'.join(FUNCTIONS)})(?=\s*\()|\b(?:and|or|unless|bool|offset)\b"
                  r"|\d+(?:\.\d*)?(?:e[+-]?\d+)?|[=!<>]=|[-+*/%^<>(),])*")


@dataclasses.dataclass
class Selector:
    name: str
    matchers: list    # (label, operator, value)
    over: str = ""    # the range, where there is one
    function: str = ""  # whose argument it is


def read(text):
    """Selectors of an expression, and the labels that it groups by."""
    selectors = []

    def take(match):
        function, name, matchers, over = match.groups(default="")
        found = re.findall(MATCHER, matchers)
        selectors.append(Selector(name, [(label, operator, value[1:-1]) for label, operator, value in found], over, function))
        return f"{function}(" if function else ""
    labels = {name for group in GROUPING.findall(text) for name in re.findall(r"\w+", group)}
    rest = SELECTOR.sub(take, GROUPING.sub("", text))
    assert text and REST.fullmatch(rest) and rest.count("(") == rest.count(")"), f"no PromQL that is known here: {text}"
    return selectors, labels
