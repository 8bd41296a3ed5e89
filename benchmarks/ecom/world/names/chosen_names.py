"""Chooses the names of one world, from its seed and a vocabulary.

The order of the choices determines the world that a seed gives: the names in records come
first, then the paths and ids, the pages, the roles, and so on.
"""

from __future__ import annotations

from random import Random

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
    pools = read_data("vocabulary/names.json")
    draw = VocabularyDraw(rng, vocabulary)
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
