"""A thousand clients at once, from a hundred addresses, in one thread."""

import selectors
import socket
import time

import net
from http_client import limit, parse_answer, raise_descriptors, request_bytes


def ask_at_once(address, target, count, seconds=120):
    """count answers to one target, connections made first; None where the server closed without one."""
    raise_descriptors(count + 200)
    sockets = [socket.create_connection(address, timeout=limit(60), source_address=(net.CLIENTS[i % len(net.CLIENTS)], 0))
               for i in range(count)]
    answers, data = [None] * count, [bytearray() for _ in range(count)]
    request = request_bytes(target)
    end = time.monotonic() + limit(seconds)
    try:
        with selectors.DefaultSelector() as selector:
            for i, s in enumerate(sockets):
                s.sendall(request)
                s.setblocking(False)
                selector.register(s, selectors.EVENT_READ, i)
            while selector.get_map():
                ready = selector.select(max(0, end - time.monotonic()))
                assert ready, f"{len(selector.get_map())} of {count} without an answer in time"
                for key, _ in ready:
                    more = key.fileobj.recv(1 << 20)
                    data[key.data] += more
                    found = parse_answer(bytes(data[key.data]), closed=not more)
                    if found or not more:
                        answers[key.data] = found and found[0]
                        selector.unregister(key.fileobj)
    finally:
        for s in sockets:
            s.close()
    return answers
