"""Errors of model endpoints: refusals, broken connections, and replies that cannot be read."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias

import re2
from pydantic import Field

from controlplane.agent.endpoint.replies import objects_of
from controlplane.agent.model import Frozen, ReplyMode
from controlplane.agent.reply.objects import read_object
from controlplane.agent.retry import retry_after_s
from controlplane.sandbox.interface import bounds, parse_json, well_formed

# What an error of an endpoint says, to the user and to the rules that decide what it means.
#
# | messages and codes | `text` | `innermost_code_word` |
# |---|---|---|
# | `too long`, `it is too long`; 400, `context_length_exceeded` | `it is too long` | that word |
# | `Error: busy`; 429, `busy` | `Error: busy` | empty: the user reads it there |

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


@dataclass(frozen=True, slots=True)
class ErrorContents:
    """What an error says. The contents of the outermost error come first."""

    messages: tuple[str, ...]
    codes: tuple[str, ...] = ()
    """Statuses and words, for example `429` and `invalid_request_error`."""
    parameters: tuple[str, ...] = ()
    """Parameters of the request that structured fields name, for example in `param`."""

    @property
    def text(self) -> str:
        """All messages in one text. A message that is a part of a longer one is left out.

        `too long`, `it is too long`, `see the docs` -> `it is too long: see the docs`
        """
        parts = [message for message in self.messages if not self._repeats(message)]
        return ": ".join(parts)

    def _repeats(self, message: str) -> bool:
        """Return True if a longer message contains this one."""
        for other in self.messages:
            if message != other and message in other:
                return True
        return False

    @property
    def shown_line(self) -> str:
        """All messages on one line, shortened, and only with printable characters."""
        return line_of(self.text)

    @property
    def innermost_code_word(self) -> str:
        """The last code that is a word, such as `context_length_exceeded`, shortened; else empty.

        A code that the messages contain is passed over: the user reads it there.
        """
        text = self.text.lower()
        for code in reversed(self.codes):
            if not code.isdigit() and code.lower() not in text:
                return line_of(code, _MAX_CODE_CHARS)
        return ""


# The words of an HTML page, which servers in front of an endpoint send as an error.
#
# `<html><title>502 Bad Gateway</title><body>...</body></html>` -> `502 Bad Gateway`

_TITLE: Final = re2.compile(r"(?is)<title[^>]*>(.*?)</title>")
_MARKUP: Final = re2.compile(r"(?is)<style\b.*?</style>|<script\b.*?</script>|<[^>]*>")
"""Matches what is not text in an HTML page: tags, and whole styles and scripts."""


def _without_markup(text: str) -> str:
    """Return a text; of an HTML page only its title or, without one, its words."""
    is_page = text.startswith("<")
    if not is_page:
        return text
    title = _TITLE.search(text)
    if title is not None:
        return str(title[1])
    return str(_MARKUP.sub(" ", text))


# Reads the text of an error: words, JSON, words with JSON in them, or an HTML page.
#
# A gateway answers `502 - {"code": 1}`, for example: words of its own, and the error of the server
# behind it.

_MAX_TEXT_CHARS: Final = 20_000
"""Max characters of one error text that are read. Some servers send back the whole request."""


@dataclass(frozen=True, slots=True)
class _ErrorText:
    """The text of an error, divided into words and JSON."""

    words: str
    """The text without the JSON and without the tags of HTML; may be empty."""
    inner_error: object = None
    """The decoded JSON object or list; None without one."""


def _read_error_text(text: str) -> _ErrorText:
    """Divide the text of an error.

    | text | words | inner error |
    |---|---|---|
    | `{"code": 1}` | empty | `{"code": 1}` |
    | `"too long"`, a text as JSON | `too long` | None |
    | `502 - {"code": 1}` | `502` | `{"code": 1}` |
    | `<title>Bad Gateway</title>` | `Bad Gateway` | None |
    """
    document = _json_document(text)
    if isinstance(document, dict | list):
        return _ErrorText("", document)
    if isinstance(document, str):
        text = document

    start = well_formed(text)[:_MAX_TEXT_CHARS].strip("\ufeff \t\r\n")
    inner_error = _embedded_object(start)
    if not inner_error:
        return _ErrorText(_without_markup(start))
    words_before, _, _ = start.partition("{")
    return _ErrorText(_without_markup(words_before.rstrip(" -:")), inner_error)


def _json_document(text: str) -> object:
    """Return a decoded JSON text; None if it is not JSON."""
    try:
        return parse_json(text)
    except ValueError:
        return None


def _embedded_object(text: str) -> dict[str, object] | None:
    """Return the object in a text: `502 - {"code": 1}` has `{"code": 1}`; None without one."""
    start = text.find("{")
    end = text.rfind("}") + 1
    return read_object(text[start:end]) if 0 <= start < end else None


# Finds the texts and objects in an error that has other errors inside it.
#
# A gateway passes on the errors of other servers inside of its own, even as JSON in a text:
#
#     {"message": "upstream: {\"code\": 429}"}
#
# has three parts: the whole object, the text `upstream`, and the object `{"code": 429}`.

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

_ErrorPart: TypeAlias = str | dict[str, Any]
"""A text, or an object such as `{"message": "too long", "code": 400}`."""


def parts_of(error: object, depth: int = 0) -> Iterator[_ErrorPart]:
    """Yield an error's texts and objects, the outermost first. A text may be empty.

    `error` is a decoded JSON value, and `depth` the number of objects and lists around it.
    Numbers and None have no parts.
    """
    if depth > _MAX_DEPTH:
        return
    if isinstance(error, str):
        text = _read_error_text(error)
        yield text.words
        yield from parts_of(text.inner_error, depth)
    elif isinstance(error, dict):
        yield error
        for key in _WRAPPER_KEYS:
            yield from parts_of(error.get(key), depth + 1)
    elif isinstance(error, list):
        for item in error[:_MAX_LIST_ITEMS]:
            yield from parts_of(item, depth + 1)


# Collects what an error says from all of its parts, as vendors and gateways wrap their errors.
#
# `{"error": {"message": "too long", "code": 400}, "detail": [{"loc": ["body", "seed"]}]}` ->
#
#     ErrorContents(messages=("too long",), codes=("400",), parameters=("body", "seed"))

_MAX_MESSAGES: Final = 20
_CODE_KEYS: Final = ("type", "status", "reason", "code")
"""Keys of an error object that may hold a code, such as `invalid_request_error` or 429."""


def contents_of(error: object) -> ErrorContents:
    """Return the contents of an error: a decoded JSON value, or a text that may be JSON."""
    messages: list[str] = []
    codes: list[str] = []
    parameters: list[str] = []
    for part in parts_of(error):
        if isinstance(part, dict):
            codes += _codes_in(part)
            parameters += _parameters_in(part)
        elif part and part not in messages and len(messages) < _MAX_MESSAGES:
            messages.append(part)
    return ErrorContents(tuple(messages), tuple(codes), tuple(parameters))


def _codes_in(error: Mapping[str, object]) -> list[str]:
    """Return the codes of one error object: `{"type": "busy", "code": 429}` has two."""
    values = [error.get(key) for key in _CODE_KEYS]
    return [
        str(value)
        for value in values
        if isinstance(value, str | int) and not isinstance(value, bool)
    ]


def _parameters_in(error: Mapping[str, object]) -> list[str]:
    """Return the parameters that one error object names in `param`, or in FastAPI's `loc`."""
    names = [error.get("param")]
    location = error.get("loc")  # ["body", "max_tokens"]
    if isinstance(location, list):
        names += location
    return [name for name in names if isinstance(name, str)]


# An error with which an endpoint refused a request.
#
# For the status 400 and the body
#
#     {"error": {"message": "the conversation is too long", "code": "context_length_exceeded"}}
#
# its summary is `(400: the conversation is too long [context_length_exceeded])`.


@dataclass(frozen=True, slots=True)
class ErrorReply:
    """An error with which an endpoint refused a request."""

    status: int
    """The HTTP status, or the status in the body."""
    contents: ErrorContents
    """What the error says, including the errors inside of it."""
    retry_after_s: float | None = None
    """The seconds to wait before the next request, if the endpoint asks for that."""

    @property
    def summary(self) -> str:
        """Status, messages and a code, for the user."""
        words = []
        if self.contents.shown_line:
            words.append(self.contents.shown_line)
        code = self.contents.innermost_code_word
        if code:
            words.append(f"[{code}]")
        if not words:
            return f"({self.status})"
        return f"({self.status}: {' '.join(words)})"


# A feature that some endpoints lack, such as tools or JSON schemas.
#
# An entry of the file `errors.toml` says that an endpoint cannot be made to call a certain tool if
# it refuses the parameter `tool_choice` of a request that demands one:
#
#     [[features]]
#     name = "takes_named_tool"
#     modes = ["tool"]
#     parameters = ["tool_choice"]
#     tool_demand = "a certain tool"
#     notice = "cannot be made to call a certain tool; asking for any call"

ToolDemand: TypeAlias = Literal["any tool", "a certain tool"]
"""A request may demand that the model calls some tool, or one that the request names."""


class Feature(Frozen):
    """A capability of endpoints, and the parameters whose refusal shows that it is missing."""

    name: str
    """A field of `Capabilities`."""
    modes: frozenset[ReplyMode]
    """The reply modes that use it, which are the ways to ask for a reply: as text, JSON or a call
    of a tool."""
    parameters: frozenset[str]
    """Parameters of a request, or parts of their names: if the endpoint refuses one, the feature is
    missing. The word `form` stands for a refused reply mode whose parameter the error does not
    name."""
    tool_demand: ToolDemand | None = None
    """What a request must have demanded, so that a refusal shows that this feature is missing. An
    endpoint that refuses `a certain tool` may take `any tool`. None if any request shows it."""
    notice: str
    """The notice for the user if the feature is missing: `takes no reply mode schema`."""


# What an error of an endpoint means for a trial and for its run.
#
# An entry of the file `errors.toml` gives the meaning `too_long` to an error with the status 413,
# with the code `context_length_exceeded`, or with the words `context size` in its text:
#
#     [[meanings]]
#     name = "too_long"
#     message = "the conversation is longer than the model's context"
#     affects_all = false
#     statuses = [413]
#     codes = ["context_length_exceeded"]
#     [meanings.phrases]
#     "context size" = "llama.cpp: ggml-org/llama.cpp#15780"

# The names of meanings in `errors.toml` that the code refers to.
TOO_LONG: Final = "too_long"
_BUSY: Final = "busy"
SERVER_FAILURE: Final = "server_failure"
UNKNOWN_MODEL: Final = "unknown_model"
REFUSED_KEY: Final = "key"
UNKNOWN: Final = "unknown"
"""The meaning of an error that no other entry fits."""


class _Meaning(Frozen):
    """What an error means if it has one of these statuses, codes or phrases."""

    name: str
    message: str
    """The text for the user; `{model}` stands for the model's name."""
    remedy: str = ""
    """What the user can do about it; empty if nothing."""
    retryable: bool = False
    """True if the same request may succeed later."""
    affects_all: bool = True
    """True if the requests of all trials are refused like this, so that the run pauses."""
    statuses: frozenset[int] = frozenset()
    codes: frozenset[str] = frozenset()
    phrases: dict[str, str] = Field(default_factory=dict)
    """Lower-case parts of an error's text, each with its source: a vendor and a report.
    `{"context size": "llama.cpp: ggml-org/llama.cpp#15780"}`"""

    def matches(self, status: int, codes: set[str], text: str) -> bool:
        """Return True if an error has this meaning. `codes` and `text` must be in lower case."""
        if status in self.statuses or codes & self.codes:
            return True
        return any(phrase in text for phrase in self.phrases)


# What the errors of endpoints mean, from the file `errors.toml`.
#
# The file has three tables: the meanings of errors, the features of endpoints with the
# parameters that belong to them, and phrases that refuse a parameter without naming it.
#
#     error_tables().meaning_named("busy").retryable    -> True


class _RefusedParameter(Frozen):
    """The parameter that an error refuses by a phrase, without naming it.

    `this model does not support tools` refuses the parameter `tools`. In `errors.toml`:

        [refused_by_phrase]
        "does not support tools" = {parameter = "tools", source = "Ollama: ollama/ollama#14795"}
    """

    parameter: str
    source: str
    """The vendor that sends such errors, and a public report of one."""


class _ErrorTables(Frozen):
    """What the errors of endpoints mean: the content of `errors.toml`."""

    meanings: tuple[_Meaning, ...]
    """What an error means for a trial, such as that the endpoint is busy."""
    features: tuple[Feature, ...]
    """The parts of requests that some endpoints lack, each with its parameters."""
    refused_by_phrase: dict[str, _RefusedParameter]
    """The refused parameter by a phrase in the error's text, in lower case."""

    def meaning_named(self, name: str) -> _Meaning:
        """Return the meaning with this name, such as `busy`. Raises `KeyError` if there is none."""
        for meaning in self.meanings:
            if meaning.name == name:
                return meaning
        raise KeyError(name)


@cache
def error_tables() -> _ErrorTables:
    """Return the tables of `errors.toml`, read once."""
    path = Path(__file__).with_name("errors.toml")
    return _ErrorTables.model_validate(tomllib.loads(path.read_text("utf-8")))


# Decides what an error of an endpoint means for a trial.
#
# Most meanings are in `errors.toml`: each lists statuses, codes and phrases, and the first
# one that fits the error counts. For example, status 429 means that the endpoint is busy.

_TOKENS_PER_MINUTE: Final = re2.compile(
    r"limit:? (\d{1,12}), (?:used:? \d{1,12}, )?requested:? (\d{1,12})"
)
"""Matches `limit 30000, requested 37313` (OpenAI, Groq) in lower-case text."""


def meaning_of(refusal: ErrorReply) -> _Meaning:
    """Return what an error means.

    | error | meaning, decided by |
    |---|---|
    | 429, `limit 30000, requested 37313` | `too_long`, its numbers |
    | 429, `too many requests` | `busy`, an entry of `errors.toml` |
    | 503, `overflow`, which no entry has | `server_failure`, its status |
    | 400, `overflow`, which no entry has | `unknown` |
    """
    tables = error_tables()
    text = refusal.contents.text.lower()
    limit_name = _meaning_of_token_limit(text)
    if limit_name is not None:
        return tables.meaning_named(limit_name)

    codes = {code.lower() for code in refusal.contents.codes}
    for meaning in tables.meanings:
        if meaning.matches(refusal.status, codes, text):
            return meaning

    # The status 501 means that something is not implemented.
    is_server_failure = refusal.status >= 500 and refusal.status != 501
    return tables.meaning_named(SERVER_FAILURE if is_server_failure else UNKNOWN)


def _meaning_of_token_limit(text: str) -> str | None:
    """Return the name of the meaning if a text states a limit of tokens per minute; else None.

    A request that alone has more tokens never succeeds. Any other may, in a later minute.
    """
    limit = _TOKENS_PER_MINUTE.search(text)
    if limit is None:
        return None
    allowed_tokens = int(limit[1])
    requested_tokens = int(limit[2])
    return TOO_LONG if requested_tokens > allowed_tokens else _BUSY


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
    contents = contents_of(body or headers.get("location", ""))
    is_code_alone = contents.innermost_code_word and not _has_other_words(
        body, contents
    )
    if not contents.messages and not is_code_alone:
        contents = replace(contents, messages=(body[: bounds.MOST_REFUSAL_CHARS],))
    return ErrorReply(status, contents, retry_after_s(headers))


def _has_other_words(body: str, contents: ErrorContents) -> bool:
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
        elif isinstance(value, str) and " " in value and value not in contents.codes:
            return True
    return False


def read_error_inside(body: str) -> ErrorReply | None:
    """Return the error in a body that came with status 200; None if the body has no error."""
    document = _json_document(body)
    if not isinstance(document, dict):
        return None
    error = _error_in(document)
    if not error:
        return None

    contents = contents_of({"error": error})
    says_something = bool(contents.messages or contents.codes)
    is_completion = bool(document.get("choices"))
    if is_completion and not says_something:
        return None  # It is a good reply with `"error": {"message": ""}`.
    return ErrorReply(_status_in(contents.codes), contents)


def _error_in(document: Mapping[str, object]) -> object:
    """Return the error in a decoded body; None if there is none.

    {"error": {"code": 429}}                -> {"code": 429}
    {"choices": [{"error": {"code": 429}}]} -> {"code": 429}
    {"object": "error", "code": 429}        -> the body itself
    """
    if document.get("error"):
        return document["error"]
    choices = objects_of(document.get("choices"))
    if choices and choices[0].get("error"):
        return choices[0]["error"]
    return document if document.get("object") == "error" else None


def _status_in(codes: tuple[str, ...]) -> int:
    """Return the first HTTP error status among codes; without one, 400 or 500."""
    for code in codes:
        is_status = len(code) == 3 and code.isdecimal() and code[0] in "45"
        if is_status:
            return int(code)
    return 400 if "invalid_request_error" in codes else 500
