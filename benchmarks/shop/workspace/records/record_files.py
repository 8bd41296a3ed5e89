"""The files of a workspace that contain records, each read once.

A record's id is the name of its file: `basket_12` of `/proc/carts/basket_12.json`. Ids are
compared in a folded form, `basket12`, because people write them in other ways: `Basket-12`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property, lru_cache

from controlplane.benchmarks.shop.workspace.field_shapes import Data
from controlplane.benchmarks.shop.workspace.record_ids import folded_id
from controlplane.benchmarks.shop.workspace.records.record import parsed_record
from controlplane.benchmarks.shop.workspace.records.record_groups import (
    RecordGroup,
    record_groups,
)
from controlplane.benchmarks.shop.workspace.workspace_reader import WorkspaceReader
from controlplane.gates.paths import record_id


class RecordFiles:
    """Finds files by the ids of their records, and reads their data when it is needed."""

    def __init__(
        self, reader: WorkspaceReader, paths: tuple[str, ...], root: str = "/proc/"
    ) -> None:
        self.reader = reader
        self.paths = paths
        """The paths of all files of the workspace."""
        self.root = root
        """The folder of the records."""
        self._data: dict[str, Data | None] = {}
        """The data of the files that were read, by path; None for a file that is not a record."""

    @cached_property
    def groups(self) -> tuple[RecordGroup, ...]:
        """The paths of records, grouped by kind."""
        return record_groups(self.paths, self.root)

    @cached_property
    def by_id(self) -> dict[str, list[str]]:
        """The paths of all files except documents (`.md`), by id in one spelling (`folded_id`)."""
        return _paths_by_id(self.paths)

    def path_of(self, name: str) -> str | None:
        """Return the path of the only file with this id, in any spelling.

        The result is None if there is none or several.
        """
        paths = self.by_id.get(folded_id(name), [])
        return paths[0] if len(paths) == 1 else None

    def data_of(self, paths: Iterable[str]) -> dict[str, Data]:
        """Return the data of the records at these paths, by path.

        Files that do not exist or are not records are left out.
        """
        wanted = list(dict.fromkeys(paths))
        self._read([path for path in wanted if path not in self._data])
        data_by_path = {}
        for path in wanted:
            data = self._data.get(path)
            if data is not None:
                data_by_path[path] = data
        return data_by_path

    def _read(self, paths: Sequence[str]) -> None:
        """Read files and keep their data. Files that do not exist are ignored."""
        if not paths:
            return
        try:
            texts = self.reader.read_all(paths)
        except LookupError:
            # A file does not exist, and it is not known which. So each is read alone, and the
            # missing ones are left out. The reader does not repeat calls that were made.
            if len(paths) > 1:
                for path in paths:
                    self._read([path])
            return
        for path, text in zip(paths, texts, strict=True):
            self._data[path] = parsed_record(text)


@lru_cache(maxsize=4)
def _paths_by_id(all_paths: tuple[str, ...]) -> dict[str, list[str]]:
    """Return the paths of all files except documents, by folded id: `ab1` for `AB-1`."""
    paths = [path for path in all_paths if not path.endswith(".md")]
    # All ids are folded in one text, because that is much faster than a call for each of thousands
    # of files. No id contains the `/` between them.
    joined_ids = "/".join(map(record_id, paths))
    folded_ids = folded_id(joined_ids).split("/")
    by_id: dict[str, list[str]] = {}
    for path, path_id in zip(paths, folded_ids, strict=True):
        by_id.setdefault(path_id, []).append(path)
    return by_id
