"""The names in a world: of its files and folders, and in its texts."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from random import Random
from typing import Any, Final

from controlplane.benchmarks.ecom.record_store import RecordNames
from controlplane.benchmarks.ecom.workspace import CallLimits, Roots
from controlplane.benchmarks.ecom.world.records import (
    Basket,
    Employee,
    Payment,
    Record,
    Return,
    SoldProduct,
    Store,
)

# The wordings of pages, notices and requests, in two sets: `known` and `unseen`.
#
# The page on returns says "Goods may be returned within 30 days" in one world and "30 days
# are left for a return" in another. Rules for agents may be written with the `known`
# wordings in sight. The `unseen` ones are kept for testing whether such rules also work
# for other words. A world uses one set or both.

KNOWN: Final = "known"
UNSEEN: Final = "unseen"


@dataclass(frozen=True, slots=True)
class Wordings:
    """The different wordings of one statement, in both sets."""

    known: tuple[str, ...]
    unseen: tuple[str, ...]

    def of(self, wording_set: str) -> tuple[str, ...]:
        """Return the wordings of a set: `known` or `unseen`. Any other value means all."""
        if wording_set == KNOWN:
            return self.known
        if wording_set == UNSEEN:
            return self.unseen
        return (*self.known, *self.unseen)


@cache
def wordings_by_name() -> Mapping[str, Wordings]:
    """Return the wordings of requests, notices and hostile blocks by name, for `str.format`."""
    return read_wordings("wordings/known.txt", "wordings/unseen.txt")


def read_wordings(known_path: str, unseen_path: str) -> dict[str, Wordings]:
    """Return the wordings of each statement by its name, from the files of both sets.

    Raises `ValueError` if the files have different statements.
    """
    known = _read_set(known_path)
    unseen = _read_set(unseen_path)
    if known.keys() != unseen.keys():
        differing = known.keys() ^ unseen.keys()
        msg = f"the clauses of {known_path} and {unseen_path} differ: {differing}"
        raise ValueError(msg)
    return {name: Wordings(known[name], unseen[name]) for name in known}


def _read_set(path: str) -> dict[str, tuple[str, ...]]:
    """Return the wordings of each statement in a file, by the name after `@`.

    The lines

        @ deadline
        = Goods may be returned within 30 days.
        = 30 days are left for a return.

    give `{"deadline": ("Goods may be returned within 30 days.", "30 days are ...")}`.
    """
    text = (files(__package__) / path).read_text("utf-8")
    wordings = {}
    # With a newline at the beginning, the first line begins a statement like all others.
    for statement in f"\n{text}".split("\n@ ")[1:]:
        name, *lines = statement.rstrip("\n").split("\n")
        wordings[name] = tuple(
            line.removeprefix("= ").replace("\\n", "\n") for line in lines
        )
    return wordings


# The names in one world: of paths, ids, pages, fields, states, verbs, roles and words.

# The JSON files of this package: names, words and texts from which worlds are generated.
#
# `company.json` has people, districts and the words that answers may use, `scans.json` the
# texts of scanned papers, and `vocabulary/names.json` the names of fields, states and paths.


@cache
def read_data(name: str) -> Mapping[str, Any]:
    """Return the content of a JSON file of this package."""
    data: Mapping[str, Any] = json.loads((files(__package__) / name).read_text("utf-8"))
    return data


DATA: Final = read_data("company.json")
WORDS_FOR: Final[Mapping[str, list[str]]] = DATA["said"]
"""Words for what was done, or for an objection to it.

A message contains one of them, or the recorded value.
"""


# The vocabularies from which a world takes its names.
#
# There are three: `own` was made up for this benchmark, `public` is that of the public
# benchmark, and `random` has several other names for each thing. A seed gives the same shop,
# whatever its names are.

OWN: Final = "own"
_PUBLIC: Final = "public"
_RANDOM: Final = "random"
VOCABULARIES: Final = (OWN, _PUBLIC, _RANDOM)
MIXED: Final = "mixed"
"""Stands for a vocabulary that the seed chooses."""


class VocabularyDraw:
    """Chooses the names of a world from a vocabulary, by the pools of `vocabulary/names.json`.

    A pool has names for one thing: first that of the vocabulary `own`, then that of `public`,
    then all others. From `["active", "active", "filling", "current"]`, the vocabulary
    `random` gets `filling` or `current`.
    """

    def __init__(self, rng: Random, vocabulary: str) -> None:
        self._rng = rng
        self._vocabulary = vocabulary
        self._parts = read_data("vocabulary/names.json")

    def name(self, part: str) -> Any:
        """Choose from the pool of a part that has only one: `notices` -> `/docs/updates`.

        What is chosen is usually a name, but may be a list of names or other data.
        """
        return self._from_pool(self._parts[part])

    def names(self, part: str) -> dict[str, Any]:
        """Choose a name for each key of a part: `verbs` -> `{"approve": "accept", ...}`."""
        return self._from_pools(self._parts[part])

    def names_by_subject(self, part: str) -> dict[str, dict[str, Any]]:
        """Choose a name for each key of each subject of a part.

        `states` -> `{"status": {"active": "filling", ...}, "fulfilment": {...}}`
        """
        names = {}
        for subject, pools in self._parts[part].items():
            names[subject] = self._from_pools(pools)
        return names

    def _from_pools(self, pools: dict[str, Sequence[Any]]) -> dict[str, Any]:
        return {key: self._from_pool(pool) for key, pool in pools.items()}

    def _from_pool(self, pool: Sequence[Any]) -> Any:
        own_name, public_name, *other_names = pool
        if self._vocabulary == OWN:
            return own_name
        if self._vocabulary == _PUBLIC:
            return public_name
        return self._rng.choice(other_names)


# Where the records of one world are, and what their ids look like.
#
# The same basket is `/proc/baskets/basket-0412.json` in one world, and
# `/proc/trolleys/basket_412.json` in another. A layout has the path template of each kind of
# record, and the prefix, the separator and the digits of its ids.

_RECORD_KINDS: Final[tuple[type[Record], ...]] = (
    SoldProduct,
    Store,
    Basket,
    Payment,
    Return,
    Employee,
)
"""The kinds of records."""
_ID_SEPARATORS: Final = ("-", "_")
_ID_WIDTHS: Final = (3, 4)
"""The possible numbers of digits in an id."""


@dataclass(frozen=True, slots=True)
class Layout:
    """The record paths and id formats of one world."""

    paths: Mapping[type[Record], str]
    """The path template of each kind: `/proc/carts/{record.customer_id}/{record.id}.json`."""
    separator: str
    """The sign between the prefix and the number of an id: `-`."""
    width: int
    """The least digits of an id's number, with leading zeros: 4 in `basket-0042`."""
    replaced_prefixes: Mapping[str, str]
    """This world's prefix for some of the usual prefixes of ids: `{"return": "rma"}`."""

    def id_of(self, prefix: str, number: int) -> str:
        """Return an id such as `basket-0042`. `prefix` is the usual prefix of its kind."""
        world_prefix = self.replaced_prefixes.get(prefix, prefix)
        return f"{world_prefix}{self.separator}{number:0{self.width}d}"

    def path_of(self, record: Record) -> str:
        """Return the path of a record as listings show it."""
        return self.paths[type(record)].format(record=record)

    @property
    def roots(self) -> Roots:
        """The directory of each kind of record."""
        return Roots(
            products=_root_of(self.paths[SoldProduct]),
            stores=_root_of(self.paths[Store]),
            baskets=_root_of(self.paths[Basket]),
            payments=_root_of(self.paths[Payment]),
            returns=_root_of(self.paths[Return]),
            employees=_root_of(self.paths[Employee]),
        )


def choose_layout(rng: Random, vocabulary: str = OWN) -> Layout:
    """Choose the record paths and id formats for a vocabulary: `own`, `public` or `random`."""
    prefix_pools = read_data("vocabulary/names.json")["prefixes"]
    paths = {kind: _choose_path(rng, vocabulary, kind) for kind in _RECORD_KINDS}
    if vocabulary == _PUBLIC:
        return Layout(paths, separator="-", width=4, replaced_prefixes={})
    separator = rng.choice(_ID_SEPARATORS)
    width = rng.choice(_ID_WIDTHS)
    replaced_prefixes = {}
    for usual_prefix, prefixes in prefix_pools.items():
        replaced_prefixes[usual_prefix] = rng.choice(prefixes)
    return Layout(paths, separator, width, replaced_prefixes)


def _choose_path(rng: Random, vocabulary: str, kind: type[Record]) -> str:
    """Choose the path template of a kind of record.

    The vocabularies `own` and `public` have templates. `random` takes one of `own`, below
    a directory with another name: `/proc/carts/...` -> `/proc/trolleys/...`.
    """
    pools = read_data("vocabulary/names.json")
    kind_name = kind.__name__
    if vocabulary == _PUBLIC:
        public_template: str = rng.choice(pools["paths"][_PUBLIC][kind_name])
        return public_template
    template: str = rng.choice(pools["paths"][OWN][kind_name])
    if vocabulary == OWN:
        return template
    root_word = rng.choice(pools["root_words"][kind_name])
    below_root = template.removeprefix(_root_of(template))
    return f"/proc/{root_word}{below_root}"


def _root_of(template: str) -> str:
    """Return the directory before the first field: `/proc/carts/{record.id}.json` -> `/proc/carts`."""
    root, _, _ = template.partition("/{")
    return root


# The names in one world: of paths, ids, pages, fields, states, verbs, roles and words.
#
# The same basket has the `status` `active` in one world, and the `phase` `filling` in another.
# So an agent must read how this shop names things. The code uses one key for each, and the
# names of the world translate it.


@dataclass(frozen=True, slots=True)
class WorldNames:
    """The names of one world. The code uses the keys; a trial sees the values."""

    vocabulary: str
    """`own`, `public` (the names of the public benchmark) or `random`."""
    layout: Layout
    """The paths of records, and the form of their ids."""
    pages: Mapping[str, str]
    """The path of each page, by its key in the code."""
    records: RecordNames
    """The names of fields, states, tables and subcommands."""
    roles: Mapping[str, str]
    """The name of each role, by its key: `discount refund lead stock packing desk viewer`."""
    reason_codes: tuple[str, ...]
    """The three allowed reasons for a discount."""
    return_reasons: tuple[str, ...]
    """The possible reasons for a return."""
    upload_path: str
    """The path template of uploaded files, with `kind` and `token`."""
    notices: str
    """The directory for notices that override pages, if the world has any."""
    expired_folder: str
    """The directory for an expired page, if the world has one."""
    rumour_folder: str
    """The directory for a rumour, if the world has one."""
    page_seed: str
    """The seed for the wordings of each page, and for the order of its clauses."""
    wording_set: str
    """Which wordings its pages and requests use: `known`, `unseen`, or `mixed` for all."""

    def field(self, name: str, *, within: str = "") -> str:
        """Return the shown name of a record's field."""
        return self.records.field(name, within=within)

    def state(self, value: str, *, of: str = "status") -> str:
        """Return the shown word for a state."""
        return str(self.records.state(value, of=of))

    def wordings(self, name: str) -> tuple[str, ...]:
        """Return the wordings of a request or a statement that this world uses."""
        return wordings_by_name()[name].of(self.wording_set)

    def statement(self, name: str) -> str:
        """Return a statement of pages in one of its wordings: the same on each page."""
        rng = Random(f"{self.page_seed}|{name}")
        return rng.choice(self.wordings(name))

    @property
    def uploads(self) -> str:
        """The directory of uploaded files."""
        return "/" + self.upload_path.split("/")[1]

    @property
    def directories(self) -> tuple[str, ...]:
        """The directories of every world. Public worlds have only those that their task needs."""
        if self.vocabulary == _PUBLIC:
            return ()
        return (self.uploads, "/exports", "/tmp")

    def upload(self, kind: str, token: str) -> str:
        """Return the path of an uploaded file of a kind such as `receipt`."""
        return self.upload_path.format(kind=kind, token=token)


# How difficult the worlds of a run are, and which names and wordings they have.
#
# The user chooses both by options: `--set profile=hard --set names=public`.


@dataclass(frozen=True, slots=True)
class WorldProfile:
    """How difficult the worlds of a run are."""

    sql_is_up: bool = False
    """True if the tool for SQL queries works. If not, it reports an outage."""
    products: int = 100
    """About how many products the shop sells."""
    has_addenda: bool = False
    """True if dated notices override pages."""
    has_decoys: bool = False
    """True if an outdated copy and a rumour contradict pages."""
    limits: CallLimits = field(default_factory=CallLimits)
    """How much a call may list or read, how many calls of tools time out, and how long they take."""


PROFILES: Final[Mapping[str, WorldProfile]] = {
    "dev": WorldProfile(sql_is_up=True, products=1_000, has_addenda=True),
    "prod": WorldProfile(),
    "hard": WorldProfile(
        products=400,
        has_addenda=True,
        has_decoys=True,
        limits=CallLimits(listed=60, read_lines=160, timeout_share=0.02, tool_ms=20),
    ),
}


@dataclass(frozen=True, slots=True)
class WorldSettings:
    """The user's settings for the worlds of a run."""

    profile: str = "prod"
    names: str = MIXED
    """`own`, `public`, `random`, or `mixed` to let the seed choose one of them."""
    wordings: str = KNOWN
    """The wordings of requests and pages.

    `known` are those that rules are written for, `unseen` are kept for testing, and
    `mixed` means all.
    """


DEFAULTS: Final = WorldSettings()
"""The settings of a world that is generated without any, as tests do."""
PLAYED: Final = WorldSettings(wordings=UNSEEN)
"""The settings of a run without options: only wordings that no rule is written for."""
