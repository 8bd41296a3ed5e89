"""Reads a text in TOML as data that JSON can hold, with bounds for hostile texts.

For example, `day = 2027-03-01` is `{"day": "2027-03-01"}`.
"""

from __future__ import annotations

import json
from datetime import date, datetime, time
from typing import Any, Final

from controlplane import BenchmarkError
from controlplane.sandbox.interface import error_codes
from controlplane.sandbox.interface.foreign_documents import NotToml, parse_toml

INVALID: Final = error_codes.INVALID_ARGUMENT


def data_of_toml(text: str, name: str) -> Any:
    """Return the data of a text, with dates as ISO texts: `day = 2027-03-01` -> `"2027-03-01"`.

    `name` is the file's name in messages. Raises `BenchmarkError` if the text is not TOML, or
    exceeds a limit.
    """
    try:
        data = parse_toml(text)
        # Converted to JSON and back: dates become texts, and `nan` and `inf`, which
        # JSON does not have, are refused.
        json_text = json.dumps(data, default=_iso_text, allow_nan=False)
        return json.loads(json_text)
    except NotToml as error:
        line = _line_of(error) or len(text.splitlines())
        msg = f"{name}:{line}: this is not TOML: {error}"
        raise BenchmarkError(INVALID, msg) from None
    except (RecursionError, ValueError) as error:
        msg = f"{name}: this cannot be read: {error}"
        raise BenchmarkError(INVALID, msg) from None


def _iso_text(moment: date | datetime | time) -> str:
    return moment.isoformat()


def _line_of(error: NotToml) -> int | None:
    """Return the line that an error names: "... (at line 3, column 5)" -> 3; None without one."""
    line = str(error).rpartition("at line ")[2].partition(",")[0]
    return int(line) if line.isdecimal() else None
