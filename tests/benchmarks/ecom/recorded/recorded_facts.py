"""Facts about right answers, as recorded trials of the public shop benchmark show them.

A *fact* is about one kind of request. For the status of a basket, asked by a guest who is not signed
in, the recorded right answers are denials that cite the page on security, and may cite that on
checkouts. Our tasks of the same kind are the *variant* `guest-basket-status: asked by a guest`.

    FACTS["status of a basket, not signed in"].demanded_pages  # ("security",)
"""

from dataclasses import dataclass
from enum import Enum, auto

from controlplane.benchmarks.ecom.world.pages import (
    CHECKOUT,
    CROSSLIST,
    DISCOUNTS,
    ORIGINS,
    SECURITY,
    VERIFICATION,
)
from controlplane.gates.submission import CLARIFICATION, DENIED, OK, UNSUPPORTED


class Answerer(Enum):
    """Who answers a request: the preflight, a part of the solver, or the model after it.

    The preflight denies a request, or asks which record is meant, if records and pages show that
    nothing else is right. A classifier, which is a small model, may tell it what is wanted.
    """

    PREFLIGHT = auto()
    PREFLIGHT_WITH_CLASSIFIER = auto()
    """The preflight, if the classifier says what is wanted."""
    MODEL = auto()
    """Only a model can tell the request from others, whatever its wording."""


@dataclass(frozen=True, kw_only=True)
class Fact:
    """What right answers to a kind of request say and cite, and who gives them in a run."""

    variant: str
    """Our tasks of this kind: a family and a case of it, `staff-contact: asked by a guest`."""
    outcome: str
    answerer: Answerer
    demanded_pages: tuple[str, ...] = ()
    """Pages without which an answer is wrong."""
    optional_pages: tuple[str, ...] = ()
    """Pages that right answers cite as a rule, and some leave out."""
    records: tuple[str, ...] = ()
    """The kinds of the records that must be cited, such as `baskets`. No others may be."""
    message: str = ".+"
    """A pattern that the message of a right answer matches."""


FACTS = {
    # What recorded right answers say and cite, by a description of the request
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
