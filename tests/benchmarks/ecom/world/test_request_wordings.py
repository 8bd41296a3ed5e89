"""The requests of each family of the shop's tasks have enough wordings.

"Check out basket-0012" and "Please buy basket-0012" are two wordings of a request.

Wordings are in two sets, and a run takes all its texts from one set. The set `known` is for development.
The set `unseen` is held out: a run with it shows whether a solver depends on the wordings that it was
made for.
"""

import pytest

from controlplane.benchmarks.ecom.tasks.families import FAMILIES
from controlplane.benchmarks.ecom.world.wordings import wordings_by_name

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
