"""If a request names a basket, and the trial has read the basket, the answer must cite it.

trial     reads the basket `/proc/carts/basket_0001.json`
answer    "active", to "What is the status of basket_0001?", with nothing cited
objects   the rule `named-record`: the file that shows the status is not cited
"""

from tests.benchmarks.shop.rules.read_records.answers_after_reading import rules_against
from tests.benchmarks.shop.trial_traces import Trace


def test_the_basket_that_was_read_must_be_cited() -> None:
    trace = Trace().read(
        "/proc/carts/basket_0001.json",
        '{"id": "basket_0001", "customer_id": "cust_0001", "status": "active"}',
    )

    rules = rules_against(
        "active", request="What is the status of basket_0001?", after=trace
    )

    assert rules == ["named-record"]


def test_another_basket_that_was_read_need_not_be_cited() -> None:
    """The request does not name this basket."""
    trace = Trace().read(
        "/proc/carts/basket_0002.json",
        '{"id":"basket_0002","customer_id":"cust_0001","status":"active"}',
    )

    rules = rules_against(
        "active", request="What is the status of basket_0001?", after=trace
    )

    assert rules == []
