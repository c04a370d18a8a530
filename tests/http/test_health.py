"""terrane health: what an engine's health check, or a script, learns of a server."""

import contextlib
import json
import socket
import threading

import pytest
from http_client import PATIENCE_S
from http_server import run
from http_operator import certificate


def health(*words, environment=None, patience=("--timeout", 60)):
    """patience: more than a busy machine takes, where words do not say how long."""
    done = run("health", *words, *(() if "--timeout" in words else patience), environment=environment)
    told = (done.stdout + done.stderr).decode()
    assert len(told.splitlines()) == 1, told
    assert (done.stdout == b"") == (done.returncode != 0)
    return done.returncode, told.rstrip("\n")


@contextlib.contextmanager
def answering(answer, host="127.0.0.1"):
    """A server of one answer, as bytes, or None: it listens and says nothing. Where it is, and what it is asked."""
    asked, over = bytearray(), threading.Event()

    def serve():
        with contextlib.suppress(OSError), listener.accept()[0] as connection:
            while b"\r\n\r\n" not in asked and (received := connection.recv(4096)):
                asked.extend(received)
            if answer is None:
                over.wait(PATIENCE_S)
            else:
                connection.sendall(answer)
    with socket.create_server((host, 0), family=socket.AF_INET6 if ":" in host else socket.AF_INET) as listener:
        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        yield f"[{host}]:{listener.getsockname()[1]}" if ":" in host else f"{host}:{listener.getsockname()[1]}", asked
        over.set()
        listener.shutdown(socket.SHUT_RDWR)
        thread.join(PATIENCE_S)


def test_a_server_is_ready_on_both_listeners(server):
    for host, port in (server.public, server.admin):
        for word in (f"{host}:{port}", f"http://{host}:{port}", f"http://{host}:{port}/", f"HTTP://localhost:{port}/readyz"):
            status, told = health(word)
            assert status == 0 and told.endswith(f":{port}/readyz: ready")
    assert health(f"http://{server.public[0]}:{server.public[1]}/healthz")[0] == 0


def test_the_configuration_says_whom_to_ask(server, tmp_path):
    file, taken = tmp_path / "terrane.json", socket.socket()
    taken.bind(("127.0.0.1", 0))  # a port on which nobody listens, and nobody can
    nobody, port, admin = taken.getsockname()[1], server.public[1], server.admin[1]
    for listen, told, asked in (
        (f"0.0.0.0:{nobody}", f"0.0.0.0:{admin}", admin),
        (f"127.0.0.1:{port}", "", port),
        (f"0.0.0.0:{port}", "", port),
        (f"localhost:{port}", "127.0.0.1:0", port),
    ):
        file.write_text(json.dumps({"listen": listen, "admin": told}))
        assert health("--config", file) == (0, f"http://{'localhost' if 'local' in listen and asked == port else '127.0.0.1'}"
                                               f":{asked}/readyz: ready")
        assert health(environment={"TERRANE_CONFIG": str(file)})[0] == 0
        assert health(environment={"TERRANE_LISTEN": listen, "TERRANE_ADMIN": told})[0] == 0
    status, told = health("--config", file, environment={"TERRANE_ADMIN": f"127.0.0.1:{nobody}"})
    assert status == 1 and told == f"terrane health: http://127.0.0.1:{nobody}/readyz: Connection refused"
    taken.close()


def test_a_server_with_tls_is_asked_on_its_admin_listener(launch, tmp_path):
    cert, key = certificate(tmp_path, "server")
    tls = {"http": {"tls": {"certificate": str(cert), "key": str(key)}}}
    server = launch(config=tls)
    file = tmp_path / "terrane.json"
    file.write_text(json.dumps({**tls, "admin": f"0.0.0.0:{server.admin[1]}"}))
    assert health("--config", file)[0] == 0
    assert health(f"127.0.0.1:{server.public[1]}")[0] == 1
    file.write_text(json.dumps({**tls, "admin": ""}))
    status, told = health("--config", file)
    assert status == 2 and "name the address" in told


HEAD = b"HTTP/1.1 200 OK\r\n\r\n"
NO_HTTP = [b"HTTP/1.1 2000 OK\r\n\r\n", b"HTTP/1.1 20", b"HTTP/2.0 200 OK\r\n\r\n", b"HTTP/1.1  200 OK\r\n\r\n", b"SSH-2.0-OpenSSH\r\n",
           b"HTTP/1.1 200", b"x" * 100000, b"HTTP/1.1\r\n200 OK"]  # fmt: skip


@pytest.mark.parametrize("answer,status,words", [
    (HEAD, 0, "ready"), (b"HTTP/1.0 200\r\n\r\n", 0, "ready"), (b"HTTP/1.1 200 OK\r\nX: " + b"y" * 100000, 0, "ready"),
    (b"HTTP/1.1 503 No\r\n\r\nstopping\r\nmore", 1, 'not ready: status 503, "stopping"'),
    (b"HTTP/1.1 503 No\r\n\r\n\x1b[31m\0\xff", 1, r'not ready: status 503, "\x1b[31m \xff"'),
    (b"HTTP/1.1 404 No\r\n\r\n", 1, 'status 404, ""'), (b"HTTP/1.1 301 No\r\nLocation: /\r\n\r\n", 1, "status 301"),
    (b"HTTP/1.1 204 No\r\n\r\n", 1, "status 204"), (b"HTTP/1.1 503 No\r\n\r\n" + b"z" * 100000, 1, "zzz"), (b"", 1, "hung up"),
    *((answer, 1, "/readyz: what answers does not speak HTTP") for answer in NO_HTTP),
], ids=range(10 + len(NO_HTTP)))
def test_answers(answer, status, words):
    with answering(answer) as (address, asked):
        got, told = health(f"http://{address}/readyz")
        assert asked.startswith(f"GET /readyz HTTP/1.1\r\nHost: {address}\r\n".encode())
    assert got == status and words in told and told.isprintable()


def test_ipv6():
    try:
        socket.create_server(("::1", 0), family=socket.AF_INET6).close()
    except OSError:
        pytest.skip("no ::1")
    with answering(HEAD, "::1") as (address, asked):
        told = health(environment={"TERRANE_ADMIN": address.replace("::1", "::")})
        assert told == (0, f"http://{address}/readyz: ready") and f"Host: {address}\r\n".encode() in asked


def test_one_who_says_nothing_is_waited_for_no_longer_than_said():
    for words, seconds in ((["--timeout", "1"], 1), ([], 2)):
        with answering(None) as (address, _):
            status, told = health(address, *words, patience=())
        assert status == 1 and told.endswith(f"/readyz: no answer within {seconds} s")


@pytest.mark.parametrize("words", [
    ["https://127.0.0.1:1"], ["127.0.0.1"], ["127.0.0.1:0"], ["http://a:1/b c"], ["a" * 5000 + ":1"], ["a:1#b"], ["--timeout", "61"],
    ["--timeout", "1.5"],
    ["a:1", "b:2"], ["--config", "/nonexistent"], ["http://a\r\nX:1"]], ids=range(11))
def test_asked_wrongly(words):
    done = run("health", *words)
    told = done.stderr.decode()
    assert done.returncode == 2 and done.stdout == b""
    assert told.startswith("terrane health: ") and len(told.splitlines()) == 1 and len(told) < 400
