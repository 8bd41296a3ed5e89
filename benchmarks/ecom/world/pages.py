"""The pages of one world: its policies, history and names, in the world's wordings.

A page is made from the template with its key, such as `pages/returns.txt`. The template
has several wordings for each statement, and names for what differs between worlds.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from random import Random
from typing import Final

from controlplane.benchmarks.ecom.world.page_values import PageFacts
from controlplane.benchmarks.ecom.world.wordings import (
    KNOWN,
    UNSEEN,
    Wordings,
    read_wordings,
)

# The pages before they are written for a world: their statements (clauses) with all wordings.
#
# For example, the file `pages/returns.txt` has the titles of a page and its clauses:
#
#     @ titles
#     = Returns and refunds
#     = Money back
#     @ deadline first
#     = Goods may be returned within 30 days.
#     = 30 days are left for a return.
#
# A clause may have a position: `deadline` is the first on the page.

# The positions of a clause in its page:
FIRST: Final = "first"
_LAST: Final = "last"
_ANYWHERE: Final = ""


@dataclass(frozen=True, slots=True)
class _Clause:
    """One statement of a page."""

    name: str
    position: str
    """`FIRST`, `_LAST` or `_ANYWHERE` in the page."""
    wordings: Wordings


@dataclass(frozen=True, slots=True)
class _PageTemplate:
    """A page with all its wordings."""

    titles: Wordings
    clauses: tuple[_Clause, ...]

    def clauses_at(self, position: str) -> list[_Clause]:
        """Return the clauses with a position: `FIRST`, `_LAST` or `_ANYWHERE`."""
        return [clause for clause in self.clauses if clause.position == position]


@cache
def page_template(key: str) -> _PageTemplate:
    """Return the template of a page, such as `returns`.

    Raises `ValueError` if its files for `known` and `unseen` wordings have different clauses.
    """
    wordings = read_wordings(f"pages/{key}.txt", f"pages/unseen/{key}.txt")
    titles = wordings.pop("titles")
    clauses = []
    for name_and_position, wordings_of_clause in wordings.items():
        name, _, position = name_and_position.partition(" ")
        clauses.append(_Clause(name, position, wordings_of_clause))
    return _PageTemplate(titles, tuple(clauses))


# Writes a page of a world: its clauses with random wordings, in a random order and style.
#
# A page is written once for all worlds, as clauses with several wordings each. In one world its
# clauses are the items of a list, in another they have bold titles or headings, so an agent
# cannot find a rule by its place or its words.

NAME: Final = re.compile(r"\$([a-z_]+(?:\.[a-z_]+)*)")
"""A name in a wording, such as `$state.active`. A world has a value for it: `filling`."""
_LINE_WIDTH: Final = 110
"""The most characters in a line of a page."""


@dataclass(frozen=True, slots=True)
class Style:
    """How the clauses of a page are shown."""

    template: str
    """`{}` is the clause's text, `{title}` its name, and `{number}` its number on the page."""
    is_compact: bool = False
    """True if the clauses follow each other without an empty line."""
    indent: str = ""
    """The beginning of each line of a clause after the first."""


_KNOWN_STYLES: Final = (
    Style("- {}", is_compact=True, indent="  "),
    Style("* {}", is_compact=True, indent="  "),
    Style("{number}. {}", is_compact=True),
    Style("{}"),
    Style("## {title}\n\n{}"),
)
_UNSEEN_STYLES: Final = (
    Style("{number}) {}", is_compact=True),
    Style("**{title}.** {}", is_compact=True, indent="  "),
    Style("### {number}. {title}\n\n{}"),
)


def render(
    key: str, value_of: Callable[[str], object], rng: Random, wording_set: str
) -> str:
    """Return the text of a page, with random wordings, and clauses in a random order.

    Args:
        key: The name of the page's file, such as `returns`.
        value_of: Returns the value of a name in a wording: `state.active` -> `filling`. If a
            clause is only a name, and its value is empty, the clause is left out.
        rng: The source of the random choices.
        wording_set: Which wordings may be used: `known`, `unseen`, or `mixed` for all.
    """
    template = page_template(key)
    clauses = _in_random_order(template, rng)
    style = rng.choice(_styles_of(wording_set))
    title = rng.choice(template.titles.of(wording_set))
    blocks: list[str] = []
    for clause in clauses:
        wording = rng.choice(clause.wordings.of(wording_set))
        text = NAME.sub(lambda match: str(value_of(match[1])), wording)
        if text:
            blocks.append(_block(clause, text, style, number=len(blocks) + 1))
    gap = "\n" if style.is_compact else "\n\n"
    return f"# {title}\n\n" + gap.join(blocks) + "\n"


def _in_random_order(template: _PageTemplate, rng: Random) -> list[_Clause]:
    """Return the clauses in random order, except those with a fixed position."""
    inner_clauses = template.clauses_at(_ANYWHERE)
    rng.shuffle(inner_clauses)
    return [
        *template.clauses_at(FIRST),
        *inner_clauses,
        *template.clauses_at(_LAST),
    ]


def _styles_of(wording_set: str) -> tuple[Style, ...]:
    """Return the styles of a set. Styles have two sets for the same reason as wordings."""
    if wording_set == KNOWN:
        return _KNOWN_STYLES
    if wording_set == UNSEEN:
        return _UNSEEN_STYLES
    return (*_KNOWN_STYLES, *_UNSEEN_STYLES)


def _block(clause: _Clause, text: str, style: Style, number: int) -> str:
    """Return a clause in the page's style. A table or a clause at a fixed position stays plain."""
    if "\n" in text or clause.position != _ANYWHERE:
        return f"{text}\n"
    title = clause.name.replace("_", " ").capitalize()
    shown = style.template.format(text, number=number, title=title)
    return "\n".join(_wrapped(line, style.indent) for line in shown.split("\n"))


def _wrapped(line: str, indent: str) -> str:
    """Break a long line at spaces. All lines but the first get the indent.

    `textwrap` takes ten times as long, and tests create thousands of pages.
    """
    lines = []
    width = _LINE_WIDTH
    while len(line) > width:
        end = line.rfind(" ", 0, width + 1)
        if end == -1:  # The first word is longer than the width.
            end = line.find(" ")
        if end == -1:
            break
        lines.append(line[:end])
        line = line[end + 1 :]
        width = _LINE_WIDTH - len(indent)
    lines.append(line)
    return f"\n{indent}".join(lines)


# The keys of the pages that the code refers to. `WorldNames.pages` has their paths.
RULES: Final = "rules"
SECURITY: Final = "security"
CHECKOUT: Final = "checkout"
CATALOGUE: Final = "catalogue"
DISCOUNTS: Final = "discounts"
VERIFICATION: Final = "verification"
RETURNS: Final = "returns"
DISPATCH: Final = "dispatch"
CROSSLIST: Final = "crosslist"
ORIGINS: Final = "origins"


def page_texts(facts: PageFacts) -> dict[str, Callable[[], str]]:
    """Return a function for each path of a page, which returns the page's text.

    Most worlds are read only in part, so a text is not made before it is needed.
    """
    pages: dict[str, Callable[[], str]] = {}
    for key, path in facts.names.pages.items():
        pages[path] = partial(_page_text, key, facts)
    return pages


def _page_text(key: str, facts: PageFacts) -> str:
    """Return the text of a page. It is the same each time."""
    rng = Random(f"{facts.names.page_seed}|{key}")
    return render(key, facts.value_of, rng, facts.names.wording_set)
