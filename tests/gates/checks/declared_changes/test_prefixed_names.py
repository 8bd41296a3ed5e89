"""Gate 6: the name of a declared change may have a prefix, as models write it.

A script declares what it changed: `changes = ["tools.ship"]` is the run of the program `/bin/ship`.
"""

from __future__ import annotations

from tests.gates.checks.declared_changes.change_objections import objection_to_changes
from tests.gates.recorded_calls import CallsOfTrial


def test_a_tool_may_be_declared_with_a_prefix() -> None:
    calls = CallsOfTrial()
    calls.run("/bin/ship", "b-104")

    assert objection_to_changes(["tools.ship"], calls) == ""


def test_a_hidden_file_may_not_be_declared_with_a_prefix() -> None:
    """The trial wrote a file called `.json`. `7.json` is another file, although it reads like
    that name with a prefix, as in `tools.ship`."""
    calls = CallsOfTrial()
    calls.write("/desk/.json")

    objection_to_path = objection_to_changes(["/desk/.json"], calls)
    objection_to_prefixed = objection_to_changes(["7.json"], calls)

    assert objection_to_path == ""
    assert "names `7.json`" in objection_to_prefixed
