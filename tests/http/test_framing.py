"""Requests that two parties on the way could read in two ways: 400 and the end, before anything of them is believed.

Each is followed by a request that its sender would have smuggled in: nobody answers that.
"""

import json
import os
import time

import pytest
from http_client import PATIENCE_S, Connection, in_less_than, request_bytes, wait_for
from http_operator import certificate
from http_server import base_tile

HOST = b"Host: terrane.test\r\n"
GET = b"GET /healthz HTTP/1.1\r\n" + HOST
POST = b"POST /point/42 HTTP/1.1\r\n" + HOST
CHUNKED = POST + b"Transfer-Encoding: chunked\r\n"
BODY = b'{"places":[[0,0],[100,200]]}'
CHUNK = b"%x\r\n%b\r\n" % (len(BODY), BODY)
SMUGGLED = request_bytes("/readyz")

HEADS = {
    "length in a fold": POST + b"Content-Length:\r\n 35\r\n\r\n",
    "length in a fold of a tab": POST + b"Content-Length:\r\n\t35\r\n\r\n",
    "length behind a fold": POST + b"X: a\r\n b\r\nContent-Length: 35\r\n\r\n",
    "coding in a fold": POST + b"Transfer-Encoding:\r\n chunked\r\n\r\n",
    "blank first line": GET.replace(HOST, b" X: y\r\n" + HOST) + b"\r\n",
    "blanks alone": GET + b"X: y\r\n  \r\n\r\n",
    "forwarded for in a fold": GET + b"X-Forwarded-For:\r\n 203.0.113.7\r\n\r\n",
    "empty name": POST + b": a\r\nContent-Length: 35\r\n\r\n",
    "blank before the colon": POST + b"Content-Length : 35\r\n\r\n",
    "tab before the colon": POST + b"Transfer-Encoding\t: chunked\r\n\r\n",
    "odd name": GET + b"X(y): z\r\n\r\n",
    "name beyond ASCII": GET + b"Content-Length\xa0: 5\r\n\r\n",
    "no colon": GET + b"nonsense\r\n\r\n",
    "zero byte in a name": POST + b"Content-Length\0: 35\r\n\r\n",
    "zero byte in a value": POST + b"Content-Length: 35\0\r\n\r\n",
    "zero byte in another value": GET + b"X: a\0b\r\n\r\n",
    "nine empty lines": b"\r\n" * 9 + GET + b"\r\n",
    "zero byte in the target": b"GET /healthz\0x HTTP/1.1\r\n" + HOST + b"\r\n",
    "zero byte before the request": b"\0" + GET + b"\r\n",
    "LF ends the request line": GET.replace(b"\r\n", b"\n", 1) + b"\r\n",
    "LF ends a header": GET + b"X: a\nContent-Length: 35\r\n\r\n",
    "LF ends the head": GET + b"X: a\r\n\n",
    "LF alone": GET.replace(b"\r\n", b"\n") + b"\n",
    "CR ends a header": GET + b"X: a\rContent-Length: 35\r\n\r\n",
    "CR ends the request line": GET.replace(b"\r\n", b"\r", 1) + b"\r\n",
    "CR ends the head": GET + b"\rX",
    "chunks in HTTP/1.0": CHUNKED.replace(b"/1.1", b"/1.0") + b"\r\n0\r\n\r\n",
    "chunks and a length": CHUNKED + b"Content-Length: 3\r\n\r\n0\r\n\r\n",
    "a length and chunks": POST + b"Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "two lengths": POST + b"Content-Length: 0\r\nContent-Length: 35\r\n\r\n",
    "the same length twice": POST + b"Content-Length: 35\r\ncontent-length: 35\r\n\r\n",
    "lengths in a list": POST + b"Content-Length: 35, 35\r\n\r\n",
    "length with a sign": POST + b"Content-Length: +35\r\n\r\n",
    "length in hex": POST + b"Content-Length: 0x23\r\n\r\n",
    "length of a blank": POST + b"Content-Length: 3 5\r\n\r\n",
    "length before a blank": POST + b"Content-Length: 35 \r\n\r\n",  # fine by RFC 9110; libmicrohttpd refuses it,
    "coding before a blank": POST + b"Transfer-Encoding: chunked \r\n\r\n0\r\n\r\n",  # and takes this for a body without end
    "no length": POST + b"Content-Length: \r\n\r\n",
    "length over 63 bits": POST + b"Content-Length: 18446744073709551615\r\n\r\n",
    "two codings": CHUNKED + b"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "codings in a list": POST + b"Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
    "no coding": POST + b"Transfer-Encoding: identity\r\n\r\n",
    "part of a coding": POST + b"Transfer-Encoding: chunke\r\n\r\n",
    "two hosts": GET.replace(b"/healthz", b"/tile/42/9/0/0.png") + b"hOST: other.test\r\n\r\n",  # and no cache keeps it for the tile
}
BODIES = {
    "LF ends an extension": b"%x;a\n%b\r\n0\r\n\r\n" % (len(BODY), BODY),
    "LF ends a size": b"%x\n%b\r\n0\r\n\r\n" % (len(BODY), BODY),
    "CR ends an extension": b"%x;a\rb\r\n%b\r\n0\r\n\r\n" % (len(BODY), BODY),
    "LF ends the last size": CHUNK + b"0\n\r\n",
    "LF ends the last extension": CHUNK + b"0;a\n\r\n",
    "zero byte in an extension": CHUNK + b"0;\0\r\n\r\n",
    "LF ends the data": CHUNK[:-2] + b"\n0\r\n\r\n",
    "CR ends the data": CHUNK[:-1] + b"0\r\n\r\n",
    "data go on": CHUNK[:-2] + b"x\r\n0\r\n\r\n",
    "no size": CHUNK + b"\r\n0\r\n\r\n",
    "size in words": b"ZZ\r\nfoo\r\n0\r\n\r\n",
    "size with 0x": b"0x5\r\nhello\r\n0\r\n\r\n",
    "size with a sign": b"-5\r\nhello\r\n0\r\n\r\n",
    "size behind a blank": b" 5\r\nhello\r\n0\r\n\r\n",
    "size before a blank": b"5 \r\nhello\r\n0\r\n\r\n",
    "size of 16 digits": b"0000000000000005\r\nhello\r\n0\r\n\r\n",
    "size over 64 bits": b"fffffffffffffffffffff\r\nfoo",
    "extension before the size": b";a\r\n0\r\n\r\n",
    "endless extension": b"5;" + b"a" * 256,
    "endless trailer": CHUNK + b"0\r\nX: " + b"a" * 450,
    "many trailers": CHUNK + b"0\r\n" + b"X: a\r\n" * 8 + b"\r\n",
    "fold in the trailers": CHUNK + b"0\r\nX: a\r\n b\r\n\r\n",
    "trailers begin with a fold": CHUNK + b"0\r\n X: a\r\n\r\n",
    "empty name in the trailers": CHUNK + b"0\r\n: a\r\n\r\n",
    "LF in the trailers": CHUNK + b"0\r\nX: a\n\r\n",
    "LF ends the trailers": CHUNK + b"0\r\n\n",
    "length in the trailers": CHUNK + b"0\r\nContent-Length: 5\r\n\r\n",
    "coding in the trailers": CHUNK + b"0\r\nTransfer-Encoding: chunked\r\n\r\n",
    "a request in the trailers": CHUNK + b"0\r\nGET /readyz HTTP/1.1\r\nHost: x\r\n\r\n",
}
ATTACKS = {**HEADS, **{name: CHUNKED + b"\r\n" + body for name, body in BODIES.items()}}
FINE = {
    "length": POST + b"Content-Length: %d\r\n\r\n" % len(BODY) + BODY,
    "length between blanks": POST + b"Content-Length: \t%d\r\n\r\n" % len(BODY) + BODY,
    "chunk": CHUNKED + b"\r\n" + CHUNK + b"0\r\n\r\n",
    "coding in capitals": POST + b"TRANSFER-ENCODING:  Chunked\r\n\r\n" + CHUNK + b"0\r\n\r\n",
    "many chunks": CHUNKED + b"\r\n" + b"".join(b"1\r\n%c\r\n" % byte for byte in BODY) + b"0\r\n\r\n",
    "extensions": CHUNKED + b"\r\n" + CHUNK.replace(b"\r\n", b';a="b c";d\r\n', 1) + b"0;e=\t\r\n\r\n",
    "a long extension": CHUNKED + b"\r\n" + CHUNK.replace(b"\r\n", b";" + b"a" * 255 + b"\r\n", 1) + b"0;" + b"a" * 255 + b"\r\n\r\n",
    "zeros in front": CHUNKED + b"\r\n00000" + CHUNK + b"000\r\n\r\n",
    "trailers": CHUNKED + b"\r\n" + CHUNK + b"0\r\nX-A: b\r\nX-C:\r\n\r\n",
    "odd values": POST + b"X!#$%&'*+-.^_`|~9: \x80\xff\x01\t:;,\r\nY:\r\nContent-Length: " + b"%d\r\n\r\n" % len(BODY) + BODY,
    "names of a part": POST + b"Hos: a\r\nHosts: b\r\nContent-Length-: 7\r\nContent: 7\r\nTransfer: x\r\nContent-Length: "
                       + b"%d\r\n\r\n" % len(BODY) + BODY,
    "long trailers": CHUNKED + b"\r\n" + CHUNK + b"0\r\n" + b"X: a\r\n" * 5 + b"Y: " + b"a" * 80 + b"\r\n\r\n",
    "empty lines before": b"\r\n" * 8 + POST + b"Content-Length: %d\r\n\r\n" % len(BODY) + BODY,
}


@pytest.fixture(scope="module")
def opens(stay, tmp_path_factory):
    """How to connect: in the clear, and by TLS."""
    pair = certificate(tmp_path_factory.mktemp("framing"), "one", "terrane.test")
    plain = stay()
    encrypted = stay(config={"http": {"tls": {"certificate": str(pair[0]), "key": str(pair[1])}}})
    return {"plain": plain.connect, "tls": lambda: Connection(encrypted.public, tls=pair[0]),
            "admin": lambda: plain.connect(admin=True)}


def check_refused(answer):
    problem = json.loads(answer.body)
    assert answer.status == problem["status"] == 400 and answer["Content-Type"] == "application/problem+json"
    assert answer["Connection"] == "close" and answer["Cache-Control"] == "no-store" and "Date" in answer
    assert problem["parameter"] in ("headers", "body", "Host") and problem["detail"]


@pytest.mark.parametrize("way", ["plain", "tls"])
@pytest.mark.parametrize("name", ATTACKS)
@pytest.mark.parametrize("before", [0, 3])
def test_refused(opens, name, way, before):
    """Alone, and behind a cold tile, whose connection waits for the pool, a body, and another hit, in one write with it: those are answered."""
    cold = base_tile(42, 2, len(name), sum(name.encode()), "png", size=65)
    first = [request_bytes(cold), FINE["trailers"], request_bytes("/readyz")][:before]
    with opens[way]() as connection:
        connection.offer(b"".join([*first, ATTACKS[name], SMUGGLED]))
        assert [connection.receive().status for _ in first] == [200] * before
        check_refused(connection.receive())
        assert connection.receive_end() == b""


@pytest.mark.parametrize("name", ["length in a fold", "zero byte in a value", "chunks in HTTP/1.0", "LF ends an extension",
                                  "LF ends the last size", "CR ends the data", "fold in the trailers"])
def test_a_byte_at_a_time(opens, name):
    with opens["plain"]() as connection:
        for byte in request_bytes("/healthz") + ATTACKS[name]:
            connection.offer(bytes([byte]))
            time.sleep(0.0005)
        assert connection.receive().status == 200
        check_refused(connection.receive())
        assert connection.receive_end() == b""


@pytest.mark.parametrize("way", ["plain", "tls"])
@pytest.mark.parametrize("name", FINE)
def test_what_is_well_formed_is_read(opens, name, way):
    with opens[way]() as connection:
        connection.send(FINE[name] + FINE["chunk"] + request_bytes("/readyz"))
        answers = [connection.receive() for _ in range(3)]
    assert [answer.status for answer in answers] == [200, 200, 200] and answers[0].body == answers[1].body


@pytest.mark.parametrize("name", ["chunk", "trailers", "extensions"])
def test_cut_anywhere(opens, name):
    """The last chunk's CR and LF come apart, too: what follows is one request, and answered at once."""
    with opens["plain"]() as connection:
        whole = None
        for cut in range(len(FINE[name]) - 30, len(FINE[name])):
            connection.send(FINE[name][:cut])
            time.sleep(0.003)
            connection.send(FINE[name][cut:] + request_bytes("/healthz"))
            answer = connection.receive()
            whole = whole or answer.body
            assert answer.status == 200 and answer.body == whole, cut
            assert connection.receive().body == b"ok\n", cut
        assert connection.data == b""


def body_of(blanks):
    body = BODY + b" " * blanks
    return CHUNKED + b"\r\n%x\r\n%b\r\n0\r\n\r\n" % (len(body), body)


def test_of_any_length_in_one_write(opens):
    """The last chunk's CR may be the last byte that there was room for, with the rest still unread: nothing more will come to
    wake who waits for it. Lengths around multiples of what a read takes, and some in between; all of them up to two reads in the long run."""
    lengths = [*range(0, 9000, 1 if os.environ.get("TERRANE_TEST_LONG") else 17), *(n for at in range(3999, 65000, 4016) for n in range(at - 64, at + 64))]
    for blanks in lengths:
        with opens["plain"]() as connection:
            connection.send(body_of(blanks))
            assert connection.receive().status == 200, blanks
    with opens["plain"]() as connection:
        for blanks in range(3900, 4200):  # one after the other, around what a read takes
            connection.send(body_of(blanks))
            assert connection.receive().status == 200, blanks


@pytest.mark.parametrize("name", ["chunk", "trailers"])
def test_records_cut_anywhere(opens, name):
    """Two records in one write, or three with one of a single byte, wherever they are cut, and one a byte."""
    text = FINE[name]
    with opens["tls"]() as connection:
        for cut in range(1, len(text)):
            for pieces in ([text[:cut], text[cut:]], [text[:cut], text[cut:cut + 1], text[cut + 1:]]):
                for piece in filter(None, pieces):
                    connection.send(piece)
                assert connection.receive().status == 200, (cut, len(pieces))
        for _ in range(20):
            for byte in text:
                connection.send(bytes([byte]))
            assert connection.receive().status == 200


@pytest.mark.parametrize("name", ["length in a fold", "chunks in HTTP/1.0", "LF ends an extension"])
def test_the_operators_listener_too(opens, name):
    attack = ATTACKS[name].replace(b"/point/42", b"/purge?all=1")
    with opens["admin"]() as connection:
        connection.offer(attack + SMUGGLED)
        answer = connection.receive()
        check_refused(answer)
        assert "Access-Control-Allow-Origin" not in answer and connection.receive_end() == b""


def test_nothing_of_it_is_believed(launch, tmp_path):
    """Neither whom a proxy's header names, nor a key: the log has the address that is there, and the count its 400."""
    log = tmp_path / "access.log"
    server = launch(config={"log": {"access": str(log)}, "http": {"trusted_proxies": ["127.0.0.1"]}})
    head = b"GET /world/7 HTTP/1.1\r\n" + HOST
    attacks = [b"X-Forwarded-For: 203.0.113.7\r\nX: y\r\n z\r\n\r\n", b"X-Forwarded-For:\r\n 203.0.113.7\r\n\r\n",
               b"X-Forwarded-For: 203.0.113.7\r\n: a\r\n\r\n"]
    for attack in attacks:
        with server.connect() as connection:
            connection.send(head + attack)
            check_refused(connection.receive())
    wait_for(lambda: log.read_text().count('"route":"/world"') == 3, what="lines of the log")
    found = [line for line in map(json.loads, log.read_text().splitlines()) if line["route"] == "/world"]
    assert [(line["client"], line["status"], line["target"]) for line in found] == [("127.0.0.1", 400, "/world/7")] * 3
    wait_for(lambda: server.count("terrane_requests_total", route="/world", status="400") == 3, what="the third")
    with server.connect() as connection:
        connection.send(b"GET /\0 HTTP/1.1\r\n" + HOST + b"\r\n")
        check_refused(connection.receive())
    wait_for(lambda: server.count("terrane_requests_total", status="400") == 4, what="the fourth")
    assert server.is_well()
    server.wait_idle()


def test_a_flood_of_them_leaves_nothing(launch):
    server = launch()
    before = server.descriptors()
    for _ in range(300):
        with server.connect() as connection:
            connection.offer(ATTACKS["length in a fold"] + b"x" * 300000)
    assert server.is_well()
    wait_for(lambda: server.descriptors() <= before + 4, what="descriptors")
    server.wait_idle()


@pytest.mark.parametrize("way", ["plain", "tls"])
@in_less_than(1)
def test_who_goes_on_writing_is_told(opens, way):
    """Not reset while it has not read its 400, for a second."""
    with opens[way]() as connection:
        connection.send(ATTACKS["length in a fold"])
        for _ in range(50):
            connection.send(b"x" * 1000)
            time.sleep(0.001)
        check_refused(connection.receive())
        assert connection.receive_end() == b""


@pytest.mark.parametrize("way", ["plain", "tls"])
@pytest.mark.parametrize("piece, pause", [(1 << 20, 0), (1, 0.02)])
def test_but_not_for_ever(opens, way, piece, pause):
    with opens[way]() as connection, pytest.raises(OSError):
        end = time.monotonic() + PATIENCE_S
        connection.send(ATTACKS["length in a fold"])
        while time.monotonic() < end:
            connection.send(b"x" * piece)
            time.sleep(pause)


def test_who_neither_reads_nor_writes_is_closed(launch):
    server = launch()
    before = server.descriptors()
    silent = [server.connect() for _ in range(20)]
    for connection in silent:
        connection.send(ATTACKS["length in a fold"])
    wait_for(lambda: server.count("terrane_requests_total", status="400") == 20, what="the last of them")
    wait_for(lambda: server.descriptors() <= before + 4, what="descriptors")
    assert server.count("terrane_connections_cut_total") == 0
