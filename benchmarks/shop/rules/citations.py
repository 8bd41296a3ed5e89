"""Rules on an answer that cites other records than those that its request is about.

For example, the request is about one product, and the answer cites two; or the request names
`basket_12`, and the answer does not cite it. Then the agent has probably looked up the wrong
record, and is asked to check.
"""

from __future__ import annotations

from typing import Final

import re2

from controlplane.benchmarks.shop.requests.basket_requests import CHECKOUT
from controlplane.benchmarks.shop.requests.payment_requests import VERIFICATION
from controlplane.benchmarks.shop.requests.record_questions import FIELD, SEVERAL
from controlplane.benchmarks.shop.requests.stock_questions import STOCK_OF_ONE
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


@rule("named-record", outcomes=(OK, UNSUPPORTED))
def named_record(review: Review) -> Opinion:
    """Object to an answer that does not cite a basket, payment or return that the request names.

    "When was pay_7 paid?" must cite `pay_7`, if the trial has read its record. For a checkout
    of `basket_1`, the rule also objects to a citation of `basket_2`.
    """
    named_ids = review.named_ids  # `pay_7`, `basket_1`
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

    # 2. Demand the named records that were read. Whoever receives this objection compares
    #    `demands` and `forbids` with the answer's citations. It replaces `{paths}` by the paths
    #    that the answer lacks, or should not cite, and drops a message without any.
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
