"""The pages of one world: its policies, history and names, in the world's wordings.

A page is made from the template with its key, such as `pages/returns.txt`. The template
has several wordings for each statement, and names for what differs between worlds.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from random import Random
from typing import Final

from controlplane.benchmarks.ecom.world.company.policy import Policy
from controlplane.benchmarks.ecom.world.names.world_names import WorldNames
from controlplane.benchmarks.ecom.world.page_text import render
from controlplane.benchmarks.ecom.world.page_values import PageFacts, value_of

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


def page_texts(
    policy: Policy, names: WorldNames, history: Mapping[str, str], updates: str = ""
) -> dict[str, Callable[[], str]]:
    """Return a function for each path of a page, which returns the page's text.

    Most worlds are read only in part, so a text is not made before it is needed.

    Args:
        policy: What the pages state: the highest discounts, the role for refunds, ...
        names: The paths of the pages, and the world's words for states and fields.
        history: Facts of the company's history by name, such as the date `opened_on`.
        updates: The sentence "Notices override pages"; empty if the world has none.
    """
    facts = PageFacts(policy, names, history, updates)
    pages: dict[str, Callable[[], str]] = {}
    for key, path in names.pages.items():
        pages[path] = partial(_page_text, key, facts)
    return pages


def _page_text(key: str, facts: PageFacts) -> str:
    """Return the text of a page. It is the same each time."""

    def value_of_name(name: str) -> object:
        return value_of(name, facts)

    rng = Random(f"{facts.names.page_seed}|{key}")
    return render(key, value_of_name, rng, facts.names.wording_set)
