"""A world's names are one choice: what is shown under them is known again, and no two things share one."""

from __future__ import annotations

from random import Random

import pytest

from benchmarks.ecom.world.names import VOCABULARIES, choose_names
from benchmarks.ecom.world.shop_records import Discount, Verification

RECORD = {
    "id": "pay-1",
    "status": "awaiting_verification",
    "is_open": True,
    "fulfilment": "download",
    "discount": Discount(1, "x", "emp-1").data(),
    "verification": Verification("challenge_abandoned", 1, 3, "2027-01-01T00:00:00Z").data(),
    "inventory": [{"sku": "A", "on_hand": 1, "incoming": [{"quantity": 1, "arrives_in_days": 2}]}],
    "properties": {"status": "paid"},
}


@pytest.mark.parametrize("vocabulary", VOCABULARIES)
@pytest.mark.parametrize("seed", range(8))
def test_what_is_shown_is_known_again(vocabulary: str, seed: int) -> None:
    names = choose_names(Random(seed), vocabulary, "mixed")
    assert names.vocabulary == vocabulary
    shown = names.records.shown(RECORD)
    assert names.records.known(shown) == RECORD
    assert (shown == RECORD) is False or vocabulary == "own"
    paths = list(names.documents.values())
    assert len(paths) == len(set(paths))


def test_the_public_vocabulary_is_that_of_the_public_benchmark() -> None:
    names = choose_names(Random(1), "public", "mixed")
    shown = names.records.shown(RECORD)
    assert shown["three_ds"]["status"] == "3ds-status2"
    assert (shown["status"], shown["fulfillment_type"]) == ("requires_3ds_action", 2)
    assert shown["inventory"][0]["incoming"][0] == {"quantity": 1, "arrival_in_days": 2}
    assert names.document("verification") == "/docs/payments/3ds.md"
    assert (names.verb("restart"), names.tool("checkout")) == ("recover-3ds", "/bin/checkout")
    assert names.layout.id_of("cust", 174) == "cust-0174"


def test_worlds_differ_in_their_vocabulary() -> None:
    assert {choose_names(Random(seed), "mixed", "mixed").vocabulary for seed in range(20)} == set(VOCABULARIES)
