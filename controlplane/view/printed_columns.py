"""Prints tables that fit the window: aligned columns, the widest of which are cut, and notes below rows.

A row is `("orders.3", "0.50", "no citation")`, for the columns "trial" and "score": what has no column is a
note.
"""

from __future__ import annotations

import os
from collections.abc import Container, Iterable, Mapping, Sequence
from typing import Any, Final

from rich.cells import cell_len, set_cell_size
from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment, Segments
from rich.text import Text

from controlplane.terminal_text import one_line, sanitize

# A console that makes control characters in untrusted texts visible, and texts cut to a width.

_WIDTH_OF_PIPES: Final = 120
"""The width of the output in columns if it is unknown, as in a pipe."""


class CleanConsole(Console):
    """A console that makes control characters visible in everything that it prints."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        if not (self.is_terminal or os.environ.get("COLUMNS")):
            self.width = _WIDTH_OF_PIPES

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


_GAP: Final = "  "
"""The blanks between two columns, and before a note."""


def print_columns(
    heads: Sequence[str],
    rows: Iterable[Sequence[object]],
    *,
    narrowest: Mapping[str, int] | None = None,
    right_aligned: Container[str] = (),
) -> None:
    """Print a table that fits the window; print nothing if there are no rows.

    - `heads`: the head of each column.
    - `rows`: the cells of each row. Control characters are made visible in all cells but
      `Text` objects. If a row has more cells than there are heads, the others are notes:
      each is printed below its row, in at most two lines.
    - `narrowest`: the columns that are cut in a small window, by head, with the width
      that they keep at least. The widest column is cut first. The first of these
      columns has names: their ends are kept, because similar names often differ there.
    - `right_aligned`: the heads of the columns with numbers.

    The table class of rich takes ten times as long, and cuts the ends of names.
    """
    console = CleanConsole(highlight=False)
    lines = [[_cell(value) for value in row] for row in rows]
    if not lines:
        return
    lines.insert(0, [Text(head, style="bold") for head in heads])
    shrinkable = dict(narrowest or {})
    name_column = next(iter(shrinkable), "")
    widths = {}
    for place, head in enumerate(heads):
        # The loop below takes a step for each character, and a text may be very long.
        widest = max(line[place].cell_len for line in lines)
        widths[head] = min(widest, max(console.width, shrinkable.get(head, widest)))

    # Take a character from the widest column that can be cut, until the table fits.
    excess = sum(widths.values()) + len(_GAP) * (len(heads) - 1) - console.width
    for _ in range(excess):
        cut = [head for head, width in shrinkable.items() if widths[head] > width]
        if cut:
            widths[max(cut, key=lambda head: widths[head])] -= 1

    segments = []
    for line in lines:
        row = []
        for head, text in zip(heads, line, strict=False):
            width = widths[head]
            cell = text.plain
            if head == name_column:
                cell = _cut_in_the_middle(cell, width)
            cell = fitted(cell, width)
            blanks = " " * (width - cell_len(cell))
            cell = blanks + cell if head in right_aligned else cell + blanks
            row.append(Segment(cell, console.get_style(text.style)))
        while len(row) > 1 and not row[-1].text.strip():  # No line ends with blanks.
            row.pop()
        last = row.pop()
        for segment in row:
            segments += [segment, Segment(_GAP)]
        segments += [Segment(last.text.rstrip(), last.style), Segment.line()]

        width = console.width - len(_GAP)
        for note in line[len(heads) :]:
            first, *further = [
                part.plain.rstrip() for part in note.wrap(console, width)
            ]
            for part in (first, fitted(" ".join(further), width)):
                if part:
                    segments.append(Segment(f"{_GAP}{part}\n"))
    console.print(Segments(segments), end="", soft_wrap=True)


def _cell(value: object) -> Text:
    """Return a cell's text in one line, with control characters made visible."""
    return value if isinstance(value, Text) else Text(one_line(str(value)))


def _cut_in_the_middle(name: str, width: int) -> str:
    """Return a name cut to `width` columns. Its end is kept: similar names often differ there.

    The end is counted in characters, so a name with wide ones may be wider.
    """
    if cell_len(name) <= width:
        return name
    end = name[len(name) - (width - 1) // 2 :]
    return f"{set_cell_size(name, width - 1 - len(end)).rstrip()}…{end}"
