"""The rule `embargo`: nothing is told of a product before its day, if the shop's rules say so.

The rules for agents name the field with this day, here `silent_until`. Today is 2031-05-04.
"""

import pytest

from controlplane.benchmarks.shop.rule_set import embargo
from controlplane.gates.submission import Case
from tests.benchmarks.shop.rules.single_rules import objection
from tests.benchmarks.shop.trial_traces import Trace

LAMP = "/proc/articles/VH-LMP-ONE.json"


def objection_to_price(*, silent_until: str, rules: str) -> str:
    """Return the objection to an answer that tells the price of a lamp; empty if there is none.

    `silent_until` is a day in the record of the lamp, and `rules` the shop's rules for agents.
    """
    lamp = {"sku": "VH-LMP-ONE", "properties": {"silent_until": silent_until}}
    case = Case(
        "How much is it?", rules, rules_path="/AGENTS.MD", now="2031-05-04T10:00:00Z"
    )
    return objection(
        embargo, Trace().read(LAMP, lamp), "EUR 12", cited=(LAMP,), case=case
    )


def test_an_answer_about_a_product_before_its_day_is_objected_to() -> None:
    fault = objection_to_price(
        silent_until="2031-05-05",
        rules="Nothing is told of a product before the day of its `silent_until`.",
    )

    assert "2031-05-05" in fault


@pytest.mark.parametrize("silent_until", ["2031-05-03", "2031-05-04"])
def test_an_answer_about_a_product_from_its_day_on_is_allowed(
    silent_until: str,
) -> None:
    fault = objection_to_price(
        silent_until=silent_until,
        rules="Nothing is told of a product before the day of its `silent_until`.",
    )

    assert fault == ""


@pytest.mark.parametrize("silent_until", ["2031-05-03", "2031-05-04", "2031-05-05"])
def test_a_day_in_a_field_that_the_rules_do_not_name_is_no_embargo(
    silent_until: str,
) -> None:
    """Without a rule, the field may mean anything."""
    assert objection_to_price(silent_until=silent_until, rules="") == ""
