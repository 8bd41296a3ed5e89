"""Runs of a task that asks to buy a basket, of which the shop has one product too few.

    run = run_checkouts(folder, attempts=2)
    run.out    # "... pre-call check held 1 call; repeated and sent ..."

A check stops the first call of `/bin/checkout` for the basket, once. In a script, the stopped call
is the error `failed_precondition`.
"""

from pathlib import Path

from controlplane.benchmarks.ecom.ecom_benchmark import TrialId
from controlplane.benchmarks.ecom.tasks.generated_tasks import generate_task
from controlplane.benchmarks.ecom.world.names import PLAYED
from tests.benchmarks.ecom.variants import first_task
from tests.controlplane.objections.scripted_model import write_replies
from tests.support.command import CommandResult, run_in_process

TASK = first_task("basket-checkout: one line is short")

OTHER_BASKET = "basket-9999"
"""The id of a basket that does not exist."""


def basket_of_task() -> str:
    """Return the id of the basket that the task asks to buy: `basket-0123`."""
    # A run with the default options plays this trial, whose id decides what the shop has.
    trial = TrialId(TASK, repeat=0, seed=0, profile="prod", token="")
    task = generate_task(TASK, trial.world_seed, PLAYED)
    return str(task.truth.for_tests["id"])


def run_checkouts(
    folder: Path, *, attempts: int, then_other_basket: bool = False
) -> CommandResult:
    """Run a model that tries to buy the basket of the task so many times, in one script.

    Then it may try to buy another basket. At last, it answers that the basket cannot be bought.
    """
    baskets = [basket_of_task()] * attempts
    if then_other_basket:
        baskets.append(OTHER_BASKET)
    buy = f"""
for basket in {baskets!r}:
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
    write_replies(folder / "replies.toml", buy, *[answer] * 3)
    options = ("--model", "scripted:replies.toml", "--name", "tried")
    return run_in_process("run", TASK, *options, cwd=folder, COLUMNS="300")
