"""Cases about records: people, choices, names, paths."""

from tests.exoskeleton.case_world import asker_of, records_of
from toolkit.records import (
    choose_record,
    leads_branch,
    linked_paths,
    named_records,
    repaired_paths,
    shielded,
    staff_with_role,
)


def paths_of(finding) -> list:
    return [each.path for each in finding.refs]


def staff_count(given: dict) -> dict:
    flags = given["flags"]
    if not flags.get("count_staff"):
        return {"applies": False}
    found = staff_with_role(records_of(given), flags.get("role", ""), flags.get("branch", ""))
    return {"applies": False} if found is None else {"applies": True, "count": found.value, "records": paths_of(found)}


def lead_check(given: dict) -> dict:
    found = leads_branch(
        records_of(given),
        asker_of(given),
        person=given["person"],
        branch=given["branch"],
        lead_role=given.get("lead_role", "store_manager"),
    )
    return {"verified": found.value, "records": paths_of(found)}


def basket_choice(given: dict) -> dict:
    flags = given["flags"]
    if not flags.get("checkout") or flags.get("basket_id"):
        return {"kind": "none"}
    found = choose_record(records_of(given), asker_of(given), kind="basket", selector=flags.get("selector", ""))
    return {
        "kind": found.kind.value,
        "ids": [each.id for each in found.records],
        "records": [each.path for each in found.records],
    }


PARTS = {
    "staff_count": staff_count,
    "lead_check": lead_check,
    "basket_choice": basket_choice,
    "named_records": lambda given: {"records": named_records(records_of(given), asker_of(given), given["text"])},
    "path_repair": lambda given: {"paths": repaired_paths(records_of(given), given["paths"])},
    "linked_payment": lambda given: {"records": linked_paths(records_of(given), given["records"], key="payment_id")},
    "staff_shield": lambda given: {"records": shielded(records_of(given), asker_of(given), given["records"])},
}
