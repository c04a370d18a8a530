"""A world that people change, for clients, and an address that leads to a server or to none."""

import contextlib
import socket
import threading

from http_client import wait_for
from http_operator import keys_file
from http_worlds import DIGGER as KEY
from http_worlds import READER, world
from http_worlds import write as write_edits

FOLLOWER = "follower-s-key-01234567"


def make(directory, seed, name="commons"):
    world(directory, name, seed=seed)


def serve(launch, directory, **access):
    """Serves the worlds of a directory. Whoever has KEY may change them; READER may not."""
    keys = keys_file(directory, (KEY, "digger", {"edit": True}), (READER, "reader", {}), (FOLLOWER, "follower", {"follow": True}))
    return launch(config={"worlds": {"shared_dir": str(directory)}, "access": {"keys_file": keys, **access}})


def follow(launch, directory, home):
    """A server that follows another one."""
    directory.mkdir()
    (directory / "key").write_text(FOLLOWER)
    server = launch(config={"worlds": {"shared_dir": str(directory), "follow": home.url, "follow_key_file": str(directory / "key")}})
    wait_for(lambda: server.ask("/readyz", admin=True).status == 200, what="a follower that is ready")
    return server


def write(server, edits, to="edits", name="commons"):
    """Writes an operation, or some; the number of the last one."""
    return write_edits(server, edits, to=to, name=name)["last"]


class Relay:
    """An address that leads to whichever server there is."""

    def __init__(self):
        self.cut = None  # so many bytes are carried one way, once, and then nothing
        self.to, self.open, self.heard = None, [], socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self.heard.getsockname()[1]}"
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        with contextlib.suppress(OSError):
            while True:
                near = self.heard.accept()[0]
                try:
                    far = socket.create_connection(self.to or ("127.0.0.1", 1))
                except OSError:
                    near.close()
                    continue
                self.open += [near, far]
                for a, b in ((near, far), (far, near)):
                    threading.Thread(target=self.carry, args=(a, b), daemon=True).start()

    def carry(self, a, b):
        count = 0
        with contextlib.suppress(OSError):
            while data := a.recv(65536):
                if self.cut and count + len(data) > self.cut:
                    b.sendall(data[: max(self.cut - count, 0)])
                    self.cut = None
                    break
                b.sendall(data)
                count += len(data)
            b.shutdown(socket.SHUT_WR)

    def drop(self):
        for each in self.open:
            with contextlib.suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
            each.close()
        self.open = []

    def close(self):
        self.heard.close()
        self.drop()
