"""The wordings of pages, notices and requests, in two sets: `known` and `unseen`.

The page on returns says "Goods may be returned within 30 days" in one world and "30 days
are left for a return" in another. Rules for agents may be written with the `known`
wordings in sight. The `unseen` ones are kept for testing whether such rules also work
for other words. A world uses one set or both.
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

# The positions of a clause in its page:
FIRST: Final = "first"
LAST: Final = "last"
ANYWHERE: Final = ""

NAME: Final = re.compile(r"\$([a-z_]+(?:\.[a-z_]+)*)")
"""A name in a wording, such as `$state.active`. A world has a value for it: `filling`."""
LINE_WIDTH: Final = 110
"""The most characters in a line of a page."""


@dataclass(frozen=True, slots=True)
class Wordings:
    """The different wordings of one statement, in both sets."""

    known: tuple[str, ...]
    unseen: tuple[str, ...]

    def of(self, wording_set: str) -> tuple[str, ...]:
        """Return the wordings of a set: `known` or `unseen`. Any other value means all."""
        if wording_set == KNOWN:
            return self.known
        if wording_set == UNSEEN:
            return self.unseen
        return (*self.known, *self.unseen)


STYLES: Final = Wordings(
    known=("- {}", "* {}", "{number}. {}", "{}", "## {title}\n\n{}"),
    unseen=("{number}) {}", "**{title}.** {}", "### {number}. {title}\n\n{}"),
)
"""The formats of the clauses of a page: as items of a list, with a title, ... `{}` is the text."""


@dataclass(frozen=True, slots=True)
class Clause:
    """One statement of a page."""

    name: str
    position: str
    """`FIRST`, `LAST` or `ANYWHERE` in the page."""
    wordings: Wordings


@dataclass(frozen=True, slots=True)
class Page:
    """A page with all its wordings."""

    titles: Wordings
    clauses: tuple[Clause, ...]

    def clauses_at(self, position: str) -> list[Clause]:
        """Return the clauses with a position: `FIRST`, `LAST` or `ANYWHERE`."""
        return [clause for clause in self.clauses if clause.position == position]


@cache
def page(key: str) -> Page:
    """Return the page with this key.

    Raises `ValueError` if its two files have different clauses.
    """
    known = _read(f"pages/{key}.txt")
    unseen = _read(f"pages/unseen/{key}.txt")
    clauses = []
    for title, wordings_of_clause in _paired(known, unseen).items():
        name, _, position = title.partition(" ")  # `deadline first`, or only `deadline`
        clauses.append(Clause(name, position, wordings_of_clause))
    titles = Wordings(known.titles(), unseen.titles())
    return Page(titles, tuple(clauses))


@cache
def wordings_by_name() -> Mapping[str, Wordings]:
    """Return the wordings of requests, notices and hostile blocks by name, for `str.format`."""
    return _paired(_read("wordings/known.txt"), _read("wordings/unseen.txt"))


@dataclass(frozen=True, slots=True)
class _WordingFile:
    """A file with one set of wordings, of a page or of all requests."""

    path: str
    head: str
    """The first line, which has the titles of a page."""
    clauses: Mapping[str, tuple[str, ...]]
    """The wordings of each clause, by its name and position: `deadline first`."""

    def titles(self) -> tuple[str, ...]:
        return tuple(self.head.removeprefix("# ").split(" | "))


def _read(path: str) -> _WordingFile:
    """Read a file of clauses, such as:

        # Returns | Returning goods
        @ deadline first
        = Goods may be returned within 30 days.
        = 30 days are left for a return.

    The first line has the titles of a page. It is missing in a file of requests, whose
    clauses have no position such as `first`.
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
    """Return the wordings of each clause, from the files of both sets.

    Raises `ValueError` if the files have different clauses.
    """
    if known.clauses.keys() != unseen.clauses.keys():
        differing = known.clauses.keys() ^ unseen.clauses.keys()
        msg = f"the clauses of {known.path} and {unseen.path} differ: {differing}"
        raise ValueError(msg)
    return {
        name: Wordings(known.clauses[name], unseen.clauses[name])
        for name in known.clauses
    }


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


def euros(cents: int) -> str:
    """Return an amount as text: `EUR 120.00`."""
    return f"EUR {cents // 100}.{cents % 100:02d}"
