"""Groups of record files that a listing shows: one folder, and one form of the ids with which its files are called."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from os.path import commonpath
from typing import Final

from toolkit.records.record import stem_of

_NUMBERED: Final = re.compile(r"([A-Za-z]+)([-_]?)(\d+)")
_LEVELS: Final = 2
"""Folders that tell groups apart; what lies deeper divides one group."""


@dataclass(frozen=True, slots=True)
class RecordGroup:
    """Records of one kind, as their paths show it."""

    prefix: str
    """With which their ids begin, where they are numbered, such as `basket`; else empty."""
    separator: str
    """What stands between prefix and number."""
    width: int
    """Digits of their numbers; 0 if they are not numbered, or not alike."""
    paths: tuple[str, ...]

    @property
    def root(self) -> str:
        """The folder that all of them lie below."""
        return commonpath([path.rsplit("/", 1)[0] for path in self.paths])


def record_groups(paths: Iterable[str], root: str = "/") -> tuple[RecordGroup, ...]:
    """Return the groups of the JSON files below a folder, in the order of the listing."""
    found: dict[tuple[str, str], list[str]] = {}
    for path in paths:
        if path.startswith(root) and path.casefold().endswith(".json"):
            folder = "/".join(path.split("/")[: _LEVELS + 1]) if path.count("/") > _LEVELS else path.rsplit("/", 1)[0]
            numbered = _NUMBERED.fullmatch(stem_of(path))
            found.setdefault((folder, numbered[1].casefold() if numbered else ""), []).append(path)
    return tuple(_group(prefix, members) for (_, prefix), members in found.items())


def _group(prefix: str, paths: list[str]) -> RecordGroup:
    numbered = [_NUMBERED.fullmatch(stem_of(path)) for path in paths] if prefix else []
    widths = {len(each[3]) for each in numbered if each}
    separator = numbered[0][2] if numbered and numbered[0] else ""
    return RecordGroup(prefix, separator, widths.pop() if len(widths) == 1 else 0, tuple(paths))
