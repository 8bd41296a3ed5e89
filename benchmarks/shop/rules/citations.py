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

    A product that the request excludes ("but not the AB-2") may be cited beside the right one or
    not, because shops differ on this.
    """
    excluded = excluded_codes(review.request)
    cited_codes = [record_id(path) for path in review.cited(Kind.PRODUCT)]
    wanted_codes = [code for code in cited_codes if code not in excluded]
    if len(wanted_codes) > 1:
        return f"The request is about one product, but {quote_some(wanted_codes)} are cited: check whose stock was looked up."
    if cited_codes and not wanted_codes:
        return f"Only {quote(cited_codes[0])} is cited, which the request rules out: check which product is left."
    return NO_OBJECTION


@rule("named-record", outcomes=(OK, UNSUPPORTED))
def named_record(review: Review) -> Opinion:
    """Object to an answer that does not cite a basket, payment or return that the request names.

    "When was pay_7 paid?" must cite `pay_7`, if the trial has read its record. For a checkout
    of `basket_1`, the rule also objects to a citation of `basket_2`.
    """
    other_baskets = []
    bought_baskets = _bought_baskets(review)
    if bought_baskets:
        cited = {record_id(path): path for path in review.cited(Kind.BASKET)}
        # Below, only records that were read are demanded. If the calls of the trial are not known,
        # these are none, but a checkout always needs its basket.
        if not review.evidence.has_trace and bought_baskets[0] not in cited:
            return f"The request is about {quote(bought_baskets[0])}, and its record is not cited."
        for basket_id, path in cited.items():
            if basket_id not in bought_baskets:
                other_baskets.append(path)

    # The agent gets the first message if a demanded path is not cited, and the second one if a
    # forbidden path is. `{paths}` is replaced by these paths.
    return Objection(
        demands=tuple(_named_paths(review)),
        missing_message="The request is about {paths}, and its record is not cited.",
        forbids=tuple(other_baskets),
        surplus_message="The request is about another basket than {paths}, which is cited as well.",
    )


def _bought_baskets(review: Review) -> list[str]:
    """Return the ids of the baskets that a request wants to buy: "Check out basket_1." -> `basket_1`.

    The list is empty for other requests. "Verify my card to finish the checkout of basket_1" is
    about a payment.
    """
    if not CHECKOUT.find(review.request) or VERIFICATION.find(review.request):
        return []
    return [id_ for id_ in review.named_ids if id_.startswith(("basket", "cart"))]


def _named_paths(review: Review) -> list[str]:
    """Return the paths of the records that the request names and the trial has read."""
    path_by_id: dict[str, str] = {}
    for kind in OWNED:  # baskets, payments and returns
        path_by_id.update(review.read(kind))
    return [path_by_id[id_] for id_ in review.named_ids if id_ in path_by_id]


_FOLDER: Final = re2.compile(r"(?i)(?:^|[^\pL\pN_.])/([a-z]+)/[\pL\pN_]")
"""The first folder of a path: `docs` in `/docs/security.md`."""


@rule("field-record", FIELD, outcomes=(OK,))
def field_record(review: Review) -> Opinion:
    """Object to the value of a field if the answer cites no record, or several of one kind.

    "What is the `status` of pay_0012?" is answered by one record, that of the payment. Records of
    other kinds may be cited beside it, such as the return that names the payment.
    """
    if _is_not_about_one_record(review):
        return NOT_APPLICABLE
    cited: list[str] = []
    for kind in Kind:
        cited_of_kind = review.cited(kind)
        if len(cited_of_kind) > 1:
            return (
                f"The value of a field comes from one {kind.record}, but {quote_some(cited_of_kind)} are cited: "
                "check which holds it."
            )
        cited += cited_of_kind
    # Without any record, the value may come from a document.
    if cited or review.has_read_no_record:
        return NO_OBJECTION
    return "The value of a field comes from one record, and none is cited: check which record holds it."


def _is_not_about_one_record(review: Review) -> bool:
    """Return True if an answer about a field may rightly cite no record, or several of one kind."""
    # "Compare the `status` of pay_1 and of pay_2." is about two records.
    if SEVERAL.find(review.request):
        return True
    # "What is the exact `version` in /docs/stock.md?" is about a document.
    if _names_other_source(review.request):
        return True
    # An answer also cites the files that the trial has changed.
    return bool(review.evidence.present_changes)


def _names_other_source(request: str) -> bool:
    """Return True if a request names a path outside `/proc`, where the records are."""
    folders = _FOLDER.findall(encodable(request))
    return any(folder.lower() != "proc" for folder in folders)
