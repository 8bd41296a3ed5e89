"""The names in one world: of paths, ids, pages, fields, states, verbs, roles and words.

The same basket is `/proc/baskets/basket-0412.json` with the `status` `active` in one world,
and `/proc/trolleys/basket_412.json` with the `phase` `filling` in another. So an agent must
read how this shop names things. A seed gives the same shop, whatever its names are.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, Final

from controlplane.benchmarks.ecom.record_names import RecordNames
from controlplane.benchmarks.ecom.workspace import Roots
from controlplane.benchmarks.ecom.world.data import read_data
from controlplane.benchmarks.ecom.world.records import (
    Basket,
    Employee,
    Payment,
    Product,
    Record,
    Return,
    Store,
)

# The vocabularies, from which a world takes its names:
OWN: Final = "own"  # made up for this benchmark
PUBLIC: Final = "public"  # those of the public benchmark
RANDOM: Final = "random"  # one of several other names for each thing
VOCABULARIES: Final = (OWN, PUBLIC, RANDOM)
MIXED: Final = "mixed"
"""Stands for a vocabulary that the seed chooses."""
RECORD_KINDS: Final[tuple[type[Record], ...]] = (
    Product,
    Store,
    Basket,
    Payment,
    Return,
    Employee,
)
"""The kinds of records."""
ID_SEPARATORS: Final = ("-", "_")
ID_WIDTHS: Final = (3, 4)
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
            products=_root_of(self.paths[Product]),
            stores=_root_of(self.paths[Store]),
            baskets=_root_of(self.paths[Basket]),
            payments=_root_of(self.paths[Payment]),
            returns=_root_of(self.paths[Return]),
            employees=_root_of(self.paths[Employee]),
        )


def _root_of(template: str) -> str:
    """Return the directory before the first field: `/proc/carts/{record.id}.json` -> `/proc/carts`."""
    root, _, _ = template.partition("/{")
    return root


def choose_layout(rng: Random, vocabulary: str = OWN) -> Layout:
    """Choose the record paths and id formats for a vocabulary: `own`, `public` or `random`."""
    prefix_pools = read_data("vocabulary/names.json")["prefixes"]
    paths = {kind: _choose_path(rng, vocabulary, kind) for kind in RECORD_KINDS}
    if vocabulary == PUBLIC:
        return Layout(paths, separator="-", width=4, replaced_prefixes={})
    separator = rng.choice(ID_SEPARATORS)
    width = rng.choice(ID_WIDTHS)
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
    if vocabulary == PUBLIC:
        public_template: str = rng.choice(pools["paths"][PUBLIC][kind_name])
        return public_template
    template: str = rng.choice(pools["paths"][OWN][kind_name])
    if vocabulary == OWN:
        return template
    root_word = rng.choice(pools["root_words"][kind_name])
    below_root = template.removeprefix(_root_of(template))
    return f"/proc/{root_word}{below_root}"


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
    decoys: tuple[str, str]
    """The directories for an expired page and a rumour, if the world has them."""
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

    @property
    def uploads(self) -> str:
        """The directory of uploaded files."""
        return "/" + self.upload_path.split("/")[1]

    @property
    def directories(self) -> tuple[str, ...]:
        """The directories of every world. Public worlds have only those that their task needs."""
        if self.vocabulary == PUBLIC:
            return ()
        return (self.uploads, "/exports", "/tmp")

    def upload(self, kind: str, token: str) -> str:
        """Return the path of an uploaded file of a kind such as `receipt`."""
        return self.upload_path.format(kind=kind, token=token)


class _VocabularyDraw:
    """Chooses names from pools: lists of names for one thing, from `vocabulary/names.json`.

    A pool has the name for the vocabulary `own`, then that for `public`, then all others:
    `["active", "active", "filling", "current"]`.
    """

    def __init__(self, rng: Random, vocabulary: str) -> None:
        self._rng = rng
        self._vocabulary = vocabulary
        self._pools = read_data("vocabulary/names.json")

    def name_from(self, pool: Sequence[Any]) -> Any:
        """Choose a name from a pool."""
        own_name, public_name, *other_names = pool
        if self._vocabulary == OWN:
            return own_name
        if self._vocabulary == PUBLIC:
            return public_name
        return self._rng.choice(other_names)

    def names_of_part(self, name: str) -> dict[str, Any]:
        """Choose a name from each pool of a part of `names.json`, such as `fields`."""
        return {key: self.name_from(pool) for key, pool in self._pools[name].items()}

    def record_names(self) -> RecordNames:
        """Choose the names in records, tables and tool outputs."""
        fields = self.names_of_part("fields")
        states = {}
        for subject, pools in self._pools["states"].items():
            states[subject] = {
                value: self.name_from(pool) for value, pool in pools.items()
            }
        verbs = self.names_of_part("verbs")
        tables = self.names_of_part("tables")
        # An empty name means that the column has the name of its field.
        columns = {
            key: name for key, name in self.names_of_part("columns").items() if name
        }
        printed = self.names_of_part("printed")
        return RecordNames(
            fields=fields,
            states=states,
            verbs=verbs,
            tables=tables,
            columns=columns,
            printed=printed,
            outage=self.name_from(self._pools["outage"]),
        )


def choose_names(rng: Random, vocabulary: str, wording_set: str) -> WorldNames:
    """Choose the names of one world. With `mixed`, the vocabulary is random, too.

    `wording_set` says which wordings the world's pages and requests use: `known`, `unseen`,
    or `mixed` for all.
    """
    if vocabulary == MIXED:
        vocabulary = rng.choice(VOCABULARIES)
    pools = read_data("vocabulary/names.json")
    draw = _VocabularyDraw(rng, vocabulary)
    # Keep the order of these random choices: it determines the world that a seed gives.
    records = draw.record_names()
    layout = choose_layout(rng, vocabulary)
    pages = draw.names_of_part("pages")
    roles = {}
    for role, names_of_role in draw.names_of_part("roles").items():
        roles[role] = rng.choice(names_of_role)
    reason_codes = sorted(rng.sample(draw.name_from(pools["reason_codes"]), 3))
    return_reasons = draw.name_from(pools["return_reasons"])
    upload_path = rng.choice(pools["uploads"][vocabulary])
    notices = draw.name_from(pools["notices"])
    expired_folder, rumour_folder = draw.name_from(pools["decoys"])
    return WorldNames(
        vocabulary=vocabulary,
        layout=layout,
        pages=pages,
        records=records,
        roles=roles,
        reason_codes=tuple(reason_codes),
        return_reasons=tuple(return_reasons),
        upload_path=upload_path,
        notices=notices,
        decoys=(expired_folder, rumour_folder),
        page_seed=f"{rng.getrandbits(48):012x}",
        wording_set=wording_set,
    )
