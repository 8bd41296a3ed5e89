"""Gate 6 compares many declared changes with those of the trial in linear time.

A script declares what it changed: `changes = ["/desk/order.json", "ship"]`. Twice as many changes
must not take much more than twice the work.
"""

from __future__ import annotations

from tests.gates.checks.declared_changes.change_objections import objection_to_changes
from tests.gates.recorded_calls import CallsOfTrial
from tests.support.executed_work import assert_linear


def judge_a_third_of_the_changes(declared_count: int) -> None:
    """Judge a script that declares `["0.json", "1.json", …]`, a third of the files it wrote."""
    calls = CallsOfTrial()
    for number in range(3 * declared_count):
        calls.write(f"/desk/{number}.json")
    declared = [f"{number}.json" for number in range(declared_count)]

    objection = objection_to_changes(declared, calls)

    # The message names four of the other two thirds, and counts the rest.
    assert f"and {2 * declared_count - 4} more" in objection


def test_comparing_many_changes_is_linear_work() -> None:
    assert_linear(judge_a_third_of_the_changes, 100)
