"""Gate 6: the list of changes that a script declares has every change of the trial.

A user must learn what an agent did to their files. So a script may declare `changes =
["/desk/order.json", "ship"]` or, with the action, `[{"path": "/desk/order.json", "action":
"write"}]`. The gate compares the list with the calls of the trial.
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
        pytest.param("none", "list at most 1000 paths", id="a text"),
        pytest.param(
            {"/desk/order.json": "write"}, "list at most 1000 paths", id="a mapping"
        ),
        pytest.param(
            [{"path": 3, "action": "write"}], "names nothing", id="a number as a path"
        ),
        pytest.param([""], "names nothing", id="an empty name"),
    ],
)
def test_changes_must_be_a_list_of_names(changes: object, objection: str) -> None:
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
            ["/desk/order.json"], "leaves out execute of `/bin/ship`", id="one omitted"
        ),
    ],
)
def test_a_declaration_that_omits_a_change_is_rejected(
    changes: list[str], objection: str
) -> None:
    actual_objection = objection_to_changes(changes, calls_with_two_changes())

    assert objection in actual_objection
