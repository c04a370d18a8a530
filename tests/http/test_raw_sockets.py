"""Bytes that are no HTTP, or HTTP in odd pieces: refused or closed at once, and the server stays well."""

import contextlib
import socket

import pytest
from http_client import Connection, parse_answer, request_bytes, wait_for
from http_server import base_tile

HOST = b"Host: terrane.test\r\n"
GET = b"GET /healthz HTTP/1.1\r\n"
POST = b"POST /healthz HTTP/1.1\r\n"

# Never answered with success: 4xx, 505 for another version, or closed. Of what two may read in two ways: test_framing.py.
REFUSED = {
    "tls": b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(range(100)) + b"\r\n\r\n",
    "words": b"hello there\r\n\r\n",
    "one word": b"hello\r\n\r\n",
    "smtp": b"EHLO example.org\r\n\r\n",
    "http 2": b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    "http 9.9": b"GET /healthz HTTP/9.9\r\n" + HOST + b"\r\n",
    "no http": b"GET /healthz FTP/1.1\r\n" + HOST + b"\r\n",
    "no version": b"GET /healthz\r\n" + HOST + b"\r\n",
    "no target": b"GET  HTTP/1.1\r\n" + HOST + b"\r\n",
    "tabs": b"GET\t/healthz\tHTTP/1.1\r\n" + HOST + b"\r\n",
    "space in target": b"GET /tile/42/0/0/ 0.json HTTP/1.1\r\n" + HOST + b"\r\n",
    "missing host": GET + b"\r\n",
    "endless request line": b"G" * 100000,
    "endless target": b"GET /" + b"a" * 100000,
    "endless header": GET + b"X: " + b"a" * 100000,
    "endless headers": GET + b"".join(b"X%d: y\r\n" % i for i in range(20000)),
    "connect": b"CONNECT example.org:443 HTTP/1.1\r\n" + HOST + b"\r\n",
    "utf-8 target": "GET /tile/42/0/0/\u00e9.json HTTP/1.1\r\n".encode() + HOST + b"\r\n",
    "fragment": b"GET /healthz#here HTTP/1.1\r\n" + HOST + b"\r\n",
}
# Odd, and up to the server: any one answer but a 5xx, or closed; nothing may hang or break.
BOUNDED = {
    "length on get": GET + HOST + b"Content-Length: 99999999999999\r\n\r\n",
    "length on tile": request_bytes(base_tile(42, 0, 700, 1, "png"),
                                    headers=[("Content-Length", "99999999999999")]),
    "expectation": POST + HOST + b"Content-Length: 3\r\nExpect: 100-continue\r\n\r\n",
    "bad expectation": GET + HOST + b"Expect: the unexpected\r\nConnection: close\r\n\r\n",
    "upgrade": GET + HOST + b"Upgrade: h2c, websocket\r\nConnection: Upgrade, close\r\n\r\n",
    "http 1.0 without host": b"GET /healthz HTTP/1.0\r\n\r\n",
}
# Neither a request nor an error yet: they end at the idle time, or at that of requests where a request line has come.
UNFINISHED = {
    "nothing": b"",
    "half a line": b"GET /heal",
    "half a head": GET + b"Host: x\r\nX",
    "zeros": b"\0" * 200,
    "line ends": b"\r\n" * 50,
}


def talk(server, data):
    """What comes back until the server closes; fails when it does not."""
    with Connection(server.public) as connection:
        connection.offer(data)
        return connection.receive_end()


def first_status(data):
    found = parse_answer(data, closed=True)
    return found[0].status if found else None


def check_well(server):
    assert server.is_well()
    server.wait_idle()


@pytest.mark.parametrize("name", REFUSED)
def test_refused(server, name):
    with Connection(server.public) as connection:
        answer = None
        with contextlib.suppress(ConnectionError):
            connection.send(REFUSED[name])
            answer = connection.receive()
    assert answer is None or 400 <= answer.status < 500 or answer.status == 505, answer
    check_well(server)


@pytest.mark.parametrize("name", BOUNDED)
def test_bounded(server, name):
    """Its connection would stay open for long: what ends there has been answered."""
    status = first_status(talk(server, BOUNDED[name]))
    assert status is None or status < 500
    check_well(server)


def test_unfinished_requests_end_at_the_idle_time(launch):
    server = launch(config={"http": {"idle_timeout_s": 3, "request_timeout_s": 1}})
    before = server.count("terrane_connections_cut_total")
    connections = {name: server.connect() for name in UNFINISHED}
    for name, connection in connections.items():
        with contextlib.suppress(OSError):  # late already, on a busy machine
            connection.send(UNFINISHED[name])
    for name, connection in connections.items():
        with connection:
            status = first_status(connection.receive_end())
        assert status is None or 400 <= status < 500, name
    wait_for(lambda: server.count("terrane_connections_cut_total") > before, what="the count")
    server.wait_idle()


def test_every_byte_value_in_a_target(server):
    for value in range(1, 256):
        with Connection(server.public) as connection:
            connection.send(b"GET /tile/42/0/%b/0.png HTTP/1.1\r\n%b\r\n" % (bytes([value]), HOST))
            expected = 200 if chr(value) in "0123456789" else 404 if chr(value) in "/?" else 400
            assert value in b"\r\n" or connection.receive().status == expected, value
    check_well(server)


def test_pipelined_answers_come_in_order(server):
    """Cold and hot tiles, errors, 304 and HEAD in one write."""
    server.get(base_tile(42, 0, 0, 0, "png"))
    asked = []
    for i in range(12):
        asked += [("GET", base_tile(42, 0, 400 + i, 7, "png", size=512 >> i % 4 + 1), []),
                  ("GET", base_tile(42, 0, 0, 0, "png"), []),
                  ("GET", base_tile(42, 99, 0, 0, "png"), []), ("HEAD", base_tile(42, 0, 400 + i, 8, "f32"), []),
                  ("HEAD", base_tile(42, 0, 0, 0, "png"), []), ("HEAD", "/world/42", []), ("HEAD", "/nothing", []),
                  ("GET", "/healthz", []), ("OPTIONS", "/healthz", []),
                  ("GET", base_tile(42, 0, 0, 0, "png"), [("If-None-Match", "*")])]
    with server.connect() as connection:
        connection.send(b"".join(request_bytes(target, method, headers) for method, target, headers in asked))
        answers = [connection.receive(method) for method, _, _ in asked]
        assert connection.data == b""
    for (method, target, headers), answer in zip(asked, answers):
        alone = server.ask(target, method, headers)
        assert (answer.status, answer.body) == (alone.status, alone.body), target
        assert answer.all("ETag") == alone.all("ETag")


def test_pipelined_tiles_then_gone(server):
    """Nobody reads the answers: they end with the connection."""
    for _ in range(5):
        with server.connect() as connection:
            connection.send(b"".join(request_bytes(base_tile(42, 1, i, 9, "f32", size=512)) for i in range(40)))
    check_well(server)


def test_half_requests_and_resets(launch):
    server = launch(config={"http": {"idle_timeout_s": 3, "request_timeout_s": 1}})
    request = request_bytes(base_tile(42, 0, 55, 5, "png"))
    for cut in range(0, len(request), 3):
        with server.connect() as connection:
            connection.send(request[:cut])
            if cut % 2:  # a reset instead of an orderly end
                connection.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
    check_well(server)


def test_who_leaves_within_a_request_leaves_its_place(launch):
    """Bytes and the end of stream mostly arrive at once."""
    server = launch(config={"http": {"idle_timeout_s": 600, "request_timeout_s": 600}})
    for part in (GET + b"Ho", GET[:6], GET + HOST + b"Content-Length: 9\r\n\r\nabc"):
        for _ in range(30):
            with socket.create_connection(server.public) as raw:
                raw.sendall(part)
    wait_for(lambda: server.count("terrane_connections") == 1, what="clients that are seen to be gone")
    assert server.count("terrane_connections_cut_total") == 0


def test_who_ends_what_it_sends_is_answered(server):
    with socket.create_connection(server.public) as raw:
        raw.sendall((GET + HOST + b"\r\n") * 3)
        raw.shutdown(socket.SHUT_WR)
        answers = b"".join(iter(lambda: raw.recv(65536), b""))
    assert answers.count(b"HTTP/1.1 200 ") == 3


def test_a_reader_that_stops(server):
    """It takes a few bytes of a large tile, then nothing."""
    with server.connect() as connection:
        connection.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        for i in range(40):
            connection.send(request_bytes(base_tile(42, 1, i, 10, "npy", layer="partition", size=512)))
        assert server.is_well()
    check_well(server)


def test_keep_alive_and_close(server):
    with server.connect() as connection:
        for _ in range(20):
            assert connection.ask(base_tile(42, 0, 0, 0, "png")).status == 200
        assert connection.ask("/nothing").status == 404
        connection.send(request_bytes("/healthz", headers=[("Connection", "close")]))
        assert connection.receive()["Connection"] == "close" and connection.receive_end() == b""


def test_absolute_form(server):
    target = base_tile(42, 0, 0, 0, "png")
    assert server.get(f"http://terrane.test{target}").body == server.get(target).body
