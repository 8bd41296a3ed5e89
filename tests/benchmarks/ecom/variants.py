"""The shop's tasks by variant, and by run: tests ask for a task of a certain kind, not for a random one.

A *family* has tasks of one kind, such as `basket-checkout`. A *variant* is one case of a family: in
`basket-checkout: one line is short`, the branch has too few units of one product.

    generate_variant("basket-checkout: one line is short", seed="5").instruction
    # "Check out basket-0012, please."
"""

from itertools import count

from controlplane.benchmarks.ecom.tasks.families import FAMILIES
from controlplane.benchmarks.ecom.tasks.generated_tasks import (
    TaskChoices,
    choices_for,
    generate_chosen,
    generate_task,
)
from controlplane.benchmarks.ecom.tasks.truth import Task
from controlplane.benchmarks.ecom.trial_ids import TrialId
from controlplane.benchmarks.ecom.world.settings import DEFAULTS, PLAYED, WorldSettings


def choices_of(variant_id: str) -> TaskChoices:
    """Return the choices by which a task of this variant is generated, instead of random ones.

    Some tasks of a run have a hostile text in their request; this one has none. Raises `KeyError`
    for an unknown variant.
    """
    family_name, _, case = variant_id.partition(": ")
    if case not in FAMILIES[family_name].weights:
        raise KeyError(variant_id)
    return TaskChoices(family_name, case)


def generate_variant(
    variant_id: str, seed: str, settings: WorldSettings = DEFAULTS
) -> Task:
    """Return a task of this variant in the world that a seed generates."""
    return generate_chosen(choices_of(variant_id), seed, settings)


def first_task(variant_id: str, seed: int = 0) -> str:
    """Return the id of the first task of this variant in a run: `basket-checkout.4`.

    The tasks `basket-checkout.1`, `basket-checkout.2` ... are of any variant of their family: the
    seed of the run decides which.
    """
    wanted = choices_of(variant_id)
    for number in count(1):
        task_id = f"{wanted.family}.{number}"
        trial_id = TrialId(task_id, repeat=0, seed=seed, profile="", token="")
        if choices_for(task_id, trial_id.world_seed) == wanted:
            return task_id
    raise AssertionError


def task_in_run(task_id: str, *, seed: int, settings: WorldSettings = PLAYED) -> Task:
    """Return the task that a run with this seed plays: `task_in_run("sku-lookup.3", seed=7)`."""
    trial_id = TrialId(task_id, repeat=0, seed=seed, profile=settings.profile, token="")
    return generate_task(task_id, trial_id.world_seed, settings)
