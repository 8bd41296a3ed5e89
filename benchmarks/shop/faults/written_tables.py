"""Judges two kinds of tables that a model writes: cross lists, and exports of stock.

| table | a row says | compared with |
|---|---|---|
| cross list | that the shop's `AB-1` can replace the competitor's `HX-4711` | `cross_lists` |
| export of stock | how many units of `AB-1` a branch has on each day | `written_exports` |

A cross list answers a request that a customer has uploaded: a list of the competitor's codes.
"""

from __future__ import annotations

import re
from typing import Final

from controlplane.benchmarks.shop.certain_values import require
from controlplane.benchmarks.shop.faults.cross_list_page import COLUMNS, FIRST_COLUMN
from controlplane.benchmarks.shop.faults.cross_lists import cross_list
from controlplane.benchmarks.shop.faults.table_differences import (
    JudgedTable,
    Table,
    differences,
    table_of,
)
from controlplane.benchmarks.shop.faults.written_exports import judge_export
from controlplane.benchmarks.shop.workspace.workspace import ShopLayout

_TABLE_START: Final = re.compile(r"line_no\tcompetitor_code\t|SKU,\d{4}-")
"""The start of a cross list, or of an export of stock: `SKU,2027-`."""


def is_table(text: str) -> bool:
    """Return True if a written text begins like one of these tables."""
    return _TABLE_START.match(text) is not None


def judge_table(layout: ShopLayout, text: str) -> JudgedTable:
    """Compare a written table (`is_table`) with the one that follows from the records.

    Raises `CannotRead` if the uploaded request or the branch is not certain.
    """
    if text.startswith(FIRST_COLUMN):
        return _judge_cross_list(layout, table_of(text, "\t"))
    # An export has stock, and the documents name the fields of records that count stock.
    require(
        layout.documents.texts,
        "without documents, too little is known of the shop to judge an export",
    )
    return judge_export(layout, table_of(text, ","))


_COMPETITOR_CODE: Final = COLUMNS.index("competitor_code")
"""The column of a cross list with the codes of the competitor's products."""


def _judge_cross_list(layout: ShopLayout, written: Table) -> JudgedTable:
    """Compare a cross list with the one that the uploaded request and the records give.

    A cross list does not name the request that it answers. It is the only uploaded file that
    has the competitor's code of the list's first row. Raises `CannotRead` for none or several.
    """
    requests = _requests_with(layout, _first_competitor_code(written))
    require(len(requests) == 1, "no single upload holds the first code of the table")
    right_list = cross_list(layout, requests[0])
    right_table = table_of(right_list.value, "\t")
    return JudgedTable(
        right_list.refs, differences(written, right_table, _COMPETITOR_CODE)
    )


def _first_competitor_code(cross_list_rows: Table) -> str:
    """Return the first code of a competitor's product in a cross list; empty if it has none.

    `[["line_no", "competitor_code", ...], ["1", "HX-4711", ...]]` -> `HX-4711`
    """
    for row in cross_list_rows[1:]:
        if len(row) > _COMPETITOR_CODE and row[_COMPETITOR_CODE]:
            return row[_COMPETITOR_CODE]
    return ""


_EXTENSIONS_OF_OTHER_FILES: Final = (".json", ".md", ".tsv", ".csv")
"""The extensions of records, pages and tables. An uploaded request has none of them."""


def _requests_with(layout: ShopLayout, competitor_code: str) -> list[str]:
    """Return the paths of uploaded requests that contain a competitor's code.

    Other files may contain the code, too: a written cross list, or a page about one. They
    are told apart by their extensions, because shops keep uploads in different folders.
    """
    if not competitor_code:
        return []
    paths = {path for path, _ in layout.reader.search(re.escape(competitor_code), "/")}
    requests = []
    for path in paths:
        if not path.casefold().endswith(_EXTENSIONS_OF_OTHER_FILES):
            requests.append(path)
    return requests
