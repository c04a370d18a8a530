"""Clients in numbers: a herd that asks as fast as it is answered, a flood at a set rate, and a probe at a set pace.

The flood and the probe are programs of their own, so that neither waits for the other's interpreter:

    herd.py probe HOST PORT SECONDS RATE TARGET
    herd.py flood HOST PORT SECONDS RATE TARGET      {} in TARGET: the number of the request

Each writes one line of JSON. The flood goes on until it has had both 200 and 503, whatever the seconds.
"""

import contextlib
import json
import os
import re
import select
import socket
import sys
import threading
import time

from http_client import PATIENCE_S, Connection, limit, parse_answer, raise_descriptors, request_bytes

LENGTH = re.compile(rb"\r\ncontent-length: *(\d+)", re.IGNORECASE)


def whole(data):
    """Whether the data begins with a whole answer (of a server that always says the length)."""
    end = data.find(b"\r\n\r\n")
    if end < 0:
        return False
    found = LENGTH.search(data, 0, end)
    return len(data) >= end + 4 + (int(found[1]) if found else 0)


def quantile(values, share):
    """In the values' order; None of nothing."""
    return sorted(values)[min(len(values) - 1, int(share * len(values)))] if values else None


def milliseconds(seconds):
    return "none" if seconds is None else f"{1000 * seconds:.2f} ms"


def directory_bytes(path):
    total = 0
    for folder, _, names in os.walk(path):
        for name in names:
            with contextlib.suppress(FileNotFoundError):
                total += os.stat(os.path.join(folder, name)).st_size
    return total


class _Member:
    """A connection of a herd, with the request that is on it."""

    def __init__(self, address, source=""):
        self.socket = socket.create_connection(address, timeout=PATIENCE_S, source_address=(source, 0))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.data, self.request, self.answers = bytearray(), None, 0


class Herd(threading.Thread):
    """Clients that each have one connection, and a request on it at all times, from an iterator of (target, headers).

    answered(request, answer) and lost(request, answers, data, error) are called in the herd's thread: lost, when a
    connection ends without a whole answer; answers is how many it had given before, data what came of this one. A member
    whose connection ends begins another one, until nobody listens, the requests are at an end, or stop().
    """

    def __init__(self, address, requests, clients, answered, lost=None, source=""):
        super().__init__(daemon=True)
        self.address, self.requests, self.clients = address, iter(requests), clients
        self.answered, self.lost = answered, lost or (lambda *_: None)
        self.poll, self.members, self.stopping = select.epoll(), {}, False
        self.error, self.source = None, source

    def _begin(self):
        """One more member with a request; nothing where there is none to be had."""
        request = None if self.stopping else next(self.requests, None)
        if request is None:
            return
        try:
            member = _Member(self.address, self.source)
        except OSError:
            return
        self.members[member.socket.fileno()] = member
        self.poll.register(member.socket, select.EPOLLIN)
        self._send(member, request)

    def _send(self, member, request):
        member.request, member.data = request, bytearray()
        try:
            member.socket.sendall(request_bytes(request[0], headers=request[1]))
        except OSError as error:
            self._end(member, error)

    def _end(self, member, error=None):
        """A member's connection is over; error: with a request on it."""
        self.members.pop(member.socket.fileno())
        member.socket.close()
        if error:
            self.lost(member.request, member.answers, bytes(member.data), error)
        self._begin()

    def _read(self, member):
        try:
            more = member.socket.recv(1 << 20)
        except OSError as error:
            self._end(member, error)
            return
        member.data += more
        if not more:
            self._end(member, EOFError())
        elif whole(member.data):
            answer, rest = parse_answer(bytes(member.data))
            assert not rest, rest[:100]
            member.answers += 1
            self.answered(member.request, answer)
            closes = "Connection" in answer and answer["Connection"].lower() == "close"
            request = None if closes or self.stopping else next(self.requests, None)
            if request:
                self._send(member, request)
            else:
                self._end(member)

    def run(self):
        try:
            for _ in range(self.clients):
                self._begin()
            while self.members:
                for descriptor, _ in self.poll.poll(1):
                    if descriptor in self.members:
                        self._read(self.members[descriptor])
        except BaseException as error:  # told where it is joined
            self.error = error
        finally:
            for member in self.members.values():
                member.socket.close()
            self.poll.close()

    def stop(self):
        """Lets requests under way end."""
        self.stopping = True
        self.finish()

    def finish(self):
        self.join(3 * PATIENCE_S)
        assert not self.is_alive(), "clients still wait"
        if self.error:
            raise self.error


def ask_list(address, requests, clients=32):
    """[(request, answer)] of every request, over a few connections."""
    found = []
    herd = Herd(address, list(requests), clients, lambda request, answer: found.append((request, answer)))
    herd.run()
    if herd.error:
        raise herd.error
    return found


# ---- Programs ---------------------------------------------------------------------------------------------------------


def waited_seconds():
    """How long this process has been ready to run while others ran; None where the system does not tell."""
    try:
        with open("/proc/self/schedstat", encoding="ascii") as file:
            return int(file.read().split()[1]) / 1e9
    except OSError:
        return None


def first_on_a_core():
    """The probe stands for another machine, whose cores are its own: that it waits for one here is not the server's doing.
    Where the system does not grant it, times are longer."""
    try:
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
    except OSError:
        pass


def probe(address, seconds, rate, target):
    """One connection. A request is due every 1 / rate s: a time is from there on where the answer before came too late, else
    from the sending."""
    first_on_a_core()
    before = waited_seconds()
    times, statuses = [], {}
    with Connection(address) as connection:
        connection.ask(target)
        begin = time.monotonic()
        for i in range(int(seconds * rate)):
            due = begin + i / rate
            now = time.monotonic()
            if now < due:
                time.sleep(due - now)
                due = time.monotonic()
            answer = connection.ask(target)
            times.append(time.monotonic() - due)
            statuses[answer.status] = statuses.get(answer.status, 0) + 1
    waited = None if before is None else (waited_seconds() - before) / len(times)
    return {"times": times, "statuses": statuses, "waited": waited}


class Flood:
    """Requests at a set rate, whatever becomes of them, each on a connection on which nothing is under way. The server must
    not close those that rest for a while."""

    MOST = 6000  # connections

    def __init__(self, address, target):
        self.address, self.target = address, target
        self.poll, self.member, self.idle = select.epoll(), {}, []
        self.times, self.broken, self.unsent, self.sent, self.no_retry = {}, 0, 0, 0, 0

    def ask(self):
        self.sent += 1
        if not self.idle and len(self.member) >= self.MOST:
            self.unsent += 1
            return
        try:
            member = self.idle.pop() if self.idle else self.connect()
            member.begin = time.monotonic()
            member.socket.sendall(request_bytes(self.target.format(self.sent)))
        except OSError:
            self.broken += 1

    def connect(self):
        member = _Member(self.address)
        self.member[member.socket.fileno()] = member
        self.poll.register(member.socket, select.EPOLLIN)
        return member

    def read(self, descriptor):
        member = self.member[descriptor]
        try:
            more = member.socket.recv(1 << 20)
        except OSError:
            more = b""
        member.data += more
        if whole(member.data):
            now = time.monotonic()
            answer, _ = parse_answer(bytes(member.data))
            self.times.setdefault(answer.status, []).append(now - member.begin)
            self.no_retry += answer.status != 200 and not answer.all("Retry-After")
            member.data = bytearray()
            self.idle.append(member)
        elif not more:
            self.broken += 1
            if member in self.idle:
                self.idle.remove(member)
            del self.member[descriptor]
            member.socket.close()

    def run(self, seconds, rate):
        begin = time.monotonic()
        while (now := time.monotonic()) < begin + (seconds if {200, 503} <= self.times.keys() else limit(60)):
            while begin + self.sent / rate <= now:
                self.ask()
            wait = begin + self.sent / rate - time.monotonic()
            for descriptor, _ in self.poll.poll(max(0, wait)):
                self.read(descriptor)
        for member in self.member.values():
            member.socket.close()
        return {"seconds": time.monotonic() - begin, "sent": self.sent, "unsent": self.unsent, "broken": self.broken,
                "no_retry": self.no_retry, "times": self.times}


def flood(address, seconds, rate, target):
    os.nice(5)  # stands for other machines: it should not take the server's time
    raise_descriptors(Flood.MOST + 100)
    return Flood(address, target).run(seconds, rate)


if __name__ == "__main__":
    name, host, port, *numbers, what = sys.argv[1:]
    print(json.dumps({"probe": probe, "flood": flood}[name]((host, int(port)), *map(float, numbers), what)))
