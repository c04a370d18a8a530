"""Server-sent events, as a browser reads them."""

import json

from http_client import request_bytes


class Stream:
    """One stream of /world/{name}/events; EOFError where it has ended."""

    def __init__(self, server, query="", headers=(), name="commons"):
        self.connection = server.connect()
        self.connection.send(request_bytes(f"/world/{name}/events{query}", headers=headers))
        self.text, self.last, self.retry = b"", None, None
        self.answer = self.connection.receive("HEAD")
        assert self.answer.status == 200 and self.answer["Transfer-Encoding"] == "chunked", self.answer
        self.greeting = json.loads(self.next()[1])

    def _more(self):
        more = self.connection.socket.recv(1 << 16)
        if not more:
            raise EOFError
        self.connection.data += more

    def _chunk(self):
        data = self.connection.data
        while b"\r\n" not in data:
            self._more()
        start = data.index(b"\r\n") + 2
        size = int(data[:start], 16)
        if size == 0:
            raise EOFError
        while len(data) < start + size + 2:
            self._more()
        self.text += data[start:start + size]
        del data[:start + size + 2]

    def block(self):
        """The next block's lines: an event, or a comment."""
        while b"\n\n" not in self.text:
            self._chunk()
        block, self.text = self.text.split(b"\n\n", 1)
        return block.decode().split("\n")

    def next(self, comments=False):
        """(event, data) of the next one; the number that a browser would resume from is self.last."""
        while True:
            kind, data, comment = "message", [], False
            for line in self.block():
                name, _, value = line.partition(":")
                value = value.removeprefix(" ")
                comment = comment or not name
                if name == "id":
                    self.last = value
                elif name == "retry":
                    self.retry = int(value)
                elif name == "event":
                    kind = value
                elif name == "data":
                    data.append(value)
            if data or (comment and comments):
                return kind, "\n".join(data)

    def numbers(self, count):
        return [json.loads(self.next()[1])["seq"] for _ in range(count)]

    def resume(self, server, query=""):
        self.close()
        return Stream(server, query, [("Last-Event-ID", self.last)])

    def close(self):
        self.connection.close()
