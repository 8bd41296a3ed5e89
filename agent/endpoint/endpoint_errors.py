"""Turns an endpoint's reply that is not a completion, or a broken connection, into an error with a remedy.

`errors.toml` says what an error means: by its status, by words of its structured parts, or by phrases of vendors.
A part of a request that an error names is left out of the next request, once per run, and the user is told.
"""

from __future__ import annotations

import re
import socket
import ssl
import tomllib
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Final

import httpx2
from pydantic import Field

from agent.endpoint.request_body import BOUNDS, TAKES
from agent.model.model_protocol import Capabilities, Frozen, ModelError, ReplyMode
from agent.reply.written_objects import read_object
from agent.retry import retry_after_s
from sandbox.interface import parse_json

REPLY_BYTES: Final = 32 * 1024 * 1024
"""Max bytes of a reply that is read."""


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

    def fits(self, status: int, codes: frozenset[str], words: str) -> bool:
        return bool(status in self.statuses or codes & self.codes or any(phrase in words for phrase in self.phrases))


class _Tables(Frozen):
    meaning: tuple[Meaning, ...]
    refused: dict[str, tuple[str, str]]
    """Part of a request and vendor, by phrase."""


@cache
def _tables() -> _Tables:
    return _Tables.model_validate(tomllib.loads(Path(__file__).with_name("errors.toml").read_text("utf-8")))


_LIMIT: Final = re.compile(r"limit:? (\d{1,12}), (?:used:? \d{1,12}, )?requested:? (\d{1,12})")
"""A bound on tokens a minute (OpenAI, Groq): a larger request never fits, a smaller one does later."""
_FORM: Final = frozenset(
    {"form", "response_format", "text.format", "json_schema", "json_object", "grammar", "guided_json"}
)
_TOOLS: Final = frozenset({"form", "tools", "functions"})
"""Names under which errors refuse the form of replies, and tools; `form` means either."""
FORM_REMEDY: Final = "try another --reply-mode: schema, json, text or tool"
_UNSUPPORTED: Final = (
    "unsupported",
    "not support",
    "not permitted",
    "unexpected keyword",
    "unknown name",
    "unrecognized",
)
_NAME: Final = r"([A-Za-z_][\w./\[\]]{0,80})"
_NAMED: Final = re.compile(rf"""["'`‘“\[]/?{_NAME}["'`’”\]]|\A{_NAME}:[ ]|:[ ]{_NAME}\.?\Z""")
"""A name in quotes, before what is wrong with it, or at the end of a message."""
_WRAPPERS: Final = (
    *("error", "errors", "detail", "details", "message", "msg", "attempts", "metadata", "raw", "innererror", "cause"),
    *("response", "body", "choices"),
)
"""Keys under which gateways, and frameworks, hold what an error says, or the error that they pass on."""
_TAG: Final = re.compile(r"<(style|script)\b.*?</\1>|<[^>]*>", re.I | re.S)
_NEVER_DROPPED: Final = frozenset({"model", "messages", "input", "tools", "tool_choice", "response_format", "text"})


@dataclass(slots=True)
class _Said:
    """What an error says, in all its wrappings; the innermost comes last."""

    messages: list[str] = field(default_factory=list)
    codes: list[str] = field(default_factory=list)
    names: list[str] = field(default_factory=list)

    def unwrap(self, part: object, depth: int = 0) -> None:
        """Take a part of an error into account: a text, which may hold a whole error, an object, or a list."""
        if isinstance(part, str):
            start = part.find("{")
            inner = read_object(part[start : part.rfind("}") + 1][:20_000]) if start >= 0 else None
            text = part[:start].rstrip(" -:") if inner else part
            if text.strip() and text not in self.messages and len(self.messages) < 20:
                self.messages.append(text)
            part = inner
        if isinstance(part, dict):
            location = part.get("loc")
            named = [part.get("param"), *(location if isinstance(location, list | tuple) else [])]
            self.names += [name for name in named if isinstance(name, str)]
            codes = (part.get(name) for name in ("type", "status", "reason", "code"))
            self.codes += [str(code) for code in codes if isinstance(code, str | int)]
            part = [part.get(name) for name in _WRAPPERS]
        if isinstance(part, list) and depth < 16:
            for each in part[:20]:
                self.unwrap(each, depth + 1)


@dataclass(frozen=True, slots=True)
class ErrorReply:
    """An error answer. `text` is one line; `status` is the HTTP status, or one given inside the body."""

    status: int
    text: str
    retry_after_s: float | None = None
    codes: frozenset[str] = frozenset()
    """The words of its structured parts: codes, types, reasons."""
    names: tuple[str, ...] = ()
    """The parts of a request that it names: in its structured parts, else in quotes or as the place of a fault."""
    words: str = ""
    """All that it says, in lower case."""

    @property
    def shown(self) -> str:
        """Status and text in brackets."""
        return f"({self.status}: {self.text})" if self.text else f"({self.status})"

    @property
    def meaning(self) -> Meaning:
        """What it means, by the first table that fits."""
        tables = _tables().meaning
        found = next((each for each in tables if each.fits(self.status, self.codes, self.words)), tables[-1])
        name = "moment" if found is tables[-1] and self.status >= 500 and self.status != 501 else found.name
        if limit := _LIMIT.search(self.words):
            name = "too_long" if int(limit[2]) > int(limit[1]) else "busy"
        return next(each for each in tables if each.name == name)

    def error(self, where: str, model: str, *, is_met_by_all: bool = False) -> ModelError:
        """Return the error. Its text begins with what happened, because tables cut texts, and ends with what to do."""
        meaning, pause_s = self.meaning, self.retry_after_s
        wait = f", which asks to wait {pause_s:g} s" if pause_s is not None and meaning.retryable else ""
        is_about_form = not {part for name in self.refused for part in _parts(name)}.isdisjoint(_FORM | _TOOLS)
        remedy = FORM_REMEDY if meaning.name == "unknown" and is_about_form else meaning.remedy
        return ModelError(
            f"{meaning.said.format(model=model)} {self.shown} at {where}{wait}{remedy and f'; {remedy}'}",
            retryable=meaning.retryable,
            affects_all=meaning.affects_all or is_met_by_all,
            retry_after_s=pause_s,
        )

    @property
    def refused(self) -> list[str]:
        """The parts of a request that it names, or means by a phrase of its vendor."""
        return [*self.names, *(part for phrase, (part, _) in _tables().refused.items() if phrase in self.words)]


def error_reply_of(status: int, headers: Mapping[str, str], body: str) -> ErrorReply:
    """Return the reply of an endpoint with an error status."""
    document = _document(body)
    if not isinstance(document, dict | list):
        document = said_text(body) or headers.get("location", "")
    return _error_reply(status, document, retry_after_s(headers))


def error_reply_inside(body: str) -> ErrorReply | None:
    """Return the refusal in a body that came with status 200, as gateways send it; None if there is none."""
    document = _document(body)
    if not isinstance(document, dict):
        return None
    choices = document.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices else None
    error = document.get("error") or (choice.get("error") if isinstance(choice, dict) else None)
    error = error or (document if document.get("object") == "error" else None)
    found = _error_reply(0, {"error": error}, None) if error else None
    return found if found and (found.text or not choices) else None


def _error_reply(status: int, document: object, pause_s: float | None) -> ErrorReply:
    """Return an error reply; a status of 0 is looked for among its codes."""
    said = _Said()
    said.unwrap(document)
    codes = [code for code in said.codes if not code.isdigit()]
    if not status:
        numbers = (int(code) for code in said.codes if re.fullmatch("[45][0-9][0-9]", code))
        status = next(numbers, 400 if "invalid_request_error" in codes else 500)
    text = ": ".join(one for one in said.messages if not any(one != other and one in other for other in said.messages))
    shown = next((code for code in reversed(codes) if code.lower() not in text.lower()), "")
    in_text = [name for one in said.messages for name in _names_in(one[:4_000])]
    names = said.names and [*(name for name in in_text if name in (*BOUNDS, "strict")), *said.names]
    return ErrorReply(
        status,
        f"{_one_line(text)} [{shown}]" if shown else _one_line(text),
        pause_s,
        frozenset(code.lower() for code in codes),
        tuple(names or in_text),
        text.lower(),
    )


def _names_in(message: str) -> Iterator[str]:
    """Yield the names of parts of a request in a message, in quotes or as the place of a fault, in their order."""
    for found in _NAMED.finditer(message):
        yield next(filter(None, found.groups()))


def _parts(name: str) -> frozenset[str]:
    """Return a name with its parts: of `text.format`, also `text` and `format`."""
    return frozenset({name, *re.split(r"[./\[\]]+", name)})


def said_text(body: str) -> str:
    """Return one short line of a body: an API's message, a page's title, or the body's beginning."""
    said = _Said()
    said.unwrap(_document(body))
    if said.messages:
        return _one_line(": ".join(said.messages))
    page = body.lstrip()[:20_000]  # the time to search a page grows with the square of its length
    title = re.search(r"<title[^>]*>(.*?)</title>", page, re.I | re.S)
    return _one_line(title[1] if title else _TAG.sub(" ", page) if page.startswith("<") else page)


def _one_line(text: str) -> str:
    flat = " ".join("".join(character if character.isprintable() else " " for character in text).split())
    return flat if len(flat) <= 300 else f"{flat[:300]}…"


def _document(body: str) -> object:
    with suppress(ValueError):
        return parse_json(body, most_bytes=REPLY_BYTES)
    return None


def lesson_of(
    refusal: ErrorReply, body: Mapping[str, object], mode: ReplyMode, capabilities: Capabilities
) -> tuple[Capabilities, str] | None:
    """Return what is known about the endpoint after it refused `body`, asked for in `mode`, and the news in words; None
    if the refusal names no part of the body."""
    meaning, known = refusal.meaning.name, capabilities
    if meaning not in ("unknown", "model") and refusal.status != 500:
        return None
    is_unsupported = "unsupported_parameter" in refusal.codes or any(one in refusal.words for one in _UNSUPPORTED)
    bound = known.length_field
    other = "max_completion_tokens" if bound == "max_tokens" else ""
    for name in refusal.refused:
        parts = _parts(name)
        if refusal.status == 500 and name in refusal.names:
            continue  # A program that broke names anything.
        if bound in body and parts & {bound, other} and (is_unsupported or other in refusal.names):
            instead = f"sending {other}" if other else "its replies have no bound"
            return known.model_copy(update={"length_field": other}), f"takes no {bound}; {instead} from here on"
        if feature := _refused_feature(parts, body, mode, known):
            return known.model_copy(update={feature: False}), NEWS[feature]
        sent = (one for one in body if one not in _NEVER_DROPPED and one != bound)
        # Refusals name `reasoning_effort` also by its first word.
        if refused := next((one for one in sent if {one, one.removesuffix("_effort")} & parts), ""):
            learned = known.model_copy(update={"refused": (*known.refused, refused)})
            return learned, f"takes no {refused}; leaving it out from here on"
    return None


def _refused_feature(parts: frozenset[str], body: Mapping[str, object], mode: ReplyMode, known: Capabilities) -> str:
    """Return the capability that is denied by a refusal of a part of a request in `mode`; may be empty."""
    choice = "takes_required_tool" if body.get("tool_choice") == "required" else "takes_named_tool"
    for feature, modes, names, is_asked in (
        ("takes_bounds", (ReplyMode.SCHEMA,), BOUNDS, known.takes_bounds),
        ("takes_strict", (ReplyMode.SCHEMA,), ("strict",), known.takes_strict),
        (TAKES.get(mode, ""), (ReplyMode.SCHEMA, ReplyMode.JSON), _FORM, True),
        (choice, (ReplyMode.TOOL,), ("tool_choice",), "tool_choice" in body),
        ("takes_tools", (ReplyMode.TOOL,), _TOOLS, True),
    ):
        if is_asked and mode in modes and not parts.isdisjoint(names):
            return feature
    return ""


NEWS: Final = {
    "takes_schema": "takes no reply mode schema",
    "takes_json": "takes no reply mode json",
    "takes_tools": "takes no tools (reply mode tool)",
    "takes_bounds": "rejects length limits in a schema; leaving them out",
    "takes_strict": "takes no mark strict beside a schema; leaving it out",
    "takes_named_tool": "cannot be made to call a certain tool; asking for any call",
    "takes_required_tool": "cannot be made to call a tool; leaving the choice to the model",
}
"""What the user is told about a capability that is denied."""


_BROKEN: Final[tuple[tuple[type[Exception], bool, str], ...]] = (
    # What happened, whether it may pass, and what to do.
    (httpx2.ConnectTimeout, True, "cannot be reached (no connection in time); is the server up, and {address}?"),
    (httpx2.TimeoutException, True, "did not answer within {limit:g} s; a slow model needs a longer --model-timeout"),
    (httpx2.UnsupportedProtocol, False, "is not an address; set OPENAI_BASE_URL to one that begins with https://"),
    (httpx2.LocalProtocolError, False, "is not an address; set OPENAI_BASE_URL to one that begins with https://"),
    (httpx2.InvalidURL, False, "is not an address; set OPENAI_BASE_URL to one that begins with https://"),
    (ssl.SSLCertVerificationError, False, "has a certificate that is not trusted ({text}); {certificates}"),
    (ssl.SSLError, False, "does not speak TLS there ({text}); should OPENAI_BASE_URL begin with http://?"),
    (httpx2.ProxyError, True, "cannot be reached through the proxy ({text}); {proxy}"),
    (socket.gaierror, True, "has a host name that is not found ({text}); {address}, and is the network up?"),
    (httpx2.ConnectError, True, "cannot be reached ({text}); is the server running, and {address}?"),
    (Exception, True, "broke off ({text}); is the server still running?"),
)
_REMEDIES: Final = {
    "address": "is OPENAI_BASE_URL right",
    "certificates": "set SSL_CERT_FILE to its authority's certificate",
    "proxy": "fix HTTPS_PROXY, or name the endpoint's host in NO_PROXY",
}


def connection_error(error: Exception, *, where: str, timeout_s: float, clean: Callable[[str], str]) -> ModelError:
    """Return an error of one line: what broke and what to do. `clean` removes secrets from the system's text."""
    causes: list[BaseException] = []
    each: BaseException | None = error
    while each is not None:
        causes.append(each)
        each = each.__cause__ or each.__context__
    cause = next((each for each in causes if isinstance(each, OSError)), None) or causes[-1]
    fault = next((each for each in causes if isinstance(each, httpx2.HTTPError | httpx2.InvalidURL)), error)
    _, may_pass, said = next(row for row in _BROKEN if isinstance(fault, row[0]) or isinstance(cause, row[0]))
    if "longer than" in str(fault):
        may_pass, said = True, f"sent more than {REPLY_BYTES // 2**20} MiB; {{address}}?"
    shown = str(fault if isinstance(fault, httpx2.ProxyError) else cause)
    text = clean(" ".join(shown.split())) or type(cause).__name__
    said = said.format(text=text, limit=timeout_s, **_REMEDIES)
    return ModelError(f"{where} {said}", retryable=may_pass, affects_all=True)
