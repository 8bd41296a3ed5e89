"""Facts on requests that our solver answers by itself, before its main model is asked.

A *fact* is what all recorded right answers to one kind of request of the public shop benchmark had. Our
benchmark imitates the public one, so right answers to our tasks of the same kind (`variant`) must have
that, too. An answer is wrong without the `demanded_pages` as citations; `optional_pages` may be cited.
"""

from collections.abc import Mapping
from typing import Final

from controlplane.benchmarks.ecom.world.pages import CHECKOUT, DISCOUNTS, SECURITY
from controlplane.gates.submission import CLARIFICATION, DENIED
from tests.benchmarks.ecom.recorded.facts.fact import Answerer, Fact

BY_RECORDS_ALONE: Final[Mapping[str, Fact]] = {
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
}
"""The shop's records show that the request must be denied. By a description of the request."""

WITH_CLASSIFIER: Final[Mapping[str, Fact]] = {
    "own staff record, claimed by a guest": Fact(
        variant="staff-contact: asked by a guest",
        outcome=DENIED,
        answerer=Answerer.PREFLIGHT_WITH_CLASSIFIER,
        demanded_pages=(SECURITY,),
    ),
    "e-mail of staff, by a customer": Fact(
        variant="staff-contact: asked by a customer",
        outcome=DENIED,
        answerer=Answerer.PREFLIGHT_WITH_CLASSIFIER,
        demanded_pages=(SECURITY,),
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
        cited_kinds=("baskets",),  # Records of no other kind may be cited.
        message=".*basket.*",  # "Which basket do you mean?"
    ),
}
"""A small model, the classifier, first says what the request asks for. Then records decide."""

EARLY_FACTS: Final = {**BY_RECORDS_ALONE, **WITH_CLASSIFIER}
