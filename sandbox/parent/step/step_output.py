"""The printed text of a step, as the parent keeps it.

The process of the script limits its output itself: it cuts out the middle of a long text, and
puts a line in its place that says how many characters are missing. The parent does not trust
that process, so it limits the text once more.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeAlias

OnPrint: TypeAlias = Callable[[str], None]
"""Called with each printed text when it arrives."""

_CUT_NOTE_CHARS: Final = 200
"""The most characters of the line that says how many are missing. It comes on top of the limit."""


class StepOutput:
    """The printed text of a step, up to a maximum."""

    def __init__(self, max_chars: int, on_print: OnPrint | None) -> None:
        self._remaining_chars = max_chars + _CUT_NOTE_CHARS
        self._on_print = on_print
        self._parts: list[str] = []

    def add(self, text: str) -> None:
        """Add a text, or its beginning if there is no room for all of it."""
        kept_text = text[: self._remaining_chars]
        self._parts.append(kept_text)
        self._remaining_chars -= len(kept_text)
        # Also if there is no room left for it: then it is reported as empty.
        if self._on_print is not None and text:
            self._on_print(kept_text)

    def text(self) -> str:
        """Return the whole text."""
        return "".join(self._parts)
