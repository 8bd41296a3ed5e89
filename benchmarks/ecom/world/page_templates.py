"""The pages before they are written for a world: their statements (clauses) with all wordings.

For example, the file `pages/returns.txt` has the titles of a page and its clauses:

    @ titles
    = Returns and refunds
    = Money back
    @ deadline first
    = Goods may be returned within 30 days.
    = 30 days are left for a return.

A clause may have a position: `deadline` is the first on the page.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Final

from controlplane.benchmarks.ecom.world.wordings import Wordings, read_wordings

# The positions of a clause in its page:
FIRST: Final = "first"
LAST: Final = "last"
ANYWHERE: Final = ""


@dataclass(frozen=True, slots=True)
class Clause:
    """One statement of a page."""

    name: str
    position: str
    """`FIRST`, `LAST` or `ANYWHERE` in the page."""
    wordings: Wordings


@dataclass(frozen=True, slots=True)
class PageTemplate:
    """A page with all its wordings."""

    titles: Wordings
    clauses: tuple[Clause, ...]

    def clauses_at(self, position: str) -> list[Clause]:
        """Return the clauses with a position: `FIRST`, `LAST` or `ANYWHERE`."""
        return [clause for clause in self.clauses if clause.position == position]


@cache
def page_template(key: str) -> PageTemplate:
    """Return the template of a page, such as `returns`.

    Raises `ValueError` if its files for `known` and `unseen` wordings have different clauses.
    """
    wordings = read_wordings(f"pages/{key}.txt", f"pages/unseen/{key}.txt")
    titles = wordings.pop("titles")
    clauses = []
    for name_and_position, wordings_of_clause in wordings.items():
        name, _, position = name_and_position.partition(" ")
        clauses.append(Clause(name, position, wordings_of_clause))
    return PageTemplate(titles, tuple(clauses))
