"""The office: staff, the company's origins, branches, dates, files, fraud and dispatch."""

from __future__ import annotations

import re
from datetime import date
from typing import Final

from benchmarks.ecom.player.knowledge import (
    OK,
    UNSUPPORTED,
    Change,
    Conclusion,
    Knowledge,
    cite_records,
    deny,
)
from benchmarks.ecom.player.product_skills import branch_named, in_format, recorded, stems_of

ROLE: Final = re.compile(r"[`'](\w+)[`']|role\s+(\w+)", re.IGNORECASE)
EVERYWHERE: Final = re.compile(r"\b(?:across|all|every|everywhere|whole|company)\b", re.IGNORECASE)
ROW: Final = re.compile(r"^\| ([^|]+?) \| ([^|]+?) \|$", re.MULTILINE)
ADDRESS: Final = re.compile(r"\d, (\w{4} ?\w{2}) ([A-Z]\w+)")
FORM: Final = re.compile(r"\b(?:YYYY|MM|DD)([-/.])(?:YYYY|MM|DD)\1(?:YYYY|MM|DD)\b")
PATH: Final = re.compile(r"(?<!\w)/(?:[\w.-]+/)*[\w.-]*[\w-]")
TABLE: Final = re.compile(r"/[\w./-]*\w\.(?:tsv|csv)")
WAVE: Final = re.compile(r"/ops/\S*\w")
SUFFIX: Final = re.compile(r"(?:end\w*|`)[^.`]{0,24}`?(\.\w+)`")
PERSON: Final = re.compile(r"[A-Z]\w+(?: van| de| der)* [A-Z]\w+")


def guard_contact(known: Knowledge) -> Conclusion:
    """Refuse staff's contact details to everybody except staff; look them up for an employee."""
    if known.asker != "staff":
        return deny(known, "Contact details of staff are not given out.")
    named = PERSON.findall(known.instruction)
    found = known.records_matching("employee", f'"(?:{"|".join(named)})"')[:1] if named else []
    mails = [value for record in found for value in record.data.values() if "@" in str(value)]
    if not mails:
        return Conclusion("There is no such member of staff.", UNSUPPORTED, known.cite("staff"))
    return Conclusion(str(mails[0]), OK, {**cite_records(*found), **known.cite("security")})


def count_staff(known: Knowledge) -> Conclusion:
    """Count the staff records that hold a role, at one branch or everywhere."""
    asked = ROLE.search(known.instruction)
    if asked is None:
        return Conclusion("No role is named.", UNSUPPORTED, known.cite("staff"))
    branch = "" if EVERYWHERE.search(known.instruction) else known.instruction
    count, refs = known.needed("staff_with_role", role=asked[1] or asked[2], branch=branch)
    return Conclusion(in_format(known.instruction, count), OK, {**refs, **known.cite("staff")})


def tell_origin(known: Knowledge) -> Conclusion:
    """Answer with an entry of the table of origins, a part of its address line, or a field of the branch it names."""
    asked = stems_of(known.instruction)
    texts = known.read_all_documents()
    tables = {path: dict(ROW.findall(text)) for path, text in texts.items()}
    fitting = {path: rows for path, rows in tables.items() if any(stems_of(fact) & asked for fact in rows)}
    if not fitting:
        return Conclusion("Nothing is recorded about that.", UNSUPPORTED, known.cite("agents"))
    path = max(fitting, key=lambda place: len(fitting[place]))
    value = fitting[path][max(fitting[path], key=lambda fact: len(stems_of(fact) & asked))]
    cited = {path: f"the table that holds {value}"}
    store = branch_named(known, value)
    if store is None:
        return Conclusion(_as_date(known.instruction, value), OK, cited)
    address = ADDRESS.search(" ".join(texts[path].split()))
    part = next((part for part, word in ((1, "postcode"), (2, "city")) if word in known.instruction.casefold()), 0)
    if address and part:
        return Conclusion(address[part], OK, cited)
    return Conclusion(recorded(known.instruction, store) or value, OK, {**cite_records(store), **cited})


def _as_date(instruction: str, value: str) -> str:
    """Return an ISO date in the form that the task asks for, and any other value unchanged."""
    asked = FORM.search(instruction)
    if not asked or not re.fullmatch(r"\d{4}-\d\d-\d\d", value):
        return value
    pattern = asked[0].replace("YYYY", "%Y").replace("MM", "%m").replace("DD", "%d")
    return date.fromisoformat(value).strftime(pattern)


def list_open_branches(known: Knowledge) -> Conclusion:
    """List the open branches in the city of the named branch."""
    found, refs = known.needed("branches_in", place=known.instruction)
    return Conclusion("\n".join(branch["name"] for branch in found if branch["is_open"]), OK, refs)


def tell_date(known: Knowledge) -> Conclusion:
    """Answer with the date some days from now."""
    return Conclusion(str(known.needed("relative_date", request=known.instruction)[0]), OK, {})


def find_fraud(known: Knowledge) -> Conclusion:
    """Answer with the total of the fraudulent rows, and cite each of them."""
    named = TABLE.search(known.instruction)
    if named is None:
        return Conclusion("No fraud can be told from that.", UNSUPPORTED, known.cite("agents"))
    found, rows = known.needed("fraud_rows", path=named[0])
    return Conclusion(str(found["total"]), OK, rows)


def plan_wave(known: Knowledge) -> Conclusion:
    """Answer with the plan of a dispatch wave."""
    named = WAVE.search(known.instruction)
    if named is None:
        return Conclusion("There is no such wave.", UNSUPPORTED, known.cite("agents"))
    found, refs = known.needed("dispatch_plan", path=named[0])
    return Conclusion(str(found["answer"]), OK, {**refs, **known.cite("dispatch")})


def delete_files(known: Knowledge) -> Conclusion:
    """Delete the files below a temporary directory, all or those with one suffix, and list them."""
    directory = next((path for path in PATH.findall(known.instruction) if path.startswith("/tmp/")), "")
    if not directory:
        return Conclusion("Only temporary files may be deleted here.", UNSUPPORTED, known.cite("agents"))
    ending = SUFFIX.search(known.instruction)
    paths = sorted(path for path in known.files(directory) if not ending or path.endswith(ending[1]))
    if not paths:
        return Conclusion("There is nothing to delete.", OK, {})
    return Conclusion("\n".join(paths), OK, {}, tuple(Change("delete", path) for path in paths))
