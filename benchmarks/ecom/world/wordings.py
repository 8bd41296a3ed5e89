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


@cache
def wordings_by_name() -> Mapping[str, Wordings]:
    """Return the wordings of requests, notices and hostile blocks by name, for `str.format`."""
    return read_wordings("wordings/known.txt", "wordings/unseen.txt")


def read_wordings(known_path: str, unseen_path: str) -> dict[str, Wordings]:
    """Return the wordings of each statement by its name, from the files of both sets.

    Raises `ValueError` if the files have different statements.
    """
    known = _read_set(known_path)
    unseen = _read_set(unseen_path)
    if known.keys() != unseen.keys():
        differing = known.keys() ^ unseen.keys()
        msg = f"the clauses of {known_path} and {unseen_path} differ: {differing}"
        raise ValueError(msg)
    return {name: Wordings(known[name], unseen[name]) for name in known}


def _read_set(path: str) -> dict[str, tuple[str, ...]]:
    """Return the wordings of each statement in a file, by the name after `@`.

    The lines

        @ deadline
        = Goods may be returned within 30 days.
        = 30 days are left for a return.

    give `{"deadline": ("Goods may be returned within 30 days.", "30 days are ...")}`.
    """
    text = (files(__package__) / path).read_text("utf-8")
    wordings = {}
    # With a newline at the beginning, the first line begins a statement like all others.
    for statement in f"\n{text}".split("\n@ ")[1:]:
        name, *lines = statement.rstrip("\n").split("\n")
        wordings[name] = tuple(
            line.removeprefix("= ").replace("\\n", "\n") for line in lines
        )
    return wordings


def euros(cents: int) -> str:
    """Return an amount as text: `EUR 120.00`."""
    return f"EUR {cents // 100}.{cents % 100:02d}"
