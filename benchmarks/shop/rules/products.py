"""Rules on the number of products that an answer is about.

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
from controlplane.benchmarks.shop.rules.submission_facts import products_found
from controlplane.benchmarks.shop.workspace.kinds import Kind
from controlplane.benchmarks.shop.workspace.named_ids import CODES
from controlplane.gates.opinions import Opinion
from controlplane.gates.paths import record_id
from controlplane.gates.quoting import quote, quote_some
from controlplane.gates.submission import CLARIFICATION, OK
from controlplane.gates.surrogates import encodable


@rule("open-detail", SKU_WANTED, outcomes=(OK,))
def open_detail(review: Review) -> Opinion:
    """Object to one SKU as the answer to a description that may fit several products.

    There is no objection if the reason of a citation (a word on why it is cited) says that
    the product is the only match.
    """
    detail = DETAIL_LEFT_OPEN.find(review.request)  # such as "colour not stated"
    names_code = CODES.search(encodable(review.request)) is not None
    if not detail or names_code:
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

    The rule assumes that an answer counts products if it is a number and cites only
    products, branches and documents. Products that the request itself names are not
    counted.
    """
    number = stated_number(review.submission)
    # A number may be a yes or no: a workspace may require `0` for no.
    if number is None or review.says_yes is not None:
        return NOT_APPLICABLE
    products = products_found(review.submission, review.request)
    # A bare 0 beside one product may be a no, unless the request asks for a count.
    is_count = len(products) > 1 or review.asks_for_count
    if is_count and len(products) > number:
        return (
            "The answer counts fewer products than it cites: check which of them count."
        )
    return NO_OBJECTION


@rule("candidates", SKU_WANTED, outcomes=(CLARIFICATION,))
def candidates(review: Review) -> Opinion:
    """Object to a question which product is meant that does not name every product it cites.

    The rule also objects if fewer than two products are cited.
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
