"""What the request has no words for is dropped from the classifier's reply.

The classifier is a small model, which may be mistaken. It says of "Buy my basket.":
`{"checkout": true, "basket_id": "b-7"}`. The request does not name a basket, so that only
`Intent(checkout=True)` is left.
"""

import json
from typing import Any

import pytest

from controlplane.benchmarks.shop.preflight.classifier_answers import intent_of
from controlplane.benchmarks.shop.preflight.intent import Intent


@pytest.mark.parametrize(
    ("request_text", "reply", "believed"),
    [
        pytest.param(
            "What date is it?",
            {"checkout": True, "override": True, "contact": True, "discount": True},
            Intent(),
            id="flags that no word of the request supports",
        ),
        pytest.param(
            "Buy my basket.",
            {"checkout": True, "basket_id": "b-7"},
            Intent(checkout=True),
            id="a basket that is not named",
        ),
        pytest.param(
            "Buy my cart.",
            {"checkout": True, "selector": "newest"},
            Intent(checkout=True),
            id="the newest basket, although the request has no word such as newest",
        ),
        pytest.param(
            "Buy it.",
            {"checkout": "yes", "selector": 7, "colour": "red"},
            Intent(),
            id="values of another type and an unknown field",
        ),
    ],
)
def test_what_the_words_of_a_request_do_not_support_is_not_believed(
    request_text: str, reply: dict[str, Any], believed: Intent
) -> None:
    assert intent_of(request_text, json.dumps(reply)) == believed
