"""Tasks of the shop of a certain kind, for tests that do not want a random one.

A *family* has tasks of one kind, such as `basket-checkout`. A *variant* is one case of a family: in
`basket-checkout: one line is short`, the branch has too few units of one product.

    generate_variant("basket-checkout: one line is short", seed="5").instruction
    # "Check out basket-0012, please."

`DEFAULTS` are the settings of a shop for a single task, and `PLAYED` those of a run.
"""

from controlplane.benchmarks.ecom.ecom_benchmark import EcomTrialId
from controlplane.benchmarks.ecom.tasks.families import (
    FAMILIES,
    TaskChoices,
    choices_for,
    generate_chosen,
    generate_task,
)
from controlplane.benchmarks.ecom.tasks.truth import WorldTask
from controlplane.benchmarks.ecom.world.names import DEFAULTS, PLAYED, WorldSettings

# The ids of variants, kinds of tasks of the shop that tests ask for by name.
#
# A *family* has tasks of one kind, such as `foreign-basket`. A *variant* is one case of a family:
#
#     variant_id_of("foreign-basket", "asked by a guest")      # "foreign-basket: asked by a guest"
#     family_of_variant("foreign-basket: asked by a guest")    # "foreign-basket"
#
# A family with one case only has a variant of the same name: `open-branches`.


def variant_id_of(family_name: str, case: str) -> str:
    """Return the id of a variant: `foreign-basket: asked by a guest`.

    It is the name of the family alone, `open-branches`, if the case has no name.
    """
    if case:
        return f"{family_name}: {case}"
    return family_name


def family_of_variant(variant_id: str) -> str:
    """Return the name of a variant's family: `foreign-basket`."""
    family_name, _, _case = variant_id.partition(": ")
    return family_name


def variant_ids() -> tuple[str, ...]:
    """Return the ids of all variants: the first of each family, then the second ones, ..."""
    most_cases = max(len(family.weights) for family in FAMILIES.values())
    ids = []
    for index in range(most_cases):
        for name, family in FAMILIES.items():
            cases = list(family.weights)
            if index < len(cases):
                ids.append(variant_id_of(name, cases[index]))
    return tuple(ids)


def choices_of(variant_id: str) -> TaskChoices:
    """Return the choices by which a task of this variant is generated. `KeyError` if unknown.

    A third choice, a hostile text in the request, is left at its default: none.
    """
    family_name, _, case = variant_id.partition(": ")
    if case not in FAMILIES[family_name].weights:
        raise KeyError(variant_id)
    return TaskChoices(family_name, case)


def generate_variant(
    variant_id: str, seed: str, settings: WorldSettings = DEFAULTS
) -> WorldTask:
    """Return a task of this variant in the shop that a seed generates."""
    return generate_chosen(choices_of(variant_id), seed, settings)


def trial_in_run(task_id: str, seed: int, profile: str = "") -> EcomTrialId:
    """Return the trial of a task in a run with this seed. It has a shop with a seed of its own."""
    return EcomTrialId(task_id, repeat=0, seed=seed, profile=profile, token="")


def first_task(variant_id: str, seed: int = 0) -> str:
    """Return the id of the first task of this variant in a run: `basket-checkout.4`.

    The tasks `basket-checkout.1`, `basket-checkout.2` ... are of any variant of their family: the
    seed of the run decides which.
    """
    wanted = choices_of(variant_id)
    number = 1
    while True:
        task_id = f"{wanted.family}.{number}"
        trial = trial_in_run(task_id, seed)
        if choices_for(task_id, trial.world_seed) == wanted:
            return task_id
        number += 1


def task_in_run(
    task_id: str, *, seed: int, settings: WorldSettings = PLAYED
) -> WorldTask:
    """Return the task that a run with this seed plays: `task_in_run("sku-lookup.3", seed=7)`."""
    trial = trial_in_run(task_id, seed, settings.profile)
    return generate_task(task_id, trial.world_seed, settings)
