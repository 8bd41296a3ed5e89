"""The one choice from which paths, documents, fields, states, verbs and words of a world are rendered.

It is drawn apart from the world's content: a seed gives the same shop under every vocabulary.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from random import Random
from typing import Any, Final, Literal

from benchmarks.ecom.runtime.record_names import RecordNames
from benchmarks.ecom.world.layout import Layout, choose_layout

OWN, PUBLIC, RANDOM, MIXED = "own", "public", "random", "mixed"
VOCABULARIES: Final = (OWN, PUBLIC, RANDOM)
Kind = Literal["own", "public", "random"]


@dataclass(frozen=True, slots=True)
class WorldNames:
    """How one world names everything. The code uses the keys; what a trial sees comes from here alone."""

    vocabulary: str
    """`own`, `public` (the names of the public benchmark) or `random`."""
    layout: Layout
    """Where records lie, and the form of their ids."""
    documents: Mapping[str, str]
    """The path of each document by its key in `benchmarks.ecom.world.documents`."""
    records: RecordNames
    """Fields, states, verbs and tools."""
    roles: Mapping[str, str]
    """The role names by power: `discount refund lead stock packing desk viewer`."""
    reason_codes: tuple[str, ...]
    """The three reasons that a discount may have."""
    return_reasons: tuple[str, ...]
    upload_path: str
    """The template of an uploaded file's path, with `kind` and `token`."""
    notices: str
    """The directory of notices that override pages, in worlds that have some."""
    wording: str
    """The seed from which each document draws its wording and order."""
    wordings: str
    """`known` or `unseen` if only one half of all wordings is used."""

    def document(self, key: str) -> str:
        """Return the path of a document. Raises `KeyError` for an unknown key."""
        return self.documents[key]

    def field(self, name: str, *, within: str = "") -> str:
        """Return the shown name of a record's field."""
        return self.records.field(name, within=within)

    def state(self, value: str, *, of: str = "status") -> str:
        """Return the shown word of a state."""
        return str(self.records.state(value, of=of))

    def verb(self, name: str) -> str:
        """Return a tool's subcommand: `restart`, `approve` or `close`."""
        return self.records.verb(name)

    def tool(self, name: str) -> str:
        """Return the path of a tool."""
        return self.records.tool(name)

    @property
    def uploads(self) -> str:
        """The directory of uploaded files."""
        return "/" + self.upload_path.split("/")[1]

    def upload(self, kind: str, token: str) -> str:
        """Return the path of an uploaded file of a kind such as `receipt`."""
        return self.upload_path.format(kind=kind, token=token)


@cache
def _pools() -> Mapping[str, Any]:
    found: Mapping[str, Any] = json.loads((files(__package__) / "vocabulary" / "names.json").read_text("utf-8"))
    return found


def _one(rng: Random, pool: Sequence[Any], vocabulary: str) -> Any:
    """Return the first of a pool for `own`, the second for `public`, else one of the rest."""
    return pool[0] if vocabulary == OWN else pool[1] if vocabulary == PUBLIC else rng.choice(pool[2:])


def choose_names(rng: Random, vocabulary: str, wordings: str) -> WorldNames:
    """Return the names of one world; `mixed` draws one of the vocabularies, `wordings` limits those to a half."""
    if vocabulary == MIXED:
        vocabulary = rng.choice(VOCABULARIES)
    pools = _pools()

    def drawn(part: str) -> dict[str, Any]:
        return {key: _one(rng, pool, vocabulary) for key, pool in pools[part].items()}

    records = RecordNames(
        fields=drawn("fields"),
        states={
            of: {value: _one(rng, pool, vocabulary) for value, pool in values.items()}
            for of, values in pools["states"].items()
        },
        verbs=drawn("verbs"),
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
        wording=f"{rng.getrandbits(48):012x}",
        wordings=wordings,
    )
