"""The company: its origins, its open branches, the date."""

from __future__ import annotations

import re
from datetime import date, timedelta
from typing import Final

from benchmarks.ecom.player.answer_formats import as_date
from benchmarks.ecom.player.conclusions import OK, UNSUPPORTED, Conclusion, cite_records
from benchmarks.ecom.player.customer_phrases import branch_named, stems_of
from benchmarks.ecom.player.knowledge import Knowledge
from benchmarks.ecom.player.skills.field_skill import recorded

ROW: Final = re.compile(r"^\| ([^|]+?) \| ([^|]+?) \|$", re.MULTILINE)
ADDRESS: Final = re.compile(r"\d, (\w{4} ?\w{2}) ([A-Z]\w+)")
SPAN: Final = re.compile(
    r"\b(?:in|after) (?P<count>\w+) (?P<unit>day|week)s?\b"
    r"|\b(?P<far>\w+) (?P<far_unit>day|week)s? (?P<way>from now|ago)\b",
    re.IGNORECASE,
)
DAYS: Final = {"day after tomorrow": 2, "day before yesterday": -2, "tomorrow": 1, "yesterday": -1, "today": 0}
COUNTS: Final = {"a": 1, "an": 1, "one": 1, "two": 2, "three": 3}


def tell_origin(known: Knowledge) -> Conclusion:
    """Answer with an entry of the table of origins, a part of its address line, or a field of the branch it names."""
    asked = stems_of(known.instruction)
    path, rows = _table(known, asked)
    if not rows:
        return Conclusion("Nothing is recorded about that.", UNSUPPORTED, known.cite("agents"))
    best = max(rows, key=lambda fact: len(stems_of(fact) & asked))
    value = rows[best]
    store = branch_named(known, value)
    citations = {path: known.reason_for(path)}
    if store is None:
        return Conclusion(as_date(known.instruction, value), OK, citations)
    address = ADDRESS.search(" ".join((known.text(path) or "").split()))
    part = next((part for part, word in ((1, "postcode"), (2, "city")) if word in known.instruction.casefold()), 0)
    if address and part:
        return Conclusion(address[part], OK, citations)
    return Conclusion(recorded(known.instruction, store) or value, OK, {**cite_records(store), **citations})


def _table(known: Knowledge, asked: set[str]) -> tuple[str, dict[str, str]]:
    """Return path and rows of the page with the longest table in which a fact has a word of the question."""
    paths = known.document_paths()
    known.look_up(*({"read": path} for path in paths if not known.is_shown(path)))
    tables = {path: dict(ROW.findall(known.text(path) or "")) for path in paths}
    fitting = {path: rows for path, rows in tables.items() if any(stems_of(fact) & asked for fact in rows)}
    path = max(fitting, key=lambda each: len(fitting[each]), default="")
    return path, fitting.get(path, {})


def list_open_branches(known: Knowledge) -> Conclusion:
    """List the open branches in the city of the named branch."""
    store = branch_named(known, known.instruction)
    if store is None:
        return Conclusion("There is no such branch.", UNSUPPORTED, known.cite("agents"))
    there = known.records_matching("branches", f': "{store.text("city")}"')
    names = sorted(each.text("name") for each in there if each.data.get("is_open") is True)
    return Conclusion("\n".join(names), OK, cite_records(*there))


def tell_date(known: Knowledge) -> Conclusion:
    """Answer with the date some days from now."""
    day: date = known.now.date() + timedelta(days=days_from_now(known.instruction))
    return Conclusion(as_date(known.instruction, day.isoformat()), OK, {})


def days_from_now(text: str) -> int:
    """Return how many days from today a text means; past days are negative."""
    span = SPAN.search(text)
    count = (span["count"] or span["far"]).casefold() if span else ""
    if span and (count in COUNTS or count.isdecimal()):
        unit = span["unit"] or span["far_unit"]
        days = (COUNTS.get(count) or int(count)) * (7 if unit.casefold() == "week" else 1)
        return -days if (span["way"] or "").casefold() == "ago" else days
    return next((days for words, days in DAYS.items() if words in text.casefold()), 0)
