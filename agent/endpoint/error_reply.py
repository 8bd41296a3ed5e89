"""Reads the error replies of model endpoints: what went wrong, and what the user can do about it.

Vendors and gateways wrap their errors differently. `read_error_reply` collects the
texts, codes and parameter names of all wrappings in one `ErrorReply`. The file
`errors.toml` gives their meaning: each of its `meanings` lists statuses, codes and
phrases, and the first one that matches counts. `ErrorReply.error` returns the
exception, whose message is one line that ends with a remedy.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Final

import re2
from pydantic import Field

from controlplane.agent.endpoint.json_parts import LENGTH_KEYWORDS, objects_of
from controlplane.agent.model import Frozen, ModelError, ReplyMode
from controlplane.agent.reply.object_text import read_object
from controlplane.agent.retry import retry_after_s
from controlplane.sandbox.interface import bounds, parse_json, well_formed

MAX_TEXT_CHARS: Final = 20_000
"""Max characters of one error text that are read. Some servers send back the whole request."""
MAX_SEARCHED_CHARS: Final = 4_000
"""Max characters of one error text that are searched for names of parameters."""
MAX_SHOWN_CHARS: Final = 300
"""Max characters of all error texts that the user sees."""

# An error may be nested without end, so only this much of it is read.
MAX_MESSAGES: Final = 20
MAX_LIST_ITEMS: Final = 20
MAX_DEPTH: Final = 16

WRAPPER_KEYS: Final = (
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

CODE_KEYS: Final = ("type", "status", "reason", "code")
"""Keys of an error object that may hold a code, such as `invalid_request_error` or 429."""

TITLE: Final = re2.compile(r"(?is)<title[^>]*>(.*?)</title>")
MARKUP: Final = re2.compile(r"(?is)<style\b.*?</style>|<script\b.*?</script>|<[^>]*>")
"""Matches what is not text in an HTML page: tags, and whole styles and scripts."""

TOKENS_PER_MINUTE: Final = re2.compile(
    r"limit:? (\d{1,12}), (?:used:? \d{1,12}, )?requested:? (\d{1,12})"
)
"""Matches `limit 30000, requested 37313` (OpenAI, Groq) in lower-case text."""

_NAME: Final = r"([A-Za-z_][\w./\[\]]{0,80})"
"""A name with its path: `temperature`, `text.format`, `messages[1]`."""
NAMED_PARAMETER: Final = re2.compile(
    "|".join(
        (
            # Unsupported value: 'temperature' does not support 0.5 -> temperature
            rf"""["'`‘“\[]/?{_NAME}["'`’”\]]""",
            # max_tokens: Extra inputs are not permitted -> max_tokens
            rf"\A{_NAME}: ",
            # Unknown parameter: top_p. -> top_p
            rf": {_NAME}\.?\z",
            # seed is not supported -> seed
            rf"\b{_NAME} (?:is|are) not (?:supported|permitted)",
        )
    )
)
"""Matches the parameter that an error text names. There is one group for each of the four forms."""

# The names of meanings in `errors.toml` that the code refers to.
TOO_LONG: Final = "too_long"
BUSY: Final = "busy"
SERVER_FAILURE: Final = "server_failure"
UNKNOWN_MODEL: Final = "unknown_model"
UNKNOWN: Final = "unknown"
"""The meaning of an error that no other entry fits."""


class Meaning(Frozen):
    """What an error means for a trial and for its run: one of the `meanings` in `errors.toml`."""

    name: str
    message: str
    """The text for the user; `{model}` stands for the model's name."""
    remedy: str = ""
    """What the user can do about it; empty if nothing."""
    retryable: bool = False
    """True if the same request may succeed later."""
    affects_all: bool = True
    """True if all trials meet the error."""

    # An error means this if it has one of these statuses, codes or phrases.
    statuses: frozenset[int] = frozenset()
    codes: frozenset[str] = frozenset()
    phrases: dict[str, str] = Field(default_factory=dict)
    """Lower-case parts of an error's text, each with a vendor that writes it
    and a report of it: `{"context size": "llama.cpp: ggml-org/llama.cpp#15780"}`."""

    def matches(self, status: int, codes: set[str], text: str) -> bool:
        """Return True if an error has this meaning. `codes` and `text` must be in lower case."""
        if status in self.statuses or codes & self.codes:
            return True
        for phrase in self.phrases:
            if phrase in text:
                return True
        return False


class Feature(Frozen):
    """A capability of endpoints, and the parameters whose refusal shows that it is missing."""

    name: str
    """A field of `Capabilities`."""
    modes: frozenset[ReplyMode]
    """The reply modes that use it."""
    parameters: frozenset[str]
    """Parameters of a request, or parts of their names. `form` is no real parameter.
    It stands for the one that asks for the reply mode, which some errors
    refuse without naming it."""
    notice: str
    """The notice for the user if the feature is missing."""


class RefusedParameter(Frozen):
    """A parameter that some errors refuse in a known phrase, without naming it."""

    parameter: str
    source: str
    """The vendor that sends such errors, and a report of one."""


class ErrorTables(Frozen):
    """The content of `errors.toml`."""

    meanings: tuple[Meaning, ...]
    features: tuple[Feature, ...]
    refused_by_phrase: dict[str, RefusedParameter]
    """The refused parameter by a part of the error's text,
    in lower case: `{"does not support tools": ...}`."""

    def meaning_named(self, name: str) -> Meaning:
        """Return the meaning with this name."""
        for meaning in self.meanings:
            if meaning.name == name:
                return meaning
        raise KeyError(name)


@cache
def error_tables() -> ErrorTables:
    """Return the tables of `errors.toml`, read once."""
    path = Path(__file__).with_name("errors.toml")
    return ErrorTables.model_validate(tomllib.loads(path.read_text("utf-8")))


@dataclass(slots=True)
class ErrorReply:
    """An error of an endpoint, with the errors inside it.

    A gateway passes on the errors of other servers inside of its own. Texts and codes of
    the outermost error come first.
    """

    status: int
    """The HTTP status, or the status in the body."""
    retry_after_s: float | None = None
    messages: list[str] = field(default_factory=list)
    codes: list[str] = field(default_factory=list)
    """Values of `code`, `type`, `status` and `reason`, for example `invalid_request_error`."""
    parameters: list[str] = field(default_factory=list)
    """Parameters of the request that structured fields name, for example in `param`."""

    def collect(self, part: object, depth: int = 0) -> None:
        """Add the messages, codes and parameters of a part of an error, and of all parts inside it.

        A part is a text, an error object, or a list of parts. For example,
        the text `400 - {"error": {"message": "too long"}}` has the messages
        `400` and `too long`.
        """
        match part:
            case str():
                self._collect_text(part, depth)
            case dict():
                self._collect_fields(part)
                self._collect_items([part.get(key) for key in WRAPPER_KEYS], depth)
            case list():
                self._collect_items(part, depth)

    def _collect_items(self, items: list[object], depth: int) -> None:
        """Collect the items of a list, unless it is nested too deeply."""
        if depth < MAX_DEPTH:
            for item in items[:MAX_LIST_ITEMS]:
                self.collect(item, depth + 1)

    def _collect_text(self, text: str, depth: int) -> None:
        """Add a text to the messages. If it is JSON, or contains an error object, collect that."""
        # 1. The text may be JSON.
        document = json_document(text)
        if isinstance(document, dict | list):
            self.collect(document, depth)
            return
        if isinstance(document, str):
            text = document
        text = well_formed(text)[:MAX_TEXT_CHARS].strip("\ufeff \t\r\n")

        # 2. A gateway may put its own words before the error object that it passes on.
        embedded_error = None
        start = text.find("{")
        if start >= 0:
            embedded_error = read_object(text[start : text.rfind("}") + 1])
        if embedded_error:
            text = text[:start].rstrip(" -:")

        # 3. Add the words, which may be an HTML page, and then the parts of the error object.
        if text.startswith("<"):
            text = page_text(text)
        if text and text not in self.messages and len(self.messages) < MAX_MESSAGES:
            self.messages.append(text)
        if embedded_error:
            self.collect(embedded_error, depth)

    def _collect_fields(self, error: Mapping[str, object]) -> None:
        """Add the codes and parameters that an error object names."""
        parameter = error.get("param")
        if isinstance(parameter, str):
            self.parameters.append(parameter)
        location = error.get("loc")  # FastAPI: ["body", "max_tokens"]
        if isinstance(location, list | tuple):
            for name in location:
                if isinstance(name, str):
                    self.parameters.append(name)
        for key in CODE_KEYS:
            code = error.get(key)
            if isinstance(code, str | int):
                self.codes.append(str(code))

    @property
    def text(self) -> str:
        """All messages in one text. A message that is a part of a longer one is left out."""
        parts = []
        for message in self.messages:
            is_repeated = any(
                message != longer and message in longer for longer in self.messages
            )
            if not is_repeated:
                parts.append(message)
        return ": ".join(parts)

    @property
    def line(self) -> str:
        """All messages on one line of at most 300 printable characters."""
        printable = ""
        for character in self.text:
            printable += character if character.isprintable() else " "
        line = " ".join(printable.split())
        if len(line) > MAX_SHOWN_CHARS:
            return f"{line[:MAX_SHOWN_CHARS]}…"
        return line

    @property
    def summary(self) -> str:
        """Status, messages and a code: `(400: too long [context_length_exceeded])`.

        The code is the innermost one that is not a number, and not in the messages.
        """
        parts = []
        if self.line:
            parts.append(self.line)
        text = self.text.lower()
        for code in reversed(self.codes):
            is_new = not code.isdigit() and code.lower() not in text
            if is_new:
                parts.append(f"[{code}]")
                break
        if not parts:
            return f"({self.status})"
        return f"({self.status}: {' '.join(parts)})"

    @property
    def meaning(self) -> Meaning:
        """The meaning of the error: the first entry of `errors.toml` that matches."""
        tables = error_tables()
        text = self.text.lower()

        # 1. A limit of tokens per minute. A request that alone has more tokens never succeeds.
        # Any other may succeed in a later minute.
        limit = TOKENS_PER_MINUTE.search(text)
        if limit is not None:
            allowed_tokens = int(limit[1])
            requested_tokens = int(limit[2])
            return tables.meaning_named(
                TOO_LONG if requested_tokens > allowed_tokens else BUSY
            )

        # 2. An entry of `errors.toml`.
        codes = {code.lower() for code in self.codes}
        for meaning in tables.meanings:
            if meaning.matches(self.status, codes, text):
                return meaning
        # A status of 500 or more means that the server failed, except 501: not implemented.
        is_server_failure = self.status >= 500 and self.status != 501
        return tables.meaning_named(SERVER_FAILURE if is_server_failure else UNKNOWN)

    def error(
        self, where: str, model: str, *, is_met_by_all: bool = False
    ) -> ModelError:
        """Return the exception for the caller.

        Its message begins with what happened, because tables cut long messages.

        Args:
            where: The endpoint, for the user.
            model: The model's name, for the user.
            is_met_by_all: True if it is known that all trials meet this error, even if its meaning
                does not say so.
        """
        meaning = self.meaning
        text = f"{meaning.message.format(model=model)} {self.summary} at {where}"
        if self.retry_after_s is not None and meaning.retryable:
            text += f", which asks to wait {self.retry_after_s:g} s"
        if meaning.remedy:
            text += f"; {meaning.remedy}"
        return ModelError(
            text,
            retryable=meaning.retryable,
            affects_all=meaning.affects_all or is_met_by_all,
            retry_after_s=self.retry_after_s,
        )

    def refused_parameters(self) -> list[str]:
        """Return the parameters of the request that the error refuses.

        They are in structured fields such as `param`, in quotes in the text, or in a
        vendor's known phrase. A server that failed (500) may quote anything, so only
        known phrases count there.
        """
        names: list[str] = []
        if self.status != 500:
            names = self._named_parameters()
        text = self.text.lower()
        for phrase, refused in error_tables().refused_by_phrase.items():
            if phrase in text:
                names.append(refused.parameter)
        return names

    def _named_parameters(self) -> list[str]:
        """Return the parameters that structured fields name or, without these, the texts.

        Structured fields are more certain. But only texts name keywords of a schema,
        such as `maxLength`, so these are always added.
        """
        names_in_texts: list[str] = []
        for message in self.messages:
            names_in_texts += parameters_in(message)
        if not self.parameters:
            return names_in_texts
        schema_keywords = LENGTH_KEYWORDS | {"strict"}
        keywords_in_texts = [name for name in names_in_texts if name in schema_keywords]
        return [*keywords_in_texts, *self.parameters]


def parameters_in(message: str) -> list[str]:
    """Return the names in one error text that may be parameters, see `NAMED_PARAMETER`."""
    names = []
    for match in NAMED_PARAMETER.finditer(message[:MAX_SEARCHED_CHARS]):
        for name in match.groups():
            if name:  # The groups of the other forms are None.
                names.append(name)
    return names


def page_text(page: str) -> str:
    """Return the title of an HTML page, or its text if it has no title."""
    title = TITLE.search(page)
    if title is not None:
        return str(title[1])
    return str(MARKUP.sub(" ", page))


def json_document(text: str) -> object:
    """Return a decoded JSON text; None if it is not JSON."""
    try:
        return parse_json(text)
    except ValueError:
        return None


def read_error_reply(status: int, headers: Mapping[str, str], body: str) -> ErrorReply:
    """Return the error in a reply whose HTTP status says that the request failed."""
    reply = ErrorReply(status, retry_after_s(headers))
    # A redirect may have only its target.
    reply.collect(body or headers.get("location", ""))
    if not reply.messages:
        reply.messages = [body[: bounds.MOST_REFUSAL_CHARS]]
    return reply


def read_error_inside(body: str) -> ErrorReply | None:
    """Return the error in a body that came with status 200; None if the body has no error.

    Gateways send such bodies: `{"error": {"code": 429, ...}}`, `{"object": "error",
    ...}`, or an `error` in the first choice.
    """
    document = json_document(body)
    if not isinstance(document, dict):
        return None
    error = document.get("error")
    if not error:
        error = error_of_first_choice(document)
    if not error and document.get("object") == "error":
        error = document
    if not error:
        return None

    reply = ErrorReply(status=500)
    reply.collect({"error": error})
    has_text = bool(reply.messages or reply.codes)
    if not has_text and document.get("choices"):
        return None  # It is a completion, and its `error` says nothing.
    reply.status = status_in(reply.codes)
    return reply


def error_of_first_choice(completion: Mapping[str, object]) -> object:
    """Return the `error` in the first choice of a completion; None if there is none."""
    choices = objects_of(completion.get("choices"))
    return choices[0].get("error") if choices else None


def status_in(codes: list[str]) -> int:
    """Return the first HTTP error status among codes.

    Without one, return 400 for an invalid request, and 500 for any other error.
    """
    for code in codes:
        is_status = len(code) == 3 and code.isdecimal() and code[0] in "45"
        if is_status:
            return int(code)
    if "invalid_request_error" in codes:
        return 400
    return 500
