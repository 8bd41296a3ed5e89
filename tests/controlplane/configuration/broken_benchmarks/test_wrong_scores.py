"""A trial has no score if the user's benchmark gives it a wrong one, and its run ends all the same.

The benchmark is the user's `shelf.py`. Its `Wordbook.end_trial` should return
TrialScore("heron-0", 1.0). Its mean of the run may come of the same numbers, so that it is left out.
"""

from pathlib import Path

import pytest

from tests.controlplane.configuration.broken_benchmarks import broken_wordbook


@pytest.mark.parametrize(
    ("score", "reason"),
    [
        pytest.param("float('nan')", "the score nan is no finite number", id="NaN"),
        pytest.param("1e308", "the score 1e+308 is no finite number", id="1e308"),
        pytest.param(
            "10**400", f"the score 1{'0' * 39}… is no finite number", id="400 digits"
        ),
        pytest.param("2", "the score 2 is not from 0 to 1", id="2"),
        pytest.param("-5.0", "the score -5 is not from 0 to 1", id="-5"),
        pytest.param("'good'", "the score 'good' is no finite number", id="a text"),
    ],
)
def test_what_is_no_score_leaves_its_trial_without_one_and_stops_nothing(
    score: str, reason: str, tmp_path: Path
) -> None:
    """A run of which no trial has a score has the exit code 1, but it is submitted."""
    result = broken_wordbook.run_broken_wordbook(
        tmp_path, "Wordbook.end_trial", f"return TrialScore('heron-0', {score})"
    )

    (trial,) = result.json["trials"]
    assert trial["state"] == "answered"
    assert trial["score"] is None
    assert trial["unscored"] == reason
    assert trial["details"] == [reason]
    assert result.json["submitted"]
    assert result.json["score"] is None
    assert result.json["unscored"] == {reason: 1}
    assert result.code == 1


def test_a_score_within_rounding_of_1_is_1(tmp_path: Path) -> None:
    result = broken_wordbook.run_broken_wordbook(
        tmp_path, "Wordbook.end_trial", "return TrialScore('heron-0', 1.0000000001)"
    )

    assert result.json["trials"][0]["score"] == 1.0
    assert result.code == 0
