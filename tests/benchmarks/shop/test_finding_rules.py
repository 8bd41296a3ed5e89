"""What functions and the guard found in a trial, against its answer; an OK that rests on a step that was not made."""

import json

import pytest

from benchmarks.shop.finding_rules import finding, guard, unmade_step
from gates.rules import Inapplicable, Rule
from gates.submission import OK, Case, Submission
from tests.benchmarks.shop import invented_shop as shop
from tests.gates.sample_trials import Verify

RULES = "Answer a question of yes or no with `ja` or `nein`."
PRODUCTS = [{"sku": "VH-LMP-ONE"}]
FRAUD = {"total": "EUR 9.50", "total_cents": 950, "rows": [{"id": "AR-1"}, {"id": "AR-2"}]}
RECEIPT = {"within": True, "can_be_bought": True}
PLAN = {"answer": json.dumps({"assignments": [{"package_id": "p1", "route": ["l1"], "priority": 1}]})}
PLANS = {**PLAN, "expected_gain_cents": 12}


def opinion(rule: Rule, answer: str, trace: shop.Trace, cited: tuple[str, ...] = (), outcome: str = OK) -> str:
    pad = {"answer": answer, "outcome": outcome, "refs_why": dict.fromkeys(cited, "what was read there")}
    found = rule.fault_of(Submission.from_scratchpad(pad, Verify()), trace.evidence, Case("Do it.", RULES, shop.RULES))
    return "" if found is None or isinstance(found, Inapplicable) else str(found or "")


@pytest.mark.parametrize(
    ("function", "value", "wrong", "right"),
    [
        ("staff_with_role", 3, "4", "3"),
        ("fraud_rows", FRAUD, "EUR 9.00", "EUR 9.50"),
        ("relative_date", "31-12-2027", "30-12-2027", "31-12-2027"),
        ("match_products", PRODUCTS, "VH-LMP-TWO", "VH-LMP-ONE"),
        ("match_products", PRODUCTS, "nein", "ja"),
        ("match_products", PRODUCTS, "0", "1"),
        ("match_products", [], "ja", "nein"),
        ("settle_receipt", RECEIPT, "nein", "ja"),
        ("dispatch_plan", PLANS, '{"assignments": []}', PLAN["answer"]),
        ("stock_at", {"VH-LMP-ONE": {}}, "", "whatever"),
    ],
)
def test_an_answer_that_differs_from_what_a_function_returned_is_asked_about(
    function: str, value: object, wrong: str, right: str
) -> None:
    trace = shop.Trace(shop.CUSTOMER)
    trace.evidence_log.record_finding(function, {"path": "/x"}, {"value": value, "refs": [], "notes": []})
    assert bool(opinion(finding, wrong, trace)) == bool(wrong)
    assert opinion(finding, right, trace) == ""


def test_a_function_that_looked_for_more_than_the_answer_tells_contradicts_nothing() -> None:
    trace = shop.Trace(shop.STAFF).read(shop.STORE, {"id": "store_utr_lombok"})
    trace.evidence_log.record_finding("staff_with_role", {"role": "packer", "branch": ""}, {"value": 3, "refs": []})
    assert opinion(finding, "1", trace, (shop.STORE,)) == ""
    value = {"within": False, "can_be_bought": False}
    for tolerance, is_asked in ((0, False), (500, True)):
        trace = shop.Trace(shop.CUSTOMER)
        trace.evidence_log.record_finding(
            "settle_receipt", {"tolerance_cents": tolerance}, {"value": value, "refs": []}
        )
        assert bool(opinion(finding, "ja", trace)) is is_asked


def test_rows_that_a_function_did_not_find_are_asked_about() -> None:
    trace = shop.Trace(shop.STAFF).read("/archive/a.csv", "id,cents\nAR-1,500\nAR-2,450\n")
    trace.evidence_log.record_finding("fraud_rows", {"path": "/archive/a.csv"}, {"value": FRAUD, "refs": []})
    rows = [f"/archive/a.csv#row=AR-{number}" for number in (1, 2, 3)]
    assert opinion(finding, "EUR 9.50", trace, tuple(rows[:2])) == ""
    assert "AR-2" in opinion(finding, "EUR 9.50", trace, tuple(rows[:1]))
    assert "only the answer: `AR-3`." in opinion(finding, "EUR 9.50", trace, tuple(rows))
    noted = shop.Trace(shop.STAFF).read("/archive/a.csv", "id,cents\nAR-1,500\nAR-2,450\n")
    noted.evidence_log.record_finding("fraud_rows", {}, {"value": FRAUD, "refs": [], "notes": ["AR-1 is not certain"]})
    assert opinion(finding, "EUR 9.00", noted, tuple(rows)) == ""


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
