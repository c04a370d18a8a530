"""What operators are given to look through (config/grafana, config/prometheus): it parses, and all it names is there."""

import json
import os
import re
import subprocess
import time

import pytest
import yaml
from http_client import wait_for
from http_promql import OF_COUNTERS, read
from http_server import PROGRAM, ROOT, base_tile

DASHBOARD = json.loads((ROOT / "config/grafana/terrane.json").read_text())
ALERTS = yaml.safe_load((ROOT / "config/prometheus/alerts.yml").read_text())
README = (ROOT / "config/prometheus/README.md").read_text()
RULES = [rule for group in ALERTS["groups"] for rule in group["rules"]]

# What Prometheus adds to every series, and the one that it makes itself.
OF_PROMETHEUS = {"job", "instance"}
UP = "up"
# A series of requests appears with its first answer: these are told apart, whether there has been one or not.
STATUSES = {"200", "304", "400", "404", "410", "429", "503"}
ROUTES = {"/tile", "/world", "/healthz", "/readyz", "/metrics", "unknown"}


def panels():
    for panel in DASHBOARD["panels"]:
        yield panel
        yield from panel.get("panels", [])


def graphs():
    return [panel for panel in panels() if panel["type"] != "row"]


EXPRESSIONS = [(rule["alert"], rule["expr"]) for rule in RULES]
EXPRESSIONS += [(f"{panel['title']} {target['refId']}", target["expr"].replace("$__rate_interval", "5m"))
                for panel in graphs() for target in panel["targets"]]
EXPRESSIONS += [(note["name"], note["expr"]) for note in DASHBOARD["annotations"]["list"] if "expr" in note]


@pytest.fixture(scope="module")
def scrape(server):
    server.get(base_tile(42, 0, 0, 0, "png"))
    server.ask("/nothing")
    wait_for(lambda: server.count("terrane_requests_total", route="/tile", status="200"), what="the count")
    return server.metrics()


def known_values(scrape, name, label):
    if name == "terrane_requests_total" and label in ("route", "status"):
        return ROUTES if label == "route" else STATUSES
    return {labels[label] for labels in scrape.labels(name)}


def check_selector(scrape, selector):
    if selector.name == UP:
        return OF_PROMETHEUS
    series = scrape.labels(selector.name)
    assert series, f"there is no {selector.name}"
    kind = scrape.type[scrape.family(selector.name)]
    if selector.function in OF_COUNTERS:
        assert kind in ("counter", "histogram") and selector.over, f"{selector.function} of {selector.name}"
    else:
        assert kind == "gauge" or selector.function == "changes", f"{selector.name} bare: it only rises"
    names = set().union(*series)
    for label, operator, value in selector.matchers:
        if label in OF_PROMETHEUS:
            continue
        assert label in names, f"{selector.name} has no label {label}"
        values = known_values(scrape, selector.name, label)
        if operator in ("=", "!="):
            assert value in values, f"{selector.name}: {label} is never {value}"
        else:
            assert any(re.fullmatch(value, known) for known in values), f"{selector.name}: {label}: {value}"
    return names | OF_PROMETHEUS


def check(scrape, expression):
    selectors, grouped = read(expression)
    assert selectors or "vector" in expression
    names = set.union(*(check_selector(scrape, selector) for selector in selectors))
    assert grouped <= names, f"no label {grouped - names}"
    if "histogram_quantile" in expression:
        assert "le" in grouped and all(selector.name.endswith("_bucket") for selector in selectors)
    return {scrape.family(selector.name) for selector in selectors}


@pytest.mark.parametrize("name,expression", EXPRESSIONS, ids=[name for name, _ in EXPRESSIONS])
def test_every_metric_and_label_is_there(scrape, name, expression):
    check(scrape, expression)


def test_all_that_is_counted_is_shown_and_described(scrape):
    shown = set().union(*(check(scrape, expression) for _, expression in EXPRESSIONS))
    assert set(scrape.type) - shown == set() and set(re.findall(r"^\| `([a-z_]+)` \|", README, re.MULTILINE)) == set(scrape.type)


def test_the_dashboard_is_one_of_grafana_10():
    assert DASHBOARD["schemaVersion"] == 38 and DASHBOARD["uid"] == "terrane" and DASHBOARD["id"] is None
    numbers = [panel["id"] for panel in panels()]
    assert len(set(numbers)) == len(numbers)
    variables = {variable["name"] for variable in DASHBOARD["templating"]["list"]}
    text = json.dumps(DASHBOARD)
    assert set(re.findall(r"\$\{?([a-z]+)", text)) == variables == {"datasource", "job", "instance"}
    for panel in graphs():
        assert panel["title"] and len(panel["description"]) > 5 and panel["fieldConfig"]["defaults"]["unit"]
        for target in panel["targets"]:
            assert target["datasource"]["uid"] == panel["datasource"]["uid"] == "${datasource}"
            assert 'job="$job",instance=~"$instance"' in target["expr"]


def test_panels_fill_the_grid_without_overlapping():
    taken = {}
    for panel in panels():
        place = panel["gridPos"]
        assert 0 <= place["x"] and place["x"] + place["w"] <= 24
        for x in range(place["x"], place["x"] + place["w"]):
            for y in range(place["y"], place["y"] + place["h"]):
                assert (x, y) not in taken, (panel["title"], taken[x, y])
                taken[x, y] = panel["title"]


@pytest.mark.parametrize("panel", graphs(), ids=[panel["title"] for panel in graphs()])
def test_legends_name_labels_that_remain(panel):
    """Of an aggregated expression only the labels that it is grouped by are left."""
    for target in panel["targets"]:
        named = set(re.findall(r"{{(\w+)}}", target["legendFormat"]))
        selectors, grouped = read(target["expr"].replace("$__rate_interval", "5m"))
        assert named <= grouped | ({"instance"} if "sum" not in target["expr"] else set()), target["expr"]
        assert selectors


@pytest.mark.parametrize("rule", RULES, ids=[rule["alert"] for rule in RULES])
def test_an_alert_says_what_to_do(rule):
    assert set(rule) == {"alert", "expr", "for", "labels", "annotations"}
    assert re.fullmatch(r"Terrane[A-Z][A-Za-z]+", rule["alert"])
    assert re.fullmatch(r"[1-9]\d*[mh]", rule["for"])
    assert rule["labels"] in ({"severity": "critical"}, {"severity": "warning"})
    assert set(rule["annotations"]) == {"summary", "description"}
    assert "{{ $labels.instance }}" in rule["annotations"]["summary"]
    assert len(rule["annotations"]["description"]) > 100
    selectors, _ = read(rule["expr"])
    assert all(("job", "=", "terrane") in selector.matchers for selector in selectors)


def test_every_alert_is_described_once():
    assert re.findall(r"^\| `(Terrane\w+)` \|", README, re.MULTILINE) == [rule["alert"] for rule in RULES]
    assert len({rule["alert"] for rule in RULES}) == len(RULES)


def test_the_configuration_of_prometheus_finds_server_and_rules():
    config = yaml.safe_load((ROOT / "config/prometheus/prometheus.yml").read_text())
    (job,) = config["scrape_configs"]
    assert job["job_name"] == "terrane" and job["metrics_path"] == "/metrics"
    admin = json.loads(subprocess.check_output([PROGRAM, "config", "--defaults"]))["admin"]
    assert [target for static in job["static_configs"] for target in static["targets"]] == [admin]
    assert all((ROOT / "config/prometheus" / name).exists() for name in config["rule_files"])


def test_settings_that_alerts_name_exist():
    settings = json.loads(subprocess.check_output([PROGRAM, "config", "--defaults"]))
    for rule in RULES:
        for group, key in re.findall(r"\b(http|render|cache)\.(\w+)", rule["annotations"]["description"]):
            assert key in settings[group], f"{rule['alert']}: {group}.{key}"


def test_the_process_is_seen(server):
    metrics = server.metrics()
    pid = server.process.pid
    assert metrics.type["process_cpu_seconds_total"] == "counter"
    assert server.config.stat().st_mtime - 1 < metrics.total("process_start_time_seconds") < time.time() + 1
    assert 1e6 < metrics.total("process_resident_memory_bytes") < 4e9
    with open(f"/proc/{pid}/limits", encoding="ascii") as limits:
        soft = next(line.split()[3] for line in limits if line.startswith("Max open files"))
    assert metrics.total("process_max_fds") == float(soft)
    # The connection that asks is open for the server, too.
    wait_for(lambda: abs(server.count("process_open_fds") - len(os.listdir(f"/proc/{pid}/fd"))) <= 1, what="as many descriptors")
    for x in range(8):
        server.get(base_tile(7, 0, x, 5, "png"))
    assert server.count("process_cpu_seconds_total") > metrics.total("process_cpu_seconds_total")
