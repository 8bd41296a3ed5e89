"""A trial stays open if the user's benchmark gives it a wrong score.

The benchmark is the user's `shelf.py`. Its `Wordbook.end_trial` should return
TrialScore("heron-0", 1.0). The reason of the trial says what a score has to be.
"""

from pathlib import Path

import pytest

from controlplane.errors import Unreachable
from tests.controlplane.configuration.broken_benchmarks import broken_wordbook


@pytest.mark.parametrize(
    "score",
    [
        pytest.param("float('nan')", id="not a number"),
        pytest.param("1e16", id="too large"),
        pytest.param("'good'", id="a text"),
    ],
)
def test_a_wrong_score_leaves_the_trial_open(score: str, tmp_path: Path) -> None:
    result = broken_wordbook.run_broken_wordbook(
        tmp_path, "Wordbook.end_trial", f"return TrialScore('heron-0', {score})"
    )

    assert result.code == Unreachable.exit_code
    reason = broken_wordbook.reason_of_trial(result, tmp_path)
    assert reason.startswith(
        "could not end: ValueError: the score of heron-0 is a finite number"
    )
