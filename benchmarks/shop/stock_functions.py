"""Functions about units of stock: at a branch, for a basket, for the lines of a scanned receipt."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from controlplane.benchmarks.shop.amounts import cents_of
from controlplane.benchmarks.shop.branches import branch_called, branches_around, named_branches
from controlplane.benchmarks.shop.catalogue import (
    Catalogue,
    Product,
    catalogue_of,
    product_reference,
)
from controlplane.benchmarks.shop.documents import marked_words, named_paths
from controlplane.benchmarks.shop.field_names import StockFields, line_fields, stock_fields
from controlplane.benchmarks.shop.field_shapes import Data, Shape, every_row, keys_of, rows_of
from controlplane.benchmarks.shop.kinds import Kind
from controlplane.benchmarks.shop.record_functions import named_record, reference_to
from controlplane.benchmarks.shop.records import Record
from controlplane.benchmarks.shop.text import sure
from controlplane.benchmarks.shop.workspace import ShopLayout, on_harness, text_of
from controlplane.sandbox.functions import FunctionResult, Reference


class BranchStock:
    """The units of one branch."""

    def __init__(
        self, layout: ShopLayout, branch: Record, fields: StockFields | None = None
    ) -> None:
        """`fields` are the names of its fields, where another branch shows them."""
        if fields is None:
            policy = layout.documents.get(layout.policies.get("stock", ""), "")
            shown = _with_deliveries([branch.data, *layout.samples(Kind.BRANCH)])
            fields = stock_fields(shown, frozenset(marked_words(policy)))
        self.fields = sure(fields, "it is not certain which fields of a branch count its units")
        self._rows = {
            str(row.get(self.fields.code)): row for row in rows_of(branch.data, self.fields.rows)
        }

    def units(self, code: str, days: int = 0) -> dict[str, int]:
        """Return `on_hand`, `reserved`, `available` today and `within` those days; all are 0 without a row."""
        row, fields = self._rows.get(code, {}), self.fields
        is_known = (
            not days
            or fields.incoming
            or not any(rows_of(row, key) for key in keys_of(row, Shape.ROWS))
        )
        sure(
            is_known, "it is not certain which field of a delivery says in how many days it arrives"
        )
        on_hand, reserved = int(row.get(fields.on_hand, 0)), int(row.get(fields.reserved, 0))
        available = max(on_hand - reserved, 0)
        due = (
            int(one[fields.quantity])
            for one in rows_of(row, fields.incoming)
            if int(one[fields.days]) <= days
        )
        return {
            "on_hand": on_hand,
            "reserved": reserved,
            "available": available,
            "within": available + sum(due),
        }


def _with_deliveries(branches: list[Data]) -> Data:
    """Return the branch that shows the fields: the first one with a row of deliveries, else the first."""
    for data in branches:
        listed = (
            row
            for _, row in every_row([data])
            if any(isinstance(value, list) for value in row.values())
        )
        if next(every_row(listed), None):
            return data
    return branches[0]


@on_harness
def stock_at(
    layout: ShopLayout, products: list[str], branch: str, days: int = 0
) -> FunctionResult[dict[str, Any]]:
    """Return a branch's units by SKU: `on_hand`, `reserved`, `available` today, and `within` some days.

    A product without a row has 0 units. Raises `CannotRead` for an unknown product or branch.
    """
    sure(products, "no product is named: pass SKUs")
    place = branch_called(layout, branch)
    catalogue = catalogue_of(layout)
    wanted = catalogue.with_codes(products)
    stock = BranchStock(layout, place)
    value = {product.code: stock.units(product.code, days) for product in wanted}
    notes = (*layout.stock_notes, *catalogue.coming_days(wanted))
    return FunctionResult(
        value, (reference_to(place, Kind.BRANCH), *map(product_reference, wanted)), notes
    )


def is_open(layout: ShopLayout, branch: Record) -> bool:
    """Say whether a branch is open. Raises `CannotRead` if the field that says so is not certain."""
    flags = keys_of(layout.samples(Kind.BRANCH)[0], Shape.FLAG)
    sure(len(flags) == 1, "it is not certain which field of a branch says whether it is open")
    return branch.data.get(flags[0]) is True


@on_harness
def branches_in(layout: ShopLayout, place: str) -> FunctionResult[list[dict[str, Any]]]:
    """Return the branches of a city, or of the city of a named branch: `id`, `name`, `path`, `is_open`, by name."""
    branches = branches_around(layout, place)
    value = [
        {
            "id": branch.id,
            "name": branch.name,
            "path": branch.path,
            "is_open": is_open(layout, branch),
        }
        for branch in branches
    ]
    return FunctionResult(value, tuple(reference_to(branch, Kind.BRANCH) for branch in branches))


@on_harness
def check_basket(layout: ShopLayout, basket: str) -> FunctionResult[dict[str, Any]]:
    """Return a basket's `state`, whether it `is_open`, `subtotal_cents`, `lines`, and the SKUs that are `short`.

    Each line has `sku`, `quantity`, `price_cents`, `available` at the basket's branch, and `needs_stock`. Raises
    `CannotRead` for a basket that the asker may not see.
    """
    found = checked_by_records(layout, basket)
    return FunctionResult(found.value, found.refs, (*found.notes, *layout.stock_notes))


def checked_by_records(layout: ShopLayout, basket: str) -> FunctionResult[dict[str, Any]]:
    """Return what `check_basket` does, without a search for pages that tell of other stock. Raises `CannotRead`."""
    record = named_record(layout, basket)
    is_seen = layout.kind_of(record.path) is Kind.BASKET and layout.asker.may_cite(record.owner)
    sure(is_seen, f"{basket} is no basket that the asker may see")
    linked = layout.records.read(
        path for link in record.links() if (path := layout.records.path_of(link))
    )
    why = f"the lines of {basket}, or its branch, are not certain"
    branch = sure(
        next((other for other in linked if layout.kind_of(other.path) is Kind.BRANCH), None), why
    )
    fields = sure(line_fields([record.data, *layout.samples(Kind.BASKET)]), why)
    catalogue, stock = catalogue_of(layout), BranchStock(layout, branch)
    counts = {
        str(row[fields.code]): int(row[fields.quantity])
        for row in rows_of(record.data, fields.rows)
    }
    products = {product.code: product for product in catalogue.with_codes(counts)}
    available = {code: stock.units(code)["available"] for code in counts}
    needing = [code for code in counts if products[code].needs_stock]
    lines = [
        {
            "sku": code,
            "quantity": count,
            "price_cents": products[code].price_cents,
            "available": available[code],
            "needs_stock": code in needing,
        }
        for code, count in counts.items()
    ]
    value = {
        "state": record.state,
        "is_open": record.state == layout.open_state,
        "branch": branch.id,
        "subtotal_cents": sum(
            (products[code].price_cents or 0) * count for code, count in counts.items()
        ),
        "short": [code for code in needing if available[code] < counts[code]],
        "lines": lines,
    }
    notes = (
        []
        if catalogue.stockless_mark
        else ["no policy marks which products need no stock: all were compared"]
    )
    for (
        code
    ) in needing:  # A page may say that another product serves it, or how many units a piece has.
        for key, detail in products[code].properties.items():
            notes += [f"{code} has `{key}` {detail}"] * (
                str(detail) in catalogue.codes or key in layout.marked
            )
    notes += catalogue.coming_days(products.values())
    return FunctionResult(
        value, (Reference(record.path, f"basket {record.id} is {record.state}"),), tuple(notes)
    )


# Receipts ------------------------------------------------------------------------------------------------------------


_DIGITS: Final = str.maketrans("OoIliZSsB", "001112558")
_ALIKE: Final = str.maketrans({"o": "0", "i": "1", "l": "1", "s": "5", "b": "8", "z": "2"})
_BLANKS: Final = re.compile(r"[\s_]+")
DIGIT: Final = r"[\dOoIliZSsB]"
"""A digit, or a letter that a digit may be misread as."""


def restored_number(text: str) -> str:
    """Return a number with digits in place of the letters that look like them."""
    return text.translate(_DIGITS)


def folded_text(text: str) -> str:
    """Return a text with one character for all that look alike, without blanks and case."""
    return _BLANKS.sub("", text).casefold().translate(_ALIKE)


def likeness(left: str, right: str) -> float:
    """Return the likeness of two folded texts, from 0 to 1."""
    from difflib import (
        SequenceMatcher,
    )  # The trusted process imports this module and never compares.

    return SequenceMatcher(None, left, right, autojunk=False).ratio()


def shared_beginning(left: str, right: str) -> int:
    """Return the number of characters that two folded texts share at the beginning."""
    pairs = enumerate(zip(left, right, strict=False))
    return next((at for at, (one, other) in pairs if one != other), min(len(left), len(right)))


_AMOUNT: Final = rf"(?:{DIGIT}{{1,3}}(?:[.,']{DIGIT}{{3}})+|{DIGIT}+)[.,]{DIGIT}{{2}}(?!\w)"
_CURRENCY: Final = re.compile(r"€|\bEUR\b")
_NUMBER: Final = r"^\W*(?:\[\s*\w{1,2}\s*\]\W*)?"
"""The start of an item's line before its quantity: perhaps the item's number in brackets."""
_ITEM: Final = re.compile(
    rf"{_NUMBER}(?P<count>{DIGIT}{{1,3}})\s*[x×]?\s+(?P<name>\S.*?)\s+(?P<each>{_AMOUNT})\s+(?P<total>{_AMOUNT})\s*$"
)
_NOTE: Final = re.compile(r"\b(?:sku|note|code|art)\b[^:]*:\s*(?P<code>\S+)", re.IGNORECASE)
_SUB: Final = r"[s5]\s?u\s?[b86][\s.-]*"
_TOTAL: Final = r"t\s?[o0]\s?t\s?[a4]\s?[l1i|]"
_SUBTOTAL_WORD: Final = (
    rf"\b(?:{_SUB}t\s?[o0]\s?t\s?[a4]?\s?[l1i|]?|zwischensumme|sous-?total)(?!\w)"
)
_SUBTOTAL: Final = re.compile(rf"{_SUBTOTAL_WORD}.*?(?P<amount>{_AMOUNT})\s*$", re.IGNORECASE)
_END: Final = re.compile(rf"{_SUBTOTAL_WORD}|\b(?:{_TOTAL}|tax|vat)(?!\w)", re.IGNORECASE)
_COUNT_ABOVE: Final = re.compile(
    rf"^[ \t]*(?:\[\s*\w{{1,2}}\s*\][ \t]*)?(?:(?:[qo0]t[yv]|quantity|menge|anzahl)\b[.: \t]*)?[x×]?[ \t]*"
    rf"({DIGIT}{{1,3}})[ \t]*(?:[x×@]|pcs?\.?|pieces?|stk\.?)?[ \t]*\n(?:[ \t]*\n)?[ \t]*"
    rf"(?!\d{{1,3}}[ \t]*[x×]?[ \t])(?=[^\n]*[A-Za-z]{{2}}[^\n]*{_AMOUNT}[ \t]*$)",
    re.MULTILINE | re.IGNORECASE,
)
"""A quantity alone on the line above its item."""
_LETTERS: Final = re.compile(r"[A-Za-z]{2}")


@dataclass(frozen=True, slots=True)
class ScannedItem:
    """One item as read; numbers are restored, texts are not."""

    count: int
    name: str
    code: str
    """Empty if none was noted."""
    unit_cents: int
    total_cents: int


@dataclass(frozen=True, slots=True)
class ScannedReceipt:
    """The lines above the items, the items, and the subtotal; None if no line gives a subtotal."""

    head: tuple[str, ...]
    items: tuple[ScannedItem, ...]
    subtotal_cents: int | None


def _lines_of(text: str) -> list[str]:
    """Return the lines without currencies, each quantity on the line of its item."""
    return [
        line.rstrip() for line in _COUNT_ABOVE.sub(r"\1  ", _CURRENCY.sub(" ", text)).splitlines()
    ]


def _subtotal_in(lines: Sequence[str]) -> int | None:
    match = next((match for line in lines if (match := _SUBTOTAL.search(line))), None)
    return _cents(match["amount"]) if match else None


def _cents(amount: str) -> int:
    return cents_of(restored_number(amount))


def _counted(count: int, unit: int, total: int) -> int:
    """Return a quantity, corrected if it does not fit the prices."""
    return total // unit if unit and count * unit != total and total % unit == 0 else count


def read_scan(text: str) -> ScannedReceipt | None:
    """Parse a slip; return None for a text without a single item."""
    lines = _lines_of(text)
    starts = [at for at, line in enumerate(lines) if _ITEM.match(line) and not _END.search(line)]
    if not starts:
        return None
    ends = [
        *starts[1:],
        next((at for at in range(starts[-1], len(lines)) if _END.search(lines[at])), len(lines)),
    ]
    items = tuple(_item(lines[start:end]) for start, end in zip(starts, ends, strict=True))
    return ScannedReceipt(
        tuple(line for line in lines[: starts[0]] if line.strip()), items, _subtotal_in(lines)
    )


def _item(lines: Sequence[str]) -> ScannedItem:
    match = _ITEM.match(lines[0])
    assert match is not None  # The caller chose the line by it.
    unit, total = _cents(match["each"]), _cents(match["total"])
    count = _counted(int(restored_number(match["count"])), unit, total)
    notes = [note["code"] for line in lines[1:] if (note := _NOTE.search(line))]
    rest = (line.strip() for line in lines[1:2] if not _NOTE.search(line) and _LETTERS.search(line))
    name = " ".join(
        [match["name"], *rest]
    )  # The line after the first, unless it is a code, a rule or a stamp.
    return ScannedItem(count, name, notes[0] if notes else "", unit, total)


_CODE: Final = re.compile(r"(?<![\w-])[A-Z0-9]{2,}(?:-[A-Z0-9]+)+(?![\w-])")
_PRICE: Final = re.compile(rf"(?<![\w.,-])(?=\S*\d){_AMOUNT}")
_QUANTITY: Final = re.compile(
    r"(?<![\w.,-])(?:x\s?)?(\d{1,4})(?:\s*(?:x|×|pcs?|stk)\b)?(?![\w.,-])", re.IGNORECASE
)


def read_coded_lines(lines: Sequence[str]) -> ScannedReceipt | None:
    """Return a receipt whose lines hold a product's code, a quantity and prices; None for a text without one.

    A single price on a line is the unit price. The items do not have names: their codes identify the products.
    """
    lines = _lines_of("\n".join(lines))
    items = {at: item for at, line in enumerate(lines) if (item := _coded_item(line)) is not None}
    if not items:
        return None
    head = tuple(line for line in lines[: next(iter(items))] if line.strip())
    return ScannedReceipt(head, tuple(items.values()), _subtotal_in(lines))


def _coded_item(line: str) -> ScannedItem | None:
    code = _CODE.search(line)
    if code is None or _SUBTOTAL.search(line):
        return None
    rest = f"{re.sub(_NUMBER, '', line[: code.start()])} {line[code.end() :]}"
    prices = [_cents(price) for price in _PRICE.findall(rest)]
    count = _QUANTITY.search(_PRICE.sub(" ", rest))
    if not prices or (count is None and len(prices) < 2):
        return None
    unit, total = prices[-2:] if len(prices) > 1 else (prices[0], 0)
    quantity = int(count[1]) if count else 0
    quantity = _counted(quantity, unit, total) if total else quantity
    return ScannedItem(quantity, "", code[0], unit, total or quantity * unit) if quantity else None


def reprice(
    counts: Iterable[tuple[str, int]], subtotal_cents: int, prices_cents: Mapping[str, int]
) -> tuple[int, int]:
    """Return the cost today of codes with their quantities, and its difference from a receipt's own sum, in cents.

    Raises `KeyError` for a code without a price.
    """
    current = sum(count * prices_cents[code] for code, count in counts)
    return current, abs(current - subtotal_cents)


_ALIKE_IN_CODES: Final = str.maketrans("OILZSB", "011258")
_JOINT: Final = re.compile(r"[\s_–—-]+")


def repaired_code(read: str, catalogue: Collection[str]) -> str | None:
    """Return the catalogue's code that was read, or the only one that may have been misread as it; else None.

    After the first dash characters that look alike count as one, as do dashes and the characters read in their place.
    """
    if read in catalogue:
        return read
    codes = [code for code in catalogue if _as_read(code) == _as_read(read)]
    return codes[0] if len(codes) == 1 else None


def _as_read(code: str) -> str:
    prefix, dash, suffix = _JOINT.sub("-", code.upper()).partition("-")
    return prefix + dash + suffix.translate(_ALIKE_IN_CODES)


_LIKE: Final = 0.78
_APART: Final = 0.015
"""The lead in likeness that a product must have over any other."""
_TEXT: Final = re.compile(r"\.txt$", re.IGNORECASE)


@on_harness
def settle_receipt(
    layout: ShopLayout, path: str = "", tolerance_cents: int = 0
) -> FunctionResult[dict[str, Any]]:
    """Return the `lines` of a receipt as products, its subtotal then and now, and whether it `can_be_bought` again.

    Each line has `sku`, `quantity`, `price_cents` and `available` today at the receipt's branch; `within` says whether
    the subtotals differ by the tolerance at most. Without a path the only receipt among the uploads is meant. Raises
    `CannotRead` if a product or the branch is not certain.
    """
    path, scan = _receipt(layout, path)
    catalogue = catalogue_of(layout)
    products = [_product_of(catalogue, item) for item in scan.items]
    branch = _branch_of(layout, scan)
    stock = BranchStock(layout, branch)
    lines: list[dict[str, Any]] = [
        {
            "sku": product.code,
            "quantity": item.count,
            "price_cents": product.price_cents,
            "available": stock.units(product.code)["available"],
        }
        for item, product in zip(scan.items, products, strict=True)
    ]
    listed = sum(item.count * item.unit_cents for item in scan.items)
    then = listed if scan.subtotal_cents is None else scan.subtotal_cents
    prices = {product.code: product.price_cents or 0 for product in products}
    today, difference = reprice(((line["sku"], line["quantity"]) for line in lines), then, prices)
    wanted: dict[str, int] = {}
    for item, product in zip(scan.items, products, strict=True):
        wanted[product.code] = wanted.get(product.code, 0) + item.count * product.needs_stock
    value = {
        "branch": branch.id,
        "lines": lines,
        "subtotal_then_cents": then,
        "subtotal_now_cents": today,
        "difference_cents": difference,
        "within": difference <= tolerance_cents,
        "can_be_bought": all(
            stock.units(code)["available"] >= count for code, count in wanted.items()
        ),
    }
    notes = (
        [] if listed == then else [f"the lines add up to {listed} cents, the subtotal says {then}"]
    )
    notes += catalogue.coming_days(products)
    receipt = Reference(path, f"the receipt of {branch.name or branch.id} with its lines")
    bought = map(product_reference, {product.path: product for product in products}.values())
    return FunctionResult(
        value, (receipt, reference_to(branch, Kind.BRANCH), *bought), tuple(dict.fromkeys(notes))
    )


def _receipt(layout: ShopLayout, path: str) -> tuple[str, ScannedReceipt]:
    if path:
        texts = {path: text_of(layout, path)}
    else:
        folders = tuple(
            f"{named}/" for text in layout.documents.values() for named in named_paths(text)
        )
        paths = [file for file in layout.paths if file.startswith(folders) and _TEXT.search(file)]
        texts = dict(zip(paths, layout.reader.read_all(paths), strict=True))
    scans = [(place, _scan_of(text, is_named=bool(path))) for place, text in texts.items()]
    receipts = [(place, scan) for place, scan in scans if scan is not None]
    why = f"{path} lists no items" if path else f"{len(receipts)} uploads are receipts: name one"
    sure(len(receipts) == 1, why)
    return receipts[0]


def _scan_of(text: str, *, is_named: bool) -> ScannedReceipt | None:
    """Parse a text as a receipt; its codes identify the products if they are in the items' lines."""
    scan = read_scan(text)
    if scan is not None and any(item.code for item in scan.items):
        return scan
    return (read_coded_lines(text.splitlines()) if scan is not None or is_named else None) or scan


def _product_of(catalogue: Catalogue, item: ScannedItem) -> Product:
    """Return the product that an item's name describes, among those with codes similar to the noted one."""
    if not item.name and (code := repaired_code(item.code, catalogue.codes)):
        return catalogue.with_codes([code])[0]
    noted, said = folded_text(item.code), folded_text(item.name)
    ranked = sorted(catalogue.codes, key=lambda code: -shared_beginning(folded_text(code), noted))
    # Products with similar codes whose names are compared with an item's.
    products = catalogue.read(catalogue.codes[likely_code] for likely_code in ranked[:12])
    likely = {product.code: _likeness(said, product) for product in products}
    best = max(likely.values(), default=0.0)
    near = [product for product in products if likely[product.code] > best - _APART]
    chosen = (
        near
        if len(near) == 1
        else [product for product in near if folded_text(product.code) == noted]
    )
    why = f"it is not certain which product {item.name!r} ({item.code or 'no code'}) of the receipt is"
    sure(item.code and best >= _LIKE and len(chosen) == 1, why)
    return chosen[0]


def _likeness(said: str, product: Product) -> float:
    """Return the likeness of a product's name to an item's, which may repeat the brand."""
    name, brand = folded_text(product.name), folded_text(product.brand)
    once = (
        said[len(brand) :] if brand and likeness(said[: 2 * len(brand)], brand * 2) > 0.85 else said
    )
    return max(likeness(said, name), likeness(once, name))


def _branch_of(layout: ShopLayout, scan: ScannedReceipt) -> Record:
    """Return the branch whose name is above the items."""
    head = [folded_text(line.rpartition(":")[2]) for line in scan.head]
    names = {branch.path: folded_text(branch.name) for branch in named_branches(layout)}
    likely = sorted(
        (
            (max((likeness(name, line) for line in head), default=0.0), path)
            for path, name in names.items()
        ),
        reverse=True,
    )
    (best, path), (second, _) = [*likely, (0.0, ""), (0.0, "")][:2]
    sure(
        best >= _LIKE and best - second >= _APART,
        "it is not certain of which branch the receipt is",
    )
    return layout.records.read([path])[0]
