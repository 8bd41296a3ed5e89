"""What a small shop expects of a question."""

from __future__ import annotations

from collections.abc import Mapping

from benchmarks.shop.computed.expectation import Expectation
from benchmarks.shop.computed.questions import expected_of_question
from gates import Case
from gates.reading import DoesNotApply
from gates.types import Evidence
from tests.benchmarks.shop.computed.expected_deeds import Changes
from tests.benchmarks.shop.computed.small_shop import CUSTOMER, SmallShop

RULES = "- Where a question is one of yes or no, answer `AYE` for yes and `NAY` for no."


def asked(
    question: str,
    identity: str = CUSTOMER,
    records: Changes | None = None,
    documents: Mapping[str, str] | None = None,
    rules: str = RULES,
) -> Expectation | None:
    """Return what is expected of a question, None if that is not certain; `records` are changes of single fields."""
    shop = SmallShop(identity, records, documents)
    try:
        found = shop.asked(lambda seen: expected_of_question(Case(question, rules, "/AGENTS.MD"), seen), Evidence())
    except DoesNotApply:
        return None
    assert isinstance(found, Expectation)
    return found
