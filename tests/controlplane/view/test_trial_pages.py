"""The pages of a trial, for results of every shape."""

import pytest
from rich.console import Console

from agent.events import CallRecord, StepDone
from controlplane.view.trial_pages import step_page

LEAF = {"name": "a", "is_dir": False, "children": []}


@pytest.mark.parametrize(
    ("result", "shown"),
    [
        ({"name": "docs", "is_dir": True, "children": [LEAF]}, ["docs/", "  a"]),
        ({"name": "ada", "is_dir": True, "children": ["bob"]}, ["name: ada", "is_dir: true", "children: bob"]),
        ({"name": "ada", "is_dir": True, "children": None}, ["name: ada", "is_dir: true", "children: null"]),
        ({"paths": ["/a", "/b"], "truncated": False}, ["paths:", "/a", "/b", "truncated: false"]),
        ({"entries": [{"n": 1}, {"n": 2}]}, ["entries:", '{"n": 1}', '{"n": 2}']),
        ({"paths": []}, ["paths: []"]),
        ({}, ["(nothing)"]),
    ],
)
def test_a_result_of_a_call_is_shown_for_reading(
    result: dict[str, object], shown: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    call = CallRecord(operation="look", arguments={}, result=result, elapsed_ms=1)
    Console(width=80).print(step_page(StepDone(trial_id="t", step=1, reply="", calls=(call,)), {}, folded=False))
    lines = [each.rstrip() for each in capsys.readouterr().out.splitlines()]
    call_at = next(at for at, line in enumerate(lines) if "→ look()" in line)
    assert lines[call_at + 1 : -1] == [f"      {each}" for each in shown]
