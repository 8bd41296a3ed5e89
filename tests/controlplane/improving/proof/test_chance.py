"""Loops of `improve` without an effect seldom claim one.

The hints before the loop and the best candidate play the same final tasks. The loop claims an
improvement if the 95 % interval of the difference of their scores is above 0. Here every trial succeeds
by chance, whatever the hints say.
"""

from pathlib import Path

import pytest

from tests.controlplane.improving.riddle_loop import RiddleLoop
from tests.controlplane.improving.riddle_models import RiddleModels
from tests.controlplane.improving.riddle_players import solved_by_chance
from tests.support.endpoints import model_server


def claims_improvement(loop: RiddleLoop, number: int) -> bool:
    """Run a loop with its own hints and seed, and return whether it claims to be better."""
    loop.folder.mkdir()
    hints_file = loop.folder / "hints.txt"
    hints_file.write_text(f"Loop {number}.\n", encoding="utf-8")

    run = loop.improve("--seed", str(number), "--json")

    assert run.code in (0, 1), run.err
    return bool(run.json["is_better"])


@pytest.mark.heavy
def test_loops_without_an_effect_seldom_claim_one(tmp_path: Path) -> None:
    """Every trial succeeds by chance, whatever the hints say. One in 20 intervals of 95 % is wrong,
    half of these in favour of the candidate. So more than 2 wrong claims in 20 loops almost never
    happen."""
    claims = 0
    with model_server(RiddleModels(solved_by_chance, copies_id=False)) as server:
        for number in range(20):
            loop = RiddleLoop(tmp_path / str(number), server)
            if claims_improvement(loop, number):
                claims += 1

    assert claims <= 2
