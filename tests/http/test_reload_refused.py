"""Reloads that are wrong change nothing and say why; what needs a restart is named."""

import json
import os

from http_operator import admin, bearer, keys_file, last_line, reload, token_file
from http_server import base_tile

HOT = base_tile(42, 3, 2, 2, "png", size=32)
KEY, OTHER = "the-first-key-0123", "the-second-key-0123"


WRONG = [  # a configuration, what its line names
    ("{", "line 1"), ("[]", "config.json"), ('{"render": {"queue": 0}}', "render.queue"), ('{"rendr": {}}', "rendr"),
    ('{"limits": {"tiles_per_minute": -1}}', "limits.tiles_per_minute"), ('{"access": {"required": true}}', "access.required"),
    ('{"access": {"keys_file": "/none/keys"}}', "/none/keys"), ('{"access": {"admin_token_file": "/none/t"}}', "/none/t"),
    ('{"worlds": {"dir": "/none/worlds"}}', "/none/worlds"), ('{"worlds": {"default": "alpin"}}', "alpine"),
    ('{"worlds": {"named": {"a": {"seed": 1, "recipe": "alpin"}}}}', "worlds.named.a.recipe"),
    ('{"worlds": {"named": {"a": "x"}}}', "worlds.named"), ('{"http": {"trusted_proxies": ["10.0.0.1/8"]}}', "trusted_proxies"),
    ('{"http": {"hosts": ["a b"]}}', "http.hosts"), ('{"log": {"access": "/none/log"}}', "/none/log"),
    ('{"log": {"level": "loud"}}', "log.level"), ("x" * (1 << 20), "config.json"), ("", "config.json")]


def test_what_is_wrong_changes_nothing(launch, tmp_path):
    config = {"limits": {"tiles_per_minute": 1, "tiles_burst": 200}, "worlds": {"named": {"home": {"seed": 9, "secret": False}}},
              "access": {"keys_file": keys_file(tmp_path, (KEY, "one", {"tiles_per_minute": 0})),
                         "admin_token_file": token_file(tmp_path)}}
    server = launch(config=config)
    (tmp_path / "keys.wrong").write_text('{"keys": [{"name": "x"}]}')
    (tmp_path / "bad").mkdir()
    (tmp_path / "bad" / "hills.json").write_text('{"terms": 1}')
    files = [(json.dumps({"access": {"keys_file": str(tmp_path / "keys.wrong")}}), "keys[0].sha256"),
             (json.dumps({"worlds": {"dir": str(tmp_path / "bad")}}), "hills.json")]
    for text, named in [*WRONG, *files]:
        if text.startswith("{") and text.endswith("}") and len(text) > 2:  # with something that would show
            text = text[:-1] + ', "prefetch": {"tiles": 0}}'
        assert not reload(server, text), text[:100]
        line = last_line(server)
        assert " error reload: " in line and named in line, (text[:100], line)
        assert server.ask("/prefetch", "POST", body=b"{}").status == 400  # 404 where it is off
    assert server.ask(HOT, headers=bearer(KEY)).status == 200 and server.ask(HOT, headers=bearer(OTHER)).status == 401
    assert server.get("/tile/home/3/0/0.png?size=2&variant=base")["Terrane-Seed"] == "9"
    assert admin(server, "/stats").status == 200
    server.config.unlink()
    assert not reload(server) and "config.json" in last_line(server)
    assert server.count("terrane_reloads_total", result="refused") == len(WRONG) + len(files) + 1
    assert reload(server, config)


CRAFTED = [  # a recipe's file, its text, what the line says of it
    (b"e.json", '{"height": 1, "terms": {"x%s": 1}}' % (80 * "\u00e9"), "/terms/x" + 29 * "\u00e9" + ": is no name"),
    (b"e.json", '{"height": 1, "xx%s": 1}' % (80 * "\u00e9"), "/xx" + 29 * "\u00e9" + ": unknown key"),
    (b"e.json", '{"height": "\\\u00e9"}', 'invalid escape near \'"\\?\''),
    (b"e\xff.json", "{}", "e?.json: is no name of a recipe"), (b"e\xc2\x9b\n.json", "{}", "e???.json: is no name")]


def test_lines_are_text_whatever_they_quote(launch, tmp_path):
    own = tmp_path / "own"
    own.mkdir()
    server = launch(config={"access": {"admin_token_file": token_file(tmp_path)}, "worlds": {"dir": str(own)}})
    for name, text, said in CRAFTED:
        path = os.path.join(os.fsencode(own), name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        answer = admin(server, "/reload", "POST")
        assert answer.status == 409 and said in json.loads(answer.body)["detail"] and said in last_line(server), answer.body
        os.unlink(path)


RESTART = {"http": {"threads": 3, "connection_memory_bytes": 16384, "compression": False}, "render": {"threads": 3},
           "cache": {"write_behind_bytes": 1 << 20, "write_interval_ms": 7, "retry_interval_ms": 777, "disk_bytes": 0}}


def test_what_needs_a_restart_is_named(launch, tmp_path):
    """And everything else is taken up."""
    access = {"access": {"admin_token_file": token_file(tmp_path)}}
    server = launch(config=access)
    server.get(base_tile(42, 3, 1, 1))
    for number, (group, key) in enumerate((group, key) for group, keys in RESTART.items() for key in keys):
        changed = {**access, group: {key: RESTART[group][key]}, "worlds": {"named": {"home": {"seed": number, "secret": False}}}}
        for _ in range(2):  # as long as it differs from what runs
            assert reload(server, changed) and last_line(server).endswith(f": {group}.{key}")
            assert json.loads(admin(server, "/reload", "POST").body) == {"restart": f"{group}.{key}"}
        assert server.get("/tile/home/3/0/0.png?size=2&variant=base")["Terrane-Seed"] == str(number) and server.is_well()
        coded = server.ask(base_tile(42, 3, 1, 1), "HEAD", [("Accept-Encoding", "gzip")])
        assert coded["Vary"] == "Accept-Encoding"
        assert reload(server, access) and last_line(server).endswith("reload: done")


def test_the_command_line_still_wins(launch, tmp_path):
    server = launch()
    assert reload(server, {"listen": "127.0.0.1:1", "admin": "127.0.0.1:1", "cache": {"dir": str(tmp_path / "other")}})
    assert last_line(server).endswith("reload: done") and server.is_well() and not (tmp_path / "other").exists()
