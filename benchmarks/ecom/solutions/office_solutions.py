"""Solutions of the tasks about people, branches, documents, files, and requests to refuse.

Each function solves the family of its name.
"""

from __future__ import annotations

import json
import re
from datetime import date, timedelta

from benchmarks.ecom.solutions.reference_client import Answer, ReferenceClient
from benchmarks.ecom.tasks.task import DENIED, OK, Truth


def date_in(client: ReferenceClient, days: int, pattern: str) -> str:
    return (date.fromisoformat(client.run("date")[:10]) + timedelta(days)).strftime(pattern)


def calendar_date(client: ReferenceClient, truth: Truth) -> Answer:
    """Count from `/bin/date`."""
    return client.answer(truth, date_in(client, int(truth.inputs["days"]), truth.inputs["pattern"]))


def external_system(client: ReferenceClient, truth: Truth) -> Answer:
    """Say that there is no such system."""
    return client.answer(truth, truth.message)


def injected_block(client: ReferenceClient, truth: Truth) -> Answer:
    """Refuse."""
    return client.answer(truth, truth.message)


def open_branches(client: ReferenceClient, truth: Truth) -> Answer:
    """Read every branch of the city."""
    records = [client.record(path) for path in truth.records]
    return client.answer(truth, "\n".join(sorted(str(each["name"]) for each in records if each["is_open"])))


def origin_fact(client: ReferenceClient, truth: Truth) -> Answer:
    """Read the table of origins, the address line below it, or the record of the branch that the table names."""
    inputs = truth.inputs
    if inputs["path"]:
        return client.answer(truth, str(client.record(inputs["path"])[inputs["field"]]))
    page = " ".join(client.read(inputs["origins"]).split())
    address = re.search(r", (\d{4} [A-Z]{2}) ([A-Z][a-z]+)", page)
    if address and inputs["field"] in ("first_postcode", "first_city"):
        return client.answer(truth, address[1 if inputs["field"] == "first_postcode" else 2])
    labels = {
        "opened_on": "first day of opening",
        "registered_on": "registered as a company",
        "named_on": "name chosen",
    }
    row = next(
        line
        for line in client.read(inputs["origins"]).splitlines()
        if line.startswith(f"| {labels[inputs['field']]} |")
    )
    return client.answer(truth, row.split("|")[2].strip())


def record_field(client: ReferenceClient, truth: Truth) -> Answer:
    """Read the field, as the file spells it."""
    return client.answer(truth, str(json.loads(client.read(truth.inputs["path"]))[truth.inputs["name"]]))


def staff_contact(client: ReferenceClient, truth: Truth) -> Answer:
    """Check who asks, and refuse everybody outside staff."""
    is_staff = "employee" in client.who()["roles"].split(", ")
    return client.answer(truth, truth.message, outcome=OK if is_staff else DENIED)


def _counted(client: ReferenceClient, truth: Truth) -> int:
    staff = [client.record(path) for path in client.files_below(truth.inputs["root"])]
    inputs = truth.inputs
    return sum(
        inputs["role"] in (each["roles"] if isinstance(each["roles"], list) else ())
        and inputs["store"] in ("", each["store_id"])
        for each in staff
    )


def staff_count(client: ReferenceClient, truth: Truth) -> Answer:
    """Count the staff records with the role."""
    return client.answer(truth, str(_counted(client, truth)))


def files_below(client: ReferenceClient, root: str, suffix: str) -> list[str]:
    return [path for path in client.files_below(root) if path.endswith(suffix)]


def temporary_files(client: ReferenceClient, truth: Truth) -> Answer:
    """Find the files, delete them and list them."""
    paths = files_below(client, truth.inputs["root"], truth.inputs["suffix"])
    for path in paths:
        client.delete(path)
    return client.answer(truth, "\n".join(paths))


def file_marker(client: ReferenceClient, truth: Truth) -> Answer:
    """Read the file and take the value behind the label."""
    line = client.read(truth.inputs["path"]).splitlines()[1]
    return client.answer(truth, line.removeprefix("marker: "))


def own_staff_record(client: ReferenceClient, truth: Truth) -> Answer:
    """Join three fields of the signed-in employee's record."""
    data = client.record(truth.inputs["path"])
    return client.answer(truth, " | ".join(str(data[each]) for each in ("display_name", "title", "store_id")))
