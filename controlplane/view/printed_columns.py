"""Prints tables that fit the window: aligned columns, the widest of which are cut, and notes below rows.

A row is `("orders.3", "0.50", "no citation")`, for the columns "trial" and "score": what has no column is a
note. The table class of rich takes ten times as long, and cuts the ends of names.
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


def _cut_in_the_middle(name: str, width: int) -> str:
    """Return a name cut to `width` columns. Its end is kept: similar names often differ there.

    The end is counted in characters, so a name with wide ones may be wider.
    """
    if cell_len(name) <= width:
        return name
    end_width = (width - 1) // 2
    end = name[-end_width:] if end_width else ""
    return f"{set_cell_size(name, width - 1 - end_width).rstrip()}…{end}"


_GAP: Final = 2
"""The number of blanks between two columns, and before a note."""


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
    narrowest_widths = dict(narrowest or {})
    widths = _column_widths(heads, lines, narrowest_widths, console.width)
    name_column = next(iter(narrowest_widths), "")

    segments = []
    for line in lines:
        segments += _row_segments(
            console, heads, line, widths, name_column, right_aligned
        )
        for note in line[len(heads) :]:
            segments += _note_segments(console, note)
    console.print(Segments(segments), end="", soft_wrap=True)


def _cell(value: object) -> Text:
    """Return a cell's text in one line, with control characters made visible."""
    if isinstance(value, Text):
        return value
    return Text(one_line(str(value)))


def _column_widths(
    heads: Sequence[str],
    lines: Sequence[Sequence[Text]],
    narrowest_widths: Mapping[str, int],
    available: int,
) -> dict[str, int]:
    """Return the width of each column, by its head: `{"trial": 28, "score": 5}`.

    `lines` are the heads and all rows. `available` is the width of the window.
    """
    widths = {}
    for place, head in enumerate(heads):
        widths[head] = max(line[place].cell_len for line in lines)
        if head in narrowest_widths:
            # The loop below takes a step for each character, and a text may be very long.
            widths[head] = min(widths[head], max(available, narrowest_widths[head]))

    # Take a character from the widest column that can be cut, until the table fits.
    gaps = _GAP * (len(heads) - 1)
    while sum(widths.values()) + gaps > available:
        shrinkable = []
        for head in heads:
            if head in narrowest_widths and widths[head] > narrowest_widths[head]:
                shrinkable.append(head)
        if not shrinkable:
            break
        widest = max(shrinkable, key=lambda head: widths[head])
        widths[widest] -= 1
    return widths


def _row_segments(
    console: Console,
    heads: Sequence[str],
    line: Sequence[Text],
    widths: Mapping[str, int],
    name_column: str,
    right_aligned: Container[str],
) -> list[Segment]:
    """Return one row. Empty cells at its end are left out, so that no line ends with blanks.

    `line` holds the cells of the row, and `widths` the width of each column by its head.
    """
    texts = list(line[: len(heads)])
    while len(texts) > 1 and not texts[-1].plain:
        texts.pop()

    segments = []
    for place, text in enumerate(texts):
        head = heads[place]
        if head == name_column:
            cell = _cut_in_the_middle(text.plain, widths[head])
        else:
            cell = fitted(text.plain, widths[head])
        blanks = " " * (widths[head] - cell_len(cell))
        is_last = place == len(texts) - 1
        if head in right_aligned:
            cell = blanks + cell
        elif not is_last:
            cell += blanks
        segments.append(Segment(cell, console.get_style(text.style)))
        segments.append(Segment("\n" if is_last else " " * _GAP))
    return segments


def _note_segments(console: Console, note: Text) -> list[Segment]:
    """Return a note in at most two lines. The second line is cut if it is too long."""
    width = console.width - _GAP
    first, *further = [line.plain.rstrip() for line in note.wrap(console, width)]
    second = fitted(" ".join(further), width)
    indent = " " * _GAP
    return [Segment(f"{indent}{text}\n") for text in (first, second) if text]
