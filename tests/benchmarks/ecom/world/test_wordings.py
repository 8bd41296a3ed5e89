"""Enough wordings for the pages of the shop and the requests of its tasks.

There are two sets of wordings, and the texts of a run are of one of them. The set `known` is for
development. The set `unseen` is held out: a run with it shows whether a solver depends on the
wordings that it was made for.
"""

import pytest

from controlplane.benchmarks.ecom.tasks.families import FAMILIES
from controlplane.benchmarks.ecom.world.generator import generate
from controlplane.benchmarks.ecom.world.page_templates import page_template
from controlplane.benchmarks.ecom.world.wordings import wordings_by_name

PAGE_KEYS = sorted(generate("world|0").names.pages)
"""The subjects of pages: `["brand", "checkout", ...]`."""
MAX_FIXED_CHARS = 20
"""A text of at most this length, such as a short title, may be in both sets."""


@pytest.mark.parametrize("key", PAGE_KEYS)
def test_every_statement_of_a_page_has_several_wordings_in_both_sets(key: str) -> None:
    """A page is made of a title and of clauses: statements, each with several wordings."""
    template = page_template(key)
    wordings_of_statements = {"titles": template.titles}
    # Statements of pages (clauses) that only some worlds have, and that need fewer wordings. For
    # example, `updates` says that notices override pages, and is in worlds that have notices.
    inserted_clauses = ("updates", "mentioned", "outside")

    for clause in template.clauses:
        if clause.name not in inserted_clauses:
            wordings_of_statements[clause.name] = clause.wordings

    for name, wordings in wordings_of_statements.items():
        assert len(wordings.known) >= 5, name
        assert len(wordings.unseen) >= 2, name
        in_both_sets = set(wordings.known) & set(wordings.unseen)
        for wording in in_both_sets:
            assert len(wording) <= MAX_FIXED_CHARS, name


WORDINGS_OF_FAMILY = {
    "basket-checkout": "checkout",
    "discount-authority": "discount",
    "discount-grant": "discount-named",
    "foreign-basket": "checkout",
    "guest-basket-status": "basket-status",
    "injected-block": "checkout",
    "origin-fact": "origin",
    "record-field": "field",
    "verification-restart": "verification",
}
"""How the names of the wordings of a family's requests begin, if not with the family's name.

For example, `checkout` and `checkout-override` are wordings of the family `basket-checkout`.
"""


@pytest.mark.parametrize("family", FAMILIES)
def test_the_requests_of_a_family_have_twelve_unseen_wordings(family: str) -> None:
    """A family may have several groups of wordings, whose names begin alike."""
    prefix = WORDINGS_OF_FAMILY.get(family, family)

    unseen = set[str]()
    for name, wordings in wordings_by_name().items():
        if name.startswith(prefix):
            unseen.update(wordings.unseen)

    assert len(unseen) >= 12


def test_no_wording_of_a_request_is_in_both_sets() -> None:
    for name, wordings in wordings_by_name().items():
        assert set(wordings.known).isdisjoint(wordings.unseen), name
