"""The task to count the members of staff who have a role.

"How many people in Breda may give discounts?" A role is a word in the records of employees,
and differs by world. The count is that of one branch, or of all branches.
"""

from __future__ import annotations

from controlplane.benchmarks.ecom.tasks.truth import Truth, truth_with_exact_message
from controlplane.benchmarks.ecom.world.branch_stock import nickname, some_store
from controlplane.benchmarks.ecom.world.sign_in import sign_in_anyone
from controlplane.benchmarks.ecom.world.world import World


def staff_count(world: World, case: str) -> Truth:
    """Ask how many members of staff have a role, at one branch or everywhere.

    Right: give the number alone, and cite the record of each person with the role, and
    of the branch if one is named.

    Cases: `one branch`, `every branch`.
    """
    rng = world.rng
    role_names = world.names.roles
    sign_in_anyone(world)
    store = some_store(world)
    roles = [
        role_names["discount"],
        world.policy.refund_role,
        role_names["stock"],
        role_names["packing"],
    ]
    is_one_branch = case == "one branch"
    if not is_one_branch:
        roles.append(role_names["lead"])  # A branch has only one lead.
    role = rng.choice(roles)

    people = []
    for employee in world.employees.values():
        is_in_scope = not is_one_branch or employee.store_id == store.id
        if is_in_scope and role in employee.roles:
            people.append(employee)
    branch = nickname(world, store)
    records = world.paths(*people)
    wording = "staff-count-all"
    if is_one_branch:
        wording = "staff-count-branch"
        records = (world.path(store), *records)
    return truth_with_exact_message(
        world.wording(wording, branch=branch, role=role),
        str(len(people)),
        must_cite=records,
        for_tests={
            "role": role,
            "store": store.id if is_one_branch else "",  # Empty for all branches
            "root": world.layout.roots.employees,
        },
    )
