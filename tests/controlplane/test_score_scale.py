"""What counts as a score: a finite number of the benchmark's scale, from 0 to 1 unless it declares another."""

import math
from fractions import Fraction
from typing import Any

import pytest

from controlplane import RunResult, RunState, ScoreScale, TrialScore
from controlplane.score_scale import ANY_NUMBER, UNIT_SCALE, exact


@pytest.mark.parametrize(
    ("value", "score"),
    [
        pytest.param(0.5, 0.5, id="a number"),
        pytest.param(True, 1.0, id="True"),
        pytest.param(Fraction(1, 4), 0.25, id="another kind of number"),
        pytest.param(1.0000000001, 1.0, id="1 within rounding"),
        pytest.param(-1e-12, 0.0, id="0 within rounding"),
        pytest.param(0.9999999999, 1.0, id="1 within rounding from below"),
        pytest.param(1.000001, None, id="more than 1"),
        pytest.param(math.nan, None, id="NaN"),
        pytest.param(math.inf, None, id="infinity"),
        pytest.param(10**400, None, id="400 digits"),
        pytest.param("1", None, id="a text"),
        pytest.param(None, None, id="nothing"),
        pytest.param([1], None, id="a list"),
    ],
)
def test_a_score_is_a_finite_number_from_0_to_1(
    value: Any, score: float | None
) -> None:
    assert UNIT_SCALE.score_of(value) == score


@pytest.mark.parametrize(
    ("scale", "text", "without_score"),
    [
        (ScoreScale(0, 100), "from 0 to 100", 0.0),
        (ScoreScale(-1, 1), "from -1 to 1", -1.0),
        (ScoreScale(1, 5), "from 1 to 5", 0.0),
        (ScoreScale(0, math.inf), "from 0", 0.0),
        (ANY_NUMBER, "any number", 0.0),
    ],
)
def test_a_scale_survives_its_journal_and_says_what_a_missing_score_counts(
    scale: ScoreScale, text: str, without_score: float
) -> None:
    """A missing score counts no more than the worst one, so that breaking a grader gains nothing."""
    assert ScoreScale.from_recorded(scale.recorded) == scale
    assert None in scale.recorded or all(map(math.isfinite, scale.recorded))
    assert str(scale) == text
    assert scale.without_score == without_score


def test_a_number_in_a_reason_is_cut() -> None:
    assert len(UNIT_SCALE.fault_of(10**400)) < 100
    assert len(UNIT_SCALE.fault_of(10**6000)) < 100  # Python refuses to write it.


def test_the_mean_of_refused_scores_is_no_score_of_the_run() -> None:
    """2 and 0 have the mean 1, which would be on the scale."""
    trials = (TrialScore("a", 2), TrialScore("b", 0))
    result = RunResult("r", RunState.EVALUATED, 1.0, trials).within(UNIT_SCALE)

    assert [trial.score for trial in result.trials] == [None, 0.0]
    assert result.trials[0].unscored == "the score 2 is not from 0 to 1"
    assert result.score is None


def test_numbers_are_taken_as_they_are_written() -> None:
    assert exact(0.7) == Fraction(7, 10)
    assert exact(1e-05) == Fraction(1, 100_000)
