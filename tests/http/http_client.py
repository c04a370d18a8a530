"""HTTP/1.1 to the last byte: requests are what the caller writes, answers are parsed strictly."""

import contextlib
import dataclasses
import functools
import http
import itertools
import json
import os
import resource
import selectors
import socket
import ssl
import time

TIMEOUT_MULT = float(os.environ.get("TIMEOUT_MULT", "1"))
BODILESS = {204, 304}
HOST = "terrane.test"
PHRASES = {413: "Content Too Large", 414: "URI Too Long", 416: "Range Not Satisfiable", 422: "Unprocessable Content"}  # of RFC 9110; Python has older ones


def limit(seconds):
    """A time limit that slow builds stretch."""
    return seconds * TIMEOUT_MULT


PATIENCE_S = limit(240)  # what has to come takes as long as the machine is busy: only what never comes fails


def wait_for(condition, what="condition"):
    """The first true value of condition(); fails where none ever comes."""
    end, pause = time.monotonic() + PATIENCE_S, 0.005
    while time.monotonic() < end:
        value = condition()
        if value:
            return value
        time.sleep(pause)
        pause = min(1.2 * pause, 0.1)
    raise AssertionError(f"{what}: not within {PATIENCE_S:g} s")


def in_less_than(seconds):
    """Of a test of what time alone brings, as a token a minute: a run that fails and took as long says nothing, and is repeated, some times."""
    def decorate(test):
        @functools.wraps(test)
        def run(*arguments, **named):
            for left in reversed(range(10)):
                begun = time.monotonic()
                try:
                    return test(*arguments, **named)
                except (AssertionError, OSError):
                    took = time.monotonic() - begun
                    if left == 0 or took < seconds or took > PATIENCE_S:  # what never comes does not come the next time
                        raise
        return run
    return decorate


@dataclasses.dataclass
class Answer:
    status: int
    headers: list
    body: bytes

    def all(self, name):
        return [value for key, value in self.headers if key.lower() == name.lower()]

    def __getitem__(self, name):
        """The value of a header that stands once."""
        values = self.all(name)
        assert len(values) == 1, f"{name}: {values}"
        return values[0]

    def __contains__(self, name):
        return bool(self.all(name))

    def problem(self, status, parameter=None):
        """What it says to be wrong, and with which parameter."""
        assert self.status == status, (self.status, self.body[:300])
        assert self["Content-Type"] == "application/problem+json" and int(self["Content-Length"]) == len(self.body)
        found = json.loads(self.body)
        assert found["status"] == status and found.get("parameter") == parameter, found
        assert found["type"] == "about:blank" and isinstance(found["detail"], str) and found["detail"]
        assert found["title"] == PHRASES.get(status, http.HTTPStatus(status).phrase)
        assert "immutable" not in self["Cache-Control"]
        return found["detail"]


def request_bytes(target, method="GET", headers=(), body=b""):
    """A well-formed request; the target goes out as it is (str is UTF-8)."""
    lines = [f"{method} ".encode() + (target.encode() if isinstance(target, str) else target) + b" HTTP/1.1"]
    lines += [f"{name}: {value}".encode() for name, value in (("Host", HOST), *headers)]
    if body:
        lines.append(b"Content-Length: %d" % len(body))
    return b"\r\n".join(lines) + b"\r\n\r\n" + body


def _head(text):
    first, *rest = text.decode("latin-1").split("\r\n")
    version, status, reason = first.split(" ", 2)
    assert version == "HTTP/1.1" and reason, first
    headers = []
    for line in rest:
        name, colon, value = line.partition(":")
        assert colon and name == name.strip() and name, line
        headers.append((name, value.strip()))
    return Answer(int(status), headers, b"")


def _chunked(data, at):
    """Body and where it ends, or None while it is not all there."""
    pieces = []
    while (stop := data.find(b"\r\n", at)) >= 0:
        count = int(data[at:stop], 16)
        first, at = stop + 2, stop + count + 4
        if len(data) < at:
            break
        assert data[at - 2:at] == b"\r\n"
        if count == 0:
            return b"".join(bytes(data[i:j]) for i, j in pieces), at
        pieces.append((first, at - 2))
    return None


def parse_answer(data, method="GET", closed=False):
    """(answer, rest) of the first answer in data, or None while it is not all there."""
    at = data.find(b"\r\n\r\n") + 4
    if at < 4:
        return None
    answer = _head(data[:at - 4])
    if method == "HEAD" or answer.status in BODILESS:
        return answer, data[at:]
    if "Transfer-Encoding" in answer:
        assert answer["Transfer-Encoding"] == "chunked" and "Content-Length" not in answer
        found = _chunked(data, at)
        if found is None:
            return None
        answer.body, at = found
        return answer, data[at:]
    end = at + int(answer["Content-Length"]) if "Content-Length" in answer else len(data) + (not closed)
    if len(data) < end:
        return None
    answer.body = bytes(data[at:end])
    return answer, data[end:]


class Connection:
    """One socket. What it received and nobody asked for yet is in self.data."""

    def __init__(self, address, source=None, tls=None):
        """source: the address that it comes from. tls: by HTTPS, trusting this context, or this file's certificate, alone."""
        self.socket = socket.create_connection(address, timeout=PATIENCE_S, source_address=(source, 0) if source else None)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if tls:
            context = tls if isinstance(tls, ssl.SSLContext) else ssl.create_default_context(cafile=str(tls))
            self.socket = context.wrap_socket(self.socket, server_hostname=HOST)
        self.data = bytearray()
        self.closed = False

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self.socket.close()

    def send(self, data):
        self.socket.sendall(data)

    def offer(self, data):
        """What is refused, as too long, has its answer, though the connection was closed before all of it was sent."""
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            self.send(data)

    def receive(self, method="GET"):
        """The next answer."""
        while True:
            found = parse_answer(self.data, method, self.closed)
            if found:
                answer, self.data = found
                return answer
            if self.closed:
                raise ConnectionError(f"closed after {bytes(self.data[:200])!r}")
            self._more()

    def _more(self):
        try:
            more = self.socket.recv(1 << 20)
        except ConnectionResetError:
            more = b""
        self.closed = not more
        self.data += more

    def receive_end(self):
        """Everything until the server closes."""
        while not self.closed:
            self._more()
        data, self.data = bytes(self.data), bytearray()
        return data

    def ask(self, target, method="GET", headers=(), body=b""):
        self.offer(request_bytes(target, method, headers, body))
        return self.receive(method)

    def get(self, target, headers=(), status=200):
        answer = self.ask(target, headers=headers)
        assert answer.status == status, (target, answer.status, answer.body[:300])
        return answer


def raise_descriptors(count):
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft < count:
        resource.setrlimit(resource.RLIMIT_NOFILE, (count if hard < 0 else min(count, hard), hard))


class Crowd:
    """Many clients at once, a connection each, in one thread. sources: their addresses, in turn."""

    def __init__(self, address, targets, headers=(), source="", sources=()):
        raise_descriptors(len(targets) + 200)
        self.targets = list(targets)
        self.sockets = []
        for _, of in zip(self.targets, itertools.cycle(sources or [source])):
            self.sockets.append(socket.create_connection(address, timeout=PATIENCE_S, source_address=(of, 0)))
        for s, target in zip(self.sockets, self.targets):
            s.sendall(request_bytes(target, headers=headers))
            s.setblocking(False)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.leave()

    def leave(self):
        for s in self.sockets:
            s.close()

    def receive(self):
        """An answer a target, in order; None where the server closed without one."""
        answers = [None] * len(self.sockets)
        data = [bytearray() for _ in self.sockets]
        end = time.monotonic() + PATIENCE_S
        with selectors.DefaultSelector() as selector:
            for i, s in enumerate(self.sockets):
                selector.register(s, selectors.EVENT_READ, i)
            while selector.get_map():
                ready = selector.select(max(0, end - time.monotonic()))
                assert ready, f"{len(selector.get_map())} of {len(answers)} without an answer in time"
                for key, _ in ready:
                    i = key.data
                    try:
                        more = key.fileobj.recv(1 << 20)
                    except ConnectionResetError:
                        more = b""
                    data[i] += more
                    found = parse_answer(bytes(data[i]), closed=not more)
                    if found or not more:
                        answers[i] = found[0] if found else None
                        selector.unregister(key.fileobj)
        return answers


def ask_all(address, targets, headers=()):
    with Crowd(address, targets, headers) as crowd:
        return crowd.receive()
