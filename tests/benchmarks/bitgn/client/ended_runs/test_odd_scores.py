"""Scores of the remote platform (BitGN) that are none, such as 2, NaN or a text.

Its reply counts all the same: the trial has no score, and the reason is told. A score that is hidden
(`scoreAvailable` is false) may still come.
"""

from contextlib import closing

import pytest

from controlplane import BenchmarkContext
from controlplane.benchmarks.bitgn.client.remote_benchmark import open_benchmark
from controlplane.benchmarks.bitgn.client.runs import ScoredRun, ScoredTrial
from controlplane.score_scale import UNIT_SCALE


@pytest.mark.parametrize(
    ("number", "reason"),
    [
        pytest.param("2", "the score 2 is not from 0 to 1", id="2"),
        pytest.param("-5", "the score -5 is not from 0 to 1", id="-5"),
        pytest.param("1e308", "the score 1e+308 is no finite number", id="1e308"),
        pytest.param(
            "1" + "0" * 400, "the score nan is no finite number", id="400 digits"
        ),
        pytest.param('"NaN"', "the score nan is no finite number", id="NaN"),
        pytest.param('"good"', "the score nan is no finite number", id="a text"),
    ],
)
def test_what_is_no_score_leaves_the_trial_without_one(
    number: str, reason: str
) -> None:
    fields = f'"state": "TRIAL_STATE_DONE", "scoreAvailable": true, "score": {number}'
    reply = ScoredTrial.model_validate_json("{" + fields + "}")

    score = reply.as_score("t").within(UNIT_SCALE)

    assert score.score is None
    assert score.unscored == reason


def test_a_platform_may_have_another_scale() -> None:
    reply = ScoredTrial.model_validate_json('{"score": 57, "scoreAvailable": true}')
    settings = {"host": "http://127.0.0.1:1", "scale": "any"}

    opened = open_benchmark("x", settings, BenchmarkContext())
    with closing(opened.benchmark):
        score = reply.as_score("t").within(opened.scale)

    assert score.score == 57


def test_a_hidden_score_may_still_come() -> None:
    reply = ScoredTrial.model_validate_json('{"score": 2, "scoreAvailable": false}')

    score = reply.as_score("t").within(UNIT_SCALE)

    assert score.score is None
    assert score.unscored == ""


def test_a_run_with_refused_scores_has_no_score_of_its_own() -> None:
    reply = ScoredRun.model_validate_json(
        '{"state": "RUN_STATE_EVALUATED", "scoreAvailable": true, "score": 1.0, "trials": '
        '[{"trialId": "a", "score": 2, "scoreAvailable": true}, '
        '{"trialId": "b", "score": 0, "scoreAvailable": true}]}'
    )

    scores = [trial.as_score(trial.trial_id) for trial in reply.trials]
    result = reply.as_result("r", scores).within(UNIT_SCALE)

    assert result.score is None
    assert [trial.score for trial in result.trials] == [None, 0.0]
