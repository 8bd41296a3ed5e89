"""A model whose script has read a part of a file is told how to get the rest.

In the profile `hard`, the file of a branch of the shop is longer than one call returns.
"""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from controlplane.benchmarks.ecom.tasks.families import task_ids
from controlplane.benchmarks.ecom.world.names import PLAYED, WorldSettings
from tests.benchmarks.ecom.solutions.reference_scripts import scripted_replies
from tests.benchmarks.ecom.variants import task_in_run
from tests.support.command import run_in_process

# The step of a trial whose model writes a single script, and does not get better.
#
# single_step(folder, "staff-count.1", "print(4)")["output"]  # what it prints


def single_step(
    folder: Path, task_id: str, script: str, *options: str, seed: int = 3
) -> dict[str, Any]:
    """Run a task with a model that writes this script, and return its step.

    The model writes nothing else, so if the answer is sent back, the trial has none.
    """
    (folder / "script.toml").write_text(f"[[reply]]\ncode = '''{script}'''\n")
    model = "--model=scripted:script.toml"
    run_in_process("run", task_id, f"--seed={seed}", model, *options, cwd=folder)

    replay = ("replay", "last", "--trial", task_id, "--json")
    replayed = run_in_process(*replay, cwd=folder)
    (step,) = replayed.json["steps"]
    return dict(step)


# A run without a model is played by fixed rules, which answer every trial, and many rightly.
#
# With `wordings=known`, requests are worded as they were when the rules were written.

rule_based_player_pytestmark = pytest.mark.usefixtures("shared_fork_servers")


@pytest.mark.parametrize(
    ("seed", "trial_count"),
    [
        pytest.param(4, 10, id="10 trials"),
        pytest.param(11, 100, id="100 trials", marks=pytest.mark.heavy),
        pytest.param(3, 100, id="100 others", marks=pytest.mark.heavy),
    ],
)
def test_the_rule_based_player_answers_every_trial_and_many_rightly(
    seed: int, trial_count: int, tmp_path: Path
) -> None:
    run = run_in_process(
        "run",
        f"--seed={seed}",
        f"--limit={trial_count}",
        "--concurrency=2",
        "--set=wordings=known",
        "--json",
        cwd=tmp_path,
    )

    assert run.code == 0, run.err
    assert {trial["state"] for trial in run.json["trials"]} == {"answered"}
    assert run.json["score"] >= 0.4


# A run in which each task of the shop is solved by a right script scores 1.
#
#     harness.read(path='/docs/stock.md')     the script of a task, which the sandbox runs
#     scratchpad["answer"] = '4'
#     ...
#
# No check before a submission may stop a right answer.

runs_of_right_scripts_pytestmark = pytest.mark.usefixtures("shared_fork_servers")


@pytest.mark.parametrize(
    "played_tasks",
    [
        pytest.param(
            (
                "archive-fraud.1",
                "archive-fraud.2",
                "calendar-date.1",
                "discount-grant.1",
                "external-system.1",
                "guest-basket-status.1",
                "origin-fact.1",
                "product-existence.1",
                "receipt-reprice.1",
                "refund-closure.1",
                "staff-count.1",
                "temporary-files.1",
            ),
            id="twelve tasks",
        ),
        pytest.param(task_ids(), id="all tasks", marks=pytest.mark.heavy),
    ],
)
def test_a_run_of_right_scripts_scores_one(
    played_tasks: tuple[str, ...], tmp_path: Path
) -> None:
    """The tasks are solved here, and their scripts written into the file of a scripted model."""
    settings = WorldSettings(wordings="known")
    tasks = {
        task_id: task_in_run(task_id, seed=1, settings=settings)
        for task_id in played_tasks
    }
    (tmp_path / "scripts.toml").write_text(scripted_replies(tasks), encoding="utf-8")

    run = run_in_process(
        "run",
        *played_tasks,
        "--model=scripted:scripts.toml",
        "--seed=1",
        "--set=wordings=known",
        "--json",
        cwd=tmp_path,
    )

    assert run.code == 0, run.err
    assert len(run.json["trials"]) == len(played_tasks)
    assert [trial for trial in run.json["trials"] if trial["score"] < 1.0] == []


# An answer that claims a change but makes none is sent back, and the model is told why.
#
# A script says by `scratchpad["changes"]` what it has changed. Here, it does not run the checkout
# that it declares. The rest of its answer is right. The model does not try again.

claimed_changes_pytestmark = pytest.mark.usefixtures("shared_fork_servers")


def test_an_answer_that_claims_a_change_but_makes_none_is_sent_back(
    tmp_path: Path,
) -> None:
    task = task_in_run("basket-checkout.1", seed=3)
    basket = task.truth.for_tests["basket"]  # "/proc/carts/basket-0012.json", say
    script = f"""
harness.read("{basket}")
harness.read("/docs/checkout.md")
scratchpad.cite("{basket}", "the basket to be bought")
scratchpad.cite("/docs/checkout.md", "what is checked before a checkout")
scratchpad["answer"] = "{task.truth.message}"
scratchpad["outcome"] = "OUTCOME_OK"
scratchpad["changes"] = [{{"path": "/bin/checkout", "action": "execute"}}]

def verify(answer):  # A script has to check its own answer.
    return answer["outcome"] == "OUTCOME_OK" and answer["answer"] != ""

harness.answer(scratchpad, verify)
"""

    step = single_step(tmp_path, "basket-checkout.1", script, seed=3)

    assert "GateRejection" in step["error"]
    fault = "`changes` names `/bin/checkout`: the trace shows no such change"
    assert fault in step["error"]
    run = run_in_process("show", "last", "--json", cwd=tmp_path).json
    assert run["score"] == 0.0  # No answer was accepted.


pytestmark = pytest.mark.usefixtures("shared_fork_servers")


def test_a_cut_read_tells_the_model_how_to_get_the_rest(tmp_path: Path) -> None:
    task = task_in_run(
        "staff-count.1", seed=3, settings=replace(PLAYED, profile="hard")
    )
    first_branch, *_ = task.world.stores.values()
    path = task.world.path(first_branch)
    script = f"print(harness.read('{path}').truncated)"

    step = single_step(tmp_path, "staff-count.1", script, "--set", "profile=hard")

    assert step["output"].startswith("True\n")
    told_to_model = "".join(step["feedback"])
    rest = f"{path} goes on: harness.tools.read_all(path) gives the rest."
    assert rest in told_to_model
