"""Gate 6: `changes` of a submission lists what the trial really changed.

A user must learn what an agent did to their files. So a script may declare `changes =
["/desk/order.json", "ship"]`, and the gate compares the list with the calls of the trial: a file
that was written and a tool that was run. It rejects what was left out or invented.
"""

from __future__ import annotations

import pytest

from tests.gates.judged_scratchpads import (
    judge_scratchpad,
    objection_of,
    valid_scratchpad,
)
from tests.gates.recorded_calls import CallsOfTrial
from tests.support.executed_work import assert_linear

OUTCOME_GATE = 6


def objection_to_changes(changes: object, calls: CallsOfTrial) -> str:
    """Return what the gate objects to in a scratchpad that declares these changes.

    An empty string if the gate accepts them.
    """
    judgement = judge_scratchpad(valid_scratchpad(changes=changes), calls)
    return objection_of(judgement, OUTCOME_GATE)


def calls_with_two_changes() -> CallsOfTrial:
    """Return the calls of a trial that wrote `/desk/order.json` and ran `/bin/ship`."""
    calls = CallsOfTrial()
    calls.read("/docs/Loans.md")
    calls.write("/desk/order.json")
    calls.run("/bin/ship", "b-104")
    return calls


class TestListsOfChanges:
    """A script declares what the trial changed, as a list of names.

    It submits `changes = ["/desk/order.json", "ship"]` or, with the action, `[{"path":
    "/desk/order.json", "action": "write"}]`. `objection_to_changes` returns what the gate says
    of another list. The trial has written `/desk/order.json` and run `/bin/ship`.
    """

    @pytest.mark.parametrize(
        ("changes", "objection"),
        [
            pytest.param("none", "list at most 1000 paths", id="a text"),
            pytest.param(
                {"/desk/order.json": "write"}, "list at most 1000 paths", id="a mapping"
            ),
            pytest.param(
                [{"path": 3, "action": "write"}],
                "names nothing",
                id="a number as a path",
            ),
            pytest.param([""], "names nothing", id="an empty name"),
        ],
    )
    def test_changes_must_be_a_list_of_names(
        self, changes: object, objection: str
    ) -> None:
        """To anything but a list, the gate objects that the script should "list at most 1000
        paths"."""
        actual_objection = objection_to_changes(changes, calls_with_two_changes())

        assert objection in actual_objection

    @pytest.mark.parametrize(
        ("changes", "objection"),
        [
            pytest.param(
                [],
                "leaves out write of `/desk/order.json`, execute of `/bin/ship`",
                id="both omitted",
            ),
            pytest.param(
                ["/desk/order.json"],
                "leaves out execute of `/bin/ship`",
                id="one omitted",
            ),
        ],
    )
    def test_a_declaration_that_omits_a_change_is_rejected(
        self, changes: list[str], objection: str
    ) -> None:
        actual_objection = objection_to_changes(changes, calls_with_two_changes())

        assert objection in actual_objection


class TestChangesThatWereNotMade:
    """A script may not declare a change that the trial did not make.

    The trial has written `/desk/order.json` and run `/bin/ship`, and nothing else. Both may be
    declared by the last part of their path, `order.json` and `ship`.
    """

    @pytest.mark.parametrize(
        ("changes", "objection"),
        [
            pytest.param(
                [{"path": "/desk/order.json", "action": "delete"}, "ship"],
                "names `/desk/order.json`: the trace shows no such",
                id="another action on the file",
            ),
            pytest.param(
                ["/desk/order.json", "/bin/ship", "/desk/other.json"],
                "names `/desk/other.json`: the trace shows no such",
                id="another file",
            ),
            pytest.param(
                ["/desk/order.json", "/sbin/ship"],
                "names `/sbin/ship`",
                id="a tool of the same name in another folder",
            ),
            pytest.param(
                ["order.json", "mail.send", "ship"],
                "names `mail.send`",
                id="another operation",
            ),
            pytest.param(
                ["order.json", "ship", "execute"],
                "names `execute`",
                id="an action alone",
            ),
            pytest.param(
                ["order.json", "ship", "json"], "names `json`", id="an extension alone"
            ),
        ],
    )
    def test_a_declared_change_that_was_not_made_is_rejected(
        self, changes: list[object], objection: str
    ) -> None:
        actual_objection = objection_to_changes(changes, calls_with_two_changes())

        assert objection in actual_objection


WAYS_TO_DECLARE_A_RUN_OF_ODD = pytest.mark.parametrize(
    "changes",
    [
        pytest.param(["/bin/odd"], id="path"),
        pytest.param(["odd"], id="name"),
        pytest.param([{"path": "/bin/odd", "action": "execute"}], id="path and action"),
    ],
)


class TestToolsOfUnknownKind:
    """A tool may change something or not: only the script knows.

    The workspace does not say whether `/bin/odd` changes anything. So the script may declare its
    run as a change, or omit it. Only a run that failed has certainly changed nothing.
    """

    @WAYS_TO_DECLARE_A_RUN_OF_ODD
    def test_a_run_of_a_tool_of_unknown_kind_may_be_declared(
        self, changes: list[object]
    ) -> None:
        """The script may be right that `/bin/odd` changes something."""
        calls = CallsOfTrial()
        calls.run("/bin/odd", "b-104")

        assert objection_to_changes(changes, calls) == ""

    def test_a_run_of_a_tool_of_unknown_kind_may_be_omitted(self) -> None:
        """The script may be right that `/bin/odd` changes nothing, too."""
        calls = CallsOfTrial()
        calls.run("/bin/odd", "b-104")

        assert objection_to_changes([], calls) == ""

    @WAYS_TO_DECLARE_A_RUN_OF_ODD
    def test_a_failed_run_of_a_tool_of_unknown_kind_may_not_be_declared(
        self, changes: list[object]
    ) -> None:
        """The run of `/bin/odd` ended with exit code 1, so it has not done what the script
        claims."""
        calls = CallsOfTrial()
        calls.run("/bin/odd", "b-104", exit_code=1)

        assert "the trace shows no such" in objection_to_changes(changes, calls)

    def test_a_failed_run_of_a_tool_of_unknown_kind_may_be_omitted(self) -> None:
        calls = CallsOfTrial()
        calls.run("/bin/odd", "b-104", exit_code=1)

        assert objection_to_changes([], calls) == ""


class TestPrefixedNames:
    """A declared name may have the prefix that models put before tools."""

    def test_a_tool_may_be_declared_with_a_prefix(self) -> None:
        """Models often name a tool as `tools.ship`."""
        calls = CallsOfTrial()
        calls.run("/bin/ship", "b-104")

        assert objection_to_changes(["tools.ship"], calls) == ""

    def test_a_hidden_file_may_not_be_declared_with_a_prefix(self) -> None:
        """The trial wrote a file called `.json`. `7.json` is another file, although it reads like
        that name with a prefix, as in `tools.ship`."""
        calls = CallsOfTrial()
        calls.write("/desk/.json")

        objection_to_path = objection_to_changes(["/desk/.json"], calls)
        objection_to_prefixed = objection_to_changes(["7.json"], calls)

        assert objection_to_path == ""
        assert "names `7.json`" in objection_to_prefixed


class TestManyChanges:
    """Twice as many changes take only twice the work."""

    def test_comparing_many_changes_is_linear_work(self) -> None:
        """The trial wrote three times as many files as it declares. The message names four of the
        others and counts the rest."""
        named_in_message = 4

        def compare(declared_count: int) -> None:
            calls = CallsOfTrial()
            for number in range(3 * declared_count):
                calls.write(f"/desk/{number}.json")
            declared = [f"{number}.json" for number in range(declared_count)]

            objection = objection_to_changes(declared, calls)

            unnamed_count = 2 * declared_count - named_in_message
            assert f"and {unnamed_count} more" in objection

        assert_linear(compare, 100)
