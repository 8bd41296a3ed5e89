"""A shop's workspace as a function finds it: where its records and policies lie, and what their fields are called.

All of it is learned, from the rules document, the listing and a sample of each kind. What cannot be told is
`CannotRead`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from difflib import get_close_matches
from functools import cached_property
from typing import Final, Protocol

from benchmarks.shop.layout.record_shapes import Kind, kind_of_record
from benchmarks.shop.layout.shop_tools import CLOCK, IDENTITY, SUBJECTS, possible_tools, tools_by_use
from toolkit import CannotRead
from toolkit.layout import Data, Shape, is_foreign_id, keys_of, marked_words, most_marked, named_paths, shape_of
from toolkit.records import (
    Identity,
    Record,
    RecordGroup,
    RecordKeys,
    RecordReader,
    WorkspaceRecords,
    folded_id,
    id_of,
    read_identity,
    stem_of,
)
from toolkit.text import yes_no_pair

_RULES: Final = re.compile(r"/[^/]+\.md", re.IGNORECASE)


class WorkspaceReader(RecordReader, Protocol):
    """The workspace, as a function may read it."""

    @property
    def tools(self) -> Mapping[str, str]:
        """What each declared tool does, in a few words, by its path; empty if none is declared."""

    def run(self, tool: str, *words: str, stdin: str = "") -> str:
        """Return what a tool prints that only reads. Raises `CannotRead` if it fails."""


class ShopLayout:
    """What is read is read once, and only if it is asked for."""

    def __init__(self, reader: WorkspaceReader) -> None:
        self.reader = reader

    @cached_property
    def paths(self) -> tuple[str, ...]:
        """Every file."""
        return tuple(self.reader.paths())

    @cached_property
    def rules(self) -> str:
        """The text of the rules document: the document in no folder that names most of the workspace's documents."""
        found = [path for path in self.paths if _RULES.fullmatch(path)]
        if not found:
            msg = "there is no rules document: no document lies at the root of the workspace"
            raise CannotRead(msg)
        return max(self.reader.read_all(found), key=lambda text: len(set(named_paths(text)) & set(self.paths)))

    @cached_property
    def documents(self) -> dict[str, str]:
        """The texts of the documents that the rules name, by path."""
        spelled = {path.casefold(): path for path in self.paths}
        named = [spelled[each.casefold()] for each in named_paths(self.rules) if each.casefold() in spelled]
        found = [path for path in dict.fromkeys(named) if path.casefold().endswith(".md")]
        return dict(zip(found, self.reader.read_all(found), strict=True))

    @cached_property
    def policies(self) -> dict[str, str]:
        """The paths of the policies by subject: of a tool's use, and `security`, which marks the identity tool most."""
        told = {path: marked_words(text).count(self.tools.get(IDENTITY, "")) for path, text in self.documents.items()}
        most = [path for path, count in told.items() if count and count == max(told.values())]
        found = {"security": most[0]} if len(most) == 1 else {}
        for subject in SUBJECTS:
            fitting = [path for path, text in self.documents.items() if self.tools.get(subject) in named_paths(text)]
            if len(fitting) == 1:
                found[subject] = fitting[0]
        return found

    @cached_property
    def marked(self) -> frozenset[str]:
        """Everything that the documents set in code marks."""
        return frozenset(each for text in self.documents.values() for each in marked_words(text))

    @cached_property
    def yes_no(self) -> tuple[str, str]:
        """The words for yes and for no."""
        found = yes_no_pair(self.rules)
        if found is None:
            msg = "the rules document does not say with which words yes and no are answered"
            raise CannotRead(msg)
        return found

    @cached_property
    def _unnamed(self) -> WorkspaceRecords:
        """The records before the names of their fields are known."""
        holding = {folder for path in self.paths if path.casefold().endswith(".json") for folder in _folders(path)}
        tops = {f"/{each.split('/')[1]}/" for each in named_paths(self.rules) if each in holding}
        return WorkspaceRecords(self.reader, tops.pop() if len(tops) == 1 else "/")

    @cached_property
    def _kinds(self) -> dict[Kind, tuple[RecordGroup, list[Record]]]:
        found: dict[Kind, tuple[RecordGroup, list[Record]]] = {}
        for group, samples in self._unnamed.samples():
            kinds = {kind_of_record(each.data, stem_of(each.path)) for each in samples} - {None}
            kind = kinds.pop() if len(kinds) == 1 else None
            if kind is not None and kind in found:
                other, more = found[kind]
                group = RecordGroup(other.prefix, other.separator, other.width, (*other.paths, *group.paths))
                samples = [*more, *samples]
            if kind is not None:
                found[kind] = (group, samples)
        return found

    def known_group(self, kind: Kind) -> RecordGroup | None:
        """Return the records of a kind; None if the workspace shows none."""
        return self._kinds[kind][0] if kind in self._kinds else None

    def group(self, kind: Kind) -> RecordGroup:
        """Return the records of a kind. Raises `CannotRead` if the workspace shows none."""
        if kind not in self._kinds:
            msg = f"no records of the kind {kind} are to be seen below {self._unnamed.root}"
            raise CannotRead(msg)
        return self._kinds[kind][0]

    def samples(self, kind: Kind) -> list[Data]:
        """Return what one or two records of a kind hold. Raises `CannotRead` if the workspace shows none."""
        self.group(kind)
        return [each.data for each in self._kinds[kind][1]]

    def kind_of(self, path: str) -> Kind | None:
        """Return the kind of the record at a path; None for everything else."""
        return next((kind for kind, (group, _) in self._kinds.items() if path in group.paths), None)

    @cached_property
    def records(self) -> WorkspaceRecords:
        """The records, with the names of their fields."""
        return self._unnamed.with_keys(self.keys)

    def closest(self, name: str, among: Sequence[str] = ()) -> str:
        """Return the paths of the three records whose ids are spelt most like a name, as a message names them."""
        paths = {folded_id(stem_of(path)): path for path in among or self.paths if path.casefold().endswith(".json")}
        found = get_close_matches(folded_id(id_of(name))[:100], paths, n=3, cutoff=0)
        return ", ".join(paths[near] for near in found)

    @cached_property
    def keys(self) -> RecordKeys:
        """The names of the fields that say whose a record is, in what state, since when, and who has which roles."""
        baskets = self.samples(Kind.BASKET)
        people = self.samples(Kind.EMPLOYEE) if Kind.EMPLOYEE in self._kinds else []
        return RecordKeys(
            owner=(self._owner_key(baskets),),
            state=tuple(dict.fromkeys(key for each in baskets for key in self._state_keys(each))),
            time=tuple(dict.fromkeys(key for each in baskets for key in keys_of(each, Shape.INSTANT))),
            name=(*dict.fromkeys(_person_name(each) for each in people), "name"),
            roles=tuple(dict.fromkeys(key for each in people for key in keys_of(each, Shape.WORDS))),
        )

    def _state_keys(self, basket: Data) -> list[str]:
        """The words in a basket that are no record's id."""
        return [key for key in keys_of(basket, Shape.WORD) if not self._is_record(str(basket[key]))]

    def _is_record(self, name: str) -> bool:
        return folded_id(name) in self._known_ids

    @cached_property
    def _known_ids(self) -> frozenset[str]:
        return frozenset(folded_id(stem_of(path)) for path in self.paths)

    def _owner_key(self, baskets: Sequence[Data]) -> str:
        """The id in a basket that is no record's, or the only one that the documents mark."""
        ids = {key for each in baskets for key in keys_of(each, Shape.ID)}
        foreign = {
            key for key in ids if all(is_foreign_id(each[key], self._is_record) for each in baskets if key in each)
        }
        found = foreign if len(foreign) == 1 else {key for key in foreign or ids if key in self.marked}
        if len(found) != 1:
            msg = "it is not certain which field of a basket names its customer"
            raise CannotRead(msg)
        return found.pop()

    @cached_property
    def open_state(self) -> str:
        """The state in which a basket can still be changed and bought: the one that the policy speaks of most."""
        text = self.documents.get(self.policies.get("checkout", ""), "")
        words = {each for each in marked_words(text) if shape_of(each) is Shape.WORD}
        baskets = self.samples(Kind.BASKET)
        fields = {key for each in baskets for key in each} | {key for each in baskets for key in _inner_keys(each)}
        found = most_marked(text, words - fields) or self._most_said_state(text)
        if not found:
            msg = "no policy says in which state a basket can be bought"
            raise CannotRead(msg)
        return found

    def _most_said_state(self, policy: str) -> str:
        """The state of some basket that a policy without code marks names most often; empty if it names none."""
        key = re.escape("".join(self.keys.state[:1]))
        lines = self.reader.search(rf'"{key}":\s*"', self.group(Kind.BASKET).root) if key else ()
        states = {each for _, line in lines for each in re.findall(rf'"{key}":\s*"([^"]+)"', line)}
        told = {each: len(re.findall(rf"(?<![\w-]){re.escape(each)}(?![\w-])", policy)) for each in sorted(states)}
        return max((each for each in told if told[each]), key=lambda each: told[each], default="")

    @cached_property
    def asker(self) -> Identity:
        """Who is signed in, as the identity tool prints it."""
        found = read_identity(self.reader.run(self._tool(IDENTITY)))
        if not found.roles:
            msg = "the identity tool does not say in which roles somebody is signed in"
            raise CannotRead(msg)
        return found

    @cached_property
    def clock(self) -> str:
        """What the clock prints."""
        return self.reader.run(self._tool(CLOCK)).strip()

    @cached_property
    def tools(self) -> dict[str, str]:
        """The path of the tool for each use that one is known for."""
        if self.reader.tools:
            return tools_by_use(self.reader.tools)
        named = [path for text in (self.rules, *self.documents.values()) for path in named_paths(text)]
        return tools_by_use(possible_tools(dict.fromkeys((*self.paths, *named))))

    def _tool(self, use: str) -> str:
        """Return the path of the tool for a use. Raises `CannotRead` if it is not certain which it is."""
        if use not in self.tools:
            msg = f"it is not certain which tool tells the {use}"
            raise CannotRead(msg)
        return self.tools[use]


def _folders(path: str) -> Iterator[str]:
    """Yield every folder above a file but the root."""
    while (path := path.rpartition("/")[0]) != "":
        yield path


def _inner_keys(data: Data) -> list[str]:
    return [key for name in keys_of(data, Shape.ROWS) for row in data[name] for key in row]


def _person_name(data: Data) -> str:
    """The field whose words stand in the person's mail address."""
    mail = str(data[keys_of(data, Shape.MAIL)[0]]).casefold()
    texts = (
        key for key in keys_of(data, Shape.TEXT) if all(each in mail for each in str(data[key]).casefold().split())
    )
    return next(texts, "name")
