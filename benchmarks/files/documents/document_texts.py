"""Converts documents to text in an isolated process, the worker.

A document may come from anyone, and its format may be used to attack a library. The worker
imports this module, with all libraries, before it isolates itself. No other module imports
it, because the libraries take seconds to load.
"""

from __future__ import annotations

import codecs
import os
from base64 import b64decode, b64encode
from contextlib import suppress
from encodings.aliases import aliases
from importlib import import_module
from importlib.util import find_spec
from io import BytesIO

# With several threads, NumPy would start some now, and they would not survive the isolation.
os.environ["OPENBLAS_NUM_THREADS"] = "1"

from openpyxl import Workbook

from controlplane.benchmarks.files.documents import pdf_fonts
from controlplane.benchmarks.files.documents.document_parts import parts_of


def convert(suffix: str, data: str) -> list[list[str]]:
    """Return the parts of a document, each as a list: `["page-1", "Text", "a note"]`.

    `data` is in base64. A document without text has one empty part. Raises `CallError`
    with the code `invalid_argument` if the document needs a password.
    """
    parts = parts_of(suffix, b64decode(data))
    return [part.as_list for part in parts]


def _load_ahead() -> None:
    """Load modules, encodings and character maps now, because an isolated process cannot."""
    if find_spec("duckdb") and find_spec("fsspec"):
        import_module("controlplane.benchmarks.files.tables.table_database")
    for encoding in set(aliases.values()):
        with suppress(LookupError):  # Some systems lack some encodings.
            codecs.lookup(encoding)
    pdf_fonts.load_ahead()
    # Each converter is run once, so that it loads what it needs. Some of these samples are
    # not valid, since a valid one is long: an empty `.pdf`, and a `.docx` that is a
    # workbook. They fail, but only after everything is loaded.
    workbook = BytesIO()
    Workbook().save(workbook)
    samples = {
        ".xlsx": workbook.getvalue(),
        ".html": b"<p>x</p><table><tr><td rowspan=2>x</table>",
        ".docx": workbook.getvalue(),
        ".pdf": b"",
        ".eml": b"Content-Type: message/rfc822\n\nFrom: a\n\nb",
    }
    for suffix, data in samples.items():
        with suppress(Exception):
            convert(suffix, b64encode(data).decode())


_load_ahead()
