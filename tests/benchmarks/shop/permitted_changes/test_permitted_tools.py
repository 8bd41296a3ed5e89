"""Whether a request permits the model to run tools that change the shop, such as `/bin/checkout`.

    "Buy what I have chosen."                          {"files": False, "tools": True}
    "Buy basket-12.", which is another customer's      {"files": False, "tools": False}

A small model, the classifier, has read the request, and replies what it wants: `{"checkout": true}`.
"""

import pytest

from tests.benchmarks.shop.permitted_changes.requests_of_a_customer import (
    changes_permitted_to_a_customer,
)

NO_CHANGES = {"files": False, "tools": False}
CHANGES_BY_TOOLS = {"files": False, "tools": True}


@pytest.mark.parametrize(
    "request_text",
    [
        "Bitte alles kaufen, was ich ausgesucht habe.",
        "Buy what I have chosen, please.",
    ],
)
def test_without_a_named_basket_the_classifier_decides_whether_tools_are_permitted(
    request_text: str,
) -> None:
    """No rule finds a wish to check out in these words."""
    not_classified = changes_permitted_to_a_customer(request_text)
    classified = changes_permitted_to_a_customer(
        request_text, classifier_reply='{"checkout": true}'
    )

    assert not_classified == NO_CHANGES
    assert classified == CHANGES_BY_TOOLS


def test_an_own_basket_may_be_changed_whatever_the_classifier_says() -> None:
    changes = changes_permitted_to_a_customer(
        "Buy basket-4, please.", classifier_reply='{"checkout": false}'
    )

    assert changes == CHANGES_BY_TOOLS


def test_a_foreign_basket_may_not_be_changed_whatever_the_classifier_says() -> None:
    changes = changes_permitted_to_a_customer(
        "Buy basket-12, please.", classifier_reply='{"checkout": true}'
    )

    assert changes == NO_CHANGES


def test_a_question_permits_no_changes() -> None:
    assert changes_permitted_to_a_customer("Do you have LED lamps?") == NO_CHANGES
