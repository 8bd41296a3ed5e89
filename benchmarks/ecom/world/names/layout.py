"""Where the records of one world are, and what their ids look like.

The same basket is `/proc/baskets/basket-0412.json` in one world, and
`/proc/trolleys/basket_412.json` in another. A layout has the path template of each kind of
record, and the prefix, the separator and the digits of its ids.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from random import Random
from typing import Final

from controlplane.benchmarks.ecom.workspace import Roots
from controlplane.benchmarks.ecom.world.data import read_data
from controlplane.benchmarks.ecom.world.names.vocabularies import OWN, PUBLIC
from controlplane.benchmarks.ecom.world.records import (
    Basket,
    Employee,
    Payment,
    Product,
    Record,
    Return,
    Store,
)

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


def _root_of(template: str) -> str:
    """Return the directory before the first field: `/proc/carts/{record.id}.json` -> `/proc/carts`."""
    root, _, _ = template.partition("/{")
    return root
