"""Rules on answers to "Do you sell such a lamp?", which asks whether the shop sells a product.

A yes has to cite the lamp. A no must not cite one, and is doubtful if the request only names the
product and requires no property of it, because the shop may have the lamp under another name.
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
from controlplane.benchmarks.shop.rules.stated_answers import begins_with_yes
from controlplane.benchmarks.shop.workspace.kinds import Kind
from controlplane.gates.opinions import Opinion
from controlplane.gates.paths import record_id
from controlplane.gates.quoting import quote_some
from controlplane.gates.submission import OK


@rule("missing-product", EXISTENCE, outcomes=(OK,))
def missing_product(review: Review) -> Opinion:
    """Object to a "no" if the request asks whether a product exists and gives only its name.

    The agent has perhaps searched for one name only, and the shop calls the product by another.
    The answer passes if it says why it is sure: with each citation, an agent can give a reason,
    such as "nothing matches".
    """
    # If the product must have a property, a no may be right: "a lamp that has a switch".
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
    """Object to a yes or no about a product if the cited products contradict it.

    A yes to any request must not leave open which of several products fits. If the request asks
    whether a product exists, a yes must cite a product, and a no must not.
    """
    objection = _objection_to_several(review)
    if objection:
        return objection
    if not EXISTENCE.find(review.request):
        return NOT_APPLICABLE

    # A product that the request itself names is not the one that it asks for.
    products = []
    for path in review.cited(Kind.PRODUCT):
        if record_id(path) not in review.request:
            products.append(path)
    says_no = review.says_yes is False  # None if the answer is neither a yes nor a no.
    if says_no and products:
        return (
            f"No product fits by this answer, and {quote_some(products)} is cited: "
            "check whether it fits."
        )
    if review.says_yes and not products and review.may_cite(Kind.PRODUCT):
        return "The product that decides it is not cited."
    return NO_OBJECTION


def _objection_to_several(review: Review) -> str:
    """Return an objection to a yes that cites several products; empty if there is none.

    "Yes, the AB-1" passes, because it names the one of them that fits.
    """
    if not begins_with_yes(review.answer):
        return ""
    products = review.found_products
    named = [path for path in products if record_id(path) in review.answer]
    if len(products) < 2 or len(named) == 1:
        return ""
    return (
        f"The answer is a yes, but {len(products)} products are cited: "
        "check which one fits all that is asked."
    )
