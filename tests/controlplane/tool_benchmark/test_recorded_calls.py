"""A call of a tool is recorded as it was made, whatever the tool's function does to its values later.

A grader sees `environment.calls`: [EnvironmentCall("put", {"items": ["one"]}, result=[1]), ...]. A
replay takes the calls from the journal.
"""

import dataclasses
from pathlib import Path

import pytest

from controlplane import Task, TaskEnvironment, Tool
from tests.controlplane.tool_benchmark.played_runs import only_trial
from tests.controlplane.tool_benchmark.scripted_model import (
    ModelWithScripts,
    run_without_gates,
    script_with_answer,
)
from tests.support.command import run_in_process

PUT_SCHEMA = {"properties": {"items": {"type": "array"}}}


@pytest.mark.parametrize(
    "schema",
    [
        pytest.param(None, id="arguments read by the types of the function"),
        pytest.param(PUT_SCHEMA, id="arguments read by a schema"),
    ],
)
def test_a_recorded_argument_is_not_changed_by_the_function(
    schema: dict[str, object] | None,
) -> None:
    def put(items: list[str]) -> None:
        items.append("added")

    environment = TaskEnvironment([Tool(put, "acts", schema=schema)])
    items = ["one"]

    environment.runtime.call("put", {"items": items})

    assert environment.calls[0].arguments == {"items": ["one"]}
    assert items == ["one"]  # The function has changed a copy of its own.


def test_a_recorded_result_is_not_changed_by_the_next_call() -> None:
    sizes: list[int] = []

    def put(items: list[str]) -> list[int]:
        sizes.append(len(items))
        return sizes  # The same list in each call.

    environment = TaskEnvironment([Tool(put, "acts")])

    environment.runtime.call("put", {"items": ["one"]})
    environment.runtime.call("put", {"items": ["one", "two"]})

    assert [call.result for call in environment.calls] == [[1], [1, 2]]


def test_a_result_that_cannot_be_copied_is_recorded_as_json() -> None:
    @dataclasses.dataclass
    class NotCopyable:
        x: int

        def __deepcopy__(self, memo: object) -> None:
            raise RuntimeError("a lock cannot be copied")

    look = Tool(lambda: NotCopyable(1), "returns", name="look")
    environment = TaskEnvironment([look])

    environment.runtime.call("look", {})

    assert environment.calls[0].result == {"x": 1}


def test_grader_journal_and_replay_have_calls_as_the_script_made_them(
    tmp_path: Path,
) -> None:
    """The script makes the same call twice. The function changes the list and the dictionary that
    it gets, and returns the same list of sizes each time."""
    sizes: list[int] = []

    def put(items: list[str], options: dict[str, int]) -> list[int]:
        items.append("added")
        options["added"] = 1
        sizes.append(len(items))
        return sizes

    graded_calls = []

    def grade(end: TaskEnvironment) -> float:
        for call in end.calls:
            graded_calls.append((call.arguments, call.result))
        return 1.0

    schema = {"properties": {"items": {"type": "array"}, "options": {"type": "object"}}}
    put_by_schema = Tool(
        put, "acts", name="put_by_schema", description="Put.", schema=schema
    )
    task = Task("put.1", "Put.", tools=[Tool(put, "acts"), put_by_schema], grade=grade)
    script = script_with_answer(
        "items, options = ['one'], {'k': 1}",
        "harness.put(items, options)",
        "harness.put_by_schema(items=items, options=options)",
        "print(items, options)",
    )

    run = run_without_gates([task], ModelWithScripts(script), tmp_path)
    (step,) = only_trial(run).record.whole_steps
    replay = run_in_process("replay", str(run.journal), "--verify", cwd=tmp_path)

    as_made = {"items": ["one"], "options": {"k": 1}}
    # Each call counts "one" and "added".
    assert graded_calls == [(as_made, [2]), (as_made, [2, 2])]
    assert [dict(call.arguments) for call in step.calls] == [as_made, as_made]
    assert replay.code == 0, replay.out + replay.err
