"""docker/nginx.conf in front of nodes: who makes a tile, what is kept, what is passed on, and what is turned away."""

import json
import socket
import ssl
import subprocess

import net
import pytest
from cluster import FRONT, PROGRAM, ROOT
from http_client import Connection, limit, wait_for
from http_operator import certificate

SHOWN = ("add_header X-Request-Id $trace always;",
         "add_header X-Request-Id $trace always; add_header X-Neighbourhood $neighbourhood always;")


@pytest.fixture(scope="module")
def front(running):
    """It says which neighbourhood a request is of."""
    running.mend()
    running.restart_front(swap=[SHOWN])
    return running.front


def fresh(cluster, _=[0]):
    """A cold tile, and what a lone server sends for it."""
    _[0] += 1
    target = f"/tile/77/2/{300 + _[0]}/-500.png"
    return target, cluster.lone.ask(target)


# ---- Neighbourhoods -------------------------------------------------------------------------------------------


def neighbourhoods(front, targets):
    with Connection(front.address) as connection:
        return [connection.ask(t, "HEAD")["X-Neighbourhood"] for t in targets]


def test_neighbourhoods_are_whole_regions(front):
    """Four tiles that begin at a multiple of four are of one neighbourhood; twenty make one, and it is of nobody else."""
    places = list(range(-148, 148)) + list(range(1160, 1240)) + list(range(-1240, -1160))
    for axis in range(2):
        found = dict(zip(places, neighbourhoods(
            front, [f"/tile/42/1/{x if axis == 0 else 5}/{x if axis == 1 else 5}.png" for x in places])))
        for x in places:
            group = [v for v in range(x - x % 4, x - x % 4 + 4) if v in found and not (v < 0 and v % 100 == 0)]
            assert len({found[v] for v in group}) <= 1, (x, [(v, found[v]) for v in group])
        by_name = {}
        for x in places:
            if not (x < 0 and x % 100 == 0):
                by_name.setdefault(found[x], set()).add(x // 20)
        assert all(len(blocks) == 1 for blocks in by_name.values()), by_name
        assert len({found[7], found[-7], found[20], found[107], found[-107], found[1007 + 200]}) == 6


def test_neighbourhoods_of_paths(front):
    same = [["/tile/42/3/7/-7.png", "/tile/42/3/7/-7", "/tile/42/3/0/-20.f32?size=65&v=3&recipe=alpine", "/tile/42/3/19/-1.json"],
            ["/xyz/42/9/256/240.png", "/xyz/42/9/240/259@2x.png?layer=relief"],
            ["/terrain/42/6/20/30.terrain", "/terrain/42/6/39/20.terrain"],
            ["/3dtiles/42/5/1/2.glb", "/3dtiles/42/5/0/0.subtree"],
            ["/region/42.png?x0=0&y0=0&w=9&h=9&lod=4", "/point/7?x=1&y=2"]]  # of this client
    names = [neighbourhoods(front, group) for group in same]
    assert all(len(set(group)) == 1 for group in names), names
    assert len({group[0] for group in names}) == len(names)
    other = ["/tile/43/3/7/-7.png", "/tile/42/2/7/-7.png", "/tile/42/3/20/-7.png", "/tile/42/3/7/-21.png", "/tile/42/3/-7/-7.png",
             "/world/42", "/world/43"]
    assert len(set(neighbourhoods(front, other)) | {names[0][0]}) == len(other) + 1


# ---- What is kept ---------------------------------------------------------------------------------------------


def test_a_tile_is_kept(front, running):
    target, alone = fresh(running)
    first, second = front.ask(target), front.ask(target)
    assert [first["X-Cache-Status"], second["X-Cache-Status"]] == ["MISS", "HIT"]
    for answer in (first, second):
        assert answer.body == alone.body and answer["ETag"] == alone["ETag"] and "Content-Encoding" not in answer
        assert answer["Cache-Control"] == alone["Cache-Control"]
    assert front.ask(target + "?size=32")["X-Cache-Status"] == "MISS"


def test_what_a_client_has_makes_nothing(front, running):
    target, alone = fresh(running)
    before = running.renders()
    for _ in range(2):
        bare = front.ask(target, headers=[("If-None-Match", alone["ETag"])])
        assert bare.status == 304 and not bare.body and bare["ETag"] == alone["ETag"]
        head = front.ask(target, "HEAD")
        assert head.status == 200 and not head.body and head["ETag"] == alone["ETag"]
    assert running.renders() == before
    full = front.ask(target)  # neither was kept as the tile's answer
    assert full.status == 200 and full.body == alone.body and running.renders() == before + 1
    kept = front.ask(target, headers=[("If-None-Match", alone["ETag"])])
    assert kept.status == 304 and kept["X-Cache-Status"] == "HIT"
    assert front.ask(target, headers=[("If-None-Match", '"other"')]).status == 200


def test_an_old_entry_is_asked_about(cluster):
    """What is past its time is refreshed by a 304 of the node."""
    cluster.restart_front(swap=[("proxy_cache tiles;", "proxy_cache tiles; proxy_cache_valid 200 1s; "
                                 "proxy_ignore_headers Vary Cache-Control; proxy_cache_background_update off;")])
    target, alone = fresh(cluster)
    assert cluster.front.ask(target)["X-Cache-Status"] == "MISS"
    before = cluster.count("terrane_requests_total", route="/tile", status="304")
    wait_for(lambda: cluster.front.ask(target)["X-Cache-Status"] == "REVALIDATED", "an entry that is refreshed")
    assert cluster.count("terrane_requests_total", route="/tile", status="304") > before
    assert cluster.front.ask(target).body == alone.body


def test_ranges(front, running):
    target, _ = fresh(running)
    target = target.replace(".png", ".f32")
    alone = running.lone.ask(target)
    for _ in range(2):
        part = front.ask(target, headers=[("Range", "bytes=100-199")])
        assert part.status == 206 and part.body == alone.body[100:200]
        assert part["Content-Range"] == f"bytes 100-199/{len(alone.body)}"
    part = front.ask(target, headers=[("Range", "bytes=0-9"), ("If-Range", alone["ETag"])])
    assert part.status == 206
    assert front.ask(target, headers=[("Range", "bytes=0-9"), ("If-Range", '"other"')]).status == 200
    part = front.ask(target, headers=[("Range", "bytes=100-199"), ("X-Api-Key", "none")])
    assert part.status == 206 and part.body == alone.body[100:200] and part["X-Cache-Status"] == "BYPASS"


def test_codings_are_kept_apart(front, running):
    target, _ = fresh(running)
    target = target.replace(".png", ".f32")
    for accepted, coding in (("gzip, deflate, br", ["gzip"]), ("br, zstd, gzip", ["zstd"]), ("", []), ("gzip;q=0, zstd;q=0.0", []),
                             ("deflate, gzip;q=0.5", ["gzip"])):
        alone = running.lone.ask(target, headers=[("Accept-Encoding", accepted)])
        for _ in range(2):
            answer = front.ask(target, headers=[("Accept-Encoding", accepted)])
            assert answer.all("Content-Encoding") == coding and answer.body == alone.body, accepted
            assert answer["ETag"] == alone["ETag"] and answer["Vary"] == "Accept-Encoding"
    answer = front.ask(target, headers=[("Accept-Encoding", "x, gzip")])
    assert answer["X-Cache-Status"] == "HIT"


def test_accept_and_base_are_kept_apart(front):
    plain = "/tile/77/4/3/3"
    types = [front.ask(plain, headers=[("Accept", a)])["Content-Type"]
             for a in ("application/json", "image/png", "application/json", "image/png")]
    assert types == ["application/json", "image/png"] * 2
    bases = []
    for host in ("one.test", "two.test", "one.test"):
        with Connection(front.address) as connection:
            connection.send(f"GET /xyz/42/tile.json HTTP/1.1\r\nHost: {host}\r\nX-Forwarded-Host: evil.test\r\n"
                            f"X-Forwarded-Prefix: /evil\r\nX-Forwarded-Proto: https\r\n\r\n".encode())
            answer = connection.receive()
            bases.append(json.loads(answer.body)["tiles"][0])
    assert [b.split("/xyz")[0] for b in bases] == ["http://one.test", "http://two.test", "http://one.test"]


def test_failures_are_not_kept(front):
    for target, status in (("/tile/77/0/0/0.xyz", 400), ("/nothing", 404), ("/tile/77/99/0/0.png", 404)):
        for _ in range(2):
            assert front.ask(target).status == status
    # A written-out query is another target than a query.
    assert front.ask("/tile/77/5/0/0.png%3Fsize=32").status != 200
    assert front.ask("/tile/77/5/0/0.png?size=32").status == 200


def test_mistakes_of_one_are_not_the_next_ones(front, running):
    """What a client's headers brought about is no answer to the same target from others."""
    target, alone = fresh(running)
    with Connection(front.address) as connection:
        connection.send(f"GET {target} HTTP/1.0\r\n\r\n".encode())  # no Host: allowed there, and here
        assert connection.receive().status == 200
    for n, host in enumerate(("b" * 300, "a:b:c", "[")):
        asked = f"{target}?n={n}"
        with Connection(front.address) as connection:
            connection.send(f"GET {asked} HTTP/1.1\r\nHost: {host}\r\n\r\n".encode())
            assert connection.receive().status in (200, 400)
        assert front.ask(asked).body == alone.body


def test_a_key_opens_nothing_for_others(cluster):
    """Neither an answer nor the key itself gets into the cache; and nobody waits there for what is not kept."""
    made = subprocess.run([PROGRAM, "key", "--name", "one"], capture_output=True, text=True, check=True)
    key = made.stderr.split()[-1]
    ways = ([("Authorization", f"Bearer {key}")], ""), ([("X-Api-Key", key)], ""), ([], f"key={key}")
    for required in (False, True):
        if required:
            for node in cluster.nodes:
                (node.directory / "keys.json").write_text(f'{{"keys": [{made.stdout}]}}')
                node.reconfigure(access={"required": True, "keys_file": str(node.directory / "keys.json")})
            wait_for(lambda: all(node.ask("/world/42").status == 401 for node in cluster.nodes), "nodes that want a key")
        for target in (fresh(cluster)[0], "/xyz/42/tile.json", f"/nothing/{required}", "/tile/77/0/0/0.xyz"):
            asked = target + f"?required={required}"
            for headers, query in ways:
                before = cluster.front.ask(asked).status if required else None
                for _ in range(2):
                    answer = cluster.front.ask(f"{asked}&{query}", headers=headers)
                    assert answer["X-Cache-Status"] == "BYPASS" and answer.status in (200, 400, 404)
                if required:
                    assert cluster.front.ask(asked).status == before, asked
    kept = subprocess.run(["grep", "-rlaF", key, "/var/cache/nginx/tiles"], capture_output=True, check=False)
    assert kept.returncode == 1 and not kept.stdout


# ---- What is passed on ----------------------------------------------------------------------------------------


def test_streams(front, running):
    wanted = [fresh(running) for _ in range(3)]
    body = json.dumps({"tiles": [t for t, _ in wanted]}).encode()
    answer = front.ask("/tiles", "POST", [("Content-Type", "application/json")], body)
    assert answer.status == 200 and all(alone.body in answer.body for _, alone in wanted)
    target = "/region/77.f32?x0=-300&y0=200&w=300&h=70&lod=3"
    assert front.ask(target).body == running.lone.ask(target).body
    assert front.ask("/point/77", "POST", [], b'{"places": [[0, 0], [2500, 1200]]}').status == 200


def line_of(cluster, trace):
    """A request's line in a node's access log."""
    return wait_for(lambda: next((json.loads(line) for node in cluster.nodes for line in node.access.read_text().splitlines()
                                  if f'"{trace}"' in line), None), "a line of a node's access log")


def test_nodes_know_the_client(cluster):
    """By address, whatever it says of itself; and one id finds a request in both logs."""
    target, _ = fresh(cluster)
    answer = cluster.front.ask(target, source=net.CLIENTS[41],
                               headers=[("X-Forwarded-For", "8.8.8.8"), ("X-Request-Id", "a-request-of-tests")])
    assert answer["X-Request-Id"] == "a-request-of-tests"
    seen = line_of(cluster, "a-request-of-tests")
    assert (seen["client"], seen["target"], seen["status"]) == (net.CLIENTS[41], target, 200)
    seen = wait_for(lambda: next((entry for entry in cluster.front.lines() if entry["id"] == "a-request-of-tests"), None),
                    "a line of nginx's access log")
    assert seen["client"] == net.CLIENTS[41] and seen["cache"] == "MISS" and seen["node"].endswith(":8080")


def test_a_balancer_in_front(cluster):
    """real-ip.conf: the client is who it names."""
    cluster.restart_front(extra={"real-ip.conf": "set_real_ip_from 10.0.1.50;\nreal_ip_header X-Forwarded-For;\nreal_ip_recursive on;\n"})
    for source, client in ((net.CLIENTS[49], "203.0.113.9"), (net.CLIENTS[50], net.CLIENTS[50])):
        trace = f"through-{source}"
        cluster.front.ask(fresh(cluster)[0], source=source, headers=[("X-Forwarded-For", "203.0.113.9"), ("X-Request-Id", trace)])
        assert line_of(cluster, trace)["client"] == client
        document = cluster.front.ask("/xyz/42/tile.json", source=source, headers=[
            ("X-Forwarded-For", "203.0.113.9"), ("X-Forwarded-Proto", "https"), ("X-Forwarded-Host", "tiles.test")])
        base = "https://tiles.test" if client != source else "http://terrane.test"
        assert json.loads(document.body)["tiles"][0].startswith(f"{base}/xyz/42/")


def test_operators_are_not_reachable(front):
    for target in ("/metrics", "/stats", "/log-level"):
        assert front.ask(target).status == 404
    for target in ("/purge?all=1", "/reload"):
        assert front.ask(target, "POST").status in (404, 405)
    with pytest.raises(OSError):
        socket.create_connection((FRONT, 8081), timeout=limit(5))
    assert front.ask("/readyz").status == 200


# ---- What is turned away --------------------------------------------------------------------------------------


def test_large_bodies(front):
    answer = front.ask("/tiles", "POST", body=b"x" * 70000)
    assert answer.status == 413 and answer["Content-Type"] == "application/problem+json"


def test_one_client_too_many(cluster):
    """From one address; another one is not concerned."""
    cluster.restart_front(swap=[("rate=300r/s", "rate=1r/m"), ("burst=2000", "burst=20")])
    target = "/tile/77/6/0/0.png?size=2"
    answers = [cluster.front.ask(target, source=net.CLIENTS[60]) for _ in range(30)]
    assert [a.status for a in answers] == [200] * 21 + [429] * 9
    assert int(answers[-1]["Retry-After"]) > 0 and answers[-1]["Cache-Control"] == "no-store"
    assert answers[-1]["Content-Type"] == "application/problem+json" and answers[-1]["Access-Control-Allow-Origin"] == "*"
    assert cluster.front.ask(target, source=net.CLIENTS[61]).status == 200


# ---- TLS ------------------------------------------------------------------------------------------------------


def test_tls_and_http2(cluster, tmp_path):
    cert, key = certificate(tmp_path, "tiles")
    example = (ROOT / "docker/nginx.d/tls.conf.example").read_text()
    cluster.restart_front(extra={"tls.conf": example, "fullchain.pem": cert.read_text(), "privkey.pem": key.read_text()})
    context = ssl.create_default_context(cafile=cert)
    context.set_alpn_protocols(["h2", "http/1.1"])
    with Connection((FRONT, 8443), tls=context) as connection:
        assert connection.socket.selected_alpn_protocol() == "h2"
    context.set_alpn_protocols(["http/1.1"])
    with Connection((FRONT, 8443), tls=context) as connection:
        document = connection.get("/xyz/42/tile.json")
    assert json.loads(document.body)["tiles"][0].startswith("https://terrane.test/")
    assert cluster.front.ask("/healthz").body == b"ok\n"
