"""What viewers notice while nodes die, vanish, hang and are restarted: nothing."""

import net
import pytest
from http_client import Crowd, wait_for
from walk import Walk, path_of_screens, reference

RANDOM = ("hash $neighbourhood consistent;", "random;")
NO_CACHE = ("proxy_cache tiles;", "proxy_cache off;")


def test_a_cluster_sends_what_a_lone_server_sends(cluster, known, figures):
    with Walk(cluster.front.address, known, rounds=1, tag="plain") as walk:
        walk.join()
    assert walk.requests == len(known)
    assert cluster.count("terrane_requests_total", status="200") >= len(known)
    figures(walk.check())


def test_node_killed(cluster, known, full, figures):
    with Walk(cluster.front.address, known, tag="killed") as walk:
        for node in cluster.nodes if full else cluster.nodes[:1]:
            walk.further(len(known) // 4)
            node.kill()
            walk.further(len(known))
            node.start()
    figures(walk.check())


def test_node_partitioned(cluster, known, full, figures):
    """It runs, but nothing that is sent to it arrives."""
    with Walk(cluster.front.address, known, tag="cut") as walk:
        for node in cluster.nodes if full else cluster.nodes[1:2]:
            walk.further(len(known) // 4)
            node.cut()
            walk.further(len(known))
            node.heal()
            walk.further(len(known) // 4)
    figures(walk.check())


@pytest.mark.long  # each request that it holds costs nginx's proxy_read_timeout
def test_node_frozen(cluster, known, figures):
    """It takes connections, and does not answer."""
    with Walk(cluster.front.address, known, tag="frozen") as walk:
        walk.further(len(known) // 4)
        cluster.nodes[2].freeze()
        walk.further(len(known), 300)
        cluster.nodes[2].thaw()
        walk.further(len(known) // 4)
    figures(walk.check())


@pytest.mark.long
def test_posts_are_asked_again(cluster):
    """A question that was POSTed to a node that vanished goes to the next one, as others do."""
    def ask():
        return [cluster.front.ask("/point/42", "POST", [], b'{"places": [[0, 0], [2500, 1200]]}', source=net.CLIENTS[i]) for i in range(8)]
    before = ask()  # connections to all nodes stay open
    for node in cluster.nodes:
        node.cut()
        answers = ask()
        node.heal()
        assert [(a.status, a.body) for a in answers] == [(200, b.body) for b in before]


def test_rolling_restart(cluster, known, full, figures):
    """Each in turn, as soon as the one before says that it is ready."""
    with Walk(cluster.front.address, known, clients=6, tag="rolling") as walk:
        for _ in range(5 if full else 1):
            for node in cluster.nodes:
                walk.further(len(known) // 4)
                assert node.stop() == 0
                walk.further(len(known) // 4)
                node.start()
                wait_for(node.is_ready, "a node that is ready")
        walk.further(len(known))
    figures(walk.check())


def test_all_nodes_down(cluster, known):
    """An honest answer; and all is well as soon as one is back."""
    for node in cluster.nodes:
        node.kill()
    target = next(iter(known))
    target += ("&" if "?" in target else "?") + "none="
    answer = cluster.front.ask(target + "1")
    assert answer.status == 503 and answer["Cache-Control"] == "no-store" and int(answer["Retry-After"]) > 0
    assert answer["Content-Type"] == "application/problem+json" and answer["Access-Control-Allow-Origin"] == "*"
    assert cluster.front.ask(target + "2", headers=[("If-None-Match", '"x"')]).status == 503
    cluster.nodes[2].start()
    with Walk(cluster.front.address, known, rounds=1, tag="one") as walk:
        walk.join()
    walk.check()


# ---- What is made once ----------------------------------------------------------------------------------------


def check_crowd(cluster, target, figures):
    """1,000 clients at once, from a hundred addresses, who want one tile that nobody has made."""
    alone = cluster.lone.ask(target)
    before = cluster.renders()
    with Crowd(cluster.front.address, [target] * 1000, sources=net.CLIENTS) as crowd:
        answers = crowd.receive()
    assert all(a is not None and a.status == 200 and a.body == alone.body for a in answers)
    made = cluster.renders() - before
    figures(f"1,000 requests at once, {made:.0f} rendered")
    return made


def test_crowd_through_the_cache(cluster, figures):
    assert check_crowd(cluster, "/tile/42/2/-211/305.png", figures) == 1
    assert cluster.count("terrane_requests_total", route="/tile", status="200") < 1000


def test_crowd_through_hashing_alone(cluster, figures):
    cluster.restart_front(swap=[NO_CACHE])
    assert check_crowd(cluster, "/tile/42/2/-231/305.png", figures) == 1


def test_crowd_of_random_nodes(cluster, figures):
    """Neither nginx's cache nor hashing: the lease is what is left."""
    cluster.restart_front(swap=[RANDOM, NO_CACHE])
    assert check_crowd(cluster, "/tile/42/2/-251/305.png", figures) == 1


def test_neighbourhoods_save_regions(cluster, full, figures):
    """Regions made for walks over three nodes: hashed, and at random. The line is 0.6."""
    wanted = dict.fromkeys(f"/tile/42/{level}/{x}/{y}.f32?size=3" for walk in range(6 if full else 1)
                           for level, x, y in path_of_screens(walk, [0, 1, 2, 3], 10 if full else 7, 5, 4))
    known = reference(cluster.lone, wanted)
    made = {}
    for name, swap in (("hashed", [NO_CACHE]), ("random", [NO_CACHE, RANDOM])):
        cluster.restart_front(swap=swap)
        cluster.forget()
        before = cluster.regions()
        with Walk(cluster.front.address, known, rounds=1, tag=name) as walk:
            walk.join()
        walk.check()
        made[name] = cluster.regions() - before
    figures(f"regions made for {len(known)} tiles: hashed {made['hashed']:.0f}, random {made['random']:.0f}, "
            f"{made['hashed'] / made['random']:.2f}")
    assert made["hashed"] <= 0.6 * made["random"]
