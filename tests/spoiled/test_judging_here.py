"""What is judged in this process gets the verdicts of a live exit, whose aide judges."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import islice

import pytest

from agent.submission import GatedExit, GateSettings, judging_modules
from gates import Submission
from sandbox import Aide, ForkServer
from tests.gates.sample_trials import Verify
from tests.spoiled.kinds import OPEN_KINDS
from tests.spoiled.played_trial import Play, PlayedTrial
from tests.spoiled.spoil import Spoil

SAMPLE = 5
"""Kinds of spoils, of each of which one is judged."""


@pytest.fixture(scope="module")
def server() -> Iterator[ForkServer]:
    with ForkServer(aide_modules=judging_modules(("ecom",))) as running:
        yield running


def verdicts_of_a_live_exit(server: ForkServer, play: Play, spoil: Spoil) -> list[tuple[str, str, str]]:
    with Aide(server) as aide:
        play.recorder.aide = aide
        play.recorder.trace.submissions.clear()
        leaving = GatedExit(
            play.recorder, play.truth.instruction, GateSettings(packs=("ecom",)), play.prompt.rules, delivers=False
        )
        judged = leaving.submit(Submission.from_scratchpad(spoil.pad, Verify()))
        play.recorder.aide = None
    return [(each.name, str(each.result), each.reason) for each in judged.verdicts]


@pytest.mark.parametrize(
    "variant_id",
    [
        *("basket-addition#1", "calendar-date#1", "discount-limit#1", "inventory-export#1", "open-branches#1"),
        *("origin-fact#1", "price-count#1", "product-existence#1", "receipt-rebuy#2", "record-field#3"),
        *("refund-closure#1", "sku-lookup#1", "staff-count#1", "stock-answer#2", "stock-count#1", "temporary-files#1"),
        *("unnamed-basket#1", "verification-restart#1"),
    ],
)
def test_the_verdicts_are_those_of_a_live_exit(variant_id: str, server: ForkServer) -> None:
    trial = PlayedTrial.pose(variant_id, "spoiled 1")
    chance = random.Random(variant_id)
    made = (list(kind.make(trial)) for kind in chance.sample(OPEN_KINDS, len(OPEN_KINDS)))
    chosen = [chance.choice(spoils) for spoils in islice(filter(None, made), SAMPLE)]
    for spoil in (Spoil("right", "open", trial.right, trial.right.pad), *chosen):
        here = [(each.name, str(each.result), each.reason) for each in spoil.play.judge(spoil.pad).verdicts]
        assert here == verdicts_of_a_live_exit(server, spoil.play, spoil)
