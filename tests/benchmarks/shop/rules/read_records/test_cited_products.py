"""An answer about stock must cite the product, if it was read.

trial     reads the branch Lombok and the product VH-LMP-ONE
answer    "nein", to "Do you have 3 of the lamp at Lombok?", with the branch cited
objects   the rule `checklist`, since the product was read and is not cited
"""

from tests.benchmarks.shop.rules.read_records.answers_after_reading import rules_against
from tests.benchmarks.shop.trial_traces import Trace


def test_the_product_that_was_read_must_be_cited_in_an_answer_about_stock() -> None:
    trace = (
        Trace()
        .read("/proc/branches/lombok.json", "{}")
        .read("/proc/articles/VH-LMP-ONE.json", "{}")
    )

    rules = rules_against(
        "nein",
        request="Do you have 3 of the lamp at Lombok?",
        after=trace,
        cited=("/proc/branches/lombok.json",),
    )

    assert rules == ["checklist"]


def test_without_a_product_that_was_read_the_branch_is_enough() -> None:
    trace = Trace().read("/proc/branches/lombok.json", "no lamps")

    rules = rules_against(
        "nein",
        request="Do you have 3 of the lamp at Lombok?",
        after=trace,
        cited=("/proc/branches/lombok.json",),
    )

    assert rules == []
