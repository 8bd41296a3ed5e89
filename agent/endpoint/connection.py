"""Sends requests to one endpoint, and explains why there is no response.

If nothing answers at `http://127.0.0.1:8080`, `post` raises a `ModelError` that asks the user:
is the server running, and is OPENAI_BASE_URL right?
"""

from __future__ import annotations

import os
import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache, cached_property
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final, TypeAlias
from urllib.request import getproxies, proxy_bypass
from weakref import WeakSet

import httpx2

from controlplane.agent.endpoint.errors import line_of
from controlplane.agent.endpoint.settings import EndpointSettings, Secrets
from controlplane.agent.model import (
    OPENAI_URL,
    ModelError,
    OutOfTime,
    Unconnected,
)
from controlplane.sandbox.interface import bounds

if TYPE_CHECKING:
    import openai

# Reads the body of a response within limits of time and length.
#
# The time-outs of `httpx2` start again with each part of a body, so a server that sends one
# byte a second would be read forever.

_TakePart: TypeAlias = Callable[[bytes], None]
"""A function that gets each part of a body as it arrives."""


class _ReplyTooLong(httpx2.DecodingError):
    """The reply has more than `bounds.MOST_REPLY_BYTES`."""


def _read_body(
    response: httpx2.Response, deadline: float, take_part: _TakePart | None = None
) -> bytes:
    """Return the decompressed body.

    `deadline` is a moment of `time.monotonic`. Raises `httpx2.TransportError` if it
    passes, and `httpx2.DecodingError` if the body cannot be decoded or is too long.
    """
    request = response.request
    _refuse_unwanted_encoding(response)

    # httpx2 waits this long for each part, so it is set to the time that is left. After the
    # deadline there are a few seconds more, for parts that have arrived before.
    remaining_s = deadline - time.monotonic()
    request.extensions["timeout"]["read"] = max(remaining_s, bounds.REPLY_GRACE_S)
    content = bytearray()
    for part in response.iter_bytes():
        content += part
        if take_part is not None:
            take_part(part)
        if len(content) > bounds.MOST_REPLY_BYTES:
            msg = f"it is longer than {bounds.MOST_REPLY_BYTES} bytes"
            raise _ReplyTooLong(msg, request=request)
        if time.monotonic() > deadline + bounds.REPLY_GRACE_S:
            raise too_late(request)
    return bytes(content)


def _refuse_unwanted_encoding(response: httpx2.Response) -> None:
    """Raise `httpx2.DecodingError` if a body is compressed in a way that was not asked for."""
    encoding = response.headers.get("content-encoding", "identity").strip().lower()
    accepted = response.request.headers.get("accept-encoding", "").split(", ")
    if encoding and encoding not in ("identity", *accepted):
        msg = f"its content-encoding is {encoding[:40]!r}, which was not asked for"
        raise httpx2.DecodingError(msg, request=response.request)


def too_late(request: httpx2.Request) -> httpx2.ReadTimeout:
    """Return the error of a request whose reply did not arrive in time."""
    return httpx2.ReadTimeout("no whole reply in time", request=request)


# What the environment variables set for HTTP clients: proxies and trusted certificates.
#
# In many companies, requests go through the proxy in `HTTPS_PROXY`, and servers have
# certificates of an authority in the file `SSL_CERT_FILE`.

_UNUSABLE_PROXY: Final = (
    "the proxy that HTTP_PROXY, HTTPS_PROXY or ALL_PROXY names cannot be used: "
    "it takes http://HOST:PORT"
)


@contextmanager
def _explained_errors() -> Iterator[None]:
    """Turn the errors of a client that is being created into `ValueError` with one line."""
    try:
        yield
    except (ValueError, ImportError, httpx2.InvalidURL):
        # The proxy's address is the only input that raises these: it has an unknown
        # protocol, is not an address, or begins with socks:// while the library for
        # it is not installed.
        raise ValueError(_UNUSABLE_PROXY) from None
    except OSError as error:
        msg = f"the certificates that SSL_CERT_FILE names cannot be used: {error.strerror}"
        raise ValueError(msg) from error


def _trusted_certificates() -> ssl.SSLContext:
    """Return the trusted certificates. Raises `OSError` if they cannot be read."""
    return _certificates_of(
        os.environ.get("SSL_CERT_FILE"), os.environ.get("SSL_CERT_DIR")
    )


@cache
def _certificates_of(file: str | None, folder: str | None) -> ssl.SSLContext:
    """Load the certificates, which takes a while, so they are cached.

    `file` and `folder` only tell the cache when to load others: `httpx2` reads both from
    the environment.
    """
    del file, folder
    return httpx2.create_ssl_context()


def _uses_proxy(url: httpx2.URL) -> bool:
    """Return True if the environment variables name a proxy for this address."""
    proxies = getproxies()
    has_proxy = bool(proxies.get(url.scheme) or proxies.get("all"))
    return has_proxy and not proxy_bypass(url.host)


# A response with its whole, decompressed body, made of one that was read in parts.
#
# Headers about the transferred bytes are left out, as they do not hold for the decompressed body: a
# body of 200 bytes with `content-encoding: gzip` and `content-length: 200` may have 900 then.

_TRANSFER_HEADERS: Final = frozenset(
    {b"content-encoding", b"content-length", b"transfer-encoding"}
)
"""Headers about the transferred bytes."""


def _whole_response(response: httpx2.Response, content: bytes) -> httpx2.Response:
    """Return a response with its decompressed body."""
    headers = []
    for name, value in response.headers.raw:
        if name.lower() not in _TRANSFER_HEADERS:
            headers.append((name, value))
    return httpx2.Response(
        response.status_code, headers=headers, content=content, request=response.request
    )


# An HTTP client whose `send` returns the whole reply, or fails once the time is over.
#
# A usual client waits again for each part of a reply, so a slow server could keep it for hours.
# While a reply arrives, its parts may be passed on, so that the user sees the text grow:
#
#     with client.parts_passed_to(show):
#         client.send(request)    calls show(b"data: ...") for each part


class _WholeReplyClient(httpx2.Client):
    """Sends requests and returns whole replies. It does not follow redirects."""

    _take_part: _TakePart | None = None
    """Gets each part of a reply while `parts_passed_to` lasts; None otherwise."""

    @contextmanager
    def parts_passed_to(self, take_part: _TakePart) -> Iterator[None]:
        """Pass each part of a successful reply to a function as it arrives.

        Parts don't say to which request they belong, so use it only for one at a time.
        """
        self._take_part = take_part
        try:
            yield
        finally:
            self._take_part = None

    def send(self, request: httpx2.Request, **_: Any) -> httpx2.Response:
        """Send a request and return the whole reply, decompressed.

        The request's read time-out limits the whole reply. If no connection to a proxy can be
        made, it raises `ProxyError`, so that the user is told about the proxy, not the server.
        """
        deadline = time.monotonic() + request.extensions["timeout"]["read"]
        try:
            response = super().send(request, stream=True)
        except httpx2.ConnectError as error:
            if _uses_proxy(request.url):
                raise httpx2.ProxyError(str(error), request=request) from error
            raise
        try:
            take_part = self._pass_on if response.status_code == 200 else None
            content = _read_body(response, deadline, take_part)
        finally:
            response.close()
        return _whole_response(response, content)

    def _pass_on(self, part: bytes) -> None:
        """Pass a part on, unless `parts_passed_to` has ended, while a late reply still arrives."""
        take_part = self._take_part
        if take_part is not None:
            take_part(part)


# An HTTP client that waits for each reply only until a deadline.
#
# Each request has a thread of its own. If a server is so slow that even the operating system does
# not return, the thread keeps waiting, but the caller of `send` continues:
#
#     client = BoundedClient(exchanges=2_000)
#     client.send(request)    a reply, or `ReadTimeout` after the request's read time-out
#
# If nobody wants replies any more, all connections are cut off, and no thread keeps waiting.

_LOOK_INTERVAL_S: Final = 0.1
"""Seconds between two looks whether a reply is still wanted."""


class _BoundedClient(_WholeReplyClient):
    """An HTTP client whose `send` returns the whole reply, or fails at a deadline.

    Redirects are not followed, because they would carry the key to another host.
    """

    def __init__(self, *, exchanges: int) -> None:
        """Prepare the client for at most `exchanges` at a time, without connecting.

        An exchange is a request and its reply. Raises `ValueError` with one line if the
        environment variables name a proxy or certificates that cannot be used.
        """
        # Close idle connections before common servers do, so that none breaks in use.
        limits = httpx2.Limits(keepalive_expiry=bounds.IDLE_CONNECTION_S)
        with _explained_errors():
            super().__init__(verify=_trusted_certificates(), limits=limits)
        self._threads = ThreadPoolExecutor(exchanges, thread_name_prefix="exchange")
        self.stop = threading.Event()
        """Set when replies are no longer wanted. Then requests fail, also those in flight."""
        self._sockets = WeakSet[socket.socket]()
        """Those of the open connections."""
        self._lock = threading.Lock()
        """Protects `_sockets`."""

    def send(self, request: httpx2.Request, **_: Any) -> httpx2.Response:
        """Send a request and return the whole reply, decompressed.

        The request's read time-out is the time limit of the whole exchange. The options
        of `httpx2.Client.send` (`stream`, `auth`, `follow_redirects`) have no effect.

        Raises `httpx2.TransportError`, also if the reply is no longer wanted, or
        `httpx2.DecodingError` if the reply cannot be decoded or is too long.
        """
        if self.stop.is_set():
            raise _unwanted(request)
        limit_s = request.extensions["timeout"]["read"]
        request.extensions["trace"] = self._note_connection
        exchange = self._threads.submit(super().send, request)
        # The thread watches the same limit, but only when a part of the reply arrives.
        # So this wait has a limit, too. It is a little longer, so that the thread can
        # report its own error first.
        ends_at = time.monotonic() + limit_s + bounds.REPLY_GRACE_S
        while not exchange.done():
            if self.stop.is_set():
                self._cut_off()
                raise _unwanted(request)
            remaining_s = ends_at - time.monotonic()
            if remaining_s <= 0:
                raise too_late(request)
            wait([exchange], min(remaining_s, _LOOK_INTERVAL_S))
        return exchange.result()

    def _note_connection(self, event: str, details: Mapping[str, Any]) -> None:
        """Keep the socket of a new connection. The HTTP library calls this for all that it does.

        The event is `connection.connect_tcp.complete`, for example.
        """
        if not event.endswith(("connect_tcp.complete", "start_tls.complete")):
            return
        connected = details["return_value"].get_extra_info("socket")
        with self._lock:
            self._sockets.add(connected)
        if self.stop.is_set():  # `_cut_off` may have missed this one.
            self._cut_off()

    def _cut_off(self) -> None:
        """End all connections, so that no thread waits for a reply that nobody wants."""
        with self._lock:
            for connected in self._sockets:
                with suppress(OSError):  # It is closed.
                    connected.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """Close the connections."""
        self._threads.shutdown(wait=False)
        super().close()


def _unwanted(request: httpx2.Request) -> httpx2.ReadError:
    """Return the error of a request whose reply nobody wants any more."""
    return httpx2.ReadError("the reply is no longer wanted", request=request)


class LateReply(ModelError):
    """A request got no whole reply in time, perhaps because of its conversation."""


class TooLongReply(ModelError):
    """A reply has more than `bounds.MOST_REPLY_BYTES`, perhaps because of its conversation."""


# What broke in an HTTP exchange with an endpoint, and what the user can do about it.
#
#     Breakage("cannot be reached (Connection refused)", "is the server running, and ...?")
#
# The user reads both, after the endpoint's name.

_CHECK_ADDRESS: Final = "is OPENAI_BASE_URL right"
"""A question to the user, without its end: `is the server up, and is OPENAI_BASE_URL right?`"""


@dataclass(frozen=True, slots=True)
class _Breakage:
    """What broke in an exchange with an endpoint, and what the user can do about it."""

    text: str
    """What happened, to follow the endpoint's name: `cannot be reached`."""
    remedy: str
    """What the user can do or check."""
    retryable: bool = True
    """True if the fault may pass, so that the same request is retried."""
    error_class: type[ModelError] = ModelError
    """The exception that tells it. Some need not affect all trials, which `_Exchanges` decides."""


# The exceptions that tell why an HTTP exchange ended without a reply.
#
# OpenAI's library raises an exception that says nothing but "Connection error." Its causes, from
# the outermost to the innermost, say more. `Causes.of` finds two of them:
#
#     openai.APIConnectionError    raised by OpenAI's library
#     httpx2.ConnectError          raised by the HTTP client that it uses   -> `http_error`
#     ConnectionRefusedError       raised by the operating system           -> `root_cause`
#
# The `text` of these causes is `Connection refused`.


@dataclass(frozen=True, slots=True)
class _Causes:
    """The exceptions that tell why an exchange failed."""

    http_error: BaseException
    """The HTTP client's exception, which tells in which phase the exchange failed."""
    root_cause: BaseException
    """The outermost exception of the operating system; without one, the innermost of all."""

    @classmethod
    def of(cls, error: BaseException) -> _Causes:
        """Return the causes of an exception of OpenAI's library."""
        chain = _chain_of(error)
        http_error = _first_of_type(chain, (httpx2.HTTPError, httpx2.InvalidURL))
        root_cause = _first_of_type(chain, (OSError,))
        return cls(http_error or error, root_cause or chain[-1])

    @property
    def text(self) -> str:
        """The text of the root cause; if it has none, the name of its type."""
        shown = self.root_cause
        if isinstance(self.http_error, httpx2.ProxyError):
            # Here, the root cause does not mention the proxy.
            shown = self.http_error
        return str(shown).strip() or type(self.root_cause).__name__


def _chain_of(error: BaseException) -> list[BaseException]:
    """Return an exception and the exceptions that led to it, the innermost last."""
    chain = [error]
    cause = error.__cause__ or error.__context__
    while cause is not None:
        chain.append(cause)
        cause = cause.__cause__ or cause.__context__
    return chain


def _first_of_type(
    exceptions: list[BaseException], types: tuple[type[BaseException], ...]
) -> BaseException | None:
    """Return the first exception of one of these types; None if there is none."""
    for exception in exceptions:
        if isinstance(exception, types):
            return exception
    return None


# What broke if no connection to an endpoint could be made.
#
# | error of the client, and its root cause | text | remedy |
# |---|---|---|
# | `ProxyError` | `cannot be reached through the proxy (...)` | fix HTTPS_PROXY |
# | `ConnectError`, by `gaierror` | `has a host name that is not found (...)` | is the network up? |
# | `ConnectError`, by `SSLError` | `does not speak TLS there (...)` | begin with http://? |
# | `ConnectError`, by anything else | `cannot be reached (...)` | is the server running? |


def _breakage_of_encryption(causes: _Causes, reason: str) -> _Breakage | None:
    """Return what broke if there is no encrypted connection; else None."""
    if isinstance(causes.root_cause, ssl.SSLCertVerificationError):
        text = f"has a certificate that is not trusted ({reason})"
        remedy = "set SSL_CERT_FILE to its authority's certificate"
        return _Breakage(text, remedy, retryable=False)
    if isinstance(causes.root_cause, ssl.SSLError):
        text = f"does not speak TLS there ({reason})"
        remedy = "should OPENAI_BASE_URL begin with http://?"
        return _Breakage(text, remedy, retryable=False)
    return None


def _breakage_of_connection(causes: _Causes, reason: str) -> _Breakage | None:
    """Return what broke if there is no connection at all; else None."""
    if isinstance(causes.http_error, httpx2.ProxyError):
        text = f"cannot be reached through the proxy ({reason})"
        remedy = "fix HTTPS_PROXY, or name the endpoint's host in NO_PROXY"
        return _Breakage(text, remedy, error_class=Unconnected)
    # The special case comes first: a host name that is not found also gives a `ConnectError`.
    if isinstance(causes.root_cause, socket.gaierror):
        text = f"has a host name that is not found ({reason})"
        remedy = f"{_CHECK_ADDRESS}, and is the network up?"
        return _Breakage(text, remedy, error_class=Unconnected)
    if isinstance(causes.http_error, httpx2.ConnectError):
        text = f"cannot be reached ({reason})"
        remedy = f"is the server running, and {_CHECK_ADDRESS}?"
        return _Breakage(text, remedy, error_class=Unconnected)
    return None


# Finds what broke in an HTTP exchange with an endpoint: a request and its reply.
#
# | error of the client | text | remedy |
# |---|---|---|
# | `ReadTimeout` | `did not answer within 180 s` | a longer --model-timeout |
# | `UnsupportedProtocol`, for `localhost` | `is not an address` | begin with https:// |
# | `ConnectError` | `cannot be reached (Connection refused)` | is the server running? |
# | anything else | `broke off (...)` | is the server still running? |


def _breakage_of(causes: _Causes, reason: str, timeout_s: float) -> _Breakage:
    """Return what broke. `reason` is the text of the causes, as the user may see it."""
    return (
        _breakage_of_limit(causes, timeout_s)
        or _breakage_of_address(causes)
        or _breakage_of_encryption(causes, reason)
        or _breakage_of_connection(causes, reason)
        or _Breakage(f"broke off ({reason})", "is the server still running?")
    )


def _breakage_of_limit(causes: _Causes, timeout_s: float) -> _Breakage | None:
    """Return what broke if the reply came too late or is too long; else None."""
    if isinstance(causes.http_error, _ReplyTooLong):
        mebibytes = bounds.MOST_REPLY_BYTES // 2**20
        text = f"sent more than {mebibytes} MiB"
        return _Breakage(text, f"{_CHECK_ADDRESS}?", error_class=TooLongReply)
    # The special case comes first: a `ConnectTimeout` is also a `TimeoutException`.
    if isinstance(causes.http_error, httpx2.ConnectTimeout):
        text = "cannot be reached (no connection in time)"
        remedy = f"is the server up, and {_CHECK_ADDRESS}?"
        return _Breakage(text, remedy, error_class=Unconnected)
    if isinstance(causes.http_error, httpx2.TimeoutException):
        text = f"did not answer within {timeout_s:g} s"
        remedy = "a slow model needs a longer --model-timeout"
        return _Breakage(text, remedy, error_class=LateReply)
    return None


def _breakage_of_address(causes: _Causes) -> _Breakage | None:
    """Return what broke if the address cannot be used, such as `localhost`; else None."""
    unusable = (
        httpx2.UnsupportedProtocol | httpx2.LocalProtocolError | httpx2.InvalidURL
    )
    if not isinstance(causes.http_error, unusable):
        return None
    remedy = "set OPENAI_BASE_URL to one that begins with https://"
    return _Breakage("is not an address", remedy, retryable=False)


# Explains HTTP exchanges that ended without a reply, and what the user can do about it.
#
# The user reads `the model endpoint http://127.0.0.1:8080 cannot be reached (Connection refused);
# is the server running, and is OPENAI_BASE_URL right?`


def _connection_error(
    error: Exception, settings: EndpointSettings, secrets: Secrets
) -> ModelError:
    """Return the error of an exchange that ended without a reply, with a message of one line.

    `error` is the exception of OpenAI's library. Its causes tell what broke. Their text may
    have the endpoint's key, which the user must not see: so `secrets` are removed from it.
    """
    causes = _Causes.of(error)
    # `Connection refused`, or a text that quotes a line of the server, which may be long
    reason = line_of(secrets.removed_from(causes.text))
    breakage = _breakage_of(causes, reason, settings.timeout_s)
    text = f"{settings.shown_name} {breakage.text}; {breakage.remedy}"
    # All trials meet the error, because they all use this endpoint, as far as is known here.
    return breakage.error_class(text, retryable=breakage.retryable, affects_all=True)


# The client of OpenAI's library, `openai`, which is imported while other work is done.
#
# Importing the library takes most of a second. So a thread begins with it at once, while the
# benchmark is prepared. The first request waits for the import if need be, and creates the client,
# which later requests use, too.


class _LibraryClient:
    """Sends requests for replies by the client of OpenAI's library."""

    def __init__(self, settings: EndpointSettings, http: httpx2.Client) -> None:
        """Begin to import the library, without connecting. `http` will send the requests."""
        self._settings = settings
        self._http = http
        threading.Thread(
            target=import_module, args=("openai",), name="import of openai", daemon=True
        ).start()

    @cached_property
    def client(self) -> openai.OpenAI:
        """The client, created at the first request."""
        import openai

        return openai.OpenAI(
            api_key=self._settings.api_key or "none",
            base_url=self._settings.base_url or OPENAI_URL,
            max_retries=0,  # The caller retries, within the limits of the step and the run.
            http_client=self._http,
            default_headers=dict(self._settings.headers),
        )

    @cached_property
    def reply_url(self) -> str:
        """The address for replies: `https://api.openai.com/v1/chat/completions`."""
        return str(self.client.base_url.join(self._settings.reply_path))

    def post(
        self, body: Mapping[str, object], timeouts: httpx2.Timeout
    ) -> httpx2.Response:
        """Send a request for a reply, and return the response, also one with an error status.

        Raises exceptions of the library or of the HTTP client if there is no response.
        """
        import openai

        # This is the library's generic method. The specific ones walk every message,
        # and their types lack fields of compatible servers.
        try:
            return self.client.post(
                self.reply_url,
                body=body,
                cast_to=httpx2.Response,
                options={"timeout": timeouts},
            )
        except openai.APIStatusError as error:
            return error.response  # The library raises this for error statuses.


# How long one request to an endpoint may take: not longer than its trial lasts.
#
# With a time-out of 180 s, and a trial that ends in 60 s:
#
#     time_limits(settings, deadline)   -> Timeout(60, connect=10)
#     the same 60 s later               raises `OutOfTime`


def _time_limits(settings: EndpointSettings, deadline: float) -> httpx2.Timeout:
    """Return how long a request may take, until the deadline, a moment of `time.monotonic`.

    Raises `OutOfTime` if the deadline has passed.
    """
    limit_s = min(settings.timeout_s, deadline - time.monotonic())
    if limit_s <= 0:
        raise _out_of_time(settings)
    connect_s = min(limit_s, bounds.LONGEST_CONNECT_S)
    return httpx2.Timeout(limit_s, connect=connect_s)


def _out_of_time(settings: EndpointSettings) -> OutOfTime:
    """Return the error of a request that was not answered while the trial lasted."""
    msg = f"{settings.shown_name} had not answered when the trial's time was over (--trial-time)"
    return OutOfTime(msg)


_MAX_EXCHANGES: Final = 2_000
"""Max requests at a time. Each trial makes one at a time."""
LIST_TIMEOUT_S: Final = 5.0
"""Seconds to wait for the list of models, which is useful but not needed."""


class Connection:
    """A connection to one endpoint of a model, used from the threads of all trials."""

    def __init__(self, settings: EndpointSettings) -> None:
        """Prepare the client. Raises `ValueError` for an unusable proxy or certificates."""
        self._settings = settings
        self._secrets = Secrets.of(settings)
        self._http = _BoundedClient(exchanges=_MAX_EXCHANGES)
        self._library = _LibraryClient(settings, self._http)

    def post(self, body: Mapping[str, object], deadline: float) -> httpx2.Response:
        """Send a request for a reply, and return the response, also one with an error status.

        Without a response it raises `OutOfTime` if the deadline, a moment of `time.monotonic`,
        has passed, or else the `ModelError` of a broken connection.
        """
        import openai

        timeouts = _time_limits(self._settings, deadline)
        try:
            return self._library.post(body, timeouts)
        except (openai.OpenAIError, httpx2.HTTPError, httpx2.InvalidURL) as error:
            is_timeout = isinstance(error, openai.APITimeoutError)
            if is_timeout and time.monotonic() >= deadline:
                raise _out_of_time(self._settings) from None
            raise _connection_error(error, self._settings, self._secrets) from None

    def post_stream(
        self, body: Mapping[str, object], deadline: float, take_part: _TakePart
    ) -> httpx2.Response:
        """Do what `post` does for one request at a time, and pass each part of the response on."""
        with self._http.parts_passed_to(take_part):
            return self.post(body, deadline)

    def list_of_models(self) -> httpx2.Response | None:
        """Return the response to a request for the list of models; None if none comes in time."""
        import openai

        models = self._library.client.models.with_raw_response
        try:
            return models.list(timeout=LIST_TIMEOUT_S).http_response
        except openai.APIStatusError as error:
            return error.response
        except (openai.OpenAIError, httpx2.HTTPError, httpx2.InvalidURL):
            return None

    def cut_off_at(self, stop: threading.Event) -> None:
        """Let requests fail, also those in flight, as soon as an event is set."""
        self._http.stop = stop

    def close(self) -> None:
        """Close the connection."""
        self._http.close()
