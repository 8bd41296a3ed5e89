"""What a run tells of calls that a check stopped before they were made.

A task of the shop asks to buy a basket, but its branch has too little of a product. The model tries
`/bin/checkout` all the same, and the pre-call check stops the call, once. Then the model may give up,
make the same call again, which is sent, or make another call.
"""

from pathlib import Path

import pytest

from controlplane.benchmarks.ecom.tasks.generated_tasks import generate_task
from controlplane.benchmarks.ecom.trial_ids import TrialId
from controlplane.benchmarks.ecom.world.settings import PLAYED
from tests.benchmarks.ecom.variants import first_task
from tests.controlplane.objections.scripted_model import write_replies
from tests.support.command import CommandResult, run_in_process

TASK = first_task("basket-checkout: one line is short")


def basket_of_task() -> str:
    """Return the id of the basket that the task asks to buy: `basket-0123`."""
    # The shop is generated from a seed, which follows from the id of the run's only trial.
    trial = TrialId(TASK, repeat=0, seed=0, profile="prod", token="")
    task = generate_task(TASK, trial.world_seed, PLAYED)
    return str(task.truth.for_tests["id"])


def run_script(folder: Path, last_lines: str) -> CommandResult:
    """Run a model that first defines `buy`, executes these lines, and then answers.

    `buy("basket-0123")` tries to buy a basket, and prints the error if that fails. The answer is the
    right one: it says that the basket cannot be bought.
    """
    define_buy = """
def buy(basket):
    try:
        harness.exec("/bin/checkout", args=[basket])
    except HarnessError as error:
        print(error.code, error)
"""
    answer = """
scratchpad["answer"] = "It cannot be bought today."
scratchpad["outcome"] = "OUTCOME_NONE_UNSUPPORTED"
harness.answer(scratchpad, lambda sp: sp["answer"].startswith("It"))
"""
    # Checks may send an answer back twice, so the model has to have it three times.
    write_replies(folder / "replies.toml", define_buy + last_lines, *[answer] * 3)
    return run_in_process(
        "run",
        TASK,
        "--model",
        "scripted:replies.toml",
        "--name",
        "tried",
        cwd=folder,
        COLUMNS="300",
    )


def test_a_stopped_call_is_not_done_if_the_model_gives_up(tmp_path: Path) -> None:
    run = run_script(tmp_path, f'buy("{basket_of_task()}")')

    assert "pre-call check held 1 call; not done (mean score" in run.out
    shown = run_in_process("show", "tried", "--json", cwd=tmp_path).json
    assert shown["stopped_calls"]["not done"]["calls"] == 1
    assert shown["trials"][0]["stopped_calls"] == [
        {"operation": "exec", "path": "/bin/checkout", "then": "not done"}
    ]


def test_a_stopped_call_that_is_repeated_is_sent_and_spoils_the_score(
    tmp_path: Path,
) -> None:
    """A check can only warn; the second time, the model gets its way, and buys the basket."""
    basket = basket_of_task()

    run = run_script(tmp_path, f'buy("{basket}")\nbuy("{basket}")')

    assert "pre-call check held 1 call; repeated and sent (mean score" in run.out
    shown = run_in_process("show", "tried", "--json", cwd=tmp_path).json
    assert shown["stopped_calls"]["repeated and sent"]["calls"] == 1
    assert shown["stopped_calls"]["repeated and sent"]["mean_score"] == 0.0
    assert shown["trials"][0]["stopped_calls"] == [
        {"operation": "exec", "path": "/bin/checkout", "then": "repeated and sent"}
    ]


def test_a_stopped_call_is_done_otherwise_if_the_model_makes_another_call(
    tmp_path: Path,
) -> None:
    run = run_script(tmp_path, f'buy("{basket_of_task()}")\nbuy("basket-9999")')

    assert "pre-call check held 1 call; done otherwise (mean score" in run.out
    shown = run_in_process("show", "tried", "--json", cwd=tmp_path).json
    assert shown["stopped_calls"]["done otherwise"]["calls"] == 1
    assert shown["trials"][0]["stopped_calls"] == [
        {"operation": "exec", "path": "/bin/checkout", "then": "done otherwise"}
    ]


@pytest.mark.parametrize(
    "last_lines",
    [
        pytest.param('buy("BASKET")', id="the model gives up"),
        pytest.param('buy("BASKET")\nbuy("BASKET")', id="it makes the call again"),
        pytest.param('buy("BASKET")\nbuy("basket-9999")', id="it makes another call"),
    ],
)
def test_a_stopped_call_is_replayed_as_recorded(
    last_lines: str, tmp_path: Path
) -> None:
    """The script sees the stopped call as the error `failed_precondition`, in a replay, too."""
    run_script(tmp_path, last_lines.replace("BASKET", basket_of_task()))

    verified = run_in_process("replay", "tried", "--verify", cwd=tmp_path)
    replay = run_in_process(
        "replay", "tried", "--trial", TASK, cwd=tmp_path, COLUMNS="300"
    )

    assert "everything is as recorded" in verified.out
    assert "failed_precondition" in replay.out
