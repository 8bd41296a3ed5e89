"""The connection to the platform: HTTP exchanges, replies and their errors."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Final, TypeAlias

import pyqwest

from controlplane.agent.failure_codes import failure_of
from controlplane.sandbox.interface import Plain, bounds, error_codes

# One HTTP exchange with the platform, over persistent connections.
#
# The deadline applies to the whole exchange, including the body. The size of a body is
# checked while it arrives. Redirects are not followed, because they would send the key to
# another host. Proxies come from the environment.

# The client of `connectrpc`, the server's library, would not do:
# - It checks the size of a reply only after it has read the whole reply. With a limit of 1 MB, a
#   reply of 300 MB took 640 MB of memory.
# - Its errors have neither the body nor `Retry-After`, and are the same for another site's 404 page
#   and the platform's `unimplemented`. So they do not tell a wrong address, a busy platform and a
#   lost reply apart.


BROKEN_CONNECTION: Final = (
    pyqwest.RemoteProtocolError,
    pyqwest.ReadError,
    pyqwest.WriteError,
)
"""The connection broke, or the data was not HTTP."""


class PlatformReplyTooLong(Exception):
    """A reply was too long and was not read to its end."""


EXCHANGE_ERRORS: Final = (
    OSError,  # `ConnectionError`: nothing was sent. `TimeoutError`: the deadline has passed.
    *BROKEN_CONNECTION,
    PlatformReplyTooLong,
    ValueError,  # The address is invalid. Which of these two is raised depends on its fault.
    RuntimeError,
)
"""All errors that an exchange may raise."""


@dataclass(frozen=True, slots=True)
class HttpReply:
    """A complete reply, decompressed."""

    status: int
    headers: Mapping[str, str]
    """By name, in lower case."""
    content: bytes


def _transport(connections: int) -> pyqwest.SyncHTTPTransport:
    """Return the transport for at most this many idle connections.

    Raises `ValueError` if the certificates that SSL_CERT_FILE names cannot be used.
    """
    certificate_file = os.environ.get("SSL_CERT_FILE")
    try:
        certificate = Path(certificate_file).read_bytes() if certificate_file else None
        return pyqwest.SyncHTTPTransport(
            tls_ca_cert=certificate,
            tls_include_system_certs=certificate is None,
            http_version=pyqwest.HTTPVersion.HTTP1,
            connect_timeout=bounds.LONGEST_CONNECT_S,
            # Keep an idle connection for less time than common servers do before they close it.
            pool_idle_timeout=bounds.IDLE_CONNECTION_S,
            pool_max_idle_per_host=connections,
            use_system_dns=True,
            follow_redirects=False,
            enable_otel=False,
        )
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        msg = f"the certificates that SSL_CERT_FILE names cannot be used: {reason}"
        raise ValueError(msg) from None


# The client of the platform, which all calls of a run share.
#
# It has what the calls have in common: the connections, the threads for calls that are begun
# ahead, the secrets to remove from replies, and the end of all waiting when a run is stopped.

MIN_SECRET_CHARS: Final = 6
"""A shorter key is a placeholder. Removing it from texts would damage them."""
_MAX_PARALLEL_CALLS: Final = 32
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
        """Set up the client, without connecting. Raises `ValueError` for unusable certificates.

        `secrets` are removed from replies and errors, in case a server repeats them.
        `notify` tells the user why calls wait.
        """
        self.secrets = tuple(
            secret for secret in secrets if len(secret) >= MIN_SECRET_CHARS
        )
        self.parallel_calls = ThreadPoolExecutor(
            _MAX_PARALLEL_CALLS, thread_name_prefix="platform call"
        )
        """Runs the calls that a trial's thread begins without waiting for them."""
        self._http = pyqwest.SyncClient(_transport(connections))
        # The library's pool limits only the idle connections that it keeps, not all of them.
        self._free_connections = threading.Semaphore(connections)
        self._notify = notify
        self._stopping = threading.Event()
        # The time of the last notice. At first it is so early that the next one is not held
        # back.
        self._noticed_at = -bounds.NOTICE_EVERY_S

    def post(
        self, url: str, headers: Mapping[str, str], body: bytes, deadline_s: float
    ) -> HttpReply:
        """Return the reply to a request. Raises one of `EXCHANGE_ERRORS`.

        At most `connections` exchanges are made at the same time. A reply must not be longer than
        `bounds.MOST_REPLY_BYTES`.
        """
        with self._free_connections:
            stream = self._http.stream("POST", url, headers, body, timeout=deadline_s)
            with stream as reply:
                content = bytearray()
                for part in reply.content:
                    content += part
                    if len(content) > bounds.MOST_REPLY_BYTES:
                        msg = f"is longer than {bounds.MOST_REPLY_BYTES} bytes"
                        raise PlatformReplyTooLong(msg)
                return HttpReply(
                    reply.status, dict(reply.headers.items()), bytes(content)
                )

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


# The error of a failed call to the platform. It tells whether the call may be repeated.
#
# Two questions decide: may another attempt succeed (`transient`), and may this one have taken
# effect (`in_doubt`)? A busy server refuses a call: transient, and not in doubt. A broken
# connection: transient and in doubt.

Message: TypeAlias = dict[str, Plain]
"""A request or a reply in proto3 JSON."""
ALREADY_CODES: Final = frozenset(
    {error_codes.ALREADY_EXISTS, error_codes.FAILED_PRECONDITION}
)
"""The codes by which the platform refuses what has been done already.

A call that is repeated after a lost reply gets one if the first attempt took effect.
"""


class Sender(Enum):
    """Who sent the reply to a failed call, as far as it shows."""

    PLATFORM = "platform"
    """The platform. Also set if no reply arrived, so that no other sender is suspected."""
    PERHAPS_A_PROXY = "perhaps a proxy"
    """A reply with the status 503 and without a code of the platform, such as `unavailable`.

    A proxy that lost its connection to the platform sends it. The call may have taken effect.
    """
    ANOTHER_SITE = "another site"
    """A proxy or another site, because the address is wrong or the platform is down."""


class WireError(Exception):
    """A call failed. The message never contains the request."""

    def __init__(
        self,
        code: str,
        message: str,
        *,
        in_doubt: bool | None = None,
        transient: bool | None = None,
        sender: Sender = Sender.PLATFORM,
        retry_after_s: float | None = None,
    ) -> None:
        """Set up the error. If `in_doubt` or `transient` is None, the code determines it."""
        super().__init__(code, message)
        failure = failure_of(code)
        self.code = code
        self.message = message
        self.in_doubt = failure.in_doubt if in_doubt is None else in_doubt
        """True if the call may have taken effect: it was sent, and no reply denies its effect."""
        self.transient = failure.transient if transient is None else transient
        """True if another attempt may succeed."""
        self.sender = sender
        """The sender of the reply."""
        self.retry_after_s = retry_after_s
        """The pause that the server asks for."""

    def __str__(self) -> str:
        return f"{self.code}: {self.message}"


def foreign_reply(message: str) -> WireError:
    """Return the error for a reply that is not from the platform."""
    return WireError(
        error_codes.UNAVAILABLE, message, in_doubt=True, sender=Sender.ANOTHER_SITE
    )
