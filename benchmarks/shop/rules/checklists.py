"""The rule `checklist`: which kinds of records an answer has to cite, by the kind of its request.

An answer to "do you have 4 of the LED lamp in Graz?" rests on two records, the lamp and the
branch. If it cites only the lamp, the agent has probably not looked up the branch, and gets the
objection "none of these is cited: branch record".
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from controlplane.benchmarks.shop.requests.basket_requests import DISCOUNT
from controlplane.benchmarks.shop.requests.file_requests import EXPORT
from controlplane.benchmarks.shop.requests.request_kind import RequestKind
from controlplane.benchmarks.shop.requests.stock_questions import (
    BUY_AGAIN,
    RECEIPT,
    STOCK_OF_ONE,
)
from controlplane.benchmarks.shop.rules.review import (
    NO_OBJECTION,
    Review,
    rule,
)
from controlplane.benchmarks.shop.workspace.kinds import Kind
from controlplane.gates.opinions import Opinion
from controlplane.gates.submission import OK, UNSUPPORTED


@dataclass(frozen=True, slots=True)
class Checklist:
    """The records that an answer must cite if its request is of some kinds."""

    subject: str
    """How an objection refers to such an answer: `An answer about stock`."""
    request_kinds: tuple[RequestKind, ...]
    """The checklist applies to requests that are of all these kinds."""
    outcomes: tuple[str, ...]
    """It applies to answers with one of these outcomes."""
    record_kinds: tuple[Kind, ...]
    """The answer must cite at least one record of each of these kinds."""

    def applies_to(self, review: Review) -> bool:
        """Return True if an answer must cite these records."""
        if review.outcome not in self.outcomes:
            return False
        return all(kind.find(review.request) for kind in self.request_kinds)

    def missing_kinds(self, review: Review) -> list[Kind]:
        """Return the kinds of which the answer cites no record, although it could.

        It could cite a record that its agent has read, or may have read (`may_cite`).
        """
        missing = []
        for kind in self.record_kinds:
            if not review.cited(kind) and review.may_cite(kind):
                missing.append(kind)
        return missing


CHECKLISTS: Final = (
    # "Do you have 4 of the LED lamp in Graz?"
    Checklist(
        "An answer about stock",
        request_kinds=(STOCK_OF_ONE,),
        outcomes=(OK,),
        record_kinds=(Kind.BRANCH, Kind.PRODUCT),
    ),
    # "Can I buy all this again?", about a receipt that the customer has uploaded
    Checklist(
        "An answer about a receipt",
        request_kinds=(RECEIPT, BUY_AGAIN),  # a request must be of both kinds
        outcomes=(OK,),
        record_kinds=(Kind.UPLOAD, Kind.BRANCH, Kind.PRODUCT),
    ),
    # "Create an inventory export for the Graz branch."
    Checklist(
        "An inventory export",
        request_kinds=(EXPORT,),
        outcomes=(OK,),
        record_kinds=(Kind.BRANCH, Kind.PRODUCT),
    ),
    # "Give basket_12 a discount." The record of an employee shows whether they may.
    Checklist(
        "A discount",
        request_kinds=(DISCOUNT,),
        outcomes=(OK, UNSUPPORTED),
        record_kinds=(Kind.BASKET, Kind.EMPLOYEE),
    ),
)


@rule("checklist")
def checklist(review: Review) -> Opinion:
    """Object to an answer that does not cite all kinds of records on a checklist for it.

    The objection names the kinds that are missing on the first such checklist.
    """
    for entry in CHECKLISTS:
        if not entry.applies_to(review):
            continue
        missing = entry.missing_kinds(review)
        if missing:
            records = ", ".join(kind.record for kind in missing)
            return (
                f"{entry.subject} rests on records of several kinds; "
                f"none of these is cited: {records}."
            )
    return NO_OBJECTION
