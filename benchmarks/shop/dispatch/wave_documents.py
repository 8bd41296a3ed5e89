"""Finds the tables and the rates of a dispatch wave, which is a set of packages sent together.

The wave's document names them: "The packages are in /ops/wave-3/packages.csv, the lanes in
/ops/wave-3/lanes.csv, and /docs/rates.md has the price of lateness." A lane is a connection of
two places. A plan by other tables would be wrong, so it must be certain which ones are meant.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from controlplane.benchmarks.shop.certain_values import require
from controlplane.benchmarks.shop.dispatch.delays import Rates
from controlplane.benchmarks.shop.dispatch.page_rates import read_rates
from controlplane.benchmarks.shop.texts.documents import named_paths
from controlplane.benchmarks.shop.texts.table_texts import table_rows
from controlplane.benchmarks.shop.workspace.workspace import (
    ShopLayout,
)

_WAVE_DOCUMENT: Final = re.compile(r"(?<![\w/])/ops/dispatch/[\w./-]*?[\w-]+\.md\b")
"""`/ops/dispatch/wave-3.md`"""


def wave_path(text: str) -> str:
    """Return the first document below the dispatch folder that a text names, or an empty text."""
    match = _WAVE_DOCUMENT.search(text)
    return match[0] if match else ""


_TABLE_PATH: Final = re.compile(
    r"(?<![\w/])/[\w./ -]*?[\w-]+\.(?:tsv|csv)\b", re.IGNORECASE
)
"""`/ops/dispatch/wave 3/lanes.tsv`"""


@dataclass(frozen=True, slots=True)
class WaveTables:
    """The paths and texts of the two tables of a dispatch wave."""

    packages_path: str
    packages_text: str
    lanes_path: str
    lanes_text: str


def tables_of_wave(layout: ShopLayout, path: str, document: str) -> WaveTables:
    """Return the tables of packages and lanes that a wave's document names.

    `path` is the document's path, and `document` its text. Of two tables, the one with a
    column on capacity lists the lanes. Raises `CannotRead` if there is not exactly one table
    of each kind.
    """
    table_paths = list(dict.fromkeys(_TABLE_PATH.findall(document)))
    texts = dict(zip(table_paths, layout.reader.read_all(table_paths), strict=True))
    lane_paths = []
    package_paths = []
    for table_path in table_paths:
        if _has_capacity(texts[table_path]):
            lane_paths.append(table_path)
        else:
            package_paths.append(table_path)
    is_certain = len(lane_paths) == 1 and len(package_paths) == 1
    named = ", ".join(table_paths)
    require(
        is_certain,
        f"{path} names no single table of lanes (with a capacity) and one of packages, but {named}",
    )
    packages_path = package_paths[0]
    lanes_path = lane_paths[0]
    return WaveTables(
        packages_path, texts[packages_path], lanes_path, texts[lanes_path]
    )


def _has_capacity(table: str) -> bool:
    """Return True if a column of a table is about capacity: `lane_id,from,to,capacity`."""
    rows = table_rows(table)
    return bool(rows) and any("capacity" in header for header in rows[0])


def rates_on_pages(layout: ShopLayout, document: str) -> Rates:
    """Return the rates on the first page with rates that a document names.

    The result has no rates if no page has any. It has none either if one of the pages does
    not exist, because that page might be the first with rates.
    """
    no_rates = Rates()
    pages = [page for page in named_paths(document) if page.casefold().endswith(".md")]
    try:
        texts: Sequence[str] = layout.reader.read_all(pages)
    except LookupError:
        return no_rates
    for text in texts:
        rates = read_rates(text)
        if rates != no_rates:
            return rates
    return no_rates
