"""The parts of the solver `Exoskeleton`, which correct a model's careless answers.

The solver lets a model answer a request about an embedded shop, and then changes the answer:

    the model's answer                        after the part `FORMATTER`
    "I have looked that up. The answer is: 4" "4"

Each fault below is made on purpose, by a model that knows the right answer. The trial is played
twice: with the part, the grader gives the full score, and without it, less.
"""

import pytest

from controlplane.agent.exoskeleton import Part
from controlplane.benchmarks.ecom.tasks.generated_tasks import generate_task
from controlplane.benchmarks.ecom.world.names import WorldSettings
from tests.support.shop.model_faults import fault_of
from tests.support.shop.played_trial import PlayedTrial
from tests.support.shop.shop_trials import play_shop_trial


def play_with_fault(task_id: str, parts: frozenset[Part], *, fault: str) -> PlayedTrial:
    """Play a task such as `sku-lookup.7` with a model whose answer has this fault.

    Which fault the model makes depends on the instruction of the task. So the fault is not set
    here, but it is asserted that the task is one of those with the fault.
    """
    family = task_id.rpartition(".")[0]
    world_seed = f"1|{task_id}|0"
    task = generate_task(task_id, world_seed, WorldSettings())
    assert fault_of(task.instruction) == fault
    return play_shop_trial(family, task, key=world_seed, parts=parts, with_faults=True)


@pytest.mark.parametrize(
    ("fault", "part", "task_id"),
    [
        # The answer cites too few records. The part adds those behind the results of functions.
        ("forgotten", Part.EVIDENCE_STORE, "archive-fraud.13"),
        # `/proc/carts/cust-7/b-1.json` is cited as `/proc/carts/b-1`.
        ("spelling", Part.REFERENCES, "sku-lookup.7"),
        # The answer names a record, and does not cite it.
        ("forgotten", Part.REFERENCES, "sku-lookup.2"),
        # The message begins with "I have looked that up."
        ("wording", Part.FORMATTER, "sku-lookup.1"),
    ],
)
def test_a_part_corrects_a_fault_that_costs_points_without_it(
    fault: str, part: Part, task_id: str
) -> None:
    """All other parts are on in both trials."""
    # All parts but the checks that may answer a request before the model does.
    parts_with_model = frozenset(Part) - {Part.PREFLIGHT}
    with_part = play_with_fault(task_id, parts_with_model, fault=fault)
    without_part = play_with_fault(task_id, parts_with_model - {part}, fault=fault)

    assert with_part.score == 1.0
    assert without_part.score < 1.0
