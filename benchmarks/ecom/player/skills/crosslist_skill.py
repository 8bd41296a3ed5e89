"""Crosslists: which of our articles answer the lines of a competitor's request, and how far a branch can serve them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from benchmarks.ecom.player.conclusions import OK, UNSUPPORTED, Change, Conclusion, Proof, cite_records
from benchmarks.ecom.player.knowledge import Knowledge, Record
from benchmarks.ecom.player.skills.receipt_skill import DIGITS, branch_on_slip, names_of_products, nearest_name
from benchmarks.ecom.player.skills.stock_skill import available, stock_by_sku

TARGET: Final = re.compile(r"/exports/\S*\w")
UPLOAD: Final = re.compile(r"(?<!\w)/(?!exports/)(?:[\w.-]+/)+[\w.-]*\w")
LINE: Final = re.compile(r"^\s*(\w+)\s+([\dOSIlB]+)\s+(\S+-\w+)\s+(\S.*?)\s*$")
SPECS: Final = re.compile(r"^\s*specs: *(.+?)\s*$", re.IGNORECASE)
QUOTED: Final = re.compile(r"`([^`]+)`")
Wanted = tuple[str, int, str, str, dict[str, str]]
"""Number, quantity, code, description and specs of a line."""


def make_crosslist(known: Knowledge) -> Conclusion:
    """Write the report that the page on crosslists describes."""
    target, upload = TARGET.search(known.instruction), UPLOAD.search(known.instruction)
    if target is None or upload is None:
        return Conclusion("The request or the report is not named.", UNSUPPORTED, known.cite("crosslist"))
    text, names = known.look_up_both(lambda: known.text(upload[0]) or "", lambda: names_of_products(known))
    lines = list(_lines(text))
    if not (lines and names):
        return Conclusion("The request or the catalogue cannot be read.", UNSUPPORTED, known.cite("crosslist"))
    skus = [names[nearest_name(line[3], names)] for line in lines]
    store, products = known.look_up_both(lambda: branch_on_slip(known, text), lambda: known.records("products", skus))
    paths = known.document_paths()
    known.look_up(*({"read": path} for path in paths if not known.is_shown(path)))
    pages = [re.sub(r"\s+", " ", known.text(path) or "") for path in paths]
    said = [each for page in pages if "`line_no " in page for each in QUOTED.findall(page)]
    head = next((each for each in said if each.startswith("line_no ")), "")
    rows = [head.split(" "), *(_row(line, products[sku], store, said) for line, sku in zip(lines, skus, strict=True))]
    written = "".join("\t".join(row) + "\n" for row in rows)
    return Conclusion(
        target[0],
        OK,
        {upload[0]: f"the request {upload[0].rsplit('/', 1)[1]} with its lines", **cite_records(store)},
        changes=(Change("write", target[0], content=written),),
        proof=Proof(target[0], written),
    )


def _lines(text: str) -> Iterator[Wanted]:
    found: tuple[str, int, str, str] | None = None
    for line in text.splitlines():
        item, specs = LINE.match(line), SPECS.match(line)
        if item:
            found = item[1], int(item[2].translate(DIGITS)), item[3], item[4]
        elif specs and found:
            pairs = (each.partition("=") for each in specs[1].split(";"))
            yield (*found, {name.strip().casefold().replace(" ", "_"): value.strip() for name, _, value in pairs})
            found = None


def _row(line: Wanted, product: Record | None, store: Record | None, said: list[str]) -> list[str]:
    number, quantity, code, _, specs = line
    properties = product.part("properties") if product else None
    held = {name.casefold(): str(value).casefold() for name, value in properties.data.items()} if properties else {}
    fits = bool(specs) and all(held.get(name) == value.casefold() for name, value in specs.items())
    sku, name = (product.text("sku"), product.text("name")) if product else ("", "")
    is_open = bool(store and store.data.get("is_open"))
    free = available(stock_by_sku(store).get(sku)) if fits else 0
    served = min(free, quantity) if is_open else 0
    stock = "quantity available" if free >= quantity else "insufficient"
    why = "do not exactly match" if not fits else stock if is_open else "closed"
    reason = next((each for each in said if why in each), "")
    match = ["exact", sku, name] if fits else ["property_mismatch", "", ""]
    branch = store.text("id") if store else ""
    counts = [str(each) for each in (free, served, quantity - served)]
    return [number, code, name, str(quantity), branch, str(is_open).lower(), *match, *counts, reason]
