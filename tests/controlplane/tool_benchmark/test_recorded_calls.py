"""The calls of a trial in its journal, as its grader and a replay find them later.

    Task("put.1", "Put.", tools=[Tool(put, "acts")], grade=grade)

A script calls `harness.put(["one"])`. The call is kept as it was made, even if the function changes
its argument: `grade(end)` finds it in `end.calls`, and so does `judge --grader`, which grades the
recorded run again.
"""

import dataclasses
from pathlib import Path

from pydantic import BaseModel

import controlplane
from controlplane import Task, TaskEnvironment, Tool
from tests.controlplane.tool_benchmark.played_runs import (
    check_replay_agrees,
    only_trial,
)
from tests.controlplane.tool_benchmark.scripted_model import (
    ModelWithScripts,
    run_without_gates,
    script_with_answer,
)
from tests.support.command import run_controlplane


def environment_that_changes_values() -> TaskEnvironment:
    """Return an environment with two tools of one function, with and without a schema.

    The function changes the items and options that it gets. It always returns the same list, to
    which it adds the number of items: [2] for the first call, [2, 2] for the second.
    """
    sizes: list[int] = []

    def put(items: list[str], options: dict[str, int]) -> list[int]:
        items.append("added")
        options["added"] = 1
        sizes.append(len(items))
        return sizes

    schema = {"properties": {"items": {"type": "array"}, "options": {"type": "object"}}}
    with_schema = Tool(
        put, "acts", name="put_by_schema", description="Put.", schema=schema
    )
    return TaskEnvironment([Tool(put, "acts"), with_schema], state=sizes)


@dataclasses.dataclass
class NotCopyable:
    """An object that raises an error when it is copied, as some that hold a lock do."""

    x: int

    def __deepcopy__(self, memo: object) -> None:
        raise RuntimeError("a lock cannot be copied")


class TestChangingValues:
    """A call is kept as it was made, although its values change later, or cannot be copied.

    A Python function may change its argument, and return the same list each time. The record
    must not change with it. `put(items, options)` of `environment_that_changes_values` does both:

        items, options = ["one"], {"k": 1}
        put(items, options)  # -> [2], and then items == ["one", "added"]
    """

    def test_calls_are_kept_as_they_were_whatever_tools_change_later(
        self, tmp_path: Path
    ) -> None:
        """Both calls get the arguments as the script has made them: the tool changes its own copy.

        It returns the same list twice, [2] and, after the second call, [2, 2]."""
        model = ModelWithScripts(
            script_with_answer(
                "items, options = ['one'], {'k': 1}",
                "harness.put(items, options)",
                "harness.put_by_schema(items=items, options=options)",
                "print(items, options)",
            )
        )
        graded_calls = []

        def grade(end: TaskEnvironment) -> float:
            for call in end.calls:
                graded_calls.append((call.arguments, call.result))
            return 1.0

        task = Task(
            "put.1", "Put.", environment=environment_that_changes_values, grade=grade
        )
        run = run_without_gates([task], model, tmp_path)

        arguments = {"items": ["one"], "options": {"k": 1}}
        assert graded_calls == [(arguments, [2]), (arguments, [2, 2])]
        (step,) = only_trial(run).record.whole_steps
        assert [dict(call.arguments) for call in step.calls] == [arguments, arguments]
        check_replay_agrees(run)

    def test_a_result_that_cannot_be_copied_is_kept_as_json(self) -> None:
        """The list of calls, which a grader sees, has copies of the results."""
        look = Tool(lambda: NotCopyable(1), "returns", name="look")
        environment = TaskEnvironment([look])

        environment.runtime.call("look", {})

        assert environment.calls[0].result == {"x": 1}


class Place(BaseModel):
    """A place. An error names its fields in this order, "z" before "a"."""

    z: int
    a: int


def go(place: Place) -> int:
    """Go to a place."""
    return place.z


LOOKS_BENCHMARK = """
from controlplane import TaskEnvironment, Tool, ToolBenchmark

class Looks(ToolBenchmark):
    citations = "none"
    def task_ids(self):
        return ["look.1"]
    def generate(self, task_id):
        def look(name: str) -> str:
            if name == "c":
                raise LookupError("no c")
            return name
        return "Look.", TaskEnvironment([Tool(look, "returns")])
    def grade(self, task_id, environment):
        names = [call.arguments["name"] for call in environment.calls]
        return names == ["a", "c", "b"], [str(names)]

open_benchmark = Looks
"""
"""A benchmark whose grader wants the calls look("a"), look("c"), which fails, and look("b")."""

LOOKS_REPLIES = """
[[reply]]
code = '''
for name in "acb":
    try:
        harness.look(name)
    except HarnessError as error:
        print(error)
scratchpad["answer"], scratchpad["outcome"] = "", "OUTCOME_OK"
harness.answer(scratchpad, lambda sp: sp["outcome"] == "OUTCOME_OK")
'''
"""
"""The reply of a model that makes these calls."""


class TestRepeatedCalls:
    """A later command makes the recorded calls again: `replay --verify`, or `judge --grader`.

    A replay takes the results from the journal. The grader gets the calls of the tools
    themselves, to grade the trial again.
    """

    def test_a_replay_gives_the_same_error_text_for_a_wrong_argument(
        self, tmp_path: Path
    ) -> None:
        """5 is no place, so the call fails with a text that names the fields of a place.

        The replay does not have the class, but the schema of the tool in the journal. So the
        journal has to keep the order of the fields."""
        replies = tmp_path / "replies.toml"
        replies.write_text("[[reply]]\ncode = 'harness.go(place=5)'\n")
        task = Task("go.1", "Go.", tools=[Tool(go, "returns")])

        run = controlplane.run(
            [task], model=f"scripted:{replies}", runs_dir=str(tmp_path)
        )
        replayed = run_controlplane(
            "replay", str(run.journal), "--verify", cwd=tmp_path
        )

        assert replayed.code == 0, replayed.out

    def test_a_grader_of_calls_sees_all_of_them_when_it_grades_again(
        self, tmp_path: Path
    ) -> None:
        """`judge --grader` makes the recorded calls again: also those that only read, and the one
        that failed."""
        (tmp_path / "looks.py").write_text(LOOKS_BENCHMARK)
        (tmp_path / "looks.toml").write_text(LOOKS_REPLIES)
        words = (
            "run",
            "--benchmark",
            "looks",
            "--model",
            "scripted:looks.toml",
            "--json",
        )
        run = run_controlplane(*words, cwd=tmp_path).json

        judged = run_controlplane("judge", run["journal"], "--grader", cwd=tmp_path)

        assert run["score"] == 1.0, run["trials"]
        assert "1 trial graded again, 0 changed" in judged.out, judged.out + judged.err
