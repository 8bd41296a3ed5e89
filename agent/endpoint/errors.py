"""Errors with which endpoints refuse requests: what they say, and what that means for a run.

For the status 400 and the body
`{"error": {"message": "it is too long", "code": "context_length_exceeded"}}`, the user reads
`the conversation is longer than the model's context (400: it is too long [context_length_exceeded])`.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias

import re2
from pydantic import Field

from controlplane.agent.endpoint.settings import EndpointSettings
from controlplane.agent.model import Frozen, ModelError, ReplyMode
from controlplane.agent.reply.objects import read_object
from controlplane.agent.retry import retry_after_s
from controlplane.sandbox.interface import bounds, parse_json, well_formed

JsonObject: TypeAlias = dict[str, Any]
"""A decoded JSON object of an endpoint, which may have anything in it."""

# What the errors of endpoints mean, from the file `errors.toml`. It has three tables: the meanings
# of errors, the features that some endpoints lack, and phrases that refuse a parameter without
# naming it.

_ToolDemand: TypeAlias = Literal["any tool", "a certain tool"]
"""A request may demand that the model calls some tool, or one that the request names."""

# The names of meanings that the code refers to.
_TOO_LONG: Final = "too_long"
_BUSY: Final = "busy"
_SERVER_FAILURE: Final = "server_failure"
_UNKNOWN_MODEL: Final = "unknown_model"
_UNKNOWN: Final = "unknown"
"""The meaning of an error that no other entry fits."""


class _Meaning(Frozen):
    """What an error means if it has one of these statuses, codes or phrases.

    [[meanings]]
    name = "too_long"
    message = "the conversation is longer than the model's context"
    affects_all = false
    statuses = [413]
    codes = ["context_length_exceeded"]
    [meanings.phrases]
    "context size" = "llama.cpp: ggml-org/llama.cpp#15780"
    """

    name: str
    message: str
    """The text for the user; `{model}` stands for the model's name."""
    remedy: str = ""
    """What the user can do about it; empty if nothing."""
    retryable: bool = False
    """True if the same request may succeed later."""
    affects_all: bool = True
    """True if the requests of all trials are refused like this, so that the run pauses."""
    of_account: bool = False
    """True if no request is accepted with this key, or from this place."""
    statuses: frozenset[int] = frozenset()
    codes: frozenset[str] = frozenset()
    phrases: dict[str, str] = Field(default_factory=dict)
    """Lower-case parts of an error's text, each with its source: a vendor and a report."""


class Feature(Frozen):
    """A capability of endpoints, and the parameters whose refusal shows that it is missing.

    [[features]]
    name = "takes_named_tool"
    modes = ["tool"]
    parameters = ["tool_choice"]
    tool_demand = "a certain tool"
    notice = "cannot be made to call a certain tool; asking for any call"
    """

    name: str
    """A field of `Capabilities`."""
    modes: frozenset[ReplyMode]
    """The reply modes that use it, which are the ways to ask for a reply: as text, JSON or a call
    of a tool."""
    parameters: frozenset[str]
    """Parameters of a request, or parts of their names: if the endpoint refuses one, the feature is
    missing. The word `form` stands for a refused reply mode whose parameter the error does not
    name."""
    tool_demand: _ToolDemand | None = None
    """What a request must have demanded, so that a refusal shows that this feature is missing. An
    endpoint that refuses `a certain tool` may take `any tool`. None if any request shows it."""
    notice: str
    """The notice for the user if the feature is missing: `takes no reply mode schema`."""


class _ErrorTables(Frozen):
    """What the errors of endpoints mean: the content of `errors.toml`."""

    meanings: tuple[_Meaning, ...]
    features: tuple[Feature, ...]
    refused_by_phrase: dict[str, dict[str, str]]
    """The phrases that refuse a parameter without naming it, in lower case, by the parameter. Each has
    its source: a vendor and a report."""


@cache
def error_tables() -> _ErrorTables:
    """Return the tables of `errors.toml`, read once."""
    path = Path(__file__).with_name("errors.toml")
    return _ErrorTables.model_validate(tomllib.loads(path.read_text("utf-8")))


_MAX_SHOWN_CHARS: Final = 300
"""Max characters of all messages that the user sees, or of the reason why a connection broke."""
_MAX_CODE_CHARS: Final = 80
"""Max characters of a code that the user sees. Most are a word, but some servers put texts there."""


def line_of(text: str, max_chars: int = _MAX_SHOWN_CHARS) -> str:
    """Return a text on one line, shortened, and only with printable characters."""
    characters = [char if char.isprintable() else " " for char in text]
    line = " ".join("".join(characters).split())
    if len(line) > max_chars:
        return f"{line[:max_chars]}…"
    return line


_TOKENS_PER_MINUTE: Final = re2.compile(
    r"limit:? (\d{1,12}), (?:used:? \d{1,12}, )?requested:? (\d{1,12})"
)
"""Matches `limit 30000, requested 37313` (OpenAI, Groq) in lower-case text."""


_SECONDS: Final = {
    "milliseconds|millisecond|ms": 0.001,
    "seconds|second|secs|sec|s": 1.0,
    "minutes|minute|mins|min|m": 60.0,
    "hours|hour|hrs|hr|h": 3600.0,
    "days|day|d": 86_400.0,
}
"""How long the units of a pause are."""
_PART_OF_PAUSE: Final = rf"(\d{{1,9}}(?:\.\d{{1,6}})?) ?({'|'.join(_SECONDS)})"
_ASKED_PAUSE: Final = re2.compile(
    r"(?i)\b(?:retry|try again) (?:in|after) "
    rf"({_PART_OF_PAUSE}(?:(?:,| and|, and)? ?{_PART_OF_PAUSE})*)\b"
)
"""Matches `try again in 4.77s`, `in 7m12s` and `retry after 86400 seconds`, for servers without the header."""


def _pause_in_text(text: str) -> float | None:
    """Return the seconds of a pause that a text asks for: `try again in 7m12s` -> 432.0."""
    asked = _ASKED_PAUSE.search(text)
    if asked is None:
        return None
    seconds = 0.0
    for amount, word in re2.findall(_PART_OF_PAUSE, asked[1].lower()):
        for words, unit_s in _SECONDS.items():
            if word in words.split("|"):
                seconds += float(amount) * unit_s
    return seconds


@dataclass(frozen=True, slots=True)
class ErrorReply:
    """An error with which an endpoint refused a request, including the errors inside of it."""

    status: int
    """The HTTP status, or the status in the body."""
    messages: tuple[str, ...]
    """What the error says. The message of the outermost error comes first."""
    codes: tuple[str, ...]
    """Statuses and words, for example `429` and `invalid_request_error`."""
    parameters: tuple[str, ...]
    """Parameters of the request that structured fields name, for example in `param`."""
    retry_after_s: float | None = None
    """The seconds to wait before the next request, if the endpoint asks for that."""

    @property
    def text(self) -> str:
        """All messages in one text. A message that is a part of a longer one is left out.

        `too long`, `it is too long`, `see the docs` -> `it is too long: see the docs`
        """
        parts: list[str] = []
        for message in self.messages:
            others = [other for other in self.messages if other != message]
            if not any(message in other for other in others):
                parts.append(message)
        return ": ".join(parts)

    @property
    def code_word(self) -> str:
        """The innermost code that is a word, such as `context_length_exceeded`, shortened.

        Empty without one. A code that the messages contain is passed over: the user reads it there.
        """
        text = self.text.lower()
        for code in reversed(self.codes):
            if not code.isdigit() and code.lower() not in text:
                return line_of(code, _MAX_CODE_CHARS)
        return ""

    @property
    def summary(self) -> str:
        """Status, messages and a code, for the user: `(400: it is too long [context_length])`."""
        words = line_of(self.text)
        if self.code_word:
            words = f"{words} [{self.code_word}]".strip()
        return f"({self.status}: {words})" if words else f"({self.status})"

    @property
    def meaning(self) -> _Meaning:
        """What the error means.

        | error | meaning, decided by |
        |---|---|
        | 429, `limit 30000, requested 37313` | `too_long`, its numbers |
        | 429, `too many requests` | `busy`, an entry of `errors.toml` |
        | 503, `overflow`, which no entry has | `server_failure`, its status |
        | 400, `overflow`, which no entry has | `unknown` |
        """
        text = self.text.lower()
        meanings = {meaning.name: meaning for meaning in error_tables().meanings}
        limit = _TOKENS_PER_MINUTE.search(text)
        if limit is not None:
            # A request that alone has more tokens never succeeds. Any other may, in a later minute.
            never_fits = int(limit[2]) > int(limit[1])
            return meanings[_TOO_LONG if never_fits else _BUSY]

        codes = {code.lower() for code in self.codes}
        for meaning in error_tables().meanings:
            if self.status in meaning.statuses or codes & meaning.codes:
                return meaning
            if any(phrase in text for phrase in meaning.phrases):
                return meaning

        # The status 501 means that something is not implemented.
        is_server_failure = self.status >= 500 and self.status != 501
        return meanings[_SERVER_FAILURE if is_server_failure else _UNKNOWN]

    @property
    def is_unexplained(self) -> bool:
        """True if only another request can show whether every trial meets the error."""
        return self.meaning.name == _UNKNOWN

    @property
    def denies_model(self) -> bool:
        """True if the error says that there is no such model."""
        return self.meaning.name == _UNKNOWN_MODEL

    @property
    def may_refuse_parameter(self) -> bool:
        """True if the error may be about a parameter of the request.

        | error | may refuse one |
        |---|---|
        | of an unknown kind: `'seed' is not supported` | True |
        | an unknown model | True: gateways say so if no provider takes the parameters |
        | status 500, of an unknown kind | True: some servers fail at a parameter so |
        | any other, such as a too long conversation | False: it may list parameters |
        """
        if self.meaning.name == _SERVER_FAILURE:
            return self.status == 500
        return self.is_unexplained or self.denies_model

    def exception(
        self, settings: EndpointSettings, *, affects_all: bool = False
    ) -> ModelError:
        """Return the exception for the refused request, with a message for the user.

            too many requests (429: slow down) at the model endpoint http://127.0.0.1:8080, which
            asks to wait 7 s; if it lasts, lower --concurrency

        It begins with what happened, because tables cut long messages. `affects_all` is True if it
        is known that all trials meet this error, even if its meaning does not say so.
        """
        meaning = self.meaning
        text = meaning.message.format(model=settings.model)
        text += f" {self.summary} at {settings.shown_name}"
        if self.retry_after_s is not None and meaning.retryable:
            text += f", which asks to wait {self.retry_after_s:g} s"
        if meaning.remedy:
            remedy = meaning.remedy.format(key_variable=settings.key_variable)
            text += f"; {remedy}"
        return ModelError(
            text,
            retryable=meaning.retryable,
            affects_all=meaning.affects_all or affects_all,
            retry_after_s=self.retry_after_s,
        )


# Reads the errors in the responses of endpoints: by their HTTP status, or inside of their bodies.
#
# | status and body | error |
# |---|---|
# | 400, `{"error": {"message": "too long"}}` | 400: `too long` |
# | 502, a text of an unknown form | 502: the start of the body |
# | 301, without a body | 301: the address to which it leads |
# | 200, `{"error": {"code": 429, "message": "busy"}}`, as gateways send it | 429: `busy` |


def read_error_reply(status: int, headers: Mapping[str, str], body: str) -> ErrorReply:
    """Return the error in a reply whose HTTP status says that the request failed."""
    error = _collected(body or headers.get("location", ""), status)
    pause_s = retry_after_s(headers)
    if pause_s is None:
        pause_s = _pause_in_text(error.text)
    error = replace(error, retry_after_s=pause_s)
    is_code_alone = error.code_word and not _has_other_words(body, error.codes)
    if error.messages or is_code_alone:
        return error
    return replace(error, messages=(body[: bounds.MOST_REFUSAL_CHARS],))


def _has_other_words(body: str, codes: tuple[str, ...]) -> bool:
    """Return True if a body in JSON has a text of several words that is none of its codes.

    `{"code": "bad_key", "why": "it has ended"}` has one, in a field that no vendor is known for.
    """
    values = [_json_document(body)]
    while values:
        value = values.pop()
        if isinstance(value, dict):
            values += value.values()
        elif isinstance(value, list):
            values += value
        elif isinstance(value, str) and " " in value and value not in codes:
            return True
    return False


_CODES_OF_NO_ERROR: Final = frozenset({"", "0"})
"""Codes of servers that send the field `error` with good replies, too."""


def read_error_inside(document: JsonObject) -> ErrorReply | None:
    """Return the error in a body that came with status 200; None if the body has no error.

    | body | error |
    |---|---|
    | `{"error": {"code": 429}}` | `{"code": 429}` |
    | `{"choices": [{"error": {"code": 429}}]}` | `{"code": 429}` |
    | `{"object": "error", "code": 429}` | the body itself |
    | `{"choices": [...], "error": {"code": 0, "message": ""}}` | None: it is a good reply |
    """
    error = document.get("error")
    choices = objects_of(document.get("choices"))
    if not error and choices:
        error = choices[0].get("error")
    if not error and document.get("object") == "error":
        error = document
    if not error:
        return None

    reply = _collected({"error": error})
    says_something = reply.messages or set(reply.codes) - _CODES_OF_NO_ERROR
    is_completion = document.get("choices")
    return None if is_completion and not says_something else reply


# Collects what an error says from all of its parts, as vendors and gateways wrap their errors.
#
# `{"error": {"message": "too long", "code": 400}, "detail": [{"loc": ["body", "seed"]}]}` has the
# message `too long`, the code `400`, and the parameters `body` and `seed`.

_MAX_MESSAGES: Final = 20
_CODE_KEYS: Final = ("type", "status", "reason", "code")
"""Keys of an error object that may hold a code, such as `invalid_request_error` or 429."""


def _collected(error: object, status: int | None = None) -> ErrorReply:
    """Return an error: a decoded JSON value, or a text that may be JSON.

    Without a `status` it is the first code that is an HTTP error status; without one, 400 or 500.
    """
    messages: list[str] = []
    codes: list[str] = []
    parameters: list[str] = []
    for part in _parts_of(error):
        if isinstance(part, str):
            if part and part not in messages and len(messages) < _MAX_MESSAGES:
                messages.append(part)
            continue
        for key in _CODE_KEYS:
            code = part.get(key)
            if isinstance(code, str | int) and not isinstance(code, bool):
                codes.append(str(code))
        names = [part.get("param")]
        location = part.get("loc")  # FastAPI: ["body", "max_tokens"]
        if isinstance(location, list):
            names += location
        parameters += [name for name in names if isinstance(name, str)]

    if status is None:
        status = 400 if "invalid_request_error" in codes else 500
        for code in reversed(codes):
            if len(code) == 3 and code.isdecimal() and code[0] in "45":
                status = int(code)
    return ErrorReply(status, tuple(messages), tuple(codes), tuple(parameters))


# Finds the texts and objects in an error that has other errors inside it.
#
# A gateway passes on the errors of other servers inside of its own, even as JSON in a text:
#
#     {"message": "upstream: {\"code\": 429}"}
#
# has three parts: the whole object, the text `upstream`, and the object `{"code": 429}`.

_MAX_TEXT_CHARS: Final = 20_000
"""Max characters of one error text that are read. Some servers send back the whole request."""
_MAX_LIST_ITEMS: Final = 20
"""Max items of one list that are read."""
_MAX_DEPTH: Final = 16
"""How many objects and lists may be around a part. What is deeper is left out."""

_WRAPPER_KEYS: Final = (
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
    "response",
    "body",
    "choices",
)
"""Keys of an error object that may hold its text, or another error that a gateway passes on."""

_TITLE: Final = re2.compile(r"(?is)<title[^>]*>(.*?)</title>")
_MARKUP: Final = re2.compile(r"(?is)<style\b.*?</style>|<script\b.*?</script>|<[^>]*>")
"""Matches what is not text in an HTML page: tags, and whole styles and scripts."""


def _parts_of(error: object, depth: int = 0) -> Iterator[str | JsonObject]:
    """Yield an error's texts and objects, the outermost first. A text may be empty.

    `error` is a decoded JSON value, and `depth` the number of objects and lists around it.
    Numbers and None have no parts.
    """
    if depth > _MAX_DEPTH:
        return
    if isinstance(error, dict):
        yield error
        for key in _WRAPPER_KEYS:
            yield from _parts_of(error.get(key), depth + 1)
    elif isinstance(error, list):
        for item in error[:_MAX_LIST_ITEMS]:
            yield from _parts_of(item, depth + 1)
    elif isinstance(error, str):
        document = _json_document(error)
        if isinstance(document, dict | list):
            yield from _parts_of(document, depth)
        elif isinstance(document, str):  # a text as JSON
            yield from _parts_of_text(document, depth)
        else:
            yield from _parts_of_text(error, depth)


def _parts_of_text(text: str, depth: int) -> Iterator[str | JsonObject]:
    """Yield the words of a text, and the parts of the object in it.

    | text | parts |
    |---|---|
    | `502 - {"code": 1}` | `502`, and `{"code": 1}` |
    | `<title>Bad Gateway</title>` | `Bad Gateway` |
    | `<p>Bad <b>Gateway</b></p>` | ` Bad  Gateway  ` |
    """
    words = well_formed(text)[:_MAX_TEXT_CHARS].strip("\ufeff \t\r\n")
    start = words.find("{")
    end = words.rfind("}") + 1
    inner_error = read_object(words[start:end]) if 0 <= start < end else None
    if inner_error:
        words = words[:start].rstrip(" -:")

    title = _TITLE.search(words)
    if not words.startswith("<"):  # It is no page.
        yield words
    elif title is not None:
        yield str(title[1])
    else:
        yield str(_MARKUP.sub(" ", words))
    yield from _parts_of(inner_error, depth)


def _json_document(text: str) -> object:
    """Return a decoded JSON text; None if it is not JSON."""
    try:
        return parse_json(text)
    except ValueError:
        return None


def objects_of(value: object) -> list[JsonObject]:
    """Return the objects in a list, without its other items; an empty list for other values."""
    if not isinstance(value, list):
        return []
    return [item for item in value if isinstance(item, dict)]
