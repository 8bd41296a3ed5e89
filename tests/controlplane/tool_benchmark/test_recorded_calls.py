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


def test_a_recorded_dictionary_is_not_changed_by_the_function() -> None:
    def put(options: dict[str, int]) -> None:
        options["added"] = 1

    environment = TaskEnvironment([Tool(put, "acts")])

    environment.runtime.call("put", {"options": {"k": 1}})

    assert environment.calls[0].arguments == {"options": {"k": 1}}


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
    sizes: list[int] = []

    def put(items: list[str]) -> list[int]:
        items.append("added")
        sizes.append(len(items))
        return sizes  # The same list in each call.

    graded_calls: list[str] = []

    def grade(end: TaskEnvironment) -> float:
        graded_calls.extend(f"{call.arguments} -> {call.result}" for call in end.calls)
        return 1.0

    tools = [
        Tool(put, "acts", description="Put."),
        Tool(put, "acts", "put_by_schema", "Put.", schema=PUT_SCHEMA),
    ]
    script = script_with_answer(
        "items = ['one']",
        "harness.put(items)",
        "harness.put_by_schema(items=items)",
        "print(items)",
    )
    task = Task("put.1", "Put.", tools=tools, grade=grade)

    run = run_without_gates([task], ModelWithScripts(script), tmp_path)
    replay = run_in_process("replay", str(run.journal), "--verify", cwd=tmp_path)

    assert graded_calls == [
        "{'items': ['one']} -> [2]",  # "one" and "added"
        "{'items': ['one']} -> [2, 2]",
    ]
    (step,) = only_trial(run).record.whole_steps
    assert step.done is not None
    assert step.done.output == "['one']\n"
    recorded_arguments = [dict(call.arguments) for call in step.calls]
    assert recorded_arguments == [{"items": ["one"]}, {"items": ["one"]}]
    assert replay.code == 0, replay.out + replay.err
