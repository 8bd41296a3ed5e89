"""The records of a workspace, by their paths, by their ids, and by words in them.

`at` and `read` take paths (`/proc/carts/basket_12.json`), `record` takes an id in any spelling
(`Basket-12`), and `with_words` searches: the records with `cust-7` are those of this customer,
and those that mention the customer.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from controlplane.benchmarks.shop.texts.text import normal_words
from controlplane.benchmarks.shop.workspace.records.record import (
    USUAL_KEYS,
    Record,
    RecordKeys,
)
from controlplane.benchmarks.shop.workspace.records.record_files import RecordFiles
from controlplane.benchmarks.shop.workspace.records.record_groups import RecordGroup
from controlplane.benchmarks.shop.workspace.word_search import WordSearch
from controlplane.sandbox.functions import CannotRead

MAX_READ_WITHOUT_SEARCH: Final = 200
"""The most records of a group that are read without a search, which would find a part of them."""


class WorkspaceRecords:
    """The records in a workspace's files. Every `Record` knows the names of its fields (`keys`)."""

    def __init__(self, files: RecordFiles, keys: RecordKeys = USUAL_KEYS) -> None:
        self.files = files
        self.keys = keys

    def read(self, paths: Iterable[str]) -> list[Record]:
        """Return the records at these paths, without files that do not exist or are not records."""
        data_by_path = self.files.data_of(paths)
        return [Record(path, data, self.keys) for path, data in data_by_path.items()]

    def at(self, path: str) -> Record | None:
        """Return the record at a path; None if it cannot be read."""
        records = self.read([path])
        return records[0] if records else None

    def record(self, name: str) -> Record | None:
        """Return the only record with this id, in any spelling.

        The result is None if there is none or several.
        """
        path = self.files.path_of(name)
        return self.at(path) if path else None

    def with_words(self, words: str) -> list[Record]:
        """Return the records that contain these words one after another, sorted by path.

        `led lamp` finds a record with `"name": "LED-Lamp 4 W"`. Raises `CannotRead` if so many
        lines have the words that the environment cuts off the result.
        """
        search = WordSearch(normal_words(words).split())
        if not search.words:
            return []
        folder = self.files.root.rstrip("/") or "/"
        paths_with_words = self._paths_with_words(search, folder)
        record_paths: set[str] = set()
        for group in self.files.groups:
            record_paths.update(group.paths)
        return self.read(sorted(paths_with_words & record_paths))

    def with_words_in(self, group: RecordGroup, words: str) -> list[Record]:
        """Return the records of a group that contain these words one after another.

        Unlike in `with_words`, too many lines are no failure in a small group: all its records
        are returned, so callers have to compare the values. Raises `CannotRead` if the group is
        large.
        """
        search = WordSearch(normal_words(words).split())
        if not search.words:
            return []
        try:
            paths_with_words = self._paths_with_words(search, group.root)
        except CannotRead:
            if len(group.paths) > MAX_READ_WITHOUT_SEARCH:
                raise
            return self.read(group.paths)
        return self.read(path for path in group.paths if path in paths_with_words)

    def _paths_with_words(self, search: WordSearch, folder: str) -> set[str]:
        """Return the paths of the files below a folder that contain the words of a search."""
        lines = self.files.reader.search(search.pattern, folder)
        # The environment takes letters such as `ö` for separators, so it finds too much.
        return {path for path, line in lines if search.keeps(line)}
