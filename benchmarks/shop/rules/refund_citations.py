"""The rule `return`: an answer about a refund has to cite one return and its payment.

A return is a record of goods that a customer sent back, and it names the payment to be
refunded: `{"id": "ret_1", "payment_id": "pay_7"}`. A request names one of the two, such as
"refund pay_7", and the agent may miss the other one or take a wrong one.
"""

from __future__ import annotations

from collections import Counter
from typing import Final

import re2

from controlplane.benchmarks.shop.requests.payment_requests import REFUND
from controlplane.benchmarks.shop.rules.review import (
    NOT_APPLICABLE,
    Review,
    rule,
)
from controlplane.benchmarks.shop.workspace.kinds import Kind
from controlplane.gates.opinions import Opinion
from controlplane.gates.paths import record_id
from controlplane.gates.quoting import quote
from controlplane.gates.submission import OK, UNSUPPORTED
from controlplane.gates.surrogates import encodable

_NO_RETURN: Final = re2.compile(r"(?i)\bno (?:\w+ ){0,2}returns?\b")
"""`no return`, `no matching return`"""


@rule("return", REFUND, outcomes=(OK, UNSUPPORTED))
def return_record(review: Review) -> Opinion:
    """Object if an answer about a refund does not cite exactly one return and its payment.

    Instead of citing a return, the answer may say that there is none, unless the trial has read
    one that names the payment.
    """
    if not review.named_ids:  # `pay_7`, `ret_1`
        return NOT_APPLICABLE
    faults: list[str] = []
    cited_returns = review.cited(Kind.RETURN)
    if len(cited_returns) > _number_of_refunds(review.named_ids):
        faults.append(
            f"A refund concerns one return, but {len(cited_returns)} are cited: check which one is meant."
        )
    if not cited_returns:
        faults += _faults_without_return(review)
    if not review.cited(Kind.PAYMENT) and review.may_cite(Kind.PAYMENT):
        faults.append(
            "No payment record is cited: check which payment the return belongs to."
        )
    return faults


def _faults_without_return(review: Review) -> list[str]:
    """Return the fault of an answer that cites no return; empty if there seems to be none.

    There seems to be none if the trial has read no return that belongs to the request, and the
    answer says so: "There is no matching return."
    """
    read_returns = _returns_linked_to(review, review.named_ids)
    if read_returns:
        return [
            f"The return {quote(record_id(read_returns[0]))} belongs to this request, and its record is not cited."
        ]
    if _NO_RETURN.search(encodable(review.answer)) is not None:
        return []
    return [
        f"No return record is cited: look for the one whose payment is {quote(review.named_ids[0])}, or say that none is."
    ]


def _returns_linked_to(review: Review, ids: tuple[str, ...]) -> list[str]:
    """Return the paths of the returns that the trial has read and that belong to `ids`.

    `("pay_7",)` -> `["/proc/returns/ret_1.json"]`, the return with the field `"payment_id":
    "pay_7"`. It also belongs to its own id, `ret_1`.
    """
    linked = []
    for return_id, path in review.read(Kind.RETURN).items():
        fields = review.evidence.records.get(path, ())
        # A return has the id of its payment in one of its fields.
        if return_id in ids or any(value in ids for _, value in fields):
            linked.append(path)
    return linked


def _number_of_refunds(ids: tuple[str, ...]) -> int:
    """Return how many refunds a request with these ids is about, at least 1.

    A request may name a refund by its payment, its return or both, so the kind of
    record with the most ids counts: `pay_1`, `pay_2`, `ret_1` are two refunds.
    """
    # The kind is the part before the first separator: `pay` of `pay_1` or `pay-1`.
    ids_per_kind = Counter(id_.replace("_", "-").partition("-")[0] for id_ in ids)
    return max(ids_per_kind.values(), default=1)
