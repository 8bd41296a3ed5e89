"""The printed text of a step, as the parent keeps it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeAlias

OnText: TypeAlias = Callable[[str, str], None]
"""Called as `on_text("", text)` with each printed text (`Sandbox.on_text`)."""

_CUT_NOTE_CHARS: Final = 200
"""Characters reserved for the line that states how many characters were cut out."""


class StepOutput:
    """The printed text of a step, up to a maximum."""

    def __init__(self, max_chars: int, on_text: OnText | None) -> None:
        self._remaining_chars = max_chars + _CUT_NOTE_CHARS
        self._on_text = on_text
        self._parts: list[str] = []

    def add(self, text: str) -> None:
        """Add a text, or its beginning if there is no room for all of it."""
        kept_text = text[: self._remaining_chars]
        self._parts.append(kept_text)
        self._remaining_chars -= len(kept_text)
        if self._on_text is not None and text:
            self._on_text("", kept_text)

    def text(self) -> str:
        """Return the whole text."""
        return "".join(self._parts)
