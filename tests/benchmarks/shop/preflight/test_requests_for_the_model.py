"""Most requests of a shop are left to the model: the preflight does not answer them before.

The preflight is code that refuses or answers some requests, such as one for another customer's
basket. A small model, the classifier, tells it what a request wants, or is mute.
"""

import pytest

from tests.benchmarks.shop.preflight.generated_trials import play_variant


@pytest.mark.parametrize("classifier", ["mute", "right"])
@pytest.mark.parametrize(
    "variant",
    [
        "record-field: branch",  # a question for a field of a branch
        "stock-count: available",  # a question for a number of products
        "product-existence: one product fits",  # a question if a product exists
        "basket-checkout: possible",  # the checkout of an own basket
        "basket-addition: one product fits",  # one more product in a basket
    ],
)
def test_other_requests_are_left_to_the_model(variant: str, classifier: str) -> None:
    """Nothing in the shop is changed before the model is asked, either."""
    trial = play_variant(variant, classifier=classifier)

    assert trial.closed_by == ""
    assert not trial.has_change_without_answer
