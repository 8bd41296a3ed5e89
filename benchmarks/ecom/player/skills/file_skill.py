"""Files: read receipts, write exports, delete temporary files."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date, timedelta
from difflib import SequenceMatcher
from typing import Final

from benchmarks.ecom.player.conclusions import OK, UNSUPPORTED, Change, Conclusion, Proof, cite_records
from benchmarks.ecom.player.customer_phrases import branch_named, branch_names, words_of
from benchmarks.ecom.player.knowledge import Knowledge, Record
from benchmarks.ecom.player.read_policies import yes_or_no
from benchmarks.ecom.player.skills.stock_skill import available, stock_by_sku

PATH: Final = re.compile(r"(?<!\w)/(?:[\w.-]+/)*[\w.-]*[\w-]")
SUFFIX: Final = re.compile(r"(?:end\w*|`)[^.`]{0,24}`?(\.\w+)`")
FAMILY: Final = re.compile(r"\bfam-[\w-]+")
COLUMNS: Final = re.compile(r"\bSKU(?:,\d{4}-\d\d-\d\d)+")
BOUGHT: Final = re.compile(r"^\W*(?:\d+\W+)?(\d+) ?[x*] (.+)$")
AMOUNT: Final = re.compile(r"\s*(?:EUR|€) ?[\d.,]+\s*$")
MISREAD: Final = str.maketrans("015", "ols")


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
        lambda: known.records_matching("products", f'"family_id": "{family[0]}"'),
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


def rebuy_receipt(known: Knowledge) -> Conclusion:
    """Answer whether everything on a receipt is available today at its branch."""
    receipt, (names, _) = known.look_up_both(
        lambda: _receipt(known), lambda: known.look_up_both(lambda: _product_names(known), lambda: branch_names(known))
    )
    path, text = receipt
    wanted: dict[str, int] = {}
    for quantity, name in bought(text):
        sku = names[max(names, key=lambda each: _likeness(each, name))]
        wanted[sku] = wanted.get(sku, 0) + quantity
    store, products = known.look_up_both(lambda: branch_named(known, text), lambda: known.records("products", wanted))
    if store is None:
        return Conclusion("There is no such receipt.", UNSUPPORTED, known.cite("uploads"))
    here = stock_by_sku(store)
    enough = all(_is_available(each, here, wanted[sku]) for sku, each in products.items())
    reason = f"receipt of {store.text('name')} with its lines"
    return Conclusion(
        yes_or_no(known, enough),
        OK,
        {path: reason, **cite_records(store, *products.values()), **known.cite("uploads", "stock")},
    )


def _product_names(known: Knowledge) -> dict[str, str]:
    """Return every product's SKU by its name."""
    named = known.matching_lines("products", '^  "name":')
    return {line.split('"')[3]: path.rsplit("/", 1)[1].removesuffix(".json") for path, line in named}


def _receipt(known: Knowledge) -> tuple[str, str]:
    """Return path and text of the named receipt, or of the one among the uploads."""
    named = path_named(known.instruction, "/uploads/")
    path = named or next((each for each in sorted(known.files("/uploads")) if "receipt" in each), "")
    return path, (known.text(path) or "") if path else ""


def _is_available(product: Record | None, here: dict[str, Record], quantity: int) -> bool:
    if product is None:
        return False
    return product.text("fulfilment") == "download" or available(here.get(product.text("sku"))) >= quantity


def bought(receipt: str) -> Iterator[tuple[int, str]]:
    """Yield quantity and name of every item; a name may continue up to the line that ends in its amount."""
    lines = iter(receipt.splitlines())
    for line in lines:
        item = BOUGHT.match(line)
        if item:
            name = item[2]
            while not AMOUNT.search(name):
                more = next(lines, None)
                if more is None:
                    break
                name = f"{name} {more.strip()}"
            yield int(item[1]), AMOUNT.sub("", name)


def _likeness(name: str, scanned: str) -> float:
    """Return how similar a name is to a scanned one; digits count as the letters that scans misread as them."""
    left, right = (" ".join(words_of(each)).translate(MISREAD) for each in (name, scanned))
    return SequenceMatcher(None, left, right, autojunk=False).ratio()
