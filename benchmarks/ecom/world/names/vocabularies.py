"""The vocabularies from which a world takes its names.

There are three: `own` was made up for this benchmark, `public` is that of the public
benchmark, and `random` has several other names for each thing. A seed gives the same shop,
whatever its names are.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any, Final

from controlplane.benchmarks.ecom.record_names import RecordNames
from controlplane.benchmarks.ecom.world.data import read_data

# The vocabularies, from which a world takes its names:
OWN: Final = "own"  # made up for this benchmark
PUBLIC: Final = "public"  # those of the public benchmark
RANDOM: Final = "random"  # one of several other names for each thing
VOCABULARIES: Final = (OWN, PUBLIC, RANDOM)
MIXED: Final = "mixed"
"""Stands for a vocabulary that the seed chooses."""


class VocabularyDraw:
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
