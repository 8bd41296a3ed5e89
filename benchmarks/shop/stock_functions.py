"""Functions for scripts about stock: at a branch, for a basket, for a scanned receipt.

A script calls `harness.tools.stock_at(["AB-1"], "Graz Centre")`, and gets how many units of the
product this branch has, and how many of them can be sold. So the model that writes the script
need not know in which fields the shop's records count units. `layout_from_harness` makes the
first argument, the `ShopLayout`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass
from posixpath import commonprefix
from typing import Any, Final

from controlplane.benchmarks.shop.branches import (
    branch_called,
    branches_around,
    is_open,
    named_branches,
    stock_of,
)
from controlplane.benchmarks.shop.products import (
    BasketLine,
    Catalogue,
    Product,
    catalogue_of,
    checked_basket,
    notes_on_coming_days,
    product_reference,
)
from controlplane.benchmarks.shop.texts import (
    AMOUNT,
    DIGIT,
    LEAST_LEAD,
    LEAST_LIKENESS,
    corrected_cents,
    corrected_number,
    folded_text,
    likeness,
    named_paths,
    require,
    value_or_raise,
)
from controlplane.benchmarks.shop.workspace.documents import stock_notes
from controlplane.benchmarks.shop.workspace.kinds import Kind
from controlplane.benchmarks.shop.workspace.records import WorkspaceRecord
from controlplane.benchmarks.shop.workspace.staff import reference_to
from controlplane.benchmarks.shop.workspace.workspace import (
    ShopLayout,
    layout_from_harness,
)
from controlplane.sandbox.functions import FunctionResult, Reference

# The parts of a scanned receipt: its head, its items, and the quantity of an item.
#
# A receipt has one of two layouts. Its lines have the name of an item (`read_scan`), or the
# code (`read_coded_lines`):
#
#     2 x  Lea tarp 3x3 sand        71.39   142.78
#     2 x  VH-TRP-LEA-3X3-SND       71.39   142.78


@dataclass(frozen=True, slots=True)
class ScannedItem:
    """One item of a receipt. Misread digits are corrected. Name and code are as scanned."""

    count: int
    name: str
    """Empty if the line of the item has only a code."""
    code: str
    """Empty if the receipt gives no code."""
    unit_cents: int
    total_cents: int


@dataclass(frozen=True, slots=True)
class ScannedReceipt:
    """The parts of a scanned receipt."""

    head: tuple[str, ...]
    """The lines above the items, such as the branch's name."""
    items: tuple[ScannedItem, ...]
    subtotal_cents: int | None
    """None if no line gives a subtotal."""


_START_OF_ITEM: Final = r"^\W*(?:\[\s*\w{1,2}\s*\]\W*)?"
"""The start of an item's line before the quantity. It may be the item's number: `[ 3]`."""


def _head_of(lines: Sequence[str]) -> tuple[str, ...]:
    """Return the lines above the items, without blank ones."""
    return tuple(line for line in lines if line.strip())


def _corrected_count(scanned_count: int, unit_cents: int, total_cents: int) -> int:
    """Return the quantity of an item, which may be misread.

    The prices are read more reliably: a total of 142.78 at 71.39 a piece means 2 pieces.
    The scanned quantity counts only if they give no whole number.
    """
    if unit_cents == 0 or total_cents % unit_cents != 0:
        return scanned_count
    return total_cents // unit_cents


# Puts the quantities of a scanned receipt on the lines of their items.
#
# In some receipts, the quantity stands alone on the line above its item. It is moved, so that a
# pattern for one line finds the whole item:
#
#     [ 3] Qty: 2 pcs
#     Lea tarp   71.39      ->      2  Lea tarp   71.39

# The parts of a quantity that stands alone on the line above its item, and of the item's line
_LINE_NUMBER: Final = r"(?:\[\s*\w{1,2}\s*\][ \t]*)?"
"""The item's number, if there is one: `[ 3] `."""
_QUANTITY_WORD: Final = r"(?:(?:[qo0]t[yv]|quantity|menge|anzahl)\b[.: \t]*)?"
"""The word before the quantity, if there is one: `Qty: `, misread as `0tv`."""
_PIECES: Final = r"(?:[x×@]|pcs?\.?|pieces?|stk\.?)?"
"""The word after the quantity, if there is one: `x`, `pcs`."""
_LINE_BREAK: Final = r"\n(?:[ \t]*\n)?[ \t]*"
"""The end of the line, at most one empty line, and the next line's indentation."""
_NO_QUANTITY_NEXT: Final = r"(?!\d{1,3}[ \t]*[x×]?[ \t])"
"""The next line must not begin with a quantity of its own, such as `2 x Lea tarp`."""
_NAME_AND_PRICE_NEXT: Final = rf"(?=[^\n]*[A-Za-z]{{2}}[^\n]*{AMOUNT}[ \t]*$)"
"""The next line must have a word and end with a price: `Lea tarp   71.39`."""

_QUANTITY_ABOVE: Final = re.compile(
    rf"^[ \t]*{_LINE_NUMBER}{_QUANTITY_WORD}[x×]?[ \t]*(?P<count>{DIGIT}{{1,3}})[ \t]*{_PIECES}[ \t]*"
    rf"{_LINE_BREAK}{_NO_QUANTITY_NEXT}{_NAME_AND_PRICE_NEXT}",
    re.MULTILINE | re.IGNORECASE,
)
"""A line with only a quantity, and the line break to the item below it: `[ 3] Qty: 2 pcs`."""
_CURRENCY: Final = re.compile(r"€|\bEUR\b")


def _lines_of(text: str) -> list[str]:
    """Return the lines of a receipt, in the form in which its items are looked for.

    They have no currencies, and each quantity is on the line of its item: `2  Lea tarp   71.39`.
    """
    without_currencies = _CURRENCY.sub(" ", text)
    with_quantities = _QUANTITY_ABOVE.sub(r"\g<count>  ", without_currencies)
    return [line.rstrip() for line in with_quantities.splitlines()]


# Finds the subtotal of a scanned receipt, and with it the end of the items.
#
# A line such as `5ub-t0ta1   142.78` gives the sum of all items, with misread letters. It and the
# lines below it (tax, total) are not items, although they end with an amount, too.

_SUB: Final = r"[s5]\s?u\s?[b86][\s.-]*"
"""`Sub`, as it may be misread: `5 ub`, `SU8`."""
_TOT: Final = r"t\s?[o0]\s?t\s?"
_TOTAL: Final = rf"{_TOT}[a4]\s?[l1i|]"
"""`Total`, as it may be misread: `t0ta1`, `TOT4|`."""
_TOTAL_AFTER_SUB: Final = rf"{_TOT}[a4]?\s?[l1i|]?"
"""The same, but the last two letters may be missing: after `Sub`, `T0T` is enough."""
_SUBTOTAL_WORD: Final = (
    rf"\b(?:{_SUB}{_TOTAL_AFTER_SUB}|zwischensumme|sous-?total)(?!\w)"
)
"""`5ub-t0ta1`, `SUB T0T`, `Zwischensumme`"""
_SUBTOTAL: Final = re.compile(
    rf"{_SUBTOTAL_WORD}.*?(?P<amount>{AMOUNT})\s*$", re.IGNORECASE
)
"""`5ub-t0ta1   142.78`"""
_END_OF_ITEMS: Final = re.compile(
    rf"{_SUBTOTAL_WORD}|\b(?:{_TOTAL}|tax|vat)(?!\w)", re.IGNORECASE
)
"""A word that starts a line below the items: subtotal, total or tax."""


def _subtotal_in(lines: Sequence[str]) -> int | None:
    """Return the first subtotal in cents; None if no line gives one."""
    for line in lines:
        match = _SUBTOTAL.search(line)
        if match is not None:
            return corrected_cents(match["amount"])
    return None


def _end_of_items(lines: Sequence[str], last_start: int) -> int:
    """Return the index of the first line below the items: that of the subtotal, tax or total.

    `last_start` is the index of the line on which the last item starts. If no such line follows,
    the items go on to the end.
    """
    for index in range(last_start, len(lines)):
        if _END_OF_ITEMS.search(lines[index]):
            return index
    return len(lines)


# Reads scanned receipts whose lines have the codes of items instead of their names.
#
#     2 pcs  VH-TRP-LEA-3X3-SND     71.39   142.78
#
# A line is the quantity, the code, the price of one piece, and the total. Each of them may be
# misread; the prices are used to correct the quantity.

_CODE: Final = re.compile(r"(?<![\w-])[A-Z0-9]{2,}(?:-[A-Z0-9]+)+(?![\w-])")
"""`VH-TRP-LEA-3X3-GRN`"""
_PRICE: Final = re.compile(rf"(?<![\w.,-])(?=\S*\d){AMOUNT}")
"""`71.39`, or `7l.3O`. At least one character is a digit; `SO.OO` is a word."""
_QUANTITY: Final = re.compile(
    r"(?<![\w.,-])(?:x\s?)?(\d{1,4})(?:\s*(?:x|×|pcs?|stk)\b)?(?![\w.,-])",
    re.IGNORECASE,
)
"""`2`, `x2`, `2 pcs`"""


def read_coded_lines(lines: Sequence[str]) -> ScannedReceipt | None:
    """Return a receipt whose lines have a product's code, a quantity and prices, but no names.

    The result is None if no line has these.
    """
    # `_lines_of` splits a text, because a quantity on a line of its own belongs to the next line.
    lines = _lines_of("\n".join(lines))
    head: list[str] = []
    items: list[ScannedItem] = []
    for line in lines:
        item = _coded_item(line)
        if item is not None:
            items.append(item)
        elif not items:
            head.append(line)
    if not items:
        return None
    return ScannedReceipt(_head_of(head), tuple(items), _subtotal_in(lines))


def _coded_item(line: str) -> ScannedItem | None:
    """Return the item on a line; None if it has no code, no price or no quantity.

    | line | item |
    |---|---|
    | `2 VH-TRP-SND 71.39 142.78` | 2 pieces at 71.39, which are 142.78 |
    | `7 VH-TRP-SND 71.39 142.78` | the same: the quantity was misread |
    | `2 VH-TRP-SND 71.39` | the same: a single price is that of a piece |
    """
    code = _CODE.search(line)
    if code is None or _SUBTOTAL.search(line):
        return None
    before_code = re.sub(_START_OF_ITEM, "", line[: code.start()])
    other_text = f"{before_code} {line[code.end() :]}"
    prices = [corrected_cents(price) for price in _PRICE.findall(other_text)]
    if not prices:
        return None
    quantity_match = _QUANTITY.search(_PRICE.sub(" ", other_text))
    quantity = int(quantity_match[1]) if quantity_match else 0

    if len(prices) == 1:
        unit_cents = prices[0]
        total_cents = 0
    else:
        unit_cents, total_cents = prices[-2:]
    if total_cents:
        quantity = _corrected_count(quantity, unit_cents, total_cents)
    else:
        # There is no total, or it was misread as 0.00.
        total_cents = quantity * unit_cents
    if quantity == 0:
        return None
    return ScannedItem(quantity, "", code[0], unit_cents, total_cents)


# Reads scanned receipts whose lines have the names of items.
#
# A line begins with the quantity and the name of an item, and ends with the price of one piece
# and the total. A code may follow on a later line:
#
#     2 x  Lea tarp 3x3 sand        71.39   142.78
#          art: VH-TRP-LEA-3X3-5ND
#
# Scans have faults: characters are misread, such as `5ND` for `SND` above.

_ITEM: Final = re.compile(
    rf"{_START_OF_ITEM}(?P<count>{DIGIT}{{1,3}})\s*[x×]?\s+(?P<name>\S.*?)"
    rf"\s+(?P<unit>{AMOUNT})\s+(?P<total>{AMOUNT})\s*$"
)
"""`2 x  Lea tarp 3x3 sand   71.39   142.78`"""
_NOTED_CODE: Final = re.compile(
    r"\b(?:sku|note|code|art)\b[^:]*:\s*(?P<code>\S+)", re.IGNORECASE
)
"""`art: VH-TRP-LEA-3X3-GRN`"""
_TWO_LETTERS: Final = re.compile(r"[A-Za-z]{2}")
"""Occurs in each line with a word, but not in a line of dashes."""


def read_scan(text: str) -> ScannedReceipt | None:
    """Return a receipt whose lines have quantity, name and prices; None if the text is not one."""
    lines = _lines_of(text)
    starts = []
    for index, line in enumerate(lines):
        if _ITEM.match(line) and not _END_OF_ITEMS.search(line):
            starts.append(index)
    if not starts:
        return None

    # Each item goes up to the next one. The last one goes up to the subtotal, or to the end.
    ends = [*starts[1:], _end_of_items(lines, starts[-1])]
    items = []
    for start, end in zip(starts, ends, strict=True):
        items.append(_named_item(lines[start:end]))
    return ScannedReceipt(
        _head_of(lines[: starts[0]]), tuple(items), _subtotal_in(lines)
    )


def _named_item(lines: Sequence[str]) -> ScannedItem:
    """Return the item on these lines.

    The first line matches `_ITEM`. The second one may continue the name. Any line after
    the first may give the code.
    """
    match = _ITEM.match(lines[0])
    assert match is not None
    unit_cents = corrected_cents(match["unit"])
    total_cents = corrected_cents(match["total"])
    scanned_count = int(corrected_number(match["count"]))
    count = _corrected_count(scanned_count, unit_cents, total_cents)

    name = match["name"]
    code = ""
    for number, line in enumerate(lines[1:], 1):
        noted_code = _NOTED_CODE.search(line)
        continues_name = number == 1 and _TWO_LETTERS.search(line)
        if noted_code is not None:
            code = code or noted_code["code"]
        elif continues_name:
            name = f"{name} {line.strip()}"
    return ScannedItem(count, name, code, unit_cents, total_cents)


# Finds a scanned receipt among the uploads of a customer.
#
# "Can I buy all this again?" means the only receipt that was uploaded. Uploads are the text files
# in folders that the shop's documents name, such as `/uploads`. Other files may be there, too, and
# must not be taken for a receipt: a list of stock also has lines with codes of products.

_TEXT_FILE: Final = re.compile(r"\.txt$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _ReceiptFile:
    """A receipt among the uploads."""

    path: str
    scan: ScannedReceipt


def _receipt_file(layout: ShopLayout, path: str) -> _ReceiptFile:
    """Return the receipt at a path; with an empty path, the only receipt among the uploads.

    Raises `CannotRead` if the file is not a receipt, or if there is no receipt among the
    uploads, or several.
    """
    # A file that the caller names is taken for a receipt if it lists codes of products.
    if path:
        scan = _receipt_in(layout.files.text_of(path), codes_are_enough=True)
        return _ReceiptFile(path, value_or_raise(scan, f"{path} lists no items"))

    # Any other file is not: it may be a list of stock.
    receipts = []
    for file_path, text in _texts_in_named_folders(layout).items():
        scan = _receipt_in(text, codes_are_enough=False)
        if scan is not None:
            receipts.append(_ReceiptFile(file_path, scan))
    require(len(receipts) == 1, f"{len(receipts)} uploads are receipts: name one")
    return receipts[0]


def _texts_in_named_folders(layout: ShopLayout) -> dict[str, str]:
    """Return the text files in the folders that documents name, by path."""
    folders: list[str] = []
    for document in layout.documents.texts.values():
        folders += [f"{named_path}/" for named_path in named_paths(document)]
    paths = []
    for path in layout.files.paths:
        if path.startswith(tuple(folders)) and _TEXT_FILE.search(path):
            paths.append(path)
    return dict(zip(paths, layout.reader.read_all(paths), strict=True))


def _receipt_in(text: str, *, codes_are_enough: bool) -> ScannedReceipt | None:
    """Return the receipt in a text; None if the text is not one.

    A line of a receipt has an item's name or its code:

        2 x  Lea tarp 3x3 sand       71.39   142.78
        2 x  VH-TRP-LEA-3X3-SND      71.39   142.78

    If lines can be read in both ways, they are read by code, because a code identifies a
    product more reliably than a name. With `codes_are_enough`, a text is also a receipt if
    its lines can only be read by code.
    """
    by_name = read_scan(text)
    if by_name is None and not codes_are_enough:
        return None
    if by_name is not None and any(item.code for item in by_name.items):
        # The codes are on lines of their own, below the names.
        return by_name
    by_code = read_coded_lines(text.splitlines())
    return by_code or by_name


# Finds the product code that a scanned code was misread from: `VH-TRP-5ND` -> `VH-TRP-SND`.
#
# A scanner confuses `5` and `S`, or drops a dash. The code in the receipt then is in no record,
# although it means a product. It is repaired only if a single code of the catalogue is possible.

_SIMILAR_IN_CODES: Final = str.maketrans("OILZSB", "011258")
"""For codes, which have capitals and digits: one character for those that look alike."""
_SEPARATORS: Final = re.compile(r"[\s_–—-]+")


def repaired_code(scanned_code: str, catalogue: Collection[str]) -> str | None:
    """Return the code of the catalogue that a scanned code equals or was misread from.

    Dashes, blanks and underscores are equal. After the first dash, characters that look
    alike are equal too: `VH TRP-LEA-3X3-5ND` -> `VH-TRP-LEA-3X3-SND`. The letters
    before it are a word of the shop and must be right. The result is None if no code or
    several are possible.
    """
    if scanned_code in catalogue:
        return scanned_code
    folded = _folded_code(scanned_code)
    codes = [code for code in catalogue if _folded_code(code) == folded]
    return codes[0] if len(codes) == 1 else None


def _folded_code(code: str) -> str:
    """Return a code in a form that is the same for all its misread spellings."""
    prefix, dash, suffix = _SEPARATORS.sub("-", code.upper()).partition("-")
    return prefix + dash + suffix.translate(_SIMILAR_IN_CODES)


# Finds the branch of a shop that a scanned receipt is of.
#
# The lines above its items name the branch, perhaps misread: `Branch: 6raz Centre`. So it is the
# branch whose name is most like one of these lines, if no other name is about as similar.


def _scanned_branch(layout: ShopLayout, scan: ScannedReceipt) -> WorkspaceRecord:
    """Return the branch that is named above the items of a receipt.

    `scan.head` has the lines above the items: `("Branch: 6raz Centre", "14.03.2027")` -> the
    record of `Graz Centre`. Raises `CannotRead` if the branch is not certain.
    """
    # 1. Compare each branch's name with each line, without a label such as `Branch:`.
    head = [folded_text(line.rpartition(":")[2]) for line in scan.head]
    candidates = []
    for branch in named_branches(layout):
        name = folded_text(branch.name)
        likeness_to_head = max((likeness(name, line) for line in head), default=0.0)
        candidates.append((likeness_to_head, branch.path))
    candidates.sort(reverse=True)

    # 2. The best branch must be similar, and clearly more so than the second best.
    uncertainty = "it is not certain of which branch the receipt is"
    require(candidates, uncertainty)
    best, path = candidates[0]
    second, _ = candidates[1] if len(candidates) > 1 else (0.0, "")
    require(best >= LEAST_LIKENESS and best - second >= LEAST_LEAD, uncertainty)
    return layout.records.read([path])[0]


# Finds the products of a shop that the items on a scanned receipt are.
#
# Names on a receipt may be misread: `0sier Lea tavp` is the product `Osier Lea tarp`. So an item
# is the product with the most similar name, if no other is about as similar. Otherwise there is no
# result, because a wrong product would make a wrong price.


def scanned_product(catalogue: Catalogue, item: ScannedItem) -> Product:
    """Return the product of an item on a receipt. Raises `CannotRead` if it is not certain.

    - An item with only a code is the product with this code, of which characters may be
      misread: `VH-TRP-5ND` is `VH-TRP-SND`.
    - An item with a name and a code is the product with the most similar name, among those
      with similar codes: `0sier Lea tavp` is `Osier Lea tarp`.
    - An item with only a name is never certain, because nothing limits the products whose
      names would have to be compared.
    """
    product = None
    if not item.name:
        product = _product_by_code(catalogue, item)
    elif item.code:
        product = _product_by_name(catalogue, item)
    code_text = item.code or "no code"
    return value_or_raise(
        product,
        f"it is not certain which product {item.name!r} ({code_text}) of the receipt is",
    )


def _product_by_code(catalogue: Catalogue, item: ScannedItem) -> Product | None:
    """Return the product with an item's code, which may be misread; None if it is not certain."""
    code = repaired_code(item.code, catalogue.codes)
    if code is None:
        return None
    return catalogue.with_codes([code])[0]


def _product_by_name(catalogue: Catalogue, item: ScannedItem) -> Product | None:
    """Return the product whose name is most like that of an item; None if it is not certain.

    The item `0sier Lea tavp` is the product `Osier Lea tarp`. Only products with codes like
    that of the item are compared. Texts are compared in a folded form, without case and
    blanks, and their likeness is from 0 to 1.
    """
    # 1. Compare the names.
    name = folded_text(item.name)
    products = _products_with_similar_codes(catalogue, item.code)
    likeness_of = {product.code: _name_likeness(name, product) for product in products}
    best_likeness = max(likeness_of.values(), default=0.0)
    if best_likeness < LEAST_LIKENESS:
        return None

    # 2. Take the product with the best likeness, and those that are about as similar.
    candidates = []
    for product in products:
        if likeness_of[product.code] > best_likeness - LEAST_LEAD:
            candidates.append(product)
    if len(candidates) == 1:
        return candidates[0]

    # 3. Of several, it is the one with the same code.
    code = folded_text(item.code)
    with_code = [product for product in candidates if folded_text(product.code) == code]
    return with_code[0] if len(with_code) == 1 else None


_MAX_COMPARED_PRODUCTS: Final = 12
"""The number of products, with codes most like the scanned one, whose names are compared."""


def _products_with_similar_codes(
    catalogue: Catalogue, scanned_code: str
) -> list[Product]:
    """Return the `_MAX_COMPARED_PRODUCTS` products whose codes begin most like a scanned code.

    `VH-TRP-5ND` -> those with codes such as `VH-TRP-SND` and `VH-TRP-3X3`. All names of a
    catalogue would be too many to compare.
    """
    folded_code = folded_text(scanned_code)
    ranked_codes = sorted(
        catalogue.codes,
        key=lambda code: -len(commonprefix([folded_text(code), folded_code])),
    )
    return catalogue.read(
        catalogue.codes[code] for code in ranked_codes[:_MAX_COMPARED_PRODUCTS]
    )


_LEAST_BRAND_LIKENESS: Final = 0.85
"""The least likeness of the start of a name and the brand written twice, if a scan repeats it."""


def _name_likeness(scanned_name: str, product: Product) -> float:
    """Return how similar a product's name is to a scanned name, from 0 to 1.

    `scanned_name` is in the form of `folded_text`, without blanks. A scan may repeat the brand
    `Osier` of `Osier Lea tarp`: `051er051er1eatarp`.
    """
    name = folded_text(product.name)
    brand = folded_text(product.brand)
    without_repetition = scanned_name
    beginning = scanned_name[: 2 * len(brand)]
    if brand and likeness(beginning, brand * 2) > _LEAST_BRAND_LIKENESS:
        without_repetition = scanned_name[len(brand) :]
    return max(likeness(scanned_name, name), likeness(without_repetition, name))


@layout_from_harness
def stock_at(
    layout: ShopLayout, products: list[str], branch: str, days: int = 0
) -> FunctionResult[dict[str, Any]]:
    """Return a branch's units by product code.

    `stock_at(["AB-1"], "Graz Centre", days=3)` -> `{"AB-1": {"on_hand": 5, "reserved": 2,
    "available": 3, "within": 7}}`. `available` counts units that can be sold today. `within`
    adds deliveries of the next `days` days. A product that the branch does not list has 0
    units. Raises `CannotRead` for an unknown product or branch.
    """
    require(products, "no product is named: pass SKUs")
    branch_record = branch_called(layout, branch)
    catalogue = catalogue_of(layout)
    wanted = catalogue.with_codes(products)
    stock = stock_of(layout, branch_record)
    value = {
        product.code: asdict(stock.units(product.code, days)) for product in wanted
    }
    references = [reference_to(branch_record, Kind.BRANCH)]
    references += [product_reference(product) for product in wanted]
    # The notes warn of what the records do not say: a page may correct the stock, such as a day
    # book of deliveries, and a product may not be for sale before a date.
    notes_on_pages = stock_notes(layout.documents)
    notes_on_days = notes_on_coming_days(layout, wanted)
    return FunctionResult(value, tuple(references), (*notes_on_pages, *notes_on_days))


@layout_from_harness
def branches_in(layout: ShopLayout, place: str) -> FunctionResult[list[dict[str, Any]]]:
    """Return the branches of a city, sorted by name: `id`, `name`, `path`, `is_open`.

    `place` is a city, or a branch in it. `branches_in("Graz")` -> `[{"id": "store_graz",
    "name": "Graz Centre", "path": "/proc/stores/store_graz.json", "is_open": True}]`
    """
    rows = []
    references = []
    for branch in branches_around(layout, place):
        row = {
            "id": branch.id,
            "name": branch.name,
            "path": branch.path,
            "is_open": is_open(layout, branch),
        }
        rows.append(row)
        references.append(reference_to(branch, Kind.BRANCH))
    return FunctionResult(rows, tuple(references))


@layout_from_harness
def check_basket(layout: ShopLayout, basket: str) -> FunctionResult[dict[str, Any]]:
    """Return the state of a basket, and compare its lines with the stock of its branch.

    `basket` is an id: `basket_1`. The result has `state`, `is_open`, `branch`, `subtotal_cents`,
    `lines`, and `short`: the codes of products with too few units. Each line has `sku`,
    `quantity`, `price_cents`, `available` and `needs_stock`, which is False for a download.
    Raises `CannotRead` for a basket that the asker may not see.
    """
    checked = checked_basket(layout, basket)
    record = checked.record
    reference = Reference(record.path, f"basket {record.id} is {record.state}")
    # More notes warn that a page, such as a day book of deliveries, may correct the stock.
    notes = (*checked.notes, *stock_notes(layout.documents))
    return FunctionResult(checked.as_result, (reference,), notes)


@layout_from_harness
def settle_receipt(
    layout: ShopLayout, path: str = "", tolerance_cents: int = 0
) -> FunctionResult[dict[str, Any]]:
    """Return a receipt's lines as products, its subtotals then and now, and if it can be bought.

    Each of the `lines` has `sku`, `quantity`, today's `price_cents`, and `available`: the units
    at the receipt's branch today. `within` is true if the subtotals differ by at most the
    tolerance. `can_be_bought` is true if the branch has all units. If no path is given, the only
    receipt among the uploads is read. Raises `CannotRead` if a product or the branch is not certain.
    """
    # 1. Read the receipt, its products and its branch.
    receipt = _receipt_file(layout, path)
    catalogue = catalogue_of(layout)
    items = receipt.scan.items
    products = [scanned_product(catalogue, item) for item in items]
    branch = _scanned_branch(layout, receipt.scan)
    stock = stock_of(layout, branch)

    # 2. Compare the subtotal with today's prices, and each line with the stock.
    sum_cents = sum(item.count * item.unit_cents for item in items)
    subtotal_cents = receipt.scan.subtotal_cents
    if subtotal_cents is None:
        subtotal_cents = sum_cents
    lines = []
    rows = []
    for item, product in zip(items, products, strict=True):
        available = stock.units(product.code).available
        lines.append(BasketLine(product.code, item.count, product, available))
        row = {
            "sku": product.code,
            "quantity": item.count,
            "price_cents": product.price_cents,
            "available": available,
        }
        rows.append(row)
    today_cents = sum(line.total_cents for line in lines)
    difference_cents = abs(today_cents - subtotal_cents)
    value = {
        "branch": branch.id,
        "lines": rows,
        "subtotal_then_cents": subtotal_cents,
        "subtotal_now_cents": today_cents,
        "difference_cents": difference_cents,
        "within": difference_cents <= tolerance_cents,
        "can_be_bought": _can_be_bought(lines),
    }

    # 3. Note what does not fit, and cite the receipt, the branch and each product once.
    notes = []
    if sum_cents != subtotal_cents:
        notes.append(
            f"the lines add up to {sum_cents} cents, the subtotal says {subtotal_cents}"
        )
    notes += notes_on_coming_days(layout, products)
    reason = f"the receipt of {branch.name or branch.id} with its lines"
    references = [
        Reference(receipt.path, reason),
        reference_to(branch, Kind.BRANCH),
    ]
    for product in {product.path: product for product in products}.values():
        references.append(product_reference(product))
    return FunctionResult(value, tuple(references), tuple(dict.fromkeys(notes)))


def _can_be_bought(lines: Sequence[BasketLine]) -> bool:
    """Return True if a branch has all units of a receipt's lines. Downloads need no units.

    Two lines may be of the same product, so their units are added up before the comparison.
    """
    needed: Counter[str] = Counter()
    for line in lines:
        if line.product.needs_stock:
            needed[line.code] += line.quantity
    return all(line.available >= needed[line.code] for line in lines)
