"""A trial whose tools come and go with the turns of the user is played, and replayed.

`add_bread` is a tool of turn 0, and `add_tea` one from turn 1 on, which begins when the agent has said
something and the user has replied "And tea.".
"""

from pathlib import Path

import controlplane
from controlplane import Task, Truth
from tests.controlplane.tool_benchmark.conversations.turns_of_basket import (
    basket_environment,
)
from tests.controlplane.tool_benchmark.played_runs import check_replay_agrees
from tests.controlplane.tool_benchmark.scripted_model import (
    ModelWithScripts,
    run_without_gates,
    script_with_answer,
)
from tests.controlplane.tool_benchmark.task_with_truth import TaskWithTruth


def test_the_first_prompt_leaves_out_tools_of_later_turns(tmp_path: Path) -> None:
    """The agent should not plan with a tool that it cannot call yet."""
    model = ModelWithScripts(script_with_answer("harness.add_bread()"))
    task = Task("errand", "Bread, please.", environment=basket_environment)

    run_without_gates([task], model, tmp_path)

    texts = [message["content"] for message in model.requests[0].messages]
    first_prompt = "\n".join(texts)
    assert "add_bread" in first_prompt
    assert "add_tea" not in first_prompt


def test_a_trial_whose_tools_come_and_go_is_replayed(tmp_path: Path) -> None:
    """The replay knows from the journal in which turn each tool was available."""
    errand = TaskWithTruth(
        "Bread, please.",
        basket_environment,
        Truth([[("add_bread", {})], [("add_tea", {})]], tells_user="Done."),
        grade=lambda end: end.state.articles == ["bread", "tea"],
    )

    run = controlplane.run(errand, runs_dir=str(tmp_path))

    assert run.mean == 1.0, run.trials
    check_replay_agrees(run)
