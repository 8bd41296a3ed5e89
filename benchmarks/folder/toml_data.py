"""Reads a text in TOML as data that JSON can hold, with bounds for hostile texts.

A task.toml may come from somebody else, and Python's `tomllib` takes hours for some texts
of a few megabytes.
"""

from __future__ import annotations

import json
import tomllib
from datetime import date, datetime, time
from typing import Any, Final

import re2

from controlplane import BenchmarkError
from controlplane.gates.surrogates import encodable
from controlplane.sandbox.interface import bounds, error_codes

INVALID: Final = error_codes.INVALID_ARGUMENT
MAX_KEY_PARTS: Final = 100
_NAME_IN_KEY: Final = r"""(?:[\w-]+|'[^'\n]*'|"(?:[^"\\\n]|\\.)*")"""
"""`name`, `'a name'` or `"a \\"name\\""`"""
_NAME_AND_DOT: Final = rf"{_NAME_IN_KEY}[ \t]*\.[ \t]*"
LONG_KEY: Final = re2.compile(f"(?:{_NAME_AND_DOT}){{{MAX_KEY_PARTS}}}")
"""The start of a key with too many parts: `a.b.c.d ...`.

`tomllib` takes four times as long for twice as many parts, so a key of a few MB could
keep it busy for hours.
"""


def data_of_toml(text: str, name: str) -> Any:
    """Return the data of a text, with dates as ISO texts: `day = 2027-03-01` -> `"2027-03-01"`.

    `name` is the file's name in messages. Raises `BenchmarkError` if the text is not TOML, or
    exceeds a limit.
    """
    is_too_long = len(text.encode(errors="replace")) > bounds.MOST_TEXT_BYTES
    if is_too_long or LONG_KEY.search(encodable(text)):
        limits = (
            f"{bounds.MOST_TEXT_BYTES:,} bytes, and a key at most {MAX_KEY_PARTS} parts"
        )
        raise BenchmarkError(INVALID, f"{name}: it has at most {limits}")
    try:
        data = tomllib.loads(text.removeprefix("\ufeff"))
        # Converted to JSON and back: dates become texts, and `nan` and `inf`, which
        # JSON does not have, are refused.
        json_text = json.dumps(data, default=_iso_text, allow_nan=False)
        return json.loads(json_text)
    except tomllib.TOMLDecodeError as error:
        line = _line_of(error) or len(text.splitlines())
        msg = f"{name}:{line}: this is not TOML: {error}"
        raise BenchmarkError(INVALID, msg) from None
    except (RecursionError, ValueError) as error:
        msg = f"{name}: this cannot be read: {error}"
        raise BenchmarkError(INVALID, msg) from None


def _iso_text(moment: date | datetime | time) -> str:
    return moment.isoformat()


def _line_of(error: tomllib.TOMLDecodeError) -> int | None:
    """Return the line that an error names: "... (at line 3, column 5)" -> 3; None without one."""
    line = str(error).rpartition("at line ")[2].partition(",")[0]
    return int(line) if line.isdecimal() else None
