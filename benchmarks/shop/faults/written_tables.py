"""Judges two kinds of tables that a model writes: cross lists, and exports of stock.

A cross list answers a customer's uploaded request for products like those of a competitor. It
is compared with the one that follows from the request and the records (`cross_lists`). An export
lists the units of a branch's products by day (`written_exports`).
"""

from __future__ import annotations

import re
from typing import Final

from controlplane.benchmarks.shop.certain_values import require
from controlplane.benchmarks.shop.faults.cross_list_page import FIRST_COLUMN
from controlplane.benchmarks.shop.faults.cross_lists import cross_list
from controlplane.benchmarks.shop.faults.table_differences import (
    JudgedTable,
    Table,
    differences,
    table_of,
)
from controlplane.benchmarks.shop.faults.written_exports import judge_export
from controlplane.benchmarks.shop.workspace.workspace import ShopLayout


def judge_table(layout: ShopLayout, text: str) -> JudgedTable:
    """Compare a written cross list or export of stock with the table that follows from the records.

    Raises `CannotRead` if the uploaded request or the branch is not certain.
    """
    if text.startswith(FIRST_COLUMN):
        return _judge_cross_list(layout, table_of(text, "\t"))
    require(
        layout.documents.texts,
        "without documents, too little is known of the shop to judge an export",
    )
    return judge_export(layout, table_of(text, ","))


def _judge_cross_list(layout: ShopLayout, written: Table) -> JudgedTable:
    """Compare a cross list with the right one for the upload that contains its first code."""
    uploads = _uploads_with(layout, _first_code(written))
    require(len(uploads) == 1, "no single upload holds the first code of the table")
    right = cross_list(layout, uploads[0])
    return JudgedTable(right.refs, differences(written, table_of(right.value, "\t")))


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
