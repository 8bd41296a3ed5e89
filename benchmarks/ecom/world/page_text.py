"""Writes a page of a world: its clauses with random wordings, in a random order and style.

A page is written once for all worlds, as clauses with several wordings each. In one world its
clauses are the items of a list, in another they have bold titles or headings, so an agent
cannot find a rule by its place or its words.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from random import Random
from typing import Final

from controlplane.benchmarks.ecom.world.wordings import (
    ANYWHERE,
    FIRST,
    LAST,
    Clause,
    Wordings,
    page,
)

NAME: Final = re.compile(r"\$([a-z_]+(?:\.[a-z_]+)*)")
"""A name in a wording, such as `$state.active`. A world has a value for it: `filling`."""
LINE_WIDTH: Final = 110
"""The most characters in a line of a page."""
STYLES: Final = Wordings(
    known=("- {}", "* {}", "{number}. {}", "{}", "## {title}\n\n{}"),
    unseen=("{number}) {}", "**{title}.** {}", "### {number}. {title}\n\n{}"),
)
"""The formats of the clauses of a page: as items of a list, with a title, ... `{}` is the text."""


def render(
    key: str, value_of: Callable[[str], object], rng: Random, wording_set: str
) -> str:
    """Return the text of a page, with random wordings, and clauses in a random order.

    Some clauses have a fixed position, such as an introduction.

    Args:
        key: The name of the page's file, such as `returns`.
        value_of: Returns the value of a name in a wording: `state.active` -> `filling`. If a
            clause is only a name, and its value is empty, the clause is left out.
        rng: The source of the random choices.
        wording_set: Which wordings may be used: `known`, `unseen`, or `mixed` for all.
    """
    template = page(key)
    inner_clauses = template.clauses_at(ANYWHERE)
    rng.shuffle(inner_clauses)
    clauses = [
        *template.clauses_at(FIRST),
        *inner_clauses,
        *template.clauses_at(LAST),
    ]
    style = rng.choice(STYLES.of(wording_set))
    title = rng.choice(template.titles.of(wording_set))
    blocks: list[str] = []
    for clause in clauses:
        wording = rng.choice(clause.wordings.of(wording_set))
        text = NAME.sub(lambda match: str(value_of(match[1])), wording)
        if text:
            blocks.append(_block(clause, text, style, number=len(blocks) + 1))
    # Items of a list and lines with a bold title follow each other without an empty line.
    is_compact = style.startswith(("-", "*", "{number}"))
    gap = "\n" if is_compact else "\n\n"
    return f"# {title}\n\n" + gap.join(blocks) + "\n"


def _block(clause: Clause, text: str, style: str, number: int) -> str:
    """Format a clause in the page's style. A table or a clause at a fixed position stays plain."""
    if "\n" in text or clause.position:
        return f"{text}\n"
    title = clause.name.replace("_", " ").capitalize()
    shown = style.format(text, number=number, title=title)
    has_one_char_bullet = style.startswith(("-", "*"))
    indent = "  " if has_one_char_bullet else ""
    return "\n".join(_wrapped(line, indent) for line in shown.split("\n"))


def _wrapped(line: str, indent: str) -> str:
    """Break a line at the page's width. All lines but the first get the indent."""
    if len(line) <= LINE_WIDTH:
        return line
    first_line = _words_within(LINE_WIDTH).match(line)
    assert first_line is not None
    later_width = LINE_WIDTH - len(indent)
    later_lines = _words_within(later_width).findall(line, first_line.end())
    return "\n".join([first_line[0], *(indent + text for text in later_lines)])


@cache
def _words_within(width: int) -> re.Pattern[str]:
    """Return the pattern for as many words as fit in a line, or one longer word.

    `textwrap` takes ten times as long, and tests create thousands of pages.
    """
    # up to the end of a word
    words_that_fit = r"\S.{0," + str(width - 1) + r"}(?=\s|$)"
    return re.compile(words_that_fit + r"|\S+")
