"""PromQL, read as far as tests of dashboards and alerts need: which metrics an expression selects, by which labels, and how."""

import dataclasses
import re

TOKEN = re.compile(r"""
    (?P<space>\s+)
  | (?P<string>"(?:[^"\\]|\\.)*")
  | (?P<range>\[(?:\d+(?:ms|[smhdwy]))+\]|\[\$__rate_interval\])
  | (?P<number>\d+(?:\.\d*)?(?:e[+-]?\d+)?)
  | (?P<name>[a-zA-Z_:][a-zA-Z0-9_:]*)
  | (?P<operator>==|!=|>=|<=|=~|!~|[-+*/%^<>=(){},])
""", re.VERBOSE)
FUNCTIONS = {"rate", "increase", "irate", "histogram_quantile", "absent", "changes", "time", "vector",
             "sum", "count", "min", "max", "avg", "avg_over_time"}
OF_COUNTERS = {"rate", "increase", "irate"}
GROUPING = {"by", "without", "on", "ignoring", "group_left", "group_right"}
WORDS = {"and", "or", "unless", "bool", "offset"}
MATCHES = {"=", "!=", "=~", "!~"}


@dataclasses.dataclass
class Selector:
    name: str
    matchers: list    # (label, operator, value)
    over: str = ""    # the range, where there is one
    function: str = ""  # whose argument it is


def tokens(text):
    found, at = [], 0
    while at < len(text):
        match = TOKEN.match(text, at)
        assert match, f"no PromQL from here on: {text[at:]!r}"
        if match.lastgroup != "space":
            found.append((match.lastgroup, match[0]))
        at = match.end()
    return found


def _close(found, at, opening, closing):
    depth = 0
    for end in range(at, len(found)):
        depth += (found[end][1] == opening) - (found[end][1] == closing)
        if depth == 0:
            return end
    raise AssertionError(f"{opening} is not closed")


def _matchers(found):
    """Of the tokens between braces."""
    read = []
    while found:
        (kind, label), (_, operator), (value_kind, value), *found = found
        assert kind == "name" and operator in MATCHES and value_kind == "string", (label, operator, value)
        read.append((label, operator, value[1:-1]))
        assert not found or found[0][1] == ",", found
        found = found[1:]
    return read


def read(text):
    """Selectors of an expression, and the labels that it groups by."""
    found, at, selectors, labels, calls = tokens(text), 0, [], set(), []
    assert found, "an empty expression"
    while at < len(found):
        kind, token = found[at]
        following = found[at + 1][1] if at + 1 < len(found) else ""
        if token == "(":
            calls.append(found[at - 1][1] if at and found[at - 1][1] in FUNCTIONS else "")
        elif token == ")":
            assert calls, f"one ) too many: {text}"
            calls.pop()
        elif kind == "name" and token in GROUPING:
            end = _close(found, at + 1, "(", ")")
            labels |= {name for what, name in found[at + 2:end] if what == "name"}
            at = end
            if at + 1 < len(found) and found[at + 1][1] == "(" and token in ("by", "without"):
                calls.append("sum")  # an aggregation whose labels come first
                at += 1
        elif kind == "name" and following == "(":
            assert token in FUNCTIONS, f"{token} is no function that is known here: {text}"
        elif kind == "name" and token not in WORDS and token not in FUNCTIONS:
            selector = Selector(token, [], function=calls[-1] if calls else "")
            if following == "{":
                end = _close(found, at + 1, "{", "}")
                selector.matchers = _matchers(found[at + 2:end])
                at = end
            if at + 1 < len(found) and found[at + 1][0] == "range":
                selector.over = found[at + 1][1]
                at += 1
            selectors.append(selector)
        else:
            assert kind != "range", f"a range of nothing: {text}"
        at += 1
    assert not calls, f"{len(calls)} ( are not closed: {text}"
    return selectors, labels
