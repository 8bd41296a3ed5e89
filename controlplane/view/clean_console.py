"""A console that makes control characters in untrusted texts visible, and texts cut to a width."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any, Final

from rich.cells import cell_len, set_cell_size
from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment

from controlplane.terminal_text import sanitize

WIDTH_OF_PIPES: Final = 120
"""The width of the output in columns if it is unknown, as in a pipe."""


class CleanConsole(Console):
    """A console that makes control characters visible in everything that it prints."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        if not (self.is_terminal or os.environ.get("COLUMNS")):
            self.width = WIDTH_OF_PIPES

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterable[Segment]:
        """Yield the segments of a renderable, with sanitized texts."""
        for segment in super().render(renderable, options):
            if segment.control or segment.text == "\n" or segment.text.isprintable():
                yield segment
            else:
                yield Segment(sanitize(segment.text), segment.style)


def fitted(text: str, width: int) -> str:
    """Return a text cut to `width` columns."""
    if cell_len(text) <= width:
        return text
    return f"{set_cell_size(text, width - 1).rstrip()}…"


def cut_in_the_middle(name: str, width: int) -> str:
    """Return a name cut to `width` columns. Its end is kept: similar names often differ there.

    The end is counted in characters, so a name with wide ones may be wider.
    """
    if cell_len(name) <= width:
        return name
    end_width = (width - 1) // 2
    end = name[-end_width:] if end_width else ""
    return f"{set_cell_size(name, width - 1 - end_width).rstrip()}…{end}"


GAP: Final = 2
"""The number of blanks between two columns, and before a note."""
