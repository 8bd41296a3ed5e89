"""Rules on the number of products that an answer names, counts or cites.

For example, "the code of an LED lamp, colour not stated" may fit several lamps. If the answer
is one code, the agent has perhaps stopped at the first lamp, and is asked to look for others.
"""

from __future__ import annotations

from controlplane.benchmarks.shop.requests.product_questions import (
    DETAIL_LEFT_OPEN,
    SKU_WANTED,
)
from controlplane.benchmarks.shop.rules.review import (
    NO_OBJECTION,
    NOT_APPLICABLE,
    Review,
    rule,
)
from controlplane.benchmarks.shop.rules.stated_answers import (
    stated_number,
)
from controlplane.benchmarks.shop.workspace.kinds import Kind
from controlplane.benchmarks.shop.workspace.named_ids import CODES
from controlplane.gates.opinions import Opinion
from controlplane.gates.paths import record_id
from controlplane.gates.quoting import quote, quote_some
from controlplane.gates.submission import CLARIFICATION, OK
from controlplane.gates.surrogates import encodable


@rule("open-detail", SKU_WANTED, outcomes=(OK,))
def open_detail(review: Review) -> Opinion:
    """Object to one SKU (product code) as the answer to a description that may fit several products.

    The answer passes if it says why it is sure: with each citation, an agent can give a reason,
    such as "the only match".
    """
    detail = DETAIL_LEFT_OPEN.find(review.request)  # such as "colour not stated"
    if not detail:
        return NO_OBJECTION
    # "The set of AB-1, colour not stated" is limited by the code that it names.
    if CODES.search(encodable(review.request)) is not None:
        return NO_OBJECTION
    if review.gives_reason("only|unique|single|sole"):
        return NO_OBJECTION
    return (
        f"The description leaves something open ({quote(detail)}): look for every product that fits, and check "
        "whether it is one; a reason may say that it is the only one."
    )


@rule("counted", outcomes=(OK,))
def counted(review: Review) -> Opinion:
    """Object to a count of products that is lower than the number of products cited.

    For example, the answer is `2` and cites three lamps. Only products that the agent has found
    are compared: not those that the request names, and none if the answer also cites a basket or
    another record that lists products.
    """
    # 1. The answer must be a number that is not a yes or no: a shop may require `0` for no.
    number = stated_number(review.answer)
    if number is None or review.says_yes is not None:
        return NOT_APPLICABLE

    # 2. A `0` with one product may be a no in any shop, unless the request asks for a count.
    products = review.found_products
    is_count = len(products) > 1 or review.asks_for_count
    if is_count and len(products) > number:
        return (
            "The answer counts fewer products than it cites: check which of them count."
        )
    return NO_OBJECTION


@rule("candidates", SKU_WANTED, outcomes=(CLARIFICATION,))
def candidates(review: Review) -> Opinion:
    """Object if the agent asks which product is meant, and does not name each product it cites.

    Also object if it cites fewer than two products: then there is nothing to choose from.
    """
    codes = [record_id(path) for path in review.cited(Kind.PRODUCT)]
    if len(codes) < 2:
        return (
            f"A question between products cites every candidate, and {len(codes)} is cited: "
            "check which products fit."
        )
    unnamed = [code for code in codes if code not in review.answer]
    if unnamed:
        return f"The question cites {quote_some(unnamed)} and does not name it."
    return NO_OBJECTION
