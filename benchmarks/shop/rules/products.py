"""Rules on products: which one fits, how many, and whether there is one.

For example, an answer that is a yes to "do you sell such a lamp?" has to cite the lamp.
"""

from __future__ import annotations

from controlplane.benchmarks.shop.requests.request_kinds import (
    CONSTRAINT,
    DETAIL_LEFT_OPEN,
    EXISTENCE,
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
    yes_or_no_at_start,
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


@rule("missing-product", EXISTENCE, outcomes=(OK,))
def missing_product(review: Review) -> Opinion:
    """Object to a "no" if the request asks whether a product exists and gives only its name.

    The shop usually has such a product under other words. There is no objection if a
    citation's reason says that nothing matches.
    """
    if CONSTRAINT.find(review.request):
        return NOT_APPLICABLE
    says_no = review.says_yes is False  # None if the answer is neither a yes nor a no.
    if not says_no or review.gives_reason("no|none|nothing|not"):
        return NO_OBJECTION
    return (
        "The wish names a product and no property that contradicts it: search again by brand, kind and size, for other "
        "words of the same thing; a reason may name what a searched record does not hold."
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


@rule("existing-product", outcomes=(OK,))
def existing_product(review: Review) -> Opinion:
    """Object to a yes or no about a product if the cited products contradict it."""
    # 1. A yes about one product must not cite several, unless it names the one that fits.
    products = products_found(review.submission, review.request)
    begins_with_yes = yes_or_no_at_start(review.submission) == "yes"
    if begins_with_yes and len(products) >= 2:
        named = [path for path in products if record_id(path) in review.answer]
        if len(named) != 1:
            return (
                f"The answer is a yes, but {len(products)} products are cited: "
                "check which one fits all that is asked."
            )

    # 2. If the request asks whether a product exists, a yes must cite a product, and a no
    #    must not. A product that the request itself names is ignored.
    if not EXISTENCE.find(review.request):
        return NOT_APPLICABLE
    cited_products = []
    for path in review.cited(Kind.PRODUCT):
        if record_id(path) not in review.request:
            cited_products.append(path)
    if review.says_yes is False and cited_products:
        return (
            f"No product fits by this answer, and {quote_some(cited_products)} is cited: "
            "check whether it fits."
        )
    if review.says_yes and not cited_products and review.may_cite(Kind.PRODUCT):
        return "The product that decides it is not cited."
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
