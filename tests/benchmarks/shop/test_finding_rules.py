"""What the guard found in a trial, against its answer; an OK that rests on a step that was not made."""

import pytest

from benchmarks.shop.finding_rules import guard, unmade_step
from gates.rules import Inapplicable, Rule
from gates.submission import OK, Case, Submission
from tests.benchmarks.shop import invented_shop as shop
from tests.gates.sample_trials import Verify

RULES = "Answer a question of yes or no with `ja` or `nein`."


def opinion(rule: Rule, answer: str, trace: shop.Trace, cited: tuple[str, ...] = (), outcome: str = OK) -> str:
    pad = {"answer": answer, "outcome": outcome, "refs_why": dict.fromkeys(cited, "what was read there")}
    found = rule.fault_of(Submission.from_scratchpad(pad, Verify()), trace.evidence, Case("Do it.", RULES, shop.RULES))
    return "" if found is None or isinstance(found, Inapplicable) else str(found or "")


def test_an_ok_without_a_change_after_a_call_that_the_guard_stopped_is_asked_about() -> None:
    trace = shop.Trace(shop.CUSTOMER)
    judged = {"operation": "exec", "arguments": {"path": "/bin/checkout", "args": ["basket_0001"]}}
    trace.evidence_log.record_finding("guard", judged, {"value": "line 1 is short", "refs": []})
    assert "line 1 is short" in opinion(guard, "It is bought.", trace)
    assert opinion(guard, "It is short.", trace, outcome="OUTCOME_NONE_UNSUPPORTED") == ""
    assert opinion(guard, "It is bought.", trace.run("/bin/checkout", "basket_0001")) == ""


PAGE = "/docs/buying.md"


@pytest.mark.parametrize(
    ("cited", "is_asked"),
    [((shop.BASKET, PAGE), True), ((shop.BASKET,), False), ((PAGE,), False), ((shop.PAYMENT, PAGE), False)],
)
def test_an_ok_that_cites_a_record_and_the_page_on_its_tool_made_a_change(
    cited: tuple[str, ...], is_asked: bool
) -> None:
    trace = shop.Trace(shop.CUSTOMER).read(PAGE, "# Buying\n\nA basket is bought by `/bin/checkout <basket_id>`.\n")
    trace.read(shop.BASKET, {"id": "basket_0001", "status": "active"}).read(shop.PAYMENT, {"id": "pay_0001"})
    assert bool(opinion(unmade_step, "It is done.", trace, cited)) is is_asked
    trace.run("/bin/checkout", "basket_0001")
    assert opinion(unmade_step, "It is done.", trace, cited) == ""
