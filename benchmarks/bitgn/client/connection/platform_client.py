"""The client of the platform, which all calls of a run share.

It has what the calls have in common: the connections, the threads for calls that are begun
ahead, the secrets to remove from replies, and the end of all waiting when a run is stopped.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Final

from controlplane.benchmarks.bitgn.client.connection.http_exchange import (
    HttpExchange,
    HttpReply,
)
from controlplane.sandbox.interface import bounds

MIN_SECRET_CHARS: Final = 6
"""A shorter key is a placeholder. Removing it from texts would damage them."""
MAX_PARALLEL_CALLS: Final = 32
"""The most calls that run in the background at the same time, for all trials together."""


def _ignore(text: str) -> None:
    """Do nothing with a notice."""


class PlatformClient:
    """Sends requests to the platform. Created for each run; all its threads share it."""

    def __init__(
        self,
        connections: int,
        *,
        secrets: tuple[str, ...] = (),
        notify: Callable[[str], None] = _ignore,
    ) -> None:
        """Set up the client, without opening a connection.

        `secrets` are removed from replies and errors, in case a server repeats them.
        `notify` tells the user why calls wait.
        """
        self.secrets = tuple(
            secret for secret in secrets if len(secret) >= MIN_SECRET_CHARS
        )
        self.parallel_calls = ThreadPoolExecutor(
            MAX_PARALLEL_CALLS, thread_name_prefix="platform call"
        )
        """Runs the calls that a trial's thread begins without waiting for them."""
        self._exchange = HttpExchange(connections)
        self._notify = notify
        self._stopping = threading.Event()
        # The time of the last notice. At first it is so early that the next one is not held
        # back.
        self._noticed_at = -bounds.NOTICE_EVERY_S

    def post(
        self, url: str, headers: Mapping[str, str], body: bytes, deadline_s: float
    ) -> HttpReply:
        """Return the reply to a request. Raises the errors of `HttpExchange.post`."""
        return self._exchange.post(url, headers, body, deadline_s)

    def without_secrets(self, text: str) -> str:
        """Return a text with all secrets replaced by `[secret]`."""
        for secret in self.secrets:
            text = text.replace(secret, "[secret]")
        return text

    @property
    def is_stopping(self) -> bool:
        """True after `stop_waiting` was called."""
        return self._stopping.is_set()

    def stop_waiting(self) -> None:
        """End all waiting and prevent retries from now on."""
        self._stopping.set()

    def wait(self, seconds: float) -> bool:
        """Wait for some seconds, or until `stop_waiting` is called.

        Return True if it was called.
        """
        return self._stopping.wait(seconds)

    def notice(self, text: str) -> None:
        """Tell the user why calls wait: at most one notice in `NOTICE_EVERY_S` seconds.

        Two threads at once may both give one, which does no harm, so there is no lock.
        """
        now = time.monotonic()
        if now - self._noticed_at >= bounds.NOTICE_EVERY_S:
            self._noticed_at = now
            self._notify(text)

    def close(self) -> None:
        """End all waiting, refuse later background calls, and close the connections."""
        self.stop_waiting()
        self.parallel_calls.shutdown(wait=False, cancel_futures=True)


class Service:
    """A service of the platform: the one for runs, or the runtime of one trial."""

    def __init__(self, client: PlatformClient, base_url: str, name: str) -> None:
        """Set up the service. `name` is its package and name: `bitgn.harness.HarnessService`."""
        self.client = client
        self.base_url = base_url
        self.url = f"{base_url.rstrip('/')}/{name}"
        self.is_closed = False
        """True if no more requests may be sent, not even retries."""
