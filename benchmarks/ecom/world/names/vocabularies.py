"""The vocabularies from which a world takes its names.

There are three: `own` was made up for this benchmark, `public` is that of the public
benchmark, and `random` has several other names for each thing. A seed gives the same shop,
whatever its names are.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any, Final

from controlplane.benchmarks.ecom.world.data import read_data

OWN: Final = "own"
PUBLIC: Final = "public"
RANDOM: Final = "random"
VOCABULARIES: Final = (OWN, PUBLIC, RANDOM)
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
        if self._vocabulary == PUBLIC:
            return public_name
        return self._rng.choice(other_names)
