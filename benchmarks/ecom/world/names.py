"""Draws the names of a world: paths, documents, fields, states, verbs and words.

Names are drawn apart from the content: a seed gives the same shop under every vocabulary.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from random import Random
from typing import Any, Final

from benchmarks.ecom.runtime.workspace import RecordNames, Roots
from benchmarks.ecom.world.shop_records import Basket, Employee, Payment, Product, Record, Return, Store

OWN, PUBLIC, RANDOM, MIXED = "own", "public", "random", "mixed"
VOCABULARIES: Final = (OWN, PUBLIC, RANDOM)
KINDS: Final[tuple[type[Record], ...]] = (Product, Store, Basket, Payment, Return, Employee)
"""The kinds of records, in the order of `Roots`."""
SEPARATORS: Final = ("-", "_")
WIDTHS: Final = (3, 4)


def _root(template: str) -> str:
    return template[: template.index("/{")]


@dataclass(frozen=True, slots=True)
class Layout:
    """One choice of record paths and id formats."""

    paths: Mapping[type[Record], str]
    separator: str
    width: int
    prefixes: Mapping[str, str]
    """The prefix of the ids of each kind of record, by the usual one: `cust basket pay return emp`."""

    def id_of(self, prefix: str, number: int) -> str:
        """Return an id such as `basket-0042`, by the usual prefix of its kind."""
        return f"{self.prefixes.get(prefix, prefix)}{self.separator}{number:0{self.width}d}"

    def path_of(self, record: Record) -> str:
        """Return the path of the record, as listings show it."""
        return self.paths[type(record)].format(record)

    @property
    def roots(self) -> Roots:
        """The directory of each kind of record."""
        return Roots(*map(_root, self.paths.values()))


def choose_layout(rng: Random, vocabulary: str = OWN) -> Layout:
    """Return a layout of a vocabulary (`own`, `public`, `random`), with a path of its own for each kind of record."""
    pools = read_data("vocabulary/names.json")

    def drawn(kind: type[Record]) -> str:
        template: str = rng.choice(pools["paths"][PUBLIC if vocabulary == PUBLIC else OWN][kind.__name__])
        if vocabulary != RANDOM:
            return template
        return f"/proc/{rng.choice(pools['root_words'][kind.__name__])}{template.removeprefix(_root(template))}"

    paths = {kind: drawn(kind) for kind in KINDS}
    if vocabulary == PUBLIC:
        return Layout(paths, "-", 4, {})
    return Layout(
        paths=paths,
        separator=rng.choice(SEPARATORS),
        width=rng.choice(WIDTHS),
        prefixes={usual: rng.choice(names) for usual, names in pools["prefixes"].items()},
    )


@dataclass(frozen=True, slots=True)
class WorldNames:
    """The names of one world. The code uses the keys; all names that a trial sees come from this class."""

    vocabulary: str
    """`own`, `public` (the names of the public benchmark) or `random`."""
    layout: Layout
    documents: Mapping[str, str]
    """The path of each document by its key in `benchmarks.ecom.world.documents`."""
    records: RecordNames
    roles: Mapping[str, str]
    """The role names by power: `discount refund lead stock packing desk viewer`."""
    reason_codes: tuple[str, ...]
    """The three reasons that a discount may have."""
    return_reasons: tuple[str, ...]
    upload_path: str
    """The template of an uploaded file's path, with `kind` and `token`."""
    notices: str
    """The directory of notices that override pages, in worlds that have some."""
    decoys: tuple[str, str]
    """The directories of an expired page and of a rumour, in worlds that have them."""
    wording: str
    """The seed from which each document draws its wording and order."""
    wordings: str
    """`known` or `unseen` if only one half of all wordings is used."""

    def field(self, name: str, *, within: str = "") -> str:
        """Return the shown name of a record's field."""
        return self.records.field(name, within=within)

    def state(self, value: str, *, of: str = "status") -> str:
        """Return the shown word of a state."""
        return str(self.records.state(value, of=of))

    @property
    def uploads(self) -> str:
        """The directory of uploaded files."""
        return "/" + self.upload_path.split("/")[1]

    @property
    def directories(self) -> tuple[str, ...]:
        """The directories that every world has; public worlds have only those that their task needs."""
        return () if self.vocabulary == PUBLIC else (self.uploads, "/exports", "/tmp")

    def upload(self, kind: str, token: str) -> str:
        """Return the path of an uploaded file of a kind such as `receipt`."""
        return self.upload_path.format(kind=kind, token=token)


@cache
def read_data(name: str) -> Mapping[str, Any]:
    """Return the content of a JSON file of this package."""
    data: Mapping[str, Any] = json.loads((files(__package__) / name).read_text("utf-8"))
    return data


def _one(rng: Random, pool: Sequence[Any], vocabulary: str) -> Any:
    """Return the first of a pool for `own`, the second for `public`, else one of the rest."""
    return pool[0] if vocabulary == OWN else pool[1] if vocabulary == PUBLIC else rng.choice(pool[2:])


def choose_names(rng: Random, vocabulary: str, wordings: str) -> WorldNames:
    """Return the names of one world; `mixed` draws one of the vocabularies, `wordings` limits those to a half."""
    if vocabulary == MIXED:
        vocabulary = rng.choice(VOCABULARIES)
    pools = read_data("vocabulary/names.json")

    def drawn(part: str) -> dict[str, Any]:
        return {key: _one(rng, pool, vocabulary) for key, pool in pools[part].items()}

    records = RecordNames(
        fields=drawn("fields"),
        states={
            of: {value: _one(rng, pool, vocabulary) for value, pool in values.items()}
            for of, values in pools["states"].items()
        },
        verbs=drawn("verbs"),
        tables=drawn("tables"),
        columns={key: name for key, name in drawn("columns").items() if name},
        printed=drawn("printed"),
        outage=_one(rng, pools["outage"], vocabulary),
    )
    return WorldNames(
        vocabulary=vocabulary,
        layout=choose_layout(rng, vocabulary),
        documents=drawn("documents"),
        records=records,
        roles={power: rng.choice(names) for power, names in drawn("roles").items()},
        reason_codes=tuple(sorted(rng.sample(_one(rng, pools["reason_codes"], vocabulary), 3))),
        return_reasons=tuple(_one(rng, pools["return_reasons"], vocabulary)),
        upload_path=rng.choice(pools["uploads"][vocabulary]),
        notices=_one(rng, pools["notices"], vocabulary),
        decoys=tuple(_one(rng, pools["decoys"], vocabulary)),
        wording=f"{rng.getrandbits(48):012x}",
        wordings=wordings,
    )
