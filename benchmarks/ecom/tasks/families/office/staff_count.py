"""Asks how many members of staff have a role, at one branch or everywhere."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from benchmarks.ecom.tasks.shares import Variant
from benchmarks.ecom.tasks.task import Truth
from benchmarks.ecom.tasks.task_setup import cite_records, nickname, sign_in_anyone, some_store
from benchmarks.ecom.world.generator import World
from benchmarks.ecom.world.layout import Record
from benchmarks.ecom.world.pages import Wordings

VARIANTS: Final = (Variant("at one branch"), Variant("everywhere"))
WORDINGS: Final[Mapping[int, Wordings[str]]] = {
    1: Wordings(
        ("At {branch}, how many staff records include the role `{role}`? Answer with the number only.",),
        ("Count the employees with the role `{role}` who work at {branch}. Reply with a number only.",),
    ),
    2: Wordings(
        ("Across all staff records, how many people have the role `{role}`? Answer with the number only.",),
        ("Count all employees with the role `{role}`, wherever they work. Reply with a number only.",),
    ),
}


def pose(world: World, variant: int) -> Truth:
    """Ask for a count of staff with a role."""
    rng = world.rng
    policy = world.policy
    sign_in_anyone(world)
    store = some_store(world)
    roles = [policy.discount_role, policy.refund_role, policy.stock_role, world.names.roles["packing"]]
    role = rng.choice(roles if variant == 1 else [*roles, policy.lead_role])
    counted = [
        each for each in world.employees.values() if role in each.roles and (variant == 2 or each.store_id == store.id)
    ]
    records: list[Record] = [*counted] if variant == 2 else [store, *counted]
    return Truth(
        instruction=world.say(WORDINGS[variant]).format(branch=nickname(world, store), role=role),
        message=str(len(counted)),
        is_exact=True,
        records=cite_records(world, records),
        inputs={
            "role": role,
            "store": store.id if variant == 1 else "",
            "root": world.layout.roots.employees,
        },
    )
