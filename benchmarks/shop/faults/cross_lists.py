"""Computes cross lists and stock exports from records, to judge those that a model writes.

A cross list answers a customer's request that names a competitor's products. For each
requested item it gives the shop's product, tells if its properties match, and how many
units a branch can sell. A stock export lists units of products by day.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from itertools import zip_longest
from typing import Final

from controlplane.benchmarks.shop.products.catalogue import catalogue_of
from controlplane.benchmarks.shop.products.missing_siblings import missing_siblings
from controlplane.benchmarks.shop.products.product import Product
from controlplane.benchmarks.shop.record_functions import reference_to
from controlplane.benchmarks.shop.stock_functions import BranchStock, is_open
from controlplane.benchmarks.shop.texts.documents import marked_words
from controlplane.benchmarks.shop.texts.text import normal_words, require
from controlplane.benchmarks.shop.workspace.branches import branch_called
from controlplane.benchmarks.shop.workspace.kinds import Kind
from controlplane.benchmarks.shop.workspace.records.record import Record
from controlplane.benchmarks.shop.workspace.workspace import ShopLayout
from controlplane.sandbox.functions import CannotRead, FunctionResult, Reference

# The request ------------------------------------------------------------------------------------

# Such a request is a table with one item a line: its number, the quantity, the
# competitor's code, and the shop's product with the properties that it must have. Long
# items go on below, indented:
#
#     branch: Graz Centre
#      1   20  HX-4711  Lea tarp specs: colour=sand;
#                       waterproof_mm=3000
#
_ITEM: Final = re.compile(
    r"^ *\d{1,3} +(?P<count>\d{1,5}) +(?P<code>[A-Z]+-\w+) +(?P<text>\S.*)$"
)
_CONTINUATION: Final = re.compile(r"^ {6,}(?!note:)(\S.*)$", re.IGNORECASE)
"""A further line of an item. It is indented more than any number, and is not a note."""
_SPECS: Final = re.compile(r"\bspecs:", re.IGNORECASE)
_BRANCH: Final = re.compile(r"\bbranch: *(\S.*)$", re.IGNORECASE | re.MULTILINE)


@dataclass(frozen=True, slots=True)
class RequestedItem:
    """One item of a scanned request for a competitor's products."""

    code: str
    """The competitor's code."""
    description: str
    """The name of the shop's product that replaces it."""
    specs: Mapping[str, str]
    """The required values by property, both in normal words."""
    count: int

    def fits(self, product: Product) -> bool:
        """Return True if a product has every required value."""
        properties = {}
        for key, value in product.property_texts.items():
            properties[normal_words(key)] = normal_words(value)
        return all(properties.get(key) == value for key, value in self.specs.items())


@lru_cache(maxsize=2)
def requested_items(text: str) -> list[RequestedItem]:
    """Return the items of a scanned request."""
    joined_lines: list[str] = []
    for line in text.splitlines():
        continuation = _CONTINUATION.match(line)
        if _ITEM.match(line):
            joined_lines.append(line)
        elif continuation is not None and joined_lines:
            joined_lines[-1] += f" {continuation[1]}"

    items = []
    for line in joined_lines:
        match = _ITEM.match(line)
        assert match is not None
        description, *specs_texts = _SPECS.split(match["text"])
        specs = _specs_of(" ".join(specs_texts))
        items.append(
            RequestedItem(
                match["code"], description.strip(), specs, int(match["count"])
            )
        )
    return items


def _specs_of(text: str) -> dict[str, str]:
    """Return the values by property in `colour=sand; waterproof_mm=3000`, in normal words."""
    specs = {}
    for pair in text.split(";"):
        key, equals_sign, value = pair.partition("=")
        if equals_sign:
            specs[normal_words(key)] = normal_words(value)
    return specs


# The page on cross lists ------------------------------------------------------------------------

# A cross list tells which of the shop's products match those of a competitor. One of the
# workspace's documents, the page on cross lists, says how it is written. The page marks the
# columns and the possible values: it puts them in backticks.

COLUMNS: Final = (
    "line_no",
    "competitor_code",
    "requested_description",
    "requested_qty",
    "branch_id",
    "branch_open",
    "match_status",
    "matched_sku",
    "matched_product_name",
    "available_today",
    "fulfillable_qty",
    "short_qty",
    "reason",
)
_MARKED_COLUMNS: Final = " ".join(COLUMNS)
"""The columns as the page on cross lists marks them: all in one pair of backticks."""
FIRST_COLUMN: Final = COLUMNS[0]


@dataclass(frozen=True, slots=True)
class _PageWords:
    """The values of `match_status` and `reason` that the page on cross lists marks."""

    exact: str
    """The status of a product that has the required properties."""
    mismatch: str
    """The status of a product that does not have them."""
    differs: str
    """The reason if the product does not have them."""
    closed: str
    """The reason if the branch is closed."""
    enough: str
    """The reason if the branch has as many units as were requested."""
    short: str
    """The reason if the branch has fewer units than were requested."""


_WORD_PATTERNS: Final = {
    "exact": r"^exact$",
    "mismatch": r"^\w*mismatch$",  # `property_mismatch`
    "differs": r"\bnot\b.* match",  # `properties do not match`
    "closed": r"\w .*\bclosed\b",  # `branch is closed`
    "enough": r" .*\bquantity available\b",  # `requested quantity available`
    "short": r"\binsufficient\b",  # `insufficient stock`
}
"""A pattern for each field of `_PageWords`. Each matches one of the texts that the page marks."""


def _page_words(page: str) -> _PageWords:
    """Return the values of `match_status` and `reason` that a page marks.

    Raises `CannotRead` unless exactly one marked text matches each pattern.
    """
    marks = {mark for mark in marked_words(page) if mark != _MARKED_COLUMNS}
    words = {}
    for name, pattern in _WORD_PATTERNS.items():
        candidates = [mark for mark in marks if re.search(pattern, mark)]
        is_clear = len(candidates) == 1
        require(
            is_clear,
            "the page on cross lists does not name each state and each reason once",
        )
        words[name] = candidates[0]
    return _PageWords(**words)


# The cross list ---------------------------------------------------------------------------------


def cross_list(layout: ShopLayout, upload: str) -> FunctionResult[str]:
    """Return the cross list for an uploaded request.

    It has the form that the page on cross lists requires. The result cites the page and the
    upload. Raises `CannotRead` if the page, the branch or a product is not certain.
    """
    # 1. Read the request, the page, the products and the branch.
    page = _page_on_cross_lists(layout)
    request = layout.files.text_of(upload)
    items = requested_items(request)
    branch_names = _BRANCH.findall(request)
    if page is None or len(branch_names) != 1 or not items:
        msg = f"there is no single page on cross lists, or {upload} has no items for a single branch"
        raise CannotRead(msg)
    products = catalogue_of(layout).named([item.description for item in items])
    words = _page_words(page.one_line)
    branch = branch_called(layout, branch_names[0])
    stock = BranchStock(layout, branch)
    is_branch_open = is_open(layout, branch)

    # 2. Write a row for each item.
    lines = ["\t".join(COLUMNS)]
    for number, (item, product) in enumerate(zip(items, products, strict=True), 1):
        row = {
            "line_no": number,
            "competitor_code": item.code,
            "requested_description": product.name,
            "requested_qty": item.count,
            "branch_id": branch.id,
            "branch_open": "true" if is_branch_open else "false",
        }
        row |= _match_cells(item, product, stock, words, is_branch_open=is_branch_open)
        lines.append("\t".join(str(row[column]) for column in COLUMNS))
    table = "\n".join(lines) + "\n"
    references = (
        Reference(upload, f"the request for {branch.name}"),
        Reference(page.path, f"the columns and reasons, such as {words.closed}"),
    )
    return FunctionResult(table, references)


def _match_cells(
    item: RequestedItem,
    product: Product,
    stock: BranchStock,
    words: _PageWords,
    *,
    is_branch_open: bool,
) -> dict[str, object]:
    """Return the cells that say if a product fits an item, and how many units a branch can sell."""
    if not item.fits(product):
        return {
            "match_status": words.mismatch,
            "matched_sku": "",
            "matched_product_name": "",
            "available_today": 0,
            "fulfillable_qty": 0,
            "short_qty": item.count,
            "reason": words.differs,
        }

    available = stock.units(product.code).available
    if not is_branch_open:
        fulfillable = 0
        reason = words.closed
    elif available >= item.count:
        fulfillable = item.count
        reason = words.enough
    else:
        fulfillable = available
        reason = words.short
    return {
        "match_status": words.exact,
        "matched_sku": product.code,
        "matched_product_name": product.name,
        "available_today": available,
        "fulfillable_qty": fulfillable,
        "short_qty": item.count - fulfillable,
        "reason": reason,
    }


@dataclass(frozen=True, slots=True)
class _Page:
    """The document that says how a cross list is written."""

    path: str
    one_line: str
    """The page's text without line breaks."""


def _page_on_cross_lists(layout: ShopLayout) -> _Page | None:
    """Return the only document with the columns of a cross list in backticks.

    The result is None if there is none, or several.
    """
    pages = []
    for path, text in layout.documents.texts.items():
        one_line = " ".join(text.split())
        if _MARKED_COLUMNS in marked_words(one_line):
            pages.append(_Page(path, one_line))
    return pages[0] if len(pages) == 1 else None


# Judging tables ---------------------------------------------------------------------------------

MAX_DIFFERENCES: Final = 3
"""The most differing cells or missing rows that a message names."""

Table = list[list[str]]
_NOT_UPLOADS: Final = (".json", ".md", ".tsv", ".csv")
"""Extensions of files that cannot be scanned requests."""


@dataclass(frozen=True, slots=True)
class JudgedTable:
    """The result of comparing a table that a model writes with the records."""

    references: tuple[Reference, ...]
    """The files from which the right table was computed."""
    faults: list[str]
    """The first cells that differ, or the missing rows; empty if the table is right."""


def judge_table(layout: ShopLayout, text: str) -> JudgedTable:
    """Compare a cross list or a stock export with the records.

    Raises `CannotRead` if the uploaded request or the branch is not certain.
    """
    if text.startswith(FIRST_COLUMN):
        return _judge_cross_list(layout, _table_of(text, "\t"))
    # Without documents, too little is known about the shop to judge an export.
    require(
        layout.documents.texts, "no single upload holds the first code of the table"
    )
    return _judge_export(layout, _table_of(text, ","))


def _judge_cross_list(layout: ShopLayout, written: Table) -> JudgedTable:
    """Compare a cross list with the one for the upload that contains its first code."""
    uploads = _uploads_with(layout, _first_code(written))
    require(len(uploads) == 1, "no single upload holds the first code of the table")
    right = cross_list(layout, uploads[0])
    return JudgedTable(right.refs, _differences(written, _table_of(right.value, "\t")))


def _first_code(cross_list_rows: Table) -> str:
    """Return the first competitor's code in the rows; empty if there is none."""
    for row in cross_list_rows[1:]:
        if len(row) > 1 and row[1]:
            return row[1]
    return ""


def _uploads_with(layout: ShopLayout, competitor_code: str) -> list[str]:
    """Return the scanned requests that contain a competitor's code.

    Such codes occur only in requests, and in tables and pages about them.
    """
    if not competitor_code:
        return []
    paths = {path for path, _ in layout.reader.search(re.escape(competitor_code), "/")}
    return [path for path in paths if not path.casefold().endswith(_NOT_UPLOADS)]


def _table_of(text: str, separator: str) -> Table:
    return [line.split(separator) for line in text.splitlines() if line.strip()]


def _judge_export(layout: ShopLayout, written: Table) -> JudgedTable:
    """Compare a stock export with the branch that agrees with most of its rows.

    The header of an export is `SKU,2027-03-01,2027-03-02`.
    """
    header, *rows = written  # `judge_table` gets a table whose header was recognized.
    codes = [row[0] for row in rows]
    catalogue = catalogue_of(layout)
    unknown = [code for code in codes if code not in catalogue.codes]
    if unknown:
        fault = f"no product is called {', '.join(unknown[:MAX_DIFFERENCES])}"
        return JudgedTable((), [fault])
    days_ahead = _days_from_today(layout, header[1:])
    missing_codes = missing_siblings(catalogue, codes)

    # A wrong branch has the right stock of a few products by chance, but not of half of them.
    branch_stocks = _stocks_of_branches(layout)
    likeliest = _most_similar(branch_stocks, rows, days_ahead)
    agreeing_rows = _equal_rows(likeliest.stock, rows, days_ahead)
    require(2 * agreeing_rows >= len(rows), "no branch has half of the rows")

    right = [header]
    for code in codes:
        right.append(_export_row(likeliest.stock, code, days_ahead))
    # Rows that the export lacks. Only their codes are named, so they have no other cells.
    for code in missing_codes:
        right.append([code])
    reference = reference_to(likeliest.branch, Kind.BRANCH)
    return JudgedTable((reference,), _differences(written, right))


@dataclass(frozen=True, slots=True)
class _StockOfBranch:
    """A branch and its stock."""

    branch: Record
    stock: BranchStock


def _stocks_of_branches(layout: ShopLayout) -> list[_StockOfBranch]:
    """Return all branches with their stock.

    The fields of all branches have the names of the first one's.
    """
    branches = layout.raw_records.read(layout.kinds.group(Kind.BRANCH).paths)
    fields = BranchStock(layout, branches[0]).fields
    return [
        _StockOfBranch(branch, BranchStock(layout, branch, fields))
        for branch in branches
    ]


def _days_from_today(layout: ShopLayout, days: Sequence[str]) -> list[int]:
    """Return the number of days from today to each ISO day: 0 for today, 1 for tomorrow.

    Raises `CannotRead` for other texts.
    """
    try:
        today = datetime.fromisoformat(layout.clock[: len("YYYY-MM-DD")])
        return [(datetime.fromisoformat(day) - today).days for day in days]
    except ValueError as error:
        raise CannotRead(str(error)) from None


def _most_similar(
    branch_stocks: Sequence[_StockOfBranch], rows: Table, days_ahead: list[int]
) -> _StockOfBranch:
    """Return the branch that agrees with the most rows.

    To save time, all branches are compared on the first day only, and the best of them
    on all days.
    """
    first_day = days_ahead[:1]
    equal_on_first_day = [
        _equal_rows(candidate.stock, rows, first_day) for candidate in branch_stocks
    ]
    most = max(equal_on_first_day)
    candidates = []
    for candidate, equal in zip(branch_stocks, equal_on_first_day, strict=True):
        if equal == most:
            candidates.append(candidate)
    return max(
        candidates, key=lambda candidate: _equal_rows(candidate.stock, rows, days_ahead)
    )


def _equal_rows(stock: BranchStock, rows: Table, days_ahead: list[int]) -> int:
    """Return the number of rows that agree with a branch's stock on these days."""
    equal = 0
    for row in rows:
        if _export_row(stock, row[0], days_ahead) == row[: len(days_ahead) + 1]:
            equal += 1
    return equal


def _export_row(stock: BranchStock, code: str, days_ahead: list[int]) -> list[str]:
    """Return the row of a product: `["AB-1", "4", "0", "12"]`.

    After the code come the units that can be sold
    today (day 0), or that arrive on a later day.
    """
    row = [code]
    for day in days_ahead:
        # `within` counts the units available today and those of all deliveries up to a day.
        units = stock.units(code, day).within
        if day != 0:
            units -= stock.units(code, day - 1).within
        row.append(str(units))
    return row


def _differences(written: Table, right: Table) -> list[str]:
    """Return the first cells of a table that differ from the right ones.

    If the number of rows is wrong, only that is returned.
    """
    if len(written) != len(right):
        # The header is not counted.
        fault = f"the table has {len(written) - 1} rows, and {len(right) - 1} are due"
        missing = _missing_rows(written, right)
        if missing:
            fault += f"; no row is about {', '.join(missing[:MAX_DIFFERENCES])}"
        return [fault]
    faults = []
    header = right[0]
    for number in range(1, len(right)):
        cells = zip_longest(header, written[number], right[number], fillvalue="")
        for column, written_cell, right_cell in cells:
            if written_cell != right_cell:
                faults.append(
                    f"line {number}: `{column}` is {written_cell!r}, "
                    f"and the records give {right_cell!r}"
                )
    if len(faults) > MAX_DIFFERENCES:
        more = len(faults) - MAX_DIFFERENCES
        return [*faults[:MAX_DIFFERENCES], f"{more} more cells differ"]
    return faults


def _missing_rows(written: Table, right: Table) -> list[str]:
    """Return the codes of right rows that occur in no written row."""
    # In a cross list, the first column is the line number, and the second one has the codes.
    is_cross_list = right[0][0] == FIRST_COLUMN
    code_column = 1 if is_cross_list else 0
    written_cells = {cell for row in written for cell in row}
    return [row[code_column] for row in right if row[code_column] not in written_cells]
