"""Reads the text of a task.toml, and reports a fault in it with the file and the key.

`loans/task.toml: tool[0].call[2]: a call that deletes its file cannot also set or append`
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from pydantic import ValidationError

from controlplane import BenchmarkError
from controlplane.benchmarks.folder.task_file.task_contradictions import (
    contradictions_in,
)
from controlplane.benchmarks.folder.task_file.task_file import KEYS, TaskFile
from controlplane.benchmarks.folder.toml_data import data_of_toml
from controlplane.configuration.setting_faults import first_fault
from controlplane.sandbox.interface import bounds, error_codes

INVALID: Final = error_codes.INVALID_ARGUMENT
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
    """Its folder with a slash at the end, relative to the folder of all tasks: `loans/`.
    Empty if the task.toml is in the folder of all tasks itself."""

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
        data = data_of_toml(self.text, self.name)
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
