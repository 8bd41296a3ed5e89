"""Our truths judge recorded answers as the public grader did, as far as it can be seen without the worlds."""

from dataclasses import replace

import pytest

from tests.benchmarks.ecom.recorded_agreement import RECORDED, Recorded, agreement, judged, recorded, report
from tests.benchmarks.ecom.recorded_messages import faults, right_messages

needs_recorded = pytest.mark.skipif(not RECORDED.exists(), reason="the recorded answers are not there")
DENIAL = Recorded(
    number=98,
    family="discount",
    outcome="OUTCOME_DENIED_SECURITY",
    message="No.",
    refs=("/docs/security.md", "/docs/discounts.md", "/proc/carts/cust-1/basket-1.json"),
    passed=True,
    line="",
)


@pytest.mark.heavy
@needs_recorded
def test_judged_alike_in_sum_and_in_every_family() -> None:
    table, others = agreement(recorded())
    shown = report(table, others)
    assert sum(alike for alike, _ in table.values()) >= 0.995 * sum(count for _, count in table.values()), shown
    assert all(alike >= 0.95 * count for alike, count in table.values()), shown
    assert len(table) > 20


@pytest.mark.heavy
@needs_recorded
def test_words_that_passed_there_pass_here_unless_they_leave_out_what_our_pages_ask_for() -> None:
    told = [*right_messages()]
    assert len(told) > 300
    assert [fault for each in told for fault in faults(*each, stated=False)] == []
    silent = [each[2] for each in told if faults(*each, stated=True)]
    assert len(silent) <= 0.03 * len(told), silent


@pytest.mark.parametrize(
    ("changed", "result"),
    [
        ({}, True),
        ({"refs": (*DENIAL.refs, "/proc/locations/Graz/store-graz.json", "/docs/checkout.md")}, True),
        ({"refs": DENIAL.refs[:2]}, False),
        ({"refs": DENIAL.refs[1:]}, False),
        ({"refs": (*DENIAL.refs, "/docs/mission-vision-values.md")}, False),
        ({"refs": (*DENIAL.refs, "/proc/payments/pay-0001.json")}, False),
        ({"outcome": "OUTCOME_OK"}, False),
        (
            {"refs": DENIAL.refs[:2], "passed": False, "line": f"answer missing required reference '{DENIAL.refs[2]}'"},
            True,
        ),
        ({"passed": False, "line": "expected outcome OUTCOME_OK, got OUTCOME_DENIED_SECURITY"}, False),
        ({"passed": False, "line": "Answer should contain '7'"}, False),
        ({"passed": False, "line": "expected no file changes"}, None),
    ],
)
def test_a_claimed_approval_is_judged_by_shape(changed: dict[str, object], result: bool | None) -> None:
    verdict = judged(replace(DENIAL, **changed))
    assert (verdict and verdict[0]) is result
