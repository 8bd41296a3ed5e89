"""What the pre-call check found in a trial, against its answer; an OK that rests on a step that was not made."""

import pytest

from benchmarks.shop.rule_set import embargo, lacking_role, pre_call_check, unmade_step
from gates.rules import Inapplicable, Rule
from gates.submission import OK, Case, Submission
from tests.benchmarks.shop import invented_shop as shop
from tests.gates.sample_trials import Verify

RULES = "Answer a question of yes or no with `ja` or `nein`."


def opinion(
    rule: Rule,
    answer: str,
    trace: shop.Trace,
    cited: tuple[str, ...] = (),
    outcome: str = OK,
    case: Case = Case("Do it.", RULES, shop.RULES),  # noqa: B008 - a value
) -> str:
    pad = {"answer": answer, "outcome": outcome, "refs_why": dict.fromkeys(cited, "what was read there")}
    found = rule.fault_of(Submission.from_scratchpad(pad, Verify()), trace.evidence, case)
    return "" if found is None or isinstance(found, Inapplicable) else str(found or "")


def test_an_ok_without_a_change_after_a_call_that_the_pre_call_check_stopped_is_asked_about() -> None:
    trace = shop.Trace(shop.CUSTOMER)
    judged = {"operation": "exec", "arguments": {"path": "/bin/checkout", "args": ["basket_0001"]}}
    trace.evidence_log.record_function_result("pre_call_check", judged, {"value": "line 1 is short", "refs": []})
    assert "line 1 is short" in opinion(pre_call_check, "It is bought.", trace)
    assert opinion(pre_call_check, "It is short.", trace, outcome="OUTCOME_NONE_UNSUPPORTED") == ""
    assert opinion(pre_call_check, "It is bought.", trace.run("/bin/checkout", "basket_0001")) == ""


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


@pytest.mark.parametrize(("until", "is_asked"), [("2031-05-05", True), ("2031-05-04", False), ("2031-05-03", False)])
def test_an_ok_that_cites_a_product_under_a_coming_embargo_is_asked_about(until: str, is_asked: bool) -> None:
    trace = shop.Trace(shop.CUSTOMER).read(shop.LAMP, {"sku": "VH-LMP-ONE", "properties": {"silent_until": until}})
    rules = "Nothing is told of a product before the day of its `silent_until`."
    case = Case("How much is it?", rules, shop.RULES, now="2031-05-04T10:00:00Z")
    assert bool(opinion(embargo, "12", trace, (shop.LAMP,), case=case)) is is_asked
    assert opinion(embargo, "12", trace, (shop.LAMP,), case=Case("How much?", "", shop.RULES, now=case.now)) == ""


def test_unsupported_where_a_role_is_missing_that_the_cited_page_names_is_asked_about() -> None:
    page = "/docs/discounts.md"
    text = "Only who has the role `discount_manager` grants one."
    manager = {"id": "emp_0002", "roles": ["discount_manager"]}
    trace = shop.Trace(shop.STAFF).read(page, text).read(shop.EMPLOYEE, manager)
    assert "`discount_manager`" in opinion(lacking_role, "No.", trace, (page,), shop.UNSUPPORTED)
    assert opinion(lacking_role, "No.", trace, (page,), shop.DENIED) == ""
    able = shop.Trace("user: emp_0002\nroles: employee, discount_manager").read(page, text).read(shop.EMPLOYEE, manager)
    assert opinion(lacking_role, "No.", able, (page,), shop.UNSUPPORTED) == ""
