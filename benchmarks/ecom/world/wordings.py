"""The wordings of pages, notices and requests, in two halves.

A world uses one half or both.

Rules and functions may be written for the `known`
wordings. The `unseen` ones are kept for testing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from random import Random
from typing import Final

KNOWN: Final = "known"
UNSEEN: Final = "unseen"

NAME: Final = re.compile(r"\$([a-z_]+(?:\.[a-z_]+)*)")
"""A name in a wording, such as `$state.active`."""
LINE_WIDTH: Final = 110


@dataclass(frozen=True, slots=True)
class Wordings:
    """The wordings of one statement."""

    known: tuple[str, ...]
    unseen: tuple[str, ...]

    def of(self, half: str) -> tuple[str, ...]:
        """Return one half, or all wordings if `half` is neither `known` nor `unseen`."""
        if half == KNOWN:
            return self.known
        if half == UNSEEN:
            return self.unseen
        return (*self.known, *self.unseen)


STYLES: Final = Wordings(
    known=("- {}", "* {}", "{number}. {}", "{}", "## {title}\n\n{}"),
    unseen=("{number}) {}", "**{title}.** {}", "### {number}. {title}\n\n{}"),
)
"""How the clauses of a page are formatted."""


@dataclass(frozen=True, slots=True)
class Clause:
    """One statement of a page."""

    name: str
    place: str
    """`first`, `last`, or empty for any place."""
    wordings: Wordings


@dataclass(frozen=True, slots=True)
class Page:
    """A page with all its wordings."""

    titles: Wordings
    clauses: tuple[Clause, ...]

    def clauses_at(self, place: str) -> list[Clause]:
        """Return the clauses that come first, last, or anywhere."""
        return [clause for clause in self.clauses if clause.place == place]


@cache
def page(key: str) -> Page:
    """Return the page with this key.

    Raises `ValueError` if its two files have different clauses.
    """
    known = _read(f"pages/{key}.txt")
    unseen = _read(f"pages/unseen/{key}.txt")
    clauses = []
    for title, wordings_of_clause in _paired(known, unseen).items():
        name, _, place = title.partition(" ")
        clauses.append(Clause(name, place, wordings_of_clause))
    titles = Wordings(known.titles(), unseen.titles())
    return Page(titles, tuple(clauses))


@cache
def wordings() -> Mapping[str, Wordings]:
    """Return the wordings of requests, notices and hostile blocks by name, for `str.format`."""
    return _paired(_read("wordings/known.txt"), _read("wordings/unseen.txt"))


@dataclass(frozen=True, slots=True)
class _WordingFile:
    """One half of the wordings of a page, or of all requests."""

    path: str
    head: str
    """The first line, which has the titles of a page."""
    clauses: Mapping[str, tuple[str, ...]]
    """The wordings of each clause, by its name and place."""

    def titles(self) -> tuple[str, ...]:
        return tuple(self.head.removeprefix("# ").split(" | "))


def _read(path: str) -> _WordingFile:
    """Read a file of clauses, such as:

        # Returns | Returning goods
        @ deadline first
        = Goods may be returned within 30 days.
        = 30 days are left for a return.

    The first line has the titles of a page. It is missing in a file of requests, whose
    clauses have no place such as `first`.
    """
    text = (files(__package__) / path).read_text("utf-8")
    # With a newline at the beginning, the first line may begin a clause, too.
    head, *parts = f"\n{text}".split("\n@ ")
    clauses = {}
    for part in parts:
        title, *lines = part.rstrip("\n").split("\n")
        clauses[title] = tuple(
            line.removeprefix("= ").replace("\\n", "\n") for line in lines
        )
    return _WordingFile(path, head.strip(), clauses)


def _paired(known: _WordingFile, unseen: _WordingFile) -> dict[str, Wordings]:
    """Return both halves of each clause. Raises `ValueError` if the clauses of the files differ."""
    if known.clauses.keys() != unseen.clauses.keys():
        differing = known.clauses.keys() ^ unseen.clauses.keys()
        msg = f"the clauses of {known.path} and {unseen.path} differ: {differing}"
        raise ValueError(msg)
    return {
        name: Wordings(known.clauses[name], unseen.clauses[name])
        for name in known.clauses
    }


def render(key: str, value_of: Callable[[str], object], rng: Random, half: str) -> str:
    """Return the text of a page, with random wordings and order.

    `value_of` returns the value of a name in a wording.
    Clauses without text are left out.
    """
    template = page(key)
    inner_clauses = template.clauses_at("")
    rng.shuffle(inner_clauses)
    clauses = [
        *template.clauses_at("first"),
        *inner_clauses,
        *template.clauses_at("last"),
    ]
    style = rng.choice(STYLES.of(half))
    title = rng.choice(template.titles.of(half))
    blocks: list[str] = []
    for clause in clauses:
        wording = rng.choice(clause.wordings.of(half))
        text = NAME.sub(lambda match: str(value_of(match[1])), wording)
        if text:
            blocks.append(_block(clause, text, style, number=len(blocks) + 1))
    # Items of a list and lines with a bold title follow each other without an empty line.
    is_compact = style.startswith(("-", "*", "{number}"))
    gap = "\n" if is_compact else "\n\n"
    return f"# {title}\n\n" + gap.join(blocks) + "\n"


def _block(clause: Clause, text: str, style: str, number: int) -> str:
    """Format a clause in the page's style. A table or a clause with a fixed place stays plain."""
    if "\n" in text or clause.place:
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


def euros(cents: int) -> str:
    """Return an amount as text: `EUR 120.00`."""
    return f"EUR {cents // 100}.{cents % 100:02d}"
