"""A shop's workspace: its rules, policies, tools and records, and the names that it uses.

Only this module knows what a shop calls its folders, fields and states. It learns the
names from the rules document, the list of files and a sample of each kind of record, by
the shapes of values. Uncertain facts raise `CannotRead`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from difflib import get_close_matches
from functools import cached_property, lru_cache, wraps
from posixpath import normpath, splitext
from typing import Concatenate, Final, ParamSpec

from controlplane.benchmarks.shop.texts.documents import (
    marked_words,
    most_marked,
    named_paths,
)
from controlplane.benchmarks.shop.texts.text import Found, require
from controlplane.benchmarks.shop.texts.yes_no_words import (
    YesNoWords,
    certain_yes_no_words,
)
from controlplane.benchmarks.shop.workspace.field_names import (
    kind_of_record,
    person_name_key,
)
from controlplane.benchmarks.shop.workspace.field_shapes import (
    Data,
    Shape,
    every_row,
    keys_of,
    shape_of,
)
from controlplane.benchmarks.shop.workspace.identity import Identity, read_identity
from controlplane.benchmarks.shop.workspace.kinds import Kind
from controlplane.benchmarks.shop.workspace.record_ids import folded_id, id_of
from controlplane.benchmarks.shop.workspace.records import (
    Record,
    RecordGroup,
    RecordKeys,
    SampledGroup,
    WorkspaceRecords,
)
from controlplane.benchmarks.shop.workspace.tool_uses import (
    CLOCK,
    IDENTITY,
    SUBJECTS,
    folders_above,
    possible_tools,
    tools_by_use,
)
from controlplane.benchmarks.shop.workspace.word_search import text_field_pattern
from controlplane.benchmarks.shop.workspace.workspace_reader import WorkspaceReader
from controlplane.gates.paths import record_id
from controlplane.gates.submission import DENIED
from controlplane.sandbox.functions import CannotRead, Harness

Arguments = ParamSpec("Arguments")

_ROOT_DOCUMENT: Final = re.compile(r"/[^/]+\.md", re.IGNORECASE)
_TOP_DOCUMENT: Final = re.compile(r"/docs/[^/]+\.md", re.IGNORECASE)
LEAST_NAMED_DOCUMENTS: Final = 3
"""Rules that name at least this many documents are taken to name all policies.

Other rules leave them to be found in `/docs`.
"""
MAX_TOP_DOCUMENTS: Final = 40
"""The most documents at the top of `/docs` to read if the rules do not name the policies."""
_INVENTORIES: Final = r"\b[Ii]nventories\b"
"""The word that marks a page that may correct the stock in the records.

Such a page is a day book of deliveries, or a note after stock was counted by hand.
"""


def _common_kind(samples: Sequence[Record]) -> Kind | None:
    """Return the kind that the shapes of some records show.

    The result is None if they show no kind, or several.
    """
    kinds = set()
    for sample in samples:
        kind = kind_of_record(sample.data, record_id(sample.path))
        if kind is not None:
            kinds.add(kind)
    return kinds.pop() if len(kinds) == 1 else None


class ShopLayout:
    """The contents of a shop's workspace, and the names that the shop uses.

    A function for scripts creates one from its `harness` (`on_harness`). Each part is
    read when it is first used, and then kept.
    """

    def __init__(self, reader: WorkspaceReader) -> None:
        self.reader = reader

    # Files and documents

    @cached_property
    def paths(self) -> tuple[str, ...]:
        """The paths of all files."""
        return tuple(self.reader.paths())

    @cached_property
    def _path_set(self) -> frozenset[str]:
        return frozenset(self.paths)

    def spelled(self, path: str) -> str:
        """Return a path as the list of files or the declared tools spell it.

        Case, slashes and dots may differ: `//docs/./Returns.MD` -> `/docs/returns.md`.
        An unknown path is only normalized.
        """
        normal = normpath(f"/{path.lstrip('/')}")
        if normal in self._path_set or normal in self.reader.tools:
            return normal
        folded = normal.casefold()
        for known_path in (*self.reader.tools, *self.paths):
            if known_path.casefold() == folded:
                return known_path
        return normal

    def closest(self, name: str, among: Sequence[str] = ()) -> str:
        """Return the three paths with the names most like a given name, as a text for a message.

        Only paths with the same extension count. It is `.json` if the name has none.
        """
        extension = splitext(name)[1].casefold() or ".json"
        path_by_id = {}
        for path in among or self.paths:
            if path.casefold().endswith(extension):
                path_by_id[folded_id(record_id(path))] = path
        # `get_close_matches` is slow for long names.
        ids = get_close_matches(folded_id(id_of(name))[:100], path_by_id, n=3, cutoff=0)
        return ", ".join(path_by_id[close_id] for close_id in ids) or "none"

    @cached_property
    def rules(self) -> str:
        """The text of the rules document: the document at the root that names the most files.

        Raises `CannotRead` (by `sure`) if no document is at the root.
        """
        paths = [path for path in self.paths if _ROOT_DOCUMENT.fullmatch(path)]
        require(
            paths,
            "there is no rules document: no document lies at the root of the workspace",
        )
        texts = self.reader.read_all(paths)
        if len(texts) == 1:
            return texts[0]
        return max(
            texts, key=lambda text: len(self._path_set.intersection(named_paths(text)))
        )

    @cached_property
    def documents(self) -> dict[str, str]:
        """The texts of the documents that the rules name, by path.

        If the rules name fewer than `LEAST_NAMED_DOCUMENTS`, the documents at the top
        of `/docs` are added.
        """
        # The rules may name a document in other case.
        existing_path = {}
        for path in self.paths:
            if path.endswith((".md", ".MD")):
                existing_path[path.casefold()] = path
        pages = []
        for named_path in named_paths(self.rules):
            page = existing_path.get(named_path.casefold())
            if page is not None and page not in pages:
                pages.append(page)

        if len(pages) < LEAST_NAMED_DOCUMENTS:
            top_documents = []
            for path in self.paths:
                if _TOP_DOCUMENT.fullmatch(path) and path not in pages:
                    top_documents.append(path)
            pages += top_documents[:MAX_TOP_DOCUMENTS]
        return dict(zip(pages, self.reader.read_all(pages), strict=True))

    @cached_property
    def _marked_by_path(self) -> dict[str, tuple[str, ...]]:
        """The words that each document puts in backticks, by the document's path."""
        return {path: marked_words(text) for path, text in self.documents.items()}

    @cached_property
    def marked(self) -> frozenset[str]:
        """All words that a document puts in backticks."""
        return frozenset().union(*self._marked_by_path.values())

    @cached_property
    def yes_no(self) -> YesNoWords:
        """The words that stand for yes and no in answers: `<YES>` and `<NO>`.

        Raises `CannotRead` if they are not certain.
        """
        refusal = (
            "the rules document does not say with which words yes and no are answered"
        )
        return require(certain_yes_no_words(self.rules), refusal)

    # Policies

    @cached_property
    def policies(self) -> dict[str, str]:
        """The paths of the policies by subject: `security`, and the uses of tools in `SUBJECTS`.

        The policy for a use is the only document that names the tool for that use.
        """
        policies = {}
        security = self._security_policy()
        if security is not None:
            policies["security"] = security
        for subject in SUBJECTS:
            tool = self.tools.get(subject)
            if tool is None:
                continue
            pages = [
                path
                for path, text in self.documents.items()
                if tool in named_paths(text)
            ]
            if len(pages) == 1:
                policies[subject] = pages[0]
        return policies

    def _security_policy(self) -> str | None:
        """Return the document about who may see what; None if it is not certain.

        It has the identity tool in backticks more often than any other document. Among
        several that have it equally often, it has the outcome of a denial in backticks
        most often.
        """
        identity_tool = self.tools.get(IDENTITY, "")
        counts_by_path = {}
        for path, marks in self._marked_by_path.items():
            if identity_tool in marks:
                counts_by_path[path] = (marks.count(identity_tool), marks.count(DENIED))
        if not counts_by_path:
            return None
        highest = max(counts_by_path.values())
        leaders = [path for path, counts in counts_by_path.items() if counts == highest]
        return leaders[0] if len(leaders) == 1 else None

    def is_amended(self, policy: str) -> bool:
        """Return True if a document that the rules do not name mentions a policy or its tool.

        Such a document may be a notice that changes what the policy says. Whether it
        does is for the model to read, so callers do not rely on an amended policy.
        """
        patterns = [re.escape(policy)]
        for use, path in self.policies.items():
            if path == policy and use in self.tools:
                patterns.append(re.escape(self.tools[use]))
        return self._is_in_unnamed_document("|".join(patterns))

    @cached_property
    def stock_notes(self) -> tuple[str, ...]:
        """A note that stock may differ from the records.

        It is given only if a document that the rules do not name is about inventories,
        because such a document may correct the stock.
        """
        if not self._is_in_unnamed_document(_INVENTORIES):
            return ()
        return (
            "a page that the rules do not name tells of inventories: stock is by the records alone",
        )

    def _is_in_unnamed_document(self, pattern: str) -> bool:
        """Return True if a pattern occurs in a document that the rules do not name.

        Files at the root are not such documents.
        """
        for path, _ in self.reader.search(pattern, "/"):
            is_document = path.casefold().endswith(".md") and path.count("/") > 1
            if is_document and path not in self.documents:
                return True
        return False

    # Tools

    @cached_property
    def tools(self) -> dict[str, str]:
        """The path of the tool for each use, such as `IDENTITY`.

        If the environment declares no tools, all paths in the list of files and in the
        documents that may be tools are considered.
        """
        if self.reader.tools:
            return tools_by_use(self.reader.tools)
        paths = list(self.paths)
        for text in (self.rules, *self.documents.values()):
            paths += named_paths(text)
        return tools_by_use(possible_tools(dict.fromkeys(paths)))

    def _tool(self, use: str) -> str:
        """Return the path of the tool for a use. Raises `CannotRead` if the tool is not certain."""
        return require(
            self.tools.get(use), f"it is not certain which tool tells the {use}"
        )

    @cached_property
    def asker(self) -> Identity:
        """The person who is signed in, as the identity tool prints it.

        Raises `CannotRead` if the tool is not certain, or if it prints no roles.
        """
        identity = read_identity(self.reader.run(self._tool(IDENTITY)))
        require(
            identity.roles,
            "the identity tool does not say in which roles somebody is signed in",
        )
        return identity

    @cached_property
    def clock(self) -> str:
        """The output of the clock."""
        return self.reader.run(self._tool(CLOCK)).strip()

    # Records and their kinds

    @cached_property
    def unkeyed_records(self) -> WorkspaceRecords:
        """The records, before the names of their fields for owner, state and time are known.

        These names (`keys`) are learned from samples of the records. `records` then sets
        them in this same object.
        """
        root = _root_of_records(self.paths, self.rules)
        return WorkspaceRecords(self.reader, root, self.paths)

    @cached_property
    def records(self) -> WorkspaceRecords:
        """The records, with the names of their fields.

        This is the object of `unkeyed_records`, and not a copy, so that no record is
        read twice. Raises `CannotRead` if the names of the fields are not certain.
        """
        records = self.unkeyed_records
        records.keys = self.keys
        return records

    @cached_property
    def _groups_of_kinds(self) -> dict[Kind, SampledGroup]:
        """The files of each kind of record, with a few samples that have been read.

        A group of files has a kind if all its samples have that kind. Groups of the
        same kind are joined.
        """
        groups: dict[Kind, SampledGroup] = {}
        for sampled in self.unkeyed_records.samples():
            kind = _common_kind(sampled.samples)
            if kind is None:
                continue
            earlier = groups.get(kind)
            if earlier is not None:
                sampled = SampledGroup(
                    RecordGroup((*earlier.group.paths, *sampled.group.paths)),
                    [*earlier.samples, *sampled.samples],
                )
            groups[kind] = sampled
        return groups

    def known_group(self, kind: Kind) -> RecordGroup | None:
        """Return the records of a kind; None if the workspace has none."""
        known = self._groups_of_kinds.get(kind)
        return known.group if known is not None else None

    def group(self, kind: Kind) -> RecordGroup:
        """Return the records of a kind. Raises `CannotRead` if the workspace has none."""
        refusal = f"no records of the kind {kind} are to be seen below {self.unkeyed_records.root}"
        return require(self.known_group(kind), refusal)

    def samples(self, kind: Kind) -> list[Data]:
        """Return the data of a few records of a kind.

        Raises `CannotRead` if the workspace has none.
        """
        self.group(kind)  # Raises if the workspace has none.
        return [sample.data for sample in self._groups_of_kinds[kind].samples]

    def kind_of(self, path: str) -> Kind | None:
        """Return the kind of the record at a path; None for any other path."""
        for kind, known in self._groups_of_kinds.items():
            if path in known.group.paths:
                return kind
        return None

    # Names of fields

    @cached_property
    def keys(self) -> RecordKeys:
        """The names of fields: a record's owner, state and time, a person's name and roles.

        They are learned from baskets and employees.
        """
        baskets = self.samples(Kind.BASKET)
        people = self.samples(Kind.EMPLOYEE) if self.known_group(Kind.EMPLOYEE) else []
        state_keys = []
        time_keys = []
        for basket in baskets:
            state_keys += self._state_keys(basket)
            time_keys += keys_of(basket, Shape.INSTANT)
        name_keys = []
        role_keys = []
        for person in people:
            name_keys.append(person_name_key(person))
            role_keys += keys_of(person, Shape.WORDS)
        return RecordKeys(
            owner=(self._owner_key(baskets),),
            state=_each_once(state_keys),
            time=_each_once(time_keys),
            # `name` is for other records, such as branches
            name=(*_each_once(name_keys), "name"),
            roles=_each_once(role_keys),
        )

    def _state_keys(self, basket: Data) -> list[str]:
        """Return the fields of a basket whose value is one word that is not the id of a record."""
        keys = []
        for key in keys_of(basket, Shape.WORD):
            if not self._is_record(str(basket[key])):
                keys.append(key)
        return keys

    def _owner_key(self, baskets: Sequence[Data]) -> str:
        """Return the field of a basket that names its customer.

        Customers have no records. So it is the field with ids of which no record
        exists, such as `cust-0174`. If there are several such fields, it is the one
        of them that documents put in backticks. If there is none, it is the one of all
        fields with ids that documents put in backticks.
        """
        id_keys = {key for basket in baskets for key in keys_of(basket, Shape.ID)}
        keys_without_records = {
            key for key in id_keys if self._has_no_records(key, baskets)
        }
        if len(keys_without_records) == 1:
            owner_keys = keys_without_records
        elif keys_without_records:
            owner_keys = keys_without_records.intersection(self.marked)
        else:
            owner_keys = id_keys.intersection(self.marked)
        require(
            len(owner_keys) == 1,
            "it is not certain which field of a basket names its customer",
        )
        return next(iter(owner_keys))

    def _has_no_records(self, key: str, baskets: Sequence[Data]) -> bool:
        """Return True if a field of baskets always has an id of which no record exists."""
        for basket in baskets:
            if key not in basket:
                continue
            value = basket[key]
            if shape_of(value) is not Shape.ID or self._is_record(str(value)):
                return False
        return True

    def _is_record(self, name: str) -> bool:
        return folded_id(name) in self.unkeyed_records.by_id

    # The state in which a basket is open

    @cached_property
    def open_state(self) -> str:
        """The state in which a basket can be changed and bought.

        It is the state that the policy on checkouts mentions most.
        """
        policy = self.documents.get(self.policies.get("checkout", ""), "")
        baskets = self.samples(Kind.BASKET)
        # A word that the policy marks may also be the name
        # of a field of baskets, or of their lines.
        field_names: set[str] = set()
        for basket in baskets:
            field_names.update(basket.keys())
        for line in every_row(baskets):
            field_names.update(line.data.keys())
        marked_states = set()
        for word in marked_words(policy):
            if shape_of(word) is Shape.WORD and word not in field_names:
                marked_states.add(word)
        state = most_marked(policy, marked_states) or self._most_mentioned_state(policy)
        return require(state, "no policy says in which state a basket can be bought")

    def _most_mentioned_state(self, policy: str) -> str:
        """Return the state of a basket that a policy mentions most often, or an empty text.

        This is for policies that do not put states in backticks. The states are those
        that occur in any basket.
        """
        if not self.keys.state:
            return ""
        state_key = self.keys.state[0]
        root = self.group(Kind.BASKET).root
        states: set[str] = set()
        for _, line in self.reader.search(text_field_pattern([state_key]), root):
            states.update(re.findall(rf'"{re.escape(state_key)}":\s*"([^"]+)"', line))
        most_mentioned = ""
        most_mentions = 0
        for state in sorted(states):
            mentions = len(
                re.findall(rf"(?<![\w-]){re.escape(state)}(?![\w-])", policy)
            )
            if mentions > most_mentions:
                most_mentioned = state
                most_mentions = mentions
        return most_mentioned


def _each_once(names: Sequence[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(names))


@lru_cache(maxsize=4)
def _root_of_records(paths: tuple[str, ...], rules: str) -> str:
    """Return the one top folder that contains records and that the rules name, else the root.

    Rules that name `/proc/carts/` -> `/proc/`
    """
    folders_with_records: set[str] = set()
    for path in paths:
        if path.endswith((".json", ".JSON")):
            folders_with_records.update(folders_above(path))
    top_folders = set()
    for path in named_paths(rules):
        if path in folders_with_records:
            top_folders.add(f"/{path.split('/')[1]}/")
    return top_folders.pop() if len(top_folders) == 1 else "/"


def on_harness(
    function: Callable[Concatenate[ShopLayout, Arguments], Found], /
) -> Callable[Concatenate[ShopLayout | Harness, Arguments], Found]:
    """Return a function that accepts a `ShopLayout` or a `harness` as its first argument.

    Scripts call it with `harness`.
    """

    @wraps(function)
    def call(
        shop: ShopLayout | Harness, /, *args: Arguments.args, **kwargs: Arguments.kwargs
    ) -> Found:
        layout = (
            shop if isinstance(shop, ShopLayout) else ShopLayout(WorkspaceReader(shop))
        )
        return function(layout, *args, **kwargs)

    return call


def text_of(layout: ShopLayout, path: str) -> str:
    """Return the whole text of a file.

    Raises `CannotRead`, with the closest paths, if it does not exist.
    """
    try:
        return layout.reader.read(path)
    except LookupError:
        msg = f"there is no file {path}; closest: {layout.closest(path)}"
        raise CannotRead(msg) from None
