"""What the suffix of a file's name says about the file.

`.pdf` says that it has to be converted to text, and `.csv` that it can be queried as a table. The
suffix is compared in small letters: `REPORT.PDF` is a document, too.
"""

from __future__ import annotations

from typing import Final

_TEXT_SUFFIXES: Final = """
    .md .txt .rst .log .csv .tsv .json .toml .yaml .yml .xml .ini .cfg .css .sql .sh .py .js .ts .c
    .h .go .rs .java
"""
TEXT_SUFFIXES: Final = tuple(_TEXT_SUFFIXES.split())
"""Files with these suffixes are taken for texts without a look at their content."""
MARKUP_SUFFIXES: Final = (".html", ".htm", ".eml", ".mbox", ".ipynb")
"""Documents that are converted to plain text, but that can also be read as they are."""
DOCUMENT_SUFFIXES: Final = (
    ".docx",
    ".xlsx",
    ".pdf",
    ".parquet",
    ".sqlite",
    ".sqlite3",
    ".db",
    *MARKUP_SUFFIXES,
)
"""Documents, which are converted to plain text."""
SUFFIXES_TO_SAVE_AS: Final = {
    ".ods": ".xlsx",
    ".xls": ".xlsx",
    ".xlsb": ".xlsx",
    ".doc": ".docx",
    ".odt": ".docx",
    ".msg": ".eml",
    ".pptx": ".pdf",
    ".ppt": ".pdf",
    ".odp": ".pdf",
}
"""Documents that are not read, with the suffix of a format that is."""
TAB_SUFFIXES: Final = (".tsv", ".tab")
JSON_LINES_SUFFIXES: Final = (".jsonl", ".ndjson")
TABLE_SUFFIXES: Final = (".csv", ".parquet", *TAB_SUFFIXES, *JSON_LINES_SUFFIXES)
"""Files that can be queried as tables. A `.parquet` file is converted to CSV first."""


def is_table(path: str) -> bool:
    """Return True if a file can be queried as a table."""
    return path.lower().endswith(TABLE_SUFFIXES)


def is_document(path: str) -> bool:
    """Return True if a file is converted to plain text."""
    return path.lower().endswith(DOCUMENT_SUFFIXES)
