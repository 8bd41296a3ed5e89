"""The grader, the journal and a replay have the calls of a script as it has made them.

    call                         recorded arguments     recorded result
    put(["one"])                 {"items": ["one"]}     [2]
    put_by_schema(["one"])       {"items": ["one"]}     [2, 2]

The function of both tools appends "added" to its argument, and returns one list that grows from call
to call. What is recorded of a call must not change with these lists.
"""

from pathlib import Path

from controlplane import Task, TaskEnvironment, Tool
from tests.controlplane.tool_benchmark.played_runs import only_trial
from tests.controlplane.tool_benchmark.scripted_model import (
    ModelWithScripts,
    run_without_gates,
    script_with_answer,
)
from tests.support.command import run_in_process


def test_grader_journal_and_replay_have_calls_as_the_script_made_them(
    tmp_path: Path,
) -> None:
    sizes: list[int] = []

    def put(items: list[str]) -> list[int]:
        items.append("added")
        sizes.append(len(items))  # 2: "one" and "added"
        return sizes  # the same list in each call

    graded_calls: list[str] = []

    def grade(end: TaskEnvironment) -> float:
        graded_calls.extend(f"{call.arguments} -> {call.result}" for call in end.calls)
        return 1.0

    # Arguments are copied at different places for tools with a schema and without.
    tools = [
        Tool(put, "acts", description="Put."),
        Tool(
            put,
            "acts",
            "put_by_schema",
            "Put.",
            schema={"properties": {"items": {"type": "array"}}},
        ),
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
        "{'items': ['one']} -> [2]",
        "{'items': ['one']} -> [2, 2]",
    ]
    (step,) = only_trial(run).record.whole_steps
    assert step.done is not None
    assert step.done.output == "['one']\n"  # the list of the script, which is unchanged
    recorded_arguments = [dict(call.arguments) for call in step.calls]
    assert recorded_arguments == [{"items": ["one"]}, {"items": ["one"]}]
    assert replay.code == 0, replay.out + replay.err
