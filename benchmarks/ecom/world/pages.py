"""Documents that say the same in several wordings and orders, read from `pages/` and rendered for one world.

A file has a line of titles, then clauses: `@ name`, perhaps `first` or `last`, and a line `= wording` for each wording.
A wording refers to names and values as `$group.name`; a clause without text is left out.
"""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from random import Random
from string import Template
from typing import Final, TypeVar

KNOWN, UNSEEN = "known", "unseen"
STYLES: Final = ("- {}", "* {}", "{number}. {}", "{}", "## {title}\n\n{}")
WIDTH: Final = 110
T = TypeVar("T")


class _Wording(Template):
    idpattern = r"[a-z_]+(?:\.[a-z_]+)*"


@dataclass(frozen=True, slots=True)
class Clause:
    """One thing that a document says, in several wordings."""

    name: str
    place: str
    """`first`, `last`, or empty if it may stand anywhere."""
    wordings: tuple[Template, ...]


@dataclass(frozen=True, slots=True)
class Page:
    """A document in all its wordings."""

    titles: tuple[str, ...]
    clauses: tuple[Clause, ...]


def half_of(pool: Sequence[T], half: str) -> Sequence[T]:
    """Return what may be chosen of a pool of wordings: each second one if `half` is `known` or `unseen`, else all."""
    return pool[0::2] if half == KNOWN else pool[1::2] or pool if half == UNSEEN else pool


@cache
def page(key: str) -> Page:
    """Return the document of a key."""
    head, *parts = (files(__package__) / "pages" / f"{key}.txt").read_text("utf-8").split("\n@ ")
    clauses = []
    for part in parts:
        title, *lines = part.rstrip("\n").split("\n")
        name, _, place = title.partition(" ")
        wordings = tuple(_Wording(line.removeprefix("= ").replace("\\n", "\n")) for line in lines)
        clauses.append(Clause(name, place, wordings))
    return Page(tuple(head.removeprefix("# ").split(" | ")), tuple(clauses))


def render(key: str, values: Mapping[str, object], rng: Random, half: str) -> str:
    """Return the text of a document in wordings and an order that `rng` draws."""
    found = page(key)
    inner = [each for each in found.clauses if not each.place]
    rng.shuffle(inner)
    ordered = [each for each in found.clauses if each.place == "first"] + inner
    ordered += [each for each in found.clauses if each.place == "last"]
    style = rng.choice(half_of(STYLES, half))
    blocks = [f"# {rng.choice(half_of(found.titles, half))}"]
    for clause in ordered:
        text = rng.choice(half_of(clause.wordings, half)).substitute(values)
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
    return textwrap.fill(line, WIDTH, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)
