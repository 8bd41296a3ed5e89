"""Staff: how many have a role, and who may be told what of whom."""

from __future__ import annotations

import re
from typing import Final

from benchmarks.ecom.player.conclusions import OK, UNSUPPORTED, Conclusion, cited, denied
from benchmarks.ecom.player.customer_phrases import branch_named
from benchmarks.ecom.player.formats import in_format
from benchmarks.ecom.player.known import Known

ROLE: Final = re.compile(r"role\s+[`'\"]?(\w+)", re.IGNORECASE)
EVERYWHERE: Final = re.compile(r"\b(?:across|all|every)\b[^.?]*\b(?:staff|employee)", re.IGNORECASE)


def guard_contact(known: Known) -> Conclusion:
    """Refuse contact details of staff to everybody outside staff; look them up for an employee."""
    if not known.identity.is_staff:
        return denied(known, "Contact details of staff are not given out.")
    names = known.lines("staff", '"display_name":')
    asked = [path for path, line in names if line.split('"')[3] in known.instruction]
    if not asked:
        return Conclusion("There is no such member of staff.", UNSUPPORTED, known.because("staff"))
    employee = known.record("staff", asked[0].rsplit("/", 1)[1].removesuffix(".json"))
    return Conclusion(employee.text("email") if employee else "", OK, {**cited(employee), **known.because("security")})


def count_staff(known: Known) -> Conclusion:
    """Count the staff records that hold a role, at one branch or everywhere."""
    asked = ROLE.search(known.instruction)
    if asked is None:
        return Conclusion("No role is named.", UNSUPPORTED, known.because("staff"))
    role = asked[1]
    store, holding = known.both(
        lambda: None if EVERYWHERE.search(known.instruction) else branch_named(known, known.instruction),
        lambda: known.holding("staff", f'"{role}"'),
    )
    counted = [each for each in holding if role in each.words("roles")]
    if store:
        counted = [each for each in counted if each.text("store_id") == store.text("id")]
    citations = {**cited(store, *counted), **known.because("staff")}
    return Conclusion(in_format(known.instruction, len(counted)), OK, citations)
