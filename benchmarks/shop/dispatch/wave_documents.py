"""Finds the tables and the rates of a dispatch wave, which is a set of packages sent together.

The wave's document names them: "The packages are in /ops/wave-3/packages.csv, the lanes in
/ops/wave-3/lanes.csv, and /docs/rates.md has the price of lateness." A lane is a connection of
two places. A plan by other tables would be wrong, so it must be certain which ones are meant.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

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


class TableFile(NamedTuple):
    """A file with a table."""

    path: str
    text: str


@dataclass(frozen=True, slots=True)
class WaveTables:
    """The two tables of a dispatch wave."""

    packages: TableFile
    lanes: TableFile


def tables_of_wave(layout: ShopLayout, path: str, document: str) -> WaveTables:
    """Return the tables of packages and lanes that a wave's document names.

    `path` is the document's path, and `document` its text. Of the two tables, the one with a
    column on capacity has the lanes. Raises `CannotRead` if there are more tables, or fewer.
    """
    table_paths = list(dict.fromkeys(_TABLE_PATH.findall(document)))
    texts = layout.reader.read_all(table_paths)
    lanes = []
    packages = []
    for table_path, text in zip(table_paths, texts, strict=True):
        table = TableFile(table_path, text)
        if _has_capacity(text):
            lanes.append(table)
        else:
            packages.append(table)
    named = ", ".join(table_paths)
    require(
        len(lanes) == 1 and len(packages) == 1,
        f"{path} names no single table of lanes (with a capacity) and one of packages, but {named}",
    )
    return WaveTables(packages[0], lanes[0])


def _has_capacity(table: str) -> bool:
    """Return True if a column of a table is about capacity: `lane_id,from,to,capacity`."""
    rows = table_rows(table)
    return bool(rows) and any("capacity" in header for header in rows[0])


def rates_on_pages(layout: ShopLayout, document: str) -> Rates:
    """Return the rates on the first page with rates that a document names: `/docs/rates.md`.

    The result has no rates (`Rates()`) if no page has any. It has none either if one of the
    pages does not exist, because that page might be the first with rates.
    """
    pages = [page for page in named_paths(document) if page.casefold().endswith(".md")]
    try:
        texts: Sequence[str] = layout.reader.read_all(pages)
    except LookupError:
        return Rates()
    for text in texts:
        rates = read_rates(text)
        if rates != Rates():
            return rates
    return Rates()
