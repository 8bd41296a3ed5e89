"""Rules on the records that an answer cites: too few, too many, or other ones than those meant.

For example, an answer about the stock of a product has to cite the product and the branch.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import re2

from controlplane.benchmarks.shop.requests.request_kind import RequestKind
from controlplane.benchmarks.shop.requests.request_kinds import (
    BUY_AGAIN,
    CHECKOUT,
    DISCOUNT,
    EXPORT,
    FIELD,
    RECEIPT,
    REFUND,
    SEVERAL,
    STOCK_OF_ONE,
    VERIFICATION,
)
from controlplane.benchmarks.shop.rules.read_records import has_read_any_record
from controlplane.benchmarks.shop.rules.review import (
    NO_OBJECTION,
    NOT_APPLICABLE,
    Review,
    rule,
)
from controlplane.benchmarks.shop.workspace.kinds import OWNED, Kind
from controlplane.benchmarks.shop.workspace.named_ids import excluded_codes
from controlplane.gates.opinions import Objection, Opinion
from controlplane.gates.paths import record_id
from controlplane.gates.quoting import quote, quote_some
from controlplane.gates.submission import OK, UNSUPPORTED
from controlplane.gates.surrogates import encodable


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


@rule("stock-subject", STOCK_OF_ONE, outcomes=(OK,))
def stock_subject(review: Review) -> Opinion:
    """Object if an answer about one product's stock cites several, or only an excluded one.

    It may also cite the product that the request excludes ("but not …"), because workspaces
    differ on this.
    """
    ruled_out = excluded_codes(review.request)
    products = review.cited(Kind.PRODUCT)
    subjects = [path for path in products if record_id(path) not in ruled_out]
    if len(subjects) > 1:
        shown = quote_some(list(map(record_id, subjects)))
        return f"The request is about one product, but {shown} are cited: check whose stock was looked up."
    if products and not subjects:
        return f"Only {quote(record_id(products[0]))} is cited, which the request rules out: check which product is left."
    return NO_OBJECTION


_NO_RETURN: Final = re2.compile(r"(?i)\bno (?:\w+ ){0,2}returns?\b")
"""`no return`, `no matching return`"""


@rule("return", REFUND, outcomes=(OK, UNSUPPORTED))
def return_record(review: Review) -> Opinion:
    """Object if an answer about a refund does not cite exactly one return and its payment.

    The answer may say that there is no return, unless the trial has read a return that
    names the payment.
    """
    named = review.named_ids  # of returns and payments
    if not named:
        return NOT_APPLICABLE
    faults: list[str] = []
    count = len(review.cited(Kind.RETURN))
    if count > _number_named(named):
        faults.append(
            f"A refund concerns one return, but {count} are cited: check which one is meant."
        )
    if count == 0:
        faults += _missing_return(review, named)
    if not review.cited(Kind.PAYMENT) and review.may_cite(Kind.PAYMENT):
        faults.append(
            "No payment record is cited: check which payment the return belongs to."
        )
    return faults


def _missing_return(review: Review, ids: tuple[str, ...]) -> Iterator[str]:
    """Yield an objection to an answer without a return, unless there seems to be none."""
    linked = _returns_linked_to(review, ids)
    if linked:
        yield f"The return {quote(record_id(linked[0]))} belongs to this request, and its record is not cited."
    elif _NO_RETURN.search(encodable(review.answer)) is None:
        yield f"No return record is cited: look for the one whose payment is {quote(ids[0])}, or say that none is."


def _returns_linked_to(review: Review, ids: tuple[str, ...]) -> list[str]:
    """Return the paths of the returns that the trial has read and that belong to `ids`.

    Their own id or the value of a field is one of `ids`.
    """
    linked = []
    for return_id, path in review.read(Kind.RETURN).items():
        fields = review.evidence.records.get(path, ())
        # A return has the id of its payment in one of its fields.
        if return_id in ids or any(value in ids for _, value in fields):
            linked.append(path)
    return linked


def _number_named(ids: tuple[str, ...]) -> int:
    """Return how many refunds a request with these ids is about, at least 1.

    A request may name a refund by its payment, its return or both, so the kind of
    record with the most ids counts: `pay_1`, `pay_2`, `ret_1` are two refunds.
    """
    # The kind is the part before the first separator: `pay` of `pay_1` or `pay-1`.
    ids_per_kind = Counter(id_.replace("_", "-").partition("-")[0] for id_ in ids)
    return max(ids_per_kind.values(), default=1)


@rule("named-record", outcomes=(OK, UNSUPPORTED))
def named_record(review: Review) -> Opinion:
    """Object to an answer that does not cite a basket, payment or return that the request names.

    For a checkout, the rule also objects to citations of other baskets.
    """
    named_ids = review.named_ids
    named_baskets = [id_ for id_ in named_ids if id_.startswith(("basket", "cart"))]

    # 1. Compare the baskets of a checkout with those cited.
    other_baskets: list[str] = []
    if named_baskets and _is_checkout(review.request):
        cited = {record_id(path): path for path in review.cited(Kind.BASKET)}
        # Without a trace (the list of the trial's calls), it is not known which records
        # were read. But a checkout always needs its basket.
        if not review.evidence.has_trace and named_baskets[0] not in cited:
            return f"The request is about {quote(named_baskets[0])}, and its record is not cited."
        other_baskets = [
            path for id_, path in cited.items() if id_ not in named_baskets
        ]

    # 2. Demand the named records that were read. In the two messages, `{paths}` becomes the
    #    paths that the answer lacks, or should not cite.
    path_by_id: dict[str, str] = {}
    for kind in OWNED:
        path_by_id.update(review.read(kind))
    return Objection(
        demands=tuple(path_by_id[id_] for id_ in named_ids if id_ in path_by_id),
        missing_message="The request is about {paths}, and its record is not cited.",
        forbids=tuple(other_baskets),
        surplus_message="The request is about another basket than {paths}, which is cited as well.",
    )


def _is_checkout(request: str) -> bool:
    """Return True if a request is only about a checkout.

    "Verify my card to finish the checkout" is about a payment.
    """
    return bool(CHECKOUT.find(request)) and not VERIFICATION.find(request)


_FOLDER: Final = re2.compile(r"(?i)(?:^|[^\pL\pN_.])/([a-z]+)/[\pL\pN_]")
"""The first folder of a path: `docs` in `/docs/security.md`."""


@rule("field-record", FIELD, outcomes=(OK,))
def field_record(review: Review) -> Opinion:
    """Object to the value of a field if the answer does not cite exactly one record.

    "What is the `status` of pay_0012?" is answered by one record, that of the payment.
    """
    if _names_other_source(review.request) or SEVERAL.find(review.request):
        return NOT_APPLICABLE
    if review.evidence.present_changes:  # Changed files are cited, too.
        return NOT_APPLICABLE

    cites_record = False
    for kind in Kind:
        cited = review.cited(kind)
        if len(cited) > 1:
            return (
                f"The value of a field comes from one {kind.record}, but {quote_some(cited)} are cited: "
                "check which holds it."
            )
        if cited:
            cites_record = True

    # If the trial has read no record, the field may belong to a document. This is known
    # only with a trace, which is the list of the trial's calls.
    has_trace = review.evidence.has_trace
    has_read_none = has_trace and not has_read_any_record(review.evidence)
    if cites_record or has_read_none:
        return NO_OBJECTION
    return "The value of a field comes from one record, and none is cited: check which record holds it."


def _names_other_source(request: str) -> bool:
    """Return True if a request names a path outside `/proc`, where the records are.

    "What is the exact `version` in /docs/stock.md?" is about a document.
    """
    folders = _FOLDER.findall(encodable(request))
    return any(folder.lower() != "proc" for folder in folders)
