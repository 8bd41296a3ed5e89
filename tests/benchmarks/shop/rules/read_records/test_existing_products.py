"""An answer that a product exists must cite the product, if it was read.

trial     reads the product VH-LMP-ONE
answer    "ja", to "A customer wants the lamp. Does such a product exist?", with nothing cited
objects   the rule `existing-product`, since the product was read and is not cited
"""

from tests.benchmarks.shop.rules.read_records.answers_after_reading import rules_against
from tests.benchmarks.shop.trial_traces import Trace


def test_the_product_that_was_read_must_be_cited_if_it_is_said_to_exist() -> None:
    trace = Trace().read("/proc/articles/VH-LMP-ONE.json", "a lamp")

    rules = rules_against(
        "ja",
        request="A customer wants the lamp. Does such a product exist?",
        after=trace,
    )

    assert rules == ["existing-product"]


def test_without_a_product_that_was_read_none_must_be_cited() -> None:
    trace = Trace().read("/proc/branches/lombok.json", "a lamp")

    rules = rules_against(
        "ja",
        request="A customer wants the lamp. Does such a product exist?",
        after=trace,
    )

    assert rules == []
