"""Runs of a task that asks to buy a basket, of which the shop's branch has too little.

    run_script(folder, f'buy("{basket_of_task()}")').out    ->    "... pre-call check held 1 call ..."

The model tries `/bin/checkout` all the same, and then gives the right answer.
"""

from pathlib import Path

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
