"""A part of a page about a trial, for the terminal and the browser."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PagePart:
    """A part of a page: a heading, a text, and further parts below it. Each may be missing."""

    text: str = ""
    style: str = ""
    """A colour of the terminal, `bold`, `dim`, or `code` for Python code."""
    title: str = ""
    """The heading above the text."""
    tail: str = ""
    """Text that follows on the same line, in a dimmer style, such as a call's duration."""
    parts: tuple[PagePart, ...] = ()
    """Further parts, indented below the text."""
    is_detail: bool = False
    """True if the part is hidden while the page is folded."""
