"""The truth of a task, its right calls, is played in the turns of the user.

    Truth([[("add", {"article": "bread"})], [("add", {"article": "tea"})]], tells_user="Done.")

A run without a model makes the calls of the first turn, talks to the user, and so on. A benchmark
may have a class of its own for its calls, here `Add`.
"""

from pathlib import Path
from typing import NamedTuple

import controlplane
from controlplane import TaskEnvironment, Truth
from tests.controlplane.tool_benchmark.played_runs import check_replay_agrees
from tests.controlplane.tool_benchmark.task_with_truth import TaskWithTruth
from tests.controlplane.tool_benchmark.truth.basket import basket


class Add(NamedTuple):
    """A call of the tool `add`."""

    tool: str
    arguments: dict[str, str]


def all_is_added_in_its_turn(end: TaskEnvironment) -> bool:
    """Return whether bread was added in turn 0, tea in turn 1 and milk in turn 2."""
    turns_of_calls = [call.turn for call in end.calls if call.name == "add"]
    return end.state == ["bread", "tea", "milk"] and turns_of_calls == [0, 1, 2]


def test_the_calls_of_the_truth_are_made_in_the_turns_of_the_user(
    tmp_path: Path,
) -> None:
    turns = [
        [Add("add", {"article": "bread"})],
        [Add("add", {"article": "tea"})],
        [Add("add", {"article": "milk"})],
    ]
    errand = TaskWithTruth(
        "Buy bread.",
        lambda: basket(further_requests=["And tea.", "And milk."]),
        Truth(turns, tells_user="Done."),
        grade=all_is_added_in_its_turn,
    )

    run = controlplane.run(errand, runs_dir=str(tmp_path))

    assert run.trials[0].score == 1, run.trials
    check_replay_agrees(run)
