"""The pages of one world: its policies, history and names, in the world's wordings.

A page is made from the template with its key, such as `pages/returns.txt`. The template
has several wordings for each statement, and names for what differs between worlds.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from random import Random
from typing import Final

from controlplane.benchmarks.ecom.world.page_text import render
from controlplane.benchmarks.ecom.world.page_values import PageFacts

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
