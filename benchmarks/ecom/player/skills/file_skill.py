"""Files: read receipts, write exports, delete temporary files."""

from __future__ import annotations

import re
from datetime import date, timedelta
from typing import Final

from benchmarks.ecom.player.conclusions import OK, UNSUPPORTED, Change, Conclusion, Proof, cite_records
from benchmarks.ecom.player.customer_phrases import branch_named
from benchmarks.ecom.player.knowledge import Knowledge, Record
from benchmarks.ecom.player.skills.stock_skill import available, stock_by_sku

PATH: Final = re.compile(r"(?<!\w)/(?:[\w.-]+/)*[\w.-]*[\w-]")
SUFFIX: Final = re.compile(r"(?:end\w*|`)[^.`]{0,24}`?(\.\w+)`")
FAMILY: Final = re.compile(r"\bfam-[\w-]+")
COLUMNS: Final = re.compile(r"\bSKU(?:,\d{4}-\d\d-\d\d)+")
MARKER: Final = re.compile(r"marker: *(\S+)")


def path_named(text: str, under: str) -> str:
    """Return the first path below `under` that a text names, or an empty string."""
    return next((path for path in PATH.findall(text) if path.startswith(under)), "")


def delete_files(known: Knowledge) -> Conclusion:
    """Delete the files below a temporary directory, all or those with one suffix, and list them."""
    directory = path_named(known.instruction, "/tmp/")
    if not directory:
        return Conclusion("Only temporary files may be deleted here.", UNSUPPORTED, known.cite("agents"))
    ending = SUFFIX.search(known.instruction)
    paths = sorted(path for path in known.files(directory) if not ending or path.endswith(ending[1]))
    if not paths:
        return Conclusion("There is nothing to delete.", OK, {})
    return Conclusion("\n".join(paths), OK, {}, changes=tuple(Change("delete", path) for path in paths))


def export_inventory(known: Knowledge) -> Conclusion:
    """Write one product family's stock at one branch as CSV, with columns for today and later dates."""
    target = path_named(known.instruction, "/exports/")
    family, columns = FAMILY.search(known.instruction), COLUMNS.search(known.instruction)
    if not (target and family and columns):
        return Conclusion("Path, family or columns are missing.", UNSUPPORTED, known.cite("exports"))
    store, products = known.look_up_both(
        lambda: branch_named(known, known.instruction),
        lambda: known.records_matching("products", f': "{family[0]}"'),
    )
    if store is None or not products:
        return Conclusion("There is no such branch or family.", UNSUPPORTED, known.cite("exports"))
    today = known.now.date()
    days = [date.fromisoformat(each) - today for each in columns[0].split(",")[1:]]
    here = stock_by_sku(store)
    lines = [columns[0]]
    for sku in sorted(each.text("sku") for each in products):
        lines.append(",".join([sku, *(str(_arriving(here.get(sku), day)) for day in days)]))
    text = "\n".join(lines) + "\n"
    return Conclusion(
        target,
        OK,
        {**cite_records(store, *products), **known.cite("exports")},
        changes=(Change("write", target, content=text),),
        proof=Proof(target, text),
    )


def _arriving(row: Record | None, day: timedelta) -> int:
    """Return the units available today, or those that arrive on exactly that later day."""
    if not day:
        return available(row)
    due = row.rows("incoming") if row else []
    return sum(each.number("quantity") for each in due if each.number("arrives_in_days") == day.days)


def tell_marker(known: Knowledge) -> Conclusion:
    """Answer with the marker in the file that the task names."""
    path = path_named(known.instruction, "/tmp/")
    marker = MARKER.search(known.text(path) or "") if path else None
    if marker is None:
        return Conclusion("There is no such marker.", UNSUPPORTED, known.cite("agents"))
    return Conclusion(marker[1], OK, {path: f"the file with {marker[0]}"}, tokens=(marker[1],))
