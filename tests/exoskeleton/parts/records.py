"""Answers to recorded cases about records of a shop: staff, baskets, payments.

    named_records   "Refund pay7 and basket 57" -> /proc/payments/pay_007.json and
                                                   /proc/baskets/basket_057.json

`world` has the files of the shop and who asks, see `worlds.py`. `flags` is what a model has found
out about the request: `{"count_staff": True, "role": "store_manager"}`.

A function answers the cases of one part of another solver: it gets the input of a case by its
keys, and returns what this project makes of it.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from controlplane.benchmarks.shop.workspace.records.path_repair import repaired_paths
from controlplane.benchmarks.shop.workspace.records.record_searches import (
    choose_record,
    linked_paths,
    named_records,
    open_records,
    record_called,
)
from controlplane.benchmarks.shop.workspace.staff import (
    branches,
    check_employment,
    role_holders,
    with_branches_for_people,
)
from tests.exoskeleton.parts.worlds import World, asker, workspace_records
from tests.exoskeleton.recorded_cases import Output, answers_part


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


@answers_part("basket_choice")
def choose_basket(world: World, flags: Mapping[str, Any]) -> Output:
    """Tell which of the asker's open baskets a request to buy one means.

    {"checkout": True, "selector": "newest"}   "selected": the newest one
    {"checkout": True}                         "ask" if there are several, otherwise "none"
    """
    selector = flags.get("selector", "")
    if not flags.get("checkout") or flags.get("basket_id"):
        return {"kind": "none"}
    own_records = open_records(
        workspace_records(world), asker(world), {"active", "open"}
    )
    own_baskets = [record for record in own_records if record.id.startswith("basket")]

    candidates = choose_record(own_baskets, selector)

    if len(candidates) > 1:
        kind = "ask"
    elif candidates and selector:
        kind = "selected"
    else:
        kind = "none"
        candidates = []
    return {
        "kind": kind,
        "ids": [record.id for record in candidates],
        "records": [record.path for record in candidates],
    }


@answers_part("named_records")
def find_named_records(world: World, text: str) -> Output:
    """Tell which records a text names: `pay7 and basket 57` names two."""
    return {"records": named_records(workspace_records(world), asker(world), text)}


@answers_part("path_repair")
def repair_paths(world: World, paths: Sequence[str]) -> Output:
    """Correct misspelt paths: `/docs/Security.md` becomes `/docs/security.md`, which exists."""
    return {"paths": repaired_paths(workspace_records(world).files, paths)}


@answers_part("linked_payment")
def find_linked_payments(world: World, records: Sequence[str]) -> Output:
    """Find the payments that records such as returns belong to, by their `payment_id`."""
    paths = linked_paths(workspace_records(world), records, key="payment_id")
    return {"records": paths}


@answers_part("staff_shield")
def replace_people_by_branches(world: World, records: Sequence[str]) -> Output:
    """Tell what an answer to a customer cites in place of these records.

    Never the record of an employee, but that of the employee's branch. Staff may see both.
    """
    paths = with_branches_for_people(workspace_records(world), asker(world), records)
    return {"records": paths}
