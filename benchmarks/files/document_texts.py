"""Turns documents into text, in an aide: PDF by page, workbooks by sheet and Parquet as CSV, DOCX and HTML whole.

The aide imports this module before its walls close, with the libraries that it needs; nothing else imports it.
"""

from __future__ import annotations

import csv
import os
from base64 import b64decode, b64encode
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from importlib import import_module
from importlib.util import find_spec
from io import BytesIO, StringIO
from typing import Any, Final

os.environ["OPENBLAS_NUM_THREADS"] = "1"  # Only in the process that converts documents, which has no threads.

from markitdown import StreamInfo
from markitdown.converters import DocxConverter, HtmlConverter
from openpyxl import Workbook, load_workbook
from pdfminer.high_level import extract_text

_UNTYPED: Final[dict[str, Any]] = {".docx": DocxConverter, ".html": HtmlConverter}
CONVERTERS: Final = {suffix: kind() for suffix, kind in _UNTYPED.items()}
PARQUET: Final = "memory://table.parquet"
PAGE_END: Final = "\f"
NO_TEXT: Final = "(No text: this page is an image, or empty.)"


def convert(suffix: str, data: str) -> list[list[str]]:
    """Return the parts of a document, each with its place (`page-3`, a sheet's name; empty for the whole) and text.

    A document without any text has one empty part.
    """
    file = BytesIO(b64decode(data))
    if suffix == ".pdf":
        pages = extract_text(file).removesuffix(PAGE_END).split(PAGE_END)
        parts = [[f"page-{number}", page if page.strip() else NO_TEXT] for number, page in enumerate(pages, start=1)]
        return parts if any(map(str.strip, pages)) else [["", ""]]
    if suffix == ".xlsx":  # Not with markitdown, which needs a table library that is slow to load.
        sheets = load_workbook(file, data_only=True).worksheets  # with the saved values of formulas
        return [[f"sheet-{sheet.title}.csv", _csv(sheet.values)] for sheet in sheets]
    if suffix == ".parquet":
        return [["", _csv(_rows(file.getvalue()))]]
    converted = CONVERTERS[suffix.replace(".htm", ".html")[:5]].convert(file, StreamInfo(extension=suffix))
    return [["", converted.markdown]]


def _rows(data: bytes) -> Iterator[Sequence[Any]]:
    """Yield the names of a Parquet file's columns, and its rows."""
    _memory.pipe(PARQUET, data)
    cursor = _database.execute("select * from read_parquet(?)", [PARQUET])
    yield [column[0] for column in cursor.description]
    while rows := cursor.fetchmany(10_000):
        yield from rows


def _csv(rows: Iterable[Sequence[Any]]) -> str:
    text = StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()


if find_spec("duckdb") and find_spec("fsspec"):
    _memory: Any = import_module("fsspec.implementations.memory").MemoryFileSystem()
    _database: Any = import_module("duckdb").connect(":memory:", config={"threads": 1})
    """Opened before the walls close; in one thread, which is all that they allow."""
    _database.register_filesystem(_memory)


def _warm_up() -> None:
    """Convert empty documents, so that libraries do their late imports before the walls close."""
    book = BytesIO()
    Workbook().save(book)
    for suffix, data in ((".xlsx", book.getvalue()), (".html", b"<p>x</p>"), (".docx", book.getvalue()), (".pdf", b"")):
        with suppress(Exception):
            convert(suffix, b64encode(data).decode())


_warm_up()
