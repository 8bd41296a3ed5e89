"""The messages, codes and parameter names in an error.

Vendors and gateways wrap their errors differently, so these are collected from all parts
of an error. For example, `{"error": {"message": "too long", "code": 400}}` has the
message `too long` and the code `400`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from controlplane.agent.endpoint.errors.error_parts import parts_of

MAX_MESSAGES: Final = 20
MAX_SHOWN_CHARS: Final = 300
"""Max characters of all messages that the user sees."""

CODE_KEYS: Final = ("type", "status", "reason", "code")
"""Keys of an error object that may hold a code, such as `invalid_request_error` or 429."""


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
        characters = [char if char.isprintable() else " " for char in self.text]
        line = " ".join("".join(characters).split())
        if len(line) > MAX_SHOWN_CHARS:
            return f"{line[:MAX_SHOWN_CHARS]}…"
        return line

    @property
    def innermost_code_word(self) -> str:
        """The last code that is a word, such as `context_length_exceeded`; else empty.

        A code that the messages contain is passed over: the user reads it there.
        """
        text = self.text.lower()
        for code in reversed(self.codes):
            if not code.isdigit() and code.lower() not in text:
                return code
        return ""


def contents_of(error: object) -> ErrorContents:
    """Return the contents of an error: a decoded JSON value, or a text that may be JSON."""
    messages: list[str] = []
    codes: list[str] = []
    parameters: list[str] = []
    for part in parts_of(error):
        if isinstance(part, dict):
            codes += codes_in(part)
            parameters += parameters_in(part)
        elif part and part not in messages and len(messages) < MAX_MESSAGES:
            messages.append(part)
    return ErrorContents(tuple(messages), tuple(codes), tuple(parameters))


def codes_in(error: Mapping[str, object]) -> list[str]:
    """Return the codes of one error object: `{"type": "busy", "code": 429}` has two."""
    values = [error.get(key) for key in CODE_KEYS]
    return [str(value) for value in values if isinstance(value, str | int)]


def parameters_in(error: Mapping[str, object]) -> list[str]:
    """Return the parameters that one error object names in `param`, or in FastAPI's `loc`."""
    names = [error.get("param")]
    location = error.get("loc")  # ["body", "max_tokens"]
    if isinstance(location, list | tuple):
        names += location
    return [name for name in names if isinstance(name, str)]
