"""Judges an export of stock that a model has written: the units of a branch's products by day.

    SKU,2027-03-01,2027-03-02
    AB-1,4,12

On the first day, which is today, 4 units can be sold. On the next day, 12 more arrive. An export
does not name its branch, so it is compared with the branch whose stock is most like it.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Final

from controlplane.benchmarks.shop.branches.branch_stock import (
    BranchStock,
    fields_of_stock,
)
from controlplane.benchmarks.shop.certain_values import require
from controlplane.benchmarks.shop.faults.table_differences import (
    MAX_DIFFERENCES,
    JudgedTable,
    Table,
    differences,
)
from controlplane.benchmarks.shop.products.catalogue import catalogue_of
from controlplane.benchmarks.shop.products.missing_siblings import missing_siblings
from controlplane.benchmarks.shop.workspace.kinds import Kind
from controlplane.benchmarks.shop.workspace.named_records import reference_to
from controlplane.benchmarks.shop.workspace.workspace import ShopLayout
from controlplane.sandbox.functions import CannotRead


def judge_export(layout: ShopLayout, written: Table) -> JudgedTable:
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
    agreeing_rows = _equal_rows(likeliest, rows, days_ahead)
    require(2 * agreeing_rows >= len(rows), "no branch has half of the rows")

    # 3. Compute the right export. It also has a row for each product that the written one has
    #    probably forgotten: only its code, because the message names no more.
    right = [header]
    for code in codes:
        right.append(_export_row(likeliest, code, days_ahead))
    for code in forgotten_codes:
        right.append([code])
    reference = reference_to(likeliest.branch, Kind.BRANCH)
    return JudgedTable((reference,), differences(written, right, _CODE_COLUMN))


_CODE_COLUMN: Final = 0
"""The column of an export with the codes of products."""


def _stocks_of_branches(layout: ShopLayout) -> list[BranchStock]:
    """Return the stocks of all branches of the shop."""
    branches = layout.raw_records.read(layout.kinds.group(Kind.BRANCH).paths)
    # All branches of a shop have the same fields. Their names are learned only once.
    fields = fields_of_stock(layout, branches[0])
    return [BranchStock(branch, fields) for branch in branches]


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
    stocks: Sequence[BranchStock], rows: Table, days_ahead: list[int]
) -> BranchStock:
    """Return the stock that agrees with the most rows of an export.

    `rows` are those without the header: `[["AB-1", "4", "0"]]` for the `days_ahead` 0 and 1.
    To save time, all stocks are compared on the first day only, and the best of them on all
    days.
    """
    first_day = days_ahead[:1]
    equal_rows = [_equal_rows(stock, rows, first_day) for stock in stocks]
    most = max(equal_rows)
    candidates = []
    for stock, count in zip(stocks, equal_rows, strict=True):
        if count == most:
            candidates.append(stock)
    return max(candidates, key=lambda stock: _equal_rows(stock, rows, days_ahead))


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
