"""What an error of an endpoint says, to the user and to the rules that decide what it means.

| messages and codes | `text` | `innermost_code_word` |
|---|---|---|
| `too long`, `it is too long`; 400, `context_length_exceeded` | `it is too long` | that word |
| `Error: busy`; 429, `busy` | `Error: busy` | empty: the user reads it there |
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

MAX_SHOWN_CHARS: Final = 300
"""Max characters of all messages that the user sees."""


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
