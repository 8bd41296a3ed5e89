"""Chooses the names of one world, from its seed and a vocabulary.

The order of the choices determines the world that a seed gives: the names in records come
first, then the paths and ids, the pages, the roles, and so on.
"""

from __future__ import annotations

from random import Random

from controlplane.benchmarks.ecom.record_names import RecordNames
from controlplane.benchmarks.ecom.world.data import read_data
from controlplane.benchmarks.ecom.world.names.layout import choose_layout
from controlplane.benchmarks.ecom.world.names.vocabularies import (
    MIXED,
    VOCABULARIES,
    VocabularyDraw,
)
from controlplane.benchmarks.ecom.world.names.world_names import WorldNames


def choose_names(rng: Random, vocabulary: str, wording_set: str) -> WorldNames:
    """Choose the names of one world. With `mixed`, the vocabulary is random, too.

    `wording_set` says which wordings the world's pages and requests use: `known`, `unseen`,
    or `mixed` for all.
    """
    if vocabulary == MIXED:
        vocabulary = rng.choice(VOCABULARIES)
    draw = VocabularyDraw(rng, vocabulary)
    # Keep the order of these random choices: it determines the world that a seed gives.
    records = _choose_record_names(draw)
    layout = choose_layout(rng, vocabulary)
    pages = draw.names("pages")
    roles = {}
    for role, names_of_role in draw.names("roles").items():
        roles[role] = rng.choice(names_of_role)
    reason_codes = sorted(rng.sample(draw.name("reason_codes"), 3))
    return_reasons = draw.name("return_reasons")
    upload_path = rng.choice(read_data("vocabulary/names.json")["uploads"][vocabulary])
    notices = draw.name("notices")
    expired_folder, rumour_folder = draw.name("decoys")
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
        expired_folder=expired_folder,
        rumour_folder=rumour_folder,
        page_seed=f"{rng.getrandbits(48):012x}",
        wording_set=wording_set,
    )


def _choose_record_names(draw: VocabularyDraw) -> RecordNames:
    """Choose the names in records, in tables and in the outputs of tools."""
    return RecordNames(
        fields=draw.names("fields"),
        states=draw.names_by_subject("states"),
        verbs=draw.names("verbs"),
        tables=draw.names("tables"),
        columns=_without_empty(draw.names("columns")),
        printed=draw.names("printed"),
        outage=draw.name("outage"),
    )


def _without_empty(columns: dict[str, str]) -> dict[str, str]:
    """Return the columns with a name. The others have the names of their fields."""
    return {key: name for key, name in columns.items() if name}
