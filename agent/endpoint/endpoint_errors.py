"""Turns an endpoint's reply that is not a completion into an error with a remedy, and into a lesson.

`errors.toml` says what an error means: by its status, by words of its structured parts, or by phrases of vendors.
A part of a request that an error names is left out of the next request, once per run, and the user is told.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Final

import re2
from pydantic import Field

from agent.endpoint.received_reply import objects_of
from agent.endpoint.request_body import BOUNDS, document_of
from agent.model.model_protocol import Capabilities, Frozen, ModelError, ReplyMode
from agent.reply import read_object, well_formed
from agent.retry import retry_after_s


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
    return _Tables.model_validate(tomllib.loads(Path(__file__).with_name("errors.toml").read_text("utf-8")))


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
    *("error", "errors", "detail", "details", "message", "msg", "attempts", "metadata", "raw", "innererror", "cause"),
    *("response", "body", "choices"),
)
"""Keys under which gateways, and frameworks, hold what an error says, or the error that they pass on."""
_TITLE: Final = re2.compile(r"(?is)<title[^>]*>(.*?)</title>")
_TAG: Final = re2.compile(r"(?is)<style\b.*?</style>|<script\b.*?</script>|<[^>]*>")
_NEVER_DROPPED: Final = frozenset({"model", "messages", "input", "tools", "tool_choice", "response_format", "text"})


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
            text = "" if isinstance(whole, dict | list) else well_formed(whole if isinstance(whole, str) else part)
            text = text[:20_000].strip("\ufeff \t\r\n")
            start = text.find("{")
            part = whole if not text else read_object(text[start : text.rfind("}") + 1]) if start >= 0 else None
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
        return ": ".join(one for one in said if not any(one != other and one in other for other in said))

    @property
    def line(self) -> str:
        """All that it says, on one line of at most 300 printable characters."""
        flat = " ".join("".join(character if character.isprintable() else " " for character in self.words).split())
        return flat if len(flat) <= 300 else f"{flat[:300]}…"

    @property
    def shown(self) -> str:
        """Status, text and innermost code in brackets, on one line."""
        words = self.words.lower()
        codes = (f"[{code}]" for code in reversed(self.codes) if not code.isdigit() and code.lower() not in words)
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
            if self.status in each.statuses or codes & each.codes or any(phrase in words for phrase in each.phrases):
                return each
        return tables["moment" if self.status >= 500 and self.status != 501 else "unknown"]

    def error(self, where: str, model: str, *, is_met_by_all: bool = False) -> ModelError:
        """Return the error. Its text begins with what happened, because tables cut texts, and ends with what to do."""
        meaning, pause_s = self.meaning, self.retry_after_s
        wait = f", which asks to wait {pause_s:g} s" if pause_s is not None and meaning.retryable else ""
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
    reply.messages = reply.messages or [body[:1_000]]
    return reply


def error_reply_inside(body: str) -> ErrorReply | None:
    """Return the refusal in a body that came with status 200, as gateways send it; None if there is none."""
    document = _document(body)
    if not isinstance(document, dict):
        return None
    first: dict[str, object] = next(iter(objects_of(document.get("choices"))), {})
    error = document.get("error") or first.get("error") or (document if document.get("object") == "error" else None)
    reply = ErrorReply(500)
    reply.unwrap({"error": error})
    numbers = [int(code) for code in reply.codes if code.isdecimal() and len(code) == 3 and code[0] in "45"]
    reply.status = next(iter(numbers), 400 if "invalid_request_error" in reply.codes else 500)
    return reply if error and (reply.messages or reply.codes or not document.get("choices")) else None


def _parts(name: str) -> frozenset[str]:
    """Return a name with its parts: of `text.format`, also `text` and `format`."""
    return frozenset({name, *"".join("." if sign in "/[]" else sign for sign in name).split(".")})


def _document(body: str) -> object:
    with suppress(ValueError):
        return document_of(body)
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
    is_unsupported = "unsupported_parameter" in refusal.codes or any(phrase in said for phrase in _UNSUPPORTED)
    bound, choice = known.length_field, body.get("tool_choice")
    other = "max_completion_tokens" if bound == "max_tokens" else ""
    is_sent = {"takes_named_tool": choice not in (None, "required"), "takes_required_tool": choice == "required"}
    features = [
        each
        for each in _tables().feature
        if mode in each.modes and getattr(known, each.name) and is_sent.get(each.name, True)
    ]
    for name in refusal.refused:
        parts = _parts(name)
        if bound in body and parts & {bound, other} and (is_unsupported or other in refusal.refused):
            instead = f"sending {other}" if other else "its replies have no bound"
            return known.model_copy(update={"length_field": other}), f"takes no {bound}; {instead} from here on"
        if denied := next((each for each in features if parts & each.parts), None):
            return known.model_copy(update={denied.name: False}), denied.news
        sent = (one for one in body if one not in _NEVER_DROPPED and one != bound)
        # Refusals name `reasoning_effort` also by its first word.
        if refused := next((one for one in sent if {one, one.removesuffix("_effort")} & parts), ""):
            learned = known.model_copy(update={"refused": (*known.refused, refused)})
            return learned, f"takes no {refused}; leaving it out from here on"
    return None
