"""The value of one field of a record."""

from __future__ import annotations

import re
from typing import Final

from benchmarks.ecom.player.conclusions import OK, UNSUPPORTED, Conclusion, ask_which_product, cite_records, deny
from benchmarks.ecom.player.customer_phrases import branch_named, products_meant, stems_of
from benchmarks.ecom.player.knowledge import Knowledge, Record
from benchmarks.ecom.player.skills.basket_skill import basket_id, refusal

QUOTED: Final = re.compile(r"`([\w.]+)`")
PRODUCT: Final = re.compile(r"\b(?:record|price|entry) (?:of|for) (?:the |an? )?(.+?)(?:\?|\. |$)", re.IGNORECASE)
OWN: Final = re.compile(r"\bmy (?:own )?(?:staff|employee)\b", re.IGNORECASE)


def recorded(instruction: str, record: Record) -> str:
    """Return the value of the field that the task names, in back quotes or in words, or an empty string."""
    named = QUOTED.search(instruction)
    if named:
        section, _, name = named[1].rpartition(".")
        holder = (record.part(section) if section else record) or record
        properties = record.part("properties")
        return holder.text(name) or (properties.text(name) if properties else "")
    asked = stems_of(instruction)
    fits = {field: len(stems_of(field)) for field in record.data if stems_of(field) and stems_of(field) <= asked}
    return record.text(max(fits, key=lambda field: fits[field])) if fits else ""


def tell_field(known: Knowledge) -> Conclusion:
    """Answer with a field of a basket, of the asker's own staff record, of a product or of a branch."""
    if basket_id(known):
        basket = known.record("baskets", basket_id(known))
        return refusal(known, basket) or _field_answer(known, [basket] if basket else [])
    if OWN.search(known.instruction):
        if not known.identity.is_staff:
            return deny(known, "Only staff may see staff records.")
        employee = known.record("staff", known.identity.user)
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
