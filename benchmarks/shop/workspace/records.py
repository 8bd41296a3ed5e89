"""The records of a workspace, which are JSON files such as `/proc/carts/basket_0001.json`.

Shops choose the names of folders and fields. So records are grouped by their paths
(`_record_groups`), and a few are read to learn the names of fields (`_learned_keys`).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from os.path import commonpath
from typing import Final

from controlplane.benchmarks.shop.texts import named_paths, names_match, normal_words
from controlplane.benchmarks.shop.workspace.fields import Data
from controlplane.benchmarks.shop.workspace.kinds import is_document
from controlplane.benchmarks.shop.workspace.reading import (
    Identity,
    WordSearch,
    WorkspaceReader,
    folded_id,
    folders_above,
    is_same_id,
    loose_id,
)
from controlplane.gates.paths import record_id
from controlplane.sandbox.functions import CannotRead
from controlplane.sandbox.interface.foreign_documents import Unreadable, read_json

# One record of a shop: a JSON file about a basket, a payment, a person or another thing.
#
# /proc/carts/basket_0001.json: {"id": "basket_0001", "customer_id": "cust-7", "status": "open"}
#
# A record answers what all code asks of it: its owner, its state, its time, its name. Shops choose
# the names of these fields, so it knows what they are called here (`RecordKeys`).


_OWNER_WORDS: Final = frozenset({"customer", "owner", "buyer", "client", "account"})
"""First words of fields that name a record's owner, such as `customer_id`.

They are used if `RecordKeys` has no field for the owner.
"""


@dataclass(frozen=True, slots=True)
class RecordKeys:
    """What a shop calls the fields of its records, most likely name first.

    The defaults are the usual names.
    """

    owner: tuple[str, ...] = ()
    """The fields for the owner.

    If this is empty, a field whose name begins with one of `_OWNER_WORDS` counts.
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


_USUAL_KEYS: Final = RecordKeys()


@dataclass(frozen=True, slots=True)
class WorkspaceRecord:
    """A record: its path, its data, and the names of its fields."""

    path: str
    data: Data
    keys: RecordKeys = field(
        default=_USUAL_KEYS, repr=False
    )  # the same for all records

    @property
    def id(self) -> str:
        """The record's field `id` if it is a text, else the name of its file.

        An `id` that is a number is only that of a row, and does not identify the record.
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
        # The shop's name for this field is not known, so the field is guessed by its name.
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
                return _texts_in(self.data[key])
        return frozenset()

    def links(self) -> Iterator[str]:
        """Yield the texts of the top-level fields except `id`.

        Some of them are ids of other records.
        """
        for key, value in self.data.items():
            if isinstance(value, str) and key != "id":
                yield value

    def _text_of_first(self, keys: tuple[str, ...]) -> str:
        """Return the value of the first of these fields that the record has, else an empty text."""
        for key in keys:
            if key in self.data:
                return str(self.data[key])
        return ""


def _texts_in(value: object) -> frozenset[str]:
    """Return the items of a list as texts; none if the value is not a list."""
    if isinstance(value, list | tuple):
        return frozenset(str(item) for item in value)
    return frozenset()


def _names_owner(key: str) -> bool:
    """Return True if a field's name stands for an owner: `customer`, `buyer_id`, `account ref`."""
    first_word, _, other_words = normal_words(key).partition(" ")
    return first_word in _OWNER_WORDS and other_words in ("", "id", "ref")


@lru_cache(maxsize=256)
def parsed_record(text: str) -> Data | None:
    """Return the data of a record; None for a text that is not a JSON object."""
    try:
        data = read_json(text)
    except Unreadable:
        return None
    return data if isinstance(data, dict) else None


# Groups the paths of records that probably have the same kind, judging by the paths alone.
#
# The files of a group are in one top folder, and their ids have the same word before the
# number: `/proc/carts/basket_0001.json` and `/proc/carts/south/basket_0002.json`.

_JSON_ENDINGS = (".json", ".JSON")


@dataclass(frozen=True, slots=True)
class RecordGroup:
    """The paths of records that probably have the same kind, in the order of the list of files."""

    paths: tuple[str, ...]

    @property
    def ends(self) -> tuple[str, ...]:
        """The first and the last path, or the only one. Their records are read as samples."""
        return tuple(dict.fromkeys((self.paths[0], self.paths[-1])))

    @property
    def root(self) -> str:
        """The deepest folder that contains all records of the group: `/proc/carts`.

        In alphabetical order, all paths are between the smallest and the largest. So a folder
        that contains these two contains all, and thousands need not be compared.
        """
        smallest_path = min(self.paths)
        largest_path = max(self.paths)
        folders = [path.rpartition("/")[0] for path in (smallest_path, largest_path)]
        return commonpath(folders)


@lru_cache(maxsize=4)
def _record_groups(paths: tuple[str, ...], root: str) -> tuple[RecordGroup, ...]:
    """Return the groups of JSON files below a folder (`root`).

    Files are in one group if they have the same top folder, such as `/proc/carts`, and the same
    word before the number in their ids: `basket` of `basket-0012`. Files whose ids have another
    form, such as `AB-1X`, have no word, and are one group in each top folder.
    """
    paths_of_groups: dict[tuple[str, str], list[str]] = {}
    top_folders: dict[str, str] = {}
    for path in paths:
        if not path.endswith(_JSON_ENDINGS) or not path.startswith(root):
            continue
        folder = path.rpartition("/")[0]
        if folder not in top_folders:
            top_folders[folder] = _top_folder(folder)
        group_key = (top_folders[folder], _word_of_id(record_id(path)))
        paths_of_groups.setdefault(group_key, []).append(path)
    return tuple(RecordGroup(tuple(members)) for members in paths_of_groups.values())


def _top_folder(folder: str) -> str:
    """Return the first two names of a folder: `/proc/carts` for `/proc/carts/south/2027`.

    Deeper folders divide one group, for example by customer.
    """
    names = folder.split("/")[1:]
    return "/" + "/".join(names[:2])


def _word_of_id(name: str) -> str:
    """Return the word before the number of an id: `Basket_0001` -> `basket`.

    The result is empty for other ids.
    """
    without_number = name.rstrip("0123456789")
    word = without_number.rstrip("-_")
    is_numbered = len(without_number) < len(name)
    return word.casefold() if is_numbered and word.isalpha() else ""


@lru_cache(maxsize=4)
def folder_of_records(paths: tuple[str, ...], rules: str) -> str:
    """Return the one top folder that contains records and that the rules name, else the root.

    Rules that name `/proc/carts/` -> `/proc/`
    """
    folders_with_records: set[str] = set()
    for path in paths:
        if path.endswith(_JSON_ENDINGS):
            folders_with_records.update(folders_above(path))
    top_folders = set()
    for path in named_paths(rules):
        if path in folders_with_records:
            top_folders.add(f"/{path.split('/')[1]}/")
    return top_folders.pop() if len(top_folders) == 1 else "/"


# The files of a workspace that contain records, each read once.
#
# A record's id is the name of its file: `basket_12` of `/proc/carts/basket_12.json`. Ids are
# compared in a folded form, `basket12`, because people write them in other ways: `Basket-12`.


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
        return _record_groups(self.paths, self.root)

    @cached_property
    def by_id(self) -> dict[str, list[str]]:
        """The paths of all files except documents, by id in one spelling (`folded_id`)."""
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
    paths = [path for path in all_paths if not is_document(path)]
    # All ids are folded in one text, because that is much faster than a call for each of thousands
    # of files. No id contains the `/` between them.
    joined_ids = "/".join(map(record_id, paths))
    folded_ids = folded_id(joined_ids).split("/")
    by_id: dict[str, list[str]] = {}
    for path, path_id in zip(paths, folded_ids, strict=True):
        by_id.setdefault(path_id, []).append(path)
    return by_id


# The records of a workspace, by their paths, by their ids, and by words in them.
#
# `at` and `read` take paths (`/proc/carts/basket_12.json`), `record` takes an id in any spelling
# (`Basket-12`), and `with_words` searches: the records with `cust-7` are those of this customer,
# and those that mention the customer.

MAX_READ_WITHOUT_SEARCH: Final = 200
"""The most records of a group that are read without a search, which would find a part of them."""


class WorkspaceRecords:
    """The records in a workspace's files. Every `WorkspaceRecord` knows the names of its fields (`keys`)."""

    def __init__(self, files: RecordFiles, keys: RecordKeys = _USUAL_KEYS) -> None:
        self.files = files
        self.keys = keys

    def read(self, paths: Iterable[str]) -> list[WorkspaceRecord]:
        """Return the records at these paths, without files that do not exist or are not records."""
        data_by_path = self.files.data_of(paths)
        return [
            WorkspaceRecord(path, data, self.keys)
            for path, data in data_by_path.items()
        ]

    def at(self, path: str) -> WorkspaceRecord | None:
        """Return the record at a path; None if it cannot be read."""
        records = self.read([path])
        return records[0] if records else None

    def record(self, name: str) -> WorkspaceRecord | None:
        """Return the only record with this id, in any spelling.

        The result is None if there is none or several.
        """
        path = self.files.path_of(name)
        return self.at(path) if path else None

    def paths_named_by(self, record: WorkspaceRecord) -> list[str]:
        """Return the paths of the records whose ids are top-level texts of a record, in order.

        `{"id": "basket_1", "store": "store_graz"}` -> `["/proc/stores/store_graz.json"]`
        """
        paths = []
        for link in record.links():
            path = self.files.path_of(link)
            if path is not None:
                paths.append(path)
        return paths

    def with_words(self, words: str) -> list[WorkspaceRecord]:
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

    def with_words_in(self, group: RecordGroup, words: str) -> list[WorkspaceRecord]:
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


# Samples of records: the first and the last of each group.
#
# They show what a shop calls the fields of its records, so that not all of thousands have to be
# read. The two ends of a list are the likeliest to differ, for example in their states: an old
# basket is bought, and a new one still open.


@dataclass(frozen=True, slots=True)
class SampledGroup:
    """A group of records, with its first and last record, as far as they could be read."""

    group: RecordGroup
    samples: tuple[WorkspaceRecord, ...]

    def joined(self, other: SampledGroup) -> SampledGroup:
        """Return the two groups as one, with the samples of both."""
        return SampledGroup(
            RecordGroup((*self.group.paths, *other.group.paths)),
            (*self.samples, *other.samples),
        )


def sampled_groups(records: WorkspaceRecords) -> list[SampledGroup]:
    """Return all groups of records, each with its samples."""
    groups = records.files.groups
    # All samples are read at once, because one round of calls is faster than many. `records` keeps
    # what was read, so the reads below make no calls.
    records.read(path for group in groups for path in group.ends)
    return [SampledGroup(group, tuple(records.read(group.ends))) for group in groups]


# Finds the records that somebody means: by ids in a text, by a link, by a name, by their owner.
#
# "Check out basket 57" means `/proc/carts/basket_057.json`, if the asker may see this basket.
# Others are not found, so that no answer tells that they exist.

_NUMBERED_NAME: Final = re.compile(
    r"(?<![\w/.-])([A-Za-z]{2,})[ _-]?(\d{1,8})(?![\w-])"
)
"""A word and a number: `basket 57`, `pay_0012`."""


def named_records(records: WorkspaceRecords, asker: Identity, text: str) -> list[str]:
    """Return the paths of the records that a text names and the asker may see.

    "Check out basket 57" -> `["/proc/carts/basket_057.json"]`. An id may lack its separator and
    its zeros. The paths are in the order of the list of files.
    """
    named = {
        loose_id(f"{word}{number}") for word, number in _NUMBERED_NAME.findall(text)
    }
    paths = []
    for path in records.files.paths:
        if is_document(path) or loose_id(record_id(path)) not in named:
            continue
        record = records.at(path)
        if record is not None and asker.may_see(record.owner):
            paths.append(path)
    return paths


def linked_paths(records: WorkspaceRecords, paths: list[str], *, key: str) -> list[str]:
    """Return the paths of the records that the records at `paths` name in the field `key`.

    `["/proc/returns/ret_1.json"]`, `payment_id` -> `["/proc/payments/pay_7.json"]`, because the
    return has `"payment_id": "pay_7"`.
    """
    targets = []
    for path in paths:
        record = records.at(path)
        link = record.data.get(key) if record is not None else None
        target = records.files.path_of(link) if isinstance(link, str) else None
        if target:
            targets.append(target)
    return list(dict.fromkeys(targets))


def record_called(
    candidates: list[WorkspaceRecord], name: str
) -> WorkspaceRecord | None:
    """Return the only record with this id or name; None if there is none or several.

    If no id or name is equal, similar names count.
    """
    called = []
    for record in candidates:
        if is_same_id(name, record.id) or name == record.name:
            called.append(record)
    if not called:
        called = [record for record in candidates if names_match(record.name, name)]
    return called[0] if len(called) == 1 else None


def open_records(
    records: WorkspaceRecords,
    asker: Identity,
    states: Collection[str],
    group: RecordGroup | None = None,
) -> list[WorkspaceRecord]:
    """Return the asker's own records that are in one of these states, newest first.

    The states `{"open"}` and the group of baskets give the customer's open baskets. Without a
    group, records of all kinds are searched. The result is empty if the asker is not a customer.
    """
    if not asker.is_customer:
        return []
    # The search finds the asker's id anywhere in a record. Below, the owner is compared.
    if group is None:
        candidates = records.with_words(asker.user)
    else:
        candidates = records.with_words_in(group, asker.user)
    own = []
    for record in candidates:
        if asker.owns(record.owner) and record.state in states:
            own.append(record)
    return sorted(own, key=lambda record: (record.time, record.id), reverse=True)


def choose_record(
    newest_first: Sequence[WorkspaceRecord], selector: str = ""
) -> Sequence[WorkspaceRecord]:
    """Return the `newest` or `oldest` record alone, or all records if the selector is empty."""
    if selector == "newest":
        return newest_first[:1]
    if selector == "oldest":
        return newest_first[-1:]
    return newest_first
