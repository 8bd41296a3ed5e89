"""A fact: what all recorded right answers to one kind of request of the public shop benchmark had.

    Fact(
        variant="guest-basket-status: asked by a guest",
        outcome=DENIED,
        answerer=Answerer.PREFLIGHT,
        demanded_pages=("security",),
        optional_pages=("checkout",),
    )

So a guest who asks for the status of a basket was always denied, with the page on security cited.
Our benchmark imitates the public one: our tasks of this kind must be answered, and graded, in the
same way.
"""

from dataclasses import dataclass
from enum import Enum, auto


class Answerer(Enum):
    """Which part of our solver answers a request of this kind, when it plays our tasks."""

    PREFLIGHT = auto()
    """The checks before the model: records and pages show that the request must be denied."""
    PREFLIGHT_WITH_CLASSIFIER = auto()
    """The checks before the model, if a small model, the classifier, says what is wanted."""
    MODEL = auto()
    """The model: no check can know the answer, whatever the classifier says."""


@dataclass(frozen=True, kw_only=True)
class Fact:
    """What right answers to one kind of request say and cite, and who gives them."""

    variant: str
    """Our tasks of this kind: `FAMILY: CASE`. `guest-basket-status` is the family of requests for
    the status of a basket, and `asked by a guest` one of its cases."""
    outcome: str
    answerer: Answerer
    demanded_pages: tuple[str, ...] = ()
    """Pages without which an answer is wrong. In one shop, the page `security` has the path
    `/docs/security.md`, and other paths in other shops."""
    optional_pages: tuple[str, ...] = ()
    """Pages that right answers cite as a rule, and some leave out."""
    cited_kinds: tuple[str, ...] = ()
    """The kinds of the records that must be cited, such as `baskets`. No others may be."""
    message: str = ".+"
    """A pattern that the message of a right answer matches."""
