"""Turns an endpoint's reply that is not a completion, or a broken connection, into an error with a remedy.

`errors.toml` says what an error means: by its status, by words of its structured parts, or by phrases of vendors.
A part of a request that an error names is left out of the next request, once per run, and the user is told.
"""

from __future__ import annotations

import re
import socket
import ssl
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

import httpx2
from pydantic import Field

from agent.endpoint.request_body import BOUNDS, TAKES, form_of
from agent.model.model_protocol import Capabilities, Frozen, ModelError, ModelRequest, ReplyMode
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


class _Table(Frozen):
    meaning: tuple[Meaning, ...]
    refused: dict[str, tuple[str, str]]
    """Part of a request and vendor, by phrase."""


@cache
def _table() -> _Table:
    return _Table.model_validate(tomllib.loads(Path(__file__).with_name("errors.toml").read_text("utf-8")))


_LIMIT: Final = re.compile(r"limit:? (\d{1,12}), (?:used:? \d{1,12}, )?requested:? (\d{1,12})")
"""A bound on tokens a minute (OpenAI, Groq): a larger request never fits, a smaller one does later."""
_FORM_NAMES: Final = frozenset(
    {"form", "response_format", "text.format", "json_schema", "json_object", "grammar", "guided_json"}
)
_TOOL_NAMES: Final = frozenset({"form", "tools", "functions"})
_UNSUPPORTED: Final = (
    "unsupported",
    "not support",
    "not permitted",
    "unexpected keyword",
    "unknown name",
    "unrecognized",
)
_QUOTED: Final = re.compile(r"""["'`‘“]/?([A-Za-z_][\w./\[\]]{0,80})["'`’”]""")
_LOCATED: Final = re.compile(r"[A-Za-z_][\w.\[\]]{0,80}(?=: )")
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

    messages: list[str]
    codes: list[str]
    names: list[str]

    def unwrap(self, part: object, depth: int = 0) -> None:
        """Take a part of an error into account: a text, which may hold a whole error, an object, or a list."""
        if depth > 8:
            return
        if isinstance(part, str):
            start = part.find("{")
            inner = read_object(part[start : part.rfind("}") + 1][:20_000]) if start >= 0 else None
            text = part[:start].rstrip(" -:") if inner else part
            if text.strip() and text not in self.messages:
                self.messages.append(text)
            if inner:
                self.unwrap(inner, depth + 1)
        elif isinstance(part, list):
            for each in part[:20]:
                self.unwrap(each, depth + 1)
        elif isinstance(part, dict):
            self.codes += [str(part[name]) for name in ("type", "status", "reason", "code") if _is_code(part.get(name))]
            location = part.get("loc")
            names = [part.get("param"), *(location if isinstance(location, list) else [])]
            self.names += [name for name in names if isinstance(name, str)]
            for name in _WRAPPERS:
                self.unwrap(part.get(name), depth + 1)


def _is_code(value: object) -> bool:
    return isinstance(value, str | int) and not isinstance(value, bool)


@dataclass(frozen=True, slots=True)
class ErrorReply:
    """An error answer. `text` is one line; `status` is the HTTP status, or one given inside the body."""

    status: int
    text: str
    retry_after_s: float | None = None
    codes: frozenset[str] = frozenset()
    """The words of its structured parts: codes, types, reasons."""
    names: frozenset[str] = frozenset()
    """The parts of a request that it names: in its structured parts, in quotes, or as the place of a fault."""
    words: str = ""
    """All that it says, in lower case."""

    @property
    def shown(self) -> str:
        """Status and text in brackets."""
        return f"({self.status}: {self.text})" if self.text else f"({self.status})"

    @property
    def meaning(self) -> Meaning:
        """What it means, by the first line of the table that fits."""
        table = _table().meaning
        found = next((each for each in table if each.fits(self.status, self.codes, self.words)), table[-1])
        name = "moment" if found is table[-1] and self.status >= 500 and self.status != 501 else found.name
        if limit := _LIMIT.search(self.words):
            name = "too_long" if int(limit[2]) > int(limit[1]) else "busy"
        return next(each for each in table if each.name == name)

    @property
    def refused(self) -> frozenset[str]:
        """The parts of a request that it names or, by a phrase of its vendor, means."""
        return self.names | {part for phrase, (part, _) in _table().refused.items() if phrase in self.words}

    def error(self, where: str, model: str, *, is_met_by_all: bool = False) -> ModelError:
        """Return the error. Its text begins with what happened, because tables cut texts, and ends with what to do."""
        meaning, pause_s = self.meaning, self.retry_after_s
        wait = "" if pause_s is None or not meaning.retryable else f", which asks to wait {pause_s:g} s"
        remedy = meaning.remedy
        if meaning.name == "unknown" and (self.refused & {*_FORM_NAMES, *_TOOL_NAMES}):
            remedy = "try another --reply-mode: schema, json, text or tool"
        msg = f"{meaning.said.format(model=model)} {self.shown} at {where}{wait}{remedy and f'; {remedy}'}"
        return ModelError(
            msg,
            retryable=meaning.retryable,
            affects_all=meaning.affects_all or is_met_by_all,
            retry_after_s=pause_s,
        )


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
    if not error and document.get("object") == "error":
        error = document
    return _error_reply(0, {"error": error}, None) if error else None


def _error_reply(status: int, document: object, pause_s: float | None) -> ErrorReply:
    """Return an error reply; a status of 0 is looked for among its codes."""
    said = _Said([], [], [])
    said.unwrap(document)
    codes = [code for code in said.codes if not code.isdigit()]
    if not status:
        numbers = (int(code) for code in said.codes if re.fullmatch("[45][0-9][0-9]", code))
        status = next(numbers, 400 if "invalid_request_error" in codes else 500)
    text = ": ".join(one for one in said.messages if not any(one != other and one in other for other in said.messages))
    words = f"{text}\n".lower()
    shown = next((code for code in reversed(codes) if code.lower() not in words), "")
    named = [*said.names, *(name for one in said.messages for name in _named_in(one[:4_000]))]
    parts = (part for name in named for part in (name, *re.split(r"[./\[\]]+", name)))
    return ErrorReply(
        status,
        f"{_one_line(text)} [{shown}]" if shown else _one_line(text),
        pause_s,
        frozenset(code.lower() for code in codes),
        frozenset(filter(None, parts)),
        words,
    )


def _named_in(message: str) -> Iterable[str]:
    located = _LOCATED.match(message)
    return [*([located[0]] if located else []), *(quoted[1] for quoted in _QUOTED.finditer(message))]


def said_text(body: str) -> str:
    """Return one short line of a body: an API's message, a page's title, or the body's beginning."""
    document = _document(body)
    if isinstance(document, str | dict | list):
        said = _Said([], [], [])
        said.unwrap(document)
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
    refusal: ErrorReply,
    body: Mapping[str, object],
    *,
    request: ModelRequest,
    preferred: ReplyMode | None,
    capabilities: Capabilities,
) -> Capabilities | None:
    """Return what is known about the endpoint after it refused `body`; None if no part of the request is named."""
    mode, meaning = form_of(request, preferred, capabilities), refusal.meaning.name
    if meaning not in ("unknown", "model") and refusal.status != 500:
        return None
    names = refusal.refused - refusal.names if refusal.status == 500 else refusal.refused
    bound = capabilities.length_field
    other_bound = "max_completion_tokens" if bound == "max_tokens" else ""
    is_unsupported = any(phrase in refusal.words for phrase in _UNSUPPORTED) or "unsupported_parameter" in refusal.codes
    if bound in body and names & {bound, other_bound} and (is_unsupported or other_bound in names):
        return capabilities.model_copy(update={"length_field": other_bound})
    if feature := _refused_feature(names, body, mode, capabilities):
        learned = capabilities.model_copy(update={feature: False})
        # Only the solver can change a request that has no other form.
        return None if feature == "takes_tools" and form_of(request, preferred, learned) is mode else learned
    sent = (name for name in body if name not in _NEVER_DROPPED and name != bound)
    # Refusals name `reasoning_effort` also by its first word.
    refused = next((name for name in sent if {name, name.removesuffix("_effort")} & names), "")
    return capabilities.model_copy(update={"refused": (*capabilities.refused, refused)}) if refused else None


def _refused_feature(names: frozenset[str], body: Mapping[str, object], mode: ReplyMode, known: Capabilities) -> str:
    """Return the capability that a refusal of a request in `mode` denies, given the names in it; may be empty."""
    if mode is ReplyMode.SCHEMA and known.takes_bounds and not names.isdisjoint(BOUNDS):
        return "takes_bounds"
    if mode is ReplyMode.SCHEMA and known.takes_strict and "strict" in names:
        return "takes_strict"
    if mode in (ReplyMode.SCHEMA, ReplyMode.JSON) and names & _FORM_NAMES:
        return TAKES[mode]
    if mode is ReplyMode.TOOL and body.get("tool_choice") and "tool_choice" in names:
        return "takes_required_tool" if body["tool_choice"] == "required" else "takes_named_tool"
    return "takes_tools" if mode is ReplyMode.TOOL and names & _TOOL_NAMES else ""


def news_of(learned: Capabilities, before: Capabilities) -> str:
    """Return in a few words what was learned."""
    texts = {
        "takes_schema": "takes no reply mode schema",
        "takes_json": "takes no reply mode json",
        "takes_tools": "takes no tools (reply mode tool)",
        "takes_bounds": "rejects length limits in a schema; leaving them out",
        "takes_strict": "takes no mark strict beside a schema; leaving it out",
        "takes_named_tool": "cannot be made to call a certain tool; asking for any call",
        "takes_required_tool": "cannot be made to call a tool; leaving the choice to the model",
    }
    changed = next((field for field in texts if getattr(learned, field) != getattr(before, field)), "")
    if changed:
        return texts[changed]
    if learned.length_field != before.length_field:
        instead = f"sending {learned.length_field}" if learned.length_field else "its replies have no bound"
        return f"takes no {before.length_field}; {instead} from here on"
    return f"takes no {learned.refused[-1]}; leaving it out from here on"


def connection_error(error: Exception, *, where: str, timeout_s: float, clean: Callable[[str], str]) -> ModelError:
    """Return an error of one line: what broke and what to do. `clean` removes secrets from the system's text."""
    causes = list(_causes(error))
    cause = next((each for each in causes if isinstance(each, OSError)), None) or causes[-1]
    fault = next((each for each in causes if isinstance(each, httpx2.HTTPError | httpx2.InvalidURL)), error)
    text = clean(" ".join(str(cause).split())) or type(cause).__name__
    passing, said = True, f"broke off ({text}); is the server still running?"
    if "longer than" in str(fault):
        said = f"sent more than {REPLY_BYTES // 2**20} MiB; is OPENAI_BASE_URL right?"
    elif isinstance(fault, httpx2.ConnectTimeout):
        said = "cannot be reached (no connection in time); is the server up, and is OPENAI_BASE_URL right?"
    elif isinstance(fault, httpx2.TimeoutException):
        said = f"did not answer within {timeout_s:g} s; a slow model needs a longer --model-timeout"
    elif isinstance(fault, httpx2.UnsupportedProtocol | httpx2.LocalProtocolError | httpx2.InvalidURL):
        passing = False
        said = "is not an address; set OPENAI_BASE_URL to one that begins with http:// or https://"
    elif isinstance(cause, ssl.SSLCertVerificationError):
        passing = False
        said = f"has a certificate that is not trusted ({text}); set SSL_CERT_FILE to its authority's certificate"
    elif isinstance(cause, ssl.SSLError):
        passing = False
        said = f"does not speak TLS there ({text}); should OPENAI_BASE_URL begin with http://?"
    elif isinstance(fault, httpx2.ProxyError):
        text = clean(str(fault))
        said = f"cannot be reached through the proxy ({text}); fix HTTPS_PROXY, or name the endpoint's host in NO_PROXY"
    elif isinstance(cause, socket.gaierror):
        said = f"has a host name that is not found ({text}); is OPENAI_BASE_URL right, and is the network up?"
    elif isinstance(fault, httpx2.ConnectError):
        said = f"cannot be reached ({text}); is the server running, and is OPENAI_BASE_URL right?"
    return ModelError(f"{where} {said}", retryable=passing, affects_all=True)


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    """Yield an error, what caused it, and so on."""
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__
