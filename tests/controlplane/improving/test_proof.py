"""When a loop of `improve` claims to be better: `0.50 → 1.00 on 2 unseen tasks`.

The hints before the loop and the best candidate play the same final tasks. The loop claims an
improvement if the 95 % interval of the difference of their scores is above 0.
"""

from pathlib import Path

import pytest

from controlplane.improving.proof import difference_interval, result_text
from controlplane.journal.totals.spending_totals import Spent
from controlplane.journal.totals.trial_summary import TrialSummary
from controlplane.score_statistics import Interval
from tests.controlplane.improving.riddle_loop import NOT_BETTER, OK, RiddleLoop
from tests.controlplane.improving.riddle_models import RiddleModels, solved_by_chance
from tests.support.endpoints import model_server


def claims_improvement(loop: RiddleLoop, number: int) -> bool:
    """Run a loop with its own hints and seed, and return whether it claims to be better."""
    loop.folder.mkdir()
    hints_file = loop.folder / "hints.txt"
    hints_file.write_text(f"Loop {number}.\n", encoding="utf-8")

    run = loop.improve("--seed", str(number), "--json")

    assert run.code in (OK, NOT_BETTER), run.err
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


def trial_with(*, score: float, tokens: int) -> TrialSummary:
    """Return an answered trial with this score and these tokens."""
    return TrialSummary(
        "t",
        "a.1",
        score=score,
        state="answered",
        steps_done=3,
        spent=Spent(tokens=tokens, known_usd=0.5),
    )


def test_a_result_has_both_means_the_interval_and_the_change_of_tokens() -> None:
    """The original solves one of two tasks, and the candidate both, with fewer tokens."""
    trials_before = [
        trial_with(score=0.0, tokens=100),
        trial_with(score=1.0, tokens=100),
    ]
    trials_after = [
        trial_with(score=1.0, tokens=88),
        trial_with(score=1.0, tokens=88),
    ]
    difference = Interval(mean=0.5, low=0.01, high=0.93)

    text = result_text(trials_before, trials_after, difference)

    assert text == (
        "0.50 → 1.00 on 2 unseen tasks (+0.50, 95 % CI [0.01, 0.93]), tokens -12 %"
    )


def test_few_tasks_that_all_improve_leave_a_wide_interval() -> None:
    """All of six differences are 1, so that they do not vary. The true mean may be far less."""
    interval = difference_interval([1.0] * 6)

    assert interval.mean == 1.0
    assert 0 < interval.low < 0.5
