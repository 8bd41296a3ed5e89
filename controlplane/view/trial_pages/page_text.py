"""Prints pages of a trial as lines of text, in a terminal or into a pipe."""

from __future__ import annotations

import sys
from typing import Final

from rich.console import Console
from rich.syntax import Syntax
from rich.text import Text

from controlplane.journal.journal_reader import Journal
from controlplane.sandbox.interface import bounds
from controlplane.view.printed_columns import CleanConsole
from controlplane.view.trial_pages.trial_pages import Page, PagePart, pages_of

_INDENT: Final = 2
_RULER_WIDTH: Final = 36
"""The width of the line above a titled part, in columns."""
_TITLE_WIDTH: Final = 66
"""The width of the line above a page, in columns."""
_LONGEST_PIPED_LINE: Final = 400
"""The column at which a line of a folded page is cut in a pipe, where lines are not wrapped."""
_SHORTEST_LINE: Final = 10
"""The fewest columns for a text before its tail (such as a call's duration)."""


def print_page(page: Page, *, is_folded: bool = False) -> None:
    """Print one page below its title."""
    console = CleanConsole(highlight=False)
    title = Text(f"── {page.title} ", style="bold")
    title.append("─" * (_TITLE_WIDTH - len(page.title)), style="dim")
    console.print(title)
    print_page_lines(page, console, is_folded=is_folded)


def print_page_lines(page: Page, console: Console, *, is_folded: bool) -> None:
    """Print a page's lines. Lines in a pipe are not wrapped, so that code can be copied."""
    width = console.width if console.is_terminal else sys.maxsize
    lines = []
    for part in page.parts:
        lines += _part_lines(part, console, width, is_folded=is_folded)
    if page.figures:
        lines.append(_ruler(page.figures))
    if is_folded and not console.is_terminal:
        for line in lines:
            line.truncate(_LONGEST_PIPED_LINE, overflow="ellipsis")
    console.print(Text("\n").join(lines), soft_wrap=True)


def _part_lines(
    part: PagePart, console: Console, width: int, *, is_folded: bool
) -> list[Text]:
    """Return a part of a page as lines of at most `width` columns.

    A part has a text or a title, and inner parts, which are indented below it. If it is folded,
    inner parts that are details are hidden, the middle of a long text is left out, and a text with
    a tail is cut to one line.
    """
    text = _text_with_tail(part, width, is_folded=is_folded)
    inner_width = width - _INDENT
    body: list[Text] = []
    if part.title:
        head = [_ruler(part.title)]
        if part.text:
            body += text.wrap(console, inner_width)
    else:
        head = list(text.wrap(console, width))

    for inner_part in part.parts:
        is_hidden = is_folded and inner_part.is_detail
        if not is_hidden:
            body += _part_lines(inner_part, console, inner_width, is_folded=is_folded)
    if is_folded:
        body = _without_middle(body)
    indent = " " * _INDENT
    return head + [Text(indent).append_text(line) for line in body]


def _text_with_tail(part: PagePart, width: int, *, is_folded: bool) -> Text:
    """Return the text of a part, followed by its tail. Folded, it is cut so that both fit."""
    text = _part_text(part)
    if part.tail:
        if is_folded:
            width_before_tail = max(width - len(part.tail), _SHORTEST_LINE)
            text.truncate(width_before_tail, overflow="ellipsis")
        text.append(part.tail, style="not bold dim")
    return text


def _part_text(part: PagePart) -> Text:
    """Return the text of a part in its style. Code has the colours of Python."""
    if part.style != "code":
        return Text(part.text, style=part.style)
    # The terminal's own sixteen colours are readable on light and dark backgrounds.
    syntax = Syntax(
        "", "python", theme="ansi_dark", background_color="default", word_wrap=True
    )
    text = syntax.highlight(part.text)
    text.rstrip()
    return text


def _without_middle(lines: list[Text]) -> list[Text]:
    """Return at most `SHOWN_FOLDED_LINES` lines. One in the middle counts the hidden lines."""
    if len(lines) <= bounds.SHOWN_FOLDED_LINES:
        return lines
    shown_count = bounds.SHOWN_FOLDED_LINES - 1  # One line is the note.
    shown_above = bounds.SHOWN_FOLDED_LINES // 2
    shown_below = shown_count - shown_above
    hidden_count = len(lines) - shown_count
    note = Text(f"… {hidden_count} lines more", style="dim italic")
    return [*lines[:shown_above], note, *lines[len(lines) - shown_below :]]


def _ruler(title: str) -> Text:
    """Return a line with a title in it: `── calls ───────`."""
    line = "─" * (_RULER_WIDTH - len(title))
    return Text(f"── {title} {line}", style="dim", no_wrap=True, overflow="ellipsis")


def print_trial(journal: Journal, trial_id: str, *, in_full: bool) -> None:
    """Print a trial: first its end and the reasons, then the initial prompt and each step.

    Without `in_full`, the pages are folded as in a terminal.
    """
    *pages, end = pages_of(journal.trials[trial_id])
    for page in (end, *pages):
        print_page(page, is_folded=not in_full)
