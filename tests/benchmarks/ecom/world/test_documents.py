"""A world's documents state its own parameters and names, in many wordings, and say nothing of citations."""

from __future__ import annotations

import re

import pytest

from benchmarks.ecom.world.generator import World, generate
from benchmarks.ecom.world.names import VOCABULARIES
from benchmarks.ecom.world.profiles import WorldSettings

WORLDS = [generate(f"documents|{number}", WorldSettings(names=VOCABULARIES[number % 3])) for number in range(12)]
CITING = re.compile(r"\bcit(?:e|es|ed|ing|ation|ations)\b|\breferences?\b", re.IGNORECASE)


def texts_of(world: World) -> dict[str, str]:
    files = world.workspace().files
    return {key: re.sub(r"\s+", " ", files[path]) for key, path in world.names.documents.items()}


@pytest.mark.parametrize("world", WORLDS)
def test_the_documents_state_the_parameters_of_their_world(world: World) -> None:
    policy, names, texts = world.policy, world.names, texts_of(world)
    assert len(texts) == 21
    assert f"`{policy.yes}`" in texts["rules"]
    assert f"`{policy.no}`" in texts["rules"]
    assert all(f"`{names.document(key)}`" in texts["rules"] for key in ("stock", "returns", "verification"))
    assert world.layout.roots.baskets in texts["rules"]
    assert f"{policy.high_percent} %" in texts["discounts"]
    assert f"{policy.low_percent} %" in texts["discounts"]
    assert policy.refund_role in texts["returns"]
    assert names.verb("approve") in texts["returns"]
    assert f"{policy.verification_delay_min} minutes" in texts["verification"]
    assert names.state("challenge_timed_out", of="verification.state") in texts["verification"]
    assert world.origin.first_branch in texts["origins"]
    assert not [key for key, text in texts.items() if "$" in text]


@pytest.mark.parametrize("world", WORLDS)
def test_no_page_says_what_to_cite(world: World) -> None:
    assert not [key for key, text in texts_of(world).items() if CITING.search(text)]
    asks_for_mentioned = "mention" in texts_of(world)["catalogue"]
    assert asks_for_mentioned == world.policy.cites_mentioned


def test_a_document_has_many_wordings_and_orders() -> None:
    found = {texts_of(generate(f"wordings|{number}", WorldSettings(names="own")))["security"] for number in range(20)}
    assert len(found) == 20


def test_the_halves_of_the_wordings_share_none() -> None:
    def clauses(half: str) -> set[str]:
        made = [generate(f"half|{number}", WorldSettings(names="own", wordings=half)) for number in range(20)]
        return {each for world in made for each in world.workspace().files["/docs/security.md"].split("\n") if each}

    known, unseen = clauses("known"), clauses("unseen")
    assert known
    assert unseen
    assert not {each for each in known & unseen if len(each) > 20}
