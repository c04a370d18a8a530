"""HTTPS, and certificates that are replaced while it serves."""

import contextlib
import socket
import ssl
import warnings

import pytest
from http_client import PATIENCE_S, Connection, request_bytes
from http_operator import certificate, last_line, reload
from http_server import base_tile

HOST = "terrane.test"
TARGET = base_tile(42, 3, 4, 5, "f32")


class Https(Connection):
    def __init__(self, address, trusted, version=None):
        context = ssl.create_default_context(cafile=str(trusted))
        if version:
            context.minimum_version = context.maximum_version = version
        super().__init__(address, tls=context)

    def common_name(self):
        return dict(part[0] for part in self.socket.getpeercert()["subject"])["commonName"]


def tls(pair):
    return {"http": {"tls": {"certificate": str(pair[0]), "key": str(pair[1])}}}


@pytest.fixture(scope="module")
def pairs(tmp_path_factory):
    directory = tmp_path_factory.mktemp("certificates")
    return {name: certificate(directory, name, HOST) for name in ("first", "second")}


@pytest.fixture(scope="module")
def encrypted(stay, pairs):
    return stay(config=tls(pairs["first"]))


def test_tiles_over_https(encrypted, pairs, server):
    assert encrypted.url.startswith("https://") and encrypted.admin_url.startswith("http://")
    with Https(encrypted.public, pairs["first"][0]) as connection:
        plain = server.get(TARGET)
        for expected in ("render", "memory"):
            answer = connection.ask(TARGET)
            assert answer.status == 200 and answer.body == plain.body and answer["X-Cache"] == expected
        assert connection.ask(TARGET, headers=[("If-None-Match", plain["ETag"])]).status == 304
        assert connection.ask(TARGET, headers=[("Range", "bytes=0-9")]).body == plain.body[:10]
        assert connection.ask("/prefetch", "POST", body=b"{}").status == 400
        connection.send(request_bytes("/healthz") + request_bytes("/nothing"))
        assert [connection.receive().status, connection.receive().status] == [200, 404]


@pytest.mark.parametrize("version", [ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3])
def test_versions(encrypted, pairs, version):
    with Https(encrypted.public, pairs["first"][0], version) as connection:
        assert connection.ask("/readyz").status == 200


@pytest.mark.parametrize("version", [ssl.TLSVersion.TLSv1, ssl.TLSVersion.TLSv1_1])
def test_old_versions_are_refused(encrypted, version):
    """By a client that would take anything."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    context.set_ciphers("ALL:@SECLEVEL=0")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        context.minimum_version = context.maximum_version = version
    with socket.create_connection(encrypted.public, timeout=PATIENCE_S) as plain:
        with pytest.raises((ssl.SSLError, ConnectionError)):
            context.wrap_socket(plain)


def test_what_is_no_tls_breaks_nothing(encrypted, pairs):
    for data in (request_bytes("/healthz"), b"\x16\x03\x01\x00\x05hello", b"\0" * 1000, b""):
        with socket.create_connection(encrypted.public, timeout=PATIENCE_S) as plain:
            received = b""
            with contextlib.suppress(OSError):  # cut off
                plain.sendall(data)
                plain.shutdown(socket.SHUT_WR)
                while more := plain.recv(65536):
                    received += more
            assert not received.startswith(b"HTTP")
    with Https(encrypted.public, pairs["first"][0]) as connection:
        assert connection.ask("/healthz").status == 200
    encrypted.wait_idle()


def test_a_reload_swaps_the_certificate(launch, pairs):
    """New connections meet the new one; those that are open go on with theirs."""
    server = launch(config=tls(pairs["first"]))
    with Https(server.public, pairs["first"][0]) as old:
        assert old.common_name() == "first" and old.ask(TARGET).status == 200
        assert reload(server, tls(pairs["second"]))
        with Https(server.public, pairs["second"][0]) as new:
            assert new.common_name() == "second" and new.ask(TARGET).status == 200
        with pytest.raises(ssl.SSLCertVerificationError):
            Https(server.public, pairs["first"][0])
        assert old.ask(TARGET).status == 200


def test_a_renewed_file_is_taken_up(launch, tmp_path):
    pair = certificate(tmp_path, "one", HOST)
    server = launch(config=tls(pair))
    before = server.descriptors()
    for turn in range(3):
        for path, renewed in zip(pair, certificate(tmp_path, f"renewed-{turn}", HOST)):
            path.write_bytes(renewed.read_bytes())
        assert reload(server)
        with Https(server.public, pair[0]) as connection:
            assert connection.common_name() == f"renewed-{turn}" and connection.ask("/healthz").status == 200
    assert server.descriptors() <= before + 1


def test_wrong_certificates_change_nothing(launch, pairs, tmp_path):
    server = launch(config=tls(pairs["first"]))
    garbage = tmp_path / "garbage.pem"
    garbage.write_text("-----BEGIN CERTIFICATE-----\nno\n-----END CERTIFICATE-----\n")
    first, second = pairs["first"], pairs["second"]
    for wrong, said in (((first[0], second[1]), "http.tls."), ((garbage, first[1]), "http.tls.certificate"),
                        ((first[0], garbage), "http.tls.key"), ((tmp_path / "none", first[1]), "http.tls.certificate"),
                        ((first[1], first[0]), "http.tls.")):
        log = tmp_path / "access.log"  # neither does what else the file says
        assert not reload(server, {**tls(wrong), "log": {"access": str(log)}})
        assert said in last_line(server) and not log.exists()
        with Https(server.public, first[0]) as connection:
            assert connection.common_name() == "first" and connection.ask(TARGET).status == 200


def test_tls_is_not_switched_by_a_reload(launch, pairs):
    plain = launch()
    reload(plain, tls(pairs["first"]))
    assert "http.tls.certificate" in last_line(plain) and plain.is_well()
    encrypted = launch(config=tls(pairs["first"]))
    reload(encrypted, {})
    assert "http.tls.certificate" in last_line(encrypted)
    with Https(encrypted.public, pairs["first"][0]) as connection:
        assert connection.ask(TARGET).status == 200
    # The file as it was is fine again.
    assert reload(plain, {}) and plain.is_well()
    assert reload(encrypted, tls(pairs["second"]))
    with Https(encrypted.public, pairs["second"][0]) as connection:
        assert connection.ask(TARGET).status == 200
