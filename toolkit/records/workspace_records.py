"""The records of a workspace: found by id, by what they hold and by their group, wherever their folders are."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import Final, Protocol

from toolkit.finding import CannotRead
from toolkit.records.ids import folded_id
from toolkit.records.record import USUAL_KEYS, Record, RecordKeys, stem_of
from toolkit.records.record_groups import RecordGroup, record_groups
from toolkit.text import normal_words

_BETWEEN: Final = r"[\W_]*"
"""What may stand between words."""
MOST_READ: Final = 200
"""Records of one group that are read because a search for some of them is cut off."""


class RecordReader(Protocol):
    """Where records come from: a workspace, as whoever asks may read it."""

    def paths(self) -> Sequence[str]:
        """Return the path of every file, in the order of a listing."""

    def read_all(self, paths: Sequence[str]) -> list[str]:
        """Return the texts of files. Raises `LookupError` if one is missing."""

    def search(self, pattern: str, root: str) -> Sequence[tuple[str, str]]:
        """Return path and text of each line below a folder that a regular expression matches.

        Raises `CannotRead` if there are more than it can return.
        """


class WorkspaceRecords:
    """The records that a reader shows. Only those that a question is about are read."""

    def __init__(self, reader: RecordReader, root: str = "/proc/", keys: RecordKeys = USUAL_KEYS) -> None:
        self._reader = reader
        self.root = root
        self._keys = keys

    def with_keys(self, keys: RecordKeys) -> WorkspaceRecords:
        """Return the same records under other names of their fields."""
        found = WorkspaceRecords(self._reader, self.root, keys)
        found.all_paths, found.groups = self.all_paths, self.groups
        return found

    @cached_property
    def all_paths(self) -> tuple[str, ...]:
        """Every file of the workspace."""
        return tuple(self._reader.paths())

    @cached_property
    def groups(self) -> tuple[RecordGroup, ...]:
        """The records' files by folder and form of id."""
        return record_groups(self.all_paths, self.root)

    @cached_property
    def _by_id(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for path in self.all_paths:
            if not path.endswith(".md"):
                found.setdefault(folded_id(stem_of(path)), []).append(path)
        return found

    def at(self, path: str) -> Record | None:
        """Return the record of a path, or None if there is none that can be read."""
        return next(iter(self.read([path])), None)

    def read(self, paths: Iterable[str]) -> list[Record]:
        """Return the records at these paths, asked for at once; what is no record is left out."""
        wanted = list(dict.fromkeys(paths))
        try:
            texts = self._reader.read_all(wanted)
        except LookupError:
            return [each for path in wanted for each in self.read([path])] if len(wanted) > 1 else []
        return [record for path, text in zip(wanted, texts, strict=True) if (record := self._parsed(path, text))]

    def _parsed(self, path: str, text: str) -> Record | None:
        try:
            data = json.loads(text)
        except (ValueError, RecursionError):
            return None
        return Record(path, data, self._keys) if isinstance(data, dict) else None

    def samples(self) -> list[tuple[RecordGroup, list[Record]]]:
        """Return the first and the last record of every group."""
        ends = {group: tuple(dict.fromkeys((group.paths[0], group.paths[-1]))) for group in self.groups}
        known = {each.path: each for each in self.read(path for paths in ends.values() for path in paths)}
        return [(group, [known[path] for path in paths if path in known]) for group, paths in ends.items()]

    def path_of(self, name: str) -> str | None:
        """Return the path of the one record with this id, however it is written; None for none or several."""
        found = self._by_id.get(folded_id(name), [])
        return found[0] if len(found) == 1 else None

    def record(self, name: str) -> Record | None:
        """Return the one record with this id, however it is written."""
        path = self.path_of(name)
        return self.at(path) if path else None

    def holding(self, words: str, group: RecordGroup | None = None) -> list[Record]:
        """Return the records, of one group or of all, in which words stand in a row, however they are separated.

        Raises `CannotRead` if too many do.
        """
        spelled = _BETWEEN.join(re.escape(each) for each in normal_words(words).split())
        if not spelled:
            return []
        pattern = rf"(?i)(?<![^\W_]){spelled}(?![^\W_])"
        root = group.root if group else self.root.rstrip("/") or "/"
        try:
            found = {path for path, _ in self._reader.search(pattern, root)}
        except CannotRead:
            if group is None or len(group.paths) > MOST_READ:
                raise
            return self.read(group.paths)
        places = group.paths if group else sorted(path for each in self.groups for path in each.paths)
        return self.read(path for path in places if path in found)

    def in_groups(self, holds: Callable[[Record], bool]) -> list[Record]:
        """Return all records of the groups in which something holds for a sample, by path.

        Raises `CannotRead` for a group too large to be read.
        """
        groups = [group for group, samples in self.samples() if any(map(holds, samples))]
        if any(len(each.paths) > MOST_READ for each in groups):
            msg = f"{groups[0].root} holds more than {MOST_READ} records"
            raise CannotRead(msg)
        return self.read(sorted(path for each in groups for path in each.paths))
