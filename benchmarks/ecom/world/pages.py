"""Documents that say the same in several wordings and orders, read from `pages/` and rendered for one world.

A file has a line of titles, then clauses: `@ name`, perhaps `first` or `last`, and a line `= wording` for each wording.
A wording refers to names and values as `$group.name`; a clause without text is left out. The files in `pages/unseen/`
say the same clauses in sentences that are held out: nothing that plays or checks is written on them.
"""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from random import Random
from string import Template
from typing import Final, Generic, TypeVar

KNOWN, UNSEEN = "known", "unseen"
WIDTH: Final = 110
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Wordings(Generic[T]):
    """The ways to say one thing: `known` ones, on which rules may be written, and `unseen` ones, which are held out."""

    known: tuple[T, ...]
    unseen: tuple[T, ...]

    def of(self, half: str) -> tuple[T, ...]:
        """Return one half, or all if `half` is neither `known` nor `unseen`."""
        return self.known if half == KNOWN else self.unseen if half == UNSEEN else (*self.known, *self.unseen)


STYLES: Final = Wordings(
    ("- {}", "* {}", "{number}. {}", "{}", "## {title}\n\n{}"),
    ("{number}) {}", "**{title}.** {}", "### {number}. {title}\n\n{}"),
)


class _Wording(Template):
    idpattern = r"[a-z_]+(?:\.[a-z_]+)*"


@dataclass(frozen=True, slots=True)
class Clause:
    """One thing that a document says, in several wordings."""

    name: str
    place: str
    """`first`, `last`, or empty if it may stand anywhere."""
    wordings: Wordings[Template]


@dataclass(frozen=True, slots=True)
class Page:
    """A document in all its wordings."""

    titles: Wordings[str]
    clauses: tuple[Clause, ...]


@cache
def page(key: str) -> Page:
    """Return the document of a key. Raises `ValueError` if its two files do not say the same clauses."""
    (titles, known), (others, unseen) = (_read(f"pages/{each}{key}.txt") for each in ("", "unseen/"))
    if known.keys() != unseen.keys():
        msg = f"the clauses of pages/{key}.txt and pages/unseen/{key}.txt differ: {known.keys() ^ unseen.keys()}"
        raise ValueError(msg)
    clauses = []
    for title, wordings in known.items():
        name, _, place = title.partition(" ")
        clauses.append(Clause(name, place, Wordings(wordings, unseen[title])))
    return Page(Wordings(titles, others), tuple(clauses))


def _read(path: str) -> tuple[tuple[str, ...], dict[str, tuple[Template, ...]]]:
    """Return the titles of a file, and the wordings of its clauses by name and place."""
    head, *parts = (files(__package__) / path).read_text("utf-8").split("\n@ ")
    clauses: dict[str, tuple[Template, ...]] = {}
    for part in parts:
        title, *lines = part.rstrip("\n").split("\n")
        clauses[title] = tuple(_Wording(line.removeprefix("= ").replace("\\n", "\n")) for line in lines)
    return tuple(head.removeprefix("# ").split(" | ")), clauses


def render(key: str, values: Mapping[str, object], rng: Random, half: str) -> str:
    """Return the text of a document in wordings and an order that `rng` draws."""
    found = page(key)
    inner = [each for each in found.clauses if not each.place]
    rng.shuffle(inner)
    ordered = [each for each in found.clauses if each.place == "first"] + inner
    ordered += [each for each in found.clauses if each.place == "last"]
    style = rng.choice(STYLES.of(half))
    blocks = [f"# {rng.choice(found.titles.of(half))}"]
    for clause in ordered:
        text = rng.choice(clause.wordings.of(half)).substitute(values)
        if text:
            blocks.append(_block(clause, text, style, len(blocks)))
    gap = "\n" if style.startswith(("-", "*", "{number}")) else "\n\n"
    return blocks[0] + "\n\n" + gap.join(blocks[1:]) + "\n"


def _block(clause: Clause, text: str, style: str, number: int) -> str:
    if "\n" in text or clause.place:
        return f"{text}\n"
    shown = style.format(text, number=number, title=clause.name.replace("_", " ").capitalize())
    indent = "  " if style.startswith(("-", "*")) else ""
    return "\n".join(_wrapped(line, indent) for line in shown.split("\n"))


def _wrapped(line: str, indent: str) -> str:
    if len(line) <= WIDTH:
        return line
    return textwrap.fill(line, WIDTH, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)
