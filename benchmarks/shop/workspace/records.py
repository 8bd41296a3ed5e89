"""The records of a workspace: JSON files, grouped by kind.

Records are read only when they are needed.
`RecordKeys` gives the names of their fields.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from os.path import commonpath
from typing import Final

from controlplane.benchmarks.shop.texts.text import names_match, normal_words
from controlplane.benchmarks.shop.workspace.field_shapes import Data
from controlplane.benchmarks.shop.workspace.identity import Identity
from controlplane.benchmarks.shop.workspace.record_ids import (
    folded_id,
    is_same_id,
    loose_id,
)
from controlplane.benchmarks.shop.workspace.word_search import WordSearch
from controlplane.benchmarks.shop.workspace.workspace_reader import WorkspaceReader
from controlplane.gates.paths import record_id
from controlplane.sandbox.functions import CannotRead

# One record -------------------------------------------------------------------------------------

OWNER_WORDS: Final = frozenset({"customer", "owner", "buyer", "client", "account"})
"""First words of fields that name a record's owner, such as `customer_id`.

They are used if `RecordKeys` has no field for the owner.
"""


@dataclass(frozen=True, slots=True)
class RecordKeys:
    """The names of records' fields, most likely first. The defaults are the usual names."""

    owner: tuple[str, ...] = ()
    """The fields for the owner.

    If this is empty, a field whose name begins with one of `OWNER_WORDS` counts.
    """
    state: tuple[str, ...] = ("status", "state", "stage")
    time: tuple[str, ...] = (
        "created_at",
        "created",
        "opened_at",
        "placed_at",
        "at",
        "date",
    )
    name: tuple[str, ...] = ("display_name", "name")
    roles: tuple[str, ...] = ("roles",)


USUAL_KEYS: Final = RecordKeys()


@dataclass(frozen=True, slots=True)
class Record:
    """A record: its path, its data, and the names of its fields."""

    path: str
    data: Data
    keys: RecordKeys = field(default=USUAL_KEYS, repr=False)

    @property
    def id(self) -> str:
        """The record's field `id` if it is a text, else the name of its file.

        An `id` that is a number only counts rows and does not identify the record.
        """
        own_id = self.data.get("id")
        if isinstance(own_id, str) and own_id:
            return own_id
        return record_id(self.path)

    @property
    def owner(self) -> str:
        """The id of the record's owner; empty if the record has none."""
        if self.keys.owner:
            return self._text_of_first(self.keys.owner)
        for key, value in self.data.items():
            if isinstance(value, str) and _names_owner(key):
                return value
        return ""

    @property
    def state(self) -> str:
        """The record's state; empty if it has none."""
        return self._text_of_first(self.keys.state)

    @property
    def time(self) -> str:
        """The time when the record was created, as written; empty if it is not given."""
        return self._text_of_first(self.keys.time)

    @property
    def name(self) -> str:
        """The record's name; empty if it has none."""
        for key in self.keys.name:
            if self.data.get(key):
                return str(self.data[key])
        return ""

    @property
    def roles(self) -> frozenset[str]:
        """The roles of a person; empty for other records."""
        for key in self.keys.roles:
            if key in self.data:
                roles = self.data[key]
                if isinstance(roles, list | tuple):
                    return frozenset(str(role) for role in roles)
                return frozenset()
        return frozenset()

    def links(self) -> Iterator[str]:
        """Yield the texts of the top-level fields except `id`.

        Some of them are ids of other records.
        """
        for key, value in self.data.items():
            if isinstance(value, str) and key != "id":
                yield value

    def _text_of_first(self, keys: tuple[str, ...]) -> str:
        """Return the value of the first of these fields that the record has, as text.

        The result is empty if it has none.
        """
        for key in keys:
            if key in self.data:
                return str(self.data[key])
        return ""


def _names_owner(key: str) -> bool:
    """Return True if a field's name stands for an owner: `customer`, `buyer_id`, `account ref`."""
    first_word, _, other_words = normal_words(key).partition(" ")
    return first_word in OWNER_WORDS and other_words in ("", "id", "ref")


@lru_cache(maxsize=256)
def parsed_record(text: str) -> Data | None:
    """Return the data of a record; None for a text that is not a JSON object."""
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return data if isinstance(data, dict) else None


# Groups of records ------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class RecordGroup:
    """The paths of records that probably have the same kind, judging by the paths alone."""

    paths: tuple[str, ...]

    @property
    def root(self) -> str:
        """The deepest folder that contains all of them."""
        # All paths are between these two in alphabetical order, and share what the two
        # share. So only two of thousands of folders are compared.
        first_folder = min(self.paths).rpartition("/")[0]
        last_folder = max(self.paths).rpartition("/")[0]
        return commonpath([first_folder, last_folder])


@dataclass(frozen=True, slots=True)
class SampledGroup:
    """A group of records, with a few of its records that have been read."""

    group: RecordGroup
    samples: list[Record]


_PARTS_OF_TOP_FOLDER: Final = 3
"""The number of parts between the slashes of a top folder: 3 in `/proc/carts`.

The first part is empty. Deeper folders divide one group, for example by customer.
"""


@lru_cache(maxsize=4)
def record_groups(paths: tuple[str, ...], root: str = "/") -> tuple[RecordGroup, ...]:
    """Return the groups of JSON files below a folder.

    The files of a group are in one top folder, and their ids have the same word before
    the number, such as `basket` in `basket_0001`. All ids without a word and a number
    form one group.
    """
    groups: dict[tuple[str, str], list[str]] = {}
    """The paths of each group, by its top folder and the word in its ids."""
    top_folders: dict[str, str] = {}
    for path in paths:
        if not path.endswith((".json", ".JSON")) or not path.startswith(root):
            continue
        folder, _, file_name = path.rpartition("/")
        if folder not in top_folders:
            top_folders[folder] = "/".join(folder.split("/")[:_PARTS_OF_TOP_FOLDER])
        group_key = (top_folders[folder], _word_of_id(file_name[: -len(".json")]))
        groups.setdefault(group_key, []).append(path)
    return tuple(RecordGroup(tuple(members)) for members in groups.values())


def _word_of_id(name: str) -> str:
    """Return the word before the number of an id: `Basket_0001` -> `basket`.

    The result is empty for other ids.
    """
    without_number = name.rstrip("0123456789")
    word = without_number.rstrip("-_")
    is_numbered = len(without_number) < len(name)
    return word.casefold() if is_numbered and word.isalpha() else ""


# All records of a workspace ---------------------------------------------------------------------

MAX_READ_WITHOUT_SEARCH: Final = 200
"""If a search in a group is cut off, all its records are read, unless there are more than this."""


class WorkspaceRecords:
    """The records of a workspace, read when they are needed and then kept.

    A `ShopLayout` owns one.
    """

    def __init__(
        self,
        reader: WorkspaceReader,
        root: str = "/proc/",
        paths: tuple[str, ...] | None = None,
    ) -> None:
        """`paths` are all files of the workspace.

        If they are not given, they are listed when needed, as `all_paths`.
        """
        self._reader = reader
        self._given_paths = paths
        self.root = root
        """The folder of the records."""
        self.keys = USUAL_KEYS
        """The names of their fields."""
        self._data: dict[str, Data | None] = {}
        """The data of the files that were read, by path; None for a file that is not a record."""

    @cached_property
    def all_paths(self) -> tuple[str, ...]:
        """The paths of all files of the workspace."""
        if self._given_paths is not None:
            return self._given_paths
        return tuple(self._reader.paths())

    @cached_property
    def groups(self) -> tuple[RecordGroup, ...]:
        """The paths of records, grouped by kind."""
        return record_groups(self.all_paths, self.root)

    def samples(self) -> list[SampledGroup]:
        """Return each group, with its first and its last record as samples."""
        ends_of_groups = []
        for group in self.groups:
            ends_of_groups.append(
                list(dict.fromkeys((group.paths[0], group.paths[-1])))
            )
        all_ends = [path for ends in ends_of_groups for path in ends]
        record_by_path = {record.path: record for record in self.read(all_ends)}
        samples = []
        for group, ends in zip(self.groups, ends_of_groups, strict=True):
            records = [record_by_path[path] for path in ends if path in record_by_path]
            samples.append(SampledGroup(group, records))
        return samples

    def read(self, paths: Iterable[str]) -> list[Record]:
        """Return the records at these paths, without files that do not exist or are not records."""
        wanted = list(dict.fromkeys(paths))
        self._load([path for path in wanted if path not in self._data])
        records = []
        for path in wanted:
            data = self._data.get(path)
            if data is not None:
                records.append(Record(path, data, self.keys))
        return records

    def _load(self, paths: Sequence[str]) -> None:
        """Read files and keep their data. Files that do not exist are ignored."""
        if not paths:
            return
        try:
            texts = self._reader.read_all(paths)
        except LookupError:
            # One of the files does not exist. So each is read alone, to leave out the
            # missing one. The reader does not repeat reads that it has made already.
            if len(paths) > 1:
                for path in paths:
                    self._load([path])
            return
        for path, text in zip(paths, texts, strict=True):
            self._data[path] = parsed_record(text)

    def at(self, path: str) -> Record | None:
        """Return the record at a path; None if it cannot be read."""
        records = self.read([path])
        return records[0] if records else None

    @cached_property
    def by_id(self) -> dict[str, list[str]]:
        """The paths of all files except documents, by folded id."""
        return _paths_by_id(self.all_paths)

    def path_of(self, name: str) -> str | None:
        """Return the path of the only record with this id, in any spelling.

        The result is None if there is none or several.
        """
        paths = self.by_id.get(folded_id(name), [])
        return paths[0] if len(paths) == 1 else None

    def record(self, name: str) -> Record | None:
        """Return the only record with this id, in any spelling.

        The result is None if there is none or several.
        """
        path = self.path_of(name)
        return self.at(path) if path else None

    def holding(self, words: str, group: RecordGroup | None = None) -> list[Record]:
        """Return the records that contain these words one after another, of one group or of all.

        Raises `CannotRead` if there are too many.
        """
        search = WordSearch(normal_words(words).split())
        if not search.words:
            return []
        if group is not None:
            folder = group.root
        else:
            folder = self.root.rstrip("/") or "/"
        try:
            lines = self._reader.search(search.pattern, folder)
        except CannotRead:
            # The search has too many results. All records of a small group are returned
            # instead, and the caller compares their values.
            if group is None or len(group.paths) > MAX_READ_WITHOUT_SEARCH:
                raise
            return self.read(group.paths)
        # The search takes letters such as `ö` for separators. `keeps` does not.
        paths = {path for path, line in lines if search.keeps(line)}
        if group is not None:
            return self.read(path for path in group.paths if path in paths)
        record_paths = {
            path for known_group in self.groups for path in known_group.paths
        }
        return self.read(sorted(paths & record_paths))


@lru_cache(maxsize=4)
def _paths_by_id(all_paths: tuple[str, ...]) -> dict[str, list[str]]:
    """Return the paths of all files except documents, by folded id: `ab1` for `AB-1`."""
    paths = [path for path in all_paths if not path.endswith(".md")]
    # Folding all ids in one call is much faster than one call for each of thousands of files.
    folded_ids = folded_id("/".join(map(record_id, paths))).split("/")
    by_id: dict[str, list[str]] = {}
    for path, path_id in zip(paths, folded_ids, strict=True):
        by_id.setdefault(path_id, []).append(path)
    return by_id


# Searches for records ---------------------------------------------------------------------------

_NUMBERED_NAME: Final = re.compile(
    r"(?<![\w/.-])([A-Za-z]{2,})[ _-]?(\d{1,8})(?![\w-])"
)
"""A word and a number: `basket 57`, `pay_0012`."""


def named_records(records: WorkspaceRecords, asker: Identity, text: str) -> list[str]:
    """Return the paths of the records that a text names and the asker may see.

    They are in the order of the files. An id may lack its separator and zeros:
    `basket057` and `basket-57` both mean `basket_057`.
    """
    named = {
        loose_id(f"{word}{number}") for word, number in _NUMBERED_NAME.findall(text)
    }
    paths = []
    for path in records.all_paths:
        if path.endswith(".md") or loose_id(record_id(path)) not in named:
            continue
        record = records.at(path)
        if record is not None and asker.may_cite(record.owner):
            paths.append(path)
    return paths


def repaired_paths(records: WorkspaceRecords, paths: list[str]) -> list[str]:
    """Return the existing files that possibly misspelled paths refer to, each once.

    A path may have another case, lack its extension, or only end with the right id. A
    path that matches no file, or several, is left out. A fragment (`#...`) is kept.
    """
    existing = set(records.all_paths)
    path_by_folded = {path.casefold(): path for path in records.all_paths}
    repaired = []
    for path in paths:
        file_path, mark, fragment = path.partition("#")
        folded = file_path.casefold()
        if path in existing:  # It may have a `#` in its name.
            repaired.append(path)
        elif file_path in existing:
            repaired.append(path)
        elif folded in path_by_folded:
            repaired.append(f"{path_by_folded[folded]}{mark}{fragment}")
        elif f"{folded}.json" in path_by_folded:
            repaired.append(f"{path_by_folded[f'{folded}.json']}{mark}{fragment}")
        elif not file_path.endswith(".md"):
            record_path = records.path_of(record_id(file_path))
            if record_path:
                repaired.append(f"{record_path}{mark}{fragment}")
    return list(dict.fromkeys(repaired))


def linked_paths(records: WorkspaceRecords, paths: list[str], *, key: str) -> list[str]:
    """Return the paths of records that the given records name in one field.

    For example, a return names its payment in `payment_id`.
    """
    targets = []
    for path in paths:
        record = records.at(path)
        link = record.data.get(key) if record is not None else None
        target = records.path_of(link) if isinstance(link, str) else None
        if target:
            targets.append(target)
    return list(dict.fromkeys(targets))


def record_called(candidates: list[Record], name: str) -> Record | None:
    """Return the only record with this id or name; None if there is none or several.

    If no id or name is equal, similar names count.
    """
    exact = [
        record
        for record in candidates
        if is_same_id(name, record.id) or name == record.name
    ]
    if exact:
        called = exact
    else:
        called = [record for record in candidates if names_match(record.name, name)]
    return called[0] if len(called) == 1 else None


def open_records(
    records: WorkspaceRecords,
    asker: Identity,
    states: Collection[str],
    group: RecordGroup | None = None,
) -> list[Record]:
    """Return a customer's own records that are in one of these states, newest first.

    The result is empty if the asker is not a customer.
    """
    if not asker.is_customer:
        return []
    own = []
    for record in records.holding(asker.user, group):
        if is_same_id(record.owner, asker.user) and record.state in states:
            own.append(record)
    return sorted(own, key=lambda record: (record.time, record.id), reverse=True)


def choose_record(
    newest_first: Sequence[Record], selector: str = ""
) -> Sequence[Record]:
    """Return the `newest` or `oldest` record alone, or all records if the selector is empty."""
    if selector == "newest":
        return newest_first[:1]
    if selector == "oldest":
        return newest_first[-1:]
    return newest_first
