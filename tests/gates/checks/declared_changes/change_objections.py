"""What gate 6 says of the changes that a script declares."""

from __future__ import annotations

from tests.gates.found_verdicts import objection_of
from tests.gates.judged_scratchpads import judge_scratchpad, valid_scratchpad
from tests.gates.recorded_calls import CallsOfTrial


def objection_to_changes(changes: object, calls: CallsOfTrial) -> str:
    """Return what the gate objects to in a scratchpad that declares these changes.

    After `calls.write("/desk/order.json")`, `objection_to_changes([], calls)` -> "… leaves out write
    of `/desk/order.json` …", and an empty string for `["/desk/order.json"]`.
    """
    judgement = judge_scratchpad(valid_scratchpad(changes=changes), calls)
    return objection_of(judgement, 6)


def calls_with_two_changes() -> CallsOfTrial:
    """Return the calls of a trial that wrote `/desk/order.json` and ran `/bin/ship`."""
    calls = CallsOfTrial()
    calls.read("/docs/Loans.md")
    calls.write("/desk/order.json")
    calls.run("/bin/ship", "b-104")
    return calls
