"""The staff of a shop, and what others may see of them: compared with another solver.

A case is what another solver for the shop was recorded to do. `@answers_part` marks the function
that answers the cases of one part: it takes `input` by its keys, and should return `expect`.
`world` has the files of the shop and who asks, `flags` what a model has understood of the request.

    {"part": "staff_count",
     "input": {"world": {"files": {"/proc/staff/emp-4.json": {"id": "emp-4", "roles": ["store_manager"]}}},
               "flags": {"count_staff": True, "role": "store_manager"}},
     "expect": {"applies": True, "count": 1, "records": ["/proc/staff/emp-4.json"]}}
"""

from collections.abc import Mapping, Sequence
from typing import Any

from controlplane.benchmarks.shop.workspace.records import record_called
from controlplane.benchmarks.shop.workspace.staff import (
    branches,
    check_employment,
    role_holders,
    with_branches_for_people,
)
from tests.exoskeleton.answering_functions import Output, answers_part
from tests.exoskeleton.parts.worlds import World, asker, workspace_records


@answers_part("staff_count")
def count_staff(world: World, flags: Mapping[str, Any]) -> Output:
    """Tell how many employees have a role, at one branch or in the whole shop.

    {"count_staff": True, "role": "store_manager", "branch": "Graz Nord"} -> "count": 2
    """
    asks_for_count = flags.get("count_staff") and flags.get("role")
    if not asks_for_count:
        return {"applies": False}
    records = workspace_records(world)
    branch = None
    if flags.get("branch"):
        branch = record_called(branches(records), flags["branch"])
        if branch is None:  # The shop has no branch of this name.
            return {"applies": False}

    finding = role_holders(records, flags["role"], branch)

    paths = [ref.path for ref in finding.refs]
    return {"applies": True, "count": finding.value, "records": paths}


@answers_part("lead_check")
def check_lead(
    world: World, person: str, branch: str, lead_role: str = "store_manager"
) -> Output:
    """Tell whether a person has a role at a branch, as somebody who asks for a discount claims."""
    finding = check_employment(
        workspace_records(world), asker(world), person, branch, lead_role
    )
    paths = [ref.path for ref in finding.refs]
    return {"verified": finding.value, "records": paths}


@answers_part("staff_shield")
def replace_people_by_branches(world: World, records: Sequence[str]) -> Output:
    """Tell what an answer to a customer cites in place of these records.

    Never the record of an employee, but that of the employee's branch. Staff may see both.
    """
    paths = with_branches_for_people(workspace_records(world), asker(world), records)
    return {"records": paths}
