"""docker/compose.yaml and what it mounts fit together: names, addresses, ports, files. No engine is needed."""

import ipaddress
import json
import os
import re
import subprocess

import pytest
from cluster import PROGRAM, ROOT

yaml = pytest.importorskip("yaml", reason="needs python3-yaml")
DOCKER = ROOT / "docker"
NGINX = (DOCKER / "nginx.conf").read_text()
NODES = ["node1", "node2", "node3"]


def load(path):
    return yaml.safe_load((DOCKER / path).read_text())


@pytest.fixture(scope="module")
def compose():
    return load("compose.yaml")


@pytest.fixture(scope="module")
def services(compose):
    return compose["services"]


def address(service):
    return service["networks"]["inner"]["ipv4_address"]


def expand(text):
    """What stands there where no variable is set."""
    return re.sub(r"\$\{\w+:-([^}]*)\}", r"\1", text)


def test_services(compose, services):
    assert set(services) == {"nginx", *NODES, "valkey", "prometheus", "grafana"}
    subnet = ipaddress.ip_network(compose["networks"]["inner"]["ipam"]["config"][0]["subnet"])
    addresses = [address(s) for s in services.values()]
    assert len(set(addresses)) == len(services) and all(ipaddress.ip_address(a) in subnet for a in addresses)
    for name, service in services.items():
        assert re.search(r":[\w.-]*\d|:stable$|:dev$", expand(service["image"])), f"{name} has no version"
        assert set(service.get("depends_on", [])) <= set(services)
        assert set(service["networks"]) <= set(compose["networks"])
        assert service["read_only"] and service["cap_drop"] == ["ALL"] and "no-new-privileges:true" in service["security_opt"], name
        assert set(service.get("cap_add", [])) <= ({"CHOWN", "SETGID", "SETUID"} if name == "nginx" else set())


def test_what_can_be_reached(compose, services):
    """From outside nginx, from this machine the operators' pages; nodes and store are on the inner network alone."""
    assert compose["networks"]["inner"]["internal"] is True
    for name in (*NODES, "valkey"):
        assert "ports" not in services[name] and list(services[name]["networks"]) == ["inner"]
    ports = {name: [expand(p) for p in s.get("ports", [])] for name, s in services.items()}
    assert [p.split(":")[-1] for p in ports["nginx"]] == ["8080", "8443"]
    for name in ("prometheus", "grafana"):
        assert all(p.startswith("127.0.0.1:") for p in ports[name])
    assert not any("8081" in p for named in ports.values() for p in named) and "8081" not in NGINX


def test_nodes(services):
    for name in NODES:
        node = services[name]
        assert node["user"] == "10001:10001" and node["healthcheck"]["test"] == ["CMD", "terrane", "health"]
        assert node["volumes"] == [f"{name}-cache:/var/cache/terrane"]
        assert int(node["stop_grace_period"].rstrip("s")) > 10, "shorter than a node drains"
        assert node["environment"]["TERRANE_HTTP_TRUSTED_PROXIES"] == address(services["nginx"])
        assert node["environment"]["TERRANE_LISTEN"].endswith(":8080") and node["environment"]["TERRANE_ADMIN"].endswith(":8081")
        assert node["environment"]["TERRANE_CACHE_SHARED"].split("//")[1].split(":")[0] in services


def test_worlds_have_one_home(services, tmp_path):
    """And a place on a disk of its own on each node."""
    shared = load("shared.yaml")
    nodes = shared["services"]
    home = f"http://{address(services['node1'])}:8080"
    (tmp_path / "keys.json").write_text('{"keys": []}')
    (tmp_path / "follow-key").write_text("a-key-of-a-follower-0123")
    assert [nodes[name]["environment"].get("TERRANE_WORLDS_FOLLOW") for name in NODES] == [None, home, home]
    for name in NODES:
        volumes, environment = nodes[name]["volumes"], nodes[name]["environment"]
        assert volumes == [f"{name}-worlds:/var/lib/terrane", "./keys:/etc/terrane:ro"] and f"{name}-worlds" in shared["volumes"]
        assert environment["TERRANE_WORLDS_SHARED_DIR"].startswith("/var/lib/terrane/")
        given = {variable: value.replace("/etc/terrane", str(tmp_path)) for variable, value in environment.items()}
        done = subprocess.run([PROGRAM, "serve", "--print-config"], env={**os.environ, **given}, capture_output=True, check=False)
        assert done.returncode == 0 and b"TERRANE_" not in done.stderr, done.stderr
    assert "/var/lib/terrane " in (DOCKER / "Dockerfile").read_text()


def test_nginx_knows_the_nodes(services):
    servers = re.findall(r"^\s*server (\w+):8080 ", NGINX, re.M)
    assert servers == NODES * 2  # of both upstreams
    assert services["nginx"]["extra_hosts"] == [f"{name}:{address(services[name])}" for name in NODES]
    for listen in re.findall(r"^\s*listen (\d+)", NGINX + (DOCKER / "nginx.d/tls.conf.example").read_text(), re.M):
        assert any(expand(p).endswith(f":{listen}") for p in services["nginx"]["ports"])
    # Only what nginx.conf reads lies where it looks for it, and a tree as it comes has none of it.
    for name in re.findall(r"include /etc/nginx/terrane/([\w-]+)\[\.\]conf;", NGINX):
        assert (DOCKER / "nginx.d" / f"{name}.conf.example").is_file()


def test_mounts(compose, services):
    for name, service in services.items():
        for mount in service.get("volumes", []):
            source, target, *mode = mount.split(":")
            assert target.startswith("/")
            if source.startswith("."):
                assert (DOCKER / source).exists(), f"{name}: {source}"
                assert mode == ["ro"]
            else:
                assert source in compose["volumes"], f"{name}: {source}"


def test_prometheus(services):
    scrape = load("prometheus.yml")["scrape_configs"][0]
    assert scrape["job_name"] == "terrane" and scrape["static_configs"][0]["targets"] == [f"{n}:8081" for n in NODES]
    mounted = [m.split(":")[1] for m in services["prometheus"]["volumes"]]
    assert all(f"/etc/prometheus/{rules}" in mounted for rules in load("prometheus.yml")["rule_files"])


def test_grafana(services):
    mounts = dict(reversed(m.split(":")[:2]) for m in services["grafana"]["volumes"])
    folder = load("grafana/dashboards.yml")["providers"][0]["options"]["path"]
    dashboard = json.loads((DOCKER / mounts[f"{folder}/terrane.json"]).read_text())
    assert services["grafana"]["environment"]["GF_DASHBOARDS_DEFAULT_HOME_DASHBOARD_PATH"] == f"{folder}/terrane.json"
    source = load("grafana/datasource.yml")["datasources"][0]
    variable = next(v for v in dashboard["templating"]["list"] if v["type"] == "datasource")
    assert source["type"] == variable["query"] and source["isDefault"]
    assert source["url"].split("//")[1].split(":")[0] in services


def test_the_program_takes_the_environment(services):
    """What compose sets is what --print-config shows."""
    environment = {k: expand(v) for k, v in services["node1"]["environment"].items()}
    done = subprocess.run([PROGRAM, "serve", "--print-config"], env={**os.environ, **environment}, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    config = json.loads(done.stdout)
    assert config["listen"] == environment["TERRANE_LISTEN"] and b"TERRANE_" not in done.stderr
    assert config["http"]["trusted_proxies"] == [address(services["nginx"])]
    assert config["cache"]["shared"] == environment["TERRANE_CACHE_SHARED"]
    assert config["cache"]["disk_bytes"] == int(environment["TERRANE_CACHE_DISK_BYTES"])
