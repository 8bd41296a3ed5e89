"""A basket that a request names must be cited, if it was read: no answer can cite anything else.

trial     reads the basket `/proc/carts/basket_0001.json`
answer    "active", to "What is the status of basket_0001?", with nothing cited
objects   the rule `named-record`, since the basket was read and is not cited
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
    """Its record has no blanks between the fields."""
    trace = Trace().read(
        "/proc/carts/basket_0002.json",
        '{"id":"basket_0002","customer_id":"cust_0001","status":"active"}',
    )

    rules = rules_against(
        "active", request="What is the status of basket_0001?", after=trace
    )

    assert rules == []
