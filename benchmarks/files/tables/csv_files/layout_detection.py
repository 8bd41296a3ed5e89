"""Finds out from the first lines of a CSV file how to read it.

Programs write CSV files with commas, semicolons or tabs, and some put titles above the
header. Nothing in the file says so, and a wrong guess would make wrong columns.
"""

from __future__ import annotations

import re
from typing import Final

from controlplane.benchmarks.files.tables.csv_files.csv_layout import CsvLayout, CsvRow
from controlplane.benchmarks.files.tables.csv_files.delimiters import (
    NO_DELIMITER,
    likeliest_delimiter,
    sample_rows,
)
from controlplane.benchmarks.files.tables.csv_files.header import header_of

DELIMITER_NAMES: Final = {"\t": "tabs", ",": "commas", ";": "semicolons", "|": "pipes"}
SAMPLE_LINES: Final = 500
"""The number of lines at the start of a file by which its layout is found."""
SAMPLE_CHARS: Final = 200_000
SEPARATOR_LINE: Final = re.compile(r'\ufeff?"?sep=(.)"?')
"""The first line that Excel writes to name the delimiter: `sep=;`."""


def layout_of(text: str, *, is_tab_separated: bool = False) -> CsvLayout:
    """Detect from a file's first lines how to read it. A TSV file is tab-separated."""
    sample = _sample(text)
    # A quotation mark inside a cell is written `\"` in some files, and `""` in most.
    has_backslashes = '\\"' in sample and '""' not in sample

    declared_delimiter = _declared_delimiter(sample)
    if declared_delimiter:
        delimiter = declared_delimiter
    elif is_tab_separated and "\t" in sample:
        delimiter = "\t"
    else:
        delimiter = likeliest_delimiter(sample, has_backslashes=has_backslashes)
    assumed = []
    if delimiter != NO_DELIMITER:
        name = DELIMITER_NAMES.get(delimiter, repr(delimiter))
        assumed.append(f"cells are separated by {name}")

    rows = sample_rows(sample, delimiter, has_backslashes=has_backslashes)
    if declared_delimiter and rows:
        # The line `sep=;` is not a part of the table. It becomes an empty row, so that all
        # other rows keep their indices.
        rows[0] = CsvRow(line=1, cells=[])
    header = header_of(rows, delimiter)
    assumed += header.assumed
    return CsvLayout(delimiter, has_backslashes, header, assumed, header.doubts)


def _declared_delimiter(sample: str) -> str:
    """Return the delimiter that the first line names: `sep=;` -> `;`; empty if it names none."""
    first_line = sample.partition("\n")[0].rstrip("\r")
    match = SEPARATOR_LINE.fullmatch(first_line)
    return match[1] if match else ""


def normal_lines(text: str) -> str:
    """Return the text with line feeds if its lines end with carriage returns, as on old Macs."""
    lone_returns = text.count("\r") - text.count("\r\n")
    if lone_returns and lone_returns >= text.count("\n"):
        return text.replace("\r\n", "\n").replace("\r", "\n")
    return text


def _sample(text: str) -> str:
    """Return the first lines of a text: at most `SAMPLE_LINES`, about `SAMPLE_CHARS` long.

    The last line is whole, unless the text has too few line breaks.
    """
    end = 0
    for _ in range(SAMPLE_LINES):
        line_end = text.find("\n", end)
        if line_end < 0:
            return text[:SAMPLE_CHARS]
        end = line_end + 1
        if end > SAMPLE_CHARS:
            break
    return text[:end]
