"""Cases about records: people, choices, names, paths."""

from tests.exoskeleton.case_world import asker_of, records_of
from toolkit.records import (
    branches,
    choose_record,
    linked_paths,
    named_records,
    open_records,
    record_called,
    repaired_paths,
    role_holders,
    shielded,
    works_at,
)


def paths_of(finding) -> list:
    return [ref.path for ref in finding.refs]


def staff_count(given: dict) -> dict:
    flags = given["flags"]
    if not flags.get("count_staff"):
        return {"applies": False}
    records, role = records_of(given), flags.get("role", "")
    place = record_called(branches(records), flags["branch"]) if flags.get("branch") else None
    if not role or (flags.get("branch") and place is None):
        return {"applies": False}
    found = role_holders(records, role, place)
    return {"applies": True, "count": found.value, "records": paths_of(found)}


def lead_check(given: dict) -> dict:
    role = given.get("lead_role", "store_manager")
    found = works_at(records_of(given), asker_of(given), given["person"], given["branch"], role)
    return {"verified": found.value, "records": paths_of(found)}


def basket_choice(given: dict) -> dict:
    flags = given["flags"]
    if not flags.get("checkout") or flags.get("basket_id"):
        return {"kind": "none"}
    own = open_records(records_of(given), asker_of(given), "basket")
    found = choose_record(own, flags.get("selector", ""))
    return {
        "kind": found.kind,
        "ids": [record.id for record in found.records],
        "records": [record.path for record in found.records],
    }


PARTS = {
    "lead_check": lead_check,
    "basket_choice": basket_choice,
    "staff_count": staff_count,
    "named_records": lambda given: {"records": named_records(records_of(given), asker_of(given), given["text"])},
    "path_repair": lambda given: {"paths": repaired_paths(records_of(given), given["paths"])},
    "linked_payment": lambda given: {"records": linked_paths(records_of(given), given["records"], key="payment_id")},
    "staff_shield": lambda given: {"records": shielded(records_of(given), asker_of(given), given["records"])},
}
