"""Servers as context managers: terrane itself, and nginx as what it is compared with.

Each listens on a free loopback port, keeps its files under a directory of the caller's, and is ended when its
`with` block is left, however that happens: SIGTERM first, then SIGKILL to its own process group.
"""

import contextlib
import grp
import http.client
import json
import os
import pwd
import re
import select
import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

SEARCH = os.environ.get("PATH", "") + ":/usr/local/sbin:/usr/sbin:/sbin"
STOP_S = 15
TICKS_PER_S = os.sysconf("SC_CLK_TCK")


def which(command):
    """Path of a command, or None. Looks where Debian keeps servers, too."""
    return shutil.which(command, path=SEARCH)


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def fetch(address, target, headers=None, method="GET"):
    """(status, headers with lower-case names, body) of one request on a connection of its own."""
    connection = http.client.HTTPConnection(address, timeout=120)
    try:
        connection.request(method, target, headers=headers or {})
        answer = connection.getresponse()
        body = answer.read()
        return answer.status, {k.lower(): v for k, v in answer.getheaders()}, body
    finally:
        connection.close()


def busy_share(seconds=1.0):
    """Share of this machine's cores, 0 .. 1, that is in use by anybody while this program sleeps."""
    def ticks():
        fields = [int(f) for f in Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:9]]
        return sum(fields), fields[3] + fields[4]

    total, idle = ticks()
    time.sleep(seconds)
    total_after, idle_after = ticks()
    return 1.0 - (idle_after - idle) / max(1, total_after - total)


def cpu_ns(pid):
    """CPU time of all threads of a process, to the nanosecond."""
    return sum(int(task.read_text().split()[0]) for task in Path(f"/proc/{pid}/task").glob("*/schedstat"))


class Server:
    """A process in a group of its own, its standard error in a log file."""

    name = "server"

    def __init__(self, directory):
        self.directory = Path(directory)
        self.directory.mkdir(parents=True, exist_ok=True)
        self.log = self.directory / (self.name + ".log")
        self.process = None
        self.address = None  # "127.0.0.1:PORT"

    def command(self):
        raise NotImplementedError

    def wait_ready(self):
        """Returns once the port answers."""
        host, port = self.address.split(":")
        end = time.monotonic() + 20
        while time.monotonic() < end:
            if self.process.poll() is not None:
                break
            try:
                socket.create_connection((host, int(port)), timeout=1).close()
                return
            except OSError:
                time.sleep(0.02)
        raise RuntimeError(f"{self.name} does not answer on {self.address}:\n{self.log_text()}")

    def log_text(self):
        return self.log.read_text(errors="replace")[-4000:] if self.log.exists() else ""

    def cpu_s(self):
        """CPU time that the process and its children have used, user and system."""
        used, parent = {}, {}
        for path in Path("/proc").glob("[0-9]*/stat"):
            with contextlib.suppress(FileNotFoundError, ProcessLookupError):
                fields = path.read_text().rsplit(")", 1)[1].split()
                pid = int(path.parent.name)
                parent[pid], used[pid] = int(fields[1]), int(fields[11]) + int(fields[12])
        family = {self.process.pid}
        while more := {p for p in used if parent[p] in family} - family:
            family |= more
        return sum(used[p] for p in family) / TICKS_PER_S

    def __enter__(self):
        command = self.command()
        with open(self.log, "ab") as log:
            self.started = time.perf_counter()
            self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                            stderr=log, start_new_session=True)
        try:
            self.wait_ready()
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(self, kind, error, trace):
        ended = self.process.poll()
        self.stop()
        if isinstance(error, Exception) and (ended is not None or self.log_text()):
            state = "was running" if ended is None else f"had ended with status {ended}"
            sys.stderr.write(f"{self.name} {state}; its log:\n{self.log_text()}\n")

    def stop(self):
        """Ends the process and what it started. Returns its exit status."""
        if self.process is None:
            return None
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(STOP_S)
            except subprocess.TimeoutExpired:
                pass
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        status = self.process.wait()
        self.process.stdout.close()
        return status


class Terrane(Server):
    """terrane serve on free ports. settings: members over the built-in ones, nested as in terrane.json."""

    name = "terrane"

    def __init__(self, directory, binary, cache, settings=None):
        super().__init__(directory)
        self.binary, self.cache = binary, cache
        self.config = self.directory / "terrane.json"
        self.config.write_text(json.dumps({"log": {"level": "warning"}, **(settings or {})}))

    def command(self):
        return [str(self.binary), "serve", "--config", str(self.config), "--listen", "127.0.0.1:0", "--admin",
                "127.0.0.1:0", "--cache", str(self.cache)]

    def wait_ready(self):
        """The ready line; self.ready_s is the wall time from before exec to its arrival."""
        readable, _, _ = select.select([self.process.stdout], [], [], 60)
        line = self.process.stdout.readline() if readable else b""
        self.ready_s = time.perf_counter() - self.started
        if not line:
            raise RuntimeError(f"terrane printed no ready line:\n{self.log_text()}")
        ready = json.loads(line)
        self.address = ready["listen"].split("://")[-1].rstrip("/")
        self.admin = ready["admin"].split("://")[-1].rstrip("/")

    def metrics(self):
        """{'name{label="value"}': number} of every sample on the admin listener."""
        status, _, body = fetch(self.admin, "/metrics")
        if status != 200:
            raise RuntimeError(f"/metrics answers {status}")
        samples = (line.rsplit(" ", 1) for line in body.decode().splitlines() if line and line[0] != "#")
        return {name: float(value) for name, value in samples}

    def metric(self, name, label=""):
        """Sum of one metric over its labels, or over those that contain label, as in 'status="304"'."""
        return sum(v for k, v in self.metrics().items() if k.split("{")[0] == name and label in k)

    def memory_bytes(self):
        """{'VmRSS': bytes, 'VmHWM': bytes, ...} of /proc/PID/status."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return {k: int(v) * 1024 for k, v in re.findall(r"^(\w+):\s+(\d+) kB$", status, re.M)}


# Response headers of the comparison: those of a terrane tile that a file server does not add by itself.
HEADERS = {
    "Cache-Control": "public, max-age=3600, stale-while-revalidate=86400",
    "Access-Control-Allow-Origin": "*",
    "Access-Control-Expose-Headers": "ETag, Content-Length",
    "Timing-Allow-Origin": "*",
    "Cross-Origin-Resource-Policy": "cross-origin",
    "X-Content-Type-Options": "nosniff",
}


class Nginx(Server):
    """Static files: two workers, a listening socket each, sendfile, descriptors and sizes cached, no log."""

    name = "nginx"

    def __init__(self, directory, files):
        super().__init__(directory)
        self.address = f"127.0.0.1:{free_port()}"
        paths = "\n".join(f'    {kind}_temp_path "{self.directory}/{kind}";'
                          for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
        headers = "\n".join(f'    add_header {k} "{v}";' for k, v in HEADERS.items())
        # Workers of a master that is root would become www-data, which cannot read the temporary directory.
        user = f"user {pwd.getpwuid(0).pw_name} {grp.getgrgid(0).gr_name};" if os.geteuid() == 0 else ""
        (self.directory / "nginx.conf").write_text(f"""
daemon off;
{user}
worker_processes 2;
pid "{self.directory}/nginx.pid";
error_log "{self.log}" warn;
events {{
    worker_connections 1024;
}}
http {{
{paths}
    access_log off;
    server_tokens off;
    sendfile on;
    tcp_nopush on;
    keepalive_timeout 3600s;
    keepalive_requests 1000000000;
    open_file_cache max=1000 inactive=3600s;
    open_file_cache_valid 3600s;
    open_file_cache_min_uses 1;
    types {{
        image/png png;
    }}
    server {{
        listen {self.address} reuseport;
        root "{files}";
{headers}
    }}
}}
""")

    def command(self):
        return [which("nginx"), "-p", str(self.directory), "-e", str(self.log), "-c",
                str(self.directory / "nginx.conf")]
