"""Files of worlds that people change: what `terrane world` does with them, and states that a server keeps beside them."""

import json
import subprocess

import numpy as np
import pytest
from http_client import PATIENCE_S, wait_for
from http_operator import reload
from http_server import GENERATOR, OLDEST, PLAIN_FILE, PROGRAM, run
from http_worlds import RAISE, STROKE, anew, log_of, tile, world, write

UNDO = {**STROKE, "outer": 0, "strength": 0}


@pytest.mark.parametrize("lines", [
    [{"outer": 0}], [{"strength": 2**32 + 9}], [{"brush": 3, "term": 7}], [{"note": "no JSON"}], [{"note": "{}"}], [{"by": "a\n"}], [{"token": "a b"}],
    [{}, {**STROKE, "seq": 2, "undoes": 1}], [{}, {**UNDO, "seq": 2, "undoes": 1}, {**UNDO, "seq": 3, "undoes": 2}]])
def test_what_no_server_would_start_with_is_not_imported(tmp_path, lines):
    world(tmp_path)
    with open("/dev/full", "wb") as full:
        done = subprocess.run([PROGRAM, "world", "export", "commons", "--dir", tmp_path], stdout=full, stderr=subprocess.PIPE, timeout=PATIENCE_S, check=False)
    assert (done.returncode, done.stderr) == (1, b"terrane world: standard output: No space left on device\n")
    head = json.loads(run("world", "export", "commons", "--dir", tmp_path).stdout)
    assert head.pop("count") == 0  # which files of before do not say
    log = [head, {**STROKE, **lines[0]}, *lines[1:]]

    def take(log):
        return run("world", "import", "bad", "--dir", tmp_path, text="\n".join(map(json.dumps, log)))
    done = take(log)
    assert done.returncode == 1 and done.stderr and not (tmp_path / "bad.world").exists()
    for more in ({"recipe": "{}"}, {"recipe": "no JSON"}, {"generator": 99}):
        assert take([{**head, **more}]).returncode == 1 and not (tmp_path / "bad.world").exists()
    assert take([head, STROKE, {**UNDO, "seq": 2, "undoes": 1}]).returncode == 0
    assert b"good, 2 operations" in run("world", "check", "bad", "--dir", tmp_path).stdout


def test_a_recipe_with_files_makes_no_world(tmp_path):
    np.save(tmp_path / "map.npy", np.zeros((4, 4), "<f4"))
    recipe = tmp_path / "map.json"
    recipe.write_text(json.dumps({"terms": {"far": {"fractal": "fbm", "octaves": 1, "cell_m": 64, "amplitude_m": 1}, "map": {"raster": "map.npy", "spacing_m": 8, "beyond": "far"}}, "height": "map"}))
    done = run("world", "create", "mine", "--seed", 1, "--recipe", recipe, "--dir", tmp_path / "worlds")
    assert done.returncode == 1 and b"may not name files" in done.stderr and not (tmp_path / "worlds/mine.world").exists()


def test_copies_are_read_where_nothing_may_be_written(tmp_path):
    """Of a disk that is mounted for reading."""
    world(tmp_path / "a?b#%20")
    words = ' && '.join(('mount --bind "$1" "$1"', 'mount -o remount,ro,bind "$1"', '"$0" world check commons --dir "$1"'))
    alone = ["unshare", "--mount", "--map-root-user", "sh", "-c"]
    if subprocess.run([*alone, 'mount --bind "$0" "$0"', tmp_path], capture_output=True, check=False).returncode != 0:
        pytest.skip("nothing may be mounted here")
    done = subprocess.run([*alone, words, PROGRAM, tmp_path / "a?b#%20"], capture_output=True, check=False)
    assert b"good, 0 operations" in done.stdout, done.stderr


def test_a_name_means_one_world(launch, tmp_path):
    config = world(tmp_path)
    twice = {**config, "worlds": {**config["worlds"], "named": {"commons": {"seed": 7}}}}
    with pytest.raises(AssertionError, match="worlds.named: commons is the name of a world of worlds.shared_dir"):
        launch(config=twice)
    server = launch(config=config)
    assert not reload(server, twice)
    write(server, RAISE)


def test_its_name_is_no_seeds(tmp_path):
    """Tools, which have the names of the configuration, would make other ground under it."""
    world(tmp_path / "worlds")
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    for directory, refused, other in ((tmp_path / "worlds", "is that of a world that people change (worlds.shared_dir): only its server makes it", 0),
                                      (tmp_path / "loop", "may be that of a world that people change: worlds.shared_dir cannot be read", 2), (tmp_path / "none", None, 0)):
        (tmp_path / "c.json").write_text(json.dumps({"worlds": {"shared_dir": str(directory)}}))
        more = ["--recipe", PLAIN_FILE, "--config", tmp_path / "c.json"]
        assert run("render", "another", 0, 0, 0, *more).returncode == other
        assert run("render", 42, 0, 0, 0, *more).returncode == 0
        for words in (["render", "commons", 0, 0, 0], ["seed", "commons", "--zoom", 0, "-o", tmp_path / "a.mbtiles"], ["find", "commons", "peak", 0, 0],
                      ["export", tmp_path / "set", "--seed", "commons", "--engine", "unity", "--size", 33, "--center", "0,0"]):
            if refused:
                done = run(*words, *more)
                assert done.returncode == 2 and done.stderr.decode() == f"terrane {words[0]}: name: {refused}\n"
    assert {path.name for path in tmp_path.iterdir()} == {"worlds", "loop", "c.json"}


def test_what_no_server_would_start_with_is_not_made(tmp_path):
    """Too many of them, or one whose name the configuration has; that of another directory may have it."""
    config, text = tmp_path / "c.json", json.dumps({"terrane_world": 1, "seed": "1", "generator": GENERATOR, "recipe": PLAIN_FILE.read_text()})
    config.write_text(json.dumps({"worlds": {"shared_dir": str(tmp_path / "worlds"), "named": {"home": {"seed": 7}}}}))

    def make(verb, name, *more):
        words = ["--seed", 1, "--recipe", PLAIN_FILE] if verb == "create" else []
        return run("world", verb, name, *words, "--config", config, *more, text=text)
    for verb in ("create", "import"):
        for more in ([], ["--dir", f"{tmp_path}/./worlds"]):
            done = make(verb, "home", *more)
            assert (done.returncode, done.stderr) == (1, b"terrane world: home: worlds.named has a world of that name\n")
        assert make(verb, "home", "--dir", tmp_path / verb).returncode == 0
        assert make(verb, verb).returncode == 0
    for k in range(254):
        (tmp_path / f"worlds/w{k}.world").touch()
    for verb in ("create", "import"):
        done = make(verb, "more")
        assert done.returncode == 1 and done.stderr.decode() == f"terrane world: {tmp_path}/worlds: there are 256 worlds, and no server takes more than 256\n"
    (tmp_path / "worlds/w0.world").unlink()
    assert make("import", "more").returncode == 0


def test_a_world_is_made_for_a_generator(tmp_path):
    """That of its recipe, else of the configuration."""
    config, pinned = tmp_path / "c.json", tmp_path / "pinned.json"
    config.write_text(json.dumps({"worlds": {"generator": OLDEST, "shared_dir": str(tmp_path / "worlds")}}))
    pinned.write_text(json.dumps({**json.loads(PLAIN_FILE.read_text()), "generator": OLDEST + 1}))
    for name, recipe, generator in (("book", "desert", OLDEST), ("file", PLAIN_FILE, OLDEST), ("pinned", pinned, OLDEST + 1)):
        assert run("world", "create", name, "--seed", 1, "--recipe", recipe, "--config", config).returncode == 0
        head = json.loads(run("world", "export", name, "--config", config).stdout.splitlines()[0])
        assert head["generator"] == json.loads(head["recipe"])["generator"] == generator, name
    done = run("world", "create", "told", "--seed", 1, "--recipe", PLAIN_FILE, "--config", config, "--generator", OLDEST)
    assert (done.returncode, done.stderr) == (2, b"terrane world: --generator is of rebase; create takes the recipe's, else worlds.generator\n")


def test_what_was_undone_is_left_out_of_a_world(launch, tmp_path):
    config = world(tmp_path)
    config["worlds"]["undo_edits"] = 4
    server = launch(config=config)
    write(server, [{**RAISE, "x": 10 * k, "token": f"t{k}"} for k in range(5)])
    for seq in (2, 4):
        write(server, {"seq": seq, "token": f"u{seq}"}, to="undo")
    assert write(server, {"seq": 2, "token": "u2"}, to="undo", status=200)["first"] == 6  # behind the horizon by now, but it was not
    assert "last 4 operations" in write(server, {"seq": 3}, to="undo", status=409)["detail"]
    write(server, [RAISE] * 2)
    write(server, {"seq": 8}, to="undo")  # after the horizon: it stays
    held = run("world", "compact", "commons", "--dir", tmp_path)
    assert held.returncode == 1 and b"another server has these worlds" in held.stderr
    before, edits, facts = server.get(tile(0, 0)), log_of(server)["edits"], json.loads(server.get("/world/commons").body)["edits"]
    assert facts["undo"] == 4
    server.stop()
    for words in (["--keep", "x"], ["--keep", "-1"], ["--keep", "9999999"]):
        assert run("world", "compact", "commons", *words, "--dir", tmp_path).returncode == 2
    done = run("world", "compact", "commons", "--keep", 4, "--dir", tmp_path)
    assert done.stdout == b"commons: 8 operations, 2 left out\n", done.stderr  # the second undo is within the last four
    made = (tmp_path / "commons.world").stat().st_ino
    done = run("world", "compact", "commons", "--keep", 4, "--dir", tmp_path)
    assert (done.returncode, done.stdout) == (0, b"commons: 8 operations, none to leave out: it stays as it is\n") and (tmp_path / "commons.world").stat().st_ino == made
    again = launch(config=config)
    after, compacted = again.get(tile(0, 0)), log_of(again)
    assert after["ETag"] == before["ETag"] and after.body == before.body and compacted["epoch"] != facts["epoch"]
    assert [edit.get("undoes") for edit in compacted["edits"]] == [None, None, None, None, 3, None, None, 6]
    assert [edit.get("token") for edit in compacted["edits"][:4]] == ["t0", "t2", "t3", "t4"] == [edits[k]["token"] for k in (0, 2, 3, 4)]
    assert write(again, {**RAISE, "x": 20, "token": "t2"}, status=200)["first"] == 2
    assert len(list(tmp_path.glob(f"commons.world.aside-{facts['epoch']}-*"))) == 1 and not (tmp_path / "rewriting").exists()


def test_a_world_moves_to_another_generator_when_told(launch, tmp_path):
    recipe = tmp_path / "old.json"
    plain = json.loads(PLAIN_FILE.read_text())
    recipe.write_text(json.dumps({**plain, "generator": OLDEST}))
    config = world(tmp_path, recipe=recipe)
    server = launch(config=config)
    write(server, [{**RAISE, "x": 1000 * k} for k in range(3)])
    server.stop()
    assert run("world", "rebase", "commons", "--generator", 99, "--dir", tmp_path).returncode == 2
    done = run("world", "rebase", "commons", "--dir", tmp_path)
    told = done.stdout.decode().splitlines()
    assert done.returncode == 0 and told[-1] == f"commons: generator {GENERATOR}, 3 operations" and "of 3 squares" in told[-2], done
    head = json.loads(run("world", "export", "commons", "--dir", tmp_path).stdout.splitlines()[0])
    assert head["generator"] == GENERATOR and json.loads(head["recipe"]) == {**plain, "generator": GENERATOR}
    epoch = (tmp_path / "commons.world").stat().st_ino, sorted(tmp_path.glob("commons.world.aside-*"))
    done = run("world", "rebase", "commons", "--dir", tmp_path)
    assert (done.returncode, done.stdout) == (0, f"commons: it is of generator {GENERATOR} already\n".encode())
    assert ((tmp_path / "commons.world").stat().st_ino, sorted(tmp_path.glob("commons.world.aside-*"))) == epoch
    again = launch(config=config)
    assert again.get(tile(0, 0, at=0)).body == again.get(tile(0, 0, name="42")).body != again.get(tile(0, 0)).body


def test_what_many_made_of_a_tile_is_on_the_disk(launch, tmp_path):
    """And where it is damaged, or of another log, it is made again."""
    config, states = {**world(tmp_path), "cache": {"disk_bytes": 0}}, tmp_path / "commons.states"
    server = launch(config=config)
    for k in range(3):
        write(server, [{**RAISE, "x": 60 + j, "y": 90 + k, "strength_m": 1 + j % 5} if j % 9 else {"brush": "smooth", "x": 60 + j, "y": 90 + k, "outer": 30} for j in range(200)])
    past, body = (server.get(tile(0, 0, at=at)).body for at in (250, 600))  # the past of no state that came later
    (kept,) = states.iterdir()
    good, when = kept.read_bytes(), kept.stat().st_mtime_ns
    server.stop()
    again = launch(config=config)
    assert again.get(tile(0, 0)).body == body and kept.stat().st_mtime_ns == when  # it went on from there, and nothing had to be kept anew
    assert again.get(tile(0, 0, at=250)).body == past and again.get(tile(0, 0, at=500)) and kept.read_bytes() == good  # what is older takes no newer one's place
    again.stop()
    for damage in (b"", good[:-1], good + b"x", bytes([good[0] ^ 1]) + good[1:], good[:600] + bytes([good[600] ^ 1]) + good[601:]):
        kept.write_bytes(damage)
        server = launch(config=config)
        assert server.get(tile(0, 0)).body == body and kept.read_bytes() == good
        server.stop()
    anew(tmp_path)
    other = launch(config=config)
    write(other, [RAISE] * 256)
    write(other, [RAISE] * 256)
    assert other.get(tile(0, 0)).body != body and not list(states.iterdir())  # those that read nothing are applied sooner than kept
    write(other, {"brush": "smooth", "x": 100, "y": 100, "outer": 30})
    assert other.get(tile(0, 0)).status == 200 and kept.read_bytes() != good and len(list(states.iterdir())) == 1


def test_copies_are_the_same(launch, tmp_path):
    config = world(tmp_path)
    server = launch(config=config)
    write(server, [RAISE, {**RAISE, "token": "t"}, {"brush": "mark", "x": 1, "y": 2, "properties": {"name": "a"}}])
    write(server, {"seq": 1}, to="undo")
    body = server.get(tile(0, 0)).body
    text = run("world", "export", "commons", "--dir", tmp_path).stdout
    server.stop()
    cut = subprocess.Popen([PROGRAM, "world", "import", "copy", "--dir", tmp_path], stdin=subprocess.PIPE)
    cut.stdin.write(text[:-1])
    cut.stdin.flush()
    wait_for(lambda: list(tmp_path.glob("importing.*/copy.world")))
    cut.kill()
    cut.communicate()
    assert not (tmp_path / "copy.world").exists()  # nothing of it is served
    assert run("world", "import", "copy", "--dir", tmp_path, text=text).returncode == 0
    assert run("world", "export", "copy", "--dir", tmp_path).stdout == text
    assert [line.split()[0] for line in sorted(run("world", "list", "--dir", tmp_path).stdout.splitlines())] == [b"commons", b"copy"]
    again = launch(config=config)
    assert again.get(tile(0, 0, name="copy")).body == body and log_of(again, name="copy")["edits"] == log_of(again)["edits"]
    for cut in (b"", text[:50], text[:text.rindex(b"\n", 0, -1) + 1], text.replace(b'"seq":2', b'"seq":3'), text.replace(b'"brush":7', b'"brush":9'), text + b"{}\n"):
        refused = run("world", "import", "bad", "--dir", tmp_path, text=cut)
        assert refused.returncode == 1 and refused.stderr and not (tmp_path / "bad.world").exists()
    done = run("world", "check", "commons", "--dir", tmp_path / "not there")
    assert done.returncode == 1 and not (tmp_path / "not there").exists()
    for words in (["create"], ["create", "x"], ["create", "x", "--seed", "y", "--recipe", "alpine"], ["list", "x"], ["dig", "x"], []):
        assert run("world", *words, "--dir", tmp_path).returncode == 2
    assert run("world", "create", "commons", "--seed", 1, "--recipe", "alpine", "--dir", tmp_path).returncode == 1
    assert run("world", "create", "x", "--seed", 1, "--recipe", "nosuch", "--dir", tmp_path).returncode == 1
    (tmp_path / "x.world-wal").write_bytes(b"of another one, which somebody removed")
    assert run("world", "import", "x", "--dir", tmp_path, text=text).returncode == 0 and not (tmp_path / "x.world-wal").exists()
    assert {path.name for path in tmp_path.glob("*.world*")} >= {"commons.world", "copy.world", "x.world"} and len(list(tmp_path.glob("*.new*"))) == 0
