"""What recorded right answers of the public shop benchmark had in common, by kind of request.

People's agents answered there, and a grader said which answers were right. Our benchmark imitates the
public one, so these facts must hold for right answers to our tasks, too:

    FACTS["status of a basket, not signed in"].outcome         # DENIED
    FACTS["status of a basket, not signed in"].demanded_pages  # ("security",)
"""

from collections.abc import Mapping
from typing import Final

from controlplane.benchmarks.ecom.world.pages import (
    CHECKOUT,
    CROSSLIST,
    DISCOUNTS,
    ORIGINS,
    SECURITY,
    VERIFICATION,
)
from controlplane.gates.submission import CLARIFICATION, DENIED, OK, UNSUPPORTED
from tests.benchmarks.ecom.recorded.fact import Answerer, Fact

FACTS: Final[Mapping[str, Fact]] = {
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
    "open branches of a city": Fact(
        variant="open-branches",
        outcome=OK,
        answerer=Answerer.MODEL,
        records=("stores",),
    ),
    "how the shop began": Fact(
        variant="origin-fact: recorded",
        outcome=OK,
        answerer=Answerer.MODEL,
        demanded_pages=(ORIGINS,),
    ),
    "crosslist of an uploaded request": Fact(
        variant="crosslist",
        outcome=OK,
        answerer=Answerer.MODEL,
        demanded_pages=(CROSSLIST,),
        records=("uploads",),
        message=r"/exports/[\w.-]+\.tsv",  # /exports/crosslist-12.tsv
    ),
    "fraudulent rows of an export": Fact(
        variant="archive-fraud",
        outcome=OK,
        answerer=Answerer.MODEL,
        records=("archive",),
        message=r"EUR \d+\.\d\d",  # EUR 612.40
    ),
    "verification too early": Fact(
        variant="verification-restart: too early",
        outcome=UNSUPPORTED,
        answerer=Answerer.MODEL,
        demanded_pages=(VERIFICATION,),
        optional_pages=(SECURITY,),
        records=("payments", "baskets"),
        message=r".*\d{4}-\d\d-\d\dT.*Z.*",  # ... 2027-03-01T08:00:00Z ...
    ),
    "verification with attempts used up or paid": Fact(
        variant="verification-restart: spent or paid",
        outcome=UNSUPPORTED,
        answerer=Answerer.MODEL,
        demanded_pages=(VERIFICATION,),
        optional_pages=(SECURITY,),
        records=("payments", "baskets"),
        message=r".*(\d|paid|PAID|[Ss]ettled).*",
    ),
}
"""The facts, each by a description of the request."""
