"""A world that people change, for clients."""

import json

from http_operator import bearer, keys_file
from http_server import PLAIN_FILE, run

KEY, READER = "digger-s-key-0123456789", "reader-s-key-0123456789"


def make(directory, seed, name="commons"):
    assert run("world", "create", name, "--seed", seed, "--recipe", PLAIN_FILE, "--dir", directory).returncode == 0


def serve(launch, directory):
    """Serves the worlds of a directory. Whoever has KEY may change them; READER may not."""
    keys = keys_file(directory, (KEY, "digger", {"edit": True}), (READER, "reader", {}))
    return launch(config={"worlds": {"shared_dir": str(directory)}, "access": {"keys_file": keys}})


def write(server, edits, to="edits", name="commons"):
    """Writes an operation, or some; the number of the last one."""
    answer = server.ask(f"/world/{name}/{to}", "POST", bearer(KEY), json.dumps(edits).encode())
    assert answer.status == 201, answer.body
    return json.loads(answer.body)["last"]
