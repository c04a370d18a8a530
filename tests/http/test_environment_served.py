"""A server whose environment configures it: what it serves, and what a reload makes of it."""

import json

from http_operator import reload
from http_server import base_tile


def test_it_stands_over_the_file_and_outlasts_a_reload(launch):
    server = launch(config={"http": {"status": True}}, environment={"TERRANE_HTTP_STATUS": "false"})
    target = base_tile(42, 0, 0, 0, "png", size=2)
    assert server.ask(target).status == 200
    status = "/tile/42/0/0/0.png/status"
    assert server.ask(status).status == 404
    server.config.write_text(json.dumps({"http": {"status": True, "hosts": []}}))
    assert reload(server)
    assert server.ask(status).status == 404  # still
