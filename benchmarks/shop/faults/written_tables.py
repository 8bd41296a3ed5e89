"""Judges two kinds of tables that a model writes: cross lists, and exports of stock.

A cross list answers a customer's uploaded request for products like those of a competitor. It
is compared with the one that follows from the request and the records (`cross_lists`). An export
of stock lists units of a branch's products by day:

    SKU,2027-03-01,2027-03-02
    AB-1,4,0

It does not name the branch, so it is compared with the branch whose stock is most like it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import zip_longest
from typing import Final

from controlplane.benchmarks.shop.faults.cross_list_page import FIRST_COLUMN
from controlplane.benchmarks.shop.faults.cross_lists import cross_list
from controlplane.benchmarks.shop.products.catalogue import catalogue_of
from controlplane.benchmarks.shop.products.missing_siblings import missing_siblings
from controlplane.benchmarks.shop.texts.text import require
from controlplane.benchmarks.shop.workspace.branch_stock import BranchStock
from controlplane.benchmarks.shop.workspace.kinds import Kind
from controlplane.benchmarks.shop.workspace.named_records import reference_to
from controlplane.benchmarks.shop.workspace.records.record import Record
from controlplane.benchmarks.shop.workspace.workspace import ShopLayout
from controlplane.sandbox.functions import CannotRead, Reference

Table = list[list[str]]
"""The rows of a table, with the header first."""


@dataclass(frozen=True, slots=True)
class JudgedTable:
    """The result of comparing a written table with the right one."""

    references: tuple[Reference, ...]
    """The files from which the right table was computed."""
    faults: list[str]
    """Texts about the first cells that differ, or the missing rows; empty if the table is right."""


def judge_table(layout: ShopLayout, text: str) -> JudgedTable:
    """Compare a written cross list or export of stock with the table that follows from the records.

    Raises `CannotRead` if the uploaded request or the branch is not certain.
    """
    if text.startswith(FIRST_COLUMN):
        return _judge_cross_list(layout, _table_of(text, "\t"))
    require(
        layout.documents.texts,
        "without documents, too little is known of the shop to judge an export",
    )
    return _judge_export(layout, _table_of(text, ","))


def _judge_cross_list(layout: ShopLayout, written: Table) -> JudgedTable:
    """Compare a cross list with the right one for the upload that contains its first code."""
    uploads = _uploads_with(layout, _first_code(written))
    require(len(uploads) == 1, "no single upload holds the first code of the table")
    right = cross_list(layout, uploads[0])
    return JudgedTable(right.refs, _differences(written, _table_of(right.value, "\t")))


def _first_code(cross_list_rows: Table) -> str:
    """Return the first competitor's code, which is in the second column; empty if there is none."""
    for row in cross_list_rows[1:]:
        if len(row) > 1 and row[1]:
            return row[1]
    return ""


_NOT_UPLOADS: Final = (".json", ".md", ".tsv", ".csv")
"""Extensions of records, pages and tables. An uploaded request has none of them."""


def _uploads_with(layout: ShopLayout, competitor_code: str) -> list[str]:
    """Return the uploaded requests that contain a competitor's code.

    Such codes occur only in requests, and in tables and pages about them.
    """
    if not competitor_code:
        return []
    paths = {path for path, _ in layout.reader.search(re.escape(competitor_code), "/")}
    return [path for path in paths if not path.casefold().endswith(_NOT_UPLOADS)]


def _table_of(text: str, separator: str) -> Table:
    """Return the rows of a written table, without blank lines."""
    return [line.split(separator) for line in text.splitlines() if line.strip()]


def _judge_export(layout: ShopLayout, written: Table) -> JudgedTable:
    """Compare an export of stock with that of the branch that agrees with most of its rows."""
    # 1. Read the codes and the days: the header is `SKU,2027-03-01,2027-03-02`.
    header, *rows = written
    codes = [row[0] for row in rows]
    catalogue = catalogue_of(layout)
    unknown = [code for code in codes if code not in catalogue.codes]
    if unknown:
        fault = f"no product is called {', '.join(unknown[:MAX_DIFFERENCES])}"
        return JudgedTable((), [fault])
    days_ahead = _days_from_today(layout, header[1:])
    forgotten_codes = missing_siblings(catalogue, codes)

    # 2. Find the branch. A wrong one has the right stock of a few products by chance, but not of
    #    half of them.
    likeliest = _most_similar(_stocks_of_branches(layout), rows, days_ahead)
    agreeing_rows = _equal_rows(likeliest.stock, rows, days_ahead)
    require(2 * agreeing_rows >= len(rows), "no branch has half of the rows")

    # 3. Compute the right export. It also has the products that the written one has probably
    #    forgotten. A message names only their codes, so their rows have no other cells.
    right = [header]
    for code in codes:
        right.append(_export_row(likeliest.stock, code, days_ahead))
    for code in forgotten_codes:
        right.append([code])
    reference = reference_to(likeliest.branch, Kind.BRANCH)
    return JudgedTable((reference,), _differences(written, right))


@dataclass(frozen=True, slots=True)
class _StockOfBranch:
    """A branch and its stock."""

    branch: Record
    stock: BranchStock


def _stocks_of_branches(layout: ShopLayout) -> list[_StockOfBranch]:
    """Return all branches with their stock."""
    branches = layout.raw_records.read(layout.kinds.group(Kind.BRANCH).paths)
    # All branches of a shop have the same fields. Their names are learned only once.
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
    """Return the number of rows that agree with a branch's stock on these days.

    `rows` are those of an export, without its header. Further cells of a row are ignored.
    """
    equal = 0
    for row in rows:
        code_and_days = row[: 1 + len(days_ahead)]
        if _export_row(stock, row[0], days_ahead) == code_and_days:
            equal += 1
    return equal


def _export_row(stock: BranchStock, code: str, days_ahead: list[int]) -> list[str]:
    """Return the row of a product in an export: `["AB-1", "4", "0", "12"]`.

    After the code come the units that can be sold today (day 0), or that arrive on a later
    day.
    """
    row = [code]
    for day in days_ahead:
        # `within` counts the units available today and those of all deliveries up to the day.
        units = stock.units(code, day).within
        if day != 0:
            units -= stock.units(code, day - 1).within
        row.append(str(units))
    return row


MAX_DIFFERENCES: Final = 3
"""The most differing cells or missing rows that a message names."""


def _differences(written: Table, right: Table) -> list[str]:
    """Return texts on the first cells of a table that differ from the right ones.

    Both tables have a header. If the number of rows is wrong, only that is told.
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
