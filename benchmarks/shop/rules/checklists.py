"""The rule `checklist`: which kinds of records an answer has to cite, by the kind of its request.

An answer to "do you have 4 of the LED lamp in Graz?" rests on two records, the lamp and the
branch. If it cites only the lamp, the agent has probably not looked up the branch, and gets the
objection "none of these is cited: branch".
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


CHECKLISTS: Final = (
    Checklist(
        "An answer about stock",
        request_kinds=(STOCK_OF_ONE,),
        outcomes=(OK,),
        record_kinds=(Kind.BRANCH, Kind.PRODUCT),
    ),
    Checklist(
        "An answer about a receipt",
        request_kinds=(RECEIPT, BUY_AGAIN),
        outcomes=(OK,),
        record_kinds=(Kind.UPLOAD, Kind.BRANCH, Kind.PRODUCT),
    ),
    Checklist(
        "An inventory export",
        request_kinds=(EXPORT,),
        outcomes=(OK,),
        record_kinds=(Kind.BRANCH, Kind.PRODUCT),
    ),
    Checklist(
        "A discount",
        request_kinds=(DISCOUNT,),
        outcomes=(OK, UNSUPPORTED),
        record_kinds=(Kind.BASKET, Kind.EMPLOYEE),
    ),
)


@rule("checklist")
def checklist(review: Review) -> Opinion:
    """Object to an answer that lacks a kind of record on the first checklist that it fails.

    A kind is required only if the trial may have read such a record (`may_cite`).
    """
    for entry in CHECKLISTS:
        if not entry.applies_to(review):
            continue
        missing = []
        for kind in entry.record_kinds:
            if not review.cited(kind) and review.may_cite(kind):
                missing.append(kind.record)
        if missing:
            return (
                f"{entry.subject} rests on records of several kinds; "
                f"none of these is cited: {', '.join(missing)}."
            )
    return NO_OBJECTION
