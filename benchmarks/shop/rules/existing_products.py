"""Rules on answers to the question if the shop sells a product: "Do you sell such a lamp?"

A yes has to cite the lamp. A no must not cite one, and is doubtful if the request gives only a
name, because the shop may have the lamp under another name.
"""

from __future__ import annotations

from controlplane.benchmarks.shop.requests.product_questions import (
    CONSTRAINT,
    EXISTENCE,
)
from controlplane.benchmarks.shop.rules.review import (
    NO_OBJECTION,
    NOT_APPLICABLE,
    Review,
    rule,
)
from controlplane.benchmarks.shop.rules.stated_answers import (
    yes_or_no_at_start,
)
from controlplane.benchmarks.shop.rules.submission_facts import products_found
from controlplane.benchmarks.shop.workspace.kinds import Kind
from controlplane.gates.opinions import Opinion
from controlplane.gates.paths import record_id
from controlplane.gates.quoting import quote_some
from controlplane.gates.submission import OK


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
