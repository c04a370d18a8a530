"""Load that goes on while something else happens."""

import threading

from http_client import wait_for


class Load:
    """Clients, a connection each, that ask until the block ends; every answer is 200, and is_right(target, answer).

    next_target(client) is what the client of that number asks for: (target, headers)."""

    def __init__(self, server, next_target, is_right=lambda target, answer: True, clients=1):
        self.server, self.next_target, self.is_right = server, next_target, is_right
        self.ended, self.wrong, self.counts = threading.Event(), [], [0] * clients
        self.threads = [threading.Thread(target=self._ask, args=(client,)) for client in range(clients)]

    def _ask(self, client):
        try:
            with self.server.connect() as connection:
                while not self.ended.is_set():
                    target, headers = self.next_target(client)
                    answer = connection.ask(target, headers=headers)
                    if answer.status != 200 or not self.is_right(target, answer):
                        self.wrong.append((target, answer.status, answer.body[:300]))
                    self.counts[client] += 1
        except (OSError, AssertionError) as error:
            self.wrong.append(repr(error))

    def further(self, count):
        """Until so many more have been answered: whatever happens to the server, answers go on."""
        aim = sum(self.counts) + count
        wait_for(lambda: sum(self.counts) >= aim or self.wrong, "answers")

    def __enter__(self):
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self.ended.set()
        for thread in self.threads:
            thread.join()
        assert not self.wrong and min(self.counts) > 0, self.wrong[:3]
