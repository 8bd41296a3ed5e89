"""Finds cited files of which a newer version exists and is not cited.

An answer cites `fees-2025.csv`, and there is a `fees-2026.csv`. The user is told, unless the
question asks for the older file: "What were the fees in 2025?"
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import re2

from controlplane.gates.surrogates import encodable
from controlplane.gates.text_folding import parts_of, tokens_of
from controlplane.gates.values.locale_names import locale_names
from controlplane.gates.values.spans import ValueKind
from controlplane.gates.values.written_values import written_values

# Whether a question asks for a certain version of a file, by a time or a number in the file's name.
#
# Files of which there are versions are named like `fees-2025.csv` or `plan-v2.md`. Who asks for the fees in
# 2025 means the older file, and needs no hint at a newer one.

_NO_NAME_CHAR: Final = r"[^0-9A-Za-z]"
_PERIOD: Final = re2.compile(
    rf"(?:^|{_NO_NAME_CHAR})"
    r"((?:19|20)\d\d)"  # 2026
    r"(?:[-_.]?([01]\d))?"  # -03: the month
    r"(?:[-_.]?([0-3]\d))?"  # -12: the day
    rf"(?:{_NO_NAME_CHAR}|$)"
)
"""A year in a file's name, possibly with a month and a day: `2026`, `2026-03`, `20260312`."""
_VERSION_NUMBER: Final = re2.compile(
    rf"(?:^|{_NO_NAME_CHAR})"
    r"([vV]\d+(?:\.\d+)*)"  # v1.4
    r"(?:\.[A-Za-z]|[^0-9A-Za-z.]|$)"  # the file's ending, or another sign
)
"""A version number in a file's name: `v2` in `plan-v2.md`, `v1.4` in `plan v1.4 draft.md`."""
TIMES: Final = (ValueKind.DATE, ValueKind.MONTH)
"""The kinds of values that name a time, written as `2026-03-12`, `2026-03` or `--03-12`."""


def _is_asked_for(path: str, question: str) -> bool:
    """Return True if a question names the time or the version number in a file's name.

    question                       file                  result
    What does v2 of the plan say?  plan-v2.md            True
    What were the fees in 2025?    fees-2025.csv         True
    Who paid in March 2025?        fees-2025-03.csv      True
    Who paid in March?             fees-2025-03.csv      True: of any year
    Who paid in March 2026?        fees-2025-03.csv      False
    """
    file_name = encodable(path.rpartition("/")[2])
    version = _VERSION_NUMBER.search(file_name)
    if version is not None and version[1].casefold() in tokens_of(question):
        return True
    period = _PERIOD.search(file_name)
    if period is None:
        return False
    year_month_day = [part for part in period.groups() if part]
    return _names_period(question, year_month_day)


def _names_period(question: str, parts: Sequence[str]) -> bool:
    """Return True if a question names a time in a file's period, or at least its month.

    `parts` are the year and, if the file's name has them, month and day: `["2026", "03"]`.
    """
    period = "-".join(parts)
    values = list(written_values(question))

    # 1. The year, read as a number, or a time in the period: `2026-03-12` in `2026-03`
    numbers = [value.canonical for value in values if value.kind is ValueKind.NUMBER]
    times = [value.canonical for value in values if value.kind in TIMES]
    if period in numbers or any(time.startswith(period) for time in times):
        return True

    # 2. Only the month: "in March" asks for the file of March of any year. "On 12 March" is the
    #    time `--03-12`, which begins with `-` because it has no year.
    names_year = any(not time.startswith("-") for time in times)
    has_month = len(parts) > 1
    if names_year or not has_month:
        return False
    return int(parts[1]) in _months_named(question)


def _months_named(question: str) -> set[int]:
    """Return the months that a question names, in any of the known languages."""
    months = locale_names().months
    return {months[word] for word in parts_of(question.casefold()) if word in months}


# A path of a trial as the user would write it.

TOOL_RESULTS: Final = "/mcp/"
"""The prefix of a path that belongs to the result of an MCP server's tool, not to a file."""


def shown_path(path: str, root: Path) -> str:
    """Return a path of the trial as the user would write it from the working folder.

    With the root `/home/me/notes` and the working folder `/home/me`, `/a/b.md` becomes
    `notes/a/b.md`. The path of a tool's result is not a file's path and is unchanged.
    """
    file = Path(f"{root}{path}")
    is_tool_result = path.startswith(TOOL_RESULTS) and not file.exists()
    if is_tool_result or not path.startswith("/"):
        return path
    working_folder = Path.cwd()
    if file.is_relative_to(working_folder):
        return os.path.relpath(file, working_folder)
    return str(file)


@dataclass(frozen=True, slots=True)
class NewerVersion:
    """A cited file and its newest version."""

    cited: str
    newest: str


def newer_versions(
    versions_of_files: object, cited: Collection[str], question: str
) -> list[NewerVersion]:
    """Return the cited files that have a newer version which is not cited.

    Files that the question asks for, by a time or version number in their names, are left
    out. `versions_of_files` comes from a journal, so it may have any form. It should be a
    list like this one, with the newest version of each file first:

        [["/plan-v3.md", "/plan-v2.md"], ["/fees-2026.csv", "/fees-2025.csv"]]
    """
    newer = []
    for newest, older in _newest_and_older(versions_of_files):
        if newest in cited:
            continue
        for path in older:
            if path in cited and not _is_asked_for(path, question):
                newer.append(NewerVersion(path, newest))
    return newer


def _newest_and_older(versions_of_files: object) -> Iterator[tuple[str, Sequence[str]]]:
    """Yield the newest version of each file, with its older versions.

    `[["/plan-v3.md", "/plan-v2.md"]]` -> `("/plan-v3.md", ["/plan-v2.md"])`. What has another form is
    left out.
    """
    if not isinstance(versions_of_files, list):
        return
    for versions in versions_of_files:
        if isinstance(versions, list) and versions:
            newest, *older = [str(path) for path in versions]
            yield newest, older
