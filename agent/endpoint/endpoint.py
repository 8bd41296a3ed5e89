"""Any OpenAI-compatible endpoint as a model; the one file that talks to it and translates its errors.

Its client is a plain `httpx2` one, whose exchanges also end at a deadline and within a bound of bytes. Redirects are
replies like others: following one would carry the key to another host. Every failure is one line, and no text contains
a key. `errors.toml` says what an error means, by its status, by words of its structured parts, or by vendors' phrases.
A part of a request that an error names is left out of the next request, once per run, and the user is told.
"""

from __future__ import annotations

import json
import os
import socket
import ssl
import threading
import time
import tomllib
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from urllib.request import getproxies, proxy_bypass

import httpx2
import re2
from pydantic import Field

from controlplane.agent.endpoint.protocols import (
    BOUNDS,
    NEEDED,
    EndpointSettings,
    body_of,
    counted,
    form_of,
    objects_of,
    reply_of,
    text_feed,
    whole_completion,
)
from controlplane.agent.model import (
    DEADLINE,
    OPENAI_URL,
    BadReply,
    Capabilities,
    Frozen,
    Message,
    Model,
    ModelError,
    ModelRequest,
    OutOfTime,
    Reply,
    ReplyMode,
)
from controlplane.agent.reply import read_object
from controlplane.agent.retry import retry_after_s
from controlplane.sandbox.interface import bounds, parse_json, well_formed


class Meaning(Frozen):
    """What an error means for a trial and for its run: a table of `errors.toml`."""

    name: str
    said: str
    remedy: str = ""
    retryable: bool = False
    affects_all: bool = True
    statuses: frozenset[int] = frozenset()
    codes: frozenset[str] = frozenset()
    phrases: dict[str, str] = Field(default_factory=dict)
    """Vendors by phrase."""


class _Feature(Frozen):
    """A capability, and the parts of a request whose refusal denies it."""

    name: str
    modes: frozenset[ReplyMode]
    parts: frozenset[str]
    news: str
    """What the user is told."""


class _Tables(Frozen):
    meaning: tuple[Meaning, ...]
    feature: tuple[_Feature, ...]
    refused: dict[str, tuple[str, str]]
    """Part of a request and vendor, by phrase."""


@cache
def _tables() -> _Tables:
    return _Tables.model_validate(
        tomllib.loads(Path(__file__).with_name("errors.toml").read_text("utf-8"))
    )


_LIMIT: Final = re2.compile(r"limit:? (\d{1,12}), (?:used:? \d{1,12}, )?requested:? (\d{1,12})")
"""A bound on tokens a minute (OpenAI, Groq): a larger request never fits, a smaller one does later."""
_UNSUPPORTED: Final = (
    *("unsupported", "not support", "not permitted", "unexpected keyword", "unknown name"),
    "unrecognized",
)
_NAME: Final = r"([A-Za-z_][\w./\[\]]{0,80})"
_NAMED: Final = re2.compile(
    rf"""["'`‘“\[]/?{_NAME}["'`’”\]]|\A{_NAME}:[ ]|:[ ]{_NAME}\.?\z|\b{_NAME} (?:is|are) not (?:supported|permitted)"""
)
"""A name in quotes, before what is wrong with it, or at the end of a message."""
_WRAPPERS: Final = (
    *(
        "error",
        "errors",
        "detail",
        "details",
        "message",
        "msg",
        "attempts",
        "metadata",
        "raw",
        "innererror",
        "cause",
    ),
    *("response", "body", "choices"),
)
"""Keys under which gateways, and frameworks, hold what an error says, or the error that they pass on."""
_TITLE: Final = re2.compile(r"(?is)<title[^>]*>(.*?)</title>")
_TAG: Final = re2.compile(r"(?is)<style\b.*?</style>|<script\b.*?</script>|<[^>]*>")
_NEVER_DROPPED: Final = frozenset(
    {"model", "messages", "input", "tools", "tool_choice", "response_format", "text"}
)


@dataclass(slots=True)
class ErrorReply:
    """An error answer, in all its wrappings: the innermost message and code come last."""

    status: int
    """The HTTP status, or one given inside the body."""
    retry_after_s: float | None = None
    messages: list[str] = field(default_factory=list)
    codes: list[str] = field(default_factory=list)
    """The words and numbers of its structured parts: codes, types, reasons."""
    parameters: list[str] = field(default_factory=list)
    """The parts of a request that its structured parts name."""

    def unwrap(self, part: object, depth: int = 0) -> None:
        """Take a part of an error into account: an object, a list, or a text, which may hold one, or be a page."""
        if isinstance(part, str):
            whole = _document(part)
            text = (
                ""
                if isinstance(whole, dict | list)
                else well_formed(whole if isinstance(whole, str) else part)
            )
            text = text[:20_000].strip("\ufeff \t\r\n")
            start = text.find("{")
            part = (
                whole
                if not text
                else read_object(text[start : text.rfind("}") + 1])
                if start >= 0
                else None
            )
            if text.startswith("<"):
                title = _TITLE.search(text)
                text = title[1] if title else _TAG.sub(" ", text)
            text = text[:start].rstrip(" -:") if text and part else text
            if text and text not in self.messages and len(self.messages) < 20:
                self.messages.append(text)
        if isinstance(part, dict):
            location = part.get("loc")
            named = [part.get("param"), *(location if isinstance(location, list | tuple) else [])]
            self.parameters += [name for name in named if isinstance(name, str)]
            codes = (part.get(name) for name in ("type", "status", "reason", "code"))
            self.codes += [str(code) for code in codes if isinstance(code, str | int)]
            part = [part.get(name) for name in _WRAPPERS]
        if isinstance(part, list) and depth < 16:
            for each in part[:20]:
                self.unwrap(each, depth + 1)

    @property
    def words(self) -> str:
        """All that it says, without repetition."""
        said = self.messages
        return ": ".join(
            one for one in said if not any(one != other and one in other for other in said)
        )

    @property
    def line(self) -> str:
        """All that it says, on one line of at most 300 printable characters."""
        flat = " ".join(
            "".join(
                character if character.isprintable() else " " for character in self.words
            ).split()
        )
        return flat if len(flat) <= 300 else f"{flat[:300]}…"

    @property
    def shown(self) -> str:
        """Status, text and innermost code in brackets, on one line."""
        words = self.words.lower()
        codes = (
            f"[{code}]"
            for code in reversed(self.codes)
            if not code.isdigit() and code.lower() not in words
        )
        text = " ".join(filter(None, (self.line, next(codes, ""))))
        return f"({self.status}: {text})" if text else f"({self.status})"

    @property
    def meaning(self) -> Meaning:
        """What it means, by the first table that fits."""
        tables = {each.name: each for each in reversed(_tables().meaning)}
        codes, words = {code.lower() for code in self.codes}, self.words.lower()
        if limit := _LIMIT.search(words):
            return tables["too_long" if int(limit[2]) > int(limit[1]) else "busy"]
        for each in _tables().meaning:
            if (
                self.status in each.statuses
                or codes & each.codes
                or any(phrase in words for phrase in each.phrases)
            ):
                return each
        return tables["moment" if self.status >= 500 and self.status != 501 else "unknown"]

    def error(self, where: str, model: str, *, is_met_by_all: bool = False) -> ModelError:
        """Return the error. Its text begins with what happened, because tables cut texts, and ends with what to do."""
        meaning, pause_s = self.meaning, self.retry_after_s
        wait = (
            f", which asks to wait {pause_s:g} s"
            if pause_s is not None and meaning.retryable
            else ""
        )
        remedy = meaning.remedy and f"; {meaning.remedy}"
        return ModelError(
            f"{meaning.said.format(model=model)} {self.shown} at {where}{wait}{remedy}",
            retryable=meaning.retryable,
            affects_all=meaning.affects_all or is_met_by_all,
            retry_after_s=pause_s,
        )

    @property
    def refused(self) -> list[str]:
        """The parts of a request that it names: in its structured parts, else in quotes or as the place of a fault; or
        means by a phrase of its vendor, which alone counts in a program's failure."""
        matches = (match for one in self.messages for match in _NAMED.finditer(one[:4_000]))
        named = [next(filter(None, match.groups())) for match in matches]
        if self.parameters:
            named = [*(name for name in named if name in BOUNDS | {"strict"}), *self.parameters]
        words = self.words.lower()
        meant = (part for phrase, (part, _) in _tables().refused.items() if phrase in words)
        return [*(named if self.status != 500 else ()), *meant]


def error_reply_of(status: int, headers: Mapping[str, str], body: str) -> ErrorReply:
    """Return what an endpoint says in a body: an API's message, a page's title, or the body's beginning."""
    reply = ErrorReply(status, retry_after_s(headers))
    reply.unwrap(body or headers.get("location", ""))
    reply.messages = reply.messages or [body[: bounds.MOST_REFUSAL_CHARS]]
    return reply


def error_reply_inside(body: str) -> ErrorReply | None:
    """Return the refusal in a body that came with status 200, as gateways send it; None if there is none."""
    document = _document(body)
    if not isinstance(document, dict):
        return None
    first: dict[str, object] = next(iter(objects_of(document.get("choices"))), {})
    error = (
        document.get("error")
        or first.get("error")
        or (document if document.get("object") == "error" else None)
    )
    reply = ErrorReply(500)
    reply.unwrap({"error": error})
    numbers = [
        int(code) for code in reply.codes if code.isdecimal() and len(code) == 3 and code[0] in "45"
    ]
    reply.status = next(iter(numbers), 400 if "invalid_request_error" in reply.codes else 500)
    return (
        reply if error and (reply.messages or reply.codes or not document.get("choices")) else None
    )


def _parts(name: str) -> frozenset[str]:
    """Return a name with its parts: of `text.format`, also `text` and `format`."""
    return frozenset({name, *"".join("." if sign in "/[]" else sign for sign in name).split(".")})


def _document(body: str) -> object:
    with suppress(ValueError):
        return parse_json(body)
    return None


def lesson_of(
    refusal: ErrorReply, body: Mapping[str, object], mode: ReplyMode, capabilities: Capabilities
) -> tuple[Capabilities, str] | None:
    """Return what is known about the endpoint after it refused `body`, asked for in `mode`, and the news in words; None
    if the refusal names no part of the body."""
    meaning, known = refusal.meaning.name, capabilities
    if meaning not in ("unknown", "model") and refusal.status != 500:
        return None
    said = refusal.words.lower()
    is_unsupported = "unsupported_parameter" in refusal.codes or any(
        phrase in said for phrase in _UNSUPPORTED
    )
    bound, choice = known.length_field, body.get("tool_choice")
    other = "max_completion_tokens" if bound == "max_tokens" else ""
    is_sent = {
        "takes_named_tool": choice not in (None, "required"),
        "takes_required_tool": choice == "required",
    }
    features = [
        each
        for each in _tables().feature
        if mode in each.modes and getattr(known, each.name) and is_sent.get(each.name, True)
    ]
    for name in refusal.refused:
        parts = _parts(name)
        if (
            bound in body
            and parts & {bound, other}
            and (is_unsupported or other in refusal.refused)
        ):
            instead = f"sending {other}" if other else "its replies have no bound"
            return known.model_copy(
                update={"length_field": other}
            ), f"takes no {bound}; {instead} from here on"
        if denied := next((each for each in features if parts & each.parts), None):
            return known.model_copy(update={denied.name: False}), denied.news
        sent = (one for one in body if one not in _NEVER_DROPPED and one != bound)
        # Refusals name `reasoning_effort` also by its first word.
        if refused := next((one for one in sent if {one, one.removesuffix("_effort")} & parts), ""):
            learned = known.model_copy(update={"refused": (*known.refused, refused)})
            return learned, f"takes no {refused}; leaving it out from here on"
    return None


if TYPE_CHECKING:
    import openai

_OF_THE_WIRE: Final = frozenset({b"content-encoding", b"content-length", b"transfer-encoding"})
"""Headers that are not true of a decompressed reply."""


_BROKEN: Final[tuple[tuple[type[Exception], bool, str], ...]] = (
    # What happened, whether it may pass, and what to do.
    (
        httpx2.ConnectTimeout,
        True,
        "cannot be reached (no connection in time); is the server up, and {address}?",
    ),
    (
        httpx2.TimeoutException,
        True,
        "did not answer within {limit:g} s; a slow model needs a longer --model-timeout",
    ),
    (
        httpx2.UnsupportedProtocol,
        False,
        "is not an address; set OPENAI_BASE_URL to one that begins with https://",
    ),
    (
        httpx2.LocalProtocolError,
        False,
        "is not an address; set OPENAI_BASE_URL to one that begins with https://",
    ),
    (
        httpx2.InvalidURL,
        False,
        "is not an address; set OPENAI_BASE_URL to one that begins with https://",
    ),
    (
        ssl.SSLCertVerificationError,
        False,
        "has a certificate that is not trusted ({text}); {certificates}",
    ),
    (
        ssl.SSLError,
        False,
        "does not speak TLS there ({text}); should OPENAI_BASE_URL begin with http://?",
    ),
    (httpx2.ProxyError, True, "cannot be reached through the proxy ({text}); {proxy}"),
    (
        socket.gaierror,
        True,
        "has a host name that is not found ({text}); {address}, and is the network up?",
    ),
    (
        httpx2.ConnectError,
        True,
        "cannot be reached ({text}); is the server running, and {address}?",
    ),
    (Exception, True, "broke off ({text}); is the server still running?"),
)
_REMEDIES: Final = {
    "address": "is OPENAI_BASE_URL right",
    "certificates": "set SSL_CERT_FILE to its authority's certificate",
    "proxy": "fix HTTPS_PROXY, or name the endpoint's host in NO_PROXY",
}


class BoundedClient(httpx2.Client):
    """Makes exchanges on threads of its own: a server that is too slow keeps such a thread, and nobody waits for it."""

    def __init__(self, *, exchanges: int) -> None:
        """`exchanges` is the most at a time. Opens nothing yet.

        Raises `ValueError` with one line if the environment names a proxy or certificates that cannot be used.
        """
        try:
            trusted = _trusted(os.environ.get("SSL_CERT_FILE"), os.environ.get("SSL_CERT_DIR"))
            # Seconds to keep an idle connection: fewer than common servers, which then close it.
            super().__init__(
                verify=trusted, limits=httpx2.Limits(keepalive_expiry=bounds.IDLE_CONNECTION_S)
            )
        except (ValueError, ImportError, httpx2.InvalidURL):
            msg = "the proxy that HTTP_PROXY, HTTPS_PROXY or ALL_PROXY names cannot be used: it takes http://HOST:PORT"
            raise ValueError(msg) from None
        except OSError as error:
            msg = f"the certificates that SSL_CERT_FILE names cannot be used: {error.strerror}"
            raise ValueError(msg) from error
        self.on_part: Callable[[bytes], None] | None = None
        """Gets each part of a reply with status 200 as it arrives; for a client that makes one exchange at a time."""
        self._threads = ThreadPoolExecutor(exchanges, thread_name_prefix="exchange")

    def send(self, request: httpx2.Request, **_: Any) -> httpx2.Response:
        """Send a request and return the whole reply, decompressed.

        The request's time-out for reading is the deadline of the whole exchange. Raises `httpx2.TransportError`, and
        `httpx2.DecodingError` also for a reply that is too long.
        """
        deadline_s = request.extensions["timeout"]["read"]
        exchange = self._threads.submit(self._exchange, request)
        try:
            return exchange.result(deadline_s + bounds.REPLY_GRACE_S)
        except TimeoutError:
            raise _too_late(request) from None

    def close(self) -> None:
        """Close the connections."""
        self._threads.shutdown(wait=False)
        super().close()

    def _exchange(self, request: httpx2.Request) -> httpx2.Response:
        ends_at = time.monotonic() + request.extensions["timeout"]["read"]
        try:
            response = super().send(request, stream=True)
            try:
                content = self._content(response, ends_at)
            finally:
                response.close()
        except httpx2.ConnectError as error:
            if _is_by_proxy(request.url):
                raise httpx2.ProxyError(str(error), request=request) from error
            raise
        headers = [
            header for header in response.headers.raw if header[0].lower() not in _OF_THE_WIRE
        ]
        return httpx2.Response(
            response.status_code, headers=headers, content=content, request=request
        )

    def _content(self, response: httpx2.Response, ends_at: float) -> bytes:
        coding = response.headers.get("content-encoding", "identity").strip().lower()
        accepted = f"identity, {response.request.headers.get('accept-encoding', '')}".split(", ")
        if coding and coding not in accepted:
            msg = f"its content-encoding is {coding[:40]!r}, which was not asked for"
            raise httpx2.DecodingError(msg, request=response.request)
        content = bytearray()
        response.request.extensions["timeout"]["read"] = max(
            ends_at - time.monotonic(), bounds.REPLY_GRACE_S
        )
        for part in response.iter_bytes():
            content += part
            if self.on_part is not None and response.status_code == 200:
                self.on_part(part)
            if len(content) > bounds.MOST_REPLY_BYTES:
                msg = f"it is longer than {bounds.MOST_REPLY_BYTES} bytes"
                raise httpx2.DecodingError(msg, request=response.request)
            if time.monotonic() > ends_at + bounds.REPLY_GRACE_S:
                raise _too_late(response.request)
        return bytes(content)


def _too_late(request: httpx2.Request) -> httpx2.ReadTimeout:
    return httpx2.ReadTimeout("no whole reply in time", request=request)


@cache
def _trusted(*certificates: str | None) -> ssl.SSLContext:
    """Return the trusted certificates, loaded once per environment, because that takes a while. Raises `OSError`."""
    del certificates
    return httpx2.create_ssl_context()


def _is_by_proxy(url: httpx2.URL) -> bool:
    proxies = getproxies()
    return bool(proxies.get(url.scheme) or proxies.get("all")) and not proxy_bypass(url.host)


def connection_error(
    error: Exception, *, where: str, timeout_s: float, clean: Callable[[str], str]
) -> ModelError:
    """Return an error of one line: what broke and what to do. `clean` removes secrets from the system's text."""
    causes: list[BaseException] = []
    each: BaseException | None = error
    while each is not None:
        causes.append(each)
        each = each.__cause__ or each.__context__
    cause = next((each for each in causes if isinstance(each, OSError)), None) or causes[-1]
    fault = next(
        (each for each in causes if isinstance(each, httpx2.HTTPError | httpx2.InvalidURL)), error
    )
    _, may_pass, said = next(
        row for row in _BROKEN if isinstance(fault, row[0]) or isinstance(cause, row[0])
    )
    if "longer than" in str(fault):
        may_pass, said = (
            True,
            f"sent more than {bounds.MOST_REPLY_BYTES // 2**20} MiB; {{address}}?",
        )
    shown = str(fault if isinstance(fault, httpx2.ProxyError) else cause)
    text = clean(" ".join(shown.split())) or type(cause).__name__
    said = said.format(text=text, limit=timeout_s, **_REMEDIES)
    return ModelError(f"{where} {said}", retryable=may_pass, affects_all=True)


PROBE: Final = Message(
    role="user", content='Reply with {"state": "ready", "plan": [], "done": false, "code": "1"}'
)
"""A question that does nothing."""


class Endpoint(Model):
    """A model at an OpenAI-compatible endpoint."""

    def __init__(
        self, settings: EndpointSettings, capabilities: Capabilities | None = None
    ) -> None:
        """`capabilities` is what was learned about the endpoint before. Raises `ValueError` if the environment names a
        proxy or certificates that cannot be used."""
        self.name = settings.model
        self._settings = settings
        self._where = f"the model endpoint {settings.shown_url}"
        self._capabilities = capabilities or Capabilities(
            endpoint=settings.shown_url,
            model=settings.model,
            length_field="max_output_tokens" if settings.api == "responses" else "max_tokens",
        )
        self._lock = threading.Lock()
        url = httpx2.URL(settings.base_url or OPENAI_URL)
        secrets = {settings.api_key, url.password, url.username, *settings.secrets}
        # Min characters of a secret: a shorter key is a placeholder, and removing it would garble texts.
        self._secrets = sorted(
            (secret for secret in secrets if len(secret) >= 6), key=len, reverse=True
        )
        self._url = str(url)
        self.on_text: Callable[[str], None] | None = None
        """If set, replies are streamed where the endpoint can, and it gets their text as it comes; for one trial."""
        self._http = BoundedClient(exchanges=2_000)  # At a time; a trial makes one.
        # The import takes most of a second, in which a run prepares its benchmark.
        threading.Thread(
            target=import_module, args=("openai",), name="import of openai", daemon=True
        ).start()

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    @cached_property
    def _client(self) -> openai.OpenAI:
        """The library's client, made at the first request."""
        import openai

        return openai.OpenAI(
            api_key=self._settings.api_key or "none",
            base_url=self._url,
            # `ModelRetry` retries: within the step's patience and the run's budget, told in the journal.
            max_retries=0,
            http_client=self._http,
            default_headers=dict(self._settings.headers),
        )

    def reply_to(self, request: ModelRequest) -> Reply:
        """Ask for one reply, and again without parts of the request that the endpoint refuses. Raises `ModelError`.

        What a refusal teaches counts if the request without that part succeeds.
        """
        notices: list[str] = []
        known = capabilities = self._capabilities
        preferred = self._settings.reply_mode
        while True:
            mode = form_of(request, preferred, capabilities)
            body = body_of(self._settings, request, mode, capabilities)
            outcome = self._ask(body)
            if isinstance(outcome, Reply):
                break
            lesson = lesson_of(outcome, body, mode, capabilities)
            following = form_of(request, preferred, lesson[0]) if lesson else mode
            if lesson is None:
                raise self._error(outcome, request, mode, capabilities)
            if not lesson[0].takes_tools and capabilities.takes_tools and following is mode:
                # Only the solver can change a request that has no other form.
                raise outcome.error(self._where, self.name, is_met_by_all=True)
            change = "" if following is mode else f"; asking in mode {following} from here on"
            notices.append(f"{self._where} {lesson[1]}{change} {outcome.shown}")
            capabilities = lesson[0]
        additions: dict[str, object] = {"reply_mode": str(mode)}
        with self._lock:
            if capabilities is not known and self._capabilities is known:
                self._capabilities = capabilities
                additions |= {"notices": tuple(notices), "learned": capabilities}
        return outcome.model_copy(update=additions)

    def _error(
        self,
        refusal: ErrorReply,
        request: ModelRequest,
        mode: ReplyMode,
        capabilities: Capabilities,
    ) -> ModelError:
        """Return the error of a refusal. If its reason is unknown, a small request of the same form shows whether every
        trial meets it."""
        if refusal.meaning.name != "unknown":
            return refusal.error(self._where, self.name)
        system = [message for message in request.messages if message["role"] == "system"]
        probe = replace(request, messages=[*system, PROBE])
        outcome: object = None
        with suppress(ModelError):
            outcome = self._ask(body_of(self._settings, probe, mode, capabilities))
        is_met_by_all = isinstance(outcome, ErrorReply) and not outcome.meaning.retryable
        error = refusal.error(self._where, self.name, is_met_by_all=is_met_by_all)
        error.paid = outcome if isinstance(outcome, Reply) else None
        return error

    def check(self, schema: Mapping[str, object]) -> Reply:
        """Ask once for an object of `schema` that does nothing: a probe, never part of a run. Raises `ModelError`."""
        return self.complete([PROBE], "check", schema)

    def listed_models(self) -> tuple[str, ...]:
        """Return the ids of the models that the endpoint lists; empty if it does not list any in time."""
        import openai

        failures = (
            openai.OpenAIError,
            httpx2.HTTPError,
            httpx2.InvalidURL,
            ValueError,
            TypeError,
            LookupError,
        )
        try:
            response = self._client.models.with_raw_response.list(timeout=5.0).http_response
            names = (str(model["id"]) for model in json.loads(response.content)["data"])
            return tuple(name for name in names if name.isprintable())
        except (*failures, RecursionError):
            return ()

    def _ask(self, body: Mapping[str, object]) -> Reply | ErrorReply:
        import openai

        settings = self._settings
        path = "responses" if settings.api == "responses" else "chat/completions"
        limit_s = min(settings.timeout_s, DEADLINE.get() - time.monotonic())
        if limit_s <= 0:
            raise self._out_of_time()
        streams = self.on_text is not None and settings.api == "chat"
        streamed = {"stream": True, "stream_options": {"include_usage": True}} if streams else {}
        self._http.on_part = text_feed(self.on_text) if streams and self.on_text else None
        limits = httpx2.Timeout(limit_s, connect=min(limit_s, bounds.LONGEST_CONNECT_S))
        try:
            # The method of a resource would walk every message, and its types lack what compatible servers send.
            response = self._client.post(
                str(self._client.base_url.join(path)),
                body={**body, **streamed},
                cast_to=httpx2.Response,
                options={"timeout": limits},
            )
        except openai.APIStatusError as error:
            if (
                streams
                and error.response.status_code in (400, 404, 415, 422, 501)
                and "stream" in error.response.text
            ):
                self.on_text = None  # It cannot.
                return self._ask(body)
            response = error.response
        except (openai.OpenAIError, httpx2.HTTPError, httpx2.InvalidURL) as error:
            if isinstance(error, openai.APITimeoutError) and time.monotonic() >= DEADLINE.get():
                raise self._out_of_time() from None
            raise connection_error(
                error, where=self._where, timeout_s=settings.timeout_s, clean=self._without_secrets
            ) from None
        if response.status_code >= 300:
            return error_reply_of(
                response.status_code, response.headers, self._without_secrets(response.text)
            )
        try:
            content = whole_completion(response.content) if streams else response.content
        except ValueError as error:
            raise self._no_completion(response.status_code, response.text, str(error)) from None
        text = self._without_secrets(content.decode(errors="replace"))
        if "error" in text and (refusal := error_reply_inside(text)):
            return refusal
        try:
            reply = reply_of(text.encode(), settings.api, settings.thinking_back)
        except ValueError as error:
            raise self._no_completion(response.status_code, text, str(error)) from None
        usage = counted(reply, len(response.request.content), settings.max_output_tokens)
        return reply.model_copy(update={"usage": usage})

    def _out_of_time(self) -> OutOfTime:
        msg = f"{self._where} had not answered when the trial's time was over (--trial-time)"
        return OutOfTime(msg)

    def _without_secrets(self, text: str) -> str:
        for secret in self._secrets:
            text = text.replace(secret, "[key]")
        return text

    def _no_completion(self, status: int, text: str, fault: str) -> BadReply:
        said = repr(error_reply_of(status, {}, text).line) if text.strip() else "an empty body"
        needed = NEEDED[self._settings.api]
        what = "chat completion" if needed == "choices" else "response"
        # A completion without a usable choice concerns this conversation alone; anything else is not from such an API.
        is_api = text.lstrip("\ufeff \n").startswith("{") and f'"{needed}"' in text
        remedy = "" if is_api else "; is OPENAI_BASE_URL the address of the API, with its /v1?"
        if text.startswith(("data:", "event:")):
            remedy = "; the server streams, which was not asked for: switch streaming off there"
        msg = f"{self._where} answered {status} with something other than a {what} ({fault}): {said}{remedy}"
        return BadReply(msg, retryable=True, affects_all=not is_api)
