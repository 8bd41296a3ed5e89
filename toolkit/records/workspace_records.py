"""The records of a workspace: found by id, by owner and by what links to them, wherever their folders are."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, Protocol, TypeAlias

from toolkit.records.ids import folded_id
from toolkit.text import normal_words

Data: TypeAlias = Mapping[str, Any]
OWNER_WORDS: Final = frozenset({"customer", "owner", "buyer", "client", "account"})
"""First words of the fields that name whose a record is."""
_STATE_KEYS: Final = ("status", "state", "stage")
_TIME_KEYS: Final = ("created_at", "created", "opened_at", "placed_at", "at", "date")


class RecordReader(Protocol):
    """Where records come from: a workspace, as whoever asks may read it."""

    def paths(self) -> Iterable[str]:
        """Return the path of every file, in the order of a listing."""

    def read(self, path: str) -> str:
        """Return a file's text. Raises `LookupError` if there is none."""


@dataclass(frozen=True, slots=True)
class Record:
    """One record: where it is, and what it holds."""

    path: str
    data: Data

    @property
    def id(self) -> str:
        """Its id: the field, else the file's name."""
        return str(self.data.get("id") or self.path.rsplit("/", 1)[-1].rsplit(".", 1)[0])

    @property
    def owner(self) -> str:
        """The id of whoever it belongs to; empty for a record that is nobody's."""
        for key, value in self.data.items():
            words = normal_words(key).split()
            if isinstance(value, str) and words and words[0] in OWNER_WORDS and words[1:] in ([], ["id"], ["ref"]):
                return value
        return ""

    @property
    def state(self) -> str:
        """What state it is in; empty if it has none."""
        return next((str(self.data[key]) for key in _STATE_KEYS if key in self.data), "")

    @property
    def time(self) -> str:
        """When it was made, as it says it; empty if it does not."""
        return next((str(self.data[key]) for key in _TIME_KEYS if key in self.data), "")

    @property
    def roles(self) -> frozenset[str]:
        """The roles of a person; empty for anything else."""
        found = self.data.get("roles", ())
        return frozenset(str(each) for each in found) if isinstance(found, list | tuple) else frozenset()

    @property
    def name(self) -> str:
        """What it is called; empty if it has no name."""
        return str(self.data.get("display_name") or self.data.get("name") or "")

    def links(self) -> Iterator[str]:
        """Yield every text that one of its fields holds, at its first level: ids of other records among them."""
        return (value for key, value in self.data.items() if isinstance(value, str) and key != "id")


class WorkspaceRecords:
    """All records that a reader shows, each read once."""

    def __init__(self, reader: RecordReader, root: str = "/proc/") -> None:
        self._reader = reader
        self._root = root

    @cached_property
    def all_paths(self) -> tuple[str, ...]:
        """Every file of the workspace."""
        return tuple(self._reader.paths())

    @cached_property
    def all(self) -> tuple[Record, ...]:
        """Every record, by path."""
        found = (self.at(path) for path in sorted(self.all_paths) if path.startswith(self._root))
        return tuple(record for record in found if record is not None)

    @cached_property
    def _by_id(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for path in self.all_paths:
            if not path.endswith(".md"):
                found.setdefault(folded_id(path.rsplit("/", 1)[-1].rsplit(".", 1)[0]), []).append(path)
        return found

    def at(self, path: str) -> Record | None:
        """Return the record of a path, or None if there is none that can be read."""
        try:
            data = json.loads(self._reader.read(path))
        except (LookupError, ValueError, RecursionError):
            return None
        return Record(path, data) if isinstance(data, dict) else None

    def path_of(self, name: str) -> str | None:
        """Return the path of the one record with this id, however it is written; None for none or several."""
        found = self._by_id.get(folded_id(name), [])
        return found[0] if len(found) == 1 else None

    def record(self, name: str) -> Record | None:
        """Return the one record with this id, however it is written."""
        path = self.path_of(name)
        return self.at(path) if path else None

    def where(self, holds: Callable[[Record], bool]) -> list[Record]:
        """Return the records for which something holds, by path."""
        return [each for each in self.all if holds(each)]
