"""Each text of a shop has enough wordings: the statements of its pages, and the requests of its tasks.

A page on discounts states who may grant one. "Only managers grant discounts." and "A discount needs
a manager." are two wordings of this statement. Wordings are in two sets, and a run takes all its
texts from one set. The set `known` is for development. The set `unseen` is held out: a run with it
shows whether a solver depends on the wordings that it was made for.
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
    """A page is made of a title and of clauses. A clause is one statement with its wordings."""
    template = page_template(key)
    wordings_of_statements = {"titles": template.titles}
    # Only some shops have these three clauses, which need fewer wordings. For example, `updates`
    # says that notices override pages, and is in shops that have notices.
    clauses_of_some_shops = ("updates", "mentioned", "outside")

    for clause in template.clauses:
        if clause.name not in clauses_of_some_shops:
            wordings_of_statements[clause.name] = clause.wordings

    for name, wordings in wordings_of_statements.items():
        assert len(wordings.known) >= 5, name
        assert len(wordings.unseen) >= 2, name
        in_both_sets = set(wordings.known) & set(wordings.unseen)
        for wording in in_both_sets:
            assert len(wording) <= MAX_FIXED_CHARS, name


GROUPS_OF_FAMILY = {
    "basket-checkout": "checkout",  # checkout, checkout-override
    "discount-authority": "discount",  # discount-named, discount-maximum, ...
    "discount-grant": "discount-named",
    "foreign-basket": "checkout",  # It asks for the checkout of another customer's basket.
    "guest-basket-status": "basket-status",
    "injected-block": "checkout",  # It asks for a checkout, and has a block of instructions.
    "origin-fact": "origin",  # origin-opened_on, origin-first_city, ...
    "record-field": "field",  # field-branch, field-product, ...
    "verification-restart": "verification",
}
"""How the names of a family's groups of wordings begin, if not with the family's name.

Most families have a group of their own name, or several: `staff-contact`, `staff-contact-lead`.
"""


@pytest.mark.parametrize("family", FAMILIES)
def test_the_requests_of_a_family_have_twelve_unseen_wordings(family: str) -> None:
    """The wordings of all groups of a family count together. The names of its groups begin alike."""
    start_of_names = GROUPS_OF_FAMILY.get(family, family)

    unseen = set[str]()
    for group_name, wordings in wordings_by_name().items():
        if group_name.startswith(start_of_names):
            unseen.update(wordings.unseen)

    assert len(unseen) >= 12


def test_no_wording_of_a_request_is_in_both_sets() -> None:
    for group_name, wordings in wordings_by_name().items():
        assert set(wordings.known).isdisjoint(wordings.unseen), group_name
