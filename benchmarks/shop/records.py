"""Reads a workspace by the calls of `harness`: files, listings and tools; its records, their owners, the asker."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from os.path import commonpath
from typing import Any, Final

from controlplane.benchmarks.shop.field_shapes import Data
from controlplane.benchmarks.shop.text import names_match, normal_words, sure
from controlplane.benchmarks.shop.word_search import WordSearch
from controlplane.gates.evidence import record_id
from controlplane.sandbox.functions import (
    Call,
    CannotRead,
    FunctionResult,
    Harness,
    Outcome,
    Reference,
)
from controlplane.sandbox.interface import CallError, error_codes


class WorkspaceReader:
    """Reads files, listings and tools. Every method raises `CannotRead` if a call fails or its result is cut off."""

    def __init__(self, harness: Harness) -> None:
        self._harness = harness
        self.tools = harness.executables
        """Short descriptions of the environment's declared tools, by path."""
        self._outcomes: dict[str, Outcome] = {
            _key((name, given)): result for name, given, result in harness.known
        }
        """The outcomes of calls, by operation and arguments."""

    def paths(self, root: str = "/") -> Sequence[str]:
        """Return every file below a folder: from `find` or, if its result is cut off, from a tree."""
        found = self._result(("find", {"name": "*", "root": root, "kind": "files", "limit": 0}))
        if not found.get("truncated"):
            return tuple(str(path) for path in found["paths"])
        return tuple(_files(self._result(("tree", {"root": root, "level": 0})), root.rstrip("/")))

    def search(self, pattern: str, root: str = "/") -> Sequence[tuple[str, str]]:
        """Return path and text of each line below a folder that a regular expression matches."""
        found = self._result(("search", {"pattern": pattern, "root": root, "limit": 0}))
        sure(not found.get("truncated"), f"search {pattern}: what came back is cut off")
        return tuple((str(match["path"]), str(match["text"])) for match in found["matches"])

    def read(self, path: str) -> str:
        """Return a file's text. Raises `LookupError` if there is none."""
        return self.read_all([path])[0]

    def read_all(self, paths: Sequence[str]) -> list[str]:
        """Return the texts of several files, which are read side by side; a long one is continued where it was cut off.

        Raises `LookupError` if one is missing.
        """
        texts = ["" for _ in paths]
        cut = list(range(len(paths)))
        while cut:
            starts = [{"start_line": texts[at].count("\n") + 1} if texts[at] else {} for at in cut]
            calls: list[Call] = [
                ("read", {"path": paths[at], **start})
                for at, start in zip(cut, starts, strict=True)
            ]
            parts = self._results(calls)
            for at, part in zip(cut, parts, strict=True):
                if isinstance(part, CallError):
                    if part.code == error_codes.NOT_FOUND:
                        raise LookupError(str(part))
                    raise CannotRead(part.message)
                texts[at] += str(part["content"])
                is_whole = not part.get("truncated") or texts[at].endswith("\n")
                sure(is_whole, f"read {paths[at]}: what came back is cut off")
            cut = [
                at
                for at, part in zip(cut, parts, strict=True)
                if isinstance(part, Mapping) and part["truncated"]
            ]
        return texts

    def run(self, tool: str) -> str:
        """Return the output of a tool that only reads. An exit code other than 0 is a failure."""
        result = self._result(("exec", {"path": tool, "args": [], "stdin": ""}))
        sure(result["exit_code"] == 0, f"{tool} ended with exit code {result['exit_code']}")
        return str(result["stdout"])

    def _result(self, call: Call) -> Mapping[str, Any]:
        (outcome,) = self._results([call])
        if isinstance(outcome, CallError):
            raise CannotRead(outcome.message)
        return outcome

    def _results(self, calls: Sequence[Call]) -> list[Outcome]:
        """Return the outcomes of calls that only read, in their order; each is made once, but for a late tool's."""
        wanted = {_key(call): call for call in calls}
        if missing := wanted.keys() - self._outcomes.keys():
            asked = {key: call for key, call in wanted.items() if key in missing}
            self._make(asked)
            self._make({key: call for key, call in asked.items() if _is_late(self._outcomes[key])})
        return [self._outcomes[key] for key in map(_key, calls)]

    def _make(self, calls: Mapping[str, Call]) -> None:
        outcomes = self._harness.side_by_side(list(calls.values())) if calls else []
        self._outcomes.update(zip(calls, outcomes, strict=True))


def _key(call: Call) -> str:
    operation, arguments = call
    return repr((operation, sorted(arguments.items())))


def _is_late(outcome: Outcome) -> bool:
    # The exit code of a tool that timed out, as `timeout(1)` has it.
    return isinstance(outcome, Mapping) and outcome.get("exit_code") == 124


def _files(node: Mapping[str, Any], path: str) -> Iterator[str]:
    for child in node.get("children") or ():
        below = f"{path}/{child['name']}"
        if child.get("is_dir"):
            yield from _files(child, below)
        else:
            yield below


def folded_id(name: str) -> str:
    """Return an id without case, blanks and separators. Leading zeros of a number stay."""
    return "".join(name.replace("-", "").replace("_", "").split()).casefold()


def is_same_id(left: str, right: str) -> bool:
    """Say whether two ids are the same, however they are written."""
    return bool(folded_id(left)) and folded_id(left) == folded_id(right)


CUSTOMER: Final = "customer"
GUESTS: Final = frozenset({"guest", "anonymous"})
_LINE: Final = re.compile(r"(?m)^\s*(user|roles?)\s*[:=]\s*(.*)$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Identity:
    """The signed-in identity."""

    user: str
    roles: frozenset[str]

    @property
    def is_customer(self) -> bool:
        """True if a customer asks who does not work here."""
        return CUSTOMER in self.roles and not self.is_staff

    @property
    def is_staff(self) -> bool:
        """True if a member of staff asks."""
        return bool(self.roles - GUESTS - {CUSTOMER})

    @property
    def is_outside(self) -> bool:
        """True if a customer or a guest asks."""
        return bool(self.roles) and not self.is_staff

    def may_cite(self, owner: str | None) -> bool:
        """Say whether a record of this owner may be shown: staff see all, customers their own, guests no owned ones."""
        if self.is_staff or not owner:
            return True
        return self.is_customer and is_same_id(self.user, owner)


def read_identity(text: str) -> Identity:
    """Return the identity in the identity tool's output. Roles are lower case; missing parts are empty."""
    lines = {key.casefold().rstrip("s"): value.strip() for key, value in _LINE.findall(text)}
    roles = re.split(r"[,;\s]+", lines.get("role", "").casefold().strip("[] "))
    return Identity(lines.get("user", ""), frozenset(role.strip("'\"") for role in roles if role))


OWNER_WORDS: Final = frozenset({"customer", "owner", "buyer", "client", "account"})
"""First words of the fields that name a record's owner, for workspaces whose own field name is not known."""


@dataclass(frozen=True, slots=True)
class RecordKeys:
    """The fields' names, the likelier first."""

    owner: tuple[str, ...] = ()
    """If empty, the first word of a field's name decides."""
    state: tuple[str, ...] = ("status", "state", "stage")
    time: tuple[str, ...] = ("created_at", "created", "opened_at", "placed_at", "at", "date")
    name: tuple[str, ...] = ("display_name", "name")
    roles: tuple[str, ...] = ("roles",)


USUAL_KEYS: Final = RecordKeys()


@dataclass(frozen=True, slots=True)
class Record:
    """One record: its path, and its data."""

    path: str
    data: Data
    keys: RecordKeys = field(default=USUAL_KEYS, repr=False)

    @property
    def id(self) -> str:
        """Its id: the field, else the file's name, which takes precedence over a running number."""
        own = self.data.get("id")
        return own if isinstance(own, str) and own else record_id(self.path)

    @property
    def owner(self) -> str:
        """The id of its owner; empty for a record without an owner."""
        if self.keys.owner:
            return self._first(self.keys.owner)
        for key, value in self.data.items():
            words = normal_words(key).split()
            if (
                isinstance(value, str)
                and words
                and words[0] in OWNER_WORDS
                and words[1:] in ([], ["id"], ["ref"])
            ):
                return value
        return ""

    @property
    def state(self) -> str:
        """Its state; empty if it does not have one."""
        return self._first(self.keys.state)

    @property
    def time(self) -> str:
        """Its creation time, as written; empty if not given."""
        return self._first(self.keys.time)

    @property
    def roles(self) -> frozenset[str]:
        """The roles of a person; empty for anything else."""
        held = next((self.data[key] for key in self.keys.roles if key in self.data), ())
        return (
            frozenset(str(role) for role in held) if isinstance(held, list | tuple) else frozenset()
        )

    @property
    def name(self) -> str:
        """Its name; empty if it does not have one."""
        return next((str(self.data[key]) for key in self.keys.name if self.data.get(key)), "")

    def links(self) -> Iterator[str]:
        """Yield every text in the record's top-level fields except `id`, ids of other records included."""
        return (value for key, value in self.data.items() if isinstance(value, str) and key != "id")

    def _first(self, keys: tuple[str, ...]) -> str:
        return next((str(self.data[key]) for key in keys if key in self.data), "")


def id_of(name: str) -> str:
    """Return the id that a name is or, of a path, ends with."""
    return record_id(name) if name.startswith("/") else name


_NUMERALS: Final = "0123456789"


@dataclass(frozen=True, slots=True)
class RecordGroup:
    """Records of one kind, as their paths show it."""

    paths: tuple[str, ...]

    @property
    def root(self) -> str:
        """The folder above all of them."""
        return commonpath([path.rpartition("/")[0] for path in (min(self.paths), max(self.paths))])


@lru_cache(maxsize=4)
def record_groups(paths: tuple[str, ...], root: str = "/") -> tuple[RecordGroup, ...]:
    """Return the groups of JSON files below a folder: of one place, with one word before the numbers of their ids."""
    groups: dict[tuple[str, str], list[str]] = {}
    above: dict[str, str] = {}
    for path in paths:
        if path.endswith((".json", ".JSON")) and path.startswith(root):
            folder, _, name = path.rpartition("/")
            # Levels of folders that tell groups apart; deeper folders divide one group.
            place = above.get(folder) or above.setdefault(folder, "/".join(folder.split("/")[:3]))
            before = name[:-5].rstrip(_NUMERALS)
            word = before.rstrip("-_")
            is_numbered = len(before) < len(name) - 5 and word.isalpha()
            groups.setdefault((place, word.casefold() if is_numbered else ""), []).append(path)
    return tuple(RecordGroup(tuple(members)) for members in groups.values())


@lru_cache(maxsize=4)
def _paths_by_id(every: tuple[str, ...]) -> dict[str, list[str]]:
    paths = [path for path in every if not path.endswith(".md")]
    folded = folded_id("/".join(map(record_id, paths))).split("/")
    by_id: dict[str, list[str]] = {}
    for name, path in zip(folded, paths, strict=True):
        by_id.setdefault(name, []).append(path)
    return by_id


MOST_READ: Final = 200
"""Most records of a group to read if a search for some of them is cut off."""


class WorkspaceRecords:
    """The records that a reader shows. Only the records that a question is about are read."""

    def __init__(self, reader: WorkspaceReader, root: str = "/proc/") -> None:
        self._reader = reader
        self.root = root
        self.keys = USUAL_KEYS
        """The names of their fields."""
        self._data: dict[str, Data | None] = {}
        """The data of the files that were read, by path; None for a file that is not a record."""

    @cached_property
    def all_paths(self) -> tuple[str, ...]:
        """Every file of the workspace."""
        return tuple(self._reader.paths())

    @cached_property
    def groups(self) -> tuple[RecordGroup, ...]:
        """The records' files by folder and form of id."""
        return record_groups(self.all_paths, self.root)

    @cached_property
    def by_id(self) -> dict[str, list[str]]:
        """The paths of all files but documents, by folded id."""
        return _paths_by_id(self.all_paths)

    def at(self, path: str) -> Record | None:
        """Return the record of a path, or None if the path does not have a readable one."""
        return next(iter(self.read([path])), None)

    def read(self, paths: Iterable[str]) -> list[Record]:
        """Return the records at these paths, read in one call; files that are not records are left out."""
        wanted = list(dict.fromkeys(paths))
        unread = [path for path in wanted if path not in self._data]
        try:
            texts = self._reader.read_all(unread) if unread else []
        except LookupError:
            return (
                [record for path in wanted for record in self.read([path])]
                if len(wanted) > 1
                else []
            )
        self._data.update(
            {path: parsed_record(text) for path, text in zip(unread, texts, strict=True)}
        )
        return [
            Record(path, data, self.keys)
            for path in wanted
            if (data := self._data[path]) is not None
        ]

    def samples(self) -> list[tuple[RecordGroup, list[Record]]]:
        """Return the first and the last record of every group."""
        ends = [(group, dict.fromkeys((group.paths[0], group.paths[-1]))) for group in self.groups]
        by_path = {
            record.path: record for record in self.read(path for _, paths in ends for path in paths)
        }
        return [
            (group, [by_path[path] for path in paths if path in by_path]) for group, paths in ends
        ]

    def path_of(self, name: str) -> str | None:
        """Return the path of the one record with this id, however it is written; None for none or several."""
        paths = self.by_id.get(folded_id(name), [])
        return paths[0] if len(paths) == 1 else None

    def record(self, name: str) -> Record | None:
        """Return the one record with this id, however it is written."""
        path = self.path_of(name)
        return self.at(path) if path else None

    def holding(self, words: str, group: RecordGroup | None = None) -> list[Record]:
        """Return the records, of one group or of all, that hold words in a row, however they are separated.

        Raises `CannotRead` if too many records do.
        """
        search = WordSearch(normal_words(words).split())
        if not search.words:
            return []
        root = group.root if group else self.root.rstrip("/") or "/"
        try:
            paths = {
                path
                for path, line in self._reader.search(search.pattern, root)
                if search.keeps(line)
            }
        except CannotRead:
            if group is None or len(group.paths) > MOST_READ:
                raise
            return self.read(group.paths)
        places = (
            group.paths
            if group
            else sorted(path for some_group in self.groups for path in some_group.paths)
        )
        return self.read(path for path in places if path in paths)


@lru_cache(maxsize=256)
def parsed_record(text: str) -> Data | None:
    """Return the data of a record; None for a text that is no JSON object."""
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return data if isinstance(data, dict) else None


_NAME: Final = re.compile(r"(?<![\w/.-])([A-Za-z]{2,})[ _-]?(\d{1,8})(?![\w-])")
_DIGITS: Final = re.compile(r"^(.*?)[_-]?0*(\d+)$")


def _loose(name: str) -> str:
    """Return an id without separators and without the leading zeros of its number."""
    match = _DIGITS.match(name.casefold())
    return f"{match[1]}#{match[2]}" if match else name.casefold()


def named_records(records: WorkspaceRecords, asker: Identity, text: str) -> list[str]:
    """Return the paths of the records that a text names and the asker may see, by kind and place in the listing.

    An id counts without separator and zeros too: `basket057` and `basket-57` are `basket_057`.
    """
    wanted = {_loose(f"{kind}{number}") for kind, number in _NAME.findall(text)}
    paths = [
        path
        for path in records.all_paths
        if _loose(record_id(path)) in wanted and not path.endswith(".md")
    ]
    allowed = []
    for path in paths:
        record = records.at(path)
        if record is not None and asker.may_cite(record.owner):
            allowed.append(path)
    return allowed


def repaired_paths(records: WorkspaceRecords, paths: list[str]) -> list[str]:
    """Return existing files for paths: as they are, in another case, with an extension, or by the id at their end.

    A path that leads to no file, or to several, is left out. A fragment stays with its file.
    """
    every = set(records.all_paths)
    folded = {path.casefold(): path for path in records.all_paths}
    repaired = []
    for path in paths:
        if path in every:
            repaired.append(path)
            continue
        base, mark, fragment = path.partition("#")
        there = (
            base
            if base in every
            else folded.get(base.casefold()) or folded.get(f"{base}.json".casefold())
        )
        there = there or (None if base.endswith(".md") else records.path_of(record_id(base)))
        if there:
            repaired.append(f"{there}{mark}{fragment}")
    return list(dict.fromkeys(repaired))


def linked_paths(records: WorkspaceRecords, paths: list[str], *, key: str) -> list[str]:
    """Return the records that the given records name in a field, such as the payment that a return reverses."""
    targets = []
    for path in paths:
        record = records.at(path)
        link = record.data.get(key) if record is not None else None
        target = records.path_of(link) if isinstance(link, str) else None
        if target:
            targets.append(target)
    return list(dict.fromkeys(targets))


def staff_at(records: WorkspaceRecords, place: Record) -> list[Record]:
    """Return everybody with roles at a place, by path."""
    return [
        record
        for record in records.holding(place.id)
        if record.roles and place.id in record.links()
    ]


def branches(records: WorkspaceRecords) -> list[Record]:
    """Return the records that members of staff are linked to, and all others of the same group, by path."""
    people = [sample for _, samples in records.samples() for sample in samples if sample.roles]
    linked = {link for person in people for link in person.links()}
    groups = {
        group for group in records.groups if any(record_id(path) in linked for path in group.paths)
    }
    places = records.read(sorted(path for group in groups for path in group.paths))
    return [record for record in places if not record.roles]


def record_called(candidates: list[Record], name: str) -> Record | None:
    """Return the one record that a name fits, by id or by words; None for none or several."""
    exact = [record for record in candidates if is_same_id(name, record.id) or name == record.name]
    fitting = exact or [record for record in candidates if names_match(record.name, name)]
    return fitting[0] if len(fitting) == 1 else None


def role_holders(
    records: WorkspaceRecords, role: str, place: Record | None = None
) -> FunctionResult[int]:
    """Return the number of people with a role, at one place or everywhere, and cite these people and the place."""
    holders = [
        person
        for person in (staff_at(records, place) if place else records.holding(role))
        if _has_role(person, role)
    ]
    refs = [
        Reference(person.path, f"{person.name or person.id} has the role {role}")
        for person in holders
    ]
    if place is not None:
        refs.insert(0, Reference(place.path, f"the branch {place.name}"))
    return FunctionResult(len(holders), tuple(refs))


def works_at(
    records: WorkspaceRecords, asker: Identity, person: str, branch: str, role: str = ""
) -> FunctionResult[bool]:
    """Return whether a person works at a branch, in a role if it is named, such as that of its lead.

    References for staff are the person and the branch, for other askers only the branch.
    """
    place = record_called(branches(records), branch) if branch else None
    someone = record_called(staff_at(records, place), person) if place else None
    if place is None or someone is None or (role and not _has_role(someone, role)):
        return FunctionResult(
            False, notes=(f"nobody called {person} has the role {role or 'of staff'} at {branch}",)
        )
    cited = Reference(place.path, f"the branch {place.name}")
    if asker.is_outside:
        return FunctionResult(True, (cited,))
    return FunctionResult(
        True, (Reference(someone.path, f"{someone.name} has the role {role or 'of staff'}"), cited)
    )


def _has_role(person: Record, role: str) -> bool:
    return normal_words(role) in {normal_words(held) for held in person.roles}


def open_records(
    records: WorkspaceRecords,
    asker: Identity,
    states: Collection[str],
    group: RecordGroup | None = None,
) -> list[Record]:
    """Return a customer's own records in one of some states, newest first; other askers own none."""
    if not asker.is_customer:
        return []
    held = records.holding(asker.user, group)
    own = [
        record for record in held if is_same_id(record.owner, asker.user) and record.state in states
    ]
    return sorted(own, key=lambda record: (record.time, record.id), reverse=True)


def choose_record(newest_first: Sequence[Record], selector: str = "") -> Sequence[Record]:
    """Return the record that `newest` or `oldest` selects, or without a selector all."""
    if newest_first and selector in ("newest", "oldest"):
        return [newest_first[0 if selector == "newest" else -1]]
    return newest_first


def shielded(records: WorkspaceRecords, asker: Identity, paths: list[str]) -> list[str]:
    """Return paths in which a person's branch replaces the person if the asker is not staff."""
    if not asker.is_outside:
        return paths
    shown: list[str] = []
    for path in paths:
        record = records.at(path.partition("#")[0])
        if record is None or not _is_person(record, records):
            shown.append(path)
            continue
        shown += [
            linked
            for link in record.links()
            if (linked := records.path_of(link)) and linked != record.path
        ][:1]
    return list(dict.fromkeys(shown))


def _is_person(record: Record, records: WorkspaceRecords) -> bool:
    """Say whether a record is a person: it has roles, or is linked to a place and has no owner."""
    if record.roles:
        return True
    return not record.owner and any(
        (other := records.record(link)) is not None and other.name and other.path != record.path
        for link in record.links()
    )
