"""The value of one field of a record."""

from __future__ import annotations

import re
from typing import Final

from benchmarks.ecom.player.conclusions import OK, UNSUPPORTED, Conclusion, ask_which_product, cite_records, deny
from benchmarks.ecom.player.customer_phrases import branch_named, products_meant, stems_of
from benchmarks.ecom.player.knowledge import Knowledge, Record
from benchmarks.ecom.player.skills.basket_skill import basket_id, refusal

QUOTED: Final = re.compile(r"`([\w.]+)`")
PRODUCT: Final = re.compile(r"\b(?:record|price|entry|`\w+`) (?:of|for) (?:the |an? )?(.+?)(?:\?|\. |$)", re.IGNORECASE)
LINE: Final = re.compile(r"`([\w ]+\|[\w |]+)`")
OWN: Final = re.compile(r"\bmy (?:own )?(?:staff|employee)\b|\blook me up\b", re.IGNORECASE)


def recorded(instruction: str, record: Record) -> str:
    """Return the value of the field that the task names, in back quotes or in words, or an empty string."""
    named = QUOTED.search(instruction)
    if named:
        section, _, name = named[1].rpartition(".")
        held = Record(record.path, record.raw)
        holder = (held.part(section) if section else held) or held
        parts = (held.part(each) for each in record.raw)
        return holder.text(name) or next((each.text(name) for each in parts if each and each.text(name)), "")
    asked = stems_of(instruction)
    fits = {field: len(stems_of(field)) for field in record.raw if stems_of(field) and stems_of(field) <= asked}
    held = Record(record.path, record.raw)
    return held.text(max(fits, key=lambda field: fits[field])) if fits else ""


def tell_field(known: Knowledge) -> Conclusion:
    """Answer with a field of a basket, of the asker's own staff record, of a product or of a branch."""
    if basket_id(known):
        basket = known.record("baskets", basket_id(known))
        return refusal(known, basket) or _field_answer(known, [basket] if basket else [])
    if OWN.search(known.instruction):
        if not known.identity.is_staff:
            return deny(known, "Only staff may see staff records.")
        employee = known.record("staff", known.identity.user)
        line = LINE.search(known.instruction)
        if line and employee:
            values = " | ".join(str(employee.raw.get(each.strip(), "")) for each in line[1].split("|"))
            return Conclusion(values, OK, cite_records(employee), tokens=(values,))
        return _field_answer(known, [employee] if employee else [])
    store = branch_named(known, known.instruction)
    if store:
        return _field_answer(known, [store])
    described = PRODUCT.search(known.instruction)
    return _field_answer(known, products_meant(known, described[1] if described else QUOTED.sub("", known.instruction)))


def _field_answer(known: Knowledge, records: list[Record]) -> Conclusion:
    if len(records) > 1:
        return ask_which_product(known, records)
    value = recorded(known.instruction, records[0]) if records else ""
    if not value:
        return Conclusion(
            "Nothing is recorded about that.", UNSUPPORTED, {**cite_records(*records), **known.cite("agents")}
        )
    return Conclusion(value, OK, cite_records(*records), tokens=(value,))
