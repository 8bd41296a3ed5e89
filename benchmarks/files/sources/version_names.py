"""Finds files whose names differ only in a date or a version: `fees 2025.md` and `fees 2026.md`.

They form a family, a list of paths with the newest first. A question about the fees is about
those of the newest file, unless it says otherwise. A report of a year and a report of a day
(`report 2025.md`, `report 2025-01-31.md`) are not versions of one another.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection
from typing import Final

_YEAR: Final = r"(?:19|20)\d\d"
_MONTH: Final = r"[01]\d"
_DAY: Final = r"[0-3]\d"
_DATES_AND_VERSIONS: Final = (
    rf"{_YEAR}-{_MONTH}(?:-{_DAY})?",  # 2025-01, 2025-01-31
    rf"{_YEAR}_{_MONTH}(?:_{_DAY})?",
    rf"{_YEAR}\.{_MONTH}(?:\.{_DAY})?",
    rf"{_YEAR}{_MONTH}(?:{_DAY})?",
    _YEAR,
    r"[vV]\d+(?:\.\d+)*",  # v2, v1.4
    r"\d+(?:\.\d+)+",  # 1.4
)
VERSION: Final = re.compile(
    rf"(?<![0-9A-Za-z])(?:{'|'.join(_DATES_AND_VERSIONS)})(?![0-9A-Za-z])"
)
"""A date or version number in a file's name, not next to another letter or digit."""
_DATE_START: Final = re.compile(_YEAR)
"""The start of a date. A version number does not begin with a year."""


def families_by_name(paths: Collection[str]) -> list[list[str]]:
    """Return the files of a folder whose names differ only in dates or versions, newest first.

    `["/fees 2025.md", "/fees 2026.md", "/a.md"]` -> `[["/fees 2026.md", "/fees 2025.md"]]`
    """
    families: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
    for path in paths:
        folder, _, name = path.rpartition("/")
        if VERSION.search(name):
            common_name = VERSION.sub(_placeholder_of_version, name)
            families[folder, common_name].append(path)
    sorted_families = []
    for family in families.values():
        if len(family) > 1:
            sorted_families.append(sorted(family, key=_version_numbers, reverse=True))
    return sorted_families


def _placeholder_of_version(version: re.Match[str]) -> str:
    """Return the placeholder for a version in the name that a family shares.

    It is `#v` for `v2` and `1.4`, and `#date` with the number of digits for a date:
    `#date4` for `2025`, `#date8` for `2025-01-31`. So a report of a year and a report
    of a day are not versions of one another.
    """
    text = version[0]
    if _DATE_START.match(text) is None:
        return "#v"
    digits = sum(character.isdigit() for character in text)
    return f"#date{digits}"


def _version_numbers(path: str) -> list[list[int]]:
    """Return the numbers in a name's dates and versions, by which an older file sorts first.

    `report 2025-01-31 v1.4.md` -> `[[20250131], [1, 4]]`.
    """
    key = []
    for version in VERSION.findall(path.rpartition("/")[2]):
        if _DATE_START.match(version):
            key.append([int("".join(re.findall(r"\d", version)))])
        else:
            key.append([int(number) for number in re.findall(r"\d+", version)])
    return key
