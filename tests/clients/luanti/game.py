"""Luanti's server, headless, with the mod and what tells of its map; for the test and the bench."""

import json
import pathlib
import shutil
import socket
import subprocess

HERE = pathlib.Path(__file__).resolve().parent
MODS = {"drive": HERE / "drive", "terrane": HERE.parents[2] / "engines/luanti/terrane"}
PROGRAM = next((path for name in ("luantiserver", "minetestserver") if (path := shutil.which(name, path="/usr/games:/usr/bin"))), None)
WORLD = "gameid = {game}\nbackend = sqlite3\nauth_backend = sqlite3\nplayer_backend = sqlite3\nmod_storage_backend = sqlite3\n"


def start(directory, box, game="minetest", mods=("terrane", "drive"), **settings):
    """A server of the map in directory, which makes a box of nodes, tells of it and ends; its standard error is the log."""
    for mod in mods:
        shutil.copytree(MODS[mod], directory / "world/worldmods" / mod, dirs_exist_ok=True)
    (directory / "world/world.mt").write_text(WORLD.format(game=game))
    (directory / "world/drive.json").unlink(missing_ok=True)
    given = {"secure.http_mods": "terrane", "drive_box": " ".join(map(str, box)), "bind_address": "127.0.0.1", **settings}
    (directory / "minetest.conf").write_text("".join(f"{name} = {value}\n" for name, value in given.items()))
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    return subprocess.Popen([PROGRAM, "--world", directory / "world", "--config", directory / "minetest.conf", "--port", str(port), "--logfile", ""],
                            env={"HOME": str(directory)}, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)


def told(process, directory, seconds):
    """What it told of the box, once it has ended."""
    try:
        log = process.communicate(timeout=seconds)[1]
    finally:
        process.kill()
    written = directory / "world/drive.json"
    assert process.returncode == 0 and written.exists(), log
    return json.loads(written.read_text()), log
