"""Scores of Inspect's scorers that are none: any finite number is one, NaN or one of 400 digits is not.

The sample's score is that of the first scorer. If it gives none, the next scorer does not stand in
for it.
"""

from pathlib import Path

import pytest

from tests.benchmarks.inspect.inspect_runs import (
    run_task,
    script_reply,
    write_replies,
    write_task,
)

pytest.importorskip("inspect_ai")

REASONS = {
    "odd.huge": "the score nan is no number up to 10^15",
    "odd.nan": "the score nan is no number up to 10^15",
    "odd.none": "the scorer first gave no score",
}


def test_what_is_no_score_leaves_its_sample_without_one(tmp_path: Path) -> None:
    """The run ends, and the mean is that of the samples with scores: -5 and 2."""
    write_task(
        tmp_path,
        """
VALUES = {"low": -5, "high": 2, "huge": 10**400, "nan": float("nan"), "none": None}

@scorer(metrics=[mean()])
def first():
    async def score(state, target):
        value = VALUES[state.sample_id]
        return None if value is None else Score(value=value)
    return score

@scorer(metrics=[mean()])
def second():
    async def score(state, target):
        return Score(value=1)
    return score

@task
def odd():
    dataset = [Sample(input="Go.", target="x", id=name) for name in VALUES]
    return Task(dataset=dataset, scorer=[first(), second()])
""",
    )
    names = ("low", "high", "huge", "nan", "none")
    replies = [script_reply(f"odd.{name}", answer="x") for name in names]
    write_replies(tmp_path, *replies)

    run = run_task(tmp_path, "odd")

    trials = {trial["task_id"]: trial for trial in run.json["trials"]}
    scores = {name: trial["score"] for name, trial in trials.items()}
    assert scores == {"odd.low": -5.0, "odd.high": 2.0, **dict.fromkeys(REASONS)}
    for name, reason in REASONS.items():
        assert trials[name]["unscored"] == reason
    assert run.json["mean_score"] == -1.5
    assert run.json["scale"] == [None, None]
    assert run.json["trials_unscored"] == 3
    assert run.json["submitted"]
