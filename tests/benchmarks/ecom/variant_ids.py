"""The ids of variants, kinds of tasks of the shop that tests ask for by name.

A *family* has tasks of one kind, such as `foreign-basket`. A *variant* is one case of a family:

    variant_id_of("foreign-basket", "asked by a guest")      # "foreign-basket: asked by a guest"
    family_of_variant("foreign-basket: asked by a guest")    # "foreign-basket"

A family with one case only has a variant of the same name: `open-branches`.
"""

from controlplane.benchmarks.ecom.tasks.families import FAMILIES


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
