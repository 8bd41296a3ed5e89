"""The wordings of pages, notices and requests, in two sets: `known` and `unseen`.

The page on returns says "Goods may be returned within 30 days" in one world and "30 days
are left for a return" in another. Rules for agents may be written with the `known`
wordings in sight. The `unseen` ones are kept for testing whether such rules also work
for other words. A world uses one set or both.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Final

KNOWN: Final = "known"
UNSEEN: Final = "unseen"

# The positions of a clause in its page:
FIRST: Final = "first"
LAST: Final = "last"
ANYWHERE: Final = ""


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


def euros(cents: int) -> str:
    """Return an amount as text: `EUR 120.00`."""
    return f"EUR {cents // 100}.{cents % 100:02d}"
