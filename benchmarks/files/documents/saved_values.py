"""Finds formulas of a workbook whose values were not saved, and shows them as formulas.

A cell with the formula `=B2*2` usually has its last value in the file, too: 8. Programs that
write workbooks without computing them save none, and the cell would seem to be empty.
"""

from __future__ import annotations

import zipfile
from io import BytesIO
from typing import Any, Final

import re2
from openpyxl.worksheet.formula import ArrayFormula, DataTableFormula

# In the XML of a sheet, a cell with a formula and its value is `<c><f>B2*2</f><v>8</v></c>`.
_PREFIX: Final = rb"(?:\w+:)?"  # of a namespace: `<x:f>`
# <f>B2*2</f>
_FORMULA: Final = b"<" + _PREFIX + rb"f(?:\s[^>]*)?(?:/>|>[^<]*</" + _PREFIX + b"f>)"
# <v/>, or no value at all
_EMPTY_VALUE: Final = b"(?:<" + _PREFIX + rb"v\s*/>|<v></v>)?"
_END_OF_CELL: Final = b"</" + _PREFIX + b"c>"
FORMULA_WITHOUT_VALUE: Final = re2.compile(
    _FORMULA + rb"\s*" + _EMPTY_VALUE + rb"\s*" + _END_OF_CELL
)
"""A formula without a saved value, such as `<f>B2*2</f><v/></c>`. Some programs save no values."""


def lacks_values(data: bytes) -> bool:
    """Return True if a formula of the workbook has no saved value.

    `data` is an XLSX file: a ZIP archive with a file in XML for each sheet.
    """
    with zipfile.ZipFile(BytesIO(data)) as archive:
        for name in archive.namelist():
            if name.startswith("xl/worksheets/") and name.endswith(".xml"):
                if FORMULA_WITHOUT_VALUE.search(archive.read(name)):
                    return True
    return False


def formula_of(value: Any) -> str:
    """Return a cell's formula as its author wrote it: `=B2*2`; empty for any other value.

    `value` is what openpyxl has read. A formula for several cells is an object of its own.
    """
    if isinstance(value, ArrayFormula):
        value = value.text
    if isinstance(value, DataTableFormula):
        return "=TABLE()"
    if isinstance(value, str) and value.startswith("="):
        return value
    return ""
