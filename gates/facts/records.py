"""What the texts that a trial read say of records: their ids, and the values of their fields.

A record is a file that holds one object: JSON, or lines of `key: value`. Its text may be anybody's, so the work is
linear in it, and what is no record gives none.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice, takewhile
from typing import Any, Final

from gates.types.canonical_paths import base_name
from gates.types.evidence import Touch
from gates.types.terms import fold_text

MAX_RECORD_CHARS: Final = 100_000
MAX_VALUES: Final = 5_000
MAX_PARTS: Final = 1_000
"""How many lists and objects a record may hold."""
MAX_OWNERS: Final = 200
"""Among how many of its first values a record names who it belongs to."""
_MAX_DEPTH: Final = 12
_MAX_VALUE_CHARS: Final = 2_000
_MAX_LINES: Final = 200
_MANY: Final = 8
"""How many values are worth a look at whether they can be taken at once."""
_PLAIN: Final = frozenset((str, int, float))
_LINE: Final = re.compile(r"([A-Za-z]\w{0,60})[ \t]?:[ \t]*(\S.*|)")

Fields = Mapping[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Reading:
    """One state of a record, as one text showed it."""

    fields: Fields
    """The values by dotted name (`verification.state`); a list gives several values under the name that it has."""
    is_proof: bool = True
    """False for what the script wrote itself."""

    @property
    def names(self) -> Set[str]:
        """The last parts of the fields' names."""
        return {key.rpartition(".")[2] for key in self.fields} if "." in "".join(self.fields) else self.fields.keys()

    def values(self, name: str) -> tuple[str, ...]:
        """Return the values of a field: by its dotted name, or by its last part."""
        if name in self.fields:
            return self.fields[name]
        return tuple(each for key, held in self.fields.items() if key.rpartition(".")[2] == name for each in held)

    def holds(self, value: str) -> bool:
        """Say whether any field holds `value`, whatever its case."""
        wanted = fold_text(value)
        return any(fold_text(each) == wanted for held in self.fields.values() for each in held)


@dataclass(frozen=True, slots=True)
class Record:
    """A record that the trial read, with the different states that it was seen in, in the order in which each was seen
    first."""

    path: str
    readings: tuple[Reading, ...]

    @property
    def id(self) -> str:
        """The file's name without its ending: ids, SKUs and the like name their records' files."""
        return id_of(self.path)

    @property
    def kind(self) -> str:
        """The folder that the records of its kind share: the first two names of its path."""
        return kind_of(self.path)

    @property
    def last(self) -> Reading:
        """The state seen last, so far as it was another than those before."""
        return self.readings[-1]

    @property
    def owners(self) -> tuple[str, ...]:
        """The ids of others that its own fields hold, beside its name: who or what it may belong to."""
        mine = fold_text(self.id)
        values = (each for key, held in self.last.fields.items() if "." not in key for each in held)
        found = islice(values, MAX_OWNERS)
        return tuple(each for each in found if is_id(each) and each.lower() != mine)


def id_of(path: str) -> str:
    """Return the name of a record's file without its ending."""
    name = base_name(path)
    return name.rpartition(".")[0] or name


def kind_of(path: str) -> str:
    """Return the folder that records of one kind share: two names deep, or less where the path is shorter."""
    return "/".join(path.split("/")[:-1][:3]) or "/"


_ID: Final = re.compile(r"(?=[^0-9]*[0-9])[A-Za-z][A-Za-z0-9]*(?:[-_][A-Za-z0-9]+)*")
_MAX_ID_CHARS: Final = 80
_NUMBER: Final = re.compile(r"[-_]?\d")


def is_id(value: str) -> bool:
    """Say whether a value is formed like an id with a number: `cust-0042`, `emp_7`, `VH-TNT-2P`."""
    return len(value) <= _MAX_ID_CHARS and _ID.fullmatch(value) is not None


def id_prefix(value: str) -> str:
    """Return what comes before the number of an id, folded: `cust` for `cust-0042`; ids of one kind share it."""
    number = _NUMBER.search(value)
    return fold_text(value[: number.start()] if number else value)


def record_at(touch: Touch) -> Record | None:
    """Return the record that was seen at a path as a whole, or None: an excerpt or a cut text is no record."""
    found = tuple(
        Reading(fields, seen.is_proof)
        for seen in touch.seen
        if seen.is_whole and not seen.is_excerpt and (fields := fields_of(seen.text)) is not None
    )
    return Record(touch.path, found) if found else None


@lru_cache(maxsize=1_024)
def fields_of(text: str) -> Fields | None:
    """Return the fields of the one object that `text` is, or None."""
    if len(text) > MAX_RECORD_CHARS:
        return None
    stripped = text.strip()
    if stripped.startswith("{"):
        if stripped.count("{") + stripped.count("[") > MAX_PARTS:
            return None
        try:
            data = json.loads(stripped)
        except (ValueError, RecursionError):
            return None
        collected = _Collected()
        collected.add_all(data)
        return collected.fields()
    return _lines_as_fields(stripped)


def _lines_as_fields(text: str) -> Fields | None:
    """Return the fields of a text all of whose lines are `key: value`."""
    if not _LINE.match(text):
        return None
    lines = [line for line in text.splitlines()[: _MAX_LINES + 1] if line.strip()]
    found = list(takewhile(bool, map(_LINE.fullmatch, lines)))
    if len(found) < len(lines) or len(lines) > _MAX_LINES:
        return None
    return _collected((each[1], part.strip()) for each in found if each for part in each[2].split(","))


def _collected(pairs: Iterable[tuple[str, str]]) -> Fields:
    found = _Collected()
    for name, value in pairs:
        found.add(name, value)
    return found.fields()


class _Collected:
    """The first values of a record, by the names of their fields."""

    def __init__(self) -> None:
        self._left = MAX_VALUES
        self._single: dict[str, tuple[str, ...]] = {}
        self._lists: dict[str, list[str]] = {}

    def add(self, name: str, value: str) -> None:
        """Add a value under a dotted name."""
        self._left -= 1
        if self._left < 0:
            return
        held = (value[:_MAX_VALUE_CHARS],)
        first = self._single.setdefault(name, held)
        if first is not held:
            self._lists.setdefault(name, [*first]).extend(held)

    def add_all(self, data: Mapping[str, Any], name: str = "", depth: int = 0) -> None:
        """Add every value of a mapping, as far as lists and mappings lie in each other at most 12 deep."""
        if len(data) >= _MANY and self._adds_plain(data, name):
            return
        for key, each in data.items():
            self._add_any(each, f"{name}.{key}" if name else key, depth + 1)

    def _add_any(self, data: Any, name: str, depth: int) -> None:
        """Add what JSON holds: its types are exact, and compared as such, which takes the least time."""
        kind = type(data)
        if kind is str:
            self.add(name, data)
        elif kind is dict or kind is list:
            if depth >= _MAX_DEPTH or self._left <= 0:
                return
            if kind is dict:
                self.add_all(data, name, depth)
            elif len(data) >= _MANY and _PLAIN.issuperset(map(type, data)):
                self._add_list(data, name)
            else:
                for each in data:
                    self._add_any(each, name, depth + 1)
        elif kind is bool:
            self.add(name, str(data).lower())
        elif data is not None:
            self.add(name, str(data))

    def _adds_plain(self, data: Mapping[str, Any], name: str) -> bool:
        """Add a mapping of short texts and numbers at once, and say whether it was one."""
        if len(data) > self._left or not _PLAIN.issuperset(map(type, data.values())):
            return False
        names = [f"{name}.{key}" for key in data] if name else [*data]
        values = [*map(str, data.values())]
        if max(map(len, values)) > _MAX_VALUE_CHARS or not self._single.keys().isdisjoint(names):
            return False
        self._left -= len(values)
        self._single.update(zip(names, zip(values, strict=True), strict=True))
        return True

    def _add_list(self, data: list[Any], name: str) -> None:
        """Add a list of texts and numbers at once."""
        first, *more = (str(each)[:_MAX_VALUE_CHARS] for each in data[: self._left])
        self.add(name, first)
        self._left -= len(more)
        self._lists.setdefault(name, [*self._single[name]]).extend(more)

    def fields(self) -> Fields:
        """Return the fields, in the order in which their names came first."""
        return self._single | {name: tuple(values) for name, values in self._lists.items()}
