"""Products: counts below a price limit, their fields, and receipts that list them."""

from __future__ import annotations

import re
from typing import Final

from benchmarks.ecom.player.knowledge import (
    CLARIFICATION,
    OK,
    UNSUPPORTED,
    Cited,
    Conclusion,
    Knowledge,
    Record,
    cite_records,
    deny,
)
from benchmarks.ecom.player.record_skills import basket_id, record_use, refusal

SKU: Final = re.compile(r"\b[A-Z]{2,}(?:-[A-Z0-9]+){2,}\b")
RULED_OUT: Final = re.compile(r"\b(?:but not|not the|except|other than|excluding)\b([^.?!]*)", re.IGNORECASE)
TEMPLATE: Final = re.compile(r"""["'`]([^"'`\n]*%d[^"'`\n]*)["'`]|(\S*%d\S*)""")
DESCRIBED: Final = re.compile(
    r"(?:(?:of|for|is)? ?this: ?|\b(?:of|for|sell|have|get|buy|which sku is) (?:the |an? |\d+ (?:units? of )?)?)"
    r"(?P<phrase>.+?)(?: available| in stock| at |,| that\b| whose\b|\?|\. |$)",
    re.IGNORECASE,
)
EUROS: Final = re.compile(r"EUR ?(\d[\d,]*(?:\.\d+)?)")
QUOTED: Final = re.compile(r"`([\w.]+)`")
LINE: Final = re.compile(r"`([\w ]+\|[\w |]+)`")
OWN: Final = re.compile(r"\bmy (?:own )?(?:staff|employee)\b|\blook me up\b", re.IGNORECASE)
UPLOAD: Final = re.compile(r"(?<!\w)/(?:[\w.-]+/)+[\w.-]*\w")


def in_format(instruction: str, count: int) -> str:
    """Return a count in the task's template, or the bare number without a template."""
    found = TEMPLATE.search(instruction)
    template = (found[1] or found[2].rstrip(".,;")) if found else "%d"
    return template.replace("%d", str(count))


def stems_of(text: str) -> set[str]:
    """Return the prefixes of the words of a text, which inflected forms share."""
    return {word[:4] for word in re.findall(r"[a-z]+", text.casefold())} - {"the", "of", "as", "a", "is"}


def branch_named(known: Knowledge, text: str) -> Record | None:
    """Return the branch that a text names."""
    found, _ = known.computed("branches_in", place=text)
    said = set(text.casefold().split())
    by_words = {str(branch["id"]): len(said & set(branch["name"].casefold().split())) for branch in found or ()}
    best = [name for name, count in by_words.items() if count == max(by_words.values())]
    return next(iter(known.records("branch", best[:1])), None)


def _skus_meant(known: Knowledge, *, below_cents: int = 0) -> tuple[list[str], Cited]:
    """Return the SKUs that the task names or describes, without the ruled-out ones, and their references."""
    text = RULED_OUT.sub(" ", known.instruction)
    if named := list(dict.fromkeys(SKU.findall(text))):
        return named, cite_records(*known.records("product", named))
    described = DESCRIBED.search(text)
    found, refs = known.computed(
        "match_products", description=described["phrase"] if described else text, below_cents=below_cents
    )
    return [str(product["sku"]) for product in found or ()], refs


def _undecided(known: Knowledge, skus: list[str], refs: Cited) -> Conclusion:
    """Return the answer to a question about one product if several products fit, or none."""
    if not skus:
        return Conclusion("No product fits that.", UNSUPPORTED, known.cite("catalogue"))
    question = f"Which one do you mean: {' or '.join(skus)}?"
    return Conclusion(question, CLARIFICATION, {**refs, **known.cite("catalogue")})


def count_below_price(known: Knowledge) -> Conclusion:
    """Count the described products that cost less than a limit."""
    skus, refs = _skus_meant(known, below_cents=_cents(known.instruction))
    return Conclusion(in_format(known.instruction, len(skus)), OK, {**refs, **known.cite("catalogue")})


def _cents(text: str) -> int:
    amount = EUROS.search(text)
    return round(float(amount[1].replace(",", "")) * 100) if amount else 0


def recorded(instruction: str, record: Record) -> str:
    """Return the value of the field that the task names, in back quotes or in words, or an empty string."""
    named = QUOTED.search(instruction)
    if not named:
        asked = stems_of(instruction)
        fits = {field: len(stems_of(field)) for field in record.data if stems_of(field) and stems_of(field) <= asked}
        return record.text(max(fits, key=lambda field: fits[field])) if fits else ""
    section, _, name = named[1].rpartition(".")
    part = record.data.get(section)
    nested = [value for value in record.data.values() if isinstance(value, dict)]
    holders = [part] if isinstance(part, dict) else [record.data, *nested]
    return next((value for holder in holders if (value := Record(record.path, holder).text(name))), "")


def tell_field(known: Knowledge) -> Conclusion:
    """Answer with a field of a basket, of the asker's own staff record, of a product or of a branch."""
    if basket_id(known):
        use, _ = record_use(known, basket_id(known))
        return refusal(known, use) or _field_answer(known, known.records("basket", [basket_id(known)]))
    if OWN.search(known.instruction):
        if known.asker != "staff":
            return deny(known, "Only staff may see staff records.")
        employees, line = known.records("employee", [known.user]), LINE.search(known.instruction)
        if line and employees:
            values = " | ".join(employees[0].text(field.strip()) for field in line[1].split("|"))
            return Conclusion(values, OK, cite_records(*employees), tokens=(values,))
        return _field_answer(known, employees)
    store = None if SKU.search(known.instruction) else branch_named(known, known.instruction)
    if store:
        return _field_answer(known, [store])
    skus, refs = _skus_meant(known)
    return _undecided(known, skus, refs) if len(skus) > 1 else _field_answer(known, known.records("product", skus))


def _field_answer(known: Knowledge, records: list[Record]) -> Conclusion:
    value = recorded(known.instruction, records[0]) if records else ""
    if not value:
        cited = {**cite_records(*records), **known.cite("agents")}
        return Conclusion("Nothing is recorded about that.", UNSUPPORTED, cited)
    return Conclusion(value, OK, cite_records(*records), tokens=(value,))


def rebuy_receipt(known: Knowledge) -> Conclusion:
    """Answer whether everything on a receipt is available today at its branch."""
    return _receipt_answer(known, "can_be_bought")


def compare_subtotal(known: Knowledge) -> Conclusion:
    """Answer whether the same lines cost about the same today, without tax."""
    return _receipt_answer(known, "within")


def _receipt_answer(known: Knowledge, part: str) -> Conclusion:
    path = UPLOAD.search(known.instruction)
    found, refs = known.needed(
        "settle_receipt", path=path[0] if path else "", tolerance_cents=_cents(known.instruction)
    )
    word = known.layout("yes" if found[part] else "no")
    return Conclusion(str(word), OK, {**refs, **known.cite("uploads", "stock")})
