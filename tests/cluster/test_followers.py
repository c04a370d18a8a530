"""A home of worlds that people change and two followers behind nginx: writes and streams go to any of them."""

import hashlib
import json
import subprocess

import net
import pytest
from cluster import PROGRAM, ROOT
from http_client import Connection, wait_for
from http_events import Stream
from http_worlds import RAISE

KEY, FOLLOW = "digger-s-key-0123456789", "follower-s-key-01234567"


@pytest.fixture(scope="module")
def nodes(running):
    running.mend()
    home = running.nodes[0]
    keys = [{"name": name, "sha256": hashlib.sha256(key.encode()).hexdigest(), right: True} for name, key, right in (("digger", KEY, "edit"), ("follower", FOLLOW, "follow"))]
    for node in running.nodes:
        worlds, access = {"shared_dir": str(node.directory / "worlds")}, {**node.configured["access"]}
        if node is home:
            (node.directory / "keys").write_text(json.dumps({"keys": keys}))
            access["keys_file"] = str(node.directory / "keys")
            subprocess.run([PROGRAM, "world", "create", "commons", "--seed", "42", "--recipe", ROOT / "tests/http/worlds/plain.json", "--dir", worlds["shared_dir"]], check=True)
        else:
            (node.directory / "follow-key").write_text(FOLLOW)
            worlds.update(follow=f"http://{home.host.address}:8080", follow_key_file=str(node.directory / "follow-key"))
        node.kill()
        node.config.write_text(json.dumps({**node.configured, "worlds": worlds, "access": access}))
        node.start()
    wait_for(lambda: all(node.is_ready() for node in running.nodes), "nodes that serve")
    yield running.nodes
    for node in running.nodes:
        node.kill()
        node.config.write_text(json.dumps(node.configured))
        node.start()


class Client:
    """What http_events.Stream asks of a server, from an address of its own: nginx chooses a node by that."""

    def __init__(self, front, source):
        self.front, self.source = front, source

    def connect(self):
        return Connection(self.front.address, source=self.source)


def write(front, edit, source=None):
    return front.ask("/world/commons/edits", "POST", [("Authorization", f"Bearer {KEY}")], json.dumps(edit).encode(), source=source)


def test_writes_and_streams_go_to_any_node(running, nodes):
    front, sources = running.front, net.CLIENTS[:12]
    streams = [Stream(Client(front, source)) for source in sources]
    for k in range(24):
        answer = write(front, {**RAISE, "x": 10 * k, "token": f"t{k}"}, sources[k % 12])
        assert answer.status == 201 and json.loads(answer.body)["first"] == k + 1
    assert all(stream.numbers(24) == list(range(1, 25)) for stream in streams)
    assert all(node.count("terrane_world_listeners") > (2 if node is nodes[0] else 0) for node in nodes)  # the home has its followers, too
    assert sum(node.count("terrane_follow_handed_total") for node in nodes[1:]) > 0
    bodies = {node.ask("/tile/commons/0/0/0.f32").body for node in nodes}
    assert len(bodies) == 1

    nodes[0].kill()
    refused = [write(front, RAISE, source) for source in sources]
    assert all(answer.status == 503 and answer["Retry-After"] for answer in refused)
    assert front.ask("/tile/commons/0/0/0.f32?again=1").body in bodies
    nodes[0].start()
    wait_for(lambda: write(front, {**RAISE, "token": "again"}, sources[0]).status in (200, 201), "a home that is back")
