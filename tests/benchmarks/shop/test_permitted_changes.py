"""Which changes a request permits to the model: those of files, and those that tools make.

    "Buy what I have chosen."                          {"files": False, "tools": True}
    "Buy basket-12.", which is another customer's      {"files": False, "tools": False}

A tool that changes records is `/bin/checkout`. A small model, the classifier, has read the request
before, and replies what it wants: `{"checkout": true}`.
"""

import pytest

from tests.benchmarks.shop.functions.written_shop import basket, written_shop
from tests.support.function_results import function_result


def changes_permitted_to_a_customer(
    request: str, *, classifier_reply: str = ""
) -> dict[str, bool]:
    """Return what a request of cust-7 permits, who owns basket-4, but not basket-12."""
    shop = written_shop(
        {
            "/proc/carts/basket-4.json": basket("basket-4", {}),
            "/proc/carts/basket-12.json": basket("basket-12", {})
            | {"customer_id": "cust-12"},
        },
        user="cust-7",
    )
    result = function_result(
        shop, "permitted_changes", request=request, intent=classifier_reply
    )
    changes: dict[str, bool] = result["value"]
    return changes


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

    assert not_classified == {"files": False, "tools": False}
    assert classified == {"files": False, "tools": True}


def test_a_basket_of_the_customer_is_permitted_to_change_whatever_the_classifier_says() -> (
    None
):
    changes = changes_permitted_to_a_customer(
        "Buy basket-4, please.", classifier_reply='{"checkout": false}'
    )

    assert changes == {"files": False, "tools": True}


def test_another_customers_basket_is_not_permitted_to_change_whatever_the_classifier_says() -> (
    None
):
    """The record of the named basket says whose it is."""
    changes = changes_permitted_to_a_customer(
        "Buy basket-12, please.", classifier_reply='{"checkout": true}'
    )

    assert changes == {"files": False, "tools": False}


def test_a_question_permits_no_changes() -> None:
    assert changes_permitted_to_a_customer("Do you have LED lamps?") == {
        "files": False,
        "tools": False,
    }


RULES_WITH_A_FILE = (
    "Records are below /proc/. Follow /docs/checkout.md.\n"
    "Save what only the office can do as `/exports/office-4.txt`.\n"
)


@pytest.mark.parametrize(
    ("request_text", "exported_files", "permits_files"),
    [
        pytest.param(
            "Call the supplier of the tarps.", {}, True, id="the file is to be written"
        ),
        pytest.param(
            "Call the supplier of the tarps, but do not edit any file.",
            {},
            False,
            id="the request forbids it",
        ),
        pytest.param(
            "Call the supplier of the tarps.",
            {"/exports/office-4.txt": "Call Lea."},
            False,
            id="the file exists, so the rules may only tell where to read",
        ),
    ],
)
def test_files_are_permitted_if_the_rules_name_one_that_does_not_exist(
    request_text: str, exported_files: dict[str, str], permits_files: bool
) -> None:
    shop = written_shop({"/AGENTS.MD": RULES_WITH_A_FILE, **exported_files})

    result = function_result(shop, "permitted_changes", request=request_text, intent="")

    assert result["value"] == {"files": permits_files, "tools": False}
