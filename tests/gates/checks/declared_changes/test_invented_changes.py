"""Gate 6: a script may not declare a change that the trial did not make.

The trial has written `/desk/order.json` and run `/bin/ship`, and nothing else. So `changes =
["order.json", "ship"]` is right, by the last part of each path, and `["order.json", "ship",
"/desk/other.json"]` is sent back: "names `/desk/other.json`: the trace shows no such".
"""

from __future__ import annotations

import pytest

from tests.gates.checks.declared_changes.change_objections import (
    calls_with_two_changes,
    objection_to_changes,
)


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
            ["order.json", "ship", "execute"], "names `execute`", id="an action alone"
        ),
        pytest.param(
            ["order.json", "ship", "json"], "names `json`", id="an extension alone"
        ),
    ],
)
def test_a_declared_change_that_was_not_made_is_rejected(
    changes: list[object], objection: str
) -> None:
    actual_objection = objection_to_changes(changes, calls_with_two_changes())

    assert objection in actual_objection
