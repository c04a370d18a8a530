"""What an operator has: a token, API keys, a configuration that changes while the server runs, certificates."""

import hashlib
import json
import signal
import subprocess

from http_client import wait_for

TOKEN = "the-operator-s-own-token"
LONG_AGO, FAR_OFF = "2020-01-31T00:00:00Z", "9999-01-31T00:00:00Z"  # when keys expire


def token_file(directory, token=TOKEN):
    """A file of the administrator's token."""
    path = directory / "token"
    path.write_text(f"{token}\n")
    return str(path)


def keys_file(directory, *keys):
    """A file of keys, each (key, name, members of its own)."""
    path = directory / "keys.json"
    holders = [{"name": name, "sha256": hashlib.sha256(key.encode()).hexdigest(), **members} for key, name, members in keys]
    path.write_text(json.dumps({"keys": holders}))
    return str(path)


def bearer(key):
    return [("Authorization", f"Bearer {key}")]


def admin(server, target, method="GET", token=TOKEN, body=b""):
    """An answer of the admin listener; token None: without one."""
    return server.ask(target, method, [] if token is None else bearer(token), body, admin=True)


def admin_json(server, target, method="GET"):
    answer = admin(server, target, method)
    assert answer.status == 200, (target, answer.status, answer.body[:300])
    return json.loads(answer.body)


def reload(server, config=None):
    """Writes the configuration (a text as it is) and sends SIGHUP; then says whether the server goes on with it."""
    if config is not None:
        server.config.write_text(config) if isinstance(config, str) else server.configure(config)
    before = {result: server.count("terrane_reloads_total", result=result) for result in ("done", "refused")}
    server.process.send_signal(signal.SIGHUP)

    def results():
        total = server.metrics().total
        return {result for result in ("done", "refused") if total("terrane_reloads_total", result=result) > before[result]}

    return wait_for(results, what="a reload") == {"done"}


def last_line(server):
    """Of the log."""
    return server.log_text().splitlines()[-1]


def certificate(directory, name, host="terrane.test"):
    """A new self-signed certificate and its key: their files."""
    cert, key = directory / f"{name}.pem", directory / f"{name}-key.pem"
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1",
                    "-nodes", "-days", "30", "-subj", f"/CN={name}", "-addext", f"subjectAltName=DNS:{host}",
                    "-out", cert, "-keyout", key], check=True, capture_output=True)
    return cert, key


def unzstd(data):
    """What zstd's own program makes of it."""
    return subprocess.run(["zstd", "-dcq"], input=data, capture_output=True, check=True).stdout
