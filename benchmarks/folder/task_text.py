"""Read the text of a task.toml, and report errors in it with the file and key."""

from __future__ import annotations

import json
import os
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, time
from typing import Any, Final

import re2
from pydantic import ValidationError

from controlplane import BenchmarkError
from controlplane.benchmarks.folder.task_contradictions import contradictions_in
from controlplane.benchmarks.folder.task_file import KEYS, TaskFile
from controlplane.configuration.setting_faults import first_fault
from controlplane.gates.submission import encodable
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
MAX_FAULT_CHARS: Final = 300
"""The most characters of a message of pydantic, which may repeat a long value."""
MAX_PATH_CHARS_SHOWN: Final = 200


@dataclass(frozen=True, slots=True)
class TaskText:
    """The text of a task.toml."""

    text: str
    name: str
    """Its name in messages."""
    place: str = ""
    """Its folder, relative to the folder of all tasks, such as `loans/`; empty for that folder."""

    def path_in_folder(self, path: str, key: str) -> str:
        """Return a path that the file names, relative to the folder of all tasks.

        `key` is the key with the path, for the error message: `trees[0]`.
        Raises `BenchmarkError` if the path leads out of that folder.
        """
        relative_path = os.path.normpath(f"{self.place}{path}")
        leads_out = relative_path == ".." or relative_path.startswith("../")
        if leads_out or path.startswith("/") or "\0" in path:
            shown_path = path[:MAX_PATH_CHARS_SHOWN]
            raise self.fault(key, f"{shown_path!r} leads out of the folder")
        return relative_path

    def parsed(self) -> TaskFile:
        """Return the task in the text. Raises `BenchmarkError`."""
        data = self._parsed_toml()
        try:
            task = TaskFile.model_validate(data)
        except ValidationError as error:
            # A misspelt key gets the nearest of `KEYS` as a suggestion.
            location, text = first_fault(error, KEYS)
            key = _shown_key(location)
            other_errors = error.error_count() - 1
            raise self.fault(
                key, text[:MAX_FAULT_CHARS], further=other_errors
            ) from None
        contradictions = contradictions_in(task)
        if contradictions:
            first = contradictions[0]
            raise self.fault(first.key, first.text, further=len(contradictions) - 1)
        return task

    def _parsed_toml(self) -> Any:
        """Return the data of the text, with dates as ISO texts. Raises `BenchmarkError`."""
        is_long = len(self.text.encode(errors="replace")) > bounds.MOST_TEXT_BYTES
        if is_long or LONG_KEY.search(encodable(self.text)):
            limits = f"{bounds.MOST_TEXT_BYTES:,} bytes, and a key at most {MAX_KEY_PARTS} parts"
            raise BenchmarkError(INVALID, f"{self.name}: it has at most {limits}")
        try:
            data = tomllib.loads(self.text.removeprefix("\ufeff"))
            # Converted to JSON and back: dates become texts, and `nan` and `inf`, which
            # JSON does not have, are refused.
            json_text = json.dumps(data, default=_iso_text, allow_nan=False)
            return json.loads(json_text)
        except tomllib.TOMLDecodeError as error:
            line = _line_of(error) or len(self.text.splitlines())
            msg = f"{self.name}:{line}: this is not TOML: {error}"
            raise BenchmarkError(INVALID, msg) from None
        except (RecursionError, ValueError) as error:
            msg = f"{self.name}: this cannot be read: {error}"
            raise BenchmarkError(INVALID, msg) from None

    def fault(self, key: str, text: str, *, further: int = 0) -> BenchmarkError:
        """Return the error for a key such as `tool[0].name`. `further` is the number of others."""
        more = f" (and {further} more)" if further else ""
        return BenchmarkError(INVALID, f"{self.name}: {key}: {text}{more}")


def _shown_key(parts: Sequence[str]) -> str:
    """Return the keys that lead to a value as one: `["tool", "0", "name"]` -> `tool[0].name`."""
    key = ""
    for part in parts:
        shown_part = part[: bounds.SHOWN_VALUE_CHARS]
        if shown_part.isdecimal():
            key += f"[{shown_part}]"
        else:
            key += f".{shown_part}"
    return key.removeprefix(".")


def _iso_text(moment: date | datetime | time) -> str:
    return moment.isoformat()


def _line_of(error: tomllib.TOMLDecodeError) -> int | None:
    """Return the line that an error names: "... (at line 3, column 5)" -> 3; None without one."""
    line = str(error).rpartition("at line ")[2].partition(",")[0]
    return int(line) if line.isdecimal() else None
