"""A world that people change, for clients."""

import json

from http_client import wait_for
from http_operator import bearer, keys_file
from http_server import PLAIN_FILE, run

KEY, READER, FOLLOWER = "digger-s-key-0123456789", "reader-s-key-0123456789", "follower-s-key-01234567"


def make(directory, seed, name="commons"):
    assert run("world", "create", name, "--seed", seed, "--recipe", PLAIN_FILE, "--dir", directory).returncode == 0


def serve(launch, directory):
    """Serves the worlds of a directory. Whoever has KEY may change them; READER may not."""
    keys = keys_file(directory, (KEY, "digger", {"edit": True}), (READER, "reader", {}), (FOLLOWER, "follower", {"follow": True}))
    return launch(config={"worlds": {"shared_dir": str(directory)}, "access": {"keys_file": keys}})


def follow(launch, directory, home):
    """A server that follows another one."""
    directory.mkdir()
    (directory / "key").write_text(FOLLOWER)
    server = launch(config={"worlds": {"shared_dir": str(directory), "follow": home.url, "follow_key_file": str(directory / "key")}})
    wait_for(lambda: server.ask("/readyz", admin=True).status == 200, what="a follower that is ready")
    return server


def write(server, edits, to="edits", name="commons"):
    """Writes an operation, or some; the number of the last one."""
    answer = server.ask(f"/world/{name}/{to}", "POST", bearer(KEY), json.dumps(edits).encode())
    assert answer.status == 201, answer.body
    return json.loads(answer.body)["last"]
