"""Staff: guard contact details, count roles."""

from __future__ import annotations

import re
from typing import Final

from benchmarks.ecom.player.answer_formats import in_format
from benchmarks.ecom.player.conclusions import OK, UNSUPPORTED, Conclusion, cite_records, deny
from benchmarks.ecom.player.customer_phrases import branch_named
from benchmarks.ecom.player.knowledge import Knowledge

ROLE: Final = re.compile(r"[`'](\w+)[`']|role\s+(\w+)", re.IGNORECASE)
EVERYWHERE: Final = re.compile(r"\b(?:across|all|every|whole|company)\b", re.IGNORECASE)


def guard_contact(known: Knowledge) -> Conclusion:
    """Refuse staff's contact details to everybody outside staff; look them up for an employee."""
    if not known.identity.is_staff:
        return deny(known, "Contact details of staff are not given out.")
    names = known.matching_lines("staff", '"display_name":')
    asked = [path for path, line in names if line.split('"')[3] in known.instruction]
    if not asked:
        return Conclusion("There is no such member of staff.", UNSUPPORTED, known.cite("staff"))
    employee = known.record("staff", asked[0].rsplit("/", 1)[1].removesuffix(".json"))
    return Conclusion(
        employee.text("email") if employee else "", OK, {**cite_records(employee), **known.cite("security")}
    )


def count_staff(known: Knowledge) -> Conclusion:
    """Count the staff records that hold a role, at one branch or everywhere."""
    asked = ROLE.search(known.instruction)
    if asked is None:
        return Conclusion("No role is named.", UNSUPPORTED, known.cite("staff"))
    role = asked[1] or asked[2]
    store, holding = known.look_up_both(
        lambda: None if EVERYWHERE.search(known.instruction) else branch_named(known, known.instruction),
        lambda: known.records_matching("staff", f'"{role}"'),
    )
    counted = [each for each in holding if role in each.words("roles")]
    if store:
        counted = [each for each in counted if each.text("store_id") == store.text("id")]
    citations = {**cite_records(store, *counted), **known.cite("staff")}
    return Conclusion(in_format(known.instruction, len(counted)), OK, citations)
