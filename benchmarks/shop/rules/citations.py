"""Rules on the records that an answer cites."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import re2

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
    RequestKind,
)
from controlplane.benchmarks.shop.rules.review import (
    NO_OBJECTION,
    NOT_JUDGED,
    Review,
    rule,
)
from controlplane.benchmarks.shop.rules.submission_facts import has_read_any_record
from controlplane.benchmarks.shop.workspace.kinds import OWNED, Kind, excluded_codes
from controlplane.gates.paths import record_id
from controlplane.gates.submission import (
    OK,
    UNSUPPORTED,
    Objection,
    Opinion,
    encodable,
    quote,
    quote_some,
)


@dataclass(frozen=True, slots=True)
class Checklist:
    """The kinds of records that answers to one kind of request cite."""

    subject: str
    """How an objection refers to such an answer: `An answer about stock`."""
    request_kinds: tuple[RequestKind, ...]
    """The kinds that the request must all be of."""
    outcomes: tuple[str, ...]
    """The outcomes of which the answer must have one."""
    record_kinds: tuple[Kind, ...]
    """The kinds of which the answer must cite a record each."""

    def applies_to(self, review: Review) -> bool:
        """Return True if an answer is of this kind."""
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
    """Object to an answer that does not cite a record of every kind on its request's checklist.

    A kind is required only if the trial may have found such a record: it has read one,
    or it is not known which records it has read (`can_be_cited`).
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
    named = review.named_ids
    if not named:
        return NOT_JUDGED
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

    Only records that the trial has read, by its trace (the list of its calls), are
    required. For a checkout, the rule also objects to citations of other baskets.
    Without a trace, it judges only checkouts.
    """
    named = review.named_ids
    baskets = [name for name in named if name.startswith(("basket", "cart"))]
    others: list[str] = []
    if baskets and _is_checkout(review.request):
        cited = {record_id(path): path for path in review.cited(Kind.BASKET)}
        # Without a trace, it is not known which records were read. A checkout always
        # needs its basket.
        if not review.evidence.has_trace and baskets[0] not in cited:
            return f"The request is about {quote(baskets[0])}, and its record is not cited."
        others = [path for name, path in cited.items() if name not in baskets]

    read: dict[str, str] = {}
    for kind in OWNED:
        read.update(review.read(kind))
    return Objection(
        # Missing citations, with their message.
        demands=tuple(read[name] for name in named if name in read),
        missing_message="The request is about {paths}, and its record is not cited.",
        # Citations that should be left out, with their message.
        forbids=tuple(others),
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
    """Object to an answer with the value of a recorded field that does not cite exactly one record.

    The rule does not apply if the request names a tool, a document or another file as
    the source. It does not apply either if the trial changed a file, because changed
    files are cited too.
    """
    if _names_other_source(review.request) or SEVERAL.find(review.request):
        return NOT_JUDGED
    if review.evidence.present_changes:
        return NOT_JUDGED
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
    """Return True if a request names a path outside `/proc`, where the records are."""
    folders = _FOLDER.findall(encodable(request))
    return any(folder.lower() != "proc" for folder in folders)
