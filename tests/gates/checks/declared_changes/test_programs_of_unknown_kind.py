"""Gate 6: a script may declare or omit the run of a program that may have changed something.

A script declares what it changed: `changes = ["/desk/order.json", "ship"]`. The workspace does not
say whether the program `/bin/odd` changes anything, so only the script knows. Only a run that
failed has certainly changed nothing.
"""

from __future__ import annotations

import pytest

from tests.gates.checks.declared_changes.change_objections import objection_to_changes
from tests.gates.recorded_calls import CallsOfTrial

WAYS_TO_DECLARE_A_RUN_OF_ODD = pytest.mark.parametrize(
    "changes",
    [
        pytest.param(["/bin/odd"], id="path"),
        pytest.param(["odd"], id="name"),
        pytest.param([{"path": "/bin/odd", "action": "execute"}], id="path and action"),
    ],
)


@WAYS_TO_DECLARE_A_RUN_OF_ODD
def test_a_run_of_a_tool_of_unknown_kind_may_be_declared(changes: list[object]) -> None:
    calls = CallsOfTrial()
    calls.run("/bin/odd", "b-104")

    assert objection_to_changes(changes, calls) == ""


def test_a_run_of_a_tool_of_unknown_kind_may_be_omitted() -> None:
    calls = CallsOfTrial()
    calls.run("/bin/odd", "b-104")

    assert objection_to_changes([], calls) == ""


@WAYS_TO_DECLARE_A_RUN_OF_ODD
def test_a_failed_run_of_a_tool_of_unknown_kind_may_not_be_declared(
    changes: list[object],
) -> None:
    calls = CallsOfTrial()
    calls.run("/bin/odd", "b-104", exit_code=1)

    assert "the trace shows no such" in objection_to_changes(changes, calls)


def test_a_failed_run_of_a_tool_of_unknown_kind_may_be_omitted() -> None:
    calls = CallsOfTrial()
    calls.run("/bin/odd", "b-104", exit_code=1)

    assert objection_to_changes([], calls) == ""
