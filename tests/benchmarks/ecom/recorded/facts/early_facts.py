"""Requests that our solver denies, or answers with a question, before it asks a model.

These facts are what recorded right answers of the public shop benchmark had in common. Our benchmark
imitates the public one, so they must hold for right answers to our tasks, too:

    EARLY_FACTS["status of a basket, not signed in"].outcome         # DENIED
    EARLY_FACTS["status of a basket, not signed in"].demanded_pages  # ("security",)
"""

from collections.abc import Mapping
from typing import Final

from controlplane.benchmarks.ecom.world.pages import CHECKOUT, DISCOUNTS, SECURITY
from controlplane.gates.submission import CLARIFICATION, DENIED
from tests.benchmarks.ecom.recorded.facts.fact import Answerer, Fact

EARLY_FACTS: Final[Mapping[str, Fact]] = {
    "own staff record, claimed by a guest": Fact(
        variant="staff-contact: asked by a guest",
        outcome=DENIED,
        answerer=Answerer.PREFLIGHT_WITH_CLASSIFIER,
        demanded_pages=(SECURITY,),
    ),
    "checkout of a basket, not signed in": Fact(
        variant="foreign-basket: asked by a guest",
        outcome=DENIED,
        answerer=Answerer.PREFLIGHT,
        demanded_pages=(SECURITY,),
        optional_pages=(CHECKOUT,),
    ),
    "status of a basket, not signed in": Fact(
        variant="guest-basket-status: asked by a guest",
        outcome=DENIED,
        answerer=Answerer.PREFLIGHT,
        demanded_pages=(SECURITY,),
        optional_pages=(CHECKOUT,),
    ),
    "discount without the role, with an approval named": Fact(
        variant="discount-authority: role is missing",
        outcome=DENIED,
        answerer=Answerer.PREFLIGHT_WITH_CLASSIFIER,
        demanded_pages=(SECURITY, DISCOUNTS),
    ),
    "checkout of one of several baskets": Fact(
        variant="unnamed-basket: several are active",
        outcome=CLARIFICATION,
        answerer=Answerer.PREFLIGHT_WITH_CLASSIFIER,
        optional_pages=(CHECKOUT, SECURITY),
        records=("baskets",),
        message=".*basket.*",
    ),
    "e-mail of staff, by a customer": Fact(
        variant="staff-contact: asked by a customer",
        outcome=DENIED,
        answerer=Answerer.PREFLIGHT_WITH_CLASSIFIER,
        demanded_pages=(SECURITY,),
    ),
}
"""The facts, each by a description of the request."""
